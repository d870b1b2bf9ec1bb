"""The server: what it remembers, and the table of what it answers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias, TypeVar

from lsprotocol import types as lsp
from pygls.exceptions import FeatureRequestError, JsonRpcException, JsonRpcInternalError
from pygls.lsp.server import LanguageServer
from pygls.protocol import default_converter

from qkv import __version__
from qkv.ide.snapshot import Snapshot
from qkv.lsp import code_actions, course, diagnostics, hover, inlay_hints, lifecycle, run
from qkv.lsp.analyses import Analyses, Superseded
from qkv.lsp.client import Client
from qkv.lsp.configuration import Configuration, settings_for
from qkv.lsp.documents import Documents, Unit
from qkv.lsp.protocol import Protocol

log = logging.getLogger(__name__)
T = TypeVar("T")
Handler: TypeAlias = "Callable[[Server, Any], Awaitable[Any]]"

FEATURES: tuple[tuple[str, Handler, Any], ...] = (
    (lsp.INITIALIZED, lifecycle.initialized, None),
    (lsp.TEXT_DOCUMENT_DID_OPEN, lifecycle.did_open, None),
    (lsp.TEXT_DOCUMENT_DID_CHANGE, lifecycle.did_change, None),
    (lsp.TEXT_DOCUMENT_DID_SAVE, lifecycle.did_save, None),
    (lsp.TEXT_DOCUMENT_DID_CLOSE, lifecycle.did_close, None),
    (lsp.NOTEBOOK_DOCUMENT_DID_OPEN, lifecycle.did_open_notebook, None),
    (lsp.NOTEBOOK_DOCUMENT_DID_CHANGE, lifecycle.did_change_notebook, None),
    (lsp.NOTEBOOK_DOCUMENT_DID_CLOSE, lifecycle.did_close_notebook, None),
    (lsp.WORKSPACE_DID_CHANGE_CONFIGURATION, lifecycle.did_change_configuration, None),
    (lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES, lifecycle.did_change_watched_files, None),
    (lsp.TEXT_DOCUMENT_HOVER, hover.hover, None),
    (lsp.TEXT_DOCUMENT_INLAY_HINT, inlay_hints.hints, None),
    (lsp.TEXT_DOCUMENT_CODE_ACTION, code_actions.code_actions, code_actions.OPTIONS),
)
"""The protocol's own methods. A handler that fails is logged and answers null."""

PULL = (lsp.TEXT_DOCUMENT_DIAGNOSTIC, diagnostics.pull, lsp.DiagnosticOptions(True, False, identifier="qkv"))
"""Registered only for clients that pull."""

CUSTOM: dict[str, Handler] = {**course.REQUESTS, **run.REQUESTS}
"""`qkv/…`: a handler that fails answers an error with a sentence, since the panel has to say something."""


class Server(LanguageServer):
    """One client's server. What features need stands in plain attributes; what they do stands in their own modules."""

    custom_requests = frozenset(CUSTOM)

    def __init__(self) -> None:
        languages = [lsp.NotebookCellLanguage("python"), lsp.NotebookCellLanguage("markdown")]
        notebooks = lsp.NotebookDocumentSyncOptions(
            [lsp.NotebookDocumentFilterWithNotebook("*", languages)], save=False
        )
        self.client = Client()
        self.documents = Documents()
        self.analyses = Analyses(self.documents.text_at)
        self.configuration = Configuration()
        self.timers: dict[str, asyncio.TimerHandle] = {}
        self.tasks: dict[str, asyncio.Task[Any]] = {}
        self.runs = run.Runs()
        self.stop: Callable[[int], None] = lambda code: None
        super().__init__(
            "qkv",
            __version__,
            notebook_document_sync=notebooks,
            protocol_cls=Protocol,
            converter_factory=default_converter,
        )

    def end(self, code: int) -> None:
        """Stop serving; the process ends with this code."""
        self.stop(code)

    async def current(self, uri: str) -> tuple[Unit, Snapshot] | None:
        """The snapshot of an open document's newest text; None where it is not open or is nothing of ours."""
        while (unit := self.documents.unit(uri)) is not None:
            settings = await settings_for(self, unit)
            if self.documents.unit(uri) != unit:
                continue
            try:
                return unit, await self.analyses.snapshot(unit, settings)
            except Superseded:
                continue
        return None

    async def logged(self, what: str, work: Awaitable[T]) -> T | None:
        """Await something; where it fails, say so in the log and answer None."""
        try:
            return await work
        except asyncio.CancelledError:
            raise
        except Exception:
            log.exception("%s failed", what)
            return None

    def report_server_error(self, error: Exception, source: Any) -> None:
        """A failure outside of any answer goes to the log, not into a popup."""
        if source is not FeatureRequestError:
            log.error("%s", error)


def make_server() -> Server:
    """A server that answers everything in the tables."""
    server = Server()

    def initialize(ls: Server, params: lsp.InitializeParams) -> None:
        lifecycle.initialize(ls, params)
        if ls.client.pulls_diagnostics:
            method, handler, options = PULL
            ls.feature(method, options)(_guarded(method, handler))

    server.feature(lsp.INITIALIZE)(initialize)
    for method, handler, options in FEATURES:
        server.feature(method, options)(_guarded(method, handler))
    for method, handler in CUSTOM.items():
        server.feature(method)(_answering(method, handler))
    return server


def _guarded(method: str, handler: Handler) -> Handler:
    async def answer(ls: Server, params: Any) -> Any:
        return await ls.logged(method, handler(ls, params))

    return answer


def _answering(method: str, handler: Handler) -> Handler:
    async def answer(ls: Server, params: Any) -> Any:
        try:
            return await handler(ls, params if isinstance(params, dict) else {})
        except (asyncio.CancelledError, JsonRpcException):
            raise
        except Exception as problem:
            log.exception("%s failed", method)
            raise JsonRpcInternalError(f"{method} failed: {problem}") from problem

    return answer
