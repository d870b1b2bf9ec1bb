"""Operator rules. Importing this package fills the table: one module a family of operators."""

from qkv.ops import (
    activation,
    attention,
    casts,
    creation,
    einops,
    einsum,
    elementwise,
    embedding,
    indexing,
    joining,
    linear,
    loss,
    matmul,
    movement,
    norm,
    parameters,
    picking,
    pointwise,
    reduction,
    softmax,
    views,
)
from qkv.ops.context import CannotTell, Context, Mismatch, require_equal
from qkv.ops.table import FORWARDS, LAYERS, RULES, apply, call_layer, make_layer

__all__ = [
    "FORWARDS",
    "LAYERS",
    "RULES",
    "CannotTell",
    "Context",
    "Mismatch",
    "apply",
    "call_layer",
    "make_layer",
    "require_equal",
]

FAMILIES = (
    activation,
    attention,
    casts,
    creation,
    einops,
    einsum,
    elementwise,
    embedding,
    indexing,
    joining,
    linear,
    loss,
    matmul,
    movement,
    norm,
    parameters,
    picking,
    pointwise,
    reduction,
    softmax,
    views,
)
"""The modules that fill the table."""
