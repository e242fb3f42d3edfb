"""Mean string and vector similarity of seed and rewrite per kind, and the correlation of the two columns.

COSTRA 1.0's Table 5 lies in ``transformations.csv`` and ``transformations.svg``. Every rewrite is also passed on as a
pair with its seed, with its string similarity as the score: the number that stands for a rewrite in a dataset where
nobody rates anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import Field

from kostra import figures, tables
from kostra.analysis.rewrite_statistics import kinds_of
from kostra.correlate import correlation
from kostra.encoders import Encoder, encoder, similarities
from kostra.errors import KostraError
from kostra.evaluate.means import Means
from kostra.evaluate.models import model_files, plan_with_encoders, step_encoders
from kostra.evaluate.outcome import WHOLE, Measure
from kostra.evaluate.rewrites import SEED, rewrites_of
from kostra.recipe import Strict
from kostra.steps import Context, Inputs, Plan
from kostra.tables import PAIRS, RESULTS, SCORES, Frame, check

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FloatArray = NDArray[np.float64]
VECTOR, STRING, TOGETHER = "vector_similarity", "string_similarity", "vector_string_pearson"


@dataclass(frozen=True, eq=False)
class Changed:
    """Rewrites with their seeds, and how alike they are as strings."""

    pairs: Frame
    """Seed and rewrite, `subset` the kind."""
    strings: FloatArray
    seeds: NDArray[np.int64]
    """Which seed each belongs to, by number."""
    lost: int
    """Rewrites whose seed is not there."""

    @property
    def kinds(self) -> list[str]:
        """The kinds of rewrites, in the order of the table."""
        return self.pairs["subset"].unique(maintain_order=True).to_list()

    def of(self, kind: str) -> NDArray[np.bool_]:
        """Which rows are of one kind."""
        return (self.pairs["subset"] == kind).to_numpy()

    @property
    def texts(self) -> list[tuple[str, str]]:
        """Seed and rewrite."""
        return list(self.pairs.select("text_a", "text_b").iter_rows())


def changed(
    sentences: Frame,
    *,
    string: str = "indel",
    merge: Mapping[str, Sequence[str]] | None = None,
    where: str = "sentences",
) -> Changed:
    """Pair every rewrite with its seed and compare the two as strings.

    Parameters
    ----------
    string
        The encoder of pairs that compares strings. The paper's figures come out with ``indel``, 1 − d / (|s₁| + |s₂|)
        where d counts insertions and deletions, so that a substitution costs 2.
    merge
        Kind → changes that are one kind.

    Examples
    --------
    "It rains." becomes "It rained." by one deletion and two insertions: 1 − 3/19.

    >>> sentences = pl.DataFrame(
    ...     {
    ...         "sentence": ["s", "r"], "text": ["It rains.", "It rained."], "source": ["x"] * 2,
    ...         "origin": [None, "s"], "change": [None, "past"],
    ...     }
    ... )  # fmt: skip
    >>> found = changed(sentences)
    >>> found.pairs.select("pair", "subset").rows(), found.strings.round(3).tolist()
    ([('s>r', 'past')], [0.842])
    """
    made = rewrites_of(sentences)
    known = dict(sentences.select("sentence", "change").iter_rows())
    sources = dict(sentences.select("sentence", "source").iter_rows())
    rows = [row for row, kind in enumerate(made.kinds) if kind != SEED]
    if not rows:
        raise KostraError(
            "there is no rewrite: no sentence has an origin and a change",
            where=where,
            accepted="sentences with the columns origin and change",
        )
    every = list(dict.fromkeys(known[made.ids[row]] for row in rows))
    kinds = kinds_of([change for change in every if change is not None], merge or {}, where=where)
    pairs = [
        {
            "pair": f"{made.ids[made.seed[row]]}>{made.ids[row]}",
            "text_a": made.texts[made.seed[row]],
            "text_b": made.texts[row],
            "sentence_a": made.ids[made.seed[row]],
            "sentence_b": made.ids[row],
            "source": sources[made.ids[row]],
            "subset": kinds[str(known[made.ids[row]])],
        }
        for row in rows
    ]
    frame = check(pl.DataFrame(pairs, schema=PAIRS.dtypes), PAIRS, where="seeds and rewrites")
    texts = list(frame.select("text_a", "text_b").iter_rows())
    return Changed(frame, similarities(encoder(string), texts), made.seed[rows], made.lost)


def string_column(sentences: Frame, *, merge: Mapping[str, Sequence[str]] | None = None) -> dict[str, float]:
    """Table 5's string column, without intervals: kind of rewrite → mean similarity to the seed.

    Examples
    --------
    >>> sentences = pl.DataFrame(
    ...     {
    ...         "sentence": ["s", "r"], "text": ["It rains.", "It rained."], "source": ["x"] * 2,
    ...         "origin": [None, "s"], "change": [None, "past"],
    ...     }
    ... )  # fmt: skip
    >>> {kind: round(value, 3) for kind, value in string_column(sentences).items()}
    {'past': 0.842}
    """
    found = changed(sentences, merge=merge)
    return {kind: float(found.strings[found.of(kind)].mean()) for kind in found.kinds}


def string_table(found: Changed, means: Means) -> list[Measure]:
    """The string column: one mean per kind."""
    return [means.of(kind, STRING, found.strings[found.of(kind)], found.seeds[found.of(kind)]) for kind in found.kinds]


def vector_table(found: Changed, chosen: Encoder, strings: Sequence[Measure], means: Means) -> list[Measure]:
    """The vector column of one encoder, and Pearson's correlation of the two columns over kinds."""
    near = similarities(chosen, found.texts)
    column = [means.of(kind, VECTOR, near[found.of(kind)], found.seeds[found.of(kind)]) for kind in found.kinds]
    one = np.array([measure.value for measure in column], dtype=np.float64)
    two = np.array([measure.value for measure in strings], dtype=np.float64)
    value = correlation(one, two, ranks=False)
    note = f"of the two columns over {len(column)} kinds"
    return [*column, Measure(WHOLE, TOGETHER, value if np.isfinite(value) else None, n=len(column), note=note)]


