"""The open documents, as the client has them. An edit replaces a document; nothing that holds the old one sees it change."""

from __future__ import annotations

import re
import tokenize
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from lsprotocol import types as lsp
from pygls.uris import from_fs_path, to_fs_path

from qkv.ide.notebook import Cells, join_cells
from qkv.ide.snapshot import Language
from qkv.lsp.positions import point_from_position, range_of
from qkv.source import Location, Span

_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True)
class Document:
    """One version of an open text."""

    uri: str
    version: int | None
    language: str
    text: str

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines as the protocol counts them, without their ends. Form feeds and U+2028 end no line."""
        return tuple(_LINE_END.split(self.text))

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The offset in the text at which each line begins."""
        return (0, *(match.end() for match in _LINE_END.finditer(self.text)))


@dataclass(frozen=True)
class Notebook:
    """One version of an open notebook: its cells in order, each with whether it holds code."""

    uri: str
    version: int
    cells: tuple[tuple[str, bool], ...]


@dataclass(frozen=True)
class Unit:
    """What is analysed as one module: a file, or all code cells of a notebook. Equal units have equal texts."""

    uri: str
    path: str
    language: Language
    version: int | None
    documents: tuple[Document, ...]
    numbers: tuple[int, ...] = ()

    @cached_property
    def joined(self) -> tuple[str, Cells | None]:
        """The module's text and, for a notebook, where its cells stand in it."""
        if not self.numbers:
            return (self.documents[0].text if self.documents else "", None)
        return join_cells(
            [(number, document.text) for number, document in zip(self.numbers, self.documents, strict=True)]
        )

    def point(self, uri: str, position: lsp.Position, encoding: str) -> tuple[int, int] | None:
        """A client's position in one of the documents as line and column of the module."""
        for index, document in enumerate(self.documents):
            if document.uri == uri:
                line, column = point_from_position(document.lines, position, encoding)
                cells = self.joined[1]
                return (cells.starts[index] + line - 1 if cells else line), column
        return None

    def place(self, span: Span, encoding: str) -> tuple[str, lsp.Range]:
        """A span of the module as the URI of a document and a range in it."""
        cells = self.joined[1]
        if cells is None or not self.documents:
            lines = self.documents[0].lines if self.documents else ()
            return self.uri, range_of(lines, span, encoding)
        number, inside = cells.place(span)
        return self.place_in_cell(number, inside, encoding)

    def place_in_cell(self, number: int | None, span: Span, encoding: str) -> tuple[str, lsp.Range]:
        """A span of a cell, by the cell's number, as the URI of its document and a range in it."""
        if number is None or number not in self.numbers:
            lines = self.documents[0].lines if self.documents else ()
            return self.uri, range_of(lines, span, encoding)
        document = self.documents[self.numbers.index(number)]
        return document.uri, range_of(document.lines, span, encoding)


