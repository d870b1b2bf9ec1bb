"""`qkv shapes`, `qkv hover` and `qkv explain`."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_case import CRASH, qkv, write

SPLIT = """import torch


def split(x: torch.Tensor):
    B, T, C = x.shape
    heads = x.view(B, T, 8, C // 8)
    return heads.transpose(1, 2)


y = split(torch.randn(2, 5, 64))
"""


def test_shapes_as_json_has_every_key(tmp_path: Path) -> None:
    write(tmp_path, model=SPLIT)
    ended = qkv(tmp_path, "shapes", "model.py", "--format", "json")
    assert ended.code == 0 and ended.json["version"] == 1 and ended.json["path"] == "model.py"
    by_name = {one["name"]: one for one in ended.json["shapes"]}
    assert set(by_name["heads"]) >= {
        "line", "column", "end_column", "name", "kind", "function", "shape", "dtype", "device", "text", "needs", "contexts", "unknown"
    }  # fmt: skip
    heads = by_name["heads"]
    assert (heads["line"], heads["column"], heads["end_column"]) == (6, 5, 10)
    assert (heads["kind"], heads["function"]) == ("assignment", "split")
    assert (
        heads["shape"] == ["B", "T", 8, "C // 8"] and heads["text"] == "(B, T, 8, C // 8)" and heads["unknown"] is None
    )
    (context,) = heads["contexts"]
    assert context["shape"] == [2, 5, 8, 8] and context["call"] == {"path": "model.py", "line": 10}
    assert by_name["y"]["shape"] == [2, 8, 5, 8]


def test_a_story_is_told_line_by_line(tmp_path: Path) -> None:
    write(tmp_path, model=SPLIT)
    story = qkv(tmp_path, "shapes", "model.py", "--story", "6:heads", "--format", "json").json["story"]
    assert all(set(step) == {"line", "code", "shape", "note"} for step in story)
    assert (story[-1]["line"], story[-1]["code"], story[-1]["shape"]) == (
        6,
        "heads = x.view(B, T, 8, C // 8)",
        "(B, T, 8, C // 8)",
    )
    assert story[0]["line"] < 6
    wrong = qkv(tmp_path, "shapes", "model.py", "--story", "6:tails")
    assert wrong.code == 2 and "tails" in wrong.err
    assert qkv(tmp_path, "shapes", "model.py", "--story", "heads").code == 2


def test_shapes_for_people(tmp_path: Path) -> None:
    write(tmp_path, model=SPLIT)
    ended = qkv(tmp_path, "shapes", "model.py")
    (line,) = [line for line in ended.out.splitlines() if " heads " in line]
    assert line.split() == [
        "6",
        "heads",
        "(B,",
        "T,",
        "8,",
        "C",
        "//",
        "8)",
        "here",
        "(2,",
        "5,",
        "8,",
        "8)",
    ]


@pytest.mark.parametrize("command", [("shapes",), ("hover", "1", "1")])
def test_what_is_no_file_is_said(tmp_path: Path, command: tuple[str, ...]) -> None:
    (tmp_path / "odd.py").write_bytes(b"\xff")
    for name, said in (("nowhere.py", "no file"), (".", "folder"), ("odd.py", "utf-8")):
        ended = qkv(tmp_path, command[0], name, *command[1:], "--format", "json")
        assert (ended.code, ended.out) == (2, "") and said in ended.err and name in ended.err


def test_hover_as_json_has_every_key(tmp_path: Path) -> None:
    write(tmp_path, model=CRASH.replace("q @ k", "(q @ k.mT).softmax(-1)"))
    ended = qkv(tmp_path, "hover", "model.py", "5", "23", "--format", "json")
    assert ended.code == 0
    assert set(ended.json) >= {"version", "path", "range", "term", "term_id", "shape", "operation", "markdown", "text"}
    assert (ended.json["term"], ended.json["term_id"]) == ("softmax", "softmax")
    assert ended.json["operation"] == {
        "name": "torch.Tensor.softmax",
        "before": ["(4, 8, 32, 32)"],
        "after": "(4, 8, 32, 32)",
    }
    assert ended.json["range"] == {"start": {"line": 5, "column": 21}, "end": {"line": 5, "column": 28}}
    name = qkv(tmp_path, "hover", "model.py", "5", "3", "--format", "json").json
    assert name["shape"] == [4, 8, 32, 32] and name["operation"] is None


def test_nothing_to_show_is_no_failure(tmp_path: Path) -> None:
    write(tmp_path, model="x = 1\n")
    for line, column in (("1", "3"), ("99", "1"), ("1", "99")):
        ended = qkv(tmp_path, "hover", "model.py", line, column, "--format", "json")
        assert ended.code == 0
        assert {key for key, value in ended.json.items() if value is not None} == {"version", "path"}
    assert qkv(tmp_path, "hover", "model.py", "0", "1").code == 2
    assert qkv(tmp_path, "hover", "model.py", "one", "1").code == 2


def test_a_comment_that_python_takes_for_an_encoding_is_shown_as_an_editor_does(tmp_path: Path) -> None:
    write(tmp_path, waves="# positional encoding: sine and cosine\n")
    assert qkv(tmp_path, "hover", "waves.py", "1", "5", "--format", "json").json["term"] == "positional encoding"


def test_explain_a_code_and_a_term(tmp_path: Path) -> None:
    code = qkv(tmp_path, "explain", "shape-matmul", "--format", "json").json
    assert set(code) == {"version", "kind", "id", "title", "severity", "text", "markdown", "example", "lesson", "see"}
    assert (code["kind"], code["id"], code["severity"]) == ("diagnostic", "shape-matmul", "error")
    assert set(code["example"]) == {"wrong", "right", "message"}
    term = qkv(tmp_path, "explain", "causal mask", "--format", "json").json
    assert (term["kind"], term["id"], term["title"], term["example"]) == ("term", "causal-mask", "causal mask", None)
    assert qkv(tmp_path, "explain", "causal-mask").out == qkv(tmp_path, "explain", "causal", "mask").out


def test_explain_names_the_nearest(tmp_path: Path) -> None:
    ended = qkv(tmp_path, "explain", "shape-matmull", "--format", "json")
    assert (ended.code, ended.out) == (2, "") and "shape-matmul" in ended.err
    assert qkv(tmp_path, "explain", "zzzzzz").code == 2
