"""Where there is no fork: a process for each job, started and warmed up while the one before is in use."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import threading
import time
from typing import IO, Any

from qkv.runner.processes import START_SECONDS, CannotStart, ended_early, start
from qkv.runner.warm import Event

CHUNK = 65536
CHECK_EVERY = 0.05
LEFT_OVER_SECONDS = 0.5
"""How long the rest of a job's output may take to arrive once its process has ended."""


class Spare:
    """One process: it warms up, runs one job, and ends."""

    def __init__(self, interpreter: str, threads: int, ahead: bool) -> None:
        self.interpreter = interpreter
        self.process, messages = start(interpreter, "spare.py", threads, ahead, subprocess.PIPE)
        self.ready: dict[str, Any] = {}
        self.settled = threading.Event()
        self.said: list[str] = []
        self._events: queue.Queue[Event | None] | None = None
        self._why: str | None = None
        self._room: dict[str, int] = {}
        self._cut = 0
        pipes = {"stdout": self.process.stdout, "stderr": self.process.stderr, "message": os.fdopen(messages, "rb", 0)}
        self._readers = [
            threading.Thread(target=self._read, args=(name, pipe), daemon=True)
            for name, pipe in pipes.items()
            if pipe is not None
        ]
        for reader in self._readers:
            reader.start()

    def run(self, command: dict[str, Any], events: queue.Queue[Event | None]) -> None:
        """Hand over the job, and look after it in a thread."""
        self._room = {"stdout": command["output_bytes"], "stderr": command["output_bytes"]}
        self._events = events
        threading.Thread(target=self._look_after, args=(command, events), daemon=True).start()

    def end(self, why: str) -> None:
        """End the process and what it has started, as far as the system knows it."""
        self._why = self._why or why
        if self.process.poll() is None:
            self.process.kill()
        self._end_group()

    def _end_group(self) -> None:
        if hasattr(os, "killpg"):
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except OSError:
                return

    def _read(self, name: str, pipe: IO[bytes]) -> None:
        with pipe:
            if name == "message":
                line = pipe.readline()
                self.ready = json.loads(line) if line else {}
                self.settled.set()
            while data := os.read(pipe.fileno(), CHUNK):
                if self._events is None:
                    self.said = [*self.said, data.decode("utf-8", "replace")][-50:] if name == "stderr" else self.said
                    continue
                if name in self._room:
                    passed = data[: self._room[name]]
                    self._room[name] -= len(passed)
                    self._cut += len(data) - len(passed)
                    data = passed
                if data:
                    self._events.put({"event": name, "data": data})

    def _look_after(self, command: dict[str, Any], events: queue.Queue[Event | None]) -> None:
        stdin = self.process.stdin
        try:
            if stdin is not None:
                stdin.write((json.dumps(command) + "\n").encode("utf-8"))
                stdin.close()
        except OSError:  # it has died while it waited: its end says so
            pass
        deadline = time.monotonic() + command["seconds"]
        while True:
            try:
                status = self.process.wait(CHECK_EVERY)
                break
            except subprocess.TimeoutExpired:
                if time.monotonic() > deadline:
                    self.end("timed-out")
        self._end_group()
        for reader in self._readers:
            reader.join(LEFT_OVER_SECONDS)
        events.put({"event": "end", "status": status, "why": self._why, "cut": self._cut})


class Spares:
    """Hands each job to the spare process and starts the next spare. To its users the same as `Warm`."""

    def __init__(self, interpreter: str, threads: int, ahead: bool = False) -> None:
        self._how = (interpreter, threads, ahead)
        self._spare = Spare(*self._how)
        self._running: dict[int, Spare] = {}
        self._lock = threading.Lock()
        self._number = 0
        self._alive = True

    @property
    def alive(self) -> bool:
        """Whether another job can be taken."""
        return self._alive and self._spare.process.poll() is None

    @property
    def ready(self) -> dict[str, Any]:
        """What the spare told when it was ready."""
        return self._spare.ready

    def wait_until_ready(self, stop: threading.Event | None, patience: float) -> bool:
        """Wait for torch to be imported. False where `stop` was set first. Raises CannotStart."""
        deadline = time.monotonic() + START_SECONDS
        spare = self._spare
        while not spare.settled.wait(patience):
            if stop is not None and stop.is_set():
                return False
            if time.monotonic() > deadline:
                break
        if not spare.ready:
            self.close()
            raise ended_early(self._how[0], spare.said)
        return True

    def start(self, command: dict[str, Any]) -> tuple[int, queue.Queue[Event | None]]:
        """Hand over a job. Returns its number and the queue of its events."""
        events: queue.Queue[Event | None] = queue.Queue()
        with self._lock:
            self._number += 1
            number = self._number
            spare = self._running[number] = self._spare
            try:
                self._spare = Spare(*self._how)
            except CannotStart:  # the interpreter has gone: the next job says so
                self._alive = False
        spare.run({**command, "job": number}, events)
        return number, events

    def stop(self, number: int) -> None:
        """End a job; its end arrives as an event."""
        spare = self._running.get(number)
        if spare is not None:
            spare.end("stopped")

    def forget(self, number: int) -> None:
        """No more events of this job are wanted."""
        with self._lock:
            self._running.pop(number, None)

    def close(self) -> None:
        """End the spare and all that runs."""
        self._alive = False
        with self._lock:
            processes = [*self._running.values(), self._spare]
        for one in processes:
            one.end("stopped")
            one.process.wait()
