"""`nn.MultiheadAttention`: attention with its projections, and the shapes of its masks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from qkv.ops.agree import require_one_device, require_one_dtype
from qkv.ops.context import CannotTell, Context, Mismatch, require_equal
from qkv.ops.dtypes import is_float
from qkv.ops.linear import linear
from qkv.ops.parameters import known_size, parameter, switched_on
from qkv.ops.table import forward, layer, rule
from qkv.shapes import Dim, Expr, Layer, Shape, Tensor, Unknown
from qkv.shapes.dim import floor_divide, modulo, multiply
from qkv.shapes.solve import solve_rank
from qkv.shapes.values import contiguous_strides


def require_whole_heads(width: Dim, heads: Dim, at: str) -> None:
    """Refuse a width that cannot be split into heads of one size."""
    rest = modulo(width, heads) if heads != 0 else 0
    if isinstance(rest, int) and rest:
        raise Mismatch(
            "shape-attention",
            "A width of {width} cannot be split over {heads} heads: {rest} features would be left over.",
            hint="Choose a width that is a multiple of the number of heads.",
            at=at,
            rest=rest,
            width=width,
            heads=heads,
        )


@layer("torch.nn.MultiheadAttention", term="multi-head attention")
def multihead_attention(
    cx: Context,
    embed_dim: Dim,
    num_heads: Dim,
    dropout: Any = 0.0,
    bias: Any = True,
    add_bias_kv: Any = False,
    add_zero_attn: Any = False,
    kdim: Any = None,
    vdim: Any = None,
    batch_first: Any = False,
    device: Any = None,
    dtype: Any = None,
) -> Any:
    """Attention with its projections. `embed_dim` is the width of all heads together."""
    require_whole_heads(embed_dim, num_heads, "embed_dim")
    width, keys, values = embed_dim, embed_dim if kdim is None else kdim, embed_dim if vdim is None else vdim
    own = kdim is None and vdim is None
    out = {"in_features": width, "out_features": width, "bias": bias, "dtype": dtype}
    return {
        "embed_dim": width,
        "num_heads": num_heads,
        "head_dim": floor_divide(width, num_heads) if num_heads != 0 else cx.fresh(),
        "batch_first": batch_first,
        "kdim": keys,
        "vdim": values,
        "in_proj_weight": parameter(cx, multiply(3, width), width, dtype=dtype) if own else None,
        "q_proj_weight": None if own else parameter(cx, width, width, dtype=dtype),
        "k_proj_weight": None if own else parameter(cx, width, keys, dtype=dtype),
        "v_proj_weight": None if own else parameter(cx, width, values, dtype=dtype),
        "in_proj_bias": parameter(cx, multiply(3, width), dtype=dtype) if switched_on(bias) else None,
        "out_proj": Layer("torch.nn.Linear", out, linear(cx, width, width, bias, dtype=dtype)),
    }


@dataclass(frozen=True)
class Sides:
    """The sizes of one call: batch is None where the input has no batch axis."""

    batch: Dim | None
    queries: Dim
    keys: Dim


@forward("torch.nn.MultiheadAttention")
def multihead_attention_call(
    cx: Context,
    layer: Layer,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    key_padding_mask: Any = None,
    need_weights: Any = True,
    attn_mask: Any = None,
    average_attn_weights: Any = True,
    is_causal: Any = False,
) -> Any:
    """The attended values, of the queries' shape, and the weights: averaged over the heads unless asked for one by one. A True in a mask hides a key."""
    sides, shape = attended(cx, layer.members, query, key, value)
    heads = known_size(cx, layer.members.get("num_heads"))
    require_masks(cx, sides, heads, query, {"attn_mask": attn_mask}, {"key_padding_mask": key_padding_mask})
    output = Tensor(shape, query.dtype, query.device, None)
    if need_weights is False:
        return (output, None)
    if need_weights is not True:
        return (output, Unknown("whether weights are given depends on `need_weights`"))
    batch = () if sides.batch is None else (sides.batch,)
    if average_attn_weights is True:
        weights = Shape((*batch, sides.queries, sides.keys))
    elif average_attn_weights is False:
        weights = Shape((*batch, heads, sides.queries, sides.keys))
    else:
        return (output, cx.unknown(query.dtype))
    return (output, Tensor(weights, query.dtype, query.device, contiguous_strides(weights)))


