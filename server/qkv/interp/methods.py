"""Methods of the values that the interpreter itself provides."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from qkv.interp.apply import apply_rule
from qkv.interp.calls import call
from qkv.interp.classes import construct_base
from qkv.interp.iterate import iterate
from qkv.interp.join import join
from qkv.interp.machine import Machine
from qkv.interp.operators import equal_values
from qkv.interp.values import (
    Container,
    DictValue,
    Entries,
    Instance,
    ListValue,
    Method,
    Super,
    dict_of,
    is_tuple,
    list_of,
)
from qkv.ops import RULES
from qkv.shapes import Layer, Size, Tensor, Unknown
from qkv.shapes.solve import write
from qkv.shapes.undecided import Undecided

TRANSPARENT = frozenset(
    [
        "to",
        "cuda",
        "cpu",
        "float",
        "half",
        "double",
        "bfloat16",
        "eval",
        "train",
        "requires_grad_",
        "apply",
        "compile",
        "share_memory",
        "to_empty",
        "type",
        "xpu",
        "ipu",
        "zero_grad",
    ]
)
"""Methods of a module that give the module back."""


def call_method(m: Machine, method: Method, arguments: tuple[Any, ...], keywords: dict[str, Any], node: ast.AST) -> Any:
    """`receiver.name(…)` for a receiver that is no instance of the code's own classes."""
    receiver, name = method.receiver, method.name
    if isinstance(receiver, Undecided):
        receiver = _decide(m, receiver, name)
    if isinstance(receiver, Tensor):
        return call_tensor_method(m, receiver, name, arguments, keywords, node)
    if isinstance(receiver, Super):
        return _super_method(m, receiver, name, arguments, keywords, node)
    if isinstance(receiver, (Layer, Container, Instance)):
        return _module_method(m, receiver, name, arguments, keywords, node)
    if isinstance(receiver, ListValue):
        return _list_method(m, receiver, name, arguments, keywords, node)
    if isinstance(receiver, DictValue):
        return _dict_method(m, receiver, name, arguments, node)
    if isinstance(receiver, str):
        return _text_method(m, receiver, name, arguments, node)
    if isinstance(receiver, Size) and name == "numel":
        return Unknown("the number of elements of a shape of unknown rank")
    if is_tuple(receiver):
        return _tuple_method(m, tuple(receiver), name, arguments)
    return Unknown(f"what the method {name} gives is not followed")


def _decide(m: Machine, receiver: Undecided, name: str) -> Any:
    if (
        name in ("get", "items", "keys", "values", "pop", "update", "setdefault", "copy")
        and receiver.read_as_tensor is None
    ):
        return Unknown("an argument that is read as a dict")
    return receiver.tensor(m.store) if f"torch.Tensor.{name}" in RULES else Unknown(f"an argument's method {name}")


def call_tensor_method(
    m: Machine, receiver: Tensor, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any], node: ast.AST
) -> Any:
    """`x.view(…)`: the rule of `torch.Tensor.view`. A trailing underscore works in place and gives the tensor back."""
    full = f"torch.Tensor.{name}"
    name_node = node.func if isinstance(node, ast.Call) else node
    if full in RULES:
        result = apply_rule(m, full, (receiver, *arguments), keywords, node, name_node=name_node)
        if name.endswith("_") and not name.startswith("_"):
            _changed_in_place(m, receiver, result, node)
        return result
    if name.endswith("_") and not name.startswith("_"):
        return receiver
    if not receiver.sure:
        return Unknown(f"an argument's method {name}")
    return Unknown(f"no rule for {full} yet")


def _changed_in_place(m: Machine, before: Tensor, after: Any, node: ast.AST) -> None:
    """`x.unsqueeze_(0)` changes the shape of the variable itself."""
    from qkv.interp.narrow import put

    if not isinstance(after, Tensor) or after.shape == before.shape or not isinstance(node, ast.Call):
        return
    if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
        put(m, node.func.value, m.frame.scope, after)


def _super_method(
    m: Machine, receiver: Super, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any], node: ast.AST
) -> Any:
    _, _, method = name.partition(":")
    instance = receiver.instance
    if method == "__init__" and isinstance(instance, Instance):
        construct_base(m, instance, arguments, keywords, node)
        return None
    if method in ("forward", "__call__") and isinstance(instance, Instance):
        layer = instance.attributes.get("__layer__")
        if layer is not None:
            return call(m, layer, arguments, keywords, node)
    return Unknown("a method of a base class that is not in sight")


def _module_method(
    m: Machine, receiver: Any, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any], node: ast.AST
) -> Any:
    if name in TRANSPARENT:
        return receiver
    if name in ("register_buffer", "register_parameter", "add_module", "register_module", "__setattr__") and isinstance(
        receiver, Instance
    ):
        value = (
            arguments[1]
            if len(arguments) > 1
            else next(iter(v for k, v in keywords.items() if k in ("tensor", "param", "module")), None)
        )
        key = arguments[0] if arguments else keywords.get("name")
        if isinstance(key, str):
            write(m.store, receiver.attributes, key, value)
        return None
    if isinstance(receiver, (Layer, Instance)) and name == "forward":
        return call(m, receiver, arguments, keywords, node)
    if isinstance(receiver, Container):
        if name == "forward":
            return call(m, receiver, arguments, keywords, node)
        if isinstance(receiver.content, ListValue):
            if name in ("append", "extend", "insert", "pop"):
                _list_method(m, receiver.content, name, arguments, keywords, node)
                return receiver
            if name == "add_module" and len(arguments) == 2:
                return _list_method(m, receiver.content, "append", arguments[1:], {}, node)
        elif name in ("items", "keys", "values", "update", "pop"):
            return _dict_method(m, receiver.content, name, arguments, node)
    if name in ("parameters", "buffers", "named_parameters", "modules", "children", "named_modules", "state_dict"):
        return Entries((Unknown("a part of a module"),), some=True)
    return Unknown(f"what the method {name} gives is not followed")


