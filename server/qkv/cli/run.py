"""`qkv run`: run a file in a process of its own, with limits."""

from __future__ import annotations

import argparse
import math
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qkv.cli.common import CLEAN, FOUND, Commands, UsageError, add_format, print_json, say
from qkv.cli.files import one_file, shown_path

if TYPE_CHECKING:
    from qkv.runner import Job, Limits, Outcome

DEVICES = ("auto", "cpu", "cuda", "mps", "meta")
TERMINAL_BYTES = 1 << 24
"""So much of each stream reaches a terminal, where its reader can press Ctrl-C; JSON keeps the runner's usual 64 KiB."""


def add_parser(commands: Commands, help_text: str) -> None:
    """Add the command and its options."""
    parser = commands.add_parser(
        "run",
        help=help_text,
        description="Run a file in a process of its own, with limits. What follows `--` is for the program.",
        usage="qkv run FILE [options] [-- ARGS...]",
    )
    parser.add_argument("file", metavar="FILE", help="a Python file")
    parser.add_argument("--device", choices=DEVICES, default="auto", help="where tensors are made (default: auto)")
    parser.add_argument(
        "--timeout", metavar="S", type=_positive, default=60.0, help="seconds it may take (default: 60)"
    )
    parser.add_argument("--memory", metavar="MIB", type=_count, default=4096, help="MiB it may need (default: 4096)")
    parser.add_argument(
        "--threads", metavar="N", type=_count, default=1, help="threads that torch may use (default: 1)"
    )
    parser.add_argument("--trace", action="store_true", help="also tell the real shape of every tensor that it names")
    parser.add_argument("--interpreter", metavar="PATH", help="the Python to run it with (default: the project's)")
    add_format(parser, "text", "json")
    parser.set_defaults(run=run)


def _positive(text: str) -> float:
    number = float(text)
    if not (0 < number < math.inf):
        raise argparse.ArgumentTypeError(f"{text} is not a number above 0")
    return number


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number from 1")
    return number


def run(options: argparse.Namespace) -> int:
    """Run the file to its end and answer 0 where it finished."""
    from qkv.runner import Outcome, Problem, Runner, find_interpreter

    job = _job(options)
    interpreter = find_interpreter(Path.cwd(), options.interpreter)
    as_json = options.format == "json"
    if isinstance(interpreter, Problem):
        outcome = Outcome("not-started", reason=interpreter.sentence)
    else:
        with Runner() as runner, _stop_by_ctrl_c() as stop:
            outcome = runner.run(job, None if as_json else _show, stop, interpreter)
    if as_json:
        print_json(outcome.to_json(shown_path(options.file)))
    else:
        for row in outcome.trace or ():
            print(_row_text(row))
        sys.stdout.flush()
        say(_status_line(outcome))
    return CLEAN if outcome.status == "finished" else FOUND


def _job(options: argparse.Namespace) -> Job:
    """What is to run. Raises UsageError where the file cannot be read as Python."""
    from qkv.runner import Job

    read = one_file(options.file)
    if read.language != "python" or read.cells is not None:
        raise UsageError(f"{options.file} is no Python file")
    payload = {
        "code": read.text,
        "path": options.file,
        "folder": os.path.dirname(os.path.abspath(options.file)),  # noqa: PTH100, PTH120 - links stay, as in sys.path[0]
        "argv": options.rest,
        "device": options.device,
        "trace": options.trace,
        "pictures": [],
        "bind": {},
    }
    return Job("program", payload, _limits(options), str(Path.cwd()), options.device)


def _limits(options: argparse.Namespace) -> Limits:
    from qkv.runner import Limits

    limits = Limits(options.timeout, options.memory, options.threads)
    if options.format == "json":
        return limits
    return Limits(limits.seconds, limits.memory_mib, limits.threads, TERMINAL_BYTES)


@contextmanager
def _stop_by_ctrl_c() -> Iterator[threading.Event]:
    """An event that Ctrl-C sets, so that the program is ended in order and what it printed is kept."""
    stop = threading.Event()
    before = signal.signal(signal.SIGINT, lambda *_: stop.set())
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


def _show(stream: str, text: str) -> None:
    """Pass a piece of output on. A character that the terminal cannot show becomes a question mark."""
    out = sys.stdout if stream == "stdout" else sys.stderr
    out.buffer.write(text.encode(out.encoding or "utf-8", "replace"))
    out.buffer.flush()


def _row_text(row: dict[str, Any]) -> str:
    shape = ", ".join(map(str, row["shape"])) + ("," if len(row["shape"]) == 1 else "")
    notes = [f"{row[name]} {name}" for name in ("nan", "inf") if row[name]]
    if row["attention_map"]:
        notes.append("attention map")
    if row["times"] > 1:
        notes.append(f"the last of {row['times']}")
    return f"{row['line']:>5}  {row['name']:<16} ({shape}) {row['dtype']} {row['device']}" + "".join(
        f"  {note}" for note in notes
    )


def _status_line(outcome: Outcome) -> str:
    """How it went, in one line."""
    words = outcome.status.replace("-", " ")
    if outcome.status == "failed" and outcome.exit_code is not None and outcome.exit_code > 0:
        words += f" with exit code {outcome.exit_code}"
    line = f"qkv run: {words}"
    if outcome.status != "not-started":
        versions = f"Python {outcome.python}" + (f", torch {outcome.torch}" if outcome.torch else "")
        line += f" after {outcome.milliseconds / 1000:.2f} s on {outcome.device} ({versions})"
    if outcome.reason:
        line += f". {outcome.reason}"
    if outcome.cut:
        line += f" {outcome.cut} bytes of output were left out."
    return line
