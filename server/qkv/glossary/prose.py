"""Terms in running text: whole words, the longest first; never in an address, a path, a flag or a file's name."""

from __future__ import annotations

import re
from dataclasses import dataclass

from qkv.glossary.index import Index
from qkv.glossary.load import Term

_WORD = re.compile(r"[^\W_]+")
_CHUNK = re.compile(r"\S+")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_JOINT = re.compile(r"(?:[ \t]{0,4}|[-\u2010\u2011/]|[ \t]*\r?\n[ \t]*(?:#[ \t]*|>[ \t]*|\*[ \t]+)?)\Z")
_ADDRESS = re.compile(r"\w+://|^www\.|^mailto:|\w@\w+\.\w")
_FILE = re.compile(
    r"\.(?:py|pyi|ipynb|md|rst|txt|json|jsonl|ya?ml|toml|cfg|ini|csv|tsv|pt|pth|bin|ckpt|safetensors|npy|npz|png|jpe?g|svg|gif|pdf|html?|css|jsx?|tsx?|cpp|cc|c|h|rs|go|java|sh|lock|zip|gz|env|log|sql|xml)$",
    re.I,
)
_FLAG = re.compile(r"^-{1,2}[A-Za-z]")
_SENTENCE_END = re.compile(r"[.!?;:](?=\s|$)|\n\s*\n")
_BESIDE_VALUE = re.compile(
    r"\b(?:quer(?:y|ies)|keys?|tokens?|heads?|atten(?:tion|ds?)|softmax|weight(?:ed|s)?|blend\w*|shares?|sums?|averages?|mix\w*|project\w*|vectors?"
    r"|cach\w*|scores?|positions?|rows?|W_?V|[qkvQKV])\b",
    re.IGNORECASE,
)
_OPENING, _CLOSING = "([{<\"'`*_“‘", ")]}>\"'`*_,.;:!?…”’"


@dataclass(frozen=True, slots=True)
class Found:
    """A term and the offsets between which it is named."""

    term: Term
    start: int
    end: int


def is_address(text: str, offset: int, start: int, end: int) -> bool:
    """Whether the blank-free chunk around an offset is a URL, a mail address, a path, a file or a flag."""
    left = max(start, max(text.rfind(blank, start, offset) for blank in " \t\n") + 1)
    chunk = _CHUNK.match(text, left, end)
    if chunk is None:
        return False
    word = chunk.group().lstrip(_OPENING).rstrip(_CLOSING)
    if _ADDRESS.search(word) or _FILE.search(word) or _FLAG.match(word):
        return True
    if word.startswith(("/", "~/", "./", "../", "\\", "$", ".")) or "\\" in word:
        return True
    # "keys/values" is prose, "data/raw/tokens" a path.
    return word.count("/") > 1 or ("/" in word and any(char in word for char in "_=&#%~0123456789"))


def is_plain_number(found: Found, text: str, start: int, end: int) -> bool:
    """Whether "value" is just any number, as in "the dropout value": nothing else in its sentence is about attention."""
    if found.term.id != "value":
        return False
    left = max((match.end() for match in _SENTENCE_END.finditer(text, start, found.start)), default=start)
    stop = _SENTENCE_END.search(text, found.end, end)
    sentence = text[left : found.start] + text[found.end : stop.start() if stop else end]
    return _BESIDE_VALUE.search(sentence) is None


def identifier_at(text: str, offset: int, start: int, end: int) -> tuple[int, int] | None:
    """The name around an offset if it is written as in code: with an underscore, a capital inside, a dot or a digit."""
    left = offset
    while left > start and (text[left - 1].isalnum() or text[left - 1] == "_"):
        left -= 1
    match = _IDENTIFIER.match(text, left, end)
    if match is None or not left <= offset < match.end():
        return None
    name = match.group()
    dotted = (left > start + 1 and text[left - 1] == "." and (text[left - 2].isalnum() or text[left - 2] == ")")) or (
        match.end() + 1 < end and text[match.end()] == "." and text[match.end() + 1].isalnum()
    )
    mixed = any(char.isupper() for char in name[1:]) and any(char.islower() for char in name)
    if "_" in name or dotted or mixed or len(name) == 1 or any(char.isdigit() for char in name):
        return left, match.end()
    return None


def term_in_prose(index: Index, text: str, offset: int, start: int, end: int) -> Found | None:
    """The term named by the words around an offset of a stretch of prose, `start` to `end`."""
    for sign, term in index.signs.items():
        at = text.find(sign, max(start, offset - len(sign) + 1), min(end, offset + len(sign)))
        if at >= 0:
            return Found(term, at, at + len(sign))
    left, right = max(start, offset - 120), min(end, offset + 120)
    words = list(_WORD.finditer(text, left, right))
    at = next((number for number, word in enumerate(words) if word.start() <= offset < word.end()), None)
    if at is None:
        return None
    first, last = at, at
    while (
        first > 0 and _JOINT.match(text[words[first - 1].end() : words[first].start()]) and at - first < index.longest
    ):
        first -= 1
    while (
        last + 1 < len(words)
        and _JOINT.match(text[words[last].end() : words[last + 1].start()])
        and last - at < index.longest
    ):
        last += 1
    run = words[first : last + 1]
    found = index.longest_phrase(tuple(word.group().lower() for word in run), at - first)
    if found is None or found[2] is None:
        return None
    return Found(found[2], run[found[0]].start(), run[found[1] - 1].end())
