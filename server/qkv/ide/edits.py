"""Edits as data: what a quick fix would change."""

from __future__ import annotations

import re
from dataclasses import dataclass

from qkv.source import Span

_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the text under a span; an empty span inserts. In a notebook `cell` is the cell's number and the span counts in it."""

    path: str
    span: Span
    text: str
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class Fix:
    """What one quick fix is called and does. `safe`: it changes nothing but the fault that it mends."""

    title: str
    safe: bool
    edits: tuple[Edit, ...]


def apply_edits(text: str, edits: tuple[Edit, ...]) -> str:
    """A text after the edits of one fix, which do not overlap."""
    starts = [0, *(match.end() for match in _LINE_END.finditer(text))]
    for edit in sorted(edits, key=lambda e: e.span, reverse=True):
        start = starts[edit.span.line - 1] + edit.span.column - 1
        end = starts[edit.span.end_line - 1] + edit.span.end_column - 1
        text = text[:start] + edit.text + text[end:]
    return text
