"""The table of operator rules: how a rule is written down, found by its spelling, and called."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from qkv.ops.context import CannotTell, Context
from qkv.shapes import Dim, Expr, Layer, Tensor, Unknown, Value
from qkv.shapes.solve import fresh, resolve_value


@dataclass(frozen=True)
class Parameter:
    """One parameter of a rule: its name, what it takes (`Tensor`, `Dim`, `int`, … or "" for anything), and whether None is fine."""

    name: str
    takes: str
    optional: bool
    default: Any
    variadic: bool


@dataclass(frozen=True)
class Rule:
    """One operator under all its spellings. `function(cx, **bound arguments)` gives the result."""

    names: tuple[str, ...]
    function: Callable[..., Any]
    parameters: tuple[Parameter, ...]
    term: str | None = None
    notation: str | None = None

    @property
    def doc(self) -> str:
        """What the operator does, for the hover."""
        return inspect.getdoc(self.function) or ""


class BadCall(Exception):
    """The arguments do not fit the parameters; we may simply know an older signature, so nothing is reported."""


RULES: dict[str, Rule] = {}
LAYERS: dict[str, Rule] = {}
FORWARDS: dict[str, Rule] = {}


def rule(names: str, *, term: str | None = None, notation: str | None = None) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function as the rule of all the given spellings (blank-separated qualified names).

    The function takes the `Context` first, then parameters named and defaulted as torch's own. Annotations tell the table what
    a parameter takes: `Tensor` (an Unknown there makes the result unknown), `Dim` (a size, an Unknown becomes a fresh one),
    `int` (a number known for certain, such as an axis), `bool`, `str`, `float`, each with `| None`, or nothing.
    """

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        entry = _entry(names, function, term, notation)
        for name in entry.names:
            assert name not in RULES, f"{name} has two rules"
            RULES[name] = entry
        return function

    return register


def layer(names: str, *, term: str | None = None) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a constructor of a `torch.nn` module: it returns the dict of the attributes that code can read."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        entry = _entry(names, function, term, None)
        for name in entry.names:
            assert name not in LAYERS, f"{name} has two constructors"
            LAYERS[name] = entry
        return function

    return register


def forward(names: str, *, notation: str | None = None) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the call of a `torch.nn` module: `function(cx, layer, *inputs)`."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        entry = _entry(names, function, None, notation)
        for name in entry.names:
            assert name not in FORWARDS, f"{name} has two forwards"
            FORWARDS[name] = entry
        return function

    return register


def _entry(names: str, function: Callable[..., Any], term: str | None, notation: str | None) -> Rule:
    parameters: list[Parameter] = []
    for parameter in list(inspect.signature(function).parameters.values())[1:]:
        takes = "" if parameter.annotation is parameter.empty else str(parameter.annotation)
        optional = takes.endswith(" | None")
        variadic = parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        parameters.append(Parameter(parameter.name, takes.removesuffix(" | None"), optional, parameter.default, variadic))
    return Rule(tuple(names.split()), function, tuple(parameters), term, notation)


def bind(entry: Rule, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> dict[str, Any]:
    """Arguments by parameter name, defaults filled in. Raises BadCall where they do not fit."""
    try:
        bound = inspect.signature(entry.function).bind(None, *arguments, **keywords)
    except TypeError as problem:
        raise BadCall(str(problem)) from None
    bound.apply_defaults()
    values = dict(bound.arguments)
    values.pop(next(iter(values)))
    return values


def apply(cx: Context, entry: Rule, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Value:
    """Call a rule with values. Raises Mismatch where torch would raise; answers an unknown tensor where the rule cannot tell."""
    try:
        values = bind(entry, arguments, keywords)
    except BadCall as problem:
        return Unknown(f"{entry.names[0]} was called in a way that is not known here: {problem}")
    for parameter in entry.parameters:
        if not parameter.variadic:
            value = values[parameter.name] = resolve_value(cx.store, values[parameter.name])
            refusal = _refuse(cx, parameter, value, values)
            if refusal is not None:
                return refusal
        else:
            values[parameter.name] = resolve_value(cx.store, values[parameter.name])
    positional: list[Any] = []
    named: dict[str, Any] = {}
    for parameter in inspect.signature(entry.function).parameters.values():
        if parameter.name not in values:
            continue
        if parameter.kind is parameter.VAR_POSITIONAL:
            positional.extend(values[parameter.name])
        elif parameter.kind is parameter.VAR_KEYWORD:
            named.update(values[parameter.name])
        elif parameter.kind is parameter.KEYWORD_ONLY:
            named[parameter.name] = values[parameter.name]
        else:
            positional.append(values[parameter.name])
    try:
        return entry.function(cx, *positional, **named)
    except CannotTell as reason:
        return Tensor(cx.unknown().shape, reason.dtype) if reason.dtype else cx.unknown()


def _refuse(cx: Context, parameter: Parameter, value: Any, values: dict[str, Any]) -> Value | None:
    """Adjust or refuse one argument: an Unknown where a tensor is needed makes the whole result an unknown tensor."""
    if value is None:
        return None if parameter.optional or parameter.takes == "" else Unknown(f"{parameter.name} is None here")
    takes = parameter.takes
    if takes == "Tensor" and not isinstance(value, Tensor):
        return cx.unknown() if isinstance(value, Unknown) else Unknown(f"{parameter.name} is not a tensor here")
    if takes == "Dim" and not isinstance(value, (int, Expr)):
        if not isinstance(value, Unknown):
            return Unknown(f"{parameter.name} is not a number here")
        values[parameter.name] = fresh(cx.store)
    if takes == "int" and not (isinstance(value, int)):
        return cx.unknown()
    if takes == "bool" and isinstance(value, Unknown):
        return cx.unknown()
    return None


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


__all__ = ["FORWARDS", "LAYERS", "RULES", "BadCall", "Dim", "Parameter", "Rule", "apply", "bind", "call_layer", "forward", "layer", "make_layer", "rule"]
