"""Rules about the text itself: HTML, the network, goals, questions, minutes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from qkv.course.mathml import is_readable
from qkv.course.model import LessonProblem
from qkv.course.nodes import Link, MathBlock, MathText, Text, walk_blocks, words_of_blocks
from qkv.course.rules.subject import Subject, all_blocks, all_inlines, head_inlines, prose

WORDS_A_MINUTE = 130
HTML = re.compile(r"</?[A-Za-z][\w-]*(?:\s[^<>]*)?/?>|<!--")
DEAD_LINK = re.compile(r"\]\(\s*([^\s)]+)")
ROLE = re.compile(r"\{([a-z][\w:-]*)\}`[^`]*`")
REMOTE_MODULES = {"urllib", "requests", "http", "socket", "ftplib", "httpx", "aiohttp", "huggingface_hub", "datasets"}
REMOTE_CALLS = {"torch.hub.load", "torch.hub.load_state_dict_from_url", "torch.hub.download_url_to_file"}


def text_rules(subject: Subject) -> Iterator[LessonProblem]:
    """All rules of this file."""
    yield from what_is_written(subject)
    yield from formulas(subject)
    yield from network(subject)
    yield from questions(subject)
    yield from minutes(subject)


def what_is_written(subject: Subject) -> Iterator[LessonProblem]:
    """HTML, pictures from elsewhere, links that may lead nowhere, and roles that do not exist all stay plain text: find them there."""
    part = subject.part
    before = ""
    for line, inline in (*head_inlines(part), *all_inlines(part, all_blocks(part))):
        if isinstance(inline, Link) and before.endswith("!"):
            message = "a picture from elsewhere is not loaded; draw one from a cell with {picture}"
            yield subject.problem(line, "lesson-network", message, inline.target)
        before = inline.text if isinstance(inline, Text) else ""
        if not isinstance(inline, Text):
            continue
        for found in HTML.finditer(inline.text):
            yield subject.problem(line, "lesson-html", "a lesson holds no HTML; write it in Markdown", found.group())
        for found in DEAD_LINK.finditer(inline.text):
            message = "a link leads to lesson:, term:, diagnostic:, https:// or #section, and nowhere else"
            code = "lesson-network" if inline.text[: found.start()].rpartition("[")[0].endswith("!") else "lesson-link"
            yield subject.problem(line, code, message, found.group(1))
        for found in ROLE.finditer(inline.text):
            message = f"there is no role {{{found.group(1)}}}; the one that there is, is {{term}}"
            yield subject.problem(line, "lesson-block", message, found.group())


def formulas(subject: Subject) -> Iterator[LessonProblem]:
    """A formula that cannot be read would be shown as its source."""
    blocks = all_blocks(subject.part)
    found = [(block.line, block.tex) for block in walk_blocks(blocks) if isinstance(block, MathBlock)]
    found += [(line, one.tex) for line, one in all_inlines(subject.part, blocks) if isinstance(one, MathText)]
    for line, tex in found:
        if not is_readable(tex):
            yield subject.problem(line, "lesson-block", "this formula cannot be read", tex)


def network(subject: Subject) -> Iterator[LessonProblem]:
    """A cell loads nothing from the network."""
    for cell in subject.part.cells:
        try:
            tree = ast.parse(cell.code)
        except (SyntaxError, ValueError):
            continue  # running it says so
        for node in ast.walk(tree):
            if name := _remote(node):
                line = cell.code_line + getattr(node, "lineno", 1) - 1
                yield subject.problem(line, "lesson-network", f"a cell loads nothing from the network: {name}")


def _remote(node: ast.AST) -> str | None:
    if isinstance(node, ast.Import):
        return next((alias.name for alias in node.names if alias.name.split(".")[0] in REMOTE_MODULES), None)
    if isinstance(node, ast.ImportFrom):
        return node.module if (node.module or "").split(".")[0] in REMOTE_MODULES else None
    if isinstance(node, ast.Call):
        if ast.unparse(node.func) in REMOTE_CALLS:
            return ast.unparse(node.func)
        for keyword in node.keywords:
            if keyword.arg == "download" and isinstance(keyword.value, ast.Constant) and keyword.value.value is True:
                return "download=True"
    return None


def questions(subject: Subject) -> Iterator[LessonProblem]:
    """Five questions, each with options of which exactly one is right, unless it says otherwise."""
    part = subject.part
    if len(part.quiz) != 5:
        line = part.quiz[-1].line if part.quiz else len(subject.lines)
        message = f"the quiz of a part has five questions; this one has {len(part.quiz)}"
        yield subject.problem(line, "lesson-five-questions", message)
    for question in part.quiz:
        right = len(question.right)
        if len(question.options) < 2:
            message = f"the question {question.id} needs two options at the least: `- [x] right`, `- [ ] wrong`"
        elif not question.blocks:
            message = f"the question {question.id} asks nothing"
        elif right == 0:
            message = f"the question {question.id} has no right option; mark it with [x]"
        elif right > 1 and not question.multiple:
            message = f"the question {question.id} has {right} right options; say `:multiple: yes`, or leave one"
        elif right < 2 and question.multiple:
            message = f"the question {question.id} says :multiple: and has one right option"
        else:
            continue
        yield subject.problem(question.line, "lesson-question", message)


def minutes(subject: Subject) -> Iterator[LessonProblem]:
    """The minutes of the front matter agree with the text, within a quarter."""
    part = subject.part
    said = part.front.minutes
    words = count_words(subject)
    needed = words / WORDS_A_MINUTE + len(part.cells) + 2 * len(part.exercises)
    if said and abs(said - needed) > needed / 4:
        message = (
            f"`minutes` says {said}; {words} words, {len(part.cells)} cells and {len(part.exercises)} exercises"
            f" take about {needed:.0f}"
        )
        yield subject.problem(part.front.line("minutes"), "lesson-minutes", message, severity="warning")


def count_words(subject: Subject) -> int:
    """The words of the prose: code, hints, notes on mistakes and the quiz do not count."""
    return len(words_of_blocks(prose(subject.part)).split())
