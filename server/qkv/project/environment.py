"""Where the user's packages lie, found by reading files: no interpreter is started, least of all one of the workspace."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

NAMES = (".venv", "venv", "env")


def find_environment(start: Path, variables: Mapping[str, str]) -> Path | None:
    """The virtual environment of a file: the nearest one in the folders above it, else the active one."""
    for folder in [start, *start.parents][:12]:
        for name in NAMES:
            if (folder / name / "pyvenv.cfg").is_file():
                return folder / name
    active = variables.get("VIRTUAL_ENV") or variables.get("CONDA_PREFIX")
    return Path(active) if active and Path(active).is_dir() else None


def package_folders(environment: Path) -> tuple[str, ...]:
    """The folders that an environment's interpreter would import from: its site-packages and the plain paths in their `.pth` files."""
    found: list[str] = []
    for pattern in ("lib/python*/site-packages", "Lib/site-packages"):
        for folder in sorted(environment.glob(pattern)):
            found.append(str(folder))
            found.extend(_linked(folder))
    return tuple(dict.fromkeys(found))


def _linked(folder: Path) -> list[str]:
    """Lines of `.pth` files that are folders. A line that starts with `import` would run code: it is not read."""
    found: list[str] = []
    for file in sorted(folder.glob("*.pth")):
        try:
            lines = file.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            continue
        for line in lines:
            text = line.strip()
            if text and not text.startswith(("#", "import ", "import\t")) and (folder / text).is_dir():
                found.append(str((folder / text).resolve()))
    return found
