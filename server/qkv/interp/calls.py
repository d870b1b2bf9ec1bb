"""Call a value: a rule of the table, a function of the code, a class, a module, or something that is not followed."""

from __future__ import annotations

import ast
import logging
from typing import Any

from qkv.interp.join import join
from qkv.interp.machine import CALL_DEPTH, Done, Frame, Machine, context, fail, report
from qkv.interp.values import (
    Bound,
    Choice,
    Class,
    Container,
    DictValue,
    Function,
    Instance,
    ListValue,
    Method,
    Partial,
    Ref,
    Scope,
    dict_of,
    is_tuple,
)
from qkv.ops import LAYERS, RULES, Mismatch, apply, call_layer, make_layer
from qkv.ops.table import Parameter
from qkv.shapes import Layer, Tensor, Unknown
from qkv.shapes.solve import write
from qkv.shapes.undecided import Undecided

GENERIC_DEPTH = 3
OUR_ERRORS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, AssertionError, RecursionError)
"""What a mistake of ours in a rule can raise: the result is then Unknown, and the rest of the file is analysed."""

log = logging.getLogger(__name__)


def call(m: Machine, callee: Any, arguments: tuple[Any, ...], keywords: dict[str, Any], node: ast.AST) -> Any:
    """The result of `callee(*arguments, **keywords)`."""
    if isinstance(callee, Function):
        return call_function(m, callee, arguments, keywords, node)
    if isinstance(callee, Bound):
        return call_function(m, callee.function, (callee.receiver, *arguments), keywords, node)
    if isinstance(callee, Ref):
        return _call_ref(m, callee, arguments, keywords, node)
    if isinstance(callee, Method):
        from qkv.interp.methods import call_method

        return call_method(m, callee, arguments, keywords, node)
    if isinstance(callee, Class):
        from qkv.interp.classes import instantiate

        return instantiate(m, callee, arguments, keywords, node)
    if isinstance(callee, Layer):
        return _call_layer(m, callee, arguments, keywords, node)
    if isinstance(callee, Container):
        return _call_container(m, callee, arguments, node)
    if isinstance(callee, Instance):
        return call_instance(m, callee, arguments, keywords, node)
    if isinstance(callee, Partial):
        return call(m, callee.function, callee.arguments + arguments, {**callee.keywords, **keywords}, node)
    if isinstance(callee, Choice):
        return _call_each(m, callee, arguments, keywords, node)
    if isinstance(callee, Unknown):
        return Unknown(callee.reason)
    if isinstance(callee, Undecided):
        return Unknown(f"what {callee.name or 'it'} does is not known here")
    return Unknown("a call of something that is not followed")


def call_with_unknown_arguments(m: Machine, callee: Any, node: ast.AST) -> Any:
    """A call with `*` or `**` of something unknown."""
    if isinstance(callee, Class):
        return Instance(callee, {}, open=True)
    return Unknown("a call whose arguments are not known")


def spread(value: Any, into: dict[Any, Any]) -> bool:
    """Put `**value` into keywords. Returns whether all of it is known."""
    if isinstance(value, DictValue):
        into.update(value.items)
        return not value.open
    return False


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


def _call_ref(m: Machine, callee: Ref, arguments: tuple[Any, ...], keywords: dict[str, Any], node: ast.AST) -> Any:
    from qkv.interp.library import LIBRARY

    name = callee.name
    special = LIBRARY.get(name)
    if special is not None:
        return special(m, arguments, keywords, node)
    if name in LAYERS:
        return construct_layer(m, name, arguments, keywords, node)
    if name in RULES:
        return apply_rule(m, name, arguments, keywords, node)
    if name.startswith("torch."):
        return Unknown(f"no rule for {name} yet")
    return Unknown(f"{name} is not followed")


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


def _call_layer(m: Machine, module: Layer, arguments: tuple[Any, ...], keywords: dict[str, Any], node: ast.AST) -> Any:
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
    _note(m, node, None, module.name, arguments, keywords, result, "call")
    return result


def _call_container(m: Machine, module: Container, arguments: tuple[Any, ...], node: ast.AST) -> Any:
    from qkv.interp.iterate import iterate

    if module.kind != "torch.nn.Sequential" or not arguments:
        return Unknown(f"{module.kind} cannot be called")
    value = arguments[0]
    content = module.content
    layers = content.items if isinstance(content, ListValue) else tuple(content.items.values())
    if (isinstance(content, ListValue) and content.some) or (isinstance(content, DictValue) and content.open):
        for layer in iterate(m, content, node).items:
            result = call(m, layer, (value,), {}, node)
            value = join(m.store, value, result)
        return value
    for layer in layers:
        value = call(m, layer, (value,), {}, node)
    return value


