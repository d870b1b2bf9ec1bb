"""Rules about names: ids used twice, links, terms, and what a part requires."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from qkv.course.model import Course, LessonProblem
from qkv.course.nodes import Link, TermLink
from qkv.course.rules.subject import Subject, all_blocks, all_inlines, head_inlines, prose
from qkv.course.terms import linked, term_id, used_terms


def name_rules(subject: Subject) -> Iterator[LessonProblem]:
    """All rules of this file that look at one part."""
    yield from ids(subject)
    yield from references(subject)
    yield from links(subject)
    yield from terms(subject)
    yield from early_terms(subject)
    yield from requires(subject)


def ids(subject: Subject) -> Iterator[LessonProblem]:
    """No id is used twice: a section's, a cell's, a picture's or a question's in its part, an exercise's in the course."""
    part = subject.part
    for kind, things in (
        ("section", part.sections),
        ("cell", part.cells),
        ("picture", part.pictures),
        ("exercise", part.exercises),
        ("question", part.quiz),
    ):
        first: dict[str, int] = {}
        for thing in things:
            if thing.id and thing.id in first:
                message = f"the {kind} {thing.id} is there already, in line {first[thing.id]}"
                yield subject.problem(thing.line, "lesson-id", message, thing.id)
            first.setdefault(thing.id, thing.line)
    for exercise in part.exercises:
        other = next((p for p in subject.course.parts if p is not part and p.exercise(exercise.id)), None)
        if other is not None:
            message = f"the exercise {exercise.id} is there already, in {other.id}"
            yield subject.problem(exercise.line, "lesson-id", message, exercise.id)
    if part.id and not re.fullmatch(r"\d\d-" + re.escape(part.id), part.path.parent.name):
        message = f"the part {part.id} stands in the folder {part.front.part:02}-{part.id}, not {part.path.parent.name}"
        yield subject.problem(part.front.line("id"), "lesson-id", message)


def references(subject: Subject) -> Iterator[LessonProblem]:
    """What a cell needs, a picture is drawn from, and a mistake leads to, exists in the part."""
    part = subject.part
    for cell in part.cells:
        for name in cell.needs:
            if part.cell(name) is None:
                yield subject.problem(
                    cell.line + 1, "lesson-id", f"there is no cell {name} that this one could need", name
                )
        if cell.id in cell.needs or any(cell.id in needed.needs for needed in part.needed(cell)):
            yield subject.problem(cell.line, "lesson-id", f"the cell {cell.id} needs itself, by way of others", cell.id)
    for picture in part.pictures:
        if picture.cell and part.cell(picture.cell) is None:
            message = f"there is no cell {picture.cell} that this picture could be drawn from"
            yield subject.problem(picture.line + 1, "lesson-id", message, picture.cell)
        if picture.slider and (cell := part.cell(picture.cell)):
            if not re.search(rf"^{re.escape(picture.slider.name)}\s*=", cell.code, re.M):
                message = f"the slider turns {picture.slider.name}, which the cell {cell.id} sets in no line of its own"
                yield subject.problem(picture.line + 1, "lesson-id", message, picture.slider.name)


def links(subject: Subject) -> Iterator[LessonProblem]:
    """Every `lesson:` link, every link to a section, and every `term:` link leads somewhere."""
    part = subject.part
    found = [*head_inlines(part), *all_inlines(part, all_blocks(part))]
    targets = [(line, one.target) for line, one in found if isinstance(one, Link)]
    for exercise in part.exercises:
        for wrong in exercise.wrong:
            if wrong.section:
                section = wrong.section
                targets.append((wrong.line + 1, section if section.startswith("lesson:") else f"#{section}"))
    for line, target in targets:
        if target.startswith("term:") and target.removeprefix("term:") not in subject.terms:
            name = target.removeprefix("term:")
            yield subject.problem(line, "lesson-term", f"the glossary has no term {name}", target)
        elif target.startswith("#") and part.section(target[1:]) is None:
            yield subject.problem(line, "lesson-link", f"this part has no section {target[1:]}", target[1:])
        elif target.startswith("lesson:") and (message := _leads_nowhere(subject.course, target)):
            yield subject.problem(line, "lesson-link", message, target)


