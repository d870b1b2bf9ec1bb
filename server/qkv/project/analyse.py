"""The analysis of one text within its project."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from qkv.interp import Analysis
from qkv.project.environment import find_environment, package_folders
from qkv.source import Source

if TYPE_CHECKING:
    from qkv.project.imports import Modules


def analyse(source: Source, modules: Modules | None = None, cancelled: Callable[[], bool] = lambda: False) -> Analysis:
    """All facts and findings of a file. Never raises on user code; raises `Cancelled` where the answer is no longer wanted.

    `modules` finds the modules that the file imports and keeps them for the next file; without it they are looked for anew.
    """
    from qkv.interp.analyse import analyse_unit

    if modules is None:
        modules = modules_for(Path(source.path))
    return analyse_unit(source, modules.importer(source.path), cancelled)


def modules_for(path: Path) -> Modules:
    """The modules that a file can import: beside it, in its project, and in the virtual environment that belongs to it."""
    from qkv.project.imports import Modules

    environment = find_environment(path.absolute().parent, os.environ)
    return Modules(folders=package_folders(environment) if environment is not None else ())
