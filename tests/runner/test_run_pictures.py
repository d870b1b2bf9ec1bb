"""Pictures of a program's variables, and the trace of its tensors."""

from __future__ import annotations

from typing import Any

from runner_case import Run, ended

PICTURE = {"id": "map", "kind": "heatmap", "title": "Weights", "x": "key", "y": "query", "alt": ""}


def test_a_picture_has_its_numbers_and_its_sentence(run: Run) -> None:
    picture = {**PICTURE, "data": "w", "alt": "{max} in row {row}, column {column} of {rows} rows; {unknown}"}
    outcome = ended(run("import torch\nw = torch.tensor([[0.25, 0.75], [1, 0]])\n", pictures=[picture]), "finished", 0)
    assert outcome.pictures == [
        {
            "id": "map",
            "kind": "heatmap",
            "title": "Weights",
            "x": "key",
            "y": "query",
            "labels": {"x": [], "y": []},
            "data": [[0.25, 0.75], [1.0, 0.0]],
            "sentence": "1 in row 1, column 0 of 2 rows; {unknown}",
        }
    ]


def test_bars_have_labels(run: Run) -> None:
    picture = {**PICTURE, "kind": "bars", "data": "{'cat': p[0], 'mat': p[1]}"}
    (drawn,) = run("import torch\np = torch.tensor([0.5, float('nan')])\n", pictures=[picture]).pictures
    assert drawn["labels"]["x"] == ["cat", "mat"] and drawn["data"] == [0.5, None]


def test_a_picture_that_cannot_be_drawn_says_why(run: Run) -> None:
    pictures = [{**PICTURE, "data": "missing"}, {**PICTURE, "data": "[1]", "alt": "{max:.2f}"}]
    first, second = ended(run("x = 1\n", pictures=pictures), "finished", 0).pictures
    assert first["data"] == [] and "NameError" in first["sentence"]
    assert second["data"] == [] and "could not be drawn" in second["sentence"]


def test_a_slider_binds_the_first_assignment(run: Run) -> None:
    code = "T = 1.0\nU = T\nT = T * 2\nprint(T, U)\n"
    assert run(code, bind={"T": 0.25, "other": 3}).stdout == "0.5 0.25\n"


def traced(run: Run, code: str) -> list[dict[str, Any]]:
    outcome = ended(run(code, trace=True), "finished", 0)
    assert outcome.trace is not None
    return outcome.trace


def places(rows: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [(row["line"], row["column"], row["name"], tuple(row["shape"]), row["times"]) for row in rows]


def test_every_name_that_holds_a_tensor_has_a_row(run: Run) -> None:
    code = """\
import torch
from torch import nn
class Head(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.w = nn.Parameter(torch.ones(d, 3))
    def forward(self, x, *, mask=None):
        y, z = x @ self.w, 1
        for row in y:
            total = row.sum()
        return y
é = 'é'; out = Head(4)(
    torch.ones(2, 4),
)
if (n := out.sum()) > 0:
    kept = [w for w in out]
"""
    assert places(traced(run, code)) == [
        (6, 9, "self.w", (4, 3), 1),
        (7, 23, "x", (2, 4), 1),
        (8, 9, "y", (2, 3), 1),
        (9, 13, "row", (3,), 2),
        (10, 13, "total", (), 2),
        (12, 10, "out", (2, 3), 1),
        (15, 5, "n", (), 1),
    ]


def test_a_row_tells_what_is_in_a_tensor(run: Run) -> None:
    code = "import torch\nx = torch.tensor([1.0, float('nan'), float('inf'), float('-inf')], dtype=torch.float64)\n"
    assert traced(run, code) == [
        {
            "line": 2,
            "column": 1,
            "name": "x",
            "shape": [4],
            "dtype": "float64",
            "device": "cpu",
            "bytes": 32,
            "nan": 1,
            "inf": 2,
            "attention_map": False,
            "times": 1,
        }
    ]


def test_attention_maps_are_marked_and_drawn(run: Run) -> None:
    code = "import torch\ns = torch.zeros(2, 3, 2, 4)\ns[..., 1] = 9\nw = s.softmax(-1)\n"
    outcome = ended(run(code, trace=True), "finished", 0)
    assert [(row["name"], row["attention_map"]) for row in outcome.trace or ()] == [("s", False), ("w", True)]
    (drawn,) = outcome.pictures
    assert drawn["kind"] == "heatmap" and drawn["title"] == "w, line 4"
    assert [len(row) for row in drawn["data"]] == [4, 4]
    assert drawn["sentence"] == "Row 0 looks most at column 1: 1. Of shape (2, 3, 2, 4), the first is drawn."


def test_the_trace_of_a_program_that_fails_reaches_to_the_failure(run: Run) -> None:
    code = "import torch\nx = torch.ones(2)\nfor i in range(3):\n    x = x.reshape(2, 1) if i == 0 else 1 / 0\n"
    outcome = ended(run(code, trace=True), "failed", 1)
    assert places(outcome.trace or []) == [(2, 1, "x", (2,), 1), (4, 5, "x", (2, 1), 1)]


def test_a_trace_of_a_program_that_does_not_parse_is_empty(run: Run) -> None:
    assert ended(run("x = (\n", trace=True), "failed", 1).trace == []
