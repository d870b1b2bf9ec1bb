"""The validator: every rule fires where it should, and says where; a good course has no problem."""

from __future__ import annotations

from pathlib import Path

import pytest
from course_case import FILES, HEAD, QUIZ, ROOT, TEXT, Run, add_part, problems_of, study_of, write_course

from qkv.course.study import open_study
from qkv.course.validate import validate
from qkv.runner import Job, Outcome


def found(folder: Path, run: Run | None = None) -> list[tuple[str, int, str]]:
    """The problems as (file, line, code)."""
    return [(Path(problem.path).name, problem.line, problem.code) for problem in problems_of(folder, run)]


def line_of(text: str, words: str) -> int:
    """The line of a lesson in which some words stand for the first time."""
    return next(number for number, line in enumerate(text.split("\n"), 1) if words in line)


def test_a_good_course_has_no_problem(tmp_path: Path, run: Run) -> None:
    assert problems_of(write_course(tmp_path), run) == []


def test_the_course_that_ships_has_no_problem(run: Run) -> None:
    report = validate(open_study(ROOT / "lessons"), run)
    assert [f"{problem.path}:{problem.line} {problem.code} {problem.message}" for problem in report.problems] == []
    assert len(report.parts) >= 1


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ("[x](javascript:alert(1))", "lesson-link", "nowhere else"),
        ("[x](command:qkv.open)", "lesson-link", "nowhere else"),
        ("[x](http://example.org)", "lesson-link", "nowhere else"),
        ("[x](lesson:nowhere)", "lesson-link", "no part nowhere"),
        ("[x](lesson:doubles/halve)", "lesson-link", "no exercise halve"),
        ("[x](#nowhere)", "lesson-link", "no section nowhere"),
        ("[x](term:nothing)", "lesson-term", "no term nothing"),
        ("![x](https://example.org/x.png)", "lesson-network", "is not loaded"),
        ("![x](x.png)", "lesson-network", "nowhere else"),
        ("{term}`muchness`", "lesson-term", "no term 'muchness'"),
        ("{emphasis}`much`", "lesson-block", "no role {emphasis}"),
        ("<div>", "lesson-html", "no HTML"),
        ("<!-- x -->", "lesson-html", "no HTML"),
        ("$\\unknown{x}$", "lesson-block", "cannot be read"),
    ],
)
def test_what_a_sentence_may_not_hold(words: str, code: str, message: str, tmp_path: Path) -> None:
    text = TEXT.replace("Twice as much.", f"A line\nand {words}.")
    (problem,) = problems_of(write_course(tmp_path, text))
    assert (problem.code, problem.line, problem.severity) == (code, line_of(HEAD + text, "and "), "error")
    assert message in problem.message
    assert problem.end is not None


def test_comparisons_and_code_are_no_html(tmp_path: Path) -> None:
    text = TEXT.replace("Twice as much.", "1 < 2 and 3 > 2, `<b>`, $a < b$, <https://example.org>")
    assert problems_of(write_course(tmp_path, text)) == []


@pytest.mark.parametrize(
    "code",
    [
        "import urllib.request\nprint([2.0, 4.0])",
        "from huggingface_hub import hf_hub_download\nprint([2.0, 4.0])",
        "import torch\n\ntorch.hub.load('a', 'b')",
        "import torchvision\n\ntorchvision.datasets.MNIST('x', download=True)",
    ],
)
def test_a_cell_loads_nothing_from_the_network(code: str, tmp_path: Path) -> None:
    text = TEXT.replace("import torch\n\nprint((2 * torch.tensor([1.0, 2.0])).tolist())", code)
    assert [code for _, _, code in found(write_course(tmp_path, text))] == ["lesson-network"]


QUESTION = ":::{question} question_1\nWhat is asked?\n\n- [x] right\n  Yes.\n- [ ] wrong\n  No, 1.\n:::"


