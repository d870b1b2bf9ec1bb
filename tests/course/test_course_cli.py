"""`qkv lesson` from outside: exit codes, and the keys of its JSON exactly as they are promised."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from course_case import TEXT, write_course

Cli = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    """Run `qkv lesson …` in a folder with a course `course`, and a home of its own."""
    write_course(tmp_path / "course")

    def call(*arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "qkv", "lesson", *arguments],
            cwd=tmp_path,
            env={**os.environ, "QKV_HOME": str(tmp_path / "home")},
            input=typed,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=240,
        )

    return call


def json_of(ended: subprocess.CompletedProcess[str], code: int = 0) -> Any:
    """The one object on standard output."""
    assert ended.returncode == code, ended.stderr
    return json.loads(ended.stdout)


def test_list(cli: Cli) -> None:
    answer = json_of(cli("list", "--course", "course", "--format", "json"))
    assert {"version", "course", "reviews_due", "parts"} <= set(answer)
    assert set(answer["course"]) == {"id", "title", "language", "version"}
    assert set(answer["parts"][0]) == {
        *(
            "id",
            "number",
            "title",
            "summary",
            "level",
            "minutes",
            "state",
            "done",
            "sections",
            "exercises",
            "quiz",
            "terms",
        )
    }
    text = cli("list", "--course", "course")
    assert "Doubles" in text.stdout and "exercises 0/1, quiz 0/5" in text.stdout


def test_list_of_the_course_that_ships(cli: Cli) -> None:
    answer = json_of(cli("list", "--format", "json"))
    assert answer["course"]["id"] == "transformers"
    assert "multi-head-attention" in [part["id"] for part in answer["parts"]]


CHECK_KEYS = {"version", "course", "part", "exercise", "file", "status", "feedback", "seeds", "output", "milliseconds"}
FEEDBACK_KEYS = {"kind", "key", "property", "message", "question", "evidence", "line", "section"}


def test_check(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "my.py").write_text("def double(x):\n    print('here')\n    return x * x\n", encoding="utf-8")
    answer = json_of(cli("check", "double", "my.py", "--course", "course", "--seed", "7", "--format", "json"), 1)
    assert set(answer) == CHECK_KEYS
    assert set(answer["feedback"]) >= FEEDBACK_KEYS
    assert set(answer["feedback"]["evidence"]) == {"call", "want", "got", "index", "shape"}
    assert set(answer["feedback"]["evidence"]["shape"]) == {"want", "got", "axes"}
    assert (answer["course"], answer["part"], answer["exercise"], answer["file"]) == (
        "small",
        "doubles",
        "double",
        "my.py",
    )
    assert (answer["status"], answer["seeds"], answer["output"]) == ("wrong", [0, 7, 8], "here\n")
    assert answer["feedback"]["section"] == "lesson:doubles#start"
    text = cli("check", "double", "my.py", "--course", "course")
    assert text.returncode == 1
    assert "Every number was multiplied by itself." in text.stdout
    assert "qkv lesson open doubles#start" in text.stdout


def test_the_draft_is_checked_where_no_file_is_named(cli: Cli, tmp_path: Path) -> None:
    first = json_of(cli("check", "double", "--course", "course", "--format", "json"), 1)
    assert (first["status"], first["feedback"]["kind"]) == ("error", "exception")
    draft = Path(first["file"])
    assert draft == tmp_path / "home" / "courses" / "small" / "doubles" / "double.py"
    draft.write_text("def double(x):\n    return x + x\n", encoding="utf-8")
    assert cli("check", "double", "--course", "course").returncode == 0
    (part,) = json_of(cli("list", "--course", "course", "--format", "json"))["parts"]
    assert (part["exercises"][0]["state"], part["exercises"][0]["attempts"]) == ("passed", 2)
    (entry,) = json_of(cli("reset", "double", "--course", "course", "--format", "json"))["reset"]
    assert set(entry) == {"exercise", "file", "copy"}
    assert "return x + x" in Path(entry["copy"]).read_text(encoding="utf-8")


def test_an_answer_that_is_no_text(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "my.py").write_bytes(b"# \xff\ndef double(x):\n    return x\n")
    answer = json_of(cli("check", "double", "my.py", "--course", "course", "--format", "json"), 1)
    assert (answer["status"], answer["feedback"]["kind"]) == ("error", "syntax")
    assert "UTF-8" in answer["feedback"]["message"]


def test_without_torch_the_command_that_mends_it_is_said(cli: Cli, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(bare)], check=True)
    python = str(next(path for path in (bare / "bin" / "python", bare / "Scripts" / "python.exe") if path.exists()))
    (tmp_path / "my.py").write_text("def double(x):\n    return 2 * x\n", encoding="utf-8")
    ended = cli("check", "double", "my.py", "--course", "course", "--interpreter", python, "--format", "json")
    answer = json_of(ended, 1)
    assert (answer["status"], answer["feedback"]["kind"]) == ("error", "no-torch")
    assert "pip install torch" in answer["feedback"]["message"]


def test_validate(cli: Cli, tmp_path: Path) -> None:
    answer = json_of(cli("validate", "course", "--format", "json"))
    assert set(answer) == {"version", "course", "parts", "exercises", "cells", "problems", "milliseconds"}
    assert (answer["course"], answer["parts"], answer["exercises"], answer["cells"]) == ("small", 1, 1, 1)
    write_course(tmp_path / "course", TEXT.replace("Twice as much.", "Twice as <b>much</b>."))
    answer = json_of(cli("validate", "course/01-doubles", "--no-run", "--format", "json"), 1)
    assert {problem["code"] for problem in answer["problems"]} == {"lesson-html"}
    assert set(answer["problems"][0]) == {"path", "range", "severity", "code", "message"}
    assert answer["problems"][0]["path"] == "course/01-doubles/lesson.md"
    assert answer["problems"][0]["range"]["start"] == {"line": 17, "column": 10}
    text = cli("validate", "course", "--no-run")
    assert text.returncode == 1
    assert "course/01-doubles/lesson.md:17:10" in text.stdout
    github = cli("validate", "course", "--no-run", "--format", "github")
    assert github.stdout.startswith("::error file=course/01-doubles/lesson.md,line=17,col=10")


def test_shape_comments_of_cells_are_held_against_the_analysis(cli: Cli, tmp_path: Path) -> None:
    text = TEXT.replace(
        "import torch\n\nprint", "import torch\n\ny = torch.ones(2, 3)  # (3, 2)\nz = y.T  # (3, 2)\nprint"
    )
    write_course(tmp_path / "course", text)
    (problem,) = json_of(cli("validate", "course", "--no-run", "--format", "json"), 1)["problems"]
    assert (problem["code"], problem["range"]["start"]["line"]) == ("lesson-shape-comment", 23)


def test_open_run_hint_and_solution(cli: Cli) -> None:
    text = cli("open", "doubles#start", "--course", "course")
    assert text.returncode == 0
    assert "Twice as much." in text.stdout and "qkv lesson run doubles/show" in text.stdout
    assert json_of(cli("open", "1", "--course", "course", "--format", "json"))["sections"][0]["read"] is True
    ran = cli("run", "doubles/show", "--course", "course")
    assert (ran.returncode, ran.stdout) == (0, "[2.0, 4.0]\n")
    assert json_of(cli("run", "doubles/show", "--course", "course", "--format", "json"))["status"] == "finished"
    assert "Hint 1 of 2" in cli("hint", "double", "--course", "course").stdout
    assert "return 2 * x" in cli("solution", "double", "--course", "course").stdout


def test_a_quiz_in_the_terminal(cli: Cli) -> None:
    ended = cli("quiz", "doubles", "--course", "course", typed="2\n1\n" + "1\n" * 4 + "1\n")
    assert ended.returncode == 0
    assert "Question 1 of 5" in ended.stdout and "No, 1." in ended.stdout and "Yes." in ended.stdout
    assert "Once more, what was missed:" in ended.stdout
    (part,) = json_of(cli("list", "--course", "course", "--format", "json"))["parts"]
    assert part["quiz"] == {"questions": 5, "right": 5, "missed": 0}


def test_export(cli: Cli) -> None:
    cli("open", "1", "--course", "course")
    answer = json_of(cli("export", "--course", "course", "--learner", "Ada", "--format", "json"))
    assert set(answer) == {"version", "course", "learner", "exported", "parts"}
    assert answer["learner"] == "Ada"
    assert answer["parts"][0]["sections"][0]["read_at"] is not None
    assert cli("export", "--course", "course").stdout.startswith("# Small: transcript")


def test_a_new_course_validates(cli: Cli, tmp_path: Path) -> None:
    assert cli("new", "mine").returncode == 0
    assert cli("new", "mine", "--part", "second", "--exercise", "triple").returncode == 0
    assert json_of(cli("validate", "mine", "--format", "json"))["parts"] == 2
    again = cli("new", "mine", "--part", "second")
    assert (again.returncode, "already" in again.stderr) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["check", "nothing"], "there is no exercise 'nothing'; there are double"),
        (["check", "double", "nowhere.py"], "there is no file nowhere.py"),
        (["open", "nothing"], "there is no part 'nothing'"),
        (["run", "show"], "PART/CELL"),
        (["reset"], "name an exercise or a part"),
        (["reset", "doubles"], "--yes"),
        (["hint", "nothing"], "there is no exercise"),
    ],
)
def test_what_cannot_be_done_is_said_on_standard_error(arguments: list[str], words: str, cli: Cli) -> None:
    ended = cli(*arguments, "--course", "course")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert words in ended.stderr


@pytest.mark.parametrize("course", ["nowhere", "home"])
def test_a_course_that_is_not_there(course: str, cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    ended = cli("list", "--course", course)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "course" in ended.stderr
