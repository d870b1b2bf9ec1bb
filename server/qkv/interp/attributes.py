"""`value.name`: of tensors, modules, instances, settings and references."""

from __future__ import annotations

import ast
from typing import Any

from qkv.interp.join import join
from qkv.interp.machine import Machine, place
from qkv.interp.names import refer
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
    Method,
    ModuleValue,
    Partial,
    Ref,
    Super,
)
from qkv.ops import RULES
from qkv.shapes import Dtype, Layer, Named, Size, Tensor, Unknown
from qkv.shapes.solve import resolve_value
from qkv.shapes.undecided import Undecided

TENSOR_ATTRIBUTES = frozenset(
    [
        "T",
        "mT",
        "H",
        "mH",
        "shape",
        "dtype",
        "device",
        "ndim",
        "data",
        "grad",
        "real",
        "imag",
        "is_cuda",
        "requires_grad",
        "itemsize",
        "nbytes",
        "is_sparse",
        "is_leaf",
        "layout",
    ]
)
TENSOR_ONLY = TENSOR_ATTRIBUTES | {
    name.removeprefix("torch.Tensor.")
    for name in ("torch.Tensor.size", "torch.Tensor.dim", "torch.Tensor.view", "torch.Tensor.to")
}


def attribute(m: Machine, value: Any, name: str, node: ast.AST) -> Any:
    """The attribute of a value."""
    if isinstance(value, Tensor):
        return _of_tensor(m, value, name, node)
    if isinstance(value, Instance):
        return _of_instance(m, value, name, node)
    if isinstance(value, Ref):
        return refer(f"{value.name}.{name}")
    if isinstance(value, ModuleValue):
        return value.unit.scope.names.get(name, Unknown(f"{value.unit.name} does not say what {name} is"))
    if isinstance(value, Undecided):
        return _of_argument(m, value, name, node)
    if isinstance(value, Layer):
        return _of_layer(value, name)
    if isinstance(value, Class):
        found = class_member(value, name)
        if found is None:
            return name if name == "__name__" else Unknown(f"{value.name} has no {name} that was seen")
        if isinstance(found, Function) and found.kind == "class":
            return Bound(value, found)
        return found
    if isinstance(value, Super):
        return _behind(m, value, name)
    if isinstance(value, Choice):
        return _of_choice(m, value, name, node)
    if isinstance(value, Container) and isinstance(value.content, DictValue) and name in value.content.items:
        return value.content.items[name]
    if isinstance(value, Named) and name in value.fields:
        return value.item(name)
    if isinstance(value, (ListValue, DictValue, Container, Entries, str, tuple, Size, Dtype, Partial, int, float)):
        return Method(value, name)
    if isinstance(value, Function) and name == "__name__":
        return value.name
    return value if isinstance(value, Unknown) else Unknown(f"nothing is known of the attribute {name}")


def _of_tensor(m: Machine, value: Tensor, name: str, node: ast.AST) -> Any:
    if name == "shape":
        return resolve_value(m.store, Size(value.shape))
    if name == "device":
        from qkv.shapes import Device

        return Device(value.device)
    if name == "dtype":
        return Dtype(value.dtype) if value.dtype else Unknown("a dtype that is not known")
    if name in TENSOR_ATTRIBUTES:
        from qkv.interp.apply import apply_rule

        return apply_rule(
            m, f"torch.Tensor.{name}", (value,), {}, node, {"input": getattr(node, "value", node)}, name_node=node
        )
    if not value.sure and f"torch.Tensor.{name}" not in RULES and name not in ("apply_", "register_hook"):
        return Unknown(f"an argument's attribute {name}")
    return Method(value, name)


def _of_argument(m: Machine, value: Undecided, name: str, node: ast.AST) -> Any:
    """An attribute of an argument: the first attribute that only a tensor has makes it one."""
    if name in TENSOR_ONLY or (f"torch.Tensor.{name}" in RULES and value.read_as_tensor is not None):
        return _of_tensor(m, value.tensor(m.store), name, node)
    if name in ("get", "items", "keys", "values", "pop", "update", "setdefault", "copy"):
        return Method(value, name)
    if f"torch.Tensor.{name}" in RULES and isinstance(node, ast.Attribute):
        return Method(value, name)
    return value.child(name, place(m, node))


