"""Operators that fold axes: sums, means, extremes, norms; and those that run along an axis."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from qkv.ops.agree import require_float
from qkv.ops.axes import checked, drop_axis, locate, replace_axis, require_axes, size
from qkv.ops.context import CannotTell, Context, Mismatch
from qkv.ops.dtypes import REAL_OF, as_float, is_discrete, named
from qkv.ops.table import rule
from qkv.shapes import Dim, Named, Shape, Tensor
from qkv.shapes.dim import product, subtract
from qkv.shapes.values import contiguous_strides


def folded(cx: Context, shape: Shape, dim: Any, keepdim: bool) -> Shape:
    """A shape without the given axes, or with 1 in their place. `dim` None or () stands for all."""
    if dim is None or dim == ():
        if not keepdim:
            return Shape()
        if shape.row is not None:
            raise CannotTell("the number of axes is not known")
        return Shape((1,) * len(shape.back))
    found: list[int] = []
    for index in require_axes(dim):
        shape, at = locate(cx, shape, index)
        if at in found:
            raise Mismatch("shape-axis", "Axis {axis} is named twice.", axis=index)
        found.append(at)
    if keepdim:
        for at in found:
            shape = replace_axis(shape, at, 1) if shape.back or shape.row is not None else shape
        return shape
    for at in sorted((a for a in found if a >= 0), reverse=True):
        shape = drop_axis(shape, at)
    for at in sorted(a for a in found if a < 0):
        shape = drop_axis(shape, at)
    return shape


def fold(cx: Context, input: Tensor, dim: Any, keepdim: Any, dtype: str | None) -> Tensor:
    """A reduction's result."""
    shape = folded(cx, input.shape, dim, bool(keepdim))
    return Tensor(shape, dtype, input.device, contiguous_strides(shape) if _in_order(input) else None)


def _in_order(input: Tensor) -> bool:
    return input.strides is not None and input.strides == contiguous_strides(input.shape)


