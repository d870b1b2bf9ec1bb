"""Normalising layers: the shape stays; what is normalised must be as wide as the layer was told."""

from __future__ import annotations

from typing import Any

from qkv.ops.agree import require_float
from qkv.ops.axes import locate, require_axes, size
from qkv.ops.broadcast import same
from qkv.ops.context import Context, Mismatch, require_equal
from qkv.ops.dtypes import HALVES
from qkv.ops.parameters import parameter, switched_on
from qkv.ops.table import forward, layer, rule
from qkv.shapes import Dim, Expr, Layer, Tensor
from qkv.shapes.solve import resolve_shape, solve_rank
from qkv.shapes.values import contiguous_strides


def sizes_of(value: Any) -> tuple[Any, ...]:
    """`normalized_shape` as sizes: one number stands for one axis."""
    return value if isinstance(value, tuple) else (value,)


def _require_dtype(input: Tensor, weight: Any) -> None:
    """The numbers of a layer must be of the input's kind; float32 goes with shorter floats too."""
    require_float(input, "A normalisation", complex_too=False)
    if not isinstance(weight, Tensor) or None in (weight.dtype, input.dtype) or weight.dtype == input.dtype:
        return
    if weight.dtype == "float32" and input.dtype in HALVES:
        return
    raise Mismatch(
        "dtype-mismatch",
        "{input} holds {left}, and the layer's weights hold {right}: a normalisation converts nothing.",
        hint="Convert the tensor with `.to(torch.{right})`, or make the layer with `dtype=torch.{left}`.",
        at="input",
        left=input.dtype,
        right=weight.dtype,
    )


def _in_order(cx: Context, input: Tensor, always: bool) -> Tensor:
    """A new tensor with the input's shape. Channel norms keep some other layouts, which are not followed."""
    shape = resolve_shape(cx.store, input.shape)
    ordered = always or (input.strides is not None and input.strides == contiguous_strides(input.shape))
    return Tensor(shape, input.dtype, input.device, contiguous_strides(shape) if ordered else None)


# -- over the last axes ----------------------------------------------------------------------------------------------------


def normalised(cx: Context, input: Tensor, sizes: tuple[Any, ...], what: str) -> Tensor:
    """The input, whose last axes must be `sizes`. `what` stands for the layer in a message."""
    if not sizes:
        raise Mismatch(
            "shape-norm",
            "No axis is given that should be normalised.",
            hint="Give the width of the last axis, as `(width,)`.",
        )
    if input.shape.rank is not None and input.shape.rank < len(sizes):
        raise Mismatch(
            "shape-norm",
            f"{{input}} is {{input.shape}} and has {{rank}} axes, but {what} normalises the last {{count}}.",
            at="input",
            rank=input.shape.rank,
            count=len(sizes),
        )
    for behind, wanted in enumerate(reversed(sizes), 1):
        shape, at = locate(cx, input.shape, -behind)
        if not isinstance(wanted, (int, Expr)):
            continue
        have = size(shape, at)
        place = "last axis" if behind == 1 else f"axis -{behind}"
        mismatch = Mismatch(
            "shape-norm",
            f"{{input}} is {{input.shape}}: its {place} is {{left}}, but {what} normalises {{right}}.",
            hint="Give it the width of the axis, {left}, or bring the features to the end.",
            at="input",
            left=have,
            right=wanted,
        )
        require_equal(cx, have, wanted, mismatch)
    return _in_order(cx, input, always=True)


@layer("torch.nn.LayerNorm", term="layer norm")
def layer_norm(
    cx: Context,
    normalized_shape: Any,
    eps: Any = 1e-5,
    elementwise_affine: Any = True,
    bias: Any = True,
    device: Any = None,
    dtype: Any = None,
) -> Any:
    """Each vector is brought to mean 0 and variance 1, then scaled and shifted."""
    sizes = sizes_of(normalized_shape)
    affine = switched_on(elementwise_affine)
    return {
        "normalized_shape": sizes,
        "eps": eps,
        "elementwise_affine": elementwise_affine,
        "weight": parameter(cx, *sizes, dtype=dtype) if affine else None,
        "bias": parameter(cx, *sizes, dtype=dtype) if affine and switched_on(bias) else None,
    }


