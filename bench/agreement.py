"""Agreement statistics against krippendorff, statsmodels, nltk and crowd-kit, on the same matrices in one run."""

import importlib
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np

from kostra.ratings import FloatArray, Level, Ratings, ratings_from_matrix
from kostra.reliability.cohen_kappa import cohen_kappa
from kostra.reliability.fleiss_kappa import fleiss_kappa
from kostra.reliability.inter_annotator import inter_annotator
from kostra.reliability.krippendorff_alpha import krippendorff_alpha

SIZES = (1_000, 10_000, 50_000, 200_000)
PEOPLE, POINTS = 9, 7
CROWD_ITEMS = 20_000
NLTK_ITEMS = 1_000  # it compares answers one by one in Python
BOOTSTRAP = (10_000, 6)
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")
ROUNDS = 5

ROW = "{:<44}{:>10}{:>10}{:>11}{:>11}{:>12}{:>11}"
Run = Callable[[], float]


def main() -> None:
    print(f"CPU seconds of one process (time.process_time; median of {ROUNDS} after one run to warm up, of 1 where a")
    print("run takes over a second); peak memory by tracemalloc, in a pass of its own. Both sides start from the same")
    print("matrix of numbers with NaN for missing; ours includes turning it into answers.\n")
    packages = {name: _package(name) for name in ("krippendorff", "statsmodels.stats.inter_rater", "nltk.metrics")}
    print()
    print(ROW.format("", "ours s", "ours MB", "theirs s", "theirs MB", "ours:theirs", "differ by"))
    _compare_alpha(packages["krippendorff"])
    _compare_kappas(packages["statsmodels.stats.inter_rater"])
    _compare_nltk(packages["nltk.metrics"])
    _compare_crowd_kit(_package("crowdkit.aggregation"))
    _bootstraps()


def _package(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"{name} is not installed: left out")
        return None


def matrix_of(items: int, people: int, *, missing: float = 0.1) -> FloatArray:
    """Answers on a scale of seven points, a tenth of them missing."""
    rng = np.random.default_rng(items)
    values = 1.2 * rng.normal(size=(items, 1)) + rng.normal(size=(items, people))
    points = np.round(values + (POINTS - 1) / 2).clip(0, POINTS - 1)
    points[rng.random(points.shape) < missing] = np.nan
    return np.asarray(points)


def _compare_alpha(package: Any) -> None:
    for level in LEVELS:
        seconds: list[tuple[float, float]] = []
        for items in SIZES:
            matrix = matrix_of(items, PEOPLE)
            theirs = _their_alpha(package, matrix, level) if package else None
            seconds.append(_line(f"α {level}, {items:,} × {PEOPLE}", _our_alpha(matrix, level), theirs))
        for name, place in (("ours", 0), ("theirs", 1)):
            if all(row[place] for row in seconds):
                slope = np.polyfit(np.log(SIZES), np.log([row[place] for row in seconds]), 1)[0]
                print(f"    {name} grows as N^{slope:.2f} (least squares on {len(SIZES)} sizes, log–log)")


def _our_alpha(matrix: FloatArray, level: Level) -> Run:
    def run() -> float:
        ratings = ratings_from_matrix(matrix)
        return krippendorff_alpha(ratings, level=level, samples=0, rng=np.random.default_rng(1)).value

    return run


def _their_alpha(package: Any, matrix: FloatArray, level: str) -> Run:
    return lambda: float(package.alpha(matrix.T, level_of_measurement=level))


def _compare_kappas(package: Any) -> None:
    """Fleiss' κ (statsmodels wants as many answers to each item) and Cohen's κ of two annotators."""
    for items in SIZES[1::2]:
        whole = matrix_of(items, PEOPLE, missing=0.0)

        def ours(matrix: FloatArray = whole) -> float:
            return fleiss_kappa(ratings_from_matrix(matrix), samples=0, rng=np.random.default_rng(1)).value

        def theirs(matrix: FloatArray = whole) -> float:
            return float(package.fleiss_kappa(package.aggregate_raters(matrix.astype(int))[0]))

        _line(f"Fleiss κ, {items:,} × {PEOPLE}", ours, theirs if package else None)
    two = matrix_of(SIZES[-1], 2, missing=0.0)

    def our_cohen() -> float:
        ratings = ratings_from_matrix(two, ["ann", "bob"])
        return cohen_kappa(ratings, weights="quadratic", samples=0, rng=np.random.default_rng(1)).value

    def their_cohen() -> float:
        table = package.to_table(two.astype(int), bins=np.arange(POINTS + 1) - 0.5)[0]
        return float(package.cohens_kappa(table, wt="quadratic", return_results=False))

    _line(f"Cohen κ quadratic, {SIZES[-1]:,} × 2", our_cohen, their_cohen if package else None)


