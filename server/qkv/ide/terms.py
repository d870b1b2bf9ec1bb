"""The glossary in hovers and pages: which term is meant at a position, and terms by name."""

from __future__ import annotations

from functools import lru_cache

from qkv.content import content_folder
from qkv.glossary import (
    Glossary,
    Index,
    Known,
    Match,
    Term,
    build_index,
    find_term,
    load_glossary,
    nearest_names,
    term_at,
)
from qkv.ide.snapshot import Snapshot


@lru_cache(maxsize=1)
def shipped_glossary() -> Glossary:
    """The glossary of this installation, read once; files that are broken are left out."""
    return load_glossary(content_folder("glossary"))


def named_term(name: str) -> Term | None:
    """A term by its id, its name, another of its spellings, or a name of PyTorch's."""
    return find_term(shipped_glossary(), _index(), name)


def near_terms(name: str) -> tuple[str, ...]:
    """The names of the terms that an unknown name may have meant."""
    return nearest_names(shipped_glossary(), name)


@lru_cache(maxsize=1)
def _index() -> Index:
    return build_index(shipped_glossary())


def shown_term(snapshot: Snapshot, line: int, column: int) -> Match | None:
    """The term that the text at a position means, and the stretch of text that means it."""
    return term_at(_index(), snapshot.page, line, column, Known(is_tensor=_is_tensor(snapshot, line, column)))


def _is_tensor(snapshot: Snapshot, line: int, column: int) -> bool | None:
    """True where the analysis knows the name at a position as a tensor; None where it cannot tell."""
    known = [*snapshot.analysis.facts, *snapshot.analysis.names]
    sure = any(one.axes is not None and one.span.contains(line, column) for one in known)
    return True if sure else None
