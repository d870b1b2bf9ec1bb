"""Where a term is shown and where not: one case a block of text in `cases/`, the position marked by `‸` before its character."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from qkv.glossary import Index, prepare, term_at

CASES = Path(__file__).parent / "cases"
MARK = "‸"


def cases() -> Iterator[object]:
    """Each block starts with `--- NAME | why`; NAME is a term's name, or "nothing". The file's name starts with the language."""
    for path in sorted(CASES.glob("*.txt")):
        language = path.stem.partition("_")[0]
        for number, case in enumerate(path.read_text(encoding="utf-8").removeprefix("--- ").split("\n--- ")):
            head, _, text = case.partition("\n")
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


@pytest.mark.parametrize(("language", "text", "wanted"), list(cases()))
def test_a_term_is_shown_where_it_is_meant(index, language, text, wanted):
    check(index, language, text, wanted)


def test_windows_line_ends_change_nothing(index):
    text = "import torch\r\n\r\nw = torch.soft‸max(x, dim=-1)\r\n"
    check(index, "python", text, "softmax")
    check(index, "markdown", "Each row of the\r\nattention m‸ap sums to one.\r\n", "attention map")
