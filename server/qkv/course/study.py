"""What a request is about: one course, one learner's folder, and the glossary."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from qkv.content import content_folder
from qkv.course.load import CourseError, load_course, shipped_course
from qkv.course.model import Cell, Course, Exercise, Part
from qkv.course.store import home_folder
from qkv.course.terms import Phrases, phrases_of
from qkv.glossary import Glossary, build_index, load_glossary

Thing = TypeVar("Thing")
Signature = tuple[tuple[str, int, int], ...]
"""Names, times and sizes of files: equal as long as nothing was changed."""


@dataclass(frozen=True, slots=True, eq=False)
class Study:
    """A course as one learner takes it. `home` is the folder of the learner's files."""

    course: Course
    home: Path
    glossary: Glossary
    phrases: Phrases

    def part(self, name: str) -> Part:
        """A part by id or number. Raises CourseError."""
        return needed(self.course.part(name), "part", name, [part.id for part in self.course.parts])

    def exercise(self, name: str) -> tuple[Part, Exercise]:
        """An exercise with its part. Raises CourseError."""
        names = [exercise.id for part in self.course.parts for exercise in part.exercises]
        return needed(self.course.exercise(name), "exercise", name, names)

    def cell(self, part: str, name: str) -> tuple[Part, Cell]:
        """A cell with its part. Raises CourseError."""
        home = self.part(part)
        return home, needed(home.cell(name), f"cell in {home.id}", name, [cell.id for cell in home.cells])


def needed(one: Thing | None, what: str, name: str, names: Sequence[str]) -> Thing:
    """The thing that was looked for. Raises CourseError, with the names that there are, where it is None."""
    if one is None:
        raise CourseError(f"there is no {what} {name!r}; there are {', '.join(names) or 'none'}")
    return one


def open_study(course: str | Path | None = None, home: Path | None = None, more: Iterable[Path] = ()) -> Study:
    """A course by its id or its folder, the shipped one by default. `more` are further folders in which courses lie.

    Loads again only what has changed on the disk. Raises CourseError.
    """
    folder = find_course(course, more)
    course_files = [folder / "course.toml", *folder.glob("*/lesson.md")]
    terms = content_folder("glossary")
    glossary, phrases = _glossary(terms, _signature(terms.glob("*.md")))
    return Study(_course(folder, _signature(course_files)), home or home_folder(), glossary, phrases)


def find_course(course: str | Path | None, more: Iterable[Path] = ()) -> Path:
    """The folder of a course. Raises CourseError where no course has that id and no folder that path."""
    if course is None:
        return shipped_course()
    if Path(course).is_dir():
        return Path(course).resolve()
    folders = [shipped_course()]
    for home in more:
        folders += (
            [home] if (home / "course.toml").is_file() else sorted(path.parent for path in home.glob("*/course.toml"))
        )
    ids: dict[str, Path] = {}
    for folder in folders:
        try:
            ids.setdefault(load_course(folder).id, folder)
        except CourseError:
            continue  # it is said when it is asked for by its path
    return needed(ids.get(str(course)), "course", str(course), list(ids))


def _signature(paths: Iterable[Path]) -> Signature:
    result: list[tuple[str, int, int]] = []
    for path in sorted(paths):
        try:
            status = path.stat()
        except OSError:
            continue
        result.append((str(path), status.st_mtime_ns, status.st_size))
    return tuple(result)


@lru_cache(maxsize=8)
def _course(folder: Path, signature: Signature) -> Course:
    return load_course(folder)


@lru_cache(maxsize=2)
def _glossary(folder: Path, signature: Signature) -> tuple[Glossary, Phrases]:
    glossary = load_glossary(folder)
    return glossary, phrases_of(build_index(glossary))