@layer("torch.nn.RMSNorm", term="RMSNorm")
def rms_norm(
    cx: Context,
    normalized_shape: Any,
    eps: Any = None,
    elementwise_affine: Any = True,
    device: Any = None,
    dtype: Any = None,
) -> Any:
    """Each vector is divided by its root mean square, then scaled."""
    sizes = sizes_of(normalized_shape)
    weight = parameter(cx, *sizes, dtype=dtype) if switched_on(elementwise_affine) else None
    return {"normalized_shape": sizes, "eps": eps, "elementwise_affine": elementwise_affine, "weight": weight}


@forward("torch.nn.LayerNorm", notation="*b normalized_shape -> *b normalized_shape")
def layer_norm_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
    """The shape stays; the last axes must be as wide as the layer was told."""
    _require_dtype(input, layer.members.get("weight"))
    return normalised(cx, input, sizes_of(layer.members.get("normalized_shape")), "{layer}")


@forward("torch.nn.RMSNorm", notation="*b normalized_shape -> *b normalized_shape")
def rms_norm_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
    """The shape stays; the last axes must be as wide as the layer was told."""
    require_float(input, "A normalisation")
    return normalised(cx, input, sizes_of(layer.members.get("normalized_shape")), "{layer}")


def _require_sizes(cx: Context, value: Any, sizes: tuple[Any, ...], name: str) -> None:
    """A weight or bias must have exactly the shape that is normalised."""
    if not isinstance(value, Tensor) or value.shape.rank is None:
        return
    template = f"{{{name}}} is {{{name}.shape}}, but what is normalised is {{wanted}}: each number needs its own."
    wanted = ", ".join("?" if not isinstance(item, int) else str(item) for item in sizes)
    if value.shape.rank != len(sizes):
        raise Mismatch("shape-norm", template, at=name, wanted=f"({wanted})")
    for left, right in zip(value.shape.back, sizes, strict=True):
        if isinstance(right, (int, Expr)):
            mismatch = Mismatch("shape-norm", template, at=name, left=left, right=right, wanted=f"({wanted})")
            require_equal(cx, left, right, mismatch)


@rule("torch.nn.functional.layer_norm torch.layer_norm", term="layer norm")
def functional_layer_norm(
    cx: Context,
    input: Tensor,
    normalized_shape: Any,
    weight: Any = None,
    bias: Any = None,
    eps: Any = 1e-5,
    cudnn_enable: Any = True,
) -> Tensor:
    """Each vector is brought to mean 0 and variance 1, then scaled and shifted."""
    sizes = sizes_of(normalized_shape)
    _require_dtype(input, weight)
    _require_sizes(cx, weight, sizes, "weight")
    _require_sizes(cx, bias, sizes, "bias")
    return normalised(cx, input, sizes, "`layer_norm`")


@rule("torch.nn.functional.rms_norm torch.rms_norm", term="RMSNorm")
def functional_rms_norm(
    cx: Context, input: Tensor, normalized_shape: Any, weight: Any = None, eps: Any = None
) -> Tensor:
    """Each vector is divided by its root mean square, then scaled."""
    sizes = sizes_of(normalized_shape)
    require_float(input, "A normalisation")
    _require_sizes(cx, weight, sizes, "weight")
    return normalised(cx, input, sizes, "`rms_norm`")


# -- over channels ---------------------------------------------------------------------------------------------------------

_BATCH_RANKS = {"1d": (2, 3), "2d": (4,), "3d": (5,)}
_INSTANCE_RANKS = {"1d": (2, 3), "2d": (3, 4), "3d": (4, 5)}


def _require_rank(cx: Context, input: Tensor, allowed: tuple[int, ...]) -> Tensor:
    rank = input.shape.rank
    if rank is None and allowed:
        solve_rank(cx.store, input.shape, allowed[-1]) if len(allowed) == 1 else None
        return Tensor(resolve_shape(cx.store, input.shape), input.dtype, input.device)
    if allowed and rank not in allowed:
        raise Mismatch(
            "shape-norm",
            "{input} is {input.shape} and has {rank} axes; {layer} takes {allowed}, with the channels on axis 1.",
            at="input",
            rank=rank,
            allowed=" or ".join(map(str, allowed)),
        )
    return input


