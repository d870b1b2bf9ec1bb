"""Diagnostics: pulled by clients that can pull and be told to pull again, published for the others; never both."""

from __future__ import annotations

import asyncio
import hashlib
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from qkv.ide.diagnostics import Cause, Diagnostic, diagnostics
from qkv.ide.links import href
from qkv.ide.snapshot import Snapshot
from qkv.lsp.documents import Unit
from qkv.source import Location

if TYPE_CHECKING:
    from qkv.lsp.server import Server

HOLD = 0.15
"""Seconds without a keystroke before diagnostics are published."""

_SEVERITIES = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "info": lsp.DiagnosticSeverity.Information,
}


async def pull(ls: Server, params: lsp.DocumentDiagnosticParams) -> lsp.DocumentDiagnosticReport:
    """`textDocument/diagnostic`."""
    uri = params.text_document.uri
    current = await ls.current(uri)
    items = converted(ls, *current).get(uri, []) if current else []
    result_id = hashlib.sha1(repr(items).encode("utf-8", "surrogatepass")).hexdigest()
    if params.previous_result_id == result_id:
        return lsp.RelatedUnchangedDocumentDiagnosticReport(result_id=result_id)
    return lsp.RelatedFullDocumentDiagnosticReport(items=items, result_id=result_id)


def schedule(ls: Server, uri: str, delay: float = 0.0) -> None:
    """Publish a document's diagnostics after a while; a newer call for the same document replaces this one."""
    if ls.client.pulls_diagnostics:
        return
    unschedule(ls, uri)
    ls.timers[uri] = asyncio.get_running_loop().call_later(delay, _due, ls, uri)


def unschedule(ls: Server, uri: str) -> None:
    """Publish nothing for a document for now."""
    timer = ls.timers.pop(uri, None)
    if timer is not None:
        timer.cancel()
    task = ls.tasks.pop(uri, None)
    if task is not None:
        task.cancel()


def clear(ls: Server, uris: list[str]) -> None:
    """Take back what was published for documents that are closed now."""
    for uri in uris:
        unschedule(ls, uri)
        if not ls.client.pulls_diagnostics:
            ls.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri=uri, diagnostics=[]))


async def refresh(ls: Server) -> None:
    """Everything may have changed: publish again, or have the client pull again."""
    if ls.client.pulls_diagnostics:
        await ls.workspace_diagnostic_refresh_async(None)
        return
    for unit in ls.documents.units():
        schedule(ls, unit.uri)


def _due(ls: Server, uri: str) -> None:
    ls.timers.pop(uri, None)
    task = ls.tasks[uri] = asyncio.ensure_future(ls.logged("publishing diagnostics", _publish(ls, uri)))
    task.add_done_callback(lambda done: ls.tasks.pop(uri, None) if ls.tasks.get(uri) is done else None)


async def _publish(ls: Server, uri: str) -> None:
    current = await ls.current(uri)
    if current is None:
        return
    unit, snapshot = current
    if ls.documents.unit(uri) != unit:  # a newer text has come; its own turn follows
        return
    found = converted(ls, unit, snapshot)
    for document in unit.documents:
        params = lsp.PublishDiagnosticsParams(document.uri, found.get(document.uri, []), document.version)
        ls.text_document_publish_diagnostics(params)


def converted(ls: Server, unit: Unit, snapshot: Snapshot) -> dict[str, list[lsp.Diagnostic]]:
    """A snapshot's diagnostics by the URI of the document, or of the notebook's cell, in which they stand."""
    found: dict[str, list[lsp.Diagnostic]] = {}
    for diagnostic in diagnostics(snapshot):
        uri, converted_one = convert(ls, unit, diagnostic)
        found.setdefault(uri, []).append(converted_one)
    return found


def convert(ls: Server, unit: Unit, diagnostic: Diagnostic) -> tuple[str, lsp.Diagnostic]:
    """One diagnostic and the URI of the document in which it stands."""
    client = ls.client
    uri, where = unit.place_in_cell(diagnostic.cell, diagnostic.span, client.encoding)
    link = href(client.links, f"diagnostic:{diagnostic.code}") if client.code_description else None
    message = f"{diagnostic.message}\n{diagnostic.detail}" if diagnostic.detail else diagnostic.message
    related = [_related(ls, unit, cause) for cause in diagnostic.because] if client.related_information else None
    tags = [lsp.DiagnosticTag.Unnecessary] if diagnostic.unnecessary and client.diagnostic_tags else None
    return uri, lsp.Diagnostic(
        range=where,
        message=message,
        severity=_SEVERITIES[diagnostic.severity],
        code=diagnostic.code,
        code_description=lsp.CodeDescription(link) if link else None,
        source="qkv",
        tags=tags,
        related_information=related,
    )


def _related(ls: Server, unit: Unit, cause: Cause) -> lsp.DiagnosticRelatedInformation:
    encoding = ls.client.encoding
    if cause.path == unit.path:
        location = lsp.Location(*unit.place_in_cell(cause.cell, cause.span, encoding))
    else:
        location = ls.documents.location(Location(cause.path, cause.span), encoding)
    return lsp.DiagnosticRelatedInformation(location, cause.note)
