"""Every way in which a program can end, in real processes."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from runner_case import HERE, Run, ended, run_program

from qkv.runner import Limits, Runner


def test_it_finishes(run: Run) -> None:
    outcome = ended(run("import torch\nprint(torch.ones(2, 3).shape)\n"), "finished", 0)
    assert (outcome.stdout, outcome.stderr, outcome.cut) == ("torch.Size([2, 3])\n", "", 0)
    assert outcome.reason is None and outcome.error is None and outcome.trace is None and outcome.pictures == []
    assert outcome.python == ".".join(map(str, sys.version_info[:3])) and outcome.torch
    assert outcome.interpreter == sys.executable and outcome.device == "cpu"


def test_a_loop_without_end_is_timed_out(run: Run) -> None:
    outcome = ended(run("print('begun')\nwhile True: pass\n", limits=Limits(seconds=0.3)), "timed-out", None)
    assert outcome.stdout == "begun\n" and "0.3 s" in str(outcome.reason)
    assert 300 <= outcome.milliseconds < 10_000


def test_a_program_that_ignores_signals_is_timed_out(run: Run) -> None:
    code = """
    import signal
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    while True:
        try:
            while True: pass
        except BaseException: pass
    """
    ended(run(code, limits=Limits(seconds=0.3)), "timed-out", None)


def test_output_without_end_is_cut_and_counted(run: Run) -> None:
    code = "while True: print('again ' * 20)\n"
    outcome = ended(run(code, limits=Limits(seconds=0.5, output_bytes=1000)), "timed-out", None)
    assert len(outcome.stdout) == 1000 and outcome.cut > 0


def test_what_is_cut_is_counted_exactly_and_the_traceback_is_kept(run: Run) -> None:
    code = "print('é' * 700)\nprint(1 / 0)\n"
    outcome = ended(run(code, limits=Limits(output_bytes=1001)), "failed", 1)
    assert outcome.stdout == "é" * 500  # the 501st is cut in two
    assert outcome.cut == 1401 - 1001
    assert outcome.stderr.endswith("ZeroDivisionError: division by zero\n")


def test_bytes_that_are_no_text_are_shown_as_such(run: Run) -> None:
    outcome = run("import sys\nsys.stdout.buffer.write(b'a\\xff\\xc3')\n")
    assert outcome.stdout == "a\ufffd\ufffd"


def test_output_arrives_while_the_program_runs(run: Run) -> None:
    heard: list[tuple[str, str]] = []
    stop = threading.Event()

    def on_output(stream: str, text: str) -> None:
        heard.append((stream, text))
        if "ready" in text:
            stop.set()

    code = "import sys\nprint('word', end='')\nprint('ready\\n', end='', file=sys.stderr)\nwhile True: pass\n"
    outcome = ended(run(code, on_output=on_output, stop=stop), "stopped", None)
    assert ("stdout", "word") in heard and ("stderr", "ready\n") in heard
    assert (outcome.stdout, outcome.stderr) == ("word", "ready\n")


def test_stop_takes_effect_soon(run: Run) -> None:
    stop, stopped_at = threading.Event(), [0.0]

    def on_output(stream: str, text: str) -> None:
        stopped_at[0] = time.perf_counter()
        stop.set()

    ended(run("print('begun')\nwhile True: pass\n", on_output=on_output, stop=stop), "stopped", None)
    assert time.perf_counter() - stopped_at[0] < 2.0  # the benchmark has the figure; this machine may be busy


def test_stop_before_the_start(run: Run) -> None:
    stop = threading.Event()
    stop.set()
    assert run("while True: pass\n", stop=stop).status == "stopped"


def test_stop_while_torch_is_imported() -> None:
    stop = threading.Event()
    stop.set()
    with Runner(HERE) as cold:
        outcome = run_program(cold, "import torch\n", stop=stop)
    assert outcome.status == "stopped" and outcome.stdout == ""


def test_what_the_listener_raises_ends_the_program(run: Run) -> None:
    class Gone(Exception):
        pass

    def on_output(stream: str, text: str) -> None:
        raise Gone(text)

    with pytest.raises(Gone) as raised:
        run("import os\nprint(os.getpid())\nwhile True: pass\n", on_output=on_output)
    wait_for_the_end_of(int(str(raised.value)))


def test_input_is_explained(run: Run) -> None:
    outcome = ended(run("name = input('Who? ')\n"), "failed", 1)
    assert outcome.error is not None
    assert outcome.error["type"] == "NoInput" and "Write the value into the program" in outcome.error["message"]
    assert outcome.error["trace"] == [{"path": "program.py", "line": 1, "name": "<module>"}]
    assert "tasks.py" not in outcome.stderr


def test_standard_input_is_empty(run: Run) -> None:
    assert run("import sys\nprint(repr(sys.stdin.read()))\n").stdout == "''\n"


@pytest.mark.parametrize(
    "code", ["import torch\nx = torch.empty(1 << 40)\n", "x = bytearray(1 << 40)\n", "x = [0] * (1 << 36)\n"]
)
def test_a_huge_allocation_is_out_of_memory(run: Run, code: str) -> None:
    outcome = ended(run(code, limits=Limits(memory_mib=512)), "out-of-memory", 1)
    assert "512 MiB" in str(outcome.reason) and outcome.error is not None
    assert outcome.error["type"] == "MemoryError"


def test_memory_that_grows_is_out_of_memory(run: Run) -> None:
    code = "import torch\nkept = []\nwhile True: kept.append(torch.ones(1 << 22))\n"
    assert run(code, limits=Limits(memory_mib=200)).status == "out-of-memory"


def test_the_limit_does_not_count_what_the_warm_process_holds(run: Run) -> None:
    ended(run("import torch\nx = torch.ones(1 << 20)\nprint(x.sum())\n", limits=Limits(memory_mib=64)), "finished", 0)


def test_a_crash_of_python_itself(run: Run) -> None:
    outcome = ended(run("import ctypes\nprint('before')\nctypes.string_at(0)\n"), "failed", -signal.SIGSEGV)
    assert outcome.stdout == "before\n" and f"signal {int(signal.SIGSEGV)}" in str(outcome.reason)


@pytest.mark.parametrize(
    ("code", "status", "exit_code", "stderr"),
    [
        ("import os\nos._exit(3)\n", "failed", 3, ""),
        ("import os\nos._exit(0)\n", "finished", 0, ""),
        ("import sys\nsys.exit('no file')\n", "failed", 1, "no file\n"),
        ("import sys\nsys.exit(4)\n", "failed", 4, ""),
        ("import sys\nsys.exit()\n", "finished", 0, ""),
        ("raise SystemExit(0)\n", "finished", 0, ""),
        ("import sys\nsys.stdout.close()\n", "finished", 0, ""),
    ],
)
def test_exits(run: Run, code: str, status: str, exit_code: int, stderr: str) -> None:
    outcome = ended(run(code), status, exit_code)
    assert outcome.stderr == stderr and outcome.error is None


def test_a_program_ends_as_python_ends(run: Run) -> None:
    code = """
    import atexit, threading
    atexit.register(print, "at last")
    threading.Thread(target=lambda: print("thread")).start()
    """
    assert sorted(run(code).stdout.split("\n")) == ["", "at last", "thread"]


def test_a_syntax_error_names_its_line(run: Run) -> None:
    outcome = ended(run("x = 1\ny = (2\n"), "failed", 1)
    assert outcome.error is not None and outcome.error["type"] == "SyntaxError" and outcome.error["trace"] == []
    assert outcome.error["line"] == 2 and 'File "program.py", line 2' in outcome.stderr


def test_a_traceback_shows_the_users_frames_alone(run: Run) -> None:
    code = """\
    import torch
    from torch import nn


    def forward(x):
        return nn.Sequential(nn.Linear(4, 5))(x)


    forward(torch.ones(2, 3))
    """
    outcome = ended(run(code), "failed", 1)
    assert outcome.error is not None and outcome.error["type"] == "RuntimeError"
    assert outcome.error["trace"] == [
        {"path": "program.py", "line": 9, "name": "<module>"},
        {"path": "program.py", "line": 6, "name": "forward"},
    ]
    assert outcome.error["line"] == 6
    assert "return nn.Sequential" in outcome.stderr and "site-packages" not in outcome.stderr


def test_what_led_to_an_exception_is_told(run: Run) -> None:
    code = "try:\n    {}['q']\nexcept KeyError as error:\n    raise ValueError('no queries') from error\n"
    outcome = ended(run(code), "failed", 1)
    assert "KeyError: 'q'" in outcome.stderr and outcome.stderr.endswith("ValueError: no queries\n")
    assert outcome.error is not None and outcome.error["line"] == 4


def test_endless_recursion(run: Run) -> None:
    outcome = ended(run("def f(): f()\nf()\n"), "failed", 1)
    assert outcome.error is not None and outcome.error["type"] == "RecursionError"
    assert len(outcome.error["trace"]) == 40


def test_two_runs_at_once(run: Run, tmp_path: Path) -> None:
    """Each waits for a file that the other one makes, so neither could end alone."""
    outcomes: dict[str, Any] = {}

    def start(folder: Path, mine: str, other: str) -> None:
        code = f"""
        import pathlib
        pathlib.Path({mine!r}).touch()
        while not pathlib.Path({other!r}).exists(): pass
        print({mine!r})
        """
        outcomes[mine] = run(code, cwd=str(folder))

    threads = [threading.Thread(target=start, args=(tmp_path, *names)) for names in (("a", "b"), ("b", "a"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [ended(outcomes[name], "finished", 0).stdout for name in "ab"] == ["a\n", "b\n"]


def test_the_warm_process_is_killed_in_the_middle(run: Run) -> None:
    heard: list[str] = []

    def on_output(stream: str, text: str) -> None:
        heard.append(text)
        said = "".join(heard)
        if said.endswith("\n"):  # it may arrive in pieces
            os.kill(int(said.split()[1]), signal.SIGKILL)

    outcome = run("import os\nprint(os.getpid(), os.getppid())\nwhile True: pass\n", on_output=on_output)
    assert ended(outcome, "failed", None).stdout and "Run again" in str(outcome.reason)
    wait_for_the_end_of(int("".join(heard).split()[0]))
    assert ended(run("import torch\nprint(torch.ones(1).item())\n"), "finished", 0).stdout == "1.0\n"


def test_what_a_program_leaves_running_ends_with_it(run: Run) -> None:
    code = """
    import subprocess, sys
    child = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    print(child.pid)
    """
    outcome = ended(run(code), "finished", 0)
    assert outcome.milliseconds < 30_000
    wait_for_the_end_of(int(outcome.stdout))


def test_a_forked_process_that_holds_the_output_open_does_not_hold_up_the_end(run: Run) -> None:
    code = """
    import os
    if os.fork() == 0:
        while True: pass
    print("done")
    os._exit(0)
    """
    assert ended(run(code, limits=Limits(seconds=50)), "finished", 0).stdout == "done\n"


def wait_for_the_end_of(pid: int) -> None:
    deadline = time.monotonic() + 10
    while is_running(pid):
        assert time.monotonic() < deadline, "it still runs"


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    if sys.platform != "linux":
        return True
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:  # it ended between the two looks
        return False
