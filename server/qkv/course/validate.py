"""Prove a course: every rule, on every part, with every cell run and every answer checked."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from qkv.course.check import Run
from qkv.course.model import Cell, Course, LessonProblem, Part
from qkv.course.rules.cells import cell_rules
from qkv.course.rules.exercises import exercise_rules
from qkv.course.rules.names import course_rules, name_rules
from qkv.course.rules.subject import Subject
from qkv.course.rules.text import text_rules
from qkv.course.study import Study

ShapeComments = Callable[[str, str], Iterable[tuple[int, str]]]
"""Given a path and a cell's whole program, the lines (from 1) whose shape comment is contradicted, each with a message."""


@dataclass(frozen=True, slots=True)
class Report:
    """What was proved, and what was not."""

    course: Course
    parts: tuple[Part, ...]
    problems: tuple[LessonProblem, ...]
    milliseconds: int


def validate(
    study: Study, run: Run | None, parts: Iterable[Part] | None = None, shape_comments: ShapeComments | None = None
) -> Report:
    """Validate a course, or some parts of it. Without `run` nothing is executed, as while a lesson is being written.

    Raises NoPython where cells cannot run.
    """
    start = time.perf_counter()
    chosen = tuple(study.course.parts if parts is None else parts)
    problems = [] if parts is not None else [*study.course.problems, *course_rules(study.course)]
    for part in chosen:
        problems += part_problems(study, part, run, shape_comments)
    return Report(study.course, chosen, tuple(sorted(set(problems))), int(1000 * (time.perf_counter() - start)))


def part_problems(
    study: Study,
    part: Part,
    run: Run | None = None,
    shape_comments: ShapeComments | None = None,
    text: str | None = None,
) -> Iterator[LessonProblem]:
    """What is wrong with one part. `text` is what it was parsed from, where that is not its file's. Raises NoPython."""
    text = part.path.read_text(encoding="utf-8-sig") if text is None else text
    subject = Subject(study.course, part, text.split("\n"), frozenset(study.glossary.terms), study.phrases)
    yield from part.problems
    yield from text_rules(subject)
    yield from name_rules(subject)
    if shape_comments is not None:
        for cell in part.cells:
            yield from _shape_comments(subject, cell, shape_comments)
    if run is not None:
        yield from cell_rules(subject, run)
        yield from exercise_rules(subject, run)


def _shape_comments(subject: Subject, cell: Cell, shape_comments: ShapeComments) -> Iterator[LessonProblem]:
    before = "".join(f"{needed.code}\n" for needed in subject.part.needed(cell))
    skipped = before.count("\n")
    for line, message in shape_comments(f"{subject.part.path}#{cell.id}", before + cell.code):
        if line > skipped:
            yield subject.problem(cell.code_line + line - skipped - 1, "lesson-shape-comment", message)


def report_json(report: Report, shown: Callable[[str], str] = str) -> dict[str, Any]:
    """The object of `qkv lesson validate --format json`. `shown` turns a path into what the user gave."""
    return {
        "version": 1,
        "course": report.course.id,
        "parts": len(report.parts),
        "exercises": sum(len(part.exercises) for part in report.parts),
        "cells": sum(len(part.cells) for part in report.parts),
        "problems": [_problem_json(problem, shown) for problem in report.problems],
        "milliseconds": report.milliseconds,
    }


def _problem_json(problem: LessonProblem, shown: Callable[[str], str]) -> dict[str, Any]:
    end_line, end_column = problem.end or (problem.line, problem.column)
    return {
        "path": shown(problem.path),
        "range": {
            "start": {"line": problem.line, "column": problem.column},
            "end": {"line": end_line, "column": end_column},
        },
        "severity": problem.severity,
        "code": problem.code,
        "message": problem.message,
    }
