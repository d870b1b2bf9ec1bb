"""Code that runs and is wrong as attention: one file a lint, over facts. A lint speaks only when it is sure."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from qkv.interp import Analysis, Finding
from qkv.lints import causal_mask

Lint = Callable[[Analysis], Iterator[Finding]]

LINTS: dict[str, Lint] = {**causal_mask.LINTS}
"""Each code with the function that finds it."""


def lint(analysis: Analysis) -> list[Finding]:
    """All findings of all lints, in order."""
    found = [finding for check in LINTS.values() for finding in check(analysis)]
    return sorted(found, key=lambda finding: (finding.location.span, finding.code))
