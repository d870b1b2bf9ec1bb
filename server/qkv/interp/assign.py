"""Bind names, attributes and items, and write down which of them hold tensors."""

from __future__ import annotations

import ast
from typing import Any

from qkv.interp.apply import apply_rule
from qkv.interp.iterate import iterate
from qkv.interp.join import join
from qkv.interp.machine import Machine, fail, place, record
from qkv.interp.values import Choice, Container, DictValue, Instance, ListValue, Scope, is_size, is_tuple
from qkv.ops import Mismatch
from qkv.shapes import Expr, Kind, Size, Tensor, Unknown
from qkv.shapes.dim import alone
from qkv.shapes.solve import resolve, resolve_shape, solve_rank, stand_apart, symbol, write
from qkv.shapes.undecided import Undecided


def assign(
    m: Machine, target: ast.expr, value: Any, scope: Scope, origin: ast.AST | None, kind: str = "assignment"
) -> None:
    """`target = value`."""
    if isinstance(target, ast.Name):
        bind_name(m, target, value, scope, origin, kind)
    elif isinstance(target, (ast.Tuple, ast.List)):
        _unpack(m, target, value, scope, origin, kind)
    elif isinstance(target, ast.Attribute):
        _set_attribute(m, target, value, scope, origin)
    elif isinstance(target, ast.Subscript):
        _set_item(m, target, value, scope, origin)
    elif isinstance(target, ast.Starred):
        assign(m, target.value, value, scope, origin, kind)


def bind_name(
    m: Machine, target: ast.Name, value: Any, scope: Scope, origin: ast.AST | None, kind: str = "assignment"
) -> None:
    """`name = value`. A size takes its name from here if it has none."""
    name = target.id
    if is_size(value):
        name_size(m, value, name)
    write(m.store, scope.names, name, value)
    if isinstance(value, (Tensor, Unknown, Undecided, Choice)):
        record(m, target, name, kind, value, origin)


def name_size(m: Machine, size: Any, name: str) -> None:
    """The user's name for an expression (`hs` for `C // n_head`) or for a size that had none."""
    size = resolve(m.store, size)
    if not isinstance(size, Expr) or name == "_" or len(name) > 40:
        return
    single = alone(size)
    if single is not None and single.kind is Kind.FRESH:
        return
    if single is None or not single.name:
        if size not in m.store.aliases and not any(taken == name for taken in m.store.aliases.values()):
            write(m.store, m.store.aliases, size, name)


def _unpack(
    m: Machine, target: ast.Tuple | ast.List, value: Any, scope: Scope, origin: ast.AST | None, kind: str
) -> None:
    """`a, b, *c = value`."""
    names = target.elts
    star = next((i for i, item in enumerate(names) if isinstance(item, ast.Starred)), None)
    if isinstance(value, Undecided) and origin is not None and not isinstance(origin, ast.Name):
        value = Unknown("the parts of an argument")
    if isinstance(value, Size):
        value = _unpack_shape(m, names, star, value)
    if isinstance(value, Choice):
        value = next((option for option in value.options if is_tuple(option)), Unknown("it depends on a branch"))
    if isinstance(value, Tensor):
        value = _unpack_tensor(m, target, value, star, origin)
    found = iterate(m, value, target)
    items = found.items
    if found.some:
        item = items[0] if items else Unknown("an item of an unknown collection")
        for other in items[1:]:
            item = join(m.store, item, other)
        for name in names:
            from qkv.interp.values import list_of

            assign(m, name, list_of((item,), some=True) if isinstance(name, ast.Starred) else item, scope, origin, kind)
        return
    least = len(names) - (star is not None)
    if len(items) < least or (star is None and len(items) > least):
        _wrong_count(m, target, value, len(items), origin)
        items = tuple(Unknown("it is unpacked into another number of names") for _ in range(max(least, 0)))
    if is_tuple(value) and all(is_size(item) for item in items):
        _name_axes(m, names, items, origin)
    if star is None:
        for name, item in zip(names, items, strict=False):
            assign(m, name, item, scope, origin, kind)
        return
    from qkv.interp.values import list_of

    behind = len(names) - star - 1
    middle = items[star : len(items) - behind]
    for name, item in zip(names, (*items[:star], list_of(middle), *items[len(items) - behind :]), strict=False):
        assign(m, name, item, scope, origin, kind)


def _unpack_shape(m: Machine, names: list[ast.expr], star: int | None, value: Size) -> Any:
    """`B, T, C = x.shape`: the rank, and what the axes are called."""

    def named(index: int) -> Any:
        node = names[index]
        text = node.id if isinstance(node, ast.Name) and node.id != "_" else ""
        return symbol(m.store, text, Kind.PARAM, place(m, node))

    if star is None:
        solved = solve_rank(m.store, value.shape, len(names), named)
        if solved is None:
            return resolve_shape(m.store, value.shape).back
        stand_apart(m.store, solved.back)
        return solved.back
    from qkv.shapes.solve import axis

    shape = value.shape
    for index in range(star):
        shape, _ = axis(m.store, shape, index, lambda index=index: named(index))
    for behind in range(1, len(names) - star):
        shape, _ = axis(m.store, shape, -behind, lambda behind=behind: named(len(names) - behind))
    shape = resolve_shape(m.store, shape)
    stand_apart(m.store, shape.front[:star] + shape.back)
    if shape.row is None:
        return shape.back
    count = len(names) - star - 1
    rest = Size(type(shape)(shape.back[: len(shape.back) - count], shape.row, shape.front[star:]))
    return (*shape.front[:star], rest, *shape.back[len(shape.back) - count :])


