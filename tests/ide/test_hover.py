"""Hovers: shape first, then why, then the term; the same in plain text; nothing where there is nothing to say."""

from __future__ import annotations

from dataclasses import replace

from ide_case import axes, bound, snapshot, span_of, text_of, where

from qkv.ide.hover import hover
from qkv.ide.links import Links
from qkv.ide.settings import Settings
from qkv.ide.snapshot import Snapshot, take_snapshot
from qkv.interp import Fact, Named, Operation, Reason, Seen

CODE = text_of("""
    def forward(self, x):
        B, T, C = x.shape
        scores = q @ k.transpose(-2, -1)
        return scores.softmax(-1)
""")
SCORES = bound(
    CODE,
    "scores",
    "B",
    "H",
    "T",
    "T",
    dtype="float32",
    needs=("C = H * d",),
    seen=(Seen((4, 8, 32, 32), "float32", where(CODE, "forward")),),
    because=(Reason(where(CODE, "B, T, C"), "B and T are axes of x"),),
)


def at(view: Snapshot, piece: str, nth: int = 1):
    """The hover in the middle of a piece of the text, without the glossary's part."""
    span = span_of(view.source.text, piece, nth)
    return hover(
        replace(view, settings=replace(view.settings, hover_terms=False)), span.line, span.column + len(piece) // 2
    )


def test_a_name_shows_its_shape_its_numbers_and_why() -> None:
    shown = at(snapshot(CODE, facts=(SCORES,)), "scores")
    assert shown is not None
    assert shown.shape == ["B", "H", "T", "T"]
    assert shown.span == span_of(CODE, "scores")
    assert shown.text.split("\n") == [
        "scores: (B, H, T, T)  float32",
        "here (4, 8, 32, 32), called in line 1",
        "needs C = H * d",
        "B and T are axes of x (line 2)",
    ]
    assert "here (4, 8, 32, 32)" in shown.markdown and "scores: (B, H, T, T)" in shown.markdown


def test_a_read_name_shows_what_its_binding_knew_while_that_still_holds() -> None:
    read = Named(span_of(CODE, "scores", 2), "scores", SCORES.axes, "float32")
    shown = at(snapshot(CODE, facts=(SCORES,), names=(read,)), "scores", 2)
    assert shown is not None and "here (4, 8, 32, 32)" in shown.text and shown.span == read.span
    other = replace(read, axes=axes("B", 1, "T", "T"))
    shown = at(snapshot(CODE, facts=(SCORES,), names=(other,)), "scores", 2)
    assert shown is not None and shown.text == "scores: (B, 1, T, T)  float32"


def test_a_call_shows_what_it_does_to_shapes() -> None:
    call = Operation(
        span_of(CODE, "k.transpose(-2, -1)"),
        span_of(CODE, "transpose"),
        "torch.Tensor.transpose",
        ("(B, H, T, d)",),
        "(B, H, d, T)",
    )
    shown = at(snapshot(CODE, facts=(SCORES,), operations=(call,)), "transpose")
    assert shown is not None and shown.operation == call
    assert shown.text == "(B, H, T, d) → (B, H, d, T)\ntorch.Tensor.transpose"


def test_a_call_of_which_nothing_is_known_shows_no_arrow() -> None:
    for before in ((), ("(…)",), ("?", "(…)")):
        call = Operation(
            span_of(CODE, "scores.softmax(-1)"), span_of(CODE, "softmax"), "torch.Tensor.softmax", before, "(…)"
        )
        shown = hover(snapshot(CODE, operations=(call,)), 4, span_of(CODE, "softmax").column)
        assert shown is not None and shown.operation is None and shown.text.startswith("softmax: ")


def test_the_innermost_of_several_speaks() -> None:
    outer = Operation(
        span_of(CODE, "q @ k.transpose(-2, -1)"),
        span_of(CODE, "@"),
        "torch.Tensor.__matmul__",
        ("(T, d)", "(d, T)"),
        "(T, T)",
    )
    shown = at(snapshot(CODE, operations=(outer,)), "@")
    assert shown is not None and shown.text.startswith("(T, d), (d, T) → (T, T)")


def test_an_unknown_shape_says_why() -> None:
    fact = Fact(SCORES.span, "scores", "assignment", None, None, unknown="no rule for torch.foo yet")
    shown = at(snapshot(CODE, facts=(fact,)), "scores")
    assert shown is not None and shown.shape is None
    assert shown.text == "scores: shape not known\nno rule for torch.foo yet"


def test_sizes_of_the_settings_stand_beside_the_names() -> None:
    view = snapshot(
        CODE, facts=(replace(SCORES, seen=(), needs=(), because=()),), settings=Settings(sizes={"B": 4, "T": 8})
    )
    shown = at(view, "scores")
    assert shown is not None and "with your sizes (B = 4, H, T = 8, T = 8)" in shown.text


def test_shapes_can_be_switched_off() -> None:
    assert at(snapshot(CODE, facts=(SCORES,), settings=Settings(hover_shapes=False)), "scores") is None


def test_a_position_outside_the_text_shows_nothing() -> None:
    view = snapshot(CODE, facts=(SCORES,))
    for line, column in [(0, 0), (1, 999), (999, 1), (-3, -3)]:
        assert hover(view, line, column) is None


def test_a_name_with_marks_is_not_taken_for_markdown() -> None:
    fact = replace(SCORES, because=(Reason(where(CODE, "B, T, C"), "`a_b` times <b>*c*</b>"),))
    shown = at(snapshot(CODE, facts=(fact,)), "scores")
    assert shown is not None
    assert "`a_b` times \\<b\\>\\*c\\*\\</b\\>" in shown.markdown


def test_a_term_comes_after_the_shape_and_leads_into_the_course() -> None:
    call = Operation(
        span_of(CODE, "scores.softmax(-1)"), span_of(CODE, "softmax"), "torch.Tensor.softmax", ("(T, T)",), "(T, T)"
    )
    span = span_of(CODE, "softmax")
    shown = hover(snapshot(CODE, operations=(call,)), span.line, span.column, Links(command=True))
    assert shown is not None
    assert shown.term == "softmax" and shown.term_id == "softmax"
    assert shown.markdown.index("(T, T) → (T, T)") < shown.markdown.index("**softmax**")
    assert "](command:qkv.open?%5B%22term%3Asoftmax%22%5D)" in shown.markdown


def test_prose_shows_terms_only() -> None:
    view = take_snapshot("notes.md", "Softmax comes after the causal mask.\n", language="markdown")
    shown = hover(view, 1, 25)
    assert shown is not None and shown.term == "causal mask" and shown.shape is None
