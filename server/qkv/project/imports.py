"""Find the modules that a file imports: beside it, in its project, and in the user's environment. Nothing is executed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from qkv.interp.entries import define
from qkv.interp.machine import GENERIC_STEPS, Importer, Machine
from qkv.interp.values import Unit
from qkv.project.resolve import module_path
from qkv.shapes import Store
from qkv.source import Source

NEVER_ENTERED = frozenset(
    [
        "torch",
        "torchvision",
        "torchaudio",
        "numpy",
        "scipy",
        "math",
        "typing",
        "typing_extensions",
        "os",
        "sys",
        "re",
        "json",
        "functools",
        "itertools",
        "collections",
        "dataclasses",
        "einops",
        "jaxtyping",
        "transformers",
        "triton",
        "abc",
        "enum",
        "copy",
        "random",
        "time",
        "pathlib",
        "argparse",
        "logging",
        "warnings",
        "contextlib",
        "inspect",
    ]
)
"""Top-level packages that are described by rules, or whose insides teach nothing about shapes."""

LARGEST = 400_000
"""A module larger than this, in bytes, is not entered."""


class Modules:
    """Modules by file, read and defined once. One file is never defined twice, so that its classes stay the same classes."""

    def __init__(self, read: Callable[[Path], str | None] | None = None, folders: tuple[str, ...] = ()) -> None:
        self._read = read or _read
        self._folders = folders
        self._found: dict[tuple[str, Path], Path | None] = {}
        self._sources: dict[Path, Source | None] = {}
        self._units: dict[Path, Unit | None] = {}

    def importer(self, path: str) -> Importer:
        """How the imports of a file (and of what it imports) are found."""
        units = self._units

        def find(name: str, level: int, importing: Unit) -> Unit | None:
            top = name.split(".")[0]
            if not level and (top in NEVER_ENTERED or not name):
                return None
            found = self._locate(name, level, Path(importing.source.path))
            if found is None:
                return None
            if found not in units:
                units[found] = None  # a circular import sees nothing yet
                source = self._source(found)
                if source is not None:
                    unit = Unit(source, name, own="site-packages" not in found.parts)
                    units[found] = unit
                    define(Machine(Store(), False, find, GENERIC_STEPS), unit)
            return units[found]

        return find

    def _locate(self, name: str, level: int, importing: Path) -> Path | None:
        parts = name.split(".") if name else []
        if level:
            home = importing.parent
            for _ in range(level - 1):
                home = home.parent
            return _module_file(home, parts)
        home = importing.parent
        for _ in range(6):
            found = _module_file(home, parts)
            if found is not None:
                return found
            if not (home / "__init__.py").exists():
                break
            home = home.parent
        return self._installed(name, importing) if self._folders else None

    def _installed(self, name: str, importing: Path) -> Path | None:
        """A module of the user's environment. Only names whose package is there at all are handed to jedi, which is slow to load."""
        key = (name, importing.parent)
        if key not in self._found:
            top = name.split(".")[0]
            there = any(Path(folder, top).is_dir() or Path(folder, f"{top}.py").is_file() for folder in self._folders)
            self._found[key] = module_path(name, importing, self._folders) if there else None
        return self._found[key]

    def _source(self, path: Path) -> Source | None:
        if path not in self._sources:
            text = self._read(path)
            self._sources[path] = Source(str(path), text) if text is not None else None
        return self._sources[path]


def _module_file(home: Path, parts: list[str]) -> Path | None:
    base = home.joinpath(*parts)
    if parts and base.with_name(base.name + ".py").is_file():
        return base.with_name(base.name + ".py")
    package = base / "__init__.py"
    return package if package.is_file() else None


def _read(path: Path) -> str | None:
    try:
        if path.stat().st_size > LARGEST:
            return None
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
