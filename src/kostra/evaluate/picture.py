"""Sentences of one seed in two dimensions by PCA and t-SNE, numbered, with their list below."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from kostra import figures, files
from kostra.encoders import Encoder, embed, similarities, unit
from kostra.errors import KostraError, extra_needed, nearest, some, unknown
from kostra.evaluate.dataset import Dataset
from kostra.evaluate.models import in_project, model_files, plan_with_encoders
from kostra.evaluate.outcome import WHOLE, Evaluation
from kostra.evaluate.picture_charts import Entry, heat_map, moves, numbered
from kostra.evaluate.rewrites import Rewrites, plain_kind, rewrites_of
from kostra.recipe import Strict
from kostra.resample import bootstrap_interval
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Method = Literal["pca", "tsne"]
METHODS: tuple[Method, ...] = get_args(Method)
SHOWN = {"pca": "PCA", "tsne": "t-SNE"}

FEWEST = 4
"""Sentences below which two dimensions show nothing that the list does not."""
MOST = 40
"""Numbered sentences above which a picture of one seed cannot be read."""


# Two dimensions ----------------------------------------------------------------------------------------


def projected(vectors: FloatArray, method: Method, *, seed: int = 0) -> FloatArray:
    """Vectors, at length 1, in two dimensions: principal components, or t-SNE [1]_ from a seeded start.

    The signs of principal components are chosen so that the largest number of each is positive. The perplexity of
    t-SNE is 30, or a third of the points where they are few.

    References
    ----------
    .. [1] L. van der Maaten and G. Hinton (2008). Visualizing data using t-SNE. Journal of Machine Learning Research 9.

    Examples
    --------
    >>> projected(np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]), "pca").shape
    (3, 2)
    """
    points = np.asarray(unit(vectors), dtype=np.float64)
    centred = points - points.mean(axis=0)
    left, size, _ = np.linalg.svd(centred, full_matrices=False)
    flat = np.zeros((len(points), 2))
    found = (left * size)[:, :2]
    flat[:, : found.shape[1]] = found * np.sign(found[np.abs(found).argmax(axis=0), range(found.shape[1])] + 1e-300)
    if method == "pca":
        return flat
    try:
        from sklearn.manifold import TSNE
    except ImportError:
        raise extra_needed("scikit-learn", "models", purpose="t-SNE") from None
    perplexity = min(30.0, (len(points) - 1) / 3)
    model = TSNE(perplexity=perplexity, init="pca", random_state=seed, n_jobs=1)
    return np.asarray(model.fit_transform(points.astype(np.float32)), dtype=np.float64)


# One seed, one kind of change --------------------------------------------------------------------------


def seed_row(made: Rewrites, said: str | None) -> int:
    """The row of a seed, named by its id, its text or the beginning of that; the first with enough rewrites if none is.

    Raises
    ------
    KostraError
        If there is no such seed, or several begin so.
    """
    seeds: list[int] = sorted(set(made.seed.tolist()))
    if said is None:
        often = np.bincount(made.seed, minlength=len(made.ids))
        large = [row for row in seeds if often[row] >= FEWEST]
        if not large:
            raise KostraError(f"no seed has {FEWEST - 1} rewrites or more", accepted="sentences with origin and change")
        return large[0]
    exact = [row for row in seeds if said in (made.ids[row], made.texts[row])]
    found = exact or [row for row in seeds if made.texts[row].casefold().startswith(said.casefold())]
    if len(found) == 1:
        return found[0]
    if found:
        raise KostraError(
            f'{len(found)} seeds begin with "{said}"',
            accepted=some(f'{made.ids[row]} "{made.texts[row]}"' for row in found),
        )
    guess = nearest(said, [made.texts[row] for row in seeds])
    raise KostraError(
        f'no seed is, or begins with, "{said}"',
        accepted=f"the id or text of a seed: {some(made.ids[row] for row in seeds)}",
        remedy=f'did you mean "{guess}"?' if guess else None,
    )


def annotation_set(made: Rewrites, seed: int, *, per_change: int | None = 1) -> list[int]:
    """Rows of a seed and of so many of its rewrites of each kind (all with None), in the table's order."""
    taken: dict[str, int] = {}
    rows = [seed]
    for row in np.flatnonzero(made.seed == seed).tolist():
        taken[made.kinds[row]] = taken.get(made.kinds[row], 0) + 1
        if row != seed and (per_change is None or taken[made.kinds[row]] <= per_change):
            rows.append(row)
    return rows


