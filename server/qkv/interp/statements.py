"""Run statements on abstract values."""

from __future__ import annotations

import ast
import logging
import sys
from collections.abc import Callable, Sequence
from typing import Any

from qkv.interp.assign import assign
from qkv.interp.branches import Ends, fork, take_back
from qkv.interp.definitions import define_function, import_from, import_module, run_class
from qkv.interp.expressions import evaluate
from qkv.interp.join import join
from qkv.interp.loops import run_for, run_while
from qkv.interp.machine import Expected, Frame, Machine, Stop, fail, logged, open_branch, report, step
from qkv.interp.narrow import narrowed
from qkv.interp.operators import binary
from qkv.interp.truth import truth_of
from qkv.interp.values import Entries, Function, Scope, is_tuple
from qkv.ops import Mismatch
from qkv.shapes import Expr, Unknown
from qkv.shapes.solve import erase, resolve_value, write

log = logging.getLogger(__name__)
Handler = Callable[[Machine, Any, Scope], int]


def run_block(m: Machine, statements: Sequence[ast.stmt], scope: Scope) -> int:
    """Run statements in order. Returns the ways in which the block can end."""
    ends = 0
    for statement in statements:
        flow = run_statement(m, statement, scope)
        ends |= flow & ~Ends.FALL
        if not flow & Ends.FALL:
            return ends
    return ends | Ends.FALL


def run_statement(m: Machine, statement: ast.stmt, scope: Scope) -> int:
    """Run one statement. After an error of our own, all that it could set is Unknown."""
    step(m)
    handler = _HANDLERS.get(type(statement))
    if handler is None:
        return Ends.FALL
    try:
        return handler(m, statement, scope)
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        TypeError,
        ValueError,
        AssertionError,
        RecursionError,
        NotImplementedError,
    ):
        log.debug("internal error at %s:%s", scope.unit.source.path, statement.lineno, exc_info=True)
        forget(m, statement, scope)
        return Ends.FALL


