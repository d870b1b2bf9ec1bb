"""Find the user's Python by looking at files. Nothing is started here, least of all a Python of the workspace."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from qkv.runner.model import Interpreter, Problem

VENV_NAMES = (".venv", "venv", "env")
MAKE_ONE = "Make one with `python3 -m venv .venv`, then `.venv/bin/pip install torch`; or name one in the setting `qkv.interpreter`."


def find_interpreter(
    workspace: Path | None, configured: str | None, variables: Mapping[str, str] | None = None
) -> Interpreter | Problem:
    """The Python to run programs with: the configured one, the workspace's, the active one, qkv's own, the first on the PATH.

    A configured one that is not there is a Problem: another one in its place would surprise.
    """
    variables = os.environ if variables is None else variables
    if configured:
        path = shutil.which(str(Path(configured).expanduser()))
        if path is None and workspace is not None:
            path = shutil.which(str(workspace / configured))
        if path is None:
            return Problem(
                f"the interpreter {configured} is not there, or is not a program",
                "Correct the setting `qkv.interpreter`, or empty it.",
            )
        return described(Path(path))
    for candidate in _candidates(workspace, variables):
        if candidate.is_file() and os.access(candidate, os.X_OK):
            return described(candidate)
    return Problem("no Python was found", MAKE_ONE)


def _candidates(workspace: Path | None, variables: Mapping[str, str]) -> Iterator[Path]:
    if workspace is not None:
        for name in VENV_NAMES:
            if (workspace / name / "pyvenv.cfg").is_file():
                yield from _inside(workspace / name)
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        if variables.get(name):
            yield from _inside(Path(variables[name]))
    if sys.executable:
        yield Path(sys.executable)
    for name in ("python3", "python"):
        found = shutil.which(name, path=variables.get("PATH"))
        if found:
            yield Path(found)


def _inside(environment: Path) -> Iterator[Path]:
    yield environment / "bin" / "python"
    yield environment / "Scripts" / "python.exe"
    yield environment / "python.exe"


def described(path: Path) -> Interpreter:
    """An interpreter with the versions that its files name."""
    home = path.parent.parent
    return Interpreter(str(path), _python_version(path, home), _torch_version(path, home))


def _python_version(path: Path, home: Path) -> str | None:
    try:
        for line in (home / "pyvenv.cfg").read_text(encoding="utf-8").splitlines():
            key, _, value = line.partition("=")
            if key.strip() in ("version", "version_info"):
                return ".".join(value.strip().split(".")[:3])
    except (OSError, UnicodeDecodeError):
        pass
    if Path(sys.executable) == path:
        return ".".join(map(str, sys.version_info[:3]))
    named = re.search(r"python(3\.\d+)", path.resolve().name)
    return named[1] if named else None


def _torch_version(path: Path, home: Path) -> str | None:
    folders = [
        *home.glob("lib/python3*/site-packages"),
        *home.glob("Lib/site-packages"),
        *path.resolve().parent.parent.glob("lib/python3*/site-packages"),
    ]
    for folder in folders:
        for info in folder.glob("torch-*.dist-info"):
            return info.name.removeprefix("torch-").removesuffix(".dist-info")
    return None
