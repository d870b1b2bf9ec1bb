"""Activations and dropout: number by number, the shape stays. As functions and as modules."""

from __future__ import annotations

from typing import Any

from qkv.ops.agree import require_float
from qkv.ops.axes import locate, replace_axis, size
from qkv.ops.broadcast import same
from qkv.ops.context import CannotTell, Context, Mismatch, require_equal
from qkv.ops.dtypes import as_float
from qkv.ops.parameters import parameter
from qkv.ops.softmax import functional_log_softmax, functional_softmax, softmin
from qkv.ops.table import forward, layer, rule
from qkv.shapes import Dim, Layer, Tensor
from qkv.shapes.dim import floor_divide
from qkv.shapes.values import contiguous_strides


def _activated(cx: Context, input: Tensor) -> Tensor:
    require_float(input, "This activation")
    return same(input)


_FLOATS = (
    "gelu silu elu selu celu leaky_relu rrelu hardswish hardsigmoid mish softplus hardshrink softshrink logsigmoid"
)
_IN_PLACE = "elu_ selu_ celu_ leaky_relu_ rrelu_"


@rule(
    " ".join(f"torch.nn.functional.{name}" for name in f"{_FLOATS} {_IN_PLACE}".split())
    + " torch.selu torch.selu_ torch.celu torch.celu_ torch.rrelu torch.rrelu_ torch._C._nn.gelu",
    term="activation",
)
def activation(cx: Context, input: Tensor, *args: Any, **keywords: Any) -> Tensor:
    """A bend that lets a network compute more than sums: number by number, the shape stays."""
    return _activated(cx, input)


@rule(
    "torch.nn.functional.relu6 torch.nn.functional.hardtanh torch.nn.functional.hardtanh_ torch.nn.functional.threshold "
    "torch.nn.functional.threshold_ torch.threshold",
    term="activation",
)
def bent(cx: Context, input: Tensor, *args: Any, **keywords: Any) -> Tensor:
    """A bend, number by number, that whole numbers may take too."""
    return same(input)


@rule("torch.nn.functional.softsign torch.nn.functional.tanhshrink", term="activation")
def divided(cx: Context, input: Tensor) -> Tensor:
    """A bend, number by number."""
    return same(input, as_float(input.dtype))


@rule("torch.nn.functional.prelu torch.prelu torch.Tensor.prelu", term="activation")
def prelu(cx: Context, input: Tensor, weight: Tensor) -> Tensor:
    """Numbers below zero are scaled: all by one weight, or each channel, axis 1, by its own."""
    if weight.shape.rank not in (None, 0, 1):
        raise Mismatch("shape-axis", "{weight} is {weight.shape}; it must be one weight for each channel.", at="weight")
    if weight.shape.rank == 1 and weight.shape.back[0] != 1 and input.shape.rank is not None and input.shape.rank > 1:
        left, right = input.shape.back[1], weight.shape.back[0]
        mismatch = Mismatch(
            "shape-axis",
            "{input} is {input.shape}: axis 1 holds {left} channels, and there are {right} weights.",
            hint="Give one weight, or {left} of them.",
            at="weight",
            left=left,
            right=right,
        )
        require_equal(cx, left, right, mismatch)
    return _activated(cx, input)


_PLAIN = (
    "GELU SiLU ELU SELU CELU LeakyReLU RReLU Hardswish Hardsigmoid Mish Softplus Hardshrink Softshrink LogSigmoid "
    "ReLU ReLU6 Hardtanh Threshold Softsign Tanhshrink Sigmoid Tanh"
)
_WHOLE_NUMBERS_TOO = frozenset(["ReLU", "ReLU6", "Hardtanh", "Threshold"])
_WHOLE_NUMBERS_BECOME_FLOATS = frozenset(["Softsign", "Tanhshrink", "Sigmoid", "Tanh"])
_MODULES = " ".join(f"torch.nn.{name}" for name in _PLAIN.split())


@layer(_MODULES, term="activation")
def activation_module(cx: Context, *args: Any, **keywords: Any) -> Any:
    """An activation as a module."""
    return {}


@forward(_MODULES)
def activation_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
    """A bend, number by number; the shape stays."""
    name = layer.name.rpartition(".")[2]
    if name in _WHOLE_NUMBERS_TOO:
        return same(input)
    if name in _WHOLE_NUMBERS_BECOME_FLOATS:
        return same(input, as_float(input.dtype))
    return _activated(cx, input)


@layer("torch.nn.PReLU", term="activation")
def prelu_module(cx: Context, num_parameters: Dim = 1, init: Any = 0.25, device: Any = None, dtype: Any = None) -> Any:
    """An activation that learns how much of the numbers below zero it keeps."""
    return {"num_parameters": num_parameters, "weight": parameter(cx, num_parameters, dtype=dtype)}


