"""Pooling, resizing, padding, unfolding, and the layers that flatten."""

from __future__ import annotations

from typing import Any

from qkv.ops.axes import locate, replace_axis
from qkv.ops.context import CannotTell, Context, Mismatch
from qkv.ops.table import RULES, forward, layer, rule
from qkv.ops.windows import each, places
from qkv.shapes import Dim, Expr, Layer, Shape, Tensor
from qkv.shapes.dim import add, floor_divide, multiply, product
from qkv.shapes.solve import resolve_shape, solve_rank
from qkv.shapes.values import contiguous_strides


def made(shape: Shape, like: Tensor) -> Tensor:
    """A new tensor of the same kind, laid out in order."""
    return Tensor(shape, like.dtype, like.device, contiguous_strides(shape))


def _spatial(cx: Context, input: Tensor, axes: int) -> Shape:
    """The shape, with the batch, the channels and this many axes behind them. Raises Mismatch where it has another rank."""
    rank = input.shape.rank
    if rank is None:
        solved = solve_rank(cx.store, input.shape, axes + 2)
        if solved is None:
            raise CannotTell("the number of axes does not fit", input.dtype)
        return solved
    if rank not in (axes + 1, axes + 2):
        raise Mismatch("shape-conv", "{input} is {input.shape} and has {rank} axes; this takes {wanted}: batch, channels and what is pooled.", at="input", rank=rank, wanted=axes + 2)
    return input.shape


def pooled(cx: Context, input: Tensor, axes: int, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil: Any) -> Tensor:
    """A window slides over the last axes."""
    shape = _spatial(cx, input, axes)
    windows = zip(each(kernel, axes), each(kernel if stride is None else stride, axes), each(padding, axes), each(dilation, axes), strict=True)
    sizes = [places(cx, size, *window, ceil=ceil is True) for size, window in zip(shape.back[-axes:], windows, strict=True)]
    return made(Shape((*shape.back[:-axes], *sizes)), input)


def adapted(cx: Context, input: Tensor, axes: int, output_size: Any) -> Tensor:
    """The last axes are pooled to the wanted sizes."""
    shape = _spatial(cx, input, axes)
    wanted = each(output_size, axes)
    sizes: list[Dim] = []
    for have, want in zip(shape.back[-axes:], wanted, strict=True):
        sizes.append(have if want is None and output_size is not None else want if isinstance(want, (int, Expr)) else cx.fresh())
    return made(Shape((*shape.back[:-axes], *sizes)), input)


def _register(axes: int) -> None:
    @layer(f"torch.nn.MaxPool{axes}d")
    def max_pool(cx: Context, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, return_indices: Any = False, ceil_mode: Any = False) -> Any:
        """The largest number under each window."""
        return {}

    @layer(f"torch.nn.AvgPool{axes}d")
    def avg_pool(cx: Context, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: Any = False, count_include_pad: Any = True, divisor_override: Any = None) -> Any:
        """The mean under each window."""
        return {}

    @forward(f"torch.nn.MaxPool{axes}d torch.nn.AvgPool{axes}d")
    def pool_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
        """A window slides over the last axes."""
        told = layer.settings
        if told.get("return_indices"):
            raise CannotTell("the indices are given too", input.dtype)
        return pooled(cx, input, axes, told["kernel_size"], told["stride"], told["padding"], told.get("dilation", 1), told["ceil_mode"])

    @rule(f"torch.nn.functional.max_pool{axes}d torch.max_pool{axes}d")
    def functional_max(
        cx: Context, input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: Any = False, return_indices: Any = False
    ) -> Tensor:
        """The largest number under each window."""
        return pooled(cx, input, axes, kernel_size, stride, padding, dilation, ceil_mode)

    @rule(f"torch.nn.functional.avg_pool{axes}d")
    def functional_avg(
        cx: Context, input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: Any = False, count_include_pad: Any = True, divisor_override: Any = None
    ) -> Tensor:
        """The mean under each window."""
        return pooled(cx, input, axes, kernel_size, stride, padding, 1, ceil_mode)

    @layer(f"torch.nn.AdaptiveAvgPool{axes}d torch.nn.AdaptiveMaxPool{axes}d")
    def adaptive(cx: Context, output_size: Any, return_indices: Any = False) -> Any:
        """Pooling to a wanted size."""
        return {}

    @forward(f"torch.nn.AdaptiveAvgPool{axes}d torch.nn.AdaptiveMaxPool{axes}d")
    def adaptive_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
        """The last axes are pooled to the wanted sizes."""
        return adapted(cx, input, axes, layer.settings["output_size"])

    @rule(f"torch.nn.functional.adaptive_avg_pool{axes}d torch.nn.functional.adaptive_max_pool{axes}d")
    def functional_adaptive(cx: Context, input: Tensor, output_size: Any) -> Tensor:
        """The last axes are pooled to the wanted sizes."""
        return adapted(cx, input, axes, output_size)


