"""`textDocument/hover`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from qkv.ide.hover import hover as hover_at

if TYPE_CHECKING:
    from qkv.lsp.server import Server


async def hover(ls: Server, params: lsp.HoverParams) -> lsp.Hover | None:
    """The hover, in Markdown where the client shows it."""
    current = await ls.current(params.text_document.uri)
    if current is None:
        return None
    unit, snapshot = current
    point = unit.point(params.text_document.uri, params.position, ls.client.encoding)
    found = hover_at(snapshot, *point, ls.client.links) if point else None
    if found is None:
        return None
    kind, value = (
        (lsp.MarkupKind.Markdown, found.markdown) if ls.client.markdown else (lsp.MarkupKind.PlainText, found.text)
    )
    return lsp.Hover(lsp.MarkupContent(kind, value), unit.place(found.span, ls.client.encoding)[1])
