"""The course as plain objects: what a learner does shows in all of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from course_case import TEXT, Run, study_of, write_course

from qkv.course import CourseError, service
from qkv.course.check import CheckBroken
from qkv.course.study import Study, open_study
from qkv.runner import Limits


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return study_of(write_course(tmp_path / "course"), tmp_path / "home")


def part(study: Study) -> dict:
    """The part in the list."""
    (only,) = service.course(study)["parts"]
    return only


def test_the_list_has_all_its_keys(study: Study) -> None:
    course = service.course(study)
    assert {key: course[key] for key in ("version", "course", "reviews_due")} == {
        "version": 1,
        "course": {"id": "small", "title": "Small", "language": "en", "version": 1},
        "reviews_due": 0,
    }
    assert part(study) == {
        "id": "doubles",
        "number": 1,
        "title": "Doubles",
        "summary": "A part for tests.",
        "level": "Beginner",
        "minutes": 3,
        "state": "new",
        "done": False,
        "sections": [{"id": "start", "title": "The start", "read": False}],
        "exercises": [
            {"id": "double", "signature": "double(x)", "state": "new", "attempts": 0, "file": None, "changed": False}
        ],
        "quiz": {"questions": 5, "right": 0, "missed": 0},
        "terms": [],
    }


def test_a_part_is_done_when_all_is_passed_and_answered(study: Study, run: Run) -> None:
    assert service.mark_read(study, "doubles", "start") == {"version": 1}
    assert part(study)["state"] == "started"
    assert service.lesson(study, "1")["sections"][0]["read"] is True
    file = Path(service.open_exercise(study, "double")["file"])
    assert service.check_exercise(study, "double", run)["status"] == "error"
    assert part(study)["exercises"][0] == {
        "id": "double",
        "signature": "double(x)",
        "state": "tried",
        "attempts": 1,
        "file": str(file),
        "changed": False,
    }
    file.write_text("def double(x):\n    return x + x\n", encoding="utf-8")
    answer = service.check_exercise(study, "double", run, seed=3)
    assert (answer["status"], answer["file"], answer["seeds"]) == ("passed", str(file), [0, 3, 4])
    for number in range(1, 6):
        assert part(study)["done"] is False
        answered = service.answer(study, "doubles", f"question_{number}", [0])
        assert (answered["right"], answered["answered"], answered["rightCount"]) == (True, number, number)
    assert answered["state"] == "done"
    assert (part(study)["state"], part(study)["done"]) == ("done", True)
    assert part(study)["exercises"][0]["state"] == "passed"


def test_passed_once_stays_passed(study: Study, run: Run) -> None:
    service.check_exercise(study, "double", run, text="def double(x):\n    return x + x\n")
    service.check_exercise(study, "double", run, text="def double(x):\n    return x\n")
    assert part(study)["exercises"][0]["state"] == "passed"
    assert part(study)["exercises"][0]["attempts"] == 2


def test_a_wrong_option_explains_itself_and_may_be_tried_again(study: Study) -> None:
    wrong = service.answer(study, "doubles", "question_1", [1])
    assert wrong == {
        "right": False,
        "notes": [{"option": 1, "blocks": [{"kind": "paragraph", "inlines": [{"kind": "text", "text": "No, 1."}]}]}],
        "answered": 1,
        "rightCount": 0,
        "state": "started",
    }
    assert part(study)["quiz"] == {"questions": 5, "right": 0, "missed": 1}
    assert service.lesson(study, "doubles")["quiz"][0]["answered"] == "wrong"
    assert service.answer(study, "doubles", "question_1", [0])["right"] is True
    assert part(study)["quiz"] == {"questions": 5, "right": 1, "missed": 0}


def test_hints_come_one_by_one_and_the_last_one_stays(study: Study) -> None:
    shown = [
        (hints["shown"], len(hints["hints"]), hints["of"])
        for hints in (service.hint(study, "double") for _ in range(3))
    ]
    assert shown == [(1, 1, 2), (2, 2, 2), (2, 2, 2)]


def test_the_solution_is_always_there(study: Study) -> None:
    found = service.solution(study, "double")
    assert found["code"] == "def double(x):\n    return 2 * x\n"
    assert found["others"] == ["def double(x):\n    return x + x\n"]


def test_what_cannot_be_checked_is_no_attempt(study: Study) -> None:
    from qkv.runner import Outcome

    answer = service.check_exercise(study, "double", lambda job: Outcome("not-started", reason="No torch."))
    assert answer["feedback"]["kind"] == "no-torch"
    assert part(study)["exercises"][0]["attempts"] == 0


def test_starting_again_keeps_copies(study: Study, run: Run) -> None:
    service.answer(study, "doubles", "question_1", [0])
    Path(service.open_exercise(study, "double")["file"]).write_text("mine", encoding="utf-8")
    (entry,) = service.reset_part(study, "doubles")["reset"]
    assert Path(entry["copy"]).read_text(encoding="utf-8") == "mine"
    assert part(study)["state"] == "new"
    (kept,) = (study.home / "copies").glob("progress.*.json")
    assert "question_1" in kept.read_text(encoding="utf-8")


def test_all_starts_again(study: Study) -> None:
    service.mark_read(study, "doubles", "start")
    assert service.reset_all(study) == {"version": 1, "reset": []}
    assert part(study)["state"] == "new"


@pytest.mark.parametrize(
    "ask",
    [
        lambda study: service.lesson(study, "nothing"),
        lambda study: service.mark_read(study, "doubles", "nothing"),
        lambda study: service.answer(study, "doubles", "nothing", [0]),
        lambda study: service.answer(study, "doubles", "question_1", []),
        lambda study: service.answer(study, "doubles", "question_1", [2]),
        lambda study: service.open_exercise(study, "nothing"),
        lambda study: service.hint(study, "nothing"),
        lambda study: service.cell_job(study, "doubles", "nothing"),
        lambda study: service.term(study, "nothing-like-it"),
        lambda study: open_study("nothing"),
    ],
)
def test_what_is_not_there_is_said(ask, study: Study) -> None:
    with pytest.raises(CourseError, match=r"there is no|choose among"):
        ask(study)


def test_a_cell_runs_behind_the_cells_that_it_needs(tmp_path: Path, run: Run) -> None:
    text = """\
