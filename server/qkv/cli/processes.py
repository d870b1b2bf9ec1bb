"""Work shared out to several processes, which survives the death of one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

Result = TypeVar("Result")


def in_processes(
    function: Callable[..., Result], work: list[tuple[Any, ...]], jobs: int, lost: Callable[..., Result]
) -> Iterator[Result]:
    """The function's results in the order of the work. `lost` gives the result of work that twice killed its process.

    When a process dies, all work that was waiting is lost with its pool; each piece of it is tried once more in a pool of its own.
    """
    with ProcessPoolExecutor(min(jobs, len(work))) as pool:
        futures = [pool.submit(function, *arguments) for arguments in work]
        for arguments, future in zip(work, futures, strict=True):
            try:
                yield future.result()
            except BrokenProcessPool:
                yield _once_more(function, arguments, lost)


def _once_more(function: Callable[..., Result], arguments: tuple[Any, ...], lost: Callable[..., Result]) -> Result:
    with ProcessPoolExecutor(1) as pool:
        future: Future[Result] = pool.submit(function, *arguments)
        try:
            return future.result()
        except BrokenProcessPool:
            return lost(*arguments)
