"""Relatedness factors: Spearman of the scores with shared and related words, by part of speech, subject and object."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import polars as pl
from pydantic import Field

from kostra import figures, tables
from kostra.encoders import Encoder, PairEncoder, WordEncoder, encoder, identity_of, similarities, unit
from kostra.encoders.views import GROUPS, ROLES, chosen_words
from kostra.errors import KostraError, some
from kostra.evaluate.models import in_project, model_files, plan_with_encoders
from kostra.evaluate.relatedness import step_dataset
from kostra.ratings import FloatArray
from kostra.recipe import Strict
from kostra.reliability import Estimate
from kostra.reliability.agreement_step import statistics_table
from kostra.reliability.round_correlation import round_correlation
from kostra.steps import Context, Inputs, Plan, Progress, silent
from kostra.tables import Frame
from kostra.text import words
from kostra.trees import Tree, parse_conllu

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TAGS = ("PROPN", "NOUN", "ADJ", "VERB", "PRON", "ADV", "AUX", "ADP", "DET")
"""The parts of speech of the paper's Table 4."""
SHARED, RELATED = "shared words", "related words"

_COLUMNS = {
    "question": pl.String, "factor": pl.String, "spearman": pl.Float64, "low": pl.Float64, "high": pl.Float64,
    "pairs": pl.Int64, "note": pl.String,
}  # fmt: skip
_COSINE_DECIMALS = 6
"""As everywhere: what is beyond depends on the machine, and equal vectors tie."""


@dataclass(frozen=True)
class Factor:
    """Something that may make two sentences related."""

    question: str
    """The paper's question: Q1 to Q4."""
    name: str
    only: str = ""
    """Which words count (`kostra.encoders.views.chosen_words`); all where nothing is said."""


def factors(
    parts_of_speech: Sequence[str] = TAGS,
    groups: Mapping[str, Sequence[str]] | None = None,
    relations: Sequence[str] = ("subject", "object"),
) -> list[Factor]:
    """The factors in the order of the paper's Table 4.

    Examples
    --------
    >>> [one.name for one in factors(["NOUN"], {"verb": ["VERB", "AUX"]}, ["object"])]
    ['shared words', 'related words', 'NOUN', 'verb group', 'object']
    """
    chosen = {name: sorted(tags) for name, tags in GROUPS.items()} if groups is None else groups
    made = [
        Factor("Q1", SHARED),
        Factor("Q2", RELATED),
        *(Factor("Q3a", tag, tag) for tag in parts_of_speech),
        *(Factor("Q3b", f"{name} group", ",".join(tags)) for name, tags in chosen.items()),
        *(Factor("Q4", relation, relation) for relation in relations),
    ]
    for one in made:
        if one.only:
            chosen_words(Tree(()), one.only)  # an unknown tag or relation shows before anything is computed
    return made


