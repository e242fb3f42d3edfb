"""Exact overlap search and percentile sampling over growing corpora, beside the loop over all pairs.

``KOSTRA_BENCH_SIZES=10000,100000 python -m bench.mining`` makes a quick run.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from bench.zipf import EVERY, REPLACED, sentences
from kostra.sampling.mining import all_pairs, bucketed_pairs, gather
from kostra.sampling.mining_search import Search
from kostra.sampling.schedulers import dask_cluster, run_blocks
from kostra.text import dice, words

R = TypeVar("R")
THRESHOLD = 0.5
EXAMINED = 1_000_000
LOOP_SIZE, LOOP_ROWS = 10_000, 100
BLOCK = 500_000  # for two workers, so that the blocks are many enough to share

ROW = "{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}{:>11}"


def main() -> None:
    sizes = [int(size) for size in os.environ.get("KOSTRA_BENCH_SIZES", "10000,100000,1000000").split(",")]
    print("Generated sentences: Zipf–Mandelbrot words, 14 of them on average; similar pairs are planted, so that their")
    print(
        f"number grows linearly: each {EVERY}th sentence repeats an earlier one, {REPLACED:.0%} of its words replaced."
    )
    print("CPU seconds, one process per size. Read: text to integers. Search: all pairs with Dice ≥ 0.5, exactly.")
    print(f"Buckets: 1,000 pairs from 50 percentiles of IDF-weighted Dice, over {EXAMINED:,} examined pairs.\n")
    print(ROW.format("sentences", "pairs", "read s", "search s", "buckets s", "all s", "wall s", "peak MB"))
    with tempfile.TemporaryDirectory() as folder:
        paths = {size: _written(size, Path(folder)) for size in sizes}
        measured = [_in_own_process(paths[size]) for size in sizes]
        for size, found in zip(sizes, measured, strict=True):
            figures = [f"{found[name]:.2f}" for name in ("read", "search", "buckets", "cpu", "wall")]
            print(ROW.format(f"{size:,}", f"{found['pairs']:,}", *figures, f"{found['peak']:,.0f}"))
        _print_growth(sizes, measured)
        _compare_loop(sizes, measured)
        _compare_workers(paths[sizes[-1]])


def _written(size: int, folder: Path) -> Path:
    path = folder / f"{size}.txt"
    with path.open("w", encoding="utf-8") as stream:
        stream.writelines(f"{text}\n" for text in sentences(size))
    return path


def _in_own_process(path: Path) -> dict[str, Any]:
    """Measure one size in a process of its own, so that its peak of memory is its own."""
    ran = subprocess.run([sys.executable, "-m", "bench.mining", str(path)], check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


def _measure(path: Path) -> None:
    began = time.perf_counter()
    with path.open(encoding="utf-8") as lines:
        corpus, read = _timed(lambda: gather(lines))
    pairs, search = _timed(lambda: sum(len(part) for part in all_pairs(corpus, threshold=THRESHOLD)))
    counts = np.diff(np.rint(1000 * np.expm1(np.arange(51) / 12.5) / np.expm1(4)).astype(int))  # from 1 to about 75
    rng = np.random.default_rng(1)
    drawn, buckets = _timed(lambda: bucketed_pairs(corpus, counts=counts.tolist(), examine=EXAMINED, rng=rng))
    used = resource.getrusage(resource.RUSAGE_SELF)
    found = {"pairs": pairs, "read": read, "search": search, "buckets": buckets, "cpu": read + search + buckets}
    found |= {"wall": time.perf_counter() - began, "peak": used.ru_maxrss / 1024}
    found["drawn"] = sum(len(bucket.pairs) for bucket in drawn)
    print(json.dumps(found))


def _timed(call: Callable[[], R]) -> tuple[R, float]:
    began = time.process_time()
    result = call()
    return result, time.process_time() - began


def _print_growth(sizes: list[int], measured: list[dict[str, Any]]) -> None:
    if len(sizes) < 2:
        return
    print()
    parts = {"the search": ("search",), "reading and search": ("read", "search"), "all three": ("cpu",)}
    for what, names in parts.items():
        seconds = [sum(found[name] for name in names) for found in measured]
        slope = np.polyfit(np.log(sizes), np.log(seconds), 1)[0]
        last = np.log(seconds[-1] / seconds[-2]) / np.log(sizes[-1] / sizes[-2])
        print(f"CPU time of {what} grows as N^{slope:.2f} (least squares, log–log); in the last step as N^{last:.2f}.")
    drawn = ", ".join(str(found["drawn"]) for found in measured)
    print(f"Pairs drawn from the buckets: {drawn}.")


def _compare_loop(sizes: list[int], measured: list[dict[str, Any]]) -> None:
    """Time a part of the loop over all pairs, and say what the whole would take."""
    texts = [set(words(text)) for text in sentences(LOOP_SIZE)]

    def loop() -> int:
        return sum(dice(one, other) >= THRESHOLD for one in islice(texts, LOOP_ROWS) for other in texts)

    _, seconds = _timed(loop)
    per_pair = seconds / (LOOP_ROWS * LOOP_SIZE)
    print(f"\nThe loop over all pairs, sets of words made beforehand: {LOOP_ROWS * LOOP_SIZE:,} pairs of {LOOP_SIZE:,}")
    print(f"sentences in {seconds:.2f} CPU s. From this, not measured, for n(n − 1) / 2 pairs:")
    for size, found in zip(sizes, measured, strict=True):
        whole = per_pair * size * (size - 1) / 2
        ours = found["read"] + found["search"]
        ratio = f"ours, reading included: 1:{whole / ours:,.0f}"
        print(f"{size:>10,} sentences: {whole:>14,.0f} s ({whole / 3600:,.1f} h); {ratio}")


class _Timed:
    """A search whose blocks say who made them, in how many CPU seconds."""

    def __init__(self, search: Search) -> None:
        self.search = search

    def __call__(self, block: int) -> tuple[int, float, int]:
        pairs, seconds = _timed(lambda: self.search(block))
        return os.getpid(), seconds, len(pairs)


def _compare_workers(path: Path) -> None:
    """One Dask worker beside two, on the same blocks; starting the cluster is not counted, sending the corpus is."""
    if find_spec("distributed") is None:
        print("\nDask workers: left out, dask is not installed (pip install 'kostra[cluster]').")
        return
    with path.open(encoding="utf-8") as lines:
        corpus = gather(lines)
    search = Search(corpus, "dice", THRESHOLD, block_size=BLOCK)
    print(f"\nDask, {corpus.sentences:,} sentences in {search.blocks} blocks, on {os.cpu_count()} cores:")
    for workers in (1, 2):
        busy: defaultdict[int, float] = defaultdict(float)
        pairs = 0
        with dask_cluster("local", workers) as cluster:
            began = time.perf_counter()
            blocks = list(range(search.blocks))
            for _, (who, seconds, found) in run_blocks(_Timed(search), blocks, scheduler=cluster.scheduler_address):
                busy[who] += seconds
                pairs += found
            wall = time.perf_counter() - began
        cpu = " and ".join(f"{seconds:.1f}" for seconds in busy.values())
        print(f"{workers} worker{'s' if workers > 1 else ''}: {wall:.1f} s wall, {cpu} CPU s, {pairs:,} pairs")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        _measure(Path(sys.argv[1]))
    else:
        main()
