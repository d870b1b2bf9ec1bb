"""The learner's answers: one file an exercise, with a dated copy before anything is overwritten."""

from __future__ import annotations

from pathlib import Path

from qkv.course.check import read
from qkv.course.model import Course, Exercise, Part
from qkv.course.store import free_name, now, write_whole


def draft_path(home: Path, course: Course, part: Part, exercise: Exercise) -> Path:
    """Where a learner's answer lies, or will lie."""
    return home / "courses" / course.id / part.id / f"{exercise.id}.py"


def open_draft(home: Path, course: Course, part: Part, exercise: Exercise) -> tuple[Path, bool]:
    """The draft, made from the start where there is none yet; and whether it was made now. Raises StoreError."""
    path = draft_path(home, course, part, exercise)
    if path.exists():
        return path, False
    write_whole(path, start_text(exercise))
    return path, True


def start_text(exercise: Exercise) -> str:
    """What the learner gets. Raises CheckBroken where the course lacks it."""
    return read(exercise.folder / "start.py")


def put_back(home: Path, course: Course, part: Part, exercise: Exercise) -> tuple[Path, Path | None]:
    """Put the start in place of the draft. Returns the draft, and the copy of what it held, if that was anything else."""
    path = draft_path(home, course, part, exercise)
    start = start_text(exercise)
    copy = None
    if path.exists() and path.read_bytes() != start.encode("utf-8"):
        copy = keep_copy(home, path)
    write_whole(path, start)
    return path, copy


def keep_copy(home: Path, path: Path) -> Path:
    """A dated copy of a file, byte for byte, on the disk when this returns. Raises StoreError."""
    inside = path.relative_to(home).parent
    copy = free_name(home / "copies" / inside / f"{path.stem}.{now():%Y-%m-%d-%H%M%S}{path.suffix}")
    write_whole(copy, path.read_bytes())
    return copy
