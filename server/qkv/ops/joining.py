"""Tensors put together along an axis, and cut apart."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

from qkv.ops.agree import require_one_device
from qkv.ops.axes import as_dim, insert_axis, locate, replace_axis, size, splice
from qkv.ops.context import CannotTell, Context, Mismatch, Tensors, require_equal
from qkv.ops.dtypes import promote
from qkv.ops.table import rule
from qkv.shapes import Dim, Shape, Some, Tensor
from qkv.shapes.dim import add, floor_divide, multiply
from qkv.shapes.solve import note_divisions, resolve_shape, solve_rank
from qkv.shapes.values import contiguous_strides

MOST_PARTS = 256
"""A tensor is cut into at most so many parts that are kept one by one."""


# -- putting together ------------------------------------------------------------------------------------------------------


def _joined(tensors: tuple[Tensor, ...], shape: Shape) -> Tensor:
    device = None
    if all(t.device for t in tensors):
        device = require_one_device({f"tensors[{i}]": tensor for i, tensor in enumerate(tensors)})
    bounds = [(t.low, t.high) for t in tensors]
    low = min((a for a, _ in bounds), default=None) if all(isinstance(a, int) for a, _ in bounds) else None  # type: ignore[type-var]
    high = max((b for _, b in bounds), default=None) if all(isinstance(b, int) for _, b in bounds) else None  # type: ignore[type-var]
    dtype = tensors[0].dtype
    for tensor in tensors[1:]:
        dtype = promote(dtype, tensor.dtype)
    return Tensor(shape, dtype, device, contiguous_strides(shape), low, high)


def _require_sequence(tensors: tuple[Tensor, ...], what: str) -> None:
    if not tensors:
        raise Mismatch("shape-cat", "`{what}` needs at least one tensor.", what=what)


def _disagreement(what: str, first: Shape, other: Shape, number: int, axis: int, left: Dim, right: Dim) -> Mismatch:
    rule_ = "all axes but the joined one must agree" if what == "cat" else "all axes must agree"
    return Mismatch(
        "shape-cat",
        f"The first tensor is {{first}} and tensor {{number}} is {{other}}: in axis {{axis}}, {{left}} meets {{right}}; {rule_}.",
        first=first,
        other=other,
        number=number + 1,
        axis=axis,
        left=left,
        right=right,
        at="tensors",
    )


@rule("torch.cat torch.concat torch.concatenate", term="concatenation")
def cat(cx: Context, tensors: Tensors, dim: int = 0) -> Tensor:
    """Tensors put one after the other along an axis that they have; all other axes must agree."""
    _require_sequence(tensors, "cat")
    kept = (
        tuple(t for t in tensors if t.shape != Shape((0,))) or tensors[:1]
    )  # torch lets an empty vector join anything
    if kept[0].shape.rank == 0:
        raise Mismatch(
            "shape-cat",
            "A single number has no axis to be joined along.",
            hint="Use `torch.stack`, which makes a new axis.",
        )
    shape = _common_shape(cx, kept, dim)
    shape, at = locate(cx, shape, dim, "tensors")
    total: Dim = 0
    for tensor in kept:
        own, _ = locate(cx, resolve_shape(cx.store, tensor.shape), dim, "tensors")
        total = add(total, size(own, at if own.row is None and at >= 0 else dim))
    return _joined(tensors, replace_axis(shape, at, total))


def _common_shape(cx: Context, tensors: tuple[Tensor, ...], dim: int) -> Shape:
    """The shape of the joined tensors but for the joined axis, learnt from all of them."""
    best = next((t.shape for t in tensors if t.shape.row is None), tensors[0].shape)
    if best.row is None:
        joined = locate(cx, best, dim, "tensors")[1]
        for number, tensor in enumerate(tensors):
            shape = _with_rank(cx, tensor, len(best.back), best, number)
            for axis, (left, right) in enumerate(zip(best.back, shape.back, strict=True)):
                if axis != joined and left != right:
                    require_equal(cx, left, right, _disagreement("cat", best, shape, number, axis, left, right))
        return resolve_shape(cx.store, best)
    best, at = locate(cx, best, dim)
    for number, tensor in enumerate(tensors[1:], start=1):
        shape, _ = locate(cx, tensor.shape, dim)
        shared = min(len(best.back), len(shape.back))
        for position in range(1, shared + 1):
            left, right = best.back[-position], shape.back[-position]
            if -position != at and left != right and at < 0:
                require_equal(cx, left, right, _disagreement("cat", best, shape, number, -position, left, right))
    return resolve_shape(cx.store, best)


def _with_rank(cx: Context, tensor: Tensor, rank: int, first: Shape, number: int) -> Shape:
    shape = solve_rank(cx.store, tensor.shape, rank)
    if shape is None:
        raise Mismatch(
            "shape-cat",
            "One tensor is {first} and tensor {number} is {other}: they differ in the number of axes.",
            hint="Give the smaller one an axis of size 1 with `unsqueeze`.",
            first=first,
            other=tensor.shape,
            number=number + 1,
            at="tensors",
        )
    return shape


@rule("torch.stack", term="stack")
def stack(cx: Context, tensors: Tensors, dim: int = 0) -> Tensor:
    """Tensors of one shape put side by side along a new axis."""
    _require_sequence(tensors, "stack")
    shape = next((t.shape for t in tensors if t.shape.row is None), tensors[0].shape)
    if shape.row is None:
        for number, tensor in enumerate(tensors):
            own = _with_rank(cx, tensor, len(shape.back), shape, number)
            for axis, (left, right) in enumerate(zip(shape.back, own.back, strict=True)):
                if left != right:
                    require_equal(cx, left, right, _disagreement("stack", shape, own, number, axis, left, right))
    shape = resolve_shape(cx.store, shape)
    grown, _ = insert_axis(cx, shape, dim, len(tensors), "tensors")
    return _joined(tensors, grown)


def _at_least(cx: Context, tensor: Tensor, rank: int) -> Tensor:
    """What `hstack`, `vstack` and `dstack` do to tensors of few axes."""
    if tensor.shape.row is not None:
        if tensor.shape.least_rank >= rank:
            return tensor
        raise CannotTell("the number of axes is not known")
    dims = tensor.shape.back
    if rank == 2 and len(dims) < 2:
        dims = (1, *dims) if dims else (1, 1)
    elif rank == 3 and len(dims) < 3:
        dims = {0: (1, 1, 1), 1: (1, *dims, 1), 2: (*dims, 1)}[len(dims)]
    elif rank == 1 and not dims:
        dims = (1,)
    return tensor.with_shape(Shape(dims))


@rule("torch.hstack")
def hstack(cx: Context, tensors: Tensors) -> Tensor:
    """Tensors joined along the second axis; vectors along their only one."""
    _require_sequence(tensors, "hstack")
    grown = tuple(_at_least(cx, tensor, 1) for tensor in tensors)
    return cat(cx, grown, 0 if grown[0].shape.rank == 1 else 1)


@rule("torch.vstack torch.row_stack")
def vstack(cx: Context, tensors: Tensors) -> Tensor:
    """Tensors joined along the first axis; vectors become rows."""
    _require_sequence(tensors, "vstack")
    return cat(cx, tuple(_at_least(cx, tensor, 2) for tensor in tensors), 0)


@rule("torch.dstack")
def dstack(cx: Context, tensors: Tensors) -> Tensor:
    """Tensors joined along the third axis."""
    _require_sequence(tensors, "dstack")
    return cat(cx, tuple(_at_least(cx, tensor, 3) for tensor in tensors), 2)


@rule("torch.column_stack")
def column_stack(cx: Context, tensors: Tensors) -> Tensor:
    """Vectors as the columns of a matrix; matrices side by side."""
    _require_sequence(tensors, "column_stack")
    columns = tuple(
        t.with_shape(Shape((*t.shape.back, 1) if t.shape.rank else (1, 1))) if t.shape.rank in (0, 1) else t
        for t in tensors
    )
    return cat(cx, columns, 1)


# -- cutting apart ---------------------------------------------------------------------------------------------------------


def _require_axes(input: Tensor) -> None:
    if input.shape.rank == 0:
        raise Mismatch("shape-axis", "{input} is a single number: it has no axis to be cut along.", at="input")


def _equal_parts(cx: Context, input: Tensor, dim: int, length: Dim, count: int) -> tuple[Tensor, ...]:
    """So many pieces of one size; that they come out even is a need."""
    part = floor_divide(length, count)
    note_divisions(cx.store, part, cx.where)
    return _parts(cx, input, dim, [part] * count)


def _parts(cx: Context, input: Tensor, dim: int, sizes: list[Dim]) -> tuple[Tensor, ...]:
    shape, at = locate(cx, input.shape, dim)
    strides = input.strides if shape.row is None else None
    return tuple(replace(input, shape=replace_axis(shape, at, part), strides=strides, sure=True) for part in sizes)


def _some_parts(cx: Context, input: Tensor, dim: int, part: Dim | None = None) -> Some:
    """An unknown number of pieces; `part` is the size of all but perhaps the last."""
    shape, at = locate(cx, input.shape, dim)
    item = replace(input, shape=replace_axis(shape, at, cx.fresh()), strides=None, sure=True)
    return Some(item, item if part is None else replace(item, shape=replace_axis(shape, at, part)))


@rule("torch.split torch.Tensor.split torch.split_with_sizes torch.Tensor.split_with_sizes", term="split")
def split(cx: Context, input: Tensor, split_size: Any, dim: int = 0) -> Any:
    """The tensor cut along an axis: into pieces of one size (the last may be smaller), or into pieces of the given sizes."""
    shape, at = locate(cx, input.shape, dim)
    _require_axes(input)
    length = size(shape, at)
    if isinstance(split_size, tuple):
        parts = [as_dim(cx, part) for part in split_size]  # pyright: ignore[reportUnknownVariableType]
        total: Dim = 0
        for part in parts:
            total = add(total, part)
        finding = Mismatch(
            "shape-axis",
            "{input} is {input.shape}: its axis {axis} has size {left}, and the pieces add up to {right}.",
            axis=dim,
            left=length,
            right=total,
        )
        require_equal(cx, length, total, finding)
        return _parts(cx, input, dim, parts)
    step = as_dim(cx, split_size)
    if isinstance(step, int) and isinstance(length, int):
        if step <= 0:
            raise CannotTell("a piece needs a size above 0")
        count = max(-(-length // step), 1)
        if count <= MOST_PARTS:
            return _parts(cx, input, dim, [min(step, length - step * i) for i in range(count)])
        return _some_parts(cx, input, dim)
    count = floor_divide(length, step) if step != 0 else cx.fresh()
    if isinstance(count, int) and 0 < count <= MOST_PARTS and multiply(count, step) == length:
        return _parts(cx, input, dim, [step] * count)
    return _some_parts(cx, input, dim, step)


@rule("torch.chunk torch.Tensor.chunk", term="chunk")
def chunk(cx: Context, input: Tensor, chunks: Any, dim: int = 0) -> Any:
    """The tensor cut along an axis into so many equal pieces; the last may be smaller, and there may be fewer."""
    shape, at = locate(cx, input.shape, dim)
    _require_axes(input)
    length = size(shape, at)
    if not isinstance(chunks, int) or chunks <= 0 or chunks > MOST_PARTS:
        return _some_parts(cx, input, dim)
    if isinstance(length, int):
        step = max(-(-length // chunks), 1)
        return split(cx, input, step, dim) if length else _parts(cx, input, dim, [0] * chunks)
    return _equal_parts(cx, input, dim, length, chunks)


@rule("torch.tensor_split torch.Tensor.tensor_split")
def tensor_split(cx: Context, input: Tensor, indices_or_sections: Any, dim: int = 0) -> Any:
    """The tensor cut along an axis into so many pieces as equal as can be, or before the given positions."""
    shape, at = locate(cx, input.shape, dim)
    _require_axes(input)
    length = size(shape, at)
    if isinstance(indices_or_sections, tuple):
        cuts = [as_dim(cx, cut) for cut in indices_or_sections]  # pyright: ignore[reportUnknownVariableType]
        if isinstance(length, int) and all(isinstance(cut, int) for cut in cuts):
            ends = [
                0,
                *(min(max(cut + length if cut < 0 else cut, 0), length) for cut in cuts if isinstance(cut, int)),
                length,
            ]
            return _parts(cx, input, dim, [max(b - a, 0) for a, b in itertools.pairwise(ends)])
        return _parts(cx, input, dim, [cx.fresh() for _ in range(len(cuts) + 1)])
    count = indices_or_sections
    if not isinstance(count, int) or not 0 < count <= MOST_PARTS:
        return _some_parts(cx, input, dim)
    if isinstance(length, int):
        return _parts(cx, input, dim, [length // count + (i < length % count) for i in range(count)])
    return _equal_parts(cx, input, dim, length, count)


@rule("torch.unbind torch.Tensor.unbind")
def unbind(cx: Context, input: Tensor, dim: int = 0) -> Any:
    """The slices along an axis, one by one; the axis is gone from each."""
    shape, at = locate(cx, input.shape, dim)
    _require_axes(input)
    length = size(shape, at)
    rest = splice(shape, at, ())
    strides = input.strides if shape.row is None else None
    if strides is not None:
        strides = (*strides[:at], *strides[at + 1 :])
    item = replace(input, shape=rest, strides=strides, sure=True)
    if isinstance(length, int) and length <= MOST_PARTS:
        return (item,) * length
    return Some(item, item)


@rule("torch.narrow torch.Tensor.narrow")
def narrow(cx: Context, input: Tensor, dim: int, start: Any, length: Any) -> Tensor:
    """A part of an axis: `length` of it, from `start`."""
    shape, at = locate(cx, input.shape, dim)
    have, wanted = size(shape, at), as_dim(cx, length)
    begin = as_dim(cx, start)
    if isinstance(have, int) and isinstance(wanted, int) and isinstance(begin, int):
        first = begin + have if begin < 0 else begin
        if first + wanted > have or first < 0:
            raise Mismatch(
                "shape-index",
                "{input} is {input.shape}: its axis {axis} ends at {have}, before {last}.",
                axis=dim,
                have=have,
                last=first + wanted,
            )
    return replace(
        input, shape=replace_axis(shape, at, wanted), strides=input.strides if shape.row is None else None, sure=True
    )


@rule("torch.select torch.Tensor.select")
def select(cx: Context, input: Tensor, dim: int, index: Any) -> Tensor:
    """One slice of an axis; the axis is gone."""
    shape, at = locate(cx, input.shape, dim)
    have = size(shape, at)
    if isinstance(have, int) and isinstance(index, int) and not -have <= index < have:
        raise Mismatch(
            "shape-index",
            "{input} is {input.shape}: its axis {axis} has size {have}, so there is no index {index}.",
            axis=dim,
            have=have,
        )
    strides = input.strides if shape.row is None else None
    if strides is not None:
        strides = (*strides[:at], *strides[at + 1 :])
    return replace(input, shape=splice(shape, at, ()), strides=strides, sure=True)
