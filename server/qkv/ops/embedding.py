"""Embeddings: whole numbers pick rows of a table."""

from __future__ import annotations

from typing import Any

from qkv.ops.agree import require_index
from qkv.ops.context import CannotTell, Context, Mismatch
from qkv.ops.linear import weight_of
from qkv.ops.parameters import parameter
from qkv.ops.table import forward, layer, rule
from qkv.shapes import Dim, Layer, Shape, Tensor
from qkv.shapes.solve import solve_rank
from qkv.shapes.values import contiguous_strides


def _require_rows(cx: Context, input: Tensor, rows: Dim, table: str) -> None:
    """Refuse what is no index, and an index beyond the table."""
    require_index(input, "input", ("int64", "int32"), "The input of an embedding")
    rows = cx.dim(rows)
    if not isinstance(rows, int):
        return
    if isinstance(input.high, int) and input.high >= rows:
        raise Mismatch(
            "shape-embedding",
            f"{{input}} holds indices up to {{high}}, but {table} has {{rows}} rows, 0 to {{last}}.",
            hint="Make the table at least {needed} rows long, or keep the indices below {rows}.",
            at="input",
            high=input.high,
            rows=rows,
            last=rows - 1,
            needed=input.high + 1,
        )
    if isinstance(input.high, int) and input.high < 0:
        raise Mismatch(
            "shape-embedding",
            "{input} holds indices below 0; the rows of a table are counted from 0.",
            hint="Shift the indices so that the smallest one is 0.",
            at="input",
        )


def _table(cx: Context, weight: Tensor) -> tuple[Dim, Dim]:
    """The rows and the width of a table."""
    solved = solve_rank(cx.store, weight.shape, 2)
    if solved is None:
        raise Mismatch(
            "shape-embedding",
            "{weight} is {weight.shape}; a table of embeddings has two axes, rows and width.",
            at="weight",
        )
    return solved.back[0], solved.back[1]


def looked_up(cx: Context, input: Tensor, weight: Tensor, table: str) -> Tensor:
    """The index tensor with one more axis, the width of the table. `table` stands for it in a message."""
    rows, width = _table(cx, weight)
    _require_rows(cx, input, rows, table)
    shape = Shape((*input.shape.back, width), input.shape.row, input.shape.front)
    return Tensor(shape, weight.dtype, weight.device or input.device, contiguous_strides(shape))


def _require_padding_row(padding_idx: Any, rows: Any) -> None:
    if isinstance(padding_idx, int) and isinstance(rows, int) and not -rows <= padding_idx < rows:
        raise Mismatch(
            "shape-embedding",
            "The row for padding, {padding}, is beyond the table, which has {rows} rows, 0 to {last}.",
            hint="Count the padding token as a row: {needed} rows.",
            at="padding_idx",
            padding=padding_idx,
            rows=rows,
            last=rows - 1,
            needed=padding_idx + 1,
        )


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
    _require_padding_row(padding_idx, num_embeddings)
    return {
        "num_embeddings": num_embeddings,
        "embedding_dim": embedding_dim,
        "padding_idx": padding_idx,
        "weight": parameter(cx, num_embeddings, embedding_dim, dtype=dtype),
    }


@forward("torch.nn.Embedding", notation="*b -> *b embedding_dim")
def embedding_call(cx: Context, layer: Layer, input: Tensor) -> Tensor:
    """Each whole number becomes the row of the table that it names."""
    return looked_up(cx, input, weight_of(cx, layer), "{layer}")


@rule("torch.nn.Embedding.from_pretrained", term="embedding")
def embedding_of(cx: Context, embeddings: Tensor, freeze: Any = True, *args: Any, **keywords: Any) -> Any:
    """A table made of a tensor that is there already."""
    solved = solve_rank(cx.store, embeddings.shape, 2)
    if solved is None:
        raise Mismatch(
            "shape-embedding",
            "{embeddings} is {embeddings.shape}; a table has two axes, rows and width.",
            at="embeddings",
        )
    rows, width = solved.back
    members: dict[str, Any] = {"num_embeddings": rows, "embedding_dim": width, "weight": embeddings}
    return Layer("torch.nn.Embedding", dict(members), members)


@rule("torch.nn.functional.embedding torch.embedding", notation="*b, rows width -> *b width", term="embedding")
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
    _require_padding_row(padding_idx, _table(cx, weight)[0])
    return looked_up(cx, input, weight, "{weight}")


# -- bags of rows ----------------------------------------------------------------------------------------------------------


def _bags(cx: Context, input: Tensor, weight: Tensor, offsets: Any, table: str) -> Tensor:
    rows, width = _table(cx, weight)
    _require_rows(cx, input, rows, table)
    rank = input.shape.rank
    if rank is None:
        raise CannotTell("the number of axes is not known", weight.dtype)
    if rank not in (1, 2):
        raise Mismatch(
            "shape-embedding", "{input} is {input.shape}; bags are (bags, indices), or one row of all.", at="input"
        )
    if rank == 1 and offsets is None:
        raise Mismatch(
            "shape-embedding",
            "{input} is {input.shape}, indices in one row; where each bag starts is not given.",
            hint="Give `offsets`, or indices of shape (bags, indices).",
            at="input",
        )
    starts = offsets.shape.back if isinstance(offsets, Tensor) and offsets.shape.rank == 1 else (cx.fresh(),)
    shape = Shape((input.shape.back[0] if rank == 2 else starts[0], width))
    return Tensor(shape, weight.dtype, weight.device, contiguous_strides(shape))


@layer("torch.nn.EmbeddingBag")
def embedding_bag(
    cx: Context,
    num_embeddings: Dim,
    embedding_dim: Dim,
    max_norm: Any = None,
    norm_type: Any = 2.0,
    scale_grad_by_freq: Any = False,
    mode: Any = "mean",
    sparse: Any = False,
    _weight: Any = None,
    include_last_offset: Any = False,
    padding_idx: Any = None,
    device: Any = None,
    dtype: Any = None,
) -> Any:
    """A table whose rows are added up, or averaged, for each bag of indices."""
    return {
        "num_embeddings": num_embeddings,
        "embedding_dim": embedding_dim,
        "weight": parameter(cx, num_embeddings, embedding_dim, dtype=dtype),
        "include_last_offset": include_last_offset,
    }


@forward("torch.nn.EmbeddingBag")
def embedding_bag_call(
    cx: Context, layer: Layer, input: Tensor, offsets: Any = None, per_sample_weights: Any = None
) -> Tensor:
    """One row for each bag of indices."""
    if layer.members.get("include_last_offset") is not False:
        raise CannotTell("the last offset is the end of the last bag")
    return _bags(cx, input, weight_of(cx, layer), offsets, "{layer}")


@rule("torch.nn.functional.embedding_bag")
def functional_embedding_bag(
    cx: Context,
    input: Tensor,
    weight: Tensor,
    offsets: Any = None,
    max_norm: Any = None,
    norm_type: Any = 2,
    scale_grad_by_freq: Any = False,
    mode: Any = "mean",
    sparse: Any = False,
    per_sample_weights: Any = None,
    include_last_offset: Any = False,
    padding_idx: Any = None,
) -> Tensor:
    """One row for each bag of indices, the sum or the mean of the rows that they name."""
    if include_last_offset is not False:
        raise CannotTell("the last offset is the end of the last bag", weight.dtype)
    return _bags(cx, input, weight, offsets, "{weight}")
