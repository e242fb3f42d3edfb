"""How well encoders order pairs as people did: correlation with the scores, whole and per source."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import Field

from kostra.correlate import correlation, row_correlations, row_ranks
from kostra.encoders import encoder, similarities
from kostra.recipe import Strict
from kostra.resample import bootstrap_interval
from kostra.steps import Context, Inputs, Plan
from kostra.tables import RESULTS, Frame, check

READS = ("pairs", "scores")
WRITES = ("results",)

FloatArray = NDArray[np.float64]


class Options(Strict):
    """Which encoders."""

    encoders: tuple[str, ...] = Field(default=("dice", "static"), min_length=1)
    samples: int = Field(default=1000, ge=1)
    """Bootstrap samples."""


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """Encoders × parts."""
    for name in options.encoders:
        encoder(name)  # an unknown name shows before anything runs
    return Plan(f"compares {len(options.encoders)} encoders ({', '.join(options.encoders)}) with the scores")


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Correlate each encoder with the scores."""
    question = context.recipe.score.question
    scored = inputs["scores"].filter(pl.col("question") == question).drop_nulls("score")
    joined = inputs["pairs"].join(scored.select(pair="item", score="score"), on="pair", how="inner").sort("pair")
    missing = inputs["pairs"].height - joined.height
    if missing:
        context.note("unscored", f"{missing:,} pairs have no score and are left out")
    texts = list(joined.select("text_a", "text_b").iter_rows())
    gold = joined["score"].to_numpy()
    rows = []
    for done, name in enumerate(options.encoders, 1):
        predicted = similarities(encoder(name), texts)
        for part, where in _parts(joined):
            rows += _rows(name, part, predicted[where], gold[where], samples=options.samples, rng=context.rng)
        context.progress(done, len(options.encoders))
    return {"results": check(pl.DataFrame(rows, schema=RESULTS.dtypes), RESULTS, where="results")}


def _parts(joined: Frame) -> list[tuple[str, NDArray[np.int64]]]:
    """The whole set, then each source with at least ten pairs: below that a correlation says nothing."""
    parts = [("all", np.arange(joined.height))]
    sources = joined["source"].fill_null("")
    for source in sources.unique().sort():
        where = np.flatnonzero((sources == source).to_numpy())
        if source and 10 <= len(where) < joined.height:
            parts.append((source, where))
    return parts


def _rows(
    name: str, part: str, predicted: FloatArray, gold: FloatArray, *, samples: int, rng: np.random.Generator
) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for metric, ranks in (("cosine_spearman", True), ("cosine_pearson", False)):
        value = correlation(predicted, gold, ranks=ranks)

        def of_samples(drawn: NDArray[np.int64], ranks: bool = ranks) -> FloatArray:
            first, second = predicted[drawn], gold[drawn]
            return row_correlations(row_ranks(first), row_ranks(second)) if ranks else row_correlations(first, second)

        interval = bootstrap_interval(of_samples, len(gold), rng=rng, samples=samples)
        defined = np.isfinite(value)
        rows.append(
            {
                "encoder": name,
                "part": part,
                "metric": metric,
                "value": value if defined else None,
                "low": interval.low if defined else None,
                "high": interval.high if defined else None,
                "n": len(gold),
                "note": f"95% interval from {samples:,} bootstrap samples of pairs"
                if defined
                else "undefined: too few pairs, or all alike",
            }
        )
    return rows
