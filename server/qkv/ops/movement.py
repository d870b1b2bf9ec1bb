"""Axes that change places, appear, disappear or are stretched."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from qkv.ops.axes import (
    as_dim,
    axes_given,
    checked,
    drop_axis,
    insert_axis,
    locate,
    replace_axis,
    require_axes,
    size,
    sizes_given,
    splice,
)
from qkv.ops.broadcast import same
from qkv.ops.context import CannotTell, Context, Mismatch, require_equal
from qkv.ops.strides import is_contiguous
from qkv.ops.table import rule
from qkv.shapes import Dim, Kind, Shape, Tensor, Truth
from qkv.shapes.dim import add, alone, floor_divide, multiply, subtract
from qkv.shapes.solve import compare, solve_rank
from qkv.shapes.values import contiguous_strides

Strides = tuple[Dim, ...]


def rearranged(input: Tensor, order: tuple[int, ...]) -> Tensor:
    """The tensor of known rank with its axes in another order."""
    dims, strides = input.shape.back, input.strides
    steps = tuple([strides[i] for i in order]) if strides is not None and len(strides) == len(dims) else None
    return Tensor(Shape(tuple([dims[i] for i in order])), input.dtype, input.device, steps, input.low, input.high)


def _swap(cx: Context, input: Tensor, first: int, second: int) -> Tensor:
    shape, a = locate(cx, input.shape, first)
    shape, b = locate(cx, shape, second)
    if shape.row is None:
        if not shape.back:
            return input
        a, b = first % len(shape.back), second % len(shape.back)
        order = list(range(len(shape.back)))
        order[a], order[b] = b, a
        return rearranged(replace(input, shape=shape), tuple(order))
    left, right = size(shape, a), size(shape, b)
    swapped = replace_axis(replace_axis(shape, a, right), b, left)
    return replace(input, shape=swapped, strides=None, sure=True)


@rule(
    "torch.transpose torch.Tensor.transpose torch.swapaxes torch.Tensor.swapaxes torch.swapdims torch.Tensor.swapdims torch.Tensor.transpose_",
    term="transpose",
)
def transpose(cx: Context, input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two axes change places. Nothing is copied; the numbers stay where they are in memory."""
    return _swap(cx, input, dim0, dim1)


@rule("torch.t torch.Tensor.t torch.Tensor.t_", term="transpose")
def t(cx: Context, input: Tensor) -> Tensor:
    """The two axes of a matrix change places."""
    if input.shape.rank is not None and input.shape.rank < 2:
        return input
    shape = solve_rank(cx.store, input.shape, 2)
    if shape is None:
        raise Mismatch(
            "shape-axis",
            "{input} is {input.shape}: `t` turns a matrix, which has two axes.",
            hint="Name the two axes: `{input}.transpose(-2, -1)`.",
            at="input",
        )
    return rearranged(replace(input, shape=shape), (1, 0))


@rule("torch.Tensor.T", term="transpose")
def T(cx: Context, input: Tensor) -> Tensor:
    """All axes in the opposite order; of a matrix, rows and columns change places."""
    shape = cx.shape(input)
    if shape.row is not None:
        raise CannotTell("the number of axes is not known")
    return rearranged(replace(input, shape=shape), tuple(reversed(range(len(shape.back)))))


@rule("torch.Tensor.mT torch.Tensor.mH torch.adjoint torch.Tensor.adjoint", term="transpose")
def mT(cx: Context, input: Tensor) -> Tensor:
    """The last two axes change places."""
    return _swap(cx, input, -2, -1)


@rule("torch.Tensor.H", term="transpose")
def H(cx: Context, input: Tensor) -> Tensor:
    """The two axes of a matrix change places."""
    if input.shape.rank not in (None, 0, 2):
        raise Mismatch(
            "shape-axis",
            "{input} is {input.shape}: `H` turns a matrix, which has two axes.",
            hint="Of a batch, `mH` turns the last two axes.",
            at="input",
        )
    return input if input.shape.rank == 0 else t(cx, input)