def _list_method(
    m: Machine, receiver: ListValue, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any], node: ast.AST
) -> Any:
    items = receiver.items
    if name == "append" and arguments:
        _set_items(m, receiver, _grown(m, receiver, (arguments[0],)))
        return None
    if name in ("extend", "__iadd__") and arguments:
        found = iterate(m, arguments[0], node)
        if found.some:
            write(m.store, receiver.cells, "some", True)
        _set_items(m, receiver, _grown(m, receiver, found.items))
        return None
    if name == "insert" and len(arguments) == 2:
        at = arguments[0] if isinstance(arguments[0], int) else 0
        _set_items(m, receiver, (*items[:at], arguments[1], *items[at:]))
        return None
    if name == "pop":
        at = arguments[0] if arguments else -1
        if isinstance(at, int) and -len(items) <= at < len(items) and not receiver.some:
            rest = list(items)
            taken = rest.pop(at)
            _set_items(m, receiver, tuple(rest))
            return taken
        return items[-1] if items else Unknown("an item of an empty list")
    if name in ("reverse", "sort", "clear", "remove"):
        if name == "clear":
            _set_items(m, receiver, ())
        elif name == "reverse":
            _set_items(m, receiver, tuple(reversed(items)))
        else:
            write(m.store, receiver.cells, "some", True)
        return None
    if name == "copy":
        return list_of(items, receiver.some)
    if name in ("index", "count"):
        return Unknown("a position in a list")
    return Unknown(f"what list.{name} gives is not followed")


def _set_items(m: Machine, receiver: ListValue, items: tuple[Any, ...]) -> None:
    write(m.store, receiver.cells, "items", items)


def _grown(m: Machine, receiver: ListValue, more: tuple[Any, ...]) -> tuple[Any, ...]:
    """More items; a list of unknown length keeps a few examples only."""
    if receiver.some and len(receiver.items) >= 4:
        merged = receiver.items[0]
        for item in (*receiver.items[1:], *more):
            merged = join(m.store, merged, item)
        return (merged,)
    return (*receiver.items, *more)


def _dict_method(m: Machine, receiver: DictValue, name: str, arguments: tuple[Any, ...], node: ast.AST) -> Any:
    items = receiver.items
    key = arguments[0] if arguments else None
    default = arguments[1] if len(arguments) > 1 else None
    if name == "items":
        return (
            Entries(tuple(items.items()) or ((Unknown("a key"), Unknown("an item")),), receiver.open)
            if items or receiver.open
            else Entries(())
        )
    if name == "keys":
        return iterate(m, receiver, node)
    if name == "values":
        return (
            Entries(tuple(items.values()) or (Unknown("an item of a dict"),), receiver.open)
            if items or receiver.open
            else Entries(())
        )
    if name in ("get", "pop", "setdefault"):
        if isinstance(key, (str, int)) and key in items:
            found = items[key]
            if name == "pop":
                write(m.store, receiver.cells, "items", {k: v for k, v in items.items() if k != key})
            return found
        if receiver.open or not isinstance(key, (str, int)):
            return Unknown("an item under a key that is not known")
        if name == "setdefault":
            write(m.store, receiver.cells, "items", {**items, key: default})
        return default
    if name == "update":
        merged = dict(items)
        is_open = receiver.open
        for source in arguments:
            if isinstance(source, DictValue):
                merged.update(source.items)
                is_open = is_open or source.open
            else:
                is_open = True
        write(m.store, receiver.cells, "items", merged)
        write(m.store, receiver.cells, "open", is_open)
        return None
    if name == "copy":
        return dict_of(dict(items), receiver.open)
    return Unknown(f"what dict.{name} gives is not followed")


_TEXT: dict[str, Callable[..., Any]] = {
    name: getattr(str, name)
    for name in [
        "lower",
        "upper",
        "strip",
        "lstrip",
        "rstrip",
        "title",
        "startswith",
        "endswith",
        "replace",
        "split",
        "rsplit",
        "join",
        "removeprefix",
        "removesuffix",
        "count",
        "find",
        "isdigit",
        "splitlines",
        "capitalize",
        "partition",
        "rpartition",
    ]
}


def _text_method(m: Machine, receiver: str, name: str, arguments: tuple[Any, ...], node: ast.AST) -> Any:
    function = _TEXT.get(name)
    plain: list[Any] = []
    for value in arguments:
        if isinstance(value, (ListValue, Entries)) and not value.some:
            value = list(value.items)
        plain.append(value)
    readable = all(
        isinstance(v, (str, int, type(None))) or (isinstance(v, (list, tuple)) and all(isinstance(x, str) for x in v))
        for v in plain
    )
    if function is None or not readable:
        return Unknown("a text that is put together when the program runs")
    try:
        result = function(receiver, *plain)
    except (TypeError, ValueError):
        return Unknown("a text that cannot be worked out")
    return list_of(result) if isinstance(result, list) else result


def _tuple_method(m: Machine, receiver: tuple[Any, ...], name: str, arguments: tuple[Any, ...]) -> Any:
    if name == "numel":
        from qkv.shapes.dim import product

        return (
            product(receiver)
            if all(isinstance(item, int) or not isinstance(item, Unknown) for item in receiver)
            else Unknown("a number of elements")
        )
    if name == "index" and arguments:
        for at, item in enumerate(receiver):
            answer = equal_values(m, item, arguments[0])
            if answer is not False:
                return at if answer else Unknown("a position in a tuple")
    return Unknown(f"what tuple.{name} gives is not followed")
