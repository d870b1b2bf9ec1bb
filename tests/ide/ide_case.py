"""Snapshots made by hand: a feature is tested on facts that stand in the test, not on what the analysis finds."""

from __future__ import annotations

from textwrap import dedent

from qkv.ide.settings import Settings
from qkv.ide.snapshot import Snapshot
from qkv.interp import Analysis, Axis, Fact, Finding, Named, Operand, Operation
from qkv.source import Location, Source, Span

PATH = "model.py"


def text_of(snippet: str) -> str:
    """A snippet as it stands in a test, without the test's indentation and the first line end."""
    return dedent(snippet).removeprefix("\n")


def span_of(text: str, piece: str, nth: int = 1) -> Span:
    """Where a piece of a text stands for the nth time."""
    at = -1
    for _ in range(nth):
        at = text.index(piece, at + 1)
    line = text.count("\n", 0, at) + 1
    column = at - (text.rfind("\n", 0, at) + 1) + 1
    ends = piece.split("\n")
    end_column = column + len(piece) if len(ends) == 1 else len(ends[-1]) + 1
    return Span(line, column, line + len(ends) - 1, end_column)


def where(text: str, piece: str, nth: int = 1) -> Location:
    """The same as a location in the test's file."""
    return Location(PATH, span_of(text, piece, nth))


def axes(*sizes: int | str) -> tuple[Axis, ...]:
    """The axes of a shape, none of which remembers where it was born."""
    return tuple(Axis(size) for size in sizes)


def bound(text: str, name: str, *sizes: int | str, nth: int = 1, **more: object) -> Fact:
    """A fact about a name that is bound in the text."""
    return Fact(span_of(text, name, nth), name, "assignment", None, axes(*sizes), **more)  # type: ignore[arg-type]


def finding(
    text: str, code: str, piece: str, *, operand: str | None = None, fix: str | None = None, nth: int = 1
) -> Finding:
    """A finding at a piece of the text, whose fix applies to the operand."""
    operands = {"x": Operand(span_of(text, operand), operand, None)} if operand else {}
    at = "x" if operand else None
    return Finding(code, "error", "never", where(text, piece, nth), f"{code} here", operands=operands, fix=fix, at=at)


def snapshot(
    text: str,
    *,
    facts: tuple[Fact, ...] = (),
    operations: tuple[Operation, ...] = (),
    names: tuple[Named, ...] = (),
    findings: tuple[Finding, ...] = (),
    settings: Settings | None = None,
) -> Snapshot:
    """A snapshot that knows exactly this."""
    source = Source(PATH, text)
    analysis = Analysis(PATH, facts, operations, names, findings, source.parsed.errors)
    return Snapshot(PATH, source, analysis, settings or Settings())
