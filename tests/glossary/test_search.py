"""Looking terms up, and showing them."""

from __future__ import annotations

import re

import pytest

from qkv.glossary import (
    find_term,
    hover_markdown,
    hover_text,
    nearest_names,
    page_markdown,
    page_text,
    plain_text,
    search,
)


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("softmax", "softmax"),
        ("F.softmax", "softmax"),
        ("nn.LayerNorm", "layer norm"),
        ("torch.nn.MultiheadAttention", "multi-head attention"),
        ("attn_weights", "attention map"),
        ("causal-mask", "causal mask"),
        ("Queries", "query"),
        ("q", "query"),
        ("RoPE", "rotary embedding"),
    ],
)
def test_a_term_is_found_by_each_of_its_spellings(glossary, index, spelling, name):
    assert find_term(glossary, index, spelling).name == name


def test_what_is_no_term_is_not_found(glossary, index):
    for spelling in ("", " ", "nonsense", "API key", "np.softmax?"):
        assert find_term(glossary, index, spelling) is None


def test_a_search_puts_the_name_first(glossary):
    assert search(glossary, "key")[0].name == "key"
    assert search(glossary, "attention wei")[0].name == "attention map"
    assert [term.name for term in search(glossary, "norm")][:3] == ["layer norm", "post-norm", "pre-norm"]


def test_a_search_reads_definitions(glossary):
    assert "scale" in {term.name for term in search(glossary, "divided spread")}


def test_an_empty_search_gives_every_term_by_name(glossary):
    names = [term.name for term in search(glossary, " ")]
    assert names == sorted(names, key=str.casefold) and len(names) == len(glossary.terms)


def test_a_search_for_nonsense_gives_nothing(glossary):
    assert search(glossary, "zzzz") == ()


@pytest.mark.parametrize(
    ("typed", "name"), [("softmx", "softmax"), ("casual mask", "causal mask"), ("resdual stream", "residual stream")]
)
def test_a_misspelt_term_has_a_nearest_name(glossary, typed, name):
    assert nearest_names(glossary, typed)[0] == name


def test_nothing_is_near_to_nonsense(glossary):
    assert nearest_names(glossary, "zzzzzz") == ()


def test_a_hover_is_short_and_links_where_links_can_be_followed(glossary):
    term = glossary.terms["softmax"]
    assert hover_markdown(term, lambda target: f"x:{target}").split("\n\n") == [
        f"**softmax** — {term.definition}",
        f"`{term.formula_text}`",
        f"Shape: {term.shape}",
        "[Lesson](x:lesson:blend) · [More](x:term:softmax)",
    ]
    assert "](" not in hover_markdown(term, lambda target: None)


def test_plain_text_has_no_marks(glossary):
    assert plain_text("*a* and **b**, `c * d` [e](term:f), 2 * 3 * 4, x_1*y") == "a and b, c * d e, 2 * 3 * 4, x_1*y"
    for term in glossary.terms.values():
        assert not re.search(r"`|\*\*\w|\]\(", hover_text(term))


def test_a_page_holds_the_example_and_its_links(glossary):
    page = page_markdown(glossary.terms["query"], glossary)
    assert page.startswith("# query\n\n") and "```python\n" in page
    assert "[key](term:key)" in page and "(lesson:queries-keys-values)" in page
    assert "See also: key, value" in page_text(glossary.terms["query"], glossary)
