"""Read facts back when an entry ends: sizes become the user's names, mismatches become findings."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from typing import Any

from qkv.interp.facts import Axis, Fact, FactKind, Finding, MaskUse, Named, Operand, Operation, Reason, Seen
from qkv.interp.machine import Machine, Record, Trouble, Use
from qkv.interp.values import Choice, is_tuple
from qkv.shapes import Dim, Expr, Shape, Tensor, Truth, Unknown
from qkv.shapes.dim import symbols
from qkv.shapes.show import show
from qkv.shapes.solve import Store, resolve, resolve_shape, resolve_value
from qkv.shapes.undecided import Undecided
from qkv.source import Location, Span

Key = tuple[int, str]
"""A place that binds a name: (the node's identity, the name)."""


@dataclass
class Facts:
    """What one entry saw of the main file, already in the user's names."""

    run: bool
    facts: dict[Key, list[Fact]] = field(default_factory=dict[Key, list[Fact]])
    inner: set[Key] = field(default_factory=set[Key])
    operations: dict[int, Operation] = field(default_factory=dict[int, Operation])
    names: dict[int, Named] = field(default_factory=dict[int, Named])
    findings: list[Finding] = field(default_factory=list[Finding])
    mask_uses: list[MaskUse] = field(default_factory=list[MaskUse])
    executed: set[int] = field(default_factory=set[int])
    finding_nodes: list[int] = field(default_factory=list[int])


def read_back(m: Machine) -> Facts:
    """The facts of an entry that has ended."""
    result = Facts(m.run)
    store = m.store
    needs = _needs(store)
    for record in m.log.records:
        if record.unit.main and not (record.entry is not m.entry and record.entry in m.entries):
            key = (id(record.node), record.name)
            fact = _fact(m, record, needs)
            if fact is not None:
                result.facts.setdefault(key, []).append(fact)
    for done in m.log.done:
        result.executed.add(id(done.node))
        if done.unit.main:
            result.operations[id(done.node)] = _operation(store, done)
    for read in m.log.reads:
        if read.unit.main:
            value = resolve_value(store, read.value)
            result.names[id(read.node)] = Named(
                read.unit.source.span_of(read.node), read.name, axes_of(store, value.shape), value.dtype
            )
    for trouble in m.log.troubles:
        finding = _finding(m, trouble)
        if finding is not None:
            result.findings.append(finding)
            result.finding_nodes.append(id(trouble.node))
    for use in m.log.uses:
        if use.unit.main:
            result.mask_uses.append(_mask_use(use))
    return result


def _mask_use(use: Use) -> MaskUse:
    source = use.unit.source
    at = use.mask_node or use.node
    text = " ".join(source.slice(source.span_of(at)).split())
    location = Location(source.path, source.span_of(use.node))
    how: Any = use.how
    return MaskUse(
        location,
        how,
        use.diagonal,
        use.hides_low,
        use.hides_high,
        use.square,
        use.birth,
        text,
        source.span_of(at),
        use.function,
    )


def size_text(store: Store, dim: Dim) -> int | str:
    """A size as the user writes it."""
    dim = resolve(store, dim)
    return dim if isinstance(dim, int) else show(dim, store.aliases)


def _birth(dim: Dim) -> Location | None:
    for symbol in symbols(dim):
        if symbol.birth is not None:
            return symbol.birth
    return None


def axes_of(store: Store, shape: Shape) -> tuple[Axis, ...] | None:
    """The axes of a shape, or None where nothing of it is known."""
    shape = resolve_shape(store, shape)
    if shape.row is not None and not shape.front and not shape.back:
        return None
    axes = [Axis(size_text(store, dim), _birth(dim)) for dim in shape.front]
    if shape.row is not None:
        axes.append(Axis(f"*{shape.row.name}" if shape.row.name else "..."))
    axes.extend(Axis(size_text(store, dim), _birth(dim)) for dim in shape.back)
    return tuple(axes)


def shape_text(store: Store, shape: Shape) -> str:
    """A shape as text: `(B, 8, T, 64)`."""
    axes = axes_of(store, shape)
    return "(…)" if axes is None else axes_text(axes)


def axes_text(axes: tuple[Axis, ...]) -> str:
    """Axes as text, `...` as an ellipsis; one axis has the comma that Python's tuples have."""
    parts = ["…" if axis.size == "..." else str(axis.size) for axis in axes]
    return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"


def _needs(store: Store) -> tuple[str, ...]:
    """The contracts of an entry, in words of the code."""
    found: dict[str, None] = {}
    for need in store.needs:
        left, right = show(need.left), show(resolve(store, need.right) if not need.divides else need.right)
        if "?" in left or "?" in right or left == right:
            continue
        found[f"{right} % {left} == 0" if need.divides else f"{left} = {right}"] = None
    return tuple(found)


def _fact(m: Machine, record: Record, needs: tuple[str, ...]) -> Fact | None:
    store = m.store
    value = resolve_value(store, record.value)
    source = record.unit.source
    span = _name_span(record, source)
    origin = source.span_of(record.origin) if record.origin is not None else None
    kind: FactKind = record.kind  # type: ignore[assignment]
    if isinstance(value, Choice):
        value = next((option for option in value.options if isinstance(option, Tensor)), None)
        if value is None:
            return None
    if isinstance(value, Undecided):
        if value.read_as_settings:
            return None
        value = (
            resolve_value(store, value.read_as_tensor)
            if value.read_as_tensor is not None
            else Unknown("nothing here says what it is")
        )
    if isinstance(value, Tensor):
        axes = axes_of(store, value.shape)
        unknown = None if axes is not None else "its number of axes is not known here"
        seen: tuple[Seen, ...] = ()
        shape = resolve_shape(store, value.shape)
        if m.run and shape.row is None and all(isinstance(dim, int) for dim in shape.back):
            seen = (Seen(tuple(int(dim) for dim in shape.back if isinstance(dim, int)), value.dtype, record.call),)
        mine = _relevant(needs, axes)
        return Fact(
            span, record.name, kind, record.function, axes, value.dtype, value.device, mine, seen, unknown, (), origin
        )
    if isinstance(value, Unknown):
        return Fact(span, record.name, kind, record.function, None, unknown=value.reason, origin=origin)
    return None


def _relevant(needs: tuple[str, ...], axes: tuple[Axis, ...] | None) -> tuple[str, ...]:
    """The needs that speak of a name in the shape."""
    if not axes or not needs:
        return ()
    words = {
        word
        for axis in axes
        for word in str(axis.size).replace("*", " ").replace("(", " ").replace(")", " ").split()
        if word.isidentifier()
    }
    return tuple(need for need in needs if words & set(need.replace("(", " ").replace(")", " ").split()))


def _name_span(record: Record, source: Any) -> Span:
    node = record.node
    if isinstance(node, ast.Attribute):
        whole = source.span_of(node)
        return Span(whole.line, whole.column, whole.end_line, whole.end_column)
    if isinstance(node, ast.arg):
        start = source.span_of(node)
        return Span(start.line, start.column, start.line, start.column + len(node.arg))
    return source.span_of(node)


def _operation(store: Store, done: Any) -> Operation:
    source = done.unit.source
    span = source.span_of(done.node)
    name_span = span
    node = done.name_node
    if isinstance(node, ast.Attribute):
        whole = source.span_of(node)
        name_span = Span(whole.end_line, max(1, whole.end_column - len(node.attr)), whole.end_line, whole.end_column)
    elif isinstance(node, ast.BinOp):
        left, right = source.span_of(node.left), source.span_of(node.right)
        name_span = Span(left.end_line, left.end_column, right.line, right.column)
    elif node is not done.node:
        name_span = source.span_of(node)
    before = tuple(shape_text(store, resolve_value(store, value).shape) for value in done.before)
    return Operation(span, name_span, done.name, before, _value_text(store, done.after))


def _value_text(store: Store, value: Any) -> str | None:
    value = resolve_value(store, value)
    if isinstance(value, Tensor):
        return shape_text(store, value.shape)
    if is_tuple(value):
        parts = [_value_text(store, item) for item in value]
        return ", ".join(part for part in parts if part) or None
    return None


def fill(template: str, parts: dict[str, str]) -> str:
    """Put parts into a template: `{name}`, `{name.shape}`, `{name[0].shape}`. One that was not given stays readable."""

    def put(found: re.Match[str]) -> str:
        name = found[1]
        if name in parts:
            return parts[name]
        base = name.removesuffix(".shape")
        return parts.get(base, base.replace("_", " "))

    return re.sub(r"\{([A-Za-z_][\w.\[\]]*)\}", put, template)


def _finding(m: Machine, trouble: Trouble) -> Finding | None:
    """A mismatch in the user's words, at the place where it happens in the main file."""
    mismatch = trouble.mismatch
    location, note = _where(trouble)
    if location is None:
        return None
    sometimes = mismatch.truth is Truth.SOMETIMES
    if not m.run and len(trouble.chain) > (0 if sometimes else 1):
        return None
    source = trouble.unit.source
    parts: dict[str, str] = {name: _part_text(m.store, value) for name, value in mismatch.parts.items()}
    operands: dict[str, Operand] = {}
    for name, (node, value) in trouble.operands.items():
        span = source.span_of(node)
        text = " ".join(source.slice(span).split())
        text = text if len(text) <= 60 else f"{text[:57]}…"
        shape = shape_text(m.store, value.shape) if isinstance(value, Tensor) else None
        operands[name] = Operand(span, text, shape)
        parts.setdefault(name, text)
        parts.setdefault(f"{name}.shape", shape or text)
    because = tuple(Reason(where, "called from here") for where in trouble.chain if where != location)
    if note is not None:
        because = (note, *because)
    if mismatch.before is not None and mismatch.before != location:
        because = (*because, Reason(mismatch.before, "the size was settled here"))
    message = fill(mismatch.template, parts)
    if sometimes and "left" in parts and "right" in parts and "only if" not in message:
        message = f"{message.rstrip('.')}: it works only if {parts['left']} = {parts['right']}."
    hint = fill(mismatch.hint, parts) if mismatch.hint else None
    here = trouble.unit.main
    return Finding(
        mismatch.code,
        "warning" if sometimes else "error",
        "sometimes" if sometimes else "never",
        location,
        message,
        hint,
        because,
        operands if here else {},
        mismatch.fix if here else None,
        mismatch.at,
        (),
        mismatch.lesson,
        trouble.function if here else None,
        (mismatch.code, trouble.function, *(parts.get(name, "") for name in ("left", "right")))
        if "left" in parts
        else (mismatch.code, location),
    )


def _where(trouble: Trouble) -> tuple[Location | None, Reason | None]:
    """The node itself where it stands in the main file, else the call in the main file that led there."""
    there = Location(trouble.unit.source.path, trouble.unit.source.span_of(trouble.node))
    if trouble.unit.main:
        return there, None
    for where in reversed(trouble.chain):
        if where.path == trouble.main:
            return where, Reason(there, "it happens here")
    return None, None


def _part_text(store: Store, value: Any) -> str:
    if isinstance(value, (int, Expr)) and not isinstance(value, bool):
        return str(size_text(store, value))
    if isinstance(value, Shape):
        return shape_text(store, value)
    if isinstance(value, Tensor):
        return shape_text(store, value.shape)
    if isinstance(value, tuple):
        items: tuple[Any, ...] = value
        return f"({', '.join(_part_text(store, item) for item in items)})"
    return str(value)
