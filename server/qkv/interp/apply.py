"""Apply rules of the table and modules of torch: arguments as rules see them, refusals reported, operations written down."""

from __future__ import annotations

import ast
import logging
from typing import Any

from qkv.interp.machine import Done, Machine, context, fail, report
from qkv.interp.masks import follow, note_use
from qkv.interp.values import (
    Choice,
    Container,
    ListValue,
    is_tuple,
)
from qkv.ops import LAYERS, RULES, Mismatch, apply, call_layer, make_layer
from qkv.ops.table import Parameter
from qkv.shapes import Layer, Tensor, Unknown
from qkv.shapes.undecided import Undecided

OUR_ERRORS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, AssertionError, RecursionError)


"""What a mistake of ours in a rule can raise: the result is then Unknown, and the rest of the file is analysed."""


log = logging.getLogger(__name__)


def rule_value(m: Machine, value: Any) -> Any:
    """A value as rules see it: lists as tuples; a choice between None and one thing stays a choice and is refused."""
    if isinstance(value, ListValue):
        if value.some:
            return Unknown("a list of unknown length")
        return tuple(rule_value(m, item) for item in value.items)
    if is_tuple(value):
        return tuple(rule_value(m, item) for item in value)
    if isinstance(value, Container):
        return rule_value(m, value.content)
    if isinstance(value, Choice):
        options = [option for option in value.options if option is not None]
        return (
            rule_value(m, options[0])
            if len(options) == 1 and isinstance(options[0], Tensor)
            else Unknown("it depends on a branch")
        )
    from qkv.interp.values import Entries, Ratio

    if isinstance(value, Entries):
        return (
            Unknown("a collection of unknown length")
            if value.some
            else tuple(rule_value(m, item) for item in value.items)
        )
    if isinstance(value, Ratio):
        return float("nan")
    return value


