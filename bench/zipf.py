"""Sentences with a Zipfian vocabulary, among them as many similar pairs as the corpus is large.

Words are drawn independently from a Zipf–Mandelbrot law, p(r) ∝ 1 / (r + 2.7), over a million ranks, so that the
vocabulary seen grows with the corpus as it does in text. Lengths are 5 plus a Poisson number with mean 9. Similar pairs
are planted: every tenth sentence repeats an earlier one, taken at random, with each word replaced by a fresh draw with
probability 0.25. Their number grows linearly; pairs that are similar by chance come on top, and are few.
"""

from collections.abc import Iterator

import numpy as np

RANKS = 1_000_000
OFFSET = 2.7
EVERY = 10
REPLACED = 0.25
_PART = 10_000


def sentences(count: int, *, seed: int = 1) -> Iterator[str]:
    """Generate texts, one by one; a longer corpus does not begin with the shorter one."""
    rng = np.random.default_rng([seed, count])
    law = np.cumsum(1 / (np.arange(1, RANKS + 1) + OFFSET))
    law /= law[-1]
    earlier: list[np.ndarray[tuple[int], np.dtype[np.int32]]] = []
    for begin in range(0, count, _PART):
        lengths = 5 + rng.poisson(9, size=min(_PART, count - begin))
        drawn = np.searchsorted(law, rng.random(int(lengths.sum()))).astype(np.int32)
        for offset, ranks in enumerate(np.split(drawn, np.cumsum(lengths)[:-1])):
            number = begin + offset
            if number % EVERY == EVERY - 1:
                model = earlier[int(rng.integers(len(earlier)))]
                fresh = np.searchsorted(law, rng.random(len(model))).astype(np.int32)
                ranks = np.where(rng.random(len(model)) < REPLACED, fresh, model)
            else:
                earlier.append(ranks)
            yield " ".join(f"w{rank}" for rank in ranks.tolist())
