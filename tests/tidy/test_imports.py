"""Imports run only downwards, and what is slow to load is not loaded before it is needed."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "server" / "qkv"

BELOW = {
    "source": set(),
    "shapes": {"source"},
    "runner": set(),
    "ops": {"shapes", "source"},
    "interp": {"ops", "shapes", "source"},
    "lints": {"interp", "shapes", "source"},
    "project": {"interp", "source", "shapes", "lints"},
    "glossary": {"source"},
    "course": {"runner", "glossary", "source"},
    "ide": {"project", "interp", "lints", "glossary", "course", "source"},
    "lsp": {"ide", "course", "runner", "source"},
    "cli": {"ide", "lsp", "course", "runner", "source", "glossary"},
}
"""What each folder may import of the others."""

OUTSIDE = {
    "pygls": {"lsp"},
    "lsprotocol": {"lsp"},
    "jedi": {"project"},
    "torch": set(),
}
"""Who may import a library that most may not. torch is imported by the runner's child process alone."""


def imports(path: Path) -> set[str]:
    """The dotted names of all that a module imports, wherever in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


MODULES = sorted(path for path in PACKAGE.rglob("*.py") if "_content" not in path.parts)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_run_downwards(path: Path) -> None:
    parts = path.relative_to(PACKAGE).parts
    folder = parts[0] if len(parts) > 1 else ""
    for name in imports(path):
        top, _, rest = name.partition(".")
        if top == "qkv" and folder:
            to = rest.split(".")[0]
            assert to not in BELOW or to == folder or to in BELOW[folder], f"{folder} imports {name}"
            if folder == "cli" and to == "lsp":
                assert path.name == "lsp.py", "only `qkv lsp` imports the server"
        if top in OUTSIDE and "child" not in parts:
            assert folder in OUTSIDE[top], f"{folder or path.name} imports {top}"


def test_every_folder_has_its_place() -> None:
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert folders <= BELOW.keys()


@pytest.mark.parametrize(
    ("arguments", "unwanted"),
    [
        (
            ["check", "{file}"],
            "pygls lsprotocol jedi rich torch markdown_it ruamel latex2mathml fsrs qkv.lsp qkv.course qkv.runner qkv.glossary",
        ),
        (
            ["shapes", "{file}"],
            "pygls lsprotocol jedi rich torch markdown_it latex2mathml fsrs qkv.lsp qkv.course qkv.runner qkv.glossary",
        ),
        (["hover", "{file}", "1", "1"], "pygls lsprotocol rich torch latex2mathml fsrs qkv.lsp qkv.course qkv.runner"),
        (["lsp", "--version"], "pygls lsprotocol jedi rich torch markdown_it"),
    ],
    ids=["check", "shapes", "hover", "version"],
)
def test_a_cold_command_loads_only_what_it_needs(tmp_path: Path, arguments: list[str], unwanted: str) -> None:
    file = tmp_path / "model.py"
    file.write_text("import torch\nimport torch.nn as nn\n\nx = torch.randn(2, 3) @ torch.randn(2, 3)\n")
    code = f"""
import sys
from qkv.cli import main
try:
    main({[argument.format(file=file) for argument in arguments]!r})
except SystemExit:
    pass
print("loaded:", *sorted(sys.modules))
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    loaded = ended.stdout.rsplit("loaded:", 1)[1].split()
    assert set(unwanted.split()) & set(loaded) == set()