@rule("torch.sum torch.Tensor.sum torch.nansum torch.Tensor.nansum", term="sum")
def sum(cx: Context, input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The sum along the given axes, which are gone afterwards or have size 1 with `keepdim`. Without axes, of all numbers."""
    own = "int64" if is_discrete(input.dtype) else input.dtype
    return fold(cx, input, dim, keepdim, named(dtype, own))


@rule("torch.mean torch.Tensor.mean torch.nanmean torch.Tensor.nanmean", term="mean")
def mean(cx: Context, input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The mean along the given axes, which are gone afterwards or have size 1 with `keepdim`. Without axes, of all numbers."""
    if dtype is None:
        require_float(input, "`mean`")
    return fold(cx, input, dim, keepdim, named(dtype, input.dtype))


@rule("torch.prod torch.Tensor.prod")
def prod(cx: Context, input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The product along an axis, or of all numbers."""
    own = "int64" if is_discrete(input.dtype) else input.dtype
    return fold(cx, input, dim, keepdim, named(dtype, own))


@rule("torch.var torch.Tensor.var torch.std torch.Tensor.std", term="variance")
def var(
    cx: Context, input: Tensor, dim: Any = None, unbiased: Any = True, keepdim: bool = False, *, correction: Any = None
) -> Tensor:
    """The variance (or its root, the standard deviation) along the given axes, or of all numbers."""
    if isinstance(dim, bool):
        dim = None
    require_float(input, "the variance")
    return fold(cx, input, dim, keepdim, REAL_OF.get(input.dtype or "", input.dtype))


@rule("torch.var_mean torch.std_mean")
def var_mean(
    cx: Context, input: Tensor, dim: Any = None, unbiased: Any = True, keepdim: bool = False, *, correction: Any = None
) -> Any:
    """The variance (or the standard deviation) and the mean."""
    require_float(input, "the variance")
    result = fold(cx, input, dim, keepdim, input.dtype)
    return (result, result)


@rule("torch.any torch.Tensor.any torch.all torch.Tensor.all")
def any(cx: Context, input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Whether any (or every) number along the given axes is not zero."""
    return fold(cx, input, dim, keepdim, "uint8" if input.dtype == "uint8" else "bool")


@rule("torch.logsumexp torch.Tensor.logsumexp torch.special.logsumexp")
def logsumexp(cx: Context, input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    """The logarithm of the sum of the exponentials along the given axes."""
    return fold(cx, input, dim, keepdim, as_float(input.dtype))


@rule("torch.norm torch.Tensor.norm")
def norm(
    cx: Context, input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None
) -> Tensor:
    """The length of the vectors along the given axes, or of all numbers as one vector."""
    require_float(input, "a norm")
    return fold(cx, input, dim, keepdim, named(dtype, REAL_OF.get(input.dtype or "", input.dtype)))


@rule("torch.linalg.norm torch.linalg.vector_norm")
def vector_norm(
    cx: Context, x: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Tensor:
    """The length of the vectors along the given axes, or of all numbers as one vector."""
    require_float(x, "a norm", "x")
    return fold(cx, x, dim, keepdim, named(dtype, REAL_OF.get(x.dtype or "", x.dtype)))


@rule("torch.linalg.matrix_norm")
def matrix_norm(
    cx: Context, A: Tensor, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None
) -> Tensor:
    """The norm of each matrix."""
    require_float(A, "a norm", "A")
    return fold(cx, A, dim, keepdim, named(dtype, A.dtype))


@rule("torch.count_nonzero torch.Tensor.count_nonzero")
def count_nonzero(cx: Context, input: Tensor, dim: Any = None) -> Tensor:
    """How many numbers along the given axes are not zero."""
    return fold(cx, input, dim, False, "int64")


@rule("torch.trace torch.Tensor.trace")
def trace(cx: Context, input: Tensor) -> Tensor:
    """The sum of a matrix' diagonal."""
    if input.shape.rank not in (None, 2):
        raise Mismatch("shape-axis", "{input} is {input.shape}, and a trace is of a matrix.")
    return Tensor(Shape(), "int64" if is_discrete(input.dtype) else input.dtype, input.device, ())


# -- extremes --------------------------------------------------------------------------------------------------------------


@rule("torch.amax torch.Tensor.amax torch.amin torch.Tensor.amin")
def amax(cx: Context, input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """The largest (or smallest) number along the given axes, or of all."""
    result = fold(cx, input, dim, keepdim, input.dtype)
    return replace(result, low=input.low, high=input.high)


@rule("torch.aminmax torch.Tensor.aminmax")
def aminmax(cx: Context, input: Tensor, *, dim: Any = None, keepdim: bool = False) -> Any:
    """The smallest and the largest number along an axis, or of all."""
    result = fold(cx, input, dim, keepdim, input.dtype)
    return Named(min=result, max=result)


def _indices(cx: Context, input: Tensor, dim: Any, keepdim: Any) -> Tensor:
    """Positions along an axis: whole numbers below its size."""
    result = fold(cx, input, dim, keepdim, "int64")
    if isinstance(dim, int):
        shape, at = locate(cx, input.shape, dim)
        return replace(result, low=0, high=subtract(size(shape, at), 1))
    total = product(input.shape.back) if input.shape.row is None else None
    return replace(result, low=0, high=None if total is None else subtract(total, 1))


@rule("torch.max torch.Tensor.max torch.min torch.Tensor.min")
def max(cx: Context, input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
    """The largest (or smallest) of all numbers; along an axis, the extremes and their positions; with a second tensor, number by number."""
    second = dim if isinstance(dim, Tensor) else other
    if isinstance(second, Tensor):
        from qkv.ops.dtypes import result_dtype
        from qkv.ops.elementwise import combine

        return combine(cx, input, second, result_dtype(input, second))
    if dim is None:
        return replace(fold(cx, input, None, False, input.dtype), low=input.low, high=input.high)
    if not isinstance(dim, int):
        raise CannotTell("which axis is meant is not known here")
    values = replace(fold(cx, input, dim, keepdim, input.dtype), low=input.low, high=input.high)
    return Named(values=values, indices=_indices(cx, input, dim, keepdim))


@rule("torch.argmax torch.Tensor.argmax torch.argmin torch.Tensor.argmin")
def argmax(cx: Context, input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """The position of the largest (or smallest) number along an axis, or among all."""
    return _indices(cx, input, dim, keepdim)


@rule("torch.median torch.Tensor.median torch.nanmedian torch.Tensor.nanmedian torch.mode torch.Tensor.mode")
def median(cx: Context, input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    """The number in the middle (or the most frequent one) along an axis, and its position; without an axis, of all numbers."""
    if dim is None:
        return fold(cx, input, None, False, input.dtype)
    return Named(values=fold(cx, input, dim, keepdim, input.dtype), indices=_indices(cx, input, dim, keepdim))


@rule("torch.kthvalue torch.Tensor.kthvalue")
def kthvalue(cx: Context, input: Tensor, k: Any, dim: int = -1, keepdim: bool = False) -> Any:
    """The k-th smallest number along an axis, and its position."""
    shape, at = locate(cx, input.shape, dim)
    length = size(shape, at)
    if isinstance(k, int) and isinstance(length, int) and not 0 < k <= length:
        raise Mismatch(
            "shape-index",
            "{input} is {input.shape}: along axis {axis} there are {length} numbers, and number {k} is asked for.",
            axis=dim,
            length=length,
        )
    return Named(values=fold(cx, input, dim, keepdim, input.dtype), indices=_indices(cx, input, dim, keepdim))


@rule("torch.quantile torch.Tensor.quantile torch.nanquantile torch.Tensor.nanquantile")
def quantile(
    cx: Context, input: Tensor, q: Any, dim: Any = None, keepdim: bool = False, *, interpolation: Any = "linear"
) -> Tensor:
    """The numbers below which a given share lies. Several shares make a new first axis."""
    result = fold(cx, input, dim, keepdim, input.dtype)
    if isinstance(q, (int, float)):
        return result
    if isinstance(q, Tensor) and q.shape.rank is not None and result.shape.row is None:
        return Tensor(Shape(q.shape.back + result.shape.back), input.dtype, input.device)
    raise CannotTell("how many shares are asked for is not known here")


# -- along an axis ---------------------------------------------------------------------------------------------------------


def along(cx: Context, input: Tensor, dim: int, dtype: str | None) -> Tensor:
    """An operator that runs along an axis and keeps the shape."""
    shape = checked(cx, input.shape, dim)
    return Tensor(shape, dtype, input.device, contiguous_strides(shape))


@rule("torch.cumsum torch.Tensor.cumsum torch.cumprod torch.Tensor.cumprod torch.Tensor.cumsum_")
def cumsum(cx: Context, input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """The sums (or products) of the numbers so far along an axis."""
    return along(cx, input, dim, named(dtype, "int64" if is_discrete(input.dtype) else input.dtype))


@rule("torch.logcumsumexp torch.Tensor.logcumsumexp")
def logcumsumexp(cx: Context, input: Tensor, dim: int) -> Tensor:
    """The logarithms of the sums of the exponentials so far along an axis."""
    return along(cx, input, dim, input.dtype)


@rule("torch.cummax torch.Tensor.cummax torch.cummin torch.Tensor.cummin")
def cummax(cx: Context, input: Tensor, dim: int) -> Any:
    """The largest (or smallest) numbers so far along an axis, and their positions."""
    result = along(cx, input, dim, input.dtype)
    return Named(values=result, indices=replace(result, dtype="int64", low=0))


@rule("torch.diff torch.Tensor.diff")
def diff(cx: Context, input: Tensor, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Tensor:
    """The differences of neighbours along an axis."""
    if prepend is not None or append is not None:
        raise CannotTell("what is put before or behind is not followed")
    shape, at = locate(cx, input.shape, dim)
    length: Dim = subtract(size(shape, at), n)
    if isinstance(length, int) and length < 0:
        length = 0
    return Tensor(replace_axis(shape, at, length), input.dtype, input.device)