def relatedness_factors(
    pairs: Sequence[tuple[str, str]],
    scores: FloatArray,
    trees: Mapping[str, Tree],
    *,
    asked: Sequence[Factor],
    vectors: Encoder,
    least_share: float = 0.1,
    rng: np.random.Generator,
    samples: int = 1000,
    progress: Progress = silent,
) -> Frame:
    """Correlate the scores of pairs with each factor [1]_.

    *Shared words* is the Dice coefficient. The others are the cosine of the mean vectors of the words that count: all,
    those of one part of speech or of a group of them, those that are subjects or objects. A pair counts only if both
    sentences have such a word, and one that the encoder knows.

    Parameters
    ----------
    pairs, scores
        Sentences and their scores.
    trees
        The dependency tree of each sentence, by its text; needed by all factors but shared and related words, whose
        words are those of the text where it has no tree.
    vectors
        An encoder that averages vectors of words, such as ``static`` or ``vectors:FILE``.
    least_share
        A factor that fewer of the pairs have on both sides is left out: its row has no figure.

    Returns
    -------
    Frame
        ``question``, ``factor``, ``spearman`` with its bootstrap interval over pairs ``low`` and ``high``, ``pairs``
        and ``note``, in the order in which factors are asked.

    References
    ----------
    .. [1] M. Abdalla, K. Vishnubhotla and S. M. Mohammad (2021). What makes sentences semantically related. Section 5,
       Table 4.

    Examples
    --------
    Only the first of three pairs shares words: ranks 3, 1.5, 1.5 against 3, 2, 1 give 1.5/√(1.5 · 2) = .87.

    >>> pairs, scores, trees = _example()
    >>> found = relatedness_factors(
    ...     pairs,
    ...     scores,
    ...     trees,
    ...     asked=factors(["NOUN", "ADJ"], {}, []),
    ...     vectors=encoder("static"),
    ...     rng=np.random.default_rng(1),
    ...     samples=20,
    ... )
    >>> found.select("factor", pl.col("spearman").round(2), "pairs").rows()
    [('shared words', 0.87, 3), ('related words', 1.0, 3), ('NOUN', 1.0, 3), ('ADJ', None, 0)]
    """
    if isinstance(vectors, PairEncoder) or not isinstance(vectors, WordEncoder):
        raise KostraError(
            f'the encoder "{identity_of(vectors).name}" has no vectors of single words',
            accepted="static, or vectors:FILE",
        )
    texts = dict.fromkeys(text for pair in pairs for text in pair)
    missing = [text for text in texts if text not in trees] if any(one.only for one in asked) else []
    if missing:
        raise KostraError(
            f"{len(missing):,} sentences have no tree: {some(missing, 2)}",
            remedy="read the step sources/parse of the same pairs",
        )
    rows = []
    for done, one in enumerate(asked, 1):
        near = _closeness(one, pairs, trees, vectors)
        has = np.isfinite(near)
        count = int(has.sum())
        if count < least_share * len(pairs):
            few = f"fewer than {least_share:.0%} of the pairs have it on both sides"
            found = Estimate(math.nan, n=count, note=f"left out: {few}")
        else:
            found = round_correlation(near[has], scores[has], ranks=True, rng=rng, samples=samples)
        ends = {"spearman": found.value, "low": found.low, "high": found.high}
        rows.append(
            {"question": one.question, "factor": one.name, **ends, "pairs": found.n, "note": found.note or None}
        )
        progress(done, len(asked))
    return pl.DataFrame(rows, schema=_COLUMNS).with_columns(pl.col(pl.Float64).fill_nan(None))


def _closeness(
    one: Factor, pairs: Sequence[tuple[str, str]], trees: Mapping[str, Tree], vectors: WordEncoder
) -> FloatArray:
    """How close the words that count are in each pair; NaN where a sentence has none."""
    if one.name == SHARED:
        return similarities(encoder("dice"), list(pairs))
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    place = {text: row for row, text in enumerate(texts)}
    chosen = [chosen_words(trees[text], one.only) if one.only else _all_words(text, trees.get(text)) for text in texts]
    made = unit(vectors.encode_words(chosen))
    known = made.any(axis=1) & np.array([bool(some_words) for some_words in chosen])
    first, second = (np.array([place[pair[side]] for pair in pairs], dtype=np.int64) for side in (0, 1))
    near = np.round(np.einsum("ij,ij->i", made[first], made[second]), _COSINE_DECIMALS)
    return np.where(known[first] & known[second], near, np.nan)


def _all_words(text: str, tree: Tree | None) -> list[str]:
    return words(text) if tree is None else [word.form for word in tree.words]


def trees_of(frame: Frame) -> dict[str, Tree]:
    """The trees of a table by the text of their sentence."""
    return {text: parse_conllu(block)[0] for text, block in frame.select("text", "conllu").iter_rows()}


def factors_figure(found: Frame) -> Figure:
    """Bars of the correlations, in the order of the table.

    Examples
    --------
    >>> row = {"question": "Q1", "factor": "shared words", "spearman": 0.57, "low": 0.5, "high": 0.6, "pairs": 9}
    >>> print(factors_figure(pl.DataFrame([row])).get_label())
    What goes with relatedness
    Q1 shared words (9): Spearman 0.57 (0.50 to 0.60).
    """
    shown = found.drop_nulls("spearman").select("question", "factor", "spearman", "low", "high", "pairs")
    bars = [
        figures.Bar(f"{question} {factor} ({count:,})", "Spearman", value, low, high)
        for question, factor, value, low, high, count in shown.iter_rows()
    ]
    return figures.bars(bars, x_label="Spearman correlation with the scores", title="What goes with relatedness")


