"""A real client, talking to a real server process over its standard input and output."""

from __future__ import annotations

import asyncio
import functools
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from lsprotocol import types as lsp
from pytest_lsp import LanguageClient, make_test_lsp_client

SERVER = (sys.executable, "-m", "qkv", "lsp", "--stdio")
TIMEOUT = 60


@dataclass
class Told:
    """What the server told the client without being asked."""

    published: list[lsp.PublishDiagnosticsParams] = field(default_factory=list)
    registered: list[str] = field(default_factory=list)
    notified: list[tuple[str, Any]] = field(default_factory=list)
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)


@dataclass
class Session:
    """One session: the client, what the server said it can do, and what it told on its own."""

    client: LanguageClient
    capabilities: lsp.ServerCapabilities
    told: Told

    def open(self, text: str, uri: str = "file:///workspace/model.py", language: str = "python") -> str:
        """Open a text; returns its URI."""
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(uri, language, 1, text)))
        return uri

    def change(self, uri: str, version: int, *changes: lsp.TextDocumentContentChangeEvent) -> None:
        """Edit an open text."""
        self.client.text_document_did_change(
            lsp.DidChangeTextDocumentParams(
                lsp.VersionedTextDocumentIdentifier(uri=uri, version=version), list(changes)
            )
        )

    def replace(self, uri: str, version: int, text: str) -> None:
        """Replace an open text as a whole."""
        self.change(uri, version, lsp.TextDocumentContentChangeWholeDocument(text))

    async def hover(self, uri: str, line: int, character: int) -> lsp.Hover | None:
        """The hover at a position in the client's own units."""
        params = lsp.HoverParams(lsp.TextDocumentIdentifier(uri), lsp.Position(line, character))
        return await asyncio.wait_for(self.client.text_document_hover_async(params), TIMEOUT)

    async def pull(self, uri: str, previous: str | None = None) -> Any:
        """Pull a document's diagnostics."""
        params = lsp.DocumentDiagnosticParams(lsp.TextDocumentIdentifier(uri), previous_result_id=previous)
        return await asyncio.wait_for(self.client.text_document_diagnostic_async(params), TIMEOUT)

    async def hints(self, uri: str) -> list[lsp.InlayHint]:
        """All inlay hints of a document."""
        everything = lsp.Range(lsp.Position(0, 0), lsp.Position(10_000, 0))
        params = lsp.InlayHintParams(lsp.TextDocumentIdentifier(uri), everything)
        return list(await asyncio.wait_for(self.client.text_document_inlay_hint_async(params), TIMEOUT) or [])

    async def actions(self, uri: str, where: lsp.Range, *sent: lsp.Diagnostic) -> list[lsp.CodeAction]:
        """The quick fixes at a range."""
        params = lsp.CodeActionParams(lsp.TextDocumentIdentifier(uri), where, lsp.CodeActionContext(list(sent)))
        found = await asyncio.wait_for(self.client.text_document_code_action_async(params), TIMEOUT)
        return [action for action in found or [] if isinstance(action, lsp.CodeAction)]

    async def published(self, uri: str, version: int | None = 1) -> list[lsp.Diagnostic]:
        """Wait until diagnostics of a version of a document (None: of no version, after its end) are published."""

        def newest() -> lsp.PublishDiagnosticsParams | None:
            return next(
                (one for one in reversed(self.told.published) if (one.uri, one.version) == (uri, version)), None
            )

        async with self.told.changed:
            found = await asyncio.wait_for(self.told.changed.wait_for(newest), TIMEOUT)
        return list(found.diagnostics)

    async def request(self, method: str, params: Any) -> Any:
        """A request of our own; the answer as plain JSON."""
        answer = await asyncio.wait_for(self.client.protocol.send_request_async(method, params), TIMEOUT)
        return plain(answer)


