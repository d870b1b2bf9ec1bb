"""The analysis of one text within its project."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from qkv.interp import Analysis
from qkv.source import Source

if TYPE_CHECKING:
    from qkv.project.imports import Modules


def analyse(source: Source, modules: Modules | None = None, cancelled: Callable[[], bool] = lambda: False) -> Analysis:
    """All facts and findings of a file. Never raises on user code; raises `Cancelled` where the answer is no longer wanted.

    `modules` finds the modules that the file imports and keeps them for the next file; without it they are looked for anew.
    """
    from qkv.interp.analyse import analyse_unit
    from qkv.project.imports import Modules

    return analyse_unit(source, (modules or Modules()).importer(source.path), cancelled)
