"""Run a command as a user does, in a folder of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Ended:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as one JSON object; nothing else may stand there."""
        return json.loads(self.out)


def qkv(folder: Path, *arguments: str, env: dict[str, str] | None = None) -> Ended:
    """Run `qkv` in a folder. No command may answer a user's mistake with a traceback."""
    ended = subprocess.run(
        [sys.executable, "-m", "qkv", *arguments],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "", **(env or {})},
        timeout=120,
        check=False,
    )
    assert "Traceback" not in ended.stderr, ended.stderr
    return Ended(ended.returncode, ended.stdout, ended.stderr)


def write(folder: Path, **files: str) -> None:
    """Write `name.py` for each name."""
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")


CRASH = "import torch\n\nq = torch.randn(4, 8, 32, 64)\nk = torch.randn(4, 8, 32, 64)\nscores = q @ k\n"
CLEAN = "import torch\n\nx = torch.randn(2, 3)\ny = x.transpose(0, 1)\n"
NOTE = "x = 1  # qkv: ignore[shape-matmul]\n"
