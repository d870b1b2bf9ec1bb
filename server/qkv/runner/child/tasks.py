"""In the process of one job: limits, device, the task itself, and the way out. Standard library and torch only."""

import atexit
import builtins
import importlib
import json
import os
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 - as sys.path and __file__ spell it


class NoInput(RuntimeError):
    """`input()` was called."""


def refuse_input(prompt=""):
    raise NoInput(
        "input() cannot be used here: nobody is at the keyboard of this run. Write the value into the program instead."
    )


def warm_up(ahead=False):
    """Import torch, and with `ahead` what the first optimizer would import for two seconds. Returns (version, problem)."""
    try:
        import torch
    except ImportError as problem:
        missing = getattr(problem, "name", None) == "torch"
        return None, None if missing else f"{type(problem).__name__}: {problem}"
    except Exception as problem:
        return None, f"{type(problem).__name__}: {problem}"
    if ahead:
        import_ahead()
    try:
        torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
        return str(torch.__version__), None
    except Exception as problem:  # something else of this name: the program may see for itself
        sys.modules.pop("torch", None)
        return None, f"{type(problem).__name__}: {problem}"


def import_ahead():
    """Import what the first optimizer imports. It does without where that fails, and so do we."""
    try:
        importlib.import_module("torch._dynamo")
    except Exception:
        return


def versions(torch, problem):
    """What a warm process tells when it is ready."""
    python = ".".join(map(str, sys.version_info[:3]))
    return {"event": "ready", "python": python, "torch": torch, "problem": problem}


def messages_to(number):
    """The pipe back to the runner, by what it is called on the command line: a handle on Windows, else a descriptor."""
    if sys.platform == "win32":
        import msvcrt

        number = msvcrt.open_osfhandle(number, os.O_WRONLY)
    os.set_inheritable(number, False)
    return os.fdopen(number, "w", encoding="utf-8")


def run_task(command, messages):
    """Run one job. Returns the process's exit code."""

    def send(message):
        messages.write(json.dumps(message) + "\n")
        messages.flush()

    builtins.input = refuse_input
    task = importlib.import_module(command["task"])
    hide_ourselves()
    try:
        if command.get("cwd"):
            os.chdir(command["cwd"])
        device = choose_device(command.get("device") or "auto")
    except ValueError as problem:
        send({"not_started": str(problem)})
        return 1
    except OSError as problem:
        send({"not_started": f"The folder {command['cwd']} cannot be entered: {problem.strerror or problem}."})
        return 1
    limit(command["memory_mib"], command["seconds"], device)
    send({"device": device})
    try:
        return task.main(command["payload"], send) or 0
    finally:
        finish()


def hide_ourselves():
    """Take our modules and our folder out of the program's sight: it may have a `tasks.py` or a `check.py` of its own."""
    sys.path[:] = [entry for entry in sys.path if entry != HERE]
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None) if name != "__main__" else None
        if isinstance(file, str) and os.path.dirname(file) == HERE:  # noqa: PTH120
            del sys.modules[name]


def finish():
    """What Python does before it ends: wait for threads, and call what was registered with `atexit`."""
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):  # the program has closed or replaced it
            continue


def limit(mib, seconds, device):
    """Let allocations fail beyond the limit, counted above what the warm process has mapped already.

    Not on a GPU: its driver maps far more addresses than there is memory. The processor time is the second barrier
    behind the clock of the warm parent, should that be killed.
    """
    try:
        import resource
    except ImportError:  # Windows
        return
    processor = int(seconds * (os.cpu_count() or 1)) + 10
    set_limit(resource, resource.RLIMIT_CPU, processor)
    set_limit(resource, resource.RLIMIT_CORE, 0)
    if sys.platform == "linux" and device in ("cpu", "meta") and not os.path.exists("/dev/nvidiactl"):  # noqa: PTH110
        with open("/proc/self/statm") as handle:  # noqa: PTH123
            mapped = int(handle.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        set_limit(resource, resource.RLIMIT_AS, mapped + (mib << 20))


def set_limit(resource, which, value):
    """Set one limit, as far as the one from outside allows."""
    hard = resource.getrlimit(which)[1]
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    try:
        resource.setrlimit(which, (value, value))
    except (OSError, ValueError):
        return


def choose_device(wanted):
    """Make tensors on the wanted device by default. Raises ValueError with a sentence where it is not there."""
    torch = sys.modules.get("torch")
    if torch is None:
        if wanted in ("auto", "cpu"):
            return "cpu"
        raise ValueError(f"The device {wanted} needs torch, and this interpreter has none.")
    if wanted == "auto":
        wanted = "cuda" if is_there(torch, "cuda") else "mps" if is_there(torch, "mps") else "cpu"
    elif not is_there(torch, wanted):
        raise ValueError(f"The device {wanted} is not there on this machine. Run with `--device cpu`, or `auto`.")
    if wanted != "cpu":
        torch.set_default_device(wanted)
    return wanted


def is_there(torch, device):
    """Whether this machine has a device that torch can use."""
    if device == "cuda":
        return torch.cuda.is_available()
    if device == "mps":
        backend = getattr(torch.backends, "mps", None)
        return bool(backend and backend.is_available())
    return device in ("cpu", "meta")
