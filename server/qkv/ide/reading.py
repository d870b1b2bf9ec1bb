"""How a file becomes text: its encoding, and for a notebook the module of its code cells."""

from __future__ import annotations

import io
import tokenize
from dataclasses import dataclass
from pathlib import Path

from qkv.ide.notebook import BadNotebook, Cells, read_notebook
from qkv.ide.snapshot import Language


class Unreadable(Exception):
    """A file that is there and cannot be read as text; the message is the reason."""


@dataclass(frozen=True)
class Text:
    """What a file holds: for a notebook the module of its code cells, and where they stand in it."""

    text: str
    language: Language = "python"
    cells: Cells | None = None


def read_text(path: str, *, as_utf8: bool = False) -> Text:
    """Read a Python file, a notebook or a Markdown file, in the encoding that a Python file names. Raises Unreadable.

    `as_utf8`: show the text as an editor would, also where Python would refuse it, as for a first line `# encoding: sine waves`.
    """
    try:
        content = Path(path).read_bytes()
    except OSError as problem:
        raise Unreadable(f"cannot be read: {problem.strerror or problem}") from None
    try:
        if path.endswith(".ipynb"):
            return Text(*_python_first(read_notebook(content.decode("utf-8-sig"))))
        if path.lower().endswith((".md", ".markdown")):
            return Text(content.decode("utf-8-sig"), "markdown")
        return Text(content.decode(_encoding(content, as_utf8)))
    except BadNotebook as problem:
        raise Unreadable(str(problem)) from None
    except UnicodeDecodeError as problem:
        raise Unreadable(f"is not {problem.encoding}: byte {problem.start} cannot be decoded") from None
    except (
        SyntaxError
    ) as problem:  # an unknown or contradictory coding line, or none and a first line that is not UTF-8
        if "missing" in str(problem.msg):
            raise Unreadable("is not utf-8, and it names no other encoding") from None
        raise Unreadable(f"its encoding cannot be told: {problem.msg}") from None


def _python_first(module: tuple[str, Cells]) -> tuple[str, Language, Cells]:
    return module[0], "python", module[1]


def _encoding(content: bytes, as_utf8: bool) -> str:
    try:
        return tokenize.detect_encoding(io.BytesIO(content).readline)[0]
    except SyntaxError:
        if as_utf8:
            return "utf-8-sig"
        raise
