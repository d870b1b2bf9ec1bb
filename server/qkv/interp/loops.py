"""Loops: unrolled where the passes are known, else run until nothing changes any more."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from qkv.interp.assign import assign
from qkv.interp.branches import Flow, changes_since, merge, take_back
from qkv.interp.expressions import evaluate
from qkv.interp.iterate import iterate
from qkv.interp.join import join
from qkv.interp.machine import UNROLL, Machine, logged, open_branch, silently
from qkv.interp.narrow import narrowed
from qkv.interp.truth import truth_of
from qkv.interp.values import Scope

Runner = Callable[[Machine, Sequence[ast.stmt], Scope], Flow]


def run_for(m: Machine, node: ast.For | ast.AsyncFor, scope: Scope, run: Runner) -> Flow:
    """`for target in iter`."""
    found = iterate(m, evaluate(m, node.iter, scope), node.iter)
    if not found.some and len(found.items) <= UNROLL:
        return _unrolled(m, node, found.items, scope, run)
    item = found.items[0]
    for other in found.items[1:]:
        item = join(m.store, item, other)

    def one_pass() -> Flow:
        assign(m, node.target, item, scope, None, "loop")
        return run(m, node.body, scope)

    return _until_stable(m, one_pass) | run(m, node.orelse, scope) & ~Flow.FALL


def _unrolled(m: Machine, node: ast.For | ast.AsyncFor, items: tuple[Any, ...], scope: Scope, run: Runner) -> Flow:
    ends = Flow(0)
    for item in items:
        assign(m, node.target, item, scope, None, "loop")
        flow = run(m, node.body, scope)
        ends |= flow & (Flow.RETURN | Flow.RAISE)
        if not flow & (Flow.FALL | Flow.CONTINUE | Flow.BREAK):
            return ends
        if flow & Flow.BREAK and not flow & (Flow.FALL | Flow.CONTINUE):
            return ends | Flow.FALL
    return ends | run(m, node.orelse, scope)


def run_while(m: Machine, node: ast.While, scope: Scope, run: Runner) -> Flow:
    """`while test`."""
    ends = Flow(0)
    for _ in range(UNROLL):
        truth = truth_of(m, evaluate(m, node.test, scope))
        if truth is False:
            return ends | run(m, node.orelse, scope)
        if truth is None or (isinstance(node.test, ast.Constant) and not m.run):
            break
        flow = run(m, node.body, scope)
        ends |= flow & (Flow.RETURN | Flow.RAISE)
        if flow & Flow.BREAK and not flow & (Flow.FALL | Flow.CONTINUE):
            return ends | Flow.FALL
        if not flow & (Flow.FALL | Flow.CONTINUE):
            return ends
        if flow & Flow.BREAK:
            break

    def one_pass() -> Flow:
        narrowed(m, node.test, scope, True)
        return run(m, node.body, scope)

    return ends | _until_stable(m, one_pass)


def _until_stable(m: Machine, one_pass: Callable[[], Flow]) -> Flow:
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
    return (flow & (Flow.RETURN | Flow.RAISE)) | Flow.FALL


