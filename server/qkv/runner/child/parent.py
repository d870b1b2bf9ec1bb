"""The warm parent: imports torch once, then runs each job in a process of its own and tells what it prints.

Started by path in the user's interpreter (3.8 or newer), where qkv is not installed: standard library and torch only.
Reads jobs as JSON lines on standard input; writes events as JSON lines to the descriptor given as the first argument.
Where there is fork, a job is a fork of this process; elsewhere (and with `--spare`) a second process waits, warm, for the next job.
"""

import json
import os
import selectors
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
CHECK_EVERY = 0.05
CHUNK = 65536


class Running:
    """One job under way."""

    def __init__(self, number, process, pid, pipes, deadline, memory_mib):
        self.number = number
        self.process = process
        self.pid = pid
        self.pipes = pipes
        self.deadline = deadline
        self.memory_mib = memory_mib
        self.why = None
        self.status = None


def warm_up():
    """Import torch, and what the first optimizer would import. Returns (version, problem)."""
    try:
        import torch
    except ImportError as problem:
        missing = getattr(problem, "name", None) == "torch"
        return None, None if missing else "%s: %s" % (type(problem).__name__, problem)
    except Exception as problem:
        return None, "%s: %s" % (type(problem).__name__, problem)
    try:
        import torch._dynamo  # noqa: F401 - the first optimizer imports it, and it takes two seconds
    except Exception:
        pass
    try:
        torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    except Exception:
        pass
    return str(torch.__version__), None


def installed_version():
    """torch's version by its files, where this process itself needs no torch."""
    try:
        from importlib.metadata import version

        return version("torch")
    except Exception:
        return None


def main():
    events = os.fdopen(int(sys.argv[1]), "w", encoding="utf-8")
    use_fork = hasattr(os, "fork") and "--spare" not in sys.argv
    version, problem = warm_up() if use_fork else (installed_version(), None)
    send(
        events,
        {"event": "ready", "python": ".".join(map(str, sys.version_info[:3])), "torch": version, "problem": problem},
    )
    Loop(events, use_fork).run()


def send(events, message):
    try:
        events.write(json.dumps(message) + "\n")
        events.flush()
    except (OSError, ValueError):
        os._exit(0)


class Loop:
    """Waits for jobs, for output and for ends, in one thread."""

    def __init__(self, events, use_fork):
        self.events = events
        self.use_fork = use_fork
        self.jobs = {}
        self.selector = selectors.DefaultSelector()
        self.selector.register(sys.stdin.fileno(), selectors.EVENT_READ, None)
        self.buffer = b""
        self.spare = None if use_fork else spawn_spare()

    def run(self):
        while True:
            for key, _ in self.selector.select(CHECK_EVERY if self.jobs else None):
                if key.data is None:
                    if not self.read_commands():
                        self.kill_all()
                        return
                else:
                    self.read_output(key.fd, *key.data)
            for job in list(self.jobs.values()):
                self.look_after(job)

    def read_commands(self):
        data = os.read(sys.stdin.fileno(), CHUNK)
        if not data:
            return False
        self.buffer += data
        *lines, self.buffer = self.buffer.split(b"\n")
        for line in lines:
            command = json.loads(line.decode("utf-8"))
            if "stop" in command:
                job = self.jobs.get(command["stop"])
                if job:
                    job.why = "stopped"
                    kill(job)
            else:
                self.start(command)
        return True

    def start(self, command):
        names = ("stdout", "stderr", "message")
        if self.use_fork:
            pairs = [os.pipe() for _ in names]
            pid = os.fork()
            if pid == 0:
                run_forked(command, [w for _, w in pairs])
            for _, w in pairs:
                os.close(w)
            pipes = {name: r for name, (r, _) in zip(names, pairs)}
            process = None
        else:
            process, message_end = self.spare or spawn_spare()
            process.stdin.write((json.dumps(command) + "\n").encode("utf-8"))
            process.stdin.flush()
            pipes = {"stdout": process.stdout.fileno(), "stderr": process.stderr.fileno(), "message": message_end}
            pid = process.pid
            self.spare = spawn_spare()
        job = Running(command["job"], process, pid, pipes, time.monotonic() + command["seconds"], command["memory_mib"])
        self.jobs[job.number] = job
        for name, fd in pipes.items():
            self.selector.register(fd, selectors.EVENT_READ, (job, name))

    def read_output(self, fd, job, name):
        try:
            data = os.read(fd, CHUNK)
        except OSError:
            data = b""
        if data:
            send(self.events, {"event": name, "job": job.number, "data": data.decode("latin-1")})
            return
        self.selector.unregister(fd)
        os.close(fd)
        job.pipes.pop(name, None)

    def look_after(self, job):
        if job.status is None:
            job.status = poll(job)
        if job.status is not None and (not job.pipes or "message" not in job.pipes):
            kill(job)
            for name, fd in list(job.pipes.items()):
                drain(self.events, job, name, fd)
                self.selector.unregister(fd)
                os.close(fd)
            del self.jobs[job.number]
            send(self.events, {"event": "end", "job": job.number, "status": job.status, "why": job.why})
            return
        if job.why is None and time.monotonic() > job.deadline:
            job.why = "timed-out"
            kill(job)
        elif job.why is None and resident_mib(job.pid) > job.memory_mib + BASE_MIB:
            job.why = "out-of-memory"
            kill(job)

    def kill_all(self):
        for job in self.jobs.values():
            kill(job)
        if self.spare:
            self.spare[0].kill()


