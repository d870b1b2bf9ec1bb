"""Serve one client over standard input and output, or over a socket, and end as the protocol says."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from threading import Event
from typing import Any, BinaryIO

from pygls.io_ import StdinAsyncReader, StdoutWriter, run_async

from qkv.lsp.logs import start_logging
from qkv.lsp.server import Server, make_server

log = logging.getLogger(__name__)

PARENT_CHECK = 3.0
"""Seconds between two looks at whether the client's process is still there."""


def serve_stdio() -> int:
    """Serve over standard input and output until the client ends it, goes away, or dies. Returns the exit code."""
    stdin, stdout = _take_standard_streams()
    return asyncio.run(_serve_stdio(stdin, stdout))


def serve_tcp(host: str, port: int) -> int:
    """Wait for one client at an address and serve it. Returns the exit code; raises OSError where the address cannot be had."""
    return asyncio.run(_serve_tcp(host, port))


def _take_standard_streams() -> tuple[BinaryIO, BinaryIO]:
    """The protocol's two streams. Whoever prints, here or in a child process, prints to standard error from now on, and reads nothing."""
    stdin, stdout = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return stdin, stdout


async def _serve_stdio(stdin: BinaryIO, stdout: BinaryIO) -> int:
    ls = make_server()
    ls.protocol.set_writer(StdoutWriter(stdout))
    return await _serve(ls, StdinAsyncReader(stdin, ls.thread_pool))


async def _serve_tcp(host: str, port: int) -> int:
    ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if taken.is_set():
            writer.close()
            return
        taken.set()
        ls = make_server()
        ls.protocol.set_writer(_SocketWriter(writer))
        try:
            ended.set_result(await _serve(ls, reader))
        finally:
            writer.close()

    taken = Event()
    server = await asyncio.start_server(connected, host, port)
    address = server.sockets[0].getsockname()
    print(f"qkv listens on {address[0]}:{address[1]}", file=sys.stderr, flush=True)
    async with server:
        return await ended


class _SocketWriter:
    """A socket as pygls wants its writers: `write` is fire and forget."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    def write(self, data: bytes) -> None:
        self._writer.write(data)

    def close(self) -> None:
        self._writer.close()


async def _serve(ls: Server, reader: Any) -> int:
    """Read messages until the client says `exit`, closes the stream, or dies. Without a shutdown before, the code is 1."""
    stopped = Event()
    codes: list[int] = []

    def stop(code: int) -> None:
        codes.append(code)
        stopped.set()

    ls.stop = stop
    start_logging(ls, asyncio.get_running_loop())
    watch = asyncio.ensure_future(_watch_parent(ls))
    messages = asyncio.ensure_future(run_async(stopped, reader, ls.protocol, error_handler=ls.report_server_error))
    try:
        await asyncio.wait({watch, messages}, return_when=asyncio.FIRST_COMPLETED)
        if messages.done() and messages.exception() is not None:
            log.error("the connection broke: %s", messages.exception())
    finally:
        watch.cancel()
        messages.cancel()
        ls.runs.close()
        ls.analyses.close()
    return codes[0] if codes else 1


async def _watch_parent(ls: Server) -> None:
    """Return when the process that the client named is gone. On Windows a client that dies closes the stream, which is seen anyway."""
    while True:
        await asyncio.sleep(PARENT_CHECK)
        process = ls.client.process_id
        if process and os.name == "posix" and not _alive(process):
            return


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
