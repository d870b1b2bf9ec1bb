"""`match` patterns: whether a value fits, and what the pattern's names are bound to."""

from __future__ import annotations

import ast
from typing import Any

from qkv.interp.machine import Machine
from qkv.interp.operators import equal_values
from qkv.interp.values import Scope
from qkv.shapes import Size, Unknown
from qkv.shapes.solve import write


def matches(m: Machine, pattern: ast.pattern, subject: Any, scope: Scope) -> bool | None:
    """True, False, or None where it is open. Names are bound either way."""
    from qkv.interp.expressions import evaluate

    if isinstance(pattern, ast.MatchValue):
        return equal_values(m, subject, evaluate(m, pattern.value, scope))
    if isinstance(pattern, ast.MatchSingleton):
        return subject is pattern.value if subject is None or isinstance(subject, bool) else None
    if isinstance(pattern, ast.MatchAs):
        answer = True if pattern.pattern is None else matches(m, pattern.pattern, subject, scope)
        if pattern.name is not None:
            write(m.store, scope.names, pattern.name, subject)
        return answer
    if isinstance(pattern, ast.MatchOr):
        answers = [matches(m, option, subject, scope) for option in pattern.patterns]
        return True if True in answers else (None if None in answers else False)
    if isinstance(pattern, ast.MatchSequence) and isinstance(subject, (tuple, Size)):
        return _sequence(m, pattern, subject, scope)
    for node in ast.walk(pattern):
        name = getattr(node, "name", None)
        if isinstance(name, str):
            write(m.store, scope.names, name, Unknown("a part of what is matched"))
    return None


def _sequence(m: Machine, pattern: ast.MatchSequence, subject: Any, scope: Scope) -> bool | None:
    if isinstance(subject, Size) or any(isinstance(part, ast.MatchStar) for part in pattern.patterns):
        return None
    if len(subject) != len(pattern.patterns):
        return False
    answers = [matches(m, part, item, scope) for part, item in zip(pattern.patterns, subject, strict=False)]
    return False if False in answers else (None if None in answers else True)
