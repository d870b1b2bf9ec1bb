"""einops' `pack` and `unpack`: tensors of different shapes joined along one axis, and taken apart again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from qkv.ops.context import CannotTell, Context, Mismatch, require_equal
from qkv.ops.einops import bad_pattern, wrong_rank
from qkv.ops.joining import cat
from qkv.ops.table import rule
from qkv.shapes import Dim, Expr, Shape, Tensor, Unknown
from qkv.shapes.dim import add, exact_quotient, product, subtract
from qkv.shapes.solve import solve_rank


def _packed_axis(pattern: Any) -> tuple[int, int]:
    """How many axes of a pattern of `pack` stand before its `*`, and how many behind it."""
    if not isinstance(pattern, str):
        raise CannotTell("the pattern is not known here")
    names = pattern.split()
    if names.count("*") != 1:
        raise bad_pattern(pattern, "there must be one `*`, for the axes that are packed")
    at = names.index("*")
    return at, len(names) - at - 1


@rule("einops.pack")
def pack(cx: Context, tensors: Any, pattern: Any) -> Any:
    """Tensors joined along the axis that the pattern calls `*`, and the shapes that undo it."""
    before, behind = _packed_axis(pattern)
    if not isinstance(tensors, tuple) or not all(isinstance(item, Tensor) for item in tensors):
        raise CannotTell("what is packed is not known here")
    parts: tuple[Tensor, ...] = tensors
    if any(part.shape.row is not None for part in parts):
        return (cx.unknown(), Unknown("shapes of unknown length"))
    shapes: list[tuple[Dim, ...]] = []
    flat: list[Tensor] = []
    for part in parts:
        dims = part.shape.back
        end = len(dims) - behind
        if before > end:
            raise Mismatch(
                "shape-einops",
                "{pattern} needs {wanted} axes at least, and one tensor is {part}.",
                at="tensors",
                pattern=repr(pattern),
                wanted=before + behind,
                part=part.shape,
            )
        shapes.append(dims[before:end])
        flat.append(replace(part, shape=Shape((*dims[:before], product(dims[before:end]), *dims[end:])), strides=None))
    return (cat(cx, tuple(flat), dim=before), tuple(shapes))


@rule("einops.unpack")
def unpack(cx: Context, tensor: Tensor, packed_shapes: Any, pattern: Any) -> Any:
    """The tensors that `pack` joined."""
    before, behind = _packed_axis(pattern)
    shape = solve_rank(cx.store, tensor.shape, before + behind + 1)
    if shape is None:
        raise wrong_rank(tensor, pattern, before + behind + 1)
    if not isinstance(packed_shapes, tuple):
        raise CannotTell("the packed shapes are not known here")
    shapes = [_packed_shape(item) for item in packed_shapes]
    if any(item is None for item in shapes):
        raise CannotTell("the packed shapes are not known here")
    known = [dims for dims in shapes if dims is not None]
    total = shape.back[before]
    found = _filled(cx, known, total, pattern)
    return tuple(
        replace(tensor, shape=Shape((*shape.back[:before], *dims, *shape.back[before + 1 :])), strides=None)
        for dims in found
    )


def _packed_shape(value: Any) -> tuple[Dim, ...] | None:
    dims: tuple[Any, ...] = value if isinstance(value, tuple) else (value,)
    return dims if all(isinstance(dim, (int, Expr)) for dim in dims) else None


def _filled(cx: Context, shapes: list[tuple[Dim, ...]], total: Dim, pattern: str) -> list[tuple[Dim, ...]]:
    """The packed shapes, a -1 among them worked out from what the others leave."""
    taken: Dim = 0
    for dims in shapes:
        if -1 not in dims:
            taken = add(taken, product(dims))
    mismatch = Mismatch(
        "shape-einops",
        "{tensor} is {tensor.shape}: the axis that {pattern} calls `*` is {left}, and the packed shapes take {right}.",
        at="tensor",
        pattern=repr(pattern),
        left=total,
        right=taken,
    )
    opened = [dims for dims in shapes if -1 in dims]
    if not opened:
        require_equal(cx, total, taken, mismatch)
        return shapes
    if len(opened) > 1:
        raise CannotTell("more than one -1")
    left = subtract(total, taken)
    known = product([dim for dim in opened[0] if dim != -1])
    if isinstance(left, int) and (left < 0 or (isinstance(known, int) and known and left % known)):
        raise mismatch
    rest = exact_quotient(left, known) if known != 0 else cx.fresh()
    return [tuple(rest if dim == -1 else dim for dim in dims) for dims in shapes]
