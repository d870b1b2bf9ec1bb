"""What is known of a mask's numbers: one value on one side of a diagonal, another beyond it.

A causal mask is a step: row i (a query) and column j (a key) hold `low` where j - i <= `diagonal` and `high` elsewhere. Building and
changing it is arithmetic on steps: `tril(k)` is a step at k, `triu(k)` one at k - 1, and what works number by number works on both
values. A mask whose steps are known tells at its use what it lets a query see.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from qkv.interp.machine import Machine, Use, place
from qkv.shapes import Slice, Tensor
from qkv.shapes.solve import resolve_shape
from qkv.source import Location

Number = float


@dataclass(frozen=True, slots=True)
class Step:
    """`low` where column - row <= `diagonal`, else `high`. A `diagonal` of None: one number everywhere (`low` and `high` agree)."""

    diagonal: int | None
    low: Number
    high: Number
    birth: Location | None = None


def constant(value: Number) -> Step:
    """The same number everywhere."""
    return Step(None, value, value)


def map_step(step: Step, function: Callable[[Number], Number]) -> Step:
    """A step after an operator that works number by number."""
    return replace(step, low=function(step.low), high=function(step.high))


def merge_steps(a: Step, b: Step, function: Callable[[Number, Number], Number]) -> Step | None:
    """Two steps under an operator that works number by number; None where they step at different diagonals."""
    if a.diagonal is None:
        return replace(map_step(b, lambda y: function(a.low, y)), birth=b.birth or a.birth)
    if b.diagonal is None:
        return map_step(a, lambda x: function(x, b.low))
    if a.diagonal != b.diagonal:
        return None
    return Step(a.diagonal, function(a.low, b.low), function(a.high, b.high), a.birth or b.birth)


_UNARY: dict[str, Callable[[Number], Number]] = {
    "__invert__": lambda v: float(not v),
    "logical_not": lambda v: float(not v),
    "bitwise_not": lambda v: float(not v),
    "bool": lambda v: float(bool(v)),
    "__neg__": lambda v: -v,
    "neg": lambda v: -v,
}
_SAME = frozenset(
    [
        "float",
        "half",
        "double",
        "bfloat16",
        "long",
        "int",
        "to",
        "type",
        "type_as",
        "cuda",
        "cpu",
        "contiguous",
        "clone",
        "detach",
        "unsqueeze",
        "expand",
        "view",
        "reshape",
        "repeat",
        "requires_grad_",
        "data",
    ]
)
_BINARY: dict[str, Callable[[Number, Number], Number]] = {
    "__add__": lambda a, b: a + b,
    "add": lambda a, b: a + b,
    "__radd__": lambda a, b: a + b,
    "__sub__": lambda a, b: a - b,
    "__rsub__": lambda a, b: b - a,
    "__mul__": lambda a, b: 0.0 if (a == 0 and not math.isinf(b)) or (b == 0 and not math.isinf(a)) else a * b,
    "__rmul__": lambda a, b: 0.0 if (a == 0 and not math.isinf(b)) or (b == 0 and not math.isinf(a)) else a * b,
    "__eq__": lambda a, b: float(a == b),
    "eq": lambda a, b: float(a == b),
    "__ne__": lambda a, b: float(a != b),
    "__lt__": lambda a, b: float(a < b),
    "__le__": lambda a, b: float(a <= b),
    "__gt__": lambda a, b: float(a > b),
    "__ge__": lambda a, b: float(a >= b),
    "__and__": lambda a, b: float(bool(a) and bool(b)),
    "__or__": lambda a, b: float(bool(a) or bool(b)),
    "logical_and": lambda a, b: float(bool(a) and bool(b)),
    "logical_or": lambda a, b: float(bool(a) or bool(b)),
}


def step_of(value: Any) -> Step | None:
    """What is known of a value's numbers."""
    if isinstance(value, Tensor):
        return value.pattern if isinstance(value.pattern, Step) else None
    if isinstance(value, (int, float)) and not (isinstance(value, float) and math.isnan(value)):
        return constant(float(value))
    return None


def follow(m: Machine, name: str, given: dict[str, Any], result: Any, node: ast.AST) -> Any:
    """The result of a rule with what is known of its numbers. `given` are the arguments by parameter name."""
    if isinstance(result, tuple) and any(isinstance(item, Tensor) and item.pattern is not None for item in result):
        return (
            type(result)(replace(item, pattern=None) if isinstance(item, Tensor) else item for item in result)
            if type(result) is tuple
            else result
        )
    if not isinstance(result, Tensor):
        return result
    step = _followed(
        m,
        name.rsplit(".", 1)[-1].removesuffix("_") if not name.endswith("__") else name.rsplit(".", 1)[-1],
        given,
        result,
        node,
    )
    return result if result.pattern is step else replace(result, pattern=step)


def _followed(m: Machine, name: str, given: dict[str, Any], result: Tensor, node: ast.AST) -> Step | None:
    if name in ("ones", "ones_like"):
        return constant(1.0)
    if name in ("zeros", "zeros_like"):
        return constant(0.0)
    if name in ("full", "full_like", "fill"):
        return step_of(given.get("fill_value", given.get("value")))
    own = step_of(given.get("input", given.get("tensor")))
    if name in ("tril", "triu"):
        return _triangle(m, name, own, given.get("diagonal", 0), node)
    if name == "generate_square_subsequent_mask":
        return Step(0, 0.0, -math.inf, place(m, node))
    if own is None:
        return None
    if name in _UNARY:
        return map_step(own, _UNARY[name])
    if name in _SAME:
        kept = own if own.diagonal is None or _keeps_plane(m, given.get("input"), result) else None
        return map_step(kept, lambda v: float(bool(v))) if kept is not None and result.dtype == "bool" else kept
    if name in _BINARY:
        other = step_of(given.get("other"))
        return _finite(merge_steps(own, other, _BINARY[name])) if other is not None else None
    if name == "masked_fill":
        return _filled(own, step_of(given.get("mask")), step_of(given.get("value")))
    if name == "__getitem__":
        return own if own.diagonal is None or _plain_slices(given.get("index"), result) else None
    if name in ("transpose", "mT", "T", "t") and own.diagonal is not None and result.shape.rank == 2:
        return Step(-own.diagonal - 1, own.high, own.low, own.birth)
    return own if own.diagonal is None and name in ("transpose", "permute", "mT", "T", "t", "squeeze") else None


