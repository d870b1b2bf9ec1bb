"""Pages of the codes about kinds of numbers and devices."""

from qkv.ide.page import Page

PAGES = (
    Page(
        "dtype-mask",
        "error",
        "A mask is of the wrong kind",
        "`masked_fill` and `masked_select` want a bool mask. A mask of numbers is refused when the line runs.",
        "Compare to get a bool mask: `mask == 0` is True where the mask holds 0, or use `mask.bool()`.",
        "import torch\n\nscores = torch.randn(5, 5)\nmask = torch.ones(5, 5).tril()\nscores = scores.masked_fill(mask, float('-inf'))\n",
        "import torch\n\nscores = torch.randn(5, 5)\nmask = torch.ones(5, 5).tril()\nscores = scores.masked_fill(mask == 0, float('-inf'))\n",
        "lesson:causal-mask",
        terms=("mask",),
    ),
    Page(
        "dtype-index",
        "error",
        "An index is not made of whole numbers",
        "Ids for an embedding, and tensors that index or gather, must be whole numbers (or bools, for a mask). Here they are floating point.",
        "Convert where the ids are made, with `.long()`; if they come from a model, take `argmax` first.",
        "import torch\nfrom torch import nn\n\nembed = nn.Embedding(100, 16)\nids = torch.zeros(2, 5)\nx = embed(ids)\n",
        "import torch\nfrom torch import nn\n\nembed = nn.Embedding(100, 16)\nids = torch.zeros(2, 5, dtype=torch.long)\nx = embed(ids)\n",
    ),
    Page(
        "dtype-mismatch",
        "error",
        "Two tensors are of different kinds",
        "Matrix products and layers want both sides in one kind of number; they convert nothing by themselves, other than + and * do.",
        "Convert one side, as with `.float()` or `.to(x.dtype)`.",
        "import torch\n\na = torch.randn(3, 4)\nb = torch.randn(4, 5).double()\nc = a @ b\n",
        "import torch\n\na = torch.randn(3, 4)\nb = torch.randn(4, 5).double()\nc = a.double() @ b\n",
    ),
    Page(
        "device-mismatch",
        "error",
        "Two tensors are on different devices",
        "An operator needs all its tensors on one device. Here the code puts them on different ones.",
        "Create a tensor where its partner is, with `device=x.device`, or register it as a buffer, so that it moves with the module.",
        "import torch\n\nx = torch.randn(4, 4, device='cuda')\nmask = torch.zeros(4, 4, device='cpu')\ny = x + mask\n",
        "import torch\n\nx = torch.randn(4, 4, device='cuda')\nmask = torch.zeros(4, 4, device='cuda')\ny = x + mask\n",
    ),
    Page(
        "dtype-size",
        "error",
        "A size is not a whole number",
        "`/` gives a float even where it divides without a rest, and no axis can have 64.0 numbers.",
        "Divide with `//`.",
        "import torch\n\nx = torch.randn(2, 10, 512)\nheads = x.view(2, 10, 8, 512 / 8)\n",
        "import torch\n\nx = torch.randn(2, 10, 512)\nheads = x.view(2, 10, 8, 512 // 8)\n",
    ),
)
