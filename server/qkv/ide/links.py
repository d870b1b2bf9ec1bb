"""Links into the course and the glossary, turned into what a client can follow.

Inside qkv a link is `lesson:PART`, `lesson:PART#SECTION`, `lesson:PART/EXERCISE`, `term:ID` or `diagnostic:CODE`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from urllib.parse import quote

from qkv.content import content_folder


@dataclass(frozen=True, slots=True)
class Links:
    """What a client said it can follow: `command` for VS Code's hovers, `scheme` for links outside of hovers."""

    command: bool = False
    scheme: str | None = None


def hover_link(links: Links, target: str) -> str | None:
    """A link for a hover's Markdown; None where the target cannot be reached."""
    if target.startswith(("http://", "https://")):
        return target
    if links.command:
        return f"command:qkv.open?{quote(json.dumps([target]), safe='')}"
    return page_uri(target)


def href(links: Links, target: str) -> str | None:
    """A link for `codeDescription`: VS Code opens its own scheme there and no commands."""
    if links.scheme:
        return f"{links.scheme}://qkv.qkv/open?{quote(target, safe=':/#')}"
    return page_uri(target)


def page_uri(target: str) -> str | None:
    """The `file:` URI of the page that ships with this installation."""
    kind, _, rest = target.partition(":")
    part, _, _ = rest.partition("#")
    part = part.split("/")[0]
    try:
        if kind == "term":
            page = content_folder("glossary") / f"{part}.md"
        elif kind == "lesson":
            page = next(iter(sorted(content_folder("lessons").glob(f"**/*-{part}/lesson.md"))), None)
        elif kind == "diagnostic":
            page = content_folder("docs") / "diagnostics" / f"{part}.md"
        else:
            return None
    except FileNotFoundError:
        return None
    if page is None or not page.is_file():
        return None
    return page.resolve().as_uri()
