"""Losses: predictions against targets, reduced to one number unless asked otherwise."""

from __future__ import annotations

from typing import Any

from qkv.ops.axes import drop_axis
from qkv.ops.broadcast import broadcast
from qkv.ops.context import CannotTell, Context, Mismatch, require_equal
from qkv.ops.dtypes import is_float, is_whole
from qkv.ops.table import forward, layer, rule
from qkv.shapes import Layer, Shape, Tensor
from qkv.shapes.values import contiguous_strides


def result(shape: Shape, dtype: str | None, reduction: Any, reduce: Any = None) -> Tensor:
    """One number, or (`reduction="none"`) a loss for each item."""
    if reduction == "none" or reduce is False:
        return Tensor(shape, dtype, None, contiguous_strides(shape))
    if isinstance(reduction, str):
        return Tensor(Shape(), dtype, None, ())
    raise CannotTell("how the loss is reduced is not known here", dtype)


def classified(cx: Context, input: Tensor, target: Tensor, reduction: Any) -> Tensor:
    """Class scores against class numbers: the classes stand on axis 1, or on the last where there is no batch."""
    a, b = input.shape, target.shape
    if a.rank is None or b.rank is None:
        return result(b, input.dtype, reduction)
    if is_float(target.dtype) and a.rank == b.rank:
        return _probabilities(cx, input, target, reduction)
    classes = 0 if a.rank == 1 else 1
    if a.rank == 0 or b.rank != a.rank - 1:
        raise Mismatch(
            "shape-loss",
            "{input} is {input.shape} and {target} is {target.shape}: the target has one axis less than the scores, without the axis of the classes.",
            hint="For (batch, time, classes), flatten both: `logits.view(-1, classes)` and `targets.view(-1)`.",
            at="target",
        )
    wanted = drop_axis(a, classes)
    for place, (have, want) in enumerate(zip(b.back, wanted.back, strict=True)):
        hint = "The classes must stand on axis 1. For (batch, time, classes), flatten both: `logits.view(-1, classes)` and `targets.view(-1)`."
        mismatch = Mismatch(
            "shape-loss",
            "{input} is {input.shape} and {target} is {target.shape}: the scores' classes are read from axis 1, so the target must be {wanted}; {left} is not {right}.",
            hint=hint if a.rank > 2 else "There must be one target for each row of scores.",
            at="target",
            wanted=wanted,
            left=have,
            right=want,
            axis=place,
        )
        require_equal(cx, have, want, mismatch)
    count = a.back[classes]
    if isinstance(count, int) and isinstance(target.high, int) and target.high >= count and is_whole(target.dtype):
        raise Mismatch(
            "shape-loss",
            "{target} holds class numbers up to {high}, but {input} has scores for {count} classes, 0 to {last}.",
            at="target",
            high=target.high,
            count=count,
            last=count - 1,
        )
    if is_float(target.dtype):
        raise Mismatch("dtype-index", "{target} holds {have}; class numbers must be whole.", hint="Convert them with `{target}.long()`.", fix="long", at="target", have=target.dtype)
    return result(b, input.dtype, reduction)


def _probabilities(cx: Context, input: Tensor, target: Tensor, reduction: Any) -> Tensor:
    pairwise_equal(cx, input, target)
    shape = drop_axis(input.shape, 0 if input.shape.rank == 1 else 1)
    return result(shape, input.dtype, reduction)


def pairwise_equal(cx: Context, input: Tensor, target: Tensor) -> None:
    """Both shapes must be the same."""
    a, b = input.shape, target.shape
    if a.rank is None or b.rank is None:
        return
    template = "{input} is {input.shape} and {target} is {target.shape}; this loss compares them number by number, so the shapes must be the same."
    if a.rank != b.rank:
        raise Mismatch("shape-loss", template, at="target")
    for have, want in zip(b.back, a.back, strict=True):
        require_equal(cx, have, want, Mismatch("shape-loss", template, at="target", left=have, right=want))


