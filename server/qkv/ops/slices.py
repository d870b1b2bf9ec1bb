"""How many positions a slice keeps."""

from __future__ import annotations

from qkv.ops.context import Context, Mismatch
from qkv.shapes import Dim, Expr, Kind, Slice, Truth
from qkv.shapes.dim import add, floor_divide, multiply, subtract, symbols
from qkv.shapes.solve import always_positive, compare

A_FEW = 16
"""Up to so many positions are picked because they are there; more are a limit on what may be there."""


def sliced(cx: Context, size: Dim, cut: Slice) -> tuple[Dim, Dim]:
    """The size of an axis after a slice, and the slice's step. Exact for numbers; of named sizes, what the author means."""
    start, stop, step = cut.start, cut.stop, 1 if cut.step is None else cut.step
    if isinstance(step, int) and step < 1:
        raise Mismatch(
            "shape-index",
            "A slice of a tensor must go forwards; its step is {step}.",
            hint="Turn the axis round with `flip`.",
            step=step,
        )
    start = 0 if start is None else start
    stop = size if stop is None else stop
    if not isinstance(step, int) or not isinstance(start, (int, Expr)) or not isinstance(stop, (int, Expr)):
        return cx.fresh(), 1
    if isinstance(size, int) and isinstance(start, int) and isinstance(stop, int):
        return len(range(*slice(start, stop, step).indices(size))), step
    low, high = _bound(size, start), _bound(size, stop)
    if low is None or high is None or _may_cut_short(size, stop):
        return cx.fresh(), step
    length = subtract(high, low)
    if isinstance(length, int) and length < 0:
        return 0, step
    if step == 1:
        return length, step
    # From position 0 of a named size the last, partial step is not counted: the halves `x[..., ::2]` and `x[..., 1::2]` are alike.
    exact = isinstance(length, int) or (isinstance(low, int) and low >= step - 1)
    return floor_divide(add(length, step - 1) if exact else length, step), step


def _bound(size: Dim, bound: Dim) -> Dim | None:
    """A bound counted from the front; None where it may lie beyond the other end."""
    if isinstance(bound, int):
        if bound >= 0:
            return min(bound, size) if isinstance(size, int) else bound
        return add(size, bound) if not isinstance(size, int) else max(size + bound, 0)
    if always_positive(multiply(bound, -1)):  # `x[-n:]`: all of a shorter tensor
        return None
    return bound


def _may_cut_short(size: Dim, stop: Dim) -> bool:
    """Whether `x[:stop]` may be meant to keep a shorter tensor whole: a limit, from the settings or a large number, on an input's size."""
    if isinstance(size, int) or compare(size, stop) is Truth.ALWAYS:
        return False
    of_input = any(symbol.kind is Kind.PARAM for symbol in symbols(size))
    if isinstance(stop, int):
        return of_input and stop > A_FEW
    return of_input and all(symbol.kind is not Kind.PARAM for symbol in symbols(stop))
