"""Neovim, with the very configuration that its page in the documentation shows."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
PAGE = ROOT / "docs" / "editors" / "neovim.md"
CHECK = HERE / "neovim" / "check.lua"

pytestmark = pytest.mark.editor


def find_neovim() -> str:
    """The `nvim` on the PATH if it is new enough for `vim.lsp.config`, else the one that the project installs."""
    home = Path(os.environ.get("QKV_EDITOR_HOME", ROOT / "work" / "editor"))
    for candidate in (shutil.which("nvim"), home / "neovim" / "bin" / "nvim"):
        if candidate and Path(candidate).exists() and version(candidate) >= (0, 11):
            return str(candidate)
    pytest.fail("Neovim 0.11 or newer is missing; get it with: bash vscode-extension/scripts/setup-editor.sh")


def version(nvim: str | Path) -> tuple[int, ...]:
    answer = subprocess.run([nvim, "--version"], capture_output=True, text=True, timeout=60, check=True).stdout
    found = re.match(r"NVIM v(\d+)\.(\d+)", answer)
    return tuple(map(int, found.groups())) if found else ()


def snippet() -> str:
    """The configuration of the page, with this Python's server in place of the one on the PATH."""
    found = re.search(r"```lua\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert found, f"{PAGE} shows no configuration"
    shown = "cmd = { 'qkv', 'lsp', '--stdio' }"
    assert shown in found[1]
    return found[1].replace(shown, f"cmd = {{ '{sys.executable}', '-m', 'qkv', 'lsp', '--stdio' }}")


def test_neovim_shows_hints_hovers_and_diagnostics_and_applies_a_fix(tmp_path: Path):
    nvim = find_neovim()
    samples = tmp_path / "samples"
    shutil.copytree(HERE / "sample", samples)
    config = tmp_path / "init.lua"
    config.write_text(snippet() + "vim.o.swapfile = false\nvim.cmd.filetype('on')\n", "utf-8")
    homes = {
        name: str(tmp_path / name) for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")
    }

    ended = subprocess.run(
        [nvim, "--headless", "-u", str(config), "-l", str(CHECK), str(samples / "forgotten.py")],
        cwd=samples,
        env={**os.environ, **homes},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=400,
    )

    assert ended.returncode == 0, ended.stdout
    assert ended.stdout.rstrip().endswith("all right")
