"""The two ways into a file: as it would run, and each function on its own."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from qkv.interp.attributes import unknown_base
from qkv.interp.calls import bind_arguments, call_function, note_parameters, qualified
from qkv.interp.machine import (
    GENERIC_STEPS,
    RUN_STEPS,
    Cancelled,
    Expected,
    Frame,
    Importer,
    Log,
    Machine,
    OutOfBudget,
    Stop,
)
from qkv.interp.parameters import parameter_values
from qkv.interp.readback import Facts, read_back
from qkv.interp.statements import run_block, run_body, run_statement
from qkv.interp.values import Class, Function, Instance, Scope, Unit
from qkv.shapes import Kind, Store, Unknown
from qkv.shapes.solve import resolve_shape, undo, write
from qkv.shapes.undecided import Undecided

FunctionDef = (ast.FunctionDef, ast.AsyncFunctionDef)


def run_file(unit: Unit, importer: Importer, cancelled: Callable[[], bool]) -> Facts:
    """Interpret a file as Python would run it, with `__name__ == "__main__"`, up to its first crash."""
    m = Machine(Store(), True, importer, RUN_STEPS, cancelled)
    m.stack.append(Frame(unit, unit.scope, None, None, None, None))
    with contextlib.suppress(Stop, OutOfBudget, Expected, RecursionError):
        run_block(m, unit.source.parsed.tree.body, unit.scope)
    facts = read_back(m)
    undo(m.store, 0)  # what the run changed in imported modules is none of the next file's business
    return facts


def define(m: Machine, unit: Unit) -> None:
    """Run only what a module defines: imports, functions, classes and assignments. Its loops and calls are left out."""
    m.stack.append(Frame(unit, unit.scope, None, None, None, None))
    m.silent += 1
    limit, m.limit = m.limit, m.steps + GENERIC_STEPS
    try:
        for statement in unit.source.parsed.tree.body:
            if isinstance(statement, (ast.Expr, ast.For, ast.While, ast.AsyncFor, ast.Assert, ast.Raise)):
                continue
            if isinstance(statement, ast.If) and _is_main_test(statement.test):
                continue
            try:
                run_statement(m, statement, unit.scope)
            except (Stop, Expected, RecursionError):
                continue
    except OutOfBudget:
        pass
    finally:
        m.limit = limit
        m.silent -= 1
        m.stack.pop()


def _is_main_test(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__"


def each_function(unit: Unit, importer: Importer, cancelled: Callable[[], bool]) -> Iterator[Facts]:
    """Interpret each function and method of a file on its own, with symbolic arguments."""
    m = Machine(Store(), False, importer, GENERIC_STEPS, cancelled)
    try:
        define(m, unit)
    except Cancelled:
        raise
    m.stack.append(Frame(unit, unit.scope, None, None, None, None))
    values = list(unit.scope.names.values())
    m.entries = frozenset(_entry_nodes(unit.source.parsed.tree))
    for statement in unit.source.parsed.tree.body:
        if isinstance(statement, FunctionDef):
            value = next((v for v in values if isinstance(v, Function) and v.node is statement), None)
            if value is not None:
                yield _entry(m, value, None)
        elif isinstance(statement, ast.ClassDef):
            value = next((v for v in values if isinstance(v, Class) and v.node is statement), None)
            if value is not None:
                yield from _class_entries(m, value)
    undo(m.store, 0)


def _entry_nodes(tree: ast.Module) -> Iterator[ast.AST]:
    """The functions that are read on their own: those of the module and of its classes."""
    for statement in tree.body:
        if isinstance(statement, FunctionDef):
            yield statement
        elif isinstance(statement, ast.ClassDef):
            yield from (inner for inner in statement.body if isinstance(inner, FunctionDef))


def _class_entries(m: Machine, cls: Class) -> Iterator[Facts]:
    """Each method with an instance whose constructor has run with symbolic arguments."""
    mark = len(m.store.trail)
    instance = Instance(cls, {}, open=unknown_base(cls))
    init = cls.members.get("__init__")
    if isinstance(init, Function):
        yield _entry(m, init, instance, keep=True)
    else:
        _symbolic_instance(m, instance)
    _forget_reassigned(m, instance)
    for value in list(cls.members.values()):
        if isinstance(value, Function) and value is not init and isinstance(value.node, FunctionDef):
            receiver = None if value.kind == "static" else (cls if value.kind == "class" else instance)
            yield _entry(m, value, receiver)
    undo(m.store, mark)


def _symbolic_instance(m: Machine, instance: Instance) -> None:
    """An instance of a class without a constructor of its own."""
    from qkv.interp.attributes import class_member
    from qkv.interp.classes import fields_of, is_dataclass

    m.steps = 0
    m.silent += 1
    try:
        init = class_member(instance.cls, "__init__")
        if isinstance(init, Function):
            arguments, keywords = parameter_values(m, init, True, Kind.CONFIG, instance.cls.name)
            call_function(m, init, (instance, *arguments), keywords, init.node)
        elif is_dataclass(instance.cls):
            for name, _, _ in fields_of(instance.cls):
                write(m.store, instance.attributes, name, Undecided(name, Kind.CONFIG))
    except (Stop, OutOfBudget, Expected, RecursionError):
        pass
    finally:
        m.silent -= 1


def _forget_reassigned(m: Machine, instance: Instance) -> None:
    """An attribute that a method other than the constructor sets may hold something else by the time it is read."""
    for method in instance.cls.node.body:
        if isinstance(method, FunctionDef) and method.name not in ("__init__", "__post_init__"):
            for node in ast.walk(method):
                if (
                    isinstance(node, ast.Attribute)
                    and isinstance(node.ctx, ast.Store)
                    and isinstance(node.value, ast.Name)
                    and node.value.id == "self"
                ):
                    if node.attr in instance.attributes:
                        write(
                            m.store,
                            instance.attributes,
                            node.attr,
                            Unknown(f"{node.attr} is set again outside the constructor"),
                        )


def _entry(m: Machine, function: Function, receiver: Any, keep: bool = False) -> Facts:
    """Interpret one function with symbolic arguments; what it taught is taken back, unless it is a constructor."""
    store = m.store
    mark = len(store.trail)
    m.steps, m.open_branches, m.tries, m.silent, m.size_tests = 0, 0, 0, 0, 0
    m.log = Log()
    m.entry = function.node
    m.claimed_sizes, m.claimed_rows = {}, {}
    store.apart.clear()
    store.inputs.clear()
    skip_first = receiver is not None
    kind = Kind.CONFIG if keep else Kind.PARAM
    owner = function.owner.name if keep and function.owner is not None else None
    scope = Scope(function.scope.unit, function.scope)
    frame = Frame(function.scope.unit, scope, qualified(function), function.node, None, None, function.owner)
    depth = len(m.stack)
    m.stack.append(frame)
    try:
        arguments, keywords = parameter_values(m, function, skip_first, kind, owner)
        given = (receiver, *arguments) if skip_first else arguments
        bind_arguments(m, function, given, keywords, scope)
        if function.node.args.vararg is not None:
            write(store, scope.names, function.node.args.vararg.arg, Unknown("any number of arguments"))
        if function.node.args.kwarg is not None:
            from qkv.interp.values import dict_of

            write(store, scope.names, function.node.args.kwarg.arg, dict_of({}, is_open=True))
        note_parameters(m, function, scope)
        _remember_inputs(m, scope)
        run_body(m, function, scope, frame)
    except (Stop, OutOfBudget, Expected, RecursionError):
        pass
    finally:
        del m.stack[depth:]
    facts = read_back(m)
    if not keep:
        undo(store, mark)
    return facts


def _remember_inputs(m: Machine, scope: Scope) -> None:
    """The shapes of the function's tensors, for the rule that two axes of one input are not the same."""
    from qkv.shapes import Tensor

    for value in scope.names.values():
        if isinstance(value, Undecided):
            continue
        if isinstance(value, Tensor):
            m.store.inputs.append(resolve_shape(m.store, value.shape))
