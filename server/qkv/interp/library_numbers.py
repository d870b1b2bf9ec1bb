"""Python's functions of numbers: int, min, sum, math."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any, TypeAlias

from qkv.interp.iterate import iterate
from qkv.interp.machine import Machine
from qkv.interp.numbers import UNKNOWN_FLOAT, as_size, is_number, some_size
from qkv.interp.operators import compare_values
from qkv.interp.truth import truth_of
from qkv.interp.values import (
    Entries,
    Ratio,
)
from qkv.shapes import Expr, Tensor, Unknown
from qkv.shapes.dim import add, floor_divide, multiply, subtract
from qkv.shapes.solve import fresh
from qkv.shapes.undecided import Undecided

Arguments: TypeAlias = "tuple[Any, ...]"


Keywords = dict[str, Any]


Handler = Callable[[Machine, Arguments, Keywords, ast.AST], Any]


def int_(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
    if not a:
        return 0
    value = a[0]
    if isinstance(value, Ratio):
        return floor_divide(value.numerator, value.denominator)
    if isinstance(value, float):
        return fresh(m.store) if math.isnan(value) or math.isinf(value) else int(value)
    if isinstance(value, str):
        return int(value) if value.strip().lstrip("+-").isdigit() else fresh(m.store)
    return some_size(m, value)


def float_(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
    value = a[0] if a else 0.0
    if isinstance(value, (int, float)):
        return float(value)
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return UNKNOWN_FLOAT
    return UNKNOWN_FLOAT


def bool_(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
    truth = truth_of(m, a[0]) if a else False
    return Unknown("a test that is open") if truth is None else truth


def sum_(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
    from qkv.interp.operators import binary

    found = iterate(m, a[0], node) if a else Entries(())
    total: Any = k.get("start", a[1] if len(a) > 1 else 0)
    if found.some:
        return (
            fresh(m.store)
            if all(isinstance(item, (int, Expr)) for item in found.items)
            else Unknown("a sum of an unknown number of items")
        )
    for item in found.items:
        total = (
            binary(m, ast.Add(), total, item, node)
            if not (isinstance(total, int) and total == 0 and not is_number(item))
            else item
        )
    return total


def extreme(op: ast.cmpop) -> Handler:
    def extreme(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
        found = iterate(m, a[0], node) if len(a) == 1 else Entries(a)
        if found.some or not found.items or "key" in k:
            return (
                fresh(m.store)
                if all(isinstance(item, (int, Expr)) for item in found.items)
                else Unknown("an extreme of unknown items")
            )
        best = found.items[0]
        for item in found.items[1:]:
            if not (is_number(best) or isinstance(best, Undecided)) or not (
                is_number(item) or isinstance(item, Undecided)
            ):
                return Unknown("an extreme of items that are no numbers")
            answer = compare_values(m, op, as_size(m, item) if isinstance(item, Undecided) else item, best, node)
            if not isinstance(answer, bool):
                return fresh(m.store) if not isinstance(best, float) else UNKNOWN_FLOAT
            best = item if answer else best
        return best

    return extreme


def abs_(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
    from qkv.interp.apply import apply_rule

    if a and isinstance(a[0], Tensor):
        return apply_rule(m, "torch.abs", a, {}, node)
    return (
        abs(a[0])
        if a and isinstance(a[0], (int, float))
        else (fresh(m.store) if a and isinstance(a[0], Expr) else Unknown("an absolute value"))
    )


def round_(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
    value = a[0] if a else None
    if isinstance(value, (int, float)) and not math.isnan(value) and not math.isinf(value):
        return round(value, a[1]) if len(a) > 1 and isinstance(a[1], int) else round(value)
    return value if isinstance(value, Expr) else fresh(m.store)


def quantifier(every: bool) -> Handler:
    def quantify(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
        found = iterate(m, a[0], node) if a else Entries(())
        answers = [truth_of(m, item) for item in found.items]
        if (not every) in answers and not found.some:
            return not every
        return every if None not in answers and not found.some else Unknown("a test that is open")

    return quantify


def divmod_(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
    from qkv.interp.operators import binary

    return (
        (binary(m, ast.FloorDiv(), a[0], a[1], node), binary(m, ast.Mod(), a[0], a[1], node))
        if len(a) == 2
        else Unknown("divmod()")
    )


def pow_(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
    from qkv.interp.operators import binary

    return binary(m, ast.Pow(), a[0], a[1], node) if len(a) == 2 else Unknown("pow()")


def math_(name: str) -> Handler:
    function = getattr(math, name)

    def work_out(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
        if a and isinstance(a[0], Tensor):
            return Unknown(f"math.{name} of a tensor")
        if a and all(isinstance(value, (int, float)) and not math.isnan(value) for value in a):
            try:
                return function(*a)
            except (ValueError, OverflowError, TypeError, ZeroDivisionError):
                return UNKNOWN_FLOAT
        return UNKNOWN_FLOAT

    return work_out


def ceil_(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
    value = a[0] if a else 0
    if isinstance(value, Ratio):
        return floor_divide(add(value.numerator, subtract(value.denominator, 1)), value.denominator)
    if isinstance(value, float):
        return fresh(m.store) if math.isnan(value) or math.isinf(value) else math.ceil(value)
    return some_size(m, value)


def floor_(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
    return int_(m, a, k, node)


def isqrt_(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
    return math.isqrt(a[0]) if a and isinstance(a[0], int) and a[0] >= 0 else fresh(m.store)


def prod_(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
    found = iterate(m, a[0], node) if a else Entries(())
    total: Any = 1
    for item in found.items:
        size = as_size(m, item)
        if size is None or found.some:
            return fresh(m.store)
        total = multiply(total, size)
    return total
