"""Activations and dropout: number by number, the shape stays."""

from __future__ import annotations

from typing import Any

from qkv.ops.axes import locate, replace_axis, size
from qkv.ops.broadcast import same
from qkv.ops.context import CannotTell, Context, Mismatch
from qkv.ops.softmax import functional_softmax
from qkv.ops.table import RULES, forward, layer, rule
from qkv.shapes import Expr, Layer, Tensor
from qkv.shapes.dim import floor_divide
from qkv.shapes.solve import resolve_shape
from qkv.shapes.values import contiguous_strides

FUNCTIONS = (
    "relu relu6 gelu silu elu selu celu leaky_relu rrelu prelu hardtanh hardswish hardsigmoid mish softplus softsign tanhshrink "
    "hardshrink softshrink logsigmoid threshold sigmoid tanh"
).split()
MODULES = (
    "ReLU ReLU6 GELU SiLU ELU SELU CELU LeakyReLU RReLU PReLU Hardtanh Hardswish Hardsigmoid Mish Softplus Softsign Tanhshrink "
    "Hardshrink Softshrink LogSigmoid Threshold Sigmoid Tanh"
).split()
DROPOUTS = "Dropout Dropout1d Dropout2d Dropout3d AlphaDropout FeatureAlphaDropout".split()
DROPOUT_FUNCTIONS = "dropout dropout1d dropout2d dropout3d alpha_dropout feature_alpha_dropout".split()


def _function_names() -> str:
    names = [f"torch.nn.functional.{name}{end}" for name in FUNCTIONS for end in ("", "_")]
    return " ".join(name for name in (*names, "torch.selu", "torch.celu", "torch.rrelu", "torch.prelu", "torch.Tensor.prelu", "torch._C._nn.gelu") if name not in RULES)


@rule(_function_names())
def activate(cx: Context, input: Tensor, *args: Any, **keywords: Any) -> Tensor:
    """A bend, number by number."""
    return same(input)


@rule(" ".join(f"torch.nn.functional.{name}" for name in DROPOUT_FUNCTIONS) + " torch.dropout", term="dropout")
def dropout(cx: Context, input: Tensor, p: Any = 0.5, training: Any = True, inplace: Any = False) -> Tensor:
    """Numbers are set to 0 at random while training."""
    return same(input)


@layer(" ".join(f"torch.nn.{name}" for name in (*MODULES, *DROPOUTS)))
def activation_module(cx: Context, *args: Any, **keywords: Any) -> Any:
    """An activation or dropout as a module."""
    return {}


@forward(" ".join(f"torch.nn.{name}" for name in (*MODULES, *DROPOUTS)))
def activation_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
    """Number by number; the shape stays."""
    return same(input)


@layer("torch.nn.Softmax torch.nn.LogSoftmax torch.nn.Softmin", term="softmax")
def softmax_module(cx: Context, dim: Any = None) -> Any:
    """Softmax as a module."""
    return {"dim": dim}


@forward("torch.nn.Softmax torch.nn.LogSoftmax torch.nn.Softmin")
def softmax_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
    """Shares that sum to one along an axis."""
    return functional_softmax(cx, input, layer.settings.get("dim"))


@layer("torch.nn.Softmax2d")
def softmax2d(cx: Context) -> Any:
    """Softmax over channels."""
    return {}


@forward("torch.nn.Softmax2d")
def softmax2d_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
    """Shares that sum to one over the channels."""
    return functional_softmax(cx, input, -3)


def _halved(cx: Context, input: Tensor, dim: Any) -> Tensor:
    if not isinstance(dim, int):
        raise CannotTell("which axis is meant is not known here", input.dtype)
    shape, at = locate(cx, input.shape, dim)
    have = size(shape, at)
    if isinstance(have, int) and have % 2:
        raise Mismatch("shape-axis", "{input} is {input.shape}: axis {axis} is {size}, and a gate needs two equal halves.", at="input", axis=dim, size=have)
    half = floor_divide(have, 2) if isinstance(have, (int, Expr)) else have
    shape = replace_axis(resolve_shape(cx.store, shape), at, half)
    return Tensor(shape, input.dtype, input.device, contiguous_strides(shape))


@rule("torch.nn.functional.glu")
def glu(cx: Context, input: Tensor, dim: Any = -1) -> Tensor:
    """One half of an axis gates the other."""
    return _halved(cx, input, dim)


@layer("torch.nn.GLU")
def glu_module(cx: Context, dim: Any = -1) -> Any:
    """A gate as a module."""
    return {"dim": dim}


@forward("torch.nn.GLU")
def glu_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
    """One half of an axis gates the other."""
    return _halved(cx, input, layer.settings.get("dim"))
