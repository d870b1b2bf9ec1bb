"""`qkv/run` and `qkv/stop`: learner code in a process of its own, its output streamed while it runs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from qkv.lsp.server import Server

REQUESTS: dict[str, Callable[[Server, Any], Awaitable[Any]]] = {}


@dataclass
class Runs:
    """What is running now."""

    def close(self) -> None:
        """Stop everything."""
