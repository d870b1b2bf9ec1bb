"""What the analysis of a file yields: facts about names, operations with their shapes, and findings. Plain data, already in the user's names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from qkv.source import Location, Span, SyntaxProblem

FactKind = Literal["assignment", "parameter", "loop", "attribute"]
Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis of a shown shape.

    `size` is an integer, or text: a name, an expression, `?`; `...` or `*name` stands for an unknown number of axes.
    `birth` is where that name was born.
    """

    size: int | str
    birth: Location | None = None


@dataclass(frozen=True, slots=True)
class Seen:
    """What a tensor was in one call of the file as it would run: whole numbers."""

    shape: tuple[int, ...]
    dtype: str | None
    call: Location | None


@dataclass(frozen=True, slots=True)
class Reason:
    """One step of why a fact holds, or of where a finding's cause was written."""

    where: Location
    note: str


@dataclass(frozen=True, slots=True)
class Fact:
    """A place where a name that holds a tensor, or that we cannot tell, is bound.

    `axes` is None where the rank is unknown, and then `unknown` says why. `needs` are the contracts under which the shape holds.
    `origin` is the expression that was bound, for the shape story.
    """

    span: Span
    name: str
    kind: FactKind
    function: str | None
    axes: tuple[Axis, ...] | None
    dtype: str | None = None
    device: str | None = None
    needs: tuple[str, ...] = ()
    seen: tuple[Seen, ...] = ()
    unknown: str | None = None
    because: tuple[Reason, ...] = ()
    origin: Span | None = None


@dataclass(frozen=True, slots=True)
class Operation:
    """What one call or operator does to shapes. `span` is the whole expression, `name_span` the part that names it (`transpose`, `@`)."""

    span: Span
    name_span: Span
    name: str
    before: tuple[str, ...]
    after: str | None


@dataclass(frozen=True, slots=True)
class Named:
    """A name or attribute that is read, with the shape that it has there."""

    span: Span
    name: str
    axes: tuple[Axis, ...] | None
    dtype: str | None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Operand:
    """An argument that a finding speaks of: where it stands, how it is written, and its shape as text."""

    span: Span
    text: str
    shape: str | None


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong, at the place where it happens. `message` is one sentence of plain text; `hint` one concrete next step.

    `fix` names a quick fix that applies to the operand `at`; the edit itself is made by the editor features. `function` is where it
    stands; two findings with one `cause` are one mistake.
    """

    code: str
    severity: Severity
    truth: Literal["never", "sometimes"] | None
    location: Location
    message: str
    hint: str | None = None
    because: tuple[Reason, ...] = ()
    operands: dict[str, Operand] = field(default_factory=dict[str, Operand])
    fix: str | None = None
    at: str | None = None
    terms: tuple[str, ...] = ()
    lesson: str | None = None
    function: str | None = None
    cause: tuple[object, ...] = ()


@dataclass(frozen=True, slots=True)
class MaskUse:
    """A mask whose numbers are known meets scores of queries (rows) and keys (columns).

    `how`: `fill` (hidden where True), `keeps` (a True lets see), `blocks` (a True hides), `added` (hidden where very negative).
    It hides keys at columns up to row + `diagonal` where `hides_low`, and those beyond where `hides_high`.
    """

    location: Location
    how: Literal["fill", "keeps", "blocks", "added"]
    diagonal: int
    hides_low: bool
    hides_high: bool
    square: bool
    birth: Location | None
    text: str
    span: Span
    function: str | None = None


@dataclass(frozen=True, slots=True)
class Analysis:
    """All that is known about one file. Everything is sorted by position."""

    path: str
    facts: tuple[Fact, ...] = ()
    operations: tuple[Operation, ...] = ()
    names: tuple[Named, ...] = ()
    findings: tuple[Finding, ...] = ()
    syntax: tuple[SyntaxProblem, ...] = ()
    mask_uses: tuple[MaskUse, ...] = ()
