"""The glossary as clients show it: the list of all terms, and one term with its text, its formula and the lessons that use it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from qkv.course.load import CourseError
from qkv.course.markdown import blocks_of, markdown_parser, parse_inline
from qkv.course.mathml import mathml
from qkv.course.model import Course
from qkv.course.nodes import Block, CodeBlock
from qkv.course.study import Study
from qkv.course.terms import Phrases, linked, used_terms
from qkv.course.tree import blocks_json, inlines_json
from qkv.glossary import nearest_names, plain_text

Json = dict[str, Any]


def vocabulary(study: Study) -> Json:
    """All terms by name, each with its definition as plain text."""
    terms = study.glossary.terms.values()
    return {
        "terms": [
            {"id": term.id, "name": term.name, "definition": plain_text(term.definition), "lesson": term.lesson}
            for term in terms
        ]
    }


def term(study: Study, name: str) -> Json:
    """One term. `used_in` holds the parts whose text names it. Raises CourseError where the glossary has none of that id."""
    entry = study.glossary.terms.get(name)
    if entry is None:
        near = ", ".join(nearest_names(study.glossary, name))
        raise CourseError(f"there is no term {name!r}" + (f"; did you mean {near}?" if near else ""))
    md = markdown_parser()
    blocks = blocks_of(md.parse(entry.more), 0, lambda token, line: ())
    example = (CodeBlock(1, "python", entry.example.rstrip("\n")),) if entry.example.strip() else ()
    return {
        "id": entry.id,
        "name": entry.name,
        "definition": plain_text(entry.definition),
        "definition_inlines": inlines_json(parse_inline(md, entry.definition)),
        "blocks": blocks_json([*linked(blocks, study.phrases, {entry.id}), *example]),
        "formula": {"tex": entry.formula, "mathml": mathml(entry.formula, display=True)} if entry.formula else None,
        "formula_text": entry.formula_text,
        "shape": entry.shape,
        "see": [{"id": id, "name": study.glossary.terms[id].name} for id in entry.see if id in study.glossary.terms],
        "lesson": entry.lesson,
        "used_in": [part for part, ids in _uses(study.course, study.phrases) if entry.id in ids],
    }


@lru_cache(maxsize=4)
def _uses(course: Course, phrases: Phrases) -> tuple[tuple[str, frozenset[str]], ...]:
    """Each part's id, with the ids of the terms that its text names."""
    result: list[tuple[str, frozenset[str]]] = []
    for part in course.parts:
        blocks: list[Block] = [block for section in part.sections for block in section.blocks]
        blocks += [block for exercise in part.exercises for block in exercise.blocks]
        links = used_terms(linked(blocks, phrases, set()))
        result.append((part.id, frozenset(link.id for _, link in links if link.id)))
    return tuple(result)
