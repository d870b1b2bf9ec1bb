"""Inlay hints: the shape of a tensor behind the name that is bound to it, one part an axis."""

from __future__ import annotations

from dataclasses import dataclass

from qkv.ide.shape_text import shape_text
from qkv.ide.snapshot import Snapshot
from qkv.interp import Fact
from qkv.source import Location


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a hint; `birth` is where the axis that it shows got its name."""

    text: str
    birth: Location | None = None


@dataclass(frozen=True, slots=True)
class Hint:
    """A hint after a name. `line` and `column` (both from 1) are those of the module."""

    line: int
    column: int
    parts: tuple[Part, ...]
    tooltip: str | None = None

    @property
    def text(self) -> str:
        return "".join(part.text for part in self.parts)


def inlay_hints(snapshot: Snapshot, first_line: int, last_line: int) -> tuple[Hint, ...]:
    """The hints of the lines from `first_line` to `last_line`, both included."""
    wanted = snapshot.settings.inlay_hints
    if wanted == "off" or snapshot.language != "python":
        return ()
    facts = [
        fact
        for fact in snapshot.analysis.facts
        if first_line <= fact.span.end_line <= last_line and (wanted == "all" or fact.kind == "assignment")
    ]
    hints = {(hint.line, hint.column): hint for fact in facts if (hint := _hint(snapshot, fact)) is not None}
    return tuple(hints[place] for place in sorted(hints))


def _hint(snapshot: Snapshot, fact: Fact) -> Hint | None:
    """The hint of a fact: silent where no axis is known, or where the code says it already."""
    axes = fact.axes
    if axes is None or (axes and all(axis.size == "?" or str(axis.size).startswith("...") for axis in axes)):
        return None
    if _said_already(snapshot, fact.span.end_line, shape_text(axes)):
        return None
    parts = [Part(": (")]
    for index, axis in enumerate(axes):
        if index:
            parts.append(Part(", "))
        parts.append(Part(str(axis.size), axis.birth))
    parts.append(Part(",)" if len(axes) == 1 else ")"))
    return Hint(fact.span.end_line, fact.span.end_column, tuple(parts), _tooltip(fact))


def _said_already(snapshot: Snapshot, line: int, text: str) -> bool:
    if "#" not in snapshot.source.lines[line - 1]:  # finding all comments takes a while in a long file
        return False
    comment = snapshot.source.comment_at_line.get(line)
    return comment is not None and _squeezed(comment.text).startswith(_squeezed(text))


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _tooltip(fact: Fact) -> str | None:
    lines = [f"{fact.name} is {fact.dtype}"] if fact.dtype else []
    lines += [f"needs {need}" for need in fact.needs]
    return "\n".join(lines) or None
