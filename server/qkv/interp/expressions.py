"""Evaluate an expression to an abstract value."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from qkv.interp import calls, numbers
from qkv.interp.attributes import attribute
from qkv.interp.iterate import iterate
from qkv.interp.join import join
from qkv.interp.machine import Machine, Read, open_branch, step
from qkv.interp.names import look_up
from qkv.interp.narrow import narrowed
from qkv.interp.operators import binary, compare_values, unary
from qkv.interp.subscript import subscript
from qkv.interp.truth import truth_of
from qkv.interp.values import Choice, Entries, Function, Scope, dict_of, list_of
from qkv.shapes import Shape, Size, Slice, Tensor, Unknown
from qkv.shapes.solve import resolve_shape, undo


def evaluate(m: Machine, node: ast.expr, scope: Scope) -> Any:
    """The value of an expression. What is not understood is Unknown, with the reason."""
    handler = _HANDLERS.get(type(node))
    if handler is None:
        return Unknown(f"{type(node).__name__} is not analysed")
    return handler(m, node, scope)


def _constant(m: Machine, node: ast.Constant, scope: Scope) -> Any:
    return node.value if not isinstance(node.value, (complex, bytes)) else Unknown("a constant that is no number here")


def _name(m: Machine, node: ast.Name, scope: Scope) -> Any:
    value = look_up(m, scope, node.id)
    _note_read(m, node, node.id, value)
    return value


def _note_read(m: Machine, node: ast.expr, name: str, value: Any) -> None:
    if isinstance(value, Tensor) and not m.silent:
        m.log.reads.append(Read(node, m.frame.unit, name, value))


def _attribute(m: Machine, node: ast.Attribute, scope: Scope) -> Any:
    receiver = evaluate(m, node.value, scope)
    value = attribute(m, receiver, node.attr, node)
    if isinstance(value, Tensor) and isinstance(node.value, ast.Name):
        _note_read(m, node, f"{node.value.id}.{node.attr}", value)
    return value


def _call(m: Machine, node: ast.Call, scope: Scope) -> Any:
    step(m)
    callee = evaluate(m, node.func, scope)
    parts = _parts(m, node.args, scope)
    if _has_open_shape(parts):
        shape = sizes_around(m, parts, node)
        found = Entries((shape,), some=shape is None)
    else:
        found = _joined(m, parts, node)
    if found.some:
        return calls.call_with_unknown_arguments(m, callee, node)
    keywords: dict[str, Any] = {}
    for keyword in node.keywords:
        value = evaluate(m, keyword.value, scope)
        if keyword.arg is not None:
            keywords[keyword.arg] = value
        elif not calls.spread(value, keywords):
            return calls.call_with_unknown_arguments(m, callee, node)
    return calls.call(m, callee, found.items, keywords, node)


def _binary(m: Machine, node: ast.BinOp, scope: Scope) -> Any:
    return binary(m, node.op, evaluate(m, node.left, scope), evaluate(m, node.right, scope), node)


def _unary(m: Machine, node: ast.UnaryOp, scope: Scope) -> Any:
    return unary(m, node.op, evaluate(m, node.operand, scope), node)


def _boolean(m: Machine, node: ast.BoolOp, scope: Scope) -> Any:
    """`a and b`, `a or b`: the later operands run only if the earlier ones let them."""
    is_and = isinstance(node.op, ast.And)
    mark = len(m.store.trail)
    value = evaluate(m, node.values[0], scope)
    result = value
    opened = 0
    try:
        for before, operand in zip(node.values, node.values[1:], strict=False):
            truth = truth_of(m, value)
            if truth is (not is_and):
                return result if opened else value
            if truth is None:
                opened += 1
                m.open_branches += 1
                narrowed(m, before, scope, is_and)
            value = evaluate(m, operand, scope)
            result = value if truth is is_and and not opened else _either(m, result, value, is_and)
        return result
    finally:
        m.open_branches -= opened
        if opened:
            undo(m.store, mark)


def _either(m: Machine, first: Any, second: Any, is_and: bool) -> Any:
    if not is_and and isinstance(first, Choice):
        kept = tuple(option for option in first.options if truth_of(m, option) is not False)
        first = kept[0] if len(kept) == 1 else first
    if isinstance(first, bool) or (truth_of(m, first) is None and not isinstance(first, (Tensor, Choice))):
        if isinstance(second, (bool, Unknown)):
            return Unknown("a test that is open")
    return join(m.store, first, second)


def _conditional(m: Machine, node: ast.IfExp, scope: Scope) -> Any:
    truth = truth_of(m, evaluate(m, node.test, scope))
    if truth is not None:
        return evaluate(m, node.body if truth else node.orelse, scope)
    with open_branch(m):
        mark = len(m.store.trail)
        narrowed(m, node.test, scope, True)
        first = evaluate(m, node.body, scope)
        undo(m.store, mark)
        narrowed(m, node.test, scope, False)
        second = evaluate(m, node.orelse, scope)
        undo(m.store, mark)
    return join(m.store, first, second)


def _compare(m: Machine, node: ast.Compare, scope: Scope) -> Any:
    left = evaluate(m, node.left, scope)
    result: Any = True
    for op, item in zip(node.ops, node.comparators, strict=False):
        right = evaluate(m, item, scope)
        answer = compare_values(m, op, left, right, node)
        if len(node.ops) == 1:
            return answer
        if answer is False:
            return False
        if answer is not True:
            result = answer if isinstance(answer, Tensor) else Unknown("a comparison that is open")
        left = right
    return result


def sizes_around(m: Machine, parts: list[tuple[Any, bool]], node: ast.AST) -> Size | None:
    """`(*x.shape[:-1], heads, width)` where the starred shape has an unknown number of axes: one shape with that prefix."""
    front: list[Any] = []
    back: list[Any] = []
    middle: Shape | None = None
    for value, starred in parts:
        if starred and isinstance(value, Size):
            if middle is not None:
                return None
            middle = resolve_shape(m.store, value.shape)
            continue
        items = iterate(m, value, node) if starred else Entries((value,))
        sizes = [numbers.as_size(m, item) for item in items.items]
        if items.some or None in sizes:
            return None
        (back if middle is not None else front).extend(sizes)
    if middle is None:
        return None
    return Size(Shape((*middle.back, *back), middle.row, (*front, *middle.front)))


def _parts(m: Machine, nodes: list[ast.expr], scope: Scope) -> list[tuple[Any, bool]]:
    """Each value with whether it is starred. Each expression is evaluated once."""
    return [
        (evaluate(m, n.value if isinstance(n, ast.Starred) else n, scope), isinstance(n, ast.Starred)) for n in nodes
    ]


def _has_open_shape(parts: list[tuple[Any, bool]]) -> bool:
    return any(starred and isinstance(value, Size) for value, starred in parts)


def _joined(m: Machine, parts: list[tuple[Any, bool]], node: ast.AST) -> Entries:
    """The values in a row, starred ones spread out."""
    items: list[Any] = []
    some = False
    for value, starred in parts:
        if not starred:
            items.append(value)
            continue
        found = iterate(m, value, node)
        items.extend(found.items)
        some = some or found.some
    return Entries(tuple(items), some)


def _tuple(m: Machine, node: ast.Tuple, scope: Scope) -> Any:
    parts = _parts(m, node.elts, scope)
    if _has_open_shape(parts):
        return sizes_around(m, parts, node) or Unknown("a shape of unknown length")
    found = _joined(m, parts, node)
    return list_of(found.items, some=True) if found.some else found.items


def _list(m: Machine, node: ast.List, scope: Scope) -> Any:
    found = _joined(m, _parts(m, node.elts, scope), node)
    return list_of(found.items, found.some)


def _set(m: Machine, node: ast.Set, scope: Scope) -> Any:
    found = _joined(m, _parts(m, node.elts, scope), node)
    return list_of(found.items, found.some)


def _dict(m: Machine, node: ast.Dict, scope: Scope) -> Any:
    items: dict[Any, Any] = {}
    is_open = False
    for key_node, value_node in zip(node.keys, node.values, strict=False):
        value = evaluate(m, value_node, scope)
        if key_node is None:
            is_open = not calls.spread(value, items) or is_open
            continue
        key = evaluate(m, key_node, scope)
        if isinstance(key, (str, int, float, bool, tuple, type(None))) and not isinstance(key, float):
            items[key] = value
        else:
            is_open = True
    return dict_of(items, is_open)


def _subscript(m: Machine, node: ast.Subscript, scope: Scope) -> Any:
    receiver = evaluate(m, node.value, scope)
    return subscript(m, receiver, evaluate_index(m, node.slice, scope), node)


def evaluate_index(m: Machine, node: ast.expr, scope: Scope) -> Any:
    """What stands between the brackets; `a:b:c` becomes a Slice."""
    if isinstance(node, ast.Tuple):
        found = _joined(m, _parts(m, node.elts, scope), node)
        return Unknown("an index of unknown length") if found.some else found.items
    return evaluate(m, node, scope)


def _slice(m: Machine, node: ast.Slice, scope: Scope) -> Any:
    parts = [evaluate(m, part, scope) if part is not None else None for part in (node.lower, node.upper, node.step)]
    return Slice(*(numbers.as_index(m, part) for part in parts))


def _lambda(m: Machine, node: ast.Lambda, scope: Scope) -> Any:
    return make_function(m, node, scope, "<lambda>")


def make_function(
    m: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, scope: Scope, name: str
) -> Function:
    """A function value, its defaults evaluated where it is defined."""
    defaults = tuple(evaluate(m, default, scope) for default in node.args.defaults)
    keyword_defaults = {
        argument.arg: evaluate(m, default, scope)
        for argument, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=False)
        if default is not None
    }
    return Function(node, scope, name, defaults, keyword_defaults)


def _comprehension(m: Machine, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, scope: Scope) -> Any:
    inner = Scope(scope.unit, scope)
    items: list[Any] = []
    some = _generate(m, node.generators, inner, lambda: items.append(evaluate(m, node.elt, inner)))
    return list_of(items, some)


def _dict_comprehension(m: Machine, node: ast.DictComp, scope: Scope) -> Any:
    inner = Scope(scope.unit, scope)
    items: dict[Any, Any] = {}
    unknown_key: list[bool] = []

    def add() -> None:
        key, value = evaluate(m, node.key, inner), evaluate(m, node.value, inner)
        if isinstance(key, (str, int, tuple)):
            items[key] = value
        else:
            unknown_key.append(True)

    some = _generate(m, node.generators, inner, add)
    return dict_of(items, some or bool(unknown_key))


def _generate(m: Machine, generators: list[ast.comprehension], scope: Scope, emit: Callable[[], None]) -> bool:
    """Run a comprehension's loops. Returns whether the number of items is unknown."""
    from qkv.interp.assign import assign

    if not generators:
        emit()
        return False
    first, rest = generators[0], generators[1:]
    found = iterate(m, evaluate(m, first.iter, scope), first.iter)
    some = found.some
    for item in found.items:
        assign(m, first.target, item, scope, None, "loop")
        tests = [truth_of(m, evaluate(m, test, scope)) for test in first.ifs]
        if False in tests:
            continue
        some = some or None in tests
        if some:
            with open_branch(m):
                _generate(m, rest, scope, emit)
        else:
            some = _generate(m, rest, scope, emit) or some
    return some


