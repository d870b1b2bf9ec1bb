"""One version of one text with everything known about it: what every feature works on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from qkv.ide.notebook import Cells
from qkv.ide.settings import Settings
from qkv.interp import Analysis
from qkv.source import Source

if TYPE_CHECKING:
    from qkv.glossary import Page
    from qkv.project.imports import Modules

Language = Literal["python", "markdown"]


@dataclass(frozen=True)
class Snapshot:
    """A text, its analysis and the settings that hold for it. Immutable: an edit makes another snapshot.

    In a notebook the text is all code cells as one module, and `cells` knows where each of them stands in it.
    """

    path: str
    source: Source
    analysis: Analysis
    settings: Settings = field(default_factory=Settings)
    language: Language = "python"
    cells: Cells | None = None

    @cached_property
    def page(self) -> Page:
        """The text as the glossary reads it."""
        from qkv.glossary import prepare

        return prepare(self.source.text, self.language)


def never() -> bool:
    """The answer to "has this been cancelled?" where nobody cancels."""
    return False


def take_snapshot(
    path: str,
    text: str,
    *,
    settings: Settings | None = None,
    language: Language = "python",
    cells: Cells | None = None,
    modules: Modules | None = None,
    cancelled: Callable[[], bool] = never,
) -> Snapshot:
    """Analyse a text. The analysis asks `cancelled` now and then, and raises where it answers True.

    `modules` keeps what imports lead to for the next text.
    """
    source = Source(path, text)
    settings = settings or Settings()
    if language == "markdown":
        return Snapshot(path, source, Analysis(path), settings, language)
    from qkv.project import analyse

    return Snapshot(path, source, analyse(source, modules, cancelled), settings, language, cells)
