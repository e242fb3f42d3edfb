"""Adaptive best–worst scaling: the next tuples are chosen from what the answers so far have taught.

Comparing items that are far apart teaches little, since everybody knows the answer. `AdaptiveDesign` fits the choice
model as answers come in and asks next about the tuples that promise to reduce the standard errors of the scores most.
`kostra.campaign.adaptive_pool` deals them to annotators.

The honest counterpart: only the choice model may score such answers. Counting credits a choice alike whoever the others
were, and here good items meet good ones, so that all drift to the middle. Judgments of an adaptive campaign stand in
the block ``adaptive``, by which `kostra.scoring.counting.refuse_counting_if_adaptive` knows them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from scipy import special

from kostra.scoring import choice
from kostra.scoring.counting import FloatArray, IntArray, check_answers

# Candidates are neighbours in an order drawn from the posterior, whose spread is multiplied by these numbers: a little
# keeps company close, all of it (Thompson sampling) and more also tries what the posterior doubts.
_TEMPERATURES = (0.5, 1.0, 1.5)
_DRAWS = 5
_FIRST_SIGMA = 1.5  # until there are as many answers as items: fewer would choose too narrow a prior


class AdaptiveDesign:
    """Chooses tuples in batches, from the posterior of the answers so far.

    A tuple's worth is the expected fall of the summed variance of the scores (see
    `kostra.scoring.choice.preference_scores`), the posterior being taken as independent over items. The best make the
    batch, no item twice in it; a share of each batch has random company, so that a wrong model is found out.

    Parameters
    ----------
    items
        Number of items, 0 … `items` − 1.
    size
        Items per tuple.
    batch
        Tuples between two fits; a twentieth of the items unless said.
    explore
        Share of each batch whose company is random.
    budget
        Answers after which the design is finished.
    target
        Root mean square of the scores' standard errors, on 0 … 1, at which it is finished.
    rng
        Source of randomness.

    Examples
    --------
    Annotators who always prefer the smaller number teach which of six items are the first and the last.

    >>> design = AdaptiveDesign(6, size=3, batch=2, budget=20, rng=np.random.default_rng(1))
    >>> people = 0
    >>> while not design.finished:
    ...     tuples = design.next_batch(f"annotator {people}")
    ...     design.add(tuples, tuples.min(axis=1), tuples.max(axis=1), annotator=f"annotator {people}")
    ...     people += 1
    >>> design.answers, int(design.scores().z.argmax()), int(design.scores().z.argmin())
    (20, 0, 5)
    """

    def __init__(
        self,
        items: int,
        *,
        size: int = 4,
        batch: int | None = None,
        explore: float = 0.05,
        budget: int | None = None,
        target: float | None = None,
        rng: np.random.Generator,
    ) -> None:
        if not 2 <= size <= items:
            raise ValueError(f"tuples of {size} cannot be made of {items} items")
        if budget is None and target is None:
            raise ValueError("an adaptive design stops at a budget or at a target standard error; neither was given")
        self.items, self.size, self.budget, self.target = items, size, budget, target
        self.batch = min(batch or max(1, items // 20), items // size)
        self._explore, self._rng = explore, rng
        self._tuples = np.zeros((0, size), dtype=np.int64)
        self._best = self._worst = np.zeros(0, dtype=np.int64)
        self._met: dict[str, set[int]] = {}
        self._z, self._variance = np.zeros(items), np.full(items, _FIRST_SIGMA**2)
        self._sigma, self._fitted, self._sigma_from = _FIRST_SIGMA, 0, items
        self.error = np.inf  # root mean square of the scores' standard errors, once every item was shown

    @property
    def answers(self) -> int:
        """Answers so far."""
        return len(self._best)

    @property
    def finished(self) -> bool:
        """Whether the budget is spent or the target reached."""
        if self.budget is not None and self.answers >= self.budget:
            return True
        if self.target is not None:
            self._fit()
        return self.target is not None and self.error <= self.target

    def scores(self) -> choice.ChoiceModel:
        """The scores: from the choice model, since counting is biased on an adaptive design."""
        return choice.choice_scores(self._tuples, self._best, self._worst, items=self.items)

    def has_met(self, annotator: str, members: Sequence[int] | IntArray) -> bool:
        """Whether an annotator was shown two of these items together before."""
        return not self._met.get(annotator, set()).isdisjoint(self._pairs(np.asarray(members)[None, :])[0].tolist())

    def meet(self, annotator: str, tuples: IntArray) -> None:
        """Remember that an annotator was shown these tuples."""
        self._met.setdefault(annotator, set()).update(self._pairs(tuples).ravel().tolist())

    def add(self, tuples: IntArray, best: IntArray, worst: IntArray, *, annotator: str = "") -> None:
        """Take answers of one annotator: tuples, one a row, with the items chosen as best and as worst."""
        check_answers(tuples, best, worst, items=self.items)
        self.meet(annotator, tuples)
        self._tuples = np.concatenate([self._tuples, tuples])
        self._best, self._worst = np.concatenate([self._best, best]), np.concatenate([self._worst, worst])

    def next_batch(self, annotator: str = "", *, busy: Sequence[int] = ()) -> IntArray:
        """The next tuples for an annotator, who meets no pair of items in them a second time.

        Items that are `busy`, since others are being asked about them, are passed over while there are enough others.
        There are fewer tuples than `batch` where the budget or the annotator's fresh company runs out, and none if no
        tuple of fresh company was found.
        """
        self._fit()
        left = self.batch if self.budget is None else min(self.batch, self.budget - self.answers)
        free = np.ones(self.items, dtype=np.bool_)
        free[list(busy)] = False
        if free.sum() < self.size * left:
            free[:] = True
        chosen: list[IntArray] = []
        for members in self._worthiest(annotator):
            if len(chosen) >= left:
                break
            if free[members].all():
                chosen.append(members)
                free[members] = False
        if not chosen and left > 0:
            chosen = self._any_fresh(annotator)
        tuples = np.array(chosen, dtype=np.int64).reshape(-1, self.size)
        return self._rng.permuted(tuples, axis=1)

    def _fit(self) -> None:
        """Fit anew once a batch of answers has come in; the prior's width, whenever answers have grown by half."""
        if self.answers - self._fitted < self.batch:
            return
        answers, _ = choice.gathered(self._tuples, self._best, self._worst, items=self.items)
        sigma = None if self.answers >= self._sigma_from else self._sigma
        posterior = choice.fitted(answers, sigma=sigma, start=self._z)
        if sigma is None:
            self._sigma, self._sigma_from = posterior.sigma, self.answers * 3 // 2
        self._z, self._variance = posterior.z, choice.inverse_diagonal(posterior.precision)
        self._fitted = self.answers
        if len(np.unique(self._tuples)) == self.items:
            self.error = float(np.sqrt(np.mean(self._slope() ** 2 * self._variance)))

    def _slope(self) -> FloatArray:
        """How fast each item's score rises with its latent value."""
        step = 1e-3
        return (choice.preference_scores(self._z, step) - choice.preference_scores(self._z, -step)) / (2 * step)

    def _worthiest(self, annotator: str) -> Iterator[IntArray]:
        """Fresh tuples: first the share with random company, then the others by their worth."""
        random = self._fresh(annotator, self._cut(self._rng.permutation(self.items)))
        share = self._explore * self.batch
        count = int(share) + int(self._rng.random() < share % 1)
        yield from random[:count]
        spread = np.sqrt(self._variance)
        drawn = [
            self._cut(np.argsort(self._z + temperature * spread * self._rng.standard_normal(self.items)))
            for temperature in _TEMPERATURES
            for _ in range(_DRAWS)
        ]
        candidates = self._fresh(annotator, np.concatenate(drawn))
        weight = self._slope() ** 2
        yield from candidates[np.argsort(-tuple_worth(self._z, self._variance, weight, candidates), kind="stable")]

    def _cut(self, order: IntArray) -> IntArray:
        """Neighbours of an order as tuples; where it is cut is random, so that no two neighbours stay apart."""
        start = int(self._rng.integers(min(self.size, self.items - self.size + 1)))
        count = (self.items - start) // self.size
        return order[start : start + count * self.size].reshape(count, self.size)

    def _pairs(self, tuples: IntArray) -> IntArray:
        """A number for each pair of items in each tuple."""
        places = np.array(list(combinations(range(self.size), 2)))
        ordered = np.sort(tuples, axis=1)
        return ordered[:, places[:, 0]] * self.items + ordered[:, places[:, 1]]

    def _fresh(self, annotator: str, tuples: IntArray) -> IntArray:
        met = self._met.get(annotator)
        if not met:
            return tuples
        return tuples[~np.isin(self._pairs(tuples), np.fromiter(met, dtype=np.int64)).any(axis=1)]

    def _any_fresh(self, annotator: str) -> list[IntArray]:
        """One tuple of fresh company, grown item by item, where none was found among neighbours."""
        met = self._met.get(annotator, set())
        for anchor in np.argsort(-self._variance, kind="stable").tolist():
            members = [anchor]
            for other in np.argsort(np.abs(self._z - self._z[anchor]), kind="stable").tolist():
                pairs = (min(other, member) * self.items + max(other, member) for member in members)
                if other not in members and met.isdisjoint(pairs):
                    members.append(other)
                if len(members) == self.size:
                    return [np.array(members)]
        return []


