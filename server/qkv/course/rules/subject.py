"""What the rules look at: one part, within its course."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from qkv.course.fences import place_of
from qkv.course.model import Course, LessonProblem, Part
from qkv.course.nodes import Block, Inline, lines_of, walk_blocks, walk_inlines
from qkv.course.terms import Phrases


@dataclass(frozen=True)
class Subject:
    """One part with the lines of its file. `terms` are the ids of the glossary."""

    course: Course
    part: Part
    lines: list[str]
    terms: frozenset[str]
    phrases: Phrases

    def problem(self, line: int, code: str, message: str, word: str = "", severity: str = "error") -> LessonProblem:
        """A problem at a word of a line, or of the lines that follow it in the paragraph; without one, at the whole line."""
        return place_of(self.part.path, self.lines, line, code, message, word, severity)

    def number(self, name: str) -> int:
        """The place of a part in the course; a part that is not there stands behind all others."""
        return self.course.named.index(name) if name in self.course.named else len(self.course.named)


def prose(part: Part) -> list[Block]:
    """The text that a reader reads from top to bottom: sections, and the exercises' own texts."""
    blocks: list[Block] = [block for section in part.sections for block in section.blocks]
    return blocks + [block for exercise in part.exercises for block in exercise.blocks]


def all_blocks(part: Part) -> list[Block]:
    """All text of a part, hints and notes included."""
    blocks = prose(part)
    for exercise in part.exercises:
        for hint in exercise.hints:
            blocks += hint
        blocks += exercise.solution
    for question in part.quiz:
        blocks += question.blocks
        for option in question.options:
            blocks += [*option.blocks, *option.note]
    return blocks


def all_inlines(part: Part, blocks: Sequence[Block]) -> Iterator[tuple[int, Inline]]:
    """Each piece of some text, with the line of the block that holds it."""
    for block in walk_blocks(blocks):
        for line in lines_of(block):
            for inline in walk_inlines(line):
                yield block.line, inline


def head_inlines(part: Part) -> Iterator[tuple[int, Inline]]:
    """Each piece of the front matter's texts, of titles and of tasks, with its line."""
    for line in (*part.front.goals, *part.front.sources):
        for inline in walk_inlines(line):
            yield 1, inline
    for section in part.sections:
        for inline in walk_inlines(section.title):
            yield section.line, inline
    for cell in part.cells:
        for inline in walk_inlines(cell.task or ()):
            yield cell.line, inline
