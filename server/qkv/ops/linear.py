"""Linear layers: the last axis is exchanged for another."""

from __future__ import annotations

from typing import Any

from qkv.ops.agree import require_one_device, require_one_dtype
from qkv.ops.axes import locate, replace_axis, size
from qkv.ops.broadcast import require_stretchable
from qkv.ops.context import CannotTell, Context, Mismatch, require_equal
from qkv.ops.parameters import known_size, parameter, switched_on
from qkv.ops.table import forward, layer, rule
from qkv.shapes import Dim, Expr, Layer, Shape, Tensor
from qkv.shapes.solve import resolve_shape, solve_rank
from qkv.shapes.values import contiguous_strides


def projected(
    cx: Context, input: Tensor, weight: Tensor, taken: Any, given: Any, what: str, name: str = "input"
) -> Tensor:
    """The input with its last axis, which must be `taken`, exchanged for `given`. `what` stands for the layer in a message."""
    device = require_one_device({name: input, "weight": weight})
    dtype = require_one_dtype({name: input, "weight": weight}, "A linear layer")
    if input.shape.rank == 0:
        raise Mismatch(
            "shape-linear",
            f"{{{name}}} is a single number; a linear layer works along the last axis.",
            hint="Give it an axis with `unsqueeze(-1)`.",
            at=name,
        )
    shape, at = locate(cx, input.shape, -1, name)
    have = size(shape, at)
    if isinstance(taken, (int, Expr)):
        mismatch = Mismatch(
            "shape-linear",
            f"{{{name}}} is {{{name}.shape}}: its last axis is {{left}}, but {what} takes {{right}} features.",
            hint="Make the layer for {left} features, or bring the tensor's last axis to {right} first.",
            at=name,
            left=have,
            right=taken,
        )
        require_equal(cx, have, taken, mismatch)
    shape = replace_axis(resolve_shape(cx.store, shape), at, known_size(cx, given))
    return Tensor(shape, dtype, device, contiguous_strides(shape))


def _require_bias(bias: Any, result: Tensor) -> None:
    if isinstance(bias, Tensor):
        template = "{bias} is {bias.shape}, and it is added to {result}: it needs one number for each output feature."
        require_stretchable(
            bias.shape, result.shape, Mismatch("shape-linear", template, at="bias", result=result.shape)
        )


@layer("torch.nn.Linear", term="linear layer")
def linear(
    cx: Context, in_features: Dim, out_features: Dim, bias: Any = True, device: Any = None, dtype: Any = None
) -> Any:
    """A projection of the last axis, `x @ weight.T + bias`."""
    return {
        "in_features": in_features,
        "out_features": out_features,
        "weight": parameter(cx, out_features, in_features, dtype=dtype),
        "bias": parameter(cx, out_features, dtype=dtype) if switched_on(bias) else None,
    }


def weight_of(cx: Context, layer: Layer) -> Tensor:
    """The layer's weight, or a tensor of which nothing is known."""
    weight = layer.members.get("weight")
    return weight if isinstance(weight, Tensor) else cx.unknown()


@forward("torch.nn.Linear", notation="*b in_features -> *b out_features")
def linear_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
    """The last axis, `in_features` wide, becomes `out_features` wide."""
    members = layer.members
    weight = weight_of(cx, layer)
    return projected(cx, input, weight, members.get("in_features"), members.get("out_features"), "{layer}")


@layer("torch.nn.LazyLinear", term="linear layer")
def lazy_linear(cx: Context, out_features: Dim, bias: Any = True, device: Any = None, dtype: Any = None) -> Any:
    """A linear layer that learns its input width from the first input."""
    return {
        "out_features": out_features,
        "bias": parameter(cx, out_features, dtype=dtype) if switched_on(bias) else None,
    }


@forward("torch.nn.LazyLinear")
def lazy_linear_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
    """The last axis becomes `out_features` wide."""
    bias = layer.members.get("bias")
    like = bias if isinstance(bias, Tensor) else cx.unknown()
    return projected(cx, input, like, None, layer.members.get("out_features"), "{layer}")


@layer("torch.nn.Identity")
def identity(cx: Context, *args: Any, **keywords: Any) -> Any:
    """Gives back what it gets."""
    return {}


@forward("torch.nn.Identity")
def identity_call(cx: Context, layer: Layer, input: Any) -> Any:
    """The input as it is."""
    return input


