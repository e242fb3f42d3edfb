"""So many pairs from each bin of a score that they carry already (STR-2021's STS pairs)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Annotated

import numpy as np
import polars as pl
from pydantic import Field, model_validator

from kostra.errors import some
from kostra.recipe import Name, Strict
from kostra.sampling.buckets import FloatArray, IntArray, bin_places, nothing_fits, scores_of, shortfall
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame
from kostra.text import words

READS = ("pairs", "scores")
WRITES = ("pairs",)


class Options(Strict):
    """Which score, which bins, and how many of each."""

    pairs: Annotated[int, Field(ge=1)]
    """How many pairs to draw."""
    question: Name
    """The question under which the existing scores stand."""
    edges: tuple[float, ...] = Field(min_length=2)
    """Ends of the bins, ascending. A bin holds its lower edge and not its upper one; the last bin holds both, because
    the best score belongs somewhere."""
    per_bin: Annotated[int, Field(ge=1)]
    """How many pairs from each bin of the older score."""
    min_words: Annotated[int, Field(ge=0)] = 0
    """Least number of words of either sentence."""
    max_words: Annotated[int, Field(ge=1)] | None = None
    """Sentences have at most so many words."""

    @model_validator(mode="after")
    def _adds_up(self) -> Options:
        if any(low >= high for low, high in pairwise(self.edges)):
            raise ValueError("edges must ascend")
        bins = len(self.edges) - 1
        if self.pairs != bins * self.per_bin:
            raise ValueError(f"{bins} bins of {self.per_bin} are {bins * self.per_bin} pairs, not {self.pairs}")
        return self


def stratified_draw(
    scores: FloatArray, *, edges: Sequence[float], per_bin: int, rng: np.random.Generator
) -> list[IntArray]:
    """Draw at random at most `per_bin` from each bin of the scores; return the places, bin by bin [1]_.

    References
    ----------
    .. [1] M. Abdalla, K. Vishnubhotla and S. M. Mohammad (2021). What makes sentences semantically related? Appendix
       A.0.1: fifty pairs with scores in [0, 1), fifty in [1, 2), and so on.

    Examples
    --------
    >>> scores = np.array([0.0, 1.0, 1.5, 2.0])  # 1 lies in the second bin, and so does 2, its end
    >>> [part.tolist() for part in stratified_draw(scores, edges=[0, 1, 2], per_bin=9, rng=np.random.default_rng(0))]
    [[0], [1, 2, 3]]
    """
    bins = bin_places(scores, edges)
    # Drawn at random, told in the order in which they stand.
    return [np.sort(rng.permutation(np.flatnonzero(bins == number))[:per_bin]) for number in range(len(edges) - 1)]


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """At most as many pairs as asked for."""
    says = f"draws {options.per_bin:,} from each of {len(options.edges) - 1} bins of {options.question}"
    return Plan(f"{says}, of {inputs.get('pairs', 0):,} pairs", {"pairs": options.pairs})


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Draw among the pairs that have the score and the wanted length."""
    scored = _scored(inputs, options, context)
    scores = scored["score"].to_numpy()
    outside = scored.filter(pl.Series(bin_places(scores, options.edges) < 0))
    if outside.height:
        said = f"{outside.height:,} pairs have a score outside {options.edges[0]:g} to {options.edges[-1]:g}"
        context.note("left_out", f"{said}: {some(outside['pair'])}")
    parts = stratified_draw(scores, edges=options.edges, per_bin=options.per_bin, rng=context.rng)
    drawn = np.concatenate(parts)
    if not len(drawn):
        raise nothing_fits(
            f"none of the {inputs['pairs'].height:,} pairs lies in a bin of {options.question}",
            context,
            remedy="change `edges`, `min_words` or `max_words`",
        )
    if len(drawn) < options.pairs:
        context.note("fewer", f"{len(drawn):,} pairs instead of {options.pairs:,}")
        names = [f"{low:g} to {high:g}" for low, high in pairwise(options.edges)]
        lacking = shortfall([options.per_bin] * len(parts), [len(part) for part in parts], names)
        context.note("buckets", str(lacking))
    return {"pairs": scored[drawn].drop("score").with_columns(subset=pl.lit(context.step.name))}


def _scored(inputs: Inputs, options: Options, context: Context) -> Frame:
    """The pairs of the wanted length that have the score."""
    joined = scores_of(inputs, options.question, context)
    longest = options.max_words or np.inf
    fits = [
        all(options.min_words <= len(words(text)) <= longest for text in texts)
        for texts in joined.select("text_a", "text_b").iter_rows()
    ]
    kept = joined.filter(pl.Series(fits, dtype=pl.Boolean))
    if kept.height < joined.height:
        bounds = f"{options.min_words} to {options.max_words or 'any number of'} words"
        context.note(
            "length", f"{joined.height - kept.height:,} of {joined.height:,} pairs are not of {bounds}: left out"
        )
    return kept
