"""Attention as one operator: `scaled_dot_product_attention` and `nn.MultiheadAttention`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from qkv.ops.agree import require_one_device, require_one_dtype
from qkv.ops.axes import locate
from qkv.ops.broadcast import broadcast
from qkv.ops.context import CannotTell, Context, Mismatch, require_equal
from qkv.ops.parameters import known_size, parameter, switched_on
from qkv.ops.table import forward, layer, rule
from qkv.shapes import Dim, Expr, Layer, Shape, Tensor, Truth, Unknown
from qkv.shapes.dim import modulo, multiply
from qkv.shapes.solve import compare, solve_rank
from qkv.shapes.values import contiguous_strides


@rule("torch.nn.functional.scaled_dot_product_attention torch._C._nn.scaled_dot_product_attention", term="attention")
def scaled_dot_product_attention(
    cx: Context,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Any = None,
    dropout_p: Any = 0.0,
    is_causal: Any = False,
    scale: Any = None,
    enable_gqa: Any = False,
) -> Tensor:
    """softmax(query keyᵀ / √d) value, head by head. A True in a boolean mask lets a query see a key."""
    tensors = {"query": query, "key": key, "value": value}
    device = require_one_device(tensors)
    dtype = require_one_dtype(tensors, "Attention")
    if is_causal is True and isinstance(attn_mask, Tensor):
        raise Mismatch(
            "shape-attention",
            "`attn_mask` and `is_causal=True` are given together; torch takes one of them.",
            hint="Put the causal part into the mask, or leave the mask out.",
            at="attn_mask",
        )
    q, k, v = (_two_axes(cx, tensor, name) for name, tensor in tensors.items())
    _pair(cx, q.back[-1], k.back[-1], "{query} is {query.shape} and {key} is {key.shape}: queries are {left} wide and keys {right}; their products need one width.", "key")
    _pair(cx, k.back[-2], v.back[-2], "{key} is {key.shape} and {value} is {value.shape}: there are {left} keys and {right} values; each key needs its value.", "value")
    leading = _leading(cx, q, k, v, enable_gqa)
    scores = Shape((*leading.back, q.back[-2], k.back[-2]), leading.row, leading.front)
    if isinstance(attn_mask, Tensor):
        _require_mask(cx, attn_mask, scores, dtype, query)
    shape = Shape((*leading.back, q.back[-2], v.back[-1]), leading.row, leading.front)
    return Tensor(shape, dtype, device, None)


def _two_axes(cx: Context, tensor: Tensor, name: str) -> Shape:
    """The shape, with its last two axes known to be there."""
    if tensor.shape.rank is not None and tensor.shape.rank < 2:
        raise Mismatch("shape-attention", f"{{{name}}} is {{{name}.shape}}; attention needs an axis of positions and an axis of features.", at=name)
    shape, _ = locate(cx, tensor.shape, -2, name)
    return shape


def _pair(cx: Context, left: Dim, right: Dim, template: str, at: str) -> None:
    require_equal(cx, left, right, Mismatch("shape-attention", template, at=at, left=left, right=right))


def _leading(cx: Context, q: Shape, k: Shape, v: Shape, grouped: Any) -> Shape:
    """The batch and head axes of the result."""
    a, b, c = (Shape(shape.back[:-2], shape.row, shape.front) for shape in (q, k, v))
    if grouped is not False and not isinstance(grouped, bool):
        return a
    if grouped is True:
        if a.rank is not None and b.rank is not None and a.back and b.back:
            heads, groups = a.back[-1], b.back[-1]
            if isinstance(heads, int) and isinstance(groups, int) and groups and heads % groups:
                raise Mismatch(
                    "shape-attention",
                    "{heads} query heads cannot share {groups} key heads equally.",
                    hint="The number of query heads must be a multiple of the number of key heads.",
                    at="key",
                    heads=heads,
                    groups=groups,
                )
        return a
    _heads_agree(a, b, "key")
    together = broadcast(cx, a, b, ("query", "key"), "shape-attention")
    return broadcast(cx, together, c, ("query", "value"), "shape-attention")


def _heads_agree(a: Shape, b: Shape, name: str) -> None:
    """A clearer word for the most common mistake: fewer key heads than query heads."""
    if len(a.back) >= 2 and len(b.back) >= 2:
        heads, groups = a.back[-1], b.back[-1]
        if isinstance(heads, int) and isinstance(groups, int) and heads != groups and groups > 1 and heads > 1:
            multiple = heads % groups == 0
            raise Mismatch(
                "shape-attention",
                f"{{query}} has {{left}} heads and {{{name}}} has {{right}}: {{query}} is {{query.shape}}, {{{name}}} is {{{name}.shape}}.",
                hint="Keys shared by groups of queries need `enable_gqa=True`, or `repeat_interleave` along the heads." if multiple else "Axis -3 holds the heads: is it where you think?",
                at=name,
                left=heads,
                right=groups,
            )


def _require_mask(cx: Context, mask: Tensor, scores: Shape, dtype: str | None, query: Tensor) -> None:
    if mask.dtype not in (None, "bool") and dtype is not None and mask.dtype != dtype:
        raise Mismatch(
            "dtype-mask",
            "{attn_mask} holds {left}, and the queries hold {right}: a mask is either True and False, or of the queries' own kind.",
            hint="Convert it, as with `{attn_mask}.to({query}.dtype)`, or make it boolean.",
            at="attn_mask",
            left=mask.dtype,
            right=dtype,
        )
    wanted = scores
    result = broadcast(cx, wanted, mask.shape, ("query", "attn_mask"), "shape-attention") if _lines_up(mask.shape, scores) else wanted
    if result.rank is not None and wanted.rank is not None and result.rank > wanted.rank:
        raise _bad_mask(mask, scores)


def _lines_up(mask: Shape, scores: Shape) -> bool:
    """Whether a mask can be stretched to the scores. Raises Mismatch where it certainly cannot."""
    for have, want in zip(reversed(mask.back), reversed(scores.back), strict=False):
        if have != 1 and compare(have, want) is Truth.NEVER:
            raise _bad_mask(Tensor(mask), scores)
    return True


def _bad_mask(mask: Tensor, scores: Shape) -> Mismatch:
    return Mismatch(
        "shape-attention",
        "{attn_mask} is {mask} and cannot be stretched to the scores, which are {scores}: batch, heads, queries, keys.",
        hint="A mask of keys, (batch, keys), needs `[:, None, None, :]`; one of queries and keys for each item needs `[:, None]`.",
        at="attn_mask",
        mask=mask.shape,
        scores=scores,
    )


# -- nn.MultiheadAttention -------------------------------------------------------------------------------------------------


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
    rest = modulo(embed_dim, num_heads) if num_heads != 0 else 0
    if isinstance(rest, int) and rest:
        raise Mismatch(
            "shape-attention",
            "A width of {embed_dim} cannot be split over {num_heads} heads: {rest} features would be left over.",
            hint="Choose a width that is a multiple of the number of heads.",
            at="embed_dim",
            rest=rest,
            embed_dim=embed_dim,
            num_heads=num_heads,
        )
    own = kdim is None and vdim is None
    return {
        "embed_dim": embed_dim,
        "num_heads": num_heads,
        "batch_first": batch_first,
        "kdim": embed_dim if kdim is None else kdim,
        "vdim": embed_dim if vdim is None else vdim,
        "in_proj_weight": parameter(cx, multiply(3, embed_dim), embed_dim) if own else None,
        "in_proj_bias": parameter(cx, multiply(3, embed_dim)) if switched_on(bias) else None,
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
    if isinstance(attn_mask, Tensor):
        require_attention_mask(cx, attn_mask, sides, heads)
    if isinstance(key_padding_mask, Tensor):
        require_padding_mask(cx, key_padding_mask, sides)
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
            raise Mismatch("shape-attention", f"{{query}} has {{rank}} axes, but {{{name}}} is {{{name}.shape}}.", at=name, rank=rank)
        shapes.append(solved)
    for name, shape, wanted in zip(("query", "key", "value"), shapes, (members.get("embed_dim"), members.get("kdim"), members.get("vdim")), strict=True):
        if isinstance(wanted, (int, Expr)):
            mismatch = Mismatch(
                "shape-attention",
                f"{{{name}}} is {{{name}.shape}}: it is {{left}} wide, but {{layer}} was made for a {name} {{right}} wide.",
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


def require_attention_mask(cx: Context, mask: Tensor, sides: Sides, heads: Dim, name: str = "attn_mask") -> None:
    """A mask of (queries, keys), or one for each item and head, stacked."""
    rank = mask.shape.rank
    if rank is None:
        return
    if rank not in (2, 3):
        raise Mismatch("shape-attention", f"{{{name}}} is {{{name}.shape}}; it must be (queries, keys) or (batch * heads, queries, keys).", at=name)
    wanted: tuple[Dim, ...] = (sides.queries, sides.keys)
    if rank == 3:
        wanted = (heads if sides.batch is None else multiply(sides.batch, heads), *wanted)
    _require_shape(cx, mask, wanted, name, "(batch * heads, queries, keys)" if rank == 3 else "(queries, keys)")


def require_padding_mask(cx: Context, mask: Tensor, sides: Sides, name: str = "key_padding_mask") -> None:
    """A mask of (batch, keys)."""
    wanted = (sides.keys,) if sides.batch is None else (sides.batch, sides.keys)
    if mask.shape.rank is None:
        return
    if mask.shape.rank != len(wanted):
        raise Mismatch("shape-attention", f"{{{name}}} is {{{name}.shape}}; it must be (batch, keys).", at=name)
    _require_shape(cx, mask, wanted, name, "(batch, keys)")


def _require_shape(cx: Context, mask: Tensor, wanted: tuple[Dim, ...], name: str, meaning: str) -> None:
    for have, want in zip(mask.shape.back, wanted, strict=True):
        mismatch = Mismatch(
            "shape-attention",
            f"{{{name}}} is {{{name}.shape}}, but it must be {{wanted}}: {meaning}.",
            at=name,
            wanted=Shape(wanted),
            left=have,
            right=want,
        )
        require_equal(cx, have, want, mismatch)


@rule("torch.nn.attention.flex_attention.flex_attention")
def flex_attention(cx: Context, query: Tensor, key: Tensor, value: Tensor, score_mod: Any = None, block_mask: Any = None, scale: Any = None, enable_gqa: Any = False, return_lse: Any = False, kernel_options: Any = None) -> Any:
    """Attention whose scores a function may change."""
    if return_lse is not False:
        raise CannotTell("the sums are given too", query.dtype)
    return scaled_dot_product_attention(cx, query, key, value, enable_gqa=enable_gqa)
