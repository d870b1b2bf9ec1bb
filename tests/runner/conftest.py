"""One runner for all tests here, so that torch is imported once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from runner_case import HERE, Run, run_program

from qkv.runner import Runner


@pytest.fixture(scope="session")
def runner() -> Iterator[Runner]:
    with Runner(HERE) as runner:
        yield runner


@pytest.fixture
def run(runner: Runner) -> Run:
    """Run a program: `run(code, limits=…, on_output=…, stop=…, runner=…, **payload)`."""
    return lambda code, **options: run_program(options.pop("runner", runner), code, **options)
