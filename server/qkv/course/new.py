"""`qkv lesson new`: a course, or a part of one, that validates and waits for words."""

from __future__ import annotations

import re
from pathlib import Path

from qkv.course.load import CourseError, load_course

COURSE = """id = "{id}"
title = "{title}"
language = "en"
version = 1
parts = [
    "{part}",
]
"""

LESSON = """---
id: {part}
part: {number}
title: {title}
summary: One or two sentences that say what this part is about.
level: Beginner
minutes: 4
goals:
  - Say what the reader can do at the end.
requires: []
terms: []
sources:
  - "Where the claims of this part come from"
version: 1
---

(start)=
## The first section

One idea a paragraph, in plain words. A cell shows that it is true.

:::{{cell}} show
:expect: [2.0, 4.0]
import torch

x = torch.tensor([1.0, 2.0])
print((2 * x).tolist())
:::

::::{{exercise}} {exercise}
:signature: {exercise}(x)
:minutes: 2
`x` is a vector (n,). The result is a vector (n,): twice `x`.

:::{{hint}}
Which operation makes every number twice as large?
:::

:::{{wrong}} squares
:section: start
Every number was multiplied by itself.

What would 3 become, and what should it become?
:::

:::{{solution}}
Multiplying a vector by a number multiplies each of its elements.
:::
::::

::::{{quiz}}
{questions}::::
"""

QUESTION = """:::{{question}} question_{number}
Question {number}: what is asked?

- [x] The right answer
  Why it is right.
- [ ] A wrong answer
  Why it is wrong.
:::
"""

START = '''import torch


def {exercise}(x):
    """Twice a vector.

    x is (n,). The result is (n,).
    """
    raise NotImplementedError
'''

ANSWER = """def {exercise}(x):
    return {result}
"""

CHECK = '''"""{exercise}: what the checker knows."""

import torch

AXES = {{"x": "(n,)", "result": "(n,)"}}


def inputs(g: torch.Generator):
    """The arguments of one call, all random from g."""
    return (torch.randn(5, generator=g),)


def sum_is_twice(answer, x):
    """The sum of the result must be twice the sum of x."""
    return answer(x).sum(), 2 * x.sum()


PROPERTIES = [sum_is_twice]
'''


def new_part(folder: str, part: str, exercise: str) -> Path:
    """Add a part to a course, which is made where there is none. Returns its `lesson.md`. Raises CourseError."""
    home = Path(folder)
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", part):
        raise CourseError(f"{part!r} is no id: lower-case words with hyphens between them")
    if not exercise.isidentifier():
        raise CourseError(f"{exercise!r} cannot be a function's name")
    number = 1
    if (home / "course.toml").exists():
        course = load_course(home)
        if part in course.named:
            raise CourseError(f"{folder} has a part {part} already")
        number = len(course.named) + 1
        _name_part(home / "course.toml", part)
    else:
        home.mkdir(parents=True, exist_ok=True)
        name = home.resolve().name
        text = COURSE.format(id=name, title=_title(name), part=part)
        (home / "course.toml").write_text(text, encoding="utf-8")
    questions = "\n".join(QUESTION.format(number=place) for place in range(1, 6))
    values = {"part": part, "number": number, "title": _title(part), "exercise": exercise, "questions": questions}
    inside = home / f"{number:02}-{part}"
    files = {
        inside / "lesson.md": LESSON,
        inside / exercise / "start.py": START,
        inside / exercise / "solution.py": ANSWER.replace("{result}", "2 * x"),
        inside / exercise / "wrong" / "squares.py": ANSWER.replace("{result}", "x * x"),
        inside / exercise / "check.py": CHECK,
    }
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.format(**values), encoding="utf-8")
    return inside / "lesson.md"


def _title(name: str) -> str:
    return name.replace("-", " ").capitalize()


def _name_part(path: Path, part: str) -> None:
    """Add a part to the list in `course.toml`, and leave the rest as its author wrote it."""
    text = path.read_text(encoding="utf-8")
    found = re.search(r"^parts\s*=\s*\[(.*?),?\s*\]", text, re.M | re.S)
    if found is None:
        raise CourseError(f"{path} has no list `parts` that a part could be added to")
    inside = found.group(1).rstrip()
    added = f'{inside},\n    "{part}",\n' if inside.strip() else f'\n    "{part}",\n'
    path.write_text(text[: found.start(1)] + added + text[found.end() - 1 :], encoding="utf-8")
