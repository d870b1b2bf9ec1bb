"""Markdown cut into paragraphs, Python blocks and what holds no words of ours: other code, addresses, formulas, tags."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from qkv.glossary.evidence import Evidence, prose_evidence
from qkv.glossary.lines import LinedText
from qkv.glossary.python_text import PythonText
from qkv.glossary.words import word_set

_ENOUGH = 20_000

PYTHON_FENCES = word_set("python py python3 pycon ipython ipython3 code-cell cell")

_LINE_END = re.compile(r"\r\n|\r|\n")
_FENCE_NAME = re.compile(r"\s*\{?\.?([\w-]*)\}?(?:\s+(ipython3?|python3?))?")
_INLINE_CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_ROLE = re.compile(r"\{(\w[\w-]*)\}\Z")
_HIDDEN = re.compile(
    r"\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+\"[^\"\n]*\")?\)"  # the target of a link
    r"|^\s*\[[^\]\n]+\]:.*$"  # a link's definition
    r"|<[A-Za-z/!][^<>\n]*>"  # a tag or an address in angle brackets
    r"|\$\$.+?\$\$|(?<![\\$\w])\$(?![\s$])[^$\n]+?(?<![\s\\])\$(?![\d$])"  # formulas
    r"|\\\(.+?\\\)",
    re.DOTALL | re.MULTILINE,
)
_SHELL = re.compile(r"\s-{1,2}\w|[|;&]|^\s*(?:\$|>|cd|ls|git|pip|cat|sudo|docker|npm|python\d?)\s")
_PATH = re.compile(
    r"^(?:~|\.{0,2})/|\w{2,}/\w{2,}|\\|^[\w-]+\.(?:py|md|json|ya?ml|toml|txt|csv|pt|sh|html|css|js|ts|ipynb)$"
)


@dataclass(frozen=True, slots=True)
class Block:
    """Lines of a page, from 0, `end` exclusive: a paragraph, or the inside of a Python fence. What lies in no block is not ours."""

    start: int
    end: int
    is_python: bool


@dataclass(frozen=True, slots=True)
class Inline:
    """A stretch inside a paragraph that is no prose; offsets in the page.

    A code span's text lies between `code_start` and `code_end`, and `role` is what MyST calls it; both are 0 for the rest.
    """

    start: int
    end: int
    code_start: int = 0
    code_end: int = 0
    role: str | None = None


class MarkdownText(LinedText):
    """One version of one Markdown text."""

    @cached_property
    def blocks(self) -> list[Block]:
        """Paragraphs and Python fences, in order; a row of a table is a paragraph."""
        found = [block for block in _blocks(_LINE_END.sub("\n", self.text)) if block.end > block.start]
        return sorted(found, key=lambda block: block.start)

    def block_at(self, line: int) -> Block | None:
        """The block that holds a line counted from 0; the innermost where blocks lie in another."""
        return next((block for block in reversed(self.blocks) if block.start <= line < block.end), None)

    def extent(self, block: Block) -> tuple[int, int]:
        """The offsets between which a block lies."""
        end = self.line_starts[block.end] if block.end < len(self.line_starts) else len(self.text)
        return self.line_starts[block.start], end

    def inlines(self, start: int, end: int) -> list[Inline]:
        """Code spans, link targets, tags and formulas of a paragraph."""
        found: list[Inline] = []
        for match in _INLINE_CODE.finditer(self.text, start, end):
            role = _ROLE.search(self.text, max(start, match.start() - 40), match.start())
            found.append(Inline(match.start(), match.end(), *match.span(2), role.group(1) if role else None))
        taken = [(inline.start, inline.end) for inline in found]
        for match in _HIDDEN.finditer(self.text, start, end):
            if not any(left < match.end() and match.start() < right for left, right in taken):
                found.append(Inline(match.start(), match.end()))
        return found

    @cached_property
    def evidence(self) -> Evidence:
        """What the whole page is about, by its first few thousand words; addresses and other code left out."""
        paragraphs: list[str] = []
        length = 0
        for block in self.blocks:
            if not block.is_python and length < _ENOUGH:
                paragraphs.append(self.prose(*self.extent(block)))
                length += len(paragraphs[-1])
        return prose_evidence("\n".join(paragraphs))

    def prose(self, start: int, end: int) -> str:
        """A paragraph's words, its formulas and addresses blanked; code spans stay."""
        return _HIDDEN.sub(" ", self.text[start:end])

    def python(self, block: Block, around: Evidence) -> PythonText:
        """The inside of a Python fence, as a text of its own."""
        return PythonText(self.text[slice(*self.extent(block))], around)


def looks_like_python(code: str) -> bool:
    """Whether an inline code span can be read as Python: no path, no file, no command line."""
    return not (_SHELL.search(code) or _PATH.search(code))


def _blocks(text: str) -> list[Block]:
    """Read the page's blocks with the Markdown parser that lessons are read with; inline text is left alone, which takes most of its time."""
    from markdown_it import MarkdownIt
    from mdit_py_plugins.colon_fence import colon_fence_plugin
    from mdit_py_plugins.front_matter import front_matter_plugin

    parser = MarkdownIt("commonmark").enable("table").use(colon_fence_plugin).use(front_matter_plugin)
    parser.core.ruler.enableOnly(["normalize", "block"])
    found: list[Block] = []
    for token in parser.parse(text):
        if token.map is None:
            continue
        start, end = token.map
        if token.type == "inline":
            found.append(Block(start, end, False))
        elif token.type in ("fence", "colon_fence"):
            name = _FENCE_NAME.match(token.info)
            words = {word.lower() for word in name.groups() if word} if name else set()
            inside = Block(start + 1, end - 1 if _is_closed(text, token.markup, end) else end, True)
            if words & PYTHON_FENCES:
                found.append(inside)
            elif token.type == "colon_fence" and not words & {"math", "picture", "code-block"}:
                found.extend(
                    Block(block.start + start + 1, block.end + start + 1, block.is_python)
                    for block in _blocks(token.content)
                )
    return found


def _is_closed(text: str, markup: str, end: int) -> bool:
    lines = text.split("\n", end)
    return end <= len(lines) and lines[end - 1].strip().startswith(markup)
