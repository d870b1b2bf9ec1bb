"""Progress: whole or not at all, one process at a time, never wiped."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from course_case import study_of, write_course

from qkv.course import reviews, service
from qkv.course.progress import ExerciseProgress, PartProgress, Progress, QuestionProgress, from_json, to_json
from qkv.course.store import StoreError, change_progress, home_folder, read_progress, write_whole

SOME = Progress(
    {
        "small": {
            "doubles": PartProgress(
                {"start": "2026-01-01T00:00:00+00:00"},
                {"double": ExerciseProgress(3, 1, tried="t", passed="p", version=2)},
                {"question_1": QuestionProgress(2, "right", "a", "r", {"due": "x"})},
            )
        }
    }
)


def read_more(progress: Progress, section: str) -> Progress:
    """The progress after one more section was read."""
    done = progress.part("small", "doubles")
    return progress.with_part("small", "doubles", replace(done, read={**done.read, section: "now"}))


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    assert from_json(json.loads(json.dumps(to_json(SOME)))) == SOME
    change_progress(tmp_path, lambda before: SOME)
    assert read_progress(tmp_path).progress == SOME
    assert json.loads((tmp_path / "progress.json").read_text(encoding="utf-8"))["version"] == 1


def test_keys_of_a_later_time_are_no_reason_to_fail() -> None:
    value = to_json(SOME)
    value["courses"]["small"]["doubles"]["exercises"]["double"]["mood"] = "good"
    assert from_json(value) == SOME


def test_nothing_there_is_nothing_done(tmp_path: Path) -> None:
    assert read_progress(tmp_path / "none").progress == Progress()
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"\xff\xfe", b'{"version": 1}', b'{"version": 1, "courses": {"a": 3}}', b"null"]
)
def test_a_broken_file_is_moved_aside_and_said(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "progress.json"
    path.write_bytes(content)
    read = read_progress(tmp_path)
    assert read.progress == Progress()
    (aside,) = tmp_path.glob("progress.broken-*.json")
    assert aside.read_bytes() == content
    assert read.notice is not None and str(aside) in read.notice
    assert read_progress(tmp_path).notice is None


def test_a_second_broken_file_does_not_replace_the_first(tmp_path: Path) -> None:
    for content in (b"one", b"two"):
        (tmp_path / "progress.json").write_bytes(content)
        change_progress(tmp_path, lambda before: SOME)
    assert {path.read_bytes() for path in tmp_path.glob("progress.broken-*.json")} == {b"one", b"two"}


def test_a_newer_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "progress.json"
    path.write_text('{"version": 2, "courses": []}', encoding="utf-8")
    for act in (lambda: read_progress(tmp_path), lambda: change_progress(tmp_path, lambda before: SOME)):
        with pytest.raises(StoreError, match="newer qkv"):
            act()
    assert path.read_text(encoding="utf-8") == '{"version": 2, "courses": []}'


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(StoreError, match="QKV_HOME"):
        change_progress(tmp_path / "file" / "home", lambda before: SOME)


CHILD = """
import sys
sys.path.insert(0, {tests!r})
from pathlib import Path
from qkv.course.store import change_progress
from test_course_progress import read_more
home, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
for number in range(count):
    change_progress(home, lambda before: read_more(before, f"{{name}}{{number}}"))
    print(number, flush=True)
