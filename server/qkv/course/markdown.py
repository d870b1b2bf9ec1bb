"""Markdown as data: the strict subset that lessons are written in becomes blocks and inlines, never HTML."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any
from xml.etree import ElementTree

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.colon_fence import colon_fence_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.front_matter import front_matter_plugin
from mdit_py_plugins.myst_blocks import myst_block_plugin
from mdit_py_plugins.myst_role import myst_role_plugin

from qkv.course.model import Block, Inline

ALLOWED_LINK = re.compile(r"^(https://|lesson:[a-z0-9/#_-]+$|term:[a-z0-9-]+$|diagnostic:[a-z-]+$)")


def parser() -> MarkdownIt:
    """The one Markdown parser of lessons and terms: no HTML, and links only where they cannot do harm."""
    md = MarkdownIt("commonmark", {"html": False}).enable("table")
    md.use(front_matter_plugin).use(colon_fence_plugin).use(dollarmath_plugin, double_inline=False).use(myst_role_plugin).use(myst_block_plugin)
    md.validateLink = lambda url: ALLOWED_LINK.match(url) is not None  # type: ignore[method-assign]
    return md


def mathml(tex: str) -> Any:
    """A formula as a tree of MathML elements: `{tag, attributes, children}`. A formula that cannot be read becomes its text."""
    from latex2mathml.converter import convert

    try:
        return _element(ElementTree.fromstring(convert(tex)))
    except Exception:  # the library raises many kinds for formulas that it does not know
        return {"tag": "math", "attributes": {}, "children": [{"tag": "mtext", "attributes": {}, "children": [tex]}]}


def _element(node: ElementTree.Element) -> Any:
    children: list[Any] = [node.text] if node.text else []
    for child in node:
        children.append(_element(child))
        if child.tail:
            children.append(child.tail)
    return {"tag": node.tag.split("}")[-1], "attributes": {key: value for key, value in node.attrib.items() if key != "xmlns"}, "children": children}


Fence = Callable[[Token, int], "list[Block]"]
"""What a colon fence becomes: given the fence and the line of the file where it starts."""


def blocks_of(tokens: Sequence[Token], offset: int, fence: Fence) -> list[Block]:
    """Tokens of a document as blocks. `offset` is added to the tokens' lines to give lines of the file."""
    result: list[Block] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.nesting == 1:
            end = _closing(tokens, at)
            result.extend(_container(token, tokens[at + 1 : end], offset, fence))
            at = end + 1
            continue
        result.extend(_leaf(token, offset, fence))
        at += 1
    return result


def _closing(tokens: Sequence[Token], start: int) -> int:
    depth = 0
    for at in range(start, len(tokens)):
        depth += tokens[at].nesting
        if depth == 0:
            return at
    return len(tokens) - 1


def _container(token: Token, inside: Sequence[Token], offset: int, fence: Fence) -> list[Block]:
    kind = token.type.removesuffix("_open")
    line = line_of(token, offset)
    if kind == "paragraph":
        return [{"kind": "paragraph", "line": line, "inlines": inlines_of(inside[0].children or [])}] if inside else []
    if kind == "heading":
        return [{"kind": "heading", "line": line, "level": int(token.tag[1:]), "inlines": inlines_of(inside[0].children or [])}]
    if kind in ("bullet_list", "ordered_list"):
        items: list[list[Block]] = []
        at = 0
        while at < len(inside):
            end = _closing(inside, at)
            items.append(blocks_of(inside[at + 1 : end], offset, fence))
            at = end + 1
        return [{"kind": "list", "line": line, "ordered": kind == "ordered_list", "items": items}]
    if kind == "blockquote":
        return [{"kind": "quote", "line": line, "blocks": blocks_of(inside, offset, fence)}]
    if kind == "table":
        return [{"kind": "table", "line": line, **_table(inside)}]
    return blocks_of(inside, offset, fence)


def _table(tokens: Sequence[Token]) -> dict[str, Any]:
    rows: list[list[list[Inline]]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline" and rows:
            rows[-1].append(inlines_of(token.children or []))
    return {"header": rows[0] if rows else [], "rows": rows[1:]}


def _leaf(token: Token, offset: int, fence: Fence) -> list[Block]:
    line = line_of(token, offset)
    if token.type in ("fence", "code_block"):
        return [{"kind": "code", "line": line, "language": token.info.strip(), "text": token.content.rstrip("\n")}]
    if token.type == "colon_fence":
        return fence(token, line)
    if token.type == "math_block":
        tex = token.content.strip()
        return [{"kind": "math", "line": line, "tex": tex, "mathml": mathml(tex)}]
    if token.type == "myst_target":
        return [{"kind": "target", "line": line, "id": token.content}]
    return []


def line_of(token: Token, offset: int) -> int:
    """The line of the file where a block starts."""
    return (token.map[0] if token.map else 0) + offset + 1


def inlines_of(tokens: Sequence[Token]) -> list[Inline]:
    """The pieces of a line."""
    result: list[Inline] = []
    stack: list[list[Inline]] = [result]
    for token in tokens:
        here = stack[-1]
        if token.type == "text" and token.content:
            here.append({"kind": "text", "text": token.content})
        elif token.type in ("softbreak", "hardbreak"):
            here.append({"kind": "text", "text": " "})
        elif token.type == "code_inline":
            here.append({"kind": "code", "text": token.content})
        elif token.type in ("math_inline", "math_inline_double"):
            here.append({"kind": "math", "tex": token.content, "mathml": mathml(token.content)})
        elif token.type == "myst_role":
            here.append({"kind": "role", "role": token.meta["name"], "text": token.content})
        elif token.type in ("em_open", "strong_open", "link_open"):
            inner: list[Inline] = []
            kind = {"em_open": "emphasis", "strong_open": "strong", "link_open": "link"}[token.type]
            made: Inline = {"kind": kind, "inlines": inner}
            if kind == "link":
                made["target"] = str(token.attrGet("href"))
            here.append(made)
            stack.append(inner)
        elif token.type in ("em_close", "strong_close", "link_close") and len(stack) > 1:
            stack.pop()
    return result


def plain_text(items: Iterable[Any]) -> str:
    """The words of blocks or inlines, for a terminal and for counting."""
    words: list[str] = []
    for item in items:
        kind = item["kind"]
        if kind in ("text", "code") and "text" in item:
            words.append(item["text"])
        elif kind in ("role", "term"):
            words.append(item.get("text") or plain_text(item.get("inlines", [])))
        elif kind == "math":
            words.append(item["tex"])
        elif kind == "list":
            words.extend(plain_text(blocks) + "\n" for blocks in item["items"])
        elif kind == "table":
            words.extend(" ".join(plain_text(cell) for cell in row) + "\n" for row in [item["header"], *item["rows"]])
        else:
            words.append(plain_text(item.get("inlines") or item.get("blocks") or []))
            if kind in ("paragraph", "heading", "note", "quote"):
                words.append("\n")
    return "".join(words)
