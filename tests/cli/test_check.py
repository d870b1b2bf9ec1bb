"""`qkv check`: what is read, what is printed, and the exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_case import CLEAN, CRASH, NOTE, qkv, write

from qkv import __version__

PLACE = {"start": {"line": 5, "column": 10}, "end": {"line": 5, "column": 15}}


def test_json_has_every_key(tmp_path: Path) -> None:
    write(tmp_path, model=CRASH, clean=CLEAN)
    ended = qkv(tmp_path, "check", ".", "--format", "json")
    assert ended.code == 1 and ended.err == ""
    (found,) = ended.json["diagnostics"]
    assert {key: value for key, value in ended.json.items() if key != "diagnostics"} == {
        "version": 1,
        "qkv": __version__,
        "files": 2,
        "skipped": [],
        "counts": {"error": 1, "warning": 0, "info": 0},
    }
    assert set(found) >= {
        "path", "cell", "range", "severity", "code", "truth", "message", "detail", "because", "fixes", "terms", "lesson"
    }  # fmt: skip
    assert (found["path"], found["cell"], found["range"]) == ("model.py", None, PLACE)
    assert (found["severity"], found["code"], found["truth"]) == ("error", "shape-matmul", "never")
    assert "\n" not in found["message"]
    (fix,) = found["fixes"]
    assert fix["safe"] is True and fix["title"]
    (edit,) = fix["edits"]
    assert {key: edit[key] for key in ("path", "range", "text")} == {
        "path": "model.py",
        "range": {"start": {"line": 5, "column": 15}, "end": {"line": 5, "column": 15}},
        "text": ".transpose(-2, -1)",
    }
    assert all(set(cause) >= {"path", "range", "note"} for cause in found["because"])


def test_exit_codes(tmp_path: Path) -> None:
    write(tmp_path, model=CRASH, clean=CLEAN, note=NOTE)
    assert qkv(tmp_path, "check", "clean.py").code == 0
    assert qkv(tmp_path, "check", "note.py").code == 0
    assert qkv(tmp_path, "check", "model.py").code == 1
    assert qkv(tmp_path, "check", "model.py", "--ignore", "shape").code == 0
    missing = qkv(tmp_path, "check", "nowhere.py", "--format", "json")
    assert (missing.code, missing.out) == (2, "") and "nowhere.py" in missing.err
    assert qkv(tmp_path, "check").code == 2
    assert qkv(tmp_path, "check", "clean.py", "--format", "xml").code == 2
    assert qkv(tmp_path, "check", "clean.py", "--jobs", "0").code == 2


def test_a_code_that_does_not_exist_is_a_mistake_with_a_hint(tmp_path: Path) -> None:
    write(tmp_path, clean=CLEAN)
    ended = qkv(tmp_path, "check", "clean.py", "--select", "shape-matml")
    assert ended.code == 2 and "shape-matmul" in ended.err and ended.out == ""


def test_findings_are_sorted_and_paths_are_as_given(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    write(tmp_path / "b", z=NOTE, a=NOTE + NOTE)
    write(tmp_path, c=NOTE)
    found = qkv(tmp_path, "check", "c.py", "b", "--format", "json").json["diagnostics"]
    assert [(one["path"], one["range"]["start"]["line"]) for one in found] == [
        ("b/a.py", 1),
        ("b/a.py", 2),
        ("b/z.py", 1),
        ("c.py", 1),
    ]
    absolute = qkv(tmp_path, "check", str(tmp_path / "c.py"), "--format", "json").json["diagnostics"]
    assert absolute[0]["path"] == (tmp_path / "c.py").as_posix()


def test_what_a_folder_search_leaves_out(tmp_path: Path) -> None:
    for name in (
        ".git",
        "venv",
        ".venv",
        "node_modules",
        "__pycache__",
        "site-packages",
        "build",
        "dist",
        "old",
        "kept",
    ):
        (tmp_path / name).mkdir()
        write(tmp_path / name, a=NOTE)
    write(tmp_path, build=NOTE, **{".hidden": NOTE})
    (tmp_path / "notes.txt").write_text(NOTE)
    (tmp_path / "pyproject.toml").write_text('[tool.qkv]\nexclude = ["old"]\n')
    found = qkv(tmp_path, "check", ".", "--format", "json").json
    assert [one["path"] for one in found["diagnostics"]] == ["build.py", "kept/a.py"]
    for named in ("old/a.py", ".hidden.py", "venv/a.py", "notes.txt"):
        assert qkv(tmp_path, "check", named, "--format", "json").json["counts"]["info"] == 1
    inside = qkv(tmp_path, "check", "venv", "--format", "json").json
    assert [one["path"] for one in inside["diagnostics"]] == ["venv/a.py"]


def test_a_file_is_checked_once(tmp_path: Path) -> None:
    write(tmp_path, a=NOTE)
    (tmp_path / "same.py").symlink_to("a.py")
    assert qkv(tmp_path, "check", "a.py", ".", "./a.py", "--format", "json").json["files"] == 1


def test_a_folder_without_python_files(tmp_path: Path) -> None:
    ended = qkv(tmp_path, "check", ".", "--format", "json")
    assert ended.code == 0 and ended.json["files"] == 0
    assert len(ended.err.splitlines()) == 1 and "no Python files" in ended.err


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"x = '\xff\xfe'\n", "is not utf-8"),
        (b"# -*- coding: klingon -*-\n", "unknown encoding"),
        (b"# -*- coding: ascii -*-\nx = '\xe4'\n", "is not ascii"),
    ],
)
def test_what_cannot_be_decoded_is_skipped_and_the_others_go_on(tmp_path: Path, content: bytes, reason: str) -> None:
    (tmp_path / "odd.py").write_bytes(content)
    write(tmp_path, note=NOTE)
    ended = qkv(tmp_path, "check", ".", "--format", "json")
    assert ended.code == 0 and ended.json["files"] == 1 and ended.json["counts"]["info"] == 1
    (skipped,) = ended.json["skipped"]
    assert skipped["path"] == "odd.py" and reason in skipped["reason"]


def test_encodings_that_a_file_declares_are_honoured(tmp_path: Path) -> None:
    (tmp_path / "latin.py").write_bytes(
        "# -*- coding: latin-1 -*-\ns = 'ä'; x = 1  # qkv: ignore[shape-view]\n".encode("latin-1")
    )
    (tmp_path / "mark.py").write_bytes(b"\xef\xbb\xbf" + NOTE.encode())
    found = qkv(tmp_path, "check", ".", "--format", "json").json["diagnostics"]
    assert [(one["path"], one["range"]["start"]) for one in found] == [
        ("latin.py", {"line": 2, "column": 17}),
        ("mark.py", {"line": 1, "column": 8}),
    ]


def test_a_link_that_leads_nowhere_is_skipped(tmp_path: Path) -> None:
    (tmp_path / "gone.py").symlink_to("nowhere")
    (skipped,) = qkv(tmp_path, "check", ".", "--format", "json").json["skipped"]
    assert skipped["path"] == "gone.py"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "def f(:\n",
        "x = (\n",
        '"""\n',
        "\x00",
        "\x0c\x0c",
        "# only a comment",
        "(" * 3000,
        "x = " + "-" * 20000 + "1",
        "\ud800" if False else "é",
    ],
    ids=range(11),
)
def test_no_text_is_too_odd(tmp_path: Path, text: str) -> None:
    write(tmp_path, odd=text)
    ended = qkv(tmp_path, "check", "odd.py", "--format", "json")
    assert ended.code == 0 and ended.json["files"] == 1
    assert {one["code"] for one in ended.json["diagnostics"]} <= {"source-syntax"}


