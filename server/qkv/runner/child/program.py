"""Task `program`: run Python text as `__main__`, then work out its pictures and hand over its trace. Standard library and torch only."""

import ast
import contextlib
import io
import linecache
import sys
import traceback
import types

OUT_OF_MEMORY = ("can't allocate memory", "out of memory", "CUDA out of memory", "cannot allocate memory")


def main(payload, send):
    """Run `payload["code"]`. Returns the exit code that a shell would see."""
    path = payload.get("path") or "<cell>"
    code = payload["code"]
    module = types.ModuleType("__main__")
    module.__file__ = path
    sys.modules["__main__"] = module
    sys.argv = [path] + list(payload.get("argv") or [])
    linecache.cache[path] = (len(code), None, code.splitlines(True), path)
    if payload.get("folder"):
        sys.path.insert(0, payload["folder"])
    tracer = None
    exit_code = 0
    try:
        compiled = compile(bound(code, payload.get("bind") or {}), path, "exec", dont_inherit=True)
        run_silently(payload.get("before") or [], module.__dict__)
        if payload.get("trace"):
            from tracing import Tracer

            tracer = Tracer(path, code)
            tracer.start()
        exec(compiled, module.__dict__)
    except SystemExit as leaving:
        exit_code = exit_status(leaving)
    except BaseException as error:
        if tracer:
            tracer.stop()
        exit_code = 1
        send({"error": described(error, path, code)})
    if tracer:
        tracer.stop()
        send({"trace": tracer.rows()})
    sys.stdout.flush()
    sys.stderr.flush()
    if exit_code == 0 and payload.get("pictures"):
        from pictures import drawn

        send({"pictures": [drawn(picture, module.__dict__) for picture in payload["pictures"]]})
    return exit_code


def run_silently(before, names):
    """Run what the program needs first, as [name, text] in order; what it prints is not shown."""
    with contextlib.redirect_stdout(io.StringIO()):
        for name, text in before:
            path = "<%s>" % name
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


def bound(code, values):
    """The program, with the first top-level assignment of each given name replaced by the given value."""
    if not values:
        return code
    tree = ast.parse(code)
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


def described(error, path, code):
    """An exception as data: the line in the user's file, and the frames that are the user's or lie below them."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [i for i, frame in enumerate(frames) if frame.filename == path]
    shown = frames[own[0] :] if own else []
    line = shown and [frame.lineno for frame in shown if frame.filename == path][-1] or None
    if isinstance(error, SyntaxError) and error.filename == path:
        line, shown = error.lineno, []
    message = str(error)
    kind = type(error).__name__
    if kind == "OutOfMemoryError" or isinstance(error, MemoryError) or any(text in message for text in OUT_OF_MEMORY):
        kind = "MemoryError"
    text = ["Traceback (most recent call last):\n"] if shown else []
    text += traceback.format_list(shown) + traceback.format_exception_only(type(error), error)
    sys.stderr.write("".join(text))
    return {
        "type": kind,
        "message": message,
        "line": line,
        "trace": [{"path": frame.filename, "line": frame.lineno, "name": frame.name} for frame in shown],
    }
