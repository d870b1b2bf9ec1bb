"""Pooling: one number for each window, the largest or the mean."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from qkv.ops.agree import require_float
from qkv.ops.context import CannotTell, Context, Mismatch
from qkv.ops.table import forward, layer, rule
from qkv.ops.windows import each, places, require_channels_first, require_room
from qkv.shapes import Dim, Expr, Layer, Shape, Tensor, Unknown
from qkv.shapes.values import contiguous_strides


def _made(shape: Shape, input: Tensor) -> Tensor:
    in_order = input.strides is not None and input.strides == contiguous_strides(input.shape)
    return Tensor(shape, input.dtype, input.device, contiguous_strides(shape) if in_order else None)


def _require_small_padding(kernel: tuple[Dim, ...], padding: tuple[Dim, ...]) -> None:
    for wide, pad in zip(kernel, padding, strict=True):
        if isinstance(pad, int) and isinstance(wide, int) and pad > wide // 2:
            raise Mismatch(
                "shape-conv",
                "A padding of {pad} is more than half of the window, {kernel}: some windows would hold nothing.",
                hint="Pad by no more than half of the window.",
                at="padding",
                pad=pad,
                kernel=wide,
            )


def _require_mean(input: Tensor) -> None:
    """Means of windows are worked out for floats, and for int64."""
    if input.dtype != "int64":
        require_float(input, "A mean", complex_too=False)


def pooled(
    cx: Context, axes: int, input: Tensor, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil: Any
) -> Tensor:
    """A window slides over the last axes; where no stride is given, the windows stand side by side."""
    if input.dtype == "bool":
        require_float(input, "Pooling")
    shape = require_channels_first(cx, input, axes)
    kernel = each(cx, kernel_size, axes)
    steps = kernel if stride is None or stride == () else each(cx, stride, axes)
    paddings, dilations = each(cx, padding, axes), each(cx, dilation, axes)
    _require_small_padding(kernel, paddings)
    dims = shape.back[-axes:]
    sizes = tuple(places(cx, *one, ceil) for one in zip(dims, kernel, steps, paddings, dilations, strict=True))
    require_room(dims, sizes, kernel)
    return _made(Shape((*shape.back[:-axes], *sizes)), input)


def adapted(cx: Context, axes: int, input: Tensor, output_size: Any) -> Tensor:
    """The last axes are pooled to the wanted sizes; None leaves one as it is."""
    require_float(input, "Pooling to a wanted size", complex_too=False)
    shape = require_channels_first(cx, input, axes)
    dims = shape.back[-axes:]
    if isinstance(output_size, tuple) and any(item is None for item in output_size):
        wanted: tuple[Any, ...] = output_size
        if len(wanted) != axes:
            raise CannotTell("the sizes do not fit", input.dtype)
    else:
        wanted = dims if output_size is None else each(cx, output_size, axes)
    sizes = tuple(
        have if want is None else want if isinstance(want, (int, Expr)) else cx.fresh()
        for have, want in zip(dims, wanted, strict=True)
    )
    return _made(Shape((*shape.back[:-axes], *sizes)), input)


def averaged(cx: Context, axes: int, input: Tensor, output_size: Any) -> Tensor:
    """`adapted` for means: down to a size of 1 it is a plain mean, which takes any number of axes."""
    shape = input.shape
    if axes > 1 and each(cx, output_size, axes) == (1,) * axes and shape.rank is not None and shape.rank >= axes:
        require_float(input, "A mean", complex_too=False)
        return _made(Shape((*shape.back[:-axes], *(1,) * axes)), input)
    return adapted(cx, axes, input, output_size)


def _with_indices(result: Tensor, asked: Any) -> Any:
    """The largest numbers, and where they stood where that is asked for."""
    if asked is False:
        return result
    if asked is not True:
        return Unknown("whether the indices are given too is not known here")
    return (result, replace(result, dtype="int64", low=0))


def _pools(axes: int) -> None:
    """Register pooling along one, two or three axes: modules and functions."""
    max_name, mean_name = f"torch.nn.MaxPool{axes}d", f"torch.nn.AvgPool{axes}d"

    def max_module(
        cx: Context,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: Any = False,
        ceil_mode: Any = False,
    ) -> Any:
        """The largest number in each window."""
        return {"kernel_size": kernel_size, "stride": kernel_size if stride is None else stride, "padding": padding}

    def mean_module(
        cx: Context,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: Any = False,
        count_include_pad: Any = True,
        divisor_override: Any = None,
    ) -> Any:
        """The mean of each window."""
        return {"kernel_size": kernel_size, "stride": kernel_size if stride is None else stride, "padding": padding}

    def max_call(cx: Context, layer: Layer, input: Tensor) -> Any:
        """The largest number in each window."""
        told = layer.settings
        window = (told["kernel_size"], told["stride"], told["padding"], told["dilation"], told["ceil_mode"])
        return _with_indices(pooled(cx, axes, input, *window), told["return_indices"])

    def mean_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
        """The mean of each window."""
        told = layer.settings
        _require_mean(input)
        return pooled(cx, axes, input, told["kernel_size"], told["stride"], told["padding"], 1, told["ceil_mode"])

    def max_pool(
        cx: Context,
        input: Tensor,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: Any = False,
        return_indices: Any = False,
    ) -> Any:
        """The largest number in each window."""
        result = pooled(cx, axes, input, kernel_size, stride, padding, dilation, ceil_mode)
        return _with_indices(result, return_indices)

    def avg_pool(
        cx: Context,
        input: Tensor,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: Any = False,
        count_include_pad: Any = True,
        divisor_override: Any = None,
    ) -> Tensor:
        """The mean of each window."""
        _require_mean(input)
        return pooled(cx, axes, input, kernel_size, stride, padding, 1, ceil_mode)

    layer(max_name)(max_module)
    layer(mean_name)(mean_module)
    forward(max_name)(max_call)
    forward(mean_name)(mean_call)
    rule(f"torch.nn.functional.max_pool{axes}d torch.max_pool{axes}d")(max_pool)
    rule(f"torch.nn.functional.avg_pool{axes}d" + (" torch.avg_pool1d" if axes == 1 else ""))(avg_pool)


def _adaptive_pools(axes: int) -> None:
    """Register pooling to a wanted size along one, two or three axes."""
    max_name, mean_name = f"torch.nn.AdaptiveMaxPool{axes}d", f"torch.nn.AdaptiveAvgPool{axes}d"

    def max_module(cx: Context, output_size: Any, return_indices: Any = False) -> Any:
        """The largest number of each window, the windows as large as the wanted size makes them."""
        return {"output_size": output_size}

    def mean_module(cx: Context, output_size: Any) -> Any:
        """The mean of each window, the windows as large as the wanted size makes them."""
        return {"output_size": output_size}

    def max_call(cx: Context, layer: Layer, input: Tensor) -> Any:
        """The last axes are pooled to the wanted sizes."""
        result = adapted(cx, axes, input, layer.settings["output_size"])
        return _with_indices(result, layer.settings["return_indices"])

    def mean_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
        """The last axes are pooled to the wanted sizes."""
        return averaged(cx, axes, input, layer.settings["output_size"])

    def max_function(cx: Context, input: Tensor, output_size: Any, return_indices: Any = False) -> Any:
        """The largest number of each window, the windows as large as the wanted size makes them."""
        return _with_indices(adapted(cx, axes, input, output_size), return_indices)

    def mean_function(cx: Context, input: Tensor, output_size: Any) -> Tensor:
        """The mean of each window, the windows as large as the wanted size makes them."""
        return averaged(cx, axes, input, output_size)

    layer(max_name)(max_module)
    layer(mean_name)(mean_module)
    forward(max_name)(max_call)
    forward(mean_name)(mean_call)
    rule(f"torch.nn.functional.adaptive_max_pool{axes}d")(max_function)
    rule(f"torch.nn.functional.adaptive_avg_pool{axes}d" + (" torch.adaptive_avg_pool1d" if axes == 1 else ""))(
        mean_function
    )


for _axes in (1, 2, 3):
    _pools(_axes)
    _adaptive_pools(_axes)