def set_figure(
    sentences: Frame,
    chosen: Encoder | str,
    *,
    seed_sentence: str | None = None,
    methods: Sequence[Method] = METHODS,
    per_change: int | None = 1,
    gloss: Mapping[str, str] | None = None,
    seed: int = 0,
) -> Figure:
    """One annotation set, numbered, with the sentences listed below (COSTRA 1.0, Figure 1)."""
    made = rewrites_of(sentences)
    rows = annotation_set(made, seed_row(made, seed_sentence), per_change=per_change)
    if len(rows) < FEWEST:
        raise KostraError(
            f'the seed "{made.ids[rows[0]]}" has {len(rows) - 1} rewrites', accepted=f"{FEWEST - 1} or more"
        )
    if len(rows) > MOST:
        raise KostraError(
            f"{len(rows)} sentences cannot be told apart in a picture",
            accepted=f"{MOST} or fewer",
            remedy="show fewer rewrites of each kind",
        )
    texts = [made.texts[row] for row in rows]
    vectors = np.asarray(embed(chosen, texts), dtype=np.float64)
    known = gloss or {}
    entries = [
        Entry(
            made.texts[row],
            "" if place == 0 else made.kinds[row],
            known.get(made.texts[row], known.get(made.ids[row], "")),
        )
        for place, row in enumerate(rows)
    ]
    panels = {SHOWN[method]: projected(vectors, method, seed=seed) for method in methods}
    return numbered(panels, entries, title=f"A seed and {len(rows) - 1} rewrites as {_named(chosen)} sees them")


def type_figure(
    sentences: Frame, chosen: Encoder | str, *, change: str, methods: Sequence[Method] = METHODS, seed: int = 0
) -> Figure:
    """All seeds, each with its first rewrite of one kind, joined: the lines are alike where the change is regular."""
    made = rewrites_of(sentences)
    kind = plain_kind(change)
    every = made.of_kind(kind)
    if not len(every):
        raise unknown("kind of rewrite", change, made.changes())
    rows = every[np.unique(made.seed[every], return_index=True)[1]]
    texts = [made.texts[row] for row in (*made.seed[rows], *rows)]
    vectors = np.asarray(embed(chosen, texts), dtype=np.float64)
    panels = {}
    for method in methods:
        points = projected(vectors, method, seed=seed)
        panels[SHOWN[method]] = points[: len(rows)], points[len(rows) :]
    return moves(panels, change=kind, title=f"Rewrites of the kind {kind} as {_named(chosen)} sees them")


def _named(chosen: Encoder | str) -> str:
    return chosen if isinstance(chosen, str) else type(chosen).__name__


# Pairs and results -------------------------------------------------------------------------------------


def overlap_figure(data: Dataset, *, question: str | None = None) -> Figure:
    """Shared words (Dice) against the scores, as density (STR-2021, Figure 2)."""
    scored = data.scored(question)
    overlap = similarities("dice", scored.pairs)
    return figures.scatter(
        {"all": (overlap.tolist(), scored.gold.tolist())},
        x_label="shared words (Dice)",
        y_label=scored.question.replace("_", " "),
        y_range=data.range(scored.gold),
        trend=True,
    )


def predicted_figure(data: Dataset, chosen: Encoder | str, *, question: str | None = None) -> Figure:
    """People's scores against an encoder's similarity."""
    scored = data.scored(question)
    said = similarities(chosen, scored.pairs)
    return figures.scatter(
        {"all": (scored.gold.tolist(), said.tolist())},
        x_label=f"{scored.question.replace('_', ' ')}, by people",
        y_label=f"similarity, by {_named(chosen)}",
        trend=True,
    )


def types_figure(sentences: Frame, encoders: Sequence[str], *, samples: int = 1000, seed: int = 0) -> Figure:
    """Mean similarity of seed and rewrite per kind of change, with 95% intervals; the most alike first."""
    made = rewrites_of(sentences)
    rng = np.random.default_rng(seed)
    rows = {kind: made.of_kind(kind) for kind in made.changes()}
    if not rows:
        raise KostraError("there are no rewrites", accepted="sentences with origin and change")
    every = np.concatenate(list(rows.values()))
    pairs = [(made.texts[made.seed[row]], made.texts[row]) for row in every]
    places = np.split(np.arange(len(every)), np.cumsum([len(own) for own in rows.values()])[:-1])
    drawn = []
    for name in encoders:
        said = similarities(name, pairs)
        for kind, where in zip(rows, places, strict=True):
            own = said[where]
            ends = bootstrap_interval(_mean_of(own), len(own), rng=rng, samples=samples)
            drawn.append(figures.Bar(kind, name, float(own.mean()), ends.low, ends.high))
    first = {bar.row: bar.value for bar in drawn if bar.series == encoders[0]}
    drawn.sort(key=lambda bar: (-first[bar.row], bar.row))
    return figures.bars(drawn, x_label="similarity of seed and rewrite", title="Similarity by kind of rewrite")


def _mean_of(values: FloatArray) -> Any:
    return lambda drawn: values[drawn].mean(axis=1)


