"""Task `audit`: whether an exercise's check.py keeps its contract. Standard library and torch only.

The payload holds texts: `check`, `solutions` (name to text), `wrong`; and `name`, `seeds`. Sends `{"result": {"problems": [[line, message]]}}`.
"""

import ast
import sys

from check import calls_of, cloned, function_of, load
from differences import kind_of, same_value, tensor_of

STANDARD = getattr(sys, "stdlib_module_names", None)


def main(payload, send):
    """Look at one check.py. Always 0."""
    try:
        problems = [[line, message] for line, message in problems_of(payload)]
    except Exception as error:
        line = getattr(error, "lineno", None) or last_line(error)
        problems = [[line or 1, f"{type(error).__name__}: {error}"]]
    send({"result": {"problems": problems}})
    return 0


def last_line(error):
    """The last line of check.py that an exception went through."""
    trace, line = error.__traceback__, None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "check.py":
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def problems_of(payload):
    """What is wrong, as (line, message)."""
    tree = ast.parse(payload["check"])
    yield from imports(tree)
    exercise = load("check", payload["check"], "check.py")
    lines = {node.name: node.lineno for node in tree.body if isinstance(node, ast.FunctionDef)}
    if not callable(getattr(exercise, "inputs", None)):
        yield 1, "check.py needs a function `inputs(g)` that gives the arguments of a call"
        return
    axes = getattr(exercise, "AXES", None)
    if not isinstance(axes, dict) or "result" not in axes:
        yield 1, 'check.py needs AXES, a dict of names to axes, with one for the "result"'
    properties = getattr(exercise, "PROPERTIES", None)
    if not isinstance(properties, (list, tuple)) or not properties:
        yield 1, "check.py needs PROPERTIES, a list of functions"
        properties = []
    solutions = [function_of(text, payload["name"], name) for name, text in payload["solutions"].items()]
    for text_name, text in payload["wrong"].items():
        function_of(text, payload["name"], f"wrong/{text_name}.py")
    at = lines.get("inputs", 1)
    for seed in payload["seeds"]:
        if not same_calls(calls_of(exercise, seed), calls_of(exercise, seed)):
            yield at, "`inputs` gives other arguments for the same generator: draw all numbers from g"
            return
    first, second = (calls_of(exercise, seed) for seed in payload["seeds"][:2])
    if tensors(first) and same_calls(first, second):
        yield at, "`inputs` gives the same arguments for every generator: an answer could be learnt by heart"
    for prove in properties:
        yield from one_property(prove, lines.get(getattr(prove, "__name__", ""), 1), solutions, exercise, payload)


def imports(tree):
    """torch and the standard library are all that the learner's Python is sure to have."""
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        for name in names:
            top = name.split(".")[0]
            if top != "torch" and STANDARD is not None and top not in STANDARD:
                yield node.lineno, f"check.py imports {name}; only torch and the standard library are sure to be there"


def tensors(calls):
    """All tensors among the arguments."""
    import torch

    return [value for call in calls for value in call.arguments if isinstance(value, torch.Tensor)]


def same_calls(some, others):
    """Whether two runs of `inputs` gave the same tensors."""
    ours, theirs = tensors(some), tensors(others)
    return len(ours) == len(theirs) and all(ours[i].equal(theirs[i]) for i in range(len(ours)))


def one_property(prove, line, solutions, exercise, payload):
    """A property has a sentence, and holds for every solution."""
    import torch

    if not callable(prove):
        yield 1, "PROPERTIES holds functions"
        return
    name = prove.__name__
    if not (prove.__doc__ or "").strip():
        yield line, f"the property {name} has no docstring: it is the sentence that a learner reads"
    for solution in solutions:
        for seed in payload["seeds"]:
            for call in calls_of(exercise, seed):
                torch.manual_seed(seed)
                try:
                    result = prove(solution, *[cloned(value) for value in call.arguments])
                except Exception as error:
                    yield line, f"the property {name} fails for a solution: {type(error).__name__}: {error}"
                    return
                if not isinstance(result, tuple) or len(result) != 2:
                    yield line, f"the property {name} must return (got, want)"
                    return
                got, want = map(tensor_of, result)
                if not same_value(got, want):
                    kinds = (
                        ""
                        if got is None or want is None or kind_of(got) == kind_of(want)
                        else " (of two kinds of number)"
                    )
                    yield line, f"the property {name} does not hold for a solution{kinds}"
                    return
