"""torch's own Transformer layers: the result has the shape of the first input."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from qkv.ops.broadcast import same
from qkv.ops.context import CannotTell, Context, Mismatch
from qkv.ops.linear import linear
from qkv.ops.multihead import attended, multihead_attention, require_masks, require_whole_heads
from qkv.ops.norm import layer_norm
from qkv.ops.parameters import known_size
from qkv.ops.table import forward, layer, rule
from qkv.shapes import Dim, Layer, Shape, Tensor, Unknown
from qkv.shapes.values import contiguous_strides


def _parts(
    cx: Context, width: Dim, heads: Dim, inner: Any, bias: Any, batch_first: Any, dtype: Any, crossing: bool
) -> dict[str, Any]:
    """The modules that a layer is made of, under torch's names."""
    require_whole_heads(width, heads, "d_model")

    def attention() -> Layer:
        made = multihead_attention(cx, width, heads, bias=bias, batch_first=batch_first, dtype=dtype)
        return Layer("torch.nn.MultiheadAttention", {"embed_dim": width, "num_heads": heads}, made)

    def projection(taken: Dim, given: Dim) -> Layer:
        settings: dict[str, Any] = {"in_features": taken, "out_features": given, "bias": bias}
        return Layer("torch.nn.Linear", settings, linear(cx, taken, given, bias, dtype=dtype))

    def norm() -> Layer:
        return Layer("torch.nn.LayerNorm", {"normalized_shape": width}, layer_norm(cx, width, bias=bias, dtype=dtype))

    size = known_size(cx, inner)
    parts = {
        "self_attn": attention(),
        "linear1": projection(width, size),
        "linear2": projection(size, width),
        "norm1": norm(),
        "norm2": norm(),
    }
    return parts | {"multihead_attn": attention(), "norm3": norm()} if crossing else parts


@layer("torch.nn.TransformerEncoderLayer", term="encoder")
def encoder_layer(
    cx: Context,
    d_model: Dim,
    nhead: Dim,
    dim_feedforward: Any = 2048,
    dropout: Any = 0.1,
    activation: Any = None,
    layer_norm_eps: Any = 1e-5,
    batch_first: Any = False,
    norm_first: Any = False,
    bias: Any = True,
    device: Any = None,
    dtype: Any = None,
) -> Any:
    """Attention and a feed-forward part, each with its norm and its skip."""
    return _parts(cx, d_model, nhead, dim_feedforward, bias, batch_first, dtype, crossing=False)


@layer("torch.nn.TransformerDecoderLayer", term="decoder")
def decoder_layer(
    cx: Context,
    d_model: Dim,
    nhead: Dim,
    dim_feedforward: Any = 2048,
    dropout: Any = 0.1,
    activation: Any = None,
    layer_norm_eps: Any = 1e-5,
    batch_first: Any = False,
    norm_first: Any = False,
    bias: Any = True,
    device: Any = None,
    dtype: Any = None,
) -> Any:
    """Attention to the targets, attention to the source, and a feed-forward part, each with its norm and its skip."""
    return _parts(cx, d_model, nhead, dim_feedforward, bias, batch_first, dtype, crossing=True)


@layer("torch.nn.TransformerEncoder", term="encoder")
def encoder(
    cx: Context,
    encoder_layer: Any,
    num_layers: Any,
    norm: Any = None,
    enable_nested_tensor: Any = True,
    mask_check: Any = True,
) -> Any:
    """The same kind of layer, several times."""
    return {"num_layers": num_layers, "norm": norm}


@layer("torch.nn.TransformerDecoder", term="decoder")
def decoder(cx: Context, decoder_layer: Any, num_layers: Any, norm: Any = None) -> Any:
    """The same kind of layer, several times."""
    return {"num_layers": num_layers, "norm": norm}


@layer("torch.nn.Transformer", term="transformer")
def transformer(
    cx: Context,
    d_model: Dim = 512,
    nhead: Dim = 8,
    num_encoder_layers: Any = 6,
    num_decoder_layers: Any = 6,
    dim_feedforward: Any = 2048,
    dropout: Any = 0.1,
    activation: Any = None,
    custom_encoder: Any = None,
    custom_decoder: Any = None,
    layer_norm_eps: Any = 1e-5,
    batch_first: Any = False,
    norm_first: Any = False,
    bias: Any = True,
    device: Any = None,
    dtype: Any = None,
) -> Any:
    """An encoder and a decoder."""
    parts = _parts(cx, d_model, nhead, dim_feedforward, bias, batch_first, dtype, crossing=True)
    first = Layer("torch.nn.TransformerEncoderLayer", {}, parts)
    second = Layer("torch.nn.TransformerDecoderLayer", {}, parts)
    return {
        "d_model": d_model,
        "nhead": nhead,
        "batch_first": batch_first,
        "encoder": Layer("torch.nn.TransformerEncoder", {"encoder_layer": first}, {}),
        "decoder": Layer("torch.nn.TransformerDecoder", {"decoder_layer": second}, {}),
    }


def _attention_of(module: Layer) -> Layer | None:
    """The attention in a layer, in a stack of layers, or in the whole of a Transformer. None where its layers are not torch's own."""
    inner: Any = (
        module.settings.get("encoder_layer") or module.settings.get("decoder_layer") or module.members.get("encoder")
    )
    if isinstance(inner, Layer):
        return _attention_of(inner)
    found = module.members.get("self_attn")
    return found if isinstance(found, Layer) else None


