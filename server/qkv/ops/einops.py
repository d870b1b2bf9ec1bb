"""einops: axes named by a pattern are taken apart, put in order and joined."""

from __future__ import annotations

from typing import Any

from qkv.ops.context import CannotTell, Context, Mismatch, require_equal
from qkv.ops.einsum import name_axis
from qkv.ops.patterns import ELLIPSIS, PatternError, Side, read_pattern, read_side
from qkv.ops.table import forward, layer, rule
from qkv.shapes import Dim, Expr, Kind, Layer, Shape, Tensor, Unknown
from qkv.shapes.dim import floor_divide, modulo, product
from qkv.shapes.solve import resolve_shape, solve_rank, stand_apart, symbol
from qkv.shapes.values import contiguous_strides

Sizes = dict[str, Dim]


def sides_of(pattern: Any) -> tuple[Side, Side]:
    """Both sides of a pattern that is known. Raises Mismatch for what is no pattern, CannotTell for what is not known."""
    if not isinstance(pattern, str):
        raise CannotTell("the pattern is not known here")
    try:
        return read_pattern(pattern)
    except PatternError as problem:
        raise Mismatch("shape-einops", "The pattern {pattern} cannot be read: {why}.", pattern=repr(pattern), why=str(problem)) from None


def take_apart(cx: Context, tensor: Tensor, side: Side, pattern: str, given: dict[str, Any], name: str = "tensor") -> tuple[Sizes, Shape | None]:
    """The sizes of all names of the left side, and what `...` stands for."""
    sizes: Sizes = {}
    for key, value in given.items():
        if isinstance(value, (int, Expr)) and not isinstance(value, bool):
            sizes[key] = cx.dim(value)
        elif key in side.names:
            sizes[key] = cx.fresh()
    shape = resolve_shape(cx.store, tensor.shape)
    spread = side.spread
    count = len(side.groups) - (spread is not None)
    rest: Shape | None = None
    if spread is None:
        solved = solve_rank(cx.store, shape, count, lambda i: _axis_symbol(cx, side.groups[i]))
        if solved is None:
            raise _wrong_rank(tensor, pattern, count, name)
        dims = solved.back
        groups = side.groups
    else:
        before, after = spread, count - spread
        if shape.rank is not None and shape.rank < count:
            raise _wrong_rank(tensor, pattern, count, name, at_least=True)
        groups = (*side.groups[:spread], *side.groups[spread + 1 :])
        if shape.rank is None and (len(shape.front) < before or len(shape.back) < after):
            dims, rest = tuple(cx.fresh() for _ in groups), cx.unknown().shape
        elif shape.rank is None:
            dims = (*shape.front[:before], *shape.back[len(shape.back) - after :])
            rest = Shape(shape.back[: len(shape.back) - after], shape.row, shape.front[before:])
        else:
            dims = (*shape.back[:before], *shape.back[len(shape.back) - after :])
            rest = Shape(shape.back[before : len(shape.back) - after])
    for place, (group, dim) in enumerate(zip(groups, dims, strict=True)):
        _split(cx, group, dim, sizes, pattern, place, name)
    return sizes, rest


def _axis_symbol(cx: Context, group: tuple[str, ...]) -> Dim:
    named = group[0] if len(group) == 1 and group[0].isidentifier() and group[0] != "_" else ""
    return symbol(cx.store, named, Kind.PARAM, cx.where)


def _wrong_rank(tensor: Tensor, pattern: str, count: int, name: str, at_least: bool = False) -> Mismatch:
    return Mismatch(
        "shape-einops",
        f"{{{name}}} is {{{name}.shape}} and has {{left}} axes, but the left side of {{pattern}} names {'at least ' if at_least else ''}{{right}}.",
        hint="Name each axis of the tensor on the left; one in brackets stands for one axis.",
        at=name,
        pattern=repr(pattern),
        left=tensor.shape.rank if tensor.shape.rank is not None else tensor.shape.least_rank,
        right=count,
    )


