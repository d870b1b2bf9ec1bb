"""lesson.md becomes a part: nodes with the lines of the file, and problems with their places."""

from __future__ import annotations

import pytest
from course_case import HEAD, TEXT, part_of

from qkv.course.nodes import (
    CellPlace,
    CodeText,
    Emphasis,
    Link,
    ListBlock,
    MathBlock,
    MathText,
    Note,
    Paragraph,
    Quote,
    Table,
    TermLink,
    Text,
)

HEAD_LINES = HEAD.count("\n")


def inlines(text: str):
    """The pieces of one paragraph."""
    (section,) = part_of(f"(a)=\n## A\n\n{text}\n").sections
    (paragraph,) = section.blocks
    assert isinstance(paragraph, Paragraph)
    return paragraph.inlines


def codes(text: str, head: str = HEAD) -> list[tuple[int, str]]:
    """The problems of a text as (line behind the front matter, code)."""
    lines = head.count("\n")
    return [(problem.line - lines, problem.code) for problem in part_of(text, head).problems]


def test_the_pieces_of_a_line() -> None:
    assert inlines("a *b* **c** `d` $e^2$ {term}`f` [g](lesson:x#y)") == (
        Text("a "),
        Emphasis((Text("b"),)),
        Text(" "),
        Emphasis((Text("c"),), strong=True),
        Text(" "),
        CodeText("d"),
        Text(" "),
        MathText("e^2"),
        Text(" "),
        TermLink("f"),
        Text(" "),
        Link("lesson:x#y", (Text("g"),)),
    )


@pytest.mark.parametrize(
    "target", ["lesson:a", "lesson:a/b", "term:one-hot", "https://x.org/a?b", "#why", "diagnostic:shape-view"]
)
def test_links_that_may_be_followed(target: str) -> None:
    assert inlines(f"[x]({target})") == (Link(target, (Text("x"),)),)


@pytest.mark.parametrize(
    "target", ["javascript:alert(1)", "command:qkv.open", "http://x.org", "file:///etc/passwd", "vscode://x", "data:,x"]
)
def test_links_that_stay_text(target: str) -> None:
    assert inlines(f"[x]({target})") == (Text(f"[x]({target})"),)


def test_money_is_no_formula() -> None:
    assert inlines("from $5 to $6, x_1") == (Text("from $5 to $6, x_1"),)


def test_html_is_text() -> None:
    assert inlines("a <b>c</b>") == (Text("a <b>c</b>"),)


def test_blocks_know_their_lines() -> None:
    part = part_of("""\
        (a)=
        ## A

        One.

        - item

          more
        - other

        > said

        | x | y |
        |---|---|
        | 1 | 2 |

        $$
        x^2
        $$

        ::::{note}
        Inside.

        :::{cell} c
        :timeout: 3
        print(1)
        :::
        ::::
        """)
    (section,) = part.sections
    kinds = [(type(block), block.line - HEAD_LINES) for block in section.blocks]
    assert kinds == [(Paragraph, 4), (ListBlock, 6), (Quote, 11), (Table, 13), (MathBlock, 17), (Note, 21)]
    note = section.blocks[-1]
    assert isinstance(note, Note)
    assert [(type(block), block.line - HEAD_LINES) for block in note.blocks] == [(Paragraph, 22), (CellPlace, 24)]
    (cell,) = part.cells
    assert (cell.code, cell.code_line - HEAD_LINES, cell.timeout) == ("print(1)", 26, 3.0)
    assert part.problems == ()


def test_an_exercise_with_all_that_belongs_to_it() -> None:
    part = part_of(TEXT)
    (exercise,) = part.exercises
    assert (exercise.id, exercise.signature, exercise.minutes) == ("double", "double(x)", 2)
    assert len(exercise.hints) == 2
    assert [(wrong.key, wrong.message, wrong.question, wrong.section) for wrong in exercise.wrong] == [
        ("squares", "Every number was multiplied by itself.", "What should 3 become?", "start"),
        ("raises", "The shapes do not fit.", None, "lesson:doubles#start"),
    ]
    assert len(exercise.blocks) == len(exercise.solution) == 1
    assert part.problems == ()


