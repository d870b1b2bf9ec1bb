"""`qkv explain`: the page of a diagnostic code or of a glossary term."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Any, Literal

from qkv.glossary import Term
from qkv.ide.codes import ALL_CODES, page_of
from qkv.ide.diagnostics import diagnostics
from qkv.ide.page import Page
from qkv.ide.plain import plain_text
from qkv.ide.snapshot import take_snapshot
from qkv.ide.terms import find_term, terms


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
    term = find_term(name)
    return _of_term(term) if term else None


def nearest(name: str) -> list[str]:
    """The codes and terms that a name which is neither may have meant."""
    known = [*ALL_CODES, *(term.id for term in terms())]
    wanted = name.strip().lower().replace(" ", "-").replace("_", "-")
    within = [one for one in known if wanted and wanted in one]
    return list(dict.fromkeys([*difflib.get_close_matches(wanted, known, 3, 0.5), *within]))[:5]


def _of_page(page: Page) -> Explanation:
    example = None
    parts = [f"# {page.code}: {page.title}", page.what]
    if page.wrong is not None and page.right is not None:
        example = Example(page.wrong, page.right, message_for(page))
        parts += [
            f"```python\n{page.wrong}```",
            f"> {example.message}",
            "## What to do",
            page.why,
            f"```python\n{page.right}```",
        ]
    else:
        parts += ["## What to do", page.why]
    markdown = "\n\n".join(parts) + "\n"
    return Explanation(
        "diagnostic", page.code, page.title, page.severity, plain_text(markdown), markdown, example, page.lesson, ()
    )


def message_for(page: Page) -> str:
    """What is really said about a page's wrong program."""
    found = diagnostics(take_snapshot("example.py", page.wrong or ""))
    return next((one.message for one in found if one.code == page.code), page.title)


def _of_term(term: Term) -> Explanation:
    parts = [f"# {term.name}", term.definition]
    if term.formula_text:
        parts.append(f"`{term.formula_text}`")
    if term.shape:
        parts.append(f"Shape: `{term.shape}`")
    if term.more:
        parts.append(term.more)
    if term.example:
        parts.append(f"```python\n{term.example.rstrip()}\n```")
    markdown = "\n\n".join(parts) + "\n"
    return Explanation("term", term.id, term.name, None, plain_text(markdown), markdown, None, term.lesson, term.see)
