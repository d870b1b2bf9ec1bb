"""Attention as one operator: `scaled_dot_product_attention` and `flex_attention`."""

from __future__ import annotations

from typing import Any

from qkv.ops.agree import require_float, require_one_device, require_one_dtype
from qkv.ops.axes import locate
from qkv.ops.broadcast import broadcast, require_stretchable
from qkv.ops.context import Context, Mismatch, require_equal
from qkv.ops.table import rule
from qkv.shapes import Dim, Shape, Tensor, Truth, Unknown
from qkv.shapes.dim import modulo
from qkv.shapes.solve import compare, resolve_shape
from qkv.shapes.values import contiguous_strides


@rule(
    "torch.nn.functional.scaled_dot_product_attention torch._C._nn.scaled_dot_product_attention",
    term="attention",
    notation="*b q d, *b k d, *b k v -> *b q v",
)
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
    require_float(query, "attention", "query", complex_too=False)
    if is_causal is True and isinstance(attn_mask, Tensor):
        _both_masks(cx, [tensor.shape.rank for tensor in tensors.values()], dropout_p)
    q, k, v = (_two_axes(cx, tensor, name) for name, tensor in tensors.items())
    template = "{query} is {query.shape} and {key} is {key.shape}: queries are {left} wide and keys {right}; their products need one width."
    _pair(cx, q.back[-1], k.back[-1], template, "key")
    template = "{key} is {key.shape} and {value} is {value.shape}: there are {left} keys and {right} values; each key needs its value."
    _pair(cx, k.back[-2], v.back[-2], template, "value")
    leading = _leading(cx, q, k, v, enable_gqa)
    scores = Shape((*leading.back, q.back[-2], k.back[-2]), leading.row, leading.front)
    if isinstance(attn_mask, Tensor):
        _require_mask(cx, attn_mask, scores, query)
    shape = Shape((*leading.back, q.back[-2], v.back[-1]), leading.row, leading.front)
    in_order = all(t.strides is not None and t.strides == contiguous_strides(t.shape) for t in tensors.values())
    return Tensor(shape, dtype, device, contiguous_strides(shape) if in_order else None)


def _both_masks(cx: Context, ranks: list[int | None], dropout: Any) -> None:
    """A mask besides `is_causal`: refused by all kernels but the one that fuses four axes without dropout."""
    finding = Mismatch(
        "shape-attention",
        "`attn_mask` and `is_causal=True` are given together; attention takes one of them.",
        hint="Put the causal part into the mask, with `& causal`, or leave the mask out.",
        at="attn_mask",
    )
    if any(rank not in (None, 4) for rank in ranks) or (isinstance(dropout, (int, float)) and dropout > 0):
        raise finding
    if None not in ranks:
        finding.truth = Truth.SOMETIMES
        finding.template = (
            "`attn_mask` and `is_causal=True` are given together: most of torch's kernels for attention refuse that."
        )
        cx.coincidences.append(finding)


def _two_axes(cx: Context, tensor: Tensor, name: str) -> Shape:
    """The shape, with its last two axes known to be there."""
    if tensor.shape.rank is not None and tensor.shape.rank < 2:
        raise Mismatch(
            "shape-attention",
            f"{{{name}}} is {{{name}.shape}}; attention needs an axis of positions and an axis of features.",
            at=name,
        )
    shape, _ = locate(cx, tensor.shape, -2, name)
    return shape


def _pair(cx: Context, left: Dim, right: Dim, template: str, at: str) -> None:
    require_equal(cx, left, right, Mismatch("shape-attention", template, at=at, left=left, right=right))


def _leading(cx: Context, q: Shape, k: Shape, v: Shape, grouped: Any) -> Shape:
    """The batch and head axes of the result."""
    a, b, c = (Shape(shape.back[:-2], shape.row, shape.front) for shape in (q, k, v))
    if not isinstance(grouped, bool):
        return a
    if not grouped:
        _require_heads(a, b, "key")
        together = broadcast(cx, a, b, ("query", "key"), "shape-attention")
        return broadcast(cx, together, c, ("query", "value"), "shape-attention")
    for name, other in (("key", b), ("value", c)):
        _require_groups(a, other, name)
    if a.row is not None or b.row is not None or c.row is not None or not a.back:
        return a
    batches = [Shape(shape.back[:-1]) for shape in (a, b, c)]
    batch = broadcast(cx, batches[0], batches[1], ("query", "key"), "shape-attention")
    batch = broadcast(cx, batch, batches[2], ("query", "value"), "shape-attention")
    return Shape((*batch.back, a.back[-1]))


