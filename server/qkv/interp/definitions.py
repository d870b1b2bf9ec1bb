"""`def`, `class` and `import`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from qkv.interp.calls import call
from qkv.interp.classes import define_class
from qkv.interp.expressions import evaluate, make_function
from qkv.interp.machine import Machine
from qkv.interp.names import refer
from qkv.interp.values import Bound, Class, Function, ModuleValue, Ref, Scope
from qkv.interp.wrappers import TRANSPARENT_DECORATORS
from qkv.shapes import Unknown
from qkv.shapes.solve import write


def define_function(m: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> None:
    """`def name(…)`. A decorator of the code itself is called; one of a library that is not known leaves the function unsure."""
    closure = scope.parent if scope.class_body and scope.parent is not None else scope
    function = make_function(m, node, closure, node.name)
    value: Any = function
    name = node.name
    for decorator in reversed(node.decorator_list):
        if isinstance(decorator, ast.Attribute) and decorator.attr in ("setter", "deleter", "getter"):
            name = f"{node.name}.{decorator.attr}"
            continue
        value = _decorated(m, value, decorator, function, scope)
    write(m.store, scope.names, name, value)


def _decorated(m: Machine, value: Any, decorator: ast.expr, function: Function, scope: Scope) -> Any:
    target = decorator.func if isinstance(decorator, ast.Call) else decorator
    found = evaluate(m, target, scope)
    if isinstance(found, Ref):
        if found.name in ("builtins.staticmethod", "builtins.classmethod"):
            function.kind = found.name.removeprefix("builtins.").removesuffix("method")
            return value
        if found.name.endswith(("property", "cached_property")):
            function.kind = "property"
            return value
        if found.name in TRANSPARENT_DECORATORS or found.name.startswith("torch."):
            return value
        function.sure = False
        return value
    if isinstance(found, (Function, Bound)) and scope.unit is m.frame.unit:
        wrapped = call(
            m, evaluate(m, decorator, scope) if isinstance(decorator, ast.Call) else found, (value,), {}, decorator
        )
        if isinstance(wrapped, (Function, Class)):
            return wrapped
    function.sure = False
    return value


def run_class(
    m: Machine, node: ast.ClassDef, scope: Scope, run: Callable[[Machine, Sequence[ast.stmt], Scope], Any]
) -> None:
    """`class Name(…)`: its body runs in a scope of its own, whose names become the members."""
    bases = tuple(evaluate(m, base, scope) for base in node.bases)
    inner = Scope(scope.unit, scope, class_body=True)
    cls = define_class(node, inner, bases)
    run(m, node.body, inner)
    for name, value in inner.names.items():
        if isinstance(value, Function) and value.owner is None and value.scope is scope:
            value.owner = cls
        cls.members[name] = value
    write(m.store, scope.names, node.name, cls)


def import_module(m: Machine, node: ast.Import, scope: Scope) -> None:
    """`import a.b as c`."""
    for item in node.names:
        if item.asname is not None:
            write(m.store, scope.names, item.asname, _module(m, item.name, 0, scope))
        else:
            top = item.name.split(".")[0]
            write(m.store, scope.names, top, _module(m, top, 0, scope))


def _module(m: Machine, name: str, level: int, scope: Scope) -> Any:
    unit = m.importer(name, level, scope.unit)
    return (
        ModuleValue(unit)
        if unit is not None
        else (refer(name) if not level else Unknown(f"the module {'.' * level}{name} was not found"))
    )


def import_from(m: Machine, node: ast.ImportFrom, scope: Scope) -> None:
    """`from a.b import c as d`."""
    module = node.module or ""
    unit = m.importer(module, node.level, scope.unit) if module or node.level else None
    for item in node.names:
        if item.name == "*":
            if unit is not None:
                for name, value in list(unit.scope.names.items()):
                    if not name.startswith("_"):
                        write(m.store, scope.names, name, value)
            continue
        value = _imported(m, unit, module, item.name, node.level, scope)
        write(m.store, scope.names, item.asname or item.name, value)


def _imported(m: Machine, unit: Any, module: str, name: str, level: int, scope: Scope) -> Any:
    if unit is not None:
        if name in unit.scope.names:
            return unit.scope.names[name]
        inner = m.importer(f"{module}.{name}" if module else name, level, scope.unit)
        if inner is not None:
            return ModuleValue(inner)
        return Unknown(f"{module or 'the package'} does not say what {name} is")
    if level:
        inner = m.importer(name, level, scope.unit) if not module else None
        return ModuleValue(inner) if inner is not None else Unknown(f"the module {'.' * level}{module} was not found")
    return refer(f"{module}.{name}")
