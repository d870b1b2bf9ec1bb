"""Run jobs in warm processes, from any thread, several at once."""

from __future__ import annotations

import ast
import contextlib
import json
import os
import queue
import threading
import time
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any

from qkv.runner.model import Interpreter, Job, Limits, Outcome, Status
from qkv.runner.output import OnOutput, Output
from qkv.runner.processes import CannotStart
from qkv.runner.spare import Spares
from qkv.runner.warm import Event, Warm

PATIENCE = 0.02
"""How often, in seconds, a run looks whether it is to stop."""
OLDEST_PYTHON = (3, 8)


@dataclass
class _Heard:
    """What the child has told so far."""

    device: str = "cpu"
    not_started: str | None = None
    error: dict[str, Any] | None = None
    pictures: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    trace: list[dict[str, Any]] | None = None
    result: dict[str, Any] | None = None
    _rest: bytes = b""

    def take(self, data: bytes) -> None:
        """Take a piece of the messages. A line that none of ours has written is passed over: the program may write there."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            try:
                message: Any = json.loads(line)
            except ValueError:
                continue
            for key, value in message.items() if isinstance(message, dict) else ():
                if not key.startswith("_") and key in _Heard.__dataclass_fields__:
                    setattr(self, key, value)


class Runner:
    """Holds warm processes for each interpreter. A context manager; `close` ends all that still runs.

    `spare`: without fork, as on Windows.
    """

    def __init__(self, interpreter: Interpreter | None = None, spare: bool = not hasattr(os, "fork")) -> None:
        self._interpreter = interpreter
        self._spare = spare
        self._warm: dict[tuple[str, int], Warm | Spares] = {}
        self._lock = threading.Lock()

    def __enter__(self) -> Runner:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End all warm processes and what they run."""
        with self._lock:
            hosts, self._warm = list(self._warm.values()), {}
        for host in hosts:
            host.close()

    def warm_up(self, interpreter: Interpreter, threads: int = 1) -> None:
        """Start importing torch, and what an optimizer needs, so that the first run is quick. `run` says what goes wrong."""
        with contextlib.suppress(CannotStart):
            self._host(interpreter.path, threads, ahead=True)

    def run(
        self,
        job: Job,
        on_output: OnOutput | None = None,
        stop: threading.Event | None = None,
        interpreter: Interpreter | None = None,
    ) -> Outcome:
        """Run one job to its end and say what came of it. Never raises for what the program or the interpreter does.

        `stop` ends it when set; what was printed until then is kept. What `on_output` raises ends the job and is raised.
        """
        chosen = interpreter or self._interpreter
        if chosen is None:
            return Outcome("not-started", reason="No Python was chosen. Set `qkv.interpreter`.")
        try:
            host = self._host(chosen.path, job.limits.threads)
            if not host.wait_until_ready(stop, PATIENCE):
                return Outcome("stopped", "It was stopped before it began.", interpreter=chosen.path)
        except CannotStart as problem:
            return Outcome("not-started", str(problem), interpreter=chosen.path)
        python, torch = host.ready["python"], host.ready["torch"]
        known = Outcome("not-started", interpreter=chosen.path, python=python, torch=torch)
        refusal = _refusal(job, chosen.path, python, torch, host.ready["problem"])
        if refusal is not None:
            return replace(known, reason=refusal)
        output, heard = Output(on_output), _Heard()
        begin = time.perf_counter()
        end = _follow(host, job, output, heard, stop)
        status, reason, code = _status(job.limits, end, heard)
        return replace(
            known,
            status=status,
            reason=reason,
            exit_code=code,
            device=heard.device,
            milliseconds=int(1000 * (time.perf_counter() - begin)),
            stdout=output.text("stdout"),
            stderr=output.text("stderr"),
            cut=end["cut"] if end else 0,
            error=heard.error,
            pictures=heard.pictures,
            trace=heard.trace,
            result=heard.result,
        )

    def _host(self, path: str, threads: int, ahead: bool = False) -> Warm | Spares:
        with self._lock:
            host = self._warm.get((path, threads))
            if host is None or not host.alive:
                if host is not None:
                    host.close()
                host = (Spares if self._spare else Warm)(path, threads, ahead)
                self._warm[(path, threads)] = host
            return host