def table(strings: Sequence[Measure], vectors: Mapping[str, Sequence[Measure]]) -> Frame:
    """Table 5: one row per kind, the most alike in the first encoder's eyes first; a last row has the correlations."""
    value = {name: {one.part: one.value for one in column} for name, column in vectors.items()}
    first = next(iter(value.values()), {one.part: one.value for one in strings})
    ordered = sorted(strings, key=lambda one: (-(first[one.part] or 0.0), one.part))
    rows = [
        {
            "kind": one.part,
            "rewrites": one.n,
            **{f"vector_{name}": column[one.part] for name, column in value.items()},
            "string": one.value,
        }
        for one in ordered
    ]
    last: dict[str, object] = {"kind": "Pearson of vector and string", "rewrites": sum(one.n for one in strings)}
    last |= {f"vector_{name}": column[WHOLE] for name, column in value.items()}
    columns = {"kind": pl.String, "rewrites": pl.Int64, **{f"vector_{name}": pl.Float64 for name in value}}
    return pl.DataFrame([*rows, {**last, "string": None}], schema={**columns, "string": pl.Float64})


def similarity_figure(strings: Sequence[Measure], vectors: Mapping[str, Sequence[Measure]]) -> Figure:
    """Bars of both columns per kind, with intervals."""
    order = table(strings, vectors)["kind"].to_list()
    series = {**vectors, "as strings": strings}
    bars = [
        figures.Bar(one.part.replace("_", " "), name, one.value, one.low, one.high)
        for kind in order
        for name, column in series.items()
        for one in column
        if one.part == kind and one.value is not None
    ]
    return figures.bars(bars, x_label="mean similarity of seed and rewrite", title="Strings and vectors, by kind")


# The step ----------------------------------------------------------------------------------------------

READS = ("sentences",)
WRITES = ("pairs", "scores", "results")
WAITS = True  # for a model that a person must bring


class Options(Strict):
    """What compares seeds with rewrites."""

    encoders: tuple[str, ...] = Field(default=("static",), min_length=1)
    """Encoders, as specs."""
    string: str = "indel"
    """How strings are compared; another encoder of pairs may stand here."""
    merge: dict[str, tuple[str, ...]] = Field(default={})
    """Kind → changes that are counted as one."""
    samples: int = Field(default=1000, ge=0)
    """Bootstrap samples of seeds."""


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:
    """Rewrites × encoders."""
    says = f"compares {inputs.get('sentences', 0):,} sentences with their seeds, as strings ({options.string}) and"
    return plan_with_encoders(f"{says} by {', '.join(options.encoders)}", options.encoders, context)


def watches(options: Options, context: Context) -> list[Path]:
    """Models that lie in the project."""
    return model_files(options.encoders, context)


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Compare, and write both columns with their correlation."""
    where = f'step "{context.step.name}"'
    found = changed(inputs["sentences"], string=options.string, merge=options.merge, where=where)
    if found.lost:
        context.note("lost_rewrites", f"{found.lost:,} rewrites have no seed among the sentences and are left out")
    means = Means(options.samples, context.rng)
    strings = string_table(found, means)
    vectors: dict[str, list[Measure]] = {}
    for done, (name, chosen) in enumerate(step_encoders(options.encoders, context).items(), 1):
        vectors[name] = vector_table(found, chosen, strings, means)
        context.progress(done, len(options.encoders))
    tables.write(table(strings, vectors), context.folder / "transformations.csv")
    figures.save_all(similarity_figure(strings, vectors), context.folder / "transformations")
    rows = [_result(options.string, one) for one in strings]
    rows += [_result(name, one) for name, column in vectors.items() for one in column]
    scores = found.pairs.select(
        "pair", pl.lit(context.recipe.score.question).alias("question"), pl.lit(1, dtype=pl.Int64).alias("appearances")
    ).rename({"pair": "item"}).with_columns(score=pl.Series(found.strings))  # fmt: skip
    return {
        "pairs": found.pairs,
        "scores": check(scores, SCORES, where="string similarities"),
        "results": check(pl.DataFrame(rows, schema=RESULTS.dtypes), RESULTS, where="similarities by kind"),
    }


def _result(name: str, one: Measure) -> dict[str, object]:
    return {
        "encoder": name, "part": one.part, "metric": one.metric, "value": one.value, "low": one.low, "high": one.high,
        "n": one.n, "note": one.note or None,
    }  # fmt: skip
