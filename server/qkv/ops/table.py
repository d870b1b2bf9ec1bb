"""The table of operator rules: how a rule is written down, found by its spelling, and called."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from qkv.ops.context import CannotTell, Context, unknown_item
from qkv.shapes import Expr, Layer, Tensor, Unknown, Value
from qkv.shapes.solve import fresh, resolve_value

Function: TypeAlias = Callable[..., Any]
REQUIRED: Any = inspect.Parameter.empty


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a rule: its name, what it takes (`Tensor`, `Dim`, `int`, … or "" for anything), and whether None is fine."""

    name: str
    takes: str
    optional: bool
    default: Any
    variadic: bool


@dataclass(frozen=True, slots=True)
class Rule:
    """One operator under all its spellings. `function(cx, **bound arguments)` gives the result.

    The last five fields say how arguments are bound; they are worked out once, when the rule is registered.
    """

    names: tuple[str, ...]
    function: Function
    parameters: tuple[Parameter, ...]
    term: str | None
    notation: str | None
    slots: dict[str, int]
    defaults: tuple[Any, ...]
    positional: int
    rest: int | None
    extra: int | None
    gives_tensor: bool

    @property
    def doc(self) -> str:
        """What the operator does, for the hover."""
        return inspect.getdoc(self.function) or ""


class BadCall(Exception):
    """The arguments do not fit the parameters; we may simply know an older signature, so nothing is reported."""


RULES: dict[str, Rule] = {}
LAYERS: dict[str, Rule] = {}
FORWARDS: dict[str, Rule] = {}

OTHER_NAMES = {
    "axis": "dim",
    "keepdims": "keepdim",
    "x": "input",
    "self": "input",
    "a": "input",
    "x1": "input",
    "x2": "other",
}
"""Spellings of parameters that torch takes for numpy's sake."""

WITHOUT_EFFECT = frozenset(
    ["out", "layout", "requires_grad", "pin_memory", "memory_format", "non_blocking", "generator", "names"]
)
"""Keywords that many operators take and that change neither shape nor dtype of the result (`out` fixes the dtype: see `apply`)."""


def rule(names: str, *, term: str | None = None, notation: str | None = None) -> Callable[[Function], Function]:
    """Register a function as the rule of all the given spellings (blank-separated qualified names).

    The function takes the `Context` first, then parameters named and defaulted as torch's own. Annotations tell the table what
    a parameter takes: `Tensor` (an Unknown there makes the result unknown), `Tensors` (a sequence of tensors), `Dim` (a size,
    an Unknown becomes a fresh one), `int` (a number known for certain, such as an axis), `bool`, `str`, `float`, each with
    `| None`, or nothing (`Any`).
    """
    return _register(RULES, "rules", names, term, notation)


def layer(names: str, *, term: str | None = None) -> Callable[[Function], Function]:
    """Register a constructor of a `torch.nn` module: it returns the dict of the attributes that code can read."""
    return _register(LAYERS, "constructors", names, term, None)


def forward(names: str, *, notation: str | None = None) -> Callable[[Function], Function]:
    """Register the call of a `torch.nn` module: `function(cx, layer, *inputs)`."""
    return _register(FORWARDS, "forwards", names, None, notation)


def _register(
    table: dict[str, Rule], what: str, names: str, term: str | None, notation: str | None
) -> Callable[[Function], Function]:
    def register(function: Function) -> Function:
        entry = _entry(names, function, term, notation)
        for name in entry.names:
            assert name not in table, f"{name} has two {what}"
            table[name] = entry
        return function

    return register


def _entry(names: str, function: Function, term: str | None, notation: str | None) -> Rule:
    signature = inspect.signature(function)
    written = list(signature.parameters.values())[1:]
    parameters = tuple(_parameter(parameter) for parameter in written)
    kinds = [parameter.kind for parameter in written]
    return Rule(
        names=tuple(names.split()),
        function=function,
        parameters=parameters,
        term=term,
        notation=notation,
        slots={p.name: i for i, p in enumerate(parameters) if kinds[i] is not inspect.Parameter.VAR_KEYWORD},
        defaults=tuple(_default(parameter) for parameter in written),
        positional=sum(kind is inspect.Parameter.POSITIONAL_OR_KEYWORD for kind in kinds),
        rest=kinds.index(inspect.Parameter.VAR_POSITIONAL) if inspect.Parameter.VAR_POSITIONAL in kinds else None,
        extra=kinds.index(inspect.Parameter.VAR_KEYWORD) if inspect.Parameter.VAR_KEYWORD in kinds else None,
        gives_tensor=str(signature.return_annotation) == "Tensor",
    )


def _parameter(written: inspect.Parameter) -> Parameter:
    takes = "" if written.annotation is written.empty else str(written.annotation)
    optional = takes.endswith(" | None")
    takes = takes.removesuffix(" | None")
    variadic = written.kind in (written.VAR_POSITIONAL, written.VAR_KEYWORD)
    return Parameter(written.name, "" if takes == "Any" else takes, optional, written.default, variadic)


def _default(written: inspect.Parameter) -> Any:
    if written.kind is written.VAR_POSITIONAL:
        return ()
    return None if written.kind is written.VAR_KEYWORD else written.default