def _follow(host: Warm | Spares, job: Job, output: Output, heard: _Heard, stop: threading.Event | None) -> Event | None:
    """Pass on what the job prints until it ends. None where the warm process itself is gone."""
    number, events = host.start(
        {
            "task": job.task,
            "payload": job.payload,
            "cwd": job.cwd,
            "device": job.device,
            "seconds": job.limits.seconds,
            "memory_mib": job.limits.memory_mib,
            "output_bytes": job.limits.output_bytes,
        }
    )
    stopping = False
    try:
        while True:
            if stop is not None and stop.is_set() and not stopping:
                host.stop(number)
                stopping = True
            try:
                event = events.get(timeout=PATIENCE if stop is not None else None)
            except queue.Empty:
                continue
            if event is None or event["event"] == "end":
                output.finish(event["cut"] if event else 0)
                return event
            if event["event"] == "message":
                heard.take(event["data"])
            else:
                output.add(event["event"], event["data"])
    except BaseException:
        host.stop(number)
        raise
    finally:
        host.forget(number)


def _refusal(job: Job, path: str, python: str, torch: str | None, problem: str | None) -> str | None:
    """Why a job cannot run in an interpreter, or None."""
    if tuple(map(int, python.split(".")[:2])) < OLDEST_PYTHON:
        return f"The Python at {path} is {python}; running needs 3.8 or newer. Choose another with the setting `qkv.interpreter`."
    if torch is not None or (job.task == "program" and not _needs_torch(job.payload.get("code", ""))):
        return None
    if problem is not None:
        again = f"{path} -m pip install --force-reinstall torch"
        return f"torch is installed for {path} but cannot be imported: {problem}. Install it again with `{again}`."
    return f"torch is not installed for {path}. Install it with `{path} -m pip install torch`, or choose another Python with the setting `qkv.interpreter`."


def _needs_torch(code: str) -> bool:
    """Whether the program begins with importing torch, come what may. One that does not parse says so itself."""
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    names = [alias.name for node in body if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in body if isinstance(node, ast.ImportFrom) and not node.level]
    return any(name.split(".")[0] == "torch" for name in names)


def _status(limits: Limits, end: Event | None, heard: _Heard) -> tuple[Status, str | None, int | None]:
    """How it ended, what to do about it, and the exit code where the program itself chose one."""
    if end is None:
        again = "The process that runs programs was ended from outside. Run again: a new one is started."
        return "failed", again, None
    code, why = end["status"], end["why"]
    if why == "stopped":
        return "stopped", "It was stopped.", None
    if heard.not_started is not None:
        return "not-started", heard.not_started, None
    if why == "timed-out":
        slow = f"It ran longer than {limits.seconds:g} s and was ended. Is there a loop without an end? The setting `qkv.run.timeout` allows more."
        return "timed-out", slow, None
    kind = heard.error["type"] if heard.error else None
    if kind == "OutOfMemoryError":
        return (
            "out-of-memory",
            f"The memory of the device {heard.device} ran out. Use smaller sizes, or run on the CPU.",
            code,
        )
    if why == "out-of-memory" or kind == "MemoryError":
        more = f"It needed more than {limits.memory_mib} MiB of memory. Use smaller sizes, or allow more with the setting `qkv.run.memory`."
        return "out-of-memory", more, None if why else code
    if code == 0:
        return "finished", None, 0
    if code < 0:
        outside = code == -9
        crash = "it was killed, as systems do when memory runs out" if outside else "the program crashed Python itself"
        return "failed", f"The process was ended by signal {-code}: {crash}.", code
    return "failed", None, code
