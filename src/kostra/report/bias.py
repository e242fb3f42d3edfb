"""What the sampling favours: the chosen pairs beside the sentences that they were chosen from."""

from __future__ import annotations

import numpy as np
import polars as pl

from kostra import figures, tables
from kostra.report.blocks import Block, Drawing, Section, Side, Table, Text, section
from kostra.report.material import Material
from kostra.report.words import counted, interval, number
from kostra.sampling.bias import MEASURES, BiasReport, bias_report
from kostra.tables import Frame
from kostra.text import dice, words

RANDOM_PAIRS = 5_000
MOST_PAIRS = 20_000
"""More pairs than these are looked at through so many of them."""
CAPTIONS = {
    "overlap": "Word overlap: the chosen pairs beside random pairs of the same sentences.",
    "length_difference": "Difference in length: the chosen pairs beside random ones.",
    "words": "Length: sentences of the chosen pairs beside all sentences.",
    "relatedness": "Relatedness as an encoder predicts it: chosen pairs beside random ones.",
    "sources": "Sources: their share of the pairs beside their share of the sentences.",
    "reuse": "Reuse: in how many pairs a sentence stands.",
}


def bias(material: Material, rng: np.random.Generator) -> Section | None:
    """The report of `kostra.sampling.bias`, or what can be said of the pairs alone."""
    if material.pairs.height < 2:
        return None
    blocks: list[Block] = []
    found = compared(material, rng)
    if found is not None:
        used = sum(n for uses, n, _ in found.reuse.rows() if uses)
        total = sum(n for _, n, _ in found.reuse.rows())
        blocks.append(
            Text(
                f"{used:,} of {counted(total, 'sentence')} stand in a pair. Where the curves part, the sampling "
                "favours something: a model may learn that instead of meaning."
            )
        )
        drawn = [Drawing(f"bias_{name}", CAPTIONS[name], figure) for name, figure in found.figures().items()]
        blocks.append(Side(tuple(drawn)))
        blocks.append(_distributions(found))
    scatter = _overlap(material)
    if scatter is not None:
        blocks.append(scatter)
    blocks.append(_by_subset(material.pairs))
    return section("bias", "What the sampling favours", blocks)


def compared(material: Material, rng: np.random.Generator) -> BiasReport | None:
    """The pairs against the sentences that the steps before them had, where pairs name their sentences."""
    pairs = material.pairs.head(MOST_PAIRS)
    named = set(pairs["sentence_a"].drop_nulls()) | set(pairs["sentence_b"].drop_nulls())
    corpus = _corpus(material, named)
    if corpus is None or corpus.height < 2 or not named & set(corpus["sentence"]):
        return None
    return bias_report(pairs, corpus, random_pairs=RANDOM_PAIRS, rng=rng)


def _corpus(material: Material, named: set[str]) -> Frame | None:
    """The sentences that the pairs were drawn from: of the last step that wrote sentences of theirs."""
    history = material.history
    found: list[Frame] = []
    left = set(named)
    for step in reversed(history.steps):
        own = history.table(step.name, "sentences")
        if own is not None and left & set(own["sentence"]):
            found.append(own)
            left -= set(own["sentence"])
    if not found:
        return None
    return tables.check(pl.concat(found).unique("sentence", keep="first", maintain_order=True), tables.SENTENCES)


def _distributions(found: BiasReport) -> Table:
    made = [
        (MEASURES[row["measure"]].label, row["side"], f"{row['n']:,}", number(row["mean"]),
         interval(row["low"], row["high"]), number(row["sd"]), number(row["median"]))
        for row in found.distributions.iter_rows(named=True)
    ]  # fmt: skip
    head = ("Measure", "Of", "n", "Mean", "95% interval", "Standard deviation", "Median")
    caption = "The chosen pairs beside random pairs of the same sentences."
    return Table("bias", caption, head, tuple(made), numbers=(2, 3, 4, 5, 6), grouped=True)


def overlaps(pairs: Frame) -> list[float]:
    """Dice overlap of words, pair by pair."""
    return [dice(words(first), words(second)) for first, second in pairs.select("text_a", "text_b").iter_rows()]


def _overlap(material: Material) -> Drawing | None:
    scored = material.scored.sort("pair")
    if scored.height < 2:
        return None
    score = material.recipe.score
    table = scored.select(pl.col("subset").fill_null("no subset"), "score").with_columns(x=pl.Series(overlaps(scored)))
    parts = sorted(table.group_by("subset", maintain_order=True))
    shown = {str(name).replace("_", " "): (part["x"].to_list(), part["score"].to_list()) for (name,), part in parts}
    figure = figures.scatter(
        shown, x_label="word overlap (Dice)", y_label=material.question, y_range=(score.low, score.high)
    )
    return Drawing("overlap_and_score", "Word overlap (Dice coefficient) of each pair against its score.", figure)


def _by_subset(pairs: Frame) -> Table:
    made = []
    named = pairs.with_columns(pl.col("subset", "source").fill_null("none"))
    for (subset, source), part in sorted(named.group_by("subset", "source", maintain_order=True)):
        uses = pl.concat([part["text_a"], part["text_b"].alias("text_a")])
        mean = float(np.mean(overlaps(part)))
        made.append(
            (str(subset).replace("_", " "), str(source), f"{part.height:,}", f"{part.height / pairs.height:.1%}",
             number(mean), f"{uses.n_unique():,}")
        )  # fmt: skip
    head = ("Subset", "Source", "Pairs", "Share", "Mean overlap", "Sentences")
    return Table("bias_by_subset", "Where the pairs come from.", head, tuple(made), numbers=(2, 3, 4, 5))
