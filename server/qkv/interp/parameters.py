"""What a function's parameters are, when it is read on its own."""

from __future__ import annotations

import ast
from typing import Any

from qkv.interp.machine import Machine, fresh_tensor, place
from qkv.interp.values import Choice, Function
from qkv.ops import RULES
from qkv.shapes import Kind, Tensor, Unknown
from qkv.shapes.solve import symbol
from qkv.shapes.undecided import Undecided

_TENSOR_ONLY = frozenset(
    [
        "shape",
        "size",
        "view",
        "reshape",
        "transpose",
        "permute",
        "unsqueeze",
        "squeeze",
        "matmul",
        "softmax",
        "masked_fill",
        "contiguous",
        "expand",
        "flatten",
        "chunk",
        "split",
        "dim",
        "ndim",
        "mean",
        "sum",
        "float",
        "half",
        "long",
        "bool",
        "device",
        "dtype",
        "T",
        "mT",
        "new_zeros",
        "new_ones",
        "type_as",
        "numel",
        "unbind",
        "repeat",
        "detach",
        "clone",
        "masked_fill_",
        "unflatten",
    ]
)
_SIZE_CALLS = frozenset(
    [
        "range",
        "zeros",
        "ones",
        "randn",
        "rand",
        "empty",
        "arange",
        "full",
        "Linear",
        "Embedding",
        "Conv1d",
        "Conv2d",
        "LayerNorm",
        "MultiheadAttention",
        "eye",
    ]
)


def looks(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, name: str) -> str:
    """How a function uses a parameter: as a `tensor`, as a `size`, or not decidedly (`""`)."""
    tensor = size = False
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == name:
            tensor = tensor or node.attr in _TENSOR_ONLY
        elif isinstance(node, ast.BinOp):
            here = any(isinstance(side, ast.Name) and side.id == name for side in (node.left, node.right))
            tensor = tensor or (here and isinstance(node.op, ast.MatMult))
            size = size or (here and isinstance(node.op, (ast.FloorDiv, ast.Mod)))
        elif isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            here = [i for i, item in enumerate(node.args) if isinstance(item, ast.Name) and item.id == name]
            if (here and called in _SIZE_CALLS) or (
                here
                and (here[0] > 0 or called in ("view", "reshape", "expand", "repeat"))
                and called in ("view", "reshape", "expand", "repeat", "new_zeros")
            ):
                size = True
            elif (
                here
                and here[0] == 0
                and isinstance(node.func, ast.Attribute)
                and f"torch.{called}" in RULES
                and called not in ("tensor", "as_tensor")
            ):
                tensor = True
        elif (
            isinstance(node, ast.Subscript)
            and isinstance(node.value, ast.Name)
            and node.value.id == name
            and isinstance(node.slice, ast.Tuple)
        ):
            tensor = True
    return "tensor" if tensor else ("size" if size else "")


def parameter_values(
    m: Machine, function: Function, skip_first: bool, kind: Kind, owner: str | None
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Symbolic arguments for a call of a function on its own: (positional, by keyword)."""
    from qkv.interp.claims import annotated_value

    node = function.node.args
    positional = [*node.posonlyargs, *node.args][1 if skip_first else 0 :]
    defaults: dict[str, Any] = {}
    for argument, value in zip(reversed([*node.posonlyargs, *node.args]), reversed(function.defaults), strict=False):
        defaults[argument.arg] = value
    defaults |= function.keyword_defaults

    def make(argument: ast.arg) -> Any:
        claimed = annotated_value(m, argument, function, defaults.get(argument.arg, ...))
        if claimed is not None:
            return claimed
        return symbolic(m, function, argument, defaults.get(argument.arg, ...), kind, owner)

    values = tuple(make(argument) for argument in positional)
    keywords = {argument.arg: make(argument) for argument in node.kwonlyargs}
    return values, keywords


def symbolic(m: Machine, function: Function, argument: ast.arg, default: Any, kind: Kind, owner: str | None) -> Any:
    """A parameter by its default and its use."""
    name = argument.arg
    where = place(m, argument)
    if isinstance(default, (bool, str, float)):
        return Unknown(f"{name} has a default, and callers may give something else")
    if isinstance(default, int):
        return symbol(m.store, name, Kind.CONFIG, where, default, owner)
    use = looks(function.node, name)
    if use == "tensor":
        tensor: Any = fresh_tensor(m)
        return tensor if default is ... else Choice((None, tensor)) if default is None else tensor
    if default is not ... and default is not None and not isinstance(default, (Tensor, tuple)):
        return Unknown(f"{name} has a default, and callers may give something else")
    if use == "size" and default is ...:
        return symbol(m.store, name, kind, where, None, owner)
    if default is None:
        return (
            Choice((None, symbol(m.store, name, kind, where, None, owner)))
            if use == "size"
            else Unknown(f"{name} may be None")
        )
    return Undecided(name, kind, where, owner)
