"""The one runner of these tests: starting torch takes seconds, a run in a warm process milliseconds."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from course_case import runner_of

from qkv.runner import Job, Outcome, Runner


@pytest.fixture(scope="session")
def run() -> Iterator[Callable[[Job], Outcome]]:
    with Runner() as runner:
        yield runner_of(runner)
