"""The shape story: line by line, how a tensor got its shape."""

from __future__ import annotations

from dataclasses import dataclass

from qkv.ide.shape_text import operation_text, shape_text
from qkv.ide.snapshot import Snapshot
from qkv.interp import Fact
from qkv.source import Span

MOST_STEPS = 40


@dataclass(frozen=True, slots=True)
class Step:
    """One line of the story: the code that was run, the shape that came out, and what happened to shapes on the way."""

    line: int
    code: str
    shape: str | None
    note: str | None


def facts_named(snapshot: Snapshot, line: int, name: str) -> tuple[Fact, ...]:
    """The facts of a name on a line of the module."""
    return tuple(fact for fact in snapshot.analysis.facts if fact.span.line == line and fact.name == name)


def shape_story(snapshot: Snapshot, fact: Fact) -> tuple[Step, ...]:
    """From the tensors with which a fact's shape began to the fact itself, in the order of the lines."""
    told: dict[Fact, None] = {}
    waiting = [fact]
    while waiting and len(told) < MOST_STEPS:
        one = waiting.pop(0)
        if one in told:
            continue
        told[one] = None
        waiting += _came_from(snapshot, one)
    return tuple(_step(snapshot, one) for one in sorted(told, key=lambda one: one.span))


def _came_from(snapshot: Snapshot, fact: Fact) -> list[Fact]:
    """The facts of the names that stand in the expression that was bound."""
    if fact.origin is None:
        return []
    origin = fact.origin
    read = [named for named in snapshot.analysis.names if _within(named.span, origin)]
    found: list[Fact] = []
    for named in read:
        before = [
            other
            for other in snapshot.analysis.facts
            if other.name == named.name
            and other.span < origin
            and other != fact
            and other.function in (fact.function, None)
        ]
        if before:
            found.append(before[-1])
    return found


def _within(inner: Span, outer: Span) -> bool:
    start, end = (inner.line, inner.column), (inner.end_line, inner.end_column)
    return (outer.line, outer.column) <= start and end <= (outer.end_line, outer.end_column)


def _step(snapshot: Snapshot, fact: Fact) -> Step:
    place = fact.origin or fact.span
    operations = [
        operation for operation in snapshot.analysis.operations if fact.origin and _within(operation.span, fact.origin)
    ]
    inside_out = sorted(operations, key=lambda operation: (operation.span.end_line, operation.span.end_column))
    notes = [f"{operation.name.rsplit('.', 1)[-1]} {operation_text(operation)}" for operation in inside_out]
    if not notes and fact.unknown:
        notes = [fact.unknown]
    if not notes and fact.because:
        notes = [fact.because[0].note]
    code = " ".join(snapshot.source.slice(_lines(fact.span, place, snapshot)).split())
    return Step(
        fact.span.line, code, shape_text(fact.axes) if fact.axes is not None else None, "; ".join(notes) or None
    )


def _lines(name: Span, origin: Span, snapshot: Snapshot) -> Span:
    """From the name's line to the end of what was bound to it."""
    last = max(name.end_line, origin.end_line)
    return Span(name.line, 1, last, len(snapshot.source.lines[last - 1]) + 1)