@rule("torch.permute torch.Tensor.permute", term="permute")
def permute(cx: Context, input: Tensor, *dims: Any) -> Tensor:
    """The axes in another order: axis i of the result is axis `dims[i]`. Nothing is copied."""
    given = require_axes(dims[0] if len(dims) == 1 and isinstance(dims[0], tuple) else dims)
    shape = solve_rank(cx.store, input.shape, len(given))
    if shape is None:
        raise Mismatch(
            "shape-axis",
            "{input} is {input.shape}; to permute it takes one index for each of its {rank} axes, and {given} are given.",
            at="input",
            rank=input.shape.rank if input.shape.rank is not None else input.shape.least_rank,
            given=len(given),
        )
    order = tuple(locate(cx, shape, index)[1] for index in given)
    if len(set(order)) != len(order):
        raise Mismatch("shape-axis", "An axis is named twice in {given}; every axis must be there once.", given=given)
    return rearranged(replace(input, shape=shape), order)


@rule("torch.movedim torch.Tensor.movedim torch.moveaxis torch.Tensor.moveaxis")
def movedim(cx: Context, input: Tensor, source: Any, destination: Any) -> Tensor:
    """Some axes moved to another place; the others keep their order."""
    origin, goal = require_axes(source), require_axes(destination)
    if len(origin) != len(goal):
        raise Mismatch("shape-axis", "{have} axes are to be moved to {want} places.", have=len(origin), want=len(goal))
    if len(set(origin)) != len(origin) or len(set(goal)) != len(goal):
        raise Mismatch("shape-axis", "An axis is named twice.")
    shape = input.shape
    if shape.row is not None:
        if len(origin) != 1:
            raise CannotTell("the number of axes is not known")
        shape, _ = locate(cx, shape, goal[0])
        shape, at = locate(cx, shape, origin[0])
        moved = size(shape, at)
        shape, _ = insert_axis(cx, drop_axis(shape, at), goal[0], moved)
        return replace(input, shape=shape, strides=None, sure=True)
    origin = tuple(locate(cx, shape, i)[1] for i in origin)
    goal = tuple(locate(cx, shape, i)[1] for i in goal)
    rest = iter([i for i in range(len(shape.back)) if i not in origin])
    at_goal = dict(zip(goal, origin, strict=True))
    return rearranged(input, tuple(at_goal[i] if i in at_goal else next(rest) for i in range(len(shape.back))))


# -- axes of size 1 --------------------------------------------------------------------------------------------------------


@rule("torch.unsqueeze torch.Tensor.unsqueeze torch.Tensor.unsqueeze_", term="unsqueeze")
def unsqueeze(cx: Context, input: Tensor, dim: int) -> Tensor:
    """A new axis of size 1, which has index `dim` afterwards."""
    shape, at = insert_axis(cx, input.shape, dim, 1)
    strides = input.strides
    if strides is not None and shape.row is None:
        step = multiply(input.shape.back[at], strides[at]) if at < len(strides) else 1
        strides = (*strides[:at], step, *strides[at:])
    return replace(input, shape=shape, strides=strides if shape.row is None else None, sure=True)


@rule("torch.squeeze torch.Tensor.squeeze torch.Tensor.squeeze_", term="squeeze")
def squeeze(cx: Context, input: Tensor, dim: Any = None) -> Tensor:
    """Axes of size 1 are dropped: all, or those that `dim` names where they have size 1."""
    shape = input.shape
    if dim is None:
        if shape.row is not None or any(not isinstance(d, int) for d in shape.back):
            if shape.row is None and all(isinstance(d, int) or compare(d, 1) is Truth.NEVER for d in shape.back):
                return _without(input, [i for i, d in enumerate(shape.back) if d == 1])
            raise CannotTell("which axes have size 1 is not known here")
        return _without(input, [i for i, d in enumerate(shape.back) if d == 1])
    found: list[int] = []
    for index in require_axes(dim):
        shape, at = locate(cx, shape, index)
        if shape.row is None and not shape.back:
            return input
        if _has_size_one(size(shape, at)):
            found.append(at)
    if shape.row is not None:
        for at in sorted(found, reverse=True):
            shape = drop_axis(shape, at)
        return replace(input, shape=shape, strides=None, sure=True)
    return _without(replace(input, shape=shape), found)


