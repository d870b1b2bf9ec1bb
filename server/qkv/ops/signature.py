"""Rules that are a line of notation: `*#b m k, *#b k n -> *b m n`.

A rule may have several alternatives, told apart by the number of axes. A name stands for one size in all of the inputs; a
`*name` for any number of axes, a `#` before it for axes that are stretched to each other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from qkv.ops.broadcast import broadcast
from qkv.ops.context import CannotTell, Context, Mismatch, require_equal
from qkv.shapes import Dim, Shape
from qkv.shapes.notation import Item, evaluate, parse
from qkv.shapes.solve import solve_rank


@dataclass(frozen=True, slots=True)
class Pattern:
    """One shape of a signature: `front` axes, then perhaps `star`, then `back`; `fixed` of them must be there."""

    items: tuple[Item, ...]
    front: tuple[Item, ...]
    star: Item | None
    back: tuple[Item, ...]
    fixed: int


@dataclass(frozen=True, slots=True)
class Alternative:
    """One way to read the inputs, and what they give."""

    inputs: tuple[Pattern, ...]
    output: Pattern


Signature = tuple[Alternative, ...]

Clash = Callable[[str, Dim, Dim, int], Mismatch]
"""Makes the finding that axis `name` has two sizes: (name, size so far, size met, number of the input)."""


@lru_cache(maxsize=256)
def read_signature(text: str) -> Signature:
    """A signature as it is written in a rule: alternatives on lines of their own, or parted by semicolons."""
    lines = [line.strip() for line in text.replace(";", "\n").splitlines()]
    return tuple(_alternative(line) for line in lines if line)


def _alternative(line: str) -> Alternative:
    inputs, _, output = line.partition("->")
    return Alternative(tuple(_pattern(part) for part in inputs.split(",")), _pattern(output))


def _pattern(text: str) -> Pattern:
    items = parse(text.strip())
    at = next((i for i, item in enumerate(items) if item.many), None)
    if at is None:
        return Pattern(items, (), None, items, len(items))
    return Pattern(items, items[:at], items[at], items[at + 1 :], len(items) - 1)


def match(
    cx: Context, signature: Signature, shapes: tuple[Shape, ...], names: tuple[str, ...], clash: Clash, code: str
) -> Shape:
    """The output's shape. Raises Mismatch where no alternative has these numbers of axes, or where a size differs.

    `names` are the rule's parameters that the shapes belong to, for the messages; `code` is that of a wrong number of axes.
    """
    alternative = _choose(signature, shapes, names, code)
    bound: dict[str, Dim] = {}
    stars: dict[str, tuple[Shape, str]] = {}
    for number, (pattern, shape) in enumerate(zip(alternative.inputs, shapes, strict=True)):
        if pattern.star is None:
            solved = solve_rank(cx.store, shape, pattern.fixed)
            if solved is None:
                raise _wrong_rank(signature, names, number, shape, code)
            _bind(cx, pattern.back, solved.back, bound, number, clash)
            continue
        front, middle, back = _cut(cx, pattern, shape)
        _bind(cx, pattern.front, front, bound, number, clash)
        _bind(cx, pattern.back, back, bound, number, clash)
        _bind_star(cx, pattern.star, middle, stars, names[number], code)
    return _build(cx, alternative.output, bound, stars)


def _choose(signature: Signature, shapes: tuple[Shape, ...], names: tuple[str, ...], code: str) -> Alternative:
    """The alternative that the numbers of axes select; of several, the last: it is the one with more axes."""
    for alternative in reversed(signature):
        if all(map(_possible, alternative.inputs, shapes)):
            return alternative
    for number, shape in enumerate(shapes):
        if not any(_possible(alternative.inputs[number], shape) for alternative in signature):
            raise _wrong_rank(signature, names, number, shape, code)
    raise _wrong_rank(signature, names, len(shapes) - 1, shapes[-1], code)


def _possible(pattern: Pattern, shape: Shape) -> bool:
    if shape.row is not None:
        return pattern.star is not None or shape.least_rank <= pattern.fixed
    return len(shape.back) >= pattern.fixed if pattern.star is not None else len(shape.back) == pattern.fixed


def _wrong_rank(signature: Signature, names: tuple[str, ...], number: int, shape: Shape, code: str) -> Mismatch:
    wanted = sorted({alternative.inputs[number].fixed for alternative in signature})
    more = any(alternative.inputs[number].star is not None for alternative in signature)
    text = " or ".join(str(rank) for rank in wanted) + (" or more" if more else "")
    return Mismatch(
        code,
        f"{{{names[number]}}} is {{{names[number]}.shape}}: it has {{rank}} axes, and {{wanted}} are needed.",
        at=names[number],
        rank=shape.rank,
        wanted=text,
    )


def _cut(cx: Context, pattern: Pattern, shape: Shape) -> tuple[tuple[Dim, ...], Shape, tuple[Dim, ...]]:
    """The sizes before the star, what the star stands for, and the sizes behind it."""
    from qkv.ops.axes import locate

    if shape.row is not None:
        if pattern.back:
            shape, _ = locate(cx, shape, -len(pattern.back))
        if pattern.front:
            shape, _ = locate(cx, shape, len(pattern.front) - 1)
    first, last = len(pattern.front), len(shape.back) - len(pattern.back)
    if shape.row is None:
        return shape.back[:first], Shape(shape.back[first:last]), shape.back[last:]
    return shape.front[:first], Shape(shape.back[:last], shape.row, shape.front[first:]), shape.back[last:]


def _bind(
    cx: Context, items: tuple[Item, ...], dims: tuple[Dim, ...], bound: dict[str, Dim], number: int, clash: Clash
) -> None:
    for item, dim in zip(items, dims, strict=True):
        if item.size is None:
            continue
        if isinstance(item.size, str) and item.size not in bound:
            bound[item.size] = dim
            continue
        wanted = evaluate(item.size, bound)
        if wanted is not None and wanted != dim:
            require_equal(cx, wanted, dim, clash(item.label, wanted, dim, number))


def _bind_star(
    cx: Context, star: Item, middle: Shape, stars: dict[str, tuple[Shape, str]], name: str, code: str
) -> None:
    if star.label not in stars:
        stars[star.label] = (middle, name)
        return
    before, first = stars[star.label]
    if star.stretches:
        stars[star.label] = (broadcast(cx, before, middle, (first, name), code), first)
    elif before.row is None and middle.row is None and len(before.back) == len(middle.back):
        for a, b in zip(before.back, middle.back, strict=True):
            finding = Mismatch(
                code,
                f"{{{first}}} is {{{first}.shape}} and {{{name}}} is {{{name}.shape}}: {{left}} is not {{right}}.",
                left=a,
                right=b,
            )
            require_equal(cx, a, b, finding)
    elif before.row is None and middle.row is None:
        raise Mismatch(
            code,
            f"{{{first}}} is {{{first}.shape}} and {{{name}}} is {{{name}.shape}}: they differ in the number of axes.",
        )
    elif before.row is not None:
        stars[star.label] = (middle, name)


def _build(cx: Context, output: Pattern, bound: dict[str, Dim], stars: dict[str, tuple[Shape, str]]) -> Shape:
    if output.star is None:
        return Shape(_sizes(output.back, bound))
    if output.star.label not in stars:
        raise CannotTell("the result's first axes are not known here")
    middle, _ = stars[output.star.label]
    front, back = _sizes(output.front, bound), _sizes(output.back, bound)
    if middle.row is None:
        return Shape(front + middle.back + back)
    return Shape(middle.back + back, middle.row, front + middle.front)


def _sizes(items: tuple[Item, ...], bound: dict[str, Dim]) -> tuple[Dim, ...]:
    found: list[Dim] = []
    for item in items:
        size = evaluate(item.size, bound) if item.size is not None else None
        if size is None:
            raise CannotTell(f"the size {item.label} of the result is not known here")
        found.append(size)
    return tuple(found)
