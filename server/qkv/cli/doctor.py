"""`qkv doctor`: what qkv found on this machine, and what is missing. It looks at files and starts nothing."""

from __future__ import annotations

import argparse
import os
import platform
from pathlib import Path
from typing import Any

from qkv import __version__
from qkv.cli.common import CLEAN, FOUND, Commands, add_format, print_json
from qkv.content import content_folder
from qkv.runner import Interpreter, Problem, find_interpreter, torch_missing


def add_parser(commands: Commands, help_text: str) -> None:
    """Add the command and its options."""
    parser = commands.add_parser(
        "doctor", help=help_text, description="Say what qkv found on this machine, and what is missing."
    )
    parser.add_argument(
        "--interpreter", metavar="PATH", help="the Python to look at (default: the one that would run a program)"
    )
    add_format(parser, "text", "json")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print what was found, and answer 1 where something is missing."""
    problems: list[Problem] = []
    found = find_interpreter(Path.cwd(), options.interpreter)
    interpreter = found if isinstance(found, Interpreter) else None
    if isinstance(found, Problem):
        problems.append(found)
    elif missing := torch_missing(found):
        problems.append(missing)
    courses = _courses(problems)
    data = _data_folder(problems)
    answer = {
        "version": 1,
        "qkv": __version__,
        "python": platform.python_version(),
        "interpreter": interpreter and _interpreter_json(interpreter),
        "folders": {"data": data.as_posix(), "courses": [course.as_posix() for course in courses]},
        "problems": [{"what": problem.what, "do": problem.do} for problem in problems],
    }
    if options.format == "json":
        print_json(answer)
    else:
        _print_text(answer, problems)
    return FOUND if problems else CLEAN


def _interpreter_json(found: Interpreter) -> dict[str, Any]:
    return {"path": found.path, "python": found.python, "torch": found.torch, "cuda": found.cuda}


def _courses(problems: list[Problem]) -> list[Path]:
    """The folder of the course that comes with qkv; the glossary's absence is said here too."""
    found: list[Path] = []
    for name, file, what in (("lessons", "course.toml", "lessons"), ("glossary", "*.md", "glossary's terms")):
        try:
            folder = content_folder(name)
        except FileNotFoundError:
            folder = None
        if folder is None or not any(folder.glob(file)):
            again = "Install qkv again: `python -m pip install --force-reinstall qkv`."
            problems.append(Problem(f"the {what} are not in this installation", again))
        elif name == "lessons":
            found.append(folder)
    return found


def _data_folder(problems: list[Problem]) -> Path:
    """Where the learner's files are kept, or would be."""
    from qkv.course.store import home_folder

    folder = home_folder()
    existing = next((place for place in (folder, *folder.absolute().parents) if place.exists()), folder)
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        do = "Change its permissions, or name another folder in the variable QKV_HOME."
        problems.append(Problem(f"progress cannot be written to {folder}", do))
    return folder


def _print_text(answer: dict[str, Any], problems: list[Problem]) -> None:
    found = answer["interpreter"]
    rows = [("qkv", f"{answer['qkv']}, with Python {answer['python']}")]
    if found:
        rows.append(("programs run with", f"{found['path']}, Python {found['python'] or 'of an unknown version'}"))
        built = f", built for CUDA {found['cuda']}" if found["cuda"] else ""
        rows.append(("torch", f"{found['torch']}{built}" if found["torch"] else "not installed"))
    rows.append(("your files", answer["folders"]["data"]))
    rows += [("course", course) for course in answer["folders"]["courses"]]
    for name, value in rows:
        print(f"{name:<18} {value}")
    print()
    for problem in problems:
        print(f"Problem: {problem.sentence}")
    if not problems:
        print("Nothing is missing.")
