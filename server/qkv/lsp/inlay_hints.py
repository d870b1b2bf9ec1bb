"""`textDocument/inlayHint`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from qkv.ide.inlay_hints import Hint, inlay_hints
from qkv.lsp.documents import Unit
from qkv.source import Location, Span

if TYPE_CHECKING:
    from qkv.lsp.server import Server


async def hints(ls: Server, params: lsp.InlayHintParams) -> list[lsp.InlayHint] | None:
    """The hints of a range: one label part an axis, which leads to where the axis got its name."""
    current = await ls.current(params.text_document.uri)
    if current is None:
        return None
    unit, snapshot = current
    encoding = ls.client.encoding
    first = unit.point(params.text_document.uri, params.range.start, encoding)
    last = unit.point(params.text_document.uri, params.range.end, encoding)
    if first is None or last is None:
        return None
    return [_converted(ls, unit, hint) for hint in inlay_hints(snapshot, first[0], last[0])]


def _converted(ls: Server, unit: Unit, hint: Hint) -> lsp.InlayHint:
    end = Span(hint.line, hint.column, hint.line, hint.column)
    parts = [
        lsp.InlayHintLabelPart(part.text, location=_birth(ls, unit, part.birth) if part.birth else None)
        for part in hint.parts
    ]
    position = unit.place(end, ls.client.encoding)[1].start
    return lsp.InlayHint(position, parts, lsp.InlayHintKind.Type, tooltip=hint.tooltip, padding_left=False)


def _birth(ls: Server, unit: Unit, birth: Location) -> lsp.Location:
    if birth.path == unit.path:
        return lsp.Location(*unit.place(birth.span, ls.client.encoding))
    return ls.documents.location(birth, ls.client.encoding)
