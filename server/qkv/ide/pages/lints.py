"""Pages of the lints: code that runs and is wrong as attention."""

from qkv.ide.page import Page

_HEAD = "import torch\nimport torch.nn.functional as F\n\nq = torch.randn(2, 4, 6, 8)\n"


def _attend(mask: str) -> str:
    return f"{_HEAD}{mask}out = F.scaled_dot_product_attention(q, q, q, attn_mask=mask)\n"


def _scores(mask: str, hidden: str = "mask") -> str:
    return f'import torch\n\nscores = torch.randn(2, 6, 6)\n{mask}weights = scores.masked_fill({hidden}, float("-inf")).softmax(-1)\n'


PAGES = (
    Page(
        "mask-upside-down",
        "warning",
        "A causal mask is turned round",
        "The mask hides the keys that come before each query and shows those that come after. The code runs and trains all the same: the "
        "model learns to read the future, and has nothing to go by when it writes.",
        "The two calls of PyTorch read a boolean mask in opposite ways: in `scaled_dot_product_attention` True lets a query see a key, in "
        "`nn.MultiheadAttention` and in `masked_fill` it hides one. Turn the mask round with `~`, or use the other triangle.",
        _attend("mask = torch.ones(6, 6, dtype=torch.bool).triu(1)\n"),
        _attend("mask = torch.ones(6, 6, dtype=torch.bool).tril()\n"),
        "lesson:causal-mask",
        terms=("causal mask",),
    ),
    Page(
        "mask-sees-ahead",
        "warning",
        "A causal mask is off by one and shows the next token",
        "Each query is left with keys that come after it. A model that predicts the next token then reads the answer: its loss falls to "
        "nothing, and what it writes is noise.",
        "`torch.triu(ones, 1)` marks what lies above the diagonal, and that is what a causal mask hides; `triu(2)` leaves the next token in sight.",
        _scores("mask = torch.ones(6, 6, dtype=torch.bool).triu(2)\n"),
        _scores("mask = torch.ones(6, 6, dtype=torch.bool).triu(1)\n"),
        "lesson:causal-mask",
        terms=("causal mask",),
    ),
    Page(
        "mask-hides-itself",
        "warning",
        "A causal mask hides each token from itself",
        "The diagonal is hidden too. The first query is left with no key at all, and a softmax over nothing but negative infinity gives NaN.",
        "`torch.triu(ones)` includes the diagonal; `triu(1)` starts above it.",
        _scores("mask = torch.ones(6, 6, dtype=torch.bool).triu()\n"),
        _scores("mask = torch.ones(6, 6, dtype=torch.bool).triu(1)\n"),
        "lesson:causal-mask",
        terms=("causal mask",),
    ),
    Page(
        "mask-hides-all",
        "warning",
        "A mask hides every key",
        "Every entry of the mask hides its key, so each row of scores is negative infinity throughout and its softmax is NaN.",
        "A comparison that is true on both sides of the diagonal does this, such as `!= 2` on a mask of 0 and 1. Look at what the mask holds.",
        _scores("mask = torch.ones(6, 6).triu(1)\n", "mask != 2"),
        _scores("mask = torch.ones(6, 6).triu(1)\n", "mask == 1"),
        "lesson:causal-mask",
        terms=("causal mask",),
    ),
)
