"""What the author says of shapes: annotations of parameters."""

from __future__ import annotations

import ast
from typing import Any

from qkv.interp.machine import Machine, fresh_tensor, place
from qkv.interp.values import Choice, Function, Ref
from qkv.shapes import Kind, Tensor, Unknown
from qkv.shapes.solve import symbol
from qkv.shapes.undecided import Undecided


def annotated_value(m: Machine, argument: ast.arg, function: Function, default: Any) -> Any:
    """The value of a parameter by its annotation, or None where that says nothing."""
    annotation = argument.annotation
    if annotation is None:
        return None
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            annotation = ast.parse(annotation.value, mode="eval").body
        except SyntaxError:
            return None
    optional, annotation = _without_none(annotation)
    value = _by_type(m, annotation, argument, function, default)
    if value is None:
        return None
    if (optional or default is None) and not isinstance(value, Unknown):
        return Choice((None, value))
    return value


def _without_none(node: ast.expr) -> tuple[bool, ast.expr]:
    """`X | None`, `Optional[X]`: (True, X)."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        for one, other in ((node.left, node.right), (node.right, node.left)):
            if isinstance(one, ast.Constant) and one.value is None:
                return True, other
    if isinstance(node, ast.Subscript) and ast.unparse(node.value).split(".")[-1] == "Optional":
        return True, node.slice
    return False, node


def _by_type(m: Machine, annotation: ast.expr, argument: ast.arg, function: Function, default: Any) -> Any:
    from qkv.interp.expressions import evaluate

    text = ast.unparse(annotation)
    if text in ("Tensor", "torch.Tensor", "th.Tensor", "torch.FloatTensor", "torch.LongTensor"):
        dtype = {"torch.LongTensor": "int64"}.get(text)
        tensor = fresh_tensor(m)
        return Tensor(tensor.shape, dtype, sure=True)
    if text == "int":
        kind = Kind.CONFIG if function.name == "__init__" or isinstance(default, int) else Kind.PARAM
        number = default if isinstance(default, int) and not isinstance(default, bool) else None
        owner = function.owner.name if function.owner is not None and function.name == "__init__" else None
        return symbol(m.store, argument.arg, kind, place(m, argument), number, owner)
    if text in ("bool", "str", "float", "bytes"):
        return Unknown(f"{argument.arg} may be any {text}")
    if (
        isinstance(annotation, ast.Subscript)
        and isinstance(annotation.slice, ast.Tuple)
        and len(annotation.slice.elts) == 2
    ):
        base = evaluate(m, annotation.value, function.scope)
        axes = annotation.slice.elts[1]
        if (
            isinstance(base, Ref)
            and base.name.startswith("jaxtyping.")
            and isinstance(axes, ast.Constant)
            and isinstance(axes.value, str)
        ):
            from qkv.interp.jaxtyping import claimed_tensor

            return claimed_tensor(m, base.name, axes.value, argument)
    if isinstance(annotation, (ast.Name, ast.Attribute)):
        return _of_class(m, annotation, argument, function)
    return None


def _of_class(m: Machine, annotation: ast.expr, argument: ast.arg, function: Function) -> Any:
    """A parameter annotated with a class of the code: its attributes are settings."""
    from qkv.interp.expressions import evaluate
    from qkv.interp.values import Class

    found = evaluate(m, annotation, function.scope)
    if isinstance(found, Class):
        return Undecided(argument.arg, Kind.CONFIG, place(m, argument))
    return None
