"""Read `glossary/ID.md`: front matter with the facts, a definition, more text, one example that runs."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

SUBJECTS = ("attention", "network", "language")
"""Where a word can be at home: attention code, any neural network, any program that works on text as tokens."""

_KEY = re.compile(r"([A-Za-z_][\w-]*)\s*:\s*(.*)")
_EXAMPLE = re.compile(r"^```python[ \t]*\n(.*?)^```[ \t]*$", re.M | re.S)


@dataclass(frozen=True, slots=True)
class Code:
    """How a term is written in code: dotted names or literals of an API, and identifiers of the user's own."""

    api: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Term:
    """One entry of the glossary, as its file says it.

    `definition`, `more` are Markdown; `formula` is TeX, `formula_text` the same in Unicode; `lesson` is a `lesson:` link.
    `at_home_in` names the subjects in which the word has this sense (of `SUBJECTS`); it counts where `needs_attention_context` is set.
    `not_in` are phrases in which the word means something else; without `prose` the term is meant in code only.
    """

    id: str
    name: str
    definition: str
    also: tuple[str, ...] = ()
    code: Code = field(default_factory=Code)
    needs_attention_context: bool = False
    at_home_in: tuple[str, ...] = ("attention",)
    not_in: tuple[str, ...] = ()
    prose: bool = True
    formula: str | None = None
    formula_text: str | None = None
    shape: str | None = None
    see: tuple[str, ...] = ()
    lesson: str | None = None
    more: str = ""
    example: str = ""


@dataclass(frozen=True, slots=True)
class TermProblem:
    """Why a file is no term. `line` and `column` start at 1."""

    path: str
    line: int
    column: int
    message: str


class TermError(ValueError):
    """A file of the glossary that cannot be read; `problem` says where and why."""

    def __init__(self, problem: TermProblem) -> None:
        super().__init__(f"{problem.path}:{problem.line}:{problem.column}: {problem.message}")
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Glossary:
    """The terms by id, in the order of their names, and what was wrong with the files that gave none."""

    terms: Mapping[str, Term]
    problems: tuple[TermProblem, ...] = ()


def load_glossary(folder: Path) -> Glossary:
    """Read every `*.md` of a folder. A broken file is a problem and takes no other term with it.

    Raises OSError where the folder itself cannot be read.
    """
    terms: list[Term] = []
    problems: list[TermProblem] = []
    for path in sorted(folder.iterdir()):
        if path.suffix != ".md":
            continue
        try:
            terms.append(read_term(str(path), path.read_text(encoding="utf-8")))
        except TermError as error:
            problems.append(error.problem)
        except (OSError, UnicodeDecodeError) as error:
            problems.append(TermProblem(str(path), 1, 1, f"this file cannot be read: {error}"))
    terms.sort(key=lambda term: (term.name.casefold(), term.id))
    return Glossary(MappingProxyType({term.id: term for term in terms}), tuple(problems))


def read_term(path: str, text: str) -> Term:
    """One term from the text of its file. Raises TermError with the place of the first thing that is wrong."""
    lines = text.replace("\r\n", "\n").split("\n")
    if lines[0].strip() != "---":
        raise _error(path, 1, "a term starts with front matter between two lines of `---`")
    end = next((number for number, line in enumerate(lines[1:], 1) if line.strip() == "---"), None)
    if end is None:
        raise _error(path, 1, "the front matter has no second line of `---`")
    front = _Front(path, lines[1:end])
    body = "\n".join(lines[end + 1 :])
    example = _EXAMPLE.search(body)
    if example is None:
        raise _error(path, end + 1, "the text needs one ```python block that runs")
    definition, _, more = body[: example.start()].strip().partition("\n\n")
    if not definition:
        raise _error(path, end + 1, "the first paragraph is the definition, and it is missing")
    term = Term(
        id=front.text("id"),
        name=front.text("name"),
        definition=definition.replace("\n", " "),
        also=front.texts("also"),
        code=front.code(),
        needs_attention_context=front.flag("needs_attention_context", False),
        at_home_in=front.choices("at_home_in", SUBJECTS) or ("attention",),
        not_in=front.texts("not_in"),
        prose=front.flag("prose", True),
        formula=front.optional_text("formula"),
        formula_text=front.optional_text("formula_text"),
        shape=front.optional_text("shape"),
        see=front.texts("see"),
        lesson=front.optional_text("lesson"),
        more=(more + body[example.end() :]).strip(),
        example=example.group(1),
    )
    front.check(term)
    return term


