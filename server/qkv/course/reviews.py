"""Questions that were missed come back on later days, spaced by the FSRS algorithm."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, cast

from qkv.course.model import Course, Part, Question
from qkv.course.progress import Json, Progress, QuestionProgress
from qkv.course.store import stamp

KNOWN_AFTER = timedelta(days=60)
"""A question that would come back only after so long is known: it leaves the reviews."""


def answered(before: QuestionProgress, right: bool, moment: datetime) -> QuestionProgress:
    """A question after one more answer. It enters the reviews with its first wrong answer."""
    time = stamp(moment)
    return QuestionProgress(
        before.tries + 1,
        "right" if right else "wrong",
        time,
        before.right or (time if right else None),
        before.card if right and before.card is None else _next_card(before.card, right, moment),
    )


def _next_card(card: Json | None, right: bool, moment: datetime) -> Json | None:
    """The card after a review. A right answer before the card is due, as on a second try in one sitting, does not count."""
    from fsrs import Card, Rating, Scheduler

    # No learning steps: within one sitting the quiz itself asks again, and the cards count days.
    scheduler = Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)
    known = Card.from_dict(cast(Any, card)) if card is not None else Card(due=moment)
    if right and known.due > moment:
        return card
    reviewed, _ = scheduler.review_card(known, Rating.Good if right else Rating.Again, moment)
    if right and reviewed.due - moment > KNOWN_AFTER:
        return None
    return dict(reviewed.to_dict())


def due_questions(course: Course, progress: Progress, moment: datetime) -> Iterator[tuple[Part, Question]]:
    """The questions that should be asked again now, in the order of the course."""
    for part in course.parts:
        done = progress.part(course.id, part.id)
        for question in part.quiz:
            card = done.question(question.id).card
            if card is not None and datetime.fromisoformat(str(card["due"])) <= moment:
                yield part, question
