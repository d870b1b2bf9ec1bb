"""Windows that slide along axes: how many places there are for one. Shared by convolutions, pooling and unfolding."""

from __future__ import annotations

from typing import Any

from qkv.ops.context import Context, Mismatch
from qkv.ops.parameters import known_size
from qkv.shapes import Dim, Expr, Kind, Shape, Tensor
from qkv.shapes.dim import ONE, Quotient, add, floor_divide, multiply, rational, subtract, symbols
from qkv.shapes.solve import solve_rank

IMAGES = {
    1: "(batch, channels, length)",
    2: "(batch, channels, height, width)",
    3: "(batch, channels, depth, height, width)",
}
"""What an operator along one, two or three axes takes, in words."""


def each(cx: Context, value: Any, count: int) -> tuple[Dim, ...]:
    """An argument such as `kernel_size`, one size for all axes or one for each; fresh where it is not known."""
    if isinstance(value, tuple):
        items: tuple[Any, ...] = value
        items = items * count if len(items) == 1 else items
        if len(items) == count:
            return tuple(known_size(cx, item) for item in items)
    elif isinstance(value, (int, Expr)):
        return (known_size(cx, value),) * count
    return tuple(cx.fresh() for _ in range(count))


def require_channels_first(cx: Context, input: Tensor, axes: int, code: str = "shape-conv") -> Shape:
    """The shape of an input of channels and `axes` more, with or without a batch before them.

    Where the number of axes is not known, there is taken to be a batch. Raises Mismatch for another number of axes.
    """
    if input.shape.rank in (axes + 1, axes + 2):
        return input.shape
    solved = solve_rank(cx.store, input.shape, axes + 2)
    if solved is not None:
        return solved
    raise Mismatch(
        code,
        "{input} is {input.shape} and has {have} axes; here it must be {wanted}, with or without the batch.",
        hint="Add the axis that is missing with `unsqueeze`, or join two with `flatten`.",
        at="input",
        have=input.shape.rank if input.shape.rank is not None else input.shape.least_rank,
        wanted=IMAGES[axes],
    )


def reach(kernel: Dim, dilation: Dim) -> Dim:
    """How far the last number of a window lies behind its first."""
    return multiply(dilation, subtract(kernel, 1))


def places(cx: Context, length: Dim, kernel: Dim, stride: Dim, padding: Dim, dilation: Dim, ceil: Any = False) -> Dim:
    """The number of places for a window: `(length + 2·padding − dilation·(kernel − 1) − 1) // stride + 1`.

    With `ceil` a last window may hang over the end. Fresh where that decides and the sizes are not numbers.
    """
    gained = _gained(subtract(multiply(2, padding), reach(kernel, dilation)))
    free = subtract(add(length, gained), 1)
    if stride == 0 or any(symbol.kind is Kind.FRESH for dim in (free, stride) for symbol in symbols(dim)):
        return cx.fresh()
    if ceil is False:
        return add(floor_divide(free, stride), 1)
    if ceil is not True or not isinstance(free, int) or not isinstance(stride, int):
        return cx.fresh()
    count = -(-free // stride) + 1
    starts_inside = (
        not (isinstance(length, int) and isinstance(padding, int)) or (count - 1) * stride < length + padding
    )
    return count if starts_inside else count - 1


def _gained(dim: Dim) -> Dim:
    """`2·(k // 2) − (k − 1)` is 0 for odd k, and such a padding is written for odd windows, to keep the length."""
    if isinstance(dim, Expr) and any(isinstance(atom, Quotient) for atom in dim.atoms):
        form = rational(dim)
        if not form or (list(form) == [ONE] and form[ONE] == 1):
            return 0
    return dim


def require_room(dims: tuple[Dim, ...], result: tuple[Dim, ...], kernel: tuple[Dim, ...]) -> None:
    """Refuse a window that does not fit even once."""
    for have, count, wide in zip(dims, result, kernel, strict=True):
        if isinstance(count, int) and count <= 0:
            raise Mismatch(
                "shape-conv",
                "{input} is {input.shape}: a window of {kernel} does not fit into {have}, even with its padding.",
                hint="Choose a smaller window, or pad the input.",
                at="input",
                kernel=wide,
                have=have,
            )
