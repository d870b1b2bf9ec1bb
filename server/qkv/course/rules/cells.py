"""Rules about cells: each ends within its limit and prints what the lesson says, and each picture can be drawn."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

from qkv.course.cells import job_of
from qkv.course.check import Run
from qkv.course.model import Cell, LessonProblem
from qkv.course.rules.subject import Subject
from qkv.runner import Outcome

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|(?<![\w])(?:nan|inf)(?!\w)")


class NoPython(Exception):
    """No cell can run: there is no Python with torch. The message says what to do."""


def cell_rules(subject: Subject, run: Run) -> Iterator[LessonProblem]:
    """Run every cell of a part. Raises NoPython."""
    for cell in subject.part.cells:
        outcome = run(job_of(subject.part, cell, device="cpu"))
        if outcome.status == "not-started":
            raise NoPython(outcome.reason or "no Python with torch was found")
        yield from _judge(subject, cell, outcome)


def _judge(subject: Subject, cell: Cell, outcome: Outcome) -> Iterator[LessonProblem]:
    if outcome.status == "timed-out":
        message = f"the cell {cell.id} takes longer than {cell.timeout:g} s"
        yield subject.problem(cell.line, "lesson-cell-time", message, cell.id)
        return
    if outcome.status != "finished":
        error = outcome.error
        said = f"{error['type']}: {error['message']}" if error else outcome.reason or f"exit code {outcome.exit_code}"
        line = cell.code_line + error["line"] - 1 if error and error["line"] else cell.line
        yield subject.problem(line, "lesson-cell-output", f"the cell {cell.id} fails: {said}")
        return
    printed = outcome.stdout.rstrip("\n").split("\n") if outcome.stdout.strip() else []
    if cell.expect is not None and (message := unlike(cell.expect, printed, cell.tolerance)):
        yield subject.problem(cell.line, "lesson-cell-output", f"the cell {cell.id} {message}", cell.id)
    for drawn in outcome.pictures:
        picture = subject.part.picture(drawn["id"])
        if picture is None:
            continue
        if not drawn["data"]:
            yield subject.problem(picture.line, "lesson-cell-output", drawn["sentence"], picture.id)
        elif left := re.search(r"\{\w+\}", drawn["sentence"]):
            message = f"the text of the picture {picture.id} names {left.group()}, which its data do not have"
            yield subject.problem(picture.line, "lesson-alt", message, picture.id)


def unlike(expected: Sequence[str], printed: Sequence[str], tolerance: float) -> str | None:
    """How what was printed differs from what was said; None where it does not."""
    for number in range(max(len(expected), len(printed))):
        said = expected[number] if number < len(expected) else None
        got = printed[number] if number < len(printed) else None
        if said is None:
            return f"prints {len(printed)} lines, of which :expect: says {len(expected)}; the next one is {got!r}"
        if got is None:
            return f"prints {len(printed)} lines; :expect: says one more: {said!r}"
        if not alike(said, got, tolerance):
            return f"prints {got!r} where :expect: says {said!r}"
    return None


def alike(said: str, got: str, tolerance: float) -> bool:
    """Whether two lines are the same, spaces aside, and numbers within a relative tolerance; from 1 on numbers do not count."""
    if NUMBER.sub("#", said).split() != NUMBER.sub("#", got).split():
        return False
    return all(
        _near(float(a), float(b), tolerance) for a, b in zip(NUMBER.findall(said), NUMBER.findall(got), strict=True)
    )


def _near(said: float, got: float, tolerance: float) -> bool:
    if math.isnan(said) or math.isnan(got):
        return math.isnan(said) and math.isnan(got)
    return math.isclose(said, got, rel_tol=tolerance, abs_tol=1e-9)