def call_instance(
    m: Machine, instance: Instance, arguments: tuple[Any, ...], keywords: dict[str, Any], node: ast.AST
) -> Any:
    """`module(x)`: `forward`, or `__call__`."""
    from qkv.interp.attributes import class_member, is_module

    names = ("forward", "__call__") if is_module(instance.cls) else ("__call__", "forward")
    for name in names:
        method = instance.attributes.get(name) or class_member(instance.cls, name)
        if isinstance(method, Function):
            return call_function(m, method, (instance, *arguments), keywords, node)
    layer = instance.attributes.get("__layer__")
    if isinstance(layer, (Layer, Container)):
        return call(m, layer, arguments, keywords, node)
    return Unknown(f"how {instance.cls.name} is called was not seen")


def _call_each(m: Machine, callee: Choice, arguments: tuple[Any, ...], keywords: dict[str, Any], node: ast.AST) -> Any:
    options = [option for option in callee.options if option is not None]
    if not options:
        return Unknown("a call of None")
    if len(options) > 1:
        m.open_branches += 1
    results = [call(m, option, arguments, keywords, node) for option in options]
    if len(options) > 1:
        m.open_branches -= 1
    result = results[0]
    for other in results[1:]:
        result = join(m.store, result, other)
    return result


def call_function(
    m: Machine, function: Function, arguments: tuple[Any, ...], keywords: dict[str, Any], node: ast.AST
) -> Any:
    """Enter a function of the code under analysis."""
    from qkv.interp.statements import run_body

    depth = len(m.stack)
    if depth > (CALL_DEPTH if m.run else GENERIC_DEPTH) or sum(frame.node is function.node for frame in m.stack) > 3:
        return Unknown("a call too deep to follow")
    if not function.sure:
        return Unknown(f"{function.name} is wrapped by a decorator that is not followed")
    scope = Scope(function.scope.unit, function.scope)
    caller = m.stack[-1].unit if m.stack else None
    frame = Frame(function.scope.unit, scope, qualified(function), function.node, node, caller, function.owner)
    if not bind_arguments(m, function, arguments, keywords, scope):
        return Unknown(f"the arguments do not fit {function.name}")
    m.stack.append(frame)
    try:
        note_parameters(m, function, scope)
        result = run_body(m, function, scope, frame)
    finally:
        m.stack.pop()
    return result


def note_parameters(m: Machine, function: Function, scope: Scope) -> None:
    """Write down the tensors that a function was given."""
    from qkv.interp.machine import record

    arguments = function.node.args
    for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]:
        value = scope.names.get(argument.arg)
        if isinstance(value, (Tensor, Undecided)):
            record(m, argument, argument.arg, "parameter", value)


def qualified(function: Function) -> str:
    """`Class.method`, or the function's name."""
    return f"{function.owner.name}.{function.name}" if function.owner is not None else function.name


def bind_arguments(
    m: Machine, function: Function, arguments: tuple[Any, ...], keywords: dict[str, Any], scope: Scope
) -> bool:
    """Python's own rules of calling. Returns False where the call raises TypeError."""
    node = function.node.args
    positional = [*node.posonlyargs, *node.args]
    rest = dict(keywords)

    def put(name: str, value: Any) -> None:
        write(m.store, scope.names, name, value)

    for argument, value in zip(positional, arguments, strict=False):
        if argument.arg in rest and argument not in node.posonlyargs:
            return False
        put(argument.arg, value)
    if len(arguments) > len(positional):
        if node.vararg is None:
            return False
    if node.vararg is not None:
        put(node.vararg.arg, tuple(arguments[len(positional) :]))
    first_default = len(positional) - len(function.defaults)
    for index, argument in enumerate(positional[len(arguments) :], start=len(arguments)):
        if argument.arg in rest and argument not in node.posonlyargs:
            put(argument.arg, rest.pop(argument.arg))
        elif index >= first_default:
            put(argument.arg, function.defaults[index - first_default])
        else:
            return False
    for argument in node.kwonlyargs:
        if argument.arg in rest:
            put(argument.arg, rest.pop(argument.arg))
        elif argument.arg in function.keyword_defaults:
            put(argument.arg, function.keyword_defaults[argument.arg])
        else:
            return False
    if node.kwarg is not None:
        put(node.kwarg.arg, dict_of(rest))
    elif rest:
        return False
    return True