def test_a_broken_project_file_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.qkv\n")
    write(tmp_path, a=NOTE, b=NOTE)
    ended = qkv(tmp_path, "check", ".", "--format", "json")
    assert ended.code == 0 and ended.json["counts"]["info"] == 2
    assert ended.err.count("pyproject.toml") == 1 and "defaults" in ended.err


def test_many_files_in_several_processes_say_the_same(tmp_path: Path) -> None:
    for number in range(30):
        write(tmp_path, **{f"file{number:02}": NOTE if number % 3 else CRASH})
    alone, shared = (qkv(tmp_path, "check", ".", "--format", "json", "--jobs", jobs) for jobs in ("1", "2"))
    assert alone.out == shared.out and alone.json["files"] == 30 and shared.err == ""


def test_a_notebook_counts_in_its_cells(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "source": "text"},
        {"cell_type": "code", "source": ["%matplotlib inline\n", "import torch\n", "q = torch.randn(4, 8, 32, 64)\n"]},
        {"cell_type": "code", "source": "\nscores = q @ q"},
    ]
    (tmp_path / "a.ipynb").write_text(json.dumps({"nbformat": 4, "cells": cells}))
    (tmp_path / "bad.ipynb").write_text("{")
    ended = qkv(tmp_path, "check", ".", "--format", "json")
    (found,) = ended.json["diagnostics"]
    assert (found["path"], found["cell"], found["range"]["start"]) == ("a.ipynb", 3, {"line": 2, "column": 10})
    assert [one["path"] for one in ended.json["skipped"]] == ["bad.ipynb"]


