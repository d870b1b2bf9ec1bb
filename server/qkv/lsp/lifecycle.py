"""From the first message to the last: the client introduces itself, documents come and go, settings and files change."""

from __future__ import annotations

import asyncio
import logging
import platform
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp

from qkv import __version__
from qkv.lsp import diagnostics
from qkv.lsp.client import read_client

if TYPE_CHECKING:
    from qkv.lsp.server import Server

log = logging.getLogger(__name__)

CROWD = 0.3
"""Seconds without a changed file before changed files are looked at."""

WATCHED = ("**/*.py", "**/pyproject.toml", "**/pyvenv.cfg")


def initialize(ls: Server, params: lsp.InitializeParams) -> None:
    """`initialize`: note what the client can do."""
    ls.client = read_client(params)


async def initialized(ls: Server, params: Any) -> None:
    """`initialized`: say who is there, and ask to be told of changed settings and files."""
    way = "pulled" if ls.client.pulls_diagnostics else "published"
    log.info(
        "qkv %s on Python %s; positions in %s; diagnostics are %s",
        __version__,
        platform.python_version(),
        ls.client.encoding,
        way,
    )
    ls.analyses.warm_up()
    wanted: list[lsp.Registration] = []
    if ls.client.configuration_changes:
        options = lsp.DidChangeConfigurationRegistrationOptions("qkv")
        wanted.append(lsp.Registration("qkv-configuration", lsp.WORKSPACE_DID_CHANGE_CONFIGURATION, options))
    if ls.client.watches_files:
        watchers = [lsp.FileSystemWatcher(glob) for glob in WATCHED]
        files = lsp.DidChangeWatchedFilesRegistrationOptions(watchers)
        wanted.append(lsp.Registration("qkv-files", lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES, files))
    if wanted:
        await ls.client_register_capability_async(lsp.RegistrationParams(wanted))


async def did_open(ls: Server, params: lsp.DidOpenTextDocumentParams) -> None:
    diagnostics.schedule(ls, params.text_document.uri)


async def did_change(ls: Server, params: lsp.DidChangeTextDocumentParams) -> None:
    unit = ls.documents.unit(params.text_document.uri)
    if unit is not None:
        ls.analyses.edited.add(unit.path)
    diagnostics.schedule(ls, params.text_document.uri, diagnostics.HOLD)


async def did_save(ls: Server, params: lsp.DidSaveTextDocumentParams) -> None:
    """What other open files say may depend on the one that was saved; while it was being typed they were left in peace."""
    uri = params.text_document.uri
    if uri.endswith("/pyproject.toml"):
        await _anew(ls)
    elif len(ls.documents.units()) > 1:
        ls.analyses.forget_all(but=uri)
        await diagnostics.refresh(ls)


async def did_close(ls: Server, params: lsp.DidCloseTextDocumentParams) -> None:
    uri = params.text_document.uri
    ls.analyses.forget(uri)
    ls.configuration.scopes.pop(uri, None)
    diagnostics.clear(ls, [uri])


async def did_open_notebook(ls: Server, params: lsp.DidOpenNotebookDocumentParams) -> None:
    diagnostics.schedule(ls, params.notebook_document.uri)


async def did_change_notebook(ls: Server, params: lsp.DidChangeNotebookDocumentParams) -> None:
    structure = params.change.cells.structure if params.change.cells else None
    gone = [item.uri for item in (structure.did_close or ())] if structure else []
    diagnostics.clear(ls, gone)
    diagnostics.schedule(ls, params.notebook_document.uri, diagnostics.HOLD)


async def did_close_notebook(ls: Server, params: lsp.DidCloseNotebookDocumentParams) -> None:
    uri = params.notebook_document.uri
    ls.analyses.forget(uri)
    ls.configuration.scopes.pop(uri, None)
    diagnostics.unschedule(ls, uri)
    diagnostics.clear(ls, [item.uri for item in params.cell_text_documents])


async def did_change_configuration(ls: Server, params: lsp.DidChangeConfigurationParams) -> None:
    """The editor's settings have changed: those that came along count for a client that cannot be asked."""
    settings = params.settings
    if isinstance(settings, dict) and not ls.client.configuration:
        ls.configuration.pushed = settings.get("qkv", settings)
    await _anew(ls)


async def did_change_watched_files(ls: Server, params: lsp.DidChangeWatchedFilesParams) -> None:
    """Files have changed outside of the editor, or were saved in it; only those that are not open can change an answer."""
    paths = [change.uri for change in params.changes]
    if any(uri not in ls.documents.texts for uri in paths):
        _anew_soon(ls)


def _anew_soon(ls: Server) -> None:
    """Files change in crowds (a checkout, an installation): look at them once, when it is quiet again."""
    before = ls.timers.pop("", None)
    if before is not None:
        before.cancel()

    def due() -> None:
        ls.timers.pop("", None)
        ls.tasks[""] = asyncio.ensure_future(ls.logged("looking at changed files", _anew(ls)))

    ls.timers[""] = asyncio.get_running_loop().call_later(CROWD, due)


async def _anew(ls: Server) -> None:
    ls.configuration.forget()
    ls.analyses.forget_all()
    await diagnostics.refresh(ls)
    if ls.client.refreshes_hints:
        await ls.workspace_inlay_hint_refresh_async(None)
