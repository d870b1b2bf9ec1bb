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

    `configured` is a path, relative to the workspace if it is not absolute, the folder of an environment, or a program's
    name. One that is not there is a Problem: another one in its place would surprise.
    """
    variables = os.environ if variables is None else variables
    if configured:
        for path in _meant(configured, workspace, variables):
            if _is_program(path):
                return described(path, variables)
        what = f"the interpreter {configured} is not there, or is not a program"
        return Problem(what, "Correct the setting `qkv.interpreter`, or empty it.")
    for path in _candidates(workspace, variables):
        if _is_program(path):
            return described(path, variables)
    return Problem("no Python was found", MAKE_ONE)


def torch_missing(interpreter: Interpreter) -> Problem | None:
    """What to say of an interpreter whose files name no torch."""
    if interpreter.torch is not None:
        return None
    do = f"Install it with `{interpreter.path} -m pip install torch`, or choose another Python with the setting `qkv.interpreter`."
    return Problem(f"torch is not installed for {interpreter.path}", do)


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def _meant(configured: str, workspace: Path | None, variables: Mapping[str, str]) -> Iterator[Path]:
    path = Path(configured).expanduser()
    if path.parent == Path() and not (workspace or Path()).joinpath(path).exists():
        found = shutil.which(configured, path=variables.get("PATH"))
        if found:
            yield Path(found)
    path = Path(os.path.abspath((workspace or Path()) / path))  # noqa: PTH100 - a link may be what makes it an environment
    yield path
    yield from _inside(path)


def _candidates(workspace: Path | None, variables: Mapping[str, str]) -> Iterator[Path]:
    if workspace is not None:
        for name in VENV_NAMES:
            if (workspace / name / "pyvenv.cfg").is_file():
                yield from _inside(workspace.absolute() / name)
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


def described(path: Path, variables: Mapping[str, str] | None = None) -> Interpreter:
    """An interpreter with the versions that its files name."""
    variables = os.environ if variables is None else variables
    settings = _venv_settings(path.parent.parent)
    python = _python_version(path, settings)
    for folder in _package_folders(path, settings, python, variables):
        for info in folder.glob("torch-*.dist-info"):
            version = info.name.removeprefix("torch-").removesuffix(".dist-info")
            return Interpreter(str(path), python, version, _cuda_version(folder / "torch" / "version.py"))
    return Interpreter(str(path), python)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def _venv_settings(home: Path) -> dict[str, str]:
    """What `pyvenv.cfg` says; empty where this is no virtual environment."""
    pairs = (line.partition("=") for line in _text(home / "pyvenv.cfg").splitlines())
    return {key.strip().lower(): value.strip() for key, _, value in pairs}


def _python_version(path: Path, settings: dict[str, str]) -> str | None:
    version = settings.get("version") or settings.get("version_info")
    if version:
        return ".".join(version.split(".")[:3])
    if Path(sys.executable) == path:
        return ".".join(map(str, sys.version_info[:3]))
    named = re.search(r"python(3\.\d+)", path.resolve().name)
    return named[1] if named else None


def _package_folders(
    path: Path, settings: dict[str, str], python: str | None, variables: Mapping[str, str]
) -> Iterator[Path]:
    """Where an interpreter's packages lie: its own; its base's and the user's, unless it is an environment that keeps to itself."""
    numbers = ".".join((python or "3.*").split(".")[:2])
    yield from _packages_below(path.parent.parent, numbers)
    if settings and settings.get("include-system-site-packages", "false").lower() != "true":
        return
    base = path.resolve().parent.parent
    yield from _packages_below(base, numbers)
    if base == Path("/usr"):
        yield from _packages_below(Path("/usr/local"), numbers)
    yield from _packages_below(Path(variables.get("PYTHONUSERBASE") or Path.home() / ".local"), numbers)


def _packages_below(home: Path, numbers: str) -> Iterator[Path]:
    for pattern in (f"lib/python{numbers}/site-packages", f"lib/python{numbers}/dist-packages", "Lib/site-packages"):
        yield from home.glob(pattern)


def _cuda_version(file: Path) -> str | None:
    """The CUDA that an installed torch was built for, by its text."""
    found = re.search(r"^cuda\b[^=\n]*=\s*['\"]([\d.]+)['\"]", _text(file), re.MULTILINE)
    return found[1] if found else None