def plain(answer: Any) -> Any:
    """pygls gives a custom answer as nested named tuples; as JSON it is easier to look at."""
    if hasattr(answer, "_asdict"):
        return {key: plain(value) for key, value in answer._asdict().items()}
    if isinstance(answer, (list, tuple)):
        return [plain(item) for item in answer]
    return answer


def editor(**changes: Any) -> lsp.ClientCapabilities:
    """The capabilities of an editor that can do everything and publishes diagnostics itself only if it cannot pull.

    `pull=False`, `markdown=False`, `encodings=[…]`, `configuration=False`, `notebooks=True` change one thing.
    """
    markdown, pull = changes.get("markdown", True), changes.get("pull", False)
    kinds = [lsp.MarkupKind.Markdown, lsp.MarkupKind.PlainText] if markdown else [lsp.MarkupKind.PlainText]
    return lsp.ClientCapabilities(
        general=lsp.GeneralClientCapabilities(position_encodings=changes.get("encodings")),
        text_document=lsp.TextDocumentClientCapabilities(
            hover=lsp.HoverClientCapabilities(content_format=kinds),
            diagnostic=lsp.DiagnosticClientCapabilities() if pull else None,
            publish_diagnostics=lsp.PublishDiagnosticsClientCapabilities(
                related_information=True,
                code_description_support=True,
                tag_support=lsp.ClientDiagnosticsTagOptions([lsp.DiagnosticTag.Unnecessary]),
            ),
            code_action=lsp.CodeActionClientCapabilities(
                code_action_literal_support=lsp.ClientCodeActionLiteralOptions(
                    lsp.ClientCodeActionKindOptions([lsp.CodeActionKind.QuickFix])
                ),
                is_preferred_support=True,
            ),
        ),
        workspace=lsp.WorkspaceClientCapabilities(
            configuration=changes.get("configuration", True),
            diagnostics=lsp.DiagnosticWorkspaceClientCapabilities(refresh_support=True) if pull else None,
            inlay_hint=lsp.InlayHintWorkspaceClientCapabilities(refresh_support=False),
        ),
        notebook_document=lsp.NotebookDocumentClientCapabilities(lsp.NotebookDocumentSyncClientCapabilities())
        if changes.get("notebooks")
        else None,
    )


async def _note(told: Told, method: str, params: Any) -> None:
    async with told.changed:
        told.notified.append((method, plain(params)))
        told.changed.notify_all()


@asynccontextmanager
async def session(
    *,
    settings: dict[str, Any] | None = None,
    options: dict[str, Any] | None = None,
    folder: str | None = None,
    env: dict[str, str] | None = None,
    command: tuple[str, ...] = SERVER,
    exit_code: int = 0,
    **changes: Any,
) -> AsyncIterator[Session]:
    """Start a server, introduce the client to it, and end both properly afterwards."""
    client, told = make_test_lsp_client(), Told()

    @client.feature(lsp.CLIENT_REGISTER_CAPABILITY)
    def register(params: lsp.RegistrationParams) -> None:
        told.registered.extend(registration.method for registration in params.registrations)

    client.protocol.fm.features.pop(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)

    @client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    async def publish(params: lsp.PublishDiagnosticsParams) -> None:
        async with told.changed:
            told.published.append(params)
            told.changed.notify_all()

    for method in ("qkv/output", "qkv/progressChanged"):
        client.feature(method)(functools.partial(_note, told, method))

    client.set_configuration({"qkv": settings or {}})
    await client.start_io(*command, env=env)
    answer = await asyncio.wait_for(
        client.initialize_session(
            lsp.InitializeParams(
                capabilities=editor(**changes),
                initialization_options=options,
                root_uri=folder,
                workspace_folders=[lsp.WorkspaceFolder(folder, "workspace")] if folder else None,
            )
        ),
        TIMEOUT,
    )
    try:
        yield Session(client, answer.capabilities, told)
    finally:
        await asyncio.wait_for(client.shutdown_session(), TIMEOUT)
        assert client._server is not None and client._server.returncode == exit_code
