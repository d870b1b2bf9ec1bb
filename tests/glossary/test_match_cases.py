"""Where a term is shown and where not: one case a block of text in `cases/`, the position marked by `‸` before its character."""

from __future__ import annotations

from pathlib import Path

import pytest

from qkv.content import content_folder
from qkv.glossary import Index, build_index, load_glossary, prepare, term_at

CASES = Path(__file__).parent / "cases"
MARK = "‸"


@pytest.fixture(scope="module")
def index() -> Index:
    return build_index(load_glossary(content_folder("glossary")))


def cases():
    for path in sorted(CASES.glob("*.txt")):
        language = path.stem.partition("_")[0]
        for number, case in enumerate(path.read_text(encoding="utf-8").split("\n--- ".join(["", ""]))):
            head, _, text = case.removeprefix("--- ").partition("\n")
            wanted, _, why = head.partition(" | ")
            yield pytest.param(language, text.rstrip("\n"), wanted, id=f"{path.stem}-{number}-{why.replace(' ', '_')}")


def check(index: Index, language: str, marked: str, wanted: str) -> None:
    before, mark, after = marked.partition(MARK)
    assert mark and MARK not in after, "a case marks one position"
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    match = term_at(index, prepare(before + after, language), line, column)
    assert (match.term.name if match else "nothing") == wanted
    if match:
        assert (match.span.line, match.span.column) <= (line, column) < (match.span.end_line, match.span.end_column)


@pytest.mark.parametrize(("language", "text", "wanted"), cases())
def test_a_term_is_shown_where_it_is_meant(index, language, text, wanted):
    check(index, language, text, wanted)
