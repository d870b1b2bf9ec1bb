"""The head of a lesson's file: YAML between two lines of `---`."""

from __future__ import annotations

from typing import Any

from qkv.course.fences import Reading
from qkv.course.markdown import parse_inline
from qkv.course.model import FrontMatter
from qkv.course.nodes import Inline

LEVELS = ("Beginner", "Intermediate", "Advanced")
_NEEDED = {
    "id": "lesson-front-matter",
    "part": "lesson-front-matter",
    "title": "lesson-front-matter",
    "summary": "lesson-front-matter",
    "level": "lesson-front-matter",
    "minutes": "lesson-front-matter",
    "goals": "lesson-goal",
    "sources": "lesson-front-matter",
    "version": "lesson-front-matter",
}
"""What must be there, with the code of its absence."""
_OTHERS = ("requires", "terms", "of")


def read_front_matter(reading: Reading, text: str | None) -> FrontMatter:
    """The front matter, with defaults where something is missing or of the wrong kind; `text` is None where there is none."""
    if text is None:
        reading.problem(1, "lesson-front-matter", "a lesson starts with front matter between two lines of `---`")
        return FrontMatter()
    values, lines = _yaml(reading, text)
    if values is None:
        return FrontMatter()
    for key in values:
        if key not in (*_NEEDED, *_OTHERS):
            reading.problem(lines.get(key, 1), "lesson-front-matter", f"no such key: {key}", str(key))
    if values.get("of") is None:
        for key, code in _NEEDED.items():
            if values.get(key) in (None, "", []):
                reading.problem(lines.get(key, 1), code, f"`{key}` is missing from the front matter")
    front = FrontMatter(
        id=_text(reading, lines, "id", values.get("id")),
        part=_number(reading, lines, "part", values.get("part")) or 0,
        title=_text(reading, lines, "title", values.get("title")),
        summary=_text(reading, lines, "summary", values.get("summary")),
        level=_text(reading, lines, "level", values.get("level")),
        minutes=_number(reading, lines, "minutes", values.get("minutes")) or 0,
        goals=_inline_list(reading, lines, "goals", values.get("goals")),
        requires=_list(reading, lines, "requires", values.get("requires")),
        terms=_list(reading, lines, "terms", values.get("terms")),
        sources=_inline_list(reading, lines, "sources", values.get("sources")),
        version=_number(reading, lines, "version", values.get("version")) or 1,
        of=_number(reading, lines, "of", values.get("of")),
        lines=lines,
    )
    if front.level and front.level not in LEVELS:
        message = f"`level` is one of {', '.join(LEVELS)}"
        reading.problem(front.line("level"), "lesson-front-matter", message, front.level)
    return front


def _yaml(reading: Reading, text: str) -> tuple[dict[str, Any] | None, dict[str, int]]:
    """The values, and the line of each key."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        loaded: Any = YAML(typ="rt", pure=True).load(text)
    except (YAMLError, ValueError) as error:
        mark = error.problem_mark if isinstance(error, MarkedYAMLError) else None
        said = error.problem if isinstance(error, MarkedYAMLError) else str(error)
        said = (said or "it cannot be read").split("\n")[0]
        reading.problem(mark.line + 2 if mark else 1, "lesson-front-matter", f"the front matter is not YAML: {said}")
        return None, {}
    if not isinstance(loaded, dict):
        reading.problem(1, "lesson-front-matter", "the front matter holds lines of `key: value`")
        return None, {}
    places: Any = loaded
    lines = {str(key): int(places.lc.key(key)[0]) + 2 for key in places}
    return {str(key): value for key, value in loaded.items()}, lines


def _text(reading: Reading, lines: dict[str, int], key: str, value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        reading.problem(lines.get(key, 1), "lesson-front-matter", f"`{key}` is a text; put it in quotes")
    return str(value)


def _list(reading: Reading, lines: dict[str, int], key: str, value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        reading.problem(lines.get(key, 1), "lesson-front-matter", f"`{key}` is a list of texts")
        return ()
    return tuple(str(item) for item in value)


def _inline_list(reading: Reading, lines: dict[str, int], key: str, value: Any) -> tuple[tuple[Inline, ...], ...]:
    return tuple(parse_inline(reading.md, text) for text in _list(reading, lines, key, value))


def _number(reading: Reading, lines: dict[str, int], key: str, value: Any) -> int | None:
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        reading.problem(lines.get(key, 1), "lesson-front-matter", f"`{key}` is a whole number from 1")
        return None
    return int(value)
