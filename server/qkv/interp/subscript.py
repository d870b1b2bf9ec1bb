"""`value[index]`: of tensors by the rule table, of Python's collections, of settings."""

from __future__ import annotations

import ast
from typing import Any

from qkv.interp.apply import apply_rule
from qkv.interp.calls import call
from qkv.interp.join import join
from qkv.interp.machine import Machine, place
from qkv.interp.numbers import as_size
from qkv.interp.values import (
    Bound,
    Choice,
    Container,
    DictValue,
    Entries,
    Function,
    Instance,
    ListValue,
    Ref,
    SizeRange,
    list_of,
)
from qkv.ops import Mismatch
from qkv.shapes import Expr, Shape, Size, Slice, Tensor, Unknown
from qkv.shapes.solve import axis, fresh, fresh_row, resolve_shape
from qkv.shapes.undecided import Undecided


def subscript(m: Machine, value: Any, index: Any, node: ast.Subscript) -> Any:
    """The item or items that an index picks."""
    if isinstance(value, Undecided):
        if isinstance(index, (Slice, tuple)) or index is None or index is Ellipsis or isinstance(index, Tensor):
            value = value.tensor(m.store)
        elif isinstance(index, (str, int)) and value.read_as_tensor is None:
            return value.child(index, place(m, node))
    if isinstance(value, Tensor):
        items: tuple[Any, ...] = index if isinstance(index, tuple) else (index,)
        if not value.sure and any(isinstance(item, str) for item in items):
            return Unknown("it is read as a dict here")
        return apply_rule(
            m, "torch.Tensor.__getitem__", (value, items), {}, node, {"input": node.value, "index": node.slice}
        )
    if isinstance(value, tuple):
        return _sequence(m, value, index, node)
    if isinstance(value, Entries):
        return _sequence(m, value.items, index, node) if not value.some else _some(m, value.items)
    if isinstance(value, ListValue):
        return _list(m, value, index, node)
    if isinstance(value, Container):
        return _container(m, value, index, node)
    if isinstance(value, DictValue):
        return _dict(value, index)
    if isinstance(value, Size):
        return _size(m, value, index)
    if isinstance(value, str):
        return (
            value[index]
            if isinstance(index, int) and -len(value) <= index < len(value)
            else Unknown("a part of a text")
        )
    if isinstance(value, SizeRange):
        return fresh(m.store)
    if isinstance(value, Choice):
        return _choice(m, value, index, node)
    if isinstance(value, Ref):
        return value  # `list[int]`, `nn.Module[...]`: a type with its parameters
    if isinstance(value, Instance):
        from qkv.interp.attributes import class_member

        method = class_member(value.cls, "__getitem__")
        if isinstance(method, Function):
            return call(m, Bound(value, method), (index,), {}, node)
    return value if isinstance(value, Unknown) else Unknown("an item of something that is not followed")


def _choice(m: Machine, value: Choice, index: Any, node: ast.Subscript) -> Any:
    m.open_branches += 1
    found = [subscript(m, option, index, node) for option in value.options if option is not None]
    m.open_branches -= 1
    result = found[0] if found else Unknown("an item of None")
    for item in found[1:]:
        result = join(m.store, result, item)
    return result


def _some(m: Machine, items: tuple[Any, ...]) -> Any:
    if not items:
        return Unknown("an item of a collection whose items are not known")
    result = items[0]
    for item in items[1:]:
        result = join(m.store, result, item)
    return result


def _bounds(index: Slice) -> slice | None:
    parts = (index.start, index.stop, index.step)
    if all(part is None or (isinstance(part, int) and not isinstance(part, bool)) for part in parts):
        return slice(*parts) if index.step != 0 else None
    return None


def _sequence(m: Machine, items: tuple[Any, ...], index: Any, node: ast.Subscript) -> Any:
    if isinstance(index, Slice):
        bounds = _bounds(index)
        return items[bounds] if bounds is not None else Unknown("a part of a tuple whose bounds are not known")
    position = as_size(m, index)
    if isinstance(position, int):
        if -len(items) <= position < len(items):
            return items[position]
        if isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
            from qkv.interp.machine import fail

            fail(
                m,
                Mismatch(
                    "shape-axis",
                    "This tensor has {rank} axes, so it has no axis {index}.",
                    rank=len(items),
                    index=position,
                ),
                node,
            )
        return Unknown("an index beyond the end")
    return _some(m, items)


def _list(m: Machine, value: ListValue, index: Any, node: ast.Subscript) -> Any:
    if isinstance(index, Slice):
        bounds = _bounds(index)
        if value.some or bounds is None:
            return list_of(value.items, some=True)
        return list_of(value.items[bounds])
    if value.some:
        return _some(m, value.items)
    return _sequence(m, value.items, index, node)


def _container(m: Machine, value: Container, index: Any, node: ast.Subscript) -> Any:
    if isinstance(value.content, DictValue):
        return _dict(value.content, index)
    found = _list(m, value.content, index, node)
    return Container(value.kind, found) if isinstance(found, ListValue) else found


def _dict(value: DictValue, index: Any) -> Any:
    if isinstance(index, (str, int, tuple)) and index in value.items:
        return value.items[index]
    if not isinstance(index, (str, int)) and value.items and not value.open:
        options = list(value.items.values())
        return (
            options[0]
            if len(options) == 1
            else Choice(tuple(options))
            if len(options) <= 4
            else Unknown("an item under a key that is not known")
        )
    return Unknown("an item under a key that is not known")


def _size(m: Machine, value: Size, index: Any) -> Any:
    """An item of the shape of a tensor of unknown rank: learns that the axis exists."""
    if isinstance(index, int):
        _, dim = axis(m.store, value.shape, index)
        return dim if dim is not None else Unknown("an axis that does not exist")
    if isinstance(index, Slice) and index.step is None:
        shape = resolve_shape(m.store, value.shape)
        if index.start is None and isinstance(index.stop, int):
            return _head(m, shape, index.stop)
        if index.stop is None and isinstance(index.start, int) and index.start < 0:
            shape, _ = axis(m.store, shape, index.start)
            return shape.back[index.start :]
        if index.stop is None and isinstance(index.start, int):
            if index.start:
                shape, _ = axis(m.store, shape, index.start - 1)
            return (
                Size(Shape(shape.back, shape.row, shape.front[index.start :]))
                if shape.row
                else shape.back[index.start :]
            )
    return fresh(m.store) if isinstance(index, Expr) else Size(Shape(row=fresh_row(m.store)))


def _head(m: Machine, shape: Shape, stop: int) -> Any:
    if stop > 0:
        shape, _ = axis(m.store, shape, stop - 1)
        return shape.front[:stop] if shape.row is not None else shape.back[:stop]
    if stop < 0:
        shape, _ = axis(m.store, shape, stop)
        return Size(Shape(shape.back[:stop], shape.row, shape.front)) if shape.row is not None else shape.back[:stop]
    return ()
