"""What the sampling favours: overlap, length, sources, reuse and predicted relatedness of pairs against their corpus.

The corpus is looked at through random pairs of it: any two different sentences, each pair as likely as any other; all
of them where there are no more than were asked for. Overlap is Dice on words, whatever the pairs were sampled by.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import Field

from kostra import figures, tables
from kostra.encoders import Encoder, encoder, similarities
from kostra.errors import some
from kostra.recipe import Strict
from kostra.resample import Interval, seeded
from kostra.steps import Context, Inputs, Plan
from kostra.tables import STATISTICS, Frame
from kostra.text import dice, words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

READS = ("pairs", "sentences")
WRITES = ("statistics",)

IntArray: TypeAlias = NDArray[np.int64]
FloatArray: TypeAlias = NDArray[np.float64]
Values: TypeAlias = dict[str, FloatArray]
"""By measure; one value per pair, or for ``words`` one per place in a pair or per sentence of the corpus."""
Side = Literal["sampled", "corpus"]
SIDES: tuple[Side, ...] = ("sampled", "corpus")


class Measure(NamedTuple):
    """Something that is compared."""

    label: str
    unit: str
    """What has a value."""
    low: float
    high: float
    """The range that no value can leave."""
    bins: int


MEASURES = {
    "overlap": Measure("overlap of words (Dice)", "pairs", 0, 1, 20),
    "length_difference": Measure("difference in length, as a share of the longer sentence", "pairs", 0, 1, 10),
    "words": Measure("length in words", "sentences", 0, math.inf, 30),
    "relatedness": Measure("predicted relatedness", "pairs", -math.inf, math.inf, 20),
}

COLUMNS: dict[str, tuple[str, ...]] = {
    "distributions": (
        "measure", "side", "n", "mean", "low", "high", "sd", "least", "p05", "p25", "median", "p75", "p95", "most",
    ),
    "histograms": ("measure", "side", "from", "to", "count", "share"),
    "sources": (
        "source", "sentences", "share_of_sentences", "pairs", "share_of_pairs", "overlap", "corpus_overlap",
    ),
    "subsets": ("subset", "source", "pairs", "share_of_pairs", "overlap", "length_difference", "words"),
    "reuse": ("uses", "sentences", "share_of_sentences"),
    "most_used": ("sentence", "text", "uses"),
}  # fmt: skip
"""The tables of the report and their columns, in order."""
_TEXT = ("measure", "side", "source", "subset", "sentence", "text")
_WHOLE = ("n", "count", "sentences", "pairs", "uses")

NOT_SAID = "(not said)"
"""Stands for the source or the subset of pairs that have none."""
MOST_LISTED = 20
"""How many of the most used sentences are listed."""
_MOST_BARS = 12
_AT_ONCE = 20_000  # pairs whose sentences' vectors stand in memory together
_NORMAL = 1.959963984540054  # 97.5% of a normal distribution lie below


@dataclass(frozen=True)
class BiasReport:
    """What was sampled, beside the corpus it was sampled from; the tables' columns are those of `COLUMNS`."""

    distributions: Frame
    """Per measure and side (sampled, corpus): the mean with its 95% interval, spread and percentiles."""
    histograms: Frame
    """Per measure, side and bin; the last bin of ``words`` takes in the few sentences that are longer still."""
    sources: Frame
    """Per source: its share of the sentences and of the pairs, mean overlap of its pairs and of random ones in it."""
    subsets: Frame
    """Per subset (sampling strategy) and source: pairs, and the means of what was sampled."""
    reuse: Frame
    """How many sentences of the corpus stand in no pair, in one, in two, …"""
    most_used: Frame
    """The sentences that stand in most pairs, at most `MOST_LISTED`."""
    notes: tuple[str, ...] = ()

    def tables(self) -> dict[str, Frame]:
        """The tables by name."""
        return {name: getattr(self, name) for name in COLUMNS}

    def figures(self) -> dict[str, Figure]:
        """The charts by name; a measure without values has none."""
        drawn = set(self.histograms["measure"])
        charts = {name: _measure_figure(name, self.histograms) for name in MEASURES if name in drawn}
        return charts | {"sources": _sources_figure(self.sources), "reuse": _reuse_figure(self.reuse)}

    def statistics(self) -> Frame:
        """The few figures that a statistics table takes."""
        rows: list[tuple[Any, ...]] = [
            (f"mean_{row['measure']}", row["side"], row["mean"], row["low"], row["high"], row["n"], None)
            for row in self.distributions.iter_rows(named=True)
        ]
        total = int(self.reuse["sentences"].sum())
        used = int(self.reuse.filter(pl.col("uses") > 0)["sentences"].sum())
        rows.append(("share_of_sentences_used", "corpus", _share(used, total), None, None, total, None))
        for top in self.most_used.head(1).iter_rows(named=True):
            rows.append(("most_used_sentence", top["sentence"], float(top["uses"]), None, None, total, top["text"]))
        pairs = int(self.sources["pairs"].sum())
        for row in self.sources.iter_rows(named=True):
            beside = f"{row['share_of_sentences']:.1%} of the sentences are of this source"
            rows.append(("share_of_pairs", row["source"], row["share_of_pairs"], None, None, pairs, beside))
        made = pl.DataFrame(rows, schema=STATISTICS.dtypes, orient="row")
        return tables.check(made, STATISTICS, where="bias report")

    def write(self, folder: Path) -> list[Path]:
        """Write each table as CSV and each chart as SVG into a folder; return the files."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, frame in self.tables().items():
            tables.write(frame, folder / f"{name}.csv")
        charts = self.figures()
        for name, figure in charts.items():
            figures.save(figure, folder / f"{name}.svg")
        return [*(folder / f"{name}.csv" for name in COLUMNS), *(folder / f"{name}.svg" for name in charts)]


def bias_report(
    pairs: Frame,
    sentences: Frame,
    *,
    predictor: str | Encoder | None = None,
    random_pairs: int = 10_000,
    rng: np.random.Generator | None = None,
) -> BiasReport:
    """Compare sampled pairs with the sentences they were sampled from.

    Parameters
    ----------
    pairs, sentences
        Tables of these kinds. A pair that names no sentences is matched by its texts.
    predictor
        An encoder, or its name, whose similarities stand for relatedness; None leaves relatedness out.
    random_pairs
        How many random pairs stand for the corpus; all pairs, if there are no more.
    rng
        What draws them; by default the same ones each time.

    Examples
    --------
    Of the three pairs of the corpus one shares both words and two share none: the sampled overlap is 1, the mean 1/3.

    >>> rows = {"sentence": ["s1", "s2", "s3"], "text": ["A cat.", "a cat", "Snow fell"], "source": ["x"] * 3}
    >>> pairs = pl.DataFrame({"pair": ["p"], "text_a": ["A cat."], "text_b": ["a cat"], "sentence_a": ["s1"]})
    >>> found = bias_report(pairs, pl.DataFrame(rows).with_columns(language=pl.lit("en")))
    >>> found.distributions.filter(pl.col("measure") == "overlap").select("side", "n", "mean").rows()
    [('sampled', 1, 1.0), ('corpus', 3, 0.3333333333333333)]
    """
    pairs = tables.check(pairs, tables.PAIRS, where="pairs")
    sentences = tables.check(sentences, tables.SENTENCES, where="sentences")
    rng = rng or seeded(0)
    chosen = encoder(predictor) if isinstance(predictor, str) else predictor
    texts = sentences["text"].to_list()
    couples = list(zip(pairs["text_a"], pairs["text_b"], strict=True))
    first, second, strangers = _members(pairs, sentences)
    sampled = _values(couples, chosen)
    drawn = draw_pairs_of(len(texts), random_pairs, rng=rng)
    corpus = _values([(texts[a], texts[b]) for a, b in drawn], chosen)
    corpus["words"] = np.array([len(words(text)) for text in texts], dtype=np.float64)
    whole = len(drawn) == math.comb(len(texts), 2)
    distributions = []
    for name in sampled:
        per_pair = sampled[name].reshape(len(couples), -1).mean(axis=1) if couples else sampled[name]
        spans = (mean_interval(per_pair, first, second), None if whole or name == "words" else _span(corpus[name]))
        for side, span in zip(SIDES, spans, strict=True):
            values = sampled[name] if side == "sampled" else corpus[name]
            distributions.append((name, side, *_described(values, span, MEASURES[name])))
    uses = Counter(member for both in zip(first, second, strict=True) for member in set(both))
    return BiasReport(
        distributions=_table("distributions", distributions),
        histograms=_table("histograms", [row for name in sampled for row in _bins(name, sampled[name], corpus[name])]),
        sources=_sources(pairs, sentences, sampled["overlap"], most=random_pairs, rng=rng),
        subsets=_subsets(pairs, sampled),
        reuse=_reuse(sentences, uses),
        most_used=_most_used(sentences, uses),
        notes=_notes(strangers, len(drawn), whole=whole),
    )


def _table(name: str, rows: Sequence[tuple[Any, ...]]) -> Frame:
    kinds = {
        column: pl.String() if column in _TEXT else pl.Int64() if column in _WHOLE else pl.Float64()
        for column in COLUMNS[name]
    }
    return pl.DataFrame(rows, schema=kinds, orient="row")


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def _mean(values: FloatArray) -> float | None:
    return float(values.mean()) if len(values) else None


def _notes(strangers: Sequence[str], drawn: int, *, whole: bool) -> tuple[str, ...]:
    how = f"all {drawn:,} pairs" if whole else f"{drawn:,} random pairs"
    said = [f"the corpus is seen through {how} of its sentences"]
    if strangers:
        said.append(
            f"{len(strangers):,} sentences of the pairs do not stand among the sentences; reuse leaves them out: "
            f"{some(strangers)}"
        )
    return tuple(said)


# Numbers -----------------------------------------------------------------------------------------------


def draw_pairs_of(count: int, most: int, *, rng: np.random.Generator) -> list[tuple[int, int]]:
    """All pairs of `count` things if they are at most `most`; else that many at random, drawn with replacement.

    Examples
    --------
    >>> draw_pairs_of(3, 10, rng=np.random.default_rng(1))
    [(0, 1), (0, 2), (1, 2)]
    """
    if math.comb(count, 2) <= most:
        return [(a, b) for a in range(count) for b in range(a + 1, count)]
    first = rng.integers(count, size=most)
    second = (first + 1 + rng.integers(count - 1, size=most)) % count  # any other one, each as likely
    return list(zip(first.tolist(), second.tolist(), strict=True))


def _values(couples: Sequence[tuple[str, str]], chosen: Encoder | None) -> Values:
    tokens = {text: words(text) for text in dict.fromkeys(text for couple in couples for text in couple)}
    listed = [(tokens[a], tokens[b]) for a, b in couples]
    lengths = np.array([(len(a), len(b)) for a, b in listed], dtype=np.float64).reshape(-1, 2)
    longer, shorter = lengths.max(axis=1), lengths.min(axis=1)
    found = {
        "overlap": np.array([dice(a, b) for a, b in listed], dtype=np.float64),
        "length_difference": np.divide(longer - shorter, longer, out=np.zeros(len(listed)), where=longer > 0),
        "words": lengths.ravel(),
    }
    if chosen is not None:
        parts = [similarities(chosen, couples[at : at + _AT_ONCE]) for at in range(0, len(couples), _AT_ONCE)]
        found["relatedness"] = np.concatenate([np.zeros(0), *parts])
    return found


def mean_interval(values: FloatArray, first: Sequence[str], second: Sequence[str]) -> Interval | None:
    r"""95% interval of the mean over pairs, where one sentence may stand in several of them.

    Deviations of pairs that share a sentence vary together, so their products count too [1]_:

    .. math:: \widehat{\mathrm{Var}}(\bar x) = \frac{1}{n^2} \sum_{p, q\ \text{share a sentence}} e_p e_q

    The variance of independent pairs, :math:`s^2 / n`, is used where it is larger. None for fewer than two pairs.

    References
    ----------
    .. [1] P. M. Aronow, C. Samii and V. A. Assenova (2015). Cluster–robust variance estimation for dyadic data.
       Political Analysis 23, 564–577.

    Examples
    --------
    Two pairs with deviations ∓0.1 that share no sentence: s²/n = 0.02/2, so the mean 0.5 ± 1.96 · 0.1.

    >>> found = mean_interval(np.array([0.4, 0.6]), ["a", "c"], ["b", "d"])
    >>> round(found.low, 3), round(found.high, 3)
    (0.304, 0.696)
    """
    if len(values) < 2:
        return None
    codes: dict[Any, int] = {}
    a = np.array([codes.setdefault(name, len(codes)) for name in first], dtype=np.int64)
    b = np.array([codes.setdefault(name, len(codes)) for name in second], dtype=np.int64)
    rest = values - values.mean()
    per_sentence = np.bincount(a, rest, len(codes)) + np.bincount(b, np.where(a == b, 0, rest), len(codes))
    couples = np.unique(np.minimum(a, b) * len(codes) + np.maximum(a, b), return_inverse=True)[1]
    twice = np.bincount(couples, np.where(a == b, 0, rest))  # pairs of the same two sentences met at both of them
    together = (np.sum(per_sentence**2) - np.sum(twice**2)) / len(values) ** 2
    alone = values.var(ddof=1) / len(values)
    half = _NORMAL * math.sqrt(max(together, alone))
    return Interval(float(values.mean()) - half, float(values.mean()) + half)


def _span(values: FloatArray) -> Interval | None:
    """95% interval of the mean of independent draws."""
    if len(values) < 2:
        return None
    half = _NORMAL * math.sqrt(values.var(ddof=1) / len(values))
    return Interval(float(values.mean()) - half, float(values.mean()) + half)


def _described(values: FloatArray, span: Interval | None, measure: Measure) -> tuple[Any, ...]:
    if not len(values):
        return (0, *[None] * 11)
    ends = (max(span.low, measure.low), min(span.high, measure.high)) if span else (None, None)
    sd = float(values.std(ddof=1)) if len(values) > 1 else None
    return (len(values), _mean(values), *ends, sd, *np.quantile(values, [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1]).tolist())


def _bins(name: str, sampled: FloatArray, corpus: FloatArray) -> list[tuple[Any, ...]]:
    """Both sides in the same bins."""
    both = np.concatenate([sampled, corpus])
    if not len(both):
        return []
    edges = _word_edges(both) if name == "words" else _edges(both, MEASURES[name])
    rows: list[tuple[Any, ...]] = []
    for side, values in zip(SIDES, (sampled, corpus), strict=True):
        counts = np.histogram(values, bins=edges)[0].tolist() if len(values) else []
        ends = zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
        rows += [(name, side, *end, count, count / len(values)) for end, count in zip(ends, counts, strict=False)]
    return rows


def _edges(values: FloatArray, measure: Measure) -> FloatArray:
    low, high = max(measure.low, min(0.0, values.min())), min(measure.high, max(1.0, values.max()))
    return np.linspace(low, high, measure.bins + 1)


def _word_edges(values: FloatArray) -> FloatArray:
    """Bins of whole numbers of words up to all but the longest sentences, which the last bin takes in."""
    least, usual = float(values.min()), float(np.quantile(values, 0.995, method="higher"))
    width = math.ceil((usual - least + 1) / MEASURES["words"].bins)
    edges = np.arange(least - 0.5, usual + width, width)
    edges[-1] = max(edges[-1], values.max())
    return edges


# Sources and sentences ---------------------------------------------------------------------------------


def _members(pairs: Frame, sentences: Frame) -> tuple[list[str], list[str], list[str]]:
    """The sentences of each pair by id, and those that the corpus does not have."""
    ids = sentences["sentence"].to_list()
    known = set(ids)
    by_text = dict(zip(reversed(sentences["text"].to_list()), reversed(ids), strict=True))  # the first one wins

    def side(which: str) -> list[str]:
        both = zip(pairs[f"sentence_{which}"], pairs[f"text_{which}"], strict=True)
        return [said if said is not None else by_text.get(text, text) for said, text in both]

    first, second = side("a"), side("b")
    return first, second, [name for name in dict.fromkeys([*first, *second]) if name not in known]


def _sources(pairs: Frame, sentences: Frame, overlap: FloatArray, *, most: int, rng: np.random.Generator) -> Frame:
    named = pairs["source"].fill_null(NOT_SAID)
    per_source = {
        str(name): block["text"].to_list() for (name,), block in sentences.group_by("source", maintain_order=True)
    }
    names = list(dict.fromkeys([*per_source, *named]))
    rows = []
    for name in names:
        texts, own = per_source.get(name, []), overlap[(named == name).to_numpy()]
        drawn = draw_pairs_of(len(texts), max(1, most // len(names)), rng=rng)
        beside = _values([(texts[a], texts[b]) for a, b in drawn], None)["overlap"]
        shares = _share(len(texts), sentences.height), _share(len(own), pairs.height)
        rows.append((name, len(texts), shares[0], len(own), shares[1], _mean(own), _mean(beside)))
    return _table("sources", rows)


def _subsets(pairs: Frame, sampled: Values) -> Frame:
    frame = pairs.select(pl.col("subset", "source").fill_null(NOT_SAID)).with_columns(
        overlap=pl.Series(sampled["overlap"]),
        length_difference=pl.Series(sampled["length_difference"]),
        words=pl.Series(sampled["words"].reshape(-1, 2).mean(axis=1) if pairs.height else []).cast(pl.Float64),
    )
    means = pl.col("overlap", "length_difference", "words").mean()
    counted = frame.group_by("subset", "source", maintain_order=True).agg(pl.len().cast(pl.Int64).alias("pairs"), means)
    return counted.with_columns(share_of_pairs=pl.col("pairs") / pairs.height).select(COLUMNS["subsets"])


def _reuse(sentences: Frame, uses: Mapping[str, int]) -> Frame:
    counts = Counter(uses.get(name, 0) for name in sentences["sentence"])
    return _table("reuse", [(often, n, _share(n, sentences.height)) for often, n in sorted(counts.items())])


def _most_used(sentences: Frame, uses: Mapping[str, int]) -> Frame:
    rows = [(name, text, uses[name]) for name, text in sentences.select("sentence", "text").rows() if name in uses]
    return _table("most_used", sorted(rows, key=lambda row: -row[2])[:MOST_LISTED])


# Charts ------------------------------------------------------------------------------------------------


def _measure_figure(name: str, histograms: Frame) -> Figure:
    label, unit, *_ = MEASURES[name]
    lines = []
    for side in SIDES:
        own = histograms.filter((pl.col("measure") == name) & (pl.col("side") == side))
        if own.height:
            middles = own["from"] + (own["to"][0] - own["from"][0]) / 2
            lines.append(figures.Curve(side, middles.to_list(), own["share"].to_list()))
    title = f"{label[:1].upper()}{label[1:]}"
    return figures.curves(lines, x_label=label, y_label=f"share of {unit}", title=title)


def _sources_figure(sources: Frame) -> Figure:
    shown = sources.sort("pairs", descending=True, maintain_order=True)
    rest = shown[_MOST_BARS:]
    rows = shown.head(_MOST_BARS).select("source", "share_of_pairs", "share_of_sentences").rows()
    if rest.height:
        rows.append((f"{rest.height:,} others", rest["share_of_pairs"].sum(), rest["share_of_sentences"].sum()))
    bars = [
        figures.Bar(name, side, share or 0.0)
        for name, *shares in rows
        for side, share in zip(("of the pairs", "of the sentences"), shares, strict=True)
    ]
    return figures.bars(bars, x_label="share", title="Pairs and sentences per source")


_USES = ((0, "no pair"), (1, "1 pair"), (2, "2 pairs"), (3, "3"), (4, "4"), (5, "5 to 9"), (10, "10 to 19"),
         (20, "20 to 49"), (50, "50 to 99"), (100, "100 or more"))  # fmt: skip


def _reuse_figure(reuse: Frame) -> Figure:
    starts = [start for start, _ in _USES]
    shares = [0.0] * len(_USES)
    for uses, _, share in reuse.rows():
        shares[int(np.searchsorted(starts, uses, side="right")) - 1] += share
    last = max((place for place, share in enumerate(shares) if share), default=0)
    bars = [figures.Bar(name, "sentences", share) for (_, name), share in zip(_USES, shares, strict=True)]
    title = "In how many pairs a sentence stands"
    return figures.bars(bars[: last + 1], x_label="share of the corpus's sentences", title=title)


# The step ----------------------------------------------------------------------------------------------


class Options(Strict):
    """What stands for relatedness, and how closely the corpus is looked at."""

    predictor: str = "static"
    """The encoder whose similarities stand for relatedness, or ``none``."""
    random_pairs: Annotated[int, Field(ge=1)] = 10_000
    """How many random pairs stand for the corpus."""


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """It compares what there is."""
    pairs, sentences = inputs.get("pairs", 0), inputs.get("sentences", 0)
    return Plan(f"compares {pairs:,} pairs with the {sentences:,} sentences they were sampled from")


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Write the tables and charts into the step's folder, and pass on the figures that matter most."""
    predictor = None if options.predictor == "none" else options.predictor
    found = bias_report(
        inputs["pairs"],
        inputs["sentences"],
        predictor=predictor,
        random_pairs=options.random_pairs,
        rng=context.rng,
    )
    found.write(context.folder)
    for note in found.notes:
        context.note("bias", note)
    return {"statistics": found.statistics()}
