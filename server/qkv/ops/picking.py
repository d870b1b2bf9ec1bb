"""Picking and scattering along an axis; sorting, and the largest of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from qkv.ops.agree import require_bool_mask, require_index
from qkv.ops.axes import locate, replace_axis, size
from qkv.ops.broadcast import broadcast, same
from qkv.ops.context import CannotTell, Context, Mismatch, require_equal
from qkv.ops.indexing import nonzero_tuple, pick, require_fits
from qkv.ops.table import rule
from qkv.shapes import Dim, Named, Shape, Tensor
from qkv.shapes.dim import subtract
from qkv.shapes.solve import resolve_shape
from qkv.shapes.values import contiguous_strides


def made(
    shape: Shape, dtype: str | None, device: str | None, low: Dim | None = None, high: Dim | None = None
) -> Tensor:
    """A new tensor, laid out in order."""
    return Tensor(shape, dtype, device, contiguous_strides(shape), low, high)


def _same_rank(input: Tensor, index: Tensor, name: str = "index") -> bool:
    """Whether both ranks are known. Raises Mismatch where they differ."""
    a, b = input.shape.rank, index.shape.rank
    if a is None or b is None:
        return False
    if max(a, 1) != max(b, 1):
        raise Mismatch(
            "shape-index",
            f"{{input}} has {{rank}} axes and {{{name}}} has {{other}}: {{{name}}} is {{{name}.shape}}, and it needs an axis for each axis of {{input}}.",
            hint="Give it the missing axes with `unsqueeze` and `expand`.",
            at=name,
            rank=a,
            other=b,
        )
    return True


def _require_smaller(input: Tensor, index: Tensor, but: int, name: str = "index") -> None:
    """On every other axis the index may not be longer than the tensor."""
    for at, (have, wanted) in enumerate(zip(index.shape.back, input.shape.back, strict=False)):
        if at != but and isinstance(have, int) and isinstance(wanted, int) and have > wanted:
            raise Mismatch(
                "shape-index",
                f"{{{name}}} is {{{name}.shape}} and {{input}} is {{input.shape}}: on axis {{axis}} the index is longer, {{left}} against {{right}}.",
                at=name,
                axis=at,
                left=have,
                right=wanted,
            )


def _require_in_range(index: Tensor, dim: Dim, name: str = "index") -> None:
    if (
        isinstance(index.high, int)
        and isinstance(index.low, int)
        and isinstance(dim, int)
        and (index.high >= dim or index.low < 0)
    ):
        raise Mismatch(
            "shape-index",
            f"{{{name}}} runs from {{low}} to {{high}}, but the axis that it picks from has {{size}} positions.",
            at=name,
            low=index.low,
            high=index.high,
            size=dim,
        )


@rule("torch.gather torch.Tensor.gather")
def gather(cx: Context, input: Tensor, dim: int, index: Tensor, *, sparse_grad: Any = False) -> Tensor:
    """For each position of the index, the number that it names along one axis. The result has the index's shape."""
    require_index(index, "index", ("int64", "int32"))
    if _same_rank(input, index):
        shape, at = locate(cx, input.shape, dim)
        _require_smaller(input, index, at)
        _require_in_range(index, size(shape, at))
    return made(index.shape, input.dtype, input.device, input.low, input.high)


@rule("torch.take_along_dim torch.Tensor.take_along_dim")
def take_along_dim(cx: Context, input: Tensor, indices: Tensor, dim: Any = None) -> Tensor:
    """`gather`, with the other axes stretched to fit."""
    if (
        not isinstance(dim, int)
        or not _same_rank(input, indices, "indices")
        or input.shape.dims is None
        or indices.shape.dims is None
    ):
        raise CannotTell("the shapes are not known", input.dtype)
    require_index(indices, "indices", ("int64", "int32"))
    shape, at = locate(cx, input.shape, dim)
    if size(shape, at) != 1:  # one number is taken for every index
        _require_in_range(indices, size(shape, at), "indices")
    taken = size(indices.shape, at)
    rest = broadcast(
        cx, replace_axis(shape, at, 1), replace_axis(indices.shape, at, 1), ("input", "indices"), "shape-index"
    )
    return made(replace_axis(rest, at, taken), input.dtype, input.device, input.low, input.high)


