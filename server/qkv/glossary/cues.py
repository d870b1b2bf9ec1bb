"""The words that tell what a text is about. About subjects, not about single programs.

Each cue counts once. In a table "two" are the cues that hardly occur elsewhere, "one" those that need company.
To tell another subject apart from attention, add its plainest words to `OTHER_SUBJECTS` (prose) and `OTHER_CODE` (identifiers).
"""

from __future__ import annotations

import re

from qkv.glossary.words import word_set


def _table(*, two: str, one: str) -> dict[str, int]:
    return {**dict.fromkeys(one.split(), 1), **dict.fromkeys(two.split(), 2)}


# In code: parts of identifiers (`attn` of `attn_weights`) and whole identifiers in lower case.

ATTENTION_CODE = _table(
    two="""
    attn attention qkv mha sdpa multihead rotary kv
    n_head n_heads num_heads nhead num_attention_heads head_dim d_head dim_head d_model n_embd d_k d_v causal_mask key_padding_mask
    q_proj k_proj v_proj o_proj out_proj wq wk wv w_q w_k w_v to_q to_k to_v to_qkv key_states query_states value_states
    k_cache v_cache cache_k cache_v past_key_values
    """,
    one="""
    scores causal attend transformer positional alibi seqlen rope
    seq_len block_size embed_dim n_layer n_layers num_layers tok_emb pos_emb
    """,
)

ATTENTION_NAMES = word_set("heads head")
"""The same as whole names only: `heads`, not `n_heads` once more."""

ATTENTION_HINTS = (frozenset({"tril", "triu"}), frozenset({"mask", "masks", "masked", "masked_fill"}))
"""Cues that belong together and are worth one point: half a matrix may be a causal mask, or algebra."""

NETWORK_CODE = word_set("""
    attn qkv sdpa mha multihead torch softmax logits requires_grad tensorflow keras jax flax relu gelu layernorm nn optimizer
    autograd cuda dropout numel unsqueeze masked_fill keepdim register_buffer no_grad bmm modulelist wte wpe lm_head
    cross_entropy one_hot layer_norm
    """)

NETWORK_HINTS = word_set("""
    forward backward tensor einsum shape matmul transpose epoch epochs embedding grad model train loss bias batch
    """)
"""Parts that fit a network but occur everywhere: together they are worth one point."""

NETWORK_PAIRS = (
    frozenset({"loss", "backward"}),
    frozenset({"weight", "grad"}),
    frozenset({"model", "parameters"}),
)
"""Hints that together speak for a network."""

LANGUAGE_CODE = _table(
    two="""
    vocab vocabulary tiktoken sentencepiece spacy nltk bpe corpus detokenize logits pretrained nlp lm sentence sentences input_ids
    """,
    one="tokenizer tokenizers words ids decode encode embedding multinomial",
)

OTHER_CODE = word_set("""
    sql cursor sqlite3 sqlalchemy psycopg2 execute fetchall environ getenv headers cookies requests httpx aiohttp jwt oauth password
    secret api bearer authorization tail prev linked deque hashlib hmac linalg qr eigh eigvals cholesky svd cryptography rsa aes enum
    pygame tkinter qt qwidget slider spinbox widget dataframe coin tails docker kubernetes folium geopandas midi lexer grammar parser
    parse markup syntax ast
    """)
"""Each one takes a point away."""

# In prose: words in lower case. Those of one trade (statistics, algebra, storage) count once together: a text that has only
# them is about that trade.

ATTENTION_WORDS = _table(
    two="softmax transformer transformers",
    one="attention attend attends attending head heads score scores query queries mask masks masked masking",
)

ROLES = (frozenset({"query", "queries"}), frozenset({"key", "keys"}), frozenset({"value", "values"}))
"""A paragraph that has all three is about attention."""

TRADES = (
    word_set("key keys value values"),
    word_set("dot matrix matrices vector vectors dimension dimensions projection projections width"),
    word_set("distribution variance mean probability probabilities entropy spread deviation share shares"),
    word_set("token tokens sequence sequences sentence sentences word words position positions vocabulary"),
    word_set("embedding embeddings"),
)

TEXT_WORDS = TRADES[3]

NETWORK_WORDS = _table(
    two="neural optimizer backpropagation backprop perplexity feedforward gelu relu llm gpt bert pytorch nanogpt",
    one="""
    layer layers weight weights gradient gradients parameter parameters network networks model models train training trained learn
    learns learned learning loss block blocks encoder decoder
    """,
)

LANGUAGE_WORDS = word_set("tokenizer tokenizers vocabulary bpe")

ATTENTION_PHRASES = re.compile(
    r"\b(?:self|cross|multi-?head|causal|soft|hard|scaled dot-product|flash)[- ]attention\b"
    r"|\b(?:head|model|key) (?:width|size|dimension)s?\b"
    r"|\battention (?:heads?|layers?|weights?|scores?|maps?|masks?|patterns?|blocks?|matrix|mechanism)\b"
    r"|\b(?:residual stream|causal mask|padding mask|kv[- ]cache|output projection|score matrix|key axis"
    r"|weighted sum of (?:the )?values|queries (?:and|,) keys|queries, keys|query (?:and|,) key|qkv|d_k|d_model)s?\b",
    re.IGNORECASE,
)

NETWORK_PHRASES = re.compile(
    r"\b(?:skip connection|residual connection|gradient descent|learning rate|backward pass|feed-?forward|logit|layer ?norm"
    r"|language model|neural network|positional encoding|position embedding)s?\b",
    re.IGNORECASE,
)
"""Phrases that settle by themselves what a paragraph is about."""

OTHER_SUBJECTS = word_set("""
    sql database databases schema postgres postgresql mysql sqlite mongodb redis nosql index indexes
    api apis http https url endpoint request requests response header headers cookie cookies session oauth jwt bearer login password
    passwords secret secrets credential credentials authorization authentication auth env environ getenv ssh rsa aes keychain
    encrypt encrypted encryption decrypt cipher certificate signature
    docker dockerfile container containers kubernetes k8s helm yaml pod pods ingress namespace png jpeg photo photos
    photoshop gimp pixel pixels brush canvas opacity svg css html dom browser button slider widget widgets dialog
    keyboard keypress shortcut font fonts color colour colors colours background margin border stylesheet pdf
    gis raster shapefile geojson latitude longitude mercator mapbox leaflet terrain
    audio music musical chord chords melody octave piano song guitar midi
    queue tail deque dict dictionary dictionaries hashmap json csv xml toml ini
    cursor parser lexer grammar ast compiler enum enums pandas dataframe dataframes spreadsheet excel
    invoice invoices price prices budget sales revenue customer customers warehouse parcel parcels shipping kilograms
    kitchen recipe cake coin coins dice game games player players museum hospital doctor patient
    steel voltage circuit weather git commit repository editor folder
    filesystem disk linux ubuntu fedora socket tcp udp router firewall
    """)
"""Each one takes two points away."""
