"""Answers checked by value: what passes, what is known, what a beginner reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from course_case import ROOT, Run, checked, study_of, write_course

from qkv.course.check import CheckBroken, Verdict, seeds_for
from qkv.course.study import Study, open_study


@pytest.fixture(scope="module")
def shipped() -> Study:
    return open_study(ROOT / "lessons", Path("unused"))


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return study_of(write_course(tmp_path_factory.mktemp("course")))


def split(study: Study, run: Run, body: str, head: str = "import torch") -> Verdict:
    """Check an answer to split_heads, given as the body of the function."""
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    return checked(study, "split_heads", f"{head}\n\n\ndef split_heads(x, h):\n{lines}", run)


def folders() -> list[Path]:
    """The exercises of the shipped course."""
    return sorted(path.parent for path in (ROOT / "lessons").glob("*/*/check.py"))


@pytest.mark.parametrize("folder", folders(), ids=lambda path: path.name)
def test_each_known_mistake_is_told_by_its_own_name(folder: Path, shipped: Study, run: Run) -> None:
    _, exercise = shipped.exercise(folder.name)
    for path in sorted((folder / "wrong").glob("*.py")):
        for seed in (1, 500):
            verdict = checked(shipped, folder.name, path.read_text(encoding="utf-8"), run, seed)
            text = next(wrong for wrong in exercise.wrong if wrong.key == path.stem)
            assert (verdict.status, verdict.feedback["kind"], verdict.feedback["key"]) == ("wrong", "known", path.stem)
            assert (verdict.feedback["message"], verdict.feedback["question"]) == (text.message, text.question)
            assert verdict.feedback["section"] is None or verdict.feedback["section"].startswith("lesson:")


@pytest.mark.parametrize("folder", folders(), ids=lambda path: path.name)
def test_each_solution_passes_and_no_start_does(folder: Path, shipped: Study, run: Run) -> None:
    for path in sorted(folder.glob("solution*.py")):
        verdict = checked(shipped, folder.name, path.read_text(encoding="utf-8"), run, 3)
        assert (verdict.status, verdict.feedback["kind"]) == ("passed", "passed")
    assert checked(shipped, folder.name, (folder / "start.py").read_text(encoding="utf-8"), run).status != "passed"


@pytest.mark.parametrize(
    "body",
    [
        "return x.unflatten(-1, (h, -1)).transpose(1, 2)",
        "return torch.einsum('bnhw->bhnw', x.reshape(*x.shape[:2], h, -1))",
        "w = x.shape[-1] // h\nreturn torch.stack([x[..., i * w : (i + 1) * w] for i in range(h)], 1)",
        "return x.numpy().reshape(2, 5, h, -1).transpose(0, 2, 1, 3)",
        "return x.double().unflatten(-1, (h, -1)).transpose(1, 2)",
        "w = x.shape[-1] // h\nreturn [[[t[i * w : (i + 1) * w].tolist() for t in b] for i in range(h)] for b in x]",
        "w = x.shape[-1] // h\nreturn [torch.stack([b[:, i * w : (i + 1) * w] for i in range(h)]) for b in x]",
        "x.requires_grad_()\nreturn x.unflatten(-1, (h, -1)).transpose(1, 2) * 1.0002",
    ],
    ids=["unflatten", "einsum", "slices", "numpy", "double", "lists", "list of tensors", "within the tolerance"],
)
def test_a_right_answer_passes_however_it_is_written(body: str, shipped: Study, run: Run) -> None:
    assert split(shipped, run, body).feedback["kind"] == "passed"


RIGHT = "x.unflatten(-1, (h, -1)).transpose(1, 2)"


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        ("x.view(2, 5, 3, 4)", "value", "gives back nothing (None)"),
        ("return x, h", "value", "gives back a tuple of 2 things"),
        ("return 'heads'", "value", "gives back a str"),
        ("return x", "property", "shape (2, 5, 12); it should have (2, 3, 5, 4), that is (B, h, n, d_h)"),
        (f"return {RIGHT}.transpose(0, 1)", "property", "with axis 0 (B) and axis 1 (h) swapped"),
        (f"return {RIGHT}.flip(1)", "property", "turned round along axis 1 (h)"),
        (f"return {RIGHT} / 2", "property", "Every number is 0.5 times what it should be."),
        (f"return -{RIGHT}", "property", "Every number has the wrong sign."),
        (f"return {RIGHT} + 1", "property", "Every number is too large by 1."),
        (f"return {RIGHT}.int()", "property", "holds whole numbers; it should hold floating-point numbers"),
        (f"return {RIGHT} / 0 * 0", "property", "holds NaN"),
        (f"return {RIGHT} * (1 if -1.13 < x[0, 0, 0] < -1.12 else 2)", "property", "right for the stored input"),
        (f"y = {RIGHT}.clone()\ny[:, 2] = 0\nreturn y", "property", "Along axis 1 (h) only place 2 is wrong"),
    ],
)
def test_a_wrong_answer_that_nobody_foresaw(body: str, kind: str, words: str, shipped: Study, run: Run) -> None:
    verdict = split(shipped, run, body)
    assert (verdict.status, verdict.feedback["kind"]) == ("wrong", kind)
    assert words in verdict.feedback["message"]
    assert verdict.feedback["evidence"]["call"] == "split_heads(x (2, 5, 12), 3)"


def test_a_property_speaks_in_its_own_words(shipped: Study, run: Run) -> None:
    feedback = split(shipped, run, f"return {RIGHT} * 2").feedback
    assert feedback["property"] is not None
    assert feedback["key"] is None
    check = (ROOT / "lessons/03-multi-head-attention/split_heads/check.py").read_text(encoding="utf-8")
    assert f"def {feedback['property']}(" in check


def test_the_evidence_is_one_place(shipped: Study, run: Run) -> None:
    wrong = (ROOT / "lessons/03-multi-head-attention/split_heads/wrong/view_straight.py").read_text(encoding="utf-8")
    evidence = checked(shipped, "split_heads", wrong, run).feedback["evidence"]
    assert evidence["index"] == [0, 0, 1, 0]
    assert float(evidence["want"]) != float(evidence["got"])
    assert evidence["shape"] == {"want": [2, 3, 5, 4], "got": [2, 3, 5, 4], "axes": "(B, h, n, d_h)"}


@pytest.mark.parametrize(
    ("answer", "kind", "line", "words"),
    [
        ("def split_heads(x, h)\n    return x\n", "syntax", 1, "Line 1 is not Python yet"),
        ("def split_heads(x, h):\nreturn x\n", "syntax", 2, "expected an indented block"),
        ("def split_heads(x, h):\n    return x\0\n", "syntax", None, "is not Python yet"),
        (
            "def other(x, h):\n    return x\n",
            "missing-function",
            None,
            "no function called `split_heads`. It defines `other`.",
        ),
        ("split_heads = 3\n", "missing-function", None, "is no function here"),
        ("", "missing-function", None, "no function called `split_heads`."),
        ("def split_heads(x, h):\n    raise NotImplementedError\n", "exception", 2, "Write your answer in its place"),
        (
            "def split_heads(x, h):\n    return torch.stack(x)\n",
            "exception",
            2,
            "uses `torch`, which is defined nowhere",
        ),
        ("def split_heads(x, h):\n    if h > 9:\n        y = x\n    return y\n", "exception", 4, "uses `y` before"),
        ("import nothing_of_this_name\n", "exception", 1, "imports `nothing_of_this_name`"),
        ("def split_heads(x):\n    return x\n", "exception", None, "cannot be called as the exercise calls it"),
        ("def split_heads(x, h):\n    return x @ x\n", "exception", 2, "There x is (2, 5, 12)."),
        ("def split_heads(x, h):\n    return split_heads(x, h)\n", "exception", 2, "again and again without an end"),
        ("def split_heads(x, h):\n    input()\n", "exception", 2, "asks for input"),
        ("def split_heads(x, h):\n    exit()\n", "exception", 2, "ends the program"),
        ("import os\n\ndef split_heads(x, h):\n    os._exit(0)\n", "exception", None, "ended Python itself"),
        ("import torch\n\ndef split_heads(x, h):\n    return torch.zeros(2**33)\n", "memory", 4, "more memory"),
    ],
)
def test_an_answer_that_does_not_run(
    answer: str, kind: str, line: int | None, words: str, shipped: Study, run: Run
) -> None:
    verdict = checked(shipped, "split_heads", answer, run)
    assert (verdict.status, verdict.feedback["kind"], verdict.feedback["line"]) == ("error", kind, line)
    assert words in verdict.feedback["message"]
    assert (verdict.feedback["key"], verdict.feedback["evidence"], verdict.feedback["section"]) == (None, None, None)


@pytest.mark.parametrize("body", ["pass", "print('x' * 1000)"])
def test_an_answer_without_an_end_is_stopped(
    body: str, shipped: Study, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("qkv.course.check.SECONDS", 0.5)
    verdict = split(shipped, run, f"while True:\n    {body}")
    assert (verdict.status, verdict.feedback["kind"]) == ("error", "timeout")
    assert "was stopped" in verdict.feedback["message"]
    assert verdict.feedback["line"] in (5, 6)
    assert len(verdict.output) < 20_000


def test_what_the_answer_prints_is_kept_from_the_stored_input_alone(shipped: Study, run: Run) -> None:
    verdict = split(shipped, run, f"print('seen', tuple(x.shape))\nreturn {RIGHT}")
    assert (verdict.status, verdict.output) == ("passed", "seen (2, 5, 12)\n")


def test_a_driver_in_the_answer_does_not_run(shipped: Study, run: Run) -> None:
    answer = f"def split_heads(x, h):\n    return {RIGHT}\n\n\nif __name__ == '__main__':\n    raise SystemExit\n"
    assert checked(shipped, "split_heads", answer, run).status == "passed"


def test_a_mistake_that_raises_is_known_too(small: Study, run: Run) -> None:
    answer = "import torch\n\n\ndef double(x):\n    y = torch.zeros(99)\n    return torch.matmul(x, y)\n"
    verdict = checked(small, "double", answer, run)
    assert (verdict.status, verdict.feedback["key"], verdict.feedback["line"]) == ("wrong", "raises", 6)
    assert verdict.feedback["section"] == "lesson:doubles#start"


def test_values_decide_where_all_properties_hold(small: Study, run: Run) -> None:
    verdict = checked(small, "double", "def double(x):\n    return 3 * x\n", run)
    assert (verdict.feedback["kind"], verdict.feedback["property"]) == ("value", None)
    assert verdict.feedback["message"] == "Every number is 1.5 times what it should be."


def test_without_torch_it_is_said(small: Study) -> None:
    from qkv.runner import Outcome

    verdict = checked(
        small, "double", "def double(x):\n    return x\n", lambda job: Outcome("not-started", reason="No torch.")
    )
    assert (verdict.status, verdict.feedback["kind"], verdict.feedback["message"]) == ("error", "no-torch", "No torch.")


def test_a_runner_that_dies_is_not_the_answers_fault(small: Study) -> None:
    from qkv.runner import Outcome

    with pytest.raises(CheckBroken, match="ended from outside"):
        checked(small, "double", "", lambda job: Outcome("failed", reason="It was ended from outside."))


def test_a_broken_check_is_not_the_answers_fault(tmp_path: Path, run: Run) -> None:
    study = study_of(write_course(tmp_path, files={"check.py": "import torch\n\n1 / 0\n"}))
    with pytest.raises(CheckBroken, match="ZeroDivisionError"):
        checked(study, "double", "def double(x):\n    return x\n", run)


def test_seeds_repeat() -> None:
    assert seeds_for(7) == (0, 7, 8)
    fresh: set[Any] = {seeds_for(None) for _ in range(20)}
    assert len(fresh) > 10
    assert all(seeds[0] == 0 and seeds[1] > 0 for seeds in fresh)
