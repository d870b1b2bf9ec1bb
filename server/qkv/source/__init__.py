"""Text becomes a tree: spans, lines, comments, and a parse that never fails."""

from qkv.source.document import Comment, Location, Source, Span
from qkv.source.parse import Parsed, SyntaxProblem, parse

__all__ = ["Comment", "Location", "Parsed", "Source", "Span", "SyntaxProblem", "parse"]
