"""Every code has a page, and every page's programs do what it says."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import qkv
from qkv.ide.codes import ALL_CODES, PAGES
from qkv.ide.diagnostics import diagnostics
from qkv.ide.edits import apply_edits
from qkv.ide.explain import explain, nearest
from qkv.ide.page import Page
from qkv.ide.snapshot import take_snapshot
from qkv.ide.terms import named_term


def said(text: str) -> set[str]:
    """The codes of what is said about a program."""
    return {one.code for one in diagnostics(take_snapshot("example.py", text))}


@pytest.mark.parametrize("page", PAGES.values(), ids=lambda page: page.code)
def test_the_wrong_program_is_found_and_the_right_one_left_alone(page: Page) -> None:
    assert page.wrong is not None and page.right is not None
    assert said(page.wrong) == {page.code}
    assert said(page.right) == set()
    ast.parse(page.right)


FIXED = ("mask-upside-down", "shape-claim", "shape-matmul", "shape-view-stride", "dtype-index", "unused-ignore")
"""Codes whose wrong program a quick fix mends."""


@pytest.mark.parametrize("page", PAGES.values(), ids=lambda page: page.code)
def test_after_a_quick_fix_the_finding_is_gone_and_no_other_came(page: Page) -> None:
    wrong = page.wrong or ""
    fixes = [fix for one in diagnostics(take_snapshot("example.py", wrong)) for fix in one.fixes]
    assert (page.code in FIXED) == bool(fixes)
    for fix in fixes:
        assert said(apply_edits(wrong, fix.edits)) == set(), fix.title


@pytest.mark.parametrize("code", ALL_CODES)
def test_a_page_can_be_shown(code: str) -> None:
    page = explain(code)
    assert page is not None and page.kind == "diagnostic" and page.example is not None
    assert "\n" not in page.example.message
    assert page.title in page.text and "```" not in page.text
    assert all((found := named_term(term)) is not None and found.name == term for term in PAGES[code].terms)
    assert page.lesson is None or re.fullmatch(r"lesson:[a-z-]+(#[a-z-]+)?", page.lesson)


def test_every_code_that_is_raised_anywhere_has_a_page() -> None:
    package = Path(qkv.__file__).parent
    sources = [
        path.read_text(encoding="utf-8")
        for folder in ("ops", "interp", "lints")
        for path in (package / folder).glob("*.py")
    ]
    raised = {code for text in sources for code in re.findall(r'"((?:shape|dtype|device|mask)-[a-z-]+)"', text)}
    assert raised - set(ALL_CODES) == set()


def test_terms_are_found_however_they_are_written() -> None:
    for name in ("causal mask", "Causal Mask", "causal_mask", "causal-mask", " causal  mask "):
        found = named_term(name)
        assert found is not None and found.id == "causal-mask"
    assert named_term("no such thing") is None and named_term("") is None


def test_the_nearest_names() -> None:
    assert nearest("shape-matmull")[0] == "shape-matmul"
    assert "causal mask" in nearest("causal")
    assert nearest("") == [] and nearest("zzzz") == []
