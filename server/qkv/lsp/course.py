"""`qkv/…` requests about the course, the glossary and this installation."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from qkv.lsp.server import Server

REQUESTS: dict[str, Callable[[Server, Any], Awaitable[Any]]] = {}