def _of_layer(value: Layer, name: str) -> Any:
    if name in value.members:
        return value.members[name]
    if name in value.settings:
        return value.settings[name]
    if name == "training":
        return Unknown("training or not")
    return Method(value, name)


def base_layers(cls: Class) -> list[str]:
    """The library classes that a class derives from, by qualified name."""
    found: list[str] = []
    for base in linearize(cls):
        if isinstance(base, Ref):
            found.append(base.name)
    return found


def linearize(cls: Class) -> list[Any]:
    """The class and its bases in the order in which attributes are looked up (depth first, the last of doubles kept)."""
    order: list[Any] = [cls]
    for base in cls.bases:
        order.extend(linearize(base) if isinstance(base, Class) else [base])
    seen: list[Any] = []
    for item in reversed(order):
        if not any(item is other or (isinstance(item, Ref) and item == other) for other in seen):
            seen.insert(0, item)
    return seen


def class_member(cls: Class, name: str) -> Any:
    """A member of a class or of a base that was seen; None where there is none."""
    for base in linearize(cls):
        if isinstance(base, Class) and name in base.members:
            return base.members[name]
    return None


def is_module(cls: Class) -> bool:
    """Whether instances are `torch.nn.Module`s."""
    return any(name.startswith(("torch.nn.", "pytorch_lightning.", "lightning.")) for name in base_layers(cls))


def unknown_base(cls: Class) -> bool:
    """Whether a base class is not in sight, so that attributes may exist that were not seen."""
    for base in linearize(cls):
        if not isinstance(base, (Class, Ref)):
            return True
        if isinstance(base, Ref) and not base.name.startswith(
            ("torch.nn.", "builtins.", "abc.", "typing.", "enum.", "collections.")
        ):
            return True
    return False


def _of_instance(m: Machine, value: Instance, name: str, node: ast.AST) -> Any:
    if name in value.attributes:
        return value.attributes[name]
    found = class_member(value.cls, name)
    if found is not None:
        return bind_member(m, value, found, node)
    if name == "__class__":
        return value.cls
    if name == "training":
        return Unknown("training or not")
    if name == "__dict__":
        return Unknown("the dict of an object is not followed")
    getter = class_member(value.cls, "__getattr__")
    if is_module(value.cls) and getter is None:
        return Method(value, name)
    if name in ("_replace", "_asdict", "copy", "get", "items", "keys", "values"):
        return Method(value, name)
    return Unknown(f"nothing here sets {name}")


def bind_member(m: Machine, receiver: Any, found: Any, node: ast.AST) -> Any:
    """What reading a class member through an instance gives: a bound method, a property's value, or the member itself."""
    if isinstance(found, Function):
        if found.kind == "static":
            return found
        if found.kind == "property":
            from qkv.interp.calls import call

            return call(m, Bound(receiver, found), (), {}, node)
        if found.kind == "class":
            return Bound(receiver.cls if isinstance(receiver, Instance) else receiver, found)
        return Bound(receiver, found)
    return found


def _behind(m: Machine, value: Super, name: str) -> Any:
    """`super().name`."""
    receiver = value.instance
    cls = receiver.cls if isinstance(receiver, Instance) else receiver
    order = linearize(cls) if isinstance(cls, Class) else []
    start = next((i for i, item in enumerate(order) if item is value.cls), -1)
    for base in order[start + 1 :]:
        if isinstance(base, Class) and name in base.members:
            found = base.members[name]
            return Bound(receiver, found) if isinstance(found, Function) and found.kind != "static" else found
        if isinstance(base, Ref):
            return Method(Super(value.cls, receiver), f"{base.name}:{name}")
    return Method(Super(value.cls, receiver), f":{name}")


def _of_choice(m: Machine, value: Choice, name: str, node: ast.AST) -> Any:
    options = [option for option in value.options if option is not None]
    m.open_branches += 1
    found = [attribute(m, option, name, node) for option in options]
    m.open_branches -= 1
    if not found:
        return Unknown("an attribute of None")
    if all(isinstance(item, (Method, Bound)) for item in found):
        return found[0] if len(found) == 1 else Choice(tuple(found))
    result = found[0]
    for item in found[1:]:
        result = join(m.store, result, item)
    return result
