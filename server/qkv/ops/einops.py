"""einops: axes named by a pattern are taken apart, put in another order and joined."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from qkv.ops.agree import require_float
from qkv.ops.axes import locate
from qkv.ops.context import CannotTell, Context, Mismatch, require_equal
from qkv.ops.einsum import name_axis
from qkv.ops.patterns import ELLIPSIS, Group, PatternError, Side, read_pattern
from qkv.ops.strides import Strides
from qkv.ops.table import forward, layer, rule
from qkv.ops.views import reshape_strides
from qkv.shapes import Dim, Expr, Kind, Layer, Shape, Tensor
from qkv.shapes.dim import exact_quotient, modulo, product
from qkv.shapes.solve import note_divisions, solve_rank, stand_apart, symbol
from qkv.shapes.values import contiguous_strides

Sizes = dict[str, Dim]
"""The sizes of the names of a pattern."""


def bad_pattern(pattern: str, why: str, hint: str | None = None, **parts: Any) -> Mismatch:
    """The finding that a pattern does not work, whatever the tensor is."""
    return Mismatch(
        "shape-einops", f"In the pattern {{pattern}}, {why}.", hint=hint, at="pattern", pattern=repr(pattern), **parts
    )


def sides_of(pattern: Any) -> tuple[Side, Side]:
    """Both sides of a pattern that is known. Raises Mismatch for what is no pattern, CannotTell for what is not known."""
    if not isinstance(pattern, str):
        raise CannotTell("the pattern is not known here")
    try:
        return read_pattern(pattern)
    except PatternError as problem:
        raise Mismatch(
            "shape-einops",
            "The pattern {pattern} cannot be read: {why}.",
            at="pattern",
            pattern=repr(pattern),
            why=str(problem),
        ) from None


# -- the left side ---------------------------------------------------------------------------------------------------------


def take_apart(cx: Context, tensor: Tensor, side: Side, pattern: str, given: dict[str, Any]) -> tuple[Sizes, Shape]:
    """The sizes of all names of the left side, and what `...` stands for."""
    sizes: Sizes = {}
    for key, value in given.items():
        sizes[key] = cx.dim(value) if isinstance(value, (int, Expr)) and not isinstance(value, bool) else cx.fresh()
    dims, rest = _axes(cx, tensor, side, pattern)
    groups = [group for group in side.groups if group.joined or group.items != (ELLIPSIS,)]
    places = [place for place, group in enumerate(side.groups) if group in groups]
    for place, group, dim in zip(places, groups, dims, strict=True):
        _split(
            cx,
            group,
            dim,
            sizes,
            pattern,
            place if side.spread is None or place < side.spread else place - len(side.groups),
        )
    return sizes, rest


def _axes(cx: Context, tensor: Tensor, side: Side, pattern: str) -> tuple[tuple[Dim, ...], Shape]:
    """The axis of each group, and what `...` stands for. Learns the number of axes where there is no `...`."""
    shape, spread = tensor.shape, side.spread
    count = len(side.groups) - (spread is not None)
    if spread is None:
        solved = solve_rank(cx.store, shape, count, lambda place: _axis_size(cx, side.groups[place]))
        if solved is None:
            raise wrong_rank(tensor, pattern, count)
        return solved.back, Shape()
    if shape.rank is not None and shape.rank < count:
        raise wrong_rank(tensor, pattern, count, at_least=True)
    before, after = spread, count - spread
    if shape.row is not None:
        if after:
            shape, _ = locate(cx, shape, -after, "tensor")
        if before:
            shape, _ = locate(cx, shape, before - 1, "tensor")
    if shape.row is not None:
        kept = len(shape.back) - after
        return shape.front[:before] + shape.back[kept:], Shape(shape.back[:kept], shape.row, shape.front[before:])
    end = len(shape.back) - after
    return shape.back[:before] + shape.back[end:], Shape(shape.back[before:end])


def _axis_size(cx: Context, group: Group) -> Dim:
    """A new size for an axis that was not known, with the name that the pattern gives it."""
    name = group.items[0] if len(group.items) == 1 and group.items[0].isidentifier() else ""
    return symbol(cx.store, name, Kind.PARAM, cx.where)


def wrong_rank(tensor: Tensor, pattern: str, count: int, at_least: bool = False) -> Mismatch:
    """The finding that a tensor has more or fewer axes than a pattern names."""
    return Mismatch(
        "shape-einops",
        f"{{tensor}} is {{tensor.shape}} and has {{left}} axes, but the left side of {{pattern}} names {'at least ' if at_least else ''}{{right}}.",
        hint="Name each axis of the tensor on the left; names in brackets stand for one axis.",
        at="tensor",
        pattern=repr(pattern),
        left=tensor.shape.rank if tensor.shape.rank is not None else tensor.shape.least_rank,
        right=count,
    )


def _split(cx: Context, group: Group, dim: Dim, sizes: Sizes, pattern: str, place: int) -> None:
    """One axis becomes the names of a group, of which one at most may have no size yet."""
    parts: dict[str, Any] = {"axis": place, "group": str(group), "pattern": repr(pattern)}
    known = product([int(item) if item.isdigit() else sizes.get(item, 1) for item in group.items])
    opened = [item for item in group.items if not item.isdigit() and item not in sizes]
    if len(opened) > 1:
        raise bad_pattern(
            pattern,
            "{group} is one axis, and neither the size of {first} nor that of {second} is given",
            hint="Give one of them: `{first}=…`.",
            group=str(group),
            first=opened[0],
            second=opened[1],
        )
    if not opened:
        says = "multiplies to {right}" if len(group.items) > 1 else "is {right}"
        mismatch = Mismatch(
            "shape-einops",
            f"{{tensor}} is {{tensor.shape}}: axis {{axis}} is {{left}}, but {{group}} in {{pattern}} {says}.",
            at="tensor",
            left=dim,
            right=known,
            **parts,
        )
        require_equal(cx, dim, known, mismatch)
        return
    name = opened[0]
    if known == 1:
        sizes[name] = dim
        name_axis(cx, dim, name)
        return
    rest = modulo(dim, known) if known != 0 else 0
    if isinstance(rest, int) and rest:
        raise Mismatch(
            "shape-einops",
            "{tensor} is {tensor.shape}: axis {axis} is {left}, which {right} does not divide, so {name} of {group} in {pattern} has no whole size.",
            hint="Check that the axis is the one that you mean, and that its size is a multiple of {right}.",
            at="tensor",
            left=dim,
            right=known,
            name=name,
            **parts,
        )
    sizes[name] = exact_quotient(dim, known) if known != 0 else cx.fresh()
    note_divisions(cx.store, sizes[name], cx.where)


# -- the right side --------------------------------------------------------------------------------------------------------


def put_together(cx: Context, side: Side, sizes: Sizes, rest: Shape) -> Shape:
    """The shape that the right side describes."""
    before: list[Dim] = []
    behind: list[Dim] | None = None
    for group in side.groups:
        here = before if behind is None else behind
        if group.items != (ELLIPSIS,) or group.joined:
            here.append(_size_of(cx, group, sizes, rest))
        elif rest.row is None:
            here.extend(rest.back)
        else:
            before.extend(rest.front)
            behind = list(rest.back)
    if behind is not None:
        return Shape(tuple(behind), rest.row, tuple(before))
    stand_apart(cx.store, tuple(before))
    return Shape(tuple(before))


def _size_of(cx: Context, group: Group, sizes: Sizes, rest: Shape) -> Dim:
    if ELLIPSIS in group.items and rest.row is not None:
        return cx.fresh()
    parts = [item for name in group.items for item in _items_of(name, sizes, rest)]
    return product([sizes.get(item, 1) if isinstance(item, str) else item for item in parts])


def _items_of(name: str, sizes: Sizes, rest: Shape) -> list[Dim]:
    if name == ELLIPSIS:
        return list(rest.back)
    return [int(name) if name.isdigit() else sizes[name]]


# -- the operators ---------------------------------------------------------------------------------------------------------


def _require_names(left: Side, right: Side, pattern: str, given: dict[str, Any], kind: str) -> None:
    """Which names may stand on one side only depends on the operator."""
    only_left = [name for name in left.names if name not in right.names]
    only_right = [name for name in right.names if name not in left.names]
    if only_left and kind != "reduce":
        hint = "Use `reduce` to sum it up, or name it on the right."
        raise bad_pattern(
            pattern,
            "{names} stands on the left only, and `{kind}` loses no axis",
            hint,
            names=", ".join(only_left),
            kind=kind,
        )
    if only_right and kind != "repeat":
        hint = "`repeat` makes an axis; its size is given as an argument."
        raise bad_pattern(
            pattern,
            "{names} stands on the right only, and `{kind}` makes no axis",
            hint,
            names=", ".join(only_right),
            kind=kind,
        )
    missing = [name for name in only_right if name not in given]
    if missing:
        hint = "Give it as an argument: `{names}=…`."
        raise bad_pattern(pattern, "{names} is a new axis whose size is not given", hint, names=missing[0])
    stray = [name for name in given if name not in left.names and not (kind == "repeat" and name in right.names)]
    if stray:
        raise bad_pattern(pattern, "nothing is called {names}, whose size is given", names=", ".join(stray))
    if kind == "rearrange":
        numbers = [
            item
            for side in (left, right)
            for group in side.groups
            for item in group.items
            if item.isdigit() and item != "1"
        ]
        if numbers:
            raise bad_pattern(
                pattern, "{number} has no name, and `rearrange` takes no numbers but 1", number=numbers[0]
            )


def arranged(cx: Context, tensor: Any, pattern: Any, given: dict[str, Any], kind: str) -> Tensor:
    """What `rearrange`, `reduce` and `repeat` share. A list of tensors is stacked along a first axis."""
    left, right = sides_of(pattern)
    _require_names(left, right, pattern, given, kind)
    if isinstance(tensor, tuple):
        tensor = _stacked(cx, tensor)
    if not isinstance(tensor, Tensor):
        raise CannotTell("what is rearranged is not known here")
    sizes, rest = take_apart(cx, tensor, left, pattern, {key: given[key] for key in given if key in left.names})
    for key, value in given.items():
        if key not in sizes:
            sizes[key] = cx.dim(value) if isinstance(value, (int, Expr)) and not isinstance(value, bool) else cx.fresh()
    shape = put_together(cx, right, sizes, rest)
    strides = contiguous_strides(shape) if kind == "reduce" else None
    if kind == "rearrange" and rest.row is None:
        strides = _moved(tensor, left, right, sizes, rest, shape)
    return replace(tensor, shape=shape, strides=strides, sure=True)


def _stacked(cx: Context, tensors: tuple[Any, ...]) -> Tensor:
    from qkv.ops.joining import stack

    if not all(isinstance(item, Tensor) for item in tensors):
        raise CannotTell("one of the tensors is not known here")
    return stack(cx, tensors)


def _moved(tensor: Tensor, left: Side, right: Side, sizes: Sizes, rest: Shape, shape: Shape) -> Strides | None:
    """The layout of a rearranged tensor: split by a view, turned, and joined by a view or, where that cannot be, a copy."""
    names = [f"{ELLIPSIS}{place}" for place in range(len(rest.back))]
    dims = {**sizes, **dict(zip(names, rest.back, strict=True))}
    before, after = (
        [name for item in _flat(side) for name in (names if item == ELLIPSIS else [item])] for side in (left, right)
    )
    split = Shape(tuple(dims[name] for name in before))
    steps = reshape_strides(tensor, split)
    if steps is None or sorted(before) != sorted(after):
        return None
    order = [before.index(name) for name in after]
    turned = Tensor(Shape(tuple(dims[name] for name in after)), strides=tuple(steps[place] for place in order))
    return reshape_strides(turned, shape)


def _flat(side: Side) -> list[str]:
    return [item for group in side.groups for item in group.items if not item.isdigit()]


@rule("einops.rearrange", term="rearrange")
def rearrange(cx: Context, tensor: Any, pattern: Any, **axes_lengths: Any) -> Tensor:
    """Axes are taken apart, put in another order and joined, as the pattern says. No number is lost or made."""
    return arranged(cx, tensor, pattern, axes_lengths, "rearrange")


@rule("einops.reduce")
def reduce(cx: Context, tensor: Any, pattern: Any, reduction: Any, **axes_lengths: Any) -> Tensor:
    """Axes that the right side does not name are summed up, or averaged, or the largest is taken."""
    return _reduced(arranged(cx, tensor, pattern, axes_lengths, "reduce"), reduction)


def _reduced(result: Tensor, reduction: Any) -> Tensor:
    if reduction == "mean":
        require_float(result, "A mean", "tensor")
    if reduction in ("max", "min"):
        return result
    dtype = result.dtype
    if reduction in ("any", "all"):
        dtype = "bool"
    elif reduction in ("sum", "prod") and dtype in ("bool", "uint8", "int8", "int16", "int32"):
        dtype = "int64"
    elif not isinstance(reduction, str):
        dtype = None
    return replace(result, dtype=dtype, low=None, high=None)


@rule("einops.repeat", term="repeat")
def repeat(cx: Context, tensor: Any, pattern: Any, **axes_lengths: Any) -> Tensor:
    """Axes that only the right side names are made by repeating the numbers; their sizes are given."""
    return arranged(cx, tensor, pattern, axes_lengths, "repeat")


# -- modules ---------------------------------------------------------------------------------------------------------------


@layer("einops.layers.torch.Rearrange", term="rearrange")
def rearrange_layer(cx: Context, pattern: Any, **axes_lengths: Any) -> Any:
    """`rearrange` as a module."""
    return _layer(pattern, axes_lengths, "rearrange")


@layer("einops.layers.torch.Reduce")
def reduce_layer(cx: Context, pattern: Any, reduction: Any, **axes_lengths: Any) -> Any:
    """`reduce` as a module."""
    return _layer(pattern, axes_lengths, "reduce")


def _layer(pattern: Any, given: dict[str, Any], kind: str) -> dict[str, Any]:
    if isinstance(pattern, str):
        left, right = sides_of(pattern)
        _require_names(left, right, pattern, given, kind)
    return {"pattern": pattern}


@forward("einops.layers.torch.Rearrange")
def rearrange_call(cx: Context, layer: Layer, tensor: Tensor) -> Tensor:
    """Axes are taken apart, put in another order and joined."""
    return arranged(cx, tensor, layer.settings.get("pattern"), _given(layer), "rearrange")


@forward("einops.layers.torch.Reduce")
def reduce_call(cx: Context, layer: Layer, tensor: Tensor) -> Tensor:
    """Axes that the right side does not name are summed up."""
    result = arranged(cx, tensor, layer.settings.get("pattern"), _given(layer), "reduce")
    return _reduced(result, layer.settings.get("reduction"))


def _given(layer: Layer) -> dict[str, Any]:
    given: Any = layer.settings.get("axes_lengths")
    return given or {}
