"""`qkv/run` and `qkv/stop`: learner code in a process of its own, its output passed on while it runs."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcInvalidParams
from pygls.uris import to_fs_path

from qkv.ide.reading import Unreadable, read_text
from qkv.lsp.configuration import editor_values

if TYPE_CHECKING:
    from qkv.lsp.server import Server
    from qkv.runner import Interpreter, Job, Limits, Outcome, Problem, Runner

TOGETHER = 0.02
"""Seconds for which output is held back, so that more of it may come along."""


@dataclass
class Runs:
    """What is running now, by the client's id, and the runner, which is started with the first run."""

    executor: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(4, "qkv-run"))
    stops: dict[str, threading.Event] = field(default_factory=dict[str, threading.Event])
    started: Runner | None = None

    @property
    def runner(self) -> Runner:
        if self.started is None:
            from qkv.runner import Runner

            self.started = Runner()
        return self.started

    def close(self) -> None:
        """Stop everything."""
        for stop in self.stops.values():
            stop.set()
        if self.started is not None:
            self.started.close()
        self.executor.shutdown(wait=False, cancel_futures=True)


async def run(ls: Server, params: dict[str, Any]) -> Any:
    """`qkv/run`: run a lesson's cell, or a file; answers the object of `qkv run --format json`."""
    number = _text(params, "id")
    values = await editor_values(ls, params.get("uri"))
    values = values if isinstance(values, dict) else {}
    path, job = await (_file_job(ls, params, values) if "uri" in params else _cell_job(ls, params, values))
    interpreter = find(ls, values, params.get("uri"))
    return (await _follow(ls, number, job, interpreter)).to_json(path)


async def stop(ls: Server, params: dict[str, Any]) -> Any:
    """`qkv/stop`: stop a run; `stopped` is false where there is none of this id."""
    running = ls.runs.stops.get(_text(params, "id"))
    if running is not None:
        running.set()
    return {"stopped": running is not None}


def answered(ls: Server, interpreter: Interpreter | Problem, job: Job) -> Outcome:
    """Run a job to its end, from a thread that may wait."""
    from qkv.runner import Problem

    return (
        not_started(interpreter)
        if isinstance(interpreter, Problem)
        else ls.runs.runner.run(job, interpreter=interpreter)
    )


def not_started(problem: Problem) -> Outcome:
    """What comes of a run where there is no Python to run it."""
    from qkv.runner import Outcome

    return Outcome("not-started", reason=f"{problem.what[:1].upper()}{problem.what[1:]}. {problem.do}")


async def _follow(ls: Server, number: str, job: Job, interpreter: Interpreter | Problem) -> Outcome:
    from qkv.runner import Problem

    if isinstance(interpreter, Problem):
        return not_started(interpreter)
    loop = asyncio.get_running_loop()
    output = _Output(ls, number)
    stopped = ls.runs.stops[number] = threading.Event()
    try:
        work = partial(ls.runs.runner.run, job, partial(_pass_on, loop, output), stopped, interpreter)
        return await loop.run_in_executor(ls.runs.executor, work)
    finally:  # a request that was cancelled stops its run
        stopped.set()
        ls.runs.stops.pop(number, None)
        output.send()


@dataclass
class _Output:
    """What a run has printed and the client does not know yet. A program that prints word by word does not send as many messages."""

    ls: Server
    number: str
    pieces: list[tuple[str, str]] = field(default_factory=list["tuple[str, str]"])

    def add(self, stream: str, text: str) -> None:
        """Keep a piece for a moment, together with those that follow on the same stream."""
        if not self.pieces:
            asyncio.get_running_loop().call_later(TOGETHER, self.send)
        if self.pieces and self.pieces[-1][0] == stream:
            text = self.pieces.pop()[1] + text
        self.pieces.append((stream, text))

    def send(self) -> None:
        """Tell the client everything."""
        pieces, self.pieces = self.pieces, []
        for stream, text in pieces:
            self.ls.protocol.notify("qkv/output", {"id": self.number, "stream": stream, "text": text})


def _pass_on(loop: asyncio.AbstractEventLoop, output: _Output, stream: str, text: str) -> None:
    """From the runner's thread into the loop's."""
    loop.call_soon_threadsafe(output.add, stream, text)


def find(ls: Server, values: Any, uri: str | None) -> Interpreter | Problem:
    """The user's Python for a document, or for the workspace."""
    from qkv.runner import find_interpreter

    configured = values.get("interpreter") if isinstance(values, dict) else None
    return find_interpreter(workspace_of(ls, uri), configured if isinstance(configured, str) and configured else None)


def workspace_of(ls: Server, uri: str | None) -> Path | None:
    """The workspace folder that a document is in, else the first one; None without any."""
    folders = [Path(path) for folder in ls.workspace.folders.values() if (path := to_fs_path(folder.uri))]
    if not folders and ls.workspace.root_path:
        folders = [Path(ls.workspace.root_path)]
    path = to_fs_path(uri) if uri else None
    if path is not None:
        inside = [folder for folder in folders if folder in Path(path).parents]
        if inside:
            return max(inside, key=lambda folder: len(folder.parts))
    return folders[0] if folders else None


async def _cell_job(ls: Server, params: dict[str, Any], values: dict[str, Any]) -> tuple[str, Job]:
    """A lesson's cell, or the learner's version of it."""
    from qkv.course import service
    from qkv.lsp.course import in_thread, study_for

    part, cell = _text(params, "part"), _text(params, "cell")
    limits, device = limits_of(values)
    study = await study_for(ls, params)
    bind = params.get("bind")
    job = await in_thread(service.cell_job, study, part, cell, params.get("code"), limits, device, bind)
    return f"{part}/{cell}", job


async def _file_job(ls: Server, params: dict[str, Any], values: dict[str, Any]) -> tuple[str, Job]:
    """A file, as the editor has it. Raises JsonRpcInvalidParams where it cannot be read."""
    from qkv.runner import Job

    limits, device = limits_of(values)
    uri, code = _text(params, "uri"), params.get("code")
    path = to_fs_path(uri) or uri
    if code is None:
        document = ls.documents.texts.get(uri)
        code = document.text if document is not None else await asyncio.to_thread(_read, path)
    folder = Path(path).parent
    payload = {
        "code": code,
        "path": path,
        "argv": [],
        "device": device,
        "trace": bool(params.get("trace")),
        "pictures": [],
        "bind": {},
    }
    return path, Job("program", payload, limits, str(folder) if folder.is_dir() else None, device)


def limits_of(values: dict[str, Any]) -> tuple[Limits, str]:
    """The limits and the device of the settings `run.*`."""
    from qkv.runner import Limits

    run_values = values.get("run")
    wanted: dict[str, Any] = run_values if isinstance(run_values, dict) else {}

    def number(name: str, default: float) -> float:
        value = wanted.get(name)
        return value if isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0 else default

    limits = Limits(number("timeout", 60.0), int(number("memory", 4096)), int(number("threads", 1)))
    device = wanted.get("device")
    return limits, device if isinstance(device, str) and device else "auto"


def _read(path: str) -> str:
    try:
        return read_text(path).text
    except Unreadable as problem:
        raise JsonRpcInvalidParams(f"{path} {problem}") from None


def _text(params: dict[str, Any], name: str) -> str:
    value = params.get(name)
    if not isinstance(value, str):
        raise JsonRpcInvalidParams(f"the parameter {name!r} is missing")
    return value


REQUESTS: dict[str, Callable[[Server, dict[str, Any]], Awaitable[Any]]] = {"qkv/run": run, "qkv/stop": stop}
