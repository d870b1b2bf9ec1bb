"""Pages of the codes about operators and their shapes."""

from qkv.ide.page import Page

PAGES = (
    Page(
        "shape-matmul",
        "error",
        "The two inner sizes of a matrix product differ",
        "`a @ b` pairs the last axis of `a` with the second-to-last axis of `b`, number by number. Here the two have different sizes, "
        "so some numbers would have no partner. PyTorch raises when the line runs.",
        "In attention this is nearly always a forgotten transpose: queries and keys both end in the head width, and `q @ k` pairs the "
        "width of one with the positions of the other. Turn the last two axes of the second one: every query then meets every key.",
        "import torch\n\nq = torch.randn(4, 8, 32, 64)\nk = torch.randn(4, 8, 32, 64)\nscores = q @ k\n",
        "import torch\n\nq = torch.randn(4, 8, 32, 64)\nk = torch.randn(4, 8, 32, 64)\nscores = q @ k.transpose(-2, -1)\n",
        "lesson:queries-keys-values",
        terms=("dot product",),
    ),
    Page(
        "shape-broadcast",
        "error",
        "Two shapes cannot be stretched to one",
        "Elementwise operators line two shapes up from the right. Each pair of sizes must be equal, or one of them 1. Here a pair is neither.",
        "Look at the two shapes written below each other, right-aligned. An axis is missing or in the wrong place: `unsqueeze` puts an axis "
        "of size 1 where the other shape has one that this one lacks, as a padding mask of shape (B, T) needs two before it meets scores of "
        "shape (B, H, T, T).",
        "import torch\n\nscores = torch.randn(4, 8, 32, 32)\nbias = torch.randn(4, 32)\nscores = scores + bias\n",
        "import torch\n\nscores = torch.randn(4, 8, 32, 32)\nbias = torch.randn(4, 32)\nscores = scores + bias[:, None, None, :]\n",
        "lesson:causal-mask",
        terms=("broadcasting",),
    ),
    Page(
        "shape-view",
        "error",
        "The new shape does not hold as many numbers",
        "`view` and `reshape` keep all numbers and only cut them differently, so the product of the sizes must stay what it was. Here it does not.",
        "Multiply both shapes out and see which size is wrong. One size may be written as -1: it becomes what is left.",
        "import torch\n\nx = torch.randn(2, 10, 512)\nheads = x.view(2, 10, 8, 32)\n",
        "import torch\n\nx = torch.randn(2, 10, 512)\nheads = x.view(2, 10, 8, 64)\n",
        "lesson:multi-head-attention",
        terms=("view",),
    ),
    Page(
        "shape-view-stride",
        "error",
        "This tensor cannot be viewed without a copy",
        "`view` never copies. After a transpose or a permute the numbers lie in memory in another order than the shape says, and axes that "
        "are not neighbours in memory cannot be joined without moving them.",
        "Use `reshape`, which copies where it must, or put `.contiguous()` before the view. Both give the same numbers.",
        "import torch\n\nout = torch.randn(2, 8, 10, 64)\nx = out.transpose(1, 2).view(2, 10, 512)\n",
        "import torch\n\nout = torch.randn(2, 8, 10, 64)\nx = out.transpose(1, 2).reshape(2, 10, 512)\n",
        "lesson:multi-head-attention",
        terms=("view",),
    ),
    Page(
        "shape-cat",
        "error",
        "Tensors that are joined differ in another axis",
        "`torch.cat` joins along one axis, and all other axes must agree; `torch.stack` makes a new axis, and all axes must agree. Here one does not.",
        "Compare the shapes axis by axis. Often the axis that was meant is another one than `dim` says.",
        "import torch\n\npast = torch.randn(2, 8, 5, 64)\nnew = torch.randn(2, 8, 1, 64)\nk = torch.cat([past, new], dim=1)\n",
        "import torch\n\npast = torch.randn(2, 8, 5, 64)\nnew = torch.randn(2, 8, 1, 64)\nk = torch.cat([past, new], dim=2)\n",
        "lesson:generation",
    ),
    Page(
        "shape-index",
        "error",
        "An index is outside of its axis, or there are too many",
        "An axis of size n has the positions 0 to n - 1 (or -n to -1 from the end), and a tensor takes no more indices than it has axes.",
        "Check which axis the index is for; after an `unsqueeze` or a batch axis in front everything is one further right.",
        "import torch\n\nx = torch.randn(2, 5)\nlast = x[:, 5]\n",
        "import torch\n\nx = torch.randn(2, 5)\nlast = x[:, -1]\n",
    ),
    Page(
        "shape-axis",
        "error",
        "There is no such axis",
        "A `dim` names an axis that the tensor does not have, or an operator was given a tensor with too few or too many axes.",
        "Axes are counted from 0, and from the end with -1 for the last one. Counting from the end keeps working when a batch axis is added in front.",
        "import torch\n\nscores = torch.randn(5, 5)\nweights = scores.softmax(dim=2)\n",
        "import torch\n\nscores = torch.randn(5, 5)\nweights = scores.softmax(dim=-1)\n",
    ),
    Page(
        "shape-einsum",
        "error",
        "An einsum pattern does not fit its tensors",
        "Each letter of the pattern stands for one axis, and a letter that occurs twice for two axes of one size. Here a tensor has another "
        "number of axes than its letters, or one letter would have two sizes.",
        "Write the shapes below the letters. A letter that is missing after `->` is summed over.",
        "import torch\n\nq = torch.randn(2, 8, 5, 64)\nk = torch.randn(2, 8, 7, 64)\nscores = torch.einsum('bqd,bkd->bqk', q, k)\n",
        "import torch\n\nq = torch.randn(2, 8, 5, 64)\nk = torch.randn(2, 8, 7, 64)\nscores = torch.einsum('bhqd,bhkd->bhqk', q, k)\n",
        "lesson:multi-head-attention",
        terms=("einsum",),
    ),
    Page(
        "shape-einops",
        "error",
        "An einops pattern does not fit its tensor",
        "The left side of the pattern names every axis of the tensor, in order. Here their number differs, or an axis cannot be split as the "
        "brackets say.",
        "Count the names on the left, a pair of brackets as one. In `(h d)` the product of the two must be the axis' size, so `h=8` needs a width that 8 divides.",
        "import torch\nfrom einops import rearrange\n\nx = torch.randn(2, 10, 510)\nheads = rearrange(x, 'b n (h d) -> b h n d', h=8)\n",
        "import torch\nfrom einops import rearrange\n\nx = torch.randn(2, 10, 512)\nheads = rearrange(x, 'b n (h d) -> b h n d', h=8)\n",
        "lesson:multi-head-attention",
    ),
    Page(
        "shape-unpack",
        "error",
        "A shape is unpacked into another number of names",
        "`B, T, C = x.shape` needs a tensor of exactly three axes. This one has another number; or a tensor itself is unpacked along an axis "
        "whose size is not the number of names.",
        "Add the missing name, or use `x.shape[-1]` where only one size is wanted.",
        "import torch\n\nx = torch.randn(2, 8, 10, 64)\nB, T, C = x.shape\n",
        "import torch\n\nx = torch.randn(2, 8, 10, 64)\nB, H, T, d = x.shape\n",
    ),
    Page(
        "shape-claim",
        "warning",
        "A comment or an annotation says another shape",
        "A shape is written down here, in a comment, a docstring or an annotation, and the code gives another one.",
        "One of the two is wrong. If the code is right, correct the note: whoever reads it next will believe it.",
        "import torch\n\nx = torch.randn(2, 10, 512)\nq = x.view(2, 10, 8, 64).transpose(1, 2)  # (2, 10, 8, 64)\n",
        "import torch\n\nx = torch.randn(2, 10, 512)\nq = x.view(2, 10, 8, 64).transpose(1, 2)  # (2, 8, 10, 64)\n",
    ),
    Page(
        "shape-assert",
        "error",
        "The program's own check of sizes fails",
        "An `assert`, or an `if` that raises, compares sizes here, and with the sizes of this call it is not fulfilled.",
        "Whoever wrote the check knew what the code needs: change the sizes of the call, such as a width that the number of heads divides.",
        "import torch\n\n\ndef split(x, heads):\n    assert x.shape[-1] % heads == 0\n    return x.unflatten(-1, (heads, -1))\n\n\ny = split(torch.randn(2, 10, 512), 6)\n",
        "import torch\n\n\ndef split(x, heads):\n    assert x.shape[-1] % heads == 0\n    return x.unflatten(-1, (heads, -1))\n\n\ny = split(torch.randn(2, 10, 512), 8)\n",
    ),
)
