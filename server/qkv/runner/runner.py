"""Run jobs in warm processes, from any thread, several at once."""

from __future__ import annotations

import json
import queue
import threading
import time
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from qkv.runner.model import Interpreter, Job, Outcome, Status
from qkv.runner.output import OnOutput, Output
from qkv.runner.warm import CannotStart, Warm

PATIENCE = 0.02
"""How often, in seconds, a run looks whether it is to stop."""
INSTALL_TORCH = (
    "Install it with `{python} -m pip install torch`, or choose another Python with the setting `qkv.interpreter`."
)


@dataclass
class _Heard:
    """What the child has told so far."""

    device: str = "cpu"
    not_started: str | None = None
    error: dict[str, Any] | None = None
    pictures: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    trace: list[dict[str, Any]] | None = None
    result: dict[str, Any] | None = None
    rest: str = ""

    def take(self, text: str) -> None:
        *lines, self.rest = (self.rest + text).split("\n")
        for line in lines:
            for key, value in json.loads(line).items():
                setattr(self, key, value)


class Runner:
    """Holds one warm parent for each interpreter. A context manager; `close` ends all that still runs."""

    def __init__(self, interpreter: Interpreter | None = None, spare: bool = False) -> None:
        self._interpreter = interpreter
        self._spare = spare
        self._warm: dict[tuple[str, int], Warm] = {}
        self._lock = threading.Lock()

    def __enter__(self) -> Runner:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End all warm parents and what they run."""
        with self._lock:
            parents, self._warm = list(self._warm.values()), {}
        for parent in parents:
            parent.close()

    def warm_up(self, interpreter: Interpreter, threads: int = 1) -> None:
        """Start importing torch now, so that the first run is quick. An interpreter that cannot start is said by `run`."""
        try:
            self._parent(interpreter.path, threads)
        except CannotStart:
            pass

    def run(
        self,
        job: Job,
        on_output: OnOutput | None = None,
        stop: threading.Event | None = None,
        interpreter: Interpreter | None = None,
    ) -> Outcome:
        """Run one job to its end and say what came of it. Never raises for what the program or the interpreter does."""
        chosen = interpreter or self._interpreter
        if chosen is None:
            return Outcome("not-started", reason="No Python was chosen. Set `qkv.interpreter`.")
        start = time.perf_counter()
        try:
            parent = self._parent(chosen.path, job.limits.threads)
            parent.wait_until_ready()
        except CannotStart as problem:
            return Outcome("not-started", reason=str(problem), interpreter=chosen.path)
        version, problem = parent.ready.get("torch"), parent.ready.get("problem")
        known: dict[str, Any] = {"interpreter": chosen.path, "python": parent.ready["python"], "torch": version}
        refusal = _refusal(job, chosen.path, parent.ready["python"], version, problem)
        if refusal is not None:
            return Outcome("not-started", reason=refusal, **known)
        output, heard = Output(job.limits.output_bytes, on_output), _Heard()
        end = self._follow(parent, job, output, heard, stop)
        return _outcome(job, end, output, heard, known, int(1000 * (time.perf_counter() - start)), problem)

    def _parent(self, path: str, threads: int) -> Warm:
        with self._lock:
            parent = self._warm.get((path, threads))
            if parent is None or not parent.alive:
                parent = self._warm[(path, threads)] = Warm(path, threads, self._spare)
            return parent

    def _follow(
        self, parent: Warm, job: Job, output: Output, heard: _Heard, stop: threading.Event | None
    ) -> dict[str, Any] | None:
        """Pass on what the job prints until it ends. None where the parent itself is gone."""
        number, events = parent.start(
            {
                "task": job.task,
                "payload": job.payload,
                "cwd": job.cwd,
                "device": job.device,
                "seconds": job.limits.seconds,
                "memory_mib": job.limits.memory_mib,
            }
        )
        stopping = False
        try:
            while True:
                if stop is not None and stop.is_set() and not stopping:
                    parent.stop(number)
                    stopping = True
                try:
                    event = events.get(timeout=PATIENCE if stop is not None else None)
                except queue.Empty:
                    continue
                if event is None or event["event"] == "end":
                    return event
                data = event["data"].encode("latin-1")
                if event["event"] == "message":
                    heard.take(data.decode("utf-8"))
                else:
                    output.add(event["event"], data)
        finally:
            parent.forget(number)


def _refusal(job: Job, path: str, python: str, torch: str | None, problem: str | None) -> str | None:
    """Why a job that needs torch cannot run, or None."""
    if tuple(map(int, python.split(".")[:2])) < (3, 8):
        return f"The Python at {path} is {python}; running needs 3.8 or newer. Choose another with the setting `qkv.interpreter`."
    if torch is not None or not (job.task != "program" or _imports_torch(job.payload.get("code", ""))):
        return None
    if problem is not None:
        return f"torch is installed for {path} but cannot be imported: {problem}. Install it again with `{path} -m pip install --force-reinstall torch`."
    return f"torch is not installed for {path}. {INSTALL_TORCH.format(python=path)}"


def _imports_torch(code: str) -> bool:
    return any(line.strip().startswith(("import torch", "from torch")) for line in code.splitlines())


def _outcome(
    job: Job,
    end: dict[str, Any] | None,
    output: Output,
    heard: _Heard,
    known: dict[str, Any],
    milliseconds: int,
    problem: str | None,
) -> Outcome:
    status, reason, code = _status(job, end, heard)
    return Outcome(
        status,
        reason,
        code,
        device=heard.device,
        milliseconds=milliseconds,
        stdout=output.text("stdout"),
        stderr=output.text("stderr"),
        cut=output.cut,
        error=heard.error,
        pictures=heard.pictures,
        trace=heard.trace,
        result=heard.result,
        **known,
    )


def _status(job: Job, end: dict[str, Any] | None, heard: _Heard) -> tuple[Status, str | None, int | None]:
    if end is None:
        return "failed", "The process that runs programs was ended from outside. Run again: a new one is started.", None
    if heard.not_started is not None:
        return "not-started", heard.not_started, None
    code, why = end["status"], end["why"]
    if why == "stopped":
        return "stopped", "It was stopped.", None
    if why == "timed-out":
        return (
            "timed-out",
            f"It ran longer than {job.limits.seconds:g} s and was ended. Is there a loop without an end? The setting `qkv.run.timeout` allows more.",
            None,
        )
    memory = f"It needed more than {job.limits.memory_mib} MiB of memory. Use smaller sizes, or allow more with the setting `qkv.run.memory`."
    if why == "out-of-memory" or (heard.error is not None and heard.error["type"] == "MemoryError"):
        return "out-of-memory", memory, None if why else code
    if code == 0:
        return "finished", None, 0
    if code < 0:
        return "failed", f"The process was ended by signal {-code}: the program crashed Python itself.", code
    return "failed", None, code
