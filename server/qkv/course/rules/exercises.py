"""Rules about exercises: the start fails, each solution passes, each known mistake is told from all others, and check.py keeps its contract."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from qkv.course import check
from qkv.course.check import LIMITS, CheckBroken, Run, Verdict
from qkv.course.model import Exercise, LessonProblem
from qkv.course.rules.cells import NoPython
from qkv.course.rules.subject import Subject
from qkv.runner import Job

SEEDS = (check.STORED_SEED, 7, 8, 1234)


def exercise_rules(subject: Subject, run: Run) -> Iterator[LessonProblem]:
    """All rules of this file. Raises NoPython."""
    for exercise in subject.part.exercises:
        yield from keys(subject, exercise)
        broken = list(contract(subject, exercise, run))
        yield from broken
        if not any(problem.severity == "error" for problem in broken):
            yield from answers(subject, exercise, run)


def keys(subject: Subject, exercise: Exercise) -> Iterator[LessonProblem]:
    """Every known mistake has a file and a text."""
    files = {path.stem for path in check.wrong_files(exercise)}
    seen: set[str] = set()
    for wrong in exercise.wrong:
        if wrong.key not in files:
            message = f"the mistake {wrong.key} has no file {exercise.id}/wrong/{wrong.key}.py"
            yield subject.problem(wrong.line, "lesson-wrong-key", message, wrong.key)
        if wrong.key in seen:
            yield subject.problem(wrong.line, "lesson-wrong-key", f"the mistake {wrong.key} has two texts", wrong.key)
        seen.add(wrong.key)
    for key in sorted(files - seen):
        message = f"{exercise.id}/wrong/{key}.py has no {{wrong}} {key} in the exercise that says what to tell"
        yield subject.problem(exercise.line, "lesson-wrong-key", message)


def contract(subject: Subject, exercise: Exercise, run: Run) -> Iterator[LessonProblem]:
    """The exercise's files are there, and check.py does what the checker needs."""
    path = exercise.folder / "check.py"
    for name in ("start.py", "solution.py", "check.py"):
        if not (exercise.folder / name).is_file():
            message = f"the exercise {exercise.id} needs a file {exercise.id}/{name}"
            yield subject.problem(exercise.line, "lesson-check", message, exercise.id)
    if not path.is_file():
        return
    try:
        payload: dict[str, Any] = {**check.exercise_files(exercise), "name": exercise.id, "seeds": list(SEEDS)}
    except CheckBroken as error:
        yield subject.problem(exercise.line, "lesson-check", str(error), exercise.id)
        return
    outcome = run(Job("audit", payload, LIMITS, device="cpu"))
    if outcome.status == "not-started":
        raise NoPython(outcome.reason or "no Python with torch was found")
    found = (outcome.result or {"problems": [[1, outcome.reason or outcome.stderr or "it cannot be run"]]})["problems"]
    lines = path.read_text(encoding="utf-8").split("\n")
    for line, message in found:
        end = len(lines[line - 1]) + 1 if 0 < line <= len(lines) else 1
        yield LessonProblem(str(path), line, 1, "lesson-check", message, end=(line, end))


def answers(subject: Subject, exercise: Exercise, run: Run) -> Iterator[LessonProblem]:
    """Hold the exercise's own files against its checker, as a learner's answers would be."""

    def judged(path: Path) -> Verdict:
        return check.check_text(subject.part, exercise, check.read(path), path.name, run, SEEDS)

    def at(path: Path, code: str, message: str) -> LessonProblem:
        return LessonProblem(str(path), 1, 1, code, message, end=(1, 1))

    start = exercise.folder / "start.py"
    verdict = judged(start)
    if verdict.status == "passed":
        yield at(start, "lesson-start-passes", f"the start of {exercise.id} passes already")
    elif verdict.feedback["kind"] in ("syntax", "missing-function"):
        yield at(
            start, "lesson-check", f"the start of {exercise.id} must define the function: {verdict.feedback['message']}"
        )
    # Every solution passes by its own values, so they are held against the first one.
    first, *others = check.solution_files(exercise)
    for path in (first, *others):
        shown = {first.name: check.read(first)}
        verdict = check.check_text(subject.part, exercise, check.read(path), path.name, run, SEEDS, shown)
        if verdict.status != "passed":
            message = f"{path.name} does not agree with {first.name}: {verdict.feedback['message']}"
            yield at(path, "lesson-solution-fails", message)
    for path in check.wrong_files(exercise):
        feedback = judged(path).feedback
        if feedback["kind"] == "passed":
            yield at(path, "lesson-wrong-passes", f"the mistake {path.stem} passes: it gives the solution's values")
        elif feedback["kind"] != "known":
            yield at(path, "lesson-check", f"the mistake {path.stem} is not told by its values: {feedback['message']}")
        elif feedback["key"] != path.stem:
            message = f"the mistake {path.stem} gives the same values as {feedback['key']}"
            yield at(path, "lesson-wrong-alike", message)