@pytest.mark.parametrize(
    ("question", "code", "words"),
    [
        (QUESTION.replace("[x]", "[ ]"), "lesson-question", "no right option"),
        (QUESTION.replace("[ ]", "[x]"), "lesson-question", "2 right options"),
        (QUESTION.replace("What is", ":multiple: yes\nWhat is"), "lesson-question", "one right option"),
        (QUESTION.replace("- [ ] wrong\n  No, 1.\n", ""), "lesson-question", "two options"),
        (QUESTION.replace("What is asked?", ""), "lesson-question", "asks nothing"),
        (QUESTION.replace("  Yes.\n", ""), "lesson-option-note", "no note"),
        ("", "lesson-five-questions", "this one has 4"),
        (QUESTION + "\n" + QUESTION.replace("question_1", "question_6"), "lesson-five-questions", "this one has 6"),
        (QUESTION.replace("question_1", "question_2"), "lesson-id", "there already"),
    ],
)
def test_a_rule_about_questions(question: str, code: str, words: str, tmp_path: Path) -> None:
    (problem,) = problems_of(write_course(tmp_path, quiz=QUIZ.replace(QUESTION, question)))
    assert problem.code == code
    assert words in problem.message


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        (("goals: [Double a vector.]\n", ""), "lesson-goal", "`goals` is missing"),
        (("summary: A part for tests.\n", ""), "lesson-front-matter", "`summary` is missing"),
        (("id: doubles", "id: double"), "lesson-id", "course.toml does not name"),
        (("requires: []", "requires: [nothing]"), "lesson-requires", "no part nothing"),
        (("requires: []", "requires: [doubles]"), "lesson-requires", "require each other"),
        (("terms: []", "terms: [nothing-like-it]"), "lesson-term", "no term nothing-like-it"),
        (("minutes: 3", "minutes: 9"), "lesson-minutes", "take about 3"),
    ],
)
def test_a_rule_about_the_front_matter(change: tuple[str, str], code: str, words: str, tmp_path: Path) -> None:
    problems = problems_of(write_course(tmp_path, head=HEAD.replace(*change)))
    (problem,) = [one for one in problems if one.code == code and words in one.message]
    assert problem.severity == ("warning" if code == "lesson-minutes" else "error")


def test_a_part_may_not_require_a_later_one(tmp_path: Path) -> None:
    folder = write_course(tmp_path, head=HEAD.replace("requires: []", "requires: [later]"), parts=("doubles", "later"))
    add_part(folder, "later", 2, minutes="1")
    assert [message for _, message in codes_and_messages(folder)] == ["later comes later than doubles"]


def test_parts_that_require_each_other(tmp_path: Path) -> None:
    folder = write_course(tmp_path, head=HEAD.replace("requires: []", "requires: [later]"), parts=("doubles", "later"))
    add_part(folder, "later", 2, requires="[doubles]", minutes="1")
    assert codes_and_messages(folder) == [
        ("lesson-requires", "doubles and later require each other"),
        ("lesson-requires", "later and doubles require each other"),
    ]


def codes_and_messages(folder: Path) -> list[tuple[str, str]]:
    """The problems of a course but those about its minutes."""
    return [(problem.code, problem.message) for problem in problems_of(folder) if problem.code != "lesson-minutes"]


def test_a_term_is_not_used_before_it_is_introduced(tmp_path: Path) -> None:
    text = TEXT.replace("Twice as much.", "Two softmax\nand a {term}`head`.")
    folder = write_course(tmp_path, text, parts=("doubles", "later"))
    add_part(folder, "later", 2, "A softmax.", terms="[softmax, head]", minutes="1")
    problems = [one for one in problems_of(folder) if one.code == "lesson-term-early"]
    assert [(one.line, one.column, one.severity) for one in problems] == [
        (line_of(HEAD + text, "Two softmax"), 5, "warning"),
        (line_of(HEAD + text, "and a"), 14, "error"),
    ]


def test_a_term_is_introduced_once(tmp_path: Path) -> None:
    folder = write_course(tmp_path, head=HEAD.replace("terms: []", "terms: [softmax]"), parts=("doubles", "later"))
    add_part(folder, "later", 2, terms="[softmax]", minutes="1")
    assert codes_and_messages(folder) == [("lesson-term", "the term softmax is introduced already, in doubles")]


def test_a_part_that_is_not_written_yet_may_be_linked_to(tmp_path: Path) -> None:
    text = TEXT.replace("Twice as much.", "[later](lesson:later), [there](lesson:later#there)")
    assert codes_and_messages(write_course(tmp_path, text, parts=("doubles", "later"))) == [
        ("lesson-link", "there is no part later")
    ]


