"""Softmax and its family: shares that sum to one along an axis."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from qkv.ops.agree import require_float
from qkv.ops.axes import locate
from qkv.ops.broadcast import same
from qkv.ops.context import CannotTell, Context, Mismatch
from qkv.ops.dtypes import named
from qkv.ops.table import rule
from qkv.shapes import Tensor


def shares(cx: Context, input: Tensor, dim: Any, dtype: Any) -> Tensor:
    """The result of a softmax over an axis. Raises Mismatch where there is no such axis, or where the numbers are whole."""
    if dtype is None:
        require_float(input, "A softmax")
    if dim is not None:
        if not isinstance(dim, int):
            raise CannotTell("which axis is meant is not known here", named(dtype, input.dtype))
        locate(cx, input.shape, dim)
    return replace(same(input), dtype=named(dtype, input.dtype))


@rule("torch.softmax torch.Tensor.softmax torch.log_softmax torch.Tensor.log_softmax torch.special.softmax torch.special.log_softmax", term="softmax")
def softmax(cx: Context, input: Tensor, dim: Any = None, dtype: Any = None) -> Tensor:
    """Exponentials, divided by their sum along an axis: shares that sum to one. The axis must be named here."""
    if dim is None:
        raise Mismatch(
            "shape-axis",
            "softmax needs to be told over which axis the shares sum to one.",
            hint="Scores of queries (rows) and keys (columns) are normalised over the keys: write `dim=-1`.",
            fix="dim-last",
            at="input",
        )
    return shares(cx, input, dim, dtype)


@rule("torch.nn.functional.softmax torch.nn.functional.log_softmax torch.nn.functional.softmin", term="softmax")
def functional_softmax(cx: Context, input: Tensor, dim: Any = None, _stacklevel: Any = 3, dtype: Any = None) -> Tensor:
    """Exponentials, divided by their sum along an axis: shares that sum to one. Without an axis torch guesses one and warns."""
    return shares(cx, input, dim, dtype)


@rule("torch.nn.functional.gumbel_softmax")
def gumbel_softmax(cx: Context, logits: Tensor, tau: Any = 1, hard: Any = False, eps: Any = 1e-10, dim: Any = -1) -> Tensor:
    """A random one-hot choice, softened so that it has a gradient."""
    return shares(cx, logits, dim, None)
