"""What every command shares: how JSON is printed, how a mistake in the call is said, and the exit codes."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any, TypeAlias

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # pyright: ignore[reportPrivateUsage]
"""What `add_subparsers` gives: each command adds its own parser to it."""

CLEAN, FOUND, BROKEN = 0, 1, 2
"""Nothing wrong; something found; a usage error, a missing file or an internal error."""


class UsageError(Exception):
    """The call cannot be answered; the message says what to do. Printed on standard error, exit code 2."""


def print_json(answer: dict[str, Any]) -> None:
    """Print one object and nothing else, in UTF-8 whatever the terminal's encoding is."""
    text = json.dumps(answer, ensure_ascii=False)
    sys.stdout.buffer.write(text.encode("utf-8", "surrogatepass") + b"\n")
    sys.stdout.buffer.flush()


def say(text: str) -> None:
    """A line for people, on standard error, where it cannot disturb a reader of standard output."""
    print(text, file=sys.stderr)


def add_format(parser: argparse.ArgumentParser, *formats: str) -> None:
    """Give a command its `--format`; the first one is the default."""
    parser.add_argument(
        "--format", choices=formats, default=formats[0], help=f"how to print the answer (default: {formats[0]})"
    )
