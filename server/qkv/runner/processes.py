"""Start one of the scripts in `child/` in the user's interpreter, with a pipe back from it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

CHILD = Path(__file__).resolve().parent / "child"
START_SECONDS = 120.0
"""Importing torch from a cold disk takes this long at the worst."""


class CannotStart(Exception):
    """The interpreter did not become ready; the message says why and what to do."""


def start(interpreter: str, script: str, threads: int, ahead: bool, stdout: int) -> tuple[subprocess.Popen[bytes], int]:
    """Start a script in a session of its own, out of reach of a terminal's Ctrl-C.

    `stdout` is as for Popen; standard input and standard error are pipes. Returns the process and the descriptor from
    which to read its messages. Raises CannotStart.
    """
    read, write = os.pipe()
    options = ["--ahead"] if ahead else []
    command = [interpreter, "-u", str(CHILD / script)]
    variables = {
        **os.environ,
        "OMP_NUM_THREADS": str(threads),
        "MKL_NUM_THREADS": str(threads),
        "PYTHONUNBUFFERED": "1",
        "PYTHONIOENCODING": "utf-8",
    }
    try:
        if sys.platform == "win32":
            import msvcrt

            handle = msvcrt.get_osfhandle(write)
            os.set_handle_inheritable(handle, True)
            process = subprocess.Popen(
                [*command, str(handle), *options],
                stdin=subprocess.PIPE,
                stdout=stdout,
                stderr=subprocess.PIPE,
                env=variables,
                close_fds=False,
                startupinfo=subprocess.STARTUPINFO(lpAttributeList={"handle_list": [handle]}),
                creationflags=subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW,
            )
        else:
            process = subprocess.Popen(
                [*command, str(write), *options],
                stdin=subprocess.PIPE,
                stdout=stdout,
                stderr=subprocess.PIPE,
                env=variables,
                pass_fds=(write,),
                start_new_session=True,
            )
    except (OSError, ValueError) as problem:  # ValueError: a null character in the path
        os.close(read)
        why = getattr(problem, "strerror", None) or problem
        raise CannotStart(f"{interpreter} cannot be started: {why}. Correct the setting `qkv.interpreter`.") from None
    finally:
        os.close(write)
    return process, read


def ended_early(interpreter: str, said: list[str]) -> CannotStart:
    """Why an interpreter that ended before it was ready cannot be used; `said` is the end of its standard error."""
    lines = "".join(said).strip().splitlines()
    why = f" It said: {lines[-1][:300]}." if lines else ""
    return CannotStart(
        f"The Python at {interpreter} ended before it was ready.{why} Choose another with the setting `qkv.interpreter`."
    )
