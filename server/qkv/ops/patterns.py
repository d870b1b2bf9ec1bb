"""The patterns of einops: `b n (h d) -> b h n d`, read once and kept."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

ELLIPSIS = "..."
_TOKEN = re.compile(r"\s*(\.\.\.|…|\(|\)|[A-Za-z_][A-Za-z0-9_]*|\d+)")


class PatternError(ValueError):
    """The text is no pattern; the message says why, as a sentence about the pattern."""


@dataclass(frozen=True)
class Side:
    """One side of a pattern: groups of names or numbers, an axis each. A group that is `("...",)` alone is the ellipsis."""

    groups: tuple[tuple[str, ...], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """All names, in order, without numbers and without the ellipsis."""
        return tuple(item for group in self.groups for item in group if item != ELLIPSIS and not item.isdigit())

    @property
    def spread(self) -> int | None:
        """Which group is the ellipsis."""
        return next((i for i, group in enumerate(self.groups) if ELLIPSIS in group), None)


@lru_cache(maxsize=1024)
def read_pattern(pattern: str) -> tuple[Side, Side]:
    """Both sides of a pattern. Raises PatternError."""
    left, arrow, right = pattern.partition("->")
    if not arrow:
        raise PatternError("it has no `->`")
    if "->" in right:
        raise PatternError("it has more than one `->`")
    return read_side(left), read_side(right)


@lru_cache(maxsize=1024)
def read_side(text: str) -> Side:
    """One side of a pattern. Raises PatternError."""
    groups: list[tuple[str, ...]] = []
    inside: list[str] | None = None
    at = 0
    while at < len(text.rstrip()):
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
            # `(...)` is one axis: a factor of 1 tells it from the bare `...`, which stands for many
            groups.append((ELLIPSIS, "1") if inside == [ELLIPSIS] else tuple(inside))
            inside = None
        elif inside is not None:
            inside.append(token)
        else:
            groups.append((token,))
    if inside is not None:
        raise PatternError("a bracket is not closed")
    side = Side(tuple(groups))
    doubled = next((name for name in side.names if name != "_" and side.names.count(name) > 1), None)
    if doubled is not None:
        raise PatternError(f"it names {doubled} twice on one side")
    if sum(group.count(ELLIPSIS) for group in groups) > 1:
        raise PatternError("it has more than one `...` on one side")
    return side
