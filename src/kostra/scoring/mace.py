"""Labels by MACE: each annotator either knows the label or answers in a way of their own, so that spam weighs less."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import numpy as np
from pydantic import Field

from kostra.ratings import Ratings
from kostra.scoring.dawid_skene import CrowdLabels, CrowdOptions, crowd_kit, crowd_step, crowd_table
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame

READS = ("judgments",)
WRITES = ("scores",)

SETTLED = 0.01
"""A posterior that moves by less in the last half of the rounds is called settled."""


def mace_labels(ratings: Ratings, *, rng: np.random.Generator, iterations: int = 100, restarts: int = 3) -> CrowdLabels:
    r"""Estimate labels and how often each annotator knows them, by variational Bayes [1]_ of crowd-kit [2]_.

    .. math:: P(x_{ai} = k \mid z_i = c) = \theta_a [k = c] + (1 - \theta_a)\, \xi_{ak}

    Annotator a knows the label with probability :math:`\theta_a`, which is the reliability, and otherwise says k with
    probability :math:`\xi_{ak}`, whatever is true. All labels are equally common beforehand.

    Parameters
    ----------
    ratings
        Labels (or numbers, which are then labels by their value) with an annotator each.
    rng
        Draws the beginnings. Left to itself, crowd-kit restarts from one and the same.
    iterations
        So many rounds: MACE has no stopping rule.
    restarts
        How many beginnings; the one that ends with the highest likelihood is kept.

    Returns
    -------
    CrowdLabels
        Crowd-kit does not tell whether the estimate has converged. So it is fitted twice, from the same beginnings,
        with all rounds and with half of them: converged means that no posterior differs by `SETTLED` or more.

    Raises
    ------
    KostraError
        If answers are anonymous, there are none, or crowd-kit is not installed (the extra ``crowd``).

    References
    ----------
    .. [1] D. Hovy, T. Berg-Kirkpatrick, A. Vaswani and E. Hovy (2013). Learning whom to trust with MACE. NAACL-HLT
       2013, 1120–1130.
    .. [2] D. Ustalov, N. Pavlichenko and B. Tseitlin (2024). Learning from crowds with Crowd-Kit. Journal of Open
       Source Software 9 (96), 6227.

    Examples
    --------
    Nine of ten annotators agree on all items, the tenth says yes whatever he sees: he is trusted least. (Runs where
    the extra is installed.)

    >>> from kostra.ratings import ratings_from
    >>> rows = [(f"item {i}", f"ann {a}", "yes" if i % 2 or a == 9 else "no") for i in range(20) for a in range(10)]
    >>> ratings = ratings_from([r[0] for r in rows], [r[2] for r in rows], [r[1] for r in rows])
    >>> found = mace_labels(ratings, rng=np.random.default_rng(1))  # doctest: +SKIP
    >>> int(found.reliability.argmin()), found.converged  # doctest: +SKIP
    (9, True)
    """
    table = crowd_table(ratings, "MACE")
    seed = int(rng.integers(2**32))
    fits = []
    with crowd_kit("MACE") as aggregation:
        for rounds in (max(1, iterations // 2), iterations):
            model = aggregation.MACE(n_restarts=restarts, n_iter=rounds, random_state=np.random.default_rng(seed))
            fits.append(model.fit(table.frame()))
    posteriors = [fitted.probas_.sort_index().sort_index(axis=1).to_numpy() for fitted in fits]
    moved = float(np.abs(posteriors[1] - posteriors[0]).max())
    return table.result(
        posterior=posteriors[1],
        reliability=fits[1].spamming_[:, 1] / fits[1].spamming_.sum(axis=1),
        iterations=iterations,
        converged=moved < SETTLED,
        note=f"in the last half of {iterations} rounds no posterior moved by more than {moved:.1e}",
    )


# The step ----------------------------------------------------------------------------------------------


class Options(CrowdOptions):
    """Which answers count, and how hard the model is looked for."""

    restarts: Annotated[int, Field(ge=1)] = 3
    """How many random beginnings."""


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """One label per judged item."""
    return Plan(f"estimates who knows from {inputs.get('judgments', 0):,} judgments and labels the items")


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Label the items."""
    return crowd_step(
        inputs,
        options,
        context,
        lambda ratings: mace_labels(ratings, rng=context.rng, iterations=options.iterations, restarts=options.restarts),
    )
