"""Lessons as text for a terminal."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Sequence
from typing import Any

from qkv.ide.render import Styles

Json = dict[str, Any]
WIDEST = 96
MOST_LINES = 20


def width() -> int:
    """How wide a line of prose is."""
    return max(40, min(WIDEST, shutil.get_terminal_size().columns - 2))


def wrapped(text: str, indent: str = "", first: str | None = None) -> str:
    """A paragraph, broken into lines. `first` stands before the first one."""
    lines = textwrap.wrap(
        " ".join(text.split()),
        width(),
        initial_indent=indent if first is None else first,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines)


def inlines_text(inlines: Sequence[Json]) -> str:
    """A line: code in backquotes, formulas in TeX, links followed by where they lead."""
    parts: list[str] = []
    for inline in inlines:
        match inline["kind"]:
            case "text":
                parts.append(inline["text"])
            case "code":
                parts.append(f"`{inline['text']}`")
            case "math":
                parts.append(inline["tex"])
            case "link":
                words, target = inlines_text(inline["inlines"]), inline["target"]
                parts.append(words if words == target else f"{words} ({target.removeprefix('lesson:')})")
            case _:
                parts.append(inlines_text(inline["inlines"]))
    return "".join(parts)


def blocks_text(blocks: Sequence[Json], styles: Styles, part: str = "", indent: str = "") -> str:
    """Blocks with an empty line between them."""
    return "\n\n".join(_block(block, styles, part, indent) for block in blocks)


def _block(block: Json, styles: Styles, part: str, indent: str) -> str:
    match block["kind"]:
        case "paragraph":
            return wrapped(inlines_text(block["inlines"]), indent)
        case "heading":
            return f"{indent}{styles.bold}{inlines_text(block['inlines'])}{styles.end}"
        case "list":
            return _list(block, styles, part, indent)
        case "code":
            return textwrap.indent(block["text"], indent + "    ")
        case "math":
            return f"{indent}    {block['tex']}"
        case "table":
            return _table(block, indent)
        case "note" | "quote":
            return blocks_text(block["blocks"], styles, part, indent + "  | ")
        case "cell":
            return _cell(block, styles, part, indent)
        case "picture":
            return wrapped(f"[picture, drawn when {block['cell']} runs: {block['title'] or block['id']}]", indent)
        case "exercise":
            return _exercise(block, styles, part, indent)
        case kind:
            raise ValueError(f"no such block: {kind}")


def _list(block: Json, styles: Styles, part: str, indent: str) -> str:
    result: list[str] = []
    for number, item in enumerate(block["items"], 1):
        mark = f"{number}. " if block["ordered"] else "- "
        inner = blocks_text(item, styles, part, indent + " " * len(mark))
        result.append(indent + mark + inner[len(indent) + len(mark) :])
    return "\n".join(result)


def _table(block: Json, indent: str) -> str:
    rows = [[inlines_text(cell) for cell in row] for row in [block["header"], *block["rows"]]]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(size) for cell, size in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join(indent + line for line in [lines[0], "  ".join("-" * size for size in widths), *lines[1:]])


def _cell(block: Json, styles: Styles, part: str, indent: str) -> str:
    head = f"{styles.dim}qkv lesson run {part}/{block['id']}{styles.end}"
    if block["title"]:
        task = wrapped(f"Try: {inlines_text(block['task'] or [])}", indent)
        head = f"{styles.bold}{block['title']}{styles.end}\n{task}\n{indent}{head}"
    return f"{indent}{head}\n{textwrap.indent(block['code'], indent + '    ')}"


def _exercise(block: Json, styles: Styles, part: str, indent: str) -> str:
    head = (
        f"{indent}{styles.bold}Exercise: {block['signature']}{styles.end}  ({block['minutes']} min, {block['state']})"
    )
    text = blocks_text(block["blocks"], styles, part, indent + "  ")
    command = f"qkv lesson check {block['id']}"
    todo = (
        f"Write it in {block['file']}, then: {command}"
        if block["file"]
        else f"Make your file, and later check it: {command}"
    )
    return f"{head}\n{text}\n\n{indent}  {todo}"


def lesson_text(lesson: Json, section: str | None, styles: Styles) -> str:
    """A part, or one section of it."""
    head = f"{styles.bold}Part {lesson['number']} of {lesson['of']} · {lesson['title']}{styles.end}"
    pieces = [f"{head}\n{lesson['level']}, {lesson['minutes']} min", wrapped(lesson["summary"])]
    if section is None:
        goals = "\n".join(wrapped(inlines_text(goal), "  ", "- ") for goal in lesson["goals"])
        pieces.append(f"After it you can:\n{goals}")
    for one in lesson["sections"]:
        if section in (None, one["id"]):
            title = inlines_text(one["title"])
            pieces.append(f"{styles.bold}{title}{styles.end}\n{'-' * len(title)}")
            pieces.append(blocks_text(one["blocks"], styles, lesson["id"]))
    if section is None:
        if lesson["quiz"]:
            pieces.append(f"Quiz: {len(lesson['quiz'])} questions. Answer them with `qkv lesson quiz {lesson['id']}`.")
        if lesson["sources"]:
            sources = "\n".join(wrapped(inlines_text(source), "  ", "- ") for source in lesson["sources"])
            pieces.append(f"Sources:\n{sources}")
        if lesson["next"]:
            pieces.append(f"Next: {lesson['next']['title']} (`qkv lesson open {lesson['next']['id']}`)")
    return "\n\n".join(pieces)


def course_text(course: Json, styles: Styles) -> str:
    """The list of parts, each with what was done in it."""
    lines = [f"{styles.bold}{course['course']['title']}{styles.end}", ""]
    for part in course["parts"]:
        passed = sum(exercise["state"] == "passed" for exercise in part["exercises"])
        quiz = part["quiz"]
        done = f"{part['state']}, exercises {passed}/{len(part['exercises'])}, quiz {quiz['right']}/{quiz['questions']}"
        lines.append(
            f"{part['number']:>2}  {styles.bold}{part['title']}{styles.end}  {part['level']}, {part['minutes']} min"
        )
        lines.append(f"    {part['id']}  ({done})")
        lines.append(wrapped(part["summary"], "    "))
        lines.append("")
    if course["reviews_due"]:
        lines.append(f"{course['reviews_due']} questions are due again: `qkv lesson quiz`.")
    first = next((part for part in course["parts"] if not part["done"]), None)
    if first is not None:
        lines.append(f"Go on with: qkv lesson open {first['id']}")
    return "\n".join(lines)


def check_text(answer: Json, styles: Styles) -> str:
    """What became of an answer: what happened, the smallest evidence, a question, where to read, what to do next."""
    said = answer["feedback"]
    words = {
        "passed": f"{styles.info}passed{styles.end}",
        "wrong": f"{styles.warning}not yet{styles.end}",
        "error": f"{styles.error}does not run{styles.end}",
    }
    pieces = [f"{styles.bold}{answer['exercise']}{styles.end}: {words[answer['status']]}", wrapped(said["message"])]
    if said["evidence"]:
        pieces.append(_evidence(said["evidence"]))
    if said["question"]:
        pieces.append(wrapped(said["question"], first="Think: ", indent="       "))
    if answer["output"]:
        pieces.append(f"{styles.dim}It printed:{styles.end}\n{textwrap.indent(_few_lines(answer['output']), '    ')}")
    if said.get("trace"):
        pieces.append(f"{styles.dim}{said['trace'].rstrip()}{styles.end}")
    if answer["status"] == "passed":
        pieces.append(f"Compare:  qkv lesson solution {answer['exercise']}")
    elif said["kind"] != "no-torch":
        todo = [f"Edit:  {answer['file']}", f"Hint:  qkv lesson hint {answer['exercise']}"]
        if said["section"]:
            todo.insert(0, f"Read:  qkv lesson open {said['section'].removeprefix('lesson:')}")
        pieces.append("\n".join(todo))
    return "\n\n".join(pieces)


def _few_lines(output: str) -> str:
    """The beginning of an output; more would push the feedback off the screen."""
    lines = [line if len(line) <= 200 else line[:200] + " …" for line in output.rstrip().split("\n")]
    return "\n".join(lines[:MOST_LINES] + ["…"] * (len(lines) > MOST_LINES))


def _evidence(evidence: Json) -> str:
    at = f"   at {evidence['index']}" if evidence["index"] else ""
    lines = [f"    {evidence['call']}", f"    want {evidence['want']}{at}", f"    got  {evidence['got']}"]
    shape = evidence["shape"]
    if shape and shape["want"] == shape["got"]:
        lines.append(f"    in a result of shape {tuple(shape['want'])}{' = ' + shape['axes'] if shape['axes'] else ''}")
    return "\n".join(lines)


def picture_text(picture: Json) -> str:
    """A picture in words, with its numbers where they are few."""
    rows = _rows(picture["data"])
    title = f"[{picture['title'] or picture['id']}] {picture['sentence']}"
    if not rows or len(rows) > 24 or max(map(len, rows)) > 12:
        return wrapped(title)
    labels = picture["labels"]["x"]
    named = labels if len(labels) == len(rows) else [""] * len(rows)
    lines = [
        f"    {name:<12}" + " ".join(_cell_text(value) for value in row) for name, row in zip(named, rows, strict=True)
    ]
    return "\n".join([wrapped(title), *lines])


def _rows(data: Any) -> list[list[Any]]:
    """Numbers of any depth as rows; several matrices one below the other."""
    if not isinstance(data, list) or not data:
        return []
    if not isinstance(data[0], list):
        return [[value] for value in data]
    if not data[0] or not isinstance(data[0][0], list):
        return data
    return [row for matrix in data for row in [*_rows(matrix), []]][:-1]


def _cell_text(value: Any) -> str:
    return "     -" if value is None else f"{value:6.2f}"
