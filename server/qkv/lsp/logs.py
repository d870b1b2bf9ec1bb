"""The log: to the client's log window, and to standard error; never to standard output, which belongs to the protocol."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

if TYPE_CHECKING:
    from qkv.lsp.server import Server

_TYPES = (
    (logging.ERROR, lsp.MessageType.Error),
    (logging.WARNING, lsp.MessageType.Warning),
    (logging.INFO, lsp.MessageType.Info),
)


class ClientLog(logging.Handler):
    """Sends records to the client, from whatever thread they come."""

    def __init__(self, ls: Server, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(logging.INFO)
        self._ls = ls
        self._loop = loop

    def emit(self, record: logging.LogRecord) -> None:
        kind = next((kind for level, kind in _TYPES if record.levelno >= level), lsp.MessageType.Debug)
        try:
            message = lsp.LogMessageParams(kind, self.format(record))
            self._loop.call_soon_threadsafe(self._send, message)
        except RuntimeError:  # the loop is closed: there is nobody to tell any more
            pass

    def _send(self, message: lsp.LogMessageParams) -> None:
        with contextlib.suppress(OSError, ValueError):  # the client may be gone
            self._ls.window_log_message(message)


def start_logging(ls: Server, loop: asyncio.AbstractEventLoop) -> None:
    """Send our records to the client and to standard error; of pygls's own, the errors."""
    stderr = logging.StreamHandler(sys.stderr)
    stderr.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    ours = logging.getLogger("qkv")
    ours.setLevel(logging.INFO)
    ours.propagate = False
    ours.handlers = [stderr, ClientLog(ls, loop)]
    logging.getLogger("pygls").setLevel(logging.ERROR)
    logging.getLogger("pygls").handlers = [stderr]
    logging.getLogger("pygls").propagate = False
