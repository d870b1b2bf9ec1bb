"""`qkv explain`: the page of a diagnostic code or of a glossary term."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Any, Literal

from qkv.glossary import Term, page_markdown, page_text, plain_text
from qkv.ide.codes import ALL_CODES, page_of
from qkv.ide.diagnostics import diagnostics
from qkv.ide.page import Page
from qkv.ide.snapshot import take_snapshot
from qkv.ide.terms import named_term, near_terms, shipped_glossary


@dataclass(frozen=True, slots=True)
class Example:
    """A smallest wrong program, the same one mended, and what is said about the first."""

    wrong: str
    right: str
    message: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """One page. `text` and `markdown` say the same; `see` holds ids of other terms."""

    kind: Literal["diagnostic", "term"]
    id: str
    title: str
    severity: str | None
    text: str
    markdown: str
    example: Example | None
    lesson: str | None
    see: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The object of `qkv explain --format json`."""
        example = self.example
        return {
            "version": 1,
            "kind": self.kind,
            "id": self.id,
            "title": self.title,
            "severity": self.severity,
            "text": self.text,
            "markdown": self.markdown,
            "example": {"wrong": example.wrong, "right": example.right, "message": example.message}
            if example
            else None,
            "lesson": self.lesson,
            "see": list(self.see),
        }


def explain(name: str) -> Explanation | None:
    """The page of a code, or of a term by its id, name or another of its spellings; None for neither."""
    page = page_of(name)
    if page is not None:
        return _of_page(page)
    term = named_term(name)
    return _of_term(term) if term else None


def nearest(name: str) -> list[str]:
    """The codes and terms that a name which is neither may have meant."""
    wanted = name.strip().lower().replace(" ", "-").replace("_", "-")
    codes = difflib.get_close_matches(wanted, ALL_CODES, 3, 0.6)
    within = [code for code in ALL_CODES if len(wanted) > 2 and wanted in code]
    return list(dict.fromkeys([*codes, *near_terms(name), *within]))[:5]


def _of_page(page: Page) -> Explanation:
    example = None
    if page.wrong is not None and page.right is not None:
        example = Example(page.wrong, page.right, message_for(page))
    title = f"{page.code}: {page.title}"
    return Explanation(
        "diagnostic",
        page.code,
        page.title,
        page.severity,
        _page_text(page, title, example),
        _page_markdown(page, title, example),
        example,
        page.lesson,
        (),
    )


def _page_markdown(page: Page, title: str, example: Example | None) -> str:
    parts = [f"# {title}", page.what]
    if example:
        parts += [f"```python\n{example.wrong}```", f"> {example.message}"]
    parts += ["## What to do", page.why]
    if example:
        parts.append(f"```python\n{example.right}```")
    if page.lesson:
        parts.append(f"[Taught in the lesson]({page.lesson})")
    return "\n\n".join(parts)


def _page_text(page: Page, title: str, example: Example | None) -> str:
    parts = [f"{title}\n{'-' * len(title)}", plain_text(page.what)]
    if example:
        parts += [indented(example.wrong), example.message]
    parts += ["What to do", plain_text(page.why)]
    if example:
        parts.append(indented(example.right))
    if page.lesson:
        parts.append(f"Taught in {page.lesson}")
    return "\n\n".join(parts)


def indented(code: str) -> str:
    """A program as a block of a plain text."""
    return "\n".join(f"    {line}".rstrip() for line in code.rstrip().split("\n"))


def message_for(page: Page) -> str:
    """What is really said about a page's wrong program."""
    found = diagnostics(take_snapshot("example.py", page.wrong or ""))
    return next((one.message for one in found if one.code == page.code), page.title)


def _of_term(term: Term) -> Explanation:
    glossary = shipped_glossary()
    text, markdown = page_text(term, glossary), page_markdown(term, glossary)
    return Explanation("term", term.id, term.name, None, text, markdown, None, term.lesson, term.see)