@rule("torch.index_select torch.Tensor.index_select")
def index_select(cx: Context, input: Tensor, dim: int, index: Tensor) -> Tensor:
    """The slices along one axis that a list of indices names."""
    require_index(index, "index", ("int64", "int32"))
    shape, at = locate(cx, input.shape, dim)
    _require_row(index)
    _require_in_range(index, size(shape, at))
    length = index.shape.back[0] if index.shape.back else (1 if index.shape.rank == 0 else cx.fresh())
    return made(
        replace_axis(resolve_shape(cx.store, shape), at, length), input.dtype, input.device, input.low, input.high
    )


@rule(
    "torch.Tensor.scatter torch.scatter torch.Tensor.scatter_ torch.Tensor.scatter_add torch.scatter_add torch.Tensor.scatter_add_"
)
def scatter(
    cx: Context, input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: Any = None
) -> Tensor:
    """The numbers of a source, written to the positions along one axis that the index names. The result has the tensor's shape."""
    require_index(index, "index", ("int64", "int32"))
    if _same_rank(input, index):
        shape, at = locate(cx, input.shape, dim)
        _require_smaller(input, index, at)
        _require_in_range(index, size(shape, at))
        if isinstance(src, Tensor) and src.shape.rank is not None and _same_rank(src, index):
            _require_smaller(src, index, -1)
    return replace(same(input), low=None, high=None)


@rule("torch.Tensor.scatter_reduce torch.scatter_reduce torch.Tensor.scatter_reduce_")
def scatter_reduce(
    cx: Context, input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: Any, *, include_self: Any = True
) -> Tensor:
    """A reduction of a source into the positions that the index names."""
    return scatter(cx, input, dim, index, src)


