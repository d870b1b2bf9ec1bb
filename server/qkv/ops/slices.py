"""How many positions a slice keeps."""

from __future__ import annotations

from qkv.ops.context import Context, Mismatch
from qkv.shapes import Dim, Expr, Kind, Slice, Truth
from qkv.shapes.dim import add, floor_divide, multiply, subtract, symbols
from qkv.shapes.solve import always_positive, compare


def sliced(cx: Context, size: Dim, cut: Slice) -> tuple[Dim, Dim]:
    """The size of an axis after a slice, and the slice's step. Exact for numbers; of named sizes, what the author means."""
    start, stop, step = cut.start, cut.stop, cut.step
    step = 1 if step is None else step
    if isinstance(step, int) and step < 1:
        raise Mismatch(
            "shape-index",
            "A slice of a tensor must go forwards; its step is {step}.",
            hint="Turn the axis round with `flip`.",
            step=step,
        )
    if not isinstance(step, int) or not all(part is None or isinstance(part, (int, Expr)) for part in (start, stop)):
        return cx.fresh(), 1
    if isinstance(size, int) and not isinstance(start, Expr) and not isinstance(stop, Expr):
        return len(range(*slice(start, stop, step).indices(size))), step
    low = _bound(size, 0 if start is None else start)
    high = size if stop is None else _bound(size, stop)
    if low is None or high is None:
        return cx.fresh(), step
    if stop is not None and high is not size and _may_cut_short(size, high):
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
    """Whether `x[:stop]` may be meant to keep a shorter tensor whole: a limit from the settings on an input's size."""
    if compare(size, stop) is Truth.ALWAYS or isinstance(stop, int):
        return False
    wide = {s.kind for s in symbols(size)}
    return Kind.PARAM in wide and Kind.PARAM not in {s.kind for s in symbols(stop)}