def test_a_question_with_its_notes() -> None:
    part = part_of("""\
        (a)=
        ## A

        ::::{quiz}
        :::{question} q
        :multiple: yes
        What is
        asked?

        - [x] one `thing`
          Because.

          And more.
        - [ ] other
          Not.
        - [X] third
            Deeper.
        :::
        ::::
        """)
    (question,) = part.quiz
    assert question.multiple
    assert question.right == {0, 2}
    assert [len(option.note) for option in question.options] == [2, 1, 1]
    assert part.problems == ()


def test_cells_that_are_needed_come_first_and_once() -> None:
    part = part_of("""\
        (a)=
        ## A

        :::{cell} a
        a = 1
        :::

        :::{cell} b
        :needs: a
        b = 1
        :::

        :::{cell} c
        :needs: a, b
        c = 1
        :::
        """)
    assert [cell.id for cell in part.needed(part.cells[2])] == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(a)=\n## A\n\n:::{sell} x\n:::\n", [(4, "lesson-block")]),
        ("(a)=\n## A\n\n:::{cell} x\nprint(1)\n", [(4, "lesson-block")]),
        ("(a)=\n## A\n\n:::{cell} x\n:expects: 1\nprint(1)\n:::\n", [(5, "lesson-block")]),
        ("(a)=\n## A\n\n:::{cell}\nprint(1)\n:::\n", [(4, "lesson-id")]),
        ("(a)=\n## A\n\n:::{cell} x\n:timeout: soon\nprint(1)\n:::\n", [(5, "lesson-block")]),
        ("(a)=\n## A\n\n:::{cell} x\n:task: Try.\nprint(1)\n:::\n", [(4, "lesson-block")]),
        ("(a)=\n## A\n\n:::{hint}\nx\n:::\n", [(4, "lesson-block")]),
        ("(a)=\n## A\n\n:::{question} q\nx\n:::\n", [(4, "lesson-block")]),
        (
            "(a)=\n## A\n\n:::{exercise} f\n:signature: f(x)\nx\n\n:::{hint}\nx\n:::\n:::\n",
            [(8, "lesson-block"), (11, "lesson-block")],
        ),
        ("(a)=\n## A\n\n::::{quiz}\nText.\n::::\n", [(5, "lesson-question")]),
        ("(a)=\n## A\n\n:::{picture} p\n:cell: c\n:data: d\n:::\n", [(4, "lesson-alt")]),
        ("(a)=\n## A\n\n:::{picture} p\n:cell: c\n:data: d\n:kind: pie\n:alt: A pie.\n:::\n", [(7, "lesson-block")]),
        ("(a)=\n## A\n\n:::{picture} p\n:cell: c\n:data: d\n:slider: T 1\n:alt: A bar.\n:::\n", [(7, "lesson-block")]),
        ("## A\n\nText.\n", [(1, "lesson-id")]),
        ("(a)=\n\nText.\n", [(1, "lesson-id")]),
        ("Text.\n", [(1, "lesson-block")]),
        ("# Title\n", [(1, "lesson-block")]),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, expected: list[tuple[int, str]]) -> None:
    assert codes(text) == expected


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (HEAD.replace("goals: [Double a vector.]\n", ""), (1, "lesson-goal")),
        (HEAD.replace("goals: [Double a vector.]\n", "goals: []\n"), (8, "lesson-goal")),
        (HEAD.replace("title: Doubles\n", ""), (1, "lesson-front-matter")),
        (HEAD.replace("part: 1", "part: one"), (3, "lesson-front-matter")),
        (HEAD.replace("level: Beginner", "level: Hard"), (6, "lesson-front-matter")),
        (HEAD.replace("terms: []", "terms: head"), (10, "lesson-front-matter")),
        (HEAD.replace("minutes: 3", "minutes: 3\nminute: 3"), (8, "lesson-front-matter")),
        (HEAD.replace("title: Doubles", "title: [Doubles"), (5, "lesson-front-matter")),
        ("", (1, "lesson-front-matter")),
    ],
)
def test_what_is_wrong_in_the_front_matter(head: str, expected: tuple[int, str]) -> None:
    found = [(problem.line, problem.code) for problem in part_of("(a)=\n## A\n\nText.\n", head).problems]
    assert found[:1] == [expected]


def test_a_broken_front_matter_takes_nothing_else_with_it() -> None:
    part = part_of(TEXT, "---\nid: [\n---\n")
    assert len(part.exercises) == len(part.cells) == 1
