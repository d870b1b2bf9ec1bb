"""Diagnostics as the JSON that other programs read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from qkv.ide.diagnostics import Diagnostic
from qkv.source import Span


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
