"""Notebooks: cells are one module, magics are no errors, and positions find their way back."""

from __future__ import annotations

import ast
import json

import pytest

from qkv.ide.notebook import BadNotebook, join_cells, read_notebook, without_magics
from qkv.source import Span


def notebook(*cells: tuple[str, str | list[str]]) -> str:
    """The text of an .ipynb file with these cells, each as its type and its source."""
    return json.dumps({"nbformat": 4, "cells": [{"cell_type": kind, "source": source} for kind, source in cells]})


def test_code_cells_are_one_module_in_order() -> None:
    text, cells = read_notebook(
        notebook(("markdown", "# q @ k"), ("code", ["q = 1\n", "k = 2"]), ("raw", "x"), ("code", "s = q @ k\n"))
    )
    assert text == "q = 1\nk = 2\ns = q @ k\n"
    assert cells.numbers == (2, 4)
    assert cells.place(Span(3, 5, 3, 10)) == (4, Span(1, 5, 1, 10))
    assert cells.cell_at(2) == (2, 2)
    assert cells.line_at(4, 1) == 3
    assert cells.line_at(1, 1) is None


@pytest.mark.parametrize(
    ("cell", "kept"),
    [
        ("%matplotlib inline\nx = 1", "pass\nx = 1"),
        ("!pip install torch", "pass"),
        ("if x:\n    !ls\n", "if x:\n    pass\n"),
        ("files = !ls", "pass"),
        ("torch.bmm?", "pass"),
        ("?torch.bmm", "pass"),
        ("%time y = f(x)", "0    ;y = f(x)".replace("0    ;", "0    ;")),
        ("%%time\ny = 1", "pass\ny = 1"),
        ("%%bash\nls -l | wc", "\n"),
        ("y = (a\n % b)", "y = (a\n % b)"),
        ("y = a % b", "y = a % b"),
        ("y = a if b else c", "y = a if b else c"),
    ],
)
def test_magics_become_nothing_and_lines_stay_in_place(cell: str, kept: str) -> None:
    lines = without_magics(cell)
    assert "\n".join(lines) == kept
    assert len(lines) == cell.count("\n") + 1
    ast.parse("\n".join(lines))


def test_an_empty_notebook_is_an_empty_module() -> None:
    text, cells = join_cells([])
    assert text == "" and cells.place(Span(1, 1, 1, 1)) == (None, Span(1, 1, 1, 1))


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"cells": 3}', "[" * 100_000])
def test_what_is_no_notebook_says_so(text: str) -> None:
    with pytest.raises(BadNotebook, match="not a notebook"):
        read_notebook(text)


def test_odd_cells_are_skipped() -> None:
    text, cells = read_notebook('{"cells": [3, {"cell_type": "code"}, {"cell_type": "code", "source": [1, "x"]}]}')
    assert text == "\nx" and cells.numbers == (2, 3)
