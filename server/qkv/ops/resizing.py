"""Axes that grow or shrink: padding, resizing of images, windows as columns, and the modules that flatten."""

from __future__ import annotations

from typing import Any

from qkv.ops.axes import locate, replace_axis, size
from qkv.ops.context import CannotTell, Context, Mismatch, require_equal
from qkv.ops.parameters import known_size
from qkv.ops.table import forward, layer, rule
from qkv.ops.views import flatten, unflatten
from qkv.ops.windows import each, places, require_channels_first, require_room
from qkv.shapes import Dim, Expr, Layer, Shape, Tensor
from qkv.shapes.dim import add, floor_divide, multiply, product, subtract
from qkv.shapes.solve import resolve_shape, solve_rank
from qkv.shapes.values import contiguous_strides


def _made(shape: Shape, input: Tensor, exact: bool = True) -> Tensor:
    in_order = exact and input.strides is not None and input.strides == contiguous_strides(input.shape)
    return Tensor(shape, input.dtype, input.device, contiguous_strides(shape) if in_order else None)


# -- padding ---------------------------------------------------------------------------------------------------------------


@rule("torch.nn.functional.pad torch.constant_pad_nd", term="padding")
def pad(cx: Context, input: Tensor, pad: Any, mode: Any = "constant", value: Any = None) -> Tensor:
    """Axes grow at both ends. The amounts are given in pairs, the pair of the last axis first; a negative one cuts off."""
    if not isinstance(pad, tuple):
        raise CannotTell("how much is padded is not known here", input.dtype)
    amounts: tuple[Any, ...] = pad
    if len(amounts) % 2:
        raise Mismatch(
            "shape-axis",
            "Padding takes pairs, an amount for each end of an axis; {count} amounts are given.",
            hint="`(1, 0)` pads the last axis at its start.",
            at="pad",
            count=len(amounts),
        )
    pairs = len(amounts) // 2
    if input.shape.rank is not None and pairs > input.shape.rank:
        raise Mismatch(
            "shape-axis",
            "{input} is {input.shape} and has {rank} axes, but {pairs} pairs of amounts are given.",
            hint="The pair of the last axis comes first.",
            at="pad",
            rank=input.shape.rank,
            pairs=pairs,
        )
    if mode != "constant":
        _require_pads_all(input, pairs, mode)
    shape = input.shape
    for place in range(pairs):
        shape, at = locate(cx, shape, -1 - place)
        have = size(shape, at)
        before, after = (known_size(cx, amount) for amount in amounts[2 * place : 2 * place + 2])
        _require_inside(mode, have, before, after)
        shape = replace_axis(shape, at, _padded(have, before, after))
    return _made(shape, input)


def _padded(have: Dim, before: Dim, after: Dim) -> Dim:
    result, first = add(add(have, before), after), add(have, before)
    for left in (first, result):
        if isinstance(left, int) and left < 0:
            raise Mismatch(
                "shape-axis", "An axis of {left} cannot lose {right}.", at="pad", left=have, right=subtract(have, left)
            )
    return result


def _require_pads_all(input: Tensor, pairs: int, mode: Any) -> None:
    """All modes but the constant one are for images: axes for the channels, and perhaps a batch, stay as they are."""
    if isinstance(mode, str) and input.shape.rank is not None and input.shape.rank not in (pairs + 1, pairs + 2):
        raise Mismatch(
            "shape-axis",
            "{input} is {input.shape}; to pad {pairs} axes with `mode={mode}`, it must have {wanted} or {more} axes.",
            at="input",
            pairs=pairs,
            mode=repr(mode),
            wanted=pairs + 1,
            more=pairs + 2,
        )