def forget(m: Machine, statement: ast.stmt, scope: Scope) -> None:
    """Make every name that a statement assigns Unknown."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            write(m.store, scope.names, node.id, Unknown("the analysis failed here; please report it"))


def run_body(m: Machine, function: Function, scope: Scope, frame: Frame) -> Any:
    """The result of a call whose arguments are bound."""
    node = function.node
    if isinstance(node, ast.Lambda):
        return evaluate(m, node.body, scope)
    if _yields(m, node):
        frame.yields = []
    flow = run_block(m, node.body, scope)
    if frame.yields is not None:
        return Entries(
            tuple(resolve_value(m.store, item) for item in frame.yields), some=bool(m.open_branches) or _loops(node)
        )
    results = list(frame.returns)
    if flow & Ends.FALL:
        results.append(None)
    if not results:
        return Unknown("a call that does not return")
    result = results[0]
    for other in results[1:]:
        result = join(m.store, result, other)
    return result


def _yields(m: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    if node not in m.generators:
        m.generators[node] = is_generator(node)
    return m.generators[node]


def is_generator(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a function's own body yields."""
    pending: list[ast.AST] = list(node.body)
    while pending:
        item = pending.pop()
        if isinstance(item, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            pending.extend(ast.iter_child_nodes(item))
    return False


def _loops(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(isinstance(item, ast.While) for item in ast.walk(node))


def _expression(m: Machine, node: ast.Expr, scope: Scope) -> int:
    if not isinstance(node.value, ast.Constant):
        evaluate(m, node.value, scope)
    return Ends.FALL


def _assign(m: Machine, node: ast.Assign, scope: Scope) -> int:
    value = evaluate(m, node.value, scope)
    for target in node.targets:
        assign(m, target, value, scope, node.value)
    return Ends.FALL


def _annotated(m: Machine, node: ast.AnnAssign, scope: Scope) -> int:
    if node.value is not None:
        assign(m, node.target, evaluate(m, node.value, scope), scope, node.value)
    return Ends.FALL


def _augmented(m: Machine, node: ast.AugAssign, scope: Scope) -> int:
    from qkv.interp.values import ListValue

    target = node.target
    load: ast.expr
    if isinstance(target, ast.Name):
        load = ast.copy_location(ast.Name(target.id, ast.Load()), target)
    elif isinstance(target, ast.Attribute):
        load = ast.copy_location(ast.Attribute(target.value, target.attr, ast.Load()), target)
    else:
        load = ast.copy_location(ast.Subscript(target.value, target.slice, ast.Load()), target)
    before = evaluate(m, load, scope)
    value = evaluate(m, node.value, scope)
    if isinstance(before, ListValue) and isinstance(node.op, ast.Add):
        from qkv.interp.calls import call
        from qkv.interp.values import Method

        call(m, Method(before, "extend"), (value,), {}, node)
        return Ends.FALL
    assign(m, target, binary(m, node.op, before, value, node), scope, node)
    return Ends.FALL


def _return(m: Machine, node: ast.Return, scope: Scope) -> int:
    value = evaluate(m, node.value, scope) if node.value is not None else None
    m.frame.returns.append(resolve_value(m.store, value))
    return Ends.RETURN


def _raise(m: Machine, node: ast.Raise, scope: Scope) -> int:
    if m.tries and not m.open_branches:
        raise Expected
    if m.run and not m.open_branches and m.size_tests:
        name = ast.unparse(node.exc) if node.exc is not None else "an error"
        report(
            m,
            Mismatch(
                "shape-assert",
                "This program ends here: its own check of sizes fails and it raises {error}.",
                error=name[:80],
            ),
            node,
        )
    if m.run and not m.open_branches:
        raise Stop
    return Ends.RAISE


def _if(m: Machine, node: ast.If, scope: Scope) -> int:
    truth = truth_of(m, evaluate(m, node.test, scope))
    if truth is not None:
        counted = truth and compares_sizes(m, node.test, scope)
        m.size_tests += counted
        try:
            return run_block(m, node.body if truth else node.orelse, scope)
        finally:
            m.size_tests -= counted

    def first() -> int:
        narrowed(m, node.test, scope, True)
        return run_block(m, node.body, scope)

    def second() -> int:
        narrowed(m, node.test, scope, False)
        return run_block(m, node.orelse, scope)

    return fork(m, first, second)


def compares_sizes(m: Machine, test: ast.expr, scope: Scope) -> bool:
    """Whether a test compares whole numbers or shapes, so that its answer may be believed."""
    if isinstance(test, ast.UnaryOp):
        return compares_sizes(m, test.operand, scope)
    if isinstance(test, ast.BoolOp):
        return all(compares_sizes(m, part, scope) for part in test.values)
    if isinstance(test, ast.Compare):
        return all(_is_measure(evaluate(m, part, scope)) for part in (test.left, *test.comparators))
    return isinstance(test, ast.BinOp) and _is_measure(evaluate(m, test, scope))


def _is_measure(value: Any) -> bool:
    if is_tuple(value):
        items: tuple[Any, ...] = value
        return all(_is_measure(item) for item in items)
    return isinstance(value, Expr) or (isinstance(value, int) and not isinstance(value, bool))


def _assert(m: Machine, node: ast.Assert, scope: Scope) -> int:
    truth = truth_of(m, evaluate(m, node.test, scope))
    if truth is False and compares_sizes(m, node.test, scope):
        if m.run:
            mismatch = Mismatch(
                "shape-assert", "This check fails: `{test}` is not true here.", test=ast.unparse(node.test)[:120]
            )
            fail(m, mismatch, node)
        return Ends.FALL
    if truth is None:
        narrowed(m, node.test, scope, True)
    return Ends.FALL


def _try(m: Machine, node: ast.Try, scope: Scope) -> int:
    mark = len(m.store.trail)
    guarded = bool(node.handlers)
    m.tries += guarded
    raised = False
    try:
        flow = run_block(m, node.body, scope)
    except Expected:
        if not guarded:
            raise
        raised, flow = True, 0
    finally:
        m.tries -= guarded
    if raised:
        flow = _bind_and_run(m, node.handlers[0], scope)
    else:
        if flow & Ends.FALL:
            flow = (flow & ~Ends.FALL) | run_block(m, node.orelse, scope)
        for handler in node.handlers:
            mark, since = len(m.store.trail), logged(m)
            with open_branch(m):
                _bind_and_run(m, handler, scope)
            take_back(m, mark, since)
    if node.finalbody:
        last = run_block(m, node.finalbody, scope)
        if not last & Ends.FALL:
            return last
    return flow


def _bind_and_run(m: Machine, handler: ast.ExceptHandler, scope: Scope) -> int:
    if handler.name:
        write(m.store, scope.names, handler.name, Unknown("an exception"))
    return run_block(m, handler.body, scope)


def _with(m: Machine, node: ast.With | ast.AsyncWith, scope: Scope) -> int:
    for item in node.items:
        evaluate(m, item.context_expr, scope)
        if item.optional_vars is not None:
            entered = Unknown("what a context manager gives is not followed")
            assign(m, item.optional_vars, entered, scope, item.context_expr)
    expects = any(
        "raises" in ast.unparse(item.context_expr) or "suppress" in ast.unparse(item.context_expr)
        for item in node.items
    )
    m.tries += expects
    try:
        return run_block(m, node.body, scope)
    except Expected:
        if not expects:
            raise
        return Ends.FALL
    finally:
        m.tries -= expects


def _match(m: Machine, node: ast.Match, scope: Scope) -> int:
    subject = evaluate(m, node.subject, scope)
    return _cases(m, subject, node.cases, scope)


def _cases(m: Machine, subject: Any, cases: list[ast.match_case], scope: Scope) -> int:
    from qkv.interp.patterns import matches

    if not cases:
        return Ends.FALL
    first, rest = cases[0], cases[1:]
    answer = matches(m, first.pattern, subject, scope)
    if answer is True and first.guard is not None:
        answer = truth_of(m, evaluate(m, first.guard, scope))
    if answer is False:
        return _cases(m, subject, rest, scope)
    if answer is True:
        return run_block(m, first.body, scope)
    return fork(m, lambda: run_block(m, first.body, scope), lambda: _cases(m, subject, rest, scope))


def _delete(m: Machine, node: ast.Delete, scope: Scope) -> int:
    for target in node.targets:
        if isinstance(target, ast.Name):
            erase(m.store, scope.names, target.id)
    return Ends.FALL


def _break(m: Machine, node: ast.Break, scope: Scope) -> int:
    return Ends.BREAK


def _continue(m: Machine, node: ast.Continue, scope: Scope) -> int:
    return Ends.CONTINUE


def _define(m: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> int:
    define_function(m, node, scope)
    return Ends.FALL


def _class(m: Machine, node: ast.ClassDef, scope: Scope) -> int:
    run_class(m, node, scope, run_block)
    return Ends.FALL


def _import(m: Machine, node: ast.Import, scope: Scope) -> int:
    import_module(m, node, scope)
    return Ends.FALL


def _import_from(m: Machine, node: ast.ImportFrom, scope: Scope) -> int:
    import_from(m, node, scope)
    return Ends.FALL


def _for(m: Machine, node: ast.For | ast.AsyncFor, scope: Scope) -> int:
    return run_for(m, node, scope, run_block)


def _while(m: Machine, node: ast.While, scope: Scope) -> int:
    return run_while(m, node, scope, run_block)


_HANDLERS: dict[type[ast.stmt], Handler] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Return: _return,
    ast.Raise: _raise,
    ast.If: _if,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: _while,
    ast.Try: _try,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Assert: _assert,
    ast.Match: _match,
    ast.Delete: _delete,
    ast.Break: _break,
    ast.Continue: _continue,
    ast.FunctionDef: _define,
    ast.AsyncFunctionDef: _define,
    ast.ClassDef: _class,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
}
if sys.version_info >= (3, 11):
    _HANDLERS[ast.TryStar] = _try