def _require_channels(cx: Context, input: Tensor, wanted: Any, what: str, axis: int = 1) -> None:
    """Refuse an input whose channels, on axis 1, are not as many as were told."""
    rank = input.shape.rank
    if not isinstance(wanted, (int, Expr)) or rank is None or rank <= axis:
        return
    have = input.shape.back[axis]
    mismatch = Mismatch(
        "shape-norm",
        f"{{input}} is {{input.shape}}: axis {axis} holds {{left}} channels, but {what} {{right}}.",
        hint="Where the channels stand last, bring them to axis 1 first, or use a layer norm.",
        at="input",
        left=have,
        right=wanted,
    )
    require_equal(cx, have, wanted, mismatch)


@layer("torch.nn.BatchNorm1d torch.nn.BatchNorm2d torch.nn.BatchNorm3d torch.nn.SyncBatchNorm")
def batch_norm(
    cx: Context,
    num_features: Dim,
    eps: Any = 1e-5,
    momentum: Any = 0.1,
    affine: Any = True,
    track_running_stats: Any = True,
    device: Any = None,
    dtype: Any = None,
) -> Any:
    """Each channel is normalised over the batch."""
    return _channel_layer(cx, num_features, affine, track_running_stats, dtype)


@layer("torch.nn.InstanceNorm1d torch.nn.InstanceNorm2d torch.nn.InstanceNorm3d")
def instance_norm(
    cx: Context,
    num_features: Dim,
    eps: Any = 1e-5,
    momentum: Any = 0.1,
    affine: Any = False,
    track_running_stats: Any = False,
    device: Any = None,
    dtype: Any = None,
) -> Any:
    """Each channel of each item is normalised."""
    return _channel_layer(cx, num_features, affine, track_running_stats, dtype)


def _channel_layer(cx: Context, channels: Dim, affine: Any, running: Any, dtype: Any) -> dict[str, Any]:
    on, kept = switched_on(affine), switched_on(running)
    names = {"weight": on, "bias": on, "running_mean": kept, "running_var": kept}
    made = {name: parameter(cx, channels, dtype=dtype) if there else None for name, there in names.items()}
    return {"num_features": channels, **made}


@forward("torch.nn.BatchNorm1d torch.nn.BatchNorm2d torch.nn.BatchNorm3d torch.nn.SyncBatchNorm")
def batch_norm_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
    """The shape stays; axis 1 holds the channels."""
    input = _require_rank(cx, input, _BATCH_RANKS.get(layer.name[-2:], ()))
    _require_channels(cx, input, layer.members.get("num_features"), "{layer} normalises")
    _require_dtype(input, layer.members.get("weight"))
    return _in_order(cx, input, always=False)


@forward("torch.nn.InstanceNorm1d torch.nn.InstanceNorm2d torch.nn.InstanceNorm3d")
def instance_norm_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
    """The shape stays; axis 1 holds the channels, axis 0 where there is no batch."""
    ranks = _INSTANCE_RANKS[layer.name[-2:]]
    input = _require_rank(cx, input, ranks)
    weight = layer.members.get("weight")
    if weight is not None:  # without weights torch only warns
        axis = 0 if input.shape.rank == ranks[0] else 1
        _require_channels(cx, input, layer.members.get("num_features"), "{layer} normalises", axis)
    _require_dtype(input, weight)
    return _in_order(cx, input, always=False)


def _require_groups(channels: Any, groups: Any, at: str) -> None:
    if isinstance(groups, int) and isinstance(channels, int) and groups and channels % groups:
        raise Mismatch(
            "shape-norm",
            "{channels} channels cannot be split into {groups} equal groups.",
            hint="The number of channels must be a multiple of the number of groups.",
            at=at,
            channels=channels,
            groups=groups,
        )


