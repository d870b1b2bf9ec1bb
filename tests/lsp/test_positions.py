"""Positions and edits, held against the definition: an offset counts code units of the line's text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as some
from lsprotocol import types as lsp

from qkv.lsp.documents import Documents
from qkv.lsp.positions import column_from_units, column_to_units

CODECS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
LINES = some.text("a 𝑄😋é\u2028\x0c\t#", max_size=8)
TEXTS = some.lists(LINES, min_size=1, max_size=4).flatmap(
    lambda lines: some.lists(some.sampled_from(["\n", "\r\n", "\r"]), min_size=len(lines), max_size=len(lines)).map(
        lambda ends: "".join(line + end for line, end in zip(lines, ends, strict=True))
    )
)
ENCODINGS = some.sampled_from(sorted(CODECS))


def units(text: str, encoding: str) -> int:
    """How long a text is in code units."""
    codec, width = CODECS[encoding]
    return len(text.encode(codec)) // width


@given(LINES, ENCODINGS, some.integers(-2, 40))
def test_columns_and_units(text: str, encoding: str, column: int) -> None:
    inside = min(max(column, 1), len(text) + 1)
    assert column_to_units(text, column, encoding) == units(text[: inside - 1], encoding)
    assert column_from_units(text, units(text[: inside - 1], encoding), encoding) == inside
    assert 1 <= column_from_units(text, column, encoding) <= len(text) + 1


@given(some.data(), TEXTS, ENCODINGS, LINES)
def test_an_edit_replaces_exactly_its_range(data: some.DataObject, text: str, encoding: str, new: str) -> None:
    uri = "file:///a.py"
    documents = Documents()
    documents.open(lsp.TextDocumentItem(uri, "python", 1, text))
    lines = documents.texts[uri].lines
    places = sorted(
        (line, data.draw(some.integers(0, len(lines[line]))))
        for line in data.draw(some.lists(some.integers(0, len(lines) - 1), min_size=2, max_size=2))
    )
    (first, start), (last, end) = places
    where = lsp.Range(
        lsp.Position(first, units(lines[first][:start], encoding)),
        lsp.Position(last, units(lines[last][:end], encoding)),
    )
    documents.change(uri, 2, [lsp.TextDocumentContentChangePartial(range=where, text=new)], encoding)
    starts = documents.texts[uri].__class__(uri, 1, "python", text).starts
    expected = text[: starts[first] + start] + new + text[starts[last] + end :]
    assert documents.texts[uri].text == expected
    assert documents.texts[uri].version == 2
