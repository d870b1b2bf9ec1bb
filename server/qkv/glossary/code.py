"""Terms in code: names of PyTorch's, literals, and the parts of the user's own identifiers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

from qkv.glossary.evidence import Evidence, code_evidence
from qkv.glossary.index import Index
from qkv.glossary.judge import is_meant, is_role, subjects_of_code
from qkv.glossary.load import Term
from qkv.glossary.prose import Found
from qkv.glossary.python_text import PythonText
from qkv.glossary.senses import (
    can_own_a_role,
    can_stand_beside_a_role,
    import_at,
    is_mapping_name,
    is_of_another_package,
    is_output_head,
    keyword_of,
    speaks_of_something_else,
    takes_our_keywords,
)
from qkv.glossary.words import Part, parts_of

SHORT = 3
"""Up to so many letters a name says little by itself: `ff`, `ln` and `pe` need code about networks around them."""

_RECEIVER = re.compile(r"([A-Za-z_]\w*(?:\s*\.\s*[A-Za-z_]\w*)*)\s*\.\s*\Z")
_MASKING = re.compile(r"mask|fill|where|score|softmax|attn|logits", re.I)


@dataclass(frozen=True, slots=True)
class Known:
    """What an analysis of the shapes knows about a place; None is "not known"."""

    is_attention: bool | None = None
    is_tensor: bool | None = None


@dataclass(frozen=True)
class Place:
    """An offset in Python text, and what is known around it; `extra` is evidence from outside the code, as of a paragraph."""

    page: PythonText
    offset: int
    known: Known = field(default_factory=Known)
    extra: Evidence = field(default_factory=Evidence)

    @cached_property
    def subjects(self) -> frozenset[str]:
        """What the code here is about."""
        start, end = self.page.scope(self.offset)
        scope = code_evidence(self.page.code[start:end]) + self.page.around + self.extra
        known = self.known
        return subjects_of_code(scope, self.page.evidence, is_attention=known.is_attention, is_tensor=known.is_tensor)


@dataclass(frozen=True, slots=True)
class _Name:
    """An identifier in its place: the dotted names before it, and what follows."""

    text: str
    start: int
    end: int
    receiver: str | None  # None: no dot before it; "": a dot after something that is no name
    called: bool


def term_in_code(index: Index, place: Place) -> Found | None:
    """The term that the code at a place names."""
    literal = term_in_literal(index, place)
    if literal is not None:
        return literal
    name = _name_at(place.page, place.offset)
    if name is None:
        return None
    imported = import_at(place.page, place.offset)
    if imported is not None:
        module, is_name = imported
        term = index.api.get(f"{module}.{name.text}") if is_name else None
        return Found(term, name.start, name.end) if term else None
    term = _by_api(index, place, name)
    if term is not None:
        return Found(term, name.start, name.end)
    if len(name.text) == 1:
        term = index.letters.get(name.text)
        return Found(term, name.start, name.end) if term and _is_role_letter(place, name) else None
    return _by_parts(index, place, name)


def term_in_literal(index: Index, place: Place) -> Found | None:
    """A term that is written as a piece of code, `float("-inf")` or `@`, not as a name."""
    start, end = place.page.line_of(place.offset)
    line = place.page.text[start:end]
    for literal in index.literals:
        for match in literal.pattern.finditer(line):
            if not match.start() <= place.offset - start < match.end():
                continue
            allowed = _is_product(place, line, match) if match.group() == "@" else _is_in_attention(place, line)
            if allowed:
                return Found(literal.term, start + match.start(), start + match.end())
    return None


def _is_product(place: Place, line: str, at: re.Match[str]) -> bool:
    """Whether an `@` multiplies matrices: no decorator, no assignment, nothing in a string, and code about networks."""
    operates = line[: at.start()].strip() and not line.startswith("=", at.end())
    return bool(operates) and place.page.region_at(place.offset) is None and "network" in place.subjects


def _is_in_attention(place: Place, line: str) -> bool:
    """Python's own literals mean something here only in attention code, or on a line that masks."""
    told = place.extra.attention > place.extra.other
    return told or _MASKING.search(line) is not None or "attention" in place.subjects


def _name_at(page: PythonText, offset: int) -> _Name | None:
    text = page.text
    start = end = offset
    while start > 0 and (text[start - 1].isalnum() or text[start - 1] == "_"):
        start -= 1
    while end < len(text) and (text[end].isalnum() or text[end] == "_"):
        end += 1
    if end == offset or text[start].isdigit():
        return None
    before = text[max(0, start - 200) : start]
    receiver: str | None = None
    if before.rstrip(" \t\\\r\n").endswith("."):
        names = _RECEIVER.search(before)
        complete = names and not (names.start() and before[names.start() - 1] in ").]")
        receiver = re.sub(r"\s", "", names.group(1)) if names and complete else ""
    return _Name(text[start:end], start, end, receiver, text[end : end + 20].lstrip(" \t").startswith("("))


