"""The file that progress is kept in: written whole or not at all, one process at a time, and never wiped."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from qkv.course.progress import Progress, from_json, to_json

LOCK_SECONDS = 15.0


class StoreError(Exception):
    """The learner's files cannot be read or written; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Read:
    """The progress that was read. `notice` says, where the file was broken, where it lies now."""

    progress: Progress
    notice: str | None = None


def home_folder() -> Path:
    """The learner's folder: `$QKV_HOME`, else the user's data folder."""
    if os.environ.get("QKV_HOME"):
        return Path(os.environ["QKV_HOME"])
    from platformdirs import user_data_path

    return user_data_path("qkv", appauthor=False)


def now() -> datetime:
    """This moment, in UTC."""
    return datetime.now(timezone.utc)


def stamp(moment: datetime) -> str:
    """A moment as it is written down."""
    return moment.isoformat(timespec="seconds")


def read_progress(home: Path) -> Read:
    """What the learner has done. A broken file is moved aside and said; it is never thrown away. Raises StoreError."""
    path = home / "progress.json"
    try:
        return Read(_parsed(path))
    except _Broken:
        with _locked(home):
            return _read_or_move(path)


def change_progress(home: Path, change: Callable[[Progress], Progress]) -> Read:
    """Read, change and write, while no other process does. Returns what was written. Raises StoreError.

    When this returns, the change is on the disk: the file is replaced as a whole, after its bytes were written out.
    """
    path = home / "progress.json"
    with _locked(home):
        before = _read_or_move(path)
        after = change(before.progress)
        if after != before.progress or before.notice:
            text = json.dumps(to_json(after), ensure_ascii=False, indent=1)
            write_whole(path, text)
        return Read(after, before.notice)


class _Broken(Exception):
    """The file is there and is no progress."""


def _parsed(path: Path) -> Progress:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Progress()
    except UnicodeDecodeError as error:
        raise _Broken from error
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror or error}") from None
    try:
        value = json.loads(text)
        if isinstance(value, dict) and isinstance(value.get("version"), int) and value["version"] > 1:
            raise StoreError(f"{path} was written by a newer qkv. Update this one, or set QKV_HOME to another folder.")
        return from_json(value)
    except ValueError as error:
        raise _Broken from error


def _read_or_move(path: Path) -> Read:
    try:
        return Read(_parsed(path))
    except _Broken:
        aside = free_name(path.with_name(f"progress.broken-{now():%Y%m%d-%H%M%S}.json"))
        path.replace(aside)
        return Read(
            Progress(), f"The file with your progress was broken. It was moved to {aside}, and a new one was started."
        )


@contextmanager
def _locked(home: Path) -> Iterator[None]:
    """Hold the learner's folder against other processes, and clear away what a killed one left half-written."""
    from filelock import FileLock, Timeout

    try:
        home.mkdir(parents=True, exist_ok=True)
        lock = FileLock(home / "progress.lock", timeout=LOCK_SECONDS)
        lock.acquire()
    except Timeout:
        message = f"{home} is in use by another program for {LOCK_SECONDS:g} s. Close it, and try again."
        raise StoreError(message) from None
    except OSError as error:
        message = f"{home} cannot be written to: {error.strerror or error}. Set QKV_HOME to another folder."
        raise StoreError(message) from None
    try:
        for left in home.glob(".progress.json.*.tmp"):
            left.unlink(missing_ok=True)
        yield
    finally:
        lock.release()


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file so that it holds either the old content or the new one, whatever happens meanwhile. Raises StoreError."""
    data = content.encode("utf-8") if isinstance(content, str) else content
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        _sync_folder(path.parent)
    except OSError as error:
        raise StoreError(
            f"{path} cannot be written: {error.strerror or error}. Set QKV_HOME to another folder."
        ) from None


def _sync_folder(folder: Path) -> None:
    """Make the new name itself last; where folders cannot be opened (Windows), replacing does it."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def free_name(path: Path) -> Path:
    """The path itself, or with a number in it where something has that name."""
    number, free = 2, path
    while free.exists():
        free = path.with_name(f"{path.stem}-{number}{path.suffix}")
        number += 1
    return free
