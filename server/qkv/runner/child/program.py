"""Task `program`: run Python text as `__main__`, then work out its pictures and hand over its trace. Standard library and torch only."""

import ast
import contextlib
import io
import linecache
import os
import sys
import sysconfig
import traceback
import types

from pictures import drawn, drawn_map
from tracing import Tracer

HERE = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120
OUT_OF_MEMORY = ("can't allocate memory", "out of memory", "cannot allocate memory")
LIBRARIES = tuple(
    {sysconfig.get_paths()[name] + os.sep for name in ("stdlib", "platstdlib", "purelib", "platlib")} | {HERE + os.sep}
)
MOST_FRAMES = 40


def main(payload, send):
    """Run `payload["code"]`. Returns the exit code that a shell would see."""
    path = payload.get("path") or "<cell>"
    code = payload["code"]
    module = prepared(payload, path, code)
    tracer = None
    exit_code = 0
    try:
        compiled = compile(bound(code, payload.get("bind") or {}, path), path, "exec", dont_inherit=True)
        run_silently(payload.get("before") or [], module.__dict__)
        if payload.get("trace"):
            tracer = Tracer(path, code)
            tracer.start()
        exec(compiled, module.__dict__)
    except SystemExit as leaving:
        exit_code = exit_status(leaving)
    except BaseException as error:
        if tracer:
            tracer.stop()
        exit_code = 1
        send({"error": described(error, path)})
    pictures = []
    if tracer:
        tracer.stop()
        send({"trace": tracer.rows()})
        pictures += [drawn_map(*one) for one in tracer.maps()]
    elif payload.get("trace"):
        send({"trace": []})
    if exit_code == 0:
        pictures = [drawn(picture, module.__dict__) for picture in payload.get("pictures") or []] + pictures
    if pictures:
        send({"pictures": pictures})
    return exit_code


def prepared(payload, path, code):
    """An empty `__main__` that finds its arguments, its own source, and the modules beside it."""
    is_file = os.path.isfile(path)  # noqa: PTH113
    module = types.ModuleType("__main__")
    module.__file__ = os.path.abspath(path) if is_file else path  # noqa: PTH100
    sys.modules["__main__"] = module
    sys.argv = [path, *(payload.get("argv") or [])]
    for name in {path, module.__file__}:
        linecache.cache[name] = (len(code), None, code.splitlines(True), name)
    folder = payload.get("folder") or (os.path.dirname(module.__file__) if is_file else None)  # noqa: PTH120
    if folder:
        sys.path.insert(0, folder)
    return module


def run_silently(before, names):
    """Run what the program needs first, as [name, text] in order; what it prints is not shown."""
    with contextlib.redirect_stdout(io.StringIO()):
        for name, text in before:
            path = f"<{name}>"
            linecache.cache[path] = (len(text), None, text.splitlines(True), path)
            exec(compile(text, path, "exec", dont_inherit=True), names)


def exit_status(leaving):
    """What `sys.exit(…)` means: a number is the code, a text is printed and means 1."""
    if leaving.code is None:
        return 0
    if isinstance(leaving.code, int):
        return leaving.code & 0xFF
    print(leaving.code, file=sys.stderr)
    return 1


def bound(code, values, path):
    """The program, with the first top-level assignment of each given name replaced by the given value."""
    if not values:
        return code
    tree = ast.parse(code, path)
    left = dict(values)
    for statement in tree.body:
        if (
            isinstance(statement, ast.Assign)
            and len(statement.targets) == 1
            and isinstance(statement.targets[0], ast.Name)
        ):
            name = statement.targets[0].id
            if name in left:
                statement.value = ast.copy_location(ast.Constant(left.pop(name)), statement.value)
    return ast.fix_missing_locations(tree)


def described(error, path):
    """An exception as data, printed as Python would, but with the frames of the user's own files alone."""
    told = traceback.TracebackException(type(error), error, error.__traceback__)
    trim(told, path, set())
    shown = list(told.stack)
    own = [frame.lineno for frame in shown if frame.filename == path]
    line = own[-1] if own else None
    if isinstance(error, SyntaxError) and error.filename == path:
        line = error.lineno
    sys.stderr.write("".join(told.format()))
    if len(shown) > MOST_FRAMES:
        shown = shown[: MOST_FRAMES // 2] + shown[-MOST_FRAMES // 2 :]
    return {
        "type": kind_of(error),
        "message": str(error),
        "line": line,
        "trace": [{"path": frame.filename, "line": frame.lineno, "name": frame.name} for frame in shown],
    }


def trim(told, path, seen):
    """Leave out the frames of libraries and our own, here and in what led to the exception."""
    if told is None or id(told) in seen:
        return
    seen.add(id(told))
    kept = [frame for frame in told.stack if frame.filename == path or not is_library(frame.filename)]
    told.stack = traceback.StackSummary.from_list(kept)
    for other in (told.__cause__, told.__context__, *(getattr(told, "exceptions", None) or ())):
        trim(other, path, seen)


def is_library(file):
    """Whether a frame's file belongs to Python, to an installed package or to us."""
    installed = os.sep + "site-packages" + os.sep in file or os.sep + "dist-packages" + os.sep in file
    return installed or file.startswith(LIBRARIES) or file.startswith("<frozen ")


def kind_of(error):
    """The exception's name; all that mean a lack of memory are `MemoryError`, and on a GPU `OutOfMemoryError`."""
    kind, message = type(error).__name__, str(error)
    if kind == "OutOfMemoryError" or "CUDA out of memory" in message or "MPS backend out of memory" in message:
        return "OutOfMemoryError"
    lack = isinstance(error, RuntimeError) and any(text in message.lower() for text in OUT_OF_MEMORY)
    return "MemoryError" if lack or isinstance(error, MemoryError) else kind
