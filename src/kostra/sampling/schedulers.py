"""Run numbered blocks of work: in this process, in several, or on a Dask cluster, with the same results.

A block is a pure function of its number. What it gives is kept in a work folder, so that an interrupted run goes on
where it stopped, and a worker that dies costs the block it had in hand and no other.

``scheduler`` is None (this process, or `workers` processes of this machine), ``local`` (Dask workers of this machine),
``slurm`` (Dask workers as jobs of SLURM, through dask-jobqueue, with queue, memory and time as your
``~/.config/dask/jobqueue.yaml`` says), or the address of a running Dask scheduler, such as ``tcp://10.0.0.1:8786``,
whose workers have kostra installed. Workers need no common disk: the corpus travels to them, their results travel back.
The path to SLURM has been tried with a stand-in for the cluster only, for want of one.

On a cluster of your own, start the workers with ``MALLOC_TRIM_THRESHOLD_=1073741824 MALLOC_MMAP_THRESHOLD_=33554432``
(Dask's key ``distributed.nanny.pre-spawn-environ``): the value that Dask sets makes a search three times as slow.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from kostra import files
from kostra.errors import KostraError, extra_needed, unknown
from kostra.sampling import helpers
from kostra.steps import Progress, silent

R = TypeVar("R")
_PATIENCE = 5  # times that all copies of the corpus may be lost before we give up
_MALLOC = {"MALLOC_TRIM_THRESHOLD_": 1 << 30, "MALLOC_MMAP_THRESHOLD_": 1 << 25}
"""Dask has its workers give memory back at once, which makes a search three times as slow; these values undo that."""
_AHEAD = 16  # blocks that are given to a cluster in advance, at least


@dataclass(frozen=True)
class Work:
    """Where blocks run and where their results are kept."""

    folder: Path | None = None
    """Kept on disk here, block by block, and taken up again; None is memory."""
    scheduler: str | None = None
    workers: int | None = None
    """How many; None is one without a scheduler, else as many as the machine has cores."""
    progress: Progress = silent


class Job(Protocol):
    """Numbered blocks, each a pure function of its number."""

    @property
    def blocks(self) -> int:
        """How many there are."""

    @property
    def digest(self) -> str:
        """A hash of everything that the results depend on."""

    def __call__(self, block: int) -> NDArray[Any]:
        """The result of one block."""


def run_job(job: Job, work: Work) -> list[NDArray[Any]]:
    """Run the blocks that are not done yet; return the results of all, in the order of their numbers.

    Results in a folder stay on disk and come to memory as they are read.
    """
    if work.folder is None:
        found = dict(_told(job, range(job.blocks), work))
        return [found[block] for block in range(job.blocks)]
    _claim(work.folder, job)
    paths = [work.folder / f"block-{block:06}.npy" for block in range(job.blocks)]
    left = [block for block, path in enumerate(paths) if not path.exists()]
    for block, result in _told(job, left, work):
        buffer = io.BytesIO()
        np.save(buffer, result, allow_pickle=False)
        files.write_bytes(buffer.getvalue(), paths[block])
    return [_kept(path) for path in paths]


def _told(job: Job, left: Sequence[int], work: Work) -> Iterator[tuple[int, NDArray[Any]]]:
    """Run blocks and tell the progress after each, those of earlier runs included."""
    done = job.blocks - len(left)
    work.progress(done, job.blocks)
    for block, result in run_blocks(job, left, scheduler=work.scheduler, workers=work.workers):
        yield block, result
        done += 1
        work.progress(done, job.blocks)


def _claim(folder: Path, job: Job) -> None:
    """Say whose blocks the folder holds; refuse those of another job."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "job.json"
    said = json.dumps({"digest": job.digest, "blocks": job.blocks}, indent=1) + "\n"
    if not path.exists():
        files.write_text(said, path)
    elif path.read_text(encoding="utf-8") != said:
        raise KostraError(
            "the folder holds the blocks of another search: other sentences, other options or another version",
            where=files.shown(folder),
            remedy="remove it, or name another folder",
        )


def _kept(path: Path) -> NDArray[Any]:
    try:
        kept: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise KostraError(
            f"the block cannot be read: {error}", where=files.shown(path), remedy="remove the file; it is made again"
        ) from None
    return kept


