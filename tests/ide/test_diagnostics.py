"""What is said about a file: severities, selection, ignore comments, syntax."""

from __future__ import annotations

from pathlib import Path

from ide_case import finding, snapshot, text_of

from qkv.ide.diagnostics import diagnostics
from qkv.ide.edits import apply_edits
from qkv.ide.settings import Settings


def check(
    snippet: str, *expected: str, settings: Settings | None = None, code: str = "shape-matmul", at: str = "q @ k"
) -> None:
    """With one finding of `code` at `q @ k`, exactly `expected` is said, each as `line severity code`."""
    text = text_of(snippet)
    found = diagnostics(snapshot(text, findings=(finding(text, code, at),), settings=settings))
    assert [f"{d.span.line} {d.severity} {d.code}" for d in found] == list(expected)


def test_a_finding_is_said_where_it_stands() -> None:
    check("s = q @ k\n", "1 error shape-matmul")


def test_an_ignore_comment_silences_its_code_and_no_other() -> None:
    check("s = q @ k  # qkv: ignore[shape-matmul]\n")
    check("s = q @ k  # type: ignore  # qkv: ignore[shape-matmul]\n")
    check("s = q @ k  # qkv: ignore\n")
    check("s = q @ k  # qkv: ignore[shape-axis]\n", "1 error shape-matmul", "1 info unused-ignore")


def test_the_comment_may_stand_on_any_line_of_the_finding() -> None:
    check("s = (q @\n     k)  # qkv: ignore[shape-matmul]\n", at="q @\n     k")


def test_a_comment_in_a_string_silences_nothing() -> None:
    check('s = q @ k, "# qkv: ignore[shape-matmul]"\n', "1 error shape-matmul")


def test_an_unused_ignore_is_removed_by_its_fix() -> None:
    for before, after in [
        ("a = 1  # qkv: ignore[shape-view]\n", "a = 1\n"),
        ("a = 1  # note  # qkv: ignore[shape-view]\n", "a = 1  # note\n"),
        ("s = q @ k  # qkv: ignore[shape-matmul, shape-view]\n", "s = q @ k  # qkv: ignore[shape-matmul]\n"),
    ]:
        findings = (finding(before, "shape-matmul", "q @ k"),) if "q @ k" in before else ()
        (unused,) = diagnostics(snapshot(before, findings=findings))
        assert (unused.code, unused.severity, unused.unnecessary) == ("unused-ignore", "info", True)
        assert apply_edits(before, unused.fixes[0].edits) == after


def test_a_code_that_is_off_still_uses_its_ignore() -> None:
    check("s = q @ k  # qkv: ignore[shape-matmul]\n", settings=Settings(ignore=("shape",)))


def test_select_ignore_and_severity() -> None:
    check("s = q @ k\n", settings=Settings(ignore=("shape-",)))
    check("s = q @ k\n", settings=Settings(select=("mask",)))
    check("s = q @ k\n", "1 error shape-matmul", settings=Settings(select=("shape-matmul",), ignore=("shape",)))
    check("s = q @ k\n", "1 warning shape-matmul", settings=Settings(severity={"shape": "warning"}))
    check("s = q @ k\n", "1 info shape-matmul", settings=Settings(severity={"shape": "off", "shape-matmul": "info"}))
    check("s = q @ k\n", settings=Settings(diagnostics=False))


def test_per_file_ignores_start_at_the_project() -> None:
    root = Path.cwd()
    check("s = q @ k\n", settings=Settings(per_file_ignores={"*.py": ("shape",)}, root=root))
    check("s = q @ k\n", "1 error shape-matmul", settings=Settings(per_file_ignores={"tests/*": ("shape",)}, root=root))


def test_text_that_does_not_parse_is_information_and_hides_no_finding() -> None:
    check("s = q @ k\ndef f(:\n    pass\n", "1 error shape-matmul", "2 info source-syntax")
    check("s = q @ k\ndef f(:\n", "1 error shape-matmul", settings=Settings(severity={"source-syntax": "off"}))
