"""Where a word in code is a plain Python word although the code around it is about attention.

`for key, value in d.items()`, `sorted(xs, key=…)`, `df.head()`, `kind.value`, `top_k`: none of these is a key, a value or a head.
"""

from __future__ import annotations

import re

from qkv.glossary.evidence import OTHER_CODE
from qkv.glossary.python_text import PythonText
from qkv.glossary.words import parts_of

ML_ROOTS = frozenset("torch torchvision einops einx transformers flash_attn xformers jax flax tensorflow keras tf tiktoken tokenizers".split())
"""Packages in which a word of the glossary has the glossary's sense."""

ATTENTION_OWNERS = frozenset(
    """self attn attention mha sdpa multihead cross block blocks layer layers module model decoder encoder head heads transformer gpt net
    cache kv config cfg args hparams forward torch functional""".split()
)
"""Parts of the name before a dot, or of the function called, where `query`, `key`, `head`, `scale`… can be attention's."""

COMPANIONS = frozenset(
    """
    proj projs projection projections state states layer layers weight weights w b bias len length lens lengths mask masks masked padding pad
    cache cached past head heads new cross self attn attention dim dims size vec vector vectors linear net in out rot rotated rotary rope t seq all
    norm normed emb embed split n num per q k v kv qkv x idx index i j h d c l m s a count group groups repeat repeated expanded flat shape softmax scaled
    scaling inv to from tensor causal multi single src tgt enc dec encoder decoder memory output outputs hidden batch fc token tokens position
    positions pos matrix mat dot pre post block blocks merge merged join fused packed score scores local global sparse value values key keys
    query queries and or the one two first last next width axis offset start end total is has use with sin cos up down sub prune pruned
    """.split()
)
"""Parts that may stand beside `query`, `key`, `value`, `head`… in one identifier that still means attention's."""

SERVICE_CALLS = frozenset("login logout download upload hub pretrained push request requests get post put client session api connect".split())
"""Parts of functions whose `token=` is a secret."""

_MAPPING_LOOP = re.compile(
    r"\bfor\s+([\w\s,()*]+?)\s+in\b[^\n:]*?\.(?:items|keys|values|iteritems|named_parameters|named_modules|named_children|named_buffers)\s*\("
)
_COUNTING_LOOP = re.compile(r"\bfor\s+([\w\s,()]+?)\s+in\s+(?:range|enumerate|sorted|set|dict|count|os\b|reversed\(range)")
_OUTPUT_HEAD = re.compile(r"\bself\s*\.\s*heads?\s*=\s*(?:nn\.)?(?:Linear|Sequential)\b")


def mapping_names(page: PythonText, offset: int) -> frozenset[str]:
    """Names that the function around an offset uses as a mapping's keys and values, or counts with."""
    start, end = page.function(offset)
    code = page.code[start:end]
    found: set[str] = set()
    for match in _MAPPING_LOOP.finditer(code):
        found.update(re.findall(r"\w+", match.group(1)))
    for match in _COUNTING_LOOP.finditer(code):
        found.update(name for name in re.findall(r"\w+", match.group(1)) if len(name) == 1)
    for name in ("key", "k", "query"):
        if name not in found and name in code and _indexes_with(code, name):
            found.add(name)
    if "key" in found:
        found.add("value")
    return frozenset(found)


def _indexes_with(code: str, name: str) -> bool:
    """`d[key]`, `key in d`, `d.get(key`, `d.pop(key`, `getattr(x, key`, `lambda key:`."""
    return bool(
        re.search(
            rf"\w\[\s*{name}\s*\]|\b{name}\s+(?:not\s+)?in\b(?<!for {name} in)|\.(?:get|pop|setdefault|add|remove|startswith|endswith|split|strip)\(\s*{name}\b"
            rf"|\b{name}\.(?:startswith|endswith|split|strip|lower|upper|replace|format|encode)\(|\b[gs]etattr\([^()]*,\s*{name}\b|\blambda\s+{name}\s*:",
            code,
        )
    )


def speaks_of_something_else(page: PythonText, offset: int) -> bool:
    """Whether the line itself names another trade: `token = os.environ[…]`, `headers["…"] = key`."""
    start, end = page.line_of(offset)
    return any(part.text in OTHER_CODE for word in set(re.findall(r"[A-Za-z_]\w*", page.code[start:end])) for part in parts_of(word))


def is_output_head(page: PythonText, offset: int) -> bool:
    """Whether `self.head` is a plain linear map here, as in image classifiers: a model's last layer, not a head of attention."""
    start, end = page.scope(offset)
    return bool(_OUTPUT_HEAD.search(page.code, start, end))


def keyword_of(page: PythonText, start: int, end: int) -> str | None:
    """The function whose keyword argument the name at `start:end` is, "" where it cannot be named; None where it is none."""
    after = page.code[end : end + 40].lstrip(" \t")
    if not after.startswith("=") or after.startswith("=="):
        return None
    bracket = page.open_bracket(start)
    if bracket is None or page.code[bracket] != "(":
        return None
    before = page.code[max(0, bracket - 200) : bracket]
    if re.search(r"\b(?:def|class)\s+\w+\s*\Z", before):
        return None
    called = re.search(r"([A-Za-z_][\w.]*)\s*\Z", before)
    return called.group(1) if called else ""


def import_at(page: PythonText, offset: int) -> tuple[str, bool] | None:
    """`(module, True)` on a name that is imported from a module, `("", False)` elsewhere in an import; None outside of imports."""
    start, end = page.line_of(offset)
    bracket = page.open_bracket(offset)
    if bracket is not None and page.code[bracket] == "(":
        opened, _ = page.line_of(bracket)
        before = re.match(r"\s*from\s+([\w.]+)\s+import\s*\Z", page.code[opened:bracket])
        if before:
            return before.group(1), True
    line = page.code[start:end]
    match = re.match(r"\s*(?:from\s+([\w.]*)(\s+import\b)?|import\b)", line)
    if match is None:
        return None
    if match.group(2) and offset - start >= match.end():
        return match.group(1), True
    return "", False
