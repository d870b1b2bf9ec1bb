"""What has been learnt about sizes: bindings that a branch can take back, and the four answers to "are these equal?".

`Store` is the one mutable thing of an analysis. Everything that a branch must undo goes through `write`, so that one trail
takes back bindings, locals, attributes and list contents together.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import gcd
from typing import Any

from qkv.shapes.dim import (
    CACHE,
    ONE,
    Atom,
    Dim,
    Expr,
    Kind,
    Monomial,
    Quotient,
    Remainder,
    Symbol,
    alone,
    modulo,
    of,
    rational,
    substitute,
    subtract,
    symbols,
)
from qkv.shapes.values import Named, Row, Shape, Size, Tensor
from qkv.source import Location


class Truth(enum.Enum):
    """The answers to "are these two sizes equal?"."""

    ALWAYS = "always"
    NEVER = "never"
    SOMETIMES = "sometimes"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Need:
    """What must hold for the code to work, taken as a contract: `left` equals `right`, or (`divides`) `left` divides `right`."""

    left: Dim
    right: Dim
    divides: bool = False
    where: Location | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer of `judge`. `tie` is the contract that would make it true; `evidence` says why it is a coincidence instead."""

    truth: Truth
    tie: tuple[Symbol, Dim] | None = None
    evidence: str | None = None
    before: Need | None = None


_MISSING: Any = object()


@dataclass
class Store:
    """The state of one analysis: of one function on its own, or of one file as it would run."""

    dims: dict[Symbol, Dim] = field(default_factory=dict[Symbol, Dim])
    rows: dict[Row, Shape] = field(default_factory=dict[Row, Shape])
    aliases: dict[Dim, str] = field(default_factory=dict[Dim, str])
    ties: dict[Symbol, Need] = field(default_factory=dict[Symbol, Need])
    needs: dict[Need, None] = field(default_factory=dict[Need, None])
    apart: dict[tuple[Dim, Dim], None] = field(default_factory=dict[tuple[Dim, Dim], None])
    together: set[tuple[Dim, ...]] = field(default_factory=set[tuple[Dim, ...]])
    inputs: list[Shape] = field(default_factory=list[Shape])
    trail: list[tuple[MutableMapping[Any, Any], Any, Any]] = field(
        default_factory=list[tuple[MutableMapping[Any, Any], Any, Any]]
    )
    serial: int = 0


def write(store: Store, mapping: MutableMapping[Any, Any], key: Any, value: Any) -> None:
    """Set a key so that `undo` can take it back."""
    store.trail.append((mapping, key, mapping.get(key, _MISSING)))
    mapping[key] = value


def erase(store: Store, mapping: MutableMapping[Any, Any], key: Any) -> None:
    """Delete a key, if it is there, so that `undo` can bring it back."""
    if key in mapping:
        store.trail.append((mapping, key, mapping[key]))
        del mapping[key]


def undo(store: Store, mark: int) -> None:
    """Take back all writes since the trail was `mark` long."""
    while len(store.trail) > mark:
        mapping, key, old = store.trail.pop()
        if old is _MISSING:
            mapping.pop(key, None)
        else:
            mapping[key] = old


def symbol(
    store: Store,
    name: str,
    kind: Kind,
    birth: Location | None = None,
    default: int | None = None,
    owner: str | None = None,
) -> Expr:
    """A new named size."""
    store.serial += 1
    return of(Symbol(name, kind, store.serial, birth, default, owner))


def fresh(store: Store) -> Expr:
    """A size of which nothing is known."""
    return symbol(store, "", Kind.FRESH)


def fresh_row(store: Store, name: str | None = None) -> Row:
    """An unknown number of axes."""
    store.serial += 1
    return Row(store.serial, name)


def unknown_shape(store: Store) -> Shape:
    """A shape of which nothing is known."""
    return Shape(row=fresh_row(store))


def resolve(store: Store, dim: Dim) -> Dim:
    """A size with all that has been learnt put in."""
    learnt = store.dims
    if isinstance(dim, int) or not learnt:
        return dim
    for _ in range(32):  # bindings never form a cycle; the bound only guards against our own mistakes
        for one in symbols(dim):
            if one in learnt:
                break
        else:
            return dim
        dim = substitute(dim, learnt)
    return dim


