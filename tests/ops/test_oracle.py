"""Every rule against torch: the cases as they are, mutated, with named sizes, with hidden axes."""

from __future__ import annotations

import pytest

from qkv.ops import FORWARDS, LAYERS, RULES
from qkv.shapes import Kind
from tests.ops.oracle import (
    Abstract,
    Case,
    Refused,
    differences,
    hidden,
    known_difference,
    load,
    mutants,
    named,
    real,
    says_nothing,
)

pytestmark = pytest.mark.oracle
ALL = load()


def compare(text: str, unknown: bool) -> list[str]:
    """How a rule and torch differ on one line of which all sizes are numbers."""
    truth = real(text)
    abstract = Abstract()
    guess = abstract.run(text)
    if isinstance(truth, Refused) or isinstance(guess, Refused):
        if isinstance(truth, Refused) and (isinstance(guess, Refused) or says_nothing(guess)):
            return []
        return [f"{text}: the rule says {guess!r}, torch says {truth!r}"]
    found = differences(abstract.store, guess, truth)
    if not unknown and says_nothing(guess):
        found.append("the rule knows nothing")
    return [f"{text}: {what}" for what in found]


@pytest.mark.parametrize("case", ALL, ids=str)
def test_a_rule_and_torch_agree(case: Case) -> None:
    assert not compare(case.text, case.unknown)


@pytest.mark.parametrize("case", ALL, ids=str)
def test_a_rule_and_torch_agree_when_one_number_is_changed(case: Case) -> None:
    wrong = [
        what
        for text in mutants(case.text)
        if known_difference("mutated", text) is None
        for what in compare(text, unknown=True)
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("case", ALL, ids=str)
def test_a_named_size_gives_what_the_number_gives(case: Case) -> None:
    truth = real(case.text)
    if isinstance(truth, Refused) or known_difference("named", case.text):
        return
    for kind in (Kind.PARAM, Kind.CONFIG):
        for what, abstract, values in named(case.text, kind):
            guess = abstract.run(case.text)
            assert not isinstance(guess, Refused), f"{what}: {guess}"
            assert not differences(abstract.store, guess, truth, values), what


@pytest.mark.parametrize("case", ALL, ids=str)
def test_hidden_axes_are_never_guessed_wrong(case: Case) -> None:
    truth = real(case.text)
    if isinstance(truth, Refused) or known_difference("hidden", case.text):
        return
    for what, abstract in hidden(case.text):
        guess = abstract.run(case.text)
        assert not isinstance(guess, Refused), f"{what}: {guess}"
        assert not differences(abstract.store, guess, truth), what


NOT_TO_BE_HELD_HERE = {
    "rule torch.Tensor.cuda": "needs a GPU",
    "rule torch.Tensor.grad": "is None until `backward` has run",
    "rule torch.Tensor.__rmatmul__": "is called for a left side that is no tensor",
    "rule torch.masked_select": "how many are picked depends on the numbers",
}


def test_every_rule_has_a_case() -> None:
    used: set[str] = set()
    for case in ALL:
        abstract = Abstract()
        abstract.run(case.text)
        used |= abstract.used
    tables = {"rule": RULES, "layer": LAYERS, "forward": FORWARDS}
    wanted = {f"{kind} {entry.names[0]}" for kind, table in tables.items() for entry in table.values()}
    assert wanted - used == NOT_TO_BE_HELD_HERE.keys()
