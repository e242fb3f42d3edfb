"""Correlation of two rounds: whole, diagonally filtered, and for random sets of the same size."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np
import polars as pl
from pydantic import Field, model_validator

from kostra import figures, tables
from kostra.analysis.diagonal_filter import BoolArray, diagonal_filter
from kostra.correlate import row_correlations, row_ranks
from kostra.errors import KostraError
from kostra.ratings import FloatArray, IntArray
from kostra.recipe import Strict
from kostra.reliability import Estimate
from kostra.reliability.agreement_step import statistics_table
from kostra.reliability.round_correlation import Rounds, round_correlation, side_by_side
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Numbers held at once while drawing: some tens of megabytes.
_BLOCK = 1 << 20


@dataclass(frozen=True)
class Control:
    """Correlations of random sets of one size, without any filter: what mere shrinking does.

    Attributes
    ----------
    mean, sd
        Of the correlations over the draws (n − 1); NaN where undefined.
    at_least
        Share of the draws whose correlation reaches the filter's: small where the filter does more than shrink.
    draws
        Draws with a correlation.
    size
        Items in each set.
    """

    mean: float
    sd: float
    at_least: float
    draws: int
    size: int


def random_control(
    first: FloatArray,
    second: FloatArray,
    *,
    size: int,
    reach: float = math.nan,
    ranks: bool = False,
    draws: int = 1000,
    rng: np.random.Generator,
) -> Control:
    """Correlate random sets of `size` items, drawn without replacement from all of them [1]_.

    Parameters
    ----------
    first, second
        The scores of all items in both rounds.
    size
        Items in a set: as many as the filter kept.
    reach
        The filter's own correlation, to say how many draws reach it.
    ranks
        Spearman's correlation instead of Pearson's.

    References
    ----------
    .. [1] J. Sido, M. Seják, O. Pražák, M. Konopík and V. Moravec (2021). Czech news dataset for semantic textual
       similarity. Table 2, N1-rand and N2-rand.

    Examples
    --------
    Any two of three items in line correlate perfectly.

    >>> line = np.array([1.0, 2.0, 3.0])
    >>> found = random_control(line, 2 * line, size=2, reach=0.5, draws=10, rng=np.random.default_rng(1))
    >>> round(found.mean, 12), round(found.sd, 12), found.at_least, found.draws
    (1.0, 0.0, 1.0, 10)
    """
    if not 0 <= size <= len(first):
        raise KostraError(f"a random set of {size:,} of {len(first):,} items cannot be drawn")
    block = max(1, _BLOCK // max(len(first), 1))
    found = []
    for start in range(0, draws, block):
        keys = rng.random((min(block, draws - start), len(first)))
        chosen = np.argpartition(keys, size - 1, axis=1)[:, :size] if 0 < size < len(first) else None
        one, two = (_taken(side, chosen, len(keys), size) for side in (first, second))
        found.append(row_correlations(row_ranks(one), row_ranks(two)) if ranks else row_correlations(one, two))
    values = np.concatenate(found) if found else np.zeros(0)
    values = values[np.isfinite(values)]
    several = len(values) > 1
    return Control(
        mean=float(values.mean()) if len(values) else math.nan,
        sd=float(values.std(ddof=1)) if several else math.nan,
        at_least=float((values >= reach - 1e-12).mean()) if len(values) and math.isfinite(reach) else math.nan,
        draws=len(values),
        size=size,
    )


def _taken(side: FloatArray, chosen: IntArray | None, draws: int, size: int) -> FloatArray:
    return np.tile(side[:size], (draws, 1)) if chosen is None else side[chosen]


def filtered_correlations(
    rounds: Rounds,
    kept: Mapping[str, BoolArray],
    *,
    controls: int = 1000,
    rng: np.random.Generator,
    samples: int = 1000,
) -> Frame:
    """Pearson and Spearman of two rounds, for all items and for each filter, beside random sets of equal size.

    Parameters
    ----------
    rounds
        Scores side by side (`kostra.reliability.round_correlation.side_by_side`).
    kept
        By the filter's name, which items it keeps.
    controls
        Random sets per filter.

    Returns
    -------
    Frame
        One row per filter (``all`` first) and correlation: ``filter``, ``correlation``, ``value``, ``low``, ``high``,
        ``n``, ``note``; and of the controls ``random_mean``, ``random_sd``, ``random_draws`` and ``random_at_least``,
        the share of draws that reach the filter's value.

    Examples
    --------
    Of all four, deviations −2.25, .75, 3.75, −2.25 and −3.75, −.75, 2.25, 2.25 have products of 11.25 and squares of
    24.75 each, so 5/11. Without the last pair the rounds agree.

    >>> rounds = Rounds(("p", "q", "r", "s"), np.array([0.0, 3.0, 6.0, 0.0]), np.array([0.0, 3.0, 6.0, 6.0]))
    >>> kept = {"n1": np.array([True, True, True, False])}
    >>> found = filtered_correlations(rounds, kept, controls=20, rng=np.random.default_rng(1), samples=20)
    >>> found.filter(pl.col("correlation") == "pearson").select("filter", pl.col("value").round(4), "n").rows()
    [('all', 0.4545, 4), ('n1', 1.0, 3)]
    """
    everything = np.ones(len(rounds.first), dtype=np.bool_)
    rows: list[dict[str, object]] = []
    for name, keep in {"all": everything, **kept}.items():
        for kind in ("pearson", "spearman"):
            ranks = kind == "spearman"
            found = round_correlation(rounds.first[keep], rounds.second[keep], ranks=ranks, rng=rng, samples=samples)
            row: dict[str, object] = {"filter": name, "correlation": kind, **asdict(found), "note": found.note or None}
            if name != "all":
                control = random_control(
                    rounds.first, rounds.second, size=found.n, reach=found.value, ranks=ranks, draws=controls, rng=rng
                )
                row |= {f"random_{key}": value for key, value in asdict(control).items() if key != "size"}
            rows.append(row)
    return pl.DataFrame(rows, schema=_COLUMNS).with_columns(pl.col(pl.Float64).fill_nan(None))


_COLUMNS = {
    "filter": pl.String, "correlation": pl.String, "value": pl.Float64, "low": pl.Float64, "high": pl.Float64,
    "n": pl.Int64, "note": pl.String, "random_mean": pl.Float64, "random_sd": pl.Float64, "random_draws": pl.Int64,
    "random_at_least": pl.Float64,
}  # fmt: skip


def rounds_figure(found: Frame, *, correlation: str = "pearson") -> Figure:
    """Bars of the correlation under each filter beside its random control.

    Examples
    --------
    >>> rounds = Rounds(("p", "q", "r", "s"), np.array([0.0, 3.0, 6.0, 0.0]), np.array([0.0, 3.0, 6.0, 5.0]))
    >>> found = filtered_correlations(rounds, {}, rng=np.random.default_rng(1), samples=20)
    >>> rounds_figure(found).get_label().splitlines()[0]
    'Correlation of the two rounds'
    """
    bars = []
    for row in found.filter((pl.col("correlation") == correlation) & pl.col("value").is_not_null()).iter_rows(
        named=True
    ):
        bars.append(figures.Bar(row["filter"], "filtered", row["value"], row["low"], row["high"]))
        if row["random_mean"] is not None:
            bars.append(figures.Bar(row["filter"], "random, equal size", row["random_mean"]))
    return figures.bars(bars, x_label=f"{correlation.capitalize()} correlation", title="Correlation of the two rounds")


# The step ----------------------------------------------------------------------------------------------

READS = ("scores",)
WRITES = ("statistics",)


class Correction(Strict):
    """One score that the user knows to be wrong, and what it should be."""

    question: str
    """The question of the score that is read otherwise."""
    item: str
    """Its item."""
    score: float
    """What it is read as."""


class Options(Strict):
    """Which rounds, which filters, and what the user corrects."""

    first: str
    """The question of the first round."""
    second: Annotated[tuple[str, ...], Field(min_length=1)]
    """The questions of the second round, each correlated with the first."""
    within: tuple[Annotated[float, Field(ge=0)], ...] = ()
    """Distances of diagonal filters: 1 is the paper's N1, 2 its N2. Their pairs need classes (``subset``)."""
    expected: dict[str, float] = Field(default={})
    """Score expected of each class."""
    random_controls: Annotated[int, Field(ge=1)] = 1000
    """Random sets per filter."""
    corrections: tuple[Correction, ...] = ()
    """Scores to read otherwise than they stand; each is recorded among the findings."""
    samples: Annotated[int, Field(ge=1)] = 1000
    """Bootstrap samples."""

    @model_validator(mode="after")
    def _expects(self) -> Options:
        if self.within and not self.expected:
            raise ValueError("a diagonal filter needs `expected`, such as { a = 6.0, b = 3.0, c = 0.0 }")
        return self


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """Correlations."""
    filters = f", whole and within {', '.join(f'{within:g}' for within in options.within)}" if options.within else ""
    return Plan(f"correlates {options.first} with {', '.join(options.second)}{filters}")


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Write all correlations as two_rounds.csv and as statistics, and draw those with each question."""
    score = context.recipe.score
    corrections = _corrections(options)
    tidy, made = [], []
    for question in options.second:
        own = {cell: value for cell, value in corrections.items() if cell[0] in (options.first, question)}
        rounds = side_by_side(
            inputs["scores"], options.first, question, low=score.low, high=score.high, corrections=own
        )
        context.findings += [finding for finding in rounds.findings if finding not in context.findings]
        found = filtered_correlations(
            rounds, _kept(rounds, inputs, options), controls=options.random_controls, rng=context.rng,
            samples=options.samples,
        )  # fmt: skip
        figures.save_all(rounds_figure(found), context.folder / f"two_rounds_{question}")
        tidy.append(found.insert_column(0, pl.Series("question", [question] * found.height)))
        made.append(statistics_table(_estimates(found), question=question))
    tables.write(pl.concat(tidy), context.folder / "two_rounds.csv")
    return {"statistics": pl.concat(made)}


def _corrections(options: Options) -> dict[tuple[str, str], float]:
    known = (options.first, *options.second)
    corrections: dict[tuple[str, str], float] = {}
    for one in options.corrections:
        if one.question not in known:
            raise KostraError(f'a correction is about "{one.question}"', accepted=f"one of {', '.join(known)}")
        if (one.question, one.item) in corrections:
            raise KostraError(f'"{one.item}" of "{one.question}" is corrected twice', accepted="one correction each")
        corrections[one.question, one.item] = one.score
    return corrections


def _kept(rounds: Rounds, inputs: Inputs, options: Options) -> dict[str, BoolArray]:
    if not options.within:
        return {}
    if "pairs" not in inputs:
        raise KostraError(
            "a diagonal filter needs the pairs' classes", remedy="read a step that writes pairs, or drop `within`"
        )
    class_of = dict(inputs["pairs"].select("pair", "subset").iter_rows())
    classes = [class_of.get(item) for item in rounds.items]
    return {
        f"n{within:g}": diagonal_filter(rounds.first, classes, expected=options.expected, within=within)
        for within in options.within
    }


def _estimates(found: Frame) -> dict[str, Estimate]:
    estimates = {}
    for row in found.iter_rows(named=True):
        name = f"rounds_{row['correlation']}" + ("" if row["filter"] == "all" else f"_{row['filter']}")
        low, high, value = (math.nan if row[key] is None else row[key] for key in ("low", "high", "value"))
        estimates[name] = Estimate(value, low, high, row["n"], row["note"] or "")
        if row["random_mean"] is not None:
            said = f"mean of {row['random_draws']:,} random sets of equal size"
            said += "" if row["random_sd"] is None else f", standard deviation over sets {row['random_sd']:.4f}"
            if row["random_at_least"] is not None:
                said += f"; {row['random_at_least']:.1%} of them reach the filter's value"
            estimates[f"{name}_random"] = Estimate(row["random_mean"], n=row["n"], note=said)
    return estimates