def run_blocks(
    function: Callable[[int], R],
    blocks: Sequence[int],
    *,
    scheduler: str | None = None,
    workers: int | None = None,
    progress: Progress = silent,
) -> Iterator[tuple[int, R]]:
    """Call a function for each block; give (block, result) as they are done, in no particular order with workers.

    Parameters
    ----------
    function
        A pure function of the block's number that can be pickled. It is sent to each worker once.
    scheduler
        None, ``local``, ``slurm``, or the address of a Dask scheduler.
    workers
        How many processes, Dask workers or SLURM jobs; a cluster at an address has its own number.

    Examples
    --------
    >>> list(run_blocks(lambda block: block * block, [1, 2, 3]))
    [(1, 1), (2, 4), (3, 9)]
    """
    if workers is not None and workers < 1:
        raise KostraError(f"{workers} workers", accepted="a number from 1 on")
    if not blocks:
        return
    if scheduler is not None:
        results = _on_dask(function, blocks, scheduler, workers)
    elif (workers or 1) > 1:
        results = helpers.called(function, blocks, workers or 1)
    else:
        results = ((block, function(block)) for block in blocks)
    for done, (block, result) in enumerate(results, 1):
        yield block, result
        progress(done, len(blocks))


def _package(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise extra_needed(name.replace("_", "-"), "cluster", purpose="a scheduler") from None


def _on_dask(
    function: Callable[[int], R], blocks: Sequence[int], scheduler: str, workers: int | None
) -> Iterator[tuple[int, R]]:
    if scheduler not in ("local", "slurm") and ":" not in scheduler:
        raise unknown("scheduler", scheduler, ["local", "slurm", "HOST:PORT"])
    distributed = _package("distributed")
    with contextlib.ExitStack() as stack:
        try:
            place = stack.enter_context(dask_cluster(scheduler, workers)) if ":" not in scheduler else scheduler
            client = stack.enter_context(distributed.Client(place, set_as_default=False))
        except (OSError, ValueError) as error:  # a time-out is an OSError
            raise KostraError(f"no Dask scheduler answers: {error}", where=scheduler) from None
        yield from _gathered(distributed, client, function, blocks)


def dask_cluster(scheduler: str, workers: int | None) -> Any:
    """Dask workers of one thread each, on this machine (``local``) or as SLURM jobs (``slurm``); a context manager."""
    count = workers or os.cpu_count() or 1
    if scheduler == "slurm":
        cluster = _package("dask_jobqueue").SLURMCluster()
        cluster.scale(jobs=count)
        return cluster
    distributed = _package("distributed")  # before the setting, because it brings the settings that are set
    with _package("dask").config.set({f"distributed.nanny.pre-spawn-environ.{k}": v for k, v in _MALLOC.items()}):
        return distributed.LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address="127.0.0.1:0")


def _call(function: Callable[[int], R], block: int) -> R:
    return function(block)


def _gathered(
    distributed: Any, client: Any, function: Callable[[int], R], blocks: Sequence[int]
) -> Iterator[tuple[int, R]]:
    """Keep a cluster busy without holding more than a few results in its memory.

    Dask gives the block of a dead worker to another one. If all workers that hold the function die at once, it is gone,
    and its blocks are cancelled: then it is sent again.
    """
    left, losses = list(blocks), 0
    while left:
        client.wait_for_workers(1)
        sent = client.scatter(function, broadcast=True, hash=False)
        ahead = max(_AHEAD, 2 * sum(client.nthreads().values()))
        waiting = iter(left)
        running = {client.submit(_call, sent, block, pure=False): block for block in islice(waiting, ahead)}
        results = distributed.as_completed(list(running), loop=client.loop, raise_errors=False)
        lost = []
        for future in results:
            block = running.pop(future)
            try:
                result = future.result()
            except CancelledError:
                lost.append(block)
                continue
            except distributed.KilledWorker as error:
                raise KostraError(f"block {block} brought down its workers: {error}", remedy=_MEMORY) from None
            yield block, result
            for following in waiting:
                fresh = client.submit(_call, sent, following, pure=False)
                running[fresh] = following
                results.add(fresh)
                break
        left = [*lost, *waiting]
        losses += bool(lost)
        if losses > _PATIENCE:
            raise KostraError(f"the workers were lost {losses} times; {len(left)} blocks are not done", remedy=_MEMORY)


_MEMORY = "give the workers more memory, or make the blocks smaller; finished blocks in the work folder are kept"
