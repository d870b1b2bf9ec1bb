"""A course as data: what is written in its files, with the lines where it stands."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

Block = dict[str, Any]
"""A block of text as plain data, as the panel draws it."""
Inline = dict[str, Any]
"""A piece of a line as plain data."""


@dataclass(frozen=True, slots=True)
class LessonProblem:
    """Something wrong in a lesson's files. Lines and columns start at 1."""

    path: str
    line: int
    code: str
    message: str
    severity: str = "error"
    column: int = 1


@dataclass(frozen=True, slots=True)
class Cell:
    """A runnable program of a lesson. `expect` holds the lines that it must print; with `task` it is a free experiment."""

    id: str
    line: int
    code: str
    needs: tuple[str, ...] = ()
    expect: tuple[str, ...] = ()
    tolerance: float = 1e-3
    timeout: float = 10.0
    show: str | None = None
    title: str | None = None
    task: tuple[Inline, ...] | None = None


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture drawn from a cell's variables. `slider` is (name, lowest, highest)."""

    id: str
    line: int
    cell: str
    data: str
    kind: str
    title: str
    x: str
    y: str
    alt: str
    slider: tuple[str, float, float] | None = None


@dataclass(frozen=True, slots=True)
class Wrong:
    """A known mistake: what is said when an answer gives its values."""

    key: str
    line: int
    message: str
    question: str | None
    section: str | None


@dataclass(frozen=True, slots=True)
class Exercise:
    """A checked exercise. `folder` holds its start, solutions, check and known mistakes."""

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
    """One question of a quiz."""

    id: str
    line: int
    blocks: tuple[Block, ...]
    options: tuple[Option, ...]
    multiple: bool


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a part: its target, its heading and its blocks."""

    id: str
    line: int
    title: tuple[Inline, ...]
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a course."""

    id: str
    number: int
    title: str
    summary: str
    level: str
    minutes: int
    goals: tuple[str, ...]
    requires: tuple[str, ...]
    terms: tuple[str, ...]
    sources: tuple[str, ...]
    version: int
    path: Path
    sections: tuple[Section, ...]
    cells: tuple[Cell, ...]
    pictures: tuple[Picture, ...]
    exercises: tuple[Exercise, ...]
    quiz: tuple[Question, ...]
    words: int
    links: tuple[tuple[int, str], ...]
    problems: tuple[LessonProblem, ...]

    def cell(self, name: str) -> Cell | None:
        """The cell of that id."""
        return next((cell for cell in self.cells if cell.id == name), None)

    def exercise(self, name: str) -> Exercise | None:
        """The exercise of that id."""
        return next((exercise for exercise in self.exercises if exercise.id == name), None)

    def program(self, cell: Cell, code: str | None = None) -> str:
        """A cell's whole program: what it needs first, then its own code (or the learner's version of it)."""
        parts: list[str] = []
        for name in cell.needs:
            needed = self.cell(name)
            if needed is not None:
                parts.append(self.program(needed))
        return "\n".join([*parts, cell.code if code is None else code])


@dataclass(frozen=True, slots=True)
class Course:
    """A course: its parts in order. A part that is named but not there is in `missing`."""

    id: str
    title: str
    language: str
    version: int
    folder: Path
    parts: tuple[Part, ...]
    missing: tuple[str, ...]
    problems: tuple[LessonProblem, ...]

    def part(self, name: str) -> Part | None:
        """The part of that id, or of that number."""
        return next((part for part in self.parts if part.id == name or str(part.number) == name), None)

    def exercise(self, name: str) -> tuple[Part, Exercise] | None:
        """An exercise with its part."""
        for part in self.parts:
            found = part.exercise(name)
            if found is not None:
                return part, found
        return None
