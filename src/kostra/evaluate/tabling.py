"""Evaluations as tables: the house's table of results, and plain rows for the screen."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import polars as pl

from kostra.evaluate.outcome import Evaluation
from kostra.tables import RESULTS, Frame, check

Row = dict[str, str | float | int | None]


def as_results(evaluations: Iterable[Evaluation], *, metrics: Collection[str] | None = None) -> Frame:
    """The table of results of a step, limited to some metrics (in their order) where they are named.

    Examples
    --------
    >>> from kostra.evaluate.outcome import Measure
    >>> one = Evaluation("dice", "mine", "relatedness", (Measure("all", "cosine_spearman", 0.5, n=9),))
    >>> as_results([one]).row(0)
    ('dice', 'all', 'cosine_spearman', 0.5, None, None, 9, None)
    """
    order = list(metrics or ())
    rows = [
        {
            "encoder": one.encoder,
            "part": measure.part,
            "metric": measure.metric,
            "value": measure.value,
            "low": measure.low,
            "high": measure.high,
            "n": measure.n,
            "note": measure.note or None,
        }
        for one in evaluations
        for measure in sorted(one.measures, key=lambda m: order.index(m.metric) if m.metric in order else len(order))
        if not order or measure.metric in order
    ]
    return check(pl.DataFrame(rows, schema=RESULTS.dtypes), RESULTS, where="results")


def as_rows(evaluations: Iterable[Evaluation]) -> list[Row]:
    """One plain row per measure, for printing, CSV or a notebook.

    Examples
    --------
    >>> from kostra.evaluate.outcome import Measure
    >>> one = Evaluation("dice", "mine", "relatedness", (Measure("all", "cosine_spearman", 0.5, n=9),))
    >>> as_rows([one])[0]["value"]
    0.5
    """
    return [
        {
            "dataset": one.dataset,
            "task": one.task,
            "protocol": one.protocol,
            "encoder": one.encoder,
            "similarity": one.similarity,
            "part": measure.part,
            "metric": measure.metric,
            "value": measure.value,
            "low": measure.low,
            "high": measure.high,
            "n": measure.n,
            "note": measure.note,
        }
        for one in evaluations
        for measure in one.measures
    ]
