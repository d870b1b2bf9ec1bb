"""Axes of a shape by their index: found, replaced, dropped and inserted, also where the number of axes is unknown."""

from __future__ import annotations

from typing import Any

from qkv.ops.context import CannotTell, Context, Mismatch
from qkv.shapes import Dim, Expr, Shape, Size, Tensor, Unknown
from qkv.shapes.solve import ambiguous, axis, fresh

AMBIGUOUS = "the number of axes is not known, so it is not known which axis this is"


def locate(cx: Context, shape: Shape, index: int, name: str = "input") -> tuple[Shape, int]:
    """The shape in which axis `index` is known to exist, and the index: counted from the front where the rank is known.

    Of a shape of unknown rank the axis is learnt; the index stays as it is, so that its sign says where to look.
    Raises Mismatch where there is no such axis, CannotTell where the rank decides which one it is.
    """
    if shape.row is None:
        rank = len(shape.back)
        if -max(rank, 1) <= index < max(rank, 1):  # a scalar takes 0 and -1
            return shape, index % rank if rank else 0
        raise no_axis(index, rank, name)
    if ambiguous(shape, index):
        raise CannotTell(AMBIGUOUS)
    shape, _ = axis(cx.store, shape, index)
    return shape, index


def no_axis(index: int, rank: int, name: str = "input") -> Mismatch:
    """The finding that a tensor has fewer axes."""
    return Mismatch(
        "shape-axis",
        f"{{{name}}} is {{{name}.shape}}: it has {{rank}} axes, so it has no axis {{axis}}.",
        hint="Its axes are {first} to {last}, or -1 to -{rank} counted from the end." if rank else None,
        axis=index,
        rank=rank,
        first=0,
        last=rank - 1,
    )


def checked(cx: Context, shape: Shape, index: int, name: str = "input") -> Shape:
    """The shape, once it is known to have that axis, for operators that keep it. Raises Mismatch where there is no such axis."""
    try:
        return locate(cx, shape, index, name)[0]
    except CannotTell:
        return shape


def size(shape: Shape, index: int) -> Dim:
    """The size of a located axis; 1 for the axis that a scalar is allowed to be asked for."""
    if shape.row is not None:
        return shape.front[index] if index >= 0 else shape.back[index]
    return shape.back[index] if shape.back else 1


def replace_axis(shape: Shape, index: int, dim: Dim) -> Shape:
    """The shape with another size on a located axis."""
    if shape.row is not None and index >= 0:
        return Shape(shape.back, shape.row, _set(shape.front, index, (dim,)))
    return Shape(_set(shape.back, index, (dim,)), shape.row, shape.front)


def drop_axis(shape: Shape, index: int) -> Shape:
    """The shape without a located axis."""
    if not shape.back and shape.row is None:
        return shape
    return splice(shape, index, ())


def splice(shape: Shape, index: int, dims: tuple[Dim, ...]) -> Shape:
    """The shape with any number of axes in the place of a located one."""
    if shape.row is not None and index >= 0:
        return Shape(shape.back, shape.row, _set(shape.front, index, dims))
    return Shape(_set(shape.back, index, dims), shape.row, shape.front)


def insert_axis(cx: Context, shape: Shape, index: int, dim: Dim, name: str = "input") -> tuple[Shape, int]:
    """The shape with a new axis that has the given index afterwards, and where it is in `splice`'s sense."""
    if shape.row is None:
        rank = len(shape.back)
        if not -rank - 1 <= index <= rank:
            raise no_axis(index, rank + 1, name)
        at = index % (rank + 1)
        return Shape((*shape.back[:at], dim, *shape.back[at:])), at
    if index >= 0:
        if index:
            shape, _ = locate(cx, shape, index - 1, name)
        front = (*shape.front[:index], dim, *shape.front[index:])
        return Shape(shape.back, shape.row, front), index
    if index < -1:
        shape, _ = locate(cx, shape, index + 1, name)
    at = len(shape.back) + index + 1
    return Shape((*shape.back[:at], dim, *shape.back[at:]), shape.row, shape.front), index


def _set(dims: tuple[Dim, ...], index: int, new: tuple[Dim, ...]) -> tuple[Dim, ...]:
    if index < 0:
        index += len(dims)
    return (*dims[:index], *new, *dims[index + 1 :])


def axes_given(value: Any) -> tuple[int, ...] | None:
    """An argument that is an axis or a collection of axes; None where it is not known."""
    values: tuple[Any, ...] = value if isinstance(value, tuple) else (value,)
    return values if all(isinstance(item, int) for item in values) else None


def require_axes(value: Any) -> tuple[int, ...]:
    """`axes_given`, or raises CannotTell."""
    found = axes_given(value)
    if found is None:
        raise CannotTell("which axis is meant is not known here")
    return found


# -- sizes given as arguments ----------------------------------------------------------------------------------------------


def sizes_given(cx: Context, values: tuple[Any, ...]) -> Shape:
    """The shape that `zeros(2, 3)`, `zeros((2, 3))` or `zeros(*unknown, 3)` asks for. Raises CannotTell where even that is not known."""
    if len(values) == 1 and isinstance(values[0], (tuple, Size)):
        only: Any = values[0]
        if isinstance(only, Size):
            return only.shape
        values = only
    elif len(values) == 1 and isinstance(values[0], Unknown):
        raise CannotTell("whether this is one size or several is not known here")
    front: list[Dim] = []
    back: list[Dim] = []
    middle: Shape | None = None
    for value in values:
        if isinstance(value, Size):
            if middle is not None:
                raise CannotTell("two parts of the shape have an unknown number of axes")
            middle = value.shape
        else:
            (front if middle is None else back).append(as_dim(cx, value))
    if middle is None:
        return Shape(tuple(front))
    return Shape((*middle.back, *back), middle.row, (*front, *middle.front))


def as_dim(cx: Context, value: Any) -> Dim:
    """A value as a size: fresh where it is not known. Raises CannotTell for what is no number."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, (int, Expr)):
        return value
    if isinstance(value, (Unknown, Tensor)) or value != value:  # NaN stands for a float that is not known
        return fresh(cx.store)
    if isinstance(value, tuple):
        raise CannotTell("a size is itself a collection here")
    if isinstance(value, float):
        raise Mismatch(
            "dtype-size",
            "A size must be a whole number; {value} is a float.",
            hint="Divide with `//`, or make it whole with `int(…)`.",
            value=value,
        )
    raise CannotTell("a size is not a number here")
