"""How many places a window can take: the arithmetic of convolutions and pooling."""

from __future__ import annotations

from typing import Any

from qkv.ops.context import Context
from qkv.shapes import Dim, Expr, Kind
from qkv.shapes.dim import add, floor_divide, multiply, subtract, symbols


def each(value: Any, count: int) -> tuple[Any, ...]:
    """An argument for each axis: one number stands for all of them. Unknown stays unknown."""
    if isinstance(value, tuple):
        return value if len(value) == count else (None,) * count
    return (value,) * count


def places(cx: Context, size: Dim, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil: bool = False) -> Dim:
    """⌊(size + 2·padding − dilation·(kernel − 1) − 1) / stride⌋ + 1, the formula of torch's Conv and Pool layers."""
    if padding == "same":
        return size
    if padding == "valid":
        padding = 0
    numbers = (kernel, stride, padding, dilation)
    if not all(isinstance(number, (int, Expr)) and not isinstance(number, bool) for number in numbers):
        return cx.fresh()
    reach = add(multiply(dilation, subtract(kernel, 1)), 1)
    room = subtract(add(size, multiply(2, padding)), reach)
    if stride == 0:
        return cx.fresh()
    if kernel == stride and padding == 0 and dilation == 1 and isinstance(size, Expr):
        return floor_divide(size, stride)  # patches side by side: size // patch
    if isinstance(room, Expr) and any(symbol.kind is Kind.FRESH for symbol in symbols(room)):
        return cx.fresh()
    if isinstance(room, int) and isinstance(stride, int) and ceil:
        found = -(-room // stride) + 1
        return found - 1 if (found - 1) * stride >= _as_int(size) + _as_int(padding) else found
    if ceil:
        return cx.fresh()
    return add(floor_divide(room, stride), 1) if not (isinstance(room, int) and room < 0) else 0


def _as_int(dim: Dim) -> int:
    return dim if isinstance(dim, int) else 1 << 60


def transposed_places(
    cx: Context, size: Dim, kernel: Any, stride: Any, padding: Any, output_padding: Any, dilation: Any
) -> Dim:
    """(size − 1)·stride − 2·padding + dilation·(kernel − 1) + output_padding + 1, the formula of torch's ConvTranspose layers."""
    numbers = (kernel, stride, padding, output_padding, dilation)
    if not all(isinstance(number, (int, Expr)) and not isinstance(number, bool) for number in numbers):
        return cx.fresh()
    total = multiply(subtract(size, 1), stride)
    total = subtract(total, multiply(2, padding))
    total = add(total, multiply(dilation, subtract(kernel, 1)))
    return add(add(total, output_padding), 1)