def parts_figure(evaluations: Iterable[Evaluation], *, metric: str = "cosine_spearman") -> Figure:
    """A figure of encoders per part of a dataset, with intervals."""
    drawn = [
        figures.Bar(measure.part, one.encoder, measure.value, measure.low, measure.high)
        for one in evaluations
        for measure in one.measures
        if measure.metric == metric and measure.value is not None
    ]
    if not drawn:
        raise KostraError(f'nothing has the figure "{metric}"')
    return figures.bars(drawn, x_label=_spoken(metric), title="Encoders by part")


def _spoken(metric: str) -> str:
    figure = metric.removeprefix("cosine_")
    return f"{figure.capitalize()} correlation with people" if figure in ("spearman", "pearson", "kendall") else metric


def heat_figure(evaluations: Sequence[Evaluation], *, metric: str = "cosine_spearman") -> Figure:
    """Encoders × datasets, the whole of each."""
    rows: dict[str, dict[str, float | None]] = {}
    for one in evaluations:
        rows.setdefault(one.encoder, {})[one.dataset] = one.value(metric, WHOLE)
    return heat_map(rows, title=_spoken(metric))


# The step ----------------------------------------------------------------------------------------------

READS = ("sentences",)
WRITES = ()
FOLDER = "pictures"


class Options(Strict):
    """Whose vectors, and what is shown."""

    encoder: str = "static"
    """Whose vectors are drawn."""
    methods: Annotated[tuple[Method, ...], Field(min_length=1)] = METHODS
    """How many dimensions become two."""
    seeds: Annotated[int, Field(ge=1)] = 1
    """How many seeds get a picture, the first ones that have enough rewrites."""
    per_change: Annotated[int, Field(ge=1)] | None = 1
    """Rewrites of each kind that are shown."""
    changes: tuple[str, ...] = ()
    """Kinds of rewrites of which all seeds are shown in one picture."""
    gloss: str | None = None
    """A table with the columns ``sentence`` (text or id) and ``gloss``, relative to the project."""


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """Pictures of seeds and of kinds."""
    kinds = f" and the rewrites of {len(options.changes)} kinds" if options.changes else ""
    seeds = "one seed" if options.seeds == 1 else f"{options.seeds} seeds"
    how = " and ".join(SHOWN[method] for method in options.methods)
    return plan_with_encoders(f"draws {seeds}{kinds} with {options.encoder} by {how}", [options.encoder], context)


WAITS = True  # for a model that a person must bring


def watches(options: Options, context: Context) -> list[Path]:
    """The gloss, and a model that lies in the project as a file."""
    gloss = [context.project / options.gloss] if options.gloss else []
    return [*gloss, *model_files([options.encoder], context)]


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Draw the pictures into the step's folder."""
    sentences = inputs["sentences"]
    gloss = read_gloss(context.project / options.gloss) if options.gloss else {}
    made = rewrites_of(sentences)
    if made.lost:
        context.note("lost", f"{made.lost:,} rewrites name a seed that is not there, and are left out")
    fitting = [
        row
        for row in sorted(set(made.seed.tolist()))
        if FEWEST <= len(annotation_set(made, row, per_change=options.per_change)) <= MOST
    ]
    if len(fitting) < options.seeds:
        found = f"only {len(fitting)} seeds have {FEWEST - 1} to {MOST - 1} rewrites to show"
        context.note("few_seeds", f"{found}; {options.seeds} were asked for")
    folder = context.folder / FOLDER
    folder.mkdir(exist_ok=True)
    number = int(context.rng.integers(2**31))
    chosen = in_project(options.encoder, context.project)
    wanted = fitting[: options.seeds]
    for done, row in enumerate(wanted, 1):
        figure = set_figure(
            sentences, chosen, seed_sentence=made.ids[row], methods=options.methods,
            per_change=options.per_change, gloss=gloss, seed=number,
        )  # fmt: skip
        figures.save_all(figure, folder / f"seed_{done}")
        context.progress(done, len(wanted) + len(options.changes))
    for done, change in enumerate(options.changes, 1):
        figure = type_figure(sentences, chosen, change=change, methods=options.methods, seed=number)
        figures.save_all(figure, folder / plain_kind(change).replace(" ", "_"))
        context.progress(len(wanted) + done, len(wanted) + len(options.changes))
    return {}


def read_gloss(path: Path) -> dict[str, str]:
    """Sentence, or its id, to its translation: a CSV or TSV with the columns ``sentence`` and ``gloss``."""
    kind: Literal["csv", "tsv"] = "tsv" if path.suffix.lower() == ".tsv" else "csv"
    records = files.read_records(path, kind=kind)
    lacking = [name for name in ("sentence", "gloss") if name not in records.header]
    if lacking:
        raise KostraError(
            f'there is no column "{lacking[0]}"', where=f"{files.shown(path)}:1", accepted="sentence, gloss"
        )
    at, beside = records.header.index("sentence"), records.header.index("gloss")
    return {row[at]: row[beside] for row in records.rows}
