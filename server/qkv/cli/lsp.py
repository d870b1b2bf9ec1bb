"""`qkv lsp`: start the language server."""

from __future__ import annotations

import argparse
import os
import sys

from qkv import __version__
from qkv.cli.common import Commands, UsageError


def add_parser(commands: Commands, help_text: str) -> None:
    """Add the command and its options."""
    parser = commands.add_parser("lsp", help=help_text, description="Start the language server.")
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--stdio", action="store_true", help="talk over standard input and output (the default)")
    way.add_argument("--tcp", metavar="HOST:PORT", help="wait for one client at this address instead")
    parser.add_argument("--version", action="version", version=f"qkv {__version__}")
    # vscode-languageclient adds this one by itself; the same is said in the first message.
    parser.add_argument("--clientProcessId", type=int, help=argparse.SUPPRESS)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Serve until the client ends it."""
    from qkv.lsp.serve import serve_stdio, serve_tcp

    if options.tcp:
        host, port = _address(options.tcp)
        try:
            code = serve_tcp(host, port)
        except OSError as problem:
            raise UsageError(f"cannot listen on {options.tcp}: {problem.strerror or problem}") from None
    else:
        code = serve_stdio()
    sys.stderr.flush()
    # A thread may still wait for input, or be in the middle of an analysis: nobody wants to wait for either.
    os._exit(code)


def _address(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon or not port.isdigit() or int(port) > 65535:
        raise UsageError(f"--tcp takes HOST:PORT, such as 127.0.0.1:8765, and not {text!r}")
    return host.strip("[]") or "127.0.0.1", int(port)
