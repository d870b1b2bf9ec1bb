"""`qkv lesson`: the actions that run code: cells, answers, and the validator."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from qkv.cli.common import CLEAN, FOUND, UsageError, print_json, say
from qkv.cli.lesson_read import study_of
from qkv.cli.lesson_text import check_text, picture_text
from qkv.cli.terminal import styles_for
from qkv.course import service
from qkv.course.check import Run
from qkv.course.load import CourseError
from qkv.course.model import LessonProblem, Part
from qkv.course.study import Study, open_study
from qkv.course.validate import Report, report_json, validate
from qkv.ide.diagnostics import diagnostics
from qkv.ide.snapshot import take_snapshot
from qkv.runner import Job, Outcome, Problem, Runner, find_interpreter


@contextmanager
def running(options: argparse.Namespace) -> Iterator[Callable[..., Outcome]]:
    """A function that runs jobs in the learner's Python; without one, each run says why it did not start."""
    interpreter = find_interpreter(Path.cwd(), options.interpreter)
    if isinstance(interpreter, Problem):
        reason = f"{interpreter.what[:1].upper()}{interpreter.what[1:]}. {interpreter.do}"
        yield lambda job, *more, **others: Outcome("not-started", reason=reason)
        return
    with Runner() as runner:
        yield partial(runner.run, interpreter=interpreter)


def run_action(options: argparse.Namespace) -> int:
    """Run a cell: its output as it comes, then its pictures in words."""
    part, slash, cell = options.cell.partition("/")
    if not slash:
        raise UsageError("name a cell as PART/CELL, such as multi-head-attention/split")
    job = service.cell_job(study_of(options), part, cell)
    show = _show if options.format == "text" else None
    with running(options) as run:
        outcome = run(job, show)
    if options.format == "json":
        print_json(outcome.to_json(options.cell))
    else:
        for picture in outcome.pictures:
            print(picture_text(picture))
        if outcome.reason:
            say(outcome.reason)
    return CLEAN if outcome.status == "finished" else FOUND


def _show(stream: str, text: str) -> None:
    print(text, end="", file=sys.stdout if stream == "stdout" else sys.stderr, flush=True)


def check_action(options: argparse.Namespace) -> int:
    """Check an answer and say what is right or wrong with it."""
    study = study_of(options)
    with running(options) as run:
        answer = service.check_exercise(study, options.exercise, run, options.file, options.seed)
    if options.format == "json":
        print_json(answer)
    else:
        print(check_text(answer, styles_for(sys.stdout)))
    return CLEAN if answer["status"] == "passed" else FOUND


def validate_action(options: argparse.Namespace) -> int:
    """Prove a course, or one part of it, and print what is wrong."""
    study, parts = _what(options)
    if options.no_run:
        report = validate(study, None, parts, _contradicted)
    else:
        with running(options) as run:
            report = validate(study, _with_progress(run), parts, _contradicted)
    shown = _shown(options)
    if options.format == "json":
        print_json(report_json(report, shown))
    elif options.format == "github":
        for problem in report.problems:
            print(_github(problem, shown))
    else:
        _print_report(report, shown)
    return FOUND if report.problems else CLEAN


def _contradicted(path: str, code: str) -> list[tuple[int, str]]:
    """The lines of a cell's program whose shape comment is not what the analysis finds."""
    snapshot = take_snapshot(path, code)
    return [(found.span.line, found.message) for found in diagnostics(snapshot) if found.code == "shape-claim"]


def _what(options: argparse.Namespace) -> tuple[Study, list[Part] | None]:
    """The course to validate, and the part if one was named. Raises CourseError."""
    if options.path is None:
        return study_of(options), None
    path = Path(options.path)
    if path.name == "lesson.md":
        path = path.parent
    if not path.is_dir():
        raise CourseError(f"there is no folder {options.path}")
    if (path / "course.toml").is_file() or not (path / "lesson.md").is_file():
        return open_study(path), None
    study = open_study(options.course or path.parent)
    part = next((part for part in study.course.parts if part.path.parent == path.resolve()), None)
    if part is None:
        raise CourseError(f"{options.path} is no part of the course in {study.course.folder}")
    return study, [part]


def _shown(options: argparse.Namespace) -> Callable[[str], str]:
    """Paths as they were given: relative stays relative."""
    relative = options.path is not None and not Path(options.path).is_absolute()

    def shown(path: str) -> str:
        return (os.path.relpath(path) if relative else path).replace(os.sep, "/")

    return shown


def _with_progress(run: Run) -> Run:
    """Say on a terminal how many runs were made."""
    if not sys.stderr.isatty():
        return run
    count = 0

    def counted(job: Job) -> Outcome:
        nonlocal count
        count += 1
        print(f"\r{count} runs", end="", file=sys.stderr, flush=True)
        return run(job)

    return counted


def _print_report(report: Report, shown: Callable[[str], str]) -> None:
    styles = styles_for(sys.stdout)
    for problem in report.problems:
        severity = styles.error if problem.severity == "error" else styles.warning
        where = f"{styles.bold}{shown(problem.path)}:{problem.line}:{problem.column}{styles.end}"
        print(f"{where} {severity}{problem.severity}[{problem.code}]{styles.end} {problem.message}")
    counts = report_json(report)
    print(
        f"{counts['parts']} parts, {counts['exercises']} exercises, {counts['cells']} cells: "
        f"{len(report.problems) or 'no'} problems ({report.milliseconds / 1000:.1f} s)"
    )


def _github(problem: LessonProblem, shown: Callable[[str], str]) -> str:
    message = problem.message.replace("%", "%25").replace("\n", "%0A")
    return (
        f"::{problem.severity} file={shown(problem.path)},line={problem.line},col={problem.column},"
        f"title={problem.code}::{message}"
    )
