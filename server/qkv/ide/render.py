"""A diagnostic as text: with its source and carets for a terminal, or as a GitHub annotation."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from qkv.ide.diagnostics import Cause, Diagnostic
from qkv.source import Span

MOST_LINES = 4
"""So many lines of one excerpt are shown; the middle of a longer one is left out."""


@dataclass(frozen=True, slots=True)
class Styles:
    """What is put before a piece of text of each kind, and what ends it."""

    error: str = ""
    warning: str = ""
    info: str = ""
    bold: str = ""
    dim: str = ""
    end: str = ""


PLAIN = Styles()
COLOURED = Styles("\x1b[1;31m", "\x1b[1;33m", "\x1b[1;36m", "\x1b[1m", "\x1b[2m", "\x1b[0m")


def diagnostic_text(diagnostic: Diagnostic, lines: Sequence[str], styles: Styles = PLAIN, cell_start: int = 1) -> str:
    """Some lines for a terminal: where, what, the source with carets, what to do, why, and where to learn more.

    `lines` are those of the file; `cell_start` is the line in them at which the diagnostic's cell begins.
    """
    severity = getattr(styles, diagnostic.severity)
    where = f"{diagnostic.path}:" + (f"cell {diagnostic.cell}:" if diagnostic.cell else "")
    where += f"{diagnostic.span.line}:{diagnostic.span.column}"
    head = f"{styles.bold}{printable(where)}{styles.end} {severity}{diagnostic.severity}[{diagnostic.code}]{styles.end}"
    said = [f"{head} {printable(diagnostic.message)}"]
    said += _excerpt(diagnostic.span, lines, cell_start, severity, styles)
    if diagnostic.detail:
        said += [f"  {line}" for line in printable(diagnostic.detail).splitlines()]
    said += [f"  {styles.dim}{_cause_text(diagnostic, cause)}{styles.end}" for cause in diagnostic.because]
    said += [f"  fix: {printable(fix.title)}" for fix in diagnostic.fixes]
    more = [f"qkv explain {diagnostic.code}"] + ([diagnostic.lesson] if diagnostic.lesson else [])
    said.append(f"  {styles.dim}more: {' · '.join(more)}{styles.end}")
    return "\n".join(said)


def _cause_text(diagnostic: Diagnostic, cause: Cause) -> str:
    place = f"line {cause.span.line}"
    if cause.path != diagnostic.path:
        place = f"{cause.path}, {place}"
    elif cause.cell and cause.cell != diagnostic.cell:
        place = f"cell {cause.cell}, {place}"
    return printable(f"{place}: {cause.note}")


def _excerpt(span: Span, lines: Sequence[str], start: int, severity: str, styles: Styles) -> list[str]:
    """The source lines of a span, numbered, with carets below."""
    shown = [number for number in range(span.line, span.end_line + 1) if 0 < number + start - 1 <= len(lines)]
    cut = len(shown) > MOST_LINES
    if cut:
        shown = [*shown[: MOST_LINES - 1], shown[-1]]
    gutter = max((len(str(number)) for number in shown), default=1)
    said: list[str] = []
    for index, number in enumerate(shown):
        if cut and index == MOST_LINES - 1:
            said.append(f"{'…'.rjust(gutter)} │")
        text = lines[number + start - 2]
        first = span.column if number == span.line else len(text) - len(text.lstrip()) + 1
        last = span.end_column if number == span.end_line else len(text.rstrip()) + 1
        said.append(f"{styles.dim}{str(number).rjust(gutter)} │{styles.end} {expanded(text)}")
        before = width(expanded(text[: first - 1]))
        carets = max(width(expanded(text[: last - 1])) - before, 1)
        said.append(f"{styles.dim}{' ' * gutter} │{styles.end} {' ' * before}{severity}{'^' * carets}{styles.end}")
    return said


def expanded(text: str) -> str:
    """A source line as a terminal may show it: tabs become blanks, control characters a dot."""
    return printable(text.expandtabs(4))


def printable(text: str) -> str:
    """A text that cannot steer a terminal."""
    return "".join(
        c if c == "\n" or not unicodedata.category(c).startswith("C") or c == "\u200d" else "·" for c in text
    )


def width(text: str) -> int:
    """How many columns of a terminal a text takes: wide characters take two, combining ones none."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def summary_text(counts: Mapping[str, int], files: int, styles: Styles = PLAIN) -> str:
    """`2 errors and 1 warning in 3 files`."""
    parts = [_number(counts[kind], name) for kind, name in (("error", "error"), ("warning", "warning")) if counts[kind]]
    what = " and ".join(parts) or "nothing wrong"
    notes = f", {_number(counts['info'], 'note')}" if counts["info"] else ""
    return f"{styles.bold}{what}{notes} in {_number(files, 'file')}{styles.end}"


def _number(count: int, name: str) -> str:
    return f"{count} {name}" if count == 1 else f"{count} {name}s"


def github_annotation(diagnostic: Diagnostic) -> str:
    """One workflow command that GitHub shows beside the line. In a notebook, whose file has other lines, it names the cell."""
    level = {"error": "error", "warning": "warning"}.get(diagnostic.severity, "notice")
    span = diagnostic.span
    message = diagnostic.message if not diagnostic.detail else f"{diagnostic.message}\n{diagnostic.detail}"
    fields = {"file": diagnostic.path}
    if diagnostic.cell is None:
        fields |= {"line": str(span.line), "endLine": str(span.end_line)}
        if span.line == span.end_line:
            fields |= {"col": str(span.column), "endColumn": str(span.end_column)}
    else:
        message = f"cell {diagnostic.cell}, line {span.line}: {message}"
    fields["title"] = f"qkv {diagnostic.code}"
    return f"::{level} {','.join(f'{key}={_github(value, True)}' for key, value in fields.items())}::{_github(message, False)}"


def _github(text: str, in_field: bool) -> str:
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if in_field else text
