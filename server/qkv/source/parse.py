"""A parse that never fails: what does not parse is taken out, block by block, and the rest keeps its lines."""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass

ATTEMPTS = 60
"""How many broken places of one file are taken out before the rest of it is given up."""

_OPENER = re.compile(r"\s*(?:async\s+)?(?:def|class|if|elif|else|for|while|with|try|except|finally|match|case)\b")


@dataclass(frozen=True, slots=True)
class SyntaxProblem:
    """Why a stretch of text is not Python; `line` and `column` start at 1."""

    line: int
    column: int
    message: str


@dataclass(frozen=True, slots=True)
class Parsed:
    """A tree of the text's sound parts, at their real positions, and what was wrong with the others."""

    tree: ast.Module
    errors: tuple[SyntaxProblem, ...]


def parse(text: str) -> Parsed:
    """Parse Python as far as it is Python. Never raises; a text without any sound part gives an empty module."""
    errors: list[SyntaxProblem] = []
    lines: list[str] | None = None
    for _ in range(ATTEMPTS):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return Parsed(ast.parse("\n".join(lines) if lines is not None else text), tuple(errors))
        except SyntaxError as error:
            problem = SyntaxProblem(max(error.lineno or 1, 1), max(error.offset or 1, 1), error.msg or "invalid syntax")
        except (ValueError, RecursionError, MemoryError, OverflowError) as error:
            problem = SyntaxProblem(1, 1, f"this text cannot be parsed: {error}")
            return Parsed(ast.Module([], []), (*errors, problem))
        if lines is None:
            lines = re.split(r"\r\n|\r|\n", text)
        errors.append(problem)
        if not _take_out(lines, problem):
            break
    return Parsed(ast.Module([], []), tuple(errors))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _take_out(lines: list[str], problem: SyntaxProblem) -> bool:
    """Blank the statement in which the parser stopped. Returns whether anything was left to blank."""
    at = min(problem.line, len(lines)) - 1
    while at >= 0 and not lines[at].strip():
        at -= 1
    if at < 0:
        at = next((i for i, line in enumerate(lines) if line.strip()), -1)
        if at < 0:
            return False
    if "was never closed" in problem.message or "EOF" in problem.message or "unterminated" in problem.message:
        return _blank_unclosed(lines, at)
    if "expected an indented block" in problem.message:
        opener = _opener_above(lines, at)
        if opener is not None:
            lines[opener] = _body_on_the_line(lines[opener])
            return True
    return _blank(lines, at)


def _blank(lines: list[str], at: int) -> bool:
    """A line becomes `pass` at its own indent; a block opener loses its body's place too, so the body goes with it."""
    line = lines[at]
    indent = line[: _indent(line)]
    if line.strip() == "pass":
        lines[at] = ""
        return True
    opens = bool(_OPENER.match(line))
    lines[at] = f"{indent}pass"
    if re.match(r"\s*(?:elif|else|except|finally|case)\b", line):
        lines[at] = ""
    if opens:
        for below in range(at + 1, len(lines)):
            if lines[below].strip() and _indent(lines[below]) <= len(indent):
                break
            lines[below] = ""
    return True


def _blank_unclosed(lines: list[str], at: int) -> bool:
    """An open bracket or string swallows what follows: blank from its line to the next line that starts a statement as far left."""
    indent = _indent(lines[at])
    if lines[at].strip() == "pass":
        return _blank(lines, at)
    lines[at] = " " * indent + "pass"
    for below in range(at + 1, len(lines)):
        text = lines[below].strip()
        if text and _indent(lines[below]) <= indent and text[0] not in ")]}":
            break
        lines[below] = ""
    return True


def _opener_above(lines: list[str], at: int) -> int | None:
    """The block opener whose body is missing: the nearest sound line above that ends in a colon."""
    for above in range(at, -1, -1):
        text = lines[above].split("#")[0].rstrip()
        if text.endswith(":"):
            return above
    return None


def _body_on_the_line(line: str) -> str:
    code = line.split("#")[0].rstrip() if '"' not in line and "'" not in line else line.rstrip()
    return f"{code} pass" if code.endswith(":") else " " * _indent(line) + "pass"