def attended(cx: Context, members: Any, query: Tensor, key: Tensor, value: Tensor) -> tuple[Sides, Shape]:
    """Check the three inputs of a layer of attention. Returns the sizes and the result's shape."""
    weight = members.get("in_proj_weight") or members.get("q_proj_weight")
    operands: dict[str, Any] = {"query": query, "key": key, "value": value, "weight": weight}
    require_one_device(operands)
    require_one_dtype(operands, "Attention")
    rank = next((t.shape.rank for t in (query, key, value) if t.shape.rank is not None), 3)
    if rank not in (2, 3):
        raise Mismatch(
            "shape-attention",
            "{query} is {query.shape} and has {rank} axes; {layer} takes three (with a batch) or two (without).",
            hint="Give it (batch, positions, width); the layer splits the heads itself.",
            at="query",
            rank=rank,
        )
    shapes: list[Shape] = []
    for name, tensor in (("query", query), ("key", key), ("value", value)):
        solved = solve_rank(cx.store, tensor.shape, rank)
        if solved is None:
            raise Mismatch(
                "shape-attention",
                f"{{query}} has {{rank}} axes, but {{{name}}} is {{{name}.shape}}.",
                at=name,
                rank=rank,
            )
        shapes.append(solved)
    for name, shape, wanted in zip(
        ("query", "key", "value"),
        shapes,
        (members.get("embed_dim"), members.get("kdim"), members.get("vdim")),
        strict=True,
    ):
        if isinstance(wanted, (int, Expr)):
            mismatch = Mismatch(
                "shape-attention",
                f"{{{name}}} is {{{name}.shape}}: it is {{left}} wide, but {{layer}} takes a {name} that is {{right}} wide.",
                hint="The last axis is the width; check the layer's `embed_dim`, `kdim` and `vdim`.",
                at=name,
                left=shape.back[-1],
                right=wanted,
            )
            require_equal(cx, shape.back[-1], wanted, mismatch)
    batch_first = members.get("batch_first")
    q, k, v = (shape.back for shape in shapes)
    if rank == 2:
        batch, at = None, 0
    elif batch_first is True or batch_first is False:
        at = 1 if batch_first else 0
        batch = q[1 - at]
        for name, dims in (("key", k), ("value", v)):
            _same_batch(cx, name, batch, dims[1 - at], batch_first)
    else:
        raise CannotTell("whether the batch comes first is not known", query.dtype)
    mismatch = Mismatch(
        "shape-attention",
        "{key} is {key.shape} and {value} is {value.shape}: {left} keys meet {right} values; each key needs its value.",
        at="value",
        left=k[at],
        right=v[at],
    )
    require_equal(cx, k[at], v[at], mismatch)
    width = known_size(cx, members.get("embed_dim"))
    return Sides(batch, q[at], k[at]), Shape((*q[:-1], width))


def _same_batch(cx: Context, name: str, left: Dim, right: Dim, batch_first: bool) -> None:
    place = "first" if batch_first else "second"
    mismatch = Mismatch(
        "shape-attention",
        f"{{query}} is {{query.shape}} and {{{name}}} is {{{name}.shape}}: the batch is the {place} axis here (`batch_first={batch_first}`), and {{left}} is not {{right}}.",
        hint=None if batch_first else "For (batch, positions, width) make the layer with `batch_first=True`.",
        at=name,
        left=left,
        right=right,
    )
    require_equal(cx, left, right, mismatch)


