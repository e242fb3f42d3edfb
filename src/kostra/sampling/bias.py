"""What the sampling favours: overlap, length, sources, reuse and predicted relatedness of pairs against their corpus.

The corpus is looked at through random pairs of it: any two different sentences, each pair as likely as any other; all
of them where there are no more than were asked for. Overlap is Dice on words, whatever the pairs were sampled by.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import Field

from kostra import figures, tables
from kostra.encoders import Encoder, encoder, similarities
from kostra.errors import KostraError, some
from kostra.recipe import Strict
from kostra.resample import seeded
from kostra.steps import Context, Inputs, Plan
from kostra.tables import STATISTICS, Frame
from kostra.text import dice, words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

READS = ("pairs", "sentences")
WRITES = ("statistics",)

FloatArray: TypeAlias = NDArray[np.float64]
Span: TypeAlias = tuple[float, float] | None
Values: TypeAlias = dict[str, FloatArray]  # by measure: one per pair; of words, one per sentence
SIDES = ("sampled", "corpus")


class Measure(NamedTuple):
    """What is compared: its name in words, what has a value, the range of values, and bins to count them in."""

    label: str
    unit: str
    low: float
    high: float
    bins: int


MEASURES = {
    "overlap": Measure("overlap of words (Dice)", "pairs", 0, 1, 20),
    "length_difference": Measure("difference in length, as a share of the longer sentence", "pairs", 0, 1, 10),
    "words": Measure("length in words", "sentences", 0, math.inf, 30),
    "relatedness": Measure("predicted relatedness", "pairs", -math.inf, math.inf, 20),
}

COLUMNS = {
    "distributions": (
        "measure", "side", "n", "mean", "low", "high", "sd", "least", "p05", "p25", "median", "p75", "p95", "most",
    ),
    "histograms": ("measure", "side", "from", "to", "count", "share"),
    "sources": ("source", "sentences", "share_of_sentences", "pairs", "share_of_pairs", "overlap", "corpus_overlap"),
    "subsets": ("subset", "source", "pairs", "share_of_pairs", "overlap", "length_difference", "words"),
    "reuse": ("uses", "sentences", "share_of_sentences"),
    "most_used": ("sentence", "text", "uses"),
}  # fmt: skip
"""The tables of the report and their columns, in order."""
_TEXT = ("measure", "side", "source", "subset", "sentence", "text")
_WHOLE = ("n", "count", "sentences", "pairs", "uses")
NOT_SAID = "(not said)"  # the source or the subset of pairs that have none
MOST_LISTED = 20  # of the most used sentences
_MOST_BARS = 12  # of sources
_MANY = 10  # pairs of one sentence, from which on a chart counts no further
_AT_ONCE = 20_000  # pairs whose vectors stand in memory together
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
    notes: tuple[str, ...] = ()

    def tables(self) -> dict[str, Frame]:
        """The tables by name."""
        return {name: getattr(self, name) for name in COLUMNS}

    def figures(self) -> dict[str, Figure]:
        """The charts by name; a measure without values has none, nor have sources if there is only one."""
        charts = {
            str(name): _measure_figure(str(name), own, self.distributions.filter(pl.col("measure") == name))
            for (name,), own in self.histograms.group_by("measure", maintain_order=True)
        }
        if self.sources.height > 1:
            charts["sources"] = _sources_figure(self.sources)
        return charts | {"reuse": _reuse_figure(self.reuse)}

    def statistics(self) -> Frame:
        """The few figures that a statistics table takes."""
        rows: list[tuple[Any, ...]] = [
            (f"mean_{row['measure']}", row["side"], row["mean"], row["low"], row["high"], row["n"], None)
            for row in self.distributions.iter_rows(named=True)
        ]
        total, used = (sum(n for uses, n, _ in self.reuse.rows() if uses >= least) for least in (0, 1))
        rows.append(("share_of_sentences_used", "corpus", used / total, None, None, total, None))
        for name, text, uses in self.most_used.head(1).rows():
            rows.append(("most_used_sentence", name, float(uses), None, None, total, text))
        pairs = self.sources["pairs"].sum()
        for row in self.sources.iter_rows(named=True):
            beside = f"{row['share_of_sentences']:.1%} of the sentences are of this source"
            rows.append(("share_of_pairs", row["source"], row["share_of_pairs"], None, None, pairs, beside))
        return pl.DataFrame(rows, schema=STATISTICS.dtypes, orient="row")

    def write(self, folder: Path) -> None:
        """Write each table as CSV and each chart as SVG into a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, frame in self.tables().items():
            tables.write(frame, folder / f"{name}.csv")
        for name, figure in self.figures().items():
            figures.save(figure, folder / f"{name}.svg")


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
    if not pairs.height or sentences.height < 2:
        what = f"{pairs.height:,} pairs from {sentences.height:,} sentences leave nothing to compare"
        raise KostraError(what, accepted="a pair or more, and two sentences or more")
    rng = rng or seeded(0)
    chosen = encoder(predictor) if isinstance(predictor, str) else predictor
    texts = sentences["text"].to_list()
    first, second = (_members(pairs, sentences, side) for side in "ab")
    sampled = _values(pairs.select("text_a", "text_b").rows(), chosen)
    drawn = _drawn(len(texts), random_pairs, rng=rng)
    corpus = _values([(texts[a], texts[b]) for a, b in drawn], chosen)
    corpus["words"] = np.array([len(words(text)) for text in texts], dtype=np.float64)
    whole = len(drawn) == math.comb(len(texts), 2)
    distributions = []
    for name, values in sampled.items():
        mine = mean_interval(values.reshape(pairs.height, -1).mean(axis=1), first, second)
        its = None if whole or name == "words" else mean_interval(corpus[name])
        distributions.append((name, "sampled", *_described(values, mine, MEASURES[name])))
        distributions.append((name, "corpus", *_described(corpus[name], its, MEASURES[name])))
    uses = Counter(member for both in zip(first, second, strict=True) for member in set(both))
    return BiasReport(
        distributions=_table("distributions", distributions),
        histograms=_table("histograms", [row for name in sampled for row in _bins(name, sampled[name], corpus[name])]),
        sources=_sources(pairs, sentences, sampled["overlap"], most=random_pairs, rng=rng),
        subsets=_subsets(pairs, sampled),
        **_used(sentences, uses),
        notes=_notes(uses.keys() - set(sentences["sentence"]), len(drawn), whole=whole),
    )