def _split(cx: Context, group: tuple[str, ...], dim: Dim, sizes: Sizes, pattern: str, place: int, name: str) -> None:
    """One axis becomes the names of a group; at most one of them may be unknown."""
    if len(group) == 1 and group[0] != ELLIPSIS:
        _single(cx, group[0], dim, sizes, pattern, place, name)
        return
    known: Dim = 1
    open_name: str | None = None
    for item in group:
        if item.isdigit():
            known = product((known, int(item)))
        elif item in sizes:
            known = product((known, sizes[item]))
        elif open_name is None:
            open_name = item
        else:
            sizes[open_name] = cx.fresh()
            sizes[item] = cx.fresh()
            return
    if open_name is None:
        mismatch = Mismatch(
            "shape-einops",
            f"Axis {{axis}} of {{{name}}} is {{left}}, but {{group}} in {{pattern}} multiplies to {{right}}.",
            at=name,
            axis=place,
            group=f"({' '.join(group)})",
            pattern=repr(pattern),
            left=dim,
            right=known,
        )
        require_equal(cx, dim, known, mismatch)
        return
    rest = modulo(dim, known) if known != 0 else 0
    if isinstance(rest, int) and rest:
        raise Mismatch(
            "shape-einops",
            f"Axis {{axis}} of {{{name}}} is {{left}}, which {{right}} does not divide, so {{group}} in {{pattern}} has no whole size for {{open}}.",
            at=name,
            axis=place,
            group=f"({' '.join(group)})",
            pattern=repr(pattern),
            left=dim,
            right=known,
            open=open_name,
        )
    sizes[open_name] = floor_divide(dim, known) if known != 0 else cx.fresh()


def _single(cx: Context, item: str, dim: Dim, sizes: Sizes, pattern: str, place: int, name: str) -> None:
    if item == "_":
        return
    wanted: Dim | None = int(item) if item.isdigit() else sizes.get(item)
    if wanted is None:
        sizes[item] = dim
        name_axis(cx, dim, item)
        return
    mismatch = Mismatch(
        "shape-einops",
        f"Axis {{axis}} of {{{name}}} is {{left}}, but {{pattern}} calls it {{item}}, which is {{right}}.",
        at=name,
        axis=place,
        pattern=repr(pattern),
        item=item,
        left=dim,
        right=wanted,
    )
    require_equal(cx, dim, wanted, mismatch)


def put_together(cx: Context, side: Side, sizes: Sizes, rest: Shape | None, pattern: str) -> Shape:
    """The shape that the right side describes."""
    front: list[Dim] = []
    back: list[Dim] = []
    row = None
    for group in side.groups:
        if group == (ELLIPSIS,):
            rest = rest or Shape()
            if rest.row is not None:
                row = rest.row
                front = [*front, *back, *rest.front]
                back = [*rest.back]
            else:
                back.extend(rest.back)
            continue
        parts: list[Dim] = []
        for item in group:
            if item == ELLIPSIS:
                parts.append(product(rest.back) if rest is not None and rest.row is None else cx.fresh())
            elif item.isdigit():
                parts.append(int(item))
            elif item in sizes:
                parts.append(sizes[item])
            else:
                raise Mismatch("shape-einops", "The right side of {pattern} names {item}, whose size nothing gives.", pattern=repr(pattern), item=item)
        back.append(product(parts))
    shape = Shape(tuple(back), row, tuple(front))
    if row is None:
        stand_apart(cx.store, shape.back)
    return shape


def _arranged(cx: Context, tensor: Any, pattern: Any, given: dict[str, Any], kind: str) -> Tensor:
    left, right = sides_of(pattern)
    if isinstance(tensor, tuple):  # a list of tensors is stacked along a first axis
        tensor = _stacked(cx, tensor)
    if not isinstance(tensor, Tensor):
        raise CannotTell("what is rearranged is not known here")
    _require_names(left, right, pattern, given, kind)
    sizes, rest = take_apart(cx, tensor, left, pattern, given)
    shape = put_together(cx, right, sizes, rest, pattern)
    plain = kind == "rearrange" and all(len(group) == 1 for group in (*left.groups, *right.groups))
    return Tensor(shape, tensor.dtype, tensor.device, None if plain or kind == "rearrange" else contiguous_strides(shape), tensor.low, tensor.high)


