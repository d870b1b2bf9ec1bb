"""Images brought to another size, and channels that become places."""

from __future__ import annotations

from typing import Any

from qkv.ops.axes import locate
from qkv.ops.context import CannotTell, Context, Mismatch
from qkv.ops.padding import laid_out
from qkv.ops.parameters import known_size
from qkv.ops.table import forward, layer, rule
from qkv.ops.windows import each
from qkv.shapes import Dim, Expr, Layer, Shape, Tensor
from qkv.shapes.dim import floor_divide, multiply
from qkv.shapes.solve import resolve_shape, solve_rank

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
    return laid_out(Shape((*shape.back[:2], *sizes)), input)


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
    return laid_out(Shape((*before, *dims), shape.row, shape.front), input)


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


@rule("torch.nn.functional.upsample_nearest")
def upsample_nearest(cx: Context, input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """An older name of `interpolate`."""
    return interpolate(cx, input, size, scale_factor)


@rule("torch.nn.functional.upsample_bilinear")
def upsample_bilinear(cx: Context, input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """An older name of `interpolate` with `mode="bilinear"`."""
    return interpolate(cx, input, size, scale_factor, "bilinear")


@layer("torch.nn.UpsamplingNearest2d torch.nn.UpsamplingBilinear2d")
def upsampling2d(cx: Context, size: Any = None, scale_factor: Any = None) -> Any:
    """Resizing of images as a module."""
    return {"size": size, "scale_factor": scale_factor}


@forward("torch.nn.UpsamplingNearest2d torch.nn.UpsamplingBilinear2d")
def upsampling2d_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
    """Height and width are brought to another size."""
    mode = "bilinear" if layer.name.endswith("Bilinear2d") else "nearest"
    return interpolate(cx, input, layer.settings["size"], layer.settings["scale_factor"], mode)


@rule("torch.nn.functional.channel_shuffle torch.channel_shuffle torch.native_channel_shuffle")
def channel_shuffle(cx: Context, input: Tensor, groups: Dim) -> Tensor:
    """The channels of each group are spread over all groups; the shape stays."""
    if input.shape.rank is not None and input.shape.rank < 3:
        raise Mismatch(
            "shape-conv", "{input} is {input.shape}; it must be (batch, channels, …), with positions.", at="input"
        )
    channels = input.shape.back[1] if input.shape.rank is not None else None
    if isinstance(channels, int) and isinstance(groups, int) and groups and channels % groups:
        raise Mismatch(
            "shape-conv",
            "{channels} channels cannot be split into {groups} equal groups.",
            at="groups",
            channels=channels,
            groups=groups,
        )
    return laid_out(input.shape, input)


@layer("torch.nn.ChannelShuffle")
def channel_shuffle_module(cx: Context, groups: Dim) -> Any:
    """`channel_shuffle` as a module."""
    return {"groups": groups}


@forward("torch.nn.ChannelShuffle")
def channel_shuffle_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
    """The channels of each group are spread over all groups; the shape stays."""
    return channel_shuffle(cx, input, known_size(cx, layer.members.get("groups")))
