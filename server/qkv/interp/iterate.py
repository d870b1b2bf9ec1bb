"""What a `for` loop over a value sees."""

from __future__ import annotations

import ast
from typing import Any

from qkv.interp.machine import UNROLL, Machine
from qkv.interp.values import Choice, Class, Container, DictValue, Entries, Instance, ListValue, SizeRange, is_tuple
from qkv.shapes import Expr, Size, Tensor, Unknown
from qkv.shapes.dim import floor_divide, subtract
from qkv.shapes.solve import fresh, resolve, resolve_value
from qkv.shapes.undecided import Undecided


def iterate(m: Machine, value: Any, node: ast.AST) -> Entries:
    """The items of a value in order, or (`some`) examples of an unknown number of items."""
    if is_tuple(value):
        return Entries(value)
    if isinstance(value, Entries):
        return value
    if isinstance(value, ListValue):
        return Entries(value.items, value.some)
    if isinstance(value, DictValue):
        return (
            Entries(tuple(value.items) or (Unknown("a key of a dict"),), value.open)
            if value.items or value.open
            else Entries(())
        )
    if isinstance(value, Container):
        return iterate(m, value.content, node)
    if isinstance(value, SizeRange):
        return _range(m, value)
    if isinstance(value, str):
        return Entries(tuple(value[:UNROLL]), some=len(value) > UNROLL)
    if isinstance(value, Tensor):
        return _tensor(m, value, node)
    if isinstance(value, Size):
        return Entries((fresh(m.store),), some=True)
    if isinstance(value, Undecided):
        return Entries((Unknown("an item of an argument"),), some=True)
    if isinstance(value, Instance):
        return _instance(m, value, node)
    if isinstance(value, Choice):
        found = [iterate(m, option, node) for option in value.options if option is not None]
        if len(found) == 1:
            return found[0]
    reason = value.reason if isinstance(value, Unknown) else "what is iterated over is not known"
    return Entries((Unknown(reason),), some=True)


def _range(m: Machine, value: SizeRange) -> Entries:
    start, stop, step = (
        resolve(m.store, part) if isinstance(part, (int, Expr)) else part
        for part in (value.start, value.stop, value.step)
    )
    if isinstance(start, int) and isinstance(stop, int) and isinstance(step, int) and step != 0:
        numbers = range(start, stop, step)
        if len(numbers) <= UNROLL:
            return Entries(tuple(numbers))
    return Entries((fresh(m.store),), some=True)


def length(m: Machine, value: Any) -> Any:
    """`len(value)` as a size, or None where it cannot be said."""
    if isinstance(value, SizeRange):
        if value.start == 0 and value.step == 1:
            return value.stop
        if isinstance(value.step, int) and value.step > 0:
            return floor_divide(subtract(subtract(value.stop, value.start), 1 - value.step), value.step)
        return None
    if isinstance(value, (tuple, str)):
        return len(value)  # type: ignore[arg-type]
    if isinstance(value, (ListValue, Entries)):
        return None if value.some else len(value.items)
    if isinstance(value, DictValue):
        return None if value.open else len(value.items)
    if isinstance(value, Container):
        return length(m, value.content)
    if isinstance(value, Tensor):
        shape = resolve_value(m.store, value).shape
        first = shape.front or (shape.back if shape.row is None else ())
        return first[0] if first else None
    if isinstance(value, Size):
        return None
    return None


def _tensor(m: Machine, value: Tensor, node: ast.AST) -> Entries:
    from qkv.interp.apply import apply_rule

    size = length(m, value)
    if isinstance(size, int) and size <= UNROLL:
        return Entries(tuple(apply_rule(m, "torch.Tensor.__getitem__", (value, (i,)), {}, node) for i in range(size)))
    if isinstance(size, Expr):
        return Entries((apply_rule(m, "torch.Tensor.__getitem__", (value, (fresh(m.store),)), {}, node),), some=True)
    return Entries((Unknown("a part of a tensor of unknown rank"),), some=True)


def _instance(m: Machine, value: Instance, node: ast.AST) -> Entries:
    from qkv.interp.attributes import class_member
    from qkv.interp.calls import call

    method = class_member(value.cls, "__iter__")
    if method is not None and not isinstance(method, (Class, Unknown)):
        from qkv.interp.values import Bound, Function

        if isinstance(method, Function):
            return iterate(m, call(m, Bound(value, method), (), {}, node), node)
    return Entries((Unknown("what is iterated over is not known"),), some=True)
