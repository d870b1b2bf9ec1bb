"""Quick fixes: a finding names what would mend it, and the edit is made here, from the text."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import TypeAlias

from qkv.ide.edits import Edit, Fix
from qkv.ide.snapshot import Snapshot
from qkv.interp import Finding, Operand
from qkv.source import Source, Span

Maker: TypeAlias = Callable[[Source, Finding, Operand], "Fix | None"]


def fixes_of(source: Source, finding: Finding) -> tuple[Fix, ...]:
    """The fixes of a finding, each with its edits; none where the finding names none or its place cannot be edited safely."""
    maker = MAKERS.get(finding.fix or "")
    operand = finding.operands.get(finding.at or "") or Operand(
        finding.location.span, source.slice(finding.location.span), None
    )
    if maker is None:
        return ()
    fix = maker(source, finding, operand)
    return (fix,) if fix is not None else ()


def ignore_line(snapshot: Snapshot, line: int, code: str) -> Fix:
    """Silence one code on one line of the module: the comment is added, or the code to the comment that is there."""
    source = snapshot.source
    comment = source.comment_at_line.get(line)
    match = re.search(r"qkv:\s*ignore\s*\[([^\]]*)\]", source.slice(comment.span)) if comment else None
    if comment and match:
        column = comment.span.column + match.end() - 1
        text = f", {code}" if match[1].strip() else code
        edit = Edit(source.path, Span(line, column, line, column), text)
    else:
        end = len(source.lines[line - 1].rstrip()) + 1
        edit = Edit(source.path, Span(line, end, line, len(source.lines[line - 1]) + 1), f"  # qkv: ignore[{code}]")
    return placed(snapshot, Fix(f"Ignore {code} on this line", False, (edit,)))


def placed(snapshot: Snapshot, fix: Fix) -> Fix:
    """A fix of the module as a fix of the notebook's cells."""
    if snapshot.cells is None:
        return fix
    edits: list[Edit] = []
    for edit in fix.edits:
        cell, span = snapshot.cells.place(edit.span)
        edits.append(Edit(edit.path, span, edit.text, cell))
    return Fix(fix.title, fix.safe, tuple(edits))


def can_ignore(source: Source, line: int) -> bool:
    """Whether a comment may be put at a line's end: not inside a string that goes on, nor before a backslash."""
    if not 0 < line <= len(source.lines) or source.lines[line - 1].rstrip().endswith("\\"):
        return False
    for node in ast.walk(source.parsed.tree):
        if isinstance(node, (ast.JoinedStr, ast.Constant)) and isinstance(
            getattr(node, "value", ""), (str, bytes, list)
        ):
            span = source.span_of(node)
            if span.line <= line < span.end_line and source.lines[line - 1 : line] and not _bracketed(source, span):
                return False
    return True


def _bracketed(source: Source, span: Span) -> bool:
    """Whether a string of several lines is several short ones in a bracket, between which comments may stand."""
    text = source.slice(span)
    return '"""' not in text and "'''" not in text


def _append(text: str, title: str, *, safe: bool = True) -> Maker:
    """Append a method call to the operand, with brackets where it would bind too tightly."""

    def make(source: Source, finding: Finding, operand: Operand) -> Fix | None:
        edits = append_to(source, operand.span, text)
        return Fix(title.format(it=_short(source.slice(operand.span))), safe, edits) if edits else None

    return make


def _turn_last_two(source: Source, finding: Finding, operand: Operand) -> Fix | None:
    """Turn the last two axes of the operand. One that was turned already is turned in another way, or not at all."""
    node = _expression_at(source, operand.span)
    title = f"Turn the last two axes of {_short(source.slice(operand.span))}"
    turned = _turned(node)
    if turned is None:
        edits = append_to(source, operand.span, ".transpose(-2, -1)")
        return Fix(title, True, edits) if edits else None
    receiver, axes = turned
    if axes is None:
        return None
    start = source.span_of(receiver)
    end = Span(start.end_line, start.end_column, operand.span.end_line, operand.span.end_column)
    if set(axes) == {-2, -1}:
        return Fix(f"Leave {_short(source.slice(start))} as it is", True, (Edit(source.path, end, ""),))
    title = f"Turn the last two axes of {_short(source.slice(start))} instead"
    return Fix(title, True, (Edit(source.path, end, ".transpose(-2, -1)"),))


