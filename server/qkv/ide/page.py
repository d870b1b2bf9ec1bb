"""The page of a diagnostic code, as data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Page:
    """What `qkv explain CODE` says.

    `what` tells what happened, `why` why it is wrong and how to mend it. `wrong` is a smallest program that shows the fault, `right`
    the same one mended; `lesson` a link to where it is taught, `terms` the glossary's words for what it is about.
    """

    code: str
    severity: str
    title: str
    what: str
    why: str
    wrong: str | None = None
    right: str | None = None
    lesson: str | None = None
    terms: tuple[str, ...] = ()
