"""Run a learner's program in a process of its own, in the user's interpreter: streamed, limited, and always to be stopped."""

from qkv.runner.interpreters import find_interpreter, torch_missing
from qkv.runner.model import Interpreter, Job, Limits, Outcome, Problem
from qkv.runner.runner import Runner

__all__ = ["Interpreter", "Job", "Limits", "Outcome", "Problem", "Runner", "find_interpreter", "torch_missing"]
