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
    """There is no course, part, exercise or cell of that name; the message says what there is."""


def shipped_course() -> Path:
    """The folder of the course that comes with qkv."""
    return content_folder("lessons")


def load_course(folder: Path) -> Course:
    """The course in a folder. Raises CourseError where the folder holds no readable `course.toml`.

    A broken part is loaded as far as it can be read; what is wrong with it is in its problems.
    """
    settings, problems = _settings(folder / "course.toml")
    named = settings["parts"]
    parts: list[Part] = []
    for path in sorted(folder.glob("*/lesson.md")):
        try:
            parts.append(parse_part(path, path.read_text(encoding="utf-8-sig")))
        except (OSError, UnicodeDecodeError) as error:
            problems.append(_problem(path, "lesson-front-matter", f"this file cannot be read: {error}"))
    for part in parts:
        if part.id not in named:
            problems.append(_problem(part.path, "lesson-id", f"course.toml does not name the part {part.id!r}"))
    parts.sort(key=lambda part: (named.index(part.id) if part.id in named else len(named), part.path.as_posix()))
    return Course(
        settings["id"],
        settings["title"],
        settings["language"],
        settings["version"],
        folder,
        tuple(named),
        tuple(parts),
        tuple(problems),
    )


_KINDS: dict[str, type] = {"id": str, "title": str, "language": str, "version": int, "parts": list}


def _settings(path: Path) -> tuple[dict[str, Any], list[LessonProblem]]:
    try:
        loaded = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        message = f"{path.parent} holds no course: it has no course.toml. `qkv lesson new {path.parent}` makes one."
        raise CourseError(message) from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CourseError(f"{path} cannot be read: {error}") from None
    defaults: dict[str, Any] = {
        "id": path.parent.name,
        "title": path.parent.name,
        "language": "en",
        "version": 1,
        "parts": [],
    }
    problems: list[LessonProblem] = []
    for key, kind in _KINDS.items():
        value = loaded.get(key)
        if not isinstance(value, kind):
            what = {str: "a text", int: "a whole number", list: "a list of part ids"}[kind]
            problems.append(_problem(path, "lesson-front-matter", f"`{key}` is missing, or is not {what}"))
        else:
            defaults[key] = value
    defaults["parts"] = [str(name) for name in defaults["parts"]]
    return defaults, problems


def _problem(path: Path, code: str, message: str) -> LessonProblem:
    return LessonProblem(str(path), 1, 1, code, message, end=(1, 1))
