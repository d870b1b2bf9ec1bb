"""Without fork: the same runs, each in a process that was started and warmed up before. A fake torch keeps the start short."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from runner_case import HERE, ended, run_program

from qkv.runner import Interpreter, Limits, Runner

FAKE_TORCH = """
__version__ = "0.0"
def set_num_threads(n): pass
class cuda:
    is_available = staticmethod(lambda: False)
class backends: pass
"""


@pytest.fixture
def spare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Runner]:
    (tmp_path / "torch.py").write_text(FAKE_TORCH)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with Runner(HERE, spare=True) as runner:
        yield runner


def test_many_runs_in_a_row(spare: Runner) -> None:
    for number in range(5):
        outcome = ended(
            run_program(spare, f"import torch, sys\nprint({number})\nprint('e', file=sys.stderr)\n"), "finished", 0
        )
        assert (outcome.stdout, outcome.stderr, outcome.torch) == (f"{number}\n", "e\n", "0.0")


def test_each_run_has_a_process_of_its_own(spare: Runner) -> None:
    pids = {run_program(spare, "import os\nprint(os.getpid())\n").stdout for _ in range(3)}
    assert len(pids) == 3


def test_endings(spare: Runner) -> None:
    ended(run_program(spare, "while True: pass\n", limits=Limits(seconds=0.3)), "timed-out", None)
    ended(run_program(spare, "import os\nos._exit(3)\n"), "failed", 3)
    ended(run_program(spare, "import ctypes\nctypes.string_at(0)\n"), "failed", -signal.SIGSEGV)
    error = ended(run_program(spare, "input()\n"), "failed", 1).error
    assert error is not None and error["type"] == "NoInput"
    ended(run_program(spare, "x = bytearray(1 << 40)\n"), "out-of-memory", 1)
    outcome = run_program(spare, "print('x' * 999)\n", limits=Limits(output_bytes=10))
    assert (outcome.stdout, outcome.cut) == ("x" * 10, 990)


def test_stop_keeps_the_output(spare: Runner) -> None:
    stop = threading.Event()
    outcome = run_program(
        spare, "print('begun\\n', end='')\nwhile True: pass\n", on_output=lambda *_: stop.set(), stop=stop
    )
    assert ended(outcome, "stopped", None).stdout == "begun\n"


def test_a_python_that_ends_at_once(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho 'no libpython' >&2\nexit 1\n")
    python.chmod(0o755)
    with Runner(Interpreter(str(python)), spare=True) as runner:
        outcome = run_program(runner, "print(1)\n")
    assert outcome.status == "not-started" and "no libpython" in str(outcome.reason)


def test_with_the_real_torch() -> None:
    with Runner(HERE, spare=True) as runner:
        outcome = ended(run_program(runner, "import torch\nprint(torch.ones(2).sum().item())\n"), "finished", 0)
    assert outcome.stdout == "2.0\n"
