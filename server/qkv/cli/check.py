"""`qkv check`: find shape errors and attention bugs in files and folders."""

from __future__ import annotations

import argparse
import difflib
import os
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from qkv import __version__
from qkv.cli.common import CLEAN, FOUND, Commands, UsageError, print_json, say
from qkv.cli.files import Projects, discover, shown_path
from qkv.ide.codes import ALL_CODES
from qkv.ide.diagnostics import Diagnostic, diagnostics
from qkv.ide.reading import Unreadable, read_text
from qkv.ide.report import counts, diagnostic_json
from qkv.ide.settings import Settings
from qkv.ide.snapshot import take_snapshot

FEW = 12
"""So many files are checked in this process; starting others would take longer."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What became of one file: its diagnostics, or why it was skipped. `failure` is the trace of an internal error."""

    path: str
    diagnostics: tuple[Diagnostic, ...] = ()
    skipped: str | None = None
    failure: str | None = None


def add_parser(commands: Commands, help_text: str) -> None:
    """Add the command and its options."""
    parser = commands.add_parser("check", help=help_text, description="Find shape errors and attention bugs.")
    parser.add_argument(
        "paths", nargs="+", metavar="PATH", help="a file, or a folder to search for .py and .ipynb files"
    )
    parser.add_argument(
        "--format", choices=("text", "json", "github", "sarif"), default="text", help="how to print what is found"
    )
    parser.add_argument(
        "--select", metavar="CODES", action="append", help="only these codes or prefixes, with commas between them"
    )
    parser.add_argument("--ignore", metavar="CODES", action="append", help="not these codes or prefixes")
    parser.add_argument("--jobs", metavar="N", type=int, help="how many processes to use (default: the cores)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Check, print, and answer 1 where an error or a warning was found."""
    if options.jobs is not None and options.jobs < 1:
        raise UsageError("--jobs takes a number from 1")
    select, ignore = _selectors(options.select), _selectors(options.ignore)
    projects = Projects()
    paths = discover(options.paths, projects)
    if not paths:
        say(f"qkv check: no Python files in {', '.join(options.paths)}")
    work = [(path, _with_options(projects.settings_for(path), select, ignore)) for path in paths]
    checked = list(_with_progress(_check_all(work, options.jobs or _cores()), len(work)))
    for one in checked:
        if one.failure:
            say(f"qkv check: internal error in {one.path}, which is a bug in qkv:\n{one.failure}")
    found = sorted(
        (diagnostic for one in checked for diagnostic in one.diagnostics),
        key=lambda d: (d.path, d.cell or 0, d.span, d.code),
    )
    _PRINTERS[options.format](checked, found)
    return FOUND if any(d.severity in ("error", "warning") for d in found) else CLEAN


def _selectors(given: list[str] | None) -> tuple[str, ...]:
    """The codes of an option that may be repeated. Raises UsageError for one that means nothing."""
    words = tuple(word.strip() for text in given or () for word in text.split(",") if word.strip())
    for word in words:
        if not any(code.startswith(word) for code in ALL_CODES):
            near = difflib.get_close_matches(word, ALL_CODES, 3, 0.4)
            raise UsageError(f"there is no code {word!r}" + (f"; did you mean {' or '.join(near)}?" if near else ""))
    return words


def _with_options(settings: Settings, select: tuple[str, ...], ignore: tuple[str, ...]) -> Settings:
    """What the command line says counts before the project's own selection."""
    if select:
        return replace(settings, select=select, ignore=ignore)
    return replace(settings, ignore=(*settings.ignore, *ignore)) if ignore else settings


def check_file(path: str, settings: Settings) -> Checked:
    """Check one file. Never raises: an internal error is part of the answer."""
    shown = shown_path(path)
    try:
        read = read_text(path)
        snapshot = take_snapshot(shown, read.text, settings=settings, language=read.language, cells=read.cells)
        return Checked(shown, diagnostics(snapshot))
    except Unreadable as problem:
        return Checked(shown, skipped=str(problem))
    except Exception:
        return Checked(shown, skipped="internal error in qkv; standard error says more", failure=traceback.format_exc())


def _cores() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _check_all(work: list[tuple[str, Settings]], jobs: int) -> Iterator[Checked]:
    if jobs == 1 or len(work) <= FEW:
        yield from (check_file(*one) for one in work)
        return
    from qkv.cli.processes import in_processes

    died = "the process that checked it died"
    yield from in_processes(
        check_file, work, jobs, lambda path, _: Checked(shown_path(path), skipped=died, failure=died)
    )


def _with_progress(checked: Iterator[Checked], total: int) -> Iterator[Checked]:
    """Say how far it is, on a terminal, where there is much to do."""
    if total <= FEW or not sys.stderr.isatty():
        yield from checked
        return
    for done, one in enumerate(checked, 1):
        yield one
        print(f"\r{done}/{total} files", end="", file=sys.stderr, flush=True)
    print("\r" + " " * 40 + "\r", end="", file=sys.stderr, flush=True)


def _print_json(checked: list[Checked], found: list[Diagnostic]) -> None:
    print_json(
        {
            "version": 1,
            "qkv": __version__,
            "files": sum(one.skipped is None for one in checked),
            "skipped": [{"path": one.path, "reason": one.skipped} for one in checked if one.skipped is not None],
            "counts": counts(found),
            "diagnostics": [diagnostic_json(diagnostic) for diagnostic in found],
        }
    )


def _print_text(checked: list[Checked], found: list[Diagnostic]) -> None:
    from qkv.cli.terminal import styles_for
    from qkv.ide.render import diagnostic_text, summary_text

    styles = styles_for(sys.stdout)
    lines: dict[str, tuple[str, ...]] = {}
    for diagnostic in found:
        if diagnostic.path not in lines:
            lines.clear()
            lines[diagnostic.path] = _lines(diagnostic.path)
        print(diagnostic_text(diagnostic, lines[diagnostic.path], styles))
        print()
    for one in checked:
        if one.skipped is not None:
            say(f"skipped {one.path}: {one.skipped}")
    print(summary_text(counts(found), sum(one.skipped is None for one in checked), styles))


def _lines(path: str) -> tuple[str, ...]:
    from qkv.source import Source

    try:
        return Source(path, read_text(path).text).lines
    except Unreadable:  # it has gone since it was checked
        return ()


def _print_github(checked: list[Checked], found: list[Diagnostic]) -> None:
    from qkv.ide.render import github_annotation

    for diagnostic in found:
        print(github_annotation(diagnostic))


def _print_sarif(checked: list[Checked], found: list[Diagnostic]) -> None:
    from qkv.ide.sarif import sarif

    print_json(sarif(found))


_PRINTERS: dict[str, Any] = {"text": _print_text, "json": _print_json, "github": _print_github, "sarif": _print_sarif}
