"""`qkv/…` requests about the course, the glossary and this installation."""

from __future__ import annotations

import platform
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from qkv import __version__
from qkv.lsp.configuration import editor_values
from qkv.lsp.run import find

if TYPE_CHECKING:
    from qkv.lsp.server import Server


async def status(ls: Server, params: dict[str, Any]) -> Any:
    """`qkv/status`: which Pythons are used, and what is missing."""
    from qkv.runner import Problem

    found = find(ls, await editor_values(ls, None), None)
    problems: list[dict[str, str]] = []
    interpreter = None
    if isinstance(found, Problem):
        problems.append({"what": found.what, "do": found.do})
    else:
        interpreter = {"path": found.path, "python": found.python, "torch": found.torch}
        if found.torch is None:
            do = f"Install it with `{found.path} -m pip install torch`, or choose another Python with the setting `qkv.interpreter`."
            problems.append({"what": f"torch is not installed for {found.path}", "do": do})
    return {
        "version": __version__,
        "python": platform.python_version(),
        "interpreter": interpreter,
        "problems": problems,
    }


REQUESTS: dict[str, Callable[[Server, dict[str, Any]], Awaitable[Any]]] = {"qkv/status": status}
