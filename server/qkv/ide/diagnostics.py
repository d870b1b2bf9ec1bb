"""What is said about a file: its findings under the settings and the ignore comments, and the syntax problems as information."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from qkv.ide.codes import page_of
from qkv.ide.edits import Edit, Fix
from qkv.ide.fixes import fixes_of, placed
from qkv.ide.selection import matches
from qkv.ide.settings import severity_of
from qkv.ide.snapshot import Snapshot
from qkv.interp import Finding, Reason
from qkv.lints import lint
from qkv.source import Comment, Source, Span

SYNTAX = "source-syntax"
UNUSED = "unused-ignore"

_IGNORE = re.compile(r"qkv:\s*ignore(?:\s*\[([^\]]*)\])?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Cause:
    """A place that a diagnostic speaks of, with what happened there."""

    path: str
    cell: int | None
    span: Span
    note: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One thing to say, ready to be shown. In a notebook `cell` is the cell's number and `span` counts in it."""

    path: str
    cell: int | None
    span: Span
    severity: Literal["error", "warning", "info"]
    code: str
    truth: Literal["never", "sometimes"] | None
    message: str
    detail: str | None = None
    because: tuple[Cause, ...] = ()
    fixes: tuple[Fix, ...] = ()
    terms: tuple[str, ...] = ()
    lesson: str | None = None
    unnecessary: bool = False


@dataclass(frozen=True, slots=True)
class Ignore:
    """One `# qkv: ignore[code, code]`; without codes it means all."""

    span: Span
    codes: tuple[str, ...]


def diagnostics(snapshot: Snapshot) -> tuple[Diagnostic, ...]:
    """All that is said about a file, sorted by position and code. Nothing for prose."""
    source, settings = snapshot.source, snapshot.settings
    if snapshot.language != "python" or not settings.diagnostics:
        return ()
    ignores = ignore_comments(source)
    used: set[tuple[Ignore, str]] = set()
    said: list[Diagnostic] = []
    for finding in (*snapshot.analysis.findings, *lint(snapshot.analysis)):
        if finding.location.path != snapshot.path:  # it is said where it stands
            continue
        silencers = [(i, code) for i in ignores for code in i.codes or ("",) if _silences(i, code, finding)]
        if silencers:
            used.update(silencers)
            continue
        severity = severity_of(settings, snapshot.path, finding.code, finding.severity)
        if severity is not None:
            said.append(_of_finding(snapshot, finding, severity))
    said += [_of_syntax(snapshot, at, message) for at, message in _syntax_problems(snapshot)]
    if not snapshot.analysis.syntax:
        said += _unused(snapshot, ignores, used)
    return tuple(sorted(said, key=lambda d: (d.path, d.cell or 0, d.span, d.code)))


def ignore_comments(source: Source) -> tuple[Ignore, ...]:
    """The ignore comments of a text, in order."""
    if "qkv:" not in source.text:
        return ()
    found: list[Ignore] = []
    for comment in source.comments:
        match = _IGNORE.search(comment.text)
        if match:
            codes = tuple(code.strip() for code in (match[1] or "").split(",") if code.strip())
            found.append(Ignore(_span_of_note(source, comment), codes))
    return tuple(found)


def _span_of_note(source: Source, comment: Comment) -> Span:
    """From the `qkv:` of a comment to the end of its bracket; the `#` too where nothing else stands in the comment."""
    line, text = comment.span.line, source.slice(comment.span)
    match = _IGNORE.search(text)
    if match is None:
        return comment.span
    alone = not text[: match.start()].strip("# \t") and not text[match.end() :].strip()
    if alone:
        return comment.span
    start = text.rfind("#", 0, match.start())
    return Span(line, comment.span.column + start, line, comment.span.column + match.end())


def _silences(ignore: Ignore, code: str, finding: Finding) -> bool:
    span = finding.location.span
    return span.line <= ignore.span.line <= span.end_line and (not code or matches(finding.code, code))