def _has_size_one(dim: Dim) -> bool:
    """Whether an axis that is squeezed has size 1. One without a name is believed to: that is why the author squeezes it."""
    answer = compare(dim, 1)
    if answer in (Truth.ALWAYS, Truth.NEVER):
        return answer is Truth.ALWAYS
    single = alone(dim)
    if single is None or (single.name and single.kind is not Kind.FRESH):
        raise CannotTell("whether that axis has size 1 is not known here")
    return True


def _without(input: Tensor, axes: list[int]) -> Tensor:
    kept = [i for i in range(len(input.shape.back)) if i not in axes]
    return rearranged(input, tuple(kept))


# -- stretching and repeating ----------------------------------------------------------------------------------------------


@rule("torch.Tensor.expand torch.broadcast_to torch.Tensor.broadcast_to", term="expand")
def expand(cx: Context, input: Tensor, *size: Any, implicit: Any = False) -> Tensor:
    """Axes of size 1 stretched to the given sizes without a copy; -1 keeps an axis. New axes may be added in front."""
    return _expanded(cx, input, sizes_given(cx, size))


@rule("torch.Tensor.expand_as", term="expand")
def expand_as(cx: Context, input: Tensor, other: Tensor) -> Tensor:
    """Axes of size 1 stretched to another tensor's shape without a copy."""
    return _expanded(cx, input, other.shape)


def _expanded(cx: Context, input: Tensor, wanted: Shape) -> Tensor:
    have = input.shape
    if any(isinstance(dim, int) and dim < -1 for dim in wanted.back):
        raise Mismatch(
            "shape-broadcast", "{wanted} has a negative size; only -1 is one that keeps an axis.", wanted=wanted
        )
    if wanted.row is not None or have.row is not None:
        return replace(input, shape=_expanded_open(cx, have, wanted), strides=None, sure=True)
    extra = len(wanted.back) - len(have.back)
    if extra < 0:
        raise Mismatch(
            "shape-broadcast",
            "{input} is {input.shape}, with more axes than {wanted}; `expand` needs a size for each of them.",
            wanted=wanted,
        )
    dims: list[Dim] = []
    steps: list[Dim] = []
    strides = input.strides
    for position, want in enumerate(wanted.back):
        at = position - extra
        if at < 0:
            if want == -1:
                raise Mismatch(
                    "shape-broadcast",
                    "-1 keeps an axis, and {wanted} has it where {input}, {input.shape}, has none.",
                    wanted=wanted,
                )
            dims.append(want)
            steps.append(0)
            continue
        dim, stretched = _stretched(cx, have.back[at], want, wanted)
        dims.append(dim)
        steps.append(0 if stretched else strides[at] if strides is not None else 0)
    return replace(input, shape=Shape(tuple(dims)), strides=tuple(steps) if strides is not None else None, sure=True)


def _stretched(cx: Context, have: Dim, want: Dim, wanted: Shape) -> tuple[Dim, bool]:
    """The size of an expanded axis, and whether it is repeated rather than kept."""
    if want == -1 or have == want:
        return have, False
    if have == 1:
        return want, True
    finding = Mismatch(
        "shape-broadcast",
        "{input} is {input.shape} and is to become {wanted}: an axis of size {left} cannot be stretched to {right}; only one of size 1 can.",
        left=have,
        right=want,
        wanted=wanted,
    )
    if isinstance(have, int):
        require_equal(cx, have, want, finding)
        return have, False
    answer = compare(have, want)
    if answer is Truth.NEVER and compare(have, 1) is Truth.NEVER:
        raise finding
    return want, False


def _expanded_open(cx: Context, have: Shape, wanted: Shape) -> Shape:
    """An expansion where one of both ranks is not known: the wanted sizes stand, -1 is what was there."""
    dims: list[Dim] = []
    for position, want in enumerate(reversed(wanted.back), start=1):
        dim = have.last(position)
        dims.append(want if want != -1 else dim if dim is not None else cx.fresh())
    front = tuple(cx.fresh() if dim == -1 else dim for dim in wanted.front)
    return Shape(tuple(reversed(dims)), wanted.row, front)


@rule("torch.broadcast_tensors")
def broadcast_tensors(cx: Context, *tensors: Tensor) -> Any:
    """All tensors stretched to one shape."""
    from qkv.ops.broadcast import broadcast_all

    operands = {f"tensors[{i}]": tensor for i, tensor in enumerate(tensors)}
    shape = broadcast_all(cx, operands)
    return tuple(replace(tensor, shape=shape, strides=None) for tensor in tensors)


