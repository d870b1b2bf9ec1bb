"""The blocks of a lesson that are more than text: cells, pictures, notes, exercises and quizzes."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from qkv.course.markdown import blocks_of, parse_inline
from qkv.course.model import Cell, Exercise, LessonProblem, Option, Picture, Question, Slider, Wrong
from qkv.course.nodes import Block, CellPlace, ExercisePlace, Note, Paragraph, PicturePlace, words_of_blocks

_HEAD = re.compile(r"\{([a-z]+)\}\s*(\S*)\s*$")
_OPTION = re.compile(r":([a-z]+):(?:[ \t]+(.*))?$")
_CHOICE = re.compile(r"[-*] \[([ xX])\]\s+(.*)$")
_ID = re.compile(r"[A-Za-z][\w-]*$")

OPTIONS = {
    "cell": {"needs", "expect", "tolerance", "timeout", "show", "title", "task"},
    "picture": {"cell", "data", "kind", "title", "x", "y", "alt", "slider"},
    "note": set[str](),
    "exercise": {"signature", "minutes"},
    "hint": set[str](),
    "wrong": {"section"},
    "solution": set[str](),
    "quiz": set[str](),
    "question": {"multiple"},
}
"""The options of each block."""
PICTURE_KINDS = ("heatmap", "bars", "lines")


@dataclass
class Reading:
    """What has been read of a part so far, and what was wrong with it."""

    md: MarkdownIt
    path: Path
    lines: list[str]
    cells: list[Cell] = field(default_factory=list[Cell])
    pictures: list[Picture] = field(default_factory=list[Picture])
    exercises: list[Exercise] = field(default_factory=list[Exercise])
    quiz: list[Question] = field(default_factory=list[Question])
    problems: list[LessonProblem] = field(default_factory=list[LessonProblem])

    def problem(self, line: int, code: str, message: str, word: str = "") -> None:
        """Note something wrong: at a word of the line, or at all of it."""
        self.problems.append(place_of(self.path, self.lines, line, code, message, word))


def place_of(
    path: Path, lines: list[str], line: int, code: str, message: str, word: str = "", severity: str = "error"
) -> LessonProblem:
    """A problem with its columns. A word is searched from `line` to the end of that paragraph: blocks know their first line only."""
    for number in range(line, len(lines) + 1):
        text = lines[number - 1]
        if word and word in text:
            column = text.index(word) + 1
            return LessonProblem(str(path), number, column, code, message, severity, (number, column + len(word)))
        if not text.strip():
            break
    text = lines[line - 1] if line <= len(lines) else ""
    start = len(text) - len(text.lstrip()) + 1
    return LessonProblem(str(path), line, start, code, message, severity, (line, max(start, len(text.rstrip()) + 1)))


@dataclass(frozen=True)
class Fence:
    """A fence taken apart. `options` hold each value in order; `text` is what follows them, and `offset` the lines before it."""

    kind: str
    name: str
    line: int
    options: dict[str, list[str]]
    text: str
    offset: int

    def option(self, name: str) -> str | None:
        """The last value of an option, or None where it is not there or empty."""
        return self.options[name][-1] or None if name in self.options else None

    def flag(self, name: str) -> bool:
        """An option that needs no value."""
        return name in self.options and (self.option(name) or "yes").lower() in ("yes", "true")


def open_fence(reading: Reading, token: Token, line: int) -> Fence | None:
    """Take a fence apart. None, with a problem, where its first line is none of ours."""
    head = _HEAD.match(token.info.strip())
    if head is None or head[1] not in OPTIONS:
        kinds = ", ".join(f"{{{kind}}}" for kind in OPTIONS)
        reading.problem(line, "lesson-block", f"no block is called {token.info.strip()!r}; there are {kinds}")
        return None
    last = line + (token.map[1] - token.map[0] if token.map else 1) - 1
    if last > len(reading.lines) or set(reading.lines[last - 1].strip()) != {":"}:
        reading.problem(line, "lesson-block", f"this block has no end; close it with a line of {token.markup}")
    options: dict[str, list[str]] = {}
    lines = token.content.split("\n")
    used = 0
    while used < len(lines) and (found := _OPTION.match(lines[used])):
        if found[1] not in OPTIONS[head[1]]:
            known = ", ".join(f":{name}:" for name in sorted(OPTIONS[head[1]])) or "none"
            message = f"a {head[1]} has no option :{found[1]}:; it has {known}"
            reading.problem(line + 1 + used, "lesson-block", message, f":{found[1]}:")
        options.setdefault(found[1], []).append((found[2] or "").strip())
        used += 1
    return Fence(head[1], head[2], line, options, "\n".join(lines[used:]), line + used)


def read_fence(reading: Reading, token: Token, line: int) -> tuple[Block, ...]:
    """What a fence becomes in the text. Cells, pictures, exercises and questions are noted on the way."""
    fence = open_fence(reading, token, line)
    if fence is None:
        return ()
    readers: dict[str, Callable[[Reading, Fence], tuple[Block, ...]]] = {
        "cell": _cell,
        "picture": _picture,
        "note": _note,
        "exercise": _exercise,
        "quiz": _quiz,
    }
    if fence.kind not in readers:
        owner = {"question": "quiz"}.get(fence.kind, "exercise")
        reading.problem(
            line, "lesson-block", f"a {{{fence.kind}}} stands inside an {{{owner}}}, whose line has more colons"
        )
        return ()
    return readers[fence.kind](reading, fence)


def inner_blocks(reading: Reading, text: str, offset: int) -> tuple[Block, ...]:
    """The text inside a fence, behind line `offset` of the file."""
    return blocks_of(reading.md.parse(text), offset, lambda token, line: read_fence(reading, token, line))


def _named(reading: Reading, fence: Fence) -> str:
    if not _ID.match(fence.name):
        message = f"a {fence.kind} needs an id, as in {{{fence.kind}}} my_{fence.kind}: letters, digits, _ and -"
        reading.problem(fence.line, "lesson-id", message)
    return fence.name


def _number(reading: Reading, fence: Fence, name: str, default: float) -> float:
    text = fence.option(name)
    if text is None:
        return default
    try:
        return float(text)
    except ValueError:
        reading.problem(fence.line, "lesson-block", f":{name}: takes a number, not {text!r}", f":{name}:")
        return default


def _cell(reading: Reading, fence: Fence) -> tuple[Block, ...]:
    name = _named(reading, fence)
    code = fence.text.strip("\n")
    task = fence.option("task")
    cell = Cell(
        id=name,
        line=fence.line,
        code=code,
        code_line=fence.offset + 1 + len(fence.text) - len(fence.text.lstrip("\n")),
        needs=tuple((fence.option("needs") or "").replace(",", " ").split()),
        expect=tuple(fence.options["expect"]) if "expect" in fence.options else None,
        tolerance=_number(reading, fence, "tolerance", 1e-3),
        timeout=_number(reading, fence, "timeout", 10.0),
        show=fence.option("show"),
        title=fence.option("title"),
        task=parse_inline(reading.md, task) if task else None,
    )
    if (cell.task is None) != (cell.title is None):
        reading.problem(
            fence.line, "lesson-block", "a free experiment has both :title: and :task:, any other cell neither"
        )
    reading.cells.append(cell)
    return (CellPlace(fence.line, name),)


def _picture(reading: Reading, fence: Fence) -> tuple[Block, ...]:
    name = _named(reading, fence)
    alt = fence.option("alt") or ""
    if not alt:
        reading.problem(
            fence.line, "lesson-alt", f"the picture {name} needs :alt:, a sentence for those who cannot see it"
        )
    for option in ("cell", "data"):
        if fence.option(option) is None:
            reading.problem(fence.line, "lesson-block", f"the picture {name} needs :{option}:")
    kind = fence.option("kind") or "heatmap"
    if kind not in PICTURE_KINDS:
        reading.problem(fence.line, "lesson-block", f":kind: is one of {', '.join(PICTURE_KINDS)}", ":kind:")
    words = {option: fence.option(option) for option in ("title", "x", "y")}
    reading.pictures.append(
        Picture(
            name,
            fence.line,
            fence.option("cell") or "",
            fence.option("data") or "None",
            kind,
            **words,
            alt=alt,
            slider=_slider(reading, fence),
        )
    )
    return (PicturePlace(fence.line, name),)


def _slider(reading: Reading, fence: Fence) -> Slider | None:
    words = (fence.option("slider") or "").split()
    try:
        if words:
            name, lowest, highest = words
            return Slider(name, float(lowest), float(highest))
    except ValueError:
        reading.problem(
            fence.line, "lesson-block", ":slider: takes a name and two numbers: `:slider: T 0.03 1`", ":slider:"
        )
    return None


def _note(reading: Reading, fence: Fence) -> tuple[Block, ...]:
    return (Note(fence.line, inner_blocks(reading, fence.text, fence.offset)),)


def _exercise(reading: Reading, fence: Fence) -> tuple[Block, ...]:
    name = _named(reading, fence)
    hints: list[tuple[Block, ...]] = []
    wrong: list[Wrong] = []
    solution: list[Block] = []

    def inside(token: Token, line: int) -> tuple[Block, ...]:
        if not re.match(r"\{(hint|wrong|solution)\}", token.info.strip()):
            return read_fence(reading, token, line)
        inner = open_fence(reading, token, line)
        assert inner is not None
        if inner.kind == "hint":
            hints.append(inner_blocks(reading, inner.text, inner.offset))
        elif inner.kind == "wrong":
            wrong.append(_wrong(reading, inner))
        else:
            solution.extend(inner_blocks(reading, inner.text, inner.offset))
        return ()

    blocks = blocks_of(reading.md.parse(fence.text), fence.offset, inside)
    signature = fence.option("signature") or ""
    if not signature.startswith(f"{name}("):
        reading.problem(fence.line, "lesson-block", f"the exercise {name} needs :signature:, such as `{name}(x)`")
    minutes = int(_number(reading, fence, "minutes", 2))
    folder = reading.path.parent / name
    reading.exercises.append(
        Exercise(name, fence.line, signature, minutes, blocks, tuple(hints), tuple(wrong), tuple(solution), folder)
    )
    return (ExercisePlace(fence.line, name),)


def _wrong(reading: Reading, fence: Fence) -> Wrong:
    _named(reading, fence)
    blocks = inner_blocks(reading, fence.text, fence.offset)
    paragraphs = [words_of_blocks([block]) for block in blocks if isinstance(block, Paragraph)]
    if not paragraphs:
        message = f"the mistake {fence.name} has no text: first a sentence that says what happened, then a question"
        reading.problem(fence.line, "lesson-wrong-key", message)
    question = " ".join(paragraphs[1:]) or None
    return Wrong(fence.name, fence.line, paragraphs[0] if paragraphs else "", question, fence.option("section"))


def _quiz(reading: Reading, fence: Fence) -> tuple[Block, ...]:
    def inside(token: Token, line: int) -> tuple[Block, ...]:
        inner = open_fence(reading, token, line)
        if inner is not None and inner.kind == "question":
            reading.quiz.append(_question(reading, inner))
        elif inner is not None:
            reading.problem(line, "lesson-question", "a quiz holds questions only")
        return ()

    for block in blocks_of(reading.md.parse(fence.text), fence.offset, inside):
        reading.problem(block.line, "lesson-question", "a quiz holds questions only")
    return ()


def _question(reading: Reading, fence: Fence) -> Question:
    name = _named(reading, fence)
    lines = fence.text.split("\n")
    starts = [index for index, text in enumerate(lines) if _CHOICE.match(text)]
    asked = inner_blocks(reading, "\n".join(lines[: starts[0]] if starts else lines), fence.offset)
    options: list[Option] = []
    for start, end in pairwise([*starts, len(lines)]):
        choice = _CHOICE.match(lines[start])
        assert choice is not None
        line = fence.offset + start + 1
        answer = inner_blocks(reading, choice[2], line - 1)
        note = inner_blocks(reading, textwrap.dedent("\n".join(lines[start + 1 : end])), line)
        if not note:
            message = "this option has no note; say on the lines below it, indented, why it is right or wrong"
            reading.problem(line, "lesson-option-note", message)
        options.append(Option(line, choice[1] != " ", answer, note))
    return Question(name, fence.line, asked, tuple(options), fence.flag("multiple"))
