"""The text of a lesson as a tree of plain, frozen nodes, each block with the line of the file where it starts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Text:
    """Words."""

    text: str


@dataclass(frozen=True, slots=True)
class CodeText:
    """Code inside a line."""

    text: str


@dataclass(frozen=True, slots=True)
class MathText:
    """A formula inside a line, in TeX."""

    tex: str


@dataclass(frozen=True, slots=True)
class Emphasis:
    """Words with a stress; `strong` is the heavier one."""

    inlines: tuple[Inline, ...]
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """A link; its target begins with `lesson:`, `term:`, `diagnostic:`, `https:`, or is a section of this part, `#why`."""

    target: str
    inlines: tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class TermLink:
    """Words that name a term of the glossary. `id` is None until the term is looked up; `asked` where the author wrote the role."""

    text: str
    id: str | None = None
    asked: bool = True


Inline = Text | CodeText | MathText | Emphasis | Link | TermLink


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph."""

    line: int
    inlines: tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; sections have level 2."""

    line: int
    level: int
    inlines: tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Target:
    """`(id)=`, which names the section that follows."""

    line: int
    id: str


@dataclass(frozen=True, slots=True)
class ListBlock:
    """A list; each item is a run of blocks."""

    line: int
    ordered: bool
    items: tuple[tuple[Block, ...], ...]


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """Code that is shown and not run."""

    line: int
    language: str
    text: str


@dataclass(frozen=True, slots=True)
class MathBlock:
    """A formula on lines of its own, in TeX."""

    line: int
    tex: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table: its head and its rows, each a row of cells."""

    line: int
    header: tuple[tuple[Inline, ...], ...]
    rows: tuple[tuple[tuple[Inline, ...], ...], ...]


@dataclass(frozen=True, slots=True)
class Note:
    """A thing worth knowing beside the path."""

    line: int
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of somebody else."""

    line: int
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class CellPlace:
    """Where a cell stands in the text; the cell itself is in the part, by its id."""

    line: int
    id: str


@dataclass(frozen=True, slots=True)
class PicturePlace:
    """Where a picture stands in the text."""

    line: int
    id: str


@dataclass(frozen=True, slots=True)
class ExercisePlace:
    """Where an exercise stands in the text."""

    line: int
    id: str


Block = (
    Paragraph
    | Heading
    | Target
    | ListBlock
    | CodeBlock
    | MathBlock
    | Table
    | Note
    | Quote
    | CellPlace
    | PicturePlace
    | ExercisePlace
)
Lines = tuple[Inline, ...]


def walk_blocks(blocks: Sequence[Block]) -> Iterator[Block]:
    """All blocks, outer before inner, in the order of the text."""
    for block in blocks:
        yield block
        if isinstance(block, ListBlock):
            for item in block.items:
                yield from walk_blocks(item)
        elif isinstance(block, (Note, Quote)):
            yield from walk_blocks(block.blocks)


def lines_of(block: Block) -> tuple[Lines, ...]:
    """The runs of inlines that a block holds itself."""
    if isinstance(block, (Paragraph, Heading)):
        return (block.inlines,)
    if isinstance(block, Table):
        return (*block.header, *(cell for row in block.rows for cell in row))
    return ()


def walk_inlines(inlines: Sequence[Inline]) -> Iterator[Inline]:
    """All inlines, outer before inner."""
    for inline in inlines:
        yield inline
        if isinstance(inline, (Emphasis, Link)):
            yield from walk_inlines(inline.inlines)


def words_of_inlines(inlines: Sequence[Inline]) -> str:
    """A line as plain text: what a reader without formatting sees."""
    parts: list[str] = []
    for inline in inlines:
        match inline:
            case Text(text) | CodeText(text) | TermLink(text):
                parts.append(text)
            case MathText(tex):
                parts.append(tex)
            case Emphasis(inner) | Link(_, inner):
                parts.append(words_of_inlines(inner))
    return "".join(parts)


def words_of_blocks(blocks: Sequence[Block]) -> str:
    """The prose of some blocks as plain text, a line for each paragraph; code and formulas on lines of their own are left out."""
    return "\n".join(
        words_of_inlines(line)
        for block in walk_blocks(blocks)
        for line in lines_of(block)
        if not isinstance(block, Heading)
    )