def drain(events, job, name, fd):
    """What is still in a pipe when its job has ended."""
    os.set_blocking(fd, False)
    try:
        data = os.read(fd, 16 * CHUNK)
    except OSError:
        data = b""
    if data:
        send(events, {"event": name, "job": job.number, "data": data.decode("latin-1")})


def poll(job):
    """The exit status (negative: the signal), or None while it runs."""
    if job.process is not None:
        return job.process.poll()
    try:
        pid, status = os.waitpid(job.pid, os.WNOHANG)
    except ChildProcessError:
        return -1
    if pid == 0:
        return None
    return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def kill(job):
    """End the job's whole process group."""
    try:
        if hasattr(os, "killpg"):
            os.killpg(job.pid, signal.SIGKILL)
        elif job.process is not None:
            job.process.kill()
    except OSError:
        pass


def resident_mib(pid):
    """The memory that a process holds, in MiB; 0 where the system does not say."""
    try:
        with open("/proc/%d/statm" % pid) as handle:
            return int(handle.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20
    except (OSError, ValueError, IndexError, AttributeError):
        return 0


BASE_MIB = resident_mib(os.getpid())


def run_forked(command, ends):
    """In the forked child: its own group, its own pipes, no input, and death with the parent."""
    code = 1
    try:
        os.setsid()
        die_with_parent()
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.dup2(ends[0], 1)
        os.dup2(ends[1], 2)
        from tasks import run_task

        code = run_task(command, os.fdopen(ends[2], "w", encoding="utf-8"))
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except Exception:
            pass
        os._exit(code)


def die_with_parent():
    """Ask Linux to end this process when its parent ends; elsewhere the closed pipes do."""
    if sys.platform == "linux":
        try:
            import ctypes

            ctypes.CDLL(None).prctl(1, signal.SIGKILL)
        except Exception:
            pass


def spawn_spare():
    """A process that imports torch and then waits for its job."""
    read, write = os.pipe()
    os.set_inheritable(write, True)
    process = subprocess.Popen(
        [sys.executable, "-u", os.path.join(HERE, "spare.py"), str(write)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        close_fds=False,
        start_new_session=hasattr(os, "setsid"),
    )
    os.close(write)
    return process, read


if __name__ == "__main__":
    BASE_MIB = 0
    main()
