"""`qkv lesson quiz`: questions one at a time; a wrong option explains itself and may be tried again."""

from __future__ import annotations

import argparse
import re
import sys

from qkv.cli.common import CLEAN, say
from qkv.cli.lesson_read import study_of
from qkv.cli.lesson_text import blocks_text
from qkv.cli.terminal import styles_for
from qkv.course import service
from qkv.course.model import Part, Question
from qkv.course.reviews import due_questions
from qkv.course.store import now, read_progress
from qkv.course.study import Study
from qkv.course.tree import blocks_json
from qkv.ide.render import Styles


def quiz_action(options: argparse.Namespace) -> int:
    """Ask all questions of a part, or those that are due. Those that were missed come back once at the end."""
    study = study_of(options)
    styles = styles_for(sys.stdout)
    if options.part:
        part = study.part(options.part)
        questions = [(part, question) for question in part.quiz]
    else:
        questions = list(due_questions(study.course, read_progress(study.home).progress, now()))
        if not questions:
            say("no question is due; name a part to take its quiz")
            return CLEAN
    missed = _ask_all(study, questions, styles)
    if missed:
        print(f"{styles.bold}Once more, what was missed:{styles.end}\n")
        _ask_all(study, missed, styles)
    return CLEAN


def _ask_all(study: Study, questions: list[tuple[Part, Question]], styles: Styles) -> list[tuple[Part, Question]]:
    """Ask, and return what was not answered rightly at the first try."""
    missed: list[tuple[Part, Question]] = []
    for number, (part, question) in enumerate(questions, 1):
        print(f"{styles.bold}Question {number} of {len(questions)}{styles.end}")
        print(blocks_text(blocks_json(question.blocks, part), styles))
        for index, option in enumerate(question.options, 1):
            text = blocks_text(blocks_json(option.blocks, part), styles, indent="     ")
            print(f"  {index}. {text.lstrip()}")
        if not _answered(study, part, question, styles):
            missed.append((part, question))
        print()
    return missed


def _answered(study: Study, part: Part, question: Question, styles: Styles) -> bool:
    """Ask until the answer is right, or nothing is typed. True where the first answer was right."""
    several = " (several numbers)" if question.multiple else ""
    first = True
    while True:
        typed = input(f"Your answer{several}, or Enter to go on: ")
        chosen = sorted({int(number) - 1 for number in re.findall(r"\d+", typed)})
        if not typed.strip():
            return False
        if not chosen or not all(0 <= index < len(question.options) for index in chosen):
            print(f"Type a number from 1 to {len(question.options)}.")
            continue
        answer = service.answer(study, part.id, question.id, chosen)
        print(f"{styles.bold}{'Right.' if answer['right'] else 'No.'}{styles.end}")
        for note in answer["notes"]:
            print(blocks_text(note["blocks"], styles, indent="  "))
        if answer["right"]:
            return first
        first = False
