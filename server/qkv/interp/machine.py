"""The state of one interpretation: the store, the call stack, the budget, and the log of what was seen."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from qkv.interp.values import Class, Scope, Unit
from qkv.ops import Context, Mismatch
from qkv.shapes import Store, Tensor
from qkv.shapes.solve import resolve_value, unknown_shape
from qkv.source import Location

Importer = Callable[[str, int, Unit], "Unit | None"]
"""Finds the module that an import statement names: (dotted name, level, the importing unit)."""

GENERIC_STEPS = 20_000
RUN_STEPS = 60_000
CALL_DEPTH = 40
UNROLL = 200


class Stop(Exception):
    """The program as it would run ends here: it has crashed, or what follows cannot be said."""


class OutOfBudget(Exception):
    """The steps of this entry are used up; what was found so far stands."""


class Cancelled(Exception):
    """The editor no longer wants the answer."""


@dataclass(slots=True)
class Record:
    """A name was bound to a value, at a node. Values are brought up to date when a branch is taken back and when the entry ends."""

    node: ast.AST
    unit: Unit
    name: str
    kind: str
    value: Any
    function: str | None
    entry: ast.AST | None
    origin: ast.AST | None
    call: Location | None


@dataclass(slots=True)
class Read:
    """A name or attribute that holds a tensor was read."""

    node: ast.AST
    unit: Unit
    name: str
    value: Any


@dataclass(slots=True)
class Done:
    """A rule was applied."""

    node: ast.AST
    name_node: ast.AST
    unit: Unit
    name: str
    before: tuple[Any, ...]
    after: Any


@dataclass(slots=True)
class Trouble:
    """A mismatch with its place, the arguments as they are written, and the chain of calls that led there."""

    mismatch: Mismatch
    node: ast.AST
    unit: Unit
    operands: dict[str, tuple[ast.AST, Any]]
    chain: tuple[Location, ...]
    main: str
    function: str | None = None


@dataclass(slots=True)
class Use:
    """A mask whose numbers are known meets scores: which side of its diagonal it hides, and where it was made."""

    node: ast.AST
    unit: Unit
    how: str
    diagonal: int
    hides_low: bool
    hides_high: bool
    birth: Location | None
    square: bool
    mask_node: ast.AST | None = None
    function: str | None = None


@dataclass
class Log:
    """What was seen, in order."""

    records: list[Record] = field(default_factory=list[Record])
    reads: list[Read] = field(default_factory=list[Read])
    done: list[Done] = field(default_factory=list[Done])
    troubles: list[Trouble] = field(default_factory=list[Trouble])
    uses: list[Use] = field(default_factory=list[Use])


@dataclass(slots=True)
class Frame:
    """One call: where it was made, what it has returned so far, and whether what happens in it is written down."""

    unit: Unit
    scope: Scope
    name: str | None
    node: ast.AST | None
    call: ast.AST | None
    caller: Unit | None
    owner: Class | None = None
    returns: list[Any] = field(default_factory=list[Any])
    yields: list[Any] | None = None


@dataclass
class Machine:
    """One interpretation of a file: as it would run (`run`), or of one function on its own."""

    store: Store
    run: bool
    importer: Importer
    limit: int
    cancelled: Callable[[], bool] = lambda: False
    log: Log = field(default_factory=Log)
    stack: list[Frame] = field(default_factory=list[Frame])
    steps: int = 0
    open_branches: int = 0
    tries: int = 0
    silent: int = 0
    size_tests: int = 0
    entries: frozenset[ast.AST] = frozenset()
    entry: ast.AST | None = None
    generators: dict[ast.AST, bool] = field(default_factory=dict[ast.AST, bool])
    claimed_sizes: dict[str, Any] = field(default_factory=dict[str, Any])
    claimed_rows: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def frame(self) -> Frame:
        """The call that is being interpreted."""
        return self.stack[-1]


def step(m: Machine) -> None:
    """Count one statement or call. Raises OutOfBudget when the entry's steps are used up, Cancelled when nobody waits any more."""
    m.steps += 1
    if m.steps > m.limit:
        raise OutOfBudget
    if m.cancelled():
        raise Cancelled