def _stacked(cx: Context, tensors: tuple[Any, ...]) -> Tensor:
    first = next((item for item in tensors if isinstance(item, Tensor)), None)
    if first is None or first.shape.row is not None:
        return cx.unknown(first.dtype if first is not None else None)
    return Tensor(Shape((len(tensors), *first.shape.back)), first.dtype, first.device)


def _require_names(left: Side, right: Side, pattern: str, given: dict[str, Any], kind: str) -> None:
    """Which names may stand on one side only depends on the operation."""
    only_left = [name for name in left.names if name not in right.names and name != "_"]
    only_right = [name for name in right.names if name not in left.names]
    if kind == "rearrange" and only_left:
        raise Mismatch("shape-einops", "{pattern} names {names} on the left only; `rearrange` loses no axis.", hint="Use `reduce` to sum it up, or name it on the right.", pattern=repr(pattern), names=", ".join(only_left))
    if kind in ("rearrange", "reduce") and only_right:
        raise Mismatch("shape-einops", "{pattern} names {names} on the right only; `" + kind + "` makes no axis.", hint="`repeat` makes one, with its size given.", pattern=repr(pattern), names=", ".join(only_right))
    if kind == "repeat":
        if only_left:
            raise Mismatch("shape-einops", "{pattern} names {names} on the left only; `repeat` loses no axis.", pattern=repr(pattern), names=", ".join(only_left))
        missing = [name for name in only_right if name not in given]
        if missing:
            raise Mismatch("shape-einops", "{pattern} makes the axis {names}, but its size is not given.", hint="Give it as an argument: `{names}=…`.", pattern=repr(pattern), names=", ".join(missing))
    if kind != "repeat":
        stray = [name for name in given if name not in left.names]
        if stray:
            raise Mismatch("shape-einops", "The size of {names} is given, but {pattern} does not name it on the left.", pattern=repr(pattern), names=", ".join(stray))


@rule("einops.rearrange", term="rearrange")
def rearrange(cx: Context, tensor: Any, pattern: Any, **axes_lengths: Any) -> Tensor:
    """Axes are taken apart, put in another order and joined, as the pattern says. No number is lost or made."""
    return _arranged(cx, tensor, pattern, axes_lengths, "rearrange")


@rule("einops.reduce")
def reduce(cx: Context, tensor: Any, pattern: Any, reduction: Any, **axes_lengths: Any) -> Tensor:
    """Axes that the right side does not name are summed up."""
    return _arranged(cx, tensor, pattern, axes_lengths, "reduce")


@rule("einops.repeat")
def repeat(cx: Context, tensor: Any, pattern: Any, **axes_lengths: Any) -> Tensor:
    """Axes that only the right side names repeat the numbers."""
    left, right = sides_of(pattern)
    _require_names(left, right, pattern, axes_lengths, "repeat")
    if isinstance(tensor, tuple):
        tensor = _stacked(cx, tensor)
    if not isinstance(tensor, Tensor):
        raise CannotTell("what is repeated is not known here")
    inner = {key: value for key, value in axes_lengths.items() if key in left.names}
    sizes, rest = take_apart(cx, tensor, left, pattern, inner)
    for key, value in axes_lengths.items():
        if key not in sizes:
            sizes[key] = cx.dim(value) if isinstance(value, (int, Expr)) else cx.fresh()
    shape = put_together(cx, right, sizes, rest, pattern)
    return Tensor(shape, tensor.dtype, tensor.device, None, tensor.low, tensor.high)


@rule("einops.einsum")
def einsum(cx: Context, *tensors_and_pattern: Any) -> Tensor:
    """Products summed over the names that the right side leaves out. The pattern stands last."""
    *tensors, pattern = tensors_and_pattern
    if not isinstance(pattern, str) or "->" not in pattern:
        raise CannotTell("the pattern is not known here")
    left, _, right = pattern.partition("->")
    parts = left.split(",")
    if len(parts) != len(tensors):
        raise Mismatch("shape-einops", "{pattern} names {left} tensors, and {right} are given.", pattern=repr(pattern), left=len(parts), right=len(tensors))
    sizes: Sizes = {}
    rest: Shape | None = None
    dtype: str | None = None
    for part, tensor in zip(parts, tensors, strict=True):
        if not isinstance(tensor, Tensor):
            tensor = cx.unknown()
        dtype = dtype or tensor.dtype
        found, spread = take_apart(cx, tensor, read_side(part), pattern, dict(sizes), "tensors_and_pattern")
        sizes |= found
        rest = rest or spread
    shape = put_together(cx, read_side(right), sizes, rest, pattern)
    return Tensor(shape, dtype, None, contiguous_strides(shape))


