"""Terms in code: names of PyTorch's, literals, and the parts of the user's own identifiers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from qkv.glossary.evidence import Evidence, code_evidence
from qkv.glossary.index import Index
from qkv.glossary.judge import is_meant, is_role, subjects_of_code
from qkv.glossary.load import Term
from qkv.glossary.prose import Found
from qkv.glossary.python_text import PythonText
from qkv.glossary.senses import (
    ATTENTION_OWNERS,
    COMPANIONS,
    ML_ROOTS,
    SERVICE_CALLS,
    import_at,
    is_mapping_name,
    is_output_head,
    keyword_of,
    speaks_of_something_else,
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


@dataclass(frozen=True, slots=True)
class _Name:
    """An identifier in its place: the dotted names before it, and what follows."""

    text: str
    start: int
    end: int
    receiver: str | None  # None: no dot before it; "": a dot after something that is no name
    called: bool


def term_in_code(
    index: Index, page: PythonText, offset: int, known: Known, extra: Evidence | None = None
) -> Found | None:
    """The term that the code at an offset names. `extra` is evidence from outside, as of the paragraph of an inline code span."""
    literal = term_in_literal(index, page, offset, known, extra)
    if literal is not None:
        return literal
    name = _name_at(page, offset)
    if name is None:
        return None
    imported = import_at(page, offset)
    if imported is not None:
        module, is_name = imported
        term = index.api.get(f"{module}.{name.text}") if is_name else None
        return Found(term, name.start, name.end) if term else None
    by_api = _by_api(index, page, name, known, extra)
    if by_api is not None:
        return Found(by_api, name.start, name.end)
    return _by_parts(index, page, name, offset, known, extra)


def term_in_literal(
    index: Index, page: PythonText, offset: int, known: Known, extra: Evidence | None = None
) -> Found | None:
    """A term that is written as a piece of code, `float("-inf")` or `@`, not as a name. It needs attention code, or a line that masks."""
    start, end = page.line_of(offset)
    line = page.text[start:end]
    for literal in index.literals:
        for match in literal.pattern.finditer(line):
            if not match.start() <= offset - start < match.end():
                continue
            if match.group() == "@":
                if (
                    page.region_at(offset)
                    or not line[: match.start()].strip()
                    or line[match.end() : match.end() + 1] == "="
                ):
                    continue
                allowed = "network" in _subjects(page, offset, known, extra)
            else:
                allowed = (
                    bool(_MASKING.search(line))
                    or (extra is not None and extra.attention > extra.other)
                    or "attention" in _subjects(page, offset, known, extra)
                )
            if allowed:
                return Found(literal.term, start + match.start(), start + match.end())
    return None


def code_subjects(page: PythonText, offset: int, known: Known, extra: Evidence | None = None) -> frozenset[str]:
    """What the code around an offset is about."""
    return _subjects(page, offset, known, extra)


def _subjects(page: PythonText, offset: int, known: Known, extra: Evidence | None) -> frozenset[str]:
    start, end = page.scope(offset)
    scope = code_evidence(page.code[start:end]) + page.around + (extra or Evidence())
    return subjects_of_code(scope, page.evidence, is_attention=known.is_attention, is_tensor=known.is_tensor)


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


def _by_api(index: Index, page: PythonText, name: _Name, known: Known, extra: Evidence | None) -> Term | None:
    """The term of a name that imports resolve to PyTorch's, or of a tensor's or module's method."""
    if name.receiver is None:
        return index.api.get(page.aliases.get(name.text, ""))
    root, *rest = name.receiver.split(".")
    module = page.aliases.get(root)
    if module is not None and name.receiver:
        return index.api.get(".".join((module, *rest, name.text)))
    method = index.methods.get(name.text)
    if method is None or (method.needs_attention_context and (name.text in ("keys", "values"))):
        return None
    if not name.called and f"torch.Tensor.{name.text}" not in index.api:
        return None
    return method if "network" in _subjects(page, name.start, known, extra) else None


def _by_parts(
    index: Index, page: PythonText, name: _Name, offset: int, known: Known, extra: Evidence | None
) -> Found | None:
    """The term in a part of an identifier: the one under the offset, or the last one where that part says nothing."""
    if len(name.text) == 1:
        term = index.letters.get(name.text)
        return Found(term, name.start, name.end) if term and _is_role_letter(page, name, known, extra) else None
    parts = parts_of(name.text)
    words = tuple(part.text for part in parts)
    order = sorted(range(len(parts)), key=lambda number: _distance(parts[number], offset - name.start))
    for number in order:
        found = index.longest_phrase(words, number, in_code=True)
        term = found[2] if found else _letter_part(index, name.text, parts[number])
        if found and term is None:
            return None
        if term is None:
            continue
        first, last = (found[0], found[1]) if found else (number, number + 1)
        others = {*words[:first], *words[last:]}
        if not _is_meant_in_name(term, sum(len(word) for word in words[first:last]), page, name, others, known, extra):
            return None
        term = _computed(index, page, name, term)
        start, end = name.start + parts[first].start, name.start + parts[last - 1].end
        return Found(term, start, end) if start <= offset < end else Found(term, name.start, name.end)
    return None


