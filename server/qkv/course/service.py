"""The course as plain JSON objects: what the command line prints, and what the server answers to `qkv/…` requests.

Each function takes the study first. They raise CourseError for a name that does not exist and StoreError for files that cannot be
used; both are sentences for the reader.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from qkv.course import check as checking
from qkv.course import drafts, reviews
from qkv.course.cells import cell_job
from qkv.course.load import CourseError
from qkv.course.model import Exercise, Part
from qkv.course.nodes import words_of_inlines
from qkv.course.progress import ExerciseProgress, PartProgress, Progress, part_state
from qkv.course.store import change_progress, now, read_progress, stamp
from qkv.course.study import Study, needed, open_study
from qkv.course.terms import linked, only_roles
from qkv.course.tree import blocks_json, inlines_json
from qkv.course.vocabulary import term, vocabulary

__all__ = [
    "answer",
    "cell_job",
    "check_exercise",
    "course",
    "hint",
    "lesson",
    "mark_read",
    "open_exercise",
    "open_study",
    "reset_all",
    "reset_exercise",
    "reset_part",
    "solution",
    "term",
    "vocabulary",
]

Json = dict[str, Any]


def course(study: Study) -> Json:
    """The object of `qkv lesson list`."""
    read = read_progress(study.home)
    due = sum(1 for _ in reviews.due_questions(study.course, read.progress, now()))
    parts = [_part_json(study, part, read.progress.part(study.course.id, part.id)) for part in study.course.parts]
    about = {name: getattr(study.course, name) for name in ("id", "title", "language", "version")}
    return {"version": 1, "course": about, "reviews_due": due, "parts": parts, "notice": read.notice}


def _part_json(study: Study, part: Part, done: PartProgress) -> Json:
    state = part_state(part, done)
    questions = [done.question(question.id) for question in part.quiz]
    return {
        "id": part.id,
        "number": part.front.part,
        "title": part.front.title,
        "summary": part.front.summary,
        "level": part.front.level,
        "minutes": part.front.minutes,
        "state": state,
        "done": state == "done",
        "sections": [
            {"id": section.id, "title": words_of_inlines(section.title), "read": section.id in done.read}
            for section in part.sections
        ],
        "exercises": [
            {"id": exercise.id, "signature": exercise.signature, **_exercise_state(study, part, exercise, done)}
            for exercise in part.exercises
        ],
        "quiz": {
            "questions": len(questions),
            "right": sum(question.right is not None for question in questions),
            "missed": sum(question.last == "wrong" for question in questions),
        },
        "terms": list(part.front.terms),
    }


def _exercise_state(study: Study, part: Part, exercise: Exercise, done: PartProgress) -> Json:
    one = done.exercise(exercise.id)
    file = drafts.draft_path(study.home, study.course, part, exercise)
    return {
        "state": one.state,
        "attempts": one.attempts,
        "file": str(file) if file.exists() else None,
        "changed": one.version is not None and one.version < part.front.version,
    }


def lesson(study: Study, name: str) -> Json:
    """A part as the tree that clients draw."""
    part = study.part(name)
    done = read_progress(study.home).progress.part(study.course.id, part.id)
    states = {exercise.id: _exercise_state(study, part, exercise, done) for exercise in part.exercises}
    place = study.course.parts.index(part)
    around = [study.course.parts[i] if 0 <= i < len(study.course.parts) else None for i in (place - 1, place + 1)]
    front = part.front
    return {
        "version": 1,
        "course": {"id": study.course.id, "title": study.course.title},
        "id": part.id,
        "number": front.part,
        "of": max(len(study.course.named), len(study.course.parts)),
        "title": front.title,
        "summary": front.summary,
        "level": front.level,
        "minutes": front.minutes,
        "goals": [inlines_json(goal, part.id) for goal in front.goals],
        "requires": list(front.requires),
        "previous": _part_link(around[0]),
        "next": _part_link(around[1]),
        "sections": _sections(study, part, states, done),
        "exercises": [exercise.id for exercise in part.exercises],
        "quiz": [
            {
                "id": question.id,
                "blocks": blocks_json(only_roles(question.blocks, study.phrases), part),
                "options": [
                    {"blocks": blocks_json(only_roles(option.blocks, study.phrases), part)}
                    for option in question.options
                ],
                "multiple": question.multiple,
                "answered": done.question(question.id).last,
            }
            for question in part.quiz
        ],
        "terms": list(front.terms),
        "sources": [inlines_json(source, part.id) for source in front.sources],
    }


def _part_link(part: Part | None) -> Json | None:
    return {"id": part.id, "title": part.front.title} if part else None


def _sections(study: Study, part: Part, states: dict[str, Json], done: PartProgress) -> list[Json]:
    """The sections with their terms linked: an exercise's text belongs to the section that it stands in."""
    result: list[Json] = []
    for section in part.sections:
        seen: set[str] = set()
        blocks = linked(section.blocks, study.phrases, seen)
        exercises = tuple(replace(one, blocks=linked(one.blocks, study.phrases, seen)) for one in part.exercises)
        shown = replace(part, exercises=exercises)
        result.append(
            {
                "id": section.id,
                "title": inlines_json(section.title, part.id),
                "read": section.id in done.read,
                "blocks": blocks_json(blocks, shown, states),
            }
        )
    return result


def mark_read(study: Study, name: str, section: str) -> Json:
    """A section was read to its end."""
    part = study.part(name)
    needed(part.section(section), f"section in {part.id}", section, [one.id for one in part.sections])

    def change(done: PartProgress) -> PartProgress:
        return done if section in done.read else replace(done, read={**done.read, section: stamp(now())})

    _change(study, part, change)
    return {"version": 1}


