"""Documents on the wire: positions in the client's units, edits, and texts that other servers trip over."""

from __future__ import annotations

import pytest
from lsp_session import session
from lsprotocol import types as lsp

pytestmark = pytest.mark.asyncio

UNITS = {
    "utf-8": lambda text: len(text.encode()),
    "utf-16": lambda text: len(text.encode("utf-16-le")) // 2,
    "utf-32": len,
}


def edit(line: int, start: int, end: int, text: str) -> lsp.TextDocumentContentChangePartial:
    """An incremental edit within one line."""
    where = lsp.Range(lsp.Position(line, start), lsp.Position(line, end))
    return lsp.TextDocumentContentChangePartial(range=where, text=text)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_columns_count_in_the_units_agreed_on(encoding: str) -> None:
    units = UNITS[encoding]
    before, name = "𝑄, face = 1, '😋'; w = F.", "softmax"
    async with session(encodings=[encoding]) as client:
        assert client.capabilities.position_encoding == encoding
        uri = client.open(f"import torch.nn.functional as F\n{before}{name}(scores)\n")
        start, end = units(before), units(before + name)
        for character in (start, end - 1):
            shown = await client.hover(uri, 1, character)
            assert shown is not None and shown.range is not None
            assert (shown.range.start.character, shown.range.end.character) == (start, end)
        assert await client.hover(uri, 1, start - 2) is None


async def test_a_client_that_names_no_encoding_gets_utf16() -> None:
    async with session() as client:
        assert client.capabilities.position_encoding == "utf-16"


async def test_incremental_edits_in_units_with_wide_characters() -> None:
    async with session() as client:
        uri = client.open("face = '😋😋'; x = 1\r\ny = 2\n")
        client.change(uri, 2, edit(0, 15, 16, "softmax"), edit(1, 4, 5, "x"))
        shown = await client.hover(uri, 0, 17)
        assert shown is not None and shown.range is not None
        assert (shown.range.start.character, shown.range.end.character) == (15, 22)


async def test_form_feeds_and_odd_line_separators_end_no_line() -> None:
    async with session() as client:
        uri = client.open("a = '\u2028'\x0c\nb = 1\nw = softmax(b)\n")
        client.change(uri, 2, edit(1, 4, 5, "22"))
        shown = await client.hover(uri, 2, 5)
        assert shown is not None and shown.range is not None and shown.range.start.line == 2


async def test_an_edit_over_several_lines_and_one_past_the_end() -> None:
    async with session() as client:
        uri = client.open("a = 1\nb = 2\nc = 3\n")
        across = lsp.Range(lsp.Position(0, 4), lsp.Position(2, 5))
        past = lsp.Range(lsp.Position(90, 9), lsp.Position(99, 9))
        client.change(
            uri,
            2,
            lsp.TextDocumentContentChangePartial(range=across, text="softmax(x)"),
            lsp.TextDocumentContentChangePartial(range=past, text="w = softmax(a)\n"),
        )
        assert await client.hover(uri, 0, 5) is not None
        assert await client.hover(uri, 1, 5) is not None
        assert await client.hover(uri, 2, 0) is None


async def test_a_text_that_is_not_open_or_of_another_language_shows_nothing() -> None:
    async with session() as client:
        assert await client.hover("file:///nowhere.py", 0, 0) is None
        uri = client.open("softmax", "file:///workspace/a.rs", "rust")
        assert await client.hover(uri, 0, 1) is None
        client.change("file:///nowhere.py", 2, edit(0, 0, 1, "x"))
        assert await client.hover(uri, 0, 1) is None


async def test_prose_shows_terms() -> None:
    async with session() as client:
        uri = client.open("The causal mask comes before softmax.\n", "file:///workspace/notes.md", "markdown")
        shown = await client.hover(uri, 0, 30)
        assert shown is not None and isinstance(shown.contents, lsp.MarkupContent)
        assert shown.contents.kind == lsp.MarkupKind.Markdown and "**softmax**" in shown.contents.value


async def test_a_client_without_markdown_gets_plain_text() -> None:
    async with session(markdown=False) as client:
        uri = client.open("The causal mask comes before softmax.\n", "file:///workspace/notes.md", "markdown")
        shown = await client.hover(uri, 0, 30)
        assert shown is not None and isinstance(shown.contents, lsp.MarkupContent)
        assert shown.contents.kind == lsp.MarkupKind.PlainText and shown.contents.value.startswith("softmax: ")
