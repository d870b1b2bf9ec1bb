"""Operators on two tensors, number by number: arithmetic, comparison, logic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

from qkv.ops.agree import require_castable, require_not_float, require_one_device
from qkv.ops.broadcast import broadcast, elementwise_strides, require_within
from qkv.ops.context import CannotTell, Context, Mismatch
from qkv.ops.dtypes import as_float, is_discrete, is_whole, number_dtype, result_dtype
from qkv.ops.table import rule
from qkv.shapes import Dim, Expr, Shape, Tensor, Unknown
from qkv.shapes.dim import add, multiply, subtract

NOT_A_TENSOR = "the other side is neither a tensor nor a number here"


def combined_shape(cx: Context, input: Tensor, other: Any, names: tuple[str, str] = ("input", "other")) -> Shape:
    """The shape of `input op other`. A side that is not known is taken as a number beside a tensor of three axes or more."""
    if isinstance(other, Tensor):
        return broadcast(cx, input.shape, other.shape, names)
    if number_dtype(other) is not None or isinstance(other, float):
        return input.shape
    if isinstance(other, Unknown):
        return broadcast(cx, input.shape, cx.unknown().shape, names)
    raise CannotTell(NOT_A_TENSOR)


def combine(cx: Context, input: Tensor, other: Any, dtype: str | None) -> Tensor:
    """The result of `input op other`, with the given dtype."""
    shape = combined_shape(cx, input, other)
    if not isinstance(other, Tensor):
        return Tensor(shape, dtype, input.device, elementwise_strides(shape, [input]))
    device = require_one_device({"input": input, "other": other})
    return Tensor(shape, dtype, device, elementwise_strides(shape, [input, other]))


def write_into(cx: Context, input: Tensor, result: Tensor) -> Tensor:
    """An in-place form: the result is written into `input`, which keeps shape, dtype and layout."""
    require_castable(result.dtype, input)
    require_within(cx, input, result.shape)
    return replace(input, low=result.low, high=result.high)


Bounds: TypeAlias = "tuple[Dim | None, Dim | None]"


def bounds(value: Any) -> Bounds:
    """The smallest and largest element of a tensor of whole numbers, or of a whole number itself."""
    if isinstance(value, Tensor):
        return (0, 1) if value.dtype == "bool" else (value.low, value.high)
    return (value, value) if isinstance(value, (int, Expr)) else (None, None)


def _sum(a: Dim | None, b: Dim | None) -> Dim | None:
    return None if a is None or b is None else add(a, b)


def _difference(a: Dim | None, b: Dim | None) -> Dim | None:
    return None if a is None or b is None else subtract(a, b)


def _with_bounds(result: Tensor, low: Dim | None, high: Dim | None) -> Tensor:
    if (low is None and high is None) or not is_whole(result.dtype):
        return result
    return replace(result, low=low, high=high)


# -- arithmetic ------------------------------------------------------------------------------------------------------------


def _add(cx: Context, input: Tensor, other: Any) -> Tensor:
    result = combine(cx, input, other, result_dtype(input, other))
    (low, high), (low2, high2) = bounds(input), bounds(other)
    return _with_bounds(result, _sum(low, low2), _sum(high, high2))


def _subtract(cx: Context, input: Tensor, other: Any) -> Tensor:
    for name, side in (("input", input), ("other", other)):
        if isinstance(side, bool) or (isinstance(side, Tensor) and side.dtype == "bool"):
            raise Mismatch(
                "dtype-mask",
                f"{{{name}}} holds bool, and torch does not subtract masks of True and False.",
                hint=f"To turn a mask round, write `~{{{name}}}`; to count with it, `{{{name}}}.float()`.",
                at=name,
            )
    result = combine(cx, input, other, result_dtype(input, other))
    (low, high), (low2, high2) = bounds(input), bounds(other)
    return _with_bounds(result, _difference(low, high2), _difference(high, low2))


def _multiply(cx: Context, input: Tensor, other: Any) -> Tensor:
    result = combine(cx, input, other, result_dtype(input, other))
    low, high = bounds(input)
    if isinstance(other, int) and not isinstance(other, bool) and other >= 0 and low is not None and high is not None:
        return _with_bounds(result, multiply(low, other), multiply(high, other))
    return result


def _divide(cx: Context, input: Tensor, other: Any, rounding_mode: Any = None) -> Tensor:
    dtype = result_dtype(input, other)
    return combine(cx, input, other, dtype if isinstance(rounding_mode, str) else as_float(dtype))


def _floor_divide(cx: Context, input: Tensor, other: Any) -> Tensor:
    result = combine(cx, input, other, result_dtype(input, other))
    low, high = bounds(input)
    if isinstance(other, int) and other > 0 and isinstance(low, int) and isinstance(high, int):
        return _with_bounds(result, low // other, high // other)
    return result


def _remainder(cx: Context, input: Tensor, other: Any) -> Tensor:
    result = combine(cx, input, other, result_dtype(input, other))
    return _with_bounds(result, 0, other - 1) if isinstance(other, int) and other > 0 else result


def _power(cx: Context, input: Tensor, other: Any) -> Tensor:
    dtype = result_dtype(input, other)
    if is_discrete(dtype) and isinstance(other, int) and other < 0:
        raise Mismatch(
            "dtype-mismatch",
            "{input} holds whole numbers, and these cannot be raised to a negative power.",
            hint="Convert first, with `{input}.float()`.",
        )
    return combine(cx, input, other, dtype)


Binary: TypeAlias = Callable[..., Tensor]


def _operator(names: str, in_place: str, doc: str, compute: Binary) -> None:
    """Register `input op other` and its in-place forms. `names` are spelled without `torch.`; both sides may change places."""

    def plain(cx: Context, input: Tensor, other: Any, *, alpha: Any = 1) -> Tensor:
        return compute(cx, input, other) if alpha == 1 else replace(compute(cx, input, other), low=None, high=None)

    def writing(cx: Context, input: Tensor, other: Any, *, alpha: Any = 1) -> Tensor:
        return write_into(cx, input, compute(cx, input, other))

    plain.__doc__ = doc
    writing.__doc__ = f"{doc}\n\nWritten into the first tensor, whose shape and kind of number stay."
    rule(_full(names))(plain)
    if in_place:
        rule(_full(in_place))(writing)


def _full(names: str) -> str:
    """`add Tensor.add __add__` → `torch.add torch.Tensor.add torch.Tensor.__add__`."""
    return " ".join(f"torch.Tensor.{name}" if name.startswith("__") else f"torch.{name}" for name in names.split())


def _reflected(compute: Binary) -> Binary:
    """`number op tensor`: the tensor comes first in the call, the number in the formula."""

    def turned(cx: Context, input: Tensor, other: Any) -> Tensor:
        result = compute(cx, input, other)
        return result if result.low is None and result.high is None else replace(result, low=None, high=None)

    return turned


_operator(
    "add Tensor.add __add__ __radd__",
    "Tensor.add_ __iadd__",
    "The sum, number by number; the smaller shape is stretched.",
    _add,
)
_operator(
    "sub subtract Tensor.sub Tensor.subtract __sub__",
    "Tensor.sub_ Tensor.subtract_ __isub__",
    "The difference, number by number; the smaller shape is stretched.",
    _subtract,
)
_operator("rsub __rsub__", "", "The difference, number by number, of the second and the first.", _reflected(_subtract))
_operator(
    "mul multiply Tensor.mul Tensor.multiply __mul__ __rmul__",
    "Tensor.mul_ Tensor.multiply_ __imul__",
    "The product, number by number; the smaller shape is stretched.",
    _multiply,
)
_operator(
    "true_divide Tensor.true_divide __truediv__ __div__",
    "Tensor.true_divide_ __itruediv__",
    "The quotient, number by number, always in floating point.",
    _divide,
)
_operator(
    "floor_divide Tensor.floor_divide __floordiv__",
    "Tensor.floor_divide_ __ifloordiv__",
    "The quotient, number by number, rounded down.",
    _floor_divide,
)
_operator(
    "remainder Tensor.remainder __mod__",
    "Tensor.remainder_ __imod__",
    "What a division leaves, with the sign of the divisor.",
    _remainder,
)
_operator(
    "fmod Tensor.fmod", "Tensor.fmod_", "What a division leaves, with the sign of the dividend.", _reflected(_remainder)
)
_operator("__rtruediv__ __rdiv__", "", "The quotient of a number and each element.", _reflected(_divide))
_operator("__rfloordiv__", "", "The quotient of a number and each element, rounded down.", _reflected(_floor_divide))
_operator("__rmod__", "", "What the division of a number by each element leaves.", _reflected(_remainder))
_operator("__pow__ Tensor.pow pow", "Tensor.pow_ __ipow__", "Each number raised to a power.", _power)


@rule("torch.div torch.divide torch.Tensor.div torch.Tensor.divide")
def div(cx: Context, input: Tensor, other: Any, *, rounding_mode: Any = None) -> Tensor:
    """The quotient, number by number: in floating point, or rounded to whole numbers where `rounding_mode` says so."""
    return _divide(cx, input, other, rounding_mode)


@rule("torch.Tensor.div_ torch.Tensor.divide_")
def div_(cx: Context, input: Tensor, other: Any, *, rounding_mode: Any = None) -> Tensor:
    """The quotient, number by number, written into the first tensor."""
    return write_into(cx, input, _divide(cx, input, other, rounding_mode))


@rule("torch.Tensor.__rpow__")
def rpow(cx: Context, input: Tensor, other: Any) -> Tensor:
    """A number raised to each element."""
    dtype = result_dtype(input, other)
    return combine(cx, input, other, dtype)


# -- comparison --------------------------------------------------------------------------------------------------------------


def _comparison(name: str, long_name: str, doc: str) -> None:
    def compare(cx: Context, input: Tensor, other: Any) -> Tensor:
        return combine(cx, input, other, "bool")

    def writing(cx: Context, input: Tensor, other: Any) -> Tensor:
        return write_into(cx, input, combine(cx, input, other, "bool"))

    compare.__doc__ = f"{doc}: True or False for each pair of numbers; the smaller shape is stretched."
    writing.__doc__ = f"{doc}, written into the first tensor as 1 and 0."
    rule(_full(f"{name} {long_name} Tensor.{name} Tensor.{long_name} __{name}__"))(compare)
    rule(_full(f"Tensor.{name}_ Tensor.{long_name}_"))(writing)


_comparison("lt", "less", "Whether it is less")
_comparison("le", "less_equal", "Whether it is less or equal")
_comparison("gt", "greater", "Whether it is greater")
_comparison("ge", "greater_equal", "Whether it is greater or equal")
_comparison("ne", "not_equal", "Whether they differ")


@rule("torch.eq torch.Tensor.eq torch.Tensor.__eq__")
def eq(cx: Context, input: Tensor, other: Any) -> Tensor:
    """Whether they are equal: True or False for each pair of numbers; the smaller shape is stretched."""
    return combine(cx, input, other, "bool")


@rule("torch.Tensor.eq_")
def eq_(cx: Context, input: Tensor, other: Any) -> Tensor:
    """Whether they are equal, written into the first tensor as 1 and 0."""
    return write_into(cx, input, combine(cx, input, other, "bool"))


@rule("torch.isclose torch.Tensor.isclose")
def isclose(
    cx: Context, input: Tensor, other: Tensor, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: Any = False
) -> Tensor:
    """Whether two numbers are equal up to a small difference."""
    return combine(cx, input, other, "bool")


# -- logic -------------------------------------------------------------------------------------------------------------------


def _logical(name: str, doc: str) -> None:
    def compute(cx: Context, input: Tensor, other: Any) -> Tensor:
        return combine(cx, input, other, "bool")

    compute.__doc__ = doc
    rule(_full(f"logical_{name} Tensor.logical_{name}"))(compute)

    def writing(cx: Context, input: Tensor, other: Any) -> Tensor:
        return write_into(cx, input, combine(cx, input, other, "bool"))

    writing.__doc__ = f"{doc} Written into the first tensor."
    rule(_full(f"Tensor.logical_{name}_"))(writing)


_logical("and", "True where both are not zero.")
_logical("or", "True where one of both is not zero.")
_logical("xor", "True where exactly one of both is not zero.")


def _bitwise(sign: str, name: str, dunders: str, in_place: str, doc: str) -> None:
    def compute(cx: Context, input: Tensor, other: Any) -> Tensor:
        for key, side in (("input", input), ("other", other)):
            if isinstance(side, Tensor):
                require_not_float(side, f"`{sign}`", key)
        if isinstance(other, float):
            raise CannotTell(NOT_A_TENSOR)
        return combine(cx, input, other, result_dtype(input, other))

    _operator(f"{name} Tensor.{name} {dunders}", f"Tensor.{name}_ {in_place}", doc, compute)


_bitwise(
    "&",
    "bitwise_and",
    "__and__ __rand__",
    "__iand__",
    "True where both are True; of whole numbers, the bits that both have.",
)
_bitwise(
    "|",
    "bitwise_or",
    "__or__ __ror__",
    "__ior__",
    "True where one of both is True; of whole numbers, the bits that either has.",
)
_bitwise(
    "^",
    "bitwise_xor",
    "__xor__ __rxor__",
    "__ixor__",
    "True where exactly one is True; of whole numbers, the bits that one has.",
)
_bitwise("<<", "bitwise_left_shift", "__lshift__", "__ilshift__", "Whole numbers shifted by bits to the left.")
_bitwise(">>", "bitwise_right_shift", "__rshift__", "__irshift__", "Whole numbers shifted by bits to the right.")


# -- two tensors -------------------------------------------------------------------------------------------------------------


def _pairwise(names: str, doc: str, floating: bool = False) -> None:
    def compute(cx: Context, input: Tensor, other: Any) -> Tensor:
        dtype = result_dtype(input, other)
        return combine(cx, input, other, as_float(dtype) if floating else dtype)

    compute.__doc__ = doc
    rule(_full(names))(compute)


_pairwise("maximum Tensor.maximum fmax Tensor.fmax", "The larger of two numbers, number by number.")
_pairwise("minimum Tensor.minimum fmin Tensor.fmin", "The smaller of two numbers, number by number.")
_pairwise(
    "atan2 arctan2 Tensor.atan2 Tensor.arctan2",
    "The angle of the point (other, input), number by number.",
    floating=True,
)
_pairwise(
    "hypot Tensor.hypot copysign Tensor.copysign", "The length of the hypotenuse, or a number with another's sign."
)
_pairwise(
    "logaddexp Tensor.logaddexp logaddexp2 Tensor.logaddexp2",
    "The logarithm of the sum of the exponentials, number by number.",
    floating=True,
)
_pairwise("xlogy Tensor.xlogy special.xlogy special.xlog1py", "x · log(y), and 0 where x is 0.", floating=True)
_pairwise("heaviside Tensor.heaviside", "0 below zero, 1 above, and the second number at zero.")
