"""Reductions: sums, means, extremes and their like, over one axis, several, or all."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from qkv.ops.agree import require_float
from qkv.ops.axes import axes_given, drop_axis, locate, replace_axis, size
from qkv.ops.broadcast import same
from qkv.ops.context import CannotTell, Context
from qkv.ops.dtypes import REAL_OF, is_discrete, named, result_dtype
from qkv.ops.elementwise import combine
from qkv.ops.table import rule
from qkv.shapes import Named, Shape, Tensor
from qkv.shapes.dim import subtract
from qkv.shapes.solve import fresh_row, resolve_shape
from qkv.shapes.values import contiguous_strides


def reduced(cx: Context, input: Tensor, dim: Any, keepdim: Any, dtype: str | None) -> Tensor:
    """The tensor that is left when the axes `dim` (all, where it is None or empty) are summed up."""
    if dim is None or dim == ():
        return _all(cx, input, keepdim, dtype)
    axes = axes_given(dim)
    if axes is None or not isinstance(keepdim, bool):
        raise CannotTell("which axis is meant is not known here", dtype)
    shape = input.shape
    found: list[int] = []
    for index in axes:
        shape, at = locate(cx, shape, index)
        found.append(at)
    shape = resolve_shape(cx.store, shape)
    if shape.row is None:
        found = [index % len(shape.back) if shape.back else 0 for index in found]
    # From the inside out, so that the remaining indices stay right: negative ones are dropped from the front.
    for at in sorted(found, key=lambda index: -index if index >= 0 else index):
        shape = replace_axis(shape, at, 1) if keepdim and shape.least_rank else drop_axis(shape, at)
    return Tensor(shape, dtype, input.device, contiguous_strides(shape))


def _all(cx: Context, input: Tensor, keepdim: Any, dtype: str | None) -> Tensor:
    if keepdim is not True:
        return Tensor(Shape(), dtype, input.device, ())
    rank = input.shape.rank
    shape = Shape((1,) * rank) if rank is not None else Shape(row=fresh_row(cx.store))
    return Tensor(shape, dtype, input.device, contiguous_strides(shape))


def _whole(dtype: str | None) -> str | None:
    return "int64" if is_discrete(dtype) else dtype


@rule("torch.sum torch.Tensor.sum torch.nansum torch.Tensor.nansum")
def sum(cx: Context, input: Tensor, dim: Any = None, keepdim: Any = False, *, dtype: Any = None) -> Tensor:
    """The sum over axes; over all of them without `dim`."""
    return reduced(cx, input, dim, keepdim, named(dtype, _whole(input.dtype)))


@rule("torch.mean torch.Tensor.mean torch.nanmean torch.Tensor.nanmean")
def mean(cx: Context, input: Tensor, dim: Any = None, keepdim: Any = False, *, dtype: Any = None) -> Tensor:
    """The mean over axes; over all of them without `dim`. Whole numbers have none."""
    if dtype is None:
        require_float(input, "`mean`")
    return reduced(cx, input, dim, keepdim, named(dtype, input.dtype))


@rule("torch.std torch.Tensor.std torch.var torch.Tensor.var")
def var(cx: Context, input: Tensor, dim: Any = None, unbiased: Any = None, keepdim: Any = False, *, correction: Any = 1) -> Tensor:
    """The variance, or its root, over axes."""
    if isinstance(dim, bool):
        dim = None
    require_float(input, "A variance")
    return reduced(cx, input, dim, keepdim, REAL_OF.get(input.dtype or "", input.dtype))


@rule("torch.var_mean torch.std_mean")
def var_mean(cx: Context, input: Tensor, dim: Any = None, unbiased: Any = None, keepdim: Any = False, *, correction: Any = 1) -> Any:
    """The variance, or its root, and the mean over axes."""
    one = reduced(cx, input, None if isinstance(dim, bool) else dim, keepdim, input.dtype)
    return (one, one)


@rule("torch.prod torch.Tensor.prod")
def prod(cx: Context, input: Tensor, dim: Any = None, keepdim: Any = False, *, dtype: Any = None) -> Tensor:
    """The product over one axis, or over all."""
    return reduced(cx, input, dim, keepdim, named(dtype, _whole(input.dtype)))


@rule("torch.all torch.Tensor.all torch.any torch.Tensor.any")
def any(cx: Context, input: Tensor, dim: Any = None, keepdim: Any = False) -> Tensor:
    """Whether all, or any, along the axes are True."""
    return reduced(cx, input, dim, keepdim, "uint8" if input.dtype == "uint8" else "bool")


@rule("torch.amax torch.Tensor.amax torch.amin torch.Tensor.amin")
def amax(cx: Context, input: Tensor, dim: Any = (), keepdim: Any = False) -> Tensor:
    """The extreme over axes."""
    return replace(reduced(cx, input, dim, keepdim, input.dtype), low=input.low, high=input.high)


@rule("torch.aminmax torch.Tensor.aminmax")
def aminmax(cx: Context, input: Tensor, *, dim: Any = None, keepdim: Any = False) -> Any:
    """Both extremes over one axis, or over all."""
    one = reduced(cx, input, dim, keepdim, input.dtype)
    return Named(min=one, max=one)


def _indices(cx: Context, input: Tensor, dim: Any, keepdim: Any) -> Tensor:
    result = reduced(cx, input, dim, keepdim, "int64")
    if isinstance(dim, int):
        shape, at = locate(cx, input.shape, dim)
        return replace(result, low=0, high=subtract(size(shape, at), 1))
    return replace(result, low=0)


@rule("torch.argmax torch.Tensor.argmax torch.argmin torch.Tensor.argmin")
def argmax(cx: Context, input: Tensor, dim: Any = None, keepdim: Any = False) -> Tensor:
    """Where the extreme stands along an axis."""
    return _indices(cx, input, dim, keepdim)


@rule("torch.max torch.Tensor.max torch.min torch.Tensor.min")
def max(cx: Context, input: Tensor, dim: Any = None, keepdim: Any = False, *, other: Any = None) -> Any:
    """The extreme of all numbers; with an axis, the extremes along it and where they stand; with another tensor, the greater of each pair."""
    if other is not None or isinstance(dim, Tensor):
        second = dim if other is None else other
        return combine(cx, input, second, result_dtype(input, second))
    if dim is None:
        return replace(reduced(cx, input, None, False, input.dtype), low=input.low, high=input.high)
    if not isinstance(dim, int):
        raise CannotTell("an axis or a tensor that is not known")
    values = replace(reduced(cx, input, dim, keepdim, input.dtype), low=input.low, high=input.high)
    return Named(values=values, indices=_indices(cx, input, dim, keepdim))


@rule("torch.median torch.Tensor.median torch.nanmedian torch.mode torch.Tensor.mode")
def median(cx: Context, input: Tensor, dim: Any = None, keepdim: Any = False) -> Any:
    """The middle number, over all or along an axis."""
    if dim is None:
        return reduced(cx, input, None, False, input.dtype)
    return Named(values=reduced(cx, input, dim, keepdim, input.dtype), indices=_indices(cx, input, dim, keepdim))


@rule("torch.logsumexp torch.Tensor.logsumexp torch.special.logsumexp")
def logsumexp(cx: Context, input: Tensor, dim: Any, keepdim: Any = False) -> Tensor:
    """The logarithm of the sum of the exponentials over axes."""
    return reduced(cx, input, dim, keepdim, "float32" if is_discrete(input.dtype) else input.dtype)


@rule("torch.norm torch.Tensor.norm")
def norm(cx: Context, input: Tensor, p: Any = 2, dim: Any = None, keepdim: Any = False, dtype: Any = None) -> Tensor:
    """The length of the vectors along the axes."""
    require_float(input, "A norm")
    return reduced(cx, input, dim, keepdim, named(dtype, REAL_OF.get(input.dtype or "", input.dtype)))


@rule("torch.linalg.norm torch.linalg.vector_norm")
def vector_norm(cx: Context, input: Tensor, ord: Any = 2, dim: Any = None, keepdim: Any = False, *, dtype: Any = None) -> Tensor:
    """The length of the vectors along the axes."""
    require_float(input, "A norm")
    return reduced(cx, input, dim, keepdim, named(dtype, REAL_OF.get(input.dtype or "", input.dtype)))


@rule("torch.count_nonzero torch.Tensor.count_nonzero")
def count_nonzero(cx: Context, input: Tensor, dim: Any = None) -> Tensor:
    """How many numbers are not zero."""
    return replace(reduced(cx, input, dim, False, "int64"), low=0)


@rule("torch.quantile torch.Tensor.quantile torch.nanquantile torch.Tensor.nanquantile")
def quantile(cx: Context, input: Tensor, q: Any, dim: Any = None, keepdim: Any = False, *, interpolation: Any = "linear") -> Tensor:
    """A quantile, over all or along an axis."""
    if not isinstance(q, (int, float)):
        raise CannotTell("the quantiles are not known here", input.dtype)
    return reduced(cx, input, dim, keepdim, input.dtype)


@rule("torch.cumsum torch.Tensor.cumsum torch.cumprod torch.Tensor.cumprod torch.logcumsumexp torch.Tensor.logcumsumexp")
def cumsum(cx: Context, input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """The running sum or product along an axis."""
    shape, _ = locate(cx, input.shape, dim)
    return replace(same(replace(input, shape=resolve_shape(cx.store, shape))), dtype=named(dtype, _whole(input.dtype)))


@rule("torch.cummax torch.Tensor.cummax torch.cummin torch.Tensor.cummin")
def cummax(cx: Context, input: Tensor, dim: int) -> Any:
    """The running extreme along an axis, and where it stands."""
    locate(cx, input.shape, dim)
    return Named(values=same(input), indices=replace(same(input), dtype="int64"))
