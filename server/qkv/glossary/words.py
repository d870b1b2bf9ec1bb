"""Words: plurals, the parts of an identifier, and spellings made comparable."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z]{2})|[A-Z]?[a-z]+|[A-Z]+|[^\W\d_a-zA-Z]+|\d+")
_WORD = re.compile(r"[^\W_]+")
_ACRONYM_PLURAL = re.compile(r"(?<![A-Za-z])([A-Z]{2,})s(?![A-Za-z])")

_IRREGULAR = {
    "matrix": ("matrices", "matrixes"),
    "axis": ("axes",),
    "index": ("indices", "indexes"),
    "vertex": ("vertices",),
}


@dataclass(frozen=True, slots=True)
class Part:
    """One part of an identifier: `attn` and `weights` of `attn_weights`. Offsets count code points from 0, `end` is exclusive."""

    text: str
    start: int
    end: int


def word_set(text: str) -> frozenset[str]:
    """The words of a text: a readable way to write a long set down."""
    return frozenset(text.split())


def parts_of(identifier: str) -> tuple[Part, ...]:
    """Cut snake case, camel case and digits: `nKVHeads2` is n, kv, heads, 2. Texts are in lower case.

    Lower case that follows capitals is read as in English: `LMHead` is lm, head, but `GPUs` is gpus and `RoPE` one part.
    """
    if identifier.isupper() and "_" not in identifier:
        return (Part(identifier.lower(), 0, len(identifier)),)
    if identifier.endswith("s"):
        identifier = _ACRONYM_PLURAL.sub(lambda match: match.group().lower(), identifier)
    return tuple(Part(match.group().lower(), match.start(), match.end()) for match in _PART.finditer(identifier))


def part_texts(identifier: str) -> Iterable[str]:
    """The texts of `parts_of` alone, faster."""
    if identifier.islower() and identifier.replace("_", "").isalpha():
        return identifier.split("_")
    return (part.text for part in parts_of(identifier))


def normal_words(spelling: str) -> tuple[str, ...]:
    """The words of a spelling, in lower case: "Key-value cache" is key, value, cache."""
    return tuple(word.lower() for word in _WORD.findall(spelling))


def plural_forms(word: str) -> tuple[str, ...]:
    """The plurals of an English noun in lower case; none for a word that is a plural already, or no plain word."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if not word.isalpha() or len(word) < 2:
        return ()
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return (word + "es",)
    if word.endswith("y") and word[-2] not in "aeiou":
        return (word[:-1] + "ies",)
    return (word + "s",)


def with_plurals(words: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """A spelling and its plurals: only the last word changes."""
    if not words:
        return ()
    return (words, *((*words[:-1], plural) for plural in plural_forms(words[-1])))