def _change(study: Study, part: Part, change: Any) -> PartProgress:
    """Change the progress of one part, on the disk."""
    key = (study.course.id, part.id)

    def whole(progress: Progress) -> Progress:
        return progress.with_part(*key, change(progress.part(*key)))

    return change_progress(study.home, whole).progress.part(*key)


def answer(study: Study, name: str, question: str, chosen: Sequence[int]) -> Json:
    """A question was answered. The notes are those of the chosen options."""
    part = study.part(name)
    asked = needed(part.question(question), f"question in {part.id}", question, [one.id for one in part.quiz])
    if not chosen or not all(0 <= index < len(asked.options) for index in chosen):
        raise CourseError(f"choose among the options 0 to {len(asked.options) - 1} of {question}")
    right = frozenset(chosen) == asked.right
    moment = now()
    done = _change(
        study, part, lambda done: done.with_question(question, reviews.answered(done.question(question), right, moment))
    )
    questions = [done.question(one.id) for one in part.quiz]
    return {
        "right": right,
        "notes": [
            {"option": index, "blocks": blocks_json(only_roles(asked.options[index].note, study.phrases), part)}
            for index in chosen
        ],
        "answered": sum(one.tries > 0 for one in questions),
        "rightCount": sum(one.right is not None for one in questions),
        "state": part_state(part, done),
    }


def open_exercise(study: Study, name: str) -> Json:
    """The learner's draft of an exercise, made from its start where there is none."""
    part, exercise = study.exercise(name)
    file, created = drafts.open_draft(study.home, study.course, part, exercise)
    return {"file": str(file), "created": created}


def check_exercise(
    study: Study,
    name: str,
    run: checking.Run,
    file: str | None = None,
    seed: int | None = None,
    text: str | None = None,
) -> Json:
    """The object of `qkv lesson check`. Without `file` the learner's draft is checked; `text` is a version of it not yet saved.

    Raises CheckBroken where the exercise's own files are of no use.
    """
    part, exercise = study.exercise(name)
    path = Path(file) if file else drafts.open_draft(study.home, study.course, part, exercise)[0]
    seeds = checking.seeds_for(seed)
    if text is None:
        verdict = checking.check_file(part, exercise, path, run, seeds)
    else:
        verdict = checking.check_text(part, exercise, text, str(path), run, seeds)
    if verdict.feedback["kind"] != "no-torch":  # which says nothing about the answer
        _change(study, part, lambda done: _attempt(part, done, exercise.id, verdict.status == "passed"))
    return checking.verdict_json(study.course, part, exercise, file or str(path), verdict)


def _attempt(part: Part, done: PartProgress, name: str, passed: bool) -> PartProgress:
    before, time = done.exercise(name), stamp(now())
    after = replace(
        before,
        attempts=before.attempts + 1,
        tried=before.tried or time,
        passed=before.passed or (time if passed else None),
        version=part.front.version,
    )
    return done.with_exercise(name, after)


def hint(study: Study, name: str) -> Json:
    """One hint more, with those shown before."""
    part, exercise = study.exercise(name)

    def change(done: PartProgress) -> PartProgress:
        before = done.exercise(name)
        return done.with_exercise(name, replace(before, hints=min(before.hints + 1, len(exercise.hints))))

    shown = _change(study, part, change).exercise(name).hints
    return {
        "hints": [blocks_json(only_roles(one, study.phrases), part) for one in exercise.hints[:shown]],
        "shown": shown,
        "of": len(exercise.hints),
    }


def solution(study: Study, name: str) -> Json:
    """The solutions, and why the first is what it is. That it was looked at is remembered."""
    part, exercise = study.exercise(name)
    texts = [checking.read(path) for path in checking.solution_files(exercise)]
    if not texts:
        raise checking.CheckBroken(f"the exercise {name} has no solution.py")

    def change(done: PartProgress) -> PartProgress:
        before = done.exercise(name)
        return done.with_exercise(name, replace(before, solution_seen=before.solution_seen or stamp(now())))

    _change(study, part, change)
    return {
        "code": texts[0],
        "others": texts[1:],
        "blocks": blocks_json(only_roles(exercise.solution, study.phrases), part),
    }


def reset_exercise(study: Study, name: str) -> Json:
    """The object of `qkv lesson reset`: the start stands in the draft again; what stood there is in `copy`."""
    part, exercise = study.exercise(name)
    entry = _put_back(study, part, exercise)
    _change(study, part, lambda done: done.with_exercise(name, ExerciseProgress()))
    return {"version": 1, "reset": [entry]}


def reset_part(study: Study, name: str) -> Json:
    """The same for a part: its exercises, its quiz, and what was read."""
    return _reset(study, [study.part(name)])


def reset_all(study: Study) -> Json:
    """The same for the whole course."""
    return _reset(study, study.course.parts)


def _reset(study: Study, parts: Sequence[Part]) -> Json:
    progress = study.home / "progress.json"
    if progress.exists():
        drafts.keep_copy(study.home, progress)
    reset = [
        _put_back(study, part, exercise)
        for part in parts
        for exercise in part.exercises
        if drafts.draft_path(study.home, study.course, part, exercise).exists()
    ]
    for part in parts:
        _change(study, part, lambda done: PartProgress())
    return {"version": 1, "reset": reset}


def _put_back(study: Study, part: Part, exercise: Exercise) -> Json:
    file, copy = drafts.put_back(study.home, study.course, part, exercise)
    return {"exercise": exercise.id, "file": str(file), "copy": str(copy) if copy else None}
