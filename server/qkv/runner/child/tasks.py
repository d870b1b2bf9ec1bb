"""In the process of one job: set limits and device, call the task, and tell how it went. Standard library and torch only."""

import builtins
import importlib
import json
import os
import sys


class NoInput(RuntimeError):
    """`input()` was called."""


def refuse_input(prompt=""):
    raise NoInput(
        "input() cannot be used here: nobody is at the keyboard of this run. Write the value into the program instead."
    )


def run_task(command, messages):
    """Run one job. Returns the process's exit code."""

    def send(message):
        messages.write(json.dumps(message) + "\n")
        messages.flush()

    builtins.input = refuse_input
    if command.get("cwd"):
        os.chdir(command["cwd"])
    limit_memory(command["memory_mib"])
    try:
        device = choose_device(command.get("device") or "auto")
    except ValueError as problem:
        send({"not_started": str(problem)})
        return 1
    send({"device": device})
    task = importlib.import_module(command["task"])
    try:
        return task.main(command["payload"], send) or 0
    finally:
        messages.close()


def limit_memory(mib):
    """Let allocations fail beyond the limit, counted above what the warm process has mapped already."""
    if sys.platform != "linux":
        return
    try:
        import resource

        with open("/proc/self/statm") as handle:
            mapped = int(handle.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        wanted = mapped + (mib << 20)
        resource.setrlimit(resource.RLIMIT_AS, (wanted, wanted))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, OSError, ValueError):
        pass


def choose_device(wanted):
    """Make tensors on the wanted device by default. Raises ValueError with a sentence where it is not there."""
    torch = sys.modules.get("torch")
    if torch is None:
        if wanted in ("auto", "cpu"):
            return "cpu"
        raise ValueError("The device %s needs torch, and this interpreter has none." % wanted)
    mps = getattr(torch.backends, "mps", None)
    there = {"cpu": True, "meta": True, "cuda": torch.cuda.is_available(), "mps": bool(mps and mps.is_available())}
    if wanted == "auto":
        wanted = "cuda" if there["cuda"] else "mps" if there["mps"] else "cpu"
    if not there.get(wanted):
        raise ValueError("The device %s is not there on this machine. Run with `--device cpu`, or `auto`." % wanted)
    if wanted != "cpu":
        torch.set_default_device(wanted)
    return wanted