def _by_api(index: Index, place: Place, name: _Name) -> Term | None:
    """The term of a name that imports resolve to PyTorch's, or of a tensor's or module's method."""
    aliases = place.page.aliases
    if name.receiver is None:
        return index.api.get(aliases.get(name.text, ""))
    root, *rest = name.receiver.split(".")
    if root in aliases:
        return index.api.get(".".join((aliases[root], *rest, name.text)))
    method = index.methods.get(name.text)
    if method is None or not (name.called or f"torch.Tensor.{name.text}" in index.api):
        return None
    return method if "network" in place.subjects else None


def _by_parts(index: Index, place: Place, name: _Name) -> Found | None:
    """The term in the part of an identifier that is under the offset, or in the nearest part that says something."""
    parts = parts_of(name.text)
    words = tuple(part.text for part in parts)
    for number in sorted(range(len(parts)), key=lambda number: _distance(parts[number], place.offset - name.start)):
        found = index.longest_phrase(words, number, in_code=True)
        if found is None:
            found = (number, number + 1, _letter_part(index, name.text, parts[number]))
            if found[2] is None:
                continue
        first, last, term = found
        if term is None or not _is_meant(term, place, name, words[first:last], {*words[:first], *words[last:]}):
            return None
        term = _computed(index, place.page, name, term)
        start, end = name.start + parts[first].start, name.start + parts[last - 1].end
        return Found(term, start, end) if start <= place.offset < end else Found(term, name.start, name.end)
    return None


def _distance(part: Part, at: int) -> tuple[int, int]:
    """How far a place in an identifier is from one of its parts; of two parts as near, the one before it comes first."""
    return max(part.start - at, at - part.end + 1, 0), part.start


def _letter_part(index: Index, text: str, part: Part) -> Term | None:
    """`q` of `q_len` or `W_q`: a letter that is a part by itself, beside more than a number (`v2` is a version)."""
    beside = text[: part.start] + text[part.end :]
    if part.end - part.start > 1 or not any(map(str.isalpha, beside)):
        return None
    return index.letters.get(text[part.start : part.end])


def _computed(index: Index, page: PythonText, name: _Name, term: Term) -> Term:
    """`weights` that softmax or an attention layer returns are attention weights, not parameters."""
    attention = index.identifiers.get(("attention", name.text))
    if attention is None or attention is term:
        return term
    start, end = page.function(name.start)
    made = re.search(rf"\b{name.text}\s*=[^=\n]*?(?:softmax|attn|attention|mha)\w*\s*\(", page.code[start:end])
    return attention if made else term


def _is_meant(term: Term, place: Place, name: _Name, words: tuple[str, ...], others: set[str]) -> bool:
    """Whether the `words` of an identifier, beside its `others`, have the glossary's sense here."""
    page = place.page
    if sum(map(len, words)) <= SHORT and not place.subjects:
        return False
    if not term.needs_attention_context:
        return True
    if not is_meant(term, place.subjects) or is_of_another_package(page, name.receiver):
        return False
    called = keyword_of(page, name.start, name.end)
    if called is not None and not takes_our_keywords(page, called, a_role=is_role(term)):
        return False
    if "network" not in term.at_home_in and speaks_of_something_else(page, name.start):
        return False
    if not is_role(term):
        return True
    if not can_stand_beside_a_role(others) or is_mapping_name(page, name.start, name.text):
        return False
    if not others and name.receiver is not None:
        if not can_own_a_role(name.receiver) or (name.called and name.text in ("keys", "values")):
            return False
        if term.id == "head" and is_output_head(page, name.start):
            return False
    return place.known.is_tensor is not False or term.id not in ("query", "key", "value")


def _is_role_letter(place: Place, name: _Name) -> bool:
    """`q`, `k`, `v` alone: attention code in which a second of them occurs, and not as a counter or a mapping's key."""
    page = place.page
    if name.receiver not in (None, "self") or place.known.is_tensor is False:
        return False
    if is_mapping_name(page, name.start, name.text):
        return False
    called = keyword_of(page, name.start, name.end)
    if called is not None and not takes_our_keywords(page, called, a_role=True):
        return False
    start, end = page.function(name.start)
    family = "qkv" if name.text.islower() else "QKV"
    others = {letter for letter in family if letter != name.text and re.search(rf"\b{letter}\b", page.code[start:end])}
    # K and V without Q are sizes: of a set of clusters, of a vocabulary.
    if not others or (name.text in "KV" and "Q" not in others):
        return False
    return "attention" in place.subjects
