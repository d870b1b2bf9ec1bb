"""Symbolic sizes: integers, named sizes, and what arithmetic makes of them.

A size is a plain `int`, or an `Expr`: an integer polynomial over atoms. An atom is a `Symbol` (a named size), or a
`Quotient` or `Remainder` that could not be worked out and remembers its parts. This is the *exact* normal form.
`rational` gives the second one, in which every `//` is an exact division; there `(C // H) * H` is `C`.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from qkv.source import Location


class Kind(enum.Enum):
    """Where a named size comes from: this decides what may be assumed about it."""

    PARAM = "a size of a function's input"
    CONFIG = "a constructor argument, an attribute of a configuration, an int default"
    FRESH = "not known: shown as ?"


class Symbol:
    """A named size. Two symbols are the same only if they are one object; `serial` orders them.

    `default` is the number that stands for a CONFIG size where the code gives one; `owner` groups the arguments of one constructor.
    """

    __slots__ = ("birth", "default", "key", "kind", "name", "owner", "serial")

    def __init__(
        self,
        name: str,
        kind: Kind,
        serial: int,
        birth: Location | None = None,
        default: int | None = None,
        owner: str | None = None,
    ) -> None:
        self.name = name
        self.kind = kind
        self.serial = serial
        self.birth = birth
        self.default = default
        self.owner = owner
        self.key: Key = (0, serial)

    def __repr__(self) -> str:
        return f"{self.name or '?'}#{self.serial}"


CACHE = 1 << 14
"""How many results of the pure functions below are kept: the same sizes meet again and again in one file."""


@dataclass(frozen=True, slots=True)
class Quotient:
    """`numerator // denominator` where that is not a polynomial."""

    numerator: Dim
    denominator: Dim

    @property
    def key(self) -> Key:
        return (1, dim_key(self.numerator), dim_key(self.denominator))


@dataclass(frozen=True, slots=True)
class Remainder:
    """`numerator % denominator` where that is not known."""

    numerator: Dim
    denominator: Dim

    @property
    def key(self) -> Key:
        return (2, dim_key(self.numerator), dim_key(self.denominator))


Atom: TypeAlias = Symbol | Quotient | Remainder
Key: TypeAlias = "tuple[object, ...]"
Monomial: TypeAlias = "tuple[tuple[Atom, int], ...]"
ONE: Monomial = ()


def _atom_key(item: tuple[Atom, int]) -> Key:
    return (item[0].key, item[1])


def _monomial_key(monomial: Monomial) -> Key:
    return (-sum(power for _, power in monomial), tuple(_atom_key(item) for item in monomial))


class Expr:
    """A polynomial with integer coefficients over atoms, never a plain number (that is an `int`)."""

    __slots__ = ("_hash", "_symbols", "terms")

    def __init__(self, terms: tuple[tuple[Monomial, int], ...]) -> None:
        self.terms = terms
        self._hash = hash(terms)
        self._symbols: tuple[Symbol, ...] | None = None

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """All symbols, those inside quotients too, in order, each once."""
        if self._symbols is None:
            found: dict[Symbol, None] = {}
            for atom in self.atoms:
                if isinstance(atom, Symbol):
                    found[atom] = None
                else:
                    found.update(dict.fromkeys(symbols(atom.numerator)))
                    found.update(dict.fromkeys(symbols(atom.denominator)))
            self._symbols = tuple(found)
        return self._symbols

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Expr) and self._hash == other._hash and self.terms == other.terms

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        from qkv.shapes.show import show

        return f"<{show(self)}>"

    @property
    def atoms(self) -> tuple[Atom, ...]:
        """The atoms at the top of the expression, in order, each once."""
        return tuple(dict.fromkeys(atom for monomial, _ in self.terms for atom, _ in monomial))


Dim: TypeAlias = int | Expr


def dim_key(dim: Dim) -> Key:
    """A key that sorts sizes, the same in every run."""
    if isinstance(dim, int):
        return (0, dim)
    return (1, tuple((_monomial_key(monomial), factor) for monomial, factor in dim.terms))


def of(atom: Atom) -> Expr:
    """The size that is this one atom."""
    return Expr(((((atom, 1),), 1),))


def polynomial(terms: dict[Monomial, int]) -> Dim:
    """The size with these terms: an `int` where no name is left."""
    kept = [(monomial, factor) for monomial, factor in terms.items() if factor]
    if not kept:
        return 0
    if len(kept) == 1 and kept[0][0] == ONE:
        return kept[0][1]
    if len(kept) > 1:
        kept.sort(key=lambda term: _monomial_key(term[0]))
    return Expr(tuple(kept))


def _terms(dim: Dim) -> tuple[tuple[Monomial, int], ...]:
    return dim.terms if isinstance(dim, Expr) else ((ONE, dim),)


def add(a: Dim, b: Dim) -> Dim:
    """a + b."""
    return a + b if isinstance(a, int) and isinstance(b, int) else _add(a, b)


@lru_cache(maxsize=CACHE)
def _add(a: Dim, b: Dim) -> Dim:
    total = dict(_terms(a))
    for monomial, factor in _terms(b):
        total[monomial] = total.get(monomial, 0) + factor
    return polynomial(total)


def subtract(a: Dim, b: Dim) -> Dim:
    """a - b."""
    return add(a, multiply(b, -1))


def multiply(a: Dim, b: Dim) -> Dim:
    """a * b."""
    return a * b if isinstance(a, int) and isinstance(b, int) else _multiply(a, b)


@lru_cache(maxsize=CACHE)
def _multiply(a: Dim, b: Dim) -> Dim:
    if a == 1:
        return b
    if b == 1:
        return a
    total: dict[Monomial, int] = {}
    for left, left_factor in _terms(a):
        for right, right_factor in _terms(b):
            monomial = _times(left, right)
            total[monomial] = total.get(monomial, 0) + left_factor * right_factor
    return polynomial(total)


def _times(left: Monomial, right: Monomial) -> Monomial:
    if not left:
        return right
    if not right:
        return left
    powers = dict(left)
    for atom, power in right:
        powers[atom] = powers.get(atom, 0) + power
    return tuple(sorted(((a, p) for a, p in powers.items() if p), key=_atom_key))


def product(dims: tuple[Dim, ...] | list[Dim]) -> Dim:
    """The product of sizes; 1 for none."""
    total: Dim = 1
    for dim in dims:
        total = multiply(total, dim)
    return total


@lru_cache(maxsize=CACHE)
def floor_divide(a: Dim, b: Dim) -> Dim:
    """a // b for positive b. Raises ZeroDivisionError for b = 0."""
    if isinstance(a, int) and isinstance(b, int):
        return a // b
    if b == 0:
        raise ZeroDivisionError
    if b == 1:
        return a
    whole, rest = _split_by(a, b)
    if rest == 0:
        return whole
    if whole != 0:
        return add(whole, floor_divide(rest, b))
    inner = _as_quotient(a)
    if inner is not None:  # (n // p) // q is n // (p q)
        return floor_divide(inner.numerator, multiply(inner.denominator, b))
    return of(Quotient(a, b))


