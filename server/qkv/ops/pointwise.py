"""Functions of one tensor that work on each number by itself: shape in, same shape out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from qkv.ops.agree import require_bool_mask, require_castable, require_float, require_not_float, require_one_device
from qkv.ops.broadcast import broadcast, broadcast_all, like, require_within, same
from qkv.ops.context import CannotTell, Context, Mismatch
from qkv.ops.dtypes import REAL_OF, as_float, is_whole, result_dtype
from qkv.ops.elementwise import bounds, write_into
from qkv.ops.table import rule
from qkv.shapes import Dim, Expr, Tensor

TO_FLOAT = {
    "exp": "e to the power of each number",
    "exp2": "2 to the power of each number",
    "expm1": "e to the power of each number, minus 1",
    "log": "The natural logarithm of each number",
    "log2": "The logarithm to the base 2 of each number",
    "log10": "The logarithm to the base 10 of each number",
    "log1p": "The natural logarithm of 1 plus each number",
    "sqrt": "The square root of each number",
    "rsqrt": "1 over the square root of each number",
    "sin": "The sine of each number",
    "cos": "The cosine of each number",
    "tan": "The tangent of each number",
    "asin": "The arc sine of each number",
    "acos": "The arc cosine of each number",
    "atan": "The arc tangent of each number",
    "arcsin": "The arc sine of each number",
    "arccos": "The arc cosine of each number",
    "arctan": "The arc tangent of each number",
    "sinh": "The hyperbolic sine of each number",
    "cosh": "The hyperbolic cosine of each number",
    "tanh": "The hyperbolic tangent of each number, between -1 and 1",
    "asinh": "The inverse hyperbolic sine of each number",
    "acosh": "The inverse hyperbolic cosine of each number",
    "atanh": "The inverse hyperbolic tangent of each number",
    "sigmoid": "Each number pressed between 0 and 1: 1 / (1 + e⁻ˣ)",
    "reciprocal": "1 over each number",
    "erf": "The error function of each number",
    "erfc": "1 minus the error function of each number",
    "erfinv": "The inverse of the error function of each number",
    "lgamma": "The logarithm of the gamma function of each number",
    "digamma": "The derivative of the logarithm of the gamma function",
    "deg2rad": "Degrees as radians",
    "rad2deg": "Radians as degrees",
    "sinc": "sin(πx) / (πx) of each number",
    "logit": "The inverse of the sigmoid of each number",
    "i0": "The modified Bessel function of order 0",
}
"""Functions whose result is floating point, also of whole numbers."""

KEEPING = {
    "square": "The square of each number",
    "sign": "-1, 0 or 1: the sign of each number",
    "sgn": "The sign of each number; of a complex number, the number of length 1 in its direction",
    "floor": "Each number rounded down",
    "ceil": "Each number rounded up",
    "round": "Each number rounded to the nearest whole one, or to `decimals` places",
    "trunc": "Each number without what stands behind the point",
    "fix": "Each number without what stands behind the point",
    "frac": "What stands behind the point of each number",
    "nan_to_num": "NaN and infinities replaced by numbers",
    "relu": "Negative numbers become 0",
    "positive": "The numbers as they are",
}
"""Functions whose result is of the same kind as their input."""

TESTS = {
    "isnan": "True where it is not a number",
    "isinf": "True where it is infinite",
    "isfinite": "True where it is neither infinite nor NaN",
    "isposinf": "True where it is plus infinity",
    "isneginf": "True where it is minus infinity",
    "signbit": "True where it is negative",
    "isreal": "True where the imaginary part is 0",
    "logical_not": "True where it is 0",
}
"""Functions whose result is a mask."""

SPECIAL = {"exp2", "expm1", "log1p", "erf", "erfc", "erfinv", "digamma", "logit", "sinc", "i0", "round"}
ACTIVATIONS = {"relu", "sigmoid", "tanh"}
OF_TORCH_TOO = {"relu", "sqrt", "exp", "sigmoid", "tanh"}
WITHOUT_IN_PLACE = {
    "isnan",
    "isinf",
    "isfinite",
    "isposinf",
    "isneginf",
    "signbit",
    "isreal",
    "positive",
    "deg2rad",
    "rad2deg",
}


def _register(name: str, doc: str, dtype: Callable[[str | None], str | None]) -> None:
    def compute(
        cx: Context,
        input: Tensor,
        *,
        decimals: Any = 0,
        nan: Any = 0.0,
        posinf: Any = None,
        neginf: Any = None,
        eps: Any = None,
    ) -> Tensor:
        if name == "relu" and input.dtype == "bool":
            require_float(input, "`relu`")
        return replace(same(input), dtype=dtype(input.dtype))

    compute.__doc__ = f"{doc}."
    names = f"torch.{name} torch.Tensor.{name}" + (f" torch.special.{name}" if name in SPECIAL else "")
    names += f" torch.nn.functional.{name}" if name in ACTIVATIONS else ""
    rule(names)(compute)
    if name in WITHOUT_IN_PLACE:
        return

    def writing(
        cx: Context,
        input: Tensor,
        *,
        decimals: Any = 0,
        nan: Any = 0.0,
        posinf: Any = None,
        neginf: Any = None,
        eps: Any = None,
    ) -> Tensor:
        require_castable(dtype(input.dtype), input)
        return replace(input, low=None, high=None)

    writing.__doc__ = f"{doc}, written into the tensor itself."
    rule(
        f"torch.Tensor.{name}_"
        + (f" torch.{name}_" if name in OF_TORCH_TOO else "")
        + (" torch.nn.functional.relu_" if name == "relu" else "")
    )(writing)


for _name, _doc in TO_FLOAT.items():
    _register(_name, _doc, as_float)
for _name, _doc in KEEPING.items():
    _register(_name, _doc, lambda dtype: dtype)
for _name, _doc in TESTS.items():
    _register(_name, _doc, lambda dtype: "bool")


@rule("torch.special.expit")
def expit(cx: Context, input: Tensor) -> Tensor:
    """Each number pressed between 0 and 1: 1 / (1 + e⁻ˣ)."""
    return replace(same(input), dtype=as_float(input.dtype))


@rule("torch.neg torch.negative torch.Tensor.neg torch.Tensor.negative torch.Tensor.__neg__")
def neg(cx: Context, input: Tensor) -> Tensor:
    """Each number with the other sign."""
    if input.dtype == "bool":
        raise Mismatch(
            "dtype-mask",
            "{input} is a mask of True and False, and `-` is for numbers.",
            hint="To turn a mask round, write `~{input}`.",
            at="input",
        )
    return same(input)


@rule("torch.Tensor.__pos__")
def pos(cx: Context, input: Tensor) -> Tensor:
    """The numbers as they are."""
    return input


@rule("torch.Tensor.neg_ torch.Tensor.negative_")
def neg_(cx: Context, input: Tensor) -> Tensor:
    """Each number with the other sign, written into the tensor itself."""
    return replace(input, low=None, high=None)


@rule("torch.abs torch.absolute torch.Tensor.abs torch.Tensor.absolute torch.Tensor.__abs__")
def abs(cx: Context, input: Tensor) -> Tensor:
    """Each number without its sign; of a complex number, its length."""
    return replace(same(input), dtype=REAL_OF.get(input.dtype or "", input.dtype))


@rule("torch.Tensor.abs_ torch.Tensor.absolute_")
def abs_(cx: Context, input: Tensor) -> Tensor:
    """Each number without its sign, written into the tensor itself."""
    return replace(input, low=None, high=None)


@rule("torch.bitwise_not torch.Tensor.bitwise_not torch.Tensor.__invert__ torch.Tensor.bitwise_not_")
def invert(cx: Context, input: Tensor) -> Tensor:
    """True where it was False; of whole numbers, all bits turned round."""
    require_not_float(input, "`~`")
    return same(input)


# -- limits ----------------------------------------------------------------------------------------------------------------


def _clamped(cx: Context, input: Tensor, min: Any, max: Any) -> Tensor:
    dtype = result_dtype(*(value for value in (input, min, max) if value is not None))
    result = like(input, broadcast_all(cx, {"input": input, "min": min, "max": max}), dtype)
    low, high = bounds(input)
    if is_whole(dtype):
        result = replace(result, low=_tighter(low, min, larger=True), high=_tighter(high, max, larger=False))
    return result


def _tighter(bound: Dim | None, limit: Any, larger: bool) -> Dim | None:
    if not isinstance(limit, (int, Expr)) or isinstance(limit, bool):
        return bound
    if bound is None or not isinstance(bound, int) or not isinstance(limit, int):
        return limit
    return max(bound, limit) if larger else min(bound, limit)


@rule("torch.clamp torch.clip torch.Tensor.clamp torch.Tensor.clip")
def clamp(cx: Context, input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """Each number, held between two limits."""
    return _clamped(cx, input, min, max)


@rule("torch.Tensor.clamp_ torch.Tensor.clip_")
def clamp_(cx: Context, input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """Each number, held between two limits and written into the tensor itself."""
    return write_into(cx, input, _clamped(cx, input, min, max))


@rule("torch.clamp_min torch.Tensor.clamp_min torch.Tensor.clamp_min_")
def clamp_min(cx: Context, input: Tensor, min: Any) -> Tensor:
    """Each number, at least `min`."""
    return _clamped(cx, input, min, None)


@rule("torch.clamp_max torch.Tensor.clamp_max torch.Tensor.clamp_max_")
def clamp_max(cx: Context, input: Tensor, max: Any) -> Tensor:
    """Each number, at most `max`."""
    return _clamped(cx, input, None, max)


# -- masks -----------------------------------------------------------------------------------------------------------------


@rule("torch.masked_fill torch.Tensor.masked_fill", term="masking")
def masked_fill(cx: Context, input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """The numbers, with `value` wherever the mask is True. The mask is stretched to the tensor's shape."""
    require_bool_mask(mask, "`masked_fill`")
    require_one_device({"input": input, "mask": mask})
    shape = input.shape if _nothing_known(mask) else broadcast(cx, input.shape, mask.shape, ("input", "mask"))
    return like(input, shape, input.dtype, mask)