def _leads_nowhere(course: Course, target: str) -> str | None:
    """Why a `lesson:` link leads nowhere. A part that the course names and that is not written yet may be linked to as a whole."""
    found = re.fullmatch(r"lesson:([\w-]+)(?:([#/])([\w-]+))?", target)
    if found is None:
        return f"{target} is no link to a lesson; write lesson:PART, lesson:PART#SECTION or lesson:PART/EXERCISE"
    name, kind, inner = found.groups()
    part = course.part(name)
    if part is None or part.id != name:
        return None if name in course.named and not inner else f"there is no part {name}"
    if kind == "#" and part.section(inner) is None:
        return f"the part {name} has no section {inner}"
    if kind == "/" and part.exercise(inner) is None:
        return f"the part {name} has no exercise {inner}"
    return None


def terms(subject: Subject) -> Iterator[LessonProblem]:
    """The terms of the front matter and of `{term}` roles are in the glossary, and each is introduced once."""
    part = subject.part
    for name in part.front.terms:
        if name not in subject.terms:
            yield subject.problem(part.front.line("terms"), "lesson-term", f"the glossary has no term {name}", name)
    for name, count in Counter(part.front.terms).items():
        others = [p.id for p in subject.course.parts if p is not part and name in p.front.terms]
        earlier = [other for other in others if subject.number(other) < subject.number(part.id)]
        if count > 1 or earlier:
            message = f"the term {name} is introduced already" + (f", in {earlier[0]}" if earlier else "")
            yield subject.problem(part.front.line("terms"), "lesson-term", message, name, "warning")
    for line, one in all_inlines(part, all_blocks(part)):
        if isinstance(one, TermLink) and term_id(one.text, subject.phrases) is None:
            yield subject.problem(line, "lesson-term", f"the glossary has no term {one.text!r}", one.text)


def early_terms(subject: Subject) -> Iterator[LessonProblem]:
    """A term that a later part introduces is not used before."""
    part = subject.part
    here = subject.number(part.id)
    introduced = {
        name: min(subject.number(p.id) for p in subject.course.parts if name in p.front.terms)
        for p in subject.course.parts
        for name in p.front.terms
    }
    for line, link in used_terms(linked(prose(part), subject.phrases, set())):
        place = introduced.get(link.id or "", here)
        if place > here:
            later = subject.course.named[place] if place < len(subject.course.named) else "a later part"
            message = f"{link.text!r} is introduced in {later}: say it in other words, add it to `terms`, or link to lesson:{later}"
            yield subject.problem(line, "lesson-term-early", message, link.text, "error" if link.asked else "warning")


def requires(subject: Subject) -> Iterator[LessonProblem]:
    """What a part requires exists, comes earlier, and does not require it in turn."""
    part = subject.part
    line = part.front.line("requires")
    for name in part.front.requires:
        if name not in subject.course.named:
            yield subject.problem(line, "lesson-requires", f"there is no part {name} that this one could require", name)
        elif _reaches(subject.course, name, part.id):
            yield subject.problem(line, "lesson-requires", f"{part.id} and {name} require each other", name)
        elif subject.number(name) > subject.number(part.id):
            yield subject.problem(line, "lesson-requires", f"{name} comes later than {part.id}", name)


def _reaches(course: Course, start: str, goal: str) -> bool:
    """Whether a part requires another, by way of others too."""
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        name = waiting.pop()
        if name == goal:
            return True
        part = course.part(name)
        if name not in seen and part is not None:
            seen.add(name)
            waiting += part.front.requires
    return False


def course_rules(course: Course) -> Iterator[LessonProblem]:
    """No two parts have one id or one number."""
    first: dict[object, str] = {}
    for part in course.parts:
        for what, value in (("id", part.id), ("number", part.front.part)):
            if not value:
                continue
            if value in first:
                line = part.front.line("id" if what == "id" else "part")
                message = f"the {what} {value} belongs to {first[value]} already"
                yield LessonProblem(str(part.path), line, 1, "lesson-id", message, end=(line, 1))
            first.setdefault(value, part.path.parent.name)
