"""The blocks of a lesson that are more than text: cells, pictures, notes, exercises and quizzes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from qkv.course.markdown import blocks_of, inlines_of, plain_text
from qkv.course.model import Block, Cell, Exercise, LessonProblem, Option, Picture, Question, Wrong

_HEAD = re.compile(r"^\{([a-z]+)\}\s*(\S*)\s*$")
_OPTION = re.compile(r"^:([a-z-]+):\s?(.*)$")
_CHOICE = re.compile(r"^[-*] \[([ xX])\]\s+(.*)$")


@dataclass
class Found:
    """What has been read of a part so far."""

    md: MarkdownIt
    folder: Path
    path: str
    cells: list[Cell] = field(default_factory=list[Cell])
    pictures: list[Picture] = field(default_factory=list[Picture])
    exercises: list[Exercise] = field(default_factory=list[Exercise])
    quiz: list[Question] = field(default_factory=list[Question])
    problems: list[LessonProblem] = field(default_factory=list[LessonProblem])

    def problem(self, line: int, code: str, message: str) -> None:
        """Note something wrong."""
        self.problems.append(LessonProblem(self.path, line, code, message))


@dataclass(frozen=True)
class Opened:
    """A fence taken apart: its kind, its argument, its options (each may occur more than once), and its text with its first line."""

    kind: str
    name: str
    options: dict[str, list[str]]
    text: str
    line: int

    def option(self, name: str, default: str = "") -> str:
        """The last value of an option."""
        return self.options.get(name, [default])[-1]


def opened(token: Token, line: int) -> Opened | None:
    """Take a fence apart; None where its first line is none of ours."""
    head = _HEAD.match(token.info.strip())
    if head is None:
        return None
    options: dict[str, list[str]] = {}
    lines = token.content.split("\n")
    used = 0
    for text in lines:
        found = _OPTION.match(text)
        if found is None:
            break
        options.setdefault(found[1], []).append(found[2].rstrip())
        used += 1
    return Opened(head[1], head[2], options, "\n".join(lines[used:]), line + used)


def read_fence(found: Found, token: Token, line: int) -> list[Block]:
    """What a fence becomes in the text; cells, exercises and questions are noted on the way."""
    block = opened(token, line)
    readers = {"cell": _cell, "picture": _picture, "note": _note, "exercise": _exercise, "quiz": _quiz}
    if block is None or block.kind not in readers:
        found.problem(line, "lesson-id", f"the block {token.info.strip()!r} is none that a lesson can hold here")
        return []
    return readers[block.kind](found, block, line)


def inner_blocks(found: Found, text: str, line: int) -> list[Block]:
    """The text inside a fence, which stands behind line `line` of the file."""
    return blocks_of(found.md.parse(text), line, lambda token, at: read_fence(found, token, at))


def _need_id(found: Found, block: Opened, line: int) -> None:
    if not re.fullmatch(r"[a-z][a-z0-9_-]*", block.name):
        found.problem(line, "lesson-id", f"a {block.kind} needs an id of lower-case letters, digits, - and _ after its name")


def _number(found: Found, block: Opened, line: int, name: str, default: float) -> float:
    try:
        return float(block.option(name, str(default)))
    except ValueError:
        found.problem(line, "lesson-id", f":{name}: must be a number")
        return default


def _cell(found: Found, block: Opened, line: int) -> list[Block]:
    _need_id(found, block, line)
    task = block.options.get("task")
    cell = Cell(
        block.name,
        line,
        block.text.strip("\n"),
        tuple(block.option("needs").replace(",", " ").split()),
        tuple(block.options.get("expect", ())),
        _number(found, block, line, "tolerance", 1e-3),
        _number(found, block, line, "timeout", 10.0),
        block.options["show"][-1] if "show" in block.options else None,
        block.options["title"][-1] if "title" in block.options else None,
        tuple(inlines_of(found.md.parseInline(" ".join(task))[0].children or [])) if task else None,
    )
    found.cells.append(cell)
    shown = {"id": cell.id, "title": cell.title, "task": list(cell.task) if cell.task else None, "code": cell.code, "needs": list(cell.needs), "show": cell.show}
    return [{"kind": "cell", "line": line, **shown}]


def _picture(found: Found, block: Opened, line: int) -> list[Block]:
    _need_id(found, block, line)
    if not block.option("alt"):
        found.problem(line, "lesson-alt", f"the picture {block.name} needs :alt:, a sentence for those who cannot see it")
    slider = block.option("slider").split()
    bounds = (slider[0], float(slider[1]), float(slider[2])) if len(slider) == 3 else None
    kind = block.option("kind", "heatmap")
    picture = Picture(
        block.name, line, block.option("cell"), block.option("data"), kind, block.option("title"), block.option("x"), block.option("y"), block.option("alt"), bounds
    )
    found.pictures.append(picture)
    shown = {"id": picture.id, "cell": picture.cell, "kindOfPicture": kind, "title": picture.title, "alt": picture.alt, "x": picture.x, "y": picture.y}
    return [{"kind": "picture", "line": line, **shown, "slider": list(bounds) if bounds else None}]


def _note(found: Found, block: Opened, line: int) -> list[Block]:
    return [{"kind": "note", "line": line, "blocks": inner_blocks(found, block.text, block.line)}]


def _exercise(found: Found, block: Opened, line: int) -> list[Block]:
    _need_id(found, block, line)
    text: list[Block] = []
    hints: list[tuple[Block, ...]] = []
    wrong: list[Wrong] = []
    solution: tuple[Block, ...] = ()

    def inside(token: Token, at: int) -> list[Block]:
        nonlocal solution
        part = opened(token, at)
        if part is not None and part.kind == "hint":
            hints.append(tuple(inner_blocks(found, part.text, part.line)))
        elif part is not None and part.kind == "wrong":
            wrong.append(_wrong(found, part, at))
        elif part is not None and part.kind == "solution":
            solution = tuple(inner_blocks(found, part.text, part.line))
        else:
            return read_fence(found, token, at)
        return []

    text = blocks_of(found.md.parse(block.text), block.line, inside)
    exercise = Exercise(
        block.name,
        line,
        block.option("signature"),
        int(_number(found, block, line, "minutes", 2)),
        tuple(text),
        tuple(hints),
        tuple(wrong),
        solution,
        found.folder / block.name,
    )
    found.exercises.append(exercise)
    shown = {"id": exercise.id, "signature": exercise.signature, "minutes": exercise.minutes, "blocks": text, "hints": len(hints)}
    return [{"kind": "exercise", "line": line, **shown}]


def _wrong(found: Found, block: Opened, line: int) -> Wrong:
    paragraphs = [plain_text([item]).strip() for item in inner_blocks(found, block.text, block.line)]
    if not paragraphs:
        found.problem(line, "lesson-wrong-key", f"the mistake {block.name} has no text")
    section = block.option("section")
    return Wrong(block.name, line, paragraphs[0] if paragraphs else "", paragraphs[1] if len(paragraphs) > 1 else None, section or None)


def _quiz(found: Found, block: Opened, line: int) -> list[Block]:
    def inside(token: Token, at: int) -> list[Block]:
        part = opened(token, at)
        if part is None or part.kind != "question":
            found.problem(at, "lesson-question", "a quiz holds questions only")
            return []
        found.quiz.append(_question(found, part, at))
        return []

    blocks_of(found.md.parse(block.text), block.line, inside)
    return []


def _question(found: Found, block: Opened, line: int) -> Question:
    _need_id(found, block, line)
    lines = block.text.split("\n")
    starts = [i for i, text in enumerate(lines) if _CHOICE.match(text)]
    asked = inner_blocks(found, "\n".join(lines[: starts[0]] if starts else lines), block.line)
    options: list[Option] = []
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        choice = _CHOICE.match(lines[start])
        assert choice is not None
        note = [text[2:] if text.startswith("  ") else text for text in lines[start + 1 : end]]
        at = block.line + start + 1
        answer = inner_blocks(found, choice[2], at - 1)
        explained = inner_blocks(found, "\n".join(note), at)
        if not explained:
            found.problem(at, "lesson-option-note", "this option has no note; say below it, indented, why it is right or wrong")
        options.append(Option(at, choice[1] != " ", tuple(answer), tuple(explained)))
    return Question(block.name, line, tuple(asked), tuple(options), block.option("multiple").lower() in ("yes", "true"))
