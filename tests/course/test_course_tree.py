"""The tree that clients draw: exactly the keys that they know."""

from __future__ import annotations

from pathlib import Path

from course_case import part_of, study_of, without_lines, write_course

from qkv.course import service
from qkv.course.mathml import is_readable, mathml
from qkv.course.tree import blocks_json

T = {"kind": "text", "text": "A"}


def tree(text: str) -> list[dict]:
    """The blocks of one section."""
    part = part_of(f"(a)=\n## A\n\n{text}\n")
    return without_lines(blocks_json(part.sections[0].blocks, part))


def test_every_kind_of_block() -> None:
    assert tree("A") == [{"kind": "paragraph", "inlines": [T]}]
    assert tree("### A") == [{"kind": "heading", "level": 3, "inlines": [T]}]
    assert tree("1. A") == [{"kind": "list", "ordered": True, "items": [[{"kind": "paragraph", "inlines": [T]}]]}]
    assert tree("```python\nx = 1\n```") == [{"kind": "code", "language": "python", "text": "x = 1"}]
    assert tree("$$A$$") == [{"kind": "math", "tex": "A"}]
    assert tree("| A |\n|---|\n| A |") == [{"kind": "table", "header": [[T]], "rows": [[[T]]]}]
    assert tree(":::{note}\nA\n:::") == [{"kind": "note", "blocks": [{"kind": "paragraph", "inlines": [T]}]}]
    assert tree("> A") == [{"kind": "quote", "blocks": [{"kind": "paragraph", "inlines": [T]}]}]
    assert tree(":::{cell} c\n:needs: b\nprint(1)\n:::") == [
        {"kind": "cell", "id": "c", "title": None, "task": None, "code": "print(1)", "needs": ["b"], "show": None}
    ]
    assert tree(":::{cell} c\n:title: Try\n:task: A\nprint(1)\n:::")[0]["task"] == [T]
    assert tree(":::{picture} p\n:cell: c\n:data: d\n:x: key\n:alt: A bar.\n:slider: T 0.5 2\n:::") == [
        {
            "kind": "picture",
            "id": "p",
            "cell": "c",
            "kindOfPicture": "heatmap",
            "title": None,
            "alt": "A bar.",
            "x": "key",
            "y": None,
            "slider": {"name": "T", "lowest": 0.5, "highest": 2.0},
        }
    ]
    assert tree(":::{exercise} f\n:signature: f(x)\n:minutes: 3\nA\n:::") == [
        {
            "kind": "exercise",
            "id": "f",
            "signature": "f(x)",
            "minutes": 3,
            "blocks": [{"kind": "paragraph", "inlines": [T]}],
            "hints": 0,
            "state": "new",
            "attempts": 0,
            "file": None,
            "changed": False,
        }
    ]


def test_every_kind_of_inline() -> None:
    (block,) = tree("A `A` *A* **A** [A](lesson:x) [A](#a) [A](term:head) $A$")
    space = {"kind": "text", "text": " "}
    assert [inline for inline in block["inlines"] if inline != space] == [
        {"kind": "text", "text": "A "},
        {"kind": "code", "text": "A"},
        {"kind": "emphasis", "inlines": [T]},
        {"kind": "strong", "inlines": [T]},
        {"kind": "link", "target": "lesson:x", "inlines": [T]},
        {"kind": "link", "target": "lesson:doubles#a", "inlines": [T]},
        {"kind": "term", "id": "head", "inlines": [T]},
        {"kind": "math", "tex": "A"},
    ]


def test_a_formula_is_a_tree_of_elements() -> None:
    tree = mathml(r"\sqrt{d}")
    assert tree["tag"] == "math"
    assert tree["attributes"]["display"] == "inline"
    assert "msqrt" in str(tree)
    assert is_readable(r"\frac{QK^\top}{\sqrt{d_k}}")
    assert is_readable("x") and is_readable("12") and is_readable(r"\text{softmax}(x)")
    assert not is_readable(r"\unknown{1}")
    assert not is_readable(r"\left(x")


def test_a_lesson_has_all_its_keys(tmp_path: Path) -> None:
    lesson = service.lesson(study_of(write_course(tmp_path)), "doubles")
    assert list(lesson) == [
        *("version", "course", "id", "number", "of", "title", "summary", "level", "minutes", "goals", "requires"),
        *("previous", "next", "sections", "exercises", "quiz", "terms", "sources"),
    ]
    assert lesson["course"] == {"id": "small", "title": "Small"}
    assert (lesson["number"], lesson["of"], lesson["previous"], lesson["next"]) == (1, 1, None, None)
    assert lesson["goals"] == [[{"kind": "text", "text": "Double a vector."}]]
    assert lesson["exercises"] == ["double"]
    assert list(lesson["sections"][0]) == ["id", "title", "read", "blocks"]
    assert lesson["quiz"][0] == {
        "id": "question_1",
        "blocks": [{"kind": "paragraph", "inlines": [{"kind": "text", "text": "What is asked?"}]}],
        "options": [
            {"blocks": [{"kind": "paragraph", "inlines": [{"kind": "text", "text": "right"}]}]},
            {"blocks": [{"kind": "paragraph", "inlines": [{"kind": "text", "text": "wrong"}]}]},
        ],
        "multiple": False,
        "answered": None,
    }


def test_an_option_does_not_say_whether_it_is_right(tmp_path: Path) -> None:
    lesson = service.lesson(study_of(write_course(tmp_path)), "doubles")
    assert all(set(option) == {"blocks"} for question in lesson["quiz"] for option in question["options"])
