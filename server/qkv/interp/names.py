"""Look a name up; what libraries' names mean."""

from __future__ import annotations

import builtins
from typing import Any

from qkv.interp.machine import Machine
from qkv.interp.values import Ref, Scope
from qkv.shapes import Dtype, Unknown

DTYPES = {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "long": "int64",
    "int": "int32",
    "short": "int16",
    "cfloat": "complex64",
    "cdouble": "complex128",
    "chalf": "complex32",
}
_DTYPE_NAMES = frozenset(
    [
        *DTYPES.values(),
        "bfloat16",
        "bool",
        "uint8",
        "int8",
        "uint16",
        "uint32",
        "uint64",
        "float8_e4m3fn",
        "float8_e5m2",
        "float8_e4m3fnuz",
        "float8_e5m2fnuz",
    ]
)
_BUILTINS = frozenset(name for name in dir(builtins) if not name.startswith("__") or name == "__import__")
_ALIASES = {
    "torch.nn.modules": "torch.nn",
    "torch.functional": "torch",
    "torch.nn.functional.torch": "torch",
    "torch.nn.parameter": "torch.nn",
    "torch.nn.parallel": "torch.nn",
    "torch.FloatTensor": "torch.Tensor",
}
NUMBERS = {
    "math.pi": 3.141592653589793,
    "math.e": 2.718281828459045,
    "math.inf": float("inf"),
    "torch.inf": float("inf"),
    "torch.pi": 3.141592653589793,
}


def look_up(m: Machine, scope: Scope, name: str) -> Any:
    """The value of a name; a built-in is a reference; a name that nobody bound is Unknown."""
    where: Scope | None = scope
    while where is not None:
        if name in where.names:
            return where.names[name]
        where = where.parent
    if name in scope.unit.scope.names:
        return scope.unit.scope.names[name]
    if name in _BUILTINS:
        return Ref(f"builtins.{name}")
    if name == "__name__":
        return "__main__" if m.run and scope.unit.main else scope.unit.name
    if name == "__file__":
        return scope.unit.source.path
    return Unknown(f"nothing here says what {name} is")


def refer(name: str) -> Any:
    """What a library's qualified name means: a dtype, a number, or a reference under its usual spelling."""
    if name in NUMBERS:
        return NUMBERS[name]
    if name.endswith((".inf", ".Inf", ".infty")) and name.startswith("numpy."):
        return float("inf")
    if name == "numpy.newaxis":
        return None
    if name.startswith("torch."):
        last = name[6:]
        if last in DTYPES:
            return Dtype(DTYPES[last])
        if last in _DTYPE_NAMES:
            return Dtype(last)
        for before, after in _ALIASES.items():
            if name == before or name.startswith(before + "."):
                rest = name[len(before) :]
                if before == "torch.nn.modules" and rest.count(".") > 1:  # torch.nn.modules.linear.Linear
                    rest = rest[rest.rindex(".") :]
                return Ref(after + rest)
    return Ref(name)