@rule("einops.pack")
def pack(cx: Context, tensors: Any, pattern: Any) -> Any:
    """Tensors joined along the axis that the pattern calls `*`, and the shapes to undo it."""
    if not isinstance(tensors, tuple) or not isinstance(pattern, str):
        raise CannotTell("what is packed is not known here")
    names = pattern.split()
    shapes: list[Any] = []
    total: Dim = 0
    fixed: tuple[Dim, ...] | None = None
    at = names.index("*") if "*" in names else -1
    if at < 0:
        raise Mismatch("shape-einops", "The pattern {pattern} of `pack` needs one `*`.", pattern=repr(pattern))
    dtype: str | None = None
    for tensor in tensors:
        if not isinstance(tensor, Tensor) or tensor.shape.row is not None or len(tensor.shape.back) < len(names) - 1:
            return (cx.unknown(dtype), Unknown("shapes that are not known"))
        dims = tensor.shape.back
        after = len(names) - at - 1
        middle = dims[at : len(dims) - after]
        fixed = (*dims[:at], *dims[len(dims) - after :])
        shapes.append(tuple(middle))
        total = product(middle) if total == 0 else _sum(total, product(middle))
        dtype = dtype or tensor.dtype
    if fixed is None:
        raise CannotTell("nothing is packed")
    shape = Shape((*fixed[:at], total, *fixed[at:]))
    return (Tensor(shape, dtype, None, contiguous_strides(shape)), tuple(shapes))


def _sum(a: Dim, b: Dim) -> Dim:
    from qkv.shapes.dim import add

    return add(a, b)


@rule("einops.unpack")
def unpack(cx: Context, tensor: Tensor, packed_shapes: Any, pattern: Any) -> Any:
    """The tensors that `pack` joined."""
    if not isinstance(packed_shapes, tuple) or not isinstance(pattern, str) or tensor.shape.row is not None:
        raise CannotTell("the packed shapes are not known here")
    names = pattern.split()
    at = names.index("*") if "*" in names else -1
    if at < 0 or len(tensor.shape.back) != len(names):
        raise CannotTell("the pattern does not fit", tensor.dtype)
    dims = tensor.shape.back
    result: list[Tensor] = []
    for middle in packed_shapes:
        if not isinstance(middle, tuple) or not all(isinstance(dim, (int, Expr)) for dim in middle):
            return Unknown("the packed shapes are not known here")
        sizes = tuple(cx.fresh() if dim == -1 else dim for dim in middle)
        shape = Shape((*dims[:at], *sizes, *dims[at + 1 :]))
        result.append(Tensor(shape, tensor.dtype, tensor.device, None))
    return tuple(result)


@layer("einops.layers.torch.Rearrange")
def rearrange_layer(cx: Context, pattern: Any, **axes_lengths: Any) -> Any:
    """`rearrange` as a module."""
    return {"pattern": pattern}


@layer("einops.layers.torch.Reduce")
def reduce_layer(cx: Context, pattern: Any, reduction: Any, **axes_lengths: Any) -> Any:
    """`reduce` as a module."""
    return {"pattern": pattern}


@forward("einops.layers.torch.Rearrange")
def rearrange_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
    """Axes are taken apart, put in another order and joined."""
    return _layered(cx, layer, input, "rearrange")


@forward("einops.layers.torch.Reduce")
def reduce_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
    """Axes that the right side does not name are summed up."""
    return _layered(cx, layer, input, "reduce")


def _layered(cx: Context, layer: Layer, input: Tensor, kind: str) -> Tensor:
    given: Any = layer.settings.get("axes_lengths") or {}
    return _arranged(cx, input, layer.settings.get("pattern"), given, kind)
