"""The shipped glossary: every term is whole, links lead somewhere, every example runs."""

from __future__ import annotations

import contextlib
import io
import re

import latex2mathml.converter
import torch
import torch.nn.attention.flex_attention

from qkv.glossary import Glossary
from qkv.glossary.words import normal_words, parts_of

AT_LEAST = """attention, attention map, causal mask, dimension, distribution, dot product, embedding, GPU, gradient, hard pointer, head, key,
key axis, layer, layer norm, logits, matrix, negative infinity, one-hot, output projection, parameter, positional encoding, projection,
query, residual stream, retrieval layer, saturating, scale, score matrix, soft alignment, softmax, token, value, variance, vector,
weighted sum, weights"""

PARTS = {
    *("blend", "queries-keys-values", "multi-head-attention", "causal-mask", "order"),
    *("running-vector", "feed-forward", "language-model", "generation", "looking-inside"),
}


def test_every_file_is_a_term(glossary: Glossary):
    assert glossary.problems == ()
    assert len(glossary.terms) >= 90


def test_the_terms_of_the_course_are_there(glossary: Glossary):
    names = {term.name for term in glossary.terms.values()}
    assert {" ".join(name.split()) for name in AT_LEAST.split(",")} <= names


def test_an_id_is_the_name_in_lower_case_with_hyphens(glossary: Glossary):
    for term in glossary.terms.values():
        assert term.id == term.name.lower().replace(" ", "-")


def test_links_lead_somewhere(glossary: Glossary):
    for term in glossary.terms.values():
        assert term.see and set(term.see) <= set(glossary.terms) - {term.id}, term.id
        assert term.lesson.removeprefix("lesson:").partition("#")[0] in PARTS, term.id


def test_a_definition_has_at_most_two_sentences(glossary: Glossary):
    for term in glossary.terms.values():
        sentences = re.findall(r"[.!?](?=\s|$)", term.definition)
        assert 1 <= len(sentences) <= 2, term.definition
        assert len(term.definition) < 330, term.id


def test_no_spelling_belongs_to_two_terms(glossary: Glossary):
    owners: dict[tuple[str, ...], str] = {}
    for term in glossary.terms.values():
        spellings = [normal_words(spelling) for spelling in (term.name, *term.also)]
        spellings += [tuple(part.text for part in parts_of(i)) if len(i) > 1 else (i,) for i in term.code.identifiers]
        spellings += [(name,) for name in term.code.api]
        for spelling in set(filter(None, spellings)):
            assert owners.setdefault(spelling, term.id) == term.id, spelling


def test_every_formula_can_be_drawn_and_has_a_text(glossary: Glossary):
    for term in glossary.terms.values():
        if term.formula is not None:
            assert latex2mathml.converter.convert(term.formula).startswith("<math"), term.id
            assert term.formula_text, term.id


def test_every_example_runs_and_prints(glossary: Glossary):
    for term in glossary.terms.values():
        torch.manual_seed(0)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(term.example, f"glossary/{term.id}.md", "exec"), {"__name__": term.id})
        assert printed.getvalue().strip(), term.id
        assert "False" not in printed.getvalue() or term.id in SHOWS_FALSE, (term.id, printed.getvalue())


SHOWS_FALSE = {"positional-encoding", "contiguous", "feed-forward-network", "fine-tuning", "nan"}
"""Examples that show something which does not hold; elsewhere a False is a claim that failed."""


def test_no_name_of_pytorch_is_made_up(glossary: Glossary):
    for term in glossary.terms.values():
        for name in term.code.api:
            if not name.startswith("torch."):
                continue
            found = torch
            for part in name.split(".")[1:]:
                assert hasattr(found, part), name
                found = getattr(found, part)
