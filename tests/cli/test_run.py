"""`qkv run` and `qkv doctor`: what is printed, and the exit codes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from cli_case import Ended, qkv, write

from qkv import __version__, cli

FAKE_TORCH = """
__version__ = "0.0"
def set_num_threads(n): pass
class Tensor: pass
class cuda:
    is_available = staticmethod(lambda: False)
class backends: pass
"""


def run(folder: Path, *arguments: str) -> Ended:
    """Run `qkv run` with a torch that is there at once: how long the real one takes is not the point here."""
    (folder / "fake").mkdir(exist_ok=True)
    (folder / "fake" / "torch.py").write_text(FAKE_TORCH)
    return qkv(folder, "run", *arguments, env={"PYTHONPATH": str(folder / "fake"), "VIRTUAL_ENV": ""})


def test_json_has_every_key(tmp_path: Path) -> None:
    write(tmp_path, hello="import sys\nprint('hé', sys.argv)\nprint('e', file=sys.stderr)\n")
    ended = run(tmp_path, "hello.py", "--format", "json", "--", "--lr", "1", "--", "x")
    answer = ended.json
    assert ended.code == 0 and ended.err == ""
    assert isinstance(answer.pop("milliseconds"), int)
    assert answer == {
        "version": 1,
        "path": "hello.py",
        "status": "finished",
        "reason": None,
        "exit_code": 0,
        "interpreter": sys.executable,
        "python": ".".join(map(str, sys.version_info[:3])),
        "torch": "0.0",
        "device": "cpu",
        "stdout": "hé ['hello.py', '--lr', '1', '--', 'x']\n",
        "stderr": "e\n",
        "cut": 0,
        "error": None,
        "pictures": [],
        "trace": None,
    }


def test_a_failure_as_json(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    write(tmp_path / "sub", wrong="def f():\n    return 1 / 0\n\n\nf()\n")
    ended = run(tmp_path, "sub/wrong.py", "--format", "json")
    assert ended.code == 1 and ended.json["status"] == "failed" and ended.json["exit_code"] == 1
    assert ended.json["error"] == {
        "type": "ZeroDivisionError",
        "message": "division by zero",
        "line": 2,
        "trace": [
            {"path": "sub/wrong.py", "line": 5, "name": "<module>"},
            {"path": "sub/wrong.py", "line": 2, "name": "f"},
        ],
    }


def test_the_real_torch_is_traced(tmp_path: Path) -> None:
    write(tmp_path, model="import torch\nw = torch.zeros(2, 3).softmax(-1)\n")
    answer = qkv(tmp_path, "run", "model.py", "--trace", "--device", "cpu", "--format", "json").json
    assert [set(row) for row in answer["trace"]] == [
        {"line", "column", "name", "shape", "dtype", "device", "bytes", "nan", "inf", "attention_map", "times"}
    ]
    assert [set(picture) for picture in answer["pictures"]] == [
        {"id", "kind", "title", "x", "y", "labels", "data", "sentence"}
    ]


def test_exit_codes(tmp_path: Path) -> None:
    write(tmp_path, fine="x = 1\n", loop="while True: pass\n", leaves="raise SystemExit(5)\n")
    assert run(tmp_path, "fine.py").code == 0
    slow = run(tmp_path, "loop.py", "--timeout", "0.2", "--format", "json")
    assert slow.code == 1 and slow.json["status"] == "timed-out"
    left = run(tmp_path, "leaves.py")
    assert left.code == 1 and "failed with exit code 5" in left.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere.py"], "there is no file nowhere.py"),
        (["."], "is a folder"),
        (["notes.md"], "is no Python file"),
        (["latin.py"], "latin.py is not utf-8"),
        (["fine.py", "--timeout", "0"], "above 0"),
        (["fine.py", "--timeout", "soon"], "--timeout"),
        (["fine.py", "--memory", "0"], "from 1"),
        (["fine.py", "--threads", "1.5"], "--threads"),
        (["fine.py", "--device", "tpu"], "tpu"),
        ([], "FILE"),
    ],
)
def test_mistakes_in_the_call(tmp_path: Path, arguments: list[str], said: str) -> None:
    write(tmp_path, fine="x = 1\n")
    (tmp_path / "notes.md").write_text("# Notes\n")
    (tmp_path / "latin.py").write_bytes(b"name = 'Andr\xe9'\nx = \xff\n")
    ended = run(tmp_path, *arguments, "--format", "json")
    assert (ended.code, ended.out) == (2, "") and said in ended.err


def test_a_file_in_another_encoding_that_it_names(tmp_path: Path) -> None:
    (tmp_path / "latin.py").write_bytes(b"# -*- coding: latin-1 -*-\nprint('Andr\xe9')\n")
    assert run(tmp_path, "latin.py").out == "André\n"


def test_text_is_the_programs_own_output_and_one_line_of_status(tmp_path: Path) -> None:
    write(tmp_path, hello="import sys\nprint('out')\nprint('err', file=sys.stderr)\n")
    ended = run(tmp_path, "hello.py")
    assert ended.out == "out\n"
    first, status = ended.err.splitlines()
    assert first == "err" and status.startswith("qkv run: finished after ") and "torch 0.0" in status


def test_more_output_reaches_a_terminal_than_json_keeps(tmp_path: Path) -> None:
    write(tmp_path, much="print('x' * 100_000)\n")
    assert len(run(tmp_path, "much.py").out) == 100_001
    answer = run(tmp_path, "much.py", "--format", "json").json
    assert (len(answer["stdout"]), answer["cut"]) == (65536, 100_001 - 65536)


def test_an_interpreter_that_is_not_there(tmp_path: Path) -> None:
    write(tmp_path, fine="x = 1\n")
    ended = run(tmp_path, "fine.py", "--interpreter", "nowhere/python", "--format", "json")
    assert ended.code == 1 and ended.json["status"] == "not-started"
    assert "nowhere/python is not there" in ended.json["reason"]


def test_modules_beside_the_file_are_found(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    write(tmp_path / "sub", main="import beside\nprint(beside.x, __file__)\n", beside="x = 3\n")
    assert run(tmp_path, "sub/main.py").out == f"3 {tmp_path / 'sub' / 'main.py'}\n"


def test_ctrl_c_stops_the_program_and_says_so(tmp_path: Path) -> None:
    write(tmp_path, loop="import os\nprint(os.getpid(), flush=True)\nwhile True: pass\n")
    (tmp_path / "torch.py").write_text(FAKE_TORCH)
    process = subprocess.Popen(
        [sys.executable, "-m", "qkv", "run", "loop.py"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONUNBUFFERED": "1"},
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    program = int(process.stdout.readline())
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    out, err = process.communicate(timeout=30)
    assert process.returncode == 1 and out == ""
    assert err.startswith("qkv run: stopped after ") and "Traceback" not in err
    deadline = time.monotonic() + 10
    while Path(f"/proc/{program}").exists():
        assert time.monotonic() < deadline, "the program outlived its run"


DOCTOR_KEYS = {"version", "qkv", "python", "interpreter", "folders", "problems"}


def doctor(folder: Path, *arguments: str, **variables: str) -> tuple[int, Any]:
    ended = qkv(folder, "doctor", "--format", "json", *arguments, env={"QKV_HOME": str(folder / "home"), **variables})
    assert ended.err == "" and set(ended.json) == DOCTOR_KEYS
    assert all(set(problem) == {"what", "do"} for problem in ended.json["problems"])
    return ended.code, ended.json


def test_doctor_finds_everything(tmp_path: Path) -> None:
    code, found = doctor(tmp_path, VIRTUAL_ENV="")
    assert (code, found["version"], found["qkv"], found["problems"]) == (0, 1, __version__, [])
    assert set(found["interpreter"]) == {"path", "python", "torch", "cuda"}
    assert found["interpreter"]["path"] == sys.executable and found["interpreter"]["torch"]
    assert found["folders"]["data"] == (tmp_path / "home").as_posix()
    assert [Path(course).name for course in found["folders"]["courses"]] == ["lessons"]
    assert not (tmp_path / "home").exists()


def test_doctor_starts_no_program_of_the_workspace(tmp_path: Path) -> None:
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "pyvenv.cfg").write_text("version = 3.12.4\n")
    python = tmp_path / ".venv" / "bin" / "python"
    python.write_text(f"#!/bin/sh\ntouch '{tmp_path / 'started'}'\n")
    python.chmod(0o755)
    code, found = doctor(tmp_path)
    assert code == 1 and found["interpreter"] == {
        "path": str(python),
        "python": "3.12.4",
        "torch": None,
        "cuda": None,
    }
    (problem,) = found["problems"]
    assert "torch is not installed" in problem["what"] and f"{python} -m pip install torch" in problem["do"]
    assert not (tmp_path / "started").exists()


def test_doctor_says_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file, where a folder should be")
    code, found = doctor(tmp_path, "--interpreter", "nowhere/python")
    assert code == 1 and found["interpreter"] is None
    assert [problem["what"] for problem in found["problems"]] == [
        "the interpreter nowhere/python is not there, or is not a program",
        f"progress cannot be written to {tmp_path / 'home'}",
    ]


def test_doctor_without_lessons(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    def nothing(name: str) -> Path:
        raise FileNotFoundError(name)

    monkeypatch.setattr("qkv.cli.doctor.content_folder", nothing)
    monkeypatch.setenv("QKV_HOME", str(tmp_path))
    assert cli.main(["doctor", "--format", "json"]) == 1
    found = json.loads(capsysbinary.readouterr().out)
    assert found["folders"]["courses"] == []
    assert [problem["what"].split(" are not")[0] for problem in found["problems"]] == [
        "the lessons",
        "the glossary's terms",
    ]


def test_doctor_for_people(tmp_path: Path) -> None:
    ended = qkv(tmp_path, "doctor", env={"QKV_HOME": str(tmp_path), "VIRTUAL_ENV": ""})
    assert ended.code == 0 and ended.out.splitlines()[0].startswith(f"qkv                {__version__}")
    assert ended.out.endswith("Nothing is missing.\n")
