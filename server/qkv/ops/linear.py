"""Linear layers: the last axis is exchanged for another."""

from __future__ import annotations

from typing import Any

from qkv.ops.agree import require_one_device, require_one_dtype
from qkv.ops.axes import locate, replace_axis, size
from qkv.ops.context import Context, Mismatch, require_equal
from qkv.ops.parameters import known_size, parameter, switched_on
from qkv.ops.table import forward, layer, rule
from qkv.shapes import Dim, Expr, Layer, Shape, Tensor
from qkv.shapes.solve import resolve_shape
from qkv.shapes.values import contiguous_strides


def projected(cx: Context, input: Tensor, weight: Tensor, taken: Any, given: Any, what: str) -> Tensor:
    """The input with its last axis, which must be `taken`, exchanged for `given`."""
    require_one_device({"input": input, "weight": weight})
    dtype = require_one_dtype({"input": input, "weight": weight}, "A linear layer")
    if input.shape.rank == 0:
        raise Mismatch("shape-linear", "{input} is a single number; a linear layer works along the last axis.", at="input")
    shape, at = locate(cx, input.shape, -1)
    have = size(shape, at)
    if isinstance(taken, (int, Expr)):
        mismatch = Mismatch(
            "shape-linear",
            f"{{input}} is {{input.shape}}: its last axis is {{left}}, but {what} takes {{right}} features.",
            hint="Give the layer `in_features` of {left}, or bring the tensor's last axis to {right} first.",
            at="input",
            left=have,
            right=taken,
        )
        require_equal(cx, have, taken, mismatch)
    shape = replace_axis(resolve_shape(cx.store, shape), at, known_size(cx, given))
    return Tensor(shape, dtype, input.device or weight.device, contiguous_strides(shape))


@layer("torch.nn.Linear", term="linear layer")
def linear(cx: Context, in_features: Dim, out_features: Dim, bias: Any = True, device: Any = None, dtype: Any = None) -> Any:
    """A projection of the last axis, `x @ weight.T + bias`."""
    return {
        "in_features": in_features,
        "out_features": out_features,
        "weight": parameter(cx, out_features, in_features, dtype=dtype),
        "bias": parameter(cx, out_features, dtype=dtype) if switched_on(bias) else None,
    }


@forward("torch.nn.Linear", notation="*b in_features -> *b out_features")
def linear_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
    """The last axis, `in_features` wide, becomes `out_features` wide."""
    weight: Any = layer.members.get("weight")
    return projected(cx, input, weight if isinstance(weight, Tensor) else cx.unknown(), layer.members.get("in_features"), layer.members.get("out_features"), "{layer}")


@layer("torch.nn.LazyLinear")
def lazy_linear(cx: Context, out_features: Dim, bias: Any = True, device: Any = None, dtype: Any = None) -> Any:
    """A linear layer that learns its input width from the first input."""
    return {"out_features": out_features}


@forward("torch.nn.LazyLinear")
def lazy_linear_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
    """The last axis becomes `out_features` wide."""
    return projected(cx, input, cx.unknown(), None, layer.members.get("out_features"), "{layer}")


@layer("torch.nn.Identity")
def identity(cx: Context, *args: Any, **keywords: Any) -> Any:
    """Gives back what it gets."""
    return {}


@forward("torch.nn.Identity")
def identity_call(cx: Context, layer: Layer, input: Any) -> Any:
    """The input as it is."""
    return input


@layer("torch.nn.Bilinear")
def bilinear(cx: Context, in1_features: Dim, in2_features: Dim, out_features: Dim, bias: Any = True, device: Any = None, dtype: Any = None) -> Any:
    """A product of two inputs with a matrix for each output feature."""
    return {"out_features": out_features, "weight": parameter(cx, out_features, in1_features, in2_features)}


@forward("torch.nn.Bilinear")
def bilinear_call(cx: Context, layer: Layer, input1: Tensor, input2: Tensor) -> Tensor:
    """Two inputs become `out_features` numbers."""
    return projected(cx, input1, cx.unknown(), layer.settings.get("in1_features"), layer.members.get("out_features"), "{layer}")


@rule("torch.nn.functional.linear torch._C._nn.linear", notation="*b in_features, out_features in_features -> *b out_features")
def functional_linear(cx: Context, input: Tensor, weight: Tensor, bias: Any = None) -> Tensor:
    """`input @ weight.T + bias`: the weight's rows are the output features."""
    if weight.shape.rank == 1:
        shape, at = locate(cx, input.shape, -1)
        require_equal(cx, size(shape, at), weight.shape.back[0], Mismatch("shape-linear", "{input} is {input.shape} and {weight} is {weight.shape}.", at="weight"))
        return Tensor(Shape(shape.back[:-1], shape.row, shape.front), input.dtype)
    shape, _ = locate(cx, weight.shape, -2, "weight")
    return projected(cx, input, weight, shape.back[-1], shape.back[-2], "{weight}, which is {weight.shape},")


@rule("torch.nn.functional.bilinear")
def functional_bilinear(cx: Context, input1: Tensor, input2: Tensor, weight: Tensor, bias: Any = None) -> Tensor:
    """A product of two inputs with a matrix for each output feature."""
    shape, _ = locate(cx, weight.shape, -3, "weight")
    return projected(cx, input1, weight, shape.back[-2], shape.back[-3], "{weight}")
