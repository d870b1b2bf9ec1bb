"""Call a value: a rule of the table, a function of the code, a class, a module, or something that is not followed."""

from __future__ import annotations

import ast
from typing import Any

from qkv.interp.apply import apply_rule, call_module, construct_layer
from qkv.interp.join import join
from qkv.interp.machine import CALL_DEPTH, Frame, Machine
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
)
from qkv.ops import LAYERS, RULES
from qkv.shapes import Layer, Tensor, Unknown
from qkv.shapes.solve import write
from qkv.shapes.undecided import Undecided

GENERIC_DEPTH = 3


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
        return call_module(m, callee, arguments, keywords, node)
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
