"""How long Run and Stop take: a warm cell against a cold Python that imports torch, measured in turns on the same machine.

    python benchmarks/run_latency.py [--rounds 15] [--cold 3]

Exits 1 where a target is missed: the first output of a warm cell within 1/20 of the cold import, Stop within 200 ms.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field

from qkv.runner import Interpreter, Job, Runner

CELL = """\
import torch
scores = torch.tensor([[2.0, 1.0], [0.5, 3.0]])
print(torch.softmax(scores, dim=-1))
"""
LOOP = "print('begun\\n', end='')\nwhile True: pass\n"
RATIO, STOP_MS = 1 / 20, 200.0


@dataclass
class Times:
    """What was measured, in milliseconds."""

    cold: list[float] = field(default_factory=list[float])
    first_output: list[float] = field(default_factory=list[float])
    end: list[float] = field(default_factory=list[float])
    stop: list[float] = field(default_factory=list[float])


def since(start: float) -> float:
    return 1000 * (time.perf_counter() - start)


def cold_import() -> float:
    """A new Python that imports torch and ends."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import torch"], check=True)
    return since(start)


def warm_cell(runner: Runner) -> tuple[float, float]:
    """One run of a small cell: until its first output, and until its end."""
    heard: list[float] = []
    start = time.perf_counter()
    outcome = runner.run(program(CELL), lambda stream, text: heard.append(since(start)), threading.Event())
    end = since(start)
    if outcome.status != "finished" or not heard:
        raise RuntimeError(f"the cell did not run: {outcome.reason or outcome.stderr}")
    return heard[0], end


def stop_a_loop(runner: Runner) -> float:
    """From Stop until the run has ended."""
    stop = threading.Event()
    stopped_at = 0.0

    def on_output(stream: str, text: str) -> None:
        nonlocal stopped_at
        stopped_at = time.perf_counter()
        stop.set()

    outcome = runner.run(program(LOOP), on_output, stop)
    if outcome.status != "stopped":
        raise RuntimeError(f"the loop was not stopped: {outcome.status}")
    return since(stopped_at)


def program(code: str) -> Job:
    return Job("program", {"code": code, "path": "cell"})


def measure(rounds: int, cold: int) -> Times:
    """All of it in turns, so that a busy moment meets all alike."""
    times = Times()
    cold_import()  # the disk's cache is warm for everybody
    with Runner(Interpreter(sys.executable)) as runner:
        warm_cell(runner)
        for number in range(rounds):
            if number % max(1, rounds // cold) == 0:
                times.cold.append(cold_import())
            first, end = warm_cell(runner)
            times.first_output.append(first)
            times.end.append(end)
            times.stop.append(stop_a_loop(runner))
    return times


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--cold", type=int, default=3)
    options = parser.parse_args()
    times = measure(options.rounds, options.cold)
    rows = {
        'cold `python -c "import torch"`': times.cold,
        "warm cell, first output": times.first_output,
        "warm cell, end": times.end,
        "Stop until the end": times.stop,
    }
    print(f"{'ms':<34}{'median':>9}{'least':>9}{'most':>9}")
    for name, values in rows.items():
        print(f"{name:<34}{statistics.median(values):>9.1f}{min(values):>9.1f}{max(values):>9.1f}")
    ratio = statistics.median(times.first_output) / statistics.median(times.cold)
    stop = statistics.median(times.stop)
    print(f"\nfirst output ÷ cold import   1/{1 / ratio:.0f}   target at most 1/{1 / RATIO:.0f}")
    print(f"Stop                         {stop:.0f} ms   target below {STOP_MS:.0f} ms")
    return 0 if ratio <= RATIO and stop < STOP_MS else 1


if __name__ == "__main__":
    sys.exit(main())
