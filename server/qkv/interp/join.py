"""One value out of two: what is known after a branch or a loop, whichever way it went."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from qkv.interp.values import Choice, DictValue, Entries, ListValue, is_size, is_tuple
from qkv.shapes import Dim, Expr, Shape, Store, Tensor, Unknown
from qkv.shapes.solve import fresh, fresh_row, resolve, resolve_value
from qkv.shapes.undecided import Undecided
from qkv.shapes.values import contiguous_strides

MOST_OPTIONS = 4


def same(store: Store, a: Any, b: Any) -> bool:
    """Whether two values are known to be the same."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, (Expr, int, float, str, bytes)):
        return a == b or (a != a and b != b)
    if isinstance(a, Tensor):
        return resolve_value(store, a) == resolve_value(store, b)
    if is_tuple(a):
        return len(a) == len(b) and all(same(store, x, y) for x, y in zip(a, b, strict=False))
    return a is None or a == b


def join(store: Store, a: Any, b: Any) -> Any:
    """A value that covers both."""
    if same(store, a, b):
        return a
    if isinstance(a, Unknown):
        return a
    if isinstance(b, Unknown):
        return b
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        return join_tensors(store, a, b)
    if is_size(a) and is_size(b):
        return fresh(store)
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return (
            Unknown("a number that depends on a branch") if isinstance(a, bool) or isinstance(b, bool) else float("nan")
        )
    if isinstance(a, str) and isinstance(b, str):
        return Unknown("a text that depends on a branch")
    if isinstance(a, tuple) and isinstance(b, tuple):
        if len(a) == len(b):
            return tuple(join(store, x, y) for x, y in zip(a, b, strict=False))
        return Unknown("a tuple whose length depends on a branch")
    if isinstance(a, ListValue) and isinstance(b, ListValue):
        items = tuple(a.items) if a.items == b.items else a.items + b.items
        return ListValue({"items": items, "some": a.some or b.some or a.items != b.items})
    if isinstance(a, DictValue) and isinstance(b, DictValue):
        keys = [key for key in a.items if key in b.items]
        merged = {key: join(store, a.items[key], b.items[key]) for key in keys}
        return DictValue({"items": merged, "open": a.open or b.open or len(keys) < max(len(a.items), len(b.items))})
    if isinstance(a, Entries) and isinstance(b, Entries):
        return Entries(a.items + b.items, some=True)
    return choose(store, a, b)


def choose(store: Store, a: Any, b: Any) -> Any:
    """Either of two values of different kinds."""
    options: list[Any] = []
    for value in (a, b):
        for option in value.options if isinstance(value, Choice) else (value,):
            tensor = next(
                (i for i, seen in enumerate(options) if isinstance(seen, Tensor) and isinstance(option, Tensor)), None
            )
            if tensor is not None:
                options[tensor] = join_tensors(store, options[tensor], option)
            elif not any(same(store, option, seen) for seen in options):
                options.append(option)
    if len(options) == 1:
        return options[0]
    if len(options) > MOST_OPTIONS or any(isinstance(option, (Unknown, Undecided)) for option in options):
        return Unknown("it depends on a branch")
    return Choice(tuple(options))


def join_tensors(store: Store, a: Tensor, b: Tensor) -> Tensor:
    """A tensor that is either of two: axis by axis where the ranks agree."""
    a, b = resolve_value(store, a), resolve_value(store, b)
    shape = join_shapes(store, a.shape, b.shape)
    return replace(
        a,
        shape=shape,
        dtype=a.dtype if a.dtype == b.dtype else None,
        device=a.device if a.device == b.device else None,
        strides=a.strides if a.strides == b.strides else _both_contiguous(a, b, shape),
        low=a.low if a.low == b.low else None,
        high=a.high if a.high == b.high else None,
        sure=a.sure and b.sure,
        pattern=a.pattern if a.pattern == b.pattern else None,
    )


def _both_contiguous(a: Tensor, b: Tensor, shape: Shape) -> tuple[Dim, ...] | None:
    if a.strides is not None and a.strides == contiguous_strides(a.shape) and b.strides == contiguous_strides(b.shape):
        return contiguous_strides(shape)
    return None


def join_shapes(store: Store, a: Shape, b: Shape) -> Shape:
    """A shape that covers both."""
    if a == b:
        return a
    if a.row is None and b.row is None and len(a.back) == len(b.back):
        return Shape(tuple(_join_dims(store, x, y) for x, y in zip(a.back, b.back, strict=False)))
    back: list[Dim] = []
    for x, y in zip(reversed(a.back), reversed(b.back), strict=False):
        if resolve(store, x) != resolve(store, y):
            break
        back.append(x)
    if a.row is b.row and a.front == b.front and len(a.back) == len(b.back):
        return Shape(tuple(_join_dims(store, x, y) for x, y in zip(a.back, b.back, strict=False)), a.row, a.front)
    return Shape(tuple(reversed(back)), fresh_row(store))


def _join_dims(store: Store, a: Dim, b: Dim) -> Dim:
    return a if resolve(store, a) == resolve(store, b) else fresh(store)
