"""Answers as the JSON that other programs read: every key is always there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from qkv.ide.diagnostics import Diagnostic
from qkv.ide.shape_text import shape_list, shape_text
from qkv.ide.snapshot import Snapshot
from qkv.interp import Fact
from qkv.source import Span

if TYPE_CHECKING:
    from qkv.ide.hover import Hover
    from qkv.ide.story import Step


def range_json(span: Span) -> dict[str, Any]:
    """A span as `{"start": {"line", "column"}, "end": {"line", "column"}}`."""
    return {
        "start": {"line": span.line, "column": span.column},
        "end": {"line": span.end_line, "column": span.end_column},
    }


def diagnostic_json(diagnostic: Diagnostic) -> dict[str, Any]:
    """One diagnostic with every key that the contract names."""
    return {
        "path": diagnostic.path,
        "cell": diagnostic.cell,
        "range": range_json(diagnostic.span),
        "severity": diagnostic.severity,
        "code": diagnostic.code,
        "truth": diagnostic.truth,
        "message": diagnostic.message,
        "detail": diagnostic.detail,
        "because": [
            {"path": cause.path, "cell": cause.cell, "range": range_json(cause.span), "note": cause.note}
            for cause in diagnostic.because
        ],
        "fixes": [
            {
                "title": fix.title,
                "safe": fix.safe,
                "edits": [
                    {"path": edit.path, "cell": edit.cell, "range": range_json(edit.span), "text": edit.text}
                    for edit in fix.edits
                ],
            }
            for fix in diagnostic.fixes
        ],
        "terms": list(diagnostic.terms),
        "lesson": diagnostic.lesson,
    }


def counts(found: Iterable[Diagnostic]) -> dict[str, int]:
    """How many there are of each severity."""
    number = {"error": 0, "warning": 0, "info": 0}
    for diagnostic in found:
        number[diagnostic.severity] += 1
    return number


def hover_json(snapshot: Snapshot, hover: Hover | None) -> dict[str, Any]:
    """The object of `qkv hover --format json`; all null where there is nothing to show."""
    operation = hover.operation if hover else None
    cell, span = placed_span(snapshot, hover.span) if hover else (None, None)
    return {
        "version": 1,
        "path": snapshot.path,
        "cell": cell,
        "range": range_json(span) if span else None,
        "term": hover.term if hover else None,
        "term_id": hover.term_id if hover else None,
        "shape": hover.shape if hover else None,
        "operation": {"name": operation.name, "before": list(operation.before), "after": operation.after}
        if operation
        else None,
        "markdown": hover.markdown if hover else None,
        "text": hover.text if hover else None,
    }


def fact_json(snapshot: Snapshot, fact: Fact) -> dict[str, Any]:
    """One entry of `qkv shapes --format json`."""
    cell, span = placed_span(snapshot, fact.span)
    unknown = fact.unknown or "not known" if fact.axes is None else None
    return {
        "cell": cell,
        "line": span.line,
        "column": span.column,
        "end_column": span.end_column,
        "name": fact.name,
        "kind": fact.kind,
        "function": fact.function,
        "shape": shape_list(fact.axes),
        "dtype": fact.dtype,
        "device": fact.device,
        "text": shape_text(fact.axes) if fact.axes is not None else None,
        "needs": list(fact.needs),
        "contexts": [
            {
                "shape": list(seen.shape),
                "dtype": seen.dtype,
                "call": {"path": seen.call.path, "line": seen.call.span.line} if seen.call else None,
            }
            for seen in fact.seen
        ],
        "unknown": unknown,
    }


def story_json(story: Iterable[Step]) -> list[dict[str, Any]]:
    """A shape story."""
    return [{"line": step.line, "code": step.code, "shape": step.shape, "note": step.note} for step in story]


def placed_span(snapshot: Snapshot, span: Span) -> tuple[int | None, Span]:
    """A span of the module, in a notebook as a cell's number and a span in that cell."""
    return snapshot.cells.place(span) if snapshot.cells else (None, span)