def _name_axes(m: Machine, names: list[ast.expr], items: tuple[Any, ...], origin: ast.AST | None) -> None:
    """Sizes unpacked side by side are meant to be different things."""
    if (isinstance(origin, ast.Attribute) and origin.attr == "shape") or isinstance(origin, ast.Call):
        stand_apart(m.store, tuple(resolve(m.store, item) for item in items if isinstance(item, (int, Expr))))


def _unpack_tensor(m: Machine, target: ast.AST, value: Tensor, star: int | None, origin: ast.AST | None) -> Any:
    """`q, k, v = t`: along the first axis."""
    names = target.elts if isinstance(target, (ast.Tuple, ast.List)) else []
    shape = resolve_shape(m.store, value.shape)
    first = shape.front[0] if shape.front else (shape.back[0] if shape.row is None and shape.back else None)
    if isinstance(first, Expr) and star is None:
        from qkv.shapes import Truth
        from qkv.shapes.solve import meet

        single = alone(first)
        if single is not None and single.kind is not Kind.FRESH and single.name:
            mismatch = Mismatch(
                "shape-unpack",
                "This unpacks along the first axis, which is {first}; {count} names fit only if {first} is {count}.",
                truth=Truth.SOMETIMES,
                first=first,
                count=len(names),
            )
            from qkv.interp.machine import report

            report(m, mismatch, target)
        else:
            meet(m.store, first, len(names), place(m, target))
    if isinstance(first, int) and (star is not None or first == len(names)):
        return value
    if isinstance(first, int):
        return value
    part = apply_rule(m, "torch.Tensor.__getitem__", (value, (0,)), {}, target, {})
    return tuple(part for _ in names)


def _wrong_count(m: Machine, target: ast.AST, value: Any, count: int, origin: ast.AST | None) -> None:
    """The number of names differs from the number of items: Python raises ValueError."""
    names = len(target.elts) if isinstance(target, (ast.Tuple, ast.List)) else 0
    if isinstance(value, Tensor) or (
        is_tuple(value) and (_is_shape(origin) or all(isinstance(item, Tensor) for item in value))
    ):
        what = "axes" if _is_shape(origin) else "parts"
        fail(
            m,
            Mismatch(
                "shape-unpack",
                "{value} has {count} {what}, but {names} names are unpacked from it.",
                count=count,
                names=names,
                what=what,
                hint="Unpack {count} names.",
            ),
            target,
            {"value": (origin or target, value if isinstance(value, Tensor) else None)},
        )


def _is_shape(origin: ast.AST | None) -> bool:
    if isinstance(origin, ast.Attribute):
        return origin.attr == "shape"
    return isinstance(origin, ast.Call) and isinstance(origin.func, ast.Attribute) and origin.func.attr == "size"


def _set_attribute(m: Machine, target: ast.Attribute, value: Any, scope: Scope, origin: ast.AST | None) -> None:
    from qkv.interp.attributes import class_member
    from qkv.interp.calls import call
    from qkv.interp.expressions import evaluate
    from qkv.interp.values import Bound, Function

    owner = evaluate(m, target.value, scope)
    if isinstance(owner, Instance):
        setter = class_member(owner.cls, f"{target.attr}.setter")
        if isinstance(setter, Function):
            call(m, Bound(owner, setter), (value,), {}, target)
            return
        if is_size(value):
            name_size(m, value, target.attr)
        if isinstance(value, Undecided) and not value.name:
            value = Undecided(target.attr, value.kind, value.birth, value.owner)
        write(m.store, owner.attributes, target.attr, value)
        if isinstance(value, Tensor):
            dotted = f"{target.value.id}.{target.attr}" if isinstance(target.value, ast.Name) else target.attr
            record(m, target, dotted, "attribute", value, origin)


def _set_item(m: Machine, target: ast.Subscript, value: Any, scope: Scope, origin: ast.AST | None) -> None:
    from qkv.interp.apply import rule_value
    from qkv.interp.expressions import evaluate, evaluate_index

    owner = evaluate(m, target.value, scope)
    index = evaluate_index(m, target.slice, scope)
    if isinstance(owner, Tensor):
        items = index if is_tuple(index) else (index,)
        nodes: dict[str, ast.AST] = {"input": target.value, "index": target.slice, "value": origin or target}
        apply_rule(m, "torch.Tensor.__setitem__", (owner, items, rule_value(m, value)), {}, target, nodes)
        _forget_bounds(m, target.value, owner, scope)
    elif isinstance(owner, DictValue):
        if isinstance(index, (str, int)):
            write(m.store, owner.cells, "items", {**owner.items, index: value})
        else:
            write(m.store, owner.cells, "open", True)
    elif isinstance(owner, ListValue) or (isinstance(owner, Container) and isinstance(owner.content, ListValue)):
        content = owner.content if isinstance(owner, Container) else owner
        assert isinstance(content, ListValue)
        if isinstance(index, int) and -len(content.items) <= index < len(content.items) and not content.some:
            items = list(content.items)
            items[index] = value
            write(m.store, content.cells, "items", tuple(items))
        else:
            write(m.store, content.cells, "some", True)
    elif isinstance(owner, Container) and isinstance(owner.content, DictValue) and isinstance(index, str):
        write(m.store, owner.content.cells, "items", {**owner.content.items, index: value})


def _forget_bounds(m: Machine, node: ast.expr, owner: Tensor, scope: Scope) -> None:
    """Elements were overwritten: what was known of their range no longer holds."""
    from dataclasses import replace

    from qkv.interp.narrow import put

    if owner.low is not None or owner.high is not None:
        if isinstance(node, (ast.Name, ast.Attribute)):
            put(m, node, scope, replace(owner, low=None, high=None))
