"""The notation of shapes, as rules and annotations use it."""

from __future__ import annotations

import pytest

from qkv.shapes.notation import Item, NotationError, evaluate, names, parse


@pytest.mark.parametrize(
    ("text", "item"),
    [
        ("b", Item("b", "b")),
        ("4", Item("4", 4)),
        ("_", Item("_", None)),
        ("_width", Item("_width", None)),
        ("...", Item("...", None, many=True)),
        ("*batch", Item("batch", "batch", many=True)),
        ("#b", Item("b", "b", stretches=True)),
        ("*#b", Item("b", "b", many=True, stretches=True)),
        ("#*b", Item("b", "b", many=True, stretches=True)),
        ("heads=8", Item("8", 8)),
    ],
)
def test_one_axis(text: str, item: Item) -> None:
    assert parse(text) == (item,)


def test_axes_are_parted_by_blanks() -> None:
    assert [item.label for item in parse("*batch  heads T d")] == ["batch", "heads", "T", "d"]


def test_no_axes_are_a_scalar() -> None:
    assert parse("") == ()


@pytest.mark.parametrize(("text", "number"), [("h*d", 24), ("T+1", 6), ("C//h", 4), ("2*T-1", 9), ("(h+1)*2", 8)])
def test_arithmetic(text: str, number: int) -> None:
    (item,) = parse(text)
    assert item.size is not None
    assert evaluate(item.size, {"h": 3, "d": 8, "T": 5, "C": 12}) == number


def test_arithmetic_over_a_name_that_is_not_bound_is_not_known() -> None:
    (item,) = parse("T+1")
    assert item.size is not None and evaluate(item.size, {}) is None
    assert names(item.size) == ("T",)


@pytest.mark.parametrize("text", ["a* b", "*a *b", "**a", "a/b", "*4", "a..", "f(x)", "="])
def test_what_is_no_shape(text: str) -> None:
    with pytest.raises(NotationError):
        parse(text)
