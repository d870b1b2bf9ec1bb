"""Pages of the codes about layers, attention and losses."""

from qkv.ide.page import Page

PAGES = (
    Page(
        "shape-linear",
        "error",
        "A linear layer gets vectors of another width",
        "`nn.Linear(in_features, out_features)` works on the last axis, which must have `in_features` numbers. Here it has another size.",
        "Either the layer was made for another width, or the wrong axis is last: heads that were not joined again, or channels in front as "
        "images have them.",
        "import torch\nfrom torch import nn\n\nproject = nn.Linear(512, 512)\nx = torch.randn(2, 10, 64)\ny = project(x)\n",
        "import torch\nfrom torch import nn\n\nproject = nn.Linear(64, 512)\nx = torch.randn(2, 10, 64)\ny = project(x)\n",
        terms=("projection",),
    ),
    Page(
        "shape-norm",
        "error",
        "A normalisation layer gets another width than it was made for",
        "`nn.LayerNorm(d)` normalises the last axis and holds one gain and one bias for each of its d numbers. Here the last axis has another size.",
        "Give the layer the size of the axis that it stands behind, and check that the features are last.",
        "import torch\nfrom torch import nn\n\nnorm = nn.LayerNorm(10)\nx = torch.randn(2, 10, 512)\ny = norm(x)\n",
        "import torch\nfrom torch import nn\n\nnorm = nn.LayerNorm(512)\nx = torch.randn(2, 10, 512)\ny = norm(x)\n",
        "lesson:running-vector",
        terms=("layer norm",),
    ),
    Page(
        "shape-embedding",
        "error",
        "An id is outside of an embedding's table",
        "`nn.Embedding(n, d)` has the rows 0 to n - 1. An id here can be n or more, or below 0.",
        "The table must be as large as the vocabulary, or, for positions, as the longest text: a sequence longer than the table has no row to look up.",
        "import torch\nfrom torch import nn\n\npositions = nn.Embedding(128, 64)\nx = positions(torch.arange(256))\n",
        "import torch\nfrom torch import nn\n\npositions = nn.Embedding(256, 64)\nx = positions(torch.arange(256))\n",
        "lesson:order",
        terms=("embedding",),
    ),
    Page(
        "shape-conv",
        "error",
        "A convolution gets another number of channels",
        "A convolution expects (batch, channels, …), and the channels must be those that it was made for. Here they are not, or the kernel is larger than the input.",
        "Language code puts features last and convolutions want them in second place: `x.transpose(1, 2)` before, and again after.",
        "import torch\nfrom torch import nn\n\nconv = nn.Conv1d(64, 64, 3)\nx = torch.randn(2, 10, 64)\ny = conv(x)\n",
        "import torch\nfrom torch import nn\n\nconv = nn.Conv1d(64, 64, 3)\nx = torch.randn(2, 10, 64)\ny = conv(x.transpose(1, 2))\n",
    ),
    Page(
        "shape-attention",
        "error",
        "The inputs of an attention layer do not fit together",
        "Queries and keys must have one width, keys and values one length, the width must be divisible by the number of heads, and a mask must "
        "have an entry for every pair of a query and a key. One of these does not hold here.",
        "The message names the two sizes. A key padding mask is (batch, keys), True where a key is padding; an attention mask is (queries, keys).",
        "import torch\nfrom torch import nn\n\nattention = nn.MultiheadAttention(512, 8, batch_first=True)\nx = torch.randn(2, 10, 256)\ny, _ = attention(x, x, x)\n",
        "import torch\nfrom torch import nn\n\nattention = nn.MultiheadAttention(256, 8, batch_first=True)\nx = torch.randn(2, 10, 256)\ny, _ = attention(x, x, x)\n",
        "lesson:multi-head-attention",
        terms=("multi-head attention",),
    ),
    Page(
        "shape-loss",
        "error",
        "Predictions and targets do not fit together",
        "`cross_entropy` wants the classes in the second axis: logits (N, V) with targets (N,), or logits (N, V, T) with targets (N, T). Here they do not match.",
        "A language model gives (B, T, V): flatten both, `logits.view(-1, V)` and `targets.view(-1)`, or turn the logits with `transpose(1, 2)`.",
        "import torch\nimport torch.nn.functional as F\n\nlogits = torch.randn(2, 5, 7)\ntargets = torch.randint(7, (2, 5))\nloss = F.cross_entropy(logits, targets)\n",
        "import torch\nimport torch.nn.functional as F\n\nlogits = torch.randn(2, 5, 7)\ntargets = torch.randint(7, (2, 5))\nloss = F.cross_entropy(logits.transpose(1, 2), targets)\n",
        "lesson:language-model",
        terms=("cross-entropy",),
    ),
)