@rule("torch.nn.functional.cross_entropy torch.nn.functional.nll_loss", term="cross-entropy")
def cross_entropy(
    cx: Context,
    input: Tensor,
    target: Tensor,
    weight: Any = None,
    size_average: Any = None,
    ignore_index: Any = -100,
    reduce: Any = None,
    reduction: Any = "mean",
    label_smoothing: Any = 0.0,
) -> Tensor:
    """How surprised the scores are by the right classes: the mean of -ln softmax(scores)[class]."""
    return classified(cx, input, target, reduction)


@layer("torch.nn.CrossEntropyLoss torch.nn.NLLLoss", term="cross-entropy")
def cross_entropy_module(
    cx: Context, weight: Any = None, size_average: Any = None, ignore_index: Any = -100, reduce: Any = None, reduction: Any = "mean", label_smoothing: Any = 0.0
) -> Any:
    """A loss as a module."""
    return {"reduction": reduction, "ignore_index": ignore_index}


@forward("torch.nn.CrossEntropyLoss torch.nn.NLLLoss")
def cross_entropy_call(cx: Context, layer: Layer, input: Tensor, target: Tensor) -> Tensor:
    """How surprised the scores are by the right classes."""
    return classified(cx, input, target, layer.settings.get("reduction"))


@rule("torch.nn.functional.mse_loss torch.nn.functional.l1_loss torch.nn.functional.smooth_l1_loss torch.nn.functional.huber_loss torch.nn.functional.kl_div torch.nn.functional.poisson_nll_loss")
def pairwise_loss(cx: Context, input: Tensor, target: Tensor, *args: Any, reduction: Any = "mean", **keywords: Any) -> Tensor:
    """Numbers against numbers; shapes that differ are stretched, with a warning of torch's."""
    return result(broadcast(cx, input.shape, target.shape, ("input", "target"), "shape-loss"), input.dtype, reduction)


@rule("torch.nn.functional.binary_cross_entropy torch.nn.functional.binary_cross_entropy_with_logits")
def binary_cross_entropy(cx: Context, input: Tensor, target: Tensor, weight: Any = None, size_average: Any = None, reduce: Any = None, reduction: Any = "mean", pos_weight: Any = None) -> Tensor:
    """How surprised yes-or-no scores are by the right answers. Both shapes must be the same."""
    pairwise_equal(cx, input, target)
    return result(input.shape, input.dtype, reduction)


PAIRWISE = "torch.nn.MSELoss torch.nn.L1Loss torch.nn.SmoothL1Loss torch.nn.HuberLoss torch.nn.KLDivLoss torch.nn.PoissonNLLLoss"
STRICT = "torch.nn.BCELoss torch.nn.BCEWithLogitsLoss"


@layer(f"{PAIRWISE} {STRICT}")
def pairwise_module(cx: Context, *args: Any, reduction: Any = "mean", **keywords: Any) -> Any:
    """A loss as a module."""
    return {"reduction": reduction}


@forward(PAIRWISE)
def pairwise_call(cx: Context, layer: Layer, input: Tensor, target: Tensor) -> Tensor:
    """Numbers against numbers."""
    return pairwise_loss(cx, input, target, reduction=layer.members.get("reduction"))


@forward(STRICT)
def strict_call(cx: Context, layer: Layer, input: Tensor, target: Tensor) -> Tensor:
    """Yes-or-no scores against answers."""
    return binary_cross_entropy(cx, input, target, reduction=layer.members.get("reduction"))


@rule("torch.nn.functional.cosine_similarity torch.cosine_similarity")
def cosine_similarity(cx: Context, x1: Tensor, x2: Tensor, dim: Any = 1, eps: Any = 1e-8) -> Tensor:
    """The cosine of the angle between vectors along an axis."""
    from qkv.ops.axes import locate

    shape = broadcast(cx, x1.shape, x2.shape, ("x1", "x2"))
    if not isinstance(dim, int):
        raise CannotTell("which axis is meant is not known here", x1.dtype)
    shape, at = locate(cx, shape, dim, "x1")
    shape = drop_axis(shape, at)
    return Tensor(shape, x1.dtype, x1.device, contiguous_strides(shape))
