"""Find a module's file with jedi, in the user's environment. jedi reads; it is given no environment that it could start."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def module_path(name: str, importing: Path, folders: tuple[str, ...]) -> Path | None:
    """The Python file of an absolute import, or None where it is not to be had as source."""
    import jedi

    try:
        project: Any = jedi.Project(
            str(importing.parent), sys_path=[str(importing.parent), *folders], smart_sys_path=False
        )
        script: Any = jedi.Script(
            f"import {name}", path=str(importing), project=project, environment=jedi.InterpreterEnvironment()
        )
        for definition in script.goto(1, len(f"import {name}") - 1):
            path = definition.module_path
            if path is not None and path.suffix == ".py":
                return Path(path)
    except Exception:  # jedi is a third party that reads arbitrary files: whatever it raises means "not found"
        return None
    return None
