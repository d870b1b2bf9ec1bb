"""Task `check`: hold a learner's answer against the solutions, the known mistakes and the properties of an exercise, by value.

Runs in the learner's interpreter (3.8 or newer) with the standard library and torch only. `main(payload, send)` sends one message,
`{"result": ...}`. The payload holds texts: `answer`, `check` (the exercise's check.py), `solutions` and `wrong` (name to text); and
`name` (the function), `path` (of the answer, for messages), `seeds`, `seconds`.
"""

import contextlib
import io
import linecache
import signal
import sys
import types

from differences import axes_of, call_text, difference, in_words, kind_of, pattern, same_value, tensor_of
from failures import TooLong, failure, missing_function, syntax_error


def main(payload, send):
    """Check one answer. Always 0: what is wrong with the answer is in the message."""
    send({"result": checked(payload)})
    return 0


class Call:
    """One call: its seed and its arguments."""

    def __init__(self, seed, arguments):
        self.seed = seed
        self.arguments = arguments


class Outcome:
    """What a call gave: a value, or an error."""

    def __init__(self, value=None, error=None):
        self.value = value
        self.error = error


def told(kind, message="", **more):
    """An answer of the checker, with all its keys."""
    keys = ("key", "property", "evidence", "line", "trace")
    return dict({"kind": kind, "message": message}, **dict(dict.fromkeys(keys), **more))


def checked(payload):
    """The whole check, in the order that the course promises: loads, passes, known mistake, property, value."""
    name, path = payload["name"], payload["path"]
    try:
        exercise = load("check", payload["check"], "check.py")
        solutions = [function_of(text, name, file) for file, text in payload["solutions"].items()]
        mistakes = {key: function_of(text, name, f"wrong/{key}.py") for key, text in payload["wrong"].items()}
        calls = [call for seed in payload["seeds"] for call in calls_of(exercise, seed)]
        wanted = [[outcome(solution, call) for call in calls] for solution in solutions]
    except Exception as error:
        return told("broken", f"{type(error).__name__}: {error}")
    try:
        with time_limit(payload.get("seconds")):
            answer, problem = load_answer(payload["answer"], name, path)
            if problem is not None:
                return told(**problem)
            got = outcomes(answer, calls)
            if any(all_same(got, want) for want in wanted):
                return told("passed")
            nearest = max(wanted, key=lambda want: sum(map(same, got, want)))
            proof = evidence(name, solutions[0], exercise, calls, got, nearest)
            with silent():
                known = first_known(mistakes, calls, got)
                error = next((item.error for item in got if item.error is not None), None)
                if known is not None:
                    line = failure(error, name, path)["line"] if error is not None else None
                    return told("known", key=known, evidence=proof, line=line)
                if error is not None:
                    return told(**failure(error, name, path))
                return explained(exercise, answer, name, path, calls, got, nearest, proof)
    except TooLong as late:
        return told(**failure(late, name, path))


def first_known(mistakes, calls, got):
    """The key of the known mistake that gives the same on every call, or None."""
    for key, mistake in mistakes.items():
        if all_same(got, [outcome(mistake, call) for call in calls]):
            return key
    return None


def load(name, text, path):
    """A text as a module whose errors show its own lines."""
    module = types.ModuleType(name)
    module.__file__ = path
    linecache.cache[path] = (len(text), None, text.splitlines(True), path)
    sys.modules[name] = module
    exec(compile(text, path, "exec", dont_inherit=True), module.__dict__)
    return module


def function_of(text, name, path):
    """The function of a file that the course itself brings."""
    return getattr(load("course_" + path.replace("/", "_").replace(".", "_"), text, path), name)


