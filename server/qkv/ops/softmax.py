"""Softmax and its kin: weights that add up to 1 along an axis."""

from __future__ import annotations

from typing import Any

from qkv.ops.agree import require_float
from qkv.ops.context import CannotTell, Context, Mismatch
from qkv.ops.dtypes import named
from qkv.ops.reduction import along
from qkv.ops.table import rule
from qkv.shapes import Tensor


def _softmax(cx: Context, input: Tensor, dim: Any, dtype: Any) -> Tensor:
    if dtype is None:
        require_float(input, "softmax")
    if not isinstance(dim, int):
        raise CannotTell("along which axis is not known here", input.dtype)
    return along(cx, input, dim, named(dtype, input.dtype))


@rule("torch.softmax torch.Tensor.softmax torch.special.softmax", term="softmax")
def softmax(cx: Context, input: Tensor, dim: Any = None, dtype: Any = None) -> Tensor:
    """Numbers become weights: each is positive, and along the axis `dim` they add up to 1."""
    if dim is None:
        raise _no_axis("softmax")
    return _softmax(cx, input, dim, dtype)


@rule("torch.log_softmax torch.Tensor.log_softmax torch.special.log_softmax", term="log-softmax")
def log_softmax(cx: Context, input: Tensor, dim: Any = None, dtype: Any = None) -> Tensor:
    """The logarithms of the weights that softmax gives along the axis `dim`."""
    if dim is None:
        raise _no_axis("log_softmax")
    return _softmax(cx, input, dim, dtype)


def _no_axis(name: str) -> Mismatch:
    return Mismatch(
        "shape-axis",
        "`{name}` needs an axis along which the weights add up to 1; without `dim` this call raises.",
        hint="Scores of attention are normalised over the keys, their last axis: `dim=-1`.",
        fix="dim=-1",
        name=name,
    )


@rule("torch.nn.functional.softmax", term="softmax")
def functional_softmax(cx: Context, input: Tensor, dim: Any = None, _stacklevel: Any = 3, dtype: Any = None) -> Tensor:
    """Numbers become weights: each is positive, and along the axis `dim` they add up to 1."""
    return _softmax(cx, input, _guessed(input, dim), dtype)


@rule("torch.nn.functional.log_softmax", term="log-softmax")
def functional_log_softmax(
    cx: Context, input: Tensor, dim: Any = None, _stacklevel: Any = 3, dtype: Any = None
) -> Tensor:
    """The logarithms of the weights that softmax gives along the axis `dim`."""
    return _softmax(cx, input, _guessed(input, dim), dtype)


@rule("torch.nn.functional.softmin", term="softmax")
def softmin(cx: Context, input: Tensor, dim: Any = None, _stacklevel: Any = 3, dtype: Any = None) -> Tensor:
    """Softmax of the numbers with their signs turned: small ones get large weights."""
    return _softmax(cx, input, _guessed(input, dim), dtype)


def _guessed(input: Tensor, dim: Any) -> Any:
    """The axis that `F.softmax` takes, with a warning, where none is given: 0 of a tensor with 0, 1 or 3 axes, else 1."""
    if dim is not None or input.shape.rank is None:
        return 0 if dim is None else dim
    return 0 if input.shape.rank in (0, 1, 3) else 1


@rule("torch.nn.functional.gumbel_softmax", term="softmax")
def gumbel_softmax(
    cx: Context, logits: Tensor, tau: Any = 1, hard: Any = False, eps: Any = 1e-10, dim: int = -1
) -> Tensor:
    """A random choice that gradients pass through: weights that add up to 1 along the axis, or one of them 1."""
    return along(cx, logits, dim, logits.dtype)
