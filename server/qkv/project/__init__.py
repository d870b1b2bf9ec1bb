"""Documents, settings, import resolution and the analysis of a file within its project."""

from qkv.project.analyse import analyse, modules_for

__all__ = ["analyse", "modules_for"]
