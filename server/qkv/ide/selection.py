"""Which codes and which files a selector or a glob means."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path, PurePosixPath


def matches(code: str, selector: str) -> bool:
    """Whether a selector means a code: it is the code, or how the code begins (`shape`, `mask-`)."""
    return bool(selector) and code.startswith(selector)


def selected(code: str, select: tuple[str, ...], ignore: tuple[str, ...]) -> bool:
    """Whether a code is on. An empty `select` means all; of a selector and an ignore that both match, the longer one counts."""
    wanted = max((len(s) for s in select if matches(code, s)), default=-1) if select else 0
    refused = max((len(s) for s in ignore if matches(code, s)), default=-1)
    return wanted >= 0 and (refused < 0 or (bool(select) and wanted > refused))


def matches_glob(path: str, glob: str, root: Path | None) -> bool:
    """Whether a path is meant by a glob, as in a .gitignore: one without a slash means a name at any depth, else it starts at `root`."""
    try:
        relative = PurePosixPath(Path(path).resolve().relative_to((root or Path()).resolve()).as_posix())
    except (ValueError, OSError):
        relative = PurePosixPath(path.replace("\\", "/"))
    pattern = glob.replace("\\", "/").removeprefix("./").rstrip("/")
    if "/" not in pattern:
        return any(_regex(pattern).fullmatch(part) for part in relative.parts)
    parents = [relative, *relative.parents]
    return any(_regex(pattern.lstrip("/")).fullmatch(str(parent)) for parent in parents)


@lru_cache(maxsize=256)
def _regex(pattern: str) -> re.Pattern[str]:
    """`**` crosses folders, `*` and `?` stay in a name, `[…]` is a set."""
    pieces: list[str] = []
    position = 0
    while position < len(pattern):
        if pattern.startswith("**/", position):
            pieces.append("(?:.*/)?")
            position += 3
        elif pattern.startswith("**", position):
            pieces.append(".*")
            position += 2
        elif pattern[position] in "*?":
            pieces.append("[^/]*" if pattern[position] == "*" else "[^/]")
            position += 1
        elif pattern[position] == "[" and "]" in pattern[position + 1 :]:
            end = pattern.index("]", position + 1)
            inside = pattern[position + 1 : end].replace("\\", "\\\\")
            pieces.append(f"[{'^' + inside[1:] if inside.startswith('!') else inside}]")
            position = end + 1
        else:
            pieces.append(re.escape(pattern[position]))
            position += 1
    return re.compile("".join(pieces), re.DOTALL)
