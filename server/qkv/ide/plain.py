"""Markdown as plain text, for terminals and for editors that show no Markdown."""

from __future__ import annotations

import re

_LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")
_HEADING = re.compile(r"^#{1,6}\s+(.*)$", re.M)
_EMPHASIS = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1|(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])")
_QUOTE = re.compile(r"^> ?", re.M)


def plain_text(markdown: str) -> str:
    """The text of simple Markdown such as ours: headings, links, emphasis, inline code and fenced blocks, which are indented."""
    pieces = re.split(r"^```[^\n]*\n(.*?)^```[ \t]*$", markdown, flags=re.M | re.S)
    said: list[str] = []
    for index, piece in enumerate(pieces):
        if index % 2:
            said.append("\n".join(f"    {line}".rstrip() for line in piece.rstrip("\n").split("\n")))
        else:
            said.append(inline_text(_QUOTE.sub("", _HEADING.sub(r"\1", piece))))
    return re.sub(r"\n{3,}", "\n\n", "".join(said)).strip() + "\n"


def inline_text(markdown: str) -> str:
    """A paragraph without its marks; what is in backquotes stays as it is."""
    parts = markdown.split("`")
    marked = (
        part if index % 2 else _EMPHASIS.sub(lambda m: m[2] or m[3], _LINK.sub(r"\1", part))
        for index, part in enumerate(parts)
    )
    return re.sub(r"\\([\\`*_{}\[\]()#+\-.!|<>~$])", r"\1", "".join(marked))
