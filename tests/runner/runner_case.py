"""Run a program, and look at how it ended."""

from __future__ import annotations

import sys
import textwrap
import threading
from collections.abc import Callable
from typing import Any

from qkv.runner import Interpreter, Job, Limits, Outcome, Runner

HERE = Interpreter(sys.executable)
Run = Callable[..., Outcome]


def run_program(
    runner: Runner,
    code: str,
    *,
    limits: Limits | None = None,
    device: str = "auto",
    cwd: str | None = None,
    on_output: Callable[[str, str], None] | None = None,
    stop: threading.Event | None = None,
    interpreter: Interpreter | None = None,
    **payload: Any,
) -> Outcome:
    payload = {"code": textwrap.dedent(code), "path": "program.py", **payload}
    job = Job("program", payload, limits or Limits(seconds=60), cwd, device)
    return runner.run(job, on_output, stop, interpreter)


def ended(outcome: Outcome, status: str, code: int | None) -> Outcome:
    """The outcome again, once its status and exit code are as they should be."""
    assert (outcome.status, outcome.exit_code) == (status, code), (outcome.reason, outcome.error, outcome.stderr)
    return outcome
