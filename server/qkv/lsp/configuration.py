"""Settings of a document: those of its project, and those of the editor, asked for per scope and remembered until they change."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp

from qkv.ide.settings import Settings, editor_settings, project_file, project_settings
from qkv.lsp.documents import Unit

if TYPE_CHECKING:
    from qkv.lsp.server import Server

log = logging.getLogger(__name__)


@dataclass
class Configuration:
    """What was said so far: by scope for clients that can be asked, in `pushed` for the others."""

    scopes: dict[str, asyncio.Future[Any]] = field(default_factory=dict[str, "asyncio.Future[Any]"])
    pushed: Any = None
    projects: dict[Path, tuple[Settings, tuple[str, ...]]] = field(
        default_factory=dict[Path, "tuple[Settings, tuple[str, ...]]"]
    )
    complained: set[str] = field(default_factory=set[str])

    def forget(self) -> None:
        """Ask and read again: something has changed."""
        self.scopes.clear()
        self.projects.clear()


async def editor_values(ls: Server, uri: str | None) -> Any:
    """The editor's section `qkv` for a scope, as JSON; the initialisation options where the client cannot be asked."""
    configuration = ls.configuration
    if not ls.client.configuration:
        return configuration.pushed if configuration.pushed is not None else initial_values(ls.client.options)
    scope = uri or ""
    if scope not in configuration.scopes:
        configuration.scopes[scope] = asyncio.ensure_future(_ask(ls, uri))
    # Whoever asks may be cancelled; the question to the client stands, and others wait for its answer.
    return await asyncio.shield(configuration.scopes[scope])


async def _ask(ls: Server, uri: str | None) -> Any:
    item = lsp.ConfigurationItem(scope_uri=uri, section="qkv")
    try:
        answer = await ls.workspace_configuration_async(lsp.ConfigurationParams([item]))
        value = answer[0] if answer else None
    except Exception as problem:
        log.warning("the client did not answer workspace/configuration: %s", problem)
        value = None
    return value if isinstance(value, dict) else initial_values(ls.client.options)


def initial_values(options: Any) -> Any:
    """The settings among the initialisation options: under `settings` or `qkv`, or the options themselves."""
    if isinstance(options, dict):
        for key in ("settings", "qkv"):
            if isinstance(options.get(key), dict):
                return options[key]
        return {key: value for key, value in options.items() if key not in ("links", "uriScheme")}
    return None


async def settings_for(ls: Server, unit: Unit) -> Settings:
    """The settings that hold for a document."""
    values = await editor_values(ls, unit.uri)
    project, problems = _project(ls.configuration, unit)
    settings, more = editor_settings(values, project)
    for problem in (*problems, *more):
        if problem not in ls.configuration.complained:
            ls.configuration.complained.add(problem)
            log.warning("%s", problem)
            ls.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Warning, f"qkv: {problem}"))
    return settings


def _project(configuration: Configuration, unit: Unit) -> tuple[Settings, tuple[str, ...]]:
    if "://" in unit.path or unit.path.startswith("untitled:"):
        return Settings(), ()
    folder = Path(unit.path).parent
    if folder not in configuration.projects:
        configuration.projects[folder] = project_settings(project_file(folder))
    return configuration.projects[folder]
