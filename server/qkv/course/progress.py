"""What a learner has done, as frozen data, and how it changes. Keyed by ids, never by place. Times are ISO 8601 in UTC."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from qkv.course.model import Part

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ExerciseProgress:
    """One exercise. `hints` counts those shown; `passed` and `tried` are times; `version` is the part's when it was last checked."""

    attempts: int = 0
    hints: int = 0
    tried: str | None = None
    passed: str | None = None
    solution_seen: str | None = None
    version: int | None = None

    @property
    def state(self) -> str:
        """`new`, `tried` or `passed`."""
        return "passed" if self.passed else "tried" if self.attempts else "new"


@dataclass(frozen=True, slots=True)
class QuestionProgress:
    """One question. `right` is when it was first answered rightly; `card` is its spaced repetition, once it has been missed."""

    tries: int = 0
    last: str | None = None
    answered: str | None = None
    right: str | None = None
    card: Json | None = None


@dataclass(frozen=True, slots=True)
class PartProgress:
    """One part: sections read (with the time), exercises, questions."""

    read: Mapping[str, str] = field(default_factory=dict[str, str])
    exercises: Mapping[str, ExerciseProgress] = field(default_factory=dict[str, ExerciseProgress])
    questions: Mapping[str, QuestionProgress] = field(default_factory=dict[str, QuestionProgress])

    def exercise(self, name: str) -> ExerciseProgress:
        """What was done with an exercise."""
        return self.exercises.get(name, ExerciseProgress())

    def question(self, name: str) -> QuestionProgress:
        """How a question was answered."""
        return self.questions.get(name, QuestionProgress())

    def with_exercise(self, name: str, done: ExerciseProgress) -> PartProgress:
        """The same with one exercise changed."""
        return replace(self, exercises={**self.exercises, name: done})

    def with_question(self, name: str, done: QuestionProgress) -> PartProgress:
        """The same with one question changed."""
        return replace(self, questions={**self.questions, name: done})


@dataclass(frozen=True, slots=True)
class Progress:
    """All that one learner has done: course id, then part id."""

    courses: Mapping[str, Mapping[str, PartProgress]] = field(default_factory=dict[str, Mapping[str, PartProgress]])

    def part(self, course: str, part: str) -> PartProgress:
        """What was done in a part."""
        return self.courses.get(course, {}).get(part, PartProgress())

    def with_part(self, course: str, part: str, done: PartProgress) -> Progress:
        """The same with one part changed."""
        return replace(self, courses={**self.courses, course: {**self.courses.get(course, {}), part: done}})


def part_state(part: Part, done: PartProgress) -> str:
    """`done` when every exercise is passed and every question was answered rightly once; else `started` or `new`."""
    finished = all(done.exercise(exercise.id).passed for exercise in part.exercises) and all(
        done.question(question.id).right for question in part.quiz
    )
    if finished and (part.exercises or part.quiz):
        return "done"
    touched = bool(done.read) or any(e.attempts or e.hints for e in done.exercises.values()) or bool(done.questions)
    return "started" if touched else "new"


def to_json(progress: Progress) -> Json:
    """The object that is written to the file."""
    courses = {
        course: {part: _part_json(done) for part, done in parts.items()} for course, parts in progress.courses.items()
    }
    return {"version": 1, "courses": courses}


def _part_json(done: PartProgress) -> Json:
    return {
        "read": dict(done.read),
        "exercises": {name: _fields(one) for name, one in done.exercises.items()},
        "questions": {name: _fields(one) for name, one in done.questions.items()},
    }


def _fields(one: ExerciseProgress | QuestionProgress) -> Json:
    return {name: getattr(one, name) for name in one.__dataclass_fields__ if getattr(one, name) not in (None, 0)}


def from_json(value: Any) -> Progress:
    """The progress of a file's object. Raises ValueError where it is none."""
    try:
        return Progress(
            {
                str(course): {str(part): _part(done) for part, done in parts.items()}
                for course, parts in value["courses"].items()
            }
        )
    except (TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"this is no progress: {error!r}") from None


def _part(value: Any) -> PartProgress:
    return PartProgress(
        {str(name): str(time) for name, time in value["read"].items()},
        {str(name): ExerciseProgress(**_known(one, ExerciseProgress)) for name, one in value["exercises"].items()},
        {str(name): QuestionProgress(**_known(one, QuestionProgress)) for name, one in value["questions"].items()},
    )


def _known(value: Any, kind: type[ExerciseProgress] | type[QuestionProgress]) -> Json:
    return {name: value[name] for name in kind.__dataclass_fields__ if name in value}
