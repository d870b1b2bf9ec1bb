"""`qkv lesson`: the actions that read and keep, and run nothing."""

from __future__ import annotations

import argparse
import sys

from qkv.cli.common import CLEAN, FOUND, UsageError, print_json, say
from qkv.cli.lesson_text import blocks_text, course_text, lesson_text
from qkv.cli.terminal import styles_for
from qkv.course import service
from qkv.course.export import transcript, transcript_text
from qkv.course.new import new_part
from qkv.course.study import Study, open_study


def study_of(options: argparse.Namespace) -> Study:
    """The course that the options name."""
    return open_study(options.course)


def list_action(options: argparse.Namespace) -> int:
    """Print the parts."""
    course = service.course(study_of(options))
    if course["notice"]:
        say(course["notice"])
    if options.format == "json":
        print_json(course)
    else:
        print(course_text(course, styles_for(sys.stdout)))
    return CLEAN


def open_action(options: argparse.Namespace) -> int:
    """Print a part, and remember that it was read."""
    name, _, section = options.place.removeprefix("lesson:").partition("#")
    study = study_of(options)
    part = study.part(name)
    sections = [section] if section else [one.id for one in part.sections]
    for one in sections:
        service.mark_read(study, part.id, one)
    lesson = service.lesson(study, part.id)
    if options.format == "json":
        print_json(lesson)
    else:
        print(lesson_text(lesson, section or None, styles_for(sys.stdout)))
    return CLEAN


def hint_action(options: argparse.Namespace) -> int:
    """Print the hints so far and one more."""
    hints = service.hint(study_of(options), options.exercise)
    if options.format == "json":
        print_json({"version": 1, **hints})
        return CLEAN
    styles = styles_for(sys.stdout)
    for number, blocks in enumerate(hints["hints"], 1):
        print(f"{styles.bold}Hint {number} of {hints['of']}{styles.end}\n{blocks_text(blocks, styles)}\n")
    if hints["shown"] == hints["of"]:
        print(f"That was the last one. The solution: qkv lesson solution {options.exercise}")
    return CLEAN


def solution_action(options: argparse.Namespace) -> int:
    """Print the solutions."""
    found = service.solution(study_of(options), options.exercise)
    if options.format == "json":
        print_json({"version": 1, **found})
        return CLEAN
    styles = styles_for(sys.stdout)
    print(found["code"].rstrip())
    if found["blocks"]:
        print(f"\n{blocks_text(found['blocks'], styles)}")
    for code in found["others"]:
        print(f"\n{styles.bold}Another way{styles.end}\n\n{code.rstrip()}")
    return CLEAN


def reset_action(options: argparse.Namespace) -> int:
    """Start again. Raises UsageError where nothing was named, or where nobody can be asked."""
    study = study_of(options)
    if options.all == (options.what is not None):
        raise UsageError("name an exercise or a part, or say --all")
    part = study.course.part(options.what) if options.what else None
    whole = options.all or part is not None
    if whole and not options.yes and not _agreed(part.front.title if part else study.course.title):
        return FOUND
    if options.all:
        answer = service.reset_all(study)
    elif part is not None:
        answer = service.reset_part(study, part.id)
    else:
        answer = service.reset_exercise(study, options.what)
    if options.format == "json":
        print_json(answer)
        return CLEAN
    for entry in answer["reset"]:
        kept = f" Your work is kept in {entry['copy']}." if entry["copy"] else ""
        print(f"{entry['exercise']} starts again: {entry['file']}.{kept}")
    if not answer["reset"]:
        print("There was no answer to put back.")
    return CLEAN


def _agreed(what: str) -> bool:
    if not sys.stdin.isatty():
        raise UsageError(f"this starts all of {what!r} again; say --yes")
    return input(f"Start all of {what!r} again? Copies of your answers are kept. [y/N] ").strip().lower() in (
        "y",
        "yes",
    )


def export_action(options: argparse.Namespace) -> int:
    """Print the transcript."""
    answer = transcript(study_of(options), options.learner)
    if options.format == "json":
        print_json(answer)
    else:
        print(transcript_text(answer), end="")
    return CLEAN


def new_action(options: argparse.Namespace) -> int:
    """Make a course or a part of one."""
    path = new_part(options.path, options.part, options.exercise)
    print(f"Made {path}. Prove it with: qkv lesson validate {options.path}")
    return CLEAN
