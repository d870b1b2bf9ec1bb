"""The same numbers under another shape: view, reshape, flatten, unflatten."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from qkv.ops.axes import as_dim, locate, size, sizes_given, splice
from qkv.ops.context import CannotTell, Context, Mismatch, require_equal
from qkv.ops.dtypes import BITS
from qkv.ops.strides import Strides, viewed
from qkv.ops.table import rule
from qkv.shapes import Dim, Dtype, Shape, Tensor, Truth
from qkv.shapes.dim import exact_quotient, floor_divide, multiply, product
from qkv.shapes.solve import note_divisions, stand_apart
from qkv.shapes.values import contiguous_strides


def fill_in(cx: Context, input: Shape, wanted: Shape, code: str = "shape-view") -> Shape:
    """The shape that is wanted, with `-1` filled in. Raises Mismatch where it does not hold as many numbers as `input`."""
    asked = wanted.front + wanted.back
    if asked.count(-1) > 1:
        raise Mismatch(code, "Only one size may be left to be worked out, and {wanted} has two of -1.", wanted=wanted)
    if min([dim for dim in asked if isinstance(dim, int)], default=0) < -1:
        raise Mismatch(code, "{wanted} has a negative size.", wanted=wanted)
    before, after = _totals(input, wanted)
    if before is None or after is None:
        return _replace_minus_one(wanted, cx.fresh())
    if -1 in asked:
        return _replace_minus_one(wanted, _left_over(cx, input, wanted, before, after, code))
    if before == after:
        return wanted
    finding = Mismatch(
        code,
        "{input} is {input.shape} and holds {left} numbers; {wanted} would hold {right}.",
        hint=_hint(before, after),
        left=before,
        right=after,
        wanted=wanted,
    )
    require_equal(cx, before, after, finding)
    return wanted


def _hint(before: Dim, after: Dim) -> str | None:
    if isinstance(before, int) and isinstance(after, int) and before > after > 0 and before % after == 0:
        return f"One of the sizes is {before // after} times too small."
    if isinstance(before, int) and isinstance(after, int) and after > before > 0 and after % before == 0:
        return f"One of the sizes is {after // before} times too large."
    return "The product of the sizes must stay what it was; one size may be left to torch with -1."


def _totals(input: Shape, wanted: Shape) -> tuple[Dim | None, Dim | None]:
    """The numbers in both shapes, `-1` left out; an unknown prefix that both share is left out too. None where it is not known."""
    after = product([dim for dim in wanted.front + wanted.back if dim != -1])
    before = product(input.front + input.back)
    return (before, after) if input.row is wanted.row else (None, None)


def _replace_minus_one(shape: Shape, dim: Dim) -> Shape:
    front, back = (tuple(dim if item == -1 else item for item in part) for part in (shape.front, shape.back))
    return Shape(back, shape.row, front)


def _left_over(cx: Context, input: Shape, wanted: Shape, before: Dim, after: Dim, code: str) -> Dim:
    """What `-1` stands for."""
    if after == 0:
        if before == 0:
            raise Mismatch(code, "{wanted} does not say what -1 stands for: any size would do.", wanted=wanted)
        raise Mismatch(
            code, "{input} is {input.shape} and cannot become {wanted}, which holds no numbers.", wanted=wanted
        )
    if isinstance(before, int) and isinstance(after, int) and before % after:
        raise Mismatch(
            code,
            "{input} is {input.shape} and holds {left} numbers; they cannot be cut into pieces of {right}, as {wanted} asks.",
            left=before,
            right=after,
            wanted=wanted,
        )
    found = exact_quotient(before, after)
    for dim in (found, after):  # both rest on divisions that must come out even
        note_divisions(cx.store, dim, cx.where)
    return found


def view_strides(cx: Context, input: Tensor, target: Shape) -> Strides | None:
    """The strides of a view. Raises Mismatch where it would take a copy."""
    if input.strides is None or input.shape.row is not None or target.row is not None:
        return None
    found = viewed(input.shape, input.strides, target)
    if found is Truth.NEVER:
        raise Mismatch(
            "shape-view-stride",
            "{input} is {input.shape}, but its numbers lie in memory in another order; `view` cannot join these axes to {wanted} without a copy.",
            hint="Use `reshape`, or put `.contiguous()` before the view.",
            fix="reshape",
            at="input",
            wanted=target,
        )
    return None if isinstance(found, Truth) else found


def reshape_strides(input: Tensor, target: Shape) -> Strides | None:
    """The strides after a reshape: those of a view, or of a copy where a view is not possible."""
    if input.strides is None or input.shape.row is not None or target.row is not None:
        return None
    found = viewed(input.shape, input.strides, target)
    if found is Truth.NEVER:
        return contiguous_strides(target)
    return None if isinstance(found, Truth) else found


def _reshaped(cx: Context, input: Tensor, target: Shape) -> Tensor:
    if target.row is None:
        stand_apart(cx.store, target.back)
    return replace(input, shape=target, strides=reshape_strides(input, target), sure=True)


@rule("torch.Tensor.view", term="view")
def view(cx: Context, input: Tensor, *size: Any) -> Tensor:
    """The same numbers under a new shape: the product of the sizes stays what it was.

    Needs a layout that allows it without a copy; `-1` stands for what is left.
    """
    if len(size) == 1 and isinstance(size[0], Dtype):
        return _other_dtype(cx, input, size[0].name)
    target = fill_in(cx, input.shape, sizes_given(cx, size))
    strides = view_strides(cx, input, target)
    if target.row is None:
        stand_apart(cx.store, target.back)
    return Tensor(target, input.dtype, input.device, strides, input.low, input.high)


def _other_dtype(cx: Context, input: Tensor, dtype: str) -> Tensor:
    """`x.view(torch.int32)`: the same bytes read as another kind of number."""
    have, want = BITS.get(input.dtype or ""), BITS.get(dtype)
    if have is None or want is None:
        raise CannotTell("how many bytes a number takes is not known here", dtype)
    if have == want:
        return replace(input, dtype=dtype, low=None, high=None, sure=True)
    shape, at = locate(cx, input.shape, -1)
    last = size(shape, at)
    if have < want and isinstance(last, int) and last % (want // have):
        raise Mismatch(
            "shape-view",
            "{input} is {input.shape}: {count} numbers are read as one, and its last axis does not divide by that.",
            count=want // have,
        )
    new = multiply(last, have // want) if have > want else floor_divide(last, want // have)
    return Tensor(splice(shape, at, (new,)), dtype, input.device)


@rule("torch.reshape torch.Tensor.reshape", term="reshape")
def reshape(cx: Context, input: Tensor, *shape: Any) -> Tensor:
    """The same numbers under a new shape, copied where a view is not possible. `-1` stands for what is left."""
    return _reshaped(cx, input, fill_in(cx, input.shape, sizes_given(cx, shape)))


@rule("torch.Tensor.view_as torch.Tensor.reshape_as")
def view_as(cx: Context, input: Tensor, other: Tensor) -> Tensor:
    """The same numbers under another tensor's shape."""
    return _reshaped(cx, input, fill_in(cx, input.shape, other.shape))


