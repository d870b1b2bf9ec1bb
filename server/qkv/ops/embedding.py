"""Embeddings: whole numbers pick rows of a table."""

from __future__ import annotations

from typing import Any

from qkv.ops.agree import require_index
from qkv.ops.context import Context, Mismatch
from qkv.ops.parameters import known_size, parameter
from qkv.ops.table import forward, layer, rule
from qkv.shapes import Dim, Expr, Layer, Shape, Tensor
from qkv.shapes.values import contiguous_strides


def looked_up(cx: Context, input: Tensor, rows: Any, width: Any, dtype: str | None, table: str) -> Tensor:
    """The index tensor with one more axis, the width of the table. Refuses indices that are no whole numbers or beyond the table."""
    require_index(input, "input", ("int64", "int32"), "The input of an embedding")
    if isinstance(rows, int) and isinstance(input.high, int) and input.high >= rows:
        raise Mismatch(
            "shape-embedding",
            f"{{input}} holds indices up to {{high}}, but {table} has {{rows}} rows, 0 to {{last}}.",
            hint="Make the table at least {needed} rows long.",
            at="input",
            high=input.high,
            rows=rows,
            last=rows - 1,
            needed=input.high + 1,
        )
    if isinstance(input.low, int) and input.low < 0 and input.high == input.low:
        raise Mismatch("shape-embedding", "{input} holds the index {low}; a row of a table is counted from 0.", at="input", low=input.low)
    shape = Shape((*input.shape.back, known_size(cx, width)), input.shape.row, input.shape.front)
    return Tensor(shape, dtype, None, contiguous_strides(shape))


@layer("torch.nn.Embedding", term="embedding")
def embedding(
    cx: Context,
    num_embeddings: Dim,
    embedding_dim: Dim,
    padding_idx: Any = None,
    max_norm: Any = None,
    norm_type: Any = 2.0,
    scale_grad_by_freq: Any = False,
    sparse: Any = False,
    _weight: Any = None,
    _freeze: Any = False,
    device: Any = None,
    dtype: Any = None,
) -> Any:
    """A table with a row for each token or position."""
    return {
        "num_embeddings": num_embeddings,
        "embedding_dim": embedding_dim,
        "padding_idx": padding_idx,
        "weight": parameter(cx, num_embeddings, embedding_dim, dtype=dtype),
    }


@forward("torch.nn.Embedding", notation="*b -> *b embedding_dim")
def embedding_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
    """Each whole number becomes the row of the table that it names."""
    weight: Any = layer.members.get("weight")
    dtype = weight.dtype if isinstance(weight, Tensor) else None
    return looked_up(cx, input, layer.members.get("num_embeddings"), layer.members.get("embedding_dim"), dtype, "{layer}")


@layer("torch.nn.EmbeddingBag")
def embedding_bag(cx: Context, num_embeddings: Dim, embedding_dim: Dim, *args: Any, **keywords: Any) -> Any:
    """A table whose rows are summed or averaged over each bag."""
    return {"embedding_dim": embedding_dim, "weight": parameter(cx, num_embeddings, embedding_dim)}


@forward("torch.nn.EmbeddingBag")
def embedding_bag_call(cx: Context, layer: Layer, input: Tensor, offsets: Any = None, per_sample_weights: Any = None) -> Tensor:
    """A row for each bag of indices."""
    bags = offsets.shape.back[0] if isinstance(offsets, Tensor) and offsets.shape.rank == 1 else None
    if bags is None:
        bags = input.shape.back[0] if input.shape.rank == 2 else cx.fresh()
    shape = Shape((bags, known_size(cx, layer.members.get("embedding_dim"))))
    return Tensor(shape, "float32", None, contiguous_strides(shape))


@rule("torch.nn.functional.embedding torch.embedding", notation="*b, n d -> *b d")
def functional_embedding(
    cx: Context,
    input: Tensor,
    weight: Tensor,
    padding_idx: Any = None,
    max_norm: Any = None,
    norm_type: Any = 2.0,
    scale_grad_by_freq: Any = False,
    sparse: Any = False,
) -> Tensor:
    """Each whole number becomes the row of `weight` that it names."""
    rank = weight.shape.rank
    if rank is not None and rank != 2:
        raise Mismatch("shape-embedding", "{weight} is {weight.shape}; a table of embeddings has two axes, rows and width.", at="weight")
    dims = weight.shape.back
    rows: Dim | None = dims[0] if rank == 2 else None
    return looked_up(cx, input, rows if isinstance(rows, (int, Expr)) else None, dims[-1] if dims else None, weight.dtype, "{weight}")
