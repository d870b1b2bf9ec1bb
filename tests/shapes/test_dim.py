"""Symbolic sizes against plain numbers: whatever the symbols are, an expression means what Python means."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qkv.shapes import Dim, Kind, Store
from qkv.shapes import dim as dims
from qkv.shapes.show import show
from qkv.shapes.solve import symbol

STORE = Store()
A, B, C = (symbol(STORE, name, Kind.PARAM) for name in "abc")
SYMBOLS = [dims.alone(x) for x in (A, B, C)]
SIZES = st.tuples(*(st.integers(1, 12) for _ in SYMBOLS))
OPERATIONS = {
    "+": (dims.add, lambda x, y: x + y),
    "-": (dims.subtract, lambda x, y: x - y),
    "*": (dims.multiply, lambda x, y: x * y),
    "//": (dims.floor_divide, lambda x, y: x // y),
    "%": (dims.modulo, lambda x, y: x % y),
}


def formulas(operators: str) -> st.SearchStrategy[object]:
    """Formulas over a, b, c and small numbers; divisors are a symbol or a positive number."""
    leaves = st.one_of(st.sampled_from("abc"), st.integers(1, 6))

    def grow(inner: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
        plain = [st.tuples(st.just(op), inner, inner) for op in operators if op in "+-*"]
        dividing = [st.tuples(st.just(op), inner, leaves) for op in ("//", "%") if op[0] in operators]
        return st.one_of(*plain, *dividing)

    return st.recursive(leaves, grow, max_leaves=6)


def symbolic(formula: object) -> Dim:
    if isinstance(formula, tuple):
        op, left, right = formula
        return OPERATIONS[op][0](symbolic(left), symbolic(right))
    return {"a": A, "b": B, "c": C}[formula] if isinstance(formula, str) else formula  # type: ignore[index, return-value]


def number(formula: object, sizes: tuple[int, ...]) -> int:
    if isinstance(formula, tuple):
        op, left, right = formula
        return OPERATIONS[op][1](number(left, sizes), number(right, sizes))
    return dict(zip("abc", sizes, strict=True))[formula] if isinstance(formula, str) else formula  # type: ignore[index, return-value]


def put(dim: Dim, sizes: tuple[int, ...]) -> Dim:
    return dims.substitute(dim, dict(zip(SYMBOLS, sizes, strict=True)))  # type: ignore[arg-type]


@given(formulas("+-*"), SIZES)
def test_a_polynomial_means_what_python_means(formula: object, sizes: tuple[int, ...]) -> None:
    assert put(symbolic(formula), sizes) == number(formula, sizes)


@given(formulas("+*/%"), SIZES)
def test_divisions_mean_what_python_means(formula: object, sizes: tuple[int, ...]) -> None:
    assert put(symbolic(formula), sizes) == number(formula, sizes)


@given(formulas("+-*"), formulas("+-*"), SIZES)
def test_equal_exact_forms_are_equal_numbers(left: object, right: object, sizes: tuple[int, ...]) -> None:
    if symbolic(left) == symbolic(right):
        assert number(left, sizes) == number(right, sizes)


@given(formulas("+-*"))
def test_a_size_minus_itself_is_nothing(formula: object) -> None:
    assert dims.subtract(symbolic(formula), symbolic(formula)) == 0


@given(formulas("+*"), st.sampled_from("abc"))
def test_the_rational_form_takes_a_division_for_exact(formula: object, by: str) -> None:
    size = symbolic(formula)
    assert dims.rational(dims.multiply(dims.floor_divide(size, symbolic(by)), symbolic(by))) == dims.rational(size)


def rational_value(dim: Dim, sizes: tuple[int, ...]) -> Fraction:
    numbers = dict(zip(SYMBOLS, sizes, strict=True))
    total = Fraction(0)
    for monomial, factor in dims.rational(dim).items():
        part = Fraction(factor)
        for atom, power in monomial:
            part *= Fraction(numbers[atom]) ** power  # type: ignore[index]
        total += part
    return total


@given(formulas("+*"), st.sampled_from("abc"), SIZES)
def test_the_rational_form_is_the_number_where_the_division_is_exact(
    formula: object, by: str, sizes: tuple[int, ...]
) -> None:
    size, divisor = symbolic(formula), symbolic(by)
    if number(formula, sizes) % number(by, sizes) == 0:
        assert rational_value(dims.floor_divide(size, divisor), sizes) == number(formula, sizes) // number(by, sizes)


@given(formulas("*"), formulas("*"), SIZES)
def test_an_exact_quotient_is_the_number_where_it_is_whole(
    above: object, below: object, sizes: tuple[int, ...]
) -> None:
    if number(above, sizes) % number(below, sizes) == 0:
        found = put(dims.exact_quotient(symbolic(above), symbolic(below)), sizes)
        assert found == number(above, sizes) // number(below, sizes)


@given(formulas("+-*/%"))
def test_what_is_shown_reads_as_the_same_size(formula: object) -> None:
    """Display uses the rational form, so it is compared by that form."""
    size = symbolic(formula)
    try:
        read = eval(show(size), {}, {name: Symbolic(value) for name, value in zip("abc", (A, B, C), strict=True)})
    except ZeroDivisionError:
        return
    value = read.dim if isinstance(read, Symbolic) else read
    assert dims.rational(value) == dims.rational(size) or value == size


class Symbolic:
    """A size that Python's operators work on."""

    def __init__(self, dim: Dim) -> None:
        self.dim = dim

    def _with(self, other: object, op: str, turned: bool = False) -> Symbolic:
        right = other.dim if isinstance(other, Symbolic) else other
        pair = (right, self.dim) if turned else (self.dim, right)
        return Symbolic(OPERATIONS[op][0](*pair))

    def __add__(self, other: object) -> Symbolic:
        return self._with(other, "+")

    __radd__ = __add__

    def __sub__(self, other: object) -> Symbolic:
        return self._with(other, "-")

    def __rsub__(self, other: object) -> Symbolic:
        return self._with(other, "-", turned=True)

    def __mul__(self, other: object) -> Symbolic:
        return self._with(other, "*")

    __rmul__ = __mul__

    def __floordiv__(self, other: object) -> Symbolic:
        return self._with(other, "//")

    def __rfloordiv__(self, other: object) -> Symbolic:
        return self._with(other, "//", turned=True)

    def __mod__(self, other: object) -> Symbolic:
        return self._with(other, "%")

    def __rmod__(self, other: object) -> Symbolic:
        return self._with(other, "%", turned=True)

    def __neg__(self) -> Symbolic:
        return Symbolic(dims.multiply(self.dim, -1))


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (3, "3"),
        (A, "a"),
        (dims.add(A, 1), "a + 1"),
        (dims.subtract(A, 1), "a - 1"),
        (dims.multiply(3, A), "3 * a"),
        (dims.floor_divide(A, B), "a // b"),
        (dims.multiply(dims.floor_divide(A, B), B), "a"),
        (dims.floor_divide(dims.multiply(A, B), dims.multiply(C, 2)), "a * b // (2 * c)"),
        (dims.add(dims.multiply(2, dims.floor_divide(A, 2)), C), "a + c"),
        (symbol(STORE, "", Kind.FRESH), "?"),
    ],
)
def test_a_size_is_shown_as_an_expression_of_names(size: Dim, text: str) -> None:
    assert show(size) == text


def test_a_size_is_shown_under_the_users_own_name() -> None:
    assert show(dims.floor_divide(A, B), {dims.floor_divide(A, B): "hs"}) == "hs"


def test_the_exact_form_does_not_take_a_division_for_exact() -> None:
    halves = dims.multiply(2, dims.floor_divide(A, 2))
    assert halves != A
    assert dims.rational(halves) == dims.rational(A)


def test_quotients_of_quotients_are_one_quotient() -> None:
    assert dims.floor_divide(dims.floor_divide(A, B), C) == dims.floor_divide(A, dims.multiply(B, C))


def test_a_division_by_nothing_is_refused() -> None:
    with pytest.raises(ZeroDivisionError):
        dims.floor_divide(A, 0)
