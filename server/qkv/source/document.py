"""A text with its lines, its comments and its tree, and the spans that point into it."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from dataclasses import dataclass
from functools import cached_property

from qkv.source.parse import Parsed, parse


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of text. Lines and columns start at 1, columns count code points, the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int

    def contains(self, line: int, column: int) -> bool:
        """Whether a position touches the span; its end counts, as an editor's cursor stands between characters."""
        return (self.line, self.column) <= (line, column) <= (self.end_line, self.end_column)


@dataclass(frozen=True, slots=True)
class Location:
    """A span in a file; `path` is as it was given."""

    path: str
    span: Span


@dataclass(frozen=True, slots=True)
class Comment:
    """One `#` comment, without the `#` and the blanks around it."""

    span: Span
    text: str
    trailing: bool


_LINE_END = re.compile(r"\r\n|\r|\n")


class Source:
    """One version of one text. Immutable: an edit makes another Source."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines as Python counts them (form feeds and U+2028 do not end a line), without their ends."""
        return tuple(_LINE_END.split(self.text))

    @cached_property
    def parsed(self) -> Parsed:
        """The tree of all that parses, and the errors of what does not."""
        return parse(self.text)

    @cached_property
    def comments(self) -> tuple[Comment, ...]:
        """All `#` comments, in order. Text that cannot be tokenised yields those up to there."""
        return tuple(_comments(self.text))

    @cached_property
    def comment_at_line(self) -> dict[int, Comment]:
        """The comment of each line that has one."""
        return {comment.span.line: comment for comment in self.comments}

    def column(self, line: int, utf8_offset: int) -> int:
        """`ast` counts bytes of UTF-8 from 0; we count code points from 1."""
        if not 0 < line <= len(self.lines):
            return utf8_offset + 1
        text = self.lines[line - 1]
        if text.isascii():
            return utf8_offset + 1
        return len(text.encode("utf-8", "surrogatepass")[:utf8_offset].decode("utf-8", "replace")) + 1

    def span_of(self, node: ast.AST) -> Span:
        """The span of an expression, a statement, an argument or a keyword."""
        line: int = getattr(node, "lineno", 1)
        end_line: int = getattr(node, "end_lineno", None) or line
        start: int = getattr(node, "col_offset", 0)
        end: int = getattr(node, "end_col_offset", None) or start
        return Span(line, self.column(line, start), end_line, self.column(end_line, end))

    def slice(self, span: Span) -> str:
        """The text under a span."""
        lines = self.lines[span.line - 1 : span.end_line]
        if not lines:
            return ""
        if len(lines) == 1:
            return lines[0][span.column - 1 : span.end_column - 1]
        return "\n".join([lines[0][span.column - 1 :], *lines[1:-1], lines[-1][: span.end_column - 1]])


def _comments(text: str) -> list[Comment]:
    found: list[Comment] = []
    if "#" not in text:
        return found
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                (line, start), (_, end) = token.start, token.end
                trailing = bool(token.line[:start].strip())
                found.append(Comment(Span(line, start + 1, line, end + 1), token.string.lstrip("#").strip(), trailing))
    except (tokenize.TokenError, SyntaxError, ValueError):
        pass
    return found