def _resolve_all(store: Store, dims: tuple[Dim, ...]) -> tuple[Dim, ...]:
    """All sizes with what has been learnt put in; the same tuple where that is nothing."""
    learnt = store.dims
    for dim in dims:
        if not isinstance(dim, int):
            for one in symbols(dim):
                if one in learnt:
                    return tuple([resolve(store, item) for item in dims])
    return dims


def resolve_shape(store: Store, shape: Shape) -> Shape:
    """A shape with all that has been learnt put in."""
    front, row, back = shape.front, shape.row, shape.back
    while row is not None and row in store.rows:
        middle = store.rows[row]
        front, row, back = front + middle.front, middle.row, middle.back + back
    if row is None and front:
        front, back = (), front + back
    if store.dims:
        front = _resolve_all(store, front)
        back = _resolve_all(store, back)
    if front == shape.front and row is shape.row and back == shape.back:
        return shape
    return Shape(back, row, front)


def resolve_value(store: Store, value: Any) -> Any:
    """A tensor, a size or a tuple of them with all that has been learnt put in; other values as they are."""
    if value is None or isinstance(value, (int, str, float)):
        return value
    if isinstance(value, Expr):
        return resolve(store, value)
    if isinstance(value, Tensor):
        shape = resolve_shape(store, value.shape)
        strides = value.strides
        if strides is not None and store.dims:
            strides = _resolve_all(store, strides)
        if shape is value.shape and strides == value.strides:
            return value
        return replace(value, shape=shape, strides=strides)
    if isinstance(value, Size):
        shape = resolve_shape(store, value.shape)
        return shape.back if shape.row is None else Size(shape)
    if type(value) is tuple:
        items: tuple[Any, ...] = value
        return tuple(resolve_value(store, item) for item in items)
    if isinstance(value, Named):
        return Named(**{name: resolve_value(store, item) for name, item in zip(value.fields, value, strict=True)})
    return value


# -- ranks ---------------------------------------------------------------------------------------------------------------


def solve_rank(store: Store, shape: Shape, rank: int, name: Callable[[int], Dim] | None = None) -> Shape | None:
    """Learn that a shape has `rank` axes. Returns it with them, or None where that cannot be.

    `name(i)` makes the size of axis `i` that was not known; without it the size is an unnamed PARAM.
    """
    shape = resolve_shape(store, shape)
    if shape.row is None:
        return shape if len(shape.back) == rank else None
    missing = rank - shape.least_rank
    if missing < 0:
        return None
    start = len(shape.front)
    make = name or (lambda _: symbol(store, "", Kind.PARAM))
    middle = Shape(tuple(make(start + i) for i in range(missing)))
    write(store, store.rows, shape.row, middle)
    return Shape(shape.front + middle.back + shape.back)


def ambiguous(shape: Shape, index: int) -> bool:
    """Whether an axis of a shape of unknown rank may be one that is known from the other end.

    Of `(…, C)` axis 1 may be C. Only the first axis is believed to lie apart from the last ones.
    """
    if shape.row is None:
        return False
    if index >= 0:
        return index > 0 and bool(shape.back) and index >= len(shape.front)
    return -index > len(shape.back) and len(shape.front) > 1


def axis(store: Store, shape: Shape, index: int, name: Callable[[], Dim] | None = None) -> tuple[Shape, Dim | None]:
    """The size of axis `index` (negative from the end), learning that it exists. None where it cannot exist.

    Where that axis may be one of those that are known (`ambiguous`), nothing is learnt: sizes and the row are fresh in the answer.
    """
    shape = resolve_shape(store, shape)
    if shape.row is None:
        if -len(shape.back) <= index < len(shape.back):
            return shape, shape.back[index]
        return shape, None
    if ambiguous(shape, index):
        if index >= 0:
            unsure = Shape(
                shape.back,
                fresh_row(store),
                shape.front + tuple(fresh(store) for _ in range(index + 1 - len(shape.front))),
            )
            return unsure, unsure.front[index]
        unsure = Shape(
            tuple(fresh(store) for _ in range(-index - len(shape.back))) + shape.back, fresh_row(store), shape.front
        )
        return unsure, unsure.back[index]
    make = name or (lambda: symbol(store, "", Kind.PARAM))
    if index >= 0:
        missing = index + 1 - len(shape.front)
        if missing > 0:
            grown = Shape((), fresh_row(store), tuple(make() for _ in range(missing)))
            write(store, store.rows, shape.row, grown)
            shape = Shape(shape.back, grown.row, shape.front + grown.front)
        return shape, shape.front[index]
    missing = -index - len(shape.back)
    if missing > 0:
        grown = Shape(tuple(make() for _ in range(missing)), fresh_row(store))
        write(store, store.rows, shape.row, grown)
        shape = Shape(grown.back + shape.back, grown.row, shape.front)
    return shape, shape.back[index]


