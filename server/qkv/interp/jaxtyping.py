"""jaxtyping's annotations: `Float[Tensor, "batch seq d_model"]`."""

from __future__ import annotations

import ast

from qkv.interp.machine import Machine, place
from qkv.shapes import Dim, Kind, Row, Shape, Tensor
from qkv.shapes.solve import fresh, fresh_row, stand_apart, symbol

DTYPES = {
    "Float": None,
    "Float32": "float32",
    "Float64": "float64",
    "Float16": "float16",
    "BFloat16": "bfloat16",
    "Bool": "bool",
    "Int": None,
    "Int64": "int64",
    "Int32": "int32",
}


def claimed_tensor(m: Machine, kind: str, axes: str, node: ast.AST) -> Tensor:
    """The tensor that an annotation promises. One name is one size throughout a function."""
    front: list[Dim] = []
    back: list[Dim] = []
    row: Row | None = None
    for word in axes.split():
        if word == "..." or word.startswith("*"):
            row = m.claimed_rows.setdefault(word, fresh_row(m.store, word.removeprefix("*") if word != "..." else None))
            front, back = back, []
            continue
        back.append(_axis(m, word, node))
    stand_apart(m.store, (*front, *back))
    if row is None:
        front, back = [], [*front, *back]
    return Tensor(Shape(tuple(back), row, tuple(front)), DTYPES.get(kind.removeprefix("jaxtyping.")))


def _axis(m: Machine, word: str, node: ast.AST) -> Dim:
    word = word.lstrip("#?").split("=")[-1]
    if word.isdigit():
        return int(word)
    if not word.isidentifier() or word.startswith("_"):
        return fresh(m.store)
    if word not in m.claimed_sizes:
        m.claimed_sizes[word] = symbol(m.store, word, Kind.PARAM, place(m, node))
    return m.claimed_sizes[word]
