"""`qkv shapes`: list every tensor that a file names, with its shape."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from qkv.cli.common import CLEAN, Commands, UsageError, add_format, print_json, say
from qkv.cli.files import Projects, one_file, shown_path
from qkv.ide.report import fact_json, story_json
from qkv.ide.snapshot import Snapshot, take_snapshot
from qkv.ide.story import Step, facts_named, shape_story


def add_parser(commands: Commands, help_text: str) -> None:
    """Add the command and its options."""
    parser = commands.add_parser(
        "shapes", help=help_text, description="List every tensor that a file names, with its shape."
    )
    parser.add_argument("file", metavar="FILE", help="a Python file or a notebook")
    parser.add_argument("--story", metavar="LINE:NAME", help="tell line by line how this tensor got its shape")
    add_format(parser, "text", "json")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the shapes. Raises UsageError where the story's tensor is not to be found."""
    read = one_file(options.file)
    settings = Projects().settings_for(options.file)
    path = shown_path(options.file)
    snapshot = take_snapshot(path, read.text, settings=settings, language=read.language, cells=read.cells)
    story = _story(snapshot, options.story) if options.story else None
    if options.format == "json":
        answer = {"version": 1, "path": path, "shapes": [fact_json(snapshot, fact) for fact in snapshot.analysis.facts]}
        if story is not None:
            answer["story"] = story_json(story)
        print_json(answer)
    elif story is not None:
        _print_story(story)
    else:
        _print_shapes(snapshot)
    return CLEAN


def _story(snapshot: Snapshot, wanted: str) -> tuple[Step, ...]:
    line, _, name = wanted.partition(":")
    if not line.isdigit() or not name:
        raise UsageError(f"--story takes LINE:NAME, such as 12:scores, and not {wanted!r}")
    facts = facts_named(snapshot, int(line), name)
    if not facts:
        raise UsageError(
            f"no tensor is bound to {name} in line {line}; `qkv shapes {snapshot.path}` lists those that are"
        )
    return shape_story(snapshot, facts[-1])


def _print_story(story: Sequence[Step]) -> None:
    for step in story:
        print(f"{step.line:>4}  {step.code}")
        print(f"      {step.shape or 'shape not known'}" + (f"   {step.note}" if step.note else ""))


def _print_shapes(snapshot: Snapshot) -> None:
    rows: list[tuple[str, str, str, str]] = []
    for fact in snapshot.analysis.facts:
        said = fact_json(snapshot, fact)
        where = f"{said['cell']}:{said['line']}" if said["cell"] else str(said["line"])
        here = " or ".join(dict.fromkeys(str(tuple(context["shape"])) for context in said["contexts"][:2]))
        shape = said["text"] or f"?  {said['unknown']}"
        notes = [part for part in (said["dtype"], f"here {here}" if here and here != shape else None) if part]
        rows.append((where, fact.name, shape, "  ".join(notes)))
    if not rows:
        say("no tensor is named here")
    widths = [max((len(row[index]) for row in rows), default=0) for index in range(3)]
    for row in rows:
        print(f"{row[0]:>{widths[0]}}  {row[1]:<{widths[1]}}  {row[2]:<{min(widths[2], 40)}}  {row[3]}".rstrip())
