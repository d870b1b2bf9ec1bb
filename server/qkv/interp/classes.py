"""Make an instance of a class of the code under analysis."""

from __future__ import annotations

import ast
from typing import Any

from qkv.interp.apply import construct_layer
from qkv.interp.attributes import base_layers, class_member, linearize, unknown_base
from qkv.interp.calls import call, call_function
from qkv.interp.machine import Machine
from qkv.interp.values import Class, Container, DictValue, Function, Instance, dict_of, list_of
from qkv.ops import LAYERS
from qkv.shapes import Layer, Unknown
from qkv.shapes.solve import write

CONTAINERS = (
    "torch.nn.Sequential",
    "torch.nn.ModuleList",
    "torch.nn.ModuleDict",
    "torch.nn.ParameterList",
    "torch.nn.ParameterDict",
)


def instantiate(m: Machine, cls: Class, arguments: tuple[Any, ...], keywords: dict[str, Any], node: ast.AST) -> Any:
    """`cls(*arguments, **keywords)`: an instance whose `__init__` has run."""
    if any(name == "enum.Enum" or name.endswith(".autograd.Function") for name in base_layers(cls)):
        return Unknown(f"{cls.name} is not followed")
    instance = Instance(cls, {}, open=unknown_base(cls))
    init = class_member(cls, "__init__")
    if isinstance(init, Function):
        call_function(m, init, (instance, *arguments), keywords, node)
    elif is_dataclass(cls) or any(name == "typing.NamedTuple" for name in base_layers(cls)):
        fill_fields(m, instance, arguments, keywords, node)
    else:
        construct_base(m, instance, arguments, keywords, node)
    return instance


def is_dataclass(cls: Class) -> bool:
    """Whether the class or a base carries `@dataclass`."""
    return any(isinstance(base, Class) and base.dataclass for base in linearize(cls))


def fields_of(cls: Class) -> list[tuple[str, ast.AnnAssign, Class]]:
    """The annotated fields in order, those of bases first."""
    found: dict[str, tuple[str, ast.AnnAssign, Class]] = {}
    for base in reversed(linearize(cls)):
        if isinstance(base, Class):
            for statement in base.node.body:
                if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                    found[statement.target.id] = (statement.target.id, statement, base)
    return list(found.values())


def fill_fields(
    m: Machine, instance: Instance, arguments: tuple[Any, ...], keywords: dict[str, Any], node: ast.AST
) -> None:
    """What the `__init__` that a dataclass is given does, then its `__post_init__`."""
    rest = list(arguments)
    for name, statement, owner in fields_of(instance.cls):
        if rest:
            value = rest.pop(0)
        elif name in keywords:
            value = keywords[name]
        elif statement.value is not None:
            value = _field_default(m, statement.value, owner, node)
        else:
            value = Unknown(f"the field {name} was not given")
        write(m.store, instance.attributes, name, value)
    after = class_member(instance.cls, "__post_init__")
    if isinstance(after, Function):
        call_function(m, after, (instance,), {}, node)


def _field_default(m: Machine, value: ast.expr, owner: Class, node: ast.AST) -> Any:
    from qkv.interp.expressions import evaluate

    if isinstance(value, ast.Call) and ast.unparse(value.func).endswith("field"):
        for keyword in value.keywords:
            if keyword.arg == "default":
                return evaluate(m, keyword.value, owner.scope)
            if keyword.arg == "default_factory":
                return call(m, evaluate(m, keyword.value, owner.scope), (), {}, node)
        return Unknown("a field without a default")
    return evaluate(m, value, owner.scope)


def construct_base(
    m: Machine, instance: Instance, arguments: tuple[Any, ...], keywords: dict[str, Any], node: ast.AST
) -> None:
    """Run the constructor of a library class that a class derives from: `super().__init__(…)` of a subclass of `nn.Linear`."""
    for name in base_layers(instance.cls):
        if name in CONTAINERS:
            write(m.store, instance.attributes, "__layer__", make_container(m, name, arguments, node))
            return
        if name in LAYERS:
            made = construct_layer(m, name, arguments, keywords, node)
            if isinstance(made, Layer):
                write(m.store, instance.attributes, "__layer__", made)
                for key, value in made.members.items():
                    write(m.store, instance.attributes, key, value)
            return


def make_container(m: Machine, name: str, arguments: tuple[Any, ...], node: ast.AST) -> Any:
    """`nn.Sequential(…)`, `nn.ModuleList([…])`, `nn.ModuleDict({…})`."""
    from qkv.interp.iterate import iterate

    if name.endswith("Dict"):
        content = (
            arguments[0] if arguments and isinstance(arguments[0], DictValue) else dict_of({}, is_open=bool(arguments))
        )
        return Container(name, dict_of(dict(content.items), content.open))
    if name == "torch.nn.Sequential":
        if len(arguments) == 1 and isinstance(arguments[0], DictValue):
            return Container(name, dict_of(dict(arguments[0].items), arguments[0].open))
        return Container(name, list_of(arguments))
    if not arguments:
        return Container(name, list_of(()))
    found = iterate(m, arguments[0], node)
    return Container(name, list_of(found.items, found.some))


def define_class(node: ast.ClassDef, scope: Any, bases: tuple[Any, ...]) -> Class:
    """A class without its members yet."""
    decorated = any("dataclass" in ast.unparse(decorator) for decorator in node.decorator_list)
    return Class(node.name, node, bases, {}, scope, dataclass=decorated)
