"""pygls's protocol with three things of our own: the documents, the exit code, and custom requests as plain JSON."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any, cast

import attrs
from lsprotocol import types as lsp
from pygls.protocol import LanguageServerProtocol, lsp_method

if TYPE_CHECKING:
    from qkv.lsp.server import Server

CUSTOM = "qkv/"


@attrs.define
class CustomRequest:
    """A `qkv/…` request, whose parameters stay the JSON that they came as."""

    id: int | str
    method: str
    params: Any = None
    jsonrpc: str = "2.0"


class Protocol(LanguageServerProtocol):
    """How messages become calls.

    The documents are kept by `Documents` and not by pygls's workspace, which ends lines at form feeds and U+2028 too, so that
    every later edit of such a file lands on the wrong line.
    """

    @property
    def ours(self) -> Server:
        """The server, as what it is."""
        return cast("Server", self._server)

    def get_message_type(self, method: str) -> type[Any] | None:  # pyright: ignore[reportIncompatibleVariableOverride]
        if method in self.ours.custom_requests:
            return CustomRequest
        return super().get_message_type(method)

    @lsp_method(lsp.EXIT)
    def lsp_exit(self, *arguments: Any) -> Generator[Any, Any, None]:
        """End the process: with 0 after a shutdown, else with 1, as the protocol says."""
        yield from self._then(lsp.EXIT, None)
        self.ours.end(0 if self._shutdown else 1)

    def _then(self, method: str, params: Any) -> Generator[Any, Any, None]:
        handler = self.fm.features.get(method)
        if handler is not None:
            yield handler, (params,), None

    @lsp_method(lsp.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: lsp.DidOpenTextDocumentParams) -> Generator[Any, Any, None]:
        self.ours.documents.open(params.text_document)
        yield from self._then(lsp.TEXT_DOCUMENT_DID_OPEN, params)

    @lsp_method(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: lsp.DidChangeTextDocumentParams) -> Generator[Any, Any, None]:
        document = params.text_document
        encoding = self.ours.client.encoding
        self.ours.documents.change(document.uri, document.version, params.content_changes, encoding)
        yield from self._then(lsp.TEXT_DOCUMENT_DID_CHANGE, params)

    @lsp_method(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: lsp.DidCloseTextDocumentParams) -> Generator[Any, Any, None]:
        self.ours.documents.close(params.text_document.uri)
        yield from self._then(lsp.TEXT_DOCUMENT_DID_CLOSE, params)

    @lsp_method(lsp.NOTEBOOK_DOCUMENT_DID_OPEN)
    def lsp_notebook_document__did_open(self, params: lsp.DidOpenNotebookDocumentParams) -> Generator[Any, Any, None]:
        self.ours.documents.open_notebook(params)
        yield from self._then(lsp.NOTEBOOK_DOCUMENT_DID_OPEN, params)

    @lsp_method(lsp.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def lsp_notebook_document__did_change(
        self, params: lsp.DidChangeNotebookDocumentParams
    ) -> Generator[Any, Any, None]:
        self.ours.documents.change_notebook(params, self.ours.client.encoding)
        yield from self._then(lsp.NOTEBOOK_DOCUMENT_DID_CHANGE, params)

    @lsp_method(lsp.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def lsp_notebook_document__did_close(self, params: lsp.DidCloseNotebookDocumentParams) -> Generator[Any, Any, None]:
        self.ours.documents.close_notebook(params)
        yield from self._then(lsp.NOTEBOOK_DOCUMENT_DID_CLOSE, params)
