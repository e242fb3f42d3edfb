"""RMSE against an earlier score, by the seconds that an answer took."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import Field

from kostra import tables
from kostra.errors import KostraError, counted, some
from kostra.ratings import FloatArray, IntArray
from kostra.recipe import Strict
from kostra.reliability import Estimate
from kostra.reliability.agreement_step import statistics_table
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame

# Numbers held at once while drawing: some tens of megabytes.
_BLOCK = 1 << 20


@dataclass(frozen=True, eq=False)
class Curve:
    """A statistic at several points, with the same for all answers at once."""

    points: Frame
    """One row per point: where it stands, value, low, high, n (answers), annotators; empty cells are undefined."""
    whole: Estimate
    """The statistic over all answers."""


def rmse_by_thinking_time(
    values: FloatArray,
    reference: FloatArray,
    seconds: FloatArray,
    annotator: IntArray,
    *,
    bucket_seconds: float = 1.0,
    rng: np.random.Generator,
    samples: int = 1000,
) -> Curve:
    r"""Root mean squared distance of answers from a reference, in buckets of thinking time [1]_.

    .. math:: \text{RMSE}_b = \sqrt{\frac{1}{n_b} \sum_{\lfloor t_j / w \rfloor = b} (x_j - r_j)^2}

    for answers :math:`x_j` that took :math:`t_j` seconds, their references :math:`r_j` and buckets of width *w*.

    Parameters
    ----------
    values, reference, seconds, annotator
        Per answer: the answer, the score to compare it with, the thinking time, who gave it (0, 1, …).
    bucket_seconds
        Width of a bucket: bucket *b* holds times from b·w up to, and without, (b + 1)·w.
    rng, samples
        The band is a percentile bootstrap with annotators as units, since one person's answers resemble each other.

    Returns
    -------
    Curve
        Points ``seconds_from``, ``seconds_to``, ``value``, ``low``, ``high``, ``n``, ``annotators``. A bucket without
        answers has no row; one with answers of a single annotator has no band.

    Raises
    ------
    KostraError
        If a time is negative or not a number, or the width is not positive.

    References
    ----------
    .. [1] J. Sido, M. Seják, O. Pražák, M. Konopík and V. Moravec (2021). Czech news dataset for semantic textual
       similarity. Figure 4a.

    Examples
    --------
    Two answers within the first second miss by 3 and by 1, √((9 + 1)/2) = √5; one after two seconds misses by 2.

    >>> found = rmse_by_thinking_time(
    ...     np.array([6.0, 2.0, 4.0]),
    ...     np.array([3.0, 3.0, 2.0]),
    ...     np.array([0.2, 0.9, 2.0]),
    ...     np.array([0, 1, 0]),
    ...     rng=np.random.default_rng(1),
    ... )
    >>> found.points.select("seconds_from", pl.col("value").pow(2).round(12), "n").rows()
    [(0.0, 5.0, 2), (2.0, 4.0, 1)]
    """
    if not bucket_seconds > 0:
        raise KostraError(f"a bucket of {bucket_seconds:g} seconds is none", accepted="a width above 0")
    strange = ~(np.isfinite(seconds) & (seconds >= 0))
    if strange.any():
        raise KostraError(
            f"{strange.sum():,} thinking times are no time, e.g. {seconds[strange][0]:g}", accepted="seconds from 0"
        )
    # The little bit keeps 0.3 in the fourth bucket of 0.1, where it belongs and rounding would not have it.
    bucket, point = np.unique(np.floor(seconds / bucket_seconds + 1e-9), return_inverse=True)
    sums = np.stack([np.ones(len(values)), (values - reference) ** 2])
    curve = curve_of(point, annotator, sums, _rmse, rng=rng, samples=samples)
    ends = {"seconds_from": bucket * bucket_seconds, "seconds_to": (bucket + 1) * bucket_seconds}
    return Curve(pl.DataFrame(ends).hstack(curve.points), curve.whole)


def _rmse(sums: FloatArray) -> FloatArray:
    count, squares = sums
    found = np.full(count.shape, np.nan)
    np.divide(squares, count, out=found, where=count > 0)
    return np.sqrt(found)


# What the curves share ---------------------------------------------------------------------------------


def curve_of(
    point: IntArray,
    annotator: IntArray,
    sums: FloatArray,
    statistic: Callable[[FloatArray], FloatArray],
    *,
    rng: np.random.Generator,
    samples: int,
) -> Curve:
    """A statistic of sums over answers, at each point and over all, with bands from resampled annotators.

    Parameters
    ----------
    point, annotator
        Per answer, the point (0, 1, …) and the annotator (0, 1, …).
    sums
        What each answer adds: one row per sum, one column per answer.
    statistic
        Function of the sums (sums × anything) that gives one value for each place, NaN where undefined.
    """
    from scipy import sparse

    points, people = int(point.max(initial=-1)) + 1, int(annotator.max(initial=-1)) + 1
    # The last column holds all answers at once.
    rows, columns = np.tile(annotator, 2), np.concatenate([point, np.full(len(point), points)])
    shape = (people, points + 1)
    parts = [sparse.csr_array((np.tile(part, 2), (rows, columns)), shape=shape) for part in sums]
    value = statistic(np.stack([part.sum(axis=0) for part in parts]))
    answers = np.bincount(columns, minlength=points + 1)
    who = np.bincount(np.unique(columns * max(people, 1) + rows) // max(people, 1), minlength=points + 1)
    drawn = [
        statistic(np.stack([(part.T @ weights).T for part in parts]))
        for weights in _annotator_weights(people, points + 1, samples, rng)
    ]
    low, high = _band(np.concatenate(drawn), who > 1)
    columns_of = {"value": value, "low": low, "high": high, "n": answers, "annotators": who}
    frame = pl.DataFrame(columns_of, nan_to_null=True).with_columns(pl.col("n", "annotators").cast(pl.Int64))
    whole = Estimate(float(value[-1]), float(low[-1]), float(high[-1]), int(answers[-1]))
    return Curve(frame.head(points), whole)


def _annotator_weights(people: int, points: int, samples: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """How often each annotator is drawn: annotators × samples, in blocks."""
    block = max(1, _BLOCK // max(people, points, 1))
    shares = np.full(people, 1 / max(people, 1))
    for start in range(0, samples, block):
        size = min(block, samples - start)
        yield rng.multinomial(people, shares, size=size).T.astype(np.float64)


def _band(drawn: FloatArray, several: NDArray[np.bool_]) -> tuple[FloatArray, FloatArray]:
    """The middle 95% of the samples in which a point is defined; none where one annotator alone made the point."""
    ends = np.full((2, drawn.shape[1]), np.nan)
    defined = several & np.isfinite(drawn).any(axis=0)
    if defined.any():
        ends[:, defined] = np.nanquantile(drawn[:, defined], [0.025, 0.975], axis=0)
    return ends[0], ends[1]


def answers_against(judgments: Frame, scores: Frame, against: str, *, purpose: str) -> tuple[Frame, list[str]]:
    """Accepted numeric answers beside their item's score on the question `against`, and what was left out.

    Returns
    -------
    frame
        The judgments' columns with ``value`` as a number, ``reference``, and ``who``: the annotator, numbered.
    notes
        How many answers had no reference.

    Raises
    ------
    KostraError
        Where answers are anonymous, are no numbers, or none of them has a reference.
    """
    numbers = _numeric(judgments.filter(pl.col("status") == "answered"), purpose)
    refuse_anonymous(numbers, purpose)
    earlier = scores.filter(pl.col("question") == against).drop_nulls("score").select("item", reference="score")
    joined = numbers.join(earlier, on="item", how="inner", maintain_order="left")
    if not joined.height:
        known = scores["question"].unique(maintain_order=True)
        raise KostraError(
            f'no answer is about an item with a score of "{against}"', accepted=f"scores of {some(known)}"
        )
    missing = numbers.height - joined.height
    notes = [f'left out for want of a score of "{against}": {counted(missing, "judgment")}'] if missing else []
    # Numbered by name, so that the order of the table does not change what is drawn.
    return joined.with_columns(who=pl.col("annotator").rank("dense").cast(pl.Int64) - 1), notes


def refuse_anonymous(answers: Frame, purpose: str) -> None:
    """Refuse answers of which one does not say who gave it."""
    anonymous = answers["annotator"].null_count()
    if anonymous:
        raise KostraError(
            f"{purpose} needs to know who gave which answer, and {anonymous:,} of {answers.height:,} judgments are "
            "anonymous",
            accepted="answers with an annotator each; columns without names are not annotators",
        )


def _numeric(answers: Frame, purpose: str) -> Frame:
    numbers = answers.with_columns(pl.col("value").cast(pl.Float64, strict=False))
    odd = answers.filter(~numbers["value"].is_finite().fill_null(False))
    if odd.height:
        raise KostraError(
            f"{purpose} needs numbers, and {counted(odd.height, 'judgment')} gave none, e.g. {odd['value'][0]!r} to "
            f'"{odd["question"][0]}"',
            remedy=f"name the rated questions; there are {some(answers['question'].unique(maintain_order=True))}",
        )
    return numbers


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
    """Phases whose answers count; all where none is named."""
    blocks: tuple[str, ...] = ()
    """Only answers of these blocks; all unless said."""
    bucket_seconds: Annotated[float, Field(gt=0)] = 1.0
    """Width of a point of the curve."""
    samples: Annotated[int, Field(ge=1)] = 1000
    """Bootstrap samples."""


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """A curve."""
    return Plan(
        f"compares {inputs.get('judgments', 0):,} judgments with {options.against}, "
        f"in buckets of {options.bucket_seconds:g} s of thinking time"
    )


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Write the curve as thinking_time.csv and the error over all answers as a statistic."""
    judgments = of_phases(inputs["judgments"], options.phases, options.blocks)
    judgments = of_questions(judgments, options.questions)
    answers, notes = answers_against(judgments, inputs["scores"], options.against, purpose="RMSE by thinking time")
    timed = answers.drop_nulls("seconds")
    if not timed.height:
        raise KostraError(
            "RMSE by thinking time needs thinking times, and none of these answers has one",
            accepted='judgments with the column "seconds"',
        )
    if timed.height < answers.height:
        notes.append(f"left out, since nobody noted the time: {counted(answers.height - timed.height, 'judgment')}")
    columns = (timed[name].to_numpy() for name in ("value", "reference", "seconds", "who"))
    curve = rmse_by_thinking_time(
        *columns, bucket_seconds=options.bucket_seconds, rng=context.rng, samples=options.samples
    )
    tables.write(curve.points, context.folder / "thinking_time.csv")
    return {"statistics": written(curve, "thinking_time_rmse", timed, options.against, notes, context)}


