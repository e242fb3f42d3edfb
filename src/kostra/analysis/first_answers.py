"""The first answers of annotators, drawn: their error by thinking time, and how they warm up (two curves).

From the second one reads how many leading items must be given away to calibration (Czech News STS, Figure 4: six). The
numbers behind the curves are those of `kostra.reliability.thinking_time` and `kostra.reliability.calibration_curve`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import polars as pl
from pydantic import Field

from kostra import figures, tables
from kostra.errors import KostraError
from kostra.recipe import Strict
from kostra.reliability import Estimate
from kostra.reliability.agreement_step import statistics_table
from kostra.reliability.calibration_curve import already_given, calibration_curve
from kostra.reliability.thinking_time import answers_against, of_phases, of_questions, rmse_by_thinking_time
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure

READS = ("judgments", "scores")
WRITES = ("statistics",)


class Options(Strict):
    """Which answers, against what."""

    against: str
    """The question whose scores are the reference, such as the score of an earlier round."""
    questions: tuple[str, ...] = ()
    """Rated questions; all of the chosen phases where none is named."""
    phases: tuple[str, ...] = ()
    """Phases whose answers count, in order of time; all where none is named."""
    bucket_seconds: Annotated[float, Field(gt=0)] = 1.0
    """Width of a point of the curve."""
    fewest: Annotated[int, Field(ge=2)] = 3
    """Points of fewer answers are in the table and not in the picture: one odd answer would be a spike."""
    samples: Annotated[int, Field(ge=1)] = 1000
    """Bootstrap samples."""


def warmed_up(points: Frame) -> int | None:
    """After how many answers the curve first reaches its own level: the mean of all points behind the first half.

    A rule of thumb for the eye's judgment in the paper, meant to propose and not to decide. None where fewer than four
    points are defined.

    Parameters
    ----------
    points
        ``given`` and ``value``, as `kostra.reliability.calibration_curve.calibration_curve` gives them.

    Examples
    --------
    The level is the mean of .9, .8 and .9, less what its points differ by (a standard deviation of .0577): .809.

    >>> curve = pl.DataFrame({"given": [0, 1, 2, 3, 4, 5], "value": [0.5, 0.6, 0.85, 0.9, 0.8, 0.9]})
    >>> warmed_up(curve)
    2
    """
    defined = points.drop_nulls("value").sort("given")
    if defined.height < 4:
        return None
    later = defined["value"].tail(defined.height // 2)
    level = float(later.to_numpy().mean()) - float(later.to_numpy().std(ddof=1))
    return int(defined.filter(pl.col("value") >= level)["given"][0])


def curve_figure(points: Frame, across: str, *, fewest: int, x_label: str, y_label: str, title: str) -> Figure:
    """One curve with its band; points of fewer answers than `fewest` are left out.

    Examples
    --------
    >>> curve = pl.DataFrame({"given": [0, 1], "value": [0.5, 0.8], "low": [0.4, 0.7], "high": [0.6, 0.9], "n": [9, 9]})
    >>> print(
    ...     curve_figure(curve, "given", fewest=3, x_label="given", y_label="Pearson", title="Warming up").get_label()
    ... )
    Warming up
    value: 0.50 at 0 to 0.80 at 1.
    """
    shown = points.filter((pl.col("n") >= fewest) & pl.col("value").is_not_null())
    ends = {name: shown[name].cast(pl.Float64).fill_null(math.nan).to_list() for name in ("low", "high")}
    line = figures.Curve("value", shown[across].to_list(), shown["value"].to_list(), ends["low"], ends["high"])
    return figures.curves([line], x_label=x_label, y_label=y_label, title=title, marked=shown.height <= 60)


# The step ----------------------------------------------------------------------------------------------


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """Two pictures."""
    return Plan(f"draws error and correlation of {inputs.get('judgments', 0):,} judgments against {options.against}")


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Write both curves as CSV and SVG, and the proposed length of calibration as a statistic."""
    chosen = of_questions(of_phases(inputs["judgments"], options.phases, ()), options.questions)
    answers, notes = answers_against(
        already_given(chosen), inputs["scores"], options.against, purpose="the curves of first answers"
    )
    for note in notes:
        context.note("left_out", note)
    timed = answers.drop_nulls("seconds")
    if timed.is_empty():
        raise KostraError("none of these answers says how long it took", accepted='judgments with the column "seconds"')
    thinking = rmse_by_thinking_time(
        *(timed[name].to_numpy() for name in ("value", "reference", "seconds", "who")),
        bucket_seconds=options.bucket_seconds, rng=context.rng, samples=options.samples,
    ).points  # fmt: skip
    warming = calibration_curve(
        *(answers[name].to_numpy() for name in ("value", "reference", "given", "who")),
        rng=context.rng, samples=options.samples,
    ).points  # fmt: skip
    reference = options.against.replace("_", " ")
    drawn = {
        "thinking_time": (thinking, thinking.columns[0], "seconds of thinking", f"RMSE against {reference}"),
        "calibration_curve": (warming, "given", "answers already given", f"Pearson with {reference}"),
    }
    for name, (points, across, x_label, y_label) in drawn.items():
        tables.write(points, context.folder / f"{name}.csv")
        figure = curve_figure(
            points, across, fewest=options.fewest, x_label=x_label, y_label=y_label, title=f"{y_label}, by {x_label}"
        )
        figures.save_all(figure, context.folder / name)
    question = " + ".join(answers["question"].unique(maintain_order=True))
    return {"statistics": statistics_table({"calibration_length": _length(warming)}, question=question)}


def _length(points: Frame) -> Estimate:
    found, n = warmed_up(points), int(points["n"].sum())
    if found is None:
        return Estimate(math.nan, n=n, note="undefined: the curve has fewer than four points")
    said = "answers until the curve first reaches the level of its second half; look at the curve before you settle it"
    return Estimate(found, n=n, note=said)