def rule_arguments(
    m: Machine, parameters: tuple[Parameter, ...], arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments as a rule sees them. An argument that nothing has used yet becomes what its parameter takes."""
    takes = {parameter.name: parameter.takes for parameter in parameters}
    values: list[Any] = []
    for index, value in enumerate(arguments):
        parameter = parameter_at(parameters, index)[0]
        values.append(
            _decide(
                m, rule_value(m, value), parameter.takes if parameter else "", bool(parameter and parameter.variadic)
            )
        )
    return tuple(values), {
        key: _decide(m, rule_value(m, value), takes.get(key, ""), False) for key, value in keywords.items()
    }


def _decide(m: Machine, value: Any, takes: str, variadic: bool) -> Any:
    if is_tuple(value):
        items: tuple[Any, ...] = value
        return tuple(_decide(m, item, "Tensor" if takes == "Tensor" else "Dim", False) for item in items)
    if not isinstance(value, Undecided):
        return value
    if value.read_as_tensor is not None or takes == "Tensor":
        return value.tensor(m.store)
    if takes in ("Dim", "int") or variadic:
        return value.dim(m.store)
    return Unknown("an argument that may be a tensor or a number") if not takes else value


def apply_rule(
    m: Machine,
    name: str,
    arguments: tuple[Any, ...],
    keywords: dict[str, Any],
    node: ast.AST,
    nodes: dict[str, ast.AST] | None = None,
    name_node: ast.AST | None = None,
    ops: str | None = None,
) -> Any:
    """Apply a rule of the table by its spelling, write down what it did, and report what it refuses."""
    entry = RULES.get(name)
    if entry is None:
        return Unknown(f"no rule for {name} yet")
    arguments, keywords = rule_arguments(m, entry.parameters, arguments, keywords)
    cx = context(m, node)
    nodes = (
        nodes if nodes is not None else argument_nodes(node, entry.parameters, method=name.startswith("torch.Tensor."))
    )
    given = _given(entry.parameters, arguments, keywords)
    operands = {key: (at, given.get(key)) for key, at in nodes.items()}
    try:
        result = apply(cx, entry, arguments, keywords)
    except Mismatch as mismatch:
        fail(m, mismatch, node, operands)
        result = cx.unknown()
    except OUR_ERRORS:
        log.debug("the rule of %s failed", name, exc_info=True)
        return Unknown(f"the rule of {name} failed; please report it")
    for coincidence in cx.coincidences:
        report(m, coincidence, node, operands)
    note_use(m, name, given, node, nodes)
    result = follow(m, name, given, result, node)
    _note(m, node, name_node, name, arguments, keywords, result, ops)
    return result


def _note(
    m: Machine,
    node: ast.AST,
    name_node: ast.AST | None,
    name: str,
    arguments: tuple[Any, ...],
    keywords: dict[str, Any],
    result: Any,
    ops: str | None,
) -> None:
    """Write down an operation for the hover."""
    if m.silent or (name.startswith("torch.Tensor.__") and ops is None):
        return
    tensors = tuple(value for value in (*arguments, *keywords.values()) if isinstance(value, Tensor))
    if name_node is None:
        name_node = node.func if isinstance(node, ast.Call) else node
    m.log.done.append(Done(node, name_node, m.frame.unit, name, tensors, result))


def parameter_at(parameters: tuple[Parameter, ...], place: int) -> tuple[Parameter | None, int | None]:
    """The parameter that takes the positional argument at a place, and which of a variadic's items it is."""
    for index, parameter in enumerate(parameters):
        if parameter.variadic:
            return parameter, place - index
        if index == place:
            return parameter, None
    return None, None


def argument_nodes(node: ast.AST, parameters: tuple[Parameter, ...], method: bool) -> dict[str, ast.AST]:
    """Where each argument of a call is written, by parameter name; the items of a variadic or of a list by `name[i]`."""
    found: dict[str, ast.AST] = {}
    if not isinstance(node, ast.Call):
        return found
    positional: list[ast.AST] = list(node.args)
    if method and isinstance(node.func, ast.Attribute):
        positional.insert(0, node.func.value)
    for place, item in enumerate(positional):
        parameter, within = parameter_at(parameters, place)
        if isinstance(item, ast.Starred) or parameter is None:
            break
        if within is None:
            _note_argument(found, parameter.name, item)
        else:
            found[f"{parameter.name}[{within}]"] = item
    for keyword in node.keywords:
        if keyword.arg is not None:
            _note_argument(found, keyword.arg, keyword.value)
    return found


def _note_argument(found: dict[str, ast.AST], name: str, item: ast.AST) -> None:
    found[name] = item
    if isinstance(item, (ast.List, ast.Tuple)):
        for place, inner in enumerate(item.elts):
            found[f"{name}[{place}]"] = inner


def _given(parameters: tuple[Parameter, ...], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> dict[str, Any]:
    """Arguments by the same names as `argument_nodes`."""
    given: dict[str, Any] = {}
    for place, value in enumerate(arguments):
        parameter, within = parameter_at(parameters, place)
        if parameter is None:
            break
        given[parameter.name if within is None else f"{parameter.name}[{within}]"] = value
    given |= keywords
    for name, value in list(given.items()):
        if is_tuple(value):
            given |= {f"{name}[{place}]": item for place, item in enumerate(value)}
    return given


def construct_layer(m: Machine, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any], node: ast.AST) -> Any:
    """`nn.Linear(…)`."""
    cx = context(m, node)
    arguments, keywords = rule_arguments(m, LAYERS[name].parameters, arguments, keywords)
    nodes = argument_nodes(node, LAYERS[name].parameters, method=False)
    operands = {key: (at, None) for key, at in nodes.items()}
    try:
        made = make_layer(cx, name, arguments, keywords)
    except Mismatch as mismatch:
        fail(m, mismatch, node, operands)
        return Unknown("this constructor raises")
    except OUR_ERRORS:
        log.debug("the constructor of %s failed", name, exc_info=True)
        return Unknown(f"the rule of {name} failed; please report it")
    for coincidence in cx.coincidences:
        report(m, coincidence, node, operands)
    return made


def call_module(m: Machine, module: Layer, arguments: tuple[Any, ...], keywords: dict[str, Any], node: ast.AST) -> Any:
    from qkv.ops import FORWARDS

    cx = context(m, node)
    entry = FORWARDS.get(module.name)
    parameters = entry.parameters[1:] if entry is not None else ()
    arguments, keywords = rule_arguments(m, parameters, arguments, keywords)
    nodes = argument_nodes(node, parameters, method=False)
    given = _given(parameters, arguments, keywords)
    operands = {key: (at, given.get(key)) for key, at in nodes.items()}
    if isinstance(node, ast.Call):
        operands["layer"] = (node.func, module)
    try:
        result = call_layer(cx, module, arguments, keywords)
    except Mismatch as mismatch:
        fail(m, mismatch, node, operands)
        result = cx.unknown()
    except OUR_ERRORS:
        log.debug("the rule of %s failed", module.name, exc_info=True)
        return Unknown(f"the rule of {module.name} failed; please report it")
    for coincidence in cx.coincidences:
        report(m, coincidence, node, operands)
    note_use(m, module.name, given, node, nodes)
    _note(m, node, None, module.name, arguments, keywords, result, "call")
    return result
