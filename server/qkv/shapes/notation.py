"""The notation of shapes: `*batch heads T d`, as jaxtyping writes it. Rules of operators and annotations share it.

name        a size; the same name is the same size
4           a number
_  _name    an axis of any size
*name  ...  any number of axes, with or without a name
#name       a size that may also be 1, to be stretched (`*#name`: any number of such)
name=4      a number with a name that is only for the reader
a*b  a+1    arithmetic over names, without blanks
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from qkv.shapes.dim import Dim, add, floor_divide, multiply, subtract


@dataclass(frozen=True, slots=True)
class Operation:
    """`left op right`; op is one of `+ - * //`."""

    op: str
    left: Size
    right: Size


Size: TypeAlias = int | str | Operation


@dataclass(frozen=True, slots=True)
class Item:
    """One entry of a shape in notation. `size` is None where anything fits; `label` is the name as it was written."""

    label: str
    size: Size | None
    many: bool = False
    stretches: bool = False


class NotationError(ValueError):
    """The text is not a shape in this notation; the message says where it goes wrong."""


_OPERATORS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//"}
_FUNCTIONS: Mapping[str, Callable[[Dim, Dim], Dim]] = {"+": add, "-": subtract, "*": multiply, "//": floor_divide}


@lru_cache(maxsize=1024)
def parse(text: str) -> tuple[Item, ...]:
    """The items of a shape in notation. Raises NotationError."""
    items = tuple(_item(word) for word in text.split())
    if sum(item.many for item in items) > 1:
        raise NotationError(f"{text!r} has two parts of any number of axes, so it cannot be told where one ends")
    return items


def _item(word: str) -> Item:
    if word == "...":
        return Item(word, None, many=True)
    marks = word[: len(word) - len(word.lstrip("*#?"))]
    rest = word[len(marks) :]
    if "=" in rest:
        rest = rest.partition("=")[2]
    many, stretches = "*" in marks, "#" in marks
    if not rest or len(marks) != len(set(marks)):
        raise NotationError(f"{word!r} is not an axis")
    if rest.startswith("_") and rest.isidentifier():
        return Item(rest, None, many, stretches)
    size = _size(rest, word)
    if many and not isinstance(size, str):
        raise NotationError(f"{word!r} is not an axis: after `*` stands a name")
    return Item(rest, size, many, stretches)


def _size(text: str, word: str) -> Size:
    if text.isidentifier():
        return text
    try:
        return _convert(ast.parse(text, mode="eval").body, word)
    except SyntaxError:
        raise NotationError(f"{word!r} is not an axis") from None


def _convert(node: ast.expr, word: str) -> Size:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return Operation(_OPERATORS[type(node.op)], _convert(node.left, word), _convert(node.right, word))
    raise NotationError(f"{word!r} is not an axis: only names, whole numbers and + - * // are understood")


def names(size: Size | None) -> tuple[str, ...]:
    """The names in a size, in order."""
    if isinstance(size, Operation):
        return names(size.left) + names(size.right)
    return (size,) if isinstance(size, str) else ()


def evaluate(size: Size, bound: Mapping[str, Dim]) -> Dim | None:
    """The size under bindings of its names; None where a name has none, or for a division by zero."""
    if isinstance(size, int):
        return size
    if isinstance(size, str):
        return bound.get(size)
    left, right = evaluate(size.left, bound), evaluate(size.right, bound)
    if left is None or right is None or (size.op == "//" and right == 0):
        return None
    return _FUNCTIONS[size.op](left, right)
