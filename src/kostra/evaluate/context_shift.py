"""Whether an encoder that is given the context follows people, whose judgments shift once they see it."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import Field

from kostra.encoders import Encoder, Similarity, encoder
from kostra.errors import KostraError
from kostra.evaluate.agreement import Part, Predicted, agreement
from kostra.evaluate.bootstrap import Units, interval
from kostra.evaluate.dataset import Dataset, hashed
from kostra.evaluate.folds import Ends
from kostra.evaluate.likeness import likeness, revision
from kostra.evaluate.models import model_files, plan_with_encoders, step_encoders
from kostra.evaluate.outcome import WHOLE, Evaluation, Measure
from kostra.evaluate.tabling import as_results
from kostra.recipe import Strict
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame

FloatArray = NDArray[np.float64]
_MARK = re.compile(r"</?sent>")


def without_marks(context: str) -> str:
    """A context as running text: the marks around the key sentence are for people.

    Examples
    --------
    >>> without_marks("It rained. <sent>He stayed.</sent> She left.")
    'It rained. He stayed. She left.'
    """
    return _MARK.sub("", context)


def context_shift(
    data: Dataset,
    encoders: Sequence[str] | Mapping[str, Encoder],
    *,
    free: str,
    in_context: str,
    similarity: Similarity = "cosine",
    samples: int = 1000,
    units: Units = "sentences",
    rng: np.random.Generator,
) -> tuple[Evaluation, ...]:
    """Compare an encoder's gain by context with people's.

    Free, the encoder sees the two sentences; in context, it sees them with what stands around them. People's shift is
    the score in context less the free score. ``shift_spearman`` and ``shift_pearson`` correlate the two gains,
    ``shift_sign`` is the share of the pairs whose score moved for which the encoder moved the same way (a pair that the
    encoder leaves where it is counts as an error). Beside them stand the correlations of either condition.

    Parameters
    ----------
    free, in_context
        The questions that hold the two scores.
    """
    made = encoders if isinstance(encoders, Mapping) else {spec: encoder(spec) for spec in encoders}
    rows = _rows(data, free, in_context)
    plain = list(rows.select("text_a", "text_b").iter_rows())
    around = [(without_marks(a), without_marks(b)) for a, b in rows.select("context_a", "context_b").iter_rows()]
    gold = {name: rows[name].to_numpy() for name in ("free", "in_context")}
    shift = gold["in_context"] - gold["free"]
    moved = shift != 0
    ends, parts = Ends.of(plain), [Part(WHOLE, np.arange(len(shift)))]
    seed = int(rng.integers(2**63))
    found = []
    for name, chosen in made.items():
        start = time.perf_counter()
        alone, within = likeness(chosen, plain, similarity), likeness(chosen, around, similarity)
        gain = within.values - alone.values
        measures = []
        for label, said, judged in (
            ("free", alone.values, gold["free"]),
            ("context", within.values, gold["in_context"]),
            ("shift", gain, shift),
        ):
            same = np.random.default_rng(seed)  # every figure and encoder meets the same samples
            made_of = agreement(
                [Predicted(said)], judged, parts, ends, samples=samples, rng=same, units=units, kendall=False
            )
            for place, figure in enumerate(("spearman", "pearson")):
                value, drawn = made_of.values[0, 0, place], made_of.samples[0, 0, place]
                measures.append(_measure(f"{label}_{figure}", float(value), drawn, len(shift), units))
        if moved.any():
            sign = float((np.sign(gain[moved]) == np.sign(shift[moved])).mean())
            note = f"of the {int(moved.sum()):,} pairs whose score moved; by chance .5"
            measures.append(Measure(WHOLE, "shift_sign", sign, n=int(moved.sum()), note=note))
        found.append(
            Evaluation(
                encoder=name,
                dataset=data.name,
                task="context_shift",
                measures=tuple(measures),
                revision=revision(chosen),
                dataset_revision=hashed(f"{row!r}" for row in rows.iter_rows()),
                languages=data.languages,
                similarity=alone.similarity,
                counts={**data.counts, "pairs": len(shift), "unmoved_pairs": int((~moved).sum()), **within.counts},
                seconds=time.perf_counter() - start,
                details={"free": free, "in_context": in_context},
            )
        )
    return tuple(found)


def _rows(data: Dataset, free: str, in_context: str) -> Frame:
    """Pairs with both scores and both contexts."""
    rows = data.pairs.drop_nulls(["context_a", "context_b"])
    for name, question in (("free", free), ("in_context", in_context)):
        asked = data.scores.filter(pl.col("question") == question).drop_nulls("score")
        rows = rows.join(asked.select(pl.col("score").alias(name), pair="item"), on="pair", how="inner")
    if rows.height < 2:
        raise KostraError(
            f'{rows.height} pairs have contexts and scores for both "{free}" and "{in_context}"',
            where=data.where or data.name,
            accepted="two pairs or more with context_a, context_b and both scores",
        )
    return rows.sort("pair").select("text_a", "text_b", "context_a", "context_b", "free", "in_context")


def _measure(metric: str, value: float, drawn: FloatArray, n: int, units: Units) -> Measure:
    if not np.isfinite(value):
        return Measure(WHOLE, metric, None, n=n, note="undefined: one side does not vary")
    ends = interval(drawn)
    if not np.isfinite(ends.low):
        return Measure(WHOLE, metric, value, n=n, note="no interval")
    note = f"95% interval from {len(drawn):,} bootstrap samples of {units}"
    return Measure(WHOLE, metric, value, ends.low, ends.high, n, note)


# The step ----------------------------------------------------------------------------------------------

READS = ("pairs", "scores")
WRITES = ("results",)
WAITS = True  # for a model that a person must bring


class Options(Strict):
    """Which encoders, and which two questions."""

    encoders: tuple[str, ...] = Field(default=("static",), min_length=1)
    """Encoders, as specs."""
    free: str
    """The question that was rated without context."""
    in_context: str
    """The question that was rated in context."""
    similarity: Similarity = "cosine"
    """How two vectors are compared."""
    samples: int = Field(default=1000, ge=0)
    """Bootstrap samples for the intervals."""


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """Encoders × two conditions."""
    return plan_with_encoders(
        f"asks {len(options.encoders)} encoders whether context moves them as it moves people",
        options.encoders,
        context,
    )


def watches(options: Options, context: Context) -> list[Path]:
    """Models that lie in the project."""
    return model_files(options.encoders, context)


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Compare the gains."""
    about = context.recipe.recipe
    data = Dataset(about.name, language=about.language, pairs=inputs["pairs"], scores=inputs["scores"])
    found = context_shift(
        data,
        step_encoders(options.encoders, context),
        free=options.free,
        in_context=options.in_context,
        similarity=options.similarity,
        samples=options.samples,
        rng=context.rng,
    )
    return {"results": as_results(found)}
