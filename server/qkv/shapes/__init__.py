"""Symbolic sizes, shapes and tensors, and what is known about them."""

from qkv.shapes.dim import Dim, Expr, Kind, Symbol
from qkv.shapes.solve import Need, Store, Truth, Verdict
from qkv.shapes.values import Device, Dtype, Layer, Named, Row, Shape, Size, Slice, Some, Tensor, Unknown, Value, known

__all__ = [
    "Device",
    "Dim",
    "Dtype",
    "Expr",
    "Kind",
    "Layer",
    "Named",
    "Need",
    "Row",
    "Shape",
    "Size",
    "Slice",
    "Some",
    "Store",
    "Symbol",
    "Tensor",
    "Truth",
    "Unknown",
    "Value",
    "Verdict",
    "known",
]
