"""What a test teaches inside its branch: that a value is not None, that a tensor has four axes, that two sizes agree."""

from __future__ import annotations

import ast
from typing import Any

from qkv.interp.machine import Machine, place
from qkv.interp.values import Choice, Instance, Scope, is_tuple
from qkv.shapes import Expr, Kind, Need, Size, Tensor, Unknown
from qkv.shapes.dim import Remainder, alone
from qkv.shapes.solve import Truth, compare, resolve, resolve_shape, solve_rank, tie, write
from qkv.shapes.undecided import Undecided


def narrowed(m: Machine, test: ast.expr, scope: Scope, holds: bool) -> None:
    """Learn that a test is true (`holds`) or false. Written through the trail, so that the branch's end takes it back."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        narrowed(m, test.operand, scope, not holds)
    elif isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) is holds:
        for part in test.values:
            narrowed(m, part, scope, holds)
    elif isinstance(test, (ast.Name, ast.Attribute)) and holds:
        _keep(m, test, scope, lambda option: option is not None and option is not False)
    elif (
        isinstance(test, ast.Call)
        and holds
        and isinstance(test.func, ast.Name)
        and test.func.id == "isinstance"
        and len(test.args) == 2
    ):
        _instance_of(m, test, scope)
    elif isinstance(test, ast.Compare) and len(test.ops) == 1:
        _comparison(m, test, scope, holds)


def _keep(m: Machine, node: ast.expr, scope: Scope, wanted: Any) -> None:
    """Drop the options of a name or attribute that a test rules out."""
    value = peek(m, node, scope)
    if isinstance(value, Choice):
        kept = tuple(option for option in value.options if wanted(option))
        if kept and len(kept) < len(value.options):
            put(m, node, scope, kept[0] if len(kept) == 1 else Choice(kept))


def peek(m: Machine, node: ast.expr, scope: Scope) -> Any:
    """The value of a plain name or attribute, without evaluating anything."""
    if isinstance(node, ast.Name):
        where: Scope | None = scope
        while where is not None:
            if node.id in where.names:
                return where.names[node.id]
            where = where.parent
        return None
    if isinstance(node, ast.Attribute):
        owner = peek(m, node.value, scope)
        return owner.attributes.get(node.attr) if isinstance(owner, Instance) else None
    return None


def put(m: Machine, node: ast.expr, scope: Scope, value: Any) -> None:
    """Replace what `peek` found."""
    if isinstance(node, ast.Name):
        where: Scope | None = scope
        while where is not None and node.id not in where.names:
            where = where.parent
        write(m.store, (where or scope).names, node.id, value)
    elif isinstance(node, ast.Attribute):
        owner = peek(m, node.value, scope)
        if isinstance(owner, Instance):
            write(m.store, owner.attributes, node.attr, value)


def _instance_of(m: Machine, test: ast.Call, scope: Scope) -> None:
    kind = test.args[1]
    value = peek(m, test.args[0], scope)
    if (isinstance(kind, ast.Attribute) and kind.attr == "Tensor") or (
        isinstance(kind, ast.Name) and kind.id == "Tensor"
    ):
        if isinstance(value, Undecided):
            put(m, test.args[0], scope, value.tensor(m.store))
        _keep(m, test.args[0], scope, lambda option: isinstance(option, Tensor))
    elif isinstance(kind, ast.Name) and kind.id == "int":
        if isinstance(value, Undecided):
            put(m, test.args[0], scope, value.dim(m.store))
        _keep(m, test.args[0], scope, lambda option: isinstance(option, (int, Expr)))
    elif isinstance(value, (Tensor, Undecided)) and (not isinstance(value, Tensor) or not value.sure):
        put(m, test.args[0], scope, Unknown("it is something else than a tensor in this branch"))


def _comparison(m: Machine, test: ast.Compare, scope: Scope, holds: bool) -> None:
    op, left, right = test.ops[0], test.left, test.comparators[0]
    if isinstance(op, (ast.Is, ast.IsNot)) and isinstance(right, ast.Constant) and right.value is None:
        is_none = isinstance(op, ast.Is) is holds
        if is_none:
            if isinstance(peek(m, left, scope), (Choice, Undecided, Unknown)):
                put(m, left, scope, None)
        else:
            _keep(m, left, scope, lambda option: option is not None)
        return
    if isinstance(op, ast.Eq) is holds and isinstance(op, (ast.Eq, ast.NotEq)):
        from qkv.interp.expressions import evaluate
        from qkv.interp.machine import silently

        with silently(m):
            a, b = evaluate(m, left, scope), evaluate(m, right, scope)
        learn_equal(m, a, b, test, left, scope)


def learn_equal(m: Machine, a: Any, b: Any, node: ast.AST, left: ast.expr, scope: Scope) -> None:
    """Learn that two values are equal: a rank, a size, or that a division is exact."""
    rank_of = _ranked(m, left, scope)
    if rank_of is not None and isinstance(b, int):
        solve_rank(m.store, rank_of.shape, b)
        return
    if isinstance(a, Size) and is_tuple(b):
        solved = solve_rank(m.store, a.shape, len(b))
        a = solved.back if solved is not None else a
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        for x, y in zip(a, b, strict=False):
            learn_equal(m, x, y, node, left, scope)
        return
    if isinstance(a, Undecided) and isinstance(b, (int, Expr)):
        a = a.dim(m.store)
    if not (isinstance(a, (int, Expr)) and isinstance(b, (int, Expr))):
        return
    a, b = resolve(m.store, a), resolve(m.store, b)
    for one, other in ((a, b), (b, a)):
        if other == 0 and isinstance(one, Expr) and len(one.atoms) == 1 and isinstance(one.atoms[0], Remainder):
            atom = one.atoms[0]
            write(
                m.store, m.store.needs, Need(atom.denominator, atom.numerator, divides=True, where=place(m, node)), None
            )
            return
    if compare(a, b) is Truth.SOMETIMES:
        for one, other in sorted(((a, b), (b, a)), key=lambda pair: _preference(pair[0])):
            single = alone(one)
            if single is not None and single.kind is not Kind.FRESH:
                tie(m.store, single, other, place(m, node))
                return


def _preference(dim: Any) -> int:
    single = alone(dim)
    return 2 if single is None else (0 if single.kind is Kind.PARAM else 1)


def _ranked(m: Machine, node: ast.expr, scope: Scope) -> Tensor | None:
    """The tensor whose rank an expression is: `x.ndim`, `x.dim()`, `len(x.shape)`, `len(x.size())`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len" and len(node.args) == 1:
        inner = node.args[0]
        inner = inner.func if isinstance(inner, ast.Call) else inner
        node = inner if isinstance(inner, ast.Attribute) and inner.attr in ("shape", "size") else node
    elif (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("dim", "ndimension")
    ):
        node = node.func
    elif not (isinstance(node, ast.Attribute) and node.attr == "ndim"):
        return None
    if not isinstance(node, ast.Attribute):
        return None
    value = peek(m, node.value, scope)
    if isinstance(value, Undecided):
        value = value.tensor(m.store)
    if isinstance(value, Tensor):
        resolve_shape(m.store, value.shape)
        return value
    return None
