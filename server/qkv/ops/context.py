"""What a rule is given, and the two ways in which it can decline: a mismatch, and "cannot tell"."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

from qkv.shapes import Dim, Shape, Store, Tensor, Truth
from qkv.shapes.solve import fresh, meet, resolve, resolve_shape, unknown_shape
from qkv.source import Location


class Mismatch(Exception):
    """An operation that raises in torch, or that works only by coincidence (`truth` is SOMETIMES).

    Structured, and rendered once at the edge. `template` is a sentence with `{parts}`: a part is a size, a shape, a tensor, a
    number or a text; a part named like one of the rule's parameters is rendered as the source text of that argument, and
    `{input.shape}` as its shape. `hint` is a sentence of the same kind: one concrete next step. `fix` names a quick fix
    (`transpose-last-two`, `reshape`, `contiguous`, …) on the argument named by `at`. `lesson` is a `lesson:` link.
    """

    def __init__(
        self,
        code: str,
        template: str,
        *,
        truth: Truth = Truth.NEVER,
        hint: str | None = None,
        fix: str | None = None,
        at: str | None = None,
        lesson: str | None = None,
        before: Location | None = None,
        **parts: Any,
    ) -> None:
        super().__init__(code, template)
        self.code = code
        self.template = template
        self.truth = truth
        self.hint = hint
        self.fix = fix
        self.at = at
        self.lesson = lesson
        self.before = before
        self.parts = parts


class CannotTell(Exception):
    """The rule does not know its result. `reason` is a sentence for the hover; `dtype` is kept where it is known."""

    def __init__(self, reason: str, dtype: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.dtype = dtype


@dataclass
class Context:
    """One call of one rule: the store, the place, and the coincidences found on the way (they do not stop the analysis)."""

    store: Store
    where: Location | None = None
    coincidences: list[Mismatch] = field(default_factory=list[Mismatch])

    def fresh(self) -> Dim:
        """A size of which nothing is known."""
        return fresh(self.store)

    def unknown(self, dtype: str | None = None) -> Tensor:
        """A tensor of which only the dtype is known."""
        return Tensor(unknown_shape(self.store), dtype)

    def dim(self, dim: Dim) -> Dim:
        """A size with all that has been learnt put in."""
        return resolve(self.store, dim)

    def shape(self, tensor: Tensor) -> Shape:
        """A tensor's shape with all that has been learnt put in."""
        return resolve_shape(self.store, tensor.shape)


def unknown_item(name: str) -> str:
    """Why a result is unknown, where an argument is."""
    return f"{name} is not known here"


def require_equal(cx: Context, a: Dim, b: Dim, mismatch: Mismatch) -> None:
    """Need two sizes equal: taken as a contract, or reported.

    Raises `mismatch` where they never are; keeps it as a coincidence where they are only if two unrelated sizes happen to agree.
    """
    if a == b:
        return
    verdict = meet(cx.store, a, b, cx.where)
    if verdict.truth is Truth.NEVER:
        mismatch.before = mismatch.before or (verdict.before.where if verdict.before else None)
        raise mismatch
    if verdict.truth is Truth.SOMETIMES:
        mismatch.truth = Truth.SOMETIMES
        mismatch.parts |= {"left": resolve(cx.store, a), "right": resolve(cx.store, b), "evidence": verdict.evidence}
        cx.coincidences.append(mismatch)


Tensors: TypeAlias = "tuple[Tensor, ...]"
"""A sequence of tensors, as an annotation of a rule's parameter: a list or tuple of which every item is a tensor."""
