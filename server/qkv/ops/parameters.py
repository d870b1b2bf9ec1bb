"""Parameters of layers, and what is done to them: `nn.Parameter`, `nn.init`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from qkv.ops.context import CannotTell, Context
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


INITIALIZERS = (
    "zeros_ ones_ normal_ uniform_ constant_ trunc_normal_ xavier_uniform_ xavier_normal_ kaiming_uniform_ kaiming_normal_ orthogonal_ eye_ dirac_ sparse_"
)


@rule(" ".join(f"torch.nn.init.{name}" for name in INITIALIZERS.split()))
def initialize(cx: Context, tensor: Tensor, *args: Any, **keywords: Any) -> Tensor:
    """The tensor, its numbers overwritten."""
    return replace(tensor, low=None, high=None)


@rule("torch.nn.utils.parameters_to_vector torch.nn.utils.vector_to_parameters")
def flattened(cx: Context, *args: Any) -> Any:
    """All parameters in one row."""
    raise CannotTell("the parameters of a model are not counted")