def _require_groups(queries: Shape, keys: Shape, name: str) -> None:
    """With `enable_gqa`, each head of keys serves the same number of query heads."""
    if not queries.back or not keys.back:
        return
    heads, groups = queries.back[-1], keys.back[-1]
    rest = modulo(heads, groups) if groups != 0 else 0
    if (isinstance(rest, int) and rest) or (isinstance(heads, int) and isinstance(groups, int) and groups > heads):
        raise Mismatch(
            "shape-attention",
            f"{{query}} is {{query.shape}} and {{{name}}} is {{{name}.shape}}: {{heads}} query heads cannot share {{groups}} heads of keys equally.",
            hint="The number of query heads must be a multiple of the number of key heads.",
            at=name,
            heads=heads,
            groups=groups,
        )


def _require_heads(queries: Shape, keys: Shape, name: str) -> None:
    """A clearer word for the most common mistake: fewer key heads than query heads."""
    if len(queries.back) < 2 or len(keys.back) < 2:
        return
    heads, groups = queries.back[-1], keys.back[-1]
    if isinstance(heads, int) and isinstance(groups, int) and heads != groups and groups > 1 and heads > 1:
        shared = "Keys shared by groups of queries need `enable_gqa=True`, or `repeat_interleave` along the heads."
        raise Mismatch(
            "shape-attention",
            f"{{query}} is {{query.shape}} and {{{name}}} is {{{name}.shape}}: axis -3 holds the heads, {{left}} of queries and {{right}} of keys.",
            hint=shared
            if heads % groups == 0
            else "Is the axis of the heads where you think? `transpose(1, 2)` brings it before the positions.",
            at=name,
            left=heads,
            right=groups,
        )


def _require_mask(cx: Context, mask: Tensor, scores: Shape, query: Tensor) -> None:
    """A mask is stretched to the scores; it may be boolean, float32, or of the queries' own kind."""
    if query.dtype is not None and mask.dtype not in (None, "bool", "float32", query.dtype):
        raise Mismatch(
            "dtype-mask",
            "{attn_mask} holds {left}, and {query} holds {right}: a mask is either True and False, or of the queries' own kind.",
            hint="Compare, as with `{attn_mask} != 0`: True then marks the keys that are seen.",
            at="attn_mask",
            left=mask.dtype,
            right=query.dtype,
        )
    finding = Mismatch(
        "shape-attention",
        "{attn_mask} is {mask} and cannot be stretched to the scores, which are {scores}: queries and keys stand last.",
        hint="A mask of (batch, keys) needs two axes more: `{attn_mask}[:, None, None, :]`. One of (batch, queries, keys) needs the one of the heads: `{attn_mask}[:, None]`.",
        at="attn_mask",
        mask=mask.shape,
        scores=scores,
    )
    if mask.shape.rank is not None and mask.shape.rank < 2 and scores.rank == 4:
        raise finding
    shape = cx.shape(mask)
    require_stretchable(shape, resolve_shape(cx.store, scores), finding)
    for have, want in zip(reversed(shape.back), reversed(scores.back), strict=False):
        if have != 1 and compare(cx.dim(have), cx.dim(want)) is Truth.NEVER:
            raise finding
    if shape.rank is None or scores.rank is None or shape.rank <= scores.rank:
        broadcast(cx, scores, shape, ("query", "attn_mask"), "shape-attention")


@rule("torch.nn.attention.flex_attention.flex_attention", term="attention")
def flex_attention(
    cx: Context,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    score_mod: Any = None,
    block_mask: Any = None,
    scale: Any = None,
    enable_gqa: Any = False,
    return_lse: Any = False,
    kernel_options: Any = None,
    return_aux: Any = None,
) -> Any:
    """Attention whose scores a function may change; (batch, heads, positions, width) all."""
    for name, tensor in (("query", query), ("key", key), ("value", value)):
        if tensor.shape.rank not in (None, 4):
            raise Mismatch(
                "shape-attention",
                f"{{{name}}} is {{{name}.shape}}; flex attention takes (batch, heads, positions, width).",
                at=name,
            )
    if query.shape.rank == key.shape.rank == 4 and block_mask is None:
        template = "{query} is {query.shape} and {key} is {key.shape}: flex attention stretches nothing, and {left} is not {right}."
        for left, right in list(zip(query.shape.back, key.shape.back, strict=True))[
            : 1 if enable_gqa is not False else 2
        ]:
            _pair(cx, left, right, template, "key")
    result = scaled_dot_product_attention(cx, query, key, value, enable_gqa=enable_gqa)
    if return_lse is False and return_aux is None:
        return result
    if return_lse is not True or return_aux is not None:
        return Unknown("what is given besides the result depends on the call")
    sums = Shape(result.shape.back[:-1], result.shape.row, result.shape.front)
    return (result, Tensor(sums, "float32", result.device))
