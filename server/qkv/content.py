"""Find the glossary and the lessons: inside an installed wheel, or at the repository's root in an editable install."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def content_folder(name: str) -> Path:
    """The folder `glossary` or `lessons` that ships with this installation.

    Raises FileNotFoundError where the installation is broken.
    """
    for home in (_PACKAGE / "_content", _PACKAGE.parent.parent):
        if (home / name).is_dir():
            return home / name
    raise FileNotFoundError(f"this installation of qkv has no folder {name!r}; install it again")
