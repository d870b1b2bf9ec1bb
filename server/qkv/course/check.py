"""Check an answer: what `qkv lesson check` prints. The answer runs in the learner's Python, under the runner's limits."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qkv.course.load import CourseError
from qkv.course.model import Course, Exercise, Part, Wrong
from qkv.runner import Job, Limits, Outcome

Run = Callable[[Job], Outcome]
"""Runs a job to its end, in the learner's Python."""

SECONDS = 10.0
LIMITS = Limits(seconds=SECONDS + 1, memory_mib=1024, output_bytes=16384)
"""The answer's own limit is `SECONDS`; the process around it ends a second later, whatever the answer does."""
STORED_SEED = 0
WRONG_KINDS = ("known", "property", "value")


class CheckBroken(Exception):
    """The answer could not be checked, for a reason that lies in the exercise's own files or in the runner, not in the answer."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a check found; `output` is what the answer printed on the stored input."""

    feedback: dict[str, Any]
    seeds: tuple[int, ...]
    output: str
    milliseconds: int

    @property
    def status(self) -> str:
        """`passed`, `wrong` or `error` (the answer did not run)."""
        kind = self.feedback["kind"]
        return "passed" if kind == "passed" else "wrong" if kind in WRONG_KINDS else "error"


def seeds_for(seed: int | None) -> tuple[int, ...]:
    """The stored seed and two fresh ones; `seed` repeats an earlier check."""
    fresh = 1 + secrets.randbelow(10**6) if seed is None else seed
    return (STORED_SEED, fresh, fresh + 1)


def exercise_files(exercise: Exercise) -> dict[str, Any]:
    """What the checker knows, as texts. Raises CheckBroken where a file is missing or cannot be read."""
    folder = exercise.folder
    return {
        "check": read(folder / "check.py"),
        "solutions": {path.name: read(path) for path in solution_files(exercise)},
        "wrong": {path.stem: read(path) for path in wrong_files(exercise)},
    }


def solution_files(exercise: Exercise) -> list[Path]:
    """`solution.py`, then the others in order."""
    return sorted(exercise.folder.glob("solution*.py"), key=lambda path: (len(path.name), path.name))


def wrong_files(exercise: Exercise) -> list[Path]:
    """The known mistakes in order."""
    return sorted((exercise.folder / "wrong").glob("*.py"))


def read(path: Path) -> str:
    """The text of one of an exercise's files. Raises CheckBroken."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CheckBroken(f"{path} cannot be read: {error}") from None


def check_text(
    part: Part,
    exercise: Exercise,
    answer: str,
    file: str,
    run: Run,
    seeds: tuple[int, ...],
    solutions: dict[str, str] | None = None,
) -> Verdict:
    """Check an answer, given as text; `file` is where it is from. `solutions` stand in for the exercise's. Raises CheckBroken."""
    files = exercise_files(exercise)
    payload = {
        **files,
        "solutions": files["solutions"] if solutions is None else solutions,
        "name": exercise.id,
        "answer": answer,
        "path": file,
        "seeds": list(seeds),
        "seconds": SECONDS,
    }
    outcome = run(Job("check", payload, LIMITS, device="cpu"))
    output = outcome.stdout + outcome.stderr
    if outcome.result is None:
        output, found = outcome.stdout, _not_told(outcome)
    else:
        found = outcome.result
    if found["kind"] == "broken":
        raise CheckBroken(f"the exercise {exercise.id} cannot be checked: {found['message']}")
    return Verdict(_feedback(part, exercise, found), seeds, output, outcome.milliseconds)


def check_file(part: Part, exercise: Exercise, file: Path, run: Run, seeds: tuple[int, ...]) -> Verdict:
    """Check the answer in a file. Raises CourseError where there is no such file, CheckBroken as `check_text`."""
    try:
        answer = file.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise CourseError(f"there is no file {file}; `qkv lesson check {exercise.id}` checks your draft") from None
    except OSError as error:
        raise CourseError(f"{file} cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        message = f"The file is not text in UTF-8 (byte {error.start}). Save it again in that encoding."
        return Verdict(_feedback(part, exercise, {"kind": "syntax", "message": message}), seeds, "", 0)
    return check_text(part, exercise, answer, str(file), run, seeds)


def _not_told(outcome: Outcome) -> dict[str, Any]:
    """What to say where the process ended before it told what it found. Raises CheckBroken."""
    if outcome.status == "not-started":
        return {"kind": "no-torch", "message": outcome.reason or "No Python with torch was found."}
    if outcome.status == "timed-out":
        message = f"It still ran after {SECONDS:g} seconds and was stopped. Is there a loop that does not end?"
        return {"kind": "timeout", "message": message}
    if outcome.status == "out-of-memory":
        message = f"It needs more than {LIMITS.memory_mib} MiB of memory. Which tensor is larger than it needs to be?"
        return {"kind": "memory", "message": message}
    if outcome.exit_code is None:  # the runner itself was ended: that is not the answer's fault
        raise CheckBroken(outcome.reason or "the check was stopped")
    message = "The answer ended Python itself before it gave a result. Remove what ends it, such as `os._exit`."
    return {"kind": "exception", "message": outcome.reason or message}


def _feedback(part: Part, exercise: Exercise, found: dict[str, Any]) -> dict[str, Any]:
    """The checker's finding with the lesson's own words in it."""
    mistake = next((wrong for wrong in exercise.wrong if wrong.key == found.get("key")), None)
    message = found["message"]
    if found["kind"] == "passed":
        message = f"Right. {exercise.id} gives what the definition says, on the stored input and on fresh ones."
    elif found["kind"] == "known":
        message = mistake.message if mistake else f"This is a known mistake: {str(found['key']).replace('_', ' ')}."
    return {
        "kind": found["kind"],
        "key": found.get("key"),
        "property": found.get("property"),
        "message": message,
        "question": mistake.question if mistake else None,
        "evidence": found.get("evidence"),
        "line": found.get("line"),
        "section": section_link(part, mistake) if mistake else None,
        "trace": found.get("trace"),
    }


def section_link(part: Part, mistake: Wrong) -> str | None:
    """Where the lesson treats a mistake, as a `lesson:` link."""
    section = mistake.section
    return section if section is None or section.startswith("lesson:") else f"lesson:{part.id}#{section}"


def verdict_json(course: Course, part: Part, exercise: Exercise, file: str, verdict: Verdict) -> dict[str, Any]:
    """The object of `qkv lesson check --format json`."""
    return {
        "version": 1,
        "course": course.id,
        "part": part.id,
        "exercise": exercise.id,
        "file": file,
        "status": verdict.status,
        "feedback": verdict.feedback,
        "seeds": list(verdict.seeds),
        "output": verdict.output,
        "milliseconds": verdict.milliseconds,
    }
