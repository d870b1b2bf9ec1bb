"""The glossary turned round: from what stands in a text to the term it names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from qkv.glossary.load import Glossary, Term
from qkv.glossary.words import normal_words, parts_of, with_plurals

_METHOD_OWNERS = ("torch.Tensor.", "torch.nn.Module.")
_DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+")

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Literal:
    """A piece of code that is no name, such as `float("-inf")`, however it is spaced and quoted."""

    pattern: re.Pattern[str]
    term: Term


@dataclass(frozen=True, slots=True)
class Index:
    """What to look up where. A key that leads to None is known to mean something else ("API key")."""

    phrases: Mapping[Words, Term | None]
    identifiers: Mapping[Words, Term | None]
    letters: Mapping[str, Term]
    api: Mapping[str, Term]
    methods: Mapping[str, Term]
    literals: tuple[Literal, ...]
    signs: Mapping[str, Term]
    longest: int

    def longest_phrase(self, words: Words, at: int, *, in_code: bool = False) -> tuple[int, int, Term | None] | None:
        """The longest known run of words that covers the word `at`: its first and its end index, and the term."""
        known = self.identifiers if in_code else self.phrases
        for length in range(min(self.longest, len(words)), 0, -1):
            for start in range(max(0, at - length + 1), min(at, len(words) - length) + 1):
                run = words[start : start + length]
                if run in known:
                    return start, start + length, known[run]
        return None


def build_index(glossary: Glossary) -> Index:
    """Prepare a glossary for `term_at`; done once, used for every document."""
    phrases: dict[Words, Term | None] = {}
    identifiers: dict[Words, Term | None] = {}
    plurals: list[tuple[dict[Words, Term | None], Words, Term]] = []
    letters: dict[str, Term] = {}
    api: dict[str, Term] = {}
    literals: list[Literal] = []
    signs: dict[str, Term] = {}

    def learn(known: dict[Words, Term | None], words: Words, term: Term) -> None:
        exact, *more = with_plurals(words)
        known.setdefault(exact, term)
        plurals.extend((known, plural, term) for plural in more)

    for term in glossary.terms.values():
        for spelling in (term.name, *term.also):
            words = normal_words(spelling)
            if not words:
                signs[spelling] = term
                continue
            if term.prose:
                learn(phrases, words, term)
            learn(identifiers, words, term)
            learn(identifiers, ("".join(words),), term)
        for spelling in term.code.identifiers:
            if len(spelling) == 1:
                letters[spelling] = term
                continue
            words = tuple(part.text for part in parts_of(spelling))
            learn(identifiers, words, term)
            learn(identifiers, ("".join(words),), term)
        for name in term.code.api:
            if _DOTTED.fullmatch(name):
                api[name] = term
            else:
                literals.append(Literal(_literal_pattern(name), term))
        for spelling in term.not_in:
            for words in with_plurals(normal_words(spelling)):
                phrases.setdefault(words, None)
                identifiers.setdefault(words, None)
    # What a term spells out itself wins over a plural made from another one: "scores" is the score matrix.
    for known, words, term in plurals:
        known.setdefault(words, term)
    methods = {name.rsplit(".", 1)[1]: term for name, term in api.items() if name.startswith(_METHOD_OWNERS)}
    longest = max((len(words) for words in (*phrases, *identifiers)), default=1)
    return Index(
        MappingProxyType(phrases),
        MappingProxyType(identifiers),
        MappingProxyType(letters),
        MappingProxyType(api),
        MappingProxyType(methods),
        tuple(literals),
        MappingProxyType(signs),
        longest,
    )


def _literal_pattern(text: str) -> re.Pattern[str]:
    pieces = (
        r"[\"']" if char in "\"'" else r"\s*" + re.escape(char) + r"\s*" if char in "()" else re.escape(char)
        for char in text
    )
    pattern = "".join(pieces).removesuffix(r"\s*")
    before = r"(?<![\w.])" if text[0].isalnum() else r"(?<![\w.)\]\-])" if text[0] == "-" else ""
    after = r"(?![\w])" if text[-1].isalnum() else ""
    return re.compile(before + pattern + after)