def _table(name: str, rows: Sequence[tuple[Any, ...]]) -> Frame:
    kind = dict.fromkeys(_TEXT, pl.String()) | dict.fromkeys(_WHOLE, pl.Int64())
    return pl.DataFrame(rows, schema={column: kind.get(column, pl.Float64()) for column in COLUMNS[name]}, orient="row")


def _notes(strangers: Collection[str], drawn: int, *, whole: bool) -> tuple[str, ...]:
    said = f"the corpus is seen through {'all' if whole else 'random'} pairs of its sentences: {drawn:,}"
    lost = f"{len(strangers):,} sentences of the pairs are not in the corpus, and reuse leaves them out"
    return (said, f"{lost}: {some(sorted(strangers))}") if strangers else (said,)


def _drawn(count: int, most: int, *, rng: np.random.Generator) -> list[tuple[int, int]]:
    """All pairs of `count` things if they are at most `most`; else that many at random, drawn with replacement."""
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


def mean_interval(values: FloatArray, first: Sequence[str] = (), second: Sequence[str] = ()) -> Span:
    r"""95% interval of the mean over pairs of named sentences, each of which may stand in several pairs.

    Deviations of pairs that share a sentence vary together, so their products count too [1]_:

    .. math:: \widehat{\mathrm{Var}}(\bar x) = \frac{1}{n^2} \sum_{p, q\ \text{share a sentence}} e_p e_q

    The variance of independent values, :math:`s^2 / n`, is used where it is larger, or where no sentences are named.
    None for fewer than two values.

    References
    ----------
    .. [1] P. M. Aronow, C. Samii and V. A. Assenova (2015). Cluster–robust variance estimation for dyadic data.
       Political Analysis 23(4); arXiv:1312.3398.

    Examples
    --------
    Two pairs with deviations ∓0.1 that share no sentence: s²/n = 0.02/2, so the mean 0.5 ± 1.96 · 0.1.

    >>> [round(end, 3) for end in mean_interval(np.array([0.4, 0.6]), ["a", "c"], ["b", "d"])]
    [0.304, 0.696]
    """
    if len(values) < 2:
        return None
    variance = values.var(ddof=1) / len(values)
    half = _NORMAL * math.sqrt(max(variance, _shared_variance(values - values.mean(), first, second) if first else 0))
    return float(values.mean()) - half, float(values.mean()) + half


