"""A course as data: what is written in its files, with the lines where it stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from qkv.course.nodes import Block, Inline

SEVERITIES = ("error", "warning")


@dataclass(frozen=True, slots=True, order=True)
class LessonProblem:
    """Something wrong in a lesson's files. Lines and columns start at 1, `end` is exclusive; an `end` of None is the line's end."""

    path: str
    line: int
    column: int
    code: str
    message: str
    severity: str = "error"
    end: tuple[int, int] | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Cell:
    """A runnable program of a lesson.

    `expect` holds the lines that it must print, numbers within `tolerance` (relative); None: nothing is claimed.
    `timeout` is in seconds. With `task` it is a free experiment. `code_line` is the line of the file where the code starts.
    """

    id: str
    line: int
    code: str
    code_line: int
    needs: tuple[str, ...] = ()
    expect: tuple[str, ...] | None = None
    tolerance: float = 1e-3
    timeout: float = 10.0
    show: str | None = None
    title: str | None = None
    task: tuple[Inline, ...] | None = None


@dataclass(frozen=True, slots=True)
class Slider:
    """A number that the reader may turn: the cell runs again with `name` bound to it."""

    name: str
    lowest: float
    highest: float


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture drawn from a cell's variables: `data` is an expression over them."""

    id: str
    line: int
    cell: str
    data: str
    kind: str
    title: str | None
    x: str | None
    y: str | None
    alt: str
    slider: Slider | None = None


@dataclass(frozen=True, slots=True)
class Wrong:
    """A known mistake: what is said when an answer gives its values. `section` is a section's id or a `lesson:` link."""

    key: str
    line: int
    message: str
    question: str | None
    section: str | None


@dataclass(frozen=True, slots=True)
class Exercise:
    """A checked exercise. `folder` holds its start, its solutions, its check and its known mistakes."""

    id: str
    line: int
    signature: str
    minutes: int
    blocks: tuple[Block, ...]
    hints: tuple[tuple[Block, ...], ...]
    wrong: tuple[Wrong, ...]
    solution: tuple[Block, ...]
    folder: Path


@dataclass(frozen=True, slots=True)
class Option:
    """One answer to a question, with the note that is shown when it is chosen."""

    line: int
    right: bool
    blocks: tuple[Block, ...]
    note: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a quiz. `multiple`: several options are right, and all of them must be chosen."""

    id: str
    line: int
    blocks: tuple[Block, ...]
    options: tuple[Option, ...]
    multiple: bool

    @property
    def right(self) -> frozenset[int]:
        """The options that are right, by index from 0."""
        return frozenset(index for index, option in enumerate(self.options) if option.right)


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a part: its target, its heading and its blocks."""

    id: str
    line: int
    title: tuple[Inline, ...]
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The head of a lesson's file. `of` is set in a translation: the version of the original that it follows."""

    id: str = ""
    part: int = 0
    title: str = ""
    summary: str = ""
    level: str = ""
    minutes: int = 0
    goals: tuple[tuple[Inline, ...], ...] = ()
    requires: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()
    sources: tuple[tuple[Inline, ...], ...] = ()
    version: int = 1
    of: int | None = None
    lines: dict[str, int] = field(default_factory=dict[str, int])

    def line(self, key: str) -> int:
        """The line where a key stands; 1 where it is missing."""
        return self.lines.get(key, 1)


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a course."""

    path: Path
    front: FrontMatter
    sections: tuple[Section, ...]
    cells: tuple[Cell, ...]
    pictures: tuple[Picture, ...]
    exercises: tuple[Exercise, ...]
    quiz: tuple[Question, ...]
    problems: tuple[LessonProblem, ...]

    @property
    def id(self) -> str:
        """The part's id."""
        return self.front.id

    def section(self, name: str) -> Section | None:
        """The section of that id."""
        return next((section for section in self.sections if section.id == name), None)

    def cell(self, name: str) -> Cell | None:
        """The cell of that id."""
        return next((cell for cell in self.cells if cell.id == name), None)

    def picture(self, name: str) -> Picture | None:
        """The picture of that id."""
        return next((picture for picture in self.pictures if picture.id == name), None)

    def exercise(self, name: str) -> Exercise | None:
        """The exercise of that id."""
        return next((exercise for exercise in self.exercises if exercise.id == name), None)

    def question(self, name: str) -> Question | None:
        """The question of that id."""
        return next((question for question in self.quiz if question.id == name), None)

    def needed(self, cell: Cell) -> tuple[Cell, ...]:
        """The cells that run before a cell, in order, each once. A circle and an unknown name are left out."""
        order: dict[str, Cell] = {}

        def visit(one: Cell, above: tuple[str, ...]) -> None:
            for name in one.needs:
                before = self.cell(name)
                if before is not None and name not in above:
                    visit(before, (*above, name))
                    order.setdefault(name, before)

        visit(cell, (cell.id,))
        return tuple(order.values())


@dataclass(frozen=True, slots=True, eq=False)
class Course:
    """A course: its parts in order. `named` are the ids of `course.toml`, of which some may have no folder yet."""

    id: str
    title: str
    language: str
    version: int
    folder: Path
    named: tuple[str, ...]
    parts: tuple[Part, ...]
    problems: tuple[LessonProblem, ...]

    def part(self, name: str) -> Part | None:
        """The part of that id, or of that number."""
        return next((part for part in self.parts if part.id == name or str(part.front.part) == name), None)

    def exercise(self, name: str) -> tuple[Part, Exercise] | None:
        """An exercise with its part."""
        for part in self.parts:
            found = part.exercise(name)
            if found is not None:
                return part, found
        return None
