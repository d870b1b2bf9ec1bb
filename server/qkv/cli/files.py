"""Which files a command reads, and under which settings."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from qkv.cli.common import UsageError, say
from qkv.ide.reading import Text, Unreadable, read_text
from qkv.ide.selection import matches_glob
from qkv.ide.settings import Settings, project_file, project_settings

SUFFIXES = (".py", ".ipynb")
LEFT_OUT = frozenset({"venv", "node_modules", "__pycache__", "site-packages", "build", "dist"})


@dataclass
class Projects:
    """The settings of each folder's project, read once; what is wrong with a file is said once, on standard error."""

    by_folder: dict[Path, Settings] = field(default_factory=dict[Path, Settings])
    by_file: dict[Path | None, Settings] = field(default_factory=dict["Path | None", Settings])

    def settings_for(self, path: str) -> Settings:
        """The settings of the project that a file is in."""
        folder = Path(path).parent.resolve()
        if folder not in self.by_folder:
            file = project_file(folder)
            if file not in self.by_file:
                self.by_file[file], problems = project_settings(file)
                for problem in problems:
                    say(f"qkv: {problem}")
            self.by_folder[folder] = self.by_file[file]
        return self.by_folder[folder]


def one_file(path: str) -> Text:
    """Read the one file that a command was given. Raises UsageError where that cannot be done."""
    if not Path(path).exists():
        raise UsageError(f"there is no file {path}")
    if Path(path).is_dir():
        raise UsageError(f"{path} is a folder; name a file")
    try:
        return read_text(path, as_utf8=True)
    except Unreadable as problem:
        raise UsageError(f"{path} {problem}") from None


def discover(paths: list[str], projects: Projects) -> list[str]:
    """The files that paths stand for, each once, in the order given. Raises UsageError for a path that does not exist."""
    found: dict[str, str] = {}
    for path in paths:
        if not os.path.lexists(path):
            raise UsageError(f"there is no file or folder {path}")
        for file in _below(path, projects) if Path(path).is_dir() else [path]:
            found.setdefault(os.path.realpath(file), file)
    return list(found.values())


def _below(folder: str, projects: Projects) -> Iterator[str]:
    for where, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if _kept(name) and not _excluded(Path(where, name), projects))
        for name in sorted(files):
            path = Path(where, name)
            if name.endswith(SUFFIXES) and _kept(name) and not _excluded(path, projects) and _is_plain(path):
                yield str(path)


def _kept(name: str) -> bool:
    return not name.startswith(".") and name not in LEFT_OUT


def _excluded(path: Path, projects: Projects) -> bool:
    settings = projects.settings_for(str(path))
    return any(matches_glob(str(path), glob, settings.root) for glob in settings.exclude)


def _is_plain(path: Path) -> bool:
    """A file, or a link that leads nowhere, which is worth a word; a pipe or a socket would be read for ever."""
    return path.is_file() or path.is_symlink()


def shown_path(path: str) -> str:
    """A path as it is printed: as it was given, with `/`."""
    return path.replace(os.sep, "/")
