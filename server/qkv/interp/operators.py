"""Arithmetic and comparison: of sizes, of tensors (by the rule table), of Python's own collections."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from typing import Any

from qkv.interp.apply import apply_rule
from qkv.interp.join import join
from qkv.interp.machine import Machine
from qkv.interp.numbers import UNKNOWN_FLOAT, as_size, is_number
from qkv.interp.truth import truth_of
from qkv.interp.values import Choice, DictValue, Entries, ListValue, Ratio, Ref, is_size, is_tuple, list_of
from qkv.shapes import Dim, Expr, Kind, Shape, Size, Tensor, Truth, Unknown
from qkv.shapes import dim as dims
from qkv.shapes.solve import always_positive, equal, fresh, resolve, resolve_shape
from qkv.shapes.undecided import Undecided

DUNDERS: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
}
_FLOATS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}


def binary(m: Machine, op: ast.operator, left: Any, right: Any, node: ast.AST) -> Any:
    """`left op right`."""
    if isinstance(left, Choice) or isinstance(right, Choice):
        return _each(m, op, left, right, node)
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        return _tensors(m, op, left, right, node)
    if isinstance(op, ast.MatMult) and (isinstance(left, Undecided) or isinstance(right, Undecided)):
        return _tensors(m, op, _as_tensor(m, left), _as_tensor(m, right), node)
    if isinstance(op, ast.Add) and (isinstance(left, Size) or isinstance(right, Size)):
        return _joined_sizes(m, left, right)
    if isinstance(left, (str, tuple, ListValue)) or isinstance(right, (ListValue, tuple)):
        return _collections(m, op, left, right)
    if isinstance(left, DictValue) and isinstance(right, DictValue) and isinstance(op, ast.BitOr):
        return DictValue({"items": {**left.items, **right.items}, "open": left.open or right.open})
    left, right = _decided(m, op, left, right), _decided(m, op, right, left)
    if is_number(left) and is_number(right):
        return _numbers(m, op, left, right)
    return Unknown("what an operator gives is not known where a side is not")


def _joined_sizes(m: Machine, left: Any, right: Any) -> Any:
    """`x.shape[:-1] + (heads, width)` where the shape has an unknown number of axes."""
    sides: list[Any] = [
        Size(Shape(side)) if is_tuple(side) and all(is_size(item) for item in side) else side for side in (left, right)
    ]
    if not all(isinstance(side, Size) for side in sides):
        return Unknown("a shape that is put together from parts that are not known")
    a, b = (resolve_shape(m.store, side.shape) for side in sides)
    if a.row is not None and b.row is not None:
        return Unknown("a shape with two parts of unknown length")
    if a.row is None and b.row is None:
        return (*a.back, *b.back)
    if a.row is not None:
        return Size(Shape((*a.back, *b.back), a.row, a.front))
    return Size(Shape(b.back, b.row, (*a.back, *b.front)))


def _as_tensor(m: Machine, value: Any) -> Any:
    return value.tensor(m.store) if isinstance(value, Undecided) else value


def _decided(m: Machine, op: ast.operator, value: Any, other: Any) -> Any:
    """An argument that nothing has used yet, beside a size or under an operator of sizes, is a size."""
    if not isinstance(value, Undecided) or value.read_as_tensor is not None:
        return value
    whole = isinstance(op, (ast.FloorDiv, ast.Mod)) or isinstance(other, Expr) or value.kind is not Kind.PARAM
    if whole or (isinstance(other, int) and not isinstance(other, bool)) or isinstance(other, Undecided):
        return value.dim(m.store)
    return value


def _each(m: Machine, op: ast.operator, left: Any, right: Any, node: ast.AST) -> Any:
    results: list[Any] = []
    for a in left.options if isinstance(left, Choice) else (left,):
        for b in right.options if isinstance(right, Choice) else (right,):
            if a is not None and b is not None:
                m.open_branches += 1
                results.append(binary(m, op, a, b, node))
                m.open_branches -= 1
    if not results:
        return Unknown("an operator on None")
    joined = results[0]
    for result in results[1:]:
        joined = join(m.store, joined, result)
    return joined


def _tensors(m: Machine, op: ast.operator, left: Any, right: Any, node: ast.AST) -> Any:
    name = DUNDERS[type(op)]
    if isinstance(left, Tensor):
        nodes = {
            "input": getattr(node, "left", getattr(node, "target", node)),
            "other": getattr(node, "right", getattr(node, "value", node)),
        }
        return apply_rule(m, f"torch.Tensor.__{name}__", (left, _operand(right)), {}, node, nodes, ops=name)
    nodes = {"input": getattr(node, "right", node), "other": getattr(node, "left", node)}
    return apply_rule(m, f"torch.Tensor.__r{name}__", (right, _operand(left)), {}, node, nodes, ops=name)


def _operand(value: Any) -> Any:
    return UNKNOWN_FLOAT if isinstance(value, Ratio) else value


def _collections(m: Machine, op: ast.operator, left: Any, right: Any) -> Any:
    if isinstance(op, ast.Add):
        if isinstance(left, str) and isinstance(right, str):
            return left + right
        if is_tuple(left) and is_tuple(right):
            return left + right
        if isinstance(left, ListValue) and isinstance(right, (ListValue, Entries)):
            return list_of(left.items + right.items, left.some or right.some)
    if isinstance(op, ast.Mult):
        if not isinstance(left, (str, tuple, ListValue)):
            left, right = right, left
        count = as_size(m, right)
        if isinstance(count, int) and 0 <= count <= 4096:
            if isinstance(left, (str, tuple)):
                return left * count  # type: ignore[return-value]
            if not left.some:
                return list_of(left.items * count)
        if isinstance(left, ListValue):
            return list_of(left.items, some=True)
    if isinstance(op, ast.Mod) and isinstance(left, str):
        return Unknown("a text that is put together when the program runs")
    return Unknown("what this operator gives is not known")


def _numbers(m: Machine, op: ast.operator, left: Any, right: Any) -> Any:
    if isinstance(left, Ratio) or isinstance(right, Ratio):
        return UNKNOWN_FLOAT
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return _plain(op, left, right)
    if isinstance(left, float) or isinstance(right, float):
        return UNKNOWN_FLOAT
    left, right = resolve(m.store, left), resolve(m.store, right)
    try:
        return _sizes(m, op, left, right)
    except ZeroDivisionError:
        return Unknown("a division by zero")


def _plain(op: ast.operator, left: Any, right: Any) -> Any:
    """Numbers that are known. The size of powers and shifts is bounded, so that no program can hold us up."""
    if isinstance(op, (ast.Pow, ast.LShift)) and abs(right) > 64 and not isinstance(left, float):
        return UNKNOWN_FLOAT if right < 0 else Unknown("a number too large to follow")
    try:
        result = _FLOATS[type(op)](left, right)
    except (ZeroDivisionError, OverflowError, TypeError, ValueError, KeyError):
        return Unknown("a number that cannot be worked out")
    if isinstance(result, complex) or (isinstance(result, int) and abs(result) > 1 << 62):
        return Unknown("a number too large to follow")
    return result


def _sizes(m: Machine, op: ast.operator, left: Dim, right: Dim) -> Any:
    if isinstance(op, ast.Add):
        return dims.add(left, right)
    if isinstance(op, ast.Sub):
        return dims.subtract(left, right)
    if isinstance(op, ast.Mult):
        return dims.multiply(left, right)
    if isinstance(op, ast.FloorDiv):
        return _ceiling(left, right) or dims.floor_divide(left, right)
    if isinstance(op, ast.Mod):
        return dims.modulo(left, right)
    if isinstance(op, ast.Div):
        return Ratio(left, right)
    if isinstance(op, ast.Pow) and isinstance(right, int) and 0 <= right <= 4:
        return dims.power(left, right)
    return UNKNOWN_FLOAT if isinstance(op, ast.Pow) and isinstance(right, int) and right < 0 else fresh(m.store)


def _ceiling(left: Dim, right: Dim) -> Dim | None:
    """`-n // 2`, the inner part of `-(-n // 2)`: kept as minus the ceiling."""
    if isinstance(left, Expr) and always_positive(dims.multiply(left, -1)):
        above = dims.add(dims.multiply(left, -1), dims.subtract(right, 1))
        return dims.multiply(dims.floor_divide(above, right), -1)
    return None


def unary(m: Machine, op: ast.unaryop, value: Any, node: ast.AST) -> Any:
    """`op value`."""
    if isinstance(op, ast.Not):
        truth = truth_of(m, value)
        return Unknown("a test that is open") if truth is None else not truth
    if isinstance(value, Tensor):
        name = _UNARY[type(op)]
        return apply_rule(
            m,
            f"torch.Tensor.{name}",
            (value,),
            {},
            node,
            {"input": getattr(node, "operand", node)},
            ops=name.strip("_"),
        )
    if isinstance(value, Ratio):
        return UNKNOWN_FLOAT
    if isinstance(value, Expr):
        return dims.multiply(value, -1) if isinstance(op, ast.USub) else value
    if isinstance(value, (int, float)):
        if isinstance(op, ast.USub):
            return -value
        return ~value if isinstance(op, ast.Invert) and isinstance(value, int) else value
    if isinstance(value, Undecided) and isinstance(op, ast.USub) and value.kind is Kind.CONFIG:
        return dims.multiply(value.dim(m.store), -1)
    return Unknown("what this operator gives is not known")


_UNARY: dict[type[ast.unaryop], str] = {ast.USub: "__neg__", ast.Invert: "__invert__", ast.UAdd: "__pos__"}
_ORDER: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
OPEN = Unknown("a comparison that is open")
_RULES: dict[type[ast.cmpop], str] = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
}


def compare_values(m: Machine, op: ast.cmpop, left: Any, right: Any, node: ast.AST) -> Any:
    """`left op right`: a bool, a tensor, or Unknown where the answer is open."""
    if isinstance(op, (ast.Is, ast.IsNot)):
        answer = _identical(m, left, right)
        return OPEN if answer is None else answer is isinstance(op, ast.Is)
    if isinstance(op, (ast.In, ast.NotIn)):
        answer = _member(m, left, right)
        return OPEN if answer is None else answer is isinstance(op, ast.In)
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        name = _RULES[type(op)]
        if not isinstance(left, Tensor):
            mirrored = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
            left, right, name = right, left, mirrored.get(name, name)
        nodes = {
            "input": getattr(node, "left", node),
            "other": node.comparators[0] if isinstance(node, ast.Compare) else node,
        }
        return apply_rule(m, f"torch.Tensor.__{name}__", (left, _operand(right)), {}, node, nodes, ops=name)
    if isinstance(op, (ast.Eq, ast.NotEq)):
        answer = equal_values(m, left, right)
        return OPEN if answer is None else answer is isinstance(op, ast.Eq)
    answer = _less(m, op, left, right)
    return OPEN if answer is None else answer


def _identical(m: Machine, left: Any, right: Any) -> bool | None:
    if left is None and right is None:
        return True
    if left is None or right is None:
        other = right if left is None else left
        if isinstance(other, Choice):
            return None if any(option is None for option in other.options) else False
        return None if isinstance(other, (Unknown, Undecided)) else False
    if isinstance(left, bool) and isinstance(right, bool):
        return left is right
    if isinstance(left, Ref) and isinstance(right, Ref) and left.name != right.name:
        return None
    return True if left is right and not isinstance(left, (Unknown, Undecided)) else None


def _member(m: Machine, left: Any, right: Any) -> bool | None:
    if isinstance(right, DictValue):
        if isinstance(left, (str, int)):
            return True if left in right.items else (None if right.open else False)
        return None
    if isinstance(right, str) and isinstance(left, str):
        return left in right
    if isinstance(right, (tuple, ListValue)):
        items: tuple[Any, ...] = right if isinstance(right, tuple) else right.items
        answers = [equal_values(m, left, item) for item in items]
        if True in answers:
            return None if isinstance(right, ListValue) and right.some else True
        return None if None in answers or (isinstance(right, ListValue) and right.some) else False
    return None


def equal_values(m: Machine, left: Any, right: Any) -> bool | None:
    """`left == right`, or None where that is open."""
    if isinstance(left, (str, bool)) or isinstance(right, (str, bool)) or left is None or right is None:
        if type(left) is type(right):
            return left == right
        if isinstance(left, (int, float)) and isinstance(right, (int, float)):
            return left == right
        known = (str, bool, int, float, tuple, type(None), ListValue, DictValue)
        return False if isinstance(left, known) and isinstance(right, known) else None
    if isinstance(left, (int, Expr)) and isinstance(right, (int, Expr)):
        truth = equal(m.store, left, right)
        return {Truth.ALWAYS: True, Truth.NEVER: False}.get(truth)
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return None if math.isnan(left) or math.isnan(right) else left == right
    if isinstance(left, ListValue) and isinstance(right, ListValue) and not left.some and not right.some:
        left, right = left.items, right.items
    if isinstance(left, tuple) and isinstance(right, tuple):
        if len(left) != len(right):
            return False
        answers = [equal_values(m, a, b) for a, b in zip(left, right, strict=False)]
        return False if False in answers else (None if None in answers else True)
    if isinstance(left, Size) and isinstance(right, tuple) and len(right) < left.shape.least_rank:
        return False
    if type(left) is type(right) and not isinstance(left, (Unknown, Undecided, Ref)) and left == right:
        return True
    return None


def _less(m: Machine, op: ast.cmpop, left: Any, right: Any) -> bool | None:
    if isinstance(left, bool) or isinstance(right, bool):
        return None
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        if math.isnan(left) or math.isnan(right):
            return None
        return _ORDER[type(op)](left, right)
    if isinstance(left, (int, Expr)) and isinstance(right, (int, Expr)):
        left, right = resolve(m.store, left), resolve(m.store, right)
        if isinstance(op, (ast.Gt, ast.GtE)):
            left, right, op = right, left, ast.Lt() if isinstance(op, ast.Gt) else ast.LtE()
        difference = dims.subtract(right, left)
        strict = isinstance(op, ast.Lt)
        if always_positive(difference if strict else dims.add(difference, 1)):
            return True
        if always_positive(dims.add(dims.multiply(difference, -1), 1) if strict else dims.multiply(difference, -1)):
            return False
    return None
