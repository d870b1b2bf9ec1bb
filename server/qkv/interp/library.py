"""Functions of Python's library and of torch that the interpreter itself provides, by qualified name."""

from __future__ import annotations

import ast
from typing import Any

from qkv.interp import library_numbers as python
from qkv.interp import wrappers
from qkv.interp.attributes import attribute, class_member, linearize
from qkv.interp.calls import call
from qkv.interp.classes import CONTAINERS, make_container
from qkv.interp.iterate import iterate, length
from qkv.interp.join import join
from qkv.interp.library_numbers import Arguments, Handler, Keywords
from qkv.interp.machine import Machine
from qkv.interp.numbers import some_size
from qkv.interp.values import (
    Bound,
    Choice,
    Class,
    Container,
    DictValue,
    Entries,
    Function,
    Instance,
    ListValue,
    Partial,
    Ref,
    SizeRange,
    Super,
    dict_of,
    is_tuple,
    list_of,
)
from qkv.shapes import Expr, Layer, Tensor, Unknown
from qkv.shapes.solve import fresh, write
from qkv.shapes.undecided import Undecided


def _len(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
    if not a:
        return Unknown("len() of nothing")
    if isinstance(a[0], Undecided):
        return fresh(m.store)
    if isinstance(a[0], Instance):
        method = class_member(a[0].cls, "__len__")
        return call(m, Bound(a[0], method), (), {}, node) if isinstance(method, Function) else fresh(m.store)
    found = length(m, a[0])
    return fresh(m.store) if found is None else found


def _range(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
    bounds = [some_size(m, value) for value in a]
    if len(bounds) == 1:
        return SizeRange(0, bounds[0], 1)
    return (
        SizeRange(bounds[0], bounds[1], bounds[2] if len(bounds) > 2 else 1)
        if bounds
        else Unknown("range() of nothing")
    )


def _zip(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
    columns = [iterate(m, value, node) for value in a]
    some = any(column.some for column in columns)
    return Entries(tuple(zip(*(column.items for column in columns), strict=False)), some)


def _enumerate(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
    found = iterate(m, a[0], node) if a else Entries(())
    start = k.get("start", a[1] if len(a) > 1 else 0)
    if found.some or not isinstance(start, int):
        return Entries(tuple((fresh(m.store), item) for item in found.items), some=True)
    return Entries(tuple((start + i, item) for i, item in enumerate(found.items)))


def _map(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
    columns = [iterate(m, value, node) for value in a[1:]]
    rows = zip(*(column.items for column in columns), strict=False)
    return Entries(tuple(call(m, a[0], row, {}, node) for row in rows), any(column.some for column in columns))


def _filter(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
    return Entries(iterate(m, a[1], node).items, some=True) if len(a) > 1 else Unknown("filter() of nothing")


def _list(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
    found = iterate(m, a[0], node) if a else Entries(())
    return list_of(found.items, found.some)


def _tuple(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
    found = iterate(m, a[0], node) if a else Entries(())
    return list_of(found.items, some=True) if found.some else found.items


def _reversed(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
    found = iterate(m, a[0], node) if a else Entries(())
    return Entries(tuple(reversed(found.items)), found.some)


def _sorted(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
    found = iterate(m, a[0], node) if a else Entries(())
    if not found.some and not k and all(isinstance(item, str) for item in found.items):
        return list_of(sorted(found.items))
    return list_of(
        (fresh(m.store),) * len(found.items) if all(isinstance(item, int) for item in found.items) else found.items,
        found.some,
    )


def _set(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
    found = iterate(m, a[0], node) if a else Entries(())
    return list_of(found.items, some=bool(a))


def _dict(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
    items: dict[Any, Any] = {}
    is_open = False
    if a and isinstance(a[0], DictValue):
        items.update(a[0].items)
        is_open = a[0].open
    elif a:
        found = iterate(m, a[0], node)
        is_open = found.some
        for pair in found.items:
            if is_tuple(pair) and len(pair) == 2 and isinstance(pair[0], (str, int)):
                items[pair[0]] = pair[1]
            else:
                is_open = True
    items.update(k)
    return dict_of(items, is_open)


def _str(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
    return (
        str(a[0])
        if a and isinstance(a[0], (str, int))
        else Unknown("a text that is put together when the program runs")
    )


def _isinstance(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
    if len(a) != 2:
        return Unknown("a test that is open")
    kinds = a[1] if isinstance(a[1], tuple) else (a[1],)
    answers = [_is_a(a[0], kind) for kind in kinds]
    if True in answers:
        return True
    return Unknown("a test that is open") if None in answers else False


def _is_a(value: Any, kind: Any) -> bool | None:
    if isinstance(value, Tensor):
        if isinstance(kind, Ref):
            return (
                (True if value.sure else None)
                if kind.name in ("torch.Tensor", "torch.nn.Parameter")
                else (False if value.sure and kind.name.startswith("builtins.") else None)
            )
        return None
    if isinstance(value, (Unknown, Undecided, Choice)):
        return None
    if isinstance(value, Instance):
        if isinstance(kind, Class):
            return kind in linearize(value.cls) or (None if value.open else False)
        if isinstance(kind, Ref):
            return True if kind in linearize(value.cls) else None
        return None
    if isinstance(value, Layer) and isinstance(kind, Ref):
        return True if kind.name in (value.name, "torch.nn.Module") else (None if kind.name.count(".") < 2 else False)
    if isinstance(kind, Ref) and kind.name.startswith("builtins."):
        python: dict[str, Any] = {
            "int": (int, Expr),
            "float": float,
            "str": str,
            "bool": bool,
            "tuple": tuple,
            "list": ListValue,
            "dict": DictValue,
        }
        types = python.get(kind.name.removeprefix("builtins."))
        return None if types is None else isinstance(value, types)
    return None


def _getattr(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
    if len(a) < 2 or not isinstance(a[1], str):
        return Unknown("an attribute whose name is not known")
    if len(a) > 2 and isinstance(a[0], Instance) and not a[0].open:
        if a[1] not in a[0].attributes and class_member(a[0].cls, a[1]) is None:
            return a[2]
    return attribute(m, a[0], a[1], node)


def _hasattr(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
    if len(a) == 2 and isinstance(a[0], Instance) and isinstance(a[1], str) and m.run and not a[0].open:
        return a[1] in a[0].attributes or class_member(a[0].cls, a[1]) is not None or Unknown("a test that is open")
    return Unknown("a test that is open")


def _setattr(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
    if len(a) == 3 and isinstance(a[0], Instance):
        if isinstance(a[1], str):
            write(m.store, a[0].attributes, a[1], a[2])
        else:
            a[0].open = True
    return None


def _super(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
    for frame in reversed(m.stack):
        function = frame.node
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) and function.args.args:
            receiver = frame.scope.names.get(function.args.args[0].arg)
            owner = frame.owner
            if owner is not None:
                return Super(owner, receiver)
    return Unknown("super() outside a method")


def _type(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
    return a[0].cls if len(a) == 1 and isinstance(a[0], Instance) else Unknown("a type")


def _next(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
    found = iterate(m, a[0], node) if a else Entries(())
    return found.items[0] if found.items else Unknown("an item of an iterator")


def _partial(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
    return Partial(a[0], a[1:], k) if a else Unknown("partial() of nothing")


def _reduce(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
    if len(a) < 2:
        return Unknown("reduce() of nothing")
    function, iterated, *start = a
    found = iterate(m, iterated, node)
    items = (*start, *found.items)
    if found.some or not items:
        return Unknown("a reduction over an unknown number of items")
    value, *rest = items
    for item in rest:
        value = call(m, function, (value, item), {}, node)
    return value


def _same(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
    return a[0] if a else Unknown("nothing was given")


def _deep_copy(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
    if not a:
        return Unknown("nothing was given")
    value = a[0]
    if isinstance(value, Instance):
        return Instance(value.cls, dict(value.attributes), value.open)
    if isinstance(value, ListValue):
        return list_of(value.items, value.some)
    if isinstance(value, DictValue):
        return dict_of(dict(value.items), value.open)
    if isinstance(value, Container):
        return Container(value.kind, _deep_copy(m, (value.content,), {}, node))
    return value


def _nothing(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
    return None


def _container(name: str) -> Handler:
    def build(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
        if not a and k:
            a = (next(iter(k.values())),)
        return make_container(m, name, a, node)

    return build


def _locals(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
    return dict_of(dict(m.frame.scope.names), is_open=m.open_branches > 0 or not m.run)


def _set_default_dtype(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
    return None


def _choice_of(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
    found = iterate(m, a[0], node) if a else Entries(())
    result: Any = found.items[0] if found.items else Unknown("a random item")
    for item in found.items[1:]:
        result = join(m.store, result, item)
    return result


def _chain(m: Machine, a: Arguments, k: Keywords, node: ast.AST) -> Any:
    found = [iterate(m, value, node) for value in a]
    return Entries(tuple(item for entries in found for item in entries.items), any(entries.some for entries in found))


LIBRARY: dict[str, Handler] = {
    "builtins.len": _len,
    "builtins.range": _range,
    "builtins.zip": _zip,
    "builtins.enumerate": _enumerate,
    "builtins.map": _map,
    "builtins.filter": _filter,
    "builtins.list": _list,
    "builtins.tuple": _tuple,
    "builtins.iter": _same,
    "builtins.reversed": _reversed,
    "builtins.sorted": _sorted,
    "builtins.set": _set,
    "builtins.frozenset": _set,
    "builtins.dict": _dict,
    "collections.OrderedDict": _dict,
    "collections.deque": _list,
    "builtins.int": python.int_,
    "builtins.float": python.float_,
    "builtins.bool": python.bool_,
    "builtins.str": _str,
    "builtins.isinstance": _isinstance,
    "builtins.getattr": _getattr,
    "builtins.hasattr": _hasattr,
    "builtins.setattr": _setattr,
    "builtins.super": _super,
    "builtins.sum": python.sum_,
    "builtins.min": python.extreme(ast.Lt()),
    "builtins.max": python.extreme(ast.Gt()),
    "builtins.abs": python.abs_,
    "builtins.round": python.round_,
    "builtins.any": python.quantifier(every=False),
    "builtins.all": python.quantifier(every=True),
    "builtins.type": _type,
    "builtins.next": _next,
    "builtins.divmod": python.divmod_,
    "builtins.pow": python.pow_,
    "builtins.print": _nothing,
    "builtins.locals": _locals,
    "math.ceil": python.ceil_,
    "math.floor": python.floor_,
    "math.isqrt": python.isqrt_,
    "math.prod": python.prod_,
    "numpy.prod": python.prod_,
    "numpy.sqrt": python.math_("sqrt"),
    "numpy.log": python.math_("log"),
    "functools.partial": _partial,
    "functools.reduce": _reduce,
    "itertools.chain": _chain,
    "copy.deepcopy": _deep_copy,
    "copy.copy": _deep_copy,
    "typing.cast": lambda m, a, k, node: a[1] if len(a) > 1 else Unknown("cast"),
    "random.choice": _choice_of,
    "torch.manual_seed": _nothing,
    "torch.set_default_dtype": _set_default_dtype,
    **{
        f"math.{name}": python.math_(name)
        for name in [
            "sqrt",
            "log",
            "log2",
            "log10",
            "exp",
            "sin",
            "cos",
            "tan",
            "tanh",
            "pow",
            "fabs",
            "log1p",
            "gcd",
            "lcm",
            "atan",
            "degrees",
            "radians",
            "hypot",
            "comb",
            "factorial",
            "erf",
        ]
    },
    **{name: _container(name) for name in CONTAINERS},
    **wrappers.WRAPPERS,
}
