"""Whether a value is true, where that can be said."""

from __future__ import annotations

import math
from typing import Any

from qkv.interp.machine import Machine
from qkv.interp.values import (
    Choice,
    Class,
    Container,
    DictValue,
    Entries,
    Function,
    Instance,
    ListValue,
    ModuleValue,
    Ref,
    is_tuple,
)
from qkv.shapes import Dtype, Expr, Layer
from qkv.shapes.solve import always_positive, resolve


def truth_of(m: Machine, value: Any) -> bool | None:
    """True, False, or None where the test is open."""
    if isinstance(value, bool) or value is None or isinstance(value, (str, int)):
        return bool(value)
    if isinstance(value, float):
        return None if math.isnan(value) else bool(value)
    if is_tuple(value):
        items: tuple[Any, ...] = value
        return bool(items)
    if isinstance(value, Expr):
        return True if always_positive(resolve(m.store, value)) else None
    if isinstance(value, (ListValue, Entries)):
        return None if value.some else bool(value.items)
    if isinstance(value, DictValue):
        return True if value.items else (None if value.open else False)
    if isinstance(value, Container):
        return truth_of(m, value.content)
    if isinstance(value, (Function, Class, ModuleValue, Layer, Dtype)):
        return True
    if isinstance(value, Instance):
        return None if value.open or "__bool__" in value.cls.members or "__len__" in value.cls.members else True
    if isinstance(value, Ref):
        return True
    if isinstance(value, Choice):
        answers = {truth_of(m, option) for option in value.options}
        return answers.pop() if len(answers) == 1 else None
    return None
