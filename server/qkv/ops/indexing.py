"""Indexing with brackets: numbers, slices, None, `...`, masks and tensors of indices; reading and writing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from qkv.ops.agree import require_index
from qkv.ops.broadcast import broadcast
from qkv.ops.context import CannotTell, Context, Mismatch, require_equal
from qkv.ops.slices import sliced
from qkv.ops.table import rule
from qkv.shapes import Dim, Expr, Shape, Slice, Tensor, Truth, Unknown
from qkv.shapes.dim import multiply
from qkv.shapes.solve import axis, compare
from qkv.shapes.values import contiguous_strides

WHOLE = ("int64", "int32", "int16", "int8")
INDEX_TYPES = ("int64", "int32", "int16", "int8", "bool", "uint8")


@dataclass
class Walk:
    """The axes of a result while an index is read item by item. `advanced` are the index tensors and where the first one stood."""

    dims: list[Dim]
    strides: list[Dim] | None
    advanced: list[tuple[int, Shape]]


@rule("torch.Tensor.__getitem__", term="slicing")
def getitem(cx: Context, input: Tensor, index: Any) -> Tensor:
    """The part of a tensor that an index picks. A number drops its axis, a slice keeps it, None adds one, a mask or a tensor of indices picks."""
    items: tuple[Any, ...] = index if isinstance(index, tuple) else (index,)
    return pick(cx, input, _normal(items))


def _normal(items: tuple[Any, ...]) -> tuple[Any, ...]:
    """A list of numbers in an index picks like a tensor; `x[(1, 2)]` is `x[1, 2]`."""
    if (
        len(items) == 1
        and isinstance(items[0], tuple)
        and any(isinstance(part, (Slice, type(None), type(...))) for part in items[0])
    ):
        return items[0]
    return items


def pick(cx: Context, input: Tensor, items: tuple[Any, ...]) -> Tensor:
    """`input[items]`. Raises Mismatch for an axis or a position that is not there, CannotTell where the rank decides."""
    at = next((i for i, item in enumerate(items) if item is Ellipsis), None)
    before = items if at is None else items[:at]
    after = () if at is None else items[at + 1 :]
    if any(item is Ellipsis for item in after):
        raise Mismatch("shape-index", "An index may hold `...` only once.")
    if any(isinstance(item, Unknown) or not _understood(item) for item in items):
        raise CannotTell("a part of the index is not known here", input.dtype)
    shape = input.shape
    if shape.row is not None:
        return _pick_open(cx, input, shape, before, after, at is not None)
    used = sum(_axes_used(item) for item in before) + sum(_axes_used(item) for item in after)
    rank = len(shape.back)
    if used > rank:
        raise Mismatch(
            "shape-index",
            "{input} is {input.shape}: it has {rank} axes, and this index names {used}.",
            hint="Take {extra} away from the index, or add an axis to the tensor." if used - rank > 0 else None,
            at="input",
            rank=rank,
            used=used,
            extra=used - rank,
        )
    filling = (Slice(),) * (rank - used)
    walk = Walk([], [] if input.strides is not None else None, [])
    _read(cx, shape.back, input.strides, (*before, *filling, *after), walk)
    return _finish(cx, input, walk)


def _is_position(item: Any) -> bool:
    """Whether an item picks one position: a whole number, or a tensor that holds just one."""
    if isinstance(item, Tensor):
        return item.shape.rank == 0 and item.dtype in WHOLE
    return isinstance(item, (int, Expr)) and not isinstance(item, bool)


def _understood(item: Any) -> bool:
    return item is None or item is Ellipsis or isinstance(item, (int, Expr, Slice, Tensor, tuple))


def _axes_used(item: Any) -> int:
    if item is None or isinstance(item, bool):
        return 0
    if isinstance(item, Tensor) and item.dtype in ("bool", "uint8"):
        rank = item.shape.rank
        if rank is None:
            raise CannotTell("a mask of unknown rank")
        return rank
    return 1


def _read(
    cx: Context, dims: tuple[Dim, ...], strides: tuple[Dim, ...] | None, items: tuple[Any, ...], walk: Walk
) -> None:
    """Walk over the items and the axes that they speak of."""
    at = 0
    for item in items:
        if item is None or isinstance(item, bool):
            walk.dims.append(1)
            if walk.strides is not None:
                walk.strides.append(1 if strides is None or at >= len(dims) else multiply(strides[at], dims[at]))
            continue
        used = _axes_used(item)
        if isinstance(item, Slice):
            size, step = sliced(cx, dims[at], item)
            walk.dims.append(size)
            if walk.strides is not None and strides is not None:
                walk.strides.append(multiply(strides[at], step))
        elif isinstance(item, Tensor) and not _is_position(item):
            walk.advanced.append((len(walk.dims), _picked_by(cx, item, dims[at : at + used], at)))
        elif isinstance(item, tuple):
            walk.advanced.append((len(walk.dims), _listed(item, dims[at], at)))
        elif isinstance(item, Tensor):
            _require_range(item, dims[at], at)
        else:
            _require_position(item, dims[at], at)
        at += used


def _listed(items: tuple[Any, ...], dim: Dim, at: int) -> Shape:
    """The axes that a list of positions, or of such lists, puts in the place of an axis."""
    if items and all(isinstance(item, bool) for item in items):
        return Shape((sum(items),))
    if items and all(isinstance(item, tuple) for item in items):
        return Shape((len(items), *_listed(items[0], dim, at).back))
    for item in items:
        if isinstance(item, (int, Expr)):
            _require_position(item, dim, at)
    return Shape((len(items),))


def _require_position(position: Dim, dim: Dim, at: int) -> None:
    if isinstance(position, int) and isinstance(dim, int) and not -dim <= position < dim:
        raise Mismatch(
            "shape-index",
            "{input} is {input.shape}: axis {axis} has {size} positions, 0 to {last}, so there is no position {position}.",
            at="index",
            axis=at,
            size=dim,
            last=dim - 1,
            position=position,
        )


def _picked_by(cx: Context, index: Tensor, dims: tuple[Dim, ...], at: int) -> Shape:
    """The axes that one index tensor puts in the place of those that it speaks of."""
    if index.dtype not in ("bool", "uint8"):
        require_index(index, "index", INDEX_TYPES)
        _require_range(index, dims[0], at)
        return index.shape
    for number, (wanted, dim) in enumerate(zip(index.shape.back, dims, strict=True)):
        mismatch = Mismatch(
            "shape-index",
            "The mask is {mask}, and it picks from {input}, which is {input.shape}: its axis {axis} is {left}, the tensor's is {right}.",
            at="index",
            mask=index.shape,
            axis=number,
            left=wanted,
            right=dim,
        )
        require_equal(cx, wanted, dim, mismatch)
    return Shape((cx.fresh(),))


def _require_range(index: Tensor, dim: Dim, at: int) -> None:
    if (
        isinstance(index.high, int)
        and isinstance(index.low, int)
        and isinstance(dim, int)
        and (index.high >= dim or index.low < -dim)
    ):
        raise Mismatch(
            "shape-index",
            "The indices run from {low} to {high}, but axis {axis} of {input} has only {size} positions.",
            at="index",
            low=index.low,
            high=index.high,
            axis=at,
            size=dim,
        )


def _finish(cx: Context, input: Tensor, walk: Walk) -> Tensor:
    if not walk.advanced:
        shape = Shape(tuple(walk.dims))
        strides = tuple(walk.strides) if walk.strides is not None and len(walk.strides) == len(walk.dims) else None
        return Tensor(shape, input.dtype, input.device, strides, input.low, input.high)
    picked = walk.advanced[0][1]
    for _, other in walk.advanced[1:]:
        picked = broadcast(cx, picked, other, ("index", "index"), "shape-index")
    together = len({place for place, _ in walk.advanced}) == 1
    place = walk.advanced[0][0] if together else 0
    front, back = tuple(walk.dims[:place]), tuple(walk.dims[place:])
    if picked.row is not None:
        shape = Shape((*picked.back, *back), picked.row, (*front, *picked.front))
    else:
        shape = Shape((*front, *picked.back, *back))
    return Tensor(
        shape, input.dtype, input.device, contiguous_strides(shape) if place == 0 else None, input.low, input.high
    )


def _pick_open(
    cx: Context, input: Tensor, shape: Shape, before: tuple[Any, ...], after: tuple[Any, ...], spread: bool
) -> Tensor:
    """An index into a tensor of unknown rank: items before `...` speak of its first axes, items behind it of its last."""
    first = sum(_axes_used(item) for item in before)
    last = sum(_axes_used(item) for item in after)
    if not spread and first > len(shape.front) and shape.back:
        raise CannotTell("the number of axes is not known, so it is not known which axes the index names", input.dtype)
    if first:
        shape, _ = axis(cx.store, shape, first - 1)
    if last:
        shape, _ = axis(cx.store, shape, -last)
    if shape.row is None:
        return pick(cx, Tensor(shape, input.dtype, input.device, None, input.low, input.high), (*before, ..., *after))
    front, back = Walk([], None, []), Walk([], None, [])
    _read(cx, shape.front[:first], None, before, front)
    _read(cx, shape.back[len(shape.back) - last :], None, after, back)
    if front.advanced or back.advanced:
        raise CannotTell("a pick from a tensor of unknown rank", input.dtype)
    result = Shape((*shape.back[: len(shape.back) - last], *back.dims), shape.row, (*front.dims, *shape.front[first:]))
    return Tensor(result, input.dtype, input.device, None, input.low, input.high)


@rule("torch.Tensor.__setitem__")
def setitem(cx: Context, input: Tensor, index: Any, value: Any) -> None:
    """Write into the part of a tensor that an index picks; what is written is stretched to that part's shape."""
    target = getitem(cx, input, index)
    if not isinstance(value, Tensor):
        return
    require_fits(cx, target.shape, value)


