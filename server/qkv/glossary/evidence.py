"""What a stretch of text is about: is a word such as "key" or "head" likely to be meant as in attention?

Textual and cheap on purpose. Cues are counted once each; a cue is worth 2 where it hardly occurs elsewhere. The tables below
are about subjects, not about single programs: to tell a new subject apart, add its plainest words to `OTHER_SUBJECTS`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from qkv.glossary.words import part_texts, word_set

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_WORD = re.compile(r"[A-Za-z]+(?:_\w+)*")


def _table(**by_worth: str) -> dict[str, int]:
    return {cue: worth for name, worth in (("one", 1), ("two", 2)) for cue in by_worth.get(name, "").split()}


ATTENTION_PARTS = _table(
    two="attn attention qkv mha sdpa multihead rotary kv",
    one="scores causal attend transformer positional alibi seqlen rope",
)
"""Parts of identifiers that speak for attention code."""

ATTENTION_NAMES = _table(
    two="""n_head n_heads num_heads nhead head_dim d_head dim_head d_model n_embd d_k d_v q_proj k_proj v_proj o_proj out_proj wq wk wv w_q w_k w_v
    to_q to_k to_v to_qkv num_attention_heads causal_mask key_padding_mask key_states query_states value_states""",
    one="seq_len masked_fill block_size embed_dim n_layer n_layers num_layers tok_emb pos_emb heads head",
)
"""Whole identifiers that speak for attention code; compared in lower case."""

NETWORK_PARTS = word_set("""
    attn qkv sdpa mha multihead torch softmax logits requires_grad tensorflow keras jax flax relu gelu layernorm nn optimizer
    autograd cuda dropout
    """)
"""Parts that speak for a neural network of any kind."""

NETWORK_HINTS = word_set("""
    forward tensor einsum shape matmul transpose epoch epochs embedding grad model train loss bias batch
    """)
"""Parts that fit one but occur everywhere: together they are worth one point."""

ATTENTION_HINTS = (frozenset({"tril", "triu"}), frozenset({"mask", "masks", "masked"}))
"""Parts that belong together and are worth one point: half a matrix may be a causal mask, or algebra."""

LANGUAGE_PARTS = _table(
    two="vocab vocabulary tiktoken sentencepiece spacy nltk bpe corpus detokenize logits pretrained nlp lm sentence sentences input_ids",
    one="tokenizer tokenizers words ids decode encode embedding",
)
"""Parts that speak for a program that works on text as tokens."""

ATTENTION_WORDS = _table(
    two="softmax transformer transformers",
    one="attention attend attends attending head heads score scores query queries mask masks masked masking",
)
STORE_WORDS = word_set("key keys value values")
ALGEBRA_WORDS = word_set("matrix matrices vector vectors dimension dimensions projection projections width")
STATISTICS_WORDS = word_set(
    "distribution variance mean probability probabilities entropy spread deviation share shares"
)
TEXT_WORDS = word_set("token tokens sequence sequences sentence sentences word words position positions vocabulary")
EMBEDDING_WORDS = word_set("embedding embeddings")
NETWORK_WORDS = _table(
    two="neural optimizer backpropagation backprop perplexity feedforward gelu relu llm gpt bert pytorch nanogpt",
    one="""layer layers weight weights gradient gradients parameter parameters network networks model models train training trained learn learns
    learned learning loss block blocks encoder decoder""",
)
"""The words of prose. Those of one trade (statistics, linear algebra, storage) count once together: an `ALGEBRA_WORDS` text alone is algebra."""

ATTENTION_PHRASES = re.compile(
    r"\b(?:self|cross|multi-?head|causal|soft|hard|scaled dot-product|flash)[- ]attention\b"
    r"|\b(?:head|model|key) (?:width|size|dimension)s?\b"
    r"|\battention (?:heads?|layers?|weights?|scores?|maps?|masks?|patterns?|blocks?|matrix|mechanism)\b"
    r"|\b(?:residual stream|causal mask|padding mask|kv[- ]cache|output projection|score matrix|key axis|weighted sum of (?:the )?values"
    r"|queries (?:and|,) keys|queries, keys|query (?:and|,) key|qkv|d_k|d_model)s?\b",
    re.IGNORECASE,
)
NETWORK_PHRASES = re.compile(
    r"\b(?:skip connection|residual connection|gradient descent|learning rate|backward pass|feed-?forward|logit|layer ?norm|language model"
    r"|neural network|positional encoding|position embedding)s?\b",
    re.IGNORECASE,
)
"""Phrases that settle by themselves what a paragraph is about."""

OTHER_SUBJECTS = word_set("""
    sql database databases index indexes schema postgres postgresql mysql sqlite mongodb redis join select insert nosql
    api apis http https url endpoint request requests response header headers cookie cookies session oauth jwt bearer login password
    passwords secret secrets credential credentials authorization authentication auth user users account env environ getenv ssh rsa aes
    encrypt encrypted encryption decrypt cipher certificate signature
    docker dockerfile container containers kubernetes k8s helm yaml pod pods ingress namespace image images png jpeg photo photos
    photoshop gimp pixel pixels brush canvas opacity svg css html dom browser button slider widget widgets window menu dialog click
    keyboard keypress shortcut font fonts color colour colors colours background margin border stylesheet pdf
    map maps gis raster shapefile geojson latitude longitude mercator mapbox leaflet terrain
    audio music musical chord chords melody octave piano song guitar tempo pitch major minor midi
    queue stack linked list tail deque tree node nodes dict dictionary dictionaries hashmap json csv xml toml ini config configs
    configuration setting settings cursor parser lexer grammar ast compiler enum enums pandas dataframe dataframes spreadsheet excel
    invoice invoices price prices budget sales revenue customer customers order orders warehouse parcel parcels shipping kilograms
    kitchen recipe cake coin coins dice game games player players score-board museum hospital doctor patient
    hardware mechanical engine steel voltage circuit temperature-sensor weather git branch commit repository editor file files folder
    filesystem disk driver kernel linux ubuntu fedora process processes thread threads socket tcp udp router firewall
    """)
"""Words of other trades. In prose each one takes 2 away."""

OTHER_CODE = word_set("""
    sql cursor sqlite3 sqlalchemy psycopg2 execute fetchall environ getenv headers cookies requests httpx aiohttp jwt oauth password
    secret api bearer authorization tail prev linked deque hashlib hmac linalg qr eigh eigvals cholesky svd cryptography rsa aes enum
    pygame tkinter qt qwidget slider spinbox widget dataframe coin tails docker kubernetes folium geopandas midi lexer grammar parser
    parse markup syntax ast
    """)
"""Parts of identifiers of other trades. In code each one takes 1 away."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Points for each subject; `other` counts against all of them. `sure` are those of `attention` that hardly any other text has."""

    attention: int = 0
    network: int = 0
    language: int = 0
    other: int = 0
    sure: int = 0

    def __add__(self, more: Evidence) -> Evidence:
        return Evidence(
            self.attention + more.attention,
            self.network + more.network,
            self.language + more.language,
            self.other + more.other,
            self.sure + more.sure,
        )


