"""What is learnt about sizes: contracts, coincidences, ranks, and that a branch takes all of it back."""

from __future__ import annotations

import pytest

from qkv.shapes import Dim, Expr, Kind, Shape, Store, Tensor, Truth
from qkv.shapes.dim import add, alone, floor_divide, multiply, subtract
from qkv.shapes.solve import (
    axis,
    compare,
    fresh,
    fresh_row,
    judge,
    meet,
    resolve,
    resolve_shape,
    resolve_value,
    solve_rank,
    stand_apart,
    symbol,
    undo,
)


class Names:
    """A store, and sizes made by their names: capitals are settings, the others sizes of inputs."""

    def __init__(self) -> None:
        self.store = Store()
        self.sizes: dict[str, Expr] = {}

    def __getattr__(self, name: str) -> Expr:
        kind = Kind.CONFIG if name.isupper() else Kind.PARAM
        return self.sizes.setdefault(name, symbol(self.store, name, kind))


@pytest.fixture
def n() -> Names:
    return Names()


# -- the four answers --------------------------------------------------------------------------------------------------------


def test_numbers_are_equal_or_not(n: Names) -> None:
    assert compare(4, 4) is Truth.ALWAYS
    assert compare(4, 5) is Truth.NEVER


def test_a_constant_difference_is_never_nothing(n: Names) -> None:
    assert compare(n.t, add(n.t, 1)) is Truth.NEVER


def test_sizes_that_differ_in_one_direction_only_are_never_equal(n: Names) -> None:
    assert compare(n.t, add(n.t, n.s)) is Truth.NEVER


def test_an_exact_division_makes_sizes_equal(n: Names) -> None:
    assert compare(multiply(floor_divide(n.C, n.H), n.H), n.C) is Truth.ALWAYS


def test_a_division_never_proves_that_sizes_differ(n: Names) -> None:
    assert compare(add(multiply(2, floor_divide(n.k, 2)), 1), n.k) is not Truth.NEVER


def test_an_unknown_size_may_be_anything(n: Names) -> None:
    assert compare(fresh(n.store), 3) is Truth.UNKNOWN
    assert compare(fresh(n.store), n.t) is Truth.UNKNOWN


def test_unrelated_sizes_may_agree(n: Names) -> None:
    assert compare(n.t, n.s) is Truth.SOMETIMES


# -- contracts and coincidences ----------------------------------------------------------------------------------------------


def test_an_inputs_size_is_tied_to_a_setting(n: Names) -> None:
    assert meet(n.store, n.c, n.C).truth is Truth.UNKNOWN
    assert resolve(n.store, n.c) == n.C
    assert len(n.store.needs) == 1


def test_the_tie_goes_from_the_input_to_the_setting_whatever_the_order(n: Names) -> None:
    meet(n.store, n.C, n.c)
    assert resolve(n.store, n.c) == n.C
    assert resolve(n.store, n.C) == n.C


def test_a_size_is_tied_to_a_product(n: Names) -> None:
    meet(n.store, n.c, multiply(n.H, n.D))
    assert resolve(n.store, n.c) == multiply(n.H, n.D)


def test_common_factors_are_no_part_of_a_contract(n: Names) -> None:
    meet(n.store, multiply(n.b, n.c), multiply(n.b, n.C))
    assert resolve(n.store, n.c) == n.C


def test_a_size_that_was_tied_cannot_be_something_else(n: Names) -> None:
    meet(n.store, n.c, 512)
    verdict = judge(n.store, n.c, 256)
    assert verdict.truth is Truth.NEVER
    assert verdict.before is not None and verdict.before.right == 512


def test_sizes_that_stood_side_by_side_agree_only_by_coincidence(n: Names) -> None:
    stand_apart(n.store, (n.b, n.t, n.d))
    verdict = judge(n.store, n.t, n.d)
    assert (verdict.truth, verdict.evidence) == (Truth.SOMETIMES, "apart")


def test_two_axes_of_one_input_agree_only_by_coincidence(n: Names) -> None:
    n.store.inputs.append(Shape((n.b, n.t, n.c)))
    assert judge(n.store, n.t, n.c).truth is Truth.SOMETIMES