def test_two_parts_of_one_name(tmp_path: Path) -> None:
    folder = write_course(tmp_path)
    add_part(folder, "other", 1, minutes="1")
    lesson = folder / "01-other" / "lesson.md"
    lesson.write_text(lesson.read_text(encoding="utf-8").replace("id: other", "id: doubles"), encoding="utf-8")
    messages = [message for code, message in codes_and_messages(folder) if code == "lesson-id"]
    assert {"the id doubles belongs to 01-doubles already", "the number 1 belongs to 01-doubles already"} <= set(
        messages
    )


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        (
            (":expect: [2.0, 4.0]", ":expect: [2.0, 5.0]"),
            "lesson-cell-output",
            "prints '[2.0, 4.0]' where :expect: says '[2.0, 5.0]'",
        ),
        ((":expect: [2.0, 4.0]", ":expect: [2.0, 4.0]\n:expect: more"), "lesson-cell-output", "says one more: 'more'"),
        (
            (":expect: [2.0, 4.0]\nimport torch", ":expect: [2.0, 4.0]\nimport torch\nprint([2.0, 4.0])"),
            "lesson-cell-output",
            "prints 2 lines",
        ),
        (("import torch\n\nprint", "import torch\n\n1 / 0\nprint"), "lesson-cell-output", "fails: ZeroDivisionError"),
        (("import torch\n\nprint", "import torch\n\nprint(("), "lesson-cell-output", "fails: SyntaxError"),
        (
            (":expect: [2.0, 4.0]", ":expect: [2.0, 4.0]\n:timeout: 0.2\nwhile True: pass"),
            "lesson-cell-time",
            "longer than 0.2 s",
        ),
        ((":expect: [2.0, 4.0]", ":expect: [2.0, 4.0]\n:needs: other"), "lesson-id", "no cell other"),
        ((":expect: [2.0, 4.0]", ":expect: [2.0, 4.0]\n:needs: show"), "lesson-id", "needs itself"),
    ],
)
def test_a_rule_about_cells(change: tuple[str, str], code: str, words: str, tmp_path: Path, run: Run) -> None:
    text = TEXT.replace(*change)
    assert text != TEXT
    problems = problems_of(write_course(tmp_path, text), run)
    (problem,) = [one for one in problems if one.code != "lesson-minutes"]
    assert problem.code == code
    assert words in problem.message


def test_an_error_in_a_cell_is_said_at_its_line(tmp_path: Path, run: Run) -> None:
    text = TEXT.replace("import torch\n\nprint", "import torch\n\n1 / 0\nprint")
    (problem,) = problems_of(write_course(tmp_path, text), run)
    assert problem.line == line_of(HEAD + text, "1 / 0")


@pytest.mark.parametrize(
    ("printed", "said"), [("0.33333", "0.3333"), ("a 1e-5", "a 1.0004e-05"), ("nan", "nan"), ("[1, 2]", "[1,  2]")]
)
def test_numbers_need_not_be_the_same_to_the_last_digit(printed: str, said: str, tmp_path: Path, run: Run) -> None:
    text = TEXT.replace(":expect: [2.0, 4.0]", f":expect: {said}").replace(
        "print((2 * torch.tensor([1.0, 2.0])).tolist())", f"print({printed!r})"
    )
    problems = problems_of(write_course(tmp_path, text), run)
    assert problems == []


@pytest.mark.parametrize(
    ("picture", "code", "words"),
    [
        (":cell: show\n:data: nothing\n:alt: A bar.", "lesson-cell-output", "could not be drawn"),
        (":cell: show\n:data: [1.0, 2.0]\n:alt: The most is {most}.", "lesson-alt", "names {most}"),
        (":cell: other\n:data: [1.0]\n:alt: A bar.", "lesson-id", "no cell other"),
        (":cell: show\n:data: [1.0]\n:kind: bars", "lesson-alt", "needs :alt:"),
        (":cell: show\n:data: [1.0]\n:alt: A bar.\n:slider: T 0 1", "lesson-id", "sets in no line"),
    ],
)
def test_a_rule_about_pictures(picture: str, code: str, words: str, tmp_path: Path, run: Run) -> None:
    text = TEXT.replace("::::{exercise}", f":::{{picture}} p\n{picture}\n:::\n\n::::{{exercise}}")
    (problem,) = problems_of(write_course(tmp_path, text), run)
    assert problem.code == code
    assert words in problem.message


CHECK = FILES["check.py"]