def bind(entry: Rule, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> dict[str, Any]:
    """Arguments by parameter name, defaults filled in. Raises BadCall where they do not fit."""
    return {p.name: value for p, value in zip(entry.parameters, _bind(entry, arguments, keywords), strict=True)}


def _bind(entry: Rule, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> list[Any]:
    """Arguments in the order of the parameters."""
    values = list(entry.defaults)
    count = len(arguments)
    if count > entry.positional:
        if entry.rest is None:
            raise BadCall(f"it takes {entry.positional} arguments")
        values[: entry.positional] = arguments[: entry.positional]
        values[entry.rest] = arguments[entry.positional :]
    else:
        values[:count] = arguments
    for name, value in keywords.items():
        _bind_keyword(entry, values, count, name, value)
    for index, value in enumerate(values):
        if value is REQUIRED:
            raise BadCall(f"{entry.parameters[index].name} is missing")
    return values


def _bind_keyword(entry: Rule, values: list[Any], count: int, name: str, value: Any) -> None:
    slot = entry.slots.get(name)
    if slot is None:
        slot = entry.slots.get(OTHER_NAMES.get(name, ""))
    if slot is not None:
        if slot < min(count, entry.positional):
            raise BadCall(f"{name} is given twice")
        values[slot] = (value,) if slot == entry.rest else value
    elif entry.extra is not None:
        values[entry.extra] = {**(values[entry.extra] or {}), name: value}
    elif name not in WITHOUT_EFFECT:
        raise BadCall(f"it has no parameter {name}")


def apply(cx: Context, entry: Rule, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Value:
    """Call a rule with values. Raises Mismatch where torch would raise; answers an unknown tensor where the rule cannot tell."""
    try:
        values = _bind(entry, arguments, keywords)
    except BadCall as problem:
        return Unknown(f"{entry.names[0]} was called in a way that is not known here: {problem}")
    store = cx.store
    for index, parameter in enumerate(entry.parameters):
        value = values[index]
        if value is parameter.default or (parameter.variadic and not value):
            continue
        value = values[index] = resolve_value(store, value)
        check = CHECKS.get(parameter.takes)
        if check is None or parameter.variadic or (value is None and parameter.optional):
            continue
        refusal = check(cx, parameter, value, values, index)
        if refusal is not None:
            return (
                cx.unknown()
                if refusal == "" and entry.gives_tensor
                else Unknown(refusal or unknown_item(parameter.name))
            )
    try:
        result = _call(cx, entry, values)
    except CannotTell as reason:
        return cx.unknown(reason.dtype) if entry.gives_tensor else Unknown(reason.reason)
    out = keywords.get("out")
    if isinstance(out, Tensor) and isinstance(result, Tensor):
        return replace(result, dtype=out.dtype)
    return result


def _call(cx: Context, entry: Rule, values: list[Any]) -> Any:
    if len(values) == entry.positional:
        return entry.function(cx, *values)
    start = entry.positional
    rest: tuple[Any, ...] = ()
    if entry.rest is not None:
        rest = values[entry.rest]
        start += 1
    named: dict[str, Any] = {}
    for index in range(start, len(values)):
        if index == entry.extra:
            named.update(values[index] or {})
        else:
            named[entry.parameters[index].name] = values[index]
    return entry.function(cx, *values[: entry.positional], *rest, **named)


# -- what an argument must be --------------------------------------------------------------------------------------------

Check: TypeAlias = Callable[[Context, Parameter, Any, list[Any], int], "str | None"]
"""Looks at one argument, may put another value in its place, and answers why the rule cannot be applied: "" means that the argument is unknown."""


def _tensor(cx: Context, parameter: Parameter, value: Any, values: list[Any], index: int) -> str | None:
    if isinstance(value, Tensor):
        return None
    return "" if isinstance(value, Unknown) else f"{parameter.name} is not a tensor here"


def _tensors(cx: Context, parameter: Parameter, value: Any, values: list[Any], index: int) -> str | None:
    if not isinstance(value, tuple):
        return "" if isinstance(value, (Unknown, Tensor)) else f"{parameter.name} is not a sequence of tensors here"
    items: list[Any] = list(value)  # pyright: ignore[reportUnknownArgumentType]
    for position, item in enumerate(items):
        if not isinstance(item, Tensor):
            if not isinstance(item, Unknown):
                return f"{parameter.name} holds something that is not a tensor"
            items[position] = cx.unknown()
    values[index] = tuple(items)
    return None


def _dim(cx: Context, parameter: Parameter, value: Any, values: list[Any], index: int) -> str | None:
    if isinstance(value, (int, Expr)):
        return None
    if isinstance(value, (Unknown, Tensor)):
        values[index] = fresh(cx.store)
        return None
    return f"{parameter.name} is not a number here"


def _int(cx: Context, parameter: Parameter, value: Any, values: list[Any], index: int) -> str | None:
    return None if isinstance(value, int) else ""


def _bool(cx: Context, parameter: Parameter, value: Any, values: list[Any], index: int) -> str | None:
    return None if isinstance(value, (bool, int)) else ""


def _str(cx: Context, parameter: Parameter, value: Any, values: list[Any], index: int) -> str | None:
    return None if isinstance(value, str) else ""


CHECKS: dict[str, Check] = {
    "Tensor": _tensor,
    "Tensors": _tensors,
    "Dim": _dim,
    "int": _int,
    "bool": _bool,
    "str": _str,
}


# -- modules of torch.nn -------------------------------------------------------------------------------------------------


def make_layer(cx: Context, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Layer | Unknown:
    """Construct a module of the table."""
    entry = LAYERS[name]
    try:
        settings = bind(entry, arguments, keywords)
    except BadCall as problem:
        return Unknown(f"{name} was called in a way that is not known here: {problem}")
    members = apply(cx, entry, arguments, keywords)
    return Layer(name, settings, members) if isinstance(members, dict) else Layer(name, settings, {})


def call_layer(cx: Context, module: Layer, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Value:
    """Call a module of the table."""
    entry = FORWARDS.get(module.name)
    if entry is None:
        return Unknown(f"no rule for calling {module.name} yet")
    return apply(cx, entry, (module, *arguments), keywords)
