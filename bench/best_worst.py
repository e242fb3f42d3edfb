"""Best–worst tools against a plain Python transcription: designs of three sizes, and split-half trials."""

import os
import random
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np

from bench import plain
from kostra.reliability.split_half import split_half_best_worst
from kostra.sampling.design import design_quality, tuple_design

DATA = Path(os.environ.get("KOSTRA_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
SIZES = (1_000, 5_500, 20_000)
ITERATIONS = 1  # of the plain generator; the published script makes 100 and keeps the best
TRIALS, PLAIN_TRIALS = 1_000, 20
ROUNDS = 5  # ours are short, so that the median of a few is reported

ROW = "{:<36}{:>10}{:>10}{:>10}{:>10}{:>12}"


def main() -> None:
    print(f"CPU seconds of one process (time.process_time; ours: median of {ROUNDS}, after one run to warm up);")
    print("peak memory by tracemalloc, in a pass of its own.")
    print(f"Plain Python: {ITERATIONS} iteration of the generator, not scaled (the published script makes 100);")
    print(f"{PLAIN_TRIALS} split-half trials, their time × {TRIALS // PLAIN_TRIALS} for {TRIALS:,}.\n")
    print(ROW.format("", "ours s", "ours MB", "plain s", "plain MB", "ours:plain"))
    seconds = [_compare_designs(items) for items in SIZES]
    _compare_split_half()
    slope = np.polyfit(np.log(SIZES), np.log(seconds), 1)[0]
    last = np.log(seconds[-1] / seconds[-2]) / np.log(SIZES[-1] / SIZES[-2])
    print(f"\nDesign time grows as N^{slope:.2f} (least squares on {len(SIZES)} sizes, log–log); between the two")
    print(f"largest, where the constant cost of repairs weighs less, as N^{last:.2f}.")
    print("\nFor orientation, from the project's notes and not measured here: the published Perl scripts need about")
    print("10 CPU s for the design of 5,500 items, 46 for 20,000, and 11 for 1,000 split-half trials on this file.")


def _compare_designs(items: int) -> float:
    """Print one line and what the two designs are worth; return our seconds."""

    def ours() -> object:
        return tuple_design(items, tuples=2 * items, rng=np.random.default_rng(1))

    def theirs() -> object:
        return plain.draw_tuples(items, size=4, tuples=2 * items, iterations=ITERATIONS, rng=random.Random(1))

    seconds = _line(f"design, {items:,} items, 2N 4-tuples", ours, theirs, scale=1)
    for name, design in (("ours", ours()), ("plain", theirs())):
        quality = design_quality(np.array(design), items)
        spread = quality.appearances_max - quality.appearances_min
        print(
            f"    {name}: {quality.pairs_repeated} pairs meet again; spread of appearances {spread}, "
            f"of positions {quality.position_spread}"
        )
    return seconds


def _compare_split_half() -> None:
    """Print one line and both results."""
    path = DATA / "semrel_arb_bws_ids.csv"
    if not path.exists():
        print(f"split-half: left out, {path} is absent (KOSTRA_DATA names the folder)")
        return
    answers = np.loadtxt(path, delimiter=",", skiprows=1, dtype=np.int64) - 1
    items = int(answers.max()) + 1
    listed = [(tuple(row[:4]), row[4], row[5]) for row in answers.tolist()]
    results: dict[str, tuple[float, float]] = {}

    def ours() -> None:
        found = split_half_best_worst(
            answers[:, :4], answers[:, 4], answers[:, 5], items=items, trials=TRIALS, rng=np.random.default_rng(1)
        )
        results["ours"] = found.spearman, found.pearson

    def theirs() -> None:
        results["plain"] = plain.split_half(listed, trials=PLAIN_TRIALS, rng=random.Random(1))

    _line(f"split-half, {TRIALS:,} trials", ours, theirs, scale=TRIALS / PLAIN_TRIALS)
    for name, trials in (("ours", TRIALS), ("plain", PLAIN_TRIALS)):
        spearman, pearson = results[name]
        print(f"    {name}: Spearman {spearman:.4f}, Pearson {pearson:.4f} over {trials:,} trials")


def _line(name: str, ours: Callable[[], object], theirs: Callable[[], object], *, scale: float) -> float:
    """Time and weigh both, print, return our seconds."""
    ours()
    our_seconds = float(np.median([_seconds(ours) for _ in range(ROUNDS)]))
    plain_seconds = _seconds(theirs) * scale
    figures = (f"{our_seconds:.3f}", f"{_peak(ours):.1f}", f"{plain_seconds:.2f}", f"{_peak(theirs):.1f}")
    print(ROW.format(name, *figures, f"1 : {plain_seconds / our_seconds:.1f}"))
    return our_seconds


def _seconds(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def _peak(run: Callable[[], object]) -> float:
    """Megabytes that a run holds at most."""
    tracemalloc.start()
    run()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


if __name__ == "__main__":
    main()
