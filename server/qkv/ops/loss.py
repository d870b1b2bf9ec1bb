"""Losses: predictions against targets, reduced to one number unless asked otherwise."""

from __future__ import annotations

from typing import Any

from qkv.ops.agree import require_float, require_one_device
from qkv.ops.axes import drop_axis
from qkv.ops.broadcast import broadcast, require_stretchable
from qkv.ops.context import CannotTell, Context, Mismatch, require_equal
from qkv.ops.dtypes import is_discrete, is_float, promote
from qkv.ops.table import forward, layer, rule
from qkv.shapes import Dim, Layer, Shape, Tensor
from qkv.shapes.solve import solve_rank
from qkv.shapes.values import contiguous_strides

REDUCTIONS = ("none", "mean", "sum", "batchmean")


def reduced(shape: Shape, input: Tensor, dtype: str | None, reduction: Any, *older: Any) -> Tensor:
    """A loss for each item (`reduction="none"`), or one number. `older` are the arguments that `reduction` replaced."""
    if not isinstance(reduction, str) or any(value is not None for value in older):
        raise CannotTell("how the loss is reduced is not known here", dtype)
    if reduction not in REDUCTIONS:
        raise Mismatch(
            "shape-loss",
            "`reduction` is {reduction}, and a loss knows only 'none', 'mean' and 'sum'.",
            at="reduction",
            reduction=repr(reduction),
        )
    shape = shape if reduction == "none" else Shape()
    return Tensor(shape, dtype, input.device, contiguous_strides(shape))


# -- classes ---------------------------------------------------------------------------------------------------------------

FLATTEN = "For (batch, time, classes), flatten both: `logits.view(-1, logits.size(-1))` and `targets.view(-1)`."


def classified(cx: Context, input: Tensor, target: Tensor, weight: Any, ignore: Any, mixed: bool) -> Shape:
    """The shape of the losses of class scores against class numbers, one for each item.

    The classes stand on axis 1, or on axis 0 where there is no batch. With `mixed`, the target may also hold the
    probabilities of all classes. Raises Mismatch where scores and targets do not fit.
    """
    require_one_device({"input": input, "target": target})
    require_float(input, "This loss", complex_too=False)
    scores, targets = input.shape, target.shape
    if scores.rank is None and targets.rank is not None and not is_float(target.dtype) and target.dtype is not None:
        scores = solve_rank(cx.store, scores, targets.rank + 1) or scores
    if scores.rank is None or targets.rank is None:
        return Shape(targets.back, targets.row, targets.front) if not is_float(target.dtype) else cx.unknown().shape
    if scores.rank == 0:
        raise Mismatch("shape-loss", "{input} is a single number; it must hold a score for each class.", at="input")
    classes = 0 if scores.rank == 1 else 1
    _require_weight(cx, weight, scores.back[classes])
    if mixed and scores.rank == targets.rank and (scores.rank > 1 or targets.back == scores.back):
        return _probabilities(cx, input, target, classes)
    wanted = drop_axis(scores, classes)
    losses = _require_one_target_each(cx, input, targets, wanted)
    _require_class_numbers(target, scores.back[classes], ignore)
    return losses


def _require_one_target_each(cx: Context, input: Tensor, targets: Shape, wanted: Shape) -> Shape:
    many = len(wanted.back) > 1
    if len(targets.back) != len(wanted.back) and targets.back != (1,):
        raise Mismatch(
            "shape-loss",
            "{input} is {input.shape} and {target} is {target.shape}: the target must have one axis less than the scores, all but that of the classes.",
            hint=FLATTEN
            if many or len(targets.back) > 1
            else "Give the number of the right class for each row of scores.",
            at="target",
        )
    for have, want in zip(targets.back, wanted.back, strict=False):
        mismatch = Mismatch(
            "shape-loss",
            "{input} is {input.shape} and {target} is {target.shape}: the classes are read from axis 1 of the scores, so the target must be {wanted}; {left} is not {right}.",
            hint=FLATTEN if many else "Each row of scores needs one target.",
            at="target",
            wanted=wanted,
            left=have,
            right=want,
        )
        require_equal(cx, have, want, mismatch)
    return targets