@rule(
    "torch.Tensor.index_add torch.Tensor.index_add_ torch.index_add torch.Tensor.index_copy torch.Tensor.index_copy_ torch.index_copy"
)
def index_add(cx: Context, input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Tensor:
    """The slices of a source, added to or written over the slices along one axis that the index names."""
    require_index(index, "index", ("int64", "int32"))
    shape, at = locate(cx, input.shape, dim)
    _require_row(index)
    _require_in_range(index, size(shape, at))
    if shape.rank is None or index.shape.rank is None or source.shape.rank is None:
        return replace(same(input), low=None, high=None)
    count: Dim = index.shape.back[0] if index.shape.back else 1
    target = replace_axis(shape, at, count)
    if source.shape.rank != target.rank:
        raise Mismatch(
            "shape-index",
            "{source} is {source.shape}, and {wanted} is needed: the slices of {input} that {index} names.",
            at="source",
            wanted=target,
        )
    for left, right in zip(target.back, source.shape.back, strict=True):
        refusal = "{source} is {source.shape}, and {wanted} is needed: the slices of {input} that {index} names."
        require_equal(cx, left, right, Mismatch("shape-index", refusal, at="source", wanted=target))
    return replace(same(input), low=None, high=None)


@rule("torch.Tensor.index_fill torch.Tensor.index_fill_ torch.index_fill")
def index_fill(cx: Context, input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """One number written to the slices along an axis that the index names."""
    require_index(index, "index", ("int64", "int32"))
    shape, at = locate(cx, input.shape, dim)
    _require_row(index)
    _require_in_range(index, size(shape, at))
    return replace(same(replace(input, shape=shape)), low=None, high=None)


@rule("torch.Tensor.index_put torch.Tensor.index_put_ torch.index_put")
def index_put(cx: Context, input: Tensor, indices: Any, values: Any, accumulate: Any = False) -> Tensor:
    """Numbers written to the positions that tensors of indices name."""
    if isinstance(indices, tuple) and isinstance(values, Tensor):
        require_fits(cx, pick(cx, input, indices).shape, values, "values")  # pyright: ignore[reportUnknownArgumentType]
    return replace(input, low=None, high=None, sure=True)


def _require_row(index: Tensor) -> None:
    if index.shape.rank is not None and index.shape.rank > 1:
        raise Mismatch(
            "shape-index", "{index} is {index.shape}; a list of indices has one axis.", hint="Flatten it.", at="index"
        )


@rule("torch.masked_select torch.Tensor.masked_select")
def masked_select(cx: Context, input: Tensor, mask: Tensor) -> Tensor:
    """The numbers where the mask is True, in one row."""
    return made(Shape((cx.fresh(),)), input.dtype, input.device, input.low, input.high)


@rule("torch.Tensor.masked_scatter torch.Tensor.masked_scatter_ torch.masked_scatter")
def masked_scatter(cx: Context, input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """The numbers of a source, one after the other, written where the mask is True."""
    require_bool_mask(mask, "`masked_scatter`")
    shape = broadcast(cx, input.shape, mask.shape, ("input", "mask"))
    return Tensor(shape, input.dtype, input.device)


@rule("torch.nonzero torch.Tensor.nonzero torch.argwhere torch.Tensor.argwhere")
def nonzero(cx: Context, input: Tensor, *, as_tuple: Any = False) -> Any:
    """The indices of all that is not zero: one row each, or one tensor an axis."""
    if as_tuple is True:
        return nonzero_tuple(cx, input)
    rank = input.shape.rank
    return Tensor(Shape((cx.fresh(), cx.fresh() if rank is None else rank)), "int64", input.device, low=0)


@rule("torch.topk torch.Tensor.topk")
def topk(cx: Context, input: Tensor, k: Dim, dim: int = -1, largest: Any = True, sorted: Any = True) -> Any:
    """The k largest numbers along an axis, and where they stand."""
    shape, at = locate(cx, input.shape, dim)
    have = size(shape, at)
    if isinstance(k, int) and isinstance(have, int) and k > have:
        raise Mismatch(
            "shape-index",
            "The {k} largest of {size} numbers are asked for, on axis {axis} of {input}.",
            at="input",
            k=k,
            size=have,
            axis=at,
        )
    shape = replace_axis(resolve_shape(cx.store, shape), at, k)
    values = made(shape, input.dtype, input.device, input.low, input.high)
    return Named(values=values, indices=made(shape, "int64", input.device, 0, subtract(have, 1)))


@rule("torch.sort torch.Tensor.sort")
def sort(cx: Context, input: Tensor, dim: int = -1, descending: Any = False, stable: Any = False) -> Any:
    """The numbers in order along an axis, and where each stood."""
    shape, at = locate(cx, input.shape, dim)
    values = replace(same(input), low=input.low, high=input.high)
    return Named(values=values, indices=replace(values, dtype="int64", low=0, high=subtract(size(shape, at), 1)))


@rule("torch.argsort torch.Tensor.argsort")
def argsort(cx: Context, input: Tensor, dim: int = -1, descending: Any = False, *, stable: Any = False) -> Tensor:
    """Where each number of an axis stands once they are in order."""
    shape, at = locate(cx, input.shape, dim)
    return replace(same(input), dtype="int64", low=0, high=subtract(size(shape, at), 1))


@rule("torch.unique torch.Tensor.unique torch.unique_consecutive torch.Tensor.unique_consecutive")
def unique(
    cx: Context,
    input: Tensor,
    sorted: Any = True,
    return_inverse: Any = False,
    return_counts: Any = False,
    dim: Any = None,
) -> Any:
    """Each number once."""
    if dim is not None:
        raise CannotTell("how many slices differ is not known", input.dtype)
    values = made(Shape((cx.fresh(),)), input.dtype, input.device, input.low, input.high)
    parts: list[Any] = [values]
    if return_inverse is True:
        parts.append(made(input.shape, "int64", input.device, 0))
    if return_counts is True:
        parts.append(made(values.shape, "int64", input.device, 0))
    return parts[0] if len(parts) == 1 else tuple(parts)


@rule("torch.searchsorted")
def searchsorted(
    cx: Context,
    sorted_sequence: Tensor,
    input: Any,
    *,
    out_int32: Any = False,
    right: Any = False,
    side: Any = None,
    sorter: Any = None,
) -> Tensor:
    """Where each number would have to stand in an ordered row."""
    dtype = "int32" if out_int32 is True else "int64"
    if not isinstance(input, Tensor):
        return made(Shape(), dtype, sorted_sequence.device, 0)
    rows, rank = sorted_sequence.shape.rank, input.shape.rank
    if rows == 0 or (rows is not None and rows > 1 and rank is not None and rank != rows):
        raise Mismatch(
            "shape-index",
            "{sorted_sequence} is {sorted_sequence.shape}; it is one ordered row, or one for each row of {input}, {input.shape}.",
            at="sorted_sequence",
        )
    return made(input.shape, dtype, input.device, 0)


@rule("torch.bucketize")
def bucketize(cx: Context, input: Any, boundaries: Tensor, *, out_int32: Any = False, right: Any = False) -> Tensor:
    """Into which interval each number falls."""
    if boundaries.shape.rank not in (None, 1):
        raise Mismatch(
            "shape-index",
            "{boundaries} is {boundaries.shape}; the limits of intervals are one ordered row.",
            at="boundaries",
        )
    shape = input.shape if isinstance(input, Tensor) else Shape()
    return made(shape, "int32" if out_int32 is True else "int64", boundaries.device, 0)


@rule("torch.bincount torch.Tensor.bincount")
def bincount(cx: Context, input: Tensor, weights: Any = None, minlength: Any = 0) -> Tensor:
    """How often each whole number occurs."""
    if input.shape.rank not in (None, 1):
        raise Mismatch(
            "shape-index",
            "{input} is {input.shape}; the numbers that are counted are one row.",
            hint="Flatten it first.",
            at="input",
        )
    return made(Shape((cx.fresh(),)), "int64" if weights is None else None, input.device, 0)


@rule("torch.histc torch.Tensor.histc")
def histc(cx: Context, input: Tensor, bins: Dim = 100, min: Any = 0, max: Any = 0) -> Tensor:
    """How many numbers fall into each of equal intervals."""
    return made(Shape((bins,)), input.dtype, input.device)


@rule("torch.multinomial torch.Tensor.multinomial")
def multinomial(
    cx: Context, input: Tensor, num_samples: Dim, replacement: Any = False, *, generator: Any = None
) -> Tensor:
    """Random indices, drawn by the weights along the last axis."""
    shape, at = locate(cx, input.shape, -1)
    if (
        replacement is False
        and isinstance(num_samples, int)
        and shape.back
        and isinstance(shape.back[-1], int)
        and num_samples > shape.back[-1]
    ):
        raise Mismatch(
            "shape-index", "{num_samples} of {count} are to be drawn, each at most once.", count=shape.back[-1]
        )
    if input.shape.rank is not None and input.shape.rank not in (1, 2):
        raise Mismatch(
            "shape-index",
            "{input} is {input.shape}; `multinomial` draws from one row or from a batch of rows.",
            hint="Flatten the leading axes first.",
            at="input",
        )
    return made(
        replace_axis(resolve_shape(cx.store, shape), at, num_samples),
        "int64",
        input.device,
        0,
        subtract(size(shape, at), 1),
    )


@rule("torch.bernoulli torch.Tensor.bernoulli")
def bernoulli(cx: Context, input: Tensor, p: Any = None, *, generator: Any = None) -> Tensor:
    """0 or 1 at random, each with its own probability."""
    return replace(same(input), low=None, high=None)
