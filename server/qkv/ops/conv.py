"""Convolutions: windows slide along the last axes, and the channels before them become others."""

from __future__ import annotations

from typing import Any

from qkv.ops.agree import require_one_device, require_one_dtype
from qkv.ops.context import Context, Mismatch, require_equal
from qkv.ops.parameters import known_size, parameter, switched_on
from qkv.ops.table import forward, layer, rule
from qkv.ops.windows import each, places, reach, require_channels_first, require_room
from qkv.shapes import Dim, Expr, Layer, Shape, Tensor
from qkv.shapes.dim import add, floor_divide, multiply, subtract
from qkv.shapes.solve import resolve_shape, solve_rank
from qkv.shapes.values import contiguous_strides


def _result(shape: Shape, channels: Dim, sizes: tuple[Dim, ...], input: Tensor, weight: Tensor) -> Tensor:
    tensors: dict[str, Any] = {"input": input, "weight": weight}
    dtype, device = require_one_dtype(tensors, "A convolution"), require_one_device(tensors)
    made = Shape((*shape.back[: -len(sizes) - 1], channels, *sizes))
    in_order = input.strides is not None and input.strides == contiguous_strides(input.shape)
    return Tensor(made, dtype, device, contiguous_strides(made) if in_order else None)


def _require_channels(cx: Context, shape: Shape, axes: int, wanted: Any, what: str) -> Shape:
    if not isinstance(wanted, (int, Expr)):
        return shape
    have, axis = shape.back[-axes - 1], len(shape.back) - axes - 1
    turn = {1: "{input}.transpose(1, 2)", 2: "{input}.permute(0, 3, 1, 2)"}.get(axes) if axis == 1 else None
    mismatch = Mismatch(
        "shape-conv",
        f"{{input}} is {{input.shape}}: axis {axis} holds {{left}} channels, but {what} takes {{right}}.",
        hint=f"Where the channels stand last, bring them forward: `{turn}`." if turn else None,
        at="input",
        left=have,
        right=wanted,
    )
    require_equal(cx, have, wanted, mismatch)
    return resolve_shape(cx.store, shape)


def _require_groups(channels: Any, groups: Any, at: str) -> None:
    if isinstance(channels, int) and isinstance(groups, int) and groups > 0 and channels % groups:
        raise Mismatch(
            "shape-conv",
            "{channels} channels cannot be split into {groups} equal groups.",
            hint="Both numbers of channels must be multiples of `groups`.",
            at=at,
            channels=channels,
            groups=groups,
        )


def _require_padding(padding: Any, stride: Any) -> None:
    """Refuse a padding that is worked out for steps of one, with larger steps."""
    steps: tuple[Any, ...] = stride if isinstance(stride, tuple) else (stride,)
    if padding == "same" and any(isinstance(step, int) and step != 1 for step in steps):
        raise Mismatch(
            "shape-conv",
            "`padding='same'` keeps the size of the input, which a convolution in steps of {stride} cannot do.",
            hint="Give the padding as a number.",
            at="padding",
            stride=next(step for step in steps if step != 1),
        )


def _slid(
    cx: Context, dims: tuple[Dim, ...], kernel: tuple[Dim, ...], stride: Any, padding: Any, dilation: Any
) -> tuple[Dim, ...]:
    """What a convolution makes of the sizes that it slides along. Raises Mismatch where its window does not fit."""
    if padding == "same":
        return dims
    settings = (each(cx, value, len(dims)) for value in (stride, 0 if padding == "valid" else padding, dilation))
    sizes = tuple(places(cx, *one) for one in zip(dims, kernel, *settings, strict=True))
    require_room(dims, sizes, kernel)
    return sizes


def _per_group(cx: Context, channels: Any, groups: Any) -> Dim:
    if not isinstance(channels, (int, Expr)) or not isinstance(groups, (int, Expr)) or groups == 0:
        return cx.fresh()
    return floor_divide(channels, groups)


def _require_weight(cx: Context, weight: Tensor, axes: int) -> tuple[Dim, ...]:
    solved = solve_rank(cx.store, weight.shape, axes + 2)
    if solved is None:
        raise Mismatch(
            "shape-conv",
            "{weight} is {weight.shape}; the weight of this convolution has {wanted} axes.",
            at="weight",
            wanted=axes + 2,
        )
    return solved.back


def _require_bias(cx: Context, bias: Any, channels: Dim) -> None:
    if not isinstance(bias, Tensor) or bias.shape.row is not None:
        return
    template = "{bias} is {bias.shape}, and there are {right} channels: each needs one number."
    if len(bias.shape.back) != 1:
        raise Mismatch("shape-conv", template, at="bias", right=channels)
    have = bias.shape.back[0]
    require_equal(cx, have, channels, Mismatch("shape-conv", template, at="bias", left=have, right=channels))


def _weight(cx: Context, layer: Layer) -> Tensor:
    weight = layer.members.get("weight")
    return weight if isinstance(weight, Tensor) else cx.unknown()


