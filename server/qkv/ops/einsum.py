"""Einstein sums, of torch and of einops: letters or names stand for axes, the same name is the same size."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from qkv.ops.agree import require_one_device, require_one_dtype
from qkv.ops.axes import locate
from qkv.ops.broadcast import broadcast
from qkv.ops.context import CannotTell, Context, Mismatch, require_equal
from qkv.ops.patterns import ELLIPSIS
from qkv.ops.table import rule
from qkv.shapes import Dim, Kind, Shape, Tensor
from qkv.shapes.dim import alone
from qkv.shapes.solve import solve_rank, stand_apart, symbol, write

Labels = tuple[str, ...]
"""The names of the axes of one operand or of the result; `...` stands for several."""


class Equation:
    """What an einsum says: the labels of each operand and of the result, its text, and the code of its findings."""

    __slots__ = ("code", "inputs", "output", "text")

    def __init__(self, text: str, inputs: tuple[Labels, ...], output: Labels, code: str) -> None:
        self.text = repr(text)
        self.inputs = inputs
        self.output = output
        self.code = code

    def finding(self, template: str, hint: str | None = None, at: str | None = None, **parts: Any) -> Mismatch:
        """A finding about the equation; `{equation}` in its sentence is the text."""
        return Mismatch(self.code, template, hint=hint, at=at, equation=self.text, **parts)


# -- reading an equation ---------------------------------------------------------------------------------------------------

_LETTERS = re.compile(r"\s*(\.\.\.|[A-Za-z])")
_WORDS = re.compile(r"\s*(\.\.\.|…|[A-Za-z]\w*)")


@lru_cache(maxsize=1024)
def letters(text: str) -> Equation:
    """torch's notation, `bhid,bhjd->bhij`. Raises Mismatch where it is none."""
    left, arrow, right = text.partition("->")
    inputs = tuple(_labels(part, _LETTERS, text, "shape-einsum") for part in left.split(","))
    if arrow:
        return _checked(Equation(text, inputs, _labels(right, _LETTERS, text, "shape-einsum"), "shape-einsum"))
    every = [label for labels in inputs for label in labels]
    once = sorted(label for label in dict.fromkeys(every) if every.count(label) == 1 and label != ELLIPSIS)
    return Equation(text, inputs, ((ELLIPSIS,) if ELLIPSIS in every else ()) + tuple(once), "shape-einsum")


@lru_cache(maxsize=1024)
def words(text: str) -> Equation:
    """einops' notation, `b i d, b j d -> b i j`. Raises Mismatch where it is none."""
    left, arrow, right = text.partition("->")
    if not arrow:
        raise Mismatch(
            "shape-einops", "The pattern {equation} has no `->`.", at="tensors_and_pattern", equation=repr(text)
        )
    inputs = tuple(_labels(part, _WORDS, text, "shape-einops") for part in left.split(","))
    return _checked(Equation(text, inputs, _labels(right, _WORDS, text, "shape-einops"), "shape-einops"))


def _labels(part: str, token: re.Pattern[str], text: str, code: str) -> Labels:
    labels: list[str] = []
    part = part.rstrip()
    at = 0
    while at < len(part):
        found = token.match(part, at)
        if found is None:
            sign = part[at:].strip()[0]
            raise Mismatch(code, "{equation} holds {sign}, which names no axis.", equation=repr(text), sign=repr(sign))
        labels.append(ELLIPSIS if found[1] == "…" else found[1])
        at = found.end()
    if labels.count(ELLIPSIS) > 1:
        raise Mismatch(code, "{equation} has `...` twice for one tensor.", equation=repr(text))
    return tuple(labels)


def _checked(equation: Equation) -> Equation:
    doubled = next((label for label in equation.output if equation.output.count(label) > 1), None)
    if doubled is not None:
        raise equation.finding("The result of {equation} names {name} twice.", name=doubled)
    known = {label for labels in equation.inputs for label in labels}
    stray = next((label for label in equation.output if label not in known and label != ELLIPSIS), None)
    if stray is not None:
        raise equation.finding("The result of {equation} names {name}, which no tensor has.", name=stray)
    return equation


# -- the sizes of its names ------------------------------------------------------------------------------------------------


def contracted(cx: Context, equation: Equation, tensors: tuple[Any, ...]) -> Tensor:
    """The product of all tensors, summed over the names that the result does not have."""
    inputs = equation.inputs
    if len(inputs) != len(tensors):
        raise equation.finding(
            "{equation} names {left} tensors, and {right} are given.",
            hint="A comma parts the names of one tensor from those of the next.",
            left=len(inputs),
            right=len(tensors),
        )
    known = [tensor if isinstance(tensor, Tensor) else cx.unknown() for tensor in tensors]
    operands = {f"operand {number}": tensor for number, tensor in enumerate(known, 1)}
    device = require_one_device(operands)
    dtype = require_one_dtype(operands, "A sum of products") if len(known) > 1 else known[0].dtype
    sizes: dict[str, tuple[Dim, int]] = {}
    spread: Shape | None = None
    for number, (labels, tensor) in enumerate(zip(inputs, known, strict=True), 1):
        rest = _bind(cx, equation, labels, tensor, number, known, sizes)
        if rest is not None:
            spread = rest if spread is None else _stretched(cx, equation, spread, rest)
    shape = _result(equation.output, sizes, spread or Shape())
    stand_apart(cx.store, shape.back)
    return Tensor(shape, dtype, device)


