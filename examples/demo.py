"""What `make demo` shows, in the terminal: the checks, the shapes, a hover, the lessons, and where to go on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
QKV = [sys.executable, "-m", "qkv"]


def show(title: str, *command: str) -> int:
    """Print a command as one would type it, then what it answers. Returns its exit code."""
    print(f"\n== {title}\n$ qkv {' '.join(command)}", flush=True)
    return subprocess.run([*QKV, *command], cwd=HERE.parent).returncode


def main() -> int:
    """Returns 0 where each command answered as it should: 1 from `check` means that it found something."""
    hover_line = next(
        i
        for i, line in enumerate((HERE / "tiny_gpt.py").read_text(encoding="utf-8").splitlines(), 1)
        if "F.softmax(scores" in line
    )
    answers = [
        show("A forgotten transpose, found before anything runs", "check", "examples/forgotten_transpose.py") == 1,
        show("A mask that runs and is wrong", "check", "examples/silent_mask.py") == 1,
        show("A model without a mistake: nothing is reported", "check", "examples/tiny_gpt.py") == 0,
        show("The shape of every tensor in it, without one annotation", "shapes", "examples/tiny_gpt.py") == 0,
        show("What the editor shows on `softmax`", "hover", "examples/tiny_gpt.py", str(hover_line), "31") == 0,
        show("The course", "lesson", "list") == 0,
    ]
    print(
        "\nWhat to do next\n"
        "  make editor                     VS Code in your browser, with all of this in it\n"
        "  qkv check PATH                  your own code\n"
        "  qkv lesson open multi-head-attention\n"
        "  docs/editors/                   Neovim, Emacs, Helix, Zed, Vim"
    )
    return 0 if all(answers) else 1


if __name__ == "__main__":
    sys.exit(main())