@rule("torch.broadcast_shapes")
def broadcast_shapes(cx: Context, *shapes: Any) -> Any:
    """The shape that all the given ones are stretched to."""
    from qkv.ops.broadcast import broadcast

    result = Shape()
    for given in shapes:
        result = broadcast(cx, result, sizes_given(cx, (given,)), ("shapes", "shapes"))
    if result.row is not None:
        raise CannotTell("the number of axes is not known")
    return result.back


@rule("torch.tile torch.Tensor.tile", term="repeat")
def tile(cx: Context, input: Tensor, *dims: Any) -> Tensor:
    """The tensor laid side by side with itself, so many times along each of its last axes."""
    times = sizes_given(cx, dims)
    if times.row is not None or input.shape.row is not None:
        raise CannotTell("the number of axes is not known")
    missing = len(input.shape.back) - len(times.back)
    return repeat(cx, input, *(1,) * missing, *times.back)


@rule("torch.Tensor.repeat", term="repeat")
def repeat(cx: Context, input: Tensor, *repeats: Any) -> Tensor:
    """The tensor laid side by side with itself, so many times along each axis; the copies follow each other."""
    times = sizes_given(cx, repeats)
    if times.row is not None:
        raise CannotTell("the number of axes is not known")
    if input.shape.row is not None:
        shape = solve_rank(cx.store, input.shape, len(times.back))
        if shape is None:
            raise CannotTell("the number of axes is not known")
        input = replace(input, shape=shape)
    missing = len(times.back) - len(input.shape.back)
    if missing < 0:
        raise Mismatch(
            "shape-axis",
            "{input} is {input.shape}; to repeat it takes a number for each of its axes, and {times} has too few.",
            times=times,
        )
    dims = (1,) * missing + input.shape.back
    return replace(input.with_shape(Shape(tuple(multiply(a, b) for a, b in zip(dims, times.back, strict=True)))))


@rule("torch.repeat_interleave torch.Tensor.repeat_interleave", term="repeat_interleave")
def repeat_interleave(
    cx: Context, input: Tensor, repeats: Any = None, dim: Any = None, *, output_size: Any = None
) -> Tensor:
    """Each element of an axis repeated, its copies next to each other. Without `dim`, of all numbers in a row."""
    if repeats is None:
        raise CannotTell("how long the result is depends on the numbers", "int64")
    if dim is None:
        if input.shape.row is not None:
            return input.with_shape(Shape((cx.fresh(),)))
        total: Dim = 1
        for part in input.shape.back:
            total = multiply(total, part)
        return input.with_shape(Shape((_repeated(cx, total, repeats),)))
    if not isinstance(dim, int):
        raise CannotTell("which axis is meant is not known here")
    shape, at = locate(cx, input.shape, dim)
    return input.with_shape(replace_axis(shape, at, _repeated(cx, size(shape, at), repeats)))


def _repeated(cx: Context, dim: Dim, repeats: Any) -> Dim:
    if isinstance(repeats, Tensor):
        return cx.fresh()
    return multiply(dim, as_dim(cx, repeats))


# -- order along an axis ---------------------------------------------------------------------------------------------------


@rule("torch.fliplr torch.Tensor.fliplr")
def fliplr(cx: Context, input: Tensor) -> Tensor:
    """The order along the second axis turned round."""
    return flip(cx, input, 1)


@rule("torch.flipud torch.Tensor.flipud")
def flipud(cx: Context, input: Tensor) -> Tensor:
    """The order along the first axis turned round."""
    return flip(cx, input, 0)


@rule("torch.flip torch.Tensor.flip")
def flip(cx: Context, input: Tensor, *dims: Any) -> Tensor:
    """The order along the given axes turned round."""
    given = axes_given(dims[0] if len(dims) == 1 and isinstance(dims[0], tuple) else dims)
    shape = input.shape
    found: set[int] = set()
    for index in given or ():
        shape = checked(cx, shape, index)
        at = index % len(shape.back) if shape.row is None and shape.back else index
        if at in found:
            raise Mismatch("shape-axis", "Axis {axis} is named twice.", axis=index)
        found.add(at)
    return same(
        replace(input, shape=shape, strides=input.strides if shape is input.shape else None),
        low=input.low,
        high=input.high,
    )


