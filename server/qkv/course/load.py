"""Load a course: `course.toml` and the folders of its parts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from qkv.content import content_folder
from qkv.course.model import Course, LessonProblem, Part
from qkv.course.parse import parse_part

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


class CourseError(Exception):
    """There is no course to load; the message says what to do."""


def load_course(folder: Path | None = None) -> Course:
    """The course in a folder (the one that ships with qkv by default).

    Raises CourseError where the folder holds no readable `course.toml`. A broken part is loaded as far as it can be read.
    """
    home = content_folder("lessons") if folder is None else folder
    settings = _settings(home / "course.toml")
    wanted = [str(name) for name in settings.get("parts", [])]
    parts: list[Part] = []
    problems: list[LessonProblem] = []
    for path in sorted(home.glob("*/lesson.md")):
        try:
            parts.append(parse_part(path, path.read_text(encoding="utf-8")))
        except (OSError, UnicodeDecodeError) as problem:
            problems.append(LessonProblem(str(path), 1, "lesson-front-matter", f"this file cannot be read: {problem}"))
    order = {name: place for place, name in enumerate(wanted)}
    for part in parts:
        if part.id and part.id not in order:
            problems.append(LessonProblem(str(part.path), 1, "lesson-id", f"course.toml does not name the part {part.id}"))
    parts.sort(key=lambda part: (order.get(part.id, len(order)), part.number))
    missing = tuple(name for name in wanted if not any(part.id == name for part in parts))
    return Course(
        str(settings.get("id", home.name)),
        str(settings.get("title", home.name)),
        str(settings.get("language", "en")),
        int(settings.get("version", 1)),
        home,
        tuple(parts),
        missing,
        tuple(problems),
    )


def _settings(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CourseError(f"{path.parent} holds no course: there is no course.toml. `qkv lesson new PATH` makes one.") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as problem:
        raise CourseError(f"{path} cannot be read: {problem}") from None
