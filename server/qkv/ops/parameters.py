"""Parameters of layers, and what is done to them: `nn.Parameter`, `nn.init`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from qkv.ops.context import CannotTell, Context, Mismatch
from qkv.ops.dtypes import DEFAULT, named
from qkv.ops.table import rule
from qkv.shapes import Dim, Expr, Shape, Tensor, Unknown
from qkv.shapes.values import contiguous_strides


def parameter(cx: Context, *sizes: Any, dtype: Any = None) -> Tensor:
    """A new parameter of a layer with these sizes; a size that is not known is fresh."""
    dims: tuple[Dim, ...] = tuple(known_size(cx, size) for size in sizes)
    shape = Shape(dims)
    return Tensor(shape, named(dtype, DEFAULT), None, contiguous_strides(shape))


def known_size(cx: Context, value: Any) -> Dim:
    """A constructor's argument as a size."""
    if isinstance(value, (int, Expr)) and not isinstance(value, bool):
        return cx.dim(value)
    return cx.fresh()


def switched_on(value: Any) -> bool:
    """Whether a flag such as `bias=` is on; one that is not known counts as on."""
    return isinstance(value, Unknown) or bool(value)


@rule("torch.nn.Parameter torch.nn.Buffer torch.nn.parameter.Parameter")
def make_parameter(cx: Context, data: Tensor, requires_grad: Any = True) -> Tensor:
    """A tensor that an optimizer trains."""
    return replace(data, sure=True)


def _overwritten(tensor: Tensor) -> Tensor:
    return replace(tensor, low=None, high=None, sure=True)


@rule(
    " ".join(
        f"torch.nn.init.{name}" for name in ["zeros_", "ones_", "normal_", "uniform_", "constant_", "trunc_normal_"]
    )
)
def initialize(cx: Context, tensor: Tensor, *args: Any, **keywords: Any) -> Tensor:
    """The tensor, its numbers overwritten."""
    return _overwritten(tensor)


@rule(
    "torch.nn.init.xavier_uniform_ torch.nn.init.xavier_normal_ torch.nn.init.kaiming_uniform_ "
    "torch.nn.init.kaiming_normal_ torch.nn.init.orthogonal_"
)
def initialize_weight(cx: Context, tensor: Tensor, *args: Any, **keywords: Any) -> Tensor:
    """The tensor, its numbers overwritten by ones whose spread depends on the features in and out."""
    if tensor.shape.rank is not None and tensor.shape.rank < 2:
        raise Mismatch(
            "shape-axis",
            "{tensor} is {tensor.shape}; this way to begin needs a weight with two axes or more, features out and features in.",
            hint="A bias begins with `nn.init.zeros_`.",
            at="tensor",
        )
    return _overwritten(tensor)


@rule("torch.nn.init.eye_ torch.nn.init.sparse_")
def initialize_matrix(cx: Context, tensor: Tensor, *args: Any, **keywords: Any) -> Tensor:
    """The matrix, its numbers overwritten."""
    if tensor.shape.rank not in (None, 2):
        raise Mismatch("shape-axis", "{tensor} is {tensor.shape}; it must be a matrix.", at="tensor")
    return _overwritten(tensor)


@rule("torch.nn.init.dirac_")
def initialize_kernel(cx: Context, tensor: Tensor, *args: Any, **keywords: Any) -> Tensor:
    """The weight of a convolution, so that it changes nothing."""
    if tensor.shape.rank not in (None, 3, 4, 5):
        raise Mismatch("shape-axis", "{tensor} is {tensor.shape}; it must be the weight of a convolution.", at="tensor")
    return _overwritten(tensor)


@rule("torch.nn.init.calculate_gain")
def calculate_gain(cx: Context, nonlinearity: Any, param: Any = None) -> Any:
    """By how much an activation wants its weights larger."""
    raise CannotTell("a number that depends on the activation")


@rule("torch.nn.utils.parameters_to_vector torch.nn.utils.vector_to_parameters")
def flattened(cx: Context, *args: Any) -> Any:
    """All parameters in one row."""
    raise CannotTell("the parameters of a model are not counted")
