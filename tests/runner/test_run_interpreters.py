"""Finding the user's Python without starting one, and Pythons that cannot be used."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from runner_case import run_program

from qkv.runner import Interpreter, Outcome, Problem, Runner, find_interpreter


def executable(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def fake_venv(folder: Path, mark: Path) -> Path:
    """An environment whose Python leaves a mark when it is started."""
    python = executable(folder / "bin" / "python", f"#!/bin/sh\ntouch '{mark}'\n")
    (folder / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.12.4\n")
    return python


def installed(folder: Path, name: str, version: str) -> None:
    (folder / "lib" / "python3.12" / "site-packages" / f"{name}-{version}.dist-info").mkdir(parents=True)


def found(workspace: Path | None, configured: str | None = None, **variables: str) -> Interpreter:
    answer = find_interpreter(workspace, configured, variables)
    assert isinstance(answer, Interpreter), answer
    return answer


def test_a_workspaces_python_is_found_and_not_started(tmp_path: Path) -> None:
    python = fake_venv(tmp_path / ".venv", tmp_path / "started")
    installed(tmp_path / ".venv", "torch", "2.6.0")
    assert found(tmp_path) == Interpreter(str(python), "3.12.4", "2.6.0")
    assert found(tmp_path, ".venv/bin/python").path == str(python)
    assert not (tmp_path / "started").exists()


def test_an_environment_has_the_packages_of_its_base_only_where_it_says_so(tmp_path: Path) -> None:
    base = tmp_path / "base"
    real = executable(base / "bin" / "python3.12", "")
    installed(base, "torch", "2.5.1")
    venv = tmp_path / "work" / ".venv"
    (venv / "bin").mkdir(parents=True)
    (venv / "bin" / "python").symlink_to(real)
    (venv / "pyvenv.cfg").write_text("version = 3.12.4\ninclude-system-site-packages = false\n")
    assert found(tmp_path / "work").torch is None
    (venv / "pyvenv.cfg").write_text("version = 3.12.4\ninclude-system-site-packages = true\n")
    assert found(tmp_path / "work").torch == "2.5.1"


def test_the_order(tmp_path: Path) -> None:
    active = fake_venv(tmp_path / "active", tmp_path / "started")
    own = fake_venv(tmp_path / "work" / ".venv", tmp_path / "started")
    named = fake_venv(tmp_path / "named", tmp_path / "started")
    work, variables = tmp_path / "work", {"VIRTUAL_ENV": str(tmp_path / "active")}
    assert found(work, str(named), **variables).path == str(named)
    assert found(work, str(tmp_path / "named"), **variables).path == str(named)
    assert found(work, None, **variables).path == str(own)
    assert found(None, None, **variables).path == str(active)
    assert found(None).path == sys.executable
    assert not (tmp_path / "started").exists()


def test_the_cuda_that_torch_was_built_for(tmp_path: Path) -> None:
    fake_venv(tmp_path / ".venv", tmp_path / "started")
    installed(tmp_path / ".venv", "torch", "2.6.0+cu126")
    package = tmp_path / ".venv" / "lib" / "python3.12" / "site-packages" / "torch"
    package.mkdir()
    (package / "version.py").write_text("__version__ = '2.6.0+cu126'\ncuda: Optional[str] = '12.6'\nhip = None\n")
    assert found(tmp_path).cuda == "12.6"
    (package / "version.py").write_text("cuda: Optional[str] = None\nhip = '6.1'\n")
    assert found(tmp_path).cuda is None


def test_a_name_is_looked_for_on_the_path(tmp_path: Path) -> None:
    python = executable(tmp_path / "bin" / "python3.12", "")
    assert found(tmp_path / "work", "python3.12", PATH=str(tmp_path / "bin")) == Interpreter(str(python), "3.12")


def test_a_venv_without_a_python_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "pyvenv.cfg").write_text("version = 3.12.4\n")
    assert found(tmp_path).path == sys.executable


def test_a_configured_python_that_is_not_there_is_a_problem(tmp_path: Path) -> None:
    answer = find_interpreter(tmp_path, str(tmp_path / "nowhere"), {})
    assert isinstance(answer, Problem) and "nowhere" in answer.what and "qkv.interpreter" in answer.do
    plain = tmp_path / "plain"
    plain.write_text("")
    assert isinstance(find_interpreter(tmp_path, str(plain), {}), Problem)


def test_what_is_known_of_the_python_that_runs_this() -> None:
    python = found(None)
    assert python.python == ".".join(map(str, sys.version_info[:3])) and python.torch


def not_started(interpreter: Path | str, code: str = "print(1)\n") -> Outcome:
    with Runner(Interpreter(str(interpreter))) as runner:
        outcome = run_program(runner, code)
    assert (outcome.status, outcome.exit_code, outcome.stdout) == ("not-started", None, "")
    assert outcome.interpreter == str(interpreter)
    return outcome


def test_a_python_that_is_not_there(tmp_path: Path) -> None:
    assert "No such file" in str(not_started(tmp_path / "python").reason)


def test_a_python_that_is_no_program(tmp_path: Path) -> None:
    (tmp_path / "python").write_text("")
    assert "ermission denied" in str(not_started(tmp_path / "python").reason)


def test_a_python_that_ends_at_once(tmp_path: Path) -> None:
    python = executable(tmp_path / "python", "#!/bin/sh\necho 'no libpython' >&2\nexit 1\n")
    assert "It said: no libpython" in str(not_started(python).reason)
    silent = executable(tmp_path / "silent", "#!/bin/sh\nexit 0\n")
    assert "ended before it was ready" in str(not_started(silent).reason)


def test_the_python_may_come_back(tmp_path: Path) -> None:
    with Runner() as runner:
        missing = Interpreter(str(tmp_path / "python"))
        assert run_program(runner, "print(1)", interpreter=missing).status == "not-started"
        executable(tmp_path / "python", f'#!/bin/sh\nexec "{bare_python()}" "$@"\n')
        assert run_program(runner, "print(1)", interpreter=missing).stdout == "1\n"


def test_no_python_was_chosen() -> None:
    with Runner() as runner:
        assert "qkv.interpreter" in str(run_program(runner, "print(1)").reason)


def bare_python() -> str:
    """The Python that the tests' environment was made from, which has no torch."""
    return str(Path(sys.base_prefix) / "bin" / f"python{sys.version_info[0]}.{sys.version_info[1]}")


