"""What imports lead to while files are open: the editor's text of a file counts before the one on disk."""

from __future__ import annotations

import os
import tokenize
from collections.abc import Callable
from pathlib import Path

from qkv.project.environment import find_environment, package_folders
from qkv.project.imports import LARGEST, Modules

__all__ = ["Modules", "modules_for"]


def modules_for(folder: Path, open_text: Callable[[Path], str | None]) -> Modules:
    """The modules that the files of a folder can import."""

    def read(path: Path) -> str | None:
        text = open_text(path)
        return text if text is not None else _on_disk(path)

    environment = find_environment(folder, os.environ)
    return Modules(read, package_folders(environment) if environment is not None else ())


def _on_disk(path: Path) -> str | None:
    try:
        if path.stat().st_size > LARGEST:
            return None
        with tokenize.open(path) as file:
            return file.read()
    except (OSError, SyntaxError, UnicodeDecodeError):
        return None
