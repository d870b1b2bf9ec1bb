"""Normalising layers: the shape stays; what is normalised must be as wide as the layer was told."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from qkv.ops.agree import require_float
from qkv.ops.axes import locate, size
from qkv.ops.broadcast import same
from qkv.ops.context import Context, Mismatch, require_equal
from qkv.ops.parameters import parameter, switched_on
from qkv.ops.table import forward, layer, rule
from qkv.shapes import Dim, Expr, Layer, Tensor
from qkv.shapes.solve import solve_rank


def sizes_of(value: Any) -> tuple[Any, ...]:
    """`normalized_shape` as sizes."""
    if isinstance(value, tuple):
        return value
    return (value,)


def normalised(cx: Context, input: Tensor, sizes: tuple[Any, ...], what: str) -> Tensor:
    """The input, whose last axes must be `sizes`."""
    require_float(input, "A normalisation")
    for behind, wanted in enumerate(reversed(sizes), 1):
        if not isinstance(wanted, (int, Expr)):
            continue
        shape, at = locate(cx, input.shape, -behind)
        have = size(shape, at)
        mismatch = Mismatch(
            "shape-norm",
            f"{{input}} is {{input.shape}}: its {'last axis' if behind == 1 else f'axis -{behind}'} is {{left}}, but {what} normalises {{right}}.",
            hint="Give the layer the width that it normalises, {left}.",
            at="input",
            left=have,
            right=wanted,
        )
        require_equal(cx, have, wanted, mismatch)
    return same(input)


@layer("torch.nn.LayerNorm", term="layer norm")
def layer_norm(cx: Context, normalized_shape: Any, eps: Any = 1e-5, elementwise_affine: Any = True, bias: Any = True, device: Any = None, dtype: Any = None) -> Any:
    """Each vector is brought to mean 0 and variance 1, then scaled and shifted."""
    sizes = sizes_of(normalized_shape)
    affine = switched_on(elementwise_affine)
    return {
        "normalized_shape": sizes,
        "eps": eps,
        "weight": parameter(cx, *sizes, dtype=dtype) if affine else None,
        "bias": parameter(cx, *sizes, dtype=dtype) if affine and switched_on(bias) else None,
    }


@layer("torch.nn.RMSNorm", term="RMSNorm")
def rms_norm(cx: Context, normalized_shape: Any, eps: Any = None, elementwise_affine: Any = True, device: Any = None, dtype: Any = None) -> Any:
    """Each vector is divided by its root mean square, then scaled."""
    sizes = sizes_of(normalized_shape)
    return {"normalized_shape": sizes, "eps": eps, "weight": parameter(cx, *sizes, dtype=dtype) if switched_on(elementwise_affine) else None}


@forward("torch.nn.LayerNorm torch.nn.RMSNorm")
def layer_norm_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
    """The same shape; the last axes must be the layer's."""
    return normalised(cx, input, sizes_of(layer.members.get("normalized_shape")), "{layer}")


@rule("torch.nn.functional.layer_norm torch.layer_norm", term="layer norm")
def functional_layer_norm(cx: Context, input: Tensor, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-5) -> Tensor:
    """Each vector is brought to mean 0 and variance 1, then scaled and shifted."""
    return normalised(cx, input, sizes_of(normalized_shape), "`layer_norm`")


@rule("torch.nn.functional.rms_norm torch.rms_norm", term="RMSNorm")
def functional_rms_norm(cx: Context, input: Tensor, normalized_shape: Any, weight: Any = None, eps: Any = None) -> Tensor:
    """Each vector is divided by its root mean square, then scaled."""
    return normalised(cx, input, sizes_of(normalized_shape), "`rms_norm`")


# -- over channels ---------------------------------------------------------------------------------------------------------

RANKS: dict[str, tuple[int, ...]] = {"1d": (2, 3), "2d": (4,), "3d": (5,)}