def _convolutions(axes: int) -> None:
    """Register the convolution along one, two or three axes: constructor, call and function."""

    def convolution(
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
        """Weighted sums of the numbers in a window, for each place of the window."""
        _require_groups(in_channels, groups, "in_channels")
        _require_groups(out_channels, groups, "out_channels")
        _require_padding(padding, stride)
        window = each(cx, kernel_size, axes)
        return {
            "in_channels": in_channels,
            "out_channels": out_channels,
            "kernel_size": window,
            "stride": each(cx, stride, axes),
            "padding": padding if isinstance(padding, str) else each(cx, padding, axes),
            "dilation": each(cx, dilation, axes),
            "groups": groups,
            "weight": parameter(cx, out_channels, _per_group(cx, in_channels, groups), *window, dtype=dtype),
            "bias": parameter(cx, out_channels, dtype=dtype) if switched_on(bias) else None,
        }

    def convolution_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
        """Channels become other channels; the axes behind them become the number of places that the window has."""
        members = layer.members
        shape = require_channels_first(cx, input, axes)
        shape = _require_channels(cx, shape, axes, members.get("in_channels"), "{layer}")
        window = each(cx, members.get("kernel_size"), axes)
        settings = [members.get(name) for name in ("stride", "padding", "dilation")]
        sizes = _slid(cx, shape.back[-axes:], window, *settings)
        return _result(shape, known_size(cx, members.get("out_channels")), sizes, input, _weight(cx, layer))

    def conv(
        cx: Context,
        input: Tensor,
        weight: Tensor,
        bias: Any = None,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: Any = 1,
    ) -> Tensor:
        """Weighted sums of the numbers in a window; the weight is (channels out, channels in, window)."""
        shape = require_channels_first(cx, input, axes)
        dims = _require_weight(cx, weight, axes)
        _require_groups(dims[0], groups, "weight")
        _require_padding(padding, stride)
        wanted = multiply(dims[1], groups) if isinstance(groups, (int, Expr)) else None
        shape = _require_channels(cx, shape, axes, wanted, "{weight}, which is {weight.shape},")
        _require_bias(cx, bias, dims[0])
        sizes = _slid(cx, shape.back[-axes:], dims[2:], stride, padding, dilation)
        return _result(shape, dims[0], sizes, input, weight)

    layer(f"torch.nn.Conv{axes}d", term="convolution")(convolution)
    forward(f"torch.nn.Conv{axes}d")(convolution_call)
    rule(f"torch.nn.functional.conv{axes}d torch.conv{axes}d", term="convolution")(conv)


# -- transposed ------------------------------------------------------------------------------------------------------------


def _grown(
    cx: Context, dims: tuple[Dim, ...], kernel: tuple[Dim, ...], stride: Any, padding: Any, extra: Any, dilation: Any
) -> tuple[Dim, ...]:
    """`(length − 1)·stride − 2·padding + dilation·(kernel − 1) + output padding + 1`."""
    found: list[Dim] = []
    settings = [each(cx, value, len(dims)) for value in (stride, padding, extra, dilation)]
    for length, wide, step, pad, more, spread in zip(dims, kernel, *settings, strict=True):
        if isinstance(more, int) and isinstance(step, int) and isinstance(spread, int) and more >= max(step, spread):
            raise Mismatch(
                "shape-conv",
                "The output padding, {more}, must be smaller than the stride or the dilation.",
                at="output_padding",
                more=more,
            )
        size = subtract(multiply(subtract(length, 1), step), multiply(2, pad))
        found.append(add(add(size, reach(wide, spread)), add(more, 1)))
    require_room(dims, tuple(found), kernel)
    return tuple(found)


def _transposed(axes: int) -> None:
    """Register the transposed convolution along one, two or three axes."""

    def transposed_convolution(
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
        """A convolution the other way round: each number is spread over a window, and the axes grow."""
        _require_groups(in_channels, groups, "in_channels")
        _require_groups(out_channels, groups, "out_channels")
        window = each(cx, kernel_size, axes)
        return {
            "in_channels": in_channels,
            "out_channels": out_channels,
            "kernel_size": window,
            "stride": each(cx, stride, axes),
            "padding": each(cx, padding, axes),
            "output_padding": each(cx, output_padding, axes),
            "dilation": each(cx, dilation, axes),
            "groups": groups,
            "weight": parameter(cx, in_channels, _per_group(cx, out_channels, groups), *window, dtype=dtype),
            "bias": parameter(cx, out_channels, dtype=dtype) if switched_on(bias) else None,
        }

    def transposed_convolution_call(cx: Context, layer: Layer, input: Tensor, output_size: Any = None) -> Tensor:
        """Channels become other channels; the axes behind them grow."""
        members = layer.members
        shape = require_channels_first(cx, input, axes)
        shape = _require_channels(cx, shape, axes, members.get("in_channels"), "{layer}")
        window = each(cx, members.get("kernel_size"), axes)
        settings = [members.get(name) for name in ("stride", "padding", "output_padding", "dilation")]
        sizes = _grown(cx, shape.back[-axes:], window, *settings)
        if output_size is not None:
            sizes = tuple(cx.fresh() for _ in range(axes))
        return _result(shape, known_size(cx, members.get("out_channels")), sizes, input, _weight(cx, layer))

    def conv_transpose(
        cx: Context,
        input: Tensor,
        weight: Tensor,
        bias: Any = None,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: Any = 1,
        dilation: Any = 1,
    ) -> Tensor:
        """A convolution the other way round; the weight is (channels in, channels out, window)."""
        shape = require_channels_first(cx, input, axes)
        dims = _require_weight(cx, weight, axes)
        _require_groups(dims[0], groups, "weight")
        shape = _require_channels(cx, shape, axes, dims[0], "{weight}, which is {weight.shape},")
        out = multiply(dims[1], groups) if isinstance(groups, (int, Expr)) else cx.fresh()
        _require_bias(cx, bias, out)
        sizes = _grown(cx, shape.back[-axes:], dims[2:], stride, padding, output_padding, dilation)
        return _result(shape, out, sizes, input, weight)

    layer(f"torch.nn.ConvTranspose{axes}d", term="convolution")(transposed_convolution)
    forward(f"torch.nn.ConvTranspose{axes}d")(transposed_convolution_call)
    rule(f"torch.nn.functional.conv_transpose{axes}d torch.conv_transpose{axes}d", term="convolution")(conv_transpose)


for _axes in (1, 2, 3):
    _convolutions(_axes)
    _transposed(_axes)
