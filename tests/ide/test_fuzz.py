"""Half-typed and broken texts: no feature ever fails."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from qkv.ide.diagnostics import diagnostics
from qkv.ide.edits import apply_edits
from qkv.ide.hover import hover
from qkv.ide.inlay_hints import inlay_hints
from qkv.ide.render import diagnostic_text
from qkv.ide.report import diagnostic_json, fact_json
from qkv.ide.snapshot import take_snapshot
from qkv.ide.story import shape_story

EXAMPLES = [path.read_text(encoding="utf-8") for path in sorted((Path(__file__).parents[2] / "examples").glob("*.py"))]
PIECES = [
    "",
    "(",
    "[",
    '"""',
    "'",
    ":",
    "\n",
    "    ",
    "self.",
    "x = ",
    "@",
    "*",
    "😋",
    "\x0c",
    "\\",
    "def f(",
    "lambda",
    "0",
    "None",
    "\t",
]


def broken(chance: random.Random) -> str:
    """An example with a few stretches replaced by something that does not belong there."""
    text = chance.choice(EXAMPLES)
    for _ in range(chance.randint(1, 3)):
        start = chance.randrange(len(text) + 1)
        text = text[:start] + chance.choice(PIECES) + text[start + chance.randint(0, 40) :]
    return text


@pytest.mark.parametrize("seed", range(40))
def test_no_feature_fails_on_any_text(seed: int) -> None:
    chance = random.Random(seed)
    text = broken(chance)
    view = take_snapshot("model.py", text)
    for diagnostic in diagnostics(view):
        assert diagnostic_json(diagnostic)["code"] in diagnostic_text(diagnostic, view.source.lines)
        for fix in diagnostic.fixes:
            assert apply_edits(text, fix.edits) != text
    for hint in inlay_hints(view, 1, len(view.source.lines)):
        assert (
            view.source.lines[hint.line - 1][hint.column - 2].isidentifier()
            or view.source.lines[hint.line - 1][hint.column - 2].isalnum()
        )
    for fact in view.analysis.facts:
        assert fact_json(view, fact)["name"] == fact.name
        assert shape_story(view, fact)[-1].line >= 1
    for _ in range(40):
        line = chance.randint(1, len(view.source.lines))
        shown = hover(view, line, chance.randint(1, 80))
        assert shown is None or shown.text
