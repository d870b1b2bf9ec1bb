"""Findings and pages as text: excerpts, links, plain text."""

from __future__ import annotations

import pytest

from qkv.ide.diagnostics import Cause, Diagnostic
from qkv.ide.links import Links, hover_link, href, page_uri
from qkv.ide.render import COLOURED, diagnostic_text, github_annotation, summary_text, width
from qkv.ide.sarif import sarif
from qkv.source import Span


def diagnostic(span: Span, **more: object) -> Diagnostic:
    """A diagnostic at a span of `a.py`."""
    return Diagnostic("a.py", None, span, "error", "shape-matmul", "never", "they differ", **more)  # type: ignore[arg-type]


def check(text: str, span: Span, *excerpt: str) -> None:
    """The excerpt below the first line of a diagnostic in this text."""
    said = diagnostic_text(diagnostic(span), text.split("\n")).split("\n")
    assert said[0] == f"a.py:{span.line}:{span.column} error[shape-matmul] they differ"
    assert tuple(said[1:-1]) == excerpt


def test_carets_stand_below_what_is_meant() -> None:
    check("x = 1\ns = q @ k", Span(2, 5, 2, 10), "2 │ s = q @ k", "  │     ^^^^^")


def test_wide_characters_and_tabs_take_their_room() -> None:
    check("\ts = '😋é', q @ k", Span(1, 12, 1, 17), "1 │     s = '😋é', q @ k", "  │                ^^^^^")
    assert width("😋") == 2 and width("é") == 1 and width("e\u0301") == 1


def test_several_lines_have_carets_each_and_many_are_cut() -> None:
    check("s = (q\n     @ k)", Span(1, 6, 2, 9), "1 │ s = (q", "  │      ^", "2 │      @ k)", "  │      ^^^")
    many = "\n".join(f"line{number}" for number in range(1, 12))
    said = diagnostic_text(diagnostic(Span(1, 1, 11, 4)), many.split("\n"))
    assert "…" in said and "line3" in said and "line4" not in said and "line11" in said


def test_a_place_that_is_not_in_the_text_shows_no_excerpt() -> None:
    check("", Span(7, 1, 7, 2))


def test_causes_fixes_and_pages_are_named() -> None:
    said = diagnostic_text(
        diagnostic(
            Span(1, 1, 1, 2),
            detail="Turn k.",
            because=(
                Cause("a.py", None, Span(3, 1, 3, 2), "k is made"),
                Cause("b.py", None, Span(4, 1, 4, 2), "d is set"),
            ),
            lesson="lesson:queries-keys-values",
        ),
        ["x"],
        COLOURED,
    )
    assert "  Turn k." in said and "line 3: k is made" in said and "b.py, line 4: d is set" in said
    assert "qkv explain shape-matmul · lesson:queries-keys-values" in said
    assert said.count("\x1b[1;31m") == 2


def test_the_summary_counts() -> None:
    assert summary_text({"error": 1, "warning": 2, "info": 0}, 3) == "1 error and 2 warnings in 3 files"
    assert summary_text({"error": 0, "warning": 0, "info": 1}, 1) == "nothing wrong, 1 note in 1 file"


def test_github_takes_no_line_ends_and_no_columns_over_several_lines() -> None:
    said = github_annotation(diagnostic(Span(1, 1, 2, 3), detail="50%\nmore"))
    assert said == "::error file=a.py,line=1,endLine=2,title=qkv shape-matmul::they differ%0A50%25%0Amore"


def test_a_cell_in_sarif_has_no_lines_of_the_file() -> None:
    found = Diagnostic("a b.ipynb", 3, Span(1, 1, 1, 2), "info", "shape-view", None, "so")
    (result,) = sarif([found])["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"] == {"artifactLocation": {"uri": "a%20b.ipynb"}}
    assert result["locations"][0]["logicalLocations"][0]["name"] == "cell 3, line 1"


@pytest.mark.parametrize(
    ("links", "target", "in_hover", "as_href"),
    [
        (
            Links(True, "code-oss"),
            "term:causal-mask",
            "command:qkv.open?%5B%22term%3Acausal-mask%22%5D",
            "code-oss://qkv.qkv/open?term:causal-mask",
        ),
        (
            Links(True, "vscode"),
            "lesson:blend#why",
            "command:qkv.open?%5B%22lesson%3Ablend%23why%22%5D",
            "vscode://qkv.qkv/open?lesson:blend#why",
        ),
        (Links(), "https://example.org/x", "https://example.org/x", None),
        (Links(), "term:no-such-term", None, None),
        (Links(), "nonsense", None, None),
        (Links(), "term:../secret", None, None),
    ],
)
def test_a_link_is_what_the_client_can_follow(
    links: Links, target: str, in_hover: str | None, as_href: str | None
) -> None:
    assert hover_link(links, target) == in_hover
    if not target.startswith("https"):
        assert href(links, target) == as_href


def test_elsewhere_a_link_is_the_page_that_ships() -> None:
    uri = page_uri("term:causal-mask")
    assert uri is not None and uri.startswith("file:") and uri.endswith("glossary/causal-mask.md")
