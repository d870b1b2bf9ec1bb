"""What a stretch of text is about: is a word such as "key" or "head" likely to be meant as in attention?

Textual and cheap on purpose: it has to work on half-typed code and before any analysis. The cues themselves are in `cues.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from qkv.glossary import cues
from qkv.glossary.words import part_texts

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_WORD = re.compile(r"[A-Za-z]+(?:_\w+)*")


@dataclass(frozen=True, slots=True)
class Evidence:
    """Points for each subject; `other` counts against all of them.

    `sure` are those points of `attention` that a text about something else hardly gets.
    """

    attention: int = 0
    network: int = 0
    language: int = 0
    other: int = 0
    sure: int = 0

    def __add__(self, more: Evidence) -> Evidence:
        return Evidence(
            self.attention + more.attention,
            self.network + more.network,
            self.language + more.language,
            self.other + more.other,
            self.sure + more.sure,
        )


def code_evidence(code: str) -> Evidence:
    """What identifiers say about a stretch of code whose strings and comments are taken out."""
    names = set(_IDENTIFIER.findall(code))
    whole = {name.lower() for name in names}
    parts = {part for name in names for part in part_texts(name)} | whole
    network = 2 * len(cues.NETWORK_CODE & parts)
    if any(pair <= parts for pair in cues.NETWORK_PAIRS):
        network += 2
    elif cues.NETWORK_HINTS & parts or " @ " in code:
        network += 1
    attention = _points(cues.ATTENTION_CODE, parts) + sum(bool(hint & parts) for hint in cues.ATTENTION_HINTS)
    attention += len(cues.ATTENTION_NAMES & whole) + _letters(names) + _roles(parts, in_a_network=network > 1)
    return Evidence(attention, network, _points(cues.LANGUAGE_CODE, parts), len(cues.OTHER_CODE & parts))


def _letters(names: set[str]) -> int:
    """`q` beside `k` speaks for attention, more so with a third one; `k` beside `v` does not, any loop over a dictionary has them."""
    for query, key, value in ("qkv", "QKV"):
        if query in names and key in names:
            return 2 if value in names or "softmax" in names else 1
    return 0


def _roles(parts: set[str], *, in_a_network: bool) -> int:
    """The same for the words, which a search engine has too."""
    query, key, value = (not role.isdisjoint(parts) for role in cues.ROLES)
    return 0 if not (query and key) else 2 if value or in_a_network else 1


def prose_evidence(text: str) -> Evidence:
    """What the words of a paragraph say."""
    found = _WORD.findall(text)
    words = {word.lower() for word in found}
    sure = 3 * len({match.group().lower() for match in cues.ATTENTION_PHRASES.finditer(text)})
    if all(role & words for role in cues.ROLES):
        sure += 3
    sure += code_evidence(" ".join(word for word in found if "_" in word)).attention
    of_networks = 3 * len({match.group().lower() for match in cues.NETWORK_PHRASES.finditer(text)})
    attention = min(_points(cues.ATTENTION_WORDS, words), 4)
    network = _points(cues.NETWORK_WORDS, words)
    trades = sum(bool(words & trade) for trade in cues.TRADES)
    letters = 1 if len(words & {"q", "k", "v"}) > 1 else 0
    return Evidence(
        attention=sure + attention + min(trades, 2) + min(network, 1) + letters,
        network=sure + of_networks + network + min(attention, 2),
        language=sure + of_networks + 2 * len(words & cues.LANGUAGE_WORDS) + (1 if words & cues.TEXT_WORDS else 0),
        other=2 * len(words & cues.OTHER_SUBJECTS),
        sure=sure + (attention if attention > 1 else 0),
    )


def _points(table: dict[str, int], found: Iterable[str]) -> int:
    return sum(table[cue] for cue in table.keys() & set(found))
