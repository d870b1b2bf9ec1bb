"""Settings from a project and from an editor; nothing that is wrong in them stops anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from qkv.ide.selection import matches_glob
from qkv.ide.settings import Settings, editor_settings, project_file, project_settings


def project(folder: Path, text: str) -> tuple[Settings, tuple[str, ...]]:
    """The settings of a project file with this text."""
    (folder / "pyproject.toml").write_text(text, encoding="utf-8")
    return project_settings(project_file(folder / "model.py"))


def test_a_project_says_it_with_hyphens(tmp_path: Path) -> None:
    settings, problems = project(
        tmp_path,
        """
        [tool.qkv]
        select = ["shape"]
        ignore = ["shape-claim"]
        exclude = ["old/"]
        sizes = {B = 4}
        severity = {shape-view = "warning"}
        [tool.qkv.per-file-ignores]
        "tests/*" = ["shape"]
        """,
    )
    assert problems == ()
    assert (settings.select, settings.ignore, settings.exclude) == (("shape",), ("shape-claim",), ("old/",))
    assert settings.sizes == {"B": 4}
    assert settings.severity == {"shape-view": "warning"}
    assert settings.per_file_ignores == {"tests/*": ("shape",)}
    assert settings.root == tmp_path


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[tool.qkv\n", "cannot be read"),
        ("[tool.qkv]\nselct = ['shape']\n", "did you mean 'select'"),
        ("[tool.qkv]\ninterpreter = 'python'\n", "there is no setting 'interpreter'"),
        ("[tool.qkv]\nsizes = {B = 'four'}\n", "whole numbers"),
        ("[tool.qkv]\nseverity = {shape-view = 'loud'}\n", "shape-view is 'loud'"),
        ("[tool.qkv]\nselect = 3\n", "list of texts"),
        ("tool.qkv = 3\n", "must be a table"),
    ],
)
def test_what_is_wrong_is_said_and_the_default_stays(tmp_path: Path, text: str, said: str) -> None:
    settings, problems = project(tmp_path, text)
    assert len(problems) == 1 and said in problems[0] and "pyproject.toml" in problems[0]
    assert settings in (Settings(), Settings(root=tmp_path))


def test_a_file_that_is_not_utf8_is_one_problem(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_bytes(b"[tool.qkv]\nx = '\xff'\n")
    settings, problems = project_settings(project_file(tmp_path))
    assert settings == Settings() and len(problems) == 1


def test_the_editor_adds_to_the_project() -> None:
    base = Settings(ignore=("shape-claim",), severity={"shape-view": "warning"}, sizes={"B": 2})
    values = {
        "hover": {"terms": False},
        "inlayHints": {"shapes": "assignments"},
        "diagnostics": {"enable": True},
        "ignore": ["dtype"],
        "severity": {"shape-view": "error"},
        "sizes": {"T": 8},
        "perFileIgnores": {"a.py": ["shape"]},
        "select": [],
        "run": {"timeout": 60},
    }
    settings, problems = editor_settings(values, base)
    assert problems == ()
    assert (settings.hover_terms, settings.hover_shapes, settings.inlay_hints) == (False, True, "assignments")
    assert settings.ignore == ("shape-claim", "dtype")
    assert settings.severity == {"shape-view": "error"}
    assert settings.sizes == {"B": 2, "T": 8}
    assert settings.select == ()
    assert settings.per_file_ignores == {"a.py": ("shape",)}


def test_an_editor_may_write_its_keys_with_dots() -> None:
    for values in ({"qkv.hover.terms": False}, {"hover.terms": False}, {"qkv": {"hover": {"terms": False}}}):
        assert editor_settings(values, Settings())[0].hover_terms is False


def test_nonsense_from_an_editor_changes_nothing() -> None:
    for values in (None, [], "x", {"hover": 3}, {"hover": {"terms": "yes"}}, {3: 4}, {"a": 1, "a.b": 2}):
        assert editor_settings(values, Settings())[0] == Settings()
    settings, problems = editor_settings({"inlayHints": {"shapes": "loud"}}, Settings())
    assert settings == Settings() and "loud" in problems[0]


@pytest.mark.parametrize(
    ("path", "glob", "meant"),
    [
        ("a/tests/b.py", "tests", True),
        ("a/tests/b.py", "tests/*", False),
        ("tests/b.py", "tests/*", True),
        ("tests/deep/b.py", "tests/**", True),
        ("tests/deep/b.py", "**/b.py", True),
        ("b.py", "**/b.py", True),
        ("ab.py", "?b.py", True),
        ("a1.py", "a[0-9].py", True),
        ("a1.py", "a[!0-9].py", False),
        ("old/a.py", "old/", True),
    ],
)
def test_globs(path: str, glob: str, meant: bool) -> None:
    assert matches_glob(path, glob, Path.cwd()) is meant