def _turned(node: ast.expr | None) -> tuple[ast.expr, tuple[int, ...] | None] | None:
    """What an expression turns and which two axes, where it is a transpose; axes None where it moves axes in another way."""
    if isinstance(node, ast.Attribute) and node.attr in ("mT", "T"):
        return node.value, (-2, -1)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    if node.func.attr in ("permute", "movedim", "moveaxis"):
        return node.func.value, None
    if node.func.attr not in ("transpose", "swapaxes", "swapdims") or node.keywords:
        return None
    axes = tuple(_number(argument) for argument in node.args)
    return node.func.value, None if None in axes else axes  # pyright: ignore[reportReturnType]


def _number(node: ast.expr) -> int | None:
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return None
    return value if isinstance(value, int) else None


def _expression_at(source: Source, span: Span) -> ast.expr | None:
    nodes = (node for node in ast.walk(source.parsed.tree) if isinstance(node, ast.expr))
    return next((node for node in nodes if source.span_of(node) == span), None)


def append_to(source: Source, span: Span, text: str) -> tuple[Edit, ...]:
    """Edits that put a method call behind an expression."""
    if not is_expression(source.slice(span)):
        return ()
    end = Edit(source.path, Span(span.end_line, span.end_column, span.end_line, span.end_column), text)
    if is_primary(source.slice(span)):
        return (end,)
    start = Edit(source.path, Span(span.line, span.column, span.line, span.column), "(")
    return (start, Edit(source.path, end.span, f"){text}"))


