"""Losses of numbers against numbers, and how far vectors are apart."""

from __future__ import annotations

from typing import Any

from qkv.ops.agree import require_float
from qkv.ops.axes import drop_axis, locate, replace_axis
from qkv.ops.broadcast import broadcast
from qkv.ops.context import CannotTell, Context, Mismatch
from qkv.ops.dtypes import is_complex, is_discrete, promote, result_dtype
from qkv.ops.loss import reduced, require_same_shape, stretched
from qkv.ops.table import RULES, Rule, forward, layer, rule
from qkv.shapes import Layer, Tensor
from qkv.shapes.values import contiguous_strides


def _float_result(input: Tensor, target: Tensor) -> str | None:
    """The type of a loss: that of both together; at least one must hold floats."""
    dtype = promote(input.dtype, target.dtype)
    for name, tensor in (("input", input), ("target", target)):
        if is_complex(tensor.dtype):
            require_float(tensor, "This loss", name, complex_too=False)
    if is_discrete(dtype):
        require_float(input, "This loss")
    return dtype


@rule("torch.nn.functional.mse_loss torch.nn.functional.smooth_l1_loss torch.nn.functional.huber_loss", term="loss")
def squared(cx: Context, input: Tensor, target: Tensor, *args: Any, reduction: Any = "mean", **keywords: Any) -> Tensor:
    """How far predictions are from the targets, number by number. Shapes that differ are stretched, which is seldom meant."""
    shape = stretched(cx, input, target)
    dtype = _float_result(input, target)
    return reduced(shape, input, dtype, _told(args, reduction, keywords))


@rule("torch.nn.functional.l1_loss", term="loss")
def absolute(
    cx: Context, input: Tensor, target: Tensor, *args: Any, reduction: Any = "mean", **keywords: Any
) -> Tensor:
    """How far predictions are from the targets, number by number."""
    shape = stretched(cx, input, target)
    for name, tensor in (("input", input), ("target", target)):
        if tensor.dtype == "bool":
            require_float(tensor, "A difference", name)
    dtype = promote(input.dtype, target.dtype)
    if is_complex(dtype):
        raise CannotTell("the distance of complex numbers")
    if reduction == "mean" and is_discrete(dtype):
        require_float(input, "A mean")
    return reduced(shape, input, dtype, _told(args, reduction, keywords))


@rule("torch.nn.functional.kl_div torch.kl_div", term="loss")
def kl_div(
    cx: Context,
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: Any = "mean",
    log_target: Any = False,
) -> Tensor:
    """How far one distribution, given by log-probabilities, is from another one."""
    for name, tensor in (("input", input), ("target", target)):
        require_float(tensor, "This loss", name, complex_too=False)
    shape = stretched(cx, input, target)
    return reduced(shape, input, promote(input.dtype, target.dtype), reduction, size_average, reduce)


@rule(
    "torch.nn.functional.poisson_nll_loss torch.nn.functional.soft_margin_loss torch.nn.functional.hinge_embedding_loss"
)
def pairwise_loss(
    cx: Context, input: Tensor, target: Tensor, *args: Any, reduction: Any = "mean", **keywords: Any
) -> Tensor:
    """Numbers against numbers."""
    shape = stretched(cx, input, target)
    dtype = input.dtype if input.dtype == target.dtype and not is_discrete(input.dtype) else None
    return reduced(shape, input, dtype, _told(args, reduction, keywords))


def _told(args: tuple[Any, ...], reduction: Any, keywords: dict[str, Any]) -> Any:
    """The reduction, unless older arguments, or such as have no name here, could decide it."""
    return None if args or {"reduce", "size_average"} & keywords.keys() else reduction


def _module(name: str, function: str) -> None:
    """Register a loss as a module, with the settings of its function."""
    entry: Rule = RULES[f"torch.nn.functional.{function}"]

    def construct(cx: Context, *args: Any, reduction: Any = "mean", **keywords: Any) -> Any:
        return {"reduction": _told(args, reduction, keywords)}

    def call(cx: Context, layer: Layer, input: Tensor, target: Tensor) -> Tensor:
        return entry.function(cx, input, target, reduction=layer.members["reduction"])

    construct.__doc__ = f"`{function}` as a module."
    call.__doc__ = entry.doc
    layer(f"torch.nn.{name}", term="loss")(construct)
    forward(f"torch.nn.{name}")(call)


