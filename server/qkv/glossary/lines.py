"""A text by lines: from positions that count from 1 to offsets, and back."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from itertools import accumulate

_LINE_END = re.compile(r"\r\n|\r|\n")


class LinedText:
    """One version of one text. Immutable; what is asked of it is computed once. Offsets count code points from 0."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def line_starts(self) -> list[int]:
        """The offset at which each line starts; a line ends as Python and the editor protocol have it."""
        if "\r" in self.text:
            return [0, *(match.end() for match in _LINE_END.finditer(self.text))]
        return list(accumulate((len(line) + 1 for line in self.text.split("\n")[:-1]), initial=0))

    def offset(self, line: int, column: int) -> int | None:
        """The offset of the character at a position that counts from 1; None beyond the text or the line's end."""
        if not 1 <= line <= len(self.line_starts) or column < 1:
            return None
        offset = self.line_starts[line - 1] + column - 1
        end = self.line_starts[line] if line < len(self.line_starts) else len(self.text)
        return offset if offset < end and self.text[offset] not in "\r\n" else None

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column, from 1, of an offset."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def line_of(self, offset: int) -> tuple[int, int]:
        """Where the line of an offset starts and ends, its line end not included."""
        line = bisect_right(self.line_starts, offset)
        start = self.line_starts[line - 1]
        end = self.line_starts[line] if line < len(self.line_starts) else len(self.text)
        return start, start + len(self.text[start:end].rstrip("\r\n"))
