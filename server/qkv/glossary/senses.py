"""Where a word in code is a plain Python word although the code around it is about attention.

`for key, value in d.items()`, `sorted(xs, key=…)`, `df.head()`, `kind.value`, `top_k`: none of these is a key, a value or a head.
"""

from __future__ import annotations

import re

from qkv.glossary.cues import OTHER_CODE
from qkv.glossary.python_text import PythonText
from qkv.glossary.words import parts_of, word_set

ML_ROOTS = word_set(
    "torch torchvision einops einx transformers flash_attn xformers jax flax tensorflow keras tf tiktoken tokenizers"
)
"""Packages in which a word of the glossary has the glossary's sense."""

ATTENTION_OWNERS = word_set("""self attn attention mha sdpa multihead cross block blocks layer layers module model decoder encoder head heads transformer gpt net
    cache kv config cfg args hparams forward torch functional""")
"""Parts of the name before a dot, or of the function called, where `query`, `key`, `head`, `scale`… can be attention's."""

COMPANIONS = word_set("""
    proj projs projection projections state states layer layers weight weights w b bias len length lens lengths mask masks masked padding pad
    cache cached past head heads new cross self attn attention dim dims size vec vector vectors linear net in out rot rotated rotary rope t seq all
    norm normed emb embed split n num per q k v kv qkv x idx index i j h d c l m s a count group groups repeat repeated expanded flat shape softmax scaled
    scaling inv to from tensor causal multi single src tgt enc dec encoder decoder memory output outputs hidden batch fc token tokens position
    positions pos matrix mat dot pre post block blocks merge merged join fused packed score scores local global sparse value values key keys
    query queries and or the one two first last next width axis offset start end total is has use with sin cos up down sub prune pruned
    """)
"""Parts that may stand beside `query`, `key`, `value`, `head`… in one identifier that still means attention's."""

SERVICE_CALLS = word_set(
    "login logout download upload hub pretrained push request requests get post put client session api connect"
)
"""Parts of functions whose `token=` is a secret."""

_MAPPING_LOOP = re.compile(
    r"\bfor\s+([\w ,()*]{1,80}?)\s+in\b[^\n:]{0,200}?\.(?:items|keys|values|iteritems|named_parameters|named_modules|named_children|named_buffers)\s*\("
)
_COUNTING_LOOP = re.compile(
    r"\bfor\s+([\w ,()]{1,80}?)\s+in\s+(?:range|enumerate|sorted|set|dict|count|os\b|reversed\(range)"
)
_ROLE_TAKERS = ATTENTION_OWNERS - {"self", "config", "cfg", "args"}
_PLAIN_CALLS = frozenset({"dict", "print", "sorted", "open", "min", "max", "sum"})
_WINDOW = re.compile(r"(?i)(?:conv|pool|unfold|fold)")
_NAME = re.compile(r"\w+")
_KEY_OF = re.compile(r"\.(?:get|pop|setdefault|add|remove)\(\s*\Z|\b[gs]etattr\([^()]*,\s*\Z")
_AS_TEXT = re.compile(r"\.(?:startswith|endswith|r?split|strip|lower|upper|replace|format|encode)\(")
_IN_BRACKETS = re.compile(r"\w\[\s*\Z")
_IN = re.compile(r"\s+(?:not\s+)?in\b")
_FOR = re.compile(r"\bfor\s+\Z")
_LAMBDA = re.compile(r"\blambda\s+\Z")
_OUTPUT_HEAD = re.compile(r"\bself\s*\.\s*heads?\s*=\s*(?:nn\.)?(?:Linear|Sequential)\b")


def is_mapping_name(page: PythonText, offset: int, name: str) -> bool:
    """Whether the function around an offset uses a name as a mapping's key or value, or counts with it."""
    start, end = page.function(offset)
    code = page.code[start:end]
    bound: set[str] = set()
    for match in _MAPPING_LOOP.finditer(code):
        bound.update(_NAME.findall(match.group(1)))
    for match in _COUNTING_LOOP.finditer(code):
        bound.update(loop for loop in _NAME.findall(match.group(1)) if len(loop) == 1)
    if name == "value":
        return bool(bound & {"key", "value"}) or _indexes_with(code, "key")
    return name in bound or (name in ("key", "k", "query") and _indexes_with(code, name))


def _indexes_with(code: str, name: str) -> bool:
    """Whether a name is used as a mapping's key or as text somewhere: `d[key]`, `key in d`, `d.get(key)`, `key.split(…)`."""
    for match in re.finditer(rf"\b{name}\b", code):
        before, after = code[max(0, match.start() - 40) : match.start()], code[match.end() : match.end() + 16]
        if _KEY_OF.search(before) or _AS_TEXT.match(after):
            return True
        if _IN_BRACKETS.search(before) and after.lstrip().startswith("]"):
            return True
        if _IN.match(after) and not _FOR.search(before):
            return True
        if _LAMBDA.search(before) and after.lstrip().startswith(":"):
            return True
    return False


def speaks_of_something_else(page: PythonText, offset: int) -> bool:
    """Whether the line itself names another trade: `token = os.environ[…]`, `headers["…"] = key`."""
    start, end = page.line_of(offset)
    return any(
        part.text in OTHER_CODE
        for word in set(re.findall(r"[A-Za-z_]\w*", page.code[start:end]))
        for part in parts_of(word)
    )


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


def takes_our_keywords(page: PythonText, called: str, *, a_role: bool) -> bool:
    """Whether `called(key=…)` can mean attention's key: PyTorch's functions and those named after what they do."""
    root, last = called.split(".")[0], called.rsplit(".", 1)[-1]
    if a_role and _WINDOW.match(last):
        return False  # the padding of a convolution
    if root in page.aliases:
        return page.aliases[root].split(".")[0] in ML_ROOTS
    parts = {part.text for part in parts_of(last)}
    if a_role:
        return bool(parts & _ROLE_TAKERS)
    return called not in _PLAIN_CALLS and not parts & SERVICE_CALLS


def is_of_another_package(page: PythonText, receiver: str | None) -> bool:
    """Whether a dotted name starts with an import that has nothing to do with networks: `plt.…`, `np.…`."""
    root = (receiver or "").split(".")[0]
    return root in page.aliases and page.aliases[root].split(".")[0] not in ML_ROOTS


def can_own_a_role(receiver: str) -> bool:
    """Whether `receiver.query` can be attention's: `self`, `attn`, `config`, but no `event`, `node` or `df`."""
    return any(part.text in ATTENTION_OWNERS for part in parts_of(receiver.rsplit(".", 1)[-1]))


def can_stand_beside_a_role(parts: set[str]) -> bool:
    """Whether the other parts of an identifier leave `query`, `key`, `head`… its sense: `key_states`, but no `sort_key`."""
    return all(part.isdigit() or len(part) == 1 or part in COMPANIONS for part in parts)


def import_at(page: PythonText, offset: int) -> tuple[str, bool] | None:
    """`(module, True)` on a name that is imported from a module, `("", False)` elsewhere in an import; None outside of imports."""
    start, end = page.line_of(offset)
    nearby = page.code.rfind("import", max(0, offset - 2000), offset) >= 0
    bracket = page.open_bracket(offset) if nearby else None
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