for _name, _function in {
    "MSELoss": "mse_loss",
    "L1Loss": "l1_loss",
    "SmoothL1Loss": "smooth_l1_loss",
    "HuberLoss": "huber_loss",
    "KLDivLoss": "kl_div",
    "PoissonNLLLoss": "poisson_nll_loss",
    "SoftMarginLoss": "soft_margin_loss",
    "HingeEmbeddingLoss": "hinge_embedding_loss",
}.items():
    _module(_name, _function)


# -- distances of vectors --------------------------------------------------------------------------------------------------


@rule("torch.nn.functional.cosine_similarity torch.cosine_similarity", term="dot product")
def cosine_similarity(cx: Context, x1: Tensor, x2: Tensor, dim: Any = 1, eps: Any = 1e-8) -> Tensor:
    """The cosine of the angle between vectors along an axis."""
    shape = broadcast(cx, x1.shape, x2.shape, ("x1", "x2"))
    dtype = result_dtype(x1, x2)
    if is_discrete(dtype) or is_complex(dtype):
        require_float(x1, "An angle", "x1", complex_too=False)
    if not isinstance(dim, int):
        raise CannotTell("which axis is meant is not known here", dtype)
    shape, at = locate(cx, shape, dim, "x1")
    shape = drop_axis(shape, at)
    return Tensor(shape, dtype, x1.device, contiguous_strides(shape))


@layer("torch.nn.CosineSimilarity")
def cosine_module(cx: Context, dim: Any = 1, eps: Any = 1e-8) -> Any:
    """`cosine_similarity` as a module."""
    return {"dim": dim}


@forward("torch.nn.CosineSimilarity")
def cosine_call(cx: Context, layer: Layer, x1: Tensor, x2: Tensor) -> Tensor:
    """The cosine of the angle between vectors along an axis."""
    return cosine_similarity(cx, x1, x2, layer.settings["dim"])


@rule("torch.nn.functional.pairwise_distance torch.pairwise_distance")
def pairwise_distance(
    cx: Context, x1: Tensor, x2: Tensor, p: Any = 2.0, eps: Any = 1e-6, keepdim: Any = False
) -> Tensor:
    """The length of the difference of vectors along the last axis."""
    shape = broadcast(cx, x1.shape, x2.shape, ("x1", "x2"))
    dtype = promote(x1.dtype, x2.dtype)
    dtype = None if is_discrete(dtype) or is_complex(dtype) else dtype
    shape, at = locate(cx, shape, -1, "x1")
    if not isinstance(keepdim, bool):
        raise CannotTell("whether the axis is kept is not known here", dtype)
    shape = replace_axis(shape, at, 1) if keepdim else drop_axis(shape, at)
    return Tensor(shape, dtype, x1.device, contiguous_strides(shape))


@layer("torch.nn.PairwiseDistance")
def distance_module(cx: Context, p: Any = 2.0, eps: Any = 1e-6, keepdim: Any = False) -> Any:
    """`pairwise_distance` as a module."""
    return {"keepdim": keepdim}


@forward("torch.nn.PairwiseDistance")
def distance_call(cx: Context, layer: Layer, x1: Tensor, x2: Tensor) -> Tensor:
    """The length of the difference of vectors along the last axis."""
    return pairwise_distance(cx, x1, x2, keepdim=layer.settings["keepdim"])


@rule("torch.nn.functional.triplet_margin_loss")
def triplet_margin_loss(
    cx: Context,
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *args: Any,
    reduction: Any = "mean",
    **keywords: Any,
) -> Tensor:
    """Vectors should be nearer to those that belong to them than to others."""
    shape = broadcast(cx, anchor.shape, positive.shape, ("anchor", "positive"), "shape-loss")
    shape = broadcast(cx, shape, negative.shape, ("anchor", "negative"), "shape-loss")
    if len({t.shape.rank for t in (anchor, positive, negative)}) > 1 and None not in (
        anchor.shape.rank,
        positive.shape.rank,
        negative.shape.rank,
    ):
        template = "{anchor}, {positive} and {negative} must have as many axes as each other; they are {anchor.shape}, {positive.shape} and {negative.shape}."
        raise Mismatch("shape-loss", template, at="anchor")
    shape, at = locate(cx, shape, -1, "anchor")
    return reduced(drop_axis(shape, at), anchor, _shared(anchor, positive, negative), _told(args, reduction, keywords))


