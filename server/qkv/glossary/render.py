"""A term as Markdown and as plain text: short for a hover, whole for a page."""

from __future__ import annotations

import re
from collections.abc import Callable

from qkv.glossary.load import Glossary, Term

Link = Callable[[str], str | None]
"""Turns `lesson:PART` or `term:ID` into what the reader's program can follow; None where it can follow nothing."""

_MARKS = (
    (re.compile(r"\[([^\]\n]+)\]\([^()\s]+\)"), r"\1"),
    (re.compile(r"`([^`\n]+)`"), r"\1"),
    (re.compile(r"\*\*([^*\n]+)\*\*"), r"\1"),
    (re.compile(r"(?<![\w*])\*([^*\s][^*\n]*?)\*(?![\w*])"), r"\1"),
)


def plain_text(markdown: str) -> str:
    """Markdown without its marks: emphasis, code spans and links give their words."""
    for pattern, words in _MARKS:
        markdown = pattern.sub(words, markdown)
    return markdown


def hover_markdown(term: Term, link: Link) -> str:
    """Name and definition, formula, shape, and where it is taught."""
    blocks = [f"**{term.name}** — {term.definition}"]
    if term.formula_text:
        blocks.append(f"`{term.formula_text}`")
    if term.shape:
        blocks.append(f"Shape: {term.shape}")
    links = [("Lesson", term.lesson), ("More", f"term:{term.id}")]
    followed = [f"[{label}]({url})" for label, target in links if target and (url := link(target))]
    return "\n\n".join([*blocks, *([" · ".join(followed)] if followed else [])])


def hover_text(term: Term) -> str:
    """The same without marks and links, for a terminal or a client that shows plain text."""
    lines = [
        f"{term.name}: {plain_text(term.definition)}",
        term.formula_text,
        term.shape and f"Shape: {plain_text(term.shape)}",
    ]
    return "\n".join(line for line in lines if line)


def page_markdown(term: Term, glossary: Glossary) -> str:
    """The whole entry. Its links are `lesson:` and `term:` links, to be turned at the edge."""
    blocks = [f"# {term.name}", term.definition]
    if term.also:
        blocks.append(f"Also: {', '.join(term.also)}.")
    if term.formula_text:
        blocks.append(f"`{term.formula_text}`")
    if term.shape:
        blocks.append(f"Shape: {term.shape}")
    if term.more:
        blocks.append(term.more)
    blocks.append(f"```python\n{term.example.rstrip()}\n```")
    see = [f"[{glossary.terms[id].name}](term:{id})" for id in term.see if id in glossary.terms]
    if see:
        blocks.append(f"See also: {', '.join(see)}")
    if term.lesson:
        blocks.append(f"[Taught in the lesson]({term.lesson})")
    return "\n\n".join(blocks)


def page_text(term: Term, glossary: Glossary) -> str:
    """The whole entry for a terminal."""
    blocks = [f"{term.name}\n{'-' * len(term.name)}", plain_text(term.definition)]
    if term.formula_text:
        blocks.append(f"    {term.formula_text}")
    if term.shape:
        blocks.append(f"Shape: {plain_text(term.shape)}")
    if term.more:
        blocks.append(plain_text(term.more))
    blocks.append("\n".join(f"    {line}".rstrip() for line in term.example.rstrip().split("\n")))
    see = [glossary.terms[id].name for id in term.see if id in glossary.terms]
    if see:
        blocks.append(f"See also: {', '.join(see)}")
    if term.lesson:
        blocks.append(f"Taught in {term.lesson}")
    return "\n\n".join(blocks)
