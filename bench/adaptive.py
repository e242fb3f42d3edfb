"""Adaptive best–worst scaling against random designs: how many answers buy which Spearman correlation with the truth.

500 items with normal latents; best is the largest of z + .57 G, worst the smallest of z − .57 G′ among the rest. The
yardstick is counting on 2N random tuples, each answered twice: 4N answers.
"""

import time
from collections.abc import Callable

import numpy as np

from kostra.campaign.adaptive import AdaptiveDesign
from kostra.correlate import correlation
from kostra.sampling.design import tuple_design
from kostra.scoring.choice import choice_scores
from kostra.scoring.counting import FloatArray, IntArray, count_scores

ITEMS, SEEDS, NOISE, ANNOTATORS = 500, 10, 0.57, 10
SHARES = (0.3, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7, 0.8, 1.0)  # of 4N answers
Answers = tuple[IntArray, IntArray, IntArray]
Scorer = Callable[[Answers, int], FloatArray]


def main() -> None:
    start = time.process_time()
    print(f"{ITEMS} items, mean of {SEEDS} seeds; {ANNOTATORS} annotators, none of whom meets a pair of items twice")
    rows = [compare(ITEMS, np.random.default_rng(seed), shares=SHARES) for seed in range(SEEDS)]
    means = {name: np.mean([row[name] for row in rows], axis=0) for name in rows[0]}
    print(f"\n{'answers':>8}{'share':>7}" + "".join(f"{name:>20}" for name in means))
    for place, share in enumerate(SHARES):
        figures = "".join(f"{mean[place]:20.4f}" for mean in means.values())
        print(f"{round(share * 4 * ITEMS):8,}{share:7.0%}{figures}")
    goal = float(means["counting, random"][-1])
    for name, mean in means.items():
        reached = float(np.interp(goal, mean, SHARES)) if mean[-1] >= goal else np.nan
        print(f"{name}: {goal:.4f} with {reached:.1%} of the 4N answers")
    print(f"{time.process_time() - start:.0f} CPU s in all")


def compare(items: int, rng: np.random.Generator, *, shares: tuple[float, ...]) -> dict[str, list[float]]:
    """Spearman correlation with the truth after each share of 4N answers, for the three ways."""
    truth = rng.standard_normal(items)
    wanted = [round(share * 4 * items) for share in shares]
    fixed = [random_answers(truth, count, rng) for count in wanted]
    learnt = adaptive_answers(truth, wanted[-1], rng)
    ways: dict[str, list[Answers]] = {
        "counting, random": fixed,
        "choice, random": fixed,
        "choice, adaptive": [(learnt[0][:count], learnt[1][:count], learnt[2][:count]) for count in wanted],
    }
    found: dict[str, list[float]] = {}
    for name, given in ways.items():
        score: Scorer = counted if name.startswith("counting") else chosen
        found[name] = [correlation(score(answers, items), truth, ranks=True) for answers in given]
    return found


def counted(answers: Answers, items: int) -> FloatArray:
    return np.nan_to_num(count_scores(*answers, items=items).raw)


def chosen(answers: Answers, items: int) -> FloatArray:
    return np.nan_to_num(choice_scores(*answers, items=items).z)


def random_answers(truth: FloatArray, count: int, rng: np.random.Generator) -> Answers:
    """Half as many random tuples as answers, each answered twice."""
    tuples = np.repeat(tuple_design(len(truth), tuples=count // 2, rng=rng), 2, axis=0)
    return tuples, *answered(truth, tuples, rng)


def adaptive_answers(truth: FloatArray, count: int, rng: np.random.Generator) -> Answers:
    """Adaptive tuples, each answered once; batches go to the annotators in turn."""
    design = AdaptiveDesign(len(truth), budget=count, rng=rng)
    parts: list[Answers] = []
    while not design.finished:
        annotator = f"annotator {len(parts) % ANNOTATORS}"
        tuples = design.next_batch(annotator)
        best, worst = answered(truth, tuples, rng)
        design.add(tuples, best, worst, annotator=annotator)
        parts.append((tuples, best, worst))
    tuples, best, worst = (np.concatenate(column) for column in zip(*parts, strict=True))
    return tuples, best, worst


def answered(truth: FloatArray, tuples: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Best and worst of each tuple, seen through Gumbel noise."""
    rows = np.arange(len(tuples))
    best = np.argmax(truth[tuples] + NOISE * rng.gumbel(size=tuples.shape), axis=1)
    low = truth[tuples] - NOISE * rng.gumbel(size=tuples.shape)
    low[rows, best] = np.inf
    return tuples[rows, best], tuples[rows, np.argmin(low, axis=1)]


if __name__ == "__main__":
    main()
