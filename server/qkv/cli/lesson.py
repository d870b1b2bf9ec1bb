"""`qkv lesson`: read, run, check and validate lessons."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Callable
from typing import Any

from qkv.cli.common import BROKEN, Commands, UsageError, add_format

Add = Callable[[argparse.ArgumentParser], None]


def add_parser(commands: Commands, help_text: str) -> None:
    """Add the command with all that can be done to a lesson."""
    parser = commands.add_parser("lesson", help=help_text, description="Read, run, check and validate lessons.")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, (module, what, add) in ACTIONS.items():
        action = actions.add_parser(name, help=what, description=f"{what[0].upper()}{what[1:]}.")
        add(action)
        action.add_argument("--course", metavar="PATH|ID", help="another course than the one that comes with qkv")
        action.set_defaults(run=run, module=module)


def run(options: argparse.Namespace) -> int:
    """Do one action. What a learner or an author did wrong becomes a UsageError."""
    from qkv.course import CourseError
    from qkv.course.check import CheckBroken
    from qkv.course.rules.cells import NoPython
    from qkv.course.store import StoreError

    action: Any = getattr(importlib.import_module(f"qkv.cli.{options.module}"), f"{options.action}_action")
    try:
        return action(options)
    except (CourseError, StoreError, CheckBroken, NoPython) as problem:
        raise UsageError(str(problem)) from None
    except EOFError:
        return BROKEN


def _list(parser: argparse.ArgumentParser) -> None:
    add_format(parser, "text", "json")


def _open(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("place", metavar="PART[#SECTION]", help="a part's id or number, and perhaps a section of it")
    add_format(parser, "text", "json")


def _run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("cell", metavar="PART/CELL", help="a cell of a part")
    _interpreter(parser)
    add_format(parser, "text", "json")


def _check(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("exercise", metavar="EXERCISE", help="the name of the exercise's function")
    parser.add_argument("file", metavar="FILE", nargs="?", help="the answer (default: your draft)")
    parser.add_argument("--seed", metavar="N", type=int, help="repeat a check with the fresh inputs that it had")
    _interpreter(parser)
    add_format(parser, "text", "json")


def _exercise(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("exercise", metavar="EXERCISE", help="the name of the exercise's function")
    add_format(parser, "text", "json")


def _quiz(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("part", metavar="PART", nargs="?", help="a part (default: the questions that are due again)")


def _validate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "path", metavar="PATH", nargs="?", help="a course, or one part of it (default: the course of qkv)"
    )
    parser.add_argument("--no-run", action="store_true", help="do not run cells and exercises")
    _interpreter(parser)
    add_format(parser, "text", "json", "github")


def _reset(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", metavar="EXERCISE|PART", nargs="?", help="what to start again")
    parser.add_argument("--all", action="store_true", help="start the whole course again")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    add_format(parser, "text", "json")


def _export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--learner", metavar="NAME", help="the name that the transcript bears")
    add_format(parser, "text", "json")


def _new(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", metavar="PATH", help="the folder of the course, which is made where there is none")
    parser.add_argument(
        "--part", metavar="ID", default="first-part", help="the id of the new part (default: first-part)"
    )
    parser.add_argument(
        "--exercise", metavar="NAME", default="double", help="the function of its exercise (default: double)"
    )


def _interpreter(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--interpreter", metavar="PATH", help="the Python to run with (default: the one that is found)")


ACTIONS: dict[str, tuple[str, str, Add]] = {
    "list": ("lesson_read", "list the parts of the course and what you have done", _list),
    "open": ("lesson_read", "read a part in the terminal", _open),
    "run": ("lesson_work", "run a cell of a lesson", _run),
    "check": ("lesson_work", "check an answer to an exercise", _check),
    "hint": ("lesson_read", "show one hint more", _exercise),
    "solution": ("lesson_read", "show the solutions of an exercise", _exercise),
    "quiz": ("lesson_quiz", "answer the questions of a part, or those that are due again", _quiz),
    "validate": ("lesson_work", "prove that a course, or a part, works", _validate),
    "reset": ("lesson_read", "start an exercise, a part or all of it again; a copy of your work is kept", _reset),
    "export": ("lesson_read", "write down what you have done", _export),
    "new": ("lesson_read", "start a course, or a part of one", _new),
}
"""Each action with the module that does it, in a function NAME_action."""
