"""Convolutions: channels on the first axis behind the batch, windows over the axes behind them."""

from __future__ import annotations

from typing import Any

from qkv.ops.agree import require_one_dtype
from qkv.ops.context import Context, Mismatch, require_equal
from qkv.ops.parameters import known_size, parameter, switched_on
from qkv.ops.table import forward, layer, rule
from qkv.ops.windows import each, places, transposed_places
from qkv.shapes import Dim, Expr, Layer, Shape, Tensor
from qkv.shapes.dim import floor_divide
from qkv.shapes.solve import solve_rank
from qkv.shapes.values import contiguous_strides


def _register(axes: int) -> None:
    """The convolution over this many axes, as a module."""

    @layer(f"torch.nn.Conv{axes}d", term="convolution")
    def conv(
        cx: Context,
        in_channels: Dim,
        out_channels: Dim,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: Any = 1,
        bias: Any = True,
        padding_mode: Any = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> Any:
        """A window of weights slides over the input."""
        if isinstance(groups, int) and groups > 1:
            for name, channels in (("in_channels", in_channels), ("out_channels", out_channels)):
                if isinstance(channels, int) and channels % groups:
                    raise Mismatch(
                        "shape-conv",
                        "{channels} channels cannot be split into {groups} equal groups.",
                        at=name,
                        channels=channels,
                        groups=groups,
                    )
        inner = floor_divide(in_channels, groups) if isinstance(groups, (int, Expr)) and groups != 0 else cx.fresh()
        return {
            "in_channels": in_channels,
            "out_channels": out_channels,
            "kernel_size": each(kernel_size, axes),
            "stride": each(stride, axes),
            "padding": padding,
            "weight": parameter(cx, out_channels, inner, *each(kernel_size, axes), dtype=dtype),
            "bias": parameter(cx, out_channels, dtype=dtype) if switched_on(bias) else None,
        }

    @forward(f"torch.nn.Conv{axes}d")
    def conv_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
        """(batch, channels, …) becomes (batch, out_channels, …)."""
        told = layer.settings
        windows = [each(told[name], axes) for name in ("kernel_size", "stride", "padding", "dilation")]
        return convolved(
            cx, input, axes, told["in_channels"], told["out_channels"], list(zip(*windows, strict=True)), "{layer}"
        )

    @layer(f"torch.nn.ConvTranspose{axes}d")
    def conv_transpose(
        cx: Context,
        in_channels: Dim,
        out_channels: Dim,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: Any = 1,
        bias: Any = True,
        dilation: Any = 1,
        padding_mode: Any = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> Any:
        """The convolution that goes the other way: it makes more places out of fewer."""
        return {
            "in_channels": in_channels,
            "out_channels": out_channels,
            "weight": parameter(cx, in_channels, out_channels, *each(kernel_size, axes)),
        }

    @forward(f"torch.nn.ConvTranspose{axes}d")
    def conv_transpose_call(cx: Context, layer: Layer, input: Tensor, output_size: Any = None) -> Tensor:
        """(batch, channels, …) becomes (batch, out_channels, …), larger."""
        told = layer.settings
        windows = [
            each(told[name], axes) for name in ("kernel_size", "stride", "padding", "output_padding", "dilation")
        ]
        return convolved(
            cx, input, axes, told["in_channels"], told["out_channels"], list(zip(*windows, strict=True)), "{layer}"
        )

    @rule(f"torch.nn.functional.conv{axes}d torch.conv{axes}d", term="convolution")
    def functional(
        cx: Context,
        input: Tensor,
        weight: Tensor,
        bias: Any = None,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: Any = 1,
    ) -> Tensor:
        """A window of weights slides over the input."""
        dims = weight.shape.dims
        if dims is None or len(dims) != axes + 2:
            return Tensor(cx.unknown().shape, input.dtype)
        windows = list(zip(dims[2:], each(stride, axes), each(padding, axes), each(dilation, axes), strict=True))
        wanted: Any = dims[1] if groups == 1 else None
        return convolved(cx, input, axes, wanted, dims[0], windows, "{weight}")


def convolved(
    cx: Context, input: Tensor, axes: int, taken: Any, given: Any, windows: list[tuple[Any, ...]], what: str
) -> Tensor:
    """The shape after a window has slid over the last `axes` axes; a window is (kernel, stride, padding, dilation), with output_padding before dilation where it grows."""
    require_one_dtype({"input": input}, "A convolution")
    rank = input.shape.rank
    if rank is not None and rank not in (axes + 1, axes + 2):
        raise Mismatch(
            "shape-conv",
            f"{{input}} is {{input.shape}} and has {{rank}} axes; {what} takes {{wanted}}: batch, channels and {axes} more.",
            hint="Bring the channels to axis 1, and flatten or add axes so that there are {wanted}.",
            at="input",
            rank=rank,
            wanted=axes + 2,
        )
    shape = input.shape if rank is not None else solve_rank(cx.store, input.shape, axes + 2)
    if shape is None:
        return Tensor(cx.unknown().shape, input.dtype)
    channels = shape.back[-axes - 1]
    if isinstance(taken, (int, Expr)):
        mismatch = Mismatch(
            "shape-conv",
            f"{{input}} is {{input.shape}}: it has {{left}} channels (axis {len(shape.back) - axes - 1}), but {what} takes {{right}}.",
            hint="Channels stand in front of the axes that the window slides over; `permute` brings them there.",
            at="input",
            left=channels,
            right=taken,
        )
        require_equal(cx, channels, taken, mismatch)
    sizes = [_after(cx, size, window) for size, window in zip(shape.back[-axes:], windows, strict=True)]
    if any(isinstance(size, int) and size <= 0 for size in sizes):
        raise Mismatch("shape-conv", "{input} is {input.shape}: the window of {layer} is larger than it.", at="input")
    result = Shape((*shape.back[: -axes - 1], known_size(cx, given), *sizes))
    return Tensor(result, input.dtype, input.device, contiguous_strides(result))


def _after(cx: Context, size: Dim, window: tuple[Any, ...]) -> Dim:
    if len(window) == 5:
        return transposed_places(cx, size, *window)
    return places(cx, size, *window)


for _axes in (1, 2, 3):
    _register(_axes)
