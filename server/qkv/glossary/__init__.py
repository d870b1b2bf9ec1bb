"""The glossary: read `glossary/*.md`, find the term that a text names at a position, look terms up, show them.

glossary = load_glossary(folder)                  # once
index = build_index(glossary)                     # once
page = prepare(text, "python")                    # for each version of a text
match = term_at(index, page, line, column)        # positions count from 1, in code points
"""

from qkv.glossary.code import Known
from qkv.glossary.index import Index, build_index
from qkv.glossary.load import Code, Glossary, Term, TermError, TermProblem, load_glossary, read_term
from qkv.glossary.match import Language, Match, Page, prepare, term_at
from qkv.glossary.render import hover_markdown, hover_text, page_markdown, page_text, plain_text
from qkv.glossary.search import find_term, nearest_names, search

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
    "find_term",
    "hover_markdown",
    "hover_text",
    "load_glossary",
    "nearest_names",
    "page_markdown",
    "page_text",
    "plain_text",
    "prepare",
    "read_term",
    "search",
    "term_at",
]