(a)=
## A

:::{cell} first
T = 1
print("not shown")
:::

:::{cell} second
:needs: first
U = 2
print(T + U)
:::

:::{picture} p
:cell: second
:data: {"t": T, "u": U}
:kind: bars
:alt: Two bars, {first} and {last}.
:slider: U 1 5
:::
"""
    study = study_of(write_course(tmp_path, text))
    outcome = run(service.cell_job(study, "doubles", "second"))
    assert (outcome.status, outcome.stdout) == ("finished", "3\n")
    assert outcome.pictures[0]["sentence"] == "Two bars, 1 and 2."
    assert run(service.cell_job(study, "doubles", "second", bind={"U": 5})).stdout == "6\n"
    assert run(service.cell_job(study, "doubles", "second", "print(T * 10)")).stdout == "10\n"
    assert service.cell_job(study, "doubles", "second", limits=Limits(seconds=3)).limits.seconds == 3


def test_a_changed_lesson_is_loaded_again(tmp_path: Path) -> None:
    folder = write_course(tmp_path)
    assert service.course(study_of(folder))["parts"][0]["title"] == "Doubles"
    lesson = folder / "01-doubles" / "lesson.md"
    lesson.write_text(
        lesson.read_text(encoding="utf-8").replace("title: Doubles", "title: Twice as much"), encoding="utf-8"
    )
    assert service.course(study_of(folder))["parts"][0]["title"] == "Twice as much"


def test_a_course_is_found_by_its_id(tmp_path: Path) -> None:
    write_course(tmp_path / "courses" / "one")
    assert open_study("small", tmp_path, [tmp_path / "courses"]).course.title == "Small"
    assert open_study("small", tmp_path, [tmp_path / "courses" / "one"]).course.title == "Small"


def test_a_term_as_a_page(study: Study) -> None:
    listed = {term["id"]: term for term in service.vocabulary(study)["terms"]}
    assert set(listed["softmax"]) == {"id", "name", "definition", "lesson"}
    term = service.term(study, "softmax")
    assert {
        "id",
        "name",
        "definition",
        "blocks",
        "formula",
        "formula_text",
        "shape",
        "see",
        "lesson",
        "used_in",
    } <= set(term)
    assert term["formula"]["mathml"]["tag"] == "math"
    assert term["blocks"][-1]["kind"] == "code"


def test_an_exercise_that_changed_since_it_was_passed_says_so(tmp_path: Path, run: Run) -> None:
    folder = write_course(tmp_path)
    service.check_exercise(study_of(folder), "double", run, text="def double(x):\n    return x + x\n")
    lesson = folder / "01-doubles" / "lesson.md"
    lesson.write_text(lesson.read_text(encoding="utf-8").replace("version: 1", "version: 2"), encoding="utf-8")
    (exercise,) = part(study_of(folder))["exercises"]
    assert (exercise["state"], exercise["changed"]) == ("passed", True)


def test_roles_of_the_author_are_links_in_hints_too(tmp_path: Path) -> None:
    text = TEXT.replace("The first hint.", "A softmax, and a {term}`head`.")
    (hint,) = service.hint(study_of(write_course(tmp_path, text)), "double")["hints"]
    assert [inline["kind"] for inline in hint[0]["inlines"]] == ["text", "term", "text"]


@pytest.mark.parametrize("name", ["start.py", "solution.py"])
def test_a_file_that_the_course_lacks_is_said(name: str, tmp_path: Path) -> None:
    files = {"start.py": {"start.py": None}, "solution.py": {"solution.py": None, "solution_2.py": None}}[name]
    study = study_of(write_course(tmp_path, files=files))
    with pytest.raises(CheckBroken, match=name):
        service.open_exercise(study, "double") if name == "start.py" else service.solution(study, "double")
