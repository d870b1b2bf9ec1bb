"""Look a term up: by any of its spellings, by words of its definition, or by what it nearly is."""

from __future__ import annotations

import difflib

from qkv.glossary.index import Index
from qkv.glossary.load import Glossary, Term
from qkv.glossary.words import normal_words, with_plurals


def find_term(glossary: Glossary, index: Index, spelling: str) -> Term | None:
    """The term that a spelling names: its id, its name, another spelling, a plural, an identifier, or a name of PyTorch's."""
    if spelling in glossary.terms:
        return glossary.terms[spelling]
    words = normal_words(spelling)
    for known in (index.phrases, index.identifiers):
        if known.get(words) is not None:
            return known[words]
    if spelling in index.letters:
        return index.letters[spelling]
    full = {"F": "torch.nn.functional", "nn": "torch.nn"}
    root, dot, rest = spelling.partition(".")
    return index.api.get(f"{full.get(root, root)}{dot}{rest}")


def search(glossary: Glossary, query: str) -> tuple[Term, ...]:
    """The terms that a query may mean, the best first; all of them, by name, for an empty one."""
    words = normal_words(query)
    if not words:
        return tuple(glossary.terms.values())
    ranked = [(rank, term) for term in glossary.terms.values() if (rank := _rank(term, words)) is not None]
    return tuple(term for _, term in sorted(ranked, key=lambda pair: (pair[0], pair[1].name.casefold())))


def _rank(term: Term, words: tuple[str, ...]) -> int | None:
    """0 for the name itself, up to 6 for a definition that holds the words; None where they do not occur."""
    name, *others = [normal_words(spelling) for spelling in (term.name, *term.also)]
    identifiers = [normal_words(identifier) for identifier in term.code.identifiers]
    if words in with_plurals(name):
        return 0
    if any(words in with_plurals(spelling) for spelling in (*others, *identifiers)):
        return 1
    if _starts(name, words):
        return 2
    if any(_starts(spelling[at:], words) for spelling in (name, *others) for at in range(len(spelling))):
        return 3
    if any(_starts(spelling[at:], words) for spelling in identifiers for at in range(len(spelling))):
        return 4
    if all(any(word in part for spelling in (name, *others) for part in spelling) for word in words):
        return 5
    told = normal_words(term.definition)
    return 6 if all(any(part.startswith(word) for part in told) for word in words) else None


def _starts(spelling: tuple[str, ...], words: tuple[str, ...]) -> bool:
    """Whether a spelling starts with some words, the last of which may be half-typed."""
    *whole, last = words
    at = len(whole)
    return spelling[:at] == tuple(whole) and len(spelling) > at and spelling[at].startswith(last)


def nearest_names(glossary: Glossary, spelling: str, count: int = 3) -> tuple[str, ...]:
    """The names of the terms whose spellings are most like an unknown one, the nearest first."""
    names = {
        known.casefold(): term.name
        for term in glossary.terms.values()
        for known in (*term.code.identifiers, *term.also, term.id, term.name)
    }
    near = difflib.get_close_matches(spelling.casefold(), list(names), n=4 * count, cutoff=0.6)
    return tuple(dict.fromkeys(names[name] for name in near))[:count]
