"""What the client at the other end can do, read once from its first message."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from lsprotocol import types as lsp
from pygls.capabilities import ServerCapabilitiesBuilder, get_capability

from qkv.ide.links import Links


@dataclass(frozen=True)
class Client:
    """The client's abilities, as answers to the questions that the features ask."""

    encoding: str = lsp.PositionEncodingKind.Utf16.value
    markdown: bool = False
    pulls_diagnostics: bool = False
    related_information: bool = False
    code_description: bool = False
    diagnostic_tags: bool = False
    literal_actions: bool = False
    preferred_actions: bool = False
    document_changes: bool = False
    refreshes_hints: bool = False
    configuration: bool = False
    configuration_changes: bool = False
    watches_files: bool = False
    links: Links = field(default_factory=Links)
    options: Any = None
    process_id: int | None = None


def read_client(params: lsp.InitializeParams) -> Client:
    """Read the `initialize` request. Diagnostics are pulled only from a client that can also be told to pull again."""
    can = params.capabilities

    def has(path: str) -> bool:
        return bool(get_capability(can, path, False))

    formats = get_capability(can, "text_document.hover.content_format", None) or []
    pulls = get_capability(can, "text_document.diagnostic", None) is not None
    options = params.initialization_options if isinstance(params.initialization_options, dict) else {}
    return Client(
        encoding=str(getattr(encoding := ServerCapabilitiesBuilder.choose_position_encoding(can), "value", encoding)),
        markdown=lsp.MarkupKind.Markdown in formats,
        pulls_diagnostics=pulls and has("workspace.diagnostics.refresh_support"),
        related_information=has("text_document.publish_diagnostics.related_information")
        or has("text_document.diagnostic.related_information"),
        code_description=has("text_document.publish_diagnostics.code_description_support")
        or has("text_document.diagnostic.code_description_support"),
        diagnostic_tags=get_capability(can, "text_document.publish_diagnostics.tag_support", None) is not None
        or get_capability(can, "text_document.diagnostic.tag_support", None) is not None,
        literal_actions=get_capability(can, "text_document.code_action.code_action_literal_support", None) is not None,
        preferred_actions=has("text_document.code_action.is_preferred_support"),
        document_changes=has("workspace.workspace_edit.document_changes"),
        refreshes_hints=has("workspace.inlay_hint.refresh_support"),
        configuration=has("workspace.configuration"),
        configuration_changes=has("workspace.did_change_configuration.dynamic_registration"),
        watches_files=has("workspace.did_change_watched_files.dynamic_registration"),
        links=_links(options),
        options=options,
        process_id=params.process_id,
    )


def _links(options: dict[str, Any]) -> Links:
    scheme = options.get("uriScheme")
    return Links(options.get("links") == "command", scheme if isinstance(scheme, str) else None)