def _finite(step: Step | None) -> Step | None:
    return None if step is None or math.isnan(step.low) or math.isnan(step.high) else step


def _triangle(m: Machine, name: str, own: Step | None, diagonal: Any, node: ast.AST) -> Step | None:
    if own is None or own.diagonal is not None or not isinstance(diagonal, int):
        return None
    if name == "tril":
        return Step(diagonal, own.low, 0.0, place(m, node))
    return Step(diagonal - 1, 0.0, own.low, place(m, node))


def _filled(own: Step, mask: Step | None, value: Step | None) -> Step | None:
    if mask is None or value is None or value.diagonal is not None:
        return None
    return merge_steps(own, mask, lambda mine, hidden: value.low if hidden else mine)


def _keeps_plane(m: Machine, before: Any, after: Tensor) -> bool:
    """Whether the last two axes are still the mask's rows and columns."""
    if not isinstance(before, Tensor):
        return False
    a, b = resolve_shape(m.store, before.shape), resolve_shape(m.store, after.shape)
    return len(a.back) >= 2 and len(b.back) >= 2 and a.back[-2:] == b.back[-2:]


def _plain_slices(index: Any, result: Tensor) -> bool:
    """Whether an index cuts rows and columns from 0 on, or only adds or picks axes in front."""
    items: tuple[Any, ...] = index if isinstance(index, tuple) else (index,)
    if any(isinstance(item, Tensor) for item in items) or result.shape.rank is None:
        return False
    if Ellipsis in [item for item in items if item is Ellipsis]:
        return False
    slices = [item for item in items if isinstance(item, Slice)]
    if any(item.start not in (None, 0) or item.step is not None for item in slices):
        return False
    picked = sum(isinstance(item, int) and not isinstance(item, bool) for item in items)
    new = sum(item is None for item in items)
    return result.shape.rank >= 2 and (picked == 0 or items[-1] is not items[0]) and not (new and items[-1] is None)


HIDDEN = -1e4
"""A score at or below this gets no weight worth the name."""


def note_use(m: Machine, name: str, given: dict[str, Any], node: ast.AST, nodes: dict[str, ast.AST]) -> None:
    """Write down where a mask whose step is known meets scores."""
    if m.silent:
        return
    last = name.rsplit(".", 1)[-1]
    if last in ("masked_fill", "masked_fill_"):
        mask, value = step_of(given.get("mask")), given.get("value")
        scores = given.get("input")
        fills = isinstance(value, (int, float)) and value <= HIDDEN
        if fills and mask is not None and isinstance(scores, Tensor) and step_of(scores) is None:
            _write(m, "fill", mask, bool(mask.low), bool(mask.high), node, "mask", given, nodes)
    elif last == "scaled_dot_product_attention":
        mask = step_of(given.get("attn_mask"))
        tensor = given.get("attn_mask")
        if mask is not None and isinstance(tensor, Tensor):
            truth = tensor.dtype == "bool"
            low, high = ((not mask.low), (not mask.high)) if truth else (mask.low <= HIDDEN, mask.high <= HIDDEN)
            _write(m, "keeps" if truth else "added", mask, low, high, node, "attn_mask", given, nodes)
    elif name.startswith("torch.nn."):
        for key in ("attn_mask", "src_mask", "tgt_mask", "mask"):
            tensor, mask = given.get(key), step_of(given.get(key))
            if mask is not None and isinstance(tensor, Tensor):
                truth = tensor.dtype == "bool"
                low, high = (bool(mask.low), bool(mask.high)) if truth else (mask.low <= HIDDEN, mask.high <= HIDDEN)
                _write(m, "blocks" if truth else "added", mask, low, high, node, key, given, nodes)
    elif last in ("__add__", "__radd__", "add"):
        _note_sum(m, given, node, nodes)


def _note_sum(m: Machine, given: dict[str, Any], node: ast.AST, nodes: dict[str, ast.AST]) -> None:
    for key, other in (("other", "input"), ("input", "other")):
        mask, tensor = step_of(given.get(key)), given.get(key)
        scores = given.get(other)
        if (
            mask is None
            or mask.diagonal is None
            or not isinstance(tensor, Tensor)
            or not isinstance(scores, Tensor)
            or step_of(scores) is not None
        ):
            continue
        if min(mask.low, mask.high) <= HIDDEN:
            _write(m, "added", mask, mask.low <= HIDDEN, mask.high <= HIDDEN, node, key, given, nodes)


def _write(
    m: Machine,
    how: str,
    step: Step,
    low: bool,
    high: bool,
    node: ast.AST,
    key: str,
    given: dict[str, Any],
    nodes: dict[str, ast.AST],
) -> None:
    if step.diagonal is None:
        return
    tensor = given[key]
    shape = resolve_shape(m.store, tensor.shape)
    square = len(shape.back) >= 2 and shape.back[-1] == shape.back[-2]
    at = nodes.get(key)
    m.log.uses.append(Use(node, m.frame.unit, how, step.diagonal, low, high, step.birth, square, at, m.frame.name))
