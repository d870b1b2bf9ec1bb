"""A part as the tree of plain JSON that clients draw: text, cells, exercises and questions, with the learner's progress in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from qkv.course.mathml import mathml
from qkv.course.model import Part
from qkv.course.nodes import (
    Block,
    CellPlace,
    CodeBlock,
    CodeText,
    Emphasis,
    ExercisePlace,
    Heading,
    Inline,
    Link,
    ListBlock,
    MathBlock,
    MathText,
    Note,
    Paragraph,
    PicturePlace,
    Quote,
    Table,
    Target,
    TermLink,
    Text,
)

Json = dict[str, Any]


def inlines_json(inlines: Sequence[Inline], part: str = "") -> list[Json]:
    """The pieces of a line. `part` completes links to the part's own sections."""
    return [_inline(inline, part) for inline in inlines]


def _inline(inline: Inline, part: str) -> Json:
    match inline:
        case Text(text):
            return {"kind": "text", "text": text}
        case CodeText(text):
            return {"kind": "code", "text": text}
        case MathText(tex):
            return {"kind": "math", "tex": tex, "mathml": mathml(tex)}
        case Emphasis(inner, strong):
            return {"kind": "strong" if strong else "emphasis", "inlines": inlines_json(inner, part)}
        case Link(target, inner):
            whole = f"lesson:{part}{target}" if target.startswith("#") else target
            if whole.startswith("term:"):
                return {"kind": "term", "id": whole.removeprefix("term:"), "inlines": inlines_json(inner, part)}
            return {"kind": "link", "target": whole, "inlines": inlines_json(inner, part)}
        case TermLink(text, None):
            return {"kind": "text", "text": text}
        case TermLink(text, name):
            return {"kind": "term", "id": name, "inlines": [{"kind": "text", "text": text}]}


def blocks_json(blocks: Sequence[Block], part: Part | None = None, states: dict[str, Json] | None = None) -> list[Json]:
    """Blocks of a part. `states` holds, by exercise, what the learner has done with it: `state`, `attempts`, `file`, and
    whether the exercise has `changed` since."""
    made = (_block(block, part, states or {}) for block in blocks)
    return [block for block in made if block is not None]


def _block(block: Block, part: Part | None, states: dict[str, Json]) -> Json | None:
    name = part.id if part else ""
    match block:
        case Paragraph(_, inlines):
            return {"kind": "paragraph", "inlines": inlines_json(inlines, name)}
        case Heading(_, level, inlines):
            return {"kind": "heading", "level": level, "inlines": inlines_json(inlines, name)}
        case ListBlock(_, ordered, items):
            return {"kind": "list", "ordered": ordered, "items": [blocks_json(item, part, states) for item in items]}
        case CodeBlock(_, language, text):
            return {"kind": "code", "language": language, "text": text}
        case MathBlock(_, tex):
            return {"kind": "math", "tex": tex, "mathml": mathml(tex, display=True)}
        case Table(_, header, rows):
            return {"kind": "table", "header": _cells(header, name), "rows": [_cells(row, name) for row in rows]}
        case Note(_, inner):
            return {"kind": "note", "blocks": blocks_json(inner, part, states)}
        case Quote(_, inner):
            return {"kind": "quote", "blocks": blocks_json(inner, part, states)}
        case CellPlace(_, cell):
            return _cell(part, cell)
        case PicturePlace(_, picture):
            return _picture(part, picture)
        case ExercisePlace(_, exercise):
            return _exercise(part, exercise, states)
        case Target():
            return None


def _cells(row: Sequence[Sequence[Inline]], part: str) -> list[list[Json]]:
    return [inlines_json(cell, part) for cell in row]


def _cell(part: Part | None, name: str) -> Json | None:
    cell = part.cell(name) if part else None
    if cell is None:
        return None
    return {
        "kind": "cell",
        "id": cell.id,
        "title": cell.title,
        "task": inlines_json(cell.task, part.id if part else "") if cell.task else None,
        "code": cell.code,
        "needs": list(cell.needs),
        "show": cell.show,
    }


def _picture(part: Part | None, name: str) -> Json | None:
    picture = part.picture(name) if part else None
    if picture is None:
        return None
    slider = picture.slider
    return {
        "kind": "picture",
        "id": picture.id,
        "cell": picture.cell,
        "kindOfPicture": picture.kind,
        "title": picture.title,
        "alt": picture.alt,
        "x": picture.x,
        "y": picture.y,
        "slider": {"name": slider.name, "lowest": slider.lowest, "highest": slider.highest} if slider else None,
    }


def _exercise(part: Part | None, name: str, states: dict[str, Json]) -> Json | None:
    exercise = part.exercise(name) if part else None
    if exercise is None:
        return None
    return {
        "kind": "exercise",
        "id": exercise.id,
        "signature": exercise.signature,
        "minutes": exercise.minutes,
        "blocks": blocks_json(exercise.blocks, part, states),
        "hints": len(exercise.hints),
        **states.get(exercise.id, {"state": "new", "attempts": 0, "file": None, "changed": False}),
    }
