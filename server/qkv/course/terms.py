"""Terms link themselves: the first use in a section, the longest name first, never in code, headings or links."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from qkv.course.nodes import (
    Block,
    Emphasis,
    Inline,
    ListBlock,
    Note,
    Paragraph,
    Quote,
    Table,
    TermLink,
    Text,
    lines_of,
    walk_blocks,
    walk_inlines,
)
from qkv.glossary import Index


@dataclass(frozen=True, slots=True, eq=False)
class Phrases:
    """Spellings as words in lower case, with the id of the term that they name; None: these words mean something else."""

    ids: Mapping[tuple[str, ...], str | None]
    longest: int


_WORD = re.compile(r"[^\W_]+")


def phrases_of(index: Index) -> Phrases:
    """The spellings of a glossary, plurals included."""
    ids = {words: term.id if term else None for words, term in index.phrases.items()}
    return Phrases(ids, max(map(len, ids), default=0))


def linked(blocks: Sequence[Block], phrases: Phrases, seen: set[str]) -> tuple[Block, ...]:
    """Blocks of one section with their terms linked. `seen` holds the ids that the section has linked already, and grows."""
    return tuple(_block(block, phrases, seen) for block in blocks)


def only_roles(blocks: Sequence[Block], phrases: Phrases) -> tuple[Block, ...]:
    """Blocks with the author's own `{term}` roles looked up and no other links: hints, notes and questions stay plain."""
    return linked(blocks, phrases, {term for term in phrases.ids.values() if term})


def _block(block: Block, phrases: Phrases, seen: set[str]) -> Block:
    if isinstance(block, Paragraph):
        return replace(block, inlines=_inlines(block.inlines, phrases, seen))
    if isinstance(block, ListBlock):
        return replace(block, items=tuple(linked(item, phrases, seen) for item in block.items))
    if isinstance(block, (Note, Quote)):
        return replace(block, blocks=linked(block.blocks, phrases, seen))
    if isinstance(block, Table):
        rows = tuple(tuple(_inlines(cell, phrases, seen) for cell in row) for row in block.rows)
        return replace(block, rows=rows)
    return block


def _inlines(inlines: Sequence[Inline], phrases: Phrases, seen: set[str]) -> tuple[Inline, ...]:
    result: list[Inline] = []
    for inline in inlines:
        if isinstance(inline, Text):
            result.extend(_text(inline.text, phrases, seen))
        elif isinstance(inline, Emphasis):
            result.append(replace(inline, inlines=_inlines(inline.inlines, phrases, seen)))
        elif isinstance(inline, TermLink):
            link = replace(inline, id=term_id(inline.text, phrases))
            seen.update({link.id} if link.id else ())
            result.append(link)
        else:
            result.append(inline)
    return tuple(result)


def term_id(text: str, phrases: Phrases) -> str | None:
    """The term that a spelling names, whatever its case and its number."""
    return phrases.ids.get(tuple(word.lower() for word in _WORD.findall(text)))


def _text(text: str, phrases: Phrases, seen: set[str]) -> list[Inline]:
    words = list(_WORD.finditer(text))
    lower = [word.group().lower() for word in words]
    result: list[Inline] = []
    done, at = 0, 0
    while at < len(words):
        length = next(
            (
                n
                for n in range(min(phrases.longest, len(words) - at), 0, -1)
                if _names(text, words, lower, at, n, phrases)
            ),
            0,
        )
        term = phrases.ids[tuple(lower[at : at + length])] if length else None
        if term is not None and term not in seen:
            seen.add(term)
            start, end = words[at].start(), words[at + length - 1].end()
            if start > done:
                result.append(Text(text[done:start]))
            result.append(TermLink(text[start:end], term, asked=False))
            done = end
        at += max(length, 1)
    if done < len(text):
        result.append(Text(text[done:]))
    return result


def _names(
    text: str, words: Sequence[re.Match[str]], lower: Sequence[str], at: int, length: int, phrases: Phrases
) -> bool:
    """Whether these words are a known phrase: with nothing but spaces and hyphens between them, and not a part of a longer word."""
    if tuple(lower[at : at + length]) not in phrases.ids:
        return False
    start, end = words[at].start(), words[at + length - 1].end()
    if text[start - 1 : start] == "_" or text[end : end + 1] == "_":
        return False
    between = (text[words[i].end() : words[i + 1].start()] for i in range(at, at + length - 1))
    return all(gap in (" ", "-", "\N{NON-BREAKING HYPHEN}", "\N{EN DASH}") for gap in between)


def used_terms(blocks: Sequence[Block]) -> Iterator[tuple[int, TermLink]]:
    """The term links of blocks that went through `linked`, with the line of the block that holds each."""
    for block in walk_blocks(blocks):
        for line in lines_of(block):
            for inline in walk_inlines(line):
                if isinstance(inline, TermLink):
                    yield block.line, inline
