"""Symbolic sizes, shapes and tensors, and what is known about them."""

from qkv.shapes.dim import Dim, Expr, Kind, Symbol
from qkv.shapes.solve import Need, Store, Truth, Verdict
from qkv.shapes.values import Device, Dtype, Layer, Row, Shape, Size, Slice, Tensor, Unknown, Value, known

__all__ = [
    "Device",
    "Dim",
    "Dtype",
    "Expr",
    "Kind",
    "Layer",
    "Need",
    "Row",
    "Shape",
    "Size",
    "Slice",
    "Store",
    "Symbol",
    "Tensor",
    "Truth",
    "Unknown",
    "Value",
    "Verdict",
    "known",
]