@rule("torch.flatten torch.Tensor.flatten")
def flatten(cx: Context, input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Neighbouring axes, from `start_dim` to `end_dim`, joined to one."""
    shape = input.shape
    if shape.row is None and not shape.back:
        return replace(input, shape=Shape((1,)), strides=(1,))
    shape, start = locate(cx, shape, start_dim)
    shape, end = locate(cx, shape, end_dim)
    if shape.row is not None and (start >= 0) != (end >= 0):
        return replace(input, shape=_across(cx, shape, start, end), strides=None)
    if shape.row is not None and start < 0:
        start, end = start + len(shape.back), end + len(shape.back)
    dims = shape.back if shape.row is None or start_dim < 0 else shape.front
    if start > end:
        raise Mismatch(
            "shape-axis",
            "The first axis to join, {start}, comes after the last one, {end}.",
            start=start_dim,
            end=end_dim,
        )
    joined = (*dims[:start], product(dims[start : end + 1]), *dims[end + 1 :])
    if shape.row is None:
        return _reshaped(cx, input, Shape(joined))
    target = Shape(joined, shape.row, shape.front) if start_dim < 0 else Shape(shape.back, shape.row, joined)
    return replace(input, shape=target, strides=None, sure=True)


def _across(cx: Context, shape: Shape, start: int, end: int) -> Shape:
    """Axes joined over the unknown middle: what is left has a known rank."""
    if start < 0:
        raise CannotTell("the number of axes is not known")
    return Shape((*shape.front[:start], cx.fresh(), *shape.back[len(shape.back) + end + 1 :]))


@rule("torch.ravel torch.Tensor.ravel")
def ravel(cx: Context, input: Tensor) -> Tensor:
    """All numbers in one row."""
    return flatten(cx, input)


@rule("torch.unflatten torch.Tensor.unflatten")
def unflatten(cx: Context, input: Tensor, dim: int, sizes: Any) -> Tensor:
    """One axis cut into several: the product of their sizes is the size it had. `-1` stands for what is left."""
    shape, at = locate(cx, input.shape, dim)
    parts = sizes_given(cx, (sizes,))
    if parts.row is not None:
        raise CannotTell("into how many axes it is cut is not known")
    found = fill_in(cx, Shape((size(shape, at),)), parts)
    target = splice(shape, at, found.back)
    if target.row is None:
        stand_apart(cx.store, target.back)
    return replace(input, shape=target, strides=_cut(input, at, found.back), sure=True)


def _cut(input: Tensor, at: int, parts: tuple[Dim, ...]) -> Strides | None:
    if input.strides is None or input.shape.row is not None:
        return None
    step = input.strides[at]
    inner = tuple(multiply(step, inside) for inside in contiguous_strides(Shape(parts)) or ())
    return (*input.strides[:at], *inner, *input.strides[at + 1 :])


@rule("torch.Tensor.as_strided torch.as_strided")
def as_strided(cx: Context, input: Tensor, size: Any, stride: Any, storage_offset: Any = None) -> Tensor:
    """The tensor's memory read with sizes and strides of one's own."""
    shape = sizes_given(cx, (size,))
    if shape.row is not None or not isinstance(stride, tuple):
        raise CannotTell("the sizes or the strides are not known here")
    steps = tuple(as_dim(cx, step) for step in stride)  # pyright: ignore[reportUnknownVariableType]
    if len(steps) != len(shape.back):
        raise Mismatch("shape-view", "As many strides as sizes are needed.")
    _require_room(input, shape, steps)
    return replace(input, shape=shape, strides=steps, sure=True)


def _require_room(input: Tensor, shape: Shape, steps: Strides) -> None:
    """Refuse to read beyond the end of a tensor that is known to hold all of its memory."""
    pairs = [
        (dim - 1) * step
        for dim, step in zip(shape.back, steps, strict=True)
        if isinstance(dim, int) and isinstance(step, int)
    ]
    held = (
        product(input.shape.back)
        if input.strides is not None and input.strides == contiguous_strides(input.shape)
        else None
    )
    if len(pairs) == len(steps) and isinstance(held, int) and 0 not in shape.back and sum(pairs) >= held:
        raise Mismatch(
            "shape-view",
            "{input} holds {held} numbers, and these strides reach number {last}.",
            held=held,
            last=sum(pairs) + 1,
        )


@rule("torch.Tensor.resize_ torch.Tensor.resize")
def resize_(cx: Context, input: Tensor, *sizes: Any) -> Tensor:
    """The tensor with another number of numbers."""
    return input.with_shape(sizes_given(cx, sizes))