@dataclass
class Documents:
    """All open texts and notebooks by URI."""

    texts: dict[str, Document] = field(default_factory=dict[str, Document])
    notebooks: dict[str, Notebook] = field(default_factory=dict[str, Notebook])

    def open(self, item: lsp.TextDocumentItem) -> None:
        """Take a text that the client opened; opening it twice replaces it."""
        language = str(getattr(item.language_id, "value", item.language_id))
        self.texts[item.uri] = Document(item.uri, item.version, language, item.text)

    def change(
        self, uri: str, version: int | None, changes: Sequence[lsp.TextDocumentContentChangeEvent], encoding: str
    ) -> None:
        """Apply the client's edits, one after the other. Edits of a text that is not open are dropped."""
        document = self.texts.get(uri)
        if document is None:
            return
        for change in changes:
            text = _edited(document, change, encoding)
            document = Document(uri, version, document.language, text)
        self.texts[uri] = Document(uri, version, document.language, document.text)

    def close(self, uri: str) -> None:
        """Forget a text."""
        self.texts.pop(uri, None)

    def open_notebook(self, params: lsp.DidOpenNotebookDocumentParams) -> None:
        """Take a notebook and the texts of its cells."""
        for item in params.cell_text_documents:
            self.open(item)
        notebook = params.notebook_document
        self.notebooks[notebook.uri] = Notebook(notebook.uri, notebook.version, _cells(notebook.cells))

    def change_notebook(self, params: lsp.DidChangeNotebookDocumentParams, encoding: str) -> None:
        """Apply changes to a notebook's list of cells and to their texts."""
        uri, version = params.notebook_document.uri, params.notebook_document.version
        notebook = self.notebooks.get(uri)
        changed = params.change.cells
        if notebook is None:
            return
        cells = list(notebook.cells)
        if changed and changed.structure:
            array = changed.structure.array
            cells[array.start : array.start + array.delete_count] = _cells(array.cells or ())
            for item in changed.structure.did_open or ():
                self.open(item)
            for item in changed.structure.did_close or ():
                self.close(item.uri)
        if changed and changed.data:
            kinds = dict(_cells(changed.data))
            cells = [(cell, kinds.get(cell, code)) for cell, code in cells]
        for content in (changed.text_content or ()) if changed else ():
            self.change(content.document.uri, content.document.version, content.changes, encoding)
        self.notebooks[uri] = Notebook(uri, version, tuple(cells))

    def close_notebook(self, params: lsp.DidCloseNotebookDocumentParams) -> None:
        """Forget a notebook and its cells."""
        self.notebooks.pop(params.notebook_document.uri, None)
        for item in params.cell_text_documents:
            self.close(item.uri)

    def unit(self, uri: str) -> Unit | None:
        """What an open document, a cell or a notebook is analysed as; None where it is not open or is neither Python nor Markdown."""
        notebook = self.notebooks.get(uri) or next((n for n in self.notebooks.values() if _has(n, uri)), None)
        if notebook is not None:
            held = self.texts.get(uri)
            if held is not None and held.language == "markdown":
                return Unit(uri, _path_of(uri), "markdown", held.version, (held,))
            code = [
                (i, self.texts[cell])
                for i, (cell, is_code) in enumerate(notebook.cells, 1)
                if is_code and cell in self.texts
            ]
            documents = tuple(document for _, document in code)
            numbers = tuple(number for number, _ in code)
            return Unit(notebook.uri, _path_of(notebook.uri), "python", notebook.version, documents, numbers)
        document = self.texts.get(uri)
        if document is None or document.language not in ("python", "markdown"):
            return None
        return Unit(uri, _path_of(uri), document.language, document.version, (document,))  # pyright: ignore[reportArgumentType]

    def units(self) -> list[Unit]:
        """All that is open, each once: notebooks, and the texts outside of them."""
        in_notebooks = {cell for notebook in self.notebooks.values() for cell, _ in notebook.cells}
        uris = [*self.notebooks, *(uri for uri in self.texts if uri not in in_notebooks)]
        return [unit for uri in uris if (unit := self.unit(uri)) is not None]

    def text_at(self, path: Path) -> str | None:
        """The text of an open file; None where it is not open. Called from the analysis' thread: it only reads."""
        document = self.texts.get(from_fs_path(str(path)) or "")
        return document.text if document is not None else None

    def location(self, location: Location, encoding: str) -> lsp.Location:
        """A place in any file, open or not, as the client's location."""
        uri = location.path if "://" in location.path else from_fs_path(location.path) or location.path
        document = self.texts.get(uri) or next(
            (d for d in self.texts.values() if _path_of(d.uri) == location.path), None
        )
        lines = document.lines if document else _lines_on_disk(location, encoding)
        return lsp.Location(document.uri if document else uri, range_of(lines, location.span, encoding))


def _has(notebook: Notebook, uri: str) -> bool:
    return any(cell == uri for cell, _ in notebook.cells)


def _cells(cells: Sequence[lsp.NotebookCell]) -> tuple[tuple[str, bool], ...]:
    return tuple((cell.document, cell.kind == lsp.NotebookCellKind.Code) for cell in cells)


def _path_of(uri: str) -> str:
    """A file's path; for what is in no file, such as an untitled text, its URI."""
    return to_fs_path(uri) or uri


def _edited(document: Document, change: lsp.TextDocumentContentChangeEvent, encoding: str) -> str:
    if not isinstance(change, lsp.TextDocumentContentChangePartial):
        return change.text
    start = _offset(document, change.range.start, encoding)
    end = _offset(document, change.range.end, encoding)
    return document.text[: min(start, end)] + change.text + document.text[max(start, end) :]


def _offset(document: Document, position: lsp.Position, encoding: str) -> int:
    if position.line >= len(document.lines):
        return len(document.text)
    line, column = point_from_position(document.lines, position, encoding)
    return document.starts[line - 1] + column - 1


def _lines_on_disk(location: Location, encoding: str) -> tuple[str, ...]:
    """The lines of a file that is not open, up to the place; read only where columns need counting again."""
    if encoding == lsp.PositionEncodingKind.Utf32 or location.span.end_column == 1:
        return ()
    try:
        with tokenize.open(location.path) as file:
            return tuple(line.rstrip("\r\n") for _, line in zip(range(location.span.end_line), file, strict=False))
    except (OSError, SyntaxError, UnicodeDecodeError):
        return ()