class _Front:
    """The front matter of one file: typed access that knows at which line a key stands."""

    def __init__(self, path: str, lines: list[str]) -> None:
        self.path = path
        self.lines = {match.group(1): number for number, line in enumerate(lines, 2) if (match := _KEY.match(line))}
        values = _json_values(lines)
        self.values: dict[str, Any] = values if values is not None else _yaml_values(path, lines)

    def error(self, key: str, message: str) -> TermError:
        return _error(self.path, self.lines.get(key, 1), f"{key}: {message}")

    def text(self, key: str) -> str:
        value = self.values.get(key)
        if not isinstance(value, str) or not value.strip():
            raise self.error(key, "a text is needed here")
        return value

    def optional_text(self, key: str) -> str | None:
        return None if self.values.get(key) is None else self.text(key)

    def texts(self, key: str) -> tuple[str, ...]:
        return self._texts(key, self.values.get(key))

    def _texts(self, key: str, value: Any) -> tuple[str, ...]:
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(item, str) and item.strip() for item in value):
            raise self.error(key, "a list of texts is needed here")
        return tuple(value)

    def flag(self, key: str, default: bool) -> bool:
        value = self.values.get(key, default)
        if not isinstance(value, bool):
            raise self.error(key, "true or false is needed here")
        return value

    def choices(self, key: str, known: tuple[str, ...]) -> tuple[str, ...]:
        chosen = self.texts(key)
        if set(chosen) - set(known):
            raise self.error(key, f"a list of {', '.join(known)} is needed here")
        return chosen

    def code(self) -> Code:
        value = self.values.get("code")
        if value is None:
            return Code()
        if not isinstance(value, dict) or set(value) - {"api", "identifiers"}:
            raise self.error("code", "it holds `api` and `identifiers`, two lists of texts")
        return Code(self._texts("code", value.get("api")), self._texts("code", value.get("identifiers")))

    def check(self, term: Term) -> None:
        known = {*Term.__dataclass_fields__} - {"definition", "more", "example"}
        if unknown := sorted(set(self.values) - known):
            raise self.error(unknown[0], "no such key; see the other terms")
        if term.id != Path(self.path).stem:
            raise self.error("id", f"the id is the file's name, {Path(self.path).stem!r}")
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", term.id):
            raise self.error("id", "lower-case words with hyphens between them")
        if term.lesson is not None and not re.fullmatch(r"lesson:[\w-]+(#[\w-]+)?", term.lesson):
            raise self.error("lesson", "a link such as `lesson:causal-mask` is needed here")


def _error(path: str, line: int, message: str, column: int = 1) -> TermError:
    return TermError(TermProblem(path, line, column, message))


def _json_values(lines: list[str]) -> dict[str, Any] | None:
    """The front matter if each line is `key: VALUE` with a value that is JSON too; else None.

    YAML contains JSON, and Python reads JSON a hundred times faster: the shipped glossary is written so, since a cold
    `qkv hover` reads all of it.
    """
    values: dict[str, Any] = {}
    for line in lines:
        match = _KEY.fullmatch(line)
        if match is None or match.group(1) in values:
            return None
        try:
            values[match.group(1)] = json.loads(match.group(2))
        except ValueError:
            return None
    return values


def _yaml_values(path: str, lines: list[str]) -> dict[str, Any]:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        values = YAML(typ="safe", pure=True).load("\n".join(lines))
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        message = f"the front matter is not YAML: {error.problem or error.context}"
        raise _error(path, mark.line + 2 if mark else 1, message, mark.column + 1 if mark else 1) from error
    except (YAMLError, ValueError) as error:
        raise _error(path, 1, f"the front matter is not YAML: {error}") from error
    if not isinstance(values, dict):
        raise _error(path, 2, "the front matter holds lines of `key: value`")
    return {str(key): value for key, value in values.items()}
