"""Reading values as sizes and as numbers."""

from __future__ import annotations

from typing import Any

from qkv.interp.machine import Machine
from qkv.interp.values import Choice, Ratio
from qkv.shapes import Dim, Expr, Tensor, Unknown
from qkv.shapes.solve import fresh, resolve
from qkv.shapes.undecided import Undecided

UNKNOWN_FLOAT = float("nan")
"""A float that is not known. Rules only ask whether a number is a float, and NaN stays what it is in arithmetic."""


def as_size(m: Machine, value: Any) -> Dim | None:
    """A value as an integer, or None where it is none for certain. An argument that nothing has used yet becomes a named size."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int):
        return value
    if isinstance(value, Expr):
        return resolve(m.store, value)
    if isinstance(value, Undecided):
        return value.dim(m.store) if value.read_as_tensor is None else None
    if isinstance(value, Choice):
        sizes = [as_size(m, option) for option in value.options if option is not None]
        return sizes[0] if len(sizes) == 1 else None
    return None


def as_index(m: Machine, value: Any) -> Any:
    """A bound of a slice: a size, None, or Unknown."""
    if value is None or isinstance(value, (Tensor, Unknown)):
        return value
    size = as_size(m, value)
    if size is not None:
        return size
    return Unknown("a bound that is not known")


def some_size(m: Machine, value: Any) -> Dim:
    """A value as an integer; an unknown one where it cannot be said."""
    size = as_size(m, value)
    return fresh(m.store) if size is None else size


def is_number(value: Any) -> bool:
    """Whether a value is an int, a float or a true quotient of sizes."""
    return isinstance(value, (int, float, Expr, Ratio))