def _shared(*tensors: Tensor) -> str | None:
    kinds = {tensor.dtype for tensor in tensors}
    only = kinds.pop() if len(kinds) == 1 else None
    return None if is_discrete(only) or is_complex(only) else only


@rule("torch.nn.functional.margin_ranking_loss torch.nn.functional.cosine_embedding_loss")
def compared(
    cx: Context, input1: Tensor, input2: Tensor, target: Tensor, *args: Any, reduction: Any = "mean", **keywords: Any
) -> Tensor:
    """Pairs against what is known of each: which one is larger, or whether they belong together."""
    if reduction == "none" or _told(args, reduction, keywords) is None:
        raise CannotTell("the losses of all pairs", input1.dtype)
    require_same_shape(cx, input1, input2, "input2", "input1")
    return reduced(input1.shape, input1, _shared(input1, input2), reduction)


@rule(
    "torch.nn.functional.multilabel_soft_margin_loss torch.nn.functional.multi_margin_loss torch.nn.functional.multilabel_margin_loss"
)
def labelled(
    cx: Context, input: Tensor, target: Tensor, *args: Any, reduction: Any = "mean", **keywords: Any
) -> Tensor:
    """Scores of classes against the labels of each item."""
    if reduction == "none" or _told(args, reduction, keywords) is None:
        raise CannotTell("the losses of all items", input.dtype)
    return reduced(input.shape, input, None, reduction)


@rule("torch.nn.functional.gaussian_nll_loss")
def gaussian_nll_loss(
    cx: Context, input: Tensor, target: Tensor, var: Any, full: Any = False, eps: Any = 1e-6, reduction: Any = "mean"
) -> Tensor:
    """How surprised bell curves, of these means and variances, are by the targets."""
    shape = stretched(cx, input, target)
    return reduced(shape, input, None, reduction)


@rule("torch.nn.functional.ctc_loss torch.ctc_loss")
def ctc_loss(
    cx: Context,
    log_probs: Tensor,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: Any = 0,
    reduction: Any = "mean",
    zero_infinity: Any = False,
) -> Tensor:
    """How surprised the scores of all steps are by a text that is shorter than they are many."""
    if reduction == "none" or isinstance(reduction, int):
        raise CannotTell("the losses of all texts", log_probs.dtype)
    return reduced(log_probs.shape, log_probs, log_probs.dtype, reduction)


def _larger_module(name: str, function: str, parameters: int) -> None:
    """Register a loss of several tensors as a module."""
    entry: Rule = RULES[f"torch.nn.functional.{function}"]

    def construct(cx: Context, *args: Any, reduction: Any = "mean", **keywords: Any) -> Any:
        return {"reduction": _told(args, reduction, keywords)}

    def call(cx: Context, layer: Layer, *tensors: Tensor) -> Any:
        if len(tensors) != parameters or not all(isinstance(tensor, Tensor) for tensor in tensors):
            raise CannotTell("one of the tensors is not known here")
        return entry.function(cx, *tensors, reduction=layer.members["reduction"])

    construct.__doc__ = f"`{function}` as a module."
    call.__doc__ = entry.doc
    layer(f"torch.nn.{name}", term="loss")(construct)
    forward(f"torch.nn.{name}")(call)


for _name, _function, _count in (
    ("CosineEmbeddingLoss", "cosine_embedding_loss", 3),
    ("TripletMarginLoss", "triplet_margin_loss", 3),
    ("MarginRankingLoss", "margin_ranking_loss", 3),
    ("MultiLabelSoftMarginLoss", "multilabel_soft_margin_loss", 2),
    ("GaussianNLLLoss", "gaussian_nll_loss", 3),
    ("CTCLoss", "ctc_loss", 4),
):
    _larger_module(_name, _function, _count)
