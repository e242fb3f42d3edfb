"""Calibration curve: correlation with an earlier score, by the number of answers an annotator has already given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import numpy as np
import polars as pl
from pydantic import Field

from kostra import tables
from kostra.errors import KostraError
from kostra.ratings import FloatArray, IntArray
from kostra.recipe import Strict
from kostra.reliability.thinking_time import (
    Curve,
    answers_against,
    curve_of,
    of_phases,
    of_questions,
    refuse_anonymous,
    written,
)
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame

_PURPOSE = "the calibration curve"


def calibration_curve(
    values: FloatArray,
    reference: FloatArray,
    given: IntArray,
    annotator: IntArray,
    *,
    rng: np.random.Generator,
    samples: int = 1000,
) -> Curve:
    r"""Pearson correlation of answers with a reference, by how many answers their annotators had given before [1]_.

    .. math:: \rho_k = \text{Pearson}\{(x_j, r_j) : k_j = k\}

    where :math:`k_j` is the number of answers that the annotator of answer *j* had already given. At each *k* all
    annotators' answers are correlated at once: it is no average of annotators' own correlations.

    Parameters
    ----------
    values, reference, given, annotator
        Per answer: the answer, the score to compare it with, how many answers its annotator had given before it, and
        who that was (0, 1, …).
    rng, samples
        The band is a percentile bootstrap with annotators as units.

    Returns
    -------
    Curve
        Points ``given``, ``value``, ``low``, ``high``, ``n``, ``annotators``. A correlation is undefined (empty) where
        a side is constant or fewer than two answers stand; there is no band where a single annotator made the point.

    References
    ----------
    .. [1] J. Sido, M. Seják, O. Pražák, M. Konopík and V. Moravec (2021). Czech news dataset for semantic textual
       similarity. Figure 4b.

    Examples
    --------
    Three annotators. Their first answers 2, 1, 3 against 1, 2, 3: the products of deviations are 0 + 0 + 1 and both
    sums of squares 2, so .5. Their second answers follow the reference exactly.

    >>> found = calibration_curve(
    ...     np.array([2.0, 1.0, 3.0, 4.0, 6.0, 5.0]),
    ...     np.array([1.0, 2.0, 3.0, 1.0, 3.0, 2.0]),
    ...     np.array([0, 0, 0, 1, 1, 1]),
    ...     np.array([0, 1, 2, 0, 1, 2]),
    ...     rng=np.random.default_rng(1),
    ... )
    >>> found.points.select("given", pl.col("value").round(12), "n").rows()
    [(0, 0.5, 3), (1, 1.0, 3)]
    """
    steps, point = np.unique(given, return_inverse=True)
    # Centred, so that differences of large sums do not eat the digits.
    x, y = (side - side.mean() if len(side) else side for side in (values, reference))
    sums = np.stack([np.ones(len(x)), x, y, x * x, y * y, x * y])
    curve = curve_of(point, annotator, sums, _pearson, rng=rng, samples=samples)
    return Curve(pl.DataFrame({"given": steps}).hstack(curve.points), curve.whole)


def _pearson(sums: FloatArray) -> FloatArray:
    """Correlation from n, Σx, Σy, Σx², Σy², Σxy; NaN where a side is constant."""
    n, x, y, xx, yy, xy = sums
    with np.errstate(invalid="ignore", divide="ignore"):
        across, along = xx - x * x / n, yy - y * y / n
        # What rounding leaves of a constant's variance is no variance.
        varied = (across > 1e-12 * xx) & (along > 1e-12 * yy)
        found = np.where(varied, (xy - x * y / n) / np.sqrt(across * along), np.nan)
    return found.clip(-1.0, 1.0)


def already_given(judgments: Frame) -> Frame:
    """Add to each judgment the number of answers that its annotator had given before it, as ``given``.

    Every answer with a value counts, also one that was later superseded, discarded or surplus: it was practice all
    the same. Answers of one moment count in the order of the table.

    Raises
    ------
    KostraError
        If an answer has no annotator or no time, so that the order is not known.

    Examples
    --------
    >>> from datetime import UTC, datetime
    >>> at = [datetime(2026, 3, 1, hour, tzinfo=UTC) for hour in (9, 8, 8)]
    >>> rows = {"annotator": ["ann", "ann", "bob"], "value": ["1", "2", "3"], "answered_at": at}
    >>> already_given(pl.DataFrame(rows))["given"].to_list()
    [1, 0, 0]
    """
    answers = judgments.drop_nulls("value")
    refuse_anonymous(answers, _PURPOSE)
    timeless = answers["answered_at"].null_count()
    if timeless:
        raise KostraError(
            f"{_PURPOSE} needs the order of the answers, and {timeless:,} of {answers.height:,} judgments have no time",
            accepted='judgments with the column "answered_at"',
        )
    place = pl.int_range(pl.len()).over("annotator")
    ordered = answers.with_row_index("_row").sort("answered_at", maintain_order=True)
    return ordered.with_columns(given=place).sort("_row").drop("_row")


# The step ----------------------------------------------------------------------------------------------

READS = ("judgments", "scores")
WRITES = ("statistics",)


class Options(Strict):
    """Which answers, against what."""

    against: str
    """The question whose scores are the reference, such as the score of an earlier round."""
    questions: tuple[str, ...] = ()
    """Rated questions; all of the chosen phases where none is named."""
    phases: tuple[str, ...] = ()
    """Phases whose answers are counted and correlated, in order of time; all where none is named."""
    blocks: tuple[str, ...] = ()
    """Only answers of these blocks; all unless said."""
    samples: Annotated[int, Field(ge=1)] = 1000
    """Bootstrap samples."""


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """A curve."""
    return Plan(
        f"correlates {inputs.get('judgments', 0):,} judgments with {options.against}, "
        "by the number of answers already given"
    )


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Write the curve as calibration_curve.csv and the correlation over all answers as a statistic."""
    judgments = of_phases(inputs["judgments"], options.phases, options.blocks)
    counted = already_given(of_questions(judgments, options.questions))
    answers, notes = answers_against(counted, inputs["scores"], options.against, purpose=_PURPOSE)
    columns = (answers[name].to_numpy() for name in ("value", "reference", "given", "who"))
    curve = calibration_curve(*columns, rng=context.rng, samples=options.samples)
    tables.write(curve.points, context.folder / "calibration_curve.csv")
    return {"statistics": written(curve, "calibration_pearson", answers, options.against, notes, context)}
