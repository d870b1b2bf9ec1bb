"""einx, where it is simple: operators whose axes are paired by their names, and reductions of bracketed axes."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from qkv.ops.context import CannotTell, Context, Mismatch, require_equal
from qkv.ops.dtypes import as_float, is_discrete, result_dtype
from qkv.ops.einops import Sizes, put_together, take_apart
from qkv.ops.patterns import ELLIPSIS, PatternError, Side, read_side
from qkv.ops.table import rule
from qkv.shapes import Expr, Shape, Tensor, Unknown

ARITHMETIC = "add subtract multiply divide true_divide floor_divide maximum minimum logaddexp"
COMPARISONS = "less less_equal greater greater_equal equal not_equal logical_and logical_or"
REDUCTIONS = "sum mean prod max min logsumexp"
TESTS = "any all count_nonzero"


def _full(names: str) -> str:
    return " ".join(f"einx.{name}" for name in names.split())


def _side(text: str, pattern: str) -> Side:
    try:
        return read_side(re.sub(r"[\[\]]", "", text))
    except PatternError as problem:
        why = str(problem)
        raise Mismatch(
            "shape-einops", "The pattern {pattern} cannot be read: {why}.", at="pattern", pattern=repr(pattern), why=why
        ) from None


def _paired(cx: Context, pattern: Any, operands: tuple[Any, ...]) -> Shape:
    """The shape of a result whose axes are named by the pattern; an input without an output is as large as the largest."""
    if not isinstance(pattern, str):
        raise CannotTell("the pattern is not known here")
    before, arrow, after = pattern.partition("->")
    texts = before.split(",")
    if len(texts) != len(operands):
        raise Mismatch(
            "shape-einops",
            "The pattern {pattern} names {left} tensors, and {right} are given.",
            at="pattern",
            pattern=repr(pattern),
            left=len(texts),
            right=len(operands),
        )
    sides = [_side(text, pattern) for text in texts]
    sizes: Sizes = {}
    rest: Shape | None = None
    for side, operand in zip(sides, operands, strict=True):
        if isinstance(operand, Tensor):
            found, more = take_apart(cx, operand, side, pattern, dict(sizes))
            sizes |= found
            if side.has_ellipsis:
                rest = more if rest is None else _same_rest(cx, rest, more, pattern)
        elif isinstance(operand, Unknown) or not isinstance(operand, (int, float, Expr)):
            raise CannotTell("one of the tensors is not known here")
    output = _side(after, pattern) if arrow else _largest(sides)
    if any(name not in sizes for name in output.names):
        raise CannotTell("a size of the result is not known here")
    return put_together(cx, output, sizes, rest or Shape())


def _same_rest(cx: Context, first: Shape, other: Shape, pattern: str) -> Shape:
    """What `...` stands for in two tensors, which must be the same."""
    if first.row is not None or other.row is not None:
        return first if first.row is None else other
    refusal = "In {pattern}, `...` stands for {left} in one tensor and for {right} in another."
    finding = Mismatch("shape-einops", refusal, at="pattern", pattern=repr(pattern), left=first, right=other)
    if len(first.back) != len(other.back):
        raise finding
    for left, right in zip(first.back, other.back, strict=True):
        require_equal(cx, left, right, finding)
    return first


def _largest(sides: list[Side]) -> Side:
    """The side that names all axes of the others."""
    every = {name for side in sides for name in side.names}
    for side in sides:
        if every <= set(side.names):
            return side
    raise CannotTell("the pattern does not say what the result is")


def _made(shape: Shape, dtype: str | None) -> Tensor:
    return Tensor(shape, dtype)


def _result_dtype(operands: tuple[Any, ...]) -> str | None:
    return result_dtype(
        *(replace(value, shape=Shape((1,))) if isinstance(value, Tensor) else value for value in operands)
    )


@rule(_full(ARITHMETIC))
def arithmetic(cx: Context, pattern: Any, *tensors: Any) -> Tensor:
    """An operator number by number, its axes paired by their names."""
    shape = _paired(cx, pattern, tensors)
    return _made(
        shape, _result_dtype(tensors) if not all(is_discrete(getattr(t, "dtype", None)) for t in tensors) else None
    )


@rule(_full(COMPARISONS))
def comparison(cx: Context, pattern: Any, *tensors: Any) -> Tensor:
    """A comparison number by number, its axes paired by their names: True or False."""
    return _made(_paired(cx, pattern, tensors), "bool")


@rule("einx.where")
def where(cx: Context, pattern: Any, *tensors: Any) -> Tensor:
    """From the second where the first is True, from the third where it is False; axes are paired by their names."""
    return _made(_paired(cx, pattern, tensors), _result_dtype(tensors[1:]))


@rule("einx.get_at")
def get_at(cx: Context, pattern: Any, *tensors: Any) -> Tensor:
    """The numbers of the first at the positions that the others name, along the bracketed axes."""
    if not isinstance(pattern, str) or "->" not in pattern:
        raise CannotTell("the pattern does not say what the result is")
    return _made(
        _paired(cx, pattern, tensors), tensors[0].dtype if tensors and isinstance(tensors[0], Tensor) else None
    )


def _reduced(cx: Context, pattern: Any, tensor: Tensor) -> Shape:
    """The shape without the bracketed axes, or the one that stands behind the arrow."""
    if not isinstance(pattern, str):
        raise CannotTell("the pattern is not known here")
    before, arrow, after = pattern.partition("->")
    if not arrow and "(" in pattern:
        raise CannotTell("brackets in brackets are not followed")
    sizes, rest = take_apart(cx, tensor, _side(before, pattern), pattern, {})
    output = _side(after, pattern) if arrow else _side(re.sub(r"\[[^\]]*\]", "", before), pattern)
    if any(name not in sizes for name in output.names) or (ELLIPSIS in after and ELLIPSIS not in before):
        raise CannotTell("a size of the result is not known here")
    return put_together(cx, output, sizes, rest)


@rule(_full(REDUCTIONS))
def reduction(cx: Context, pattern: Any, tensor: Tensor) -> Tensor:
    """The bracketed axes folded, or those that stand on the left only."""
    return _made(_reduced(cx, pattern, tensor), None if is_discrete(tensor.dtype) else as_float(tensor.dtype))


@rule(_full(TESTS))
def test(cx: Context, pattern: Any, tensor: Tensor) -> Tensor:
    """Whether any (or every) number along the bracketed axes is not zero, or how many are not."""
    return _made(_reduced(cx, pattern, tensor), None)
