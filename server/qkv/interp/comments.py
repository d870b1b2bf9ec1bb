"""Shapes that comments claim: `q = …  # (B, heads, T, d)`, held against what was inferred."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from qkv.interp.facts import Axis, Fact, Finding, Operand, Reason
from qkv.interp.readback import axes_text
from qkv.source import Comment, Location, Source, Span

_SHAPE = re.compile(r"(?:shape:?\s*)?[(\[]\s*([\w*+\-/. ]+(?:\s*,\s*[\w*+\-/. ]+)*)\s*,?\s*[)\]]")
_WORD = re.compile(r"\.\.\.|\*?[A-Za-z_]\w*|\d+|[\w*+\-/. ]*[A-Za-z_\d][\w*+\-/. ]*")


def claimed_axes(text: str) -> tuple[str, ...] | None:
    """The axes that a comment names, where the whole comment is a shape and nothing else."""
    found = _SHAPE.fullmatch(text.strip().rstrip("."))
    if found is None:
        return None
    axes = tuple(part.strip() for part in found[1].split(","))
    return axes if all(_WORD.fullmatch(axis) for axis in axes) and len(axes) > 1 else None


def wrong_claims(source: Source, facts: Iterable[Fact]) -> Iterator[Finding]:
    """Comments at the end of a line that say another number of axes, or another number on an axis, than the code gives."""
    bound: dict[int, list[Fact]] = {}
    for fact in facts:
        if fact.kind == "assignment":
            bound.setdefault(fact.span.line, []).append(fact)
    for line, here in bound.items():
        comment = source.comment_at_line.get(line)
        if comment is None or not comment.trailing or len(here) != 1:
            continue
        axes = claimed_axes(comment.text)
        shown = here[0].axes
        if axes is None or shown is None or any(_open(axis) for axis in shown) or "..." in axes:
            continue
        if any(axis.startswith("*") for axis in axes) or not _contradicts(axes, shown):
            continue
        yield _finding(source, here[0], comment, axes_text(shown))


def _open(axis: Axis) -> bool:
    return isinstance(axis.size, str) and (axis.size == "..." or axis.size.startswith("*"))


def _contradicts(claimed: tuple[str, ...], shown: tuple[Axis, ...]) -> bool:
    if len(claimed) != len(shown):
        return True
    return any(
        name.isdigit() and isinstance(axis.size, int) and int(name) != axis.size
        for name, axis in zip(claimed, shown, strict=True)
    )


def _finding(source: Source, fact: Fact, comment: Comment, shape: str) -> Finding:
    location = Location(source.path, comment.span)
    text = source.slice(comment.span)
    start = comment.span.column + len(text) - len(text.lstrip("# "))
    inner = Span(comment.span.line, start, comment.span.end_line, comment.span.end_column)
    return Finding(
        "shape-claim",
        "warning",
        "never",
        location,
        f"The comment says {comment.text}, but {fact.name} is {shape} here.",
        f"If the code is right, correct the comment: {shape}.",
        (Reason(Location(source.path, fact.span), f"{fact.name} is {shape}"),),
        {"comment": Operand(inner, comment.text, shape)},
        "correct-comment",
        "comment",
        function=fact.function,
        cause=("shape-claim", location),
    )
