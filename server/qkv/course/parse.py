"""Read `lesson.md`: front matter, sections, blocks. What is wrong is noted with its line, and the rest is read all the same."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from qkv.course.fences import Reading, read_fence
from qkv.course.front_matter import read_front_matter
from qkv.course.markdown import blocks_of, markdown_parser
from qkv.course.model import Part, Section
from qkv.course.nodes import Block, Heading, Paragraph, Target, words_of_inlines


def parse_part(path: Path, text: str) -> Part:
    """One part of a course from the text of its file. Never raises on a text: problems are in the part."""
    md = markdown_parser()
    reading = Reading(md, path, text.split("\n"))
    tokens = md.parse(text)
    head = tokens[0].content if tokens and tokens[0].type == "front_matter" else None
    front = read_front_matter(reading, head)
    blocks = blocks_of(tokens[head is not None :], 0, lambda token, line: read_fence(reading, token, line))
    sections = _sections(reading, blocks)
    return Part(
        path,
        front,
        sections,
        tuple(reading.cells),
        tuple(reading.pictures),
        tuple(reading.exercises),
        tuple(reading.quiz),
        tuple(sorted(reading.problems)),
    )


def _sections(reading: Reading, blocks: Sequence[Block]) -> tuple[Section, ...]:
    """Cut the text at its headings of level 2."""
    found: list[tuple[str, Heading, list[Block]]] = []
    target: Target | None = None
    for block in blocks:
        if isinstance(block, Target):
            target = block
            continue
        if isinstance(block, Heading) and block.level == 2:
            if target is None:
                message = "a section needs an id on the line before its heading, such as `(why)=`"
                reading.problem(block.line, "lesson-id", message)
            found.append((target.id if target else "", block, []))
        elif isinstance(block, Heading) and block.level == 1:
            reading.problem(block.line, "lesson-block", "the title stands in the front matter; sections start with ##")
        elif target is not None:
            reading.problem(target.line, "lesson-id", f"({target.id})= stands before no heading of a section (##)")
        elif found:
            found[-1][2].append(block)
        else:
            reading.problem(block.line, "lesson-block", "this stands before the first section; move it into one")
        if isinstance(block, Paragraph) and words_of_inlines(block.inlines).lstrip().startswith(":::"):
            message = "these colons close nothing: the outer block needs more colons than those inside it"
            reading.problem(block.line, "lesson-block", message)
        target = None
    return tuple(Section(name, heading.line, heading.inlines, tuple(inside)) for name, heading, inside in found)