def stand_apart(store: Store, dims: tuple[Dim, ...]) -> None:
    """Note that sizes stood side by side as axes of one tensor: the author means different things by them."""
    if dims in store.together:
        return
    store.together.add(dims)
    named = [dim for dim in dims if isinstance(dim, Expr)]
    for i, left in enumerate(named):
        for right in named[i + 1 :]:
            if left != right:
                store.apart[(left, right)] = None


# -- equality ------------------------------------------------------------------------------------------------------------


def least(atom: Atom) -> int:
    """The smallest number that an atom can be."""
    if not isinstance(atom, Symbol) or atom.kind is Kind.FRESH:
        return 0
    return 2 if atom.kind is Kind.CONFIG else 1


def always_positive(dim: Dim) -> bool:
    """Whether a size is above zero whatever its symbols are."""
    if isinstance(dim, int):
        return dim > 0
    low = 0
    for monomial, factor in dim.terms:
        if factor < 0 and monomial != ONE:
            return False
        smallest = factor
        for atom, count in monomial:
            smallest *= least(atom) ** count
        low += smallest
    return low > 0


def compare(a: Dim, b: Dim) -> Truth:
    """Whether two resolved sizes are equal. ALWAYS may rest on exact divisions; NEVER rests on the exact form alone."""
    if isinstance(a, int) and isinstance(b, int):
        return Truth.ALWAYS if a == b else Truth.NEVER
    return Truth.ALWAYS if a == b else _compare(a, b)


@lru_cache(maxsize=CACHE)
def _compare(a: Dim, b: Dim) -> Truth:
    difference = subtract(a, b)
    if always_positive(difference) or always_positive(subtract(b, a)):
        return Truth.NEVER
    if not rational(difference):
        return Truth.ALWAYS
    if any(s.kind is Kind.FRESH for s in symbols(difference)):
        return Truth.UNKNOWN
    return Truth.NEVER if _cannot_vanish(difference) else Truth.SOMETIMES


def _cannot_vanish(difference: Dim) -> bool:
    """Whether no whole numbers make it 0, as in `12 * d - 64`: 12 does not divide 64."""
    if isinstance(difference, int):
        return difference != 0
    constant = sum(factor for monomial, factor in difference.terms if monomial == ONE)
    return constant % gcd(*(factor for monomial, factor in difference.terms if monomial != ONE)) != 0


def equal(store: Store, a: Dim, b: Dim) -> Truth:
    """`compare` after putting in what has been learnt."""
    return compare(resolve(store, a), resolve(store, b))


def cancel(a: Dim, b: Dim) -> tuple[Dim, Dim]:
    """Divide two sizes by the factors that all their terms share; sizes are never zero."""
    if isinstance(a, int) or isinstance(b, int):
        return a, b
    shared = _shared_powers([m for m, _ in a.terms] + [m for m, _ in b.terms])
    if not shared:
        return a, b
    return _divide(a, shared), _divide(b, shared)


def _shared_powers(monomials: list[Monomial]) -> dict[Atom, int]:
    shared = dict(monomials[0])
    for monomial in monomials[1:]:
        powers = dict(monomial)
        shared = {atom: min(count, powers[atom]) for atom, count in shared.items() if atom in powers}
    return {atom: count for atom, count in shared.items() if not (isinstance(atom, Symbol) and atom.kind is Kind.FRESH)}


def _divide(dim: Expr, shared: dict[Atom, int]) -> Dim:
    from qkv.shapes.dim import floor_divide, power, product

    return floor_divide(dim, product([power(of(atom), count) for atom, count in shared.items()]))