@pytest.mark.parametrize(
    ("files", "code", "name", "words"),
    [
        ({"start.py": FILES["solution.py"]}, "lesson-start-passes", "start.py", "passes already"),
        ({"start.py": "x = 1\n"}, "lesson-check", "start.py", "must define the function"),
        (
            {"solution_2.py": "def double(x):\n    return 3 * x\n"},
            "lesson-solution-fails",
            "solution_2.py",
            "does not agree with solution.py",
        ),
        (
            {"wrong/squares.py": FILES["solution.py"]},
            "lesson-wrong-passes",
            "squares.py",
            "gives the solution's values",
        ),
        ({"wrong/squares.py": FILES["wrong/raises.py"]}, "lesson-wrong-alike", "squares.py", "same values as raises"),
        ({"wrong/squares.py": None}, "lesson-wrong-key", "lesson.md", "has no file double/wrong/squares.py"),
        (
            {"wrong/cubes.py": "def double(x):\n    return x * x * x\n"},
            "lesson-wrong-key",
            "lesson.md",
            "has no {wrong} cubes",
        ),
        ({"check.py": None}, "lesson-check", "lesson.md", "needs a file double/check.py"),
        ({"solution.py": None}, "lesson-check", "lesson.md", "needs a file double/solution.py"),
        ({"check.py": "import torch\n\n1 / 0\n"}, "lesson-check", "check.py", "ZeroDivisionError"),
        ({"check.py": CHECK.replace("def inputs", "def input_")}, "lesson-check", "check.py", "`inputs(g)`"),
        ({"check.py": CHECK.replace("AXES", "AXIS")}, "lesson-check", "check.py", "needs AXES"),
        ({"check.py": CHECK.replace("PROPERTIES", "PROPS")}, "lesson-check", "check.py", "needs PROPERTIES"),
        (
            {"check.py": CHECK.replace('    """Twice nothing is nothing."""\n', "")},
            "lesson-check",
            "check.py",
            "has no docstring",
        ),
        (
            {"check.py": CHECK.replace("2 * answer(x)", "3 * answer(x)")},
            "lesson-check",
            "check.py",
            "does not hold for a solution",
        ),
        (
            {"check.py": CHECK.replace("return answer(2 * x), 2 * answer(x)", "return 1")},
            "lesson-check",
            "check.py",
            "must return (got, want)",
        ),
        (
            {"check.py": CHECK.replace("generator=g", "")},
            "lesson-check",
            "check.py",
            "other arguments for the same generator",
        ),
        (
            {"check.py": CHECK.replace("torch.randn(5, generator=g)", "torch.arange(5.0)")},
            "lesson-check",
            "check.py",
            "the same arguments for every",
        ),
        ({"check.py": "import numpy\n" + CHECK}, "lesson-check", "check.py", "imports numpy"),
    ],
)
def test_a_rule_about_exercises(
    files: dict[str, str | None], code: str, name: str, words: str, tmp_path: Path, run: Run
) -> None:
    (problem,) = problems_of(write_course(tmp_path, files=files), run)
    assert (problem.code, Path(problem.path).name) == (code, name)
    assert words in problem.message


def test_an_exercise_of_one_name_in_two_parts(tmp_path: Path) -> None:
    folder = write_course(tmp_path, parts=("doubles", "later"))
    add_part(folder, "later", 2, ":::{exercise} double\n:signature: double(x)\nAgain.\n:::", minutes="2")
    assert codes_and_messages(folder) == [
        ("lesson-id", "the exercise double is there already, in later"),
        ("lesson-id", "the exercise double is there already, in doubles"),
    ]


def test_shape_comments_are_held_against_an_analysis_that_is_passed_in(tmp_path: Path) -> None:
    text = TEXT.replace("import torch\n\nprint", "import torch\n\ny = torch.ones(2)  # (3,)\nprint")

    def contradicted(path: str, code: str) -> list[tuple[int, str]]:
        return [(number, "y is (2,)") for number, line in enumerate(code.split("\n"), 1) if "# (3,)" in line]

    (problem,) = problems_of(write_course(tmp_path, text), shape_comments=contradicted)
    assert (problem.code, problem.line) == ("lesson-shape-comment", line_of(HEAD + text, "# (3,)"))


def test_without_a_python_it_is_said(tmp_path: Path) -> None:
    from qkv.course.rules.cells import NoPython

    def none(job: Job) -> Outcome:
        return Outcome("not-started", reason="No Python was found.")

    with pytest.raises(NoPython, match="No Python was found"):
        validate(study_of(write_course(tmp_path)), none)


def test_a_broken_lesson_never_raises(tmp_path: Path) -> None:
    whole = HEAD + TEXT + QUIZ
    folder = write_course(tmp_path)
    for cut in range(0, len(whole), 41):
        (folder / "01-doubles" / "lesson.md").write_text(whole[:cut], encoding="utf-8")
        assert problems_of(folder)
