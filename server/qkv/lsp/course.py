"""`qkv/…` requests about the course, the glossary and this installation."""

from __future__ import annotations

import asyncio
import platform
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcInvalidParams

from qkv import __version__
from qkv.lsp.configuration import editor_values
from qkv.lsp.run import answered, find

if TYPE_CHECKING:
    from qkv.course.study import Study
    from qkv.lsp.server import Server

Params = dict[str, Any]


def _asks(name: str, *wanted: str, changes: bool = False) -> Callable[[Server, Params], Awaitable[Any]]:
    """A request that a function of the course service answers, with these parameters of the request after the study."""

    async def answer(ls: Server, params: Params) -> Any:
        from qkv.course import service

        study = await study_for(ls, params)
        result = await in_thread(getattr(service, name), study, *(needed(params, one) for one in wanted))
        if changes:
            ls.protocol.notify("qkv/progressChanged", {})
        return result

    return answer


async def study_for(ls: Server, params: Params) -> Study:
    """The course that a request names, else the one that ships, with the learner's folder."""
    from qkv.course import service

    values = await editor_values(ls, None)
    lessons = values.get("lessons") if isinstance(values, dict) else None
    folders = lessons.get("courses") if isinstance(lessons, dict) else None
    more = tuple(Path(folder).expanduser() for folder in folders or () if isinstance(folder, str))
    return await in_thread(service.open_study, params.get("course"), None, more)


async def in_thread(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function that reads and writes files. What it cannot do becomes an error that says so to the learner."""
    from qkv.course.check import CheckBroken
    from qkv.course.load import CourseError
    from qkv.course.store import StoreError

    try:
        return await asyncio.to_thread(function, *arguments)
    except (CourseError, StoreError, CheckBroken) as problem:
        raise JsonRpcInvalidParams(str(problem)) from None


def needed(params: Params, name: str) -> Any:
    """A parameter of a request. Raises JsonRpcInvalidParams where it is missing."""
    if params.get(name) is None:
        raise JsonRpcInvalidParams(f"the parameter {name!r} is missing")
    return params[name]


async def check_exercise(ls: Server, params: Params) -> Any:
    """`qkv/checkExercise`: run the learner's answer; what is typed in the editor counts, saved or not."""
    from qkv.course import service

    study = await study_for(ls, params)
    exercise = needed(params, "exercise")
    file = params.get("file") or (await in_thread(service.open_exercise, study, exercise))["file"]
    values = await editor_values(ls, None)
    interpreter = find(ls, values, None)
    text = ls.documents.text_at(Path(file))
    run = partial(answered, ls, interpreter)
    result = await in_thread(service.check_exercise, study, exercise, run, file, None, text)
    ls.protocol.notify("qkv/progressChanged", {})
    return result


async def status(ls: Server, params: Params) -> Any:
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


REQUESTS: dict[str, Callable[[Server, Params], Awaitable[Any]]] = {
    "qkv/course": _asks("course"),
    "qkv/lesson": _asks("lesson", "part"),
    "qkv/markRead": _asks("mark_read", "part", "section", changes=True),
    "qkv/answer": _asks("answer", "part", "question", "chosen", changes=True),
    "qkv/openExercise": _asks("open_exercise", "exercise", changes=True),
    "qkv/checkExercise": check_exercise,
    "qkv/hint": _asks("hint", "exercise", changes=True),
    "qkv/solution": _asks("solution", "exercise", changes=True),
    "qkv/resetExercise": _asks("reset_exercise", "exercise", changes=True),
    "qkv/vocabulary": _asks("vocabulary"),
    "qkv/term": _asks("term", "id"),
    "qkv/status": status,
}