def _attend(
    cx: Context,
    layer: Layer,
    queries: Tensor,
    keys: Tensor,
    masks: dict[str, Any],
    paddings: dict[str, Any],
    names: tuple[str, str],
) -> Tensor:
    """One attention of a layer: `names` are the parameters that hold the queries and the keys."""
    attention = _attention_of(layer)
    if attention is None:
        return replace(same(queries), strides=None)
    try:
        sides, shape = attended(cx, attention.members, queries, keys, keys)
    except Mismatch as mismatch:
        raise _renamed(mismatch, names) from None
    heads = known_size(cx, attention.members.get("num_heads"))
    require_masks(cx, sides, heads, queries, masks, paddings)
    return Tensor(shape, queries.dtype, queries.device, contiguous_strides(shape))


def _renamed(mismatch: Mismatch, names: tuple[str, str]) -> Mismatch:
    """The finding in the words of this layer's parameters."""
    queries, keys = names
    for old, new in (("query", queries), ("key", keys), ("value", keys)):
        for part in (f"{{{old}}}", f"{{{old}.shape}}"):
            mismatch.template = mismatch.template.replace(part, part.replace(old, new))
        mismatch.template = mismatch.template.replace(f"a {old} that is", "vectors that are")
        mismatch.at = new if mismatch.at == old else mismatch.at
    mismatch.hint = mismatch.hint and mismatch.hint.replace("`embed_dim`, `kdim` and `vdim`", "`d_model`")
    return mismatch


@forward("torch.nn.TransformerEncoderLayer")
def encoder_layer_call(
    cx: Context,
    layer: Layer,
    src: Tensor,
    src_mask: Any = None,
    src_key_padding_mask: Any = None,
    is_causal: Any = False,
) -> Tensor:
    """Every token looks at every token; the shape stays."""
    return _attend(
        cx, layer, src, src, {"src_mask": src_mask}, {"src_key_padding_mask": src_key_padding_mask}, ("src", "src")
    )


@forward("torch.nn.TransformerEncoder")
def encoder_call(
    cx: Context, layer: Layer, src: Tensor, mask: Any = None, src_key_padding_mask: Any = None, is_causal: Any = None
) -> Tensor:
    """Every token looks at every token; the shape stays."""
    return _attend(cx, layer, src, src, {"mask": mask}, {"src_key_padding_mask": src_key_padding_mask}, ("src", "src"))


@forward("torch.nn.TransformerDecoderLayer torch.nn.TransformerDecoder")
def decoder_call(
    cx: Context,
    layer: Layer,
    tgt: Tensor,
    memory: Tensor,
    tgt_mask: Any = None,
    memory_mask: Any = None,
    tgt_key_padding_mask: Any = None,
    memory_key_padding_mask: Any = None,
    tgt_is_causal: Any = None,
    memory_is_causal: Any = False,
) -> Tensor:
    """The targets look at themselves, then at the memory; the result has the targets' shape."""
    own = _attend(
        cx, layer, tgt, tgt, {"tgt_mask": tgt_mask}, {"tgt_key_padding_mask": tgt_key_padding_mask}, ("tgt", "tgt")
    )
    _attend(
        cx,
        layer,
        own,
        memory,
        {"memory_mask": memory_mask},
        {"memory_key_padding_mask": memory_key_padding_mask},
        ("tgt", "memory"),
    )
    return own


@forward("torch.nn.Transformer")
def transformer_call(
    cx: Context,
    layer: Layer,
    src: Tensor,
    tgt: Tensor,
    src_mask: Any = None,
    tgt_mask: Any = None,
    memory_mask: Any = None,
    src_key_padding_mask: Any = None,
    tgt_key_padding_mask: Any = None,
    memory_key_padding_mask: Any = None,
    src_is_causal: Any = None,
    tgt_is_causal: Any = None,
    memory_is_causal: Any = False,
) -> Tensor:
    """The source is encoded, the targets look at it; the result has the targets' shape."""
    memory = _attend(
        cx, layer, src, src, {"src_mask": src_mask}, {"src_key_padding_mask": src_key_padding_mask}, ("src", "src")
    )
    own = _attend(
        cx, layer, tgt, tgt, {"tgt_mask": tgt_mask}, {"tgt_key_padding_mask": tgt_key_padding_mask}, ("tgt", "tgt")
    )
    _attend(
        cx,
        layer,
        own,
        memory,
        {"memory_mask": memory_mask},
        {"memory_key_padding_mask": memory_key_padding_mask},
        ("tgt", "src"),
    )
    return own


@rule(
    "torch.nn.Transformer.generate_square_subsequent_mask",
    term="causal mask",
)
def square_subsequent_mask(cx: Context, sz: Dim, device: Any = None, dtype: Any = None) -> Tensor:
    """0 on and below the diagonal, negative infinity above it."""
    if isinstance(sz, Unknown):
        raise CannotTell("the size is not known here", "float32")
    shape = Shape((sz, sz))
    return Tensor(shape, "float32", None, contiguous_strides(shape))
