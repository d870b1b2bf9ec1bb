"""The settings that concern the core: read from `[tool.qkv]` in a pyproject.toml and from what the editor says.

The project's settings come first; the editor adds to them: lists are joined, and for one code or one size the editor's word counts.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from qkv.ide.selection import matches_glob, selected

SEVERITIES = ("error", "warning", "info", "off")
PROJECT_KEYS = ("select", "ignore", "severity", "per-file-ignores", "exclude", "sizes")


@dataclass(frozen=True)
class Settings:
    """All settings of the core, with their defaults. `root` is the folder to which globs are relative."""

    hover_terms: bool = True
    hover_shapes: bool = True
    inlay_hints: Literal["all", "assignments", "off"] = "all"
    diagnostics: bool = True
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, str] = field(default_factory=dict[str, str])
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, "tuple[str, ...]"])
    exclude: tuple[str, ...] = ()
    sizes: Mapping[str, int] = field(default_factory=dict[str, int])
    root: Path | None = None


def severity_of(settings: Settings, path: str, code: str, severity: str) -> str | None:
    """The severity that a finding has under the settings; None where it is switched off."""
    if not selected(code, settings.select, settings.ignore):
        return None
    for glob, codes in settings.per_file_ignores.items():
        if matches_glob(path, glob, settings.root) and not selected(code, (), codes):
            return None
    for selector in sorted(settings.severity, key=len, reverse=True):
        if not selected(code, (), (selector,)):
            severity = settings.severity[selector]
            break
    return None if severity == "off" else severity


def project_file(path: Path) -> Path | None:
    """The nearest pyproject.toml above a file (or a folder) that speaks of qkv, or that cannot be read."""
    start = path if path.is_dir() else path.parent
    for folder in (start, *start.parents):
        candidate = folder / "pyproject.toml"
        try:
            text = candidate.read_bytes()
        except OSError:
            continue
        if b"qkv" in text:
            return candidate
    return None


def project_settings(file: Path | None) -> tuple[Settings, tuple[str, ...]]:
    """The settings of one pyproject.toml and, as sentences, what is wrong with it. What is wrong leaves the default in place."""
    if file is None:
        return Settings(), ()
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        content = tomllib.loads(file.read_bytes().decode("utf-8-sig"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as problem:
        return Settings(), (f"{file} cannot be read ({problem}); the defaults are used",)
    tool = content.get("tool")
    table = tool.get("qkv") if isinstance(tool, dict) else None
    if table is None:
        return Settings(root=file.parent), ()
    if not isinstance(table, dict):
        return Settings(root=file.parent), (f"{file}: tool.qkv must be a table; the defaults are used",)
    settings, problems = _read(table, Settings(root=file.parent), project=True)
    return settings, tuple(f"{file}: {problem}" for problem in problems)


def editor_settings(values: Any, base: Settings) -> tuple[Settings, tuple[str, ...]]:
    """Add what an editor says in its section `qkv` (nested or with dotted keys) to the project's settings."""
    if not isinstance(values, Mapping):
        return base, ()
    return _read(_nested(values), base, project=False)


def _nested(values: Mapping[Any, Any]) -> dict[str, Any]:
    """`{"hover.terms": True}` as `{"hover": {"terms": True}}`; a leading `qkv.` or an outer `qkv` is taken off."""
    if isinstance(values.get("qkv"), Mapping):
        values = values["qkv"]
    nested: dict[str, Any] = {}
    for key, value in values.items():
        *outer, last = str(key).removeprefix("qkv.").split(".")
        place = nested
        for name in outer:
            place = place.setdefault(name, {})
            if not isinstance(place, dict):
                break
        else:
            if isinstance(value, Mapping) and isinstance(place.get(last), dict):
                place[last].update(value)
            else:
                place[last] = dict(value) if isinstance(value, Mapping) else value
    return nested


def _read(table: dict[str, Any], base: Settings, *, project: bool) -> tuple[Settings, tuple[str, ...]]:
    """Read a table key by key. In a project file only the keys of PROJECT_KEYS mean something, and others are said to be unknown."""
    problems: list[str] = []
    changes: dict[str, Any] = {}
    for key, value in table.items():
        if value is None:
            continue
        reader = _LISTS_AND_MAPS.get(key) if not project or key in PROJECT_KEYS else None
        if reader is not None:
            name, read = reader
            read_value = read(value)
            if isinstance(read_value, str):
                problems.append(f"{key} {read_value}")
            else:
                changes[name] = _joined(getattr(base, name), read_value)
        elif project:
            near = difflib.get_close_matches(key, PROJECT_KEYS, 1)
            problems.append(f"there is no setting {key!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
        else:
            _read_switch(key, value, changes, problems)
    return replace(base, **changes), tuple(problems)


def _read_switch(key: str, value: Any, changes: dict[str, Any], problems: list[str]) -> None:
    """The editor's own switches: `hover.terms`, `hover.shapes`, `inlayHints.shapes`, `diagnostics.enable`."""
    if not isinstance(value, dict):
        return
    for (group, inner), name in _SWITCHES.items():
        if group == key and isinstance(value.get(inner), bool):
            changes[name] = value[inner]
    if key == "inlayHints" and "shapes" in value:
        wanted = value["shapes"]
        if wanted in ("all", "assignments", "off"):
            changes["inlay_hints"] = wanted
        else:
            problems.append(f"inlayHints.shapes is {wanted!r}; it can be 'all', 'assignments' or 'off'")


def _joined(before: Any, added: Any) -> Any:
    if isinstance(before, tuple):
        return tuple(dict.fromkeys((*before, *added)))
    return {**before, **added}


def _words(value: Any) -> tuple[str, ...] | str:
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    return "must be a list of texts"


def _severities(value: Any) -> dict[str, str] | str:
    if not isinstance(value, dict):
        return "must map codes to severities"
    wrong = next((f"{code} is {said!r}" for code, said in value.items() if said not in SEVERITIES), None)
    return f"can be {', '.join(SEVERITIES)}, but {wrong}" if wrong else dict(value)


def _per_file(value: Any) -> dict[str, tuple[str, ...]] | str:
    if not isinstance(value, dict):
        return "must map globs to lists of codes"
    read = {glob: _words(codes) for glob, codes in value.items()}
    if any(isinstance(codes, str) for codes in read.values()):
        return "must map globs to lists of codes"
    return read  # pyright: ignore[reportReturnType]


def _sizes(value: Any) -> dict[str, int] | str:
    if isinstance(value, dict) and all(type(size) is int and size > 0 for size in value.values()):
        return dict(value)
    return "must map names to whole numbers above 0"


_LISTS_AND_MAPS: dict[str, tuple[str, Any]] = {
    "select": ("select", _words),
    "ignore": ("ignore", _words),
    "severity": ("severity", _severities),
    "per-file-ignores": ("per_file_ignores", _per_file),
    "perFileIgnores": ("per_file_ignores", _per_file),
    "exclude": ("exclude", _words),
    "sizes": ("sizes", _sizes),
}
_SWITCHES = {
    ("hover", "terms"): "hover_terms",
    ("hover", "shapes"): "hover_shapes",
    ("diagnostics", "enable"): "diagnostics",
}
