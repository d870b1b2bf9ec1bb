"""What the tensors of one operator must agree on besides their shapes: the kind of number, and the device."""

from __future__ import annotations

from typing import Any

from qkv.ops.context import Mismatch
from qkv.ops.dtypes import CATEGORY, is_float, is_whole
from qkv.shapes import Tensor


def require_one_device(operands: dict[str, Any]) -> str | None:
    """The device of the result. Refuses tensors that the code has put on two devices; a scalar on the CPU may join any other."""
    if not any(isinstance(value, Tensor) and value.device for value in operands.values()):
        return None
    first: tuple[str, Tensor] | None = None
    for name, value in operands.items():
        if not isinstance(value, Tensor) or value.device is None or (value.shape.rank == 0 and value.device == "cpu"):
            continue
        if first is None:
            first = (name, value)
        elif value.device != first[1].device:
            raise Mismatch(
                "device-mismatch",
                f"{{{first[0]}}} is on `{{left}}` and {{{name}}} is on `{{right}}`; an operator needs all its tensors on one device.",
                hint=f"Make one where the other is, as with `.to({{{first[0]}}}.device)`.",
                at=name,
                left=first[1].device,
                right=value.device,
            )
    known = {value.device for value in operands.values() if isinstance(value, Tensor) and value.shape.rank != 0}
    known = known or {value.device for value in operands.values() if isinstance(value, Tensor)}
    return known.pop() if len(known) == 1 else None


def require_one_dtype(operands: dict[str, Any], what: str = "A product of matrices") -> str | None:
    """The dtype that all tensors share. Refuses two that differ, where nothing is converted."""
    first: tuple[str, str] | None = None
    for name, value in operands.items():
        if not isinstance(value, Tensor) or value.dtype is None:
            continue
        if first is None:
            first = (name, value.dtype)
        elif value.dtype != first[1]:
            raise Mismatch(
                "dtype-mismatch",
                f"{{{first[0]}}} holds {{left}} and {{{name}}} holds {{right}}. {what} wants one kind of number and converts nothing.",
                hint=f"Convert one of them, as with `.to({{{first[0]}}}.dtype)`.",
                at=name,
                left=first[1],
                right=value.dtype,
            )
    return None if first is None else first[1]


def require_bool_mask(mask: Tensor, what: str, name: str = "mask") -> None:
    """Refuse a mask that holds anything but True and False."""
    if mask.dtype not in (None, "bool"):
        raise Mismatch(
            "dtype-mask",
            f"{{{name}}} holds {{have}}, and {what} wants a mask of True and False.",
            hint=f"Compare, as with `{{{name}}} == 0`: True then marks what is hidden.",
            at=name,
            have=mask.dtype,
        )


def require_index(
    index: Tensor, name: str = "index", allowed: tuple[str, ...] = ("int64",), what: str = "An index"
) -> None:
    """Refuse index tensors that do not hold whole numbers."""
    if index.dtype is not None and index.dtype not in allowed:
        number = "whole numbers" if not is_whole(index.dtype) else " or ".join(allowed)
        raise Mismatch(
            "dtype-index",
            f"{{{name}}} holds {{have}}. {what} must hold {number}.",
            hint=f"Convert it with `{{{name}}}.long()`.",
            fix="long",
            at=name,
            have=index.dtype,
        )


def require_float(tensor: Tensor, what: str, name: str = "input", complex_too: bool = True) -> None:
    """Refuse whole numbers where torch has no such operator for them."""
    kind = CATEGORY.get(tensor.dtype or "", 2)
    if kind < 2 or (kind == 3 and not complex_too):
        raise Mismatch(
            "dtype-mismatch",
            f"{{{name}}} holds {{have}}, and {what} needs floating point numbers.",
            hint=f"Convert first, with `{{{name}}}.float()`.",
            at=name,
            have=tensor.dtype,
        )


def require_not_float(tensor: Tensor, what: str, name: str = "input") -> None:
    """Refuse floating point numbers where an operator works on bits."""
    if is_float(tensor.dtype) or CATEGORY.get(tensor.dtype or "") == 3:
        raise Mismatch(
            "dtype-mask",
            f"{{{name}}} holds {{have}}, and {what} works on True and False, or on whole numbers.",
            hint=f"Make a mask first, as with `{{{name}}} > 0` or `{{{name}}}.bool()`.",
            fix="bool",
            at=name,
            have=tensor.dtype,
        )


def require_castable(result: str | None, target: Tensor) -> None:
    """Refuse an in-place operator whose result is of a higher kind than the tensor that it is written to."""
    if result is None or target.dtype is None:
        return
    if CATEGORY.get(result, 0) > CATEGORY.get(target.dtype, 3):
        raise Mismatch(
            "dtype-mismatch",
            "The result holds {result}, but it is written into {input}, which holds {have}.",
            hint="Use the operator that makes a new tensor.",
            at="input",
            result=result,
            have=target.dtype,
        )