"""


def child(home: Path, name: str, count: int) -> subprocess.Popen[str]:
    """A process that reads one section after the other, and says each that is on the disk."""
    code = textwrap.dedent(CHILD.format(tests=str(Path(__file__).parent)))
    return subprocess.Popen(
        [sys.executable, "-c", code, str(home), name, str(count)], stdout=subprocess.PIPE, text=True
    )


def test_two_processes_do_not_lose_each_others_work(tmp_path: Path) -> None:
    children = [child(tmp_path, name, 40) for name in "ab"]
    for one in children:
        one.communicate()
        assert one.returncode == 0
    read = read_progress(tmp_path).progress.part("small", "doubles").read
    assert set(read) == {f"{name}{number}" for name in "ab" for number in range(40)}


@pytest.mark.parametrize("after", [1, 2, 5, 9])
def test_what_was_acknowledged_survives_a_kill(after: int, tmp_path: Path) -> None:
    one = child(tmp_path, "a", 100_000)
    assert one.stdout is not None
    said = [int(one.stdout.readline()) for _ in range(after)]
    one.kill()
    said += [int(line) for line in one.stdout.read().split()]
    one.wait()
    one.stdout.close()
    read = read_progress(tmp_path)
    assert read.notice is None
    names = set(read.progress.part("small", "doubles").read)
    assert {f"a{number}" for number in said} <= names
    change_progress(tmp_path, lambda before: read_more(before, "last"))
    assert list(tmp_path.glob("*.tmp")) == list(tmp_path.glob(".*.tmp")) == []


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    write_whole(path, "old")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreError, match="No space left"):
        write_whole(path, "new")
    assert path.read_text(encoding="utf-8") == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


def test_where_the_learners_files_are(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("QKV_HOME", str(tmp_path))
    assert home_folder() == tmp_path
    monkeypatch.delenv("QKV_HOME")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert home_folder().name == "qkv"


NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)


def test_a_missed_question_comes_back_on_later_days(tmp_path: Path) -> None:
    course = study_of(write_course(tmp_path)).course

    def due(question: QuestionProgress, moment: datetime) -> bool:
        done = PartProgress(questions={"question_1": question})
        progress = Progress({"small": {"doubles": done}})
        return [one.id for _, one in reviews.due_questions(course, progress, moment)] == ["question_1"]

    missed = reviews.answered(QuestionProgress(), False, NOW)
    assert (missed.last, missed.right, due(missed, NOW)) == ("wrong", None, False)
    again = reviews.answered(missed, True, NOW)
    assert again.card == missed.card, "a second try in one sitting is no review"
    assert due(again, NOW + timedelta(days=1))
    gaps: list[timedelta] = []
    moment, question = NOW, again
    while question.card is not None:
        when = datetime.fromisoformat(question.card["due"])
        assert due(question, when) and not due(question, when - timedelta(seconds=1))
        gaps.append(when - moment)
        moment, question = when, reviews.answered(question, True, when)
    assert gaps == sorted(gaps)
    assert gaps[0] == timedelta(days=1)
    assert len(gaps) < 8


def test_a_question_answered_rightly_at_once_never_comes_back() -> None:
    question = reviews.answered(QuestionProgress(), True, NOW)
    assert (question.card, question.last, question.right) == (None, "right", "2026-01-01T00:00:00+00:00")


def test_once_right_stays_right(tmp_path: Path) -> None:
    question = reviews.answered(reviews.answered(QuestionProgress(), True, NOW), False, NOW)
    assert (question.last, question.right, question.tries) == ("wrong", "2026-01-01T00:00:00+00:00", 2)


def test_a_draft_is_copied_before_it_is_overwritten(tmp_path: Path) -> None:
    study = study_of(write_course(tmp_path / "course"), tmp_path / "home")
    opened = service.open_exercise(study, "double")
    file = Path(opened["file"])
    assert (file, opened["created"]) == (tmp_path / "home/courses/small/doubles/double.py", True)
    assert service.open_exercise(study, "double")["created"] is False
    copies = []
    for text in ("my work\n", "more work\r\n", "more work\r\n"):
        file.write_bytes(text.encode())
        (entry,) = service.reset_exercise(study, "double")["reset"]
        copies.append(Path(entry["copy"]))
        assert Path(entry["copy"]).read_bytes() == text.encode()
        assert file.read_text(encoding="utf-8") == "def double(x):\n    raise NotImplementedError\n"
    assert len(set(copies)) == 3
    assert all((tmp_path / "home" / "copies") in copy.parents for copy in copies)
    assert service.reset_exercise(study, "double")["reset"][0]["copy"] is None
