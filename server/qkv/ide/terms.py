"""The glossary at a position: which term is meant there."""

from __future__ import annotations

from dataclasses import dataclass

from qkv.ide.snapshot import Snapshot
from qkv.source import Span


@dataclass(frozen=True, slots=True)
class ShownTerm:
    """A term as the hover shows it, and the stretch of text that means it."""

    span: Span
    id: str
    name: str
    definition: str
    definition_markdown: str
    formula_text: str | None
    lesson: str | None


def shown_term(snapshot: Snapshot, line: int, column: int) -> ShownTerm | None:
    """The term that the text at a position means."""
    return None
