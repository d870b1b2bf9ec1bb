"""Strides: whether a tensor can be seen under another shape without a copy.

Sizes that have a name are taken as 2 or more here, so that `x.transpose(1, 2).view(…)` is refused whatever the sizes are called.
"""

from __future__ import annotations

from qkv.shapes import Dim, Kind, Shape, Tensor, Truth
from qkv.shapes.dim import multiply, rational, symbols
from qkv.shapes.values import contiguous_strides

Strides = tuple[Dim, ...]


def same_size(a: Dim, b: Dim) -> bool | None:
    """Whether two products of sizes are equal, every named size being 2 or more; None where that is not known."""
    if a == b:
        return True
    if isinstance(a, int) and isinstance(b, int):
        return False
    if any(symbol.kind is Kind.FRESH for dim in (a, b) for symbol in symbols(dim)):
        return None
    one, other = rational(a), rational(b)
    if one == other:
        return True
    if len(one) != 1 or len(other) != 1:
        return None
    (left, factor), (right, divisor) = next(iter(one.items())), next(iter(other.items()))
    powers = dict(left)
    for atom, power in right:
        powers[atom] = powers.get(atom, 0) - power
    ratio, signs = factor / divisor, {power > 0 for power in powers.values() if power}
    if not signs:
        return ratio == 1
    if len(signs) == 2:
        return None
    return False if (signs == {True}) == (ratio >= 1) or ratio == 1 else None


def viewed(shape: Shape, strides: Strides, target: Shape) -> Strides | Truth:
    """The strides of a tensor seen under another shape of as many numbers; NEVER where it takes a copy, UNKNOWN where that is not known."""
    if shape.dims is None or target.dims is None or len(strides) != len(shape.dims):
        return Truth.UNKNOWN
    if strides == contiguous_strides(shape):
        return contiguous_strides(target) or ()
    if shape == target:
        return strides
    if 0 in shape.dims:
        return contiguous_strides(target) or ()
    new: list[Dim] = []
    left = list(target.dims)
    for count, step in _runs(shape.dims, strides) or [(0, 0)]:
        if count == 0:
            return Truth.UNKNOWN
        taken = _take(left, new, count, step)
        if taken is not Truth.ALWAYS:
            return taken
    if any(dim != 1 for dim in left):
        return Truth.NEVER
    new.extend(1 for _ in left)
    return tuple(reversed(new))


def _take(left: list[Dim], new: list[Dim], count: Dim, step: Dim) -> Truth:
    """Give the last sizes of `left` strides until they hold `count` numbers."""
    held: Dim = 1
    while left and (left[-1] == 1 or same_size(held, count) is not True):
        new.append(multiply(held, step))
        held = multiply(held, left.pop())
        if isinstance(held, int) and isinstance(count, int) and held > count:
            return Truth.NEVER
    full = same_size(held, count)
    return Truth.ALWAYS if full else (Truth.NEVER if full is False else Truth.UNKNOWN)


def _runs(dims: tuple[Dim, ...], strides: Strides) -> list[tuple[Dim, Dim]] | None:
    """Neighbouring axes that lie in memory as one, from the last: (numbers in it, stride of its last axis). None where that is not known."""
    pairs = [(dim, step) for dim, step in zip(dims, strides, strict=True) if dim != 1]
    if not pairs:
        return [(1, 1)]
    runs: list[tuple[Dim, Dim]] = []
    count, base = pairs[-1]
    for dim, step in reversed(pairs[:-1]):
        joined = same_size(step, multiply(count, base))
        if joined is None:
            return None
        if joined:
            count = multiply(count, dim)
        else:
            runs.append((count, base))
            count, base = dim, step
    runs.append((count, base))
    return runs


def is_contiguous(tensor: Tensor) -> Truth:
    """Whether the numbers lie in memory in the order of the axes."""
    dims = tensor.shape.dims
    if tensor.strides is None or dims is None or len(dims) != len(tensor.strides):
        return Truth.UNKNOWN
    expected: Dim = 1
    for dim, step in zip(reversed(dims), reversed(tensor.strides), strict=True):
        if dim == 1:
            continue
        fits = same_size(step, expected)
        if fits is None:
            return Truth.UNKNOWN
        if not fits:
            return Truth.NEVER
        expected = multiply(expected, dim)
    return Truth.ALWAYS