def load_answer(text, name, path):
    """The learner's function, and None; or None, and what is wrong. Their file is no `__main__`: a guarded driver does not run."""
    try:
        compile(text, path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        return None, syntax_error(error)
    try:
        module = load("answer", text, path)
    except TooLong:
        raise
    except BaseException as error:
        return None, failure(error, name, path)
    function = getattr(module, name, None)
    if not callable(function):
        return None, missing_function(module, name, function)
    return function, None


def calls_of(exercise, seed):
    """The calls of one seed."""
    import torch

    made = exercise.inputs(torch.Generator().manual_seed(seed))
    many = made if isinstance(made, list) else [made]
    return [Call(seed, arguments if isinstance(arguments, tuple) else (arguments,)) for arguments in many]


def cloned(value):
    """A copy that may be written to."""
    import torch

    if isinstance(value, torch.Tensor):
        return value.clone()
    if isinstance(value, (list, tuple)):
        return type(value)(cloned(item) for item in value)
    return value


def outcome(function, call):
    """Call a function on its own copy of the arguments."""
    import torch

    torch.manual_seed(call.seed)
    try:
        return Outcome(function(*[cloned(value) for value in call.arguments]))
    except TooLong:
        raise
    except BaseException as error:
        return Outcome(error=error)


def outcomes(answer, calls):
    """The answer's outcomes. What it prints is kept from the first call only: the others repeat it on numbers that nobody sees."""
    first = outcome(answer, calls[0])
    with silent():
        return [first] + [outcome(answer, call) for call in calls[1:]]


class Nowhere(io.TextIOBase):
    """A stream that forgets what is written to it."""

    def write(self, text):
        return len(text)


@contextlib.contextmanager
def silent():
    """Nothing that is printed inside is heard."""
    nowhere = Nowhere()
    with contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
        yield


@contextlib.contextmanager
def time_limit(seconds):
    """Raise TooLong in whatever line runs when the time is over; where there are no alarms, the parent's own limit does."""
    if not seconds or not hasattr(signal, "setitimer"):
        yield
        return

    def late(number, frame):
        raise TooLong(seconds)

    signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def same(one, other):
    """Equal as the course counts it: the same exception, or the same shape, kind of number and values."""
    if one.error is not None or other.error is not None:
        return type(one.error) is type(other.error) and str(one.error) == str(other.error)
    return same_value(tensor_of(one.value), tensor_of(other.value))


def all_same(some, others):
    """Whether two functions agree on every call."""
    return all(map(same, some, others))


def explained(exercise, answer, name, path, calls, got, want, proof):
    """What to say of values that nobody foresaw: the first property that fails; else where they differ from the definition."""
    axes = axes_of(exercise)
    pairs = [(tensor_of(got[i].value), tensor_of(want[i].value)) for i in range(len(calls))]
    place = next(i for i, (x, y) in enumerate(pairs) if not same_value(x, y))
    form = in_words(got[place].value, *pairs[place], axes)
    if pairs[place][0] is None:
        return told("value", form, evidence=proof)
    about = pattern(pairs, [call.seed for call in calls], axes)
    broken = first_broken(exercise, answer, name, path, calls)
    if broken is not None:
        said = [form, broken[1], about or (None if form else broken[2])]
        return told("property", " ".join(part for part in said if part), property=broken[0], evidence=proof)
    return told("value", form or about or value_words(proof), evidence=proof)


def first_broken(exercise, answer, name, path, calls):
    """The first property that fails, as (its name, its sentence, what was seen instead); None where all hold."""
    import torch

    for prove in getattr(exercise, "PROPERTIES", []):
        sentence = " ".join((prove.__doc__ or prove.__name__).split())
        for call in calls:
            torch.manual_seed(call.seed)
            try:
                got, want = map(tensor_of, prove(answer, *[cloned(value) for value in call.arguments]))
            except TooLong:
                raise
            except BaseException as error:
                told_of = failure(error, name, path)
                more = "On an input that tests this, {}".format(told_of["message"]) if told_of["line"] else ""
                return prove.__name__, sentence, more
            if not same_value(got, want):
                return prove.__name__, sentence, seen_instead(got, want)
    return None


def seen_instead(got, want):
    """What a broken property saw."""
    found = difference(got, want)
    if found["index"] is None or kind_of(want) == "bool":
        return "With your answer this does not hold."
    where = " (at {})".format(found["index"]) if found["index"] else ""
    return "With your answer it is {} instead of {}{}.".format(found["got"], found["want"], where)


def evidence(name, solution, exercise, calls, got, want):
    """The smallest proof: the first call that differs, and in it the first element, with both shapes and the names of the axes."""
    for i, call in enumerate(calls):
        mine, right = got[i], want[i]
        if same(mine, right):
            continue
        proof = {
            "call": call_text(name, solution, call.arguments),
            "want": None,
            "got": None,
            "index": None,
            "shape": None,
        }
        y = tensor_of(right.value) if right.error is None else None
        if mine.error is not None:
            proof["got"] = "{}: {}".format(type(mine.error).__name__, str(mine.error).split("\n")[0])
            proof["want"] = f"a result of shape {tuple(y.shape)}" if y is not None else None
            return proof
        x = tensor_of(mine.value)
        if x is None:
            return dict(proof, got=type(mine.value).__name__, want=f"a result of shape {tuple(y.shape)}")
        proof.update(difference(x, y))
        proof["shape"] = {"want": list(y.shape), "got": list(x.shape), "axes": axes_of(exercise)}
        return proof
    return None


def value_words(proof):
    """Where the values differ, when nothing better can be said."""
    index = proof["index"]
    where = f" at {index}" if index else ""
    return "The shape is right, but the values are not those of the definition: {}{}, where it gives {}.".format(
        proof["got"],
        where,
        proof["want"],
    )
