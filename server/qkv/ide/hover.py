"""The hover: a name's shape and why, what a call does to shapes, and the term, in one short text."""

from __future__ import annotations

from dataclasses import dataclass

from qkv.glossary import hover_markdown, hover_text
from qkv.ide.links import Links, hover_link
from qkv.ide.shape_text import numbers_text, operation_text, shape_list, shape_text, with_sizes
from qkv.ide.snapshot import Snapshot
from qkv.ide.terms import shown_term
from qkv.interp import Axis, Fact, Named, Operation, Reason, Seen
from qkv.source import Span

MOST_REASONS = 3
MOST_CONTEXTS = 2


@dataclass(frozen=True, slots=True)
class Hover:
    """What a position shows, as Markdown and as plain text; `span` is the stretch that it speaks of, in the module."""

    span: Span
    markdown: str
    text: str
    term: str | None = None
    term_id: str | None = None
    shape: list[int | str] | None = None
    operation: Operation | None = None


@dataclass(frozen=True, slots=True)
class _Tensor:
    """What the hover of a name says: gathered from where it is bound and where it is read."""

    span: Span
    name: str
    axes: tuple[Axis, ...] | None
    dtype: str | None
    device: str | None
    unknown: str | None
    needs: tuple[str, ...]
    seen: tuple[Seen, ...]
    because: tuple[Reason, ...]


def hover(snapshot: Snapshot, line: int, column: int, links: Links | None = None) -> Hover | None:
    """The hover at a position of the module, counted from 1 in code points; None where there is nothing to say."""
    links = links or Links()
    operation = tensor = None
    if snapshot.settings.hover_shapes and snapshot.language == "python":
        operation = _operation_at(snapshot, line, column)
        tensor = _tensor_at(snapshot, line, column) if operation is None else None
    shown = shown_term(snapshot, line, column) if snapshot.settings.hover_terms else None
    term = shown.term if shown else None
    span = operation.name_span if operation else tensor.span if tensor else shown.span if shown else None
    if span is None:
        return None
    marked: list[str] = []
    plain: list[str] = []
    if operation:
        _say_operation(operation, marked, plain)
    if tensor:
        _say_tensor(snapshot, tensor, marked, plain)
    if term:
        marked += [*(["---"] if marked else []), hover_markdown(term, lambda target: hover_link(links, target))]
        plain.append(hover_text(term))
    return Hover(
        span,
        "\n\n".join(marked),
        "\n".join(plain),
        term.name if term else None,
        term.id if term else None,
        shape_list(tensor.axes) if tensor else None,
        operation,
    )


def _holds(span: Span, line: int, column: int) -> bool:
    return (span.line, span.column) <= (line, column) < (span.end_line, span.end_column)


def _size(span: Span) -> tuple[int, int]:
    return (span.end_line - span.line, span.end_column - span.column)


def _operation_at(snapshot: Snapshot, line: int, column: int) -> Operation | None:
    operations = snapshot.analysis.operations
    found = [one for one in operations if _holds(one.name_span, line, column) and any(map(_tells, one.before))]
    return min(found, key=lambda operation: _size(operation.name_span), default=None)


def _tells(shape: str) -> bool:
    """Whether a shape says anything: `(…)` and `?` do not."""
    return any(character.isalnum() for character in shape) or shape == "()"


def _tensor_at(snapshot: Snapshot, line: int, column: int) -> _Tensor | None:
    analysis = snapshot.analysis
    facts = [fact for fact in analysis.facts if _holds(fact.span, line, column)]
    names = [named for named in analysis.names if _holds(named.span, line, column)]
    bound = min(facts, key=lambda fact: _size(fact.span), default=None)
    read = min(names, key=lambda named: _size(named.span), default=None)
    if bound is not None and (read is None or _size(bound.span) <= _size(read.span)):
        return _of_fact(bound)
    return _of_read(snapshot, read) if read is not None else None


def _of_fact(fact: Fact) -> _Tensor:
    return _Tensor(
        fact.span, fact.name, fact.axes, fact.dtype, fact.device, fact.unknown, fact.needs, fact.seen, fact.because
    )


def _of_read(snapshot: Snapshot, named: Named) -> _Tensor:
    """A name that is read: its shape there, and of its last binding before what still holds."""
    place = (named.span.line, named.span.column)
    bound = [f for f in snapshot.analysis.facts if f.name == named.name and (f.span.line, f.span.column) < place]
    fact = bound[-1] if bound else None
    if fact is None or fact.axes != named.axes:
        unknown = named.note if named.axes is None else None
        return _Tensor(named.span, named.name, named.axes, named.dtype, None, unknown, (), (), ())
    same = _of_fact(fact)
    return _Tensor(
        named.span,
        named.name,
        *(getattr(same, name) for name in ("axes", "dtype", "device", "unknown", "needs", "seen", "because")),
    )


def _say_operation(operation: Operation, marked: list[str], plain: list[str]) -> None:
    line = operation_text(operation)
    marked.append(f"```text\n{line}\n```\n`{operation.name}`")
    plain += [line, operation.name]


def _say_tensor(snapshot: Snapshot, tensor: _Tensor, marked: list[str], plain: list[str]) -> None:
    about = [part for part in (tensor.dtype, tensor.device if tensor.device not in (None, "cpu") else None) if part]
    if tensor.axes is None:
        first = f"{tensor.name}: shape not known"
        reason = tensor.unknown
    else:
        first = "  ".join([f"{tensor.name}: {shape_text(tensor.axes)}", *about])
        reason = None
    marked.append(f"```text\n{first}\n```")
    plain.append(first)
    notes: list[str] = [reason] if reason else []
    if tensor.axes and (numbered := with_sizes(tensor.axes, snapshot.settings.sizes)):
        notes.append(f"with your sizes {numbered}")
    if tensor.seen and not _all_numbers(tensor.axes):
        notes.append(f"here {_contexts_text(tensor.seen)}")
    if tensor.needs:
        notes.append(f"needs {', '.join(tensor.needs)}")
    notes += [_reason_text(snapshot, reason) for reason in tensor.because[:MOST_REASONS]]
    if notes:
        marked.append("\n".join(f"- {escaped(note)}" for note in notes))
        plain += notes


def _all_numbers(axes: tuple[Axis, ...] | None) -> bool:
    return axes is not None and all(isinstance(axis.size, int) for axis in axes)


def _contexts_text(seen: tuple[Seen, ...]) -> str:
    different = list(dict.fromkeys(numbers_text(one.shape) for one in seen))
    text = " or ".join(different[:MOST_CONTEXTS])
    if len(different) > MOST_CONTEXTS:
        return f"{text} and {len(different) - MOST_CONTEXTS} more"
    call = seen[0].call
    return f"{text}, called in line {call.span.line}" if len(different) == 1 and call is not None else text


def _reason_text(snapshot: Snapshot, reason: Reason) -> str:
    where = reason.where
    if where.path != snapshot.path:
        return f"{reason.note} ({where.path}, line {where.span.line})"
    if snapshot.cells:
        cell, span = snapshot.cells.place(where.span)
        return f"{reason.note} (cell {cell}, line {span.line})"
    return f"{reason.note} (line {where.span.line})"


def escaped(text: str) -> str:
    """A text in which Markdown finds nothing to mark up, but what stands in backquotes stays code."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:
        pieces = [text.replace("`", "'")]
    shown = [piece if index % 2 else _escape(piece) for index, piece in enumerate(pieces)]
    return "`".join(shown)


def _escape(text: str) -> str:
    return "".join(f"\\{character}" if character in "\\*_[]<>#|~" else character for character in text)