def _compare_nltk(package: Any) -> None:
    matrix = matrix_of(NLTK_ITEMS, PEOPLE, missing=0.0)
    triples = [(str(who), str(item), matrix[item, who]) for item in range(NLTK_ITEMS) for who in range(PEOPLE)]
    for level in ("nominal", "interval"):

        def theirs(level: str = level) -> float:
            distance = package.binary_distance if level == "nominal" else package.interval_distance
            return float(package.agreement.AnnotationTask(triples, distance).alpha())

        _line(f"α {level} (nltk), {NLTK_ITEMS:,} × {PEOPLE}", _our_alpha(matrix, level), theirs if package else None)


def _compare_crowd_kit(package: Any) -> None:
    """Majority labels: crowd-kit's on a pandas table, ours on a judgments table, both made beforehand."""
    import polars as pl

    from kostra.scoring.majority import majority_labels

    matrix = matrix_of(CROWD_ITEMS, PEOPLE, missing=0.0)
    rows = [(f"i{item}", f"w{who}", f"{matrix[item, who]:g}") for item in range(CROWD_ITEMS) for who in range(PEOPLE)]
    long = pl.DataFrame(rows, schema=["item", "annotator", "value"], orient="row")

    def ours() -> float:
        return float(majority_labels(long, question="label").height)

    def theirs() -> float:
        return float(len(package.MajorityVote().fit_predict(frame)))

    frame = None
    if package:
        columns = {"item": "task", "annotator": "worker", "value": "label"}
        frame = importlib.import_module("pandas").DataFrame(long.rename(columns).to_dict(as_series=False))
    _line(f"majority labels (crowd-kit), {CROWD_ITEMS:,} × {PEOPLE}", ours, theirs if package else None)


def _bootstraps() -> None:
    items, people = BOOTSTRAP
    matrix = matrix_of(items, people)
    rng = np.random.default_rng(1)
    measured = rng.normal(size=(items, 1)) + rng.normal(size=(items, people))
    print(f"\nOurs alone: 1,000 bootstrap samples of items on {items:,} × {people} (seven points, a tenth missing),")
    print("estimate and interval:")
    points = ratings_from_matrix(matrix, [f"a{who}" for who in range(people)])
    sliders = ratings_from_matrix(measured)
    runs: list[tuple[str, Callable[[], object]]] = [(f"α {level}", _bootstrap(points, level)) for level in LEVELS]
    runs += [(f"α {level}, no two answers equal", _bootstrap(sliders, level)) for level in LEVELS]
    runs += [
        ("Fleiss κ", lambda: fleiss_kappa(points, rng=np.random.default_rng(1))),
        ("Cohen κ, mean of 15 pairs", lambda: cohen_kappa(points, rng=np.random.default_rng(1))),
        ("each against the mean of the others", lambda: inter_annotator(points, rng=np.random.default_rng(1))),
    ]
    _print_runs(runs)
    print(f"\nOurs alone, once the answers are there: the estimate on {SIZES[-1]:,} × {PEOPLE}, without interval:")
    large = ratings_from_matrix(matrix_of(SIZES[-1], PEOPLE))
    _print_runs([(f"α {level}", _bootstrap(large, level, samples=0)) for level in LEVELS])


def _print_runs(runs: list[tuple[str, Callable[[], object]]]) -> None:
    for name, run in runs:
        print(f"    {name:<40}{_median(run):>8.3f} s {_peak(run):>8.1f} MB")


def _bootstrap(ratings: Ratings, level: Level, samples: int = 1000) -> Callable[[], object]:
    return lambda: krippendorff_alpha(ratings, level=level, samples=samples, rng=np.random.default_rng(1))


def _line(name: str, ours: Run, theirs: Run | None) -> tuple[float, float]:
    """Time and weigh both, print, return the seconds of both."""
    our_seconds, our_peak = _median(ours), _peak(ours)
    figures = [f"{our_seconds:.4f}", f"{our_peak:.1f}"]
    if theirs is None:
        print(ROW.format(name, *figures, "", "", "", ""))
        return our_seconds, 0.0
    their_seconds, their_peak = _median(theirs), _peak(theirs)
    apart = abs(ours() - theirs())
    figures += [f"{their_seconds:.4f}", f"{their_peak:.1f}", f"1 : {their_seconds / our_seconds:.1f}", f"{apart:.0e}"]
    print(ROW.format(name, *figures))
    return our_seconds, their_seconds


def _median(run: Callable[[], object]) -> float:
    first = _seconds(run)
    return first if first > 1 else float(np.median([_seconds(run) for _ in range(ROUNDS)]))


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
