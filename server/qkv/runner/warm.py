"""A warm parent process seen from here: started once for each interpreter, asked for jobs, and listened to."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import threading
import time
from typing import Any

from qkv.runner.processes import START_SECONDS, ended_early, start

Event = dict[str, Any]
"""What a job tells: `{"event": "stdout"|"stderr"|"message", "data": bytes}`, at last `{"event": "end", "status", "why", "cut"}`."""


class Warm:
    """One warm parent, which forks a process for each job. A job's queue ends with an `end`, or with None where the parent is gone."""

    def __init__(self, interpreter: str, threads: int, ahead: bool = False) -> None:
        self.interpreter = interpreter
        self.process, messages = start(interpreter, "parent.py", threads, ahead, subprocess.DEVNULL)
        self.ready: dict[str, Any] = {}
        self._jobs: dict[int, queue.Queue[Event | None]] = {}
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._number = 0
        self._alive = True
        self._became_ready = threading.Event()
        self._said: list[str] = []
        threading.Thread(target=self._listen, args=(messages,), daemon=True).start()
        self._reader = threading.Thread(target=self._keep_what_it_says, daemon=True)
        self._reader.start()

    @property
    def alive(self) -> bool:
        """Whether the parent can take another job."""
        return self._alive and self.process.poll() is None

    def wait_until_ready(self, stop: threading.Event | None, patience: float) -> bool:
        """Wait for torch to be imported. False where `stop` was set first. Raises CannotStart."""
        deadline = time.monotonic() + START_SECONDS
        while not self._became_ready.wait(patience):
            if stop is not None and stop.is_set():
                return False
            if time.monotonic() > deadline:
                break
        if not self.ready:
            self.close()
            self._reader.join(1)
            raise ended_early(self.interpreter, self._said)
        return True

    def start(self, command: dict[str, Any]) -> tuple[int, queue.Queue[Event | None]]:
        """Hand over a job. Returns its number and the queue of its events."""
        events: queue.Queue[Event | None] = queue.Queue()
        with self._lock:
            self._number += 1
            number = self._number
            self._jobs[number] = events
        self._send({**command, "job": number})
        return number, events

    def stop(self, number: int) -> None:
        """End a job; its end arrives as an event."""
        self._send({"stop": number})

    def forget(self, number: int) -> None:
        """No more events of this job are wanted."""
        with self._lock:
            self._jobs.pop(number, None)

    def close(self) -> None:
        """End the parent and all that it runs."""
        self._alive = False
        try:
            if self.process.stdin is not None:
                self.process.stdin.close()
            self.process.wait(timeout=0 if not self.ready else 2)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()

    def _send(self, command: dict[str, Any]) -> None:
        stdin = self.process.stdin
        try:
            if stdin is not None:
                with self._writing:
                    stdin.write((json.dumps(command) + "\n").encode("utf-8"))
                    stdin.flush()
        except (OSError, ValueError):
            self._everybody_gone()

    def _listen(self, descriptor: int) -> None:
        with os.fdopen(descriptor, encoding="utf-8") as events:
            for line in events:
                event: Event = json.loads(line)
                if event["event"] == "ready":
                    self.ready = event
                    self._became_ready.set()
                    continue
                if "data" in event:
                    event["data"] = event["data"].encode("latin-1")
                with self._lock:
                    wanted = self._jobs.get(event["job"])
                if wanted is not None:
                    wanted.put(event)
        self._everybody_gone()

    def _everybody_gone(self) -> None:
        self._alive = False
        self._became_ready.set()
        with self._lock:
            waiting = list(self._jobs.values())
        for events in waiting:
            events.put(None)

    def _keep_what_it_says(self) -> None:
        if self.process.stderr is not None:
            with contextlib.suppress(ValueError):  # closed meanwhile
                for line in self.process.stderr:
                    self._said.append(line.decode("utf-8", "replace"))
                    del self._said[:-50]
