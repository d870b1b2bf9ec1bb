"""Every diagnostic code with its page: the one place that knows them all."""

from __future__ import annotations

from qkv.ide.page import Page
from qkv.ide.pages import editor, layers, lints, operators, types

PAGES = {page.code: page for module in (operators, layers, types, lints, editor) for page in module.PAGES}
ALL_CODES = tuple(sorted(PAGES))


def page_of(code: str) -> Page | None:
    """The page of a code; None for one that does not exist."""
    return PAGES.get(code)
