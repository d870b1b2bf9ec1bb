"""The warm parent: imports torch once, then forks a process for each job and passes on what it prints.

Started by path in the user's interpreter (3.8 or newer), where qkv is not installed: standard library and torch only.
Reads jobs as JSON lines on standard input; writes events as JSON lines to the pipe given as the first argument.
"""

import gc
import json
import os
import random
import selectors
import signal
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 - as sys.path and __file__ spell it
if HERE not in sys.path:  # PYTHONSAFEPATH
    sys.path.insert(0, HERE)

import program  # noqa: E402, F401 - once here, and not in each job
import tasks  # noqa: E402

CHECK_EVERY = 0.05
"""How often, in seconds, clocks and memory are looked at."""
SOON = 0.002
"""The same for a job that has closed its pipes and is about to end."""
QUIET = 0.3
"""After so many seconds without a job, the parent imports what the last one missed."""
CHUNK = 65536
STREAMS = ("stdout", "stderr", "message")


class Running:
    """One job under way. `room` is how many bytes of each stream are still passed on; `cut` counts the others."""

    def __init__(self, command, pid, pipes):
        self.number = command["job"]
        self.pid = pid
        self.pipes = pipes
        self.deadline = time.monotonic() + command["seconds"]
        self.memory_mib = command["memory_mib"]
        self.room = {"stdout": command["output_bytes"], "stderr": command["output_bytes"]}
        self.cut = 0
        self.why = None


def main():
    events = tasks.messages_to(int(sys.argv[1]))
    send(events, tasks.versions(*tasks.warm_up("--ahead" in sys.argv)))
    gc.freeze()  # a collection in a job does not copy the pages of all that torch has made
    Loop(events).run()
    os._exit(0)


def send(events, message):
    try:
        events.write(json.dumps(message) + "\n")
        events.flush()
    except (OSError, ValueError):  # nobody is left to listen
        os._exit(0)


class Loop:
    """Waits for jobs, for output and for ends, in one thread."""

    def __init__(self, events):
        self.events = events
        self.jobs = {}
        self.selector = selectors.DefaultSelector()
        self.selector.register(sys.stdin.fileno(), selectors.EVENT_READ, None)
        self.buffer = b""
        self.base_mib = resident_mib(os.getpid())
        self.wants_more = False

    def run(self):
        while True:
            ready = self.selector.select(self.patience())
            if not ready and not self.jobs:
                self.wants_more = False
                tasks.import_ahead()
            for key, _ in ready:
                if key.data is not None:
                    self.read_output(*key.data)
                elif not self.read_commands():
                    for job in self.jobs.values():
                        kill(job)
                    return
            for job in list(self.jobs.values()):
                self.look_after(job)

    def patience(self):
        if not self.jobs:
            return QUIET if self.wants_more else None
        return CHECK_EVERY if all(job.pipes for job in self.jobs.values()) else SOON

    def read_commands(self):
        data = os.read(sys.stdin.fileno(), CHUNK)
        *lines, self.buffer = (self.buffer + data).split(b"\n")
        for line in lines:
            command = json.loads(line.decode("utf-8"))
            if "stop" not in command:
                self.start(command)
                self.wants_more = self.wants_more or (b"optim" in line and "torch._dynamo" not in sys.modules)
            elif command["stop"] in self.jobs:
                self.end(self.jobs[command["stop"]], "stopped")
        return bool(data)

    def start(self, command):
        pairs = [os.pipe() for _ in STREAMS]
        pid = os.fork()
        if pid == 0:
            os.close(self.events.fileno())
            for read, _ in pairs:
                os.close(read)
            run_forked(command, [write for _, write in pairs])
        for _, write in pairs:
            os.close(write)
        pipes = {name: read for name, (read, _) in zip(STREAMS, pairs)}  # noqa: B905 - Python 3.8
        job = self.jobs[command["job"]] = Running(command, pid, pipes)
        for name, descriptor in pipes.items():
            self.selector.register(descriptor, selectors.EVENT_READ, (job, name))

    def read_output(self, job, name):
        """Pass on what has come. Returns whether there may be more."""
        descriptor = job.pipes.get(name)
        if descriptor is None:
            return False
        try:
            data = os.read(descriptor, CHUNK)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        if not data:
            self.selector.unregister(descriptor)
            os.close(job.pipes.pop(name))
            return False
        if name in job.room:
            passed = data[: job.room[name]]
            job.room[name] -= len(passed)
            job.cut += len(data) - len(passed)
            data = passed
        if data:
            send(self.events, {"event": name, "job": job.number, "data": data.decode("latin-1")})
        return True

    def look_after(self, job):
        status = poll(job.pid)
        if status is not None:
            kill(job, ended=True)  # what it has started ends with it
            for name, descriptor in list(job.pipes.items()):
                os.set_blocking(descriptor, False)
                while self.read_output(job, name):
                    pass
                if name in job.pipes:
                    self.selector.unregister(descriptor)
                    os.close(descriptor)
            del self.jobs[job.number]
            end = {"event": "end", "job": job.number, "status": status, "why": job.why, "cut": job.cut}
            send(self.events, end)
        elif job.why is None and time.monotonic() > job.deadline:
            self.end(job, "timed-out")
        elif job.why is None and resident_mib(job.pid) > job.memory_mib + self.base_mib:
            self.end(job, "out-of-memory")

    def end(self, job, why):
        job.why = job.why or why
        kill(job)


def poll(pid):
    """The exit status (negative: the signal), or None while it runs."""
    try:
        ended, status = os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return -1
    if ended == 0:
        return None
    return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def kill(job, ended=False):
    """End the job's whole process group, or the process alone where it has not made its group yet."""
    try:
        os.killpg(job.pid, signal.SIGKILL)
    except OSError:
        if not ended:
            os.kill(job.pid, signal.SIGKILL)


def resident_mib(pid):
    """The memory that a process holds, in MiB; 0 where the system does not say."""
    try:
        with open(f"/proc/{pid}/statm") as handle:  # noqa: PTH123
            return int(handle.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20
    except (OSError, ValueError, IndexError):
        return 0


def run_forked(command, ends):
    """In the forked child: its own group, its own pipes, no input, and death with the parent. Does not return."""
    code = 1
    try:
        os.setsid()
        die_with_parent()
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(ends[0], 1)
        os.dup2(ends[1], 2)
        os.close(ends[0])
        os.close(ends[1])
        draw_anew()
        code = tasks.run_task(command, os.fdopen(ends[2], "w", encoding="utf-8"))
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        os._exit(code)


def draw_anew():
    """Random numbers differ from run to run, as in a new process, where the program does not seed them."""
    random.seed()
    torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
    if torch is not None and hasattr(torch, "default_generator"):
        torch.default_generator.seed()
    if numpy is not None and hasattr(numpy, "random"):
        numpy.random.seed()


def die_with_parent():
    """Ask Linux to end this process when its parent ends; elsewhere its limit of processor time does, in the end."""
    if sys.platform == "linux":
        try:
            import ctypes

            ctypes.CDLL(None).prctl(1, signal.SIGKILL)
        except (ImportError, OSError, AttributeError):
            return


if __name__ == "__main__":
    main()