def test_text_shows_the_source_with_carets(tmp_path: Path) -> None:
    write(tmp_path, model=CRASH)
    ended = qkv(tmp_path, "check", "model.py")
    assert ended.err == "" and "\x1b" not in ended.out
    lines = ended.out.splitlines()
    assert lines[0].startswith("model.py:5:10 error[shape-matmul] ")
    assert lines[1:3] == ["5 │ scores = q @ k", "  │          ^^^^^"]
    assert lines[-1] == "1 error in 1 file"
    assert any("qkv explain shape-matmul" in line for line in lines)


def test_colour_only_where_it_is_wanted(tmp_path: Path) -> None:
    write(tmp_path, model=CRASH)
    assert "\x1b[" in qkv(tmp_path, "check", "model.py", env={"FORCE_COLOR": "1"}).out
    assert "\x1b[" not in qkv(tmp_path, "check", "model.py", env={"FORCE_COLOR": "1", "NO_COLOR": "1"}).out


def test_a_source_line_cannot_steer_the_terminal(tmp_path: Path) -> None:
    write(tmp_path, evil="x = '\x1b[2J'  # qkv: ignore[shape-view]\n")
    assert "\x1b" not in qkv(tmp_path, "check", "evil.py").out


def test_github_annotations(tmp_path: Path) -> None:
    write(tmp_path, model=CRASH)
    ended = qkv(tmp_path, "check", "model.py", "--format", "github")
    (line,) = ended.out.splitlines()
    assert line.startswith("::error file=model.py,line=5,endLine=5,col=10,endColumn=15,title=qkv shape-matmul::")


def test_sarif_carries_the_same_findings(tmp_path: Path) -> None:
    write(tmp_path, model=CRASH, note=NOTE)
    ended = qkv(tmp_path, "check", ".", "--format", "sarif")
    assert ended.code == 1 and ended.json["version"] == "2.1.0"
    (run,) = ended.json["runs"]
    assert run["columnKind"] == "unicodeCodePoints"
    assert [(one["ruleId"], one["level"]) for one in run["results"]] == [
        ("shape-matmul", "error"),
        ("unused-ignore", "note"),
    ]
    region = run["results"][0]["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 5, "startColumn": 10, "endLine": 5, "endColumn": 15}
    rules = run["tool"]["driver"]["rules"]
    assert all(rules[one["ruleIndex"]]["id"] == one["ruleId"] for one in run["results"])