def _require_weight(cx: Context, weight: Any, classes: Dim) -> None:
    if not isinstance(weight, Tensor) or weight.shape.rank is None:
        return
    template = "The weights are {have}, and there are {right} classes: each class needs one weight."
    if weight.shape.rank != 1:
        raise Mismatch("shape-loss", template, at="weight", have=weight.shape, right=classes)
    left = weight.shape.back[0]
    finding = Mismatch("shape-loss", template, at="weight", have=weight.shape, left=left, right=classes)
    require_equal(cx, left, classes, finding)


def _require_class_numbers(target: Tensor, classes: Dim, ignore: Any) -> None:
    if target.dtype not in (None, "int64", "uint8"):
        raise Mismatch(
            "dtype-index",
            "{target} holds {have}; the numbers of classes must be int64.",
            hint="Convert them with `{target}.long()`.",
            fix="long",
            at="target",
            have=target.dtype,
        )
    beyond = isinstance(classes, int) and isinstance(target.high, int) and target.high >= classes
    if beyond and target.high != ignore:
        raise Mismatch(
            "shape-loss",
            "{target} holds class numbers up to {high}, but {input} has scores for {classes} classes, 0 to {last}.",
            hint="Give the last layer one output for each class.",
            at="target",
            high=target.high,
            classes=classes,
            last=classes - 1 if isinstance(classes, int) else classes,
        )


def _probabilities(cx: Context, input: Tensor, target: Tensor, classes: int) -> Shape:
    require_same_shape(cx, input, target)
    if is_discrete(target.dtype):
        raise Mismatch(
            "dtype-mismatch",
            "{target} is as large as {input}, so it must hold a probability for each class, and it holds {have}.",
            hint="Give class numbers, one for each item, or convert with `{target}.float()`.",
            at="target",
            have=target.dtype,
        )
    return drop_axis(input.shape, classes)


def require_same_shape(cx: Context, input: Tensor, target: Tensor, name: str = "target", first: str = "input") -> None:
    """Refuse two tensors that are compared number by number, where nothing is stretched."""
    a, b = input.shape, target.shape
    if a.rank is None or b.rank is None:
        return
    template = f"{{{first}}} is {{{first}.shape}} and {{{name}}} is {{{name}.shape}}: this loss compares them number by number, and stretches nothing."
    hint = None
    if {a.rank - b.rank} & {1, -1}:
        hint = "Drop the axis of size 1 with `squeeze(-1)`, or give the other one such an axis with `unsqueeze(-1)`."
    if a.rank != b.rank:
        raise Mismatch("shape-loss", template, hint=hint, at=name)
    for left, right in zip(a.back, b.back, strict=True):
        require_equal(cx, left, right, Mismatch("shape-loss", template, at=name, left=left, right=right))


@rule("torch.nn.functional.cross_entropy", term="cross-entropy", notation="b classes, b -> ; b classes *t, b *t ->")
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
    shape = classified(cx, input, target, weight, ignore_index, mixed=True)
    dtype = promote(input.dtype, target.dtype) if is_float(target.dtype) else input.dtype
    return reduced(shape, input, dtype, reduction, size_average, reduce)


@rule("torch.nn.functional.nll_loss", term="cross-entropy")
def nll_loss(
    cx: Context,
    input: Tensor,
    target: Tensor,
    weight: Any = None,
    size_average: Any = None,
    ignore_index: Any = -100,
    reduce: Any = None,
    reduction: Any = "mean",
) -> Tensor:
    """Minus the log-probability of the right class, averaged."""
    shape = classified(cx, input, target, weight, ignore_index, mixed=False)
    return reduced(shape, input, input.dtype, reduction, size_average, reduce)


@layer("torch.nn.CrossEntropyLoss", term="cross-entropy")
def cross_entropy_module(
    cx: Context,
    weight: Any = None,
    size_average: Any = None,
    ignore_index: Any = -100,
    reduce: Any = None,
    reduction: Any = "mean",
    label_smoothing: Any = 0.0,
) -> Any:
    """Cross-entropy as a module."""
    return {"weight": weight, "ignore_index": ignore_index, "reduction": reduction, "label_smoothing": label_smoothing}


@forward("torch.nn.CrossEntropyLoss")
def cross_entropy_call(cx: Context, layer: Layer, input: Tensor, target: Tensor) -> Tensor:
    """How surprised the scores are by the right classes: the mean of -ln softmax(scores)[class]."""
    return cross_entropy(cx, input, target, **layer.settings)


