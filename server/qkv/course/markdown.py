"""Markdown as nodes: the strict subset that lessons are written in becomes a tree, never HTML."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.colon_fence import colon_fence_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.front_matter import front_matter_plugin
from mdit_py_plugins.myst_blocks import myst_block_plugin
from mdit_py_plugins.myst_role import myst_role_plugin

from qkv.course.nodes import (
    Block,
    CodeBlock,
    CodeText,
    Emphasis,
    Heading,
    Inline,
    Link,
    ListBlock,
    MathBlock,
    MathText,
    Paragraph,
    Quote,
    Table,
    Target,
    TermLink,
    Text,
)

ALLOWED_LINK = re.compile(r"https://|lesson:[a-z0-9-]+([#/][\w-]+)?$|term:[a-z0-9-]+$|diagnostic:[a-z-]+$|#[\w-]+$")
"""What a link may lead to. Everything else, `command:` above all, stays the text that it is written as."""


def markdown_parser() -> MarkdownIt:
    """The one Markdown parser of lessons and terms: no HTML, no pictures from elsewhere, and links only where they do no harm."""
    md = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    for plugin in (front_matter_plugin, colon_fence_plugin, myst_block_plugin, myst_role_plugin):
        md.use(plugin)
    md.use(dollarmath_plugin, allow_space=False, allow_digits=False, double_inline=False)
    md.validateLink = lambda url: ALLOWED_LINK.match(url) is not None  # type: ignore[method-assign]
    return md


OnFence = Callable[[Token, int], "Sequence[Block]"]
"""What a colon fence becomes: called with the fence and the line of the file where it starts."""


def blocks_of(tokens: Sequence[Token], offset: int, on_fence: OnFence) -> tuple[Block, ...]:
    """Tokens as blocks. `offset` is what must be added to the tokens' lines (from 0) to give the lines of the file before (from 1)."""
    result: list[Block] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.nesting == 1:
            end = _closing(tokens, at)
            result.extend(_container(token, tokens[at + 1 : end], offset, on_fence))
            at = end + 1
        else:
            result.extend(_leaf(token, offset, on_fence))
            at += 1
    return tuple(result)


def _closing(tokens: Sequence[Token], start: int) -> int:
    depth = 0
    for at in range(start, len(tokens)):
        depth += tokens[at].nesting
        if depth == 0:
            return at
    return len(tokens)


def _container(token: Token, inside: Sequence[Token], offset: int, on_fence: OnFence) -> Sequence[Block]:
    line = line_of(token, offset)
    kind = token.type.removesuffix("_open")
    if kind == "paragraph":
        return [Paragraph(line, inlines_of(inside[0].children or []))]
    if kind == "heading":
        return [Heading(line, int(token.tag[1:]), inlines_of(inside[0].children or []))]
    if kind in ("bullet_list", "ordered_list"):
        return [ListBlock(line, kind == "ordered_list", tuple(_items(inside, offset, on_fence)))]
    if kind == "blockquote":
        return [Quote(line, blocks_of(inside, offset, on_fence))]
    if kind == "table":
        return [_table(line, inside)]
    return blocks_of(inside, offset, on_fence)


def _items(tokens: Sequence[Token], offset: int, on_fence: OnFence) -> list[tuple[Block, ...]]:
    items: list[tuple[Block, ...]] = []
    at = 0
    while at < len(tokens):
        end = _closing(tokens, at)
        items.append(blocks_of(tokens[at + 1 : end], offset, on_fence))
        at = end + 1
    return items


def _table(line: int, tokens: Sequence[Token]) -> Table:
    rows: list[list[tuple[Inline, ...]]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(inlines_of(token.children or []))
    return Table(line, tuple(rows[0]), tuple(tuple(row) for row in rows[1:]))


def _leaf(token: Token, offset: int, on_fence: OnFence) -> Sequence[Block]:
    line = line_of(token, offset)
    if token.type in ("fence", "code_block"):
        return [CodeBlock(line, token.info.strip(), token.content.rstrip("\n"))]
    if token.type == "colon_fence":
        return on_fence(token, line)
    if token.type == "math_block":
        return [MathBlock(line, token.content.strip())]
    if token.type == "myst_target":
        return [Target(line, token.content)]
    return []  # comments, rules, the front matter


def line_of(token: Token, offset: int) -> int:
    """The line of the file where a block starts."""
    return (token.map[0] if token.map else 0) + offset + 1


def inlines_of(tokens: Sequence[Token]) -> tuple[Inline, ...]:
    """The pieces of a line."""
    result: list[Inline] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        end = _closing(tokens, at) if token.nesting == 1 else at
        inside = tokens[at + 1 : end]
        match token.type:
            case "text" | "text_special" if token.content:
                result.append(Text(token.content))
            case "softbreak" | "hardbreak":
                result.append(Text(" "))
            case "code_inline":
                result.append(CodeText(token.content))
            case "math_inline" | "math_inline_double":
                result.append(MathText(token.content))
            case "myst_role":
                result.append(_role(token))
            case "em_open" | "strong_open":
                result.append(Emphasis(inlines_of(inside), token.type == "strong_open"))
            case "link_open":
                result.append(Link(str(token.attrGet("href")), inlines_of(inside)))
            case _:
                pass
        at = end + 1
    return tuple(_joined(result))


def _role(token: Token) -> Inline:
    """A role that is not known stays as it is written, so that the validator and the reader both see it."""
    name = str(token.meta["name"])
    return TermLink(token.content) if name == "term" else Text(f"{{{name}}}`{token.content}`")


def _joined(inlines: Sequence[Inline]) -> list[Inline]:
    """Neighbouring texts made one, so that a term of two words is found across a line's end."""
    result: list[Inline] = []
    for inline in inlines:
        last = result[-1] if result else None
        if isinstance(inline, Text) and isinstance(last, Text):
            result[-1] = Text(last.text + inline.text)
        else:
            result.append(inline)
    return result


def parse_inline(md: MarkdownIt, text: str) -> tuple[Inline, ...]:
    """One line of Markdown, as in the front matter and in options."""
    return tuple(piece for token in md.parseInline(text) for piece in inlines_of(token.children or []))
