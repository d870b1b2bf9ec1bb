"""The glossary: read `glossary/*.md`, and find the term that a text names at a position."""

from qkv.glossary.code import Known
from qkv.glossary.index import Index, build_index
from qkv.glossary.load import Code, Glossary, Term, TermError, TermProblem, load_glossary, read_term
from qkv.glossary.match import Language, Match, Page, prepare, term_at

__all__ = [
    "Code",
    "Glossary",
    "Index",
    "Known",
    "Language",
    "Match",
    "Page",
    "Term",
    "TermError",
    "TermProblem",
    "build_index",
    "load_glossary",
    "prepare",
    "read_term",
    "term_at",
]
