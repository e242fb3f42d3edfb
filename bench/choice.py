"""The choice model against choix, whose users turn best–worst answers into pairwise wins: time, memory, growth.

``choix`` stands in the bench environment only; without it, our own figures are printed. Peak memory by tracemalloc, in
a pass of its own.
"""

import importlib
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np

from bench.adaptive import random_answers
from kostra.correlate import correlation
from kostra.scoring.choice import choice_scores
from kostra.scoring.counting import FloatArray, count_scores

SIZES = (250, 500, 1_000)
LARGE = (2_000, 5_500, 20_000)  # ours only: theirs are slow under tracemalloc
Fit = Callable[[], FloatArray]
ROW = "{:>7}  {:<34}{:>9}{:>9}{:>10}"


def main() -> None:
    try:
        choix: Any = importlib.import_module("choix")
    except ImportError:
        choix = None
        print("choix is not installed here: ours alone\n")
    print(
        "4N answers to 2N random 4-tuples, twice each; CPU seconds of one process. Only ours chooses the prior's width"
    )
    print("and gives standard errors; theirs get alpha = 1/σ² of our fit (opt_pairwise) or 0.01 (ilsr, a rate).\n")
    print(ROW.format("items", "method", "CPU s", "MB", "Spearman"))
    seconds: dict[str, list[float]] = {}
    for items in (*SIZES, *LARGE):
        for name, (spent, _) in compare(items, choix if items in SIZES else None).items():
            seconds.setdefault(name, []).append(spent)
    print()
    for name, times in seconds.items():
        sizes = (*SIZES, *LARGE)[: len(times)]
        slope = np.polyfit(np.log(sizes), np.log(times), 1)[0]
        print(f"{name}: time grows as N^{slope:.2f} (least squares on {len(sizes)} sizes, log–log)")


def compare(items: int, choix: Any) -> dict[str, tuple[float, float]]:
    """Print one line per method; return seconds and Spearman correlation with the truth."""
    rng = np.random.default_rng(items)
    truth = rng.standard_normal(items)
    tuples, best, worst = random_answers(truth, 4 * items, rng)
    sigma = choice_scores(tuples, best, worst, items=items).sigma
    methods: dict[str, Fit] = {
        "counting": lambda: count_scores(tuples, best, worst, items=items).raw,
        "ours, width chosen, errors": lambda: choice_scores(tuples, best, worst, items=items).z,
        "ours, width given, errors": lambda: choice_scores(tuples, best, worst, items=items, sigma=sigma).z,
    }
    if choix is not None:
        wins = pairwise(tuples.tolist(), best.tolist(), worst.tolist())
        methods["choix.opt_pairwise (Newton-CG)"] = lambda: choix.opt_pairwise(items, wins, alpha=1 / sigma**2)
        methods["choix.opt_pairwise (BFGS)"] = lambda: choix.opt_pairwise(
            items, wins, alpha=1 / sigma**2, method="BFGS"
        )
        methods["choix.ilsr_pairwise"] = lambda: choix.ilsr_pairwise(items, wins, alpha=0.01)
        if items > 500:  # a dense inverse Hessian, updated in every step
            del methods["choix.opt_pairwise (BFGS)"]
    return {name: measured(items, name, fit, truth) for name, fit in methods.items()}


def measured(items: int, name: str, fit: Fit, truth: FloatArray) -> tuple[float, float]:
    start = time.process_time()
    values = fit()
    spent = time.process_time() - start
    tracemalloc.start()
    fit()
    memory = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    spearman = correlation(values, truth, ranks=True)
    print(ROW.format(f"{items:,}", name, f"{spent:.3f}", f"{memory:.1f}", f"{spearman:.4f}"), flush=True)
    return spent, spearman


def pairwise(tuples: list[list[int]], best: list[int], worst: list[int]) -> list[tuple[int, int]]:
    """The inequalities that an answer implies: best beats all others, and all others beat worst."""
    wins = []
    for members, top, low in zip(tuples, best, worst, strict=True):
        wins += [(top, other) for other in members if other != top]
        wins += [(other, low) for other in members if other not in (top, low)]
    return wins


if __name__ == "__main__":
    main()
