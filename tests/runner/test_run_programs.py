"""What a program finds around it: its own module, arguments, neighbours, source, and random numbers."""

from __future__ import annotations

from pathlib import Path

import pytest
from runner_case import Run, ended

from qkv.runner import Limits


def test_the_program_is_main(run: Run) -> None:
    code = """
    import inspect, pickle, sys
    from dataclasses import dataclass


    @dataclass
    class Config:
        n_head: int = 8


    def scale(d: int) -> float:
        return d**-0.5


    assert __name__ == "__main__" and sys.modules["__main__"].Config is Config
    print(pickle.loads(pickle.dumps(Config(4))))
    print(inspect.getsource(scale).splitlines()[-1].strip())
    print(inspect.getsource(Config).splitlines()[-1].strip())
    """
    outcome = ended(run(code), "finished", 0)
    assert outcome.stdout == "Config(n_head=4)\nreturn d**-0.5\nn_head: int = 8\n"


def test_arguments(run: Run) -> None:
    outcome = run("import sys\nprint(sys.argv)\n", argv=["--lr", "1e-3"])
    assert outcome.stdout == "['program.py', '--lr', '1e-3']\n"


def test_modules_beside_a_file_are_found_before_ours(run: Run, tmp_path: Path) -> None:
    for name in ("tasks", "program", "pictures", "parent"):
        (tmp_path / f"{name}.py").write_text(f"WHOSE = 'the user, in {name}'\n")
    code = "import tasks, program, pictures, parent\nprint(tasks.WHOSE, program.WHOSE, pictures.WHOSE, parent.WHOSE)\n"
    file = tmp_path / "train.py"
    file.write_text(code)
    outcome = ended(run(code, path=str(file), cwd=str(tmp_path)), "finished", 0)
    assert outcome.stdout.count("the user") == 4


def test_a_frame_in_a_module_of_the_users_is_shown(run: Run, tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("def divide():\n    return 1 / 0\n")
    file = tmp_path / "train.py"
    file.write_text("import helper\nhelper.divide()\n")
    outcome = ended(run(file.read_text(), path=str(file)), "failed", 1)
    assert outcome.error is not None and outcome.error["line"] == 2
    assert [Path(frame["path"]).name for frame in outcome.error["trace"]] == ["train.py", "helper.py"]


def test_a_folder_that_is_gone(run: Run, tmp_path: Path) -> None:
    outcome = run("print(1)\n", cwd=str(tmp_path / "gone"))
    assert outcome.status == "not-started" and "gone" in str(outcome.reason)


def test_two_runs_draw_different_numbers(run: Run) -> None:
    code = "import random, torch\nprint(torch.rand(1).item(), random.random())\n"
    first, second = run(code).stdout.split(), run(code).stdout.split()
    assert first[0] != second[0] and first[1] != second[1]


def test_a_seed_gives_the_same_numbers(run: Run) -> None:
    code = "import torch\ntorch.manual_seed(0)\nprint(torch.rand(3))\n"
    assert run(code).stdout == run(code).stdout == "tensor([0.4963, 0.7682, 0.0885])\n"


def test_what_runs_first_is_silent(run: Run) -> None:
    outcome = run("print(x + 1)\n", before=[["start", "x = 1\nprint('not shown')\n"]])
    assert outcome.stdout == "2\n"


def test_an_optimizer(run: Run) -> None:
    code = """
    import torch
    w = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.5)
    (w * w).sum().backward()
    optimizer.step()
    print(w.tolist())
    """
    assert ended(run(code), "finished", 0).stdout == "[0.0, 0.0]\n"


def test_devices(run: Run) -> None:
    code = "import torch\nprint(torch.ones(2).device)\n"
    outcome = ended(run(code, device="meta"), "finished", 0)
    assert (outcome.device, outcome.stdout) == ("meta", "meta\n")
    assert run(code, device="cpu").device == "cpu"


def test_a_device_that_is_not_there(run: Run) -> None:
    code = "import torch\nassert not torch.cuda.is_available()\n"
    if run(code).status != "finished":
        pytest.fail("this test is for machines without CUDA")
    outcome = ended(run("print(1)\n", device="cuda"), "not-started", None)
    assert "cuda is not there" in str(outcome.reason) and outcome.stdout == ""


def test_threads(run: Run) -> None:
    assert run("import torch\nprint(torch.get_num_threads())\n", limits=Limits(threads=1)).stdout == "1\n"
