"""Symbolic sizes, shapes and tensors, and what is known about them."""

from qkv.shapes.dim import Dim, Expr, Kind, Symbol
from qkv.shapes.solve import Need, Store, Truth, Verdict
from qkv.shapes.values import Device, Dtype, Row, Shape, Size, Tensor, Unknown, known

__all__ = [
    "Device",
    "Dim",
    "Dtype",
    "Expr",
    "Kind",
    "Need",
    "Row",
    "Shape",
    "Size",
    "Store",
    "Symbol",
    "Tensor",
    "Truth",
    "Unknown",
    "Verdict",
    "known",
]
