"""Windows as columns and back, and the modules that flatten."""

from __future__ import annotations

from typing import Any

from qkv.ops.context import CannotTell, Context, Mismatch, require_equal
from qkv.ops.padding import laid_out
from qkv.ops.table import forward, layer, rule
from qkv.ops.views import flatten, unflatten
from qkv.ops.windows import each, places, require_channels_first, require_room
from qkv.shapes import Layer, Shape, Tensor
from qkv.shapes.dim import floor_divide, product
from qkv.shapes.solve import solve_rank


@rule("torch.nn.functional.unfold")
def unfold(
    cx: Context, input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Tensor:
    """Each window becomes a column: (batch, channels · window, windows)."""
    shape = require_channels_first(cx, input, 2)
    kernel = each(cx, kernel_size, 2)
    settings = (each(cx, value, 2) for value in (stride, padding, dilation))
    counts = tuple(places(cx, *one) for one in zip(shape.back[-2:], kernel, *settings, strict=True))
    require_room(shape.back[-2:], counts, kernel)
    return laid_out(Shape((*shape.back[:-3], product((shape.back[-3], *kernel)), product(counts))), input)


@rule("torch.nn.functional.fold")
def fold(
    cx: Context,
    input: Tensor,
    output_size: Any,
    kernel_size: Any,
    dilation: Any = 1,
    padding: Any = 0,
    stride: Any = 1,
) -> Tensor:
    """The inverse of `unfold`: columns become windows, added up where they overlap."""
    shape = input.shape if input.shape.rank in (2, 3) else solve_rank(cx.store, input.shape, 3)
    if shape is None:
        raise Mismatch(
            "shape-conv", "{input} is {input.shape}; it must be (batch, channels · window, windows).", at="input"
        )
    kernel, wanted = each(cx, kernel_size, 2), each(cx, output_size, 2)
    settings = (each(cx, value, 2) for value in (stride, padding, dilation))
    counts = tuple(places(cx, *one) for one in zip(wanted, kernel, *settings, strict=True))
    left, right = shape.back[-1], product(counts)
    mismatch = Mismatch(
        "shape-conv",
        "{input} is {input.shape}: it holds {left} windows, but an image of {output_size} has {right} places for one.",
        at="input",
        left=left,
        right=right,
    )
    require_equal(cx, left, right, mismatch)
    window = product(kernel)
    if isinstance(shape.back[-2], int) and isinstance(window, int) and window and shape.back[-2] % window:
        raise Mismatch(
            "shape-conv",
            "{input} is {input.shape}: {left} is no multiple of the window's {right} numbers.",
            at="input",
            left=shape.back[-2],
            right=window,
        )
    channels = floor_divide(shape.back[-2], window) if window != 0 else cx.fresh()
    return laid_out(Shape((*shape.back[:-2], channels, *wanted)), input)


@layer("torch.nn.Unfold")
def unfold_module(cx: Context, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """Windows as columns, as a module."""
    return {}


@forward("torch.nn.Unfold")
def unfold_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
    """Each window becomes a column: (batch, channels · window, windows)."""
    return unfold(cx, input, **layer.settings)


@layer("torch.nn.Fold")
def fold_module(
    cx: Context, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Any:
    """The inverse of `nn.Unfold`."""
    return {}


@forward("torch.nn.Fold")
def fold_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
    """Columns become windows, added up where they overlap."""
    return fold(cx, input, **layer.settings)


# -- modules that flatten --------------------------------------------------------------------------------------------------


@layer("torch.nn.Flatten")
def flatten_module(cx: Context, start_dim: Any = 1, end_dim: Any = -1) -> Any:
    """Axes become one, as a module."""
    return {"start_dim": start_dim, "end_dim": end_dim}


@forward("torch.nn.Flatten")
def flatten_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
    """The axes behind the first become one."""
    start, end = layer.settings["start_dim"], layer.settings["end_dim"]
    if not isinstance(start, int) or not isinstance(end, int):
        raise CannotTell("which axes are flattened is not known here", input.dtype)
    return flatten(cx, input, start, end)


@layer("torch.nn.Unflatten")
def unflatten_module(cx: Context, dim: Any, unflattened_size: Any) -> Any:
    """One axis becomes several, as a module."""
    return {"dim": dim, "unflattened_size": unflattened_size}


@forward("torch.nn.Unflatten")
def unflatten_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
    """One axis becomes several."""
    dim = layer.settings["dim"]
    if not isinstance(dim, int):
        raise CannotTell("which axis is unflattened is not known here", input.dtype)
    return unflatten(cx, input, dim, layer.settings["unflattened_size"])
