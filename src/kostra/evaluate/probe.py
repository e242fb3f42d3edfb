"""A linear probe: what a straight cut through an encoder's space can tell about the two sentences of a pair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kostra.encoders import Encoder, PairEncoder, similarities
from kostra.evaluate.folds import Folds
from kostra.evaluate.likeness import space_of

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Features = Literal["symmetric", "directed"]


def pair_features(
    chosen: Encoder, pairs: Sequence[tuple[str, str]], features: Features = "symmetric"
) -> tuple[FloatArray, dict[str, int]]:
    """What the probe sees of each pair, and what was counted.

    ``symmetric`` is [|u − v|; u·v], component by component, as in SentEval: it cannot tell (A, B) from (B, A).
    ``directed`` puts u and v before it, as InferSent does. A pair encoder has its one number.

    References
    ----------
    A. Conneau and D. Kiela (2018). SentEval: an evaluation toolkit for universal sentence representations. LREC 2018.

    Examples
    --------
    >>> from kostra.encoders import encoder
    >>> made, _ = pair_features(encoder("hashed"), [("a", "b")])
    >>> made.shape
    (1, 128)
    """
    if isinstance(chosen, PairEncoder):
        return similarities(chosen, list(pairs))[:, None], {"sentences": len({text for pair in pairs for text in pair})}
    space = space_of(chosen, [text for pair in pairs for text in pair])
    u = space.vectors[space.rows([one for one, _ in pairs])]
    v = space.vectors[space.rows([two for _, two in pairs])]
    both = [np.abs(u - v), u * v]
    return np.hstack([u, v, *both] if features == "directed" else both), dict(space.counts)


def probed(features: FloatArray, codes: IntArray, folds: Folds, *, strength: float = 1.0) -> IntArray:
    """Each pair's class by a logistic regression that was fitted on the other folds.

    Features are brought to mean 0 and standard deviation 1 on the training pairs.

    Parameters
    ----------
    strength
        Inverse of the L2 penalty.

    Examples
    --------
    >>> from kostra.evaluate.folds import Ends
    >>> folds = Folds(np.array([0, 1, 0, 1]), Ends.of([("a", "b"), ("c", "d"), ("e", "f"), ("g", "h")]), kind="random")
    >>> probed(np.array([[0.0], [0.1], [1.0], [0.9]]), np.array([0, 0, 1, 1]), folds).tolist()
    [0, 0, 1, 1]
    """
    from sklearn.linear_model import LogisticRegression  # takes a second to import

    found = np.full(len(codes), -1, dtype=np.int64)
    for train, test in folds:
        known = np.unique(codes[train])
        if len(known) < 2:
            found[test] = known[0] if len(known) else -1
            continue
        middle, spread = features[train].mean(axis=0), features[train].std(axis=0)
        spread[spread == 0] = 1.0
        model = LogisticRegression(C=strength, max_iter=1000)
        model.fit((features[train] - middle) / spread, codes[train])
        found[test] = model.predict((features[test] - middle) / spread)
    return found


def accuracy(gold: IntArray, found: IntArray) -> float:
    """Share of equal classes; NaN without any.

    Examples
    --------
    >>> accuracy(np.array([0, 1, 1]), np.array([0, 1, 0]))
    0.6666666666666666
    """
    return float((gold == found).mean()) if len(gold) else float("nan")


def f1_by_class(gold: IntArray, found: IntArray, classes: int) -> FloatArray:
    """F1 of each class; 0 where a class was never found rightly, NaN where it is neither in gold nor found.

    Examples
    --------
    Class 0: one right, one missed, none wrong: 2/(2 + 1). Class 1: one right, one wrong.

    >>> f1_by_class(np.array([0, 0, 1]), np.array([0, 1, 1]), 2).round(4).tolist()
    [0.6667, 0.6667]
    """
    right = np.bincount(gold[gold == found], minlength=classes)
    both = np.bincount(gold, minlength=classes) + np.bincount(found[found >= 0], minlength=classes)
    scores = np.full(classes, np.nan)
    np.divide(2 * right, both, out=scores, where=both > 0)
    return scores
