"""The term at a position of a text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from qkv.glossary.code import Known, Place, term_in_code, term_in_literal
from qkv.glossary.evidence import Evidence, prose_evidence
from qkv.glossary.index import Index
from qkv.glossary.judge import ABOUT, is_meant, subjects_of_comment, subjects_of_paragraph
from qkv.glossary.load import Term
from qkv.glossary.markdown_text import Inline, MarkdownText, looks_like_python
from qkv.glossary.prose import Found, identifier_at, is_address, is_plain_number, term_in_prose
from qkv.glossary.python_text import PythonText, Region
from qkv.source import Span

Language = Literal["python", "markdown"]
Page = PythonText | MarkdownText

_SQL = re.compile(
    r"\b(?:SELECT|INSERT\s+INTO|UPDATE|DELETE\s+FROM|CREATE\s+TABLE|ALTER\s+TABLE)\b.*\b(?:FROM|INTO|SET|VALUES|WHERE|TABLE)\b",
    re.DOTALL,
)
_DIRECTIVE = re.compile(r"#\s*(?:type:|noqa|pragma|pylint|fmt:|ruff|isort|mypy|pyright|!|-\*-|%%|qkv:)")
_DOTTED_NAME = re.compile(r"[A-Za-z_][\w.]*")


@dataclass(frozen=True, slots=True)
class Match:
    """A term and the stretch of text that names it."""

    term: Term
    span: Span


def prepare(text: str, language: Language) -> Page:
    """One version of a document, ready for `term_at`: keep it as long as the text stays the same."""
    return MarkdownText(text) if language == "markdown" else PythonText(text)


def term_at(index: Index, page: Page, line: int, column: int, known: Known | None = None) -> Match | None:
    """The term that is named at a position (from 1, in code points), or None. Never raises on a text.

    `known` is what an analysis of the shapes knows about the place; without it the text alone decides.
    """
    offset = page.offset(line, column)
    if offset is None:
        return None
    known = known or Known()
    found = (
        _in_markdown(index, page, offset, known)
        if isinstance(page, MarkdownText)
        else _in_python(index, page, offset, known)
    )
    if found is None:
        return None
    (start_line, start), (end_line, end) = page.position(found.start), page.position(found.end - 1)
    return Match(found.term, Span(start_line, start, end_line, end + 1))


def _in_python(index: Index, page: PythonText, offset: int, known: Known) -> Found | None:
    place = Place(page, offset, known)
    region = page.region_at(offset)
    if region is None or page.in_field(region, offset):
        return term_in_code(index, place)
    literal = term_in_literal(index, place)
    if literal is not None:
        return literal
    if region.is_comment and _DIRECTIVE.match(page.text, region.start):
        return None
    start, end = _paragraph(page, region, offset)
    inside = page.text[start:end]
    evidence = prose_evidence(inside)
    if is_address(page.text, offset, start, end):
        return None
    a_word = not region.is_comment and not re.search(r"\s", inside.strip())
    if identifier_at(page.text, offset, start, end) is not None:
        found = term_in_code(index, place)
        return None if a_word and found and found.term.needs_attention_context else found
    found = term_in_prose(index, page.text, offset, start, end)
    if found is None and a_word:
        found = term_in_code(index, place)
    if found is None or not found.term.needs_attention_context:
        return found
    if not region.is_comment and (a_word or _SQL.search(inside) or _is_heading(page, found)):
        return None  # a mapping's key, a query, the heading of a docstring's section
    if is_plain_number(found, page.text, start, end):
        return None
    # A comment with several cues of its own is one more cue for the code that it stands in.
    told = Place(page, offset, known, Evidence(attention=1)) if evidence.attention > 1 else place
    return found if is_meant(found.term, subjects_of_comment(evidence, told.subjects)) else None


def _paragraph(page: PythonText, region: Region, offset: int) -> tuple[int, int]:
    """The run of comment lines, or the paragraph of a string, that holds an offset."""
    if not region.is_comment:
        start, end = region.start + region.quote, max(region.end - region.quote, region.start + region.quote)
        before, after = page.text.rfind("\n\n", start, offset), page.text.find("\n\n", offset, end)
        return (start if before < 0 else before + 2), (end if after < 0 else after)
    return page.comment_lines(region)


def _is_heading(page: PythonText, found: Found) -> bool:
    """Whether a word stands alone on its line of a docstring, as "Parameters" does."""
    start, end = page.line_of(found.start)
    return page.text[start:end].strip().rstrip(":").casefold() == page.text[found.start : found.end].casefold()


def _in_markdown(index: Index, page: MarkdownText, offset: int, known: Known) -> Found | None:
    line, _ = page.position(offset)
    block = page.block_at(line - 1)
    if block is None:
        return None
    start, end = page.extent(block)
    if block.is_python:
        about = page.evidence.attention >= ABOUT
        inside = page.python(block, Evidence(attention=2, network=2) if about else Evidence())
        return _moved(_in_python(index, inside, offset - start, known), start)
    evidence = prose_evidence(page.prose(start, end))
    subjects = subjects_of_paragraph(evidence, page.evidence)
    inlines = page.inlines(start, end)
    inline = next((inline for inline in inlines if inline.start <= offset < inline.end), None)
    if inline is None:
        start, end = _between(inlines, offset, start, end)
        return _in_prose(index, page, offset, start, end, evidence, subjects)
    if not inline.code_start <= offset < inline.code_end or inline.role == "math":
        return None
    if inline.role == "term":  # a lesson says itself that it means the term
        return term_in_prose(index, page.text, offset, inline.code_start, inline.code_end)
    if not looks_like_python(page.text[inline.code_start : inline.code_end]):
        return None
    return _in_snippet(index, page, offset, inline.code_start, inline.code_end, evidence, subjects)


def _in_prose(
    index: Index, page: MarkdownText, offset: int, start: int, end: int, evidence: Evidence, subjects: frozenset[str]
) -> Found | None:
    if is_address(page.text, offset, start, end):
        return None
    if identifier_at(page.text, offset, start, end) is not None:
        first = offset
        while first > start and (page.text[first - 1].isalnum() or page.text[first - 1] in "_."):
            first -= 1
        dotted = _DOTTED_NAME.match(page.text, first, end)
        if dotted and dotted.start() <= offset < dotted.end():
            return _in_snippet(index, page, offset, dotted.start(), dotted.end(), evidence, subjects)
    found = term_in_prose(index, page.text, offset, start, end)
    if found is None or is_plain_number(found, page.text, start, end):
        return None
    return found if is_meant(found.term, subjects) else None


def _moved(found: Found | None, by: int) -> Found | None:
    return Found(found.term, found.start + by, found.end + by) if found else None


def _between(inlines: list[Inline], offset: int, start: int, end: int) -> tuple[int, int]:
    """The stretch of prose around an offset that no code span or link target interrupts."""
    before = (inline.end for inline in inlines if inline.end <= offset)
    after = (inline.start for inline in inlines if inline.start > offset)
    return max(before, default=start), min(after, default=end)


def _in_snippet(
    index: Index, page: MarkdownText, offset: int, start: int, end: int, evidence: Evidence, subjects: frozenset[str]
) -> Found | None:
    """A term in a few words of Python inside a paragraph, which says what they are about."""
    # The paragraph's letters stand beside the snippet's own, so that `q` alone is known to have a `k` next to it.
    letters = " ".join(re.findall(r"\b[qkvQKV]\b", page.text[max(0, start - 500) : end + 500]))
    snippet = PythonText(f"{page.text[start:end]}\n{letters}", evidence)
    is_attention = True if "attention" in subjects else None
    found = term_in_code(index, Place(snippet, offset - start, Known(is_attention=is_attention), evidence))
    if found is None or found.end > end - start:
        return None
    return _moved(found, start)