def fake_torch(folder: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Put a package torch first on the path of the Pythons that are started."""
    (folder / "torch").mkdir()
    (folder / "torch" / "__init__.py").write_text(text)
    monkeypatch.setenv("PYTHONPATH", str(folder))


def test_torch_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_torch(tmp_path, monkeypatch, "raise ModuleNotFoundError(\"No module named 'torch'\", name='torch')\n")
    with Runner(Interpreter(sys.executable)) as runner:
        outcome = run_program(runner, "import torch\n")
        assert outcome.status == "not-started" and outcome.torch is None
        assert "-m pip install torch" in str(outcome.reason) and sys.executable in str(outcome.reason)
        assert run_program(runner, '"""import torch"""\nprint(1)\n').stdout == "1\n"
        optional = "try:\n    import torch\nexcept ImportError:\n    print('without')\n"
        assert run_program(runner, optional).stdout == "without\n"
        assert "needs torch" in str(run_program(runner, "print(1)", device="meta").reason)
        assert run_program(runner, "import torch\nx = (\n").status == "failed"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("raise ImportError('libcudart.so.12: cannot open shared object file')\n", "libcudart.so.12"),
        ("raise OSError('no space left')\n", "OSError: no space left"),
        ("1 / 0\n", "ZeroDivisionError"),
        ("x = 1\n", "AttributeError"),
    ],
)
def test_torch_cannot_be_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, why: str) -> None:
    fake_torch(tmp_path, monkeypatch, text)
    with Runner(Interpreter(sys.executable)) as runner:
        outcome = run_program(runner, "import torch\n")
        assert outcome.status == "not-started" and outcome.torch is None
        assert "cannot be imported" in str(outcome.reason) and why in str(outcome.reason)
        assert run_program(runner, "print(1)\n").stdout == "1\n"


def test_torch_ends_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_torch(tmp_path, monkeypatch, "import os, sys\nprint('broken torch', file=sys.stderr)\nos._exit(9)\n")
    assert "It said: broken torch" in str(not_started(sys.executable).reason)