def of_phases(judgments: Frame, phases: Sequence[str], blocks: Sequence[str]) -> Frame:
    """The judgments of these phases and blocks, or of all where none is named; an unknown name is refused."""
    for column, wanted in (("phase", phases), ("block", blocks)):
        known = judgments[column].unique(maintain_order=True).to_list()
        strange = [name for name in wanted if name not in known]
        if strange:
            raise KostraError(
                f"no judgment belongs to the {column} {some(strange)}", accepted=some(known, 12) or "there is none"
            )
        if wanted:
            judgments = judgments.filter(pl.col(column).is_in(list(wanted)))
    return judgments


def of_questions(judgments: Frame, questions: Sequence[str]) -> Frame:
    """The judgments that answer these questions, or all where none is named; an unknown name is refused."""
    known = judgments["question"].unique(maintain_order=True).to_list()
    strange = [name for name in questions if name not in known]
    if strange:
        raise KostraError(f"no judgment answers {some(strange)}", accepted=some(known, 12))
    return judgments.filter(pl.col("question").is_in(list(questions))) if questions else judgments


def written(curve: Curve, name: str, answers: Frame, against: str, notes: Sequence[str], context: Context) -> Frame:
    """The statistic over all answers as a table, with what was left out among the findings."""
    for note in notes:
        context.note("left_out", note)
    whole = curve.whole
    undefined = "" if math.isfinite(whole.value) else "undefined: the answers or the reference are all equal"
    units = f"n counts answers against {against}; interval over {answers['who'].n_unique():,} annotators"
    said = "; ".join([part for part in (undefined, units, *notes) if part])
    question = " + ".join(answers["question"].unique(maintain_order=True))
    return statistics_table({name: replace(whole, note=said)}, question=question)
