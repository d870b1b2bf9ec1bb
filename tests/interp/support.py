"""`check(snippet)`: hold the analysis of a snippet against the markers in its comments.

`# shape: (B, H, T, d)` says what the last tensor bound on the line is; `# shape: NAME (B, T)` names the tensor; `# shape: ?` says that
nothing is known of it. `# error: [code] text` and `# warning: [code] text` say what is reported on the line; `text` must occur in the
message. Whatever is reported without a marker fails the check.

A snippet without `def` and `class` is the body of a function whose free names are its arguments.
"""

from __future__ import annotations

import ast
import builtins
import re
import textwrap

from qkv.interp import Analysis, Fact
from qkv.project import analyse
from qkv.source import Source

PREAMBLE = """\
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
from einops import rearrange, repeat, reduce
"""
MARKER = re.compile(r"#\s*(shape|error|warning):\s*(.*?)\s*$")


def analysed(snippet: str) -> Analysis:
    """The analysis of a snippet, with the usual imports in front of it on one line."""
    return analyse(Source("snippet.py", source_of(snippet)))


def source_of(snippet: str) -> str:
    """The text that is analysed: one line of imports, and the snippet, as a function where it is a function's body."""
    text = textwrap.dedent(snippet).strip("\n")
    head = "; ".join(PREAMBLE.strip().splitlines())
    if not re.search(r"^(def|class|if __name__|# program)", text, re.M):
        free = free_names(text)
        text = f"def snippet({', '.join(free)}):\n{textwrap.indent(text, '    ')}"
    return f"{head}\n{text}\n"


def free_names(text: str) -> list[str]:
    """Names that a snippet reads before it binds them, in order."""
    known = {"math", "torch", "nn", "F", "Tensor", "rearrange", "repeat", "reduce", *dir(builtins)}
    stored = {
        node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    loaded: dict[str, None] = {}
    bound: set[str] = set()
    for statement in ast.parse(text).body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in bound | known:
                loaded[node.id] = None
        bound |= {
            node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        bound |= {node.arg for node in ast.walk(statement) if isinstance(node, ast.arg)}
    return [name for name in loaded if name not in stored or name in loaded]


def shown(fact: Fact | None) -> str:
    """A fact's shape as the markers write it."""
    if fact is None:
        return "no tensor"
    if fact.axes is None:
        return "?"
    sizes = ["..." if axis.size == "..." else str(axis.size) for axis in fact.axes]
    return f"({sizes[0]},)" if len(sizes) == 1 else f"({', '.join(sizes)})"


def check(snippet: str) -> Analysis:
    """Hold a snippet's facts and findings against its markers. Returns the analysis for further questions."""
    analysis = analysed(snippet)
    lines = source_of(snippet).splitlines()
    wanted: list[tuple[int, str, str]] = []
    for number, line in enumerate(lines, 1):
        comment = line[line.index("#") :] if "#" in line else ""
        for part in re.split(r"(?=#\s*(?:shape|error|warning):)", comment):
            found = MARKER.match(part.strip())
            if found:
                wanted.append((number, found[1], found[2]))
    problems: list[str] = []
    reported = [f for f in analysis.findings if f.severity in ("error", "warning")]
    for number, kind, text in wanted:
        if kind == "shape":
            problem = _shape_problem(analysis, number, text)
            if problem:
                problems.append(problem)
            continue
        code, _, words = text.partition("]")
        code, words = code.lstrip("["), words.strip()
        match = next(
            (
                f
                for f in reported
                if f.location.span.line == number
                and f.severity == kind
                and f.code == code
                and words in f"{f.message} {f.hint}"
            ),
            None,
        )
        if match is None:
            here = [f"{f.severity}: [{f.code}] {f.message}" for f in reported if f.location.span.line == number]
            problems.append(f"line {number}: want {kind}: [{code}] {words}; got {here or 'nothing'}")
        else:
            reported.remove(match)
    problems += [f"line {f.location.span.line}: unexpected {f.severity}: [{f.code}] {f.message}" for f in reported]
    assert not problems, "\n".join(["", *(f"{i:3} {line}" for i, line in enumerate(lines, 1)), "", *problems])
    return analysis


def _shape_problem(analysis: Analysis, number: int, text: str) -> str | None:
    name, _, shape = text.partition(" ") if re.match(r"[A-Za-z_][\w.]* [(?]", text) else ("", "", text)
    facts = [f for f in analysis.facts if f.span.line == number and (not name or f.name == name)]
    got = shown(facts[-1] if facts else None)
    return None if got == shape else f"line {number}: want shape {text}; got {got}"