def require_fits(cx: Context, target: Shape, value: Tensor, name: str = "value") -> None:
    """Refuse to write a tensor where its shape cannot be stretched to the place."""
    source = value.shape
    if target.row is not None or source.row is not None:
        return
    have = source.back
    while len(have) > len(target.back) and have[0] == 1:
        have = have[1:]

    def refuse(left: Dim, right: Dim) -> Mismatch:
        return Mismatch(
            "shape-broadcast",
            f"{{{name}}} is {{have}}, and the place that it is written to is {{place}}: {{left}} does not fit {{right}}.",
            at=name,
            have=source,
            place=target,
            left=left,
            right=right,
        )

    if len(have) > len(target.back):
        if all(isinstance(dim, int) for dim in have):
            raise refuse(len(have), len(target.back))
        return
    for left, right in zip(reversed(have), reversed(target.back), strict=False):
        if left != 1 and compare(left, right) is Truth.NEVER:
            raise refuse(left, right)


def nonzero_tuple(cx: Context, input: Tensor) -> Any:
    """One tensor of indices an axis, all of the same unknown length: what `where` gives for a condition alone."""
    rank = input.shape.rank
    if rank is None:
        return Unknown("one tensor an axis, of a tensor of unknown rank")
    count = cx.fresh()
    return tuple(Tensor(Shape((count,)), "int64", input.device, (1,), low=0) for _ in range(max(rank, 1)))
