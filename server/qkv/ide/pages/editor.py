"""Pages of the codes about the text itself."""

from qkv.ide.page import Page

PAGES = (
    Page(
        "source-syntax",
        "info",
        "A part of this file is not Python",
        "Python cannot parse this part. Everything else in the file is analysed all the same, so shapes stay while you type.",
        "Your editor's Python says more about it. In a template, or a file for another version of Python, it may be right as it is.",
        "import torch\n\nx = torch.randn(2,\n",
        "import torch\n\nx = torch.randn(2, 3)\n",
    ),
    Page(
        "unused-ignore",
        "info",
        "A comment silences nothing",
        "`# qkv: ignore[code]` stands on a line on which nothing with this code is found.",
        "Remove the comment, or it would hide the next real finding on this line.",
        "x = 1  # qkv: ignore[shape-matmul]\n",
        "x = 1\n",
    ),
)
