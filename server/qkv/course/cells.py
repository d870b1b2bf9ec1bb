"""A cell as a job for the runner."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qkv.course.model import Cell, Part, Picture
from qkv.course.study import Study
from qkv.runner import Job, Limits


def cell_job(
    study: Study,
    part: str,
    cell: str,
    code: str | None = None,
    limits: Limits | None = None,
    device: str = "auto",
    bind: Mapping[str, Any] | None = None,
) -> Job:
    """The job that runs a cell, or the learner's version of it. `bind` gives values to names, as a picture's slider does.

    Raises CourseError where there is no such cell.
    """
    home, found = study.cell(part, cell)
    return job_of(home, found, code, limits or Limits(), device, bind)


def job_of(
    part: Part,
    cell: Cell,
    code: str | None = None,
    limits: Limits | None = None,
    device: str = "auto",
    bind: Mapping[str, Any] | None = None,
) -> Job:
    """The same for a cell at hand. Its own limit holds without another."""
    payload = {
        "code": cell.code if code is None else code,
        "before": [[before.id, before.code] for before in part.needed(cell)],
        "path": f"{part.id}/{cell.id}",
        "argv": [],
        "device": device,
        "trace": False,
        "pictures": [_picture(picture) for picture in part.pictures if picture.cell == cell.id],
        "bind": dict(bind or {}),
    }
    return Job("program", payload, limits or Limits(seconds=cell.timeout), device=device)


def _picture(picture: Picture) -> dict[str, Any]:
    return {name: getattr(picture, name) for name in ("id", "kind", "data", "title", "x", "y", "alt")}