@layer("torch.nn.NLLLoss", term="cross-entropy")
def nll_module(
    cx: Context,
    weight: Any = None,
    size_average: Any = None,
    ignore_index: Any = -100,
    reduce: Any = None,
    reduction: Any = "mean",
) -> Any:
    """`nll_loss` as a module."""
    return {"weight": weight, "ignore_index": ignore_index, "reduction": reduction}


@forward("torch.nn.NLLLoss")
def nll_call(cx: Context, layer: Layer, input: Tensor, target: Tensor) -> Tensor:
    """Minus the log-probability of the right class, averaged."""
    return nll_loss(cx, input, target, **layer.settings)


# -- yes or no -------------------------------------------------------------------------------------------------------------


def _answered(cx: Context, input: Tensor, target: Tensor, weight: Any) -> None:
    require_one_device({"input": input, "target": target})
    require_same_shape(cx, input, target)
    require_float(input, "This loss", complex_too=False)
    if is_discrete(target.dtype):
        raise Mismatch(
            "dtype-mismatch",
            "{target} holds {have}; the answers of this loss are floats, 0.0 and 1.0.",
            hint="Convert them with `{target}.float()`.",
            at="target",
            have=target.dtype,
        )
    if isinstance(weight, Tensor):
        template = "The weights are {weights} and cannot be stretched to {input}, which is {input.shape}."
        require_stretchable(
            weight.shape, input.shape, Mismatch("shape-loss", template, at="weight", weights=weight.shape)
        )


@rule("torch.nn.functional.binary_cross_entropy", term="cross-entropy")
def binary_cross_entropy(
    cx: Context,
    input: Tensor,
    target: Tensor,
    weight: Any = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: Any = "mean",
) -> Tensor:
    """How surprised probabilities of yes are by the right answers. Both shapes must be the same."""
    _answered(cx, input, target, weight)
    if input.dtype is not None and target.dtype not in (None, input.dtype):
        raise Mismatch(
            "dtype-mismatch",
            "{input} holds {left} and {target} holds {right}; this loss converts nothing.",
            hint="Convert the target with `.to({input}.dtype)`.",
            at="target",
            left=input.dtype,
            right=target.dtype,
        )
    return reduced(input.shape, input, input.dtype, reduction, size_average, reduce)


@rule(
    "torch.nn.functional.binary_cross_entropy_with_logits torch.binary_cross_entropy_with_logits", term="cross-entropy"
)
def binary_cross_entropy_with_logits(
    cx: Context,
    input: Tensor,
    target: Tensor,
    weight: Any = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: Any = "mean",
    pos_weight: Any = None,
) -> Tensor:
    """How surprised scores of yes are by the right answers. Both shapes must be the same."""
    _answered(cx, input, target, weight)
    _answered(cx, input, target, pos_weight)
    dtype = input.dtype if input.dtype == target.dtype else None
    return reduced(input.shape, input, dtype, reduction, size_average, reduce)


@layer("torch.nn.BCELoss", term="cross-entropy")
def binary_module(
    cx: Context, weight: Any = None, size_average: Any = None, reduce: Any = None, reduction: Any = "mean"
) -> Any:
    """`binary_cross_entropy` as a module."""
    return {"weight": weight, "reduction": reduction}


@forward("torch.nn.BCELoss")
def binary_call(cx: Context, layer: Layer, input: Tensor, target: Tensor) -> Tensor:
    """How surprised probabilities of yes are by the right answers."""
    return binary_cross_entropy(cx, input, target, **layer.settings)


@layer("torch.nn.BCEWithLogitsLoss", term="cross-entropy")
def binary_logits_module(
    cx: Context,
    weight: Any = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: Any = "mean",
    pos_weight: Any = None,
) -> Any:
    """`binary_cross_entropy_with_logits` as a module."""
    return {"weight": weight, "pos_weight": pos_weight, "reduction": reduction}


@forward("torch.nn.BCEWithLogitsLoss")
def binary_logits_call(cx: Context, layer: Layer, input: Tensor, target: Tensor) -> Tensor:
    """How surprised scores of yes are by the right answers."""
    return binary_cross_entropy_with_logits(cx, input, target, **layer.settings)


def stretched(cx: Context, input: Tensor, target: Tensor, names: tuple[str, str] = ("input", "target")) -> Shape:
    """The shape of losses of numbers against numbers, where one tensor may be stretched to the other."""
    require_one_device({names[0]: input, names[1]: target})
    return broadcast(cx, input.shape, target.shape, names, "shape-loss")