for _axes in (1, 2, 3):
    _register(_axes)


@rule("torch.nn.functional.pad torch.constant_pad_nd" if "torch.constant_pad_nd" not in RULES else "torch.nn.functional.pad", term="padding")
def pad(cx: Context, input: Tensor, pad: Any, mode: Any = "constant", value: Any = None) -> Tensor:
    """Axes grow at their ends; the pairs are given from the last axis backwards."""
    if not isinstance(pad, tuple) or len(pad) % 2:
        raise CannotTell("how much is padded is not known here", input.dtype)
    if input.shape.rank is not None and len(pad) // 2 > input.shape.rank:
        raise Mismatch("shape-axis", "{input} is {input.shape} and has {rank} axes; {pairs} pairs of paddings are given.", at="input", rank=input.shape.rank, pairs=len(pad) // 2)
    shape = input.shape
    for place in range(len(pad) // 2):
        before, after = pad[2 * place], pad[2 * place + 1]
        shape, at = locate(cx, shape, -1 - place)
        shape = resolve_shape(cx.store, shape)
        have = shape.back[-1 - place]
        known = all(isinstance(amount, (int, Expr)) and not isinstance(amount, bool) for amount in (before, after))
        shape = replace_axis(shape, at, add(add(have, before), after) if known else cx.fresh())
    return made(shape, input)


def _paddings(names: str, axes: int) -> None:
    @layer(names)
    def padding(cx: Context, padding: Any, value: Any = 0.0) -> Any:
        """Padding as a module."""
        return {}

    @forward(names)
    def padding_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
        """The last axes grow at their ends."""
        given = layer.settings["padding"]
        return pad(cx, input, given if isinstance(given, tuple) else (given,) * (2 * axes))


for _axes in (1, 2, 3):
    _paddings(" ".join(f"torch.nn.{kind}Pad{_axes}d" for kind in ("Zero", "Constant", "Reflection", "Replication")), _axes)


@rule("torch.nn.functional.interpolate torch.nn.functional.upsample")
def interpolate(
    cx: Context, input: Tensor, size: Any = None, scale_factor: Any = None, mode: Any = "nearest", align_corners: Any = None, recompute_scale_factor: Any = None, antialias: Any = False
) -> Tensor:
    """The axes behind the channels are resized."""
    shape = input.shape
    if shape.rank is None or shape.rank < 3:
        raise CannotTell("how many axes are resized is not known here", input.dtype)
    axes = shape.rank - 2
    sizes: list[Dim] = []
    for have, wanted, factor in zip(shape.back[2:], each(size, axes), each(scale_factor, axes), strict=True):
        if isinstance(wanted, (int, Expr)):
            sizes.append(wanted)
        elif isinstance(factor, (int, Expr)):
            sizes.append(multiply(have, factor))
        elif isinstance(factor, float) and isinstance(have, int) and factor == factor:
            sizes.append(int(have * factor))
        else:
            sizes.append(cx.fresh())
    return made(Shape((*shape.back[:2], *sizes)), input)


@layer("torch.nn.Upsample")
def upsample(cx: Context, size: Any = None, scale_factor: Any = None, mode: Any = "nearest", align_corners: Any = None, recompute_scale_factor: Any = None) -> Any:
    """Resizing as a module."""
    return {}


@forward("torch.nn.Upsample")
def upsample_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
    """The axes behind the channels are resized."""
    return interpolate(cx, input, layer.settings["size"], layer.settings["scale_factor"])


@layer("torch.nn.Flatten")
def flatten_module(cx: Context, start_dim: Any = 1, end_dim: Any = -1) -> Any:
    """Axes become one."""
    return {}


@forward("torch.nn.Flatten")
def flatten_call(cx: Context, layer: Layer, input: Tensor) -> Any:
    """Axes become one."""
    return RULES["torch.Tensor.flatten"].function(cx, input, layer.settings["start_dim"], layer.settings["end_dim"])


@layer("torch.nn.Unflatten")
def unflatten_module(cx: Context, dim: Any, unflattened_size: Any) -> Any:
    """One axis becomes several."""
    return {}


@forward("torch.nn.Unflatten")
def unflatten_call(cx: Context, layer: Layer, input: Tensor) -> Any:
    """One axis becomes several."""
    return RULES["torch.Tensor.unflatten"].function(cx, input, layer.settings["dim"], layer.settings["unflattened_size"])


def _unfolded(cx: Context, input: Tensor, kernel: Any, dilation: Any, padding: Any, stride: Any) -> Tensor:
    shape = _spatial(cx, input, 2)
    kernels = each(kernel, 2)
    windows = zip(kernels, each(stride, 2), each(padding, 2), each(dilation, 2), strict=True)
    counts = [places(cx, size, *window) for size, window in zip(shape.back[-2:], windows, strict=True)]
    inner = product((shape.back[-3], *kernels)) if all(isinstance(k, (int, Expr)) for k in kernels) else cx.fresh()
    return made(Shape((*shape.back[:-3], inner, product(counts))), input)


@rule("torch.nn.functional.unfold")
def unfold(cx: Context, input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """Each window becomes a column: (batch, channels · window, windows)."""
    return _unfolded(cx, input, kernel_size, dilation, padding, stride)


@layer("torch.nn.Unfold")
def unfold_module(cx: Context, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """Each window becomes a column."""
    return {}


@forward("torch.nn.Unfold")
def unfold_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
    """Each window becomes a column."""
    told = layer.settings
    return _unfolded(cx, input, told["kernel_size"], told["dilation"], told["padding"], told["stride"])


@rule("torch.nn.functional.pixel_shuffle torch.pixel_shuffle")
def pixel_shuffle(cx: Context, input: Tensor, upscale_factor: Dim) -> Tensor:
    """Channels become places: (…, C·r², H, W) becomes (…, C, H·r, W·r)."""
    shape, _ = locate(cx, input.shape, -3)
    shape = resolve_shape(cx.store, shape)
    c, h, w = shape.back[-3:]
    inner = multiply(upscale_factor, upscale_factor)
    return made(Shape((*shape.back[:-3], floor_divide(c, inner), multiply(h, upscale_factor), multiply(w, upscale_factor)), shape.row, shape.front), input)


@rule("torch.nn.functional.pixel_unshuffle torch.pixel_unshuffle")
def pixel_unshuffle(cx: Context, input: Tensor, downscale_factor: Dim) -> Tensor:
    """Places become channels: (…, C, H·r, W·r) becomes (…, C·r², H, W)."""
    shape, _ = locate(cx, input.shape, -3)
    shape = resolve_shape(cx.store, shape)
    c, h, w = shape.back[-3:]
    inner = multiply(downscale_factor, downscale_factor)
    return made(Shape((*shape.back[:-3], multiply(c, inner), floor_divide(h, downscale_factor), floor_divide(w, downscale_factor)), shape.row, shape.front), input)


@layer("torch.nn.PixelShuffle torch.nn.PixelUnshuffle")
def shuffle_module(cx: Context, factor: Dim) -> Any:
    """Channels become places, or the other way round."""
    return {}


@forward("torch.nn.PixelShuffle")
def shuffle_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
    """Channels become places."""
    return pixel_shuffle(cx, input, layer.settings["factor"])  # type: ignore[arg-type]


@forward("torch.nn.PixelUnshuffle")
def unshuffle_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
    """Places become channels."""
    return pixel_unshuffle(cx, input, layer.settings["factor"])  # type: ignore[arg-type]
