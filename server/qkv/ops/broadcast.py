"""Broadcasting: two shapes are lined up from the right, and each pair of sizes must be equal or hold a 1."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from qkv.ops.context import Context, Mismatch, require_equal
from qkv.shapes import Dim, Kind, Shape, Symbol, Tensor, Truth
from qkv.shapes.dim import Quotient, Remainder, alone, multiply, subtract
from qkv.shapes.solve import compare, fresh_row, judge, least, meet
from qkv.shapes.values import contiguous_strides

MASK_HINT = "Shapes are compared from the right; give the smaller one an axis of size 1 where it has none, with `unsqueeze` or `None` in an index."


def broadcast(
    cx: Context, left: Shape, right: Shape, names: tuple[str, str] = ("input", "other"), code: str = "shape-broadcast"
) -> Shape:
    """The shape of an elementwise result. Raises Mismatch where the two can never be stretched to one shape.

    A size of an input is never bound here, because it may be 1: the result takes the other side where that is certain.
    `names` are the rule's parameters that the two shapes belong to, for the message.
    """
    if left.row is None and right.row is None:
        return _known_ranks(cx, left, right, names, code)
    if left.row is right.row and len(left.back) == len(right.back) and len(left.front) == len(right.front):
        pairs = _pairs(cx, left, right, len(left.back), names, code)
        front = tuple(
            _stretch(cx, a, b, left, right, names, code) for a, b in zip(left.front, right.front, strict=True)
        )
        return Shape(pairs, left.row, front)
    if left.row is not None and right.row is not None:
        return _both_open(cx, left, right, names, code)
    if right.row is None:
        return _one_open(cx, left, right, names, code, swap=False)
    if len(left.back) >= 3:  # `scores + mask`, with a mask of which little is known: it is the mask that is stretched
        return _covered(cx, left, right, names, code)
    return _one_open(cx, right, left, names, code, swap=True)


def _known_ranks(cx: Context, left: Shape, right: Shape, names: tuple[str, str], code: str) -> Shape:
    if left.back == right.back:
        return left
    shared = min(len(left.back), len(right.back))
    longer = left if len(left.back) > shared else right
    return Shape(longer.back[: len(longer.back) - shared] + _pairs(cx, left, right, shared, names, code))


def _pairs(cx: Context, left: Shape, right: Shape, count: int, names: tuple[str, str], code: str) -> tuple[Dim, ...]:
    """The last `count` axes of both, stretched."""
    if not count:
        return ()
    return tuple(
        _stretch(cx, a, b, left, right, names, code)
        for a, b in zip(left.back[-count:], right.back[-count:], strict=True)
    )


def _one_open(cx: Context, open_: Shape, known: Shape, names: tuple[str, str], code: str, swap: bool) -> Shape:
    """One shape of unknown rank with one of known rank."""
    shared = min(len(open_.back), len(known.back))
    sides = (known, open_) if swap else (open_, known)
    pairs = _pairs(cx, *sides, shared, names, code)
    if len(known.back) <= len(open_.back):
        return Shape(open_.back[: len(open_.back) - shared] + pairs, open_.row, open_.front)
    beyond = known.back[: len(known.back) - shared]
    return Shape(tuple(certain(cx, dim) for dim in beyond) + pairs, fresh_row(cx.store))


def _covered(cx: Context, left: Shape, right: Shape, names: tuple[str, str], code: str) -> Shape:
    """A shape of known rank with one of unknown rank that is taken to be no larger."""
    shared = min(len(left.back), len(right.back))
    beyond = tuple(cx.fresh() if dim == 1 else dim for dim in left.back[: len(left.back) - shared])
    return Shape(beyond + _pairs(cx, left, right, shared, names, code))


def _both_open(cx: Context, left: Shape, right: Shape, names: tuple[str, str], code: str) -> Shape:
    if not right.least_rank:
        return left
    shared = min(len(left.back), len(right.back))
    pairs = _pairs(cx, left, right, shared, names, code)
    longer = left if len(left.back) > shared else right
    beyond = longer.back[: len(longer.back) - shared]
    return Shape(tuple(certain(cx, dim) for dim in beyond) + pairs, fresh_row(cx.store))


def certain(cx: Context, dim: Dim) -> Dim:
    """The size of a result's axis that one side has, where the other side's axis is not known."""
    return cx.fresh() if may_be_one(dim) else dim


def may_be_one(dim: Dim) -> bool:
    """Whether a size can be 1, so that it could be stretched."""
    if isinstance(dim, int):
        return dim == 1
    if any(isinstance(atom, (Quotient, Remainder)) for atom in dim.atoms):
        return True
    low = 0
    for monomial, factor in dim.terms:
        if factor < 0 and monomial:
            return True
        smallest = factor
        for atom, count in monomial:
            smallest *= least(atom) ** count
        low += smallest
    return low <= 1


def _stretch(cx: Context, a: Dim, b: Dim, left: Shape, right: Shape, names: tuple[str, str], code: str) -> Dim:
    if a == b or b == 1:
        return a
    if a == 1:
        return b
    if isinstance(a, int) and isinstance(b, int):
        raise mismatch(a, b, left, right, names, code)
    truth = compare(a, b)
    if truth is Truth.ALWAYS:
        meet(cx.store, a, b, cx.where)
        return a
    loose, other_loose = may_be_one(a), may_be_one(b)
    if not loose and not other_loose:
        return _contract(cx, a, b, mismatch(a, b, left, right, names, code))
    if truth is Truth.NEVER and isinstance(subtract(a, b), int):
        raise mismatch(a, b, left, right, names, code)
    if loose and other_loose:
        if _named_input(a) and _named_input(b):
            _coincidence(cx, a, b, mismatch(a, b, left, right, names, code))
        return cx.fresh()
    return b if loose else a


def _contract(cx: Context, a: Dim, b: Dim, finding: Mismatch) -> Dim:
    require_equal(cx, a, b, finding)
    return a


def _named_input(dim: Dim) -> bool:
    single = alone(dim)
    return isinstance(single, Symbol) and single.kind is Kind.PARAM and bool(single.name)


def _coincidence(cx: Context, a: Dim, b: Dim, finding: Mismatch) -> None:
    """Two sizes that the author holds apart, lined up: it works only if they agree or one of them is 1."""
    verdict = judge(cx.store, a, b)
    if verdict.truth is Truth.SOMETIMES and verdict.evidence == "apart":
        finding.truth = Truth.SOMETIMES
        finding.parts["evidence"] = "apart"
        cx.coincidences.append(finding)


def mismatch(a: Dim, b: Dim, left: Shape, right: Shape, names: tuple[str, str], code: str) -> Mismatch:
    """The finding that two sizes cannot be stretched to one."""
    one, other = names
    hint = MASK_HINT if left.rank != right.rank else None
    return Mismatch(
        code,
        f"{{{one}}} is {{{one}.shape}} and {{{other}}} is {{{other}.shape}}: lined up from the right, {{left}} meets {{right}}, and neither is 1.",
        hint=hint,
        at=other,
        left=a,
        right=b,
        first=left,
        second=right,
    )


def broadcast_all(cx: Context, operands: dict[str, Any]) -> Shape:
    """The shape that all tensors among the named operands are stretched to. Python numbers are scalars."""
    result: Shape | None = None
    name = ""
    for key, value in operands.items():
        if isinstance(value, Tensor):
            result, name = (
                (value.shape, key) if result is None else (broadcast(cx, result, value.shape, (name, key)), name)
            )
    return Shape() if result is None else result


def require_within(cx: Context, target: Tensor, shape: Shape, name: str = "other") -> None:
    """Refuse what an in-place operator cannot do: its result may not be larger than the tensor that it writes to."""
    if target.shape.row is not None or shape.row is not None:
        return
    grown = len(shape.back) > len(target.shape.back) or any(
        have == 1 and compare(have, wanted) is Truth.NEVER
        for have, wanted in zip(target.shape.back[::-1], shape.back[::-1], strict=False)
    )
    if grown:
        raise Mismatch(
            "shape-broadcast",
            "The result would be {result}, but it is written into {input}, which is {input.shape} and cannot grow.",
            hint="Use the operator that makes a new tensor.",
            at=name,
            result=shape,
        )


def require_stretchable(shape: Shape, target: Shape, finding: Mismatch) -> None:
    """Raises `finding` where a shape can never be stretched to the target, which does not grow itself."""
    if shape.row is not None or target.row is not None:
        return
    fits = len(shape.back) <= len(target.back) and all(
        have == 1 or compare(have, wanted) is not Truth.NEVER or may_be_one(have)
        for have, wanted in zip(shape.back[::-1], target.back[::-1], strict=False)
    )
    if not fits:
        raise finding


def elementwise_strides(shape: Shape, operands: list[Tensor]) -> tuple[Dim, ...] | None:
    """The layout of an elementwise result: that of the operands where they all have it, else known only where all are laid out in order."""
    if shape.row is not None:
        return None
    if len(operands) == 1 and operands[0].shape == shape and operands[0].strides == contiguous_strides(shape):
        return operands[0].strides
    whole = [t for t in operands if t.shape.rank is None or t.shape.rank > 0 or len(operands) == 1]
    same = [t for t in whole if t.shape == shape]
    if not same or shape.row is not None:
        return contiguous_strides(shape) if whole and all(_in_order(t) for t in whole) else None
    strides = same[0].strides
    if strides is None or not _dense(shape, strides):
        return contiguous_strides(shape) if all(_in_order(t) for t in whole) else None
    if all(t.strides == strides for t in same) and all(t in same or _in_order(t) for t in whole):
        return strides if len(same) == len(whole) or strides == contiguous_strides(shape) else None
    return None


def _in_order(tensor: Tensor) -> bool:
    return tensor.strides is not None and tensor.strides == contiguous_strides(tensor.shape)


def _dense(shape: Shape, strides: tuple[Dim, ...]) -> bool:
    """Whether the strides are a permutation of those of a tensor that is laid out in order, without gaps or repeats."""
    if len(strides) != len(shape.back):
        return False
    if strides == contiguous_strides(shape):
        return True
    left = [(step, dim) for step, dim in zip(strides, shape.back, strict=True) if dim != 1]
    expected: Dim = 1
    while left:
        found = next((pair for pair in left if pair[0] == expected), None)
        if found is None:
            return False
        left.remove(found)
        expected = multiply(expected, found[1])
    return True


def like(tensor: Tensor, shape: Shape, dtype: str | None, *operands: Tensor) -> Tensor:
    """A new tensor that an elementwise operator makes from `tensor` and others."""
    return Tensor(shape, dtype, tensor.device, elementwise_strides(shape, [tensor, *operands]))


def same(tensor: Tensor, dtype: str | None = None, low: Dim | None = None, high: Dim | None = None) -> Tensor:
    """The result of an operator that works on each number of one tensor."""
    return replace(
        tensor,
        dtype=tensor.dtype if dtype is None else dtype,
        strides=elementwise_strides(tensor.shape, [tensor]),
        low=low,
        high=high,
        sure=True,
    )
