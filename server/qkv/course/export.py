"""What a learner has done, as a transcript."""

from __future__ import annotations

from typing import Any

from qkv.course import service
from qkv.course.progress import PartProgress
from qkv.course.store import now, read_progress, stamp
from qkv.course.study import Study

Json = dict[str, Any]


def transcript(study: Study, learner: str | None = None) -> Json:
    """The object of `qkv lesson export`: the parts as in the list, with the times (ISO 8601, UTC)."""
    listed = service.course(study)
    progress = read_progress(study.home).progress
    return {
        "version": 1,
        "course": listed["course"],
        "learner": learner,
        "exported": stamp(now()),
        "parts": [_with_times(part, progress.part(study.course.id, part["id"])) for part in listed["parts"]],
    }


def _with_times(part: Json, done: PartProgress) -> Json:
    return {
        **part,
        "sections": [{**section, "read_at": done.read.get(section["id"])} for section in part["sections"]],
        "exercises": [
            {
                **exercise,
                "hints": done.exercise(exercise["id"]).hints,
                "tried_at": done.exercise(exercise["id"]).tried,
                "passed_at": done.exercise(exercise["id"]).passed,
                "solution_seen_at": done.exercise(exercise["id"]).solution_seen,
            }
            for exercise in part["exercises"]
        ],
        "quiz": {
            **part["quiz"],
            "answers": [
                {"id": name, "tries": one.tries, "right_at": one.right} for name, one in done.questions.items()
            ],
        },
    }


def transcript_text(answer: Json) -> str:
    """The same as a page of Markdown."""
    who = f" of {answer['learner']}" if answer["learner"] else ""
    lines = [f"# {answer['course']['title']}: transcript{who}", "", f"Written {answer['exported']}.", ""]
    for part in answer["parts"]:
        lines += [f"## Part {part['number']}: {part['title']} ({part['state']})", ""]
        read = sum(section["read"] for section in part["sections"])
        lines.append(f"- {read} of {len(part['sections'])} sections read")
        for exercise in part["exercises"]:
            when = f" on {exercise['passed_at'][:10]}" if exercise["passed_at"] else ""
            lines.append(
                f"- `{exercise['id']}`: {exercise['state']}{when}, {exercise['attempts']} attempts, {exercise['hints']} hints"
            )
        lines += [f"- quiz: {part['quiz']['right']} of {part['quiz']['questions']} right", ""]
    return "\n".join(lines)