def test_two_arguments_of_one_constructor_agree_only_by_coincidence(n: Names) -> None:
    left = symbol(n.store, "dim", Kind.CONFIG, owner="Block")
    right = symbol(n.store, "hidden", Kind.CONFIG, owner="Block")
    assert judge(n.store, left, right).evidence == "constructor"


def test_two_arguments_with_one_default_may_be_meant_to_be_equal(n: Names) -> None:
    left = symbol(n.store, "dim", Kind.CONFIG, owner="Block", default=64)
    right = symbol(n.store, "hidden", Kind.CONFIG, owner="Block", default=64)
    assert judge(n.store, left, right).truth is Truth.UNKNOWN


def test_sizes_of_different_inputs_are_a_contract(n: Names) -> None:
    n.store.inputs += [Shape((n.b, n.t)), Shape((n.b, n.s))]
    assert judge(n.store, n.t, n.s).truth is Truth.UNKNOWN


def test_a_tie_that_no_symbol_solves_is_left_open(n: Names) -> None:
    verdict = judge(n.store, multiply(n.a, n.b), multiply(n.c, n.d))
    assert verdict.truth is Truth.UNKNOWN and verdict.tie is None


def test_an_exact_division_is_kept_as_a_need(n: Names) -> None:
    meet(n.store, multiply(floor_divide(n.C, n.H), n.H), n.C)
    assert [(need.left, need.right, need.divides) for need in n.store.needs] == [(n.H, n.C, True)]


# -- ranks -------------------------------------------------------------------------------------------------------------------


def unknown(n: Names, *back: Dim) -> Shape:
    return Shape(back, fresh_row(n.store))


def test_a_rank_is_learnt_for_all_values_that_share_it(n: Names) -> None:
    x = unknown(n)
    projected = Shape((n.C,), x.row)
    solve_rank(n.store, unknown(n), 3)
    assert resolve_shape(n.store, projected).rank is None
    solve_rank(n.store, x, 2)
    assert resolve_shape(n.store, projected).rank == 3


def test_a_rank_below_the_known_axes_is_refused(n: Names) -> None:
    assert solve_rank(n.store, unknown(n, n.t, n.d), 1) is None
    assert solve_rank(n.store, Shape((n.t, n.d)), 3) is None


def test_axes_that_were_asked_for_are_remembered(n: Names) -> None:
    x = unknown(n)
    _, first = axis(n.store, x, 0)
    _, last = axis(n.store, x, -1)
    solved = solve_rank(n.store, x, 3)
    assert solved is not None and solved.back[0] == first and solved.back[2] == last


def test_axis_one_may_be_the_last_axis(n: Names) -> None:
    """Of `(…, C)` nobody knows whether axis 1 is C, so nothing is learnt."""
    x = unknown(n, n.C)
    _, size = axis(n.store, x, 1)
    assert resolve_shape(n.store, x) == x
    assert size is not None and alone(size) is not None and compare(size, n.C) is Truth.UNKNOWN


def test_the_first_axis_is_believed_to_lie_apart_from_the_last(n: Names) -> None:
    shape, _ = axis(n.store, unknown(n, n.C), 0)
    assert (len(shape.front), len(shape.back)) == (1, 1)


def test_an_axis_that_is_not_there(n: Names) -> None:
    assert axis(n.store, Shape((n.b, n.t)), 2)[1] is None


# -- branches ----------------------------------------------------------------------------------------------------------------


def test_a_branch_takes_back_what_it_learnt(n: Names) -> None:
    x = unknown(n)
    mark = len(n.store.trail)
    meet(n.store, n.c, n.C)
    solve_rank(n.store, x, 3)
    undo(n.store, mark)
    assert resolve(n.store, n.c) == n.c
    assert resolve_shape(n.store, x).rank is None
    assert not n.store.needs and not n.store.ties


def test_values_are_brought_up_to_date_with_their_strides(n: Names) -> None:
    x = Tensor(Shape((n.b, n.c)), strides=(n.c, 1))
    meet(n.store, n.c, 8)
    assert resolve_value(n.store, (x, n.c)) == (Tensor(Shape((n.b, 8)), strides=(8, 1)), 8)


def test_a_difference_that_solves_for_nothing_stays(n: Names) -> None:
    assert compare(subtract(n.t, n.t), 0) is Truth.ALWAYS
