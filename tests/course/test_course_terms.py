"""Terms link themselves: once in a section, the longest name first, never in code, headings or links."""

from __future__ import annotations

import pytest
from course_case import part_of

from qkv.course.nodes import Paragraph, TermLink
from qkv.course.terms import Phrases, linked, term_id, used_terms

PHRASES = Phrases(
    {
        ("head",): "head",
        ("heads",): "head",
        ("projection",): "projection",
        ("output", "projection"): "output-projection",
        ("softmax",): "softmax",
        ("value", "head"): None,
        ("one", "hot"): "one-hot",
    },
    2,
)


def terms(text: str) -> list[tuple[str, str | None]]:
    """The links in a section, as (words, id)."""
    (section,) = part_of(f"(a)=\n## A head\n\n{text}\n").sections
    return [(link.text, link.id) for _, link in used_terms(linked(section.blocks, PHRASES, set()))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A head, a head.", [("head", "head")]),
        ("Two Heads and a head.", [("Heads", "head")]),
        (
            "The output projection, then a projection.",
            [("output projection", "output-projection"), ("projection", "projection")],
        ),
        ("The output\nprojection.", [("output projection", "output-projection")]),
        ("One-hot rows.", [("One-hot", "one-hot")]),
        ("A value head is no head.", [("head", "head")]),
        ("`head` and [head](lesson:x) and $head$.", []),
        ("head_count and my_head.", []),
        ("headless", []),
        ("*A head* and a **softmax**.", [("head", "head"), ("softmax", "softmax")]),
        ("- a head\n- a head\n- softmax", [("head", "head"), ("softmax", "softmax")]),
        ("| head | x |\n|---|---|\n| softmax | y |", [("softmax", "softmax")]),
        (":::{note}\nA head.\n:::\n\nA head.", [("head", "head")]),
        ("A head and {term}`heads`.", [("head", "head"), ("heads", "head")]),
        ("{term}`heads` and a head.", [("heads", "head")]),
        ("{term}`nothing`", [("nothing", None)]),
        ("output, projection", [("projection", "projection")]),
    ],
)
def test_what_is_linked(text: str, expected: list[tuple[str, str | None]]) -> None:
    assert terms(text) == expected


def test_each_section_starts_anew() -> None:
    first, second = part_of("(a)=\n## A\n\nA head.\n\n(b)=\n## B\n\nA head.\n").sections
    assert [len(list(used_terms(linked(section.blocks, PHRASES, set())))) for section in (first, second)] == [1, 1]


def test_the_words_stay_what_they_were() -> None:
    (section,) = part_of("(a)=\n## A\n\nBefore the output projection, after.\n").sections
    (block,) = linked(section.blocks, PHRASES, set())
    assert isinstance(block, Paragraph)
    assert [
        inline.text for inline in block.inlines if not isinstance(inline, TermLink) and hasattr(inline, "text")
    ] == [
        "Before the ",
        ", after.",
    ]


def test_a_spelling_names_its_term() -> None:
    assert term_id("Output Projection", PHRASES) == "output-projection"
    assert term_id("value head", PHRASES) is None
