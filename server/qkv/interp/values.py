"""The values that only the interpreter knows: functions, classes, instances, containers, references, and open choices.

Whatever code can change lies in a `cells` or `attributes` dict that is written through the store's trail, so that a branch can
be taken back. Numbers, strings, None, tuples, tensors and sizes stand for themselves.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeGuard

from qkv.shapes import Expr, Shape, Tensor
from qkv.source import Source

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Scope:
    """The variables of one call, class body or module; `parent` is where a name is looked for next."""

    __slots__ = ("class_body", "names", "parent", "unit")

    def __init__(self, unit: Unit, parent: Scope | None = None, class_body: bool = False) -> None:
        self.unit = unit
        self.parent = parent
        self.class_body = class_body
        self.names: dict[str, Any] = {}


@dataclass(eq=False)
class Unit:
    """One module under analysis: its text, its global scope, and whether it is the file that was asked about.

    `own` units are the project's: findings of coincidences are reported there only.
    """

    source: Source
    name: str
    main: bool = False
    own: bool = True
    scope: Scope = field(init=False)

    def __post_init__(self) -> None:
        self.scope = Scope(self)


@dataclass(frozen=True, slots=True)
class Ref:
    """Something of a library that is not entered, by its qualified name: `torch.nn.functional`, `math.sqrt`."""

    name: str


@dataclass(eq=False, slots=True)
class ModuleValue:
    """An imported module whose source is entered."""

    unit: Unit


@dataclass(eq=False, slots=True)
class Function:
    """A function or lambda with the scope that it closes over. `owner` is the class whose body defines it."""

    node: FunctionNode
    scope: Scope
    name: str
    defaults: tuple[Any, ...] = ()
    keyword_defaults: dict[str, Any] = field(default_factory=dict[str, Any])
    owner: Class | None = None
    kind: str = "function"  # or "static", "class", "property"
    sure: bool = True  # False where an unknown decorator may have replaced it


@dataclass(eq=False, slots=True)
class Class:
    """A class of the code under analysis. `bases` are classes, references, or Unknown."""

    name: str
    node: ast.ClassDef
    bases: tuple[Any, ...]
    members: dict[str, Any]
    scope: Scope
    dataclass: bool = False


@dataclass(eq=False, slots=True)
class Instance:
    """An object of such a class. `open` where attributes may exist that were not seen being set."""

    cls: Class
    attributes: dict[str, Any] = field(default_factory=dict[str, Any])
    open: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Bound:
    """A function with its first argument."""

    receiver: Any
    function: Function


@dataclass(frozen=True, slots=True, eq=False)
class Method:
    """A method of a value that the interpreter itself provides: of a tensor, a list, a string, a container."""

    receiver: Any
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Partial:
    """`functools.partial`."""

    function: Any
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Super:
    """`super()`: attributes are looked up behind `cls` in the instance's class."""

    cls: Class
    instance: Any


@dataclass(eq=False, slots=True)
class ListValue:
    """A list. `cells["items"]` is a tuple; `cells["some"]` True means that there may be any number of such items."""

    cells: dict[str, Any]

    @property
    def items(self) -> tuple[Any, ...]:
        return self.cells["items"]

    @property
    def some(self) -> bool:
        return self.cells["some"]


def list_of(items: tuple[Any, ...] | list[Any], some: bool = False) -> ListValue:
    """A list with these items, or (`some`) with an unknown number of items that are each one of these."""
    return ListValue({"items": tuple(items), "some": some})


@dataclass(eq=False, slots=True)
class DictValue:
    """A dict. `cells["items"]` maps known keys to values and is replaced, never changed; `cells["open"]` True means other keys may exist."""

    cells: dict[str, Any]

    @property
    def items(self) -> dict[Any, Any]:
        return self.cells["items"]

    @property
    def open(self) -> bool:
        return self.cells["open"]


def dict_of(items: dict[Any, Any], is_open: bool = False) -> DictValue:
    """A dict with these items."""
    return DictValue({"items": items, "open": is_open})


@dataclass(eq=False, slots=True)
class Container:
    """`nn.Sequential`, `nn.ModuleList` or `nn.ModuleDict`: `content` is a list or a dict."""

    kind: str
    content: ListValue | DictValue


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """One of a few values: a branch left it open."""

    options: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Ratio:
    """The true quotient of two sizes, kept because `int(a / b)` is common."""

    numerator: Any
    denominator: Any


@dataclass(frozen=True, slots=True)
class SizeRange:
    """`range(start, stop, step)` with bounds that need not be numbers."""

    start: Any
    stop: Any
    step: Any


@dataclass(frozen=True, slots=True, eq=False)
class Entries:
    """Items of a pair-wise view (`zip`, `enumerate`, `items()`): known, or (`some`) any number of such."""

    items: tuple[Any, ...]
    some: bool = False


def as_tensor(value: Any) -> Tensor | None:
    """The tensor that a value is, or may be."""
    return value if isinstance(value, Tensor) else None


def is_tuple(value: Any) -> TypeGuard[tuple[Any, ...]]:
    """Whether a value is a tuple, in words that a type checker understands of a value that may be anything."""
    return isinstance(value, tuple)


def is_size(value: Any) -> bool:
    """Whether a value is a number that can be an axis' size."""
    return isinstance(value, Expr) or (isinstance(value, int) and not isinstance(value, bool))


def plain(shape: Shape) -> bool:
    """Whether all axes are whole numbers."""
    return shape.row is None and all(isinstance(dim, int) for dim in shape.back)
