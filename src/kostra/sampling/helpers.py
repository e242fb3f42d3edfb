"""Processes of this machine that help with blocks of work, begun early so that they load while this process does.

They are copies of a server that has loaded the modules and nothing else: copies of this process would have lost the
threads of polars and BLAS, and fresh ones would load everything once more, each.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import forkserver
from typing import Any, TypeVar

R = TypeVar("R")


def begin(*modules: str) -> None:
    """Begin to load modules for the helpers; whoever knows early that there will be some calls it before its own work.

    A second call changes nothing: the server is there.
    """
    multiprocessing.set_forkserver_preload(["__main__", *modules])
    forkserver.ensure_running()


_sent: Callable[[int], Any]


def _receive(function: Callable[[int], Any], environment: dict[str, str]) -> None:
    global _sent  # noqa: PLW0603 - one per process of the pool, set as it starts
    os.environ.update(environment)  # the server has that of the moment when it began
    _sent = function


def _call_sent(block: int) -> Any:
    return _sent(block)


def called(function: Callable[[int], R], blocks: Sequence[int], workers: int) -> Iterator[tuple[int, R]]:
    """Call a function for each block in several processes; give (block, result) as they are done."""
    context = multiprocessing.get_context("forkserver")
    given = (function, dict(os.environ))
    pool = ProcessPoolExecutor(min(workers, len(blocks)), context, initializer=_receive, initargs=given)
    try:
        futures = {pool.submit(_call_sent, block): block for block in blocks}
        for future in as_completed(list(futures)):
            yield futures.pop(future), future.result()
    finally:
        pool.shutdown(cancel_futures=True)
