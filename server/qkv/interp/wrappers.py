"""Functions of torch that give back, or call, what they are given: compile, vmap, checkpoint, no_grad and their like."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from qkv.interp.calls import call
from qkv.interp.machine import Machine
from qkv.shapes import Unknown

Handler = Callable[[Machine, "tuple[Any, ...]", "dict[str, Any]", ast.AST], Any]


def _itself(m: Machine, a: tuple[Any, ...], k: dict[str, Any], node: ast.AST) -> Any:
    """`torch.compile(f)` is f; `@torch.compile(mode=…)` is a decorator that gives back its function."""
    if a:
        return a[0]
    from qkv.interp.values import Ref

    return Ref("qkv.itself")


def _call_first(m: Machine, a: tuple[Any, ...], k: dict[str, Any], node: ast.AST) -> Any:
    """`checkpoint(f, x, y)` is f(x, y)."""
    if not a:
        return Unknown("checkpoint() of nothing")
    rest = {
        key: value
        for key, value in k.items()
        if key not in ("use_reentrant", "preserve_rng_state", "context_fn", "determinism_check", "debug")
    }
    return call(m, a[0], a[1:], rest, node)


def _nothing(m: Machine, a: tuple[Any, ...], k: dict[str, Any], node: ast.AST) -> Any:
    return None


TRANSPARENT_DECORATORS = frozenset(
    [
        "torch.compile",
        "torch.jit.script",
        "torch.jit.ignore",
        "torch.jit.export",
        "torch.jit.unused",
        "torch.no_grad",
        "torch.inference_mode",
        "torch.enable_grad",
        "torch._dynamo.disable",
        "torch.compiler.disable",
        "torch.autocast",
        "torch.cuda.amp.autocast",
        "functools.wraps",
        "functools.lru_cache",
        "functools.cache",
        "typing.no_type_check",
        "typing.overload",
        "abc.abstractmethod",
        "jaxtyping.jaxtyped",
        "qkv.itself",
        "builtins.staticmethod",
        "builtins.classmethod",
        "builtins.property",
        "functools.cached_property",
        "torch.fx.wrap",
        "beartype.beartype",
        "typeguard.typechecked",
        "torch.amp.autocast",
        "torch.amp.custom_fwd",
        "torch.cuda.amp.custom_fwd",
    ]
)
"""Decorators after which a function still takes and gives what it did."""

WRAPPERS: dict[str, Handler] = {
    **dict.fromkeys(
        (
            "torch.compile",
            "torch.jit.script",
            "torch.jit.trace",
            "torch.compiler.disable",
            "qkv.itself",
            "torch.nn.DataParallel",
        ),
        _itself,
    ),
    "torch.nn.parallel.DistributedDataParallel": _itself,
    "torch.nn.DistributedDataParallel": _itself,
    "torch.utils.checkpoint.checkpoint": _call_first,
    "torch.nn.utils.weight_norm": _itself,
    "torch.nn.utils.spectral_norm": _itself,
    "torch.nn.utils.parametrizations.weight_norm": _itself,
    "torch.nn.utils.parametrizations.spectral_norm": _itself,
    "torch.nn.utils.parametrizations.orthogonal": _itself,
    "torch.nn.utils.parametrize.register_parametrization": _itself,
    "torch.nn.utils.clip_grad_norm_": _nothing,
}