@forward("torch.nn.PReLU")
def prelu_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
    """Numbers below zero are scaled; the shape stays."""
    weight = layer.members.get("weight")
    return prelu(cx, input, weight if isinstance(weight, Tensor) else cx.unknown())


# -- dropout ---------------------------------------------------------------------------------------------------------------

_DROPOUTS = "dropout alpha_dropout feature_alpha_dropout dropout1d dropout2d dropout3d"
_DROPOUT_MODULES = " ".join(
    f"torch.nn.{name}"
    for name in ["Dropout", "AlphaDropout", "FeatureAlphaDropout", "Dropout1d", "Dropout2d", "Dropout3d"]
)


def _require_share(p: Any) -> None:
    if isinstance(p, (int, float)) and not 0 <= p <= 1:
        raise Mismatch(
            "shape-axis",
            "Dropout takes the share of numbers that it sets to 0, from 0 to 1; {p} is none.",
            hint="A usual share is 0.1.",
            at="p",
            p=p,
        )


@rule(
    " ".join(f"torch.nn.functional.{name}" for name in _DROPOUTS.split()) + " torch.dropout torch.alpha_dropout",
    term="dropout",
)
def dropout(cx: Context, input: Tensor, p: Any = 0.5, training: Any = True, inplace: Any = False) -> Tensor:
    """Numbers are set to 0 at random while training, the others grow to make up for it. The shape stays."""
    _require_share(p)
    return same(input)


@layer(_DROPOUT_MODULES, term="dropout")
def dropout_module(cx: Context, p: Any = 0.5, inplace: Any = False) -> Any:
    """Dropout as a module: it does nothing once the model is in `eval()`."""
    _require_share(p)
    return {"p": p, "inplace": inplace}


@forward(_DROPOUT_MODULES)
def dropout_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
    """Numbers are set to 0 at random while training; the shape stays."""
    return same(input)


# -- along an axis ---------------------------------------------------------------------------------------------------------


@layer("torch.nn.Softmax torch.nn.LogSoftmax torch.nn.Softmin", term="softmax")
def softmax_module(cx: Context, dim: Any = None) -> Any:
    """Softmax, its logarithm, or softmax of what is turned, as a module."""
    return {"dim": dim}


@forward("torch.nn.Softmax torch.nn.LogSoftmax torch.nn.Softmin")
def softmax_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
    """Numbers become weights that add up to 1 along the layer's axis."""
    function = {"torch.nn.LogSoftmax": functional_log_softmax, "torch.nn.Softmin": softmin}
    return function.get(layer.name, functional_softmax)(cx, input, layer.settings.get("dim"))


@layer("torch.nn.Softmax2d", term="softmax")
def softmax2d(cx: Context) -> Any:
    """Softmax over the channels of images, as a module."""
    return {}


@forward("torch.nn.Softmax2d")
def softmax2d_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
    """Numbers become weights that add up to 1 over the channels."""
    if input.shape.rank is not None and input.shape.rank not in (3, 4):
        raise Mismatch(
            "shape-axis",
            "{input} is {input.shape}; {layer} takes images, (batch, channels, height, width), with or without a batch.",
            at="input",
        )
    return functional_softmax(cx, input, -3)


def _halved(cx: Context, input: Tensor, dim: Any) -> Tensor:
    require_float(input, "A gate")
    if not isinstance(dim, int):
        raise CannotTell("which axis is meant is not known here", input.dtype)
    if input.shape.rank == 0:
        raise Mismatch("shape-axis", "{input} is a single number and has no halves.", at="input")
    shape, at = locate(cx, input.shape, dim)
    have = size(shape, at)
    if isinstance(have, int) and have % 2:
        raise Mismatch(
            "shape-axis",
            "{input} is {input.shape}: axis {axis} is {have}, and a gate needs two equal halves.",
            hint="Let the layer before give an even number of features: twice as many as come out of the gate.",
            at="input",
            axis=dim,
            have=have,
        )
    shape = replace_axis(shape, at, floor_divide(have, 2))
    return Tensor(shape, input.dtype, input.device, contiguous_strides(shape))


@rule("torch.nn.functional.glu torch._C._nn.glu", term="gated linear unit")
def glu(cx: Context, input: Tensor, dim: Any = -1) -> Tensor:
    """The first half of an axis times the sigmoid of the second half: the axis becomes half as long."""
    return _halved(cx, input, dim)


@layer("torch.nn.GLU", term="gated linear unit")
def glu_module(cx: Context, dim: Any = -1) -> Any:
    """A gate as a module."""
    return {"dim": dim}


@forward("torch.nn.GLU")
def glu_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
    """The first half of an axis times the sigmoid of the second half: the axis becomes half as long."""
    return _halved(cx, input, layer.settings.get("dim"))
