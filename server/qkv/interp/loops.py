"""Loops: unrolled where the passes are known, else run until nothing changes any more."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from qkv.interp.assign import assign
from qkv.interp.branches import Ends, changes_since, merge, take_back
from qkv.interp.expressions import evaluate
from qkv.interp.iterate import iterate
from qkv.interp.join import join
from qkv.interp.machine import UNROLL, Machine, logged, open_branch, silently
from qkv.interp.narrow import narrowed
from qkv.interp.truth import truth_of
from qkv.interp.values import Scope

Runner = Callable[[Machine, Sequence[ast.stmt], Scope], int]


def run_for(m: Machine, node: ast.For | ast.AsyncFor, scope: Scope, run: Runner) -> int:
    """`for target in iter`."""
    found = iterate(m, evaluate(m, node.iter, scope), node.iter)
    if not found.some and len(found.items) <= UNROLL:
        return _unrolled(m, node, found.items, scope, run)
    item = found.items[0]
    for other in found.items[1:]:
        item = join(m.store, item, other)

    def one_pass() -> int:
        assign(m, node.target, item, scope, None, "loop")
        return run(m, node.body, scope)

    return _until_stable(m, one_pass) | run(m, node.orelse, scope) & ~Ends.FALL


def _unrolled(m: Machine, node: ast.For | ast.AsyncFor, items: tuple[Any, ...], scope: Scope, run: Runner) -> int:
    ends = 0
    for item in items:
        assign(m, node.target, item, scope, None, "loop")
        flow = run(m, node.body, scope)
        ends |= flow & (Ends.RETURN | Ends.RAISE)
        if not flow & (Ends.FALL | Ends.CONTINUE | Ends.BREAK):
            return ends
        if flow & Ends.BREAK and not flow & (Ends.FALL | Ends.CONTINUE):
            return ends | Ends.FALL
    return ends | run(m, node.orelse, scope)


def run_while(m: Machine, node: ast.While, scope: Scope, run: Runner) -> int:
    """`while test`."""
    ends = 0
    for _ in range(UNROLL):
        truth = truth_of(m, evaluate(m, node.test, scope))
        if truth is False:
            return ends | run(m, node.orelse, scope)
        if truth is None or (isinstance(node.test, ast.Constant) and not m.run):
            break
        flow = run(m, node.body, scope)
        ends |= flow & (Ends.RETURN | Ends.RAISE)
        if flow & Ends.BREAK and not flow & (Ends.FALL | Ends.CONTINUE):
            return ends | Ends.FALL
        if not flow & (Ends.FALL | Ends.CONTINUE):
            return ends
        if flow & Ends.BREAK:
            break

    def one_pass() -> int:
        narrowed(m, node.test, scope, True)
        return run(m, node.body, scope)

    return ends | _until_stable(m, one_pass)


def _until_stable(m: Machine, one_pass: Callable[[], int]) -> int:
    """A loop of unknown length: a silent pass finds what changes, a second one runs for real from what holds before every pass."""
    with open_branch(m):
        mark, since = len(m.store.trail), logged(m)
        with silently(m):
            one_pass()
        merge(m, {}, take_back(m, mark, since))
        start, since = len(m.store.trail), logged(m)
        flow = one_pass()
        after = changes_since(m, start)
        take_back(m, start, since)
        merge(m, {}, after)
    return (flow & (Ends.RETURN | Ends.RAISE)) | Ends.FALL
