"""The one place where the client's positions become ours and ours become the client's.

The core counts lines and code points from 1; the client counts from 0, columns in units of the encoding agreed on at the start.
"""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types as lsp

from qkv.source import Span

_UNITS = {
    lsp.PositionEncodingKind.Utf8: ("utf-8", 1),
    lsp.PositionEncodingKind.Utf16: ("utf-16-le", 2),
    lsp.PositionEncodingKind.Utf32: ("utf-32-le", 4),
}


def column_from_units(text: str, units: int, encoding: str) -> int:
    """The column, from 1, at an offset in the client's units. Past the line's end is its end; inside a character is its start."""
    if text.isascii() or encoding == lsp.PositionEncodingKind.Utf32:
        return min(max(units, 0), len(text)) + 1
    codec, width = _UNITS[lsp.PositionEncodingKind(encoding)]
    return len(text.encode(codec, "surrogatepass")[: max(units, 0) * width].decode(codec, "ignore")) + 1


def column_to_units(text: str, column: int, encoding: str) -> int:
    """The offset in the client's units of a column from 1."""
    if text.isascii() or encoding == lsp.PositionEncodingKind.Utf32:
        return min(max(column - 1, 0), len(text))
    codec, width = _UNITS[lsp.PositionEncodingKind(encoding)]
    return len(text[: max(column - 1, 0)].encode(codec, "surrogatepass")) // width


def point_from_position(lines: Sequence[str], position: lsp.Position, encoding: str) -> tuple[int, int]:
    """A client's position as line and column from 1; a place past the text is the text's end."""
    if position.line >= len(lines):
        return len(lines), len(lines[-1]) + 1 if lines else 1
    return position.line + 1, column_from_units(lines[position.line], position.character, encoding)


def position_of(lines: Sequence[str], line: int, column: int, encoding: str) -> lsp.Position:
    """A line and column from 1 as the client's position."""
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    return lsp.Position(line - 1, column_to_units(text, column, encoding) if text else max(column - 1, 0))


def range_of(lines: Sequence[str], span: Span, encoding: str) -> lsp.Range:
    """A span as the client's range."""
    return lsp.Range(
        position_of(lines, span.line, span.column, encoding),
        position_of(lines, span.end_line, span.end_column, encoding),
    )
