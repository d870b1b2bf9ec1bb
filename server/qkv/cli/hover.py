"""`qkv hover`: show what the editor would show at a position."""

from __future__ import annotations

import argparse

from qkv.cli.common import CLEAN, Commands, UsageError, add_format, print_json, say
from qkv.cli.files import Projects, one_file, shown_path
from qkv.ide.reading import Text


def add_parser(commands: Commands, help_text: str) -> None:
    """Add the command and its options."""
    parser = commands.add_parser("hover", help=help_text, description="Show what the editor would show at a position.")
    parser.add_argument("file", metavar="FILE", help="a Python file, a notebook or a Markdown file")
    parser.add_argument("line", metavar="LINE", type=int, help="the line, from 1")
    parser.add_argument("column", metavar="COLUMN", type=int, help="the column, from 1")
    parser.add_argument(
        "--cell", metavar="N", type=int, help="in a notebook, the cell in which the line counts (from 1)"
    )
    add_format(parser, "text", "json")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the hover; nothing to show is no failure."""
    from qkv.ide.hover import hover
    from qkv.ide.report import hover_json
    from qkv.ide.snapshot import take_snapshot

    if options.line < 1 or options.column < 1:
        raise UsageError("lines and columns start at 1")
    read = one_file(options.file)
    path = shown_path(options.file)
    settings = Projects().settings_for(options.file)
    snapshot = take_snapshot(path, read.text, settings=settings, language=read.language, cells=read.cells)
    found = hover(snapshot, _module_line(read, options), options.column)
    if options.format == "json":
        print_json(hover_json(snapshot, found))
    elif found is None:
        say("nothing to show there")
    else:
        print(found.text)
    return CLEAN


def _module_line(read: Text, options: argparse.Namespace) -> int:
    if read.cells is None:
        return options.line
    line = read.cells.line_at(options.cell or 0, options.line)
    if line is None:
        raise UsageError("name a cell of the notebook that holds code, with --cell")
    return line
