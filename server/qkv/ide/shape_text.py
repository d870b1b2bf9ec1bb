"""Shapes as people read them and as programs read them."""

from __future__ import annotations

from collections.abc import Mapping

from qkv.interp import Axis, Operation


def shape_text(axes: tuple[Axis, ...]) -> str:
    """`(B, T, 64)`, `(T,)`, `()`."""
    sizes = [str(axis.size) for axis in axes]
    return f"({sizes[0]},)" if len(sizes) == 1 else f"({', '.join(sizes)})"


def shape_list(axes: tuple[Axis, ...] | None) -> list[int | str] | None:
    """The shape as JSON: integers and texts; None where the rank is unknown."""
    return None if axes is None else [axis.size for axis in axes]


def numbers_text(shape: tuple[int, ...]) -> str:
    """A shape of whole numbers."""
    return f"({shape[0]},)" if len(shape) == 1 else f"({', '.join(map(str, shape))})"


def with_sizes(axes: tuple[Axis, ...], sizes: Mapping[str, int]) -> str | None:
    """The shape with the numbers of the setting `sizes` beside its names, `(B = 4, T, 64)`; None where no name has one."""
    if not any(isinstance(axis.size, str) and axis.size in sizes for axis in axes):
        return None
    shown = [f"{axis.size} = {sizes[axis.size]}" if axis.size in sizes else str(axis.size) for axis in axes]  # pyright: ignore[reportArgumentType]
    return f"({', '.join(shown)}{',' if len(shown) == 1 else ''})"


def operation_text(operation: Operation) -> str:
    """`(B, H, T, d) → (B, H, d, T)`."""
    return f"{', '.join(operation.before)} → {operation.after or '?'}"
