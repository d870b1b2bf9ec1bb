"""A fix's edits, applied to the text, give the text that a careful author would have written."""

from __future__ import annotations

import ast

import pytest
from ide_case import finding, snapshot, span_of, text_of

from qkv.ide.diagnostics import diagnostics
from qkv.ide.edits import apply_edits
from qkv.ide.fixes import MAKERS, can_ignore, ignore_line, is_primary


def check(before: str, after: str | None, *, at: str, operand: str | None = None, fix: str) -> None:
    """The fix of a finding `at` a piece of the text turns `before` into `after`; None: there is no fix."""
    text = text_of(before)
    found = diagnostics(snapshot(text, findings=(finding(text, "shape-matmul", at, operand=operand, fix=fix),)))
    (diagnostic,) = found
    if after is None:
        assert diagnostic.fixes == ()
        return
    (offered,) = diagnostic.fixes
    changed = apply_edits(text, offered.edits)
    assert changed == text_of(after)
    ast.parse(changed)


@pytest.mark.parametrize(
    ("before", "operand", "after"),
    [
        ("s = q @ k\n", "k", "s = q @ k.transpose(-2, -1)\n"),
        ("s = q @ (k + b)\n", "k + b", "s = q @ ((k + b).transpose(-2, -1))\n"),
        ("s = q @ -k\n", "-k", "s = q @ (-k).transpose(-2, -1)\n"),
        ("s = q @ self.key(x)[0]\n", "self.key(x)[0]", "s = q @ self.key(x)[0].transpose(-2, -1)\n"),
        (
            "s = torch.matmul(q, a if b else k)\n",
            "a if b else k",
            "s = torch.matmul(q, (a if b else k).transpose(-2, -1))\n",
        ),
        ("s = q @ (\n    k\n)\n", "k", "s = q @ (\n    k.transpose(-2, -1)\n)\n"),
        ("𝑄 = '😋'; s = 𝑄 @ k\n", "k", "𝑄 = '😋'; s = 𝑄 @ k.transpose(-2, -1)\n"),
    ],
)
def test_the_last_two_axes_are_turned_whatever_the_operand_is(before: str, operand: str, after: str) -> None:
    check(before, after, at=before.strip().removeprefix("𝑄 = '😋'; "), operand=operand, fix="transpose-last-two")


@pytest.mark.parametrize(
    ("operand", "after"),
    [
        ("k.transpose(1, 2)", "s = q @ k.transpose(-2, -1)\n"),
        ("k.transpose(-2, -1)", "s = q @ k\n"),
        ("k.mT", "s = q @ k\n"),
        ("k.permute(0, 2, 1, 3)", None),
        ("k.transpose(a, b)", None),
    ],
)
def test_what_is_turned_already_is_turned_in_another_way_or_not_at_all(operand: str, after: str | None) -> None:
    check(f"s = q @ {operand}\n", after, at=f"q @ {operand}", operand=operand, fix="transpose-last-two")


def test_view_becomes_reshape_and_only_the_name_changes() -> None:
    check("y = a.view(2, 3).view(6)\n", "y = a.reshape(2, 3).view(6)\n", at="a.view(2, 3)", fix="reshape")


def test_a_copy_is_made_before_the_view() -> None:
    check("y = a.mT.view(6)\n", "y = a.mT.contiguous().view(6)\n", at="a.mT.view(6)", operand="a.mT", fix="contiguous")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("w = F.softmax(s)\n", "w = F.softmax(s, dim=-1)\n"),
        ("w = F.softmax(s, dim=0)\n", "w = F.softmax(s, dim=-1)\n"),
        ("w = s.softmax()\n", "w = s.softmax(dim=-1)\n"),
        ("w = F.softmax((s))\n", "w = F.softmax((s), dim=-1)\n"),
        ("w = F.softmax(\n    s,\n)\n", "w = F.softmax(\n    s, dim=-1,\n)\n"),
        ("w = F.softmax(\n    s  # scores\n)\n", None),
        ("w = F.softmax(s, **options)\n", None),
    ],
)
def test_a_keyword_is_added_or_replaced(before: str, after: str | None) -> None:
    check(before, after, at=before.removeprefix("w = ").strip(), fix="dim=-1")


def test_an_operand_that_is_no_expression_is_left_alone() -> None:
    check("s = f(a, *rest)\n", None, at="f(a, *rest)", operand="*rest", fix="transpose-last-two")


@pytest.mark.parametrize(
    ("before", "line", "after"),
    [
        ("s = q @ k\n", 1, "s = q @ k  # qkv: ignore[shape-matmul]\n"),
        ("s = q @ k   \n", 1, "s = q @ k  # qkv: ignore[shape-matmul]\n"),
        ("s = q @ k  # scores\n", 1, "s = q @ k  # scores  # qkv: ignore[shape-matmul]\n"),
        ("s = q @ k  # qkv: ignore[shape-axis]\n", 1, "s = q @ k  # qkv: ignore[shape-axis, shape-matmul]\n"),
        ("s = q @ k\r\nt = s\r\n", 1, "s = q @ k  # qkv: ignore[shape-matmul]\r\nt = s\r\n"),
    ],
)
def test_a_line_can_be_ignored_and_is_quiet_then(before: str, line: int, after: str) -> None:
    fix = ignore_line(snapshot(before), line, "shape-matmul")
    assert apply_edits(before, fix.edits) == after
    found = finding(after, "shape-matmul", "q @ k")
    assert [d.code for d in diagnostics(snapshot(after, findings=(found,)))] in ([], ["unused-ignore"])


@pytest.mark.parametrize(
    ("text", "line", "can"),
    [
        ("s = q @ k\n", 1, True),
        ("s = q \\\n    @ k\n", 1, False),
        ('s = """a\nb"""\n', 1, False),
        ('s = """a\nb"""\n', 2, True),
        ("s = f'''{q}\n{k}'''\n", 1, False),
        ("s = ('a'\n     'b')\n", 1, True),
    ],
)
def test_no_comment_is_put_where_it_would_not_be_one(text: str, line: int, can: bool) -> None:
    assert can_ignore(snapshot(text).source, line) is can


@pytest.mark.parametrize(
    ("text", "primary"), [("k", True), ("(k)", True), ("(a) + (b)", False), ("1", False), ("-k", False), ("[k]", True)]
)
def test_what_a_method_call_may_follow(text: str, primary: bool) -> None:
    assert is_primary(text) is primary


def test_every_fix_says_in_its_title_what_it_does() -> None:
    text = "y = f(k)\n"
    for name in MAKERS:
        found = diagnostics(snapshot(text, findings=(finding(text, "shape-view", "f(k)", operand="k", fix=name),)))
        assert all("{" not in fix.title and fix.title[0].isupper() for fix in found[0].fixes)
    assert span_of(text, "k").column == 7
