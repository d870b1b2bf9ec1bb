"""Types of elements: their kinds, and what two of them become together."""

from __future__ import annotations

from typing import Any

from qkv.shapes import Dtype, Expr, Tensor

DEFAULT = "float32"
"""torch's default float type; code that changes it is not followed."""

SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
HALVES = ("float16", "bfloat16")
FLOATS = (*HALVES, "float32", "float64", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz")
COMPLEX = ("complex32", "complex64", "complex128")
WITH_COMPLEX = {"float16": "complex32", "bfloat16": "complex64", "float32": "complex64", "float64": "complex128"}
REAL_OF = {"complex32": "float16", "complex64": "float32", "complex128": "float64"}
BITS = {
    "bool": 8,
    "bfloat16": 16,
    **{
        name: int("".join(filter(str.isdigit, name.split("_")[0])))
        for name in (*SIGNED, *UNSIGNED, *FLOATS, *COMPLEX)
        if name != "bfloat16"
    },
}
CATEGORY = {"bool": 0, **dict.fromkeys(SIGNED + UNSIGNED, 1), **dict.fromkeys(FLOATS, 2), **dict.fromkeys(COMPLEX, 3)}
"""bool, whole numbers, floats, complex numbers: a higher category wins over a lower one, whatever their widths."""


def is_float(dtype: str | None) -> bool:
    """Whether it is for certain a type of real numbers that are not whole."""
    return CATEGORY.get(dtype or "") == 2


def is_whole(dtype: str | None) -> bool:
    """Whether it is for certain a type of whole numbers; bool is none."""
    return CATEGORY.get(dtype or "") == 1


def is_complex(dtype: str | None) -> bool:
    """Whether it is for certain a type of complex numbers."""
    return CATEGORY.get(dtype or "") == 3


def is_discrete(dtype: str | None) -> bool:
    """Whether it is for certain a type of whole numbers or bool."""
    return CATEGORY.get(dtype or "", 9) < 2


def promote(a: str | None, b: str | None) -> str | None:
    """The type that holds both, as `torch.promote_types`. None where it is not known, or where torch has none."""
    if a == b or b is None or a is None:
        return a if a == b else None
    low, high = sorted((a, b), key=lambda name: (CATEGORY.get(name, 0), BITS.get(name, 0)))
    kind = CATEGORY.get(high)
    if kind is None or CATEGORY.get(low) is None or "float8" in low + high:
        return None
    if CATEGORY[low] < kind:
        return _complex_with(high, low) if kind == 3 else high
    if kind == 2:
        return "float32" if low in HALVES and high in HALVES else high
    if kind == 1 and (low in UNSIGNED) != (high in UNSIGNED):
        return _mixed_signs(low, high)
    return high


def _complex_with(high: str, low: str) -> str:
    return high if CATEGORY[low] < 2 else max(high, WITH_COMPLEX[low], key=BITS.__getitem__)


def _mixed_signs(a: str, b: str) -> str | None:
    signed, unsigned = (b, a) if a in UNSIGNED else (a, b)
    if unsigned != "uint8":
        return None  # the wider unsigned types do not mix with signed ones
    return signed if BITS[signed] > 8 else "int16"


def number_dtype(value: Any) -> str | None:
    """The type that a Python number counts as; None where it is no number, and for NaN, which stands for a number that is not known."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, (int, Expr)):
        return "int64"
    if isinstance(value, float):
        return DEFAULT if value == value else None
    return "complex64" if isinstance(value, complex) else None


def result_dtype(*values: Any) -> str | None:
    """The type of an arithmetic result, as `torch.result_type`: of tensors with axes first, then scalars, then Python numbers.

    A later one of these matters only where its category is higher. None where it is not known.
    """
    tensors = [value for value in values if isinstance(value, Tensor)]
    numbers = [number_dtype(value) for value in values if not isinstance(value, Tensor)]
    found = _of_groups(
        [t.dtype for t in tensors if t.shape.rank != 0], [t.dtype for t in tensors if t.shape.rank == 0], numbers
    )
    if found is not None and any(
        t.shape.rank is None and t.shape.least_rank == 0 and t.dtype != found for t in tensors
    ):
        sure = [t.dtype for t in tensors if t.shape.rank is None or t.shape.rank]
        maybe = [t for t in tensors if t.shape.rank is None and t.shape.least_rank == 0]
        others = [t.dtype for t in tensors if t not in maybe and t.shape.rank != 0]
        scalars = [t.dtype for t in tensors if t in maybe or t.shape.rank == 0]
        return found if sure and _of_groups(others, scalars, numbers) == found else None
    return found


def _of_groups(*groups: list[str | None]) -> str | None:
    result: str | None = None
    for position, group in enumerate(groups):
        if not group:
            continue
        if None in group:
            if position == 2 and CATEGORY.get(result or "", 0) >= 2:  # a number beside floats changes nothing
                continue
            return None
        together = group[0]
        for dtype in group[1:]:
            together = promote(together, dtype)
        result = together if result is None else _combine(result, together)
        if result is None:
            return None
    return result


def _combine(first: str | None, second: str | None) -> str | None:
    """A type that goes first, with one that matters only through its category."""
    if first is None or second is None:
        return None
    a, b = CATEGORY.get(first, 0), CATEGORY.get(second, 0)
    if b <= a:
        return first
    if b == 3 and a == 2:
        return WITH_COMPLEX.get(first)
    return second


def as_float(dtype: str | None) -> str | None:
    """What a function such as `sqrt` gives: the default float type for whole numbers."""
    return DEFAULT if is_discrete(dtype) else dtype


def named(value: Any, otherwise: str | None = None) -> str | None:
    """The type that a `dtype=` argument names; `otherwise` where it is None. Python's own types count too."""
    if value is None:
        return otherwise
    if isinstance(value, Dtype):
        return value.name
    name = getattr(value, "name", None)  # `float` and `bool` reach a rule as references of the interpreter
    return (
        {"builtins.float": "float32", "builtins.int": "int64", "builtins.bool": "bool"}.get(name)
        if isinstance(name, str)
        else None
    )
