"""Documents, settings, import resolution and the analysis of a file within its project."""

from qkv.project.analyse import analyse

__all__ = ["analyse"]