def overlap_figure(pairs: Sequence[tuple[str, str]], scores: FloatArray, *, question: str) -> Figure:
    """Scores against lexical overlap, each pair a point: the paper's Figure 2.

    Examples
    --------
    >>> pairs, scores, _ = _example()
    >>> overlap_figure(pairs, scores, question="relatedness").get_label().splitlines()[0]
    'Relatedness against lexical overlap'
    """
    overlap = similarities(encoder("dice"), list(pairs))
    points = {"all": (overlap.tolist(), scores.tolist())}
    return figures.scatter(points, x_label="lexical overlap", y_label=question.replace("_", " "), trend=True)


# The step ----------------------------------------------------------------------------------------------

READS = ("pairs", "scores")
WRITES = ("statistics",)
WAITS = True  # for vectors that a person must bring
GOES_WITHOUT = ("trees",)
"""Shared and related words need no parser: their rows and the figure are drawn without one."""


class Options(Strict):
    """Which words, and which vectors."""

    encoder: str = "static"
    """Averages vectors of words: ``static``, or ``vectors:FILE``; the paper has word2vec trained on news."""
    parts_of_speech: tuple[str, ...] = TAGS
    """Tags of Universal Dependencies."""
    groups: dict[str, tuple[str, ...]] = Field(default={name: tuple(sorted(tags)) for name, tags in GROUPS.items()})
    """Groups of tags, by name."""
    relations: tuple[str, ...] = tuple(ROLES)
    """subject, object."""
    least_share: Annotated[float, Field(ge=0, le=1)] = 0.1
    """Share of the pairs that must have a factor on both sides."""
    question: str | None = None
    """The score; the recipe's own where none is named."""
    samples: Annotated[int, Field(ge=1)] = 200
    """Bootstrap samples; sixteen factors of thousands of pairs take their time."""


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:
    """Factors × pairs."""
    asked = factors(options.parts_of_speech, options.groups, options.relations)
    says = f"correlates the scores of {inputs.get('pairs', 0):,} pairs with {len(asked)} factors"
    return plan_with_encoders(says, [options.encoder], context)


def watches(options: Options, context: Context) -> list[Path]:
    """Vectors that lie in the project."""
    return model_files([options.encoder], context)


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Write the correlations as relatedness_factors.csv and .svg, overlap.svg, and as statistics."""
    scored = step_dataset(inputs, context, question=options.question).scored()
    asked = factors(options.parts_of_speech, options.groups, options.relations)
    parsed = inputs.get("trees")
    if parsed is None:
        context.note("no_trees", "nothing was parsed: parts of speech, subjects and objects (Q3, Q4) are left out")
        asked = [one for one in asked if not one.only]
    found = relatedness_factors(
        scored.pairs,
        scored.gold,
        {} if parsed is None else trees_of(parsed),
        asked=asked,
        vectors=encoder(in_project(options.encoder, context.project)),
        least_share=options.least_share,
        rng=context.rng,
        samples=options.samples,
        progress=context.progress,
    )
    left = found.filter(pl.col("note").str.starts_with("left out").fill_null(False))["factor"].to_list()
    if left:
        context.note(
            "left_out", f"fewer than {options.least_share:.0%} of the pairs have it on both sides: {some(left)}"
        )
    tables.write(found, context.folder / "relatedness_factors.csv")
    figures.save_all(factors_figure(found), context.folder / "relatedness_factors")
    figures.save_all(overlap_figure(scored.pairs, scored.gold, question=scored.question), context.folder / "overlap")
    estimates = {}
    for row in found.iter_rows(named=True):
        value, low, high = (math.nan if row[key] is None else row[key] for key in ("spearman", "low", "high"))
        note = row["note"] or "Spearman with the scores; the interval is over pairs"
        estimates[f"factor_{row['factor'].replace(' ', '_')}"] = Estimate(value, low, high, row["pairs"], note)
    return {"statistics": statistics_table(estimates, question=scored.question)}


def _example() -> tuple[list[tuple[str, str]], FloatArray, dict[str, Tree]]:
    texts = {"cats sleep": "cats", "kittens nap": "kittens", "taxes rise": "taxes"}
    lines = [
        f"1\t{noun}\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\t{text.split()[1]}\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n"
        for text, noun in texts.items()
    ]
    trees = dict(zip(texts, parse_conllu("".join(lines)), strict=True))
    pairs = [("cats sleep", "cats sleep"), ("cats sleep", "kittens nap"), ("cats sleep", "taxes rise")]
    return pairs, np.array([1.0, 0.6, 0.1]), trees
