"""A warm parent process seen from here: started once for each interpreter, asked for jobs, and listened to."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
from pathlib import Path
from typing import Any

PARENT = Path(__file__).resolve().parent / "child" / "parent.py"
START_SECONDS = 120.0
"""Importing torch from a cold disk takes this long at the worst."""


class CannotStart(Exception):
    """The interpreter did not become ready; the message says why and what to do."""


class Warm:
    """One warm parent. `jobs` maps a job's number to the queue of its events; None in a queue means that the parent is gone."""

    def __init__(self, interpreter: str, threads: int, spare: bool = False) -> None:
        read, write = os.pipe()
        os.set_inheritable(write, True)
        variables = {
            **os.environ,
            "OMP_NUM_THREADS": str(threads),
            "MKL_NUM_THREADS": str(threads),
            "PYTHONUNBUFFERED": "1",
            "PYTHONIOENCODING": "utf-8",
        }
        command = [interpreter, "-u", str(PARENT), str(write), *(["--spare"] if spare else [])]
        try:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                close_fds=False,
                env=variables,
            )
        except OSError as problem:
            os.close(read)
            raise CannotStart(
                f"{interpreter} cannot be started: {problem.strerror or problem}. Correct the setting `qkv.interpreter`."
            ) from None
        finally:
            os.close(write)
        self.jobs: dict[int, queue.Queue[dict[str, Any] | None]] = {}
        self.ready: dict[str, Any] = {}
        self._lock = threading.Lock()
        self._number = 0
        self._alive = True
        self._became_ready = threading.Event()
        self._stderr: list[str] = []
        threading.Thread(target=self._listen, args=(read,), daemon=True).start()
        threading.Thread(target=self._keep_stderr, daemon=True).start()

    @property
    def alive(self) -> bool:
        """Whether the parent can take another job."""
        return self._alive and self.process.poll() is None

    def wait_until_ready(self) -> None:
        """Wait for torch to be imported. Raises CannotStart."""
        if not self._became_ready.wait(START_SECONDS) or not self.ready:
            self.close()
            last = "".join(self._stderr).strip().splitlines()
            why = f" It said: {last[-1][:300]}" if last else ""
            raise CannotStart(
                f"The Python at {self.process.args[0]} ended before it was ready.{why} Choose another with the setting `qkv.interpreter`."
            )  # type: ignore[index]

    def start(self, command: dict[str, Any]) -> tuple[int, queue.Queue[dict[str, Any] | None]]:
        """Hand over a job. Returns its number and the queue of its events."""
        events: queue.Queue[dict[str, Any] | None] = queue.Queue()
        with self._lock:
            self._number += 1
            number = self._number
            self.jobs[number] = events
        self._send({**command, "job": number})
        return number, events

    def stop(self, number: int) -> None:
        """End a job; its end arrives as an event."""
        self._send({"stop": number})

    def forget(self, number: int) -> None:
        """No more events of this job are wanted."""
        with self._lock:
            self.jobs.pop(number, None)

    def close(self) -> None:
        """End the parent and all that it runs."""
        self._alive = False
        stdin = self.process.stdin
        try:
            if stdin is not None:
                stdin.close()
            self.process.wait(timeout=2)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()

    def _send(self, command: dict[str, Any]) -> None:
        stdin = self.process.stdin
        try:
            if stdin is not None:
                with self._lock:
                    stdin.write((json.dumps(command) + "\n").encode("utf-8"))
                    stdin.flush()
        except (OSError, ValueError):
            self._everybody_gone()

    def _listen(self, descriptor: int) -> None:
        with os.fdopen(descriptor, encoding="utf-8") as events:
            for line in events:
                event: dict[str, Any] = json.loads(line)
                if event["event"] == "ready":
                    self.ready = event
                    self._became_ready.set()
                    continue
                with self._lock:
                    wanted = self.jobs.get(event["job"])
                if wanted is not None:
                    wanted.put(event)
        self._everybody_gone()

    def _everybody_gone(self) -> None:
        self._alive = False
        self._became_ready.set()
        with self._lock:
            waiting = list(self.jobs.values())
        for events in waiting:
            events.put(None)

    def _keep_stderr(self) -> None:
        stream = self.process.stderr
        if stream is None:
            return
        for line in stream:
            self._stderr.append(line.decode("utf-8", "replace"))
            del self._stderr[:-50]