def _of_finding(snapshot: Snapshot, finding: Finding, severity: str) -> Diagnostic:
    cell, span = _placed(snapshot, finding.location.span)
    page = page_of(finding.code)
    return Diagnostic(
        path=snapshot.path,
        cell=cell,
        span=span,
        severity=severity,  # pyright: ignore[reportArgumentType]
        code=finding.code,
        truth=finding.truth,
        message=" ".join(finding.message.split()),
        detail=finding.hint,
        because=tuple(_cause(snapshot, reason) for reason in finding.because),
        fixes=tuple(placed(snapshot, fix) for fix in fixes_of(snapshot.source, finding)),
        terms=finding.terms or (page.terms if page else ()),
        lesson=finding.lesson or (page.lesson if page else None),
    )


def _syntax_problems(snapshot: Snapshot) -> list[tuple[Span, str]]:
    if severity_of(snapshot.settings, snapshot.path, SYNTAX, "info") is None:
        return []
    lines = snapshot.source.lines
    found: list[tuple[Span, str]] = []
    for problem in snapshot.analysis.syntax:
        line = min(max(problem.line, 1), len(lines))
        column = min(max(problem.column, 1), len(lines[line - 1]) + 1)
        end = column + 1 if column <= len(lines[line - 1]) else column
        found.append((Span(line, column, line, end), f"this is not Python: {problem.message}"))
    return found


def _of_syntax(snapshot: Snapshot, at: Span, message: str) -> Diagnostic:
    cell, span = _placed(snapshot, at)
    severity = severity_of(snapshot.settings, snapshot.path, SYNTAX, "info") or "info"
    detail = "Everything that does parse is analysed all the same."
    return Diagnostic(snapshot.path, cell, span, severity, SYNTAX, None, " ".join(message.split()), detail)  # pyright: ignore[reportArgumentType]


def _unused(snapshot: Snapshot, ignores: tuple[Ignore, ...], used: set[tuple[Ignore, str]]) -> list[Diagnostic]:
    severity = severity_of(snapshot.settings, snapshot.path, UNUSED, "info")
    if severity is None:
        return []
    said: list[Diagnostic] = []
    for ignore in ignores:
        idle = [code for code in ignore.codes or ("",) if (ignore, code) not in used]
        if not idle:
            continue
        kept = tuple(code for code in ignore.codes if code not in idle)
        what = f"nothing here to ignore for {', '.join(idle)}" if ignore.codes else "nothing here to ignore"
        cell, span = _placed(snapshot, ignore.span)
        said.append(
            Diagnostic(
                snapshot.path,
                cell,
                span,
                severity,  # pyright: ignore[reportArgumentType]
                UNUSED,
                None,
                what,
                "The comment can go: what it silenced is no longer found.",
                fixes=(placed(snapshot, _without_ignore(snapshot.source, ignore, kept)),),
                unnecessary=True,
            )
        )
    return said


def _without_ignore(source: Source, ignore: Ignore, kept: tuple[str, ...]) -> Fix:
    """Take an ignore comment away, with the blanks before it, or leave it the codes that still silence something."""
    span = ignore.span
    if kept:
        return Fix("Keep only what is used", True, (Edit(source.path, span, f"# qkv: ignore[{', '.join(kept)}]"),))
    line = source.lines[span.line - 1]
    before, after = line[: span.column - 1].rstrip(), line[span.end_column - 1 :]
    start = len(before) + 1 if not after.strip() else span.column
    return Fix(
        "Remove this comment", True, (Edit(source.path, Span(span.line, start, span.line, span.end_column), ""),)
    )


def _cause(snapshot: Snapshot, reason: Reason) -> Cause:
    where = reason.where
    cell, span = _placed(snapshot, where.span) if where.path == snapshot.path else (None, where.span)
    return Cause(where.path, cell, span, " ".join(reason.note.split()))


def _placed(snapshot: Snapshot, span: Span) -> tuple[int | None, Span]:
    return snapshot.cells.place(span) if snapshot.cells else (None, span)