def require_masks(
    cx: Context, sides: Sides, heads: Dim, query: Tensor, masks: dict[str, Any], paddings: dict[str, Any]
) -> None:
    """Hold masks of (queries, keys) and masks of (batch, keys), by parameter name, against the sizes of a call."""
    for name, mask in masks.items():
        if isinstance(mask, Tensor):
            _require_mask_dtype(mask, query, name)
            _require_attention_mask(cx, mask, sides, heads, name)
    for name, mask in paddings.items():
        if isinstance(mask, Tensor):
            _require_mask_dtype(mask, query, name)
            _require_padding_mask(cx, mask, sides, name)


def _require_mask_dtype(mask: Tensor, query: Tensor, name: str) -> None:
    """True and False, or numbers that are added to the scores; those must be of the scores' kind."""
    fits = mask.dtype in (None, "bool") or (is_float(mask.dtype) and query.dtype in (None, mask.dtype))
    if not fits:
        raise Mismatch(
            "dtype-mask",
            f"{{{name}}} holds {{left}}; a mask here holds True and False, or {{right}} numbers that are added to the scores.",
            hint=f"Make it boolean, as with `{{{name}}} == 0`: True then marks the keys that are hidden.",
            at=name,
            left=mask.dtype,
            right=query.dtype or "float32",
        )


def _require_attention_mask(cx: Context, mask: Tensor, sides: Sides, heads: Dim, name: str) -> None:
    """A mask of (queries, keys), or one for each item and head, stacked."""
    rank = mask.shape.rank
    if rank is None:
        return
    if rank not in (2, 3):
        raise Mismatch(
            "shape-attention",
            f"{{{name}}} is {{{name}.shape}}; it must be (queries, keys), or (batch * heads, queries, keys).",
            hint="A mask of keys for each item belongs into the padding mask, as (batch, keys).",
            at=name,
        )
    wanted: tuple[Dim, ...] = (sides.queries, sides.keys)
    if rank == 3:
        wanted = (heads if sides.batch is None else multiply(sides.batch, heads), *wanted)
    meaning = "(batch · heads, queries, keys)" if rank == 3 else "(queries, keys)"
    hint = "Repeat it for the heads: `{mask}.repeat_interleave(heads, dim=0)`." if rank == 3 else None
    _require_shape(cx, mask.shape, wanted, name, meaning, hint and hint.replace("mask", name))


def _require_padding_mask(cx: Context, mask: Tensor, sides: Sides, name: str) -> None:
    """A mask of (batch, keys), or of keys where there is no batch."""
    wanted = (sides.keys,) if sides.batch is None else (sides.batch, sides.keys)
    meaning = "(keys)" if sides.batch is None else "(batch, keys)"
    shape = solve_rank(cx.store, mask.shape, len(wanted))
    if shape is None:
        raise Mismatch(
            "shape-attention",
            f"{{{name}}} is {{{name}.shape}}, but it must be {{wanted}}: {meaning}.",
            at=name,
            wanted=Shape(wanted),
        )
    hint = "True marks the keys that are hidden, whatever the number of queries: one row for each item."
    _require_shape(cx, shape, wanted, name, meaning, hint)


def _require_shape(
    cx: Context, mask: Shape, wanted: tuple[Dim, ...], name: str, meaning: str, hint: str | None
) -> None:
    for have, want in zip(mask.back, wanted, strict=True):
        mismatch = Mismatch(
            "shape-attention",
            f"{{{name}}} is {{{name}.shape}}, but it must be {{wanted}}: {meaning}.",
            hint=hint,
            at=name,
            wanted=Shape(wanted),
            left=have,
            right=want,
        )
        require_equal(cx, have, want, mismatch)


@rule("torch.nn.functional.multi_head_attention_forward", term="multi-head attention")
def multi_head_attention_forward(cx: Context, *args: Any, **keywords: Any) -> Any:
    """What `nn.MultiheadAttention` calls, with all its weights given one by one."""
    raise CannotTell("which of its many arguments are given is not followed")
