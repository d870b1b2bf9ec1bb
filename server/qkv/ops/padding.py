"""Padding: axes that grow at their ends."""

from __future__ import annotations

from typing import Any

from qkv.ops.axes import locate, replace_axis, size
from qkv.ops.context import CannotTell, Context, Mismatch
from qkv.ops.parameters import known_size
from qkv.ops.table import forward, layer, rule
from qkv.shapes import Dim, Layer, Shape, Tensor
from qkv.shapes.dim import add, subtract
from qkv.shapes.values import contiguous_strides


def laid_out(shape: Shape, input: Tensor) -> Tensor:
    """A new tensor, laid out in order where the input is."""
    in_order = input.strides is not None and input.strides == contiguous_strides(input.shape)
    return Tensor(shape, input.dtype, input.device, contiguous_strides(shape) if in_order else None)


@rule("torch.nn.functional.pad torch.constant_pad_nd", term="padding")
def pad(cx: Context, input: Tensor, pad: Any, mode: Any = "constant", value: Any = None) -> Tensor:
    """Axes grow at both ends. The amounts are given in pairs, the pair of the last axis first; a negative one cuts off."""
    if not isinstance(pad, tuple):
        raise CannotTell("how much is padded is not known here", input.dtype)
    amounts: tuple[Any, ...] = pad
    if len(amounts) % 2:
        raise Mismatch(
            "shape-axis",
            "Padding takes pairs, an amount for each end of an axis; {count} amounts are given.",
            hint="`(1, 0)` pads the last axis at its start.",
            at="pad",
            count=len(amounts),
        )
    pairs = len(amounts) // 2
    if input.shape.rank is not None and pairs > input.shape.rank:
        raise Mismatch(
            "shape-axis",
            "{input} is {input.shape} and has {rank} axes, but {pairs} pairs of amounts are given.",
            hint="The pair of the last axis comes first.",
            at="pad",
            rank=input.shape.rank,
            pairs=pairs,
        )
    if mode != "constant":
        _require_pads_all(input, pairs, mode)
    shape = input.shape
    for place in range(pairs):
        shape, at = locate(cx, shape, -1 - place)
        have = size(shape, at)
        before, after = (known_size(cx, amount) for amount in amounts[2 * place : 2 * place + 2])
        _require_inside(mode, have, before, after)
        shape = replace_axis(shape, at, _padded(have, before, after))
    return laid_out(shape, input)


def _padded(have: Dim, before: Dim, after: Dim) -> Dim:
    result, first = add(add(have, before), after), add(have, before)
    for left in (first, result):
        if isinstance(left, int) and left < 0:
            raise Mismatch(
                "shape-axis", "An axis of {left} cannot lose {right}.", at="pad", left=have, right=subtract(have, left)
            )
    return result


def _require_pads_all(input: Tensor, pairs: int, mode: Any) -> None:
    """All modes but the constant one are for images: axes for the channels, and perhaps a batch, stay as they are."""
    if isinstance(mode, str) and input.shape.rank is not None and input.shape.rank not in (pairs + 1, pairs + 2):
        raise Mismatch(
            "shape-axis",
            "{input} is {input.shape}; to pad {pairs} axes with `mode={mode}`, it must have {wanted} or {more} axes.",
            at="input",
            pairs=pairs,
            mode=repr(mode),
            wanted=pairs + 1,
            more=pairs + 2,
        )


def _require_inside(mode: Any, have: Dim, before: Dim, after: Dim) -> None:
    """What is copied from the other side of the end must be there."""
    allowed = {"reflect": -1, "circular": 0}.get(mode) if isinstance(mode, str) else None
    for amount in (before, after):
        if allowed is not None and isinstance(have, int) and isinstance(amount, int) and amount > have + allowed:
            raise Mismatch(
                "shape-axis",
                "{input} is {input.shape}: an axis of {have} cannot be padded by {amount} with `mode={mode}`, which copies its own numbers.",
                at="pad",
                have=have,
                amount=amount,
                mode=repr(mode),
            )


MODES = {
    "Zero": "constant",
    "Constant": "constant",
    "Reflection": "reflect",
    "Replication": "replicate",
    "Circular": "circular",
}


def _paddings(axes: int) -> None:
    """Register the modules that pad one, two or three axes."""
    names = " ".join(f"torch.nn.{kind}Pad{axes}d" for kind in MODES)

    def module(cx: Context, padding: Any, value: Any = 0.0) -> Any:
        """Padding as a module."""
        return {"padding": padding}

    def call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
        """The last axes grow at both ends."""
        given = layer.settings["padding"]
        amounts = given if isinstance(given, tuple) else (given,) * (2 * axes)
        kind = layer.name.removeprefix("torch.nn.").partition("Pad")[0]
        return pad(cx, input, amounts, MODES[kind])

    layer(names)(module)
    forward(names)(call)


for _axes in (1, 2, 3):
    _paddings(_axes)
