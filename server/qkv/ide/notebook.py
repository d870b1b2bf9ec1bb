"""Notebooks: the code cells, in order, are one module; positions are translated between it and the cells."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from dataclasses import dataclass

from qkv.source import Span

_LINE_END = re.compile(r"\r\n|\r|\n")
_MAGIC = re.compile(r"\s*(?:%{1,2}[A-Za-z]|[!?]|\w[\w.]*\s*=\s*[!%][A-Za-z]|[\w.]+\s*\?\??\s*$)")
_TIMED_LINE = re.compile(r"(\s*)(%time\s+)(?=\S)")


class BadNotebook(ValueError):
    """The file is not a notebook; the message is a sentence that says why."""


@dataclass(frozen=True)
class Cells:
    """Where the cells of a notebook stand in the module made of them.

    `numbers[i]` is the number, from 1 and counting text cells too, of the i-th code cell; `starts[i]` the line of the module, from 1,
    at which it begins.
    """

    numbers: tuple[int, ...]
    starts: tuple[int, ...]

    def cell_at(self, line: int) -> tuple[int, int]:
        """The number of the cell that holds a line of the module, and the line's number in it."""
        index = max(bisect_right(self.starts, line) - 1, 0)
        return self.numbers[index], line - self.starts[index] + 1

    def line_at(self, number: int, line: int) -> int | None:
        """The module's line for a line of a cell; None where the cell holds no code."""
        if number not in self.numbers:
            return None
        return self.starts[self.numbers.index(number)] + line - 1

    def place(self, span: Span) -> tuple[int | None, Span]:
        """A span of the module as a cell's number and a span in that cell."""
        if not self.numbers:
            return None, span
        number, line = self.cell_at(span.line)
        shift = span.line - line
        return number, Span(line, span.column, span.end_line - shift, span.end_column)


def join_cells(cells: list[tuple[int, str]]) -> tuple[str, Cells]:
    """Make one module of the code cells, given as their numbers and texts."""
    lines: list[str] = []
    starts: list[int] = []
    for _, text in cells:
        starts.append(len(lines) + 1)
        lines.extend(without_magics(text))
    return "\n".join(lines), Cells(tuple(number for number, _ in cells), tuple(starts))


def without_magics(text: str) -> list[str]:
    """A cell's lines; what IPython understands and Python does not becomes a comment or `pass`, every line in its place."""
    lines = _LINE_END.split(text)
    first = next((line for line in lines if line.strip()), "")
    if first.lstrip().startswith("%%"):
        timed = re.match(r"\s*%%(?:time|timeit|capture|prun)\b", first)
        if not timed:  # the whole cell is another language's, or a file's
            return [""] * len(lines)
    return [_quiet(line) for line in lines]


def _quiet(line: str) -> str:
    if not _MAGIC.match(line):
        return line
    timed = _TIMED_LINE.match(line)
    if timed:  # `%time y = f(x)` binds y: only the magic goes, and what follows keeps its column
        return f"{timed[1]}0{' ' * (len(timed[2]) - 2)};{line[timed.end() :]}"
    indent = line[: len(line) - len(line.lstrip())]
    return f"{indent}pass"


def read_notebook(text: str) -> tuple[str, Cells]:
    """The module of an `.ipynb` file's text. Raises BadNotebook where it is none."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise BadNotebook(f"not a notebook: {problem}") from None
    if not isinstance(content, dict) or not isinstance(content.get("cells"), list):
        raise BadNotebook("not a notebook that can be read here: it has no list of cells (format 4)")
    cells: list[tuple[int, str]] = []
    for number, cell in enumerate(content["cells"], 1):
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            cells.append((number, _cell_text(cell.get("source"))))
    return join_cells(cells)


def _cell_text(source: object) -> str:
    if isinstance(source, str):
        return source
    if isinstance(source, list):
        return "".join(piece for piece in source if isinstance(piece, str))
    return ""
