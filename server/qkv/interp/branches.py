"""Two ways through the code: run both, and keep what they agree on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from qkv.interp.join import join, same
from qkv.interp.machine import Machine, logged, settle
from qkv.interp.values import is_tuple
from qkv.shapes.solve import resolve_value, undo, write


class Ends:
    """The ways in which a block can end, as bits of a number."""

    FALL = 1
    RETURN = 2
    RAISE = 4
    BREAK = 8
    CONTINUE = 16


Changes = dict[tuple[int, Any], tuple[Any, Any, Any]]
"""What a branch wrote: (mapping, key, value at its end), by the mapping's identity and the key."""

_ABSENT: Any = object()


def changes_since(m: Machine, mark: int) -> Changes:
    """All that was written since the trail was `mark` long, brought up to date."""
    found: Changes = {}
    for mapping, key, _ in m.store.trail[mark:]:
        value = mapping.get(key, _ABSENT)
        found[(id(mapping), key)] = (mapping, key, resolve_value(m.store, value))
    return found


def take_back(m: Machine, mark: int, since: tuple[int, int, int]) -> Changes:
    """End a branch: its log is brought up to date, its writes are taken back and returned."""
    found = changes_since(m, mark)
    settle(m, since)
    undo(m.store, mark)
    return found


def fork(m: Machine, first: Callable[[], int], second: Callable[[], int]) -> int:
    """Run two branches of an open test. What falls out of both is joined; a branch that leaves takes its writes with it."""
    mark, since = len(m.store.trail), logged(m)
    m.open_branches += 1
    try:
        one = first()
        kept = take_back(m, mark, since)
        since = logged(m)
        if not one & Ends.FALL:
            m.open_branches -= 1
            try:
                return one | second()
            finally:
                m.open_branches += 1
        other = second()
        if not other & Ends.FALL:
            take_back(m, mark, since)
            apply_changes(m, kept)
            return one | other
        merge(m, kept, take_back(m, mark, since))
        return one | other
    finally:
        m.open_branches -= 1


def apply_changes(m: Machine, changes: Changes) -> None:
    """Do again what a branch wrote."""
    for mapping, key, value in changes.values():
        if value is not _ABSENT:
            write(m.store, mapping, key, value)


def merge(m: Machine, one: Changes, other: Changes) -> None:
    """Write what holds after either of two branches."""
    store = m.store
    learnt = (id(store.dims), id(store.rows), id(store.ties), id(store.needs))
    for where in dict.fromkeys([*one, *other]):
        mapping, key, _ = one.get(where) or other[where]
        here = where in one
        there = where in other
        if where[0] in learnt:
            if here and there and same(store, one[where][2], other[where][2]):
                write(store, mapping, key, one[where][2])
            continue
        now = mapping.get(key, _ABSENT)
        a = one[where][2] if here else now
        b = other[where][2] if there else now
        if a is _ABSENT or b is _ABSENT:
            value = b if a is _ABSENT else a
            if value is not _ABSENT:
                write(store, mapping, key, value)
            continue
        _write_joined(m, mapping, key, a, b)


def _write_joined(m: Machine, mapping: Any, key: Any, a: Any, b: Any) -> None:
    store = m.store
    if mapping is store.aliases:
        write(store, mapping, key, a)
    elif key == "items" and "some" in mapping and is_tuple(a) and is_tuple(b) and len(a) != len(b):
        write(store, mapping, "items", a if len(a) > len(b) else b)
        write(store, mapping, "some", True)
    elif key == "items" and "open" in mapping and isinstance(a, dict) and isinstance(b, dict):
        merged = {k: join(store, a.get(k, b.get(k)), b.get(k, a.get(k))) for k in dict.fromkeys([*a, *b])}
        write(store, mapping, "items", merged)
        if a.keys() != b.keys():
            write(store, mapping, "open", True)
    elif isinstance(a, bool) and isinstance(b, bool) and key in ("some", "open"):
        write(store, mapping, key, a or b)
    else:
        write(store, mapping, key, join(store, a, b))
