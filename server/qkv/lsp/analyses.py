"""Snapshots of what is open: made one at a time in one thread, cached per text, and given up when nobody needs them any more."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from qkv.ide.hover import hover
from qkv.ide.modules import Modules, modules_for
from qkv.ide.settings import Settings
from qkv.ide.snapshot import Snapshot, take_snapshot
from qkv.lsp.documents import Unit


class Superseded(Exception):
    """The text has changed, or the document was closed, while it was analysed."""


@dataclass(eq=False)
class _Job:
    unit: Unit
    settings: Settings
    future: asyncio.Future[Snapshot]
    cancelled: threading.Event
    waiters: int = 0


@dataclass
class Analyses:
    """The newest snapshot of each unit, or the work on it.

    `modules` keeps, by folder, what imports lead to; `read` gives a file's text as the editor has it, None where it is not open.
    """

    read: Callable[[Path], str | None]
    executor: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "qkv-analysis"))
    jobs: dict[str, _Job] = field(default_factory=dict[str, _Job])
    modules: dict[Path, Modules] = field(default_factory=dict[Path, Modules])
    edited: set[str] = field(default_factory=set[str])

    async def snapshot(self, unit: Unit, settings: Settings) -> Snapshot:
        """The snapshot of a unit, new or cached. Raises Superseded when a newer text of it came in between.

        Several requests share one analysis; it is stopped when the last of them has been cancelled.
        """
        job = self.jobs.get(unit.uri)
        if job is None or job.unit != unit or job.settings != settings or job.cancelled.is_set():
            self.forget(unit.uri)
            job = self.jobs[unit.uri] = self._start(unit, settings)
        job.waiters += 1
        try:
            return await asyncio.shield(job.future)
        except asyncio.CancelledError:
            if job.waiters == 1 and not job.future.done():
                job.cancelled.set()
            raise
        finally:
            job.waiters -= 1

    def warm_up(self) -> None:
        """Load what the first answer needs, before anybody asks."""
        self.executor.submit(_warm_up)

    def forget(self, uri: str) -> None:
        """Drop what is known about a unit and stop the work on it."""
        job = self.jobs.pop(uri, None)
        if job is not None:
            job.cancelled.set()

    def forget_all(self, but: str | None = None) -> None:
        """Drop everything (but one unit): settings or other files have changed."""
        self.modules.clear()
        for uri in list(self.jobs):
            if uri != but:
                self.forget(uri)

    def close(self) -> None:
        """Stop all work; nothing new is started."""
        self.forget_all()
        self.executor.shutdown(wait=False, cancel_futures=True)

    def _modules_for(self, unit: Unit) -> Modules | None:
        """What this unit's imports lead to, as far as it is known and no other text has changed since."""
        if unit.language != "python" or "://" in unit.path:
            return None
        if self.edited - {unit.path}:
            self.modules.clear()
            self.edited.clear()
        folder = Path(unit.path).parent
        if folder not in self.modules:
            self.modules[folder] = modules_for(folder, self.read)
        return self.modules[folder]

    def _start(self, unit: Unit, settings: Settings) -> _Job:
        cancelled = threading.Event()
        modules = self._modules_for(unit)
        future = asyncio.get_running_loop().run_in_executor(self.executor, _take, unit, settings, modules, cancelled)
        future.add_done_callback(_retrieve)
        return _Job(unit, settings, future, cancelled)


def _warm_up() -> None:
    hover(take_snapshot("warm-up.py", "scores = softmax(q)\n"), 1, 10)


def _take(unit: Unit, settings: Settings, modules: Modules | None, cancelled: threading.Event) -> Snapshot:
    if cancelled.is_set():
        raise Superseded
    text, cells = unit.joined
    try:
        snapshot = take_snapshot(
            unit.path,
            text,
            settings=settings,
            language=unit.language,
            cells=cells,
            modules=modules,
            cancelled=cancelled.is_set,
        )
    except Exception:
        if cancelled.is_set():
            raise Superseded from None
        raise
    if cancelled.is_set():
        raise Superseded
    _ = snapshot.source.comments  # found once, and here rather than where it would hold up the answers
    return snapshot


def _retrieve(future: asyncio.Future[Snapshot]) -> None:
    """Take note of a failure that nobody waits for, or asyncio complains of it when the future is dropped."""
    if not future.cancelled():
        future.exception()
