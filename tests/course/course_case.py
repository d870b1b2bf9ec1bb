"""Small courses made from snippets, and the boundaries at which they are looked at."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from qkv.course.check import Verdict, check_text, seeds_for
from qkv.course.model import LessonProblem, Part
from qkv.course.parse import parse_part
from qkv.course.study import Study, open_study
from qkv.course.validate import ShapeComments, validate
from qkv.runner import Interpreter, Job, Outcome, Runner, find_interpreter

ROOT = Path(__file__).parents[2]
Run = Callable[[Job], Outcome]

HEAD = """\
---
id: doubles
part: 1
title: Doubles
summary: A part for tests.
level: Beginner
minutes: 3
goals: [Double a vector.]
requires: []
terms: []
sources: ["A source"]
version: 1
---
"""

TEXT = """\
(start)=
## The start

Twice as much.

:::{cell} show
:expect: [2.0, 4.0]
import torch

print((2 * torch.tensor([1.0, 2.0])).tolist())
:::

::::{exercise} double
:signature: double(x)
:minutes: 2
The result is twice `x`.

:::{hint}
The first hint.
:::

:::{hint}
The second hint.
:::

:::{wrong} squares
:section: start
Every number was multiplied by itself.

What should 3 become?
:::

:::{wrong} raises
:section: lesson:doubles#start
The shapes do not fit.
:::

:::{solution}
Because twice is twice.
:::
::::
"""

QUIZ = "::::{quiz}\n" + "\n".join(
    f":::{{question}} question_{number}\nWhat is asked?\n\n- [x] right\n  Yes.\n- [ ] wrong\n  No, {number}.\n:::"
    for number in range(1, 6)
)
QUIZ += "\n::::\n"

FILES = {
    "start.py": "def double(x):\n    raise NotImplementedError\n",
    "solution.py": "def double(x):\n    return 2 * x\n",
    "solution_2.py": "def double(x):\n    return x + x\n",
    "wrong/squares.py": "def double(x):\n    return x * x\n",
    "wrong/raises.py": "import torch\n\n\ndef double(x):\n    return x @ torch.zeros(99)\n",
    "check.py": '''\
"""double: what the checker knows."""

import torch

AXES = {"x": "(n,)", "result": "(n,)"}


def inputs(g: torch.Generator):
    """The arguments of one call."""
    return (torch.randn(5, generator=g),)


def zero_stays(answer, x):
    """Twice nothing is nothing."""
    return answer(torch.zeros(3)), torch.zeros(3)


def grows_evenly(answer, x):
    """Twice the vector gives twice the result."""
    return answer(2 * x), 2 * answer(x)


PROPERTIES = [zero_stays, grows_evenly]
''',
}
"""The files of the exercise `double`."""


def write_course(
    folder: Path,
    text: str = TEXT,
    head: str = HEAD,
    quiz: str = QUIZ,
    files: dict[str, str | None] | None = None,
    parts: Sequence[str] = ("doubles",),
) -> Path:
    """Write a course of one part, with some files changed, or left out where they are None. Returns its folder."""
    inside = folder / "01-doubles"
    names = ", ".join(f'"{name}"' for name in parts)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "course.toml").write_text(
        f'id = "small"\ntitle = "Small"\nlanguage = "en"\nversion = 1\nparts = [{names}]\n', encoding="utf-8"
    )
    for name, content in {**FILES, **(files or {})}.items():
        if content is not None:
            path = inside / "double" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
    (inside / "lesson.md").write_text(head + text + quiz, encoding="utf-8")
    return folder


def add_part(folder: Path, name: str, number: int, text: str = "", **head: str) -> None:
    """Add a part to a course: its text, and keys of its front matter that differ from the first part's."""
    front = HEAD.replace("id: doubles", f"id: {name}").replace("part: 1", f"part: {number}")
    for key, value in head.items():
        front = "\n".join(f"{key}: {value}" if line.startswith(f"{key}:") else line for line in front.split("\n"))
    path = folder / f"{number:02}-{name}" / "lesson.md"
    path.parent.mkdir()
    path.write_text(front + f"(first)=\n## First\n\n{text}\n\n" + QUIZ, encoding="utf-8")


def study_of(folder: Path, home: Path | None = None) -> Study:
    """A course as a learner with an empty folder takes it."""
    return open_study(folder, home or folder / "home")


def part_of(text: str, head: str = HEAD) -> Part:
    """A part from the text behind its front matter."""
    return parse_part(Path("01-doubles/lesson.md"), head + textwrap.dedent(text))


def problems_of(
    folder: Path, run: Run | None = None, shape_comments: ShapeComments | None = None
) -> list[LessonProblem]:
    """What the validator finds."""
    return list(validate(study_of(folder), run, shape_comments=shape_comments).problems)


def runner_of(runner: Runner) -> Run:
    """A function that runs jobs in this Python."""
    interpreter = find_interpreter(None, None)
    assert isinstance(interpreter, Interpreter)
    return partial(runner.run, interpreter=interpreter)


def checked(study: Study, exercise: str, answer: str, run: Run, seed: int = 7) -> Verdict:
    """What becomes of an answer given as a text."""
    part, found = study.exercise(exercise)
    return check_text(part, found, textwrap.dedent(answer), "my.py", run, seeds_for(seed))


def without_lines(value: Any) -> Any:
    """A tree of JSON as text pieces only, to compare what is read."""
    if isinstance(value, dict):
        return {key: without_lines(inner) for key, inner in value.items() if key != "mathml"}
    return [without_lines(inner) for inner in value] if isinstance(value, list) else value
