"""A value of which nothing is known but its name: a function's argument before its first use says what it is."""

from __future__ import annotations

from typing import Any

from qkv.shapes.dim import Expr, Kind
from qkv.shapes.solve import Store, fresh_row, symbol
from qkv.shapes.values import Shape, Tensor
from qkv.source import Location


class Undecided:
    """An argument, or an attribute or item of one. Read as a size it is a named size, read as a tensor one of unknown shape.

    The same attribute always gives the same value: `config.n_embd` and `cfg["n_embd"]` of one object are one size.
    """

    __slots__ = ("_children", "_dim", "_tensor", "birth", "default", "kind", "name", "owner")

    def __init__(
        self, name: str, kind: Kind, birth: Location | None = None, owner: str | None = None, default: int | None = None
    ) -> None:
        self.name = name
        self.kind = kind
        self.birth = birth
        self.owner = owner
        self.default = default
        self._children: dict[Any, Undecided] = {}
        self._dim: Expr | None = None
        self._tensor: Tensor | None = None

    def dim(self, store: Store) -> Expr:
        """The value as a size."""
        if self._dim is None:
            self._dim = symbol(store, self.name, self.kind, self.birth, self.default, self.owner)
        return self._dim

    def tensor(self, store: Store) -> Tensor:
        """The value as a tensor."""
        if self._tensor is None:
            self._tensor = Tensor(Shape(row=fresh_row(store)), sure=False)
        return self._tensor

    @property
    def read_as_tensor(self) -> Tensor | None:
        """The tensor, if anything has read the value as one."""
        return self._tensor

    @property
    def read_as_settings(self) -> bool:
        """Whether code has read attributes or items of it, and nothing has read it as a tensor."""
        return bool(self._children) and self._tensor is None

    def child(self, key: Any, birth: Location | None = None) -> Undecided:
        """An attribute or an item."""
        if key not in self._children:
            name = str(key) if isinstance(key, str) and key.isidentifier() else ""
            self._children[key] = Undecided(name, Kind.CONFIG if name else Kind.FRESH, birth)
        return self._children[key]
