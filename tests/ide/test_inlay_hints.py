"""Inlay hints: one part an axis, each with the place where the axis got its name."""

from __future__ import annotations

from dataclasses import replace

from ide_case import axes, bound, snapshot, text_of, where

from qkv.ide.inlay_hints import inlay_hints
from qkv.ide.settings import Settings
from qkv.interp import Axis, Fact

CODE = text_of("""
    B, T, C = x.shape
    q = split(x)
    for row in q: pass
    w = mix(q)  # (B, T)
""")
Q = bound(CODE, "q", "B", 8, "T", "C // 8")
ROW = replace(bound(CODE, "row", 8, "T"), kind="loop")


def check(facts: tuple[Fact, ...], *expected: str, lines: tuple[int, int] = (1, 99), setting: str = "all") -> None:
    """The hints are `expected`, each as `line:column text`."""
    view = snapshot(CODE, facts=facts, settings=Settings(inlay_hints=setting))  # type: ignore[arg-type]
    assert [f"{hint.line}:{hint.column}{hint.text}" for hint in inlay_hints(view, *lines)] == list(expected)


def test_a_hint_stands_after_the_name() -> None:
    check((Q,), "2:2: (B, 8, T, C // 8)")


def test_hints_come_for_the_lines_that_are_asked_for() -> None:
    check((Q, ROW), "2:2: (B, 8, T, C // 8)", lines=(1, 2))
    check((Q, ROW), "3:8: (8, T)", lines=(3, 3))


def test_assignments_only_or_off() -> None:
    check((Q, ROW), "2:2: (B, 8, T, C // 8)", setting="assignments")
    check((Q, ROW), setting="off")


def test_nothing_known_shows_nothing() -> None:
    check((replace(Q, axes=None),))
    check((replace(Q, axes=axes("?", "?")),))
    check((replace(Q, axes=axes("...")),))


def test_what_is_partly_known_is_shown() -> None:
    check((replace(Q, axes=axes("...", "C")),), "2:2: (..., C)")
    check((replace(Q, axes=axes("C")),), "2:2: (C,)")
    check((replace(Q, axes=()),), "2:2: ()")


def test_a_shape_that_the_comment_says_is_not_said_twice() -> None:
    check((bound(CODE, "w", "B", "T", nth=2),))
    check((bound(CODE, "w", "B", "H", nth=2),), "4:2: (B, H)")


def test_each_axis_leads_to_its_birth() -> None:
    fact = replace(Q, axes=(Axis("B", where(CODE, "B")), Axis(8), Axis("T", where(CODE, "T"))))
    (hint,) = inlay_hints(snapshot(CODE, facts=(fact,)), 1, 9)
    assert [(part.text, part.birth) for part in hint.parts if part.birth] == [
        ("B", where(CODE, "B")),
        ("T", where(CODE, "T")),
    ]