def tuple_worth(z: FloatArray, variance: FloatArray, weight: FloatArray, tuples: IntArray) -> FloatArray:
    r"""Expected fall of the weighted sum of variances if each tuple is answered once.

    With the posterior :math:`D = \mathrm{diag}(\mathrm{variance})` of its items and the expected Fisher information J
    of a best–worst answer, the new variance is :math:`(D^{-1} + J)^{-1}`, so that the fall is the trace of
    :math:`W (D - (D^{-1} + J)^{-1}) = W D (I + J D)^{-1} J D`. J is taken at differences of z moderated by their own
    variance (D. J. C. MacKay, 1992, Neural Computation 4, 720–736).

    Examples
    --------
    Two equal items of variance 1: J = ¼ [[1, −1], [−1, 1]] has the eigenvalue ½ and turns the variance 1 in that
    direction into 1/(1 + ½) = ⅔: the sum falls by ⅓. Items far apart teach nothing.

    >>> one = np.ones(3)
    >>> tuple_worth(np.array([0.0, 0.0, 99.0]), one, one, np.array([[0, 1], [0, 2]])).round(6).tolist()
    [0.333333, 0.0]
    """
    size = tuples.shape[1]
    # What the posterior doubts may be closer than it seems: differences shrink by the variance of the logits.
    x = z[tuples] / np.sqrt(1 + np.pi / 4 * variance[tuples].mean(axis=1, keepdims=True))
    best = special.softmax(x, axis=1)
    information = _spread_matrix(best)
    for place in range(size):
        low = -x
        low[:, place] = -np.inf
        information += best[:, place, None, None] * _spread_matrix(special.softmax(low, axis=1))
    scaled = information * variance[tuples][:, None, :]
    fall = np.linalg.solve(np.eye(size) + scaled, scaled)
    return np.asarray(np.einsum("ti,tii->t", weight[tuples] * variance[tuples], fall))


def _spread_matrix(shares: FloatArray) -> FloatArray:
    """diag(p) − p pᵀ, row by row."""
    matrix = -shares[:, :, None] * shares[:, None, :]
    place = np.arange(shares.shape[1])
    matrix[:, place, place] += shares
    return matrix