def _require_inside(mode: Any, have: Dim, before: Dim, after: Dim) -> None:
    """What is copied from the other side of the end must be there."""
    allowed = {"reflect": -1, "circular": 0}.get(mode) if isinstance(mode, str) else None
    for amount in (before, after):
        if allowed is not None and isinstance(have, int) and isinstance(amount, int) and amount > have + allowed:
            raise Mismatch(
                "shape-axis",
                "{input} is {input.shape}: an axis of {have} cannot be padded by {amount} with `mode={mode}`, which copies its own numbers.",
                at="pad",
                have=have,
                amount=amount,
                mode=repr(mode),
            )


MODES = {
    "Zero": "constant",
    "Constant": "constant",
    "Reflection": "reflect",
    "Replication": "replicate",
    "Circular": "circular",
}


def _paddings(axes: int) -> None:
    """Register the modules that pad one, two or three axes."""
    names = " ".join(f"torch.nn.{kind}Pad{axes}d" for kind in MODES)

    def module(cx: Context, padding: Any, value: Any = 0.0) -> Any:
        """Padding as a module."""
        return {"padding": padding}

    def call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
        """The last axes grow at both ends."""
        given = layer.settings["padding"]
        amounts = given if isinstance(given, tuple) else (given,) * (2 * axes)
        kind = layer.name.removeprefix("torch.nn.").partition("Pad")[0]
        return pad(cx, input, amounts, MODES[kind])

    layer(names)(module)
    forward(names)(call)


for _axes in (1, 2, 3):
    _paddings(_axes)


# -- images of another size ------------------------------------------------------------------------------------------------

AXES = {"linear": 1, "bilinear": 2, "bicubic": 2, "trilinear": 3}
"""How many axes a mode resizes; the other modes take any number."""


@rule("torch.nn.functional.interpolate torch.nn.functional.upsample")
def interpolate(
    cx: Context,
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: Any = "nearest",
    align_corners: Any = None,
    recompute_scale_factor: Any = None,
    antialias: Any = False,
) -> Tensor:
    """The axes behind batch and channels are brought to another size, with numbers in between worked out."""
    wanted = AXES.get(mode) if isinstance(mode, str) else None
    if input.shape.rank is None and wanted is None:
        raise CannotTell("how many axes are resized is not known here", input.dtype)
    shape = input.shape if wanted is None else solve_rank(cx.store, input.shape, wanted + 2)
    if shape is None or not 3 <= len(shape.back) <= 5:
        raise Mismatch(
            "shape-axis",
            "{input} is {input.shape}; `mode={mode}` takes batch, channels and {wanted} axes to resize.",
            at="input",
            mode=repr(mode),
            wanted=wanted if wanted is not None else "1 to 3",
        )
    dims = shape.back[2:]
    _require_one_each(size if size is not None else scale_factor, len(dims))
    if size is not None:
        sizes = each(cx, size, len(dims))
    elif isinstance(scale_factor, tuple) and len(scale_factor) == len(dims):
        sizes = tuple(_scaled(cx, dim, factor) for dim, factor in zip(dims, scale_factor, strict=True))
    else:
        sizes = tuple(_scaled(cx, dim, scale_factor) for dim in dims)
    if 0 in sizes:
        raise Mismatch("shape-axis", "{input} is {input.shape}: nothing would be left of it.", at="input")
    return _made(Shape((*shape.back[:2], *sizes)), input)


def _require_one_each(value: Any, axes: int) -> None:
    if isinstance(value, tuple) and len(value) != axes:  # pyright: ignore[reportUnknownArgumentType]
        raise Mismatch(
            "shape-axis",
            "{input} is {input.shape}: it has {axes} axes behind batch and channels, and {count} sizes are given.",
            at="input",
            axes=axes,
            count=len(value),  # pyright: ignore[reportUnknownArgumentType]
        )


def _scaled(cx: Context, dim: Dim, factor: Any) -> Dim:
    if isinstance(factor, bool):
        return cx.fresh()
    if isinstance(factor, float) and factor.is_integer():
        factor = int(factor)
    if isinstance(factor, (int, Expr)):
        return multiply(dim, factor)
    if isinstance(factor, float) and factor == factor:
        if isinstance(dim, int):
            return int(dim * factor)
        parts = round(1 / factor) if factor else 0
        return floor_divide(dim, parts) if parts and 1 / parts == factor else cx.fresh()
    return cx.fresh()