def is_expression(text: str) -> bool:
    """Whether a text is one Python expression."""
    try:
        ast.parse(f"({text}\n)", mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return bool(text.strip())


def is_primary(text: str) -> bool:
    """Whether a method call may follow an expression without brackets around it."""
    try:
        body = ast.parse(f"({text}\n)", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    if isinstance(body, ast.Constant):
        return not isinstance(body.value, (int, float, complex))
    if text.lstrip().startswith("("):  # `(a) + (b)` begins and ends with brackets as well
        return isinstance(body, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)) or _one_bracket(text.strip())
    return isinstance(
        body,
        (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.List, ast.Dict, ast.Set, ast.ListComp, ast.JoinedStr),
    )


def _one_bracket(text: str) -> bool:
    depth = 0
    for index, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0:
            return index == len(text) - 1
    return False


def _calls_at(source: Source, span: Span) -> list[ast.Call]:
    """The calls that lie in a span, the outermost first."""
    found = [
        node
        for node in ast.walk(source.parsed.tree)
        if isinstance(node, ast.Call) and _within(source.span_of(node), span)
    ]
    return sorted(
        found,
        key=lambda node: (
            source.span_of(node).line,
            source.span_of(node).column,
            -node.end_col_offset if node.end_col_offset else 0,
        ),
    )


def _within(inner: Span, outer: Span) -> bool:
    return (outer.line, outer.column) <= (inner.line, inner.column) and (inner.end_line, inner.end_column) <= (
        outer.end_line,
        outer.end_column,
    )


def _call_named(source: Source, span: Span, names: tuple[str, ...]) -> tuple[ast.Call, Span] | None:
    """The call under a span whose function's last name is one of `names`, and the span of that name."""
    for call in _calls_at(source, span):
        function = call.func
        name = (
            function.attr
            if isinstance(function, ast.Attribute)
            else function.id
            if isinstance(function, ast.Name)
            else None
        )
        if name in names:
            whole = source.span_of(function)
            return call, Span(whole.end_line, whole.end_column - len(name), whole.end_line, whole.end_column)
    return None


def _rename(names: tuple[str, ...], new: str, title: str) -> Maker:
    """Call another method in the place of the one that is called."""

    def make(source: Source, finding: Finding, operand: Operand) -> Fix | None:
        found = _call_named(source, finding.location.span, names) or _call_named(source, operand.span, names)
        return Fix(title, True, (Edit(source.path, found[1], new),)) if found else None

    return make


def _keyword(name: str, value: str, title: str, *, calls: tuple[str, ...] = ()) -> Maker:
    """Give a keyword argument to the call of the finding: its value is set where it stands there already, else it is added."""

    def make(source: Source, finding: Finding, operand: Operand) -> Fix | None:
        named = _call_named(source, finding.location.span, calls) if calls else None
        listed = _calls_at(source, finding.location.span)
        call = named[0] if named else listed[0] if listed else None
        edit = set_keyword(source, call, name, value) if call else None
        return Fix(title, True, (edit,)) if edit else None

    return make


def set_keyword(source: Source, call: ast.Call, name: str, value: str) -> Edit | None:
    """The edit that gives a call a keyword argument. None where the call ends in a way that is not understood."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return Edit(source.path, source.span_of(keyword.value), value)
        if keyword.arg is None:
            return None
    whole = source.span_of(call)
    if not source.slice(whole).endswith(")"):
        return None
    close = Span(whole.end_line, whole.end_column - 1, whole.end_line, whole.end_column - 1)
    parts = [source.span_of(part) for part in (*call.args, *call.keywords)]
    if not parts:
        return Edit(source.path, close, f"{name}={value}")
    last = max(parts, key=lambda span: (span.end_line, span.end_column))
    rest = source.slice(Span(last.end_line, last.end_column, close.line, close.column))
    if not rest.strip():
        at = Span(last.end_line, last.end_column, last.end_line, last.end_column)
        return Edit(source.path, at, f", {name}={value}")
    if "#" in rest:
        return None
    if "," not in rest:
        return Edit(source.path, close, f", {name}={value}")
    before_comma = rest[: rest.rindex(",") + 1].split("\n")
    line = last.end_line + len(before_comma) - 1
    column = len(before_comma[-1]) + (last.end_column if line == last.end_line else 1)
    return Edit(source.path, Span(line, column, line, column), f" {name}={value},")


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 40 else f"{text[:37]}…"


def _correct_comment(source: Source, finding: Finding, operand: Operand) -> Fix | None:
    """Write the inferred shape in the place of the claimed one."""
    if operand.shape is None:
        return None
    return Fix(f"Correct the comment to {operand.shape}", True, (Edit(source.path, operand.span, operand.shape),))


def _invert(source: Source, finding: Finding, operand: Operand) -> Fix | None:
    """Turn a boolean mask round: `~mask`, or `mask` where it stood as `~mask`."""
    text = source.slice(operand.span)
    if not is_expression(text):
        return None
    inverted = text[1:].strip() if text.startswith("~") else f"~{text}" if is_primary(text) else f"~({text})"
    return Fix(f"Turn the mask round: {_short(inverted)}", True, (Edit(source.path, operand.span, inverted),))


MAKERS: dict[str, Maker] = {
    "correct-comment": _correct_comment,
    "invert-mask": _invert,
    "transpose-last-two": _turn_last_two,
    "contiguous": _append(".contiguous()", "Make {it} contiguous first"),
    "reshape": _rename(("view",), "reshape", "Use reshape, which copies where it must"),
    "dim=-1": _keyword("dim", "-1", "Add dim=-1"),
    "repeat_interleave": _rename(("repeat",), "repeat_interleave", "Use repeat_interleave"),
    "batch_first": _keyword("batch_first", "True", "Add batch_first=True"),
    "long": _append(".long()", "Convert {it} to whole numbers"),
    "bool": _append(".bool()", "Convert {it} to a bool mask"),
}
