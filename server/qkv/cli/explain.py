"""`qkv explain`: explain a diagnostic code or a glossary term."""

from __future__ import annotations

import argparse

from qkv.cli.common import CLEAN, Commands, UsageError, add_format, print_json


def add_parser(commands: Commands, help_text: str) -> None:
    """Add the command and its options."""
    parser = commands.add_parser("explain", help=help_text, description="Explain a diagnostic code or a glossary term.")
    parser.add_argument("name", nargs="+", metavar="CODE|TERM", help="such as shape-matmul or 'causal mask'")
    add_format(parser, "text", "json")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the page. Raises UsageError, with the nearest names, where there is none."""
    from qkv.ide.explain import explain, nearest

    name = " ".join(options.name)
    page = explain(name)
    if page is None:
        near = nearest(name)
        raise UsageError(
            f"there is no code and no term {name!r}" + (f"; did you mean {', '.join(near)}?" if near else "")
        )
    if options.format == "json":
        print_json(page.to_json())
        return CLEAN
    print(page.text)
    return CLEAN
