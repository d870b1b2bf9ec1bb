"""The command line: `qkv COMMAND`. One module a command; a command's module is imported only when it is called."""

from __future__ import annotations

import argparse
import importlib
import sys

from qkv import __version__
from qkv.cli.common import BROKEN, UsageError, say

COMMANDS = {
    "check": "find shape errors and attention bugs in files and folders",
    "shapes": "list every tensor that a file names, with its shape",
    "hover": "show what the editor would show at a position",
    "explain": "explain a diagnostic code or a glossary term",
    "run": "run a file in a process of its own, with limits",
    "lesson": "read, run, check and validate lessons",
    "lsp": "start the language server",
    "doctor": "say what qkv found on this machine, and what is missing",
}


def main(argv: list[str] | None = None) -> int:
    """Run one command. Returns the process's exit code: 0 clean, 1 something found, 2 usage or internal error."""
    arguments = sys.argv[1:] if argv is None else argv
    parser = argparse.ArgumentParser(
        prog="qkv", description="Shapes, a glossary and a course for attention code in PyTorch."
    )
    parser.add_argument("--version", action="version", version=f"qkv {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    wanted = next((word for word in arguments if not word.startswith("-")), None)
    for name, what in COMMANDS.items():
        if name == wanted:
            importlib.import_module(f"qkv.cli.{name}").add_parser(commands, what)
        else:
            commands.add_parser(name, help=what, add_help=False)
    own, rest = _split(arguments) if wanted == "run" else (arguments, [])
    options = parser.parse_args(own, argparse.Namespace(rest=rest))
    try:
        return options.run(options)
    except UsageError as problem:
        say(f"qkv {options.command}: {problem}")
        return BROKEN
    except BrokenPipeError:
        return BROKEN
    except KeyboardInterrupt:
        say("stopped")
        return 130


def _split(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Our own arguments, and those after `--`, which argparse would not keep apart from ours."""
    at = arguments.index("--") if "--" in arguments else len(arguments)
    return arguments[:at], arguments[at + 1 :]


def lsp_main() -> int:
    """The script `qkv-lsp`: the language server, with `qkv lsp`'s options."""
    return main(["lsp", *sys.argv[1:]])
