"""The patterns of einops: `b n (h d) -> b h n d`, read once and kept."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass
from functools import lru_cache

ELLIPSIS = "..."
_TOKEN = re.compile(r"\s*(\.\.\.|…|\(|\)|\w+|\*)")


class PatternError(ValueError):
    """The text is no pattern; the message says why, as a sentence about the pattern."""


@dataclass(frozen=True, slots=True)
class Group:
    """What one axis is made of: names and numbers, `...` among them. `joined` is True where brackets were written."""

    items: tuple[str, ...]
    joined: bool = False

    def __str__(self) -> str:
        return f"({' '.join(self.items)})" if self.joined else self.items[0]


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a pattern: a group for each axis; one that is `...` alone, without brackets, stands for several."""

    groups: tuple[Group, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """All names, in order, without numbers and without the ellipsis."""
        return tuple(item for group in self.groups for item in group.items if item != ELLIPSIS and not item.isdigit())

    @property
    def spread(self) -> int | None:
        """Which group is the ellipsis that stands for several axes."""
        return next((i for i, group in enumerate(self.groups) if ELLIPSIS in group.items and not group.joined), None)

    @property
    def has_ellipsis(self) -> bool:
        """Whether `...` stands anywhere."""
        return any(ELLIPSIS in group.items for group in self.groups)


@lru_cache(maxsize=1024)
def read_pattern(pattern: str) -> tuple[Side, Side]:
    """Both sides of a pattern. Raises PatternError."""
    left, arrow, right = pattern.partition("->")
    if not arrow:
        raise PatternError("it has no `->`")
    if "->" in right:
        raise PatternError("it has more than one `->`")
    sides = read_side(left), read_side(right)
    if any(group.joined and ELLIPSIS in group.items for group in sides[0].groups):
        raise PatternError("on the left, `...` cannot stand in brackets")
    if sides[1].has_ellipsis and not sides[0].has_ellipsis:
        raise PatternError("it has `...` on the right only")
    return sides


@lru_cache(maxsize=1024)
def read_side(text: str) -> Side:
    """One side of a pattern. Raises PatternError."""
    groups: list[Group] = []
    inside: list[str] | None = None
    at = 0
    text = text.rstrip()
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise PatternError(f"{text[at:].strip()[0]!r} cannot stand in it")
        at = found.end()
        token = ELLIPSIS if found[1] == "…" else found[1]
        if token == "(":
            if inside is not None:
                raise PatternError("brackets cannot stand inside brackets")
            inside = []
        elif token == ")":
            if inside is None:
                raise PatternError("a bracket is closed that was not opened")
            groups.append(Group(tuple(inside), joined=True))
            inside = None
        else:
            _require_name(token)
            if inside is not None:
                inside.append(token)
            else:
                groups.append(Group((token,)))
    if inside is not None:
        raise PatternError("a bracket is not closed")
    _require_once(groups)
    return Side(tuple(groups))


def _require_name(token: str) -> None:
    if token == ELLIPSIS or token.isdigit():
        return
    if not token.isidentifier() or token.startswith("_") or token.endswith("_") or keyword.iskeyword(token):
        raise PatternError(f"{token!r} is no name for an axis")


def _require_once(groups: list[Group]) -> None:
    seen: set[str] = set()
    for item in (item for group in groups for item in group.items if not item.isdigit()):
        if item in seen:
            raise PatternError(
                f"it names {item} twice on one side" if item != ELLIPSIS else "it has `...` twice on one side"
            )
        seen.add(item)
