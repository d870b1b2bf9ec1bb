"""Is a term meant here? The evidence of a place, weighed against what the term asks for."""

from __future__ import annotations

from qkv.glossary.evidence import Evidence
from qkv.glossary.load import Term

CODE_NEEDS = 3
"""Points that a function or class needs before its `key` is attention's."""

ALONE_NEEDS = 3
"""Points that a comment needs to be about attention where the code around it is not."""

PAGE_NEEDS = 2
"""Points that a paragraph of Markdown needs."""

ABOUT = 4
"""Points from which a whole file or page counts as being about attention."""


def subjects_of_code(
    scope: Evidence, file: Evidence, *, is_attention: bool | None = None, is_tensor: bool | None = None
) -> frozenset[str]:
    """The subjects of a stretch of code. `is_attention` and `is_tensor` are what an analysis of the shapes knows."""
    points = (
        scope.attention + min(scope.network, 1) - scope.other + (1 if _about(file) else 0) + (1 if is_tensor else 0)
    )
    attention = points >= CODE_NEEDS if is_attention is None else is_attention
    return _subjects(
        attention,
        scope.network - scope.other >= 2 or file.network - scope.other >= 2 or bool(is_tensor),
        scope.language - scope.other >= 2 or file.language - scope.other >= 4,
    )


def subjects_of_comment(comment: Evidence, code: frozenset[str]) -> frozenset[str]:
    """The subjects of a comment, a docstring or a string: those of its code unless its words speak of something else."""
    alone = comment.sure > 1 and comment.attention - comment.other >= ALONE_NEEDS
    if comment.other > comment.attention + (2 if "attention" in code else 0):
        return frozenset()
    own = _subjects(alone, comment.network - comment.other >= 3, comment.language - comment.other >= 3)
    return own | code


def subjects_of_paragraph(paragraph: Evidence, page: Evidence) -> frozenset[str]:
    """The subjects of a paragraph of Markdown; a page about attention lends it a point."""
    lent = 1 if page.attention - page.other // 4 >= 2 * ABOUT and paragraph.other == 0 else 0
    return _subjects(
        paragraph.attention + lent - paragraph.other >= PAGE_NEEDS,
        paragraph.network + lent - paragraph.other >= 2,
        paragraph.language + lent - paragraph.other >= 2,
    )


def is_meant(term: Term, subjects: frozenset[str]) -> bool:
    """Whether a term can be shown where these are the subjects."""
    return not term.needs_attention_context or not subjects.isdisjoint(term.at_home_in)


def is_role(term: Term) -> bool:
    """Whether a word has its sense nowhere but in attention: query, key, value, head, scale…"""
    return term.needs_attention_context and term.at_home_in == ("attention",)


def _about(file: Evidence) -> bool:
    return file.attention + min(file.network, 1) - file.other >= ABOUT


def _subjects(attention: bool, network: bool, language: bool) -> frozenset[str]:
    if attention:
        return frozenset(("attention", "network", "language"))
    return frozenset(name for name, there in (("network", network), ("language", language)) if there)
