"""Diagnostics as a SARIF 2.1.0 log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from qkv import __version__
from qkv.ide.codes import page_of
from qkv.ide.diagnostics import Cause, Diagnostic
from qkv.ide.edits import Fix
from qkv.source import Span

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}


def sarif(found: Sequence[Diagnostic]) -> dict[str, Any]:
    """The log of one run. Columns count code points, and the log says so."""
    codes = sorted({diagnostic.code for diagnostic in found})
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "qkv", "version": __version__, "rules": [_rule(code) for code in codes]}},
                "columnKind": "unicodeCodePoints",
                "results": [_result(diagnostic, codes.index(diagnostic.code)) for diagnostic in found],
            }
        ],
    }


def _rule(code: str) -> dict[str, Any]:
    page = page_of(code)
    return {"id": code, "shortDescription": {"text": page.title if page else code}}


def _result(diagnostic: Diagnostic, rule: int) -> dict[str, Any]:
    message = f"{diagnostic.message} {diagnostic.detail}" if diagnostic.detail else diagnostic.message
    result: dict[str, Any] = {
        "ruleId": diagnostic.code,
        "ruleIndex": rule,
        "level": _LEVELS[diagnostic.severity],
        "message": {"text": message},
        "locations": [_location(diagnostic.path, diagnostic.span, diagnostic.cell)],
    }
    if diagnostic.because:
        result["relatedLocations"] = [_related(index, cause) for index, cause in enumerate(diagnostic.because)]
    if diagnostic.fixes:
        result["fixes"] = [_fix(fix) for fix in diagnostic.fixes]
    return result


def _location(path: str, span: Span, cell: int | None) -> dict[str, Any]:
    location: dict[str, Any] = {"physicalLocation": {"artifactLocation": _artifact(path)}}
    if cell is None:  # a cell's lines are not those of its file
        location["physicalLocation"]["region"] = _region(span)
    else:
        location["logicalLocations"] = [{"name": f"cell {cell}, line {span.line}"}]
    return location


def _related(index: int, cause: Cause) -> dict[str, Any]:
    return {"id": index, "message": {"text": cause.note}, **_location(cause.path, cause.span, cause.cell)}


def _artifact(path: str) -> dict[str, str]:
    return {"uri": f"file://{quote(path)}" if path.startswith("/") else quote(path)}


def _region(span: Span) -> dict[str, int]:
    return {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }


def _fix(fix: Fix) -> dict[str, Any]:
    changes: dict[str, list[dict[str, Any]]] = {}
    for edit in fix.edits:
        replacement = {"deletedRegion": _region(edit.span), "insertedContent": {"text": edit.text}}
        changes.setdefault(edit.path, []).append(replacement)
    return {
        "description": {"text": fix.title},
        "artifactChanges": [
            {"artifactLocation": _artifact(path), "replacements": parts} for path, parts in changes.items()
        ],
    }