def place(m: Machine, node: ast.AST) -> Location:
    """Where a node of the current unit stands."""
    unit = m.frame.unit
    return Location(unit.source.path, unit.source.span_of(node))


def context(m: Machine, node: ast.AST) -> Context:
    """What a rule is given for the operation at a node."""
    return Context(m.store, place(m, node))


def chain(m: Machine) -> tuple[Location, ...]:
    """The calls that led here, outermost first."""
    found: list[Location] = []
    for frame in m.stack:
        if frame.call is not None and frame.caller is not None:
            found.append(Location(frame.caller.source.path, frame.caller.source.span_of(frame.call)))
    return tuple(found)


def record(m: Machine, node: ast.AST, name: str, kind: str, value: Any, origin: ast.AST | None = None) -> None:
    """Write down that a name was bound."""
    if m.silent:
        return
    frame = m.frame
    call = None
    if frame.call is not None and frame.caller is not None:
        call = Location(frame.caller.source.path, frame.caller.source.span_of(frame.call))
    m.log.records.append(Record(node, frame.unit, name, kind, value, frame.name, frame.node, origin, call))


def report(
    m: Machine, mismatch: Mismatch, node: ast.AST, operands: dict[str, tuple[ast.AST, Any]] | None = None
) -> None:
    """Write down a mismatch at a node."""
    if not m.silent and not m.tries:
        settled = {name: (at, resolve_value(m.store, value)) for name, (at, value) in (operands or {}).items()}
        mismatch.parts = {name: resolve_value(m.store, part) for name, part in mismatch.parts.items()}
        m.log.troubles.append(
            Trouble(mismatch, node, m.frame.unit, settled, chain(m), m.stack[0].unit.source.path, m.frame.name)
        )


class Expected(Exception):
    """An operation raises inside a `try` that has a handler: the handler runs."""


def fail(m: Machine, mismatch: Mismatch, node: ast.AST, operands: dict[str, tuple[ast.AST, Any]] | None = None) -> None:
    """An operation raises. Returns where the analysis goes on behind it: in an open branch, and in a function on its own.

    Raises Stop where the program as it would run has crashed, Expected where a handler takes over.
    """
    if m.tries:
        if not m.open_branches:
            raise Expected
        return
    report(m, mismatch, node, operands)
    if m.run and not m.open_branches:
        raise Stop


@contextmanager
def open_branch(m: Machine) -> Iterator[None]:
    """Code that may or may not run."""
    m.open_branches += 1
    try:
        yield
    finally:
        m.open_branches -= 1


@contextmanager
def silently(m: Machine) -> Iterator[None]:
    """A pass whose facts and findings are not kept."""
    m.silent += 1
    try:
        yield
    finally:
        m.silent -= 1


def settle(m: Machine, since: tuple[int, int, int]) -> None:
    """Put what has been learnt into all that was logged since `mark`, before a branch is taken back."""
    store, log = m.store, m.log
    for item in log.records[since[0] :]:
        item.value = resolve_value(store, item.value)
    for item in log.reads[since[1] :]:
        item.value = resolve_value(store, item.value)
    for item in log.done[since[2] :]:
        item.before = tuple(resolve_value(store, value) for value in item.before)
        item.after = resolve_value(store, item.after)


def logged(m: Machine) -> tuple[int, int, int]:
    """The length of the logs, for `settle`."""
    return len(m.log.records), len(m.log.reads), len(m.log.done)


def fresh_tensor(m: Machine) -> Tensor:
    """A tensor of which nothing is known, taken for one because of how it is used."""
    return Tensor(unknown_shape(m.store), sure=False)