@layer("torch.nn.BatchNorm1d torch.nn.BatchNorm2d torch.nn.BatchNorm3d torch.nn.SyncBatchNorm")
def batch_norm(
    cx: Context, num_features: Dim, eps: Any = 1e-5, momentum: Any = 0.1, affine: Any = True, track_running_stats: Any = True, device: Any = None, dtype: Any = None
) -> Any:
    """Each channel is normalised over the batch."""
    shared = {"running_mean": parameter(cx, num_features), "running_var": parameter(cx, num_features)}
    on = switched_on(affine)
    return {"num_features": num_features, "weight": parameter(cx, num_features) if on else None, "bias": parameter(cx, num_features) if on else None, **shared}


@layer("torch.nn.InstanceNorm1d torch.nn.InstanceNorm2d torch.nn.InstanceNorm3d")
def instance_norm(cx: Context, num_features: Dim, eps: Any = 1e-5, momentum: Any = 0.1, affine: Any = False, track_running_stats: Any = False, device: Any = None, dtype: Any = None) -> Any:
    """Each channel of each item is normalised."""
    return {"num_features": num_features}


@forward("torch.nn.BatchNorm1d torch.nn.BatchNorm2d torch.nn.BatchNorm3d torch.nn.SyncBatchNorm")
def batch_norm_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
    """The same shape; axis 1 holds the channels."""
    require_float(input, "A normalisation")
    allowed = RANKS.get(layer.name[-2:], ())
    rank = input.shape.rank
    if rank is None and len(allowed) == 1:
        solved = solve_rank(cx.store, input.shape, allowed[0])
        if solved is not None:
            input = replace(input, shape=solved)
    elif rank is not None and allowed and rank not in allowed:
        raise Mismatch(
            "shape-norm",
            "{input} is {input.shape} and has {rank} axes; {layer} takes {allowed}.",
            at="input",
            rank=rank,
            allowed=" or ".join(map(str, allowed)),
        )
    return _channels(cx, input, layer.members.get("num_features"))


def _channels(cx: Context, input: Tensor, wanted: Any) -> Tensor:
    if isinstance(wanted, (int, Expr)) and (input.shape.rank or 0) > 1:
        have = input.shape.back[1]
        mismatch = Mismatch(
            "shape-norm",
            "{input} is {input.shape}: axis 1 holds {left} channels, but {layer} normalises {right}.",
            hint="Give the layer {left} features, or move the channels to axis 1.",
            at="input",
            left=have,
            right=wanted,
        )
        require_equal(cx, have, wanted, mismatch)
    return same(input)


@forward("torch.nn.InstanceNorm1d torch.nn.InstanceNorm2d torch.nn.InstanceNorm3d")
def instance_norm_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
    """The same shape."""
    return same(input)


@layer("torch.nn.GroupNorm")
def group_norm(cx: Context, num_groups: Any, num_channels: Dim, eps: Any = 1e-5, affine: Any = True, device: Any = None, dtype: Any = None) -> Any:
    """Groups of channels are normalised together."""
    if isinstance(num_groups, int) and isinstance(num_channels, int) and num_groups and num_channels % num_groups:
        raise Mismatch("shape-norm", "{channels} channels cannot be split into {groups} equal groups.", at="num_groups", channels=num_channels, groups=num_groups)
    return {"num_channels": num_channels, "num_groups": num_groups, "weight": parameter(cx, num_channels), "bias": parameter(cx, num_channels)}


@forward("torch.nn.GroupNorm")
def group_norm_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
    """The same shape; axis 1 holds the channels."""
    require_float(input, "A normalisation")
    return _channels(cx, input, layer.members.get("num_channels"))


@rule("torch.nn.functional.batch_norm torch.nn.functional.group_norm torch.nn.functional.instance_norm")
def functional_channel_norm(cx: Context, input: Tensor, *args: Any, **keywords: Any) -> Tensor:
    """Channels are normalised; the shape stays."""
    return same(input)


@rule("torch.nn.functional.normalize torch.nn.functional.local_response_norm")
def normalize(cx: Context, input: Tensor, p: Any = 2.0, dim: Any = 1, eps: Any = 1e-12) -> Tensor:
    """Each vector along an axis is divided by its length."""
    require_float(input, "A length")
    if isinstance(dim, int) and not (dim == 1 and input.shape.row is not None):
        locate(cx, input.shape, dim)
    return same(input)