@layer("torch.nn.GroupNorm")
def group_norm(
    cx: Context,
    num_groups: Dim,
    num_channels: Dim,
    eps: Any = 1e-5,
    affine: Any = True,
    device: Any = None,
    dtype: Any = None,
) -> Any:
    """Groups of channels are normalised together."""
    _require_groups(num_channels, num_groups, "num_groups")
    on = switched_on(affine)
    made = {name: parameter(cx, num_channels, dtype=dtype) if on else None for name in ("weight", "bias")}
    return {"num_groups": num_groups, "num_channels": num_channels, **made}


def _grouped(cx: Context, input: Tensor, weight: Any) -> Tensor:
    if input.shape.rank is not None and input.shape.rank < 2:
        raise Mismatch("shape-norm", "{input} is {input.shape}; it must be (batch, channels, …).", at="input")
    _require_dtype(input, weight)
    return _in_order(cx, input, always=False)


@forward("torch.nn.GroupNorm")
def group_norm_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
    """The shape stays; axis 1 holds the channels."""
    result = _grouped(cx, input, layer.members.get("weight"))
    _require_channels(cx, input, layer.members.get("num_channels"), "{layer} normalises")
    return result


@rule("torch.nn.functional.group_norm")
def functional_group_norm(
    cx: Context, input: Tensor, num_groups: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-5
) -> Tensor:
    """Groups of channels, on axis 1, are normalised together."""
    result = _grouped(cx, input, weight)
    if input.shape.rank is not None:
        _require_groups(input.shape.back[1], num_groups, "input")
        for name, value in (("weight", weight), ("bias", bias)):
            _require_sizes(cx, value, (input.shape.back[1],), name)
    return result


@rule("torch.nn.functional.batch_norm")
def functional_batch_norm(
    cx: Context,
    input: Tensor,
    running_mean: Any,
    running_var: Any,
    weight: Any = None,
    bias: Any = None,
    training: Any = False,
    momentum: Any = 0.1,
    eps: Any = 1e-5,
) -> Tensor:
    """Each channel, on axis 1, is normalised over the batch, or with the mean and variance that were kept."""
    result = _grouped(cx, input, weight)
    if input.shape.rank is not None:
        told = {"running_mean": running_mean, "running_var": running_var, "weight": weight, "bias": bias}
        for name, value in told.items():
            _require_sizes(cx, value, (input.shape.back[1],), name)
    return result


@rule("torch.nn.functional.instance_norm")
def functional_instance_norm(cx: Context, input: Tensor, *args: Any, **keywords: Any) -> Tensor:
    """Each channel of each item is normalised."""
    return _grouped(cx, input, None)


# -- by length -------------------------------------------------------------------------------------------------------------


@rule("torch.nn.functional.normalize")
def normalize(cx: Context, input: Tensor, p: Any = 2.0, dim: Any = 1, eps: Any = 1e-12) -> Tensor:
    """Each vector along an axis is divided by its length."""
    require_float(input, "A length")
    axes = [locate(cx, input.shape, axis)[1] for axis in require_axes(dim) if input.shape.row is None or axis < 0]
    if len(set(axes)) < len(axes):
        raise Mismatch("shape-axis", "An axis is named twice.", at="dim")
    return same(input)


@layer("torch.nn.LocalResponseNorm")
def local_response_norm(cx: Context, size: Any, alpha: Any = 1e-4, beta: Any = 0.75, k: Any = 1.0) -> Any:
    """Each number is divided by those of the channels beside it."""
    return {"size": size}


@forward("torch.nn.LocalResponseNorm")
def local_response_norm_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
    """The shape stays."""
    return functional_local_response_norm(cx, input, layer.settings.get("size"))


@rule("torch.nn.functional.local_response_norm")
def functional_local_response_norm(
    cx: Context, input: Tensor, size: Any, alpha: Any = 1e-4, beta: Any = 0.75, k: Any = 1.0
) -> Tensor:
    """Each number is divided by those of the channels beside it."""
    if input.shape.rank is not None and input.shape.rank < 3:
        raise Mismatch(
            "shape-norm", "{input} is {input.shape}; it must be (batch, channels, …), with positions.", at="input"
        )
    require_float(input, "A normalisation")
    return same(input)