def _distance(part: Part, at: int) -> tuple[int, int]:
    """How far a place in an identifier is from one of its parts; of two parts as near, the one before it comes first."""
    return max(part.start - at, at - part.end + 1, 0), part.start


def _computed(index: Index, page: PythonText, name: _Name, term: Term) -> Term:
    """`weights` that softmax or an attention layer returns are attention weights, not parameters."""
    attention = index.identifiers.get(("attention", name.text))
    if attention is None or attention is term:
        return term
    start, end = page.function(name.start)
    made = re.search(rf"\b{name.text}\s*=[^=\n]*?(?:softmax|attn|attention|mha)\w*\s*\(", page.code[start:end])
    return attention if made else term


def _letter_part(index: Index, text: str, part: Part) -> Term | None:
    """`q` of `q_len` or `W_q`: a letter that is a part by itself, beside more than a number (`v2` is a version)."""
    beside = text[: part.start] + text[part.end :]
    return (
        index.letters.get(text[part.start : part.end])
        if part.end - part.start == 1 and any(map(str.isalpha, beside))
        else None
    )


def _is_meant_in_name(
    term: Term, length: int, page: PythonText, name: _Name, others: set[str], known: Known, extra: Evidence | None
) -> bool:
    subjects = _subjects(page, name.start, known, extra)
    if length <= SHORT and not subjects:
        return False
    if not term.needs_attention_context:
        return True
    if not is_meant(term, subjects):
        return False
    root = (name.receiver or "").split(".")[0]
    if root in page.aliases and page.aliases[root].split(".")[0] not in ML_ROOTS and name.receiver:
        return False
    called = keyword_of(page, name.start, name.end)
    if called is not None and not _takes_our_keywords(page, called, a_role=is_role(term)):
        return False
    if "network" not in term.at_home_in and speaks_of_something_else(page, name.start):
        return False
    if not is_role(term):
        return True
    if any(not other.isdigit() and len(other) > 1 and other not in COMPANIONS for other in others):
        return False
    if is_mapping_name(page, name.start, name.text):
        return False
    if not others and name.receiver is not None:
        owner = {part.text for part in parts_of(name.receiver.rsplit(".", 1)[-1])}
        if not owner & ATTENTION_OWNERS or (name.called and name.text in ("keys", "values", "items")):
            return False
        if term.id == "head" and is_output_head(page, name.start):
            return False
    return not (known.is_tensor is False and term.id in ("query", "key", "value"))


def _takes_our_keywords(page: PythonText, called: str, *, a_role: bool) -> bool:
    """Whether `called(key=…)` can mean attention's key: PyTorch's functions and those named after what they do."""
    root, *_ = called.split(".")
    if a_role and re.match(r"(?i)(?:conv|pool|unfold|fold)", called.rsplit(".", 1)[-1]):
        return False
    module = page.aliases.get(root, "").split(".")[0]
    if module:
        return module in ML_ROOTS
    parts = {part.text for part in parts_of(called.rsplit(".", 1)[-1])}
    if a_role:
        return bool(parts & (ATTENTION_OWNERS - {"self", "config", "cfg", "args"}))
    return not parts & SERVICE_CALLS and called not in (
        "dict",
        "print",
        "sorted",
        "open",
        "min",
        "max",
        "sum",
        "json.dumps",
        "json.dump",
    )


def _is_role_letter(page: PythonText, name: _Name, known: Known, extra: Evidence | None) -> bool:
    """`q`, `k`, `v` alone: attention code in which a second of them occurs, and not as a counter or a mapping's key."""
    if name.receiver not in (None, "self") or known.is_tensor is False or is_mapping_name(page, name.start, name.text):
        return False
    called = keyword_of(page, name.start, name.end)
    if called is not None and not _takes_our_keywords(page, called, a_role=True):
        return False
    start, end = page.function(name.start)
    family = "qkv" if name.text.islower() else "QKV"
    others = [letter for letter in family if letter != name.text and re.search(rf"\b{letter}\b", page.code[start:end])]
    if not others or (name.text.isupper() and name.text != "Q" and "Q" not in others):
        return False
    return "attention" in _subjects(page, name.start, known, extra)
