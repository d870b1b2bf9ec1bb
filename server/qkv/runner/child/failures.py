"""What a learner reads when their answer does not run: the line, and a plain sentence. Standard library only."""

import re
import traceback

OUT_OF_MEMORY = ("can't allocate memory", "out of memory", "cannot allocate memory", "not enough memory")


SHAPES_HELP = (RuntimeError, ValueError, IndexError, TypeError)
"""Errors that the shapes of the tensors in the line explain."""


class TooLong(BaseException):
    """The answer ran longer than it may. No Exception, so that a learner's `except Exception` does not swallow it."""

    def __init__(self, seconds):
        super().__init__(f"longer than {seconds:g} s")
        self.seconds = seconds


def syntax_error(error):
    """Of a text that is no Python."""
    line = getattr(error, "lineno", None)
    where = f"Line {line}" if line else "The file"
    text = getattr(error, "msg", None) or str(error)
    return {"kind": "syntax", "line": line, "message": "{} is not Python yet: {}.".format(where, text.rstrip("."))}


def missing_function(module, name, found):
    """Of a file that runs and does not define the function."""
    if found is not None:
        text = f"`{name}` is no function here, but a value of type {type(found).__name__}. Write `def {name}(...):`."
        return {"kind": "missing-function", "message": text}
    own = [
        key
        for key, value in vars(module).items()
        if getattr(value, "__module__", None) == module.__name__ and callable(value)
    ]
    others = " It defines {}.".format(", ".join(f"`{key}`" for key in own)) if own else ""
    return {"kind": "missing-function", "message": f"The file defines no function called `{name}`.{others}"}


def failure(error, name, path):
    """Of an answer that raised: its kind, the last of its own lines, a sentence, and its part of the trace."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    code = frames[-1].line if frames else ""
    line = frames[-1].lineno if frames else None
    kind = kind_of_failure(error)
    where = f"line {line}" if line else "the call"
    message = sentence(error, kind, name, where, code)
    if kind == "exception" and isinstance(error, SHAPES_HELP):
        message += shapes_there(error, path, code)
    trace = "".join(traceback.format_list(frames) + traceback.format_exception_only(type(error), error))
    return {"kind": kind, "line": line, "message": message[:1].upper() + message[1:], "trace": trace}


def shapes_there(error, path, code):
    """What the tensors that the failing line names looked like: " There q is (2, 5, 4) and k is (2, 5, 4)."."""
    trace, names = error.__traceback__, None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == path:
            names = trace.tb_frame.f_locals
        trace = trace.tb_next
    words = dict.fromkeys(re.findall(r"[A-Za-z_]\w*", code or ""))
    found = [f"{word} is {tuple(names[word].shape)}" for word in words if names and hasattr(names.get(word), "dim")]
    return f" There {' and '.join([', '.join(found[:-1]), found[-1]] if found[1:] else found)}." if found else ""


def kind_of_failure(error):
    """`timeout`, `memory` or `exception`."""
    if isinstance(error, TooLong):
        return "timeout"
    if isinstance(error, MemoryError) or any(words in str(error) for words in OUT_OF_MEMORY):
        return "memory"
    return "exception"


def sentence(error, kind, name, where, code):
    """An exception in plain words; torch's own words where they say it best."""
    text = str(error).strip().split("\n")[0].rstrip(".")
    if kind == "timeout":
        return f"it still ran after {error.seconds:g} seconds, in {where}, and was stopped. Is there a loop that does not end?"
    if kind == "memory":
        return (
            f"{where} asks for more memory than an exercise may use. Which tensor there is larger than it needs to be?"
        )
    if isinstance(error, NotImplementedError) and not text:
        return f"{where} still says `raise NotImplementedError`. Write your answer in its place."
    if isinstance(error, ModuleNotFoundError):
        return f"{where} imports `{error.name}`, which this Python does not have. torch is enough for every exercise."
    if isinstance(error, NameError) and not isinstance(error, UnboundLocalError):
        found = re.search(r"name '(\w+)'", text)
        return f"{where} uses `{found.group(1) if found else text}`, which is defined nowhere above it."
    if isinstance(error, UnboundLocalError):
        found = re.search(r"variable '(\w+)'", text)
        return f"{where} uses `{found.group(1) if found else text}` before the function gives it a value."
    if isinstance(error, RecursionError):
        return f"{where} calls the function again and again without an end."
    if isinstance(error, SystemExit):
        return f"{where} ends the program. A function gives its result with `return`."
    if type(error).__name__ == "NoInput":
        return f"{where} asks for input. {text}."
    if where == "the call" and isinstance(error, TypeError):
        return f"`{name}` cannot be called as the exercise calls it: {text}. Compare its parameters with the signature."
    shown = f" in `{code.strip()}`" if code and len(code.strip()) <= 80 else ""
    return "{} stops with {}{}: {}.".format(where, type(error).__name__, shown, text or "no message")
