"""The analysis of one text within its project."""

from __future__ import annotations

from qkv.interp import Analysis
from qkv.source import Source


def analyse(source: Source) -> Analysis:
    """All facts and findings of a file. Never raises on user code."""
    return Analysis(source.path, syntax=source.parsed.errors)