def _result(output: Labels, sizes: dict[str, tuple[Dim, int]], spread: Shape) -> Shape:
    at = output.index(ELLIPSIS) if ELLIPSIS in output else len(output)
    before = tuple(sizes[label][0] for label in output[:at])
    behind = tuple(sizes[label][0] for label in output[at + 1 :])
    if at == len(output):
        return Shape(before)
    if spread.row is None:
        return Shape(before + spread.back + behind)
    return Shape(spread.back + behind, spread.row, before + spread.front)


def _stretched(cx: Context, equation: Equation, left: Shape, right: Shape) -> Shape:
    try:
        return broadcast(cx, left, right, ("left", "right"), equation.code)
    except Mismatch as finding:
        finding.template = "In {equation}, `...` stands for {first} in one tensor and for {second} in another, and these cannot be stretched to each other."
        finding.at, finding.hint = None, None
        finding.parts["equation"] = equation.text
        raise


def _bind(
    cx: Context,
    equation: Equation,
    labels: Labels,
    tensor: Tensor,
    number: int,
    tensors: list[Tensor],
    sizes: dict[str, tuple[Dim, int]],
) -> Shape | None:
    """Hold one tensor against its names. Returns what `...` stands for in it."""
    names = tuple(label for label in labels if label != ELLIPSIS)
    shape, rest = tensor.shape, None
    wrong = equation.finding(
        "Operand {number} of {equation} is {operand}: it has {left} axes, and {labels} names {right}.",
        hint="Name each axis once, or write `...` for those in front.",
        number=number,
        operand=shape,
        labels=f"`{' '.join(labels) if equation.code == 'shape-einops' else ''.join(labels)}`",
        left=shape.rank if shape.rank is not None else shape.least_rank,
        right=len(names),
    )
    if ELLIPSIS not in labels:
        solved = solve_rank(
            cx.store, shape, len(names), lambda place: symbol(cx.store, names[place], Kind.PARAM, cx.where)
        )
        if solved is None:
            raise wrong
        dims = solved.back
    else:
        if shape.rank is not None and shape.rank < len(names):
            raise wrong
        dims, rest = _around(cx, shape, labels.index(ELLIPSIS), len(names) - labels.index(ELLIPSIS))
    here: dict[str, Dim] = {}
    for name, dim in zip(names, dims, strict=True):
        if name in here:  # within one tensor nothing is stretched: a diagonal
            require_equal(cx, here[name], dim, _clash(equation, name, here[name], dim, number, number, tensors))
            continue
        here[name] = dim
        _agree(cx, equation, name, dim, number, tensors, sizes)
        name_axis(cx, dim, name)
    return rest


def _around(cx: Context, shape: Shape, before: int, behind: int) -> tuple[tuple[Dim, ...], Shape]:
    """The axes before and behind `...`, and what it stands for."""
    if shape.row is not None:
        if behind:
            shape, _ = locate(cx, shape, -behind)
        if before:
            shape, _ = locate(cx, shape, before - 1)
    end = len(shape.back) - behind
    if shape.row is not None:
        return shape.front[:before] + shape.back[end:], Shape(shape.back[:end], shape.row, shape.front[before:])
    return shape.back[:before] + shape.back[end:], Shape(shape.back[before:end])


def _agree(
    cx: Context,
    equation: Equation,
    name: str,
    dim: Dim,
    number: int,
    tensors: list[Tensor],
    sizes: dict[str, tuple[Dim, int]],
) -> None:
    """One name is one size in all tensors; a size of 1 is stretched."""
    if name not in sizes or sizes[name][0] == 1:
        sizes[name] = (dim, number)
        return
    before, first = sizes[name]
    if dim != 1:
        require_equal(cx, before, dim, _clash(equation, name, before, dim, first, number, tensors))


def _clash(
    equation: Equation, name: str, left: Dim, right: Dim, first: int, second: int, tensors: list[Tensor]
) -> Mismatch:
    return equation.finding(
        "In {equation}, {name} is {left} in operand {first}, {one}, and {right} in operand {second}, {other}: one name is one size.",
        hint="Check the order of the names against the order of the axes.",
        name=name,
        left=left,
        right=right,
        first=first,
        second=second,
        one=tensors[first - 1].shape,
        other=tensors[second - 1].shape,
    )


def name_axis(cx: Context, dim: Dim, name: str) -> None:
    """Give an axis that has no name the name that a pattern gives it."""
    single = alone(dim)
    if single is None or single.kind is not Kind.PARAM or single.name or dim in cx.store.aliases:
        return
    if name not in cx.store.aliases.values():
        write(cx.store, cx.store.aliases, dim, name)


# -- the operators ---------------------------------------------------------------------------------------------------------


@rule("torch.einsum torch.functional.einsum", term="einsum")
def einsum(cx: Context, equation: Any, *operands: Tensor) -> Tensor:
    """Products of numbers with equal letters, summed over the letters that the result does not name."""
    if not isinstance(equation, str):
        raise CannotTell("the equation is not known here")
    tensors: tuple[Any, ...] = operands
    if len(tensors) == 1 and isinstance(tensors[0], tuple):
        tensors = tensors[0]
    return contracted(cx, letters(equation), tensors)


@rule("einops.einsum", term="einsum")
def named_einsum(cx: Context, *tensors_and_pattern: Tensor) -> Tensor:
    """Products of numbers with equal names, summed over the names that the result leaves out. The pattern stands last."""
    values: tuple[Any, ...] = tensors_and_pattern
    if not values or not isinstance(values[-1], str):
        raise CannotTell("the pattern is not known here")
    return contracted(cx, words(values[-1]), values[:-1])