@lru_cache(maxsize=CACHE)
def modulo(a: Dim, b: Dim) -> Dim:
    """a % b for positive b. Raises ZeroDivisionError for b = 0."""
    if isinstance(a, int) and isinstance(b, int):
        return a % b
    if b == 0:
        raise ZeroDivisionError
    if b == 1:
        return 0
    _, rest = _split_by(a, b)
    if rest == 0 or (isinstance(rest, int) and isinstance(b, int)):
        return rest % b if isinstance(rest, int) and isinstance(b, int) else 0
    return of(Remainder(rest, b))


def power(a: Dim, exponent: int) -> Dim:
    """a ** exponent for exponent >= 0."""
    return product([a] * exponent)


def _as_quotient(dim: Dim) -> Quotient | None:
    if isinstance(dim, Expr) and len(dim.terms) == 1:
        (monomial, factor) = dim.terms[0]
        if factor == 1 and len(monomial) == 1 and monomial[0][1] == 1 and isinstance(monomial[0][0], Quotient):
            return monomial[0][0]
    return None


def _split_by(a: Dim, b: Dim) -> tuple[Dim, Dim]:
    """a = whole * b + rest, term by term where b is a single term."""
    divisor = _terms(b)
    if len(divisor) != 1:
        return (1, 0) if a == b else (0, a)
    by, by_factor = divisor[0]
    whole: dict[Monomial, int] = {}
    rest: dict[Monomial, int] = {}
    for monomial, factor in _terms(a):
        quotient = _without(monomial, by)
        if quotient is not None and factor % by_factor == 0:
            whole[quotient] = factor // by_factor
        elif quotient == ONE and monomial == ONE:  # plain numbers: 7 = 3 * 2 + 1
            whole[ONE], rest[ONE] = factor // by_factor, factor % by_factor
        else:
            rest[monomial] = factor
    return polynomial(whole), polynomial(rest)