@rule("torch.roll torch.Tensor.roll")
def roll(cx: Context, input: Tensor, shifts: Any, dims: Any = None) -> Tensor:
    """The numbers moved along the given axes; what falls off at one end comes in at the other."""
    shape = input.shape
    if dims is not None:
        given = axes_given(dims)
        moved: tuple[Any, ...] = shifts if isinstance(shifts, tuple) else (shifts,)
        if given is not None and len(given) != len(moved):
            raise Mismatch(
                "shape-axis",
                "`roll` takes one shift for each axis; {have} shifts and {want} axes are given.",
                have=len(moved),
                want=len(given),
            )
        for index in given or ():
            shape, _ = locate(cx, shape, index)
    return replace(input, shape=shape, strides=contiguous_strides(shape), sure=True)


@rule("torch.rot90 torch.Tensor.rot90")
def rot90(cx: Context, input: Tensor, k: int = 1, dims: Any = (0, 1)) -> Tensor:
    """Two axes turned by quarter turns."""
    first, second = require_axes(dims)
    shape, a = locate(cx, input.shape, first)
    shape, b = locate(cx, shape, second)
    if a == b:
        raise Mismatch("shape-axis", "A quarter turn needs two axes, and {axis} is named twice.", axis=first)
    turned = replace_axis(replace_axis(shape, a, size(shape, b)), b, size(shape, a)) if k % 2 else shape
    return Tensor(turned, input.dtype, input.device)


@rule("torch.Tensor.contiguous")
def contiguous(cx: Context, input: Tensor, memory_format: Any = None) -> Tensor:
    """The same tensor, laid out in memory in the order of its axes; copied where it is not."""
    if memory_format is not None and getattr(memory_format, "name", "") != "torch.contiguous_format":
        return replace(input, strides=None, sure=True)
    return replace(input, strides=contiguous_strides(input.shape), sure=True)


@rule("torch.Tensor.is_contiguous")
def contiguous_test(cx: Context, input: Tensor, memory_format: Any = None) -> Any:
    """Whether the numbers lie in memory in the order of the axes."""
    answer = is_contiguous(input)
    if memory_format is not None or answer not in (Truth.ALWAYS, Truth.NEVER):
        raise CannotTell("how the numbers lie in memory is not known here")
    return answer is Truth.ALWAYS


@rule("torch.Tensor.unfold")
def unfold(cx: Context, input: Tensor, dimension: int, size: Any, step: Any) -> Tensor:
    """Windows along one axis: the axis becomes the number of windows, and a new last axis holds each window."""
    shape, at = locate(cx, input.shape, dimension)
    length = shape.front[at] if shape.row is not None and at >= 0 else shape.back[at] if shape.back else 1
    window, stride = as_dim(cx, size), as_dim(cx, step)
    if isinstance(length, int) and isinstance(window, int) and window > length:
        raise Mismatch(
            "shape-axis", "Windows of {window} do not fit into an axis of {length}.", window=window, length=length
        )
    count = add(floor_divide(subtract(length, window), stride), 1) if stride != 0 else cx.fresh()
    if shape.row is None and not shape.back:
        return Tensor(Shape((window,)), input.dtype)
    grown = splice(shape, at, (count,))
    strides = input.strides
    if strides is not None and shape.row is None:
        strides = (*(multiply(s, stride) if i == at else s for i, s in enumerate(strides)), strides[at])
    return replace(
        input,
        shape=Shape((*grown.back, window), grown.row, grown.front),
        strides=strides if shape.row is None else None,
        sure=True,
    )


@rule("torch.Tensor.stride")
def stride(cx: Context, input: Tensor, dim: Any = None) -> Any:
    """The steps in memory between neighbours along each axis, or along one."""
    if input.strides is None or input.shape.row is not None:
        raise CannotTell("how the numbers lie in memory is not known here")
    if not isinstance(dim, int):
        return input.strides
    _, at = locate(cx, input.shape, dim)
    return input.strides[at]