def _ties(a: Dim, b: Dim) -> list[tuple[Symbol, Dim]]:
    """The ways to read `a == b` as a definition of one symbol, the best first: an input's size before a setting, a late one before an early one."""
    found: list[tuple[Symbol, Dim]] = []
    for one, other in ((a, b), (b, a)):
        single = alone(one)
        if single is not None and single.kind is not Kind.FRESH and single not in symbols(other):
            found.append((single, other))
    found.sort(
        key=lambda tie: (
            tie[0].kind is not Kind.PARAM,
            isinstance(tie[1], int) and tie[0].kind is Kind.CONFIG,
            -tie[0].serial,
        )
    )
    return found


def judge(store: Store, a: Dim, b: Dim) -> Verdict:
    """Whether two sizes are equal and, where only some sizes make them so, whether that is a contract or a coincidence."""
    a, b = resolve(store, a), resolve(store, b)
    truth = compare(a, b)
    if truth is not Truth.SOMETIMES:
        return Verdict(truth, before=_tied_before(store, a, b) if truth is Truth.NEVER else None)
    a, b = cancel(a, b)
    if compare(a, b) is Truth.NEVER:
        return Verdict(Truth.NEVER)
    evidence = _evidence(store, a, b)
    if evidence is not None:
        return Verdict(Truth.SOMETIMES, evidence=evidence)
    ties = _ties(a, b)
    if not ties:
        return Verdict(Truth.UNKNOWN)
    for tie in ties:
        if not _two_axes(store, tie):
            return Verdict(Truth.UNKNOWN, tie=tie)
    return Verdict(Truth.SOMETIMES, tie=ties[0], evidence="two axes")


def _tied_before(store: Store, a: Dim, b: Dim) -> Need | None:
    for need in store.ties.values():
        if resolve(store, need.left) in (a, b) or resolve(store, need.right) in (a, b):
            return need
    return None


def _evidence(store: Store, a: Dim, b: Dim) -> str | None:
    """Why two sizes that could be equal are meant to differ."""
    for left, right in store.apart:
        left, right = resolve(store, left), resolve(store, right)
        if (left, right) == (a, b) or (left, right) == (b, a):
            return "apart"
    one, other = alone(a), alone(b)
    if (
        one is not None
        and other is not None
        and one.kind is other.kind is Kind.CONFIG
        and one.owner is not None
        and one.owner == other.owner
    ):
        if one.default is None or other.default is None or one.default != other.default:
            return "constructor"
    return None


def _two_axes(store: Store, tie: tuple[Symbol, Dim]) -> bool:
    """Whether a tie makes two axes of one input the same."""
    name, meaning = tie
    for shape in store.inputs:
        shape = resolve_shape(store, shape)
        dims = shape.front + shape.back
        if of(name) in dims and meaning in dims and isinstance(meaning, Expr):
            return True
    return False


def tie(store: Store, name: Symbol, meaning: Dim, where: Location | None = None) -> None:
    """Learn that a symbol is a size. Recorded as a need; the user's name for an input's size is kept for the setting it equals."""
    need = Need(of(name), meaning, where=where)
    write(store, store.dims, name, meaning)
    write(store, store.ties, name, need)
    write(store, store.needs, need, None)
    other = alone(meaning)
    if other is not None and name.name and meaning not in store.aliases:
        write(store, store.aliases, meaning, name.name)


def meet(store: Store, a: Dim, b: Dim, where: Location | None = None) -> Verdict:
    """Need two sizes equal: `judge`, and a contract is taken as true from here on."""
    verdict = judge(store, a, b)
    if verdict.truth is Truth.UNKNOWN and verdict.tie is not None:
        tie(store, *verdict.tie, where)
    elif verdict.truth is Truth.ALWAYS and a != b:
        note_divisions(store, subtract(resolve(store, a), resolve(store, b)), where)
    return verdict


def note_divisions(store: Store, difference: Dim, where: Location | None) -> None:
    """Where two sizes are equal only if a division is exact, keep that as a need."""
    if isinstance(difference, Expr):
        for denominator, numerator in _divisions(difference):
            write(store, store.needs, Need(denominator, numerator, divides=True, where=where), None)


@lru_cache(maxsize=CACHE)
def _divisions(dim: Expr) -> tuple[tuple[Dim, Dim], ...]:
    """The divisions in a size that need not come out even: (denominator, numerator)."""
    parts = [atom for atom in dim.atoms if isinstance(atom, (Quotient, Remainder))]
    return tuple((part.denominator, part.numerator) for part in parts if modulo(part.numerator, part.denominator) != 0)