@layer("torch.nn.Upsample")
def upsample(
    cx: Context,
    size: Any = None,
    scale_factor: Any = None,
    mode: Any = "nearest",
    align_corners: Any = None,
    recompute_scale_factor: Any = None,
) -> Any:
    """Resizing as a module."""
    return {"size": size, "scale_factor": scale_factor, "mode": mode}


@forward("torch.nn.Upsample")
def upsample_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
    """The axes behind batch and channels are brought to another size."""
    told = layer.settings
    return interpolate(cx, input, told["size"], told["scale_factor"], told["mode"])


def _shuffled(cx: Context, input: Tensor, factor: Dim, up: bool) -> Tensor:
    """Channels to places (`up`), or back."""
    if input.shape.rank is not None and input.shape.rank < 3:
        raise Mismatch(
            "shape-conv", "{input} is {input.shape}; it must be (channels, height, width) at least.", at="input"
        )
    shape, _ = locate(cx, input.shape, -3)
    *before, channels, height, width = resolve_shape(cx.store, shape).back
    square = multiply(factor, factor)
    divided = ((channels, square),) if up else ((height, factor), (width, factor))
    for dim, by in divided:
        if isinstance(dim, int) and isinstance(by, int) and by and dim % by:
            raise Mismatch(
                "shape-conv",
                "{input} is {input.shape}: {left} is no multiple of {right}.",
                hint="The channels must be a multiple of the factor squared." if up else None,
                at="input",
                left=dim,
                right=by,
            )
    if factor == 0:
        raise CannotTell("a factor of 0", input.dtype)
    if up:
        dims = (floor_divide(channels, square), multiply(height, factor), multiply(width, factor))
    else:
        dims = (multiply(channels, square), floor_divide(height, factor), floor_divide(width, factor))
    return _made(Shape((*before, *dims), shape.row, shape.front), input)


@rule("torch.nn.functional.pixel_shuffle torch.pixel_shuffle")
def pixel_shuffle(cx: Context, input: Tensor, upscale_factor: Dim) -> Tensor:
    """Channels become places: (…, C·r², H, W) becomes (…, C, H·r, W·r)."""
    return _shuffled(cx, input, upscale_factor, up=True)


@rule("torch.nn.functional.pixel_unshuffle torch.pixel_unshuffle")
def pixel_unshuffle(cx: Context, input: Tensor, downscale_factor: Dim) -> Tensor:
    """Places become channels: (…, C, H·r, W·r) becomes (…, C·r², H, W)."""
    return _shuffled(cx, input, downscale_factor, up=False)


@layer("torch.nn.PixelShuffle")
def pixel_shuffle_module(cx: Context, upscale_factor: Dim) -> Any:
    """Channels become places, as a module."""
    return {"upscale_factor": upscale_factor}


@forward("torch.nn.PixelShuffle")
def pixel_shuffle_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
    """Channels become places: (…, C·r², H, W) becomes (…, C, H·r, W·r)."""
    return _shuffled(cx, input, known_size(cx, layer.members.get("upscale_factor")), up=True)


@layer("torch.nn.PixelUnshuffle")
def pixel_unshuffle_module(cx: Context, downscale_factor: Dim) -> Any:
    """Places become channels, as a module."""
    return {"downscale_factor": downscale_factor}


@forward("torch.nn.PixelUnshuffle")
def pixel_unshuffle_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
    """Places become channels: (…, C, H·r, W·r) becomes (…, C·r², H, W)."""
    return _shuffled(cx, input, known_size(cx, layer.members.get("downscale_factor")), up=False)


# -- windows as columns ----------------------------------------------------------------------------------------------------


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
    return _made(Shape((*shape.back[:-3], product((shape.back[-3], *kernel)), product(counts))), input)


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
    return _made(Shape((*shape.back[:-2], channels, *wanted)), input)


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