def _shared_variance(rest: FloatArray, first: Sequence[str], second: Sequence[str]) -> float:
    codes = {name: code for code, name in enumerate(dict.fromkeys([*first, *second]))}
    a, b = (np.array([codes[name] for name in side], dtype=np.int64) for side in (first, second))
    other = np.where(a == b, 0, rest)  # a sentence paired with itself is met once
    per_sentence = np.bincount(a, rest, len(codes)) + np.bincount(b, other, len(codes))
    couples = np.unique(np.minimum(a, b) * len(codes) + np.maximum(a, b), return_inverse=True)[1]
    twice = np.bincount(couples, other)  # pairs of the same two sentences were met at both of them
    return float(np.sum(per_sentence**2) - np.sum(twice**2)) / len(rest) ** 2


def _described(values: FloatArray, span: Span, measure: Measure) -> tuple[Any, ...]:
    ends = (max(span[0], measure.low), min(span[1], measure.high)) if span else (None, None)
    sd = float(values.std(ddof=1)) if len(values) > 1 else None
    percentiles = np.quantile(values, [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1]).tolist()
    return (len(values), float(values.mean()), *ends, sd, *percentiles)


def _bins(name: str, *sides: FloatArray) -> list[tuple[Any, ...]]:
    """Both sides in the same bins."""
    rows: list[tuple[Any, ...]] = []
    edges = _edges(np.concatenate(sides), MEASURES[name])
    for side, values in zip(SIDES, sides, strict=True):
        counts = np.histogram(values, bins=edges)[0].tolist()
        spans = zip(edges[:-1].tolist(), edges[1:].tolist(), counts, strict=True)
        rows += [(name, side, low, high, count, count / len(values)) for low, high, count in spans]
    return rows


def _edges(values: FloatArray, measure: Measure) -> FloatArray:
    """Equal bins from 0 to 1 or beyond; of whole numbers of words, the last one taking in the longest sentences."""
    if measure is not MEASURES["words"]:
        return np.linspace(min(0.0, values.min()), max(1.0, values.max()), measure.bins + 1)
    least, usual = float(values.min()), float(np.quantile(values, 0.995, method="higher"))
    width = math.ceil((usual - least + 1) / measure.bins)
    edges = np.arange(least - 0.5, usual + width, width)
    edges[-1] = max(edges[-1], values.max())
    return edges


def _members(pairs: Frame, sentences: Frame, side: str) -> list[str]:
    """The sentences on one side of the pairs: by id, or the first sentence with that text, or else the text itself."""
    by_text = dict(sentences.reverse().select("text", "sentence").iter_rows())
    said = pairs.select(f"sentence_{side}", f"text_{side}").rows()
    return [name if name is not None else by_text.get(text, text) for name, text in said]


