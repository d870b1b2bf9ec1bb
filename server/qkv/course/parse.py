"""Read `lesson.md`: front matter, sections and blocks. What is wrong is noted with its line; the rest of the lesson is read all the same."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from qkv.course.fences import Found, read_fence
from qkv.course.markdown import blocks_of, parser, plain_text
from qkv.course.model import Block, Part, Section

LEVELS = ("Beginner", "Intermediate", "Advanced")


def parse_part(path: Path, text: str) -> Part:
    """One part of a course from its text. Never raises: problems are in the part."""
    md = parser()
    found = Found(md, path.parent, str(path))
    tokens = md.parse(text)
    front = _front_matter(found, tokens[0].content if tokens and tokens[0].type == "front_matter" else "")
    blocks = blocks_of([t for t in tokens if t.type != "front_matter"], 0, lambda token, line: read_fence(found, token, line))
    sections = _sections(found, blocks)
    if "<" in text and _raw_html(text):
        found.problem(_raw_html(text), "lesson-html", "a lesson holds no HTML; write it in Markdown")
    words = sum(len(plain_text(section.blocks).split()) for section in sections)
    words += sum(len(plain_text(exercise.blocks).split()) for exercise in found.exercises)
    return Part(
        id=front["id"],
        number=front["part"],
        title=front["title"],
        summary=front["summary"],
        level=front["level"],
        minutes=front["minutes"],
        goals=front["goals"],
        requires=front["requires"],
        terms=front["terms"],
        sources=front["sources"],
        version=front["version"],
        path=path,
        sections=tuple(sections),
        cells=tuple(found.cells),
        pictures=tuple(found.pictures),
        exercises=tuple(found.exercises),
        quiz=tuple(found.quiz),
        words=words,
        links=tuple(_links(blocks, found)),
        problems=tuple(found.problems),
    )


def _raw_html(text: str) -> int:
    """The first line outside code that holds an HTML tag, or 0."""
    import re

    fenced = False
    for number, line in enumerate(text.split("\n"), 1):
        if re.match(r"\s*(```|:{3,})", line):
            fenced = line.strip() not in (":::", "::::", ":::::", "```") and not re.match(r"\s*:{3,}\{(note|exercise|hint|wrong|solution|quiz|question)\}", line)
            continue
        if not fenced and re.search(r"</?[a-zA-Z][a-zA-Z0-9]*(\s[^<>]*)?/?>", re.sub(r"`[^`]*`", "", line)) and "<https:" not in line:
            return number
    return 0


_TEXTS = ("id", "title", "summary", "level")
_LISTS = ("goals", "requires", "terms", "sources")
_NUMBERS = ("part", "minutes", "version")


def _front_matter(found: Found, text: str) -> dict[str, Any]:
    """The front matter, with defaults where something is missing or of the wrong kind."""
    raw: Any = {}
    try:
        raw = YAML(typ="safe", pure=True).load(io.StringIO(text)) or {}
    except YAMLError as problem:
        mark = getattr(problem, "problem_mark", None)
        found.problem((mark.line if mark else 0) + 2, "lesson-front-matter", f"this is no YAML: {getattr(problem, 'problem', None) or problem}")
    if not isinstance(raw, dict):
        found.problem(1, "lesson-front-matter", "the front matter must be a list of `name: value`")
        raw = {}
    front: dict[str, Any] = {}
    for name in (*_TEXTS, *_LISTS, *_NUMBERS):
        value: Any = raw.get(name)
        if value is None and name not in ("requires", "terms"):
            code = "lesson-goal" if name == "goals" else "lesson-front-matter"
            found.problem(1, code, f"`{name}` is missing from the front matter")
        front[name] = _typed(found, name, value)
    if front["level"] and front["level"] not in LEVELS:
        found.problem(1, "lesson-front-matter", f"`level` must be one of {', '.join(LEVELS)}")
    return front


def _typed(found: Found, name: str, value: Any) -> Any:
    if name in _TEXTS:
        return "" if value is None else str(value)
    if name in _LISTS:
        if value is not None and not isinstance(value, list):
            found.problem(1, "lesson-front-matter", f"`{name}` must be a list")
            return ()
        return tuple(str(item) for item in value or ())
    if value is not None and not isinstance(value, int):
        found.problem(1, "lesson-front-matter", f"`{name}` must be a whole number")
        return 0
    return value or 0


def _sections(found: Found, blocks: list[Block]) -> list[Section]:
    sections: list[Section] = []
    target: str | None = None
    current: list[Block] = []
    for block in blocks:
        if block["kind"] == "target":
            target = block["id"]
        elif block["kind"] == "heading" and block["level"] == 2:
            if target is None:
                found.problem(block["line"], "lesson-id", "a section needs a target before its heading, such as `(why)=`")
            current = []
            sections.append(Section(target or "", block["line"], tuple(block["inlines"]), ()))
            sections[-1] = Section(target or "", block["line"], tuple(block["inlines"]), current)  # type: ignore[arg-type]
            target = None
        elif sections:
            current.append(block)
        elif plain_text([block]).strip():
            found.problem(block["line"], "lesson-id", "text before the first section is not shown; put it into one")
    return [Section(s.id, s.line, s.title, tuple(s.blocks)) for s in sections]


def _links(blocks: list[Block], found: Found) -> list[tuple[int, str]]:
    """All links of the text with their lines."""
    result: list[tuple[int, str]] = []

    def walk(item: Any, line: int) -> None:
        if isinstance(item, dict):
            line = item.get("line", line)
            if item.get("kind") == "link":
                result.append((line, item["target"]))
            elif item.get("kind") == "role" and item.get("role") == "{term}":
                result.append((line, f"term:{item['text']}"))
            for value in item.values():
                walk(value, line)
        elif isinstance(item, (list, tuple)):
            for value in item:
                walk(value, line)

    walk(blocks, 1)
    for exercise in found.exercises:
        walk([exercise.hints, exercise.solution], exercise.line)
        result.extend((wrong.line, wrong.section if ":" in wrong.section else f"#{wrong.section}") for wrong in exercise.wrong if wrong.section)
    for question in found.quiz:
        walk([question.blocks, [o.blocks for o in question.options], [o.note for o in question.options]], question.line)
    return result
