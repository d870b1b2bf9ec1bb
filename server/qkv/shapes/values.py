"""What the analysis knows of a tensor, and how it says that it knows nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, TypeAlias, Union

from qkv.shapes.dim import Dim, multiply


class Row:
    """An unknown number of axes: the prefix of a shape of which only some axes are known. Compared by identity."""

    __slots__ = ("name", "serial")

    def __init__(self, serial: int, name: str | None = None) -> None:
        self.serial = serial
        self.name = name

    def __repr__(self) -> str:
        return f"*{self.name or self.serial}"


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of a tensor's axes: `front`, then the unknown axes of `row`, then `back`.

    Where `row` is None the rank is known and all axes are in `back`.
    """

    back: tuple[Dim, ...] = ()
    row: Row | None = None
    front: tuple[Dim, ...] = ()

    @property
    def rank(self) -> int | None:
        """The number of axes, or None where it is unknown."""
        return len(self.back) if self.row is None else None

    @property
    def least_rank(self) -> int:
        """The number of axes that are there for certain."""
        return len(self.front) + len(self.back)

    @property
    def dims(self) -> tuple[Dim, ...] | None:
        """All sizes in order, or None where the rank is unknown."""
        return self.back if self.row is None else None

    def last(self, position: int) -> Dim | None:
        """The size at `-position` (1 is the last axis), where it is known."""
        return self.back[-position] if 1 <= position <= len(self.back) else None


@dataclass(frozen=True, slots=True)
class Tensor:
    """An abstract tensor.

    `dtype` is torch's name without `torch.` (`float32`) or None; `device` likewise (`cpu`, `cuda`).
    `strides` are the steps in elements between neighbours along each axis, None where they are unknown.
    `low` and `high` bound the elements of an integer tensor, both inclusive.
    `pattern` is what the analysis knows of the numbers themselves, such as the step of a causal mask.
    `sure` is False for a value that is only taken for a tensor because nothing says otherwise (an unannotated parameter).
    """

    shape: Shape
    dtype: str | None = None
    device: str | None = None
    strides: tuple[Dim, ...] | None = None
    low: Dim | None = None
    high: Dim | None = None
    sure: bool = True
    pattern: object | None = None

    def with_shape(self, shape: Shape) -> Tensor:
        """The same numbers under another shape, laid out anew."""
        return replace(self, shape=shape, strides=contiguous_strides(shape), sure=True)


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value of which nothing is known; `reason` is a sentence for the hover."""

    reason: str


@dataclass(frozen=True, slots=True)
class Dtype:
    """A `torch.dtype`, by its name without `torch.`."""

    name: str


@dataclass(frozen=True, slots=True)
class Device:
    """A `torch.device`, by its type (`cpu`, `cuda`, `mps`, `meta`), or None where it is unknown."""

    name: str | None


@dataclass(frozen=True, slots=True)
class Size:
    """A `torch.Size` whose length is unknown. One whose length is known is a plain tuple of sizes."""

    shape: Shape


Value: TypeAlias = Union[Tensor, Unknown, Dtype, Device, Size, Dim, float, bool, str, "tuple[Value, ...]", object, None]
"""What a rule sees: sizes and numbers as themselves, tuples and lists as tuples."""


def known(*dims: Dim) -> Shape:
    """A shape of known rank."""
    return Shape(tuple(dims))


def contiguous_strides(shape: Shape) -> tuple[Dim, ...] | None:
    """The strides of a tensor laid out row by row, None where its rank is unknown."""
    return None if shape.row is not None else _row_by_row(shape.back)


@lru_cache(maxsize=4096)
def _row_by_row(dims: tuple[Dim, ...]) -> tuple[Dim, ...]:
    steps: list[Dim] = []
    step: Dim = 1
    for dim in reversed(dims):
        steps.append(step)
        step = multiply(step, dim)
    return tuple(reversed(steps))


@dataclass(frozen=True, slots=True)
class Slice:
    """`start:stop:step` in an index; a bound that is not written is None."""

    start: Value = None
    stop: Value = None
    step: Value = None


class Named(tuple[Any, ...]):
    """A named tuple of results, such as `torch.topk` gives: a tuple whose items can be read by the names in `fields` too."""

    fields: tuple[str, ...]

    def __new__(cls, **items: Any) -> Named:
        made = super().__new__(cls, items.values())
        made.fields = tuple(items)
        return made

    def item(self, name: str) -> Any:
        """The item of that name. Raises ValueError where there is none."""
        return self[self.fields.index(name)]


@dataclass(frozen=True, slots=True)
class Some:
    """A tuple of unknown length whose items are all like `item`: `x.split(n)` where the number of parts is not known.

    `even` is what each item is where the division comes out even, as code that unpacks it into names expects.
    """

    item: Value
    even: Value


@dataclass(frozen=True)
class Layer:
    """An instance of a `torch.nn` module that the rule table knows.

    `settings` are the bound arguments of its constructor; `members` the attributes that code can read (`weight`, `in_features`).
    """

    name: str
    settings: dict[str, Value]
    members: dict[str, Value]