def _sources(pairs: Frame, sentences: Frame, overlap: FloatArray, *, most: int, rng: np.random.Generator) -> Frame:
    named = pairs["source"].fill_null(NOT_SAID)
    texts_of = dict(sentences.group_by("source", maintain_order=True).agg("text").iter_rows())
    names = list(dict.fromkeys([*texts_of, *named]))
    rows = []
    for name in names:
        texts, own = texts_of.get(name, []), overlap[(named == name).to_numpy()]
        drawn = _drawn(len(texts), max(1, most // len(names)), rng=rng)
        beside = _values([(texts[a], texts[b]) for a, b in drawn], None)["overlap"]
        means = (float(values.mean()) if len(values) else None for values in (own, beside))
        rows.append((name, len(texts), len(texts) / sentences.height, len(own), len(own) / pairs.height, *means))
    return _table("sources", rows)


def _subsets(pairs: Frame, sampled: Values) -> Frame:
    measures = ("overlap", "length_difference", "words")
    means = {name: pl.Series(sampled[name].reshape(pairs.height, -1).mean(axis=1)) for name in measures}
    looked = pairs.select(pl.col("subset", "source").fill_null(NOT_SAID), **means)
    groups = looked.group_by("subset", "source", maintain_order=True)
    counted = groups.agg(pl.len().cast(pl.Int64).alias("pairs"), pl.col(measures).mean())
    return counted.with_columns(share_of_pairs=pl.col("pairs") / pairs.height).select(COLUMNS["subsets"])


def _used(sentences: Frame, uses: Mapping[str, int]) -> dict[str, Any]:
    often = Counter(uses.get(name, 0) for name in sentences["sentence"])
    reuse = [(times, n, n / sentences.height) for times, n in sorted(often.items())]
    rows = [(name, text, uses[name]) for name, text in sentences.select("sentence", "text").rows() if name in uses]
    most_used = sorted(rows, key=lambda row: -row[2])[:MOST_LISTED]
    return {"reuse": _table("reuse", reuse), "most_used": _table("most_used", most_used)}


def _measure_figure(name: str, histograms: Frame, distributions: Frame) -> Figure:
    from matplotlib.ticker import MaxNLocator

    label, unit, *_ = MEASURES[name]
    lines = []
    for (side,), own in histograms.group_by("side", maintain_order=True):
        middles = own["from"] + (own["to"][0] - own["from"][0]) / 2
        lines.append(figures.Curve(str(side), middles.to_list(), own["share"].to_list()))
    title = f"{label[:1].upper()}{label[1:]}"
    figure = figures.curves(lines, x_label=label, y_label=f"share of {unit}", title=title)
    figure.axes[0].xaxis.set_major_locator(MaxNLocator(8, steps=[1, 2, 5, 10], integer=name == "words"))
    said = ", ".join(f"{side} {mean:.3g}" for side, mean in distributions.select("side", "mean").rows())
    figure.set_label(f"{title}\nMeans: {said}.")
    return figure


def _sources_figure(sources: Frame) -> Figure:
    shown = sources.sort("pairs", descending=True, maintain_order=True)
    rest = shown[_MOST_BARS:]
    rows = shown.head(_MOST_BARS).select("source", "share_of_pairs", "share_of_sentences").rows()
    if rest.height:
        rows.append((f"{rest.height:,} others", rest["share_of_pairs"].sum(), rest["share_of_sentences"].sum()))
    sides = ("of the pairs", "of the sentences")
    bars = [figures.Bar(name, side, share) for name, *own in rows for side, share in zip(sides, own, strict=True)]
    return figures.bars(bars, x_label="share", title="Pairs and sentences per source")


def _reuse_figure(reuse: Frame) -> Figure:
    """One bar per number of pairs, numbers that do not occur included; ten and more in one."""
    shares = dict.fromkeys(range(min(_MANY, max(reuse["uses"])) + 1), 0.0)
    for uses, _, share in reuse.rows():
        shares[min(_MANY, uses)] += share
    names = {0: "no pair", 1: "1 pair", _MANY: f"{_MANY} or more"}
    bars = [figures.Bar(names.get(uses, f"{uses} pairs"), "sentences", share) for uses, share in shares.items()]
    return figures.bars(bars, x_label="share of the corpus's sentences", title="In how many pairs a sentence stands")


class Options(Strict):
    """What stands for relatedness, and how closely the corpus is looked at."""

    predictor: str = "static"
    """The encoder whose similarities stand for relatedness, or ``none``."""
    random_pairs: Annotated[int, Field(ge=1)] = 10_000
    """How many random pairs stand for the corpus."""


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """It compares what there is."""
    return Plan(f"compares {inputs.get('pairs', 0):,} pairs with the {inputs.get('sentences', 0):,} sentences given")


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Write the tables and charts into the step's folder, and pass on the figures that matter most."""
    predictor = None if options.predictor == "none" else options.predictor
    how: dict[str, Any] = {"predictor": predictor, "random_pairs": options.random_pairs, "rng": context.rng}
    found = bias_report(inputs["pairs"], inputs["sentences"], **how)
    found.write(context.folder)
    for note in found.notes:
        context.note("bias", note)
    return {"statistics": found.statistics()}
