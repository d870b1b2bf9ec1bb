"""What a run is asked for, and what comes of it. Plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Status = Literal["finished", "failed", "timed-out", "out-of-memory", "stopped", "not-started"]


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a run may take: wall-clock seconds, memory above the warm process's own in MiB, threads, bytes of each stream that are kept."""

    seconds: float = 60.0
    memory_mib: int = 4096
    threads: int = 1
    output_bytes: int = 65536


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python and the versions that its files name; a version is None where no file names it. `cuda` is what torch was built for."""

    path: str
    python: str | None = None
    torch: str | None = None
    cuda: str | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """Why no interpreter can be used, and what to do about it."""

    what: str
    do: str

    @property
    def sentence(self) -> str:
        """Both in one text."""
        return f"{self.what[:1].upper()}{self.what[1:]}. {self.do}"


@dataclass(frozen=True, slots=True)
class Job:
    """One run. `task` names a module of `runner/child/` whose `main(payload, send)` does the work."""

    task: str
    payload: dict[str, Any]
    limits: Limits = Limits()
    cwd: str | None = None
    device: str = "auto"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a run. `reason` is a sentence that says what to do; `cut` counts the bytes of output left out."""

    status: Status
    reason: str | None = None
    exit_code: int | None = None
    interpreter: str = ""
    python: str = ""
    torch: str | None = None
    device: str = "cpu"
    milliseconds: int = 0
    stdout: str = ""
    stderr: str = ""
    cut: int = 0
    error: dict[str, Any] | None = None
    pictures: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    trace: list[dict[str, Any]] | None = None
    result: dict[str, Any] | None = None

    def to_json(self, path: str) -> dict[str, Any]:
        """The object that `qkv run --format json` prints."""
        return {
            "version": 1,
            "path": path,
            "status": self.status,
            "reason": self.reason,
            "exit_code": self.exit_code,
            "interpreter": self.interpreter,
            "python": self.python,
            "torch": self.torch,
            "device": self.device,
            "milliseconds": self.milliseconds,
            "stdout": self.stdout,
            "stderr": self.stderr,
            "cut": self.cut,
            "error": self.error,
            "pictures": self.pictures,
            "trace": self.trace,
        }