def _without(monomial: Monomial, by: Monomial) -> Monomial | None:
    powers = dict(monomial)
    for atom, count in by:
        left = powers.get(atom, 0) - count
        if left < 0:
            return None
        powers[atom] = left
    return tuple((a, p) for a, p in powers.items() if p)


def symbols(dim: Dim) -> tuple[Symbol, ...]:
    """All symbols in a size, those inside quotients too, in order."""
    return () if isinstance(dim, int) else dim.symbols


def alone(dim: Dim) -> Symbol | None:
    """The symbol, where the size is just that symbol."""
    if isinstance(dim, Expr) and len(dim.terms) == 1:
        monomial, factor = dim.terms[0]
        if factor == 1 and len(monomial) == 1 and monomial[0][1] == 1 and isinstance(monomial[0][0], Symbol):
            return monomial[0][0]
    return None


Rational: TypeAlias = "dict[Monomial, Fraction]"


@lru_cache(maxsize=CACHE)
def rational(dim: Dim) -> Rational:
    """The normal form in which every `//` is an exact division: powers may be negative, factors fractions."""
    total: Rational = {}
    for monomial, factor in _terms(dim):
        part: Rational = {ONE: Fraction(factor)}
        for atom, count in monomial:
            part = _rational_times(part, _rational_atom(atom), count)
        for key, value in part.items():
            total[key] = total.get(key, Fraction(0)) + value
    return {key: value for key, value in total.items() if value}


def _rational_atom(atom: Atom) -> Rational:
    if isinstance(atom, Quotient):
        below = rational(atom.denominator)
        if len(below) == 1:
            (monomial, factor) = next(iter(below.items()))
            inverse = {tuple((a, -p) for a, p in monomial): 1 / factor}
            return _rational_times(rational(atom.numerator), inverse, 1)
    return {((atom, 1),): Fraction(1)}


def _rational_times(left: Rational, right: Rational, times: int) -> Rational:
    for _ in range(times):
        total: Rational = {}
        for a, x in left.items():
            for b, y in right.items():
                key = _times(a, b)
                total[key] = total.get(key, Fraction(0)) + x * y
        left = total
    return left


@lru_cache(maxsize=CACHE)
def exact_quotient(a: Dim, b: Dim) -> Dim:
    """a / b where it is known to be whole: what the rational forms give, as a polynomial or as one reduced quotient.

    Raises ZeroDivisionError for b = 0.
    """
    if isinstance(b, int) and (isinstance(a, int) or b in (0, 1)):
        return floor_divide(a, b)
    below = rational(b)
    if len(below) != 1:
        return floor_divide(a, b)
    (monomial, factor) = next(iter(below.items()))
    form = _rational_times(rational(a), {tuple((atom, -p) for atom, p in monomial): 1 / factor}, 1)
    if all(value.denominator == 1 and all(p > 0 for _, p in powers) for powers, value in form.items()):
        return polynomial({powers: int(value) for powers, value in form.items()})
    if len(form) != 1:
        return floor_divide(a, b)
    powers, value = next(iter(form.items()))
    above = polynomial({tuple((atom, p) for atom, p in powers if p > 0): value.numerator})
    under = polynomial({tuple((atom, -p) for atom, p in powers if p < 0): value.denominator})
    return of(Quotient(above, under)) if isinstance(above, Expr) or isinstance(under, Expr) else above // under


def substitute(dim: Dim, values: dict[Symbol, Dim]) -> Dim:
    """Put sizes in for symbols, also inside quotients. A division by zero that comes up leaves the size as it was."""
    if isinstance(dim, int) or not values:
        return dim
    if not any(symbol in values for symbol in dim.symbols):
        return dim
    try:
        total: Dim = 0
        for monomial, factor in dim.terms:
            part: Dim = factor
            for atom, count in monomial:
                part = multiply(part, power(_substitute_atom(atom, values), count))
            total = add(total, part)
        return total
    except ZeroDivisionError:
        return dim


def _substitute_atom(atom: Atom, values: dict[Symbol, Dim]) -> Dim:
    if isinstance(atom, Symbol):
        return values.get(atom, of(atom))
    above, below = substitute(atom.numerator, values), substitute(atom.denominator, values)
    return floor_divide(above, below) if isinstance(atom, Quotient) else modulo(above, below)
