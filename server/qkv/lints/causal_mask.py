"""Causal masks that hide the wrong keys.

What it does: follows a mask from `tril`, `triu` or a comparison of positions to where it meets the scores, through `~`, `bool`, `== 0`,
`masked_fill`, and reads there which keys each query is left with.

Why it is bad: a mask that is turned round, or off by one, runs and trains. A decoder that sees only what comes after it learns to copy
the future; one that sees the next token has a loss that is too good to be true.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from qkv.interp import Analysis, Finding, MaskUse, Operand, Reason

LESSON = "lesson:causal-mask"
TERMS = ("causal mask",)
READS = {
    "fill": "`masked_fill` hides where the mask is True",
    "keeps": "a True in this mask lets a query see a key",
    "blocks": "a True in this mask hides a key",
    "added": "a very negative number in this mask hides a key",
}


def upside_down(analysis: Analysis) -> Iterator[Finding]:
    """The mask hides the past and shows the future."""
    for use in analysis.mask_uses:
        if use.hides_low and not use.hides_high and use.square:
            own = "and itself " if use.diagonal >= 0 else ""
            yield _finding(
                use,
                "mask-upside-down",
                f"This mask is turned round: each query is left with the keys after it, and those before it {own}are hidden; {READS[use.how]}.",
                "Turn the mask round, `~mask`, or build it with the other of `tril` and `triu`.",
                "invert-mask" if use.how != "added" else None,
            )


def sees_ahead(analysis: Analysis) -> Iterator[Finding]:
    """The mask shows a query some keys that come after it."""
    for use in analysis.mask_uses:
        if use.hides_high and not use.hides_low and use.square and 0 < use.diagonal <= 2:
            ahead = "the next token" if use.diagonal == 1 else f"{use.diagonal} tokens ahead"
            yield _finding(
                use,
                "mask-sees-ahead",
                f"This mask lets each query see {ahead}: it hides only keys more than {use.diagonal} after it.",
                "A causal mask hides every key after the query: `triu(1)` marks those, `tril()` the others.",
            )


def hides_itself(analysis: Analysis) -> Iterator[Finding]:
    """The mask hides the query's own key, so the first row has no key left."""
    for use in analysis.mask_uses:
        if use.hides_high and not use.hides_low and use.square and use.diagonal == -1:
            yield _finding(
                use,
                "mask-hides-itself",
                "This mask hides each query's own key as well: the first query is left with no key at all, and its softmax gives NaN.",
                "Keep the diagonal: `triu(1)` marks the keys to hide, `tril()` those to keep.",
            )


def hides_all(analysis: Analysis) -> Iterator[Finding]:
    """The mask hides every key."""
    for use in analysis.mask_uses:
        if use.hides_high and use.hides_low:
            yield _finding(
                use,
                "mask-hides-all",
                "This mask hides every key of every query, so no softmax has anything to choose from and each row gives NaN.",
                "A triangle of values is needed: `tril` of ones, compared with 0.",
            )


def _finding(use: MaskUse, code: str, message: str, hint: str, fix: str | None = None) -> Finding:
    because = (
        (Reason(use.birth, "the mask was made here"),) if use.birth is not None and use.birth != use.location else ()
    )
    operands = {"mask": Operand(use.span, use.text, None)}
    return Finding(
        code,
        "warning",
        None,
        use.location,
        message,
        hint,
        because,
        operands,
        fix,
        "mask",
        TERMS,
        LESSON,
        use.function,
        (code, use.location),
    )


LINTS: dict[str, Callable[[Analysis], Iterator[Finding]]] = {
    "mask-upside-down": upside_down,
    "mask-sees-ahead": sees_ahead,
    "mask-hides-itself": hides_itself,
    "mask-hides-all": hides_all,
}