def code_evidence(code: str) -> Evidence:
    """What identifiers say about a stretch of code whose strings and comments are taken out."""
    names = set(_IDENTIFIER.findall(code))
    lower = {name.lower() for name in names}
    parts = {part for name in names for part in part_texts(name)} | lower
    attention = (
        _points(ATTENTION_PARTS, parts)
        + _points(ATTENTION_NAMES, lower)
        + sum(bool(hint & parts) for hint in ATTENTION_HINTS)
    )
    attention += _together(names, "q k v") or _together(names, "Q K V")
    attention += _together(parts, "query key value") or _together(parts, "queries keys values")
    network = 2 * len(NETWORK_PARTS & parts) + (
        2 if {"loss", "backward"} <= parts else 1 if NETWORK_HINTS & parts or " @ " in code else 0
    )
    return Evidence(attention, network, _points(LANGUAGE_PARTS, parts), len(OTHER_CODE & parts))


def _together(names: set[str], three: str) -> int:
    """Query and key side by side speak for attention; key and value alone do not, any dictionary has them."""
    query, key, value = (name in names for name in three.split())
    if query and key:
        return 2 if len(three) == 5 or value else 1
    return 0


def prose_evidence(text: str) -> Evidence:
    """What the words of a paragraph say."""
    words = {word.lower() for word in _WORD.findall(text)}
    sure = 3 * len({match.group().lower() for match in ATTENTION_PHRASES.finditer(text)})
    of_networks = 3 * len({match.group().lower() for match in NETWORK_PHRASES.finditer(text)})
    attention = min(_points(ATTENTION_WORDS, words), 4)
    network = _points(NETWORK_WORDS, words)
    trades = sum(
        bool(words & trade) for trade in (STORE_WORDS, ALGEBRA_WORDS, STATISTICS_WORDS, TEXT_WORDS, EMBEDDING_WORDS)
    )
    names = code_evidence(" ".join(word for word in _WORD.findall(text) if "_" in word)).attention
    letters = 1 if len(words & {"q", "k", "v"}) > 1 else 0
    language = (
        2 * len(words & {"tokenizer", "tokenizers", "vocabulary", "bpe"})
        + of_networks
        + (1 if TEXT_WORDS & words else 0)
    )
    return Evidence(
        attention=sure + names + attention + min(trades, 2) + min(network, 1) + letters,
        network=sure + of_networks + network + min(attention, 2),
        language=sure + language,
        other=2 * len(words & OTHER_SUBJECTS),
        sure=sure + names + (attention if attention > 1 else 0),
    )


def _points(table: dict[str, int], found: Iterable[str]) -> int:
    return sum(table[cue] for cue in table.keys() & set(found))