@rule("torch.Tensor.masked_fill_", term="masking")
def masked_fill_(cx: Context, input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """`value` written into the tensor wherever the mask is True. The mask is stretched to the tensor's shape."""
    require_bool_mask(mask, "`masked_fill_`")
    require_within(cx, input, broadcast(cx, input.shape, mask.shape, ("input", "mask")), "mask")
    return input


def _nothing_known(tensor: Tensor) -> bool:
    return tensor.shape.row is not None and not tensor.shape.least_rank


@rule("torch.where torch.Tensor.where")
def where(cx: Context, condition: Any, input: Any = None, other: Any = None) -> Any:
    """From the first where the condition is True, from the second where it is False; all three are stretched to one shape.

    As a method, the tensor is what is taken where the condition is True. With the condition alone, the indices of what is not zero.
    """
    if input is None and other is None and isinstance(condition, Tensor):
        from qkv.ops.indexing import nonzero_tuple

        return nonzero_tuple(cx, condition)
    if other is None:
        raise CannotTell("where() with one value only")
    tensor, mask = (input, condition) if _is_mask(condition) or not _is_mask(input) else (condition, input)
    return _select(cx, mask, tensor, other)


def _is_mask(value: Any) -> bool:
    return isinstance(value, Tensor) and value.dtype in ("bool", "uint8", None)


def _select(cx: Context, condition: Any, input: Any, other: Any) -> Tensor:
    if not isinstance(condition, Tensor):
        raise CannotTell("the condition is not known here")
    if condition.dtype not in (None, "bool", "uint8"):
        require_bool_mask(condition, "`where`", "condition")
    values = [cx.unknown() if not isinstance(value, (Tensor, int, float, Expr)) else value for value in (input, other)]
    operands = {"condition": condition, "input": values[0], "other": values[1]}
    require_one_device(operands)
    shape = broadcast_all(cx, {"input": values[0], "other": values[1], "condition": condition})
    tensors = [value for value in (condition, *values) if isinstance(value, Tensor)]
    dtype = result_dtype(*values)
    (low, high), (low2, high2) = bounds(values[0]), bounds(values[1])
    result = like(tensors[0], shape, dtype, *tensors[1:])
    if is_whole(dtype) and all(isinstance(bound, int) for bound in (low, high, low2, high2)):
        result = replace(result, low=min(low, low2), high=max(high, high2))  # type: ignore[type-var]
    return replace(result, device=next((t.device for t in tensors if t.device), None))


# -- three operands --------------------------------------------------------------------------------------------------------


def _weighted(cx: Context, operands: dict[str, Any]) -> Tensor:
    tensors = [value for value in operands.values() if isinstance(value, Tensor)]
    return like(tensors[0], broadcast_all(cx, operands), result_dtype(*tensors), *tensors[1:])


@rule("torch.lerp torch.Tensor.lerp")
def lerp(cx: Context, input: Tensor, end: Tensor, weight: Any) -> Tensor:
    """A point on the way from one tensor to the other: start + weight · (end - start)."""
    return _weighted(cx, {"input": input, "end": end, "weight": weight})


@rule("torch.Tensor.lerp_")
def lerp_(cx: Context, input: Tensor, end: Tensor, weight: Any) -> Tensor:
    """A point on the way from one tensor to the other, written into the first."""
    return write_into(cx, input, _weighted(cx, {"input": input, "end": end, "weight": weight}))


@rule("torch.addcmul torch.Tensor.addcmul torch.addcdiv torch.Tensor.addcdiv")
def addcmul(cx: Context, input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Tensor:
    """The sum of a tensor and the product (or the quotient) of two others."""
    return _weighted(cx, {"input": input, "tensor1": tensor1, "tensor2": tensor2})


@rule("torch.Tensor.addcmul_ torch.Tensor.addcdiv_")
def addcmul_(cx: Context, input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Tensor:
    """The sum of a tensor and the product (or the quotient) of two others, written into the first."""
    return write_into(cx, input, _weighted(cx, {"input": input, "tensor1": tensor1, "tensor2": tensor2}))


@rule("torch.allclose torch.Tensor.allclose torch.equal torch.Tensor.equal")
def allclose(
    cx: Context, input: Tensor, other: Tensor, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: Any = False
) -> Any:
    """Whether two tensors hold the same numbers: one True or False."""
    raise CannotTell("it depends on the numbers")