def _joined_string(m: Machine, node: ast.JoinedStr, scope: Scope) -> Any:
    parts: list[str] = []
    for item in node.values:
        value = evaluate(m, item.value, scope) if isinstance(item, ast.FormattedValue) else evaluate(m, item, scope)
        if isinstance(value, str) or (
            isinstance(value, int) and isinstance(item, ast.FormattedValue) and item.format_spec is None
        ):
            parts.append(str(value))
        else:
            return Unknown("a text that is put together when the program runs")
    return "".join(parts)


def _walrus(m: Machine, node: ast.NamedExpr, scope: Scope) -> Any:
    from qkv.interp.assign import assign

    value = evaluate(m, node.value, scope)
    assign(m, node.target, value, scope, node.value)
    return value


def _starred(m: Machine, node: ast.Starred, scope: Scope) -> Any:
    return evaluate(m, node.value, scope)


def _await(m: Machine, node: ast.Await, scope: Scope) -> Any:
    evaluate(m, node.value, scope)
    return Unknown("the result of await is not followed")


def _yield(m: Machine, node: ast.Yield | ast.YieldFrom, scope: Scope) -> Any:
    value = evaluate(m, node.value, scope) if node.value is not None else None
    frame = m.frame
    if frame.yields is not None:
        if isinstance(node, ast.YieldFrom):
            frame.yields.extend(iterate(m, value, node).items)
        else:
            frame.yields.append(value)
    return Unknown("what is sent into a generator is not followed")


_HANDLERS: dict[type[ast.expr], Callable[[Machine, Any, Scope], Any]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _boolean,
    ast.IfExp: _conditional,
    ast.Compare: _compare,
    ast.Tuple: _tuple,
    ast.List: _list,
    ast.Set: _set,
    ast.Dict: _dict,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.Lambda: _lambda,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _dict_comprehension,
    ast.JoinedStr: _joined_string,
    ast.NamedExpr: _walrus,
    ast.Starred: _starred,
    ast.Await: _await,
    ast.Yield: _yield,
    ast.YieldFrom: _yield,
}