@rule(
    "torch.nn.functional.linear torch._C._nn.linear",
    notation="*b in_features, out_features in_features -> *b out_features",
)
def functional_linear(cx: Context, input: Tensor, weight: Tensor, bias: Any = None) -> Tensor:
    """`input @ weight.T + bias`: the rows of the weight are the output features."""
    if weight.shape.row is not None and not isinstance(bias, Tensor) and len(weight.shape.back) < 2:
        raise CannotTell("whether the weight is a matrix is not known", input.dtype)
    if weight.shape.rank == 1 and bias is None:
        left, right = locate(cx, input.shape, -1)[0].back[-1], weight.shape.back[0]
        template = "{input} is {input.shape}: its last axis is {left}, but {weight} holds {right} numbers."
        require_equal(cx, left, right, Mismatch("shape-linear", template, at="weight", left=left, right=right))
        require_one_dtype({"input": input, "weight": weight}, "A linear layer")
        shape = resolve_shape(cx.store, input.shape)
        return Tensor(Shape(shape.back[:-1], shape.row, shape.front), input.dtype)
    solved = solve_rank(cx.store, weight.shape, 2)
    if solved is None:
        raise Mismatch(
            "shape-linear",
            "{weight} is {weight.shape}; the weight of a linear layer has two axes, features out and features in.",
            at="weight",
        )
    rows, columns = solved.back
    result = projected(cx, input, weight, columns, rows, "{weight}, which is {weight.shape},")
    _require_bias(bias, result)
    return result


# -- two inputs ------------------------------------------------------------------------------------------------------------


def _bilinear(cx: Context, input1: Tensor, input2: Tensor, weight: Tensor, what: str) -> Tensor:
    solved = solve_rank(cx.store, weight.shape, 3)
    if solved is None:
        raise Mismatch("shape-linear", "{weight} is {weight.shape}; it must have three axes.", at="weight")
    given, first, second = solved.back
    one = projected(cx, input1, weight, first, given, what, "input1")
    two = projected(cx, input2, weight, second, given, what, "input2")
    if one.shape.row is not None or two.shape.row is not None:
        return one
    template = "{input1} is {input1.shape} and {input2} is {input2.shape}: all axes but the last must be the same."
    if one.shape.rank != two.shape.rank:
        raise Mismatch("shape-linear", template, at="input2")
    for left, right in zip(one.shape.back[:-1], two.shape.back[:-1], strict=True):
        require_equal(cx, left, right, Mismatch("shape-linear", template, at="input2", left=left, right=right))
    return one


@layer("torch.nn.Bilinear")
def bilinear(
    cx: Context,
    in1_features: Dim,
    in2_features: Dim,
    out_features: Dim,
    bias: Any = True,
    device: Any = None,
    dtype: Any = None,
) -> Any:
    """A product of two inputs with a matrix for each output feature."""
    return {
        "in1_features": in1_features,
        "in2_features": in2_features,
        "out_features": out_features,
        "weight": parameter(cx, out_features, in1_features, in2_features, dtype=dtype),
        "bias": parameter(cx, out_features, dtype=dtype) if switched_on(bias) else None,
    }


@forward("torch.nn.Bilinear")
def bilinear_call(cx: Context, layer: Layer, input1: Tensor, input2: Tensor) -> Tensor:
    """Two inputs become `out_features` numbers for each item."""
    return _bilinear(cx, input1, input2, weight_of(cx, layer), "{layer}")


@rule("torch.nn.functional.bilinear torch.bilinear")
def functional_bilinear(cx: Context, input1: Tensor, input2: Tensor, weight: Tensor, bias: Any = None) -> Tensor:
    """A product of two inputs with a matrix for each output feature."""
    result = _bilinear(cx, input1, input2, weight, "{weight}, which is {weight.shape},")
    if isinstance(bias, Tensor) and bias.shape.row is None:
        template = "{bias} is {bias.shape}; it must be one number for each of the {right} output features."
        if len(bias.shape.back) != 1:
            raise Mismatch("shape-linear", template, at="bias", right=result.shape.back[-1])
        left, right = bias.shape.back[0], result.shape.back[-1]
        require_equal(cx, left, right, Mismatch("shape-linear", template, at="bias", left=left, right=right))
    return result
