"""What an encoder does with each kind of rewrite: closeness, strings, the categories of COSTRA 1.1, differences."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from kostra.correlate import correlation
from kostra.encoders import Encoder, PairEncoder, encoder, similarities
from kostra.errors import KostraError, counted, unknown
from kostra.evaluate.categories import CATEGORIES, OF_PARAPHRASES, categories, costra_score, inequalities
from kostra.evaluate.dataset import Dataset, hashed
from kostra.evaluate.likeness import OWN, Space, revision, space_of
from kostra.evaluate.means import Means
from kostra.evaluate.models import plan_with_encoders, step_encoders
from kostra.evaluate.models import watches as watches
from kostra.evaluate.outcome import WHOLE, Evaluation, Measure
from kostra.evaluate.regularity import regularity
from kostra.evaluate.rewrites import SEED, Rewrites, rewrites_of
from kostra.evaluate.tabling import as_results
from kostra.recipe import Strict
from kostra.steps import Context, Inputs, Plan, Progress, silent
from kostra.tables import PAIRS, SCORES, Frame, Schema

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Category = Literal["basic", "modality", "time", "style", "generalization", "opposite_meaning"]


def transformations(
    data: Dataset,
    encoders: Sequence[str] | Mapping[str, Encoder],
    *,
    string: str = "indel",
    wanted: Sequence[str] | None = None,
    columns: bool = True,
    regular: bool = True,
    samples: int = 1000,
    rng: np.random.Generator,
    progress: Progress = silent,
) -> tuple[Evaluation, ...]:
    """Everything that COSTRA asks of an encoder.

    Per kind of rewrite the mean similarity to the seed, as vectors and as strings, and over kinds Pearson's correlation
    of these two columns (COSTRA 1.0, Table 5); the categories of COSTRA 1.1, where people compared sentences; and how
    regular the differences are (`kostra.evaluate.regularity`).

    Parameters
    ----------
    string
        The encoder that compares strings: ``indel`` as in the paper's figures, or another of pairs.
    wanted
        Categories; those that the data allow unless named.
    columns
        Whether to give the two columns of similarities and their correlation.
    regular
        Whether to look at differences; it needs vectors.
    """
    made = encoders if isinstance(encoders, Mapping) else {spec: encoder(spec) for spec in encoders}
    if data.sentences is None:
        data.needs("transformations")
    assert data.sentences is not None
    rewrites = rewrites_of(data.sentences, data.pairs, data.judgments, data.scores)
    if not rewrites.changes():
        raise KostraError(
            "there is no rewrite: no sentence has an origin and a change",
            where=data.where or data.name,
            accepted="sentences with the columns origin and change",
        )
    asked = _asked(rewrites, wanted)
    changed = np.flatnonzero(np.array(rewrites.kinds) != SEED)
    pairs = [(rewrites.texts[rewrites.seed[row]], rewrites.texts[row]) for row in changed.tolist()]
    strings = similarities(encoder(string), pairs)
    found = []
    for done, (name, chosen) in enumerate(made.items(), 1):
        start = time.perf_counter()
        means = Means(samples, rng)
        counted: dict[str, int] = {}
        details: dict[str, object] = {}
        if isinstance(chosen, PairEncoder):
            near = similarities(chosen, pairs)
            measures = _columns(rewrites, changed, near, strings, string, means) if columns else []
        else:
            space = space_of(chosen, rewrites.texts)
            counted |= space.counts
            near = space.between([one for one, _ in pairs], [two for _, two in pairs])
            measures = _columns(rewrites, changed, near, strings, string, means) if columns else []
            measures += _categories(rewrites, space, asked)
            if regular:
                more, runs = regularity(rewrites, space, means)
                measures += more
                details["orientation"] = dict(runs)
        found.append(
            Evaluation(
                encoder=name,
                dataset=data.name,
                task="transformations",
                measures=tuple(measures),
                revision=revision(chosen),
                dataset_revision=hashed(f"{k}\0{t}" for k, t in zip(rewrites.kinds, rewrites.texts, strict=True)),
                languages=data.languages,
                similarity=OWN if isinstance(chosen, PairEncoder) else "cosine",
                counts={**data.counts, "rewrites": len(changed), "lost_rewrites": rewrites.lost, **counted},
                seconds=time.perf_counter() - start,
                details={**details, "string": string, "comparisons": len(rewrites.comparisons)},
            )
        )
        progress(done, len(made))
    return tuple(found)


def _columns(
    rewrites: Rewrites, changed: IntArray, near: FloatArray, strings: FloatArray, string: str, means: Means
) -> list[Measure]:
    """Per kind the two means, and over kinds how far they go together."""
    kinds = np.array(rewrites.kinds)[changed]
    seeds = rewrites.seed[changed]
    measures: list[Measure] = []
    columns: list[tuple[float, float]] = []
    for kind in rewrites.changes():
        inside = kinds == kind
        own = means.of(kind, "mean_cosine", near[inside], seeds[inside])
        other = means.of(kind, f"mean_{string}", strings[inside], seeds[inside])
        measures += [own, other]
        columns.append((float(near[inside].mean()), float(strings[inside].mean())))
    one, two = np.array(columns).T
    value = correlation(one, two, ranks=False)
    note = f"of the columns mean_cosine and mean_{string} over {len(columns)} kinds"
    measures.append(Measure(WHOLE, "string_pearson", value if np.isfinite(value) else None, n=len(columns), note=note))
    return measures


def _asked(rewrites: Rewrites, wanted: Sequence[str] | None) -> dict[str, IntArray]:
    """What to ask; a category that was named must have data, others may lack them."""
    every = inequalities(rewrites)
    if wanted is None:
        return {name: rows for name, rows in every.items() if len(rows)}
    for name in wanted:
        if name not in CATEGORIES:
            raise unknown("category", name, CATEGORIES)
    return {name: every[name] for name in wanted}


def _categories(rewrites: Rewrites, space: Space, asked: Mapping[str, IntArray]) -> list[Measure]:
    if not asked:
        return []
    # In the precision in which encoders give them, as the package is given them.
    found = categories(space.vectors[space.rows(rewrites.texts)].astype(np.float32), asked)
    measures = []
    for name, one in found.items():
        if not one.asked:
            measures.append(Measure(name, "accuracy", None, note="undefined: there is nothing to compare"))
            continue
        what = "paraphrases nearer than other rewrites" if name in OF_PARAPHRASES else "closeness as people compared"
        ties = f"; {one.tied} ties count as failures" if one.tied else ""
        measures.append(Measure(name, "accuracy", one.value, n=one.asked, note=f"{what}{ties}"))
    if set(found) == set(CATEGORIES) and all(one.asked for one in found.values()):
        note = "mean of the six categories, each rounded to three decimals, as the costra package prints it"
        measures.append(
            Measure(WHOLE, "costra", costra_score(found), n=sum(one.asked for one in found.values()), note=note)
        )
    return measures


# The step ----------------------------------------------------------------------------------------------

READS = ("sentences",)
WRITES = ("results",)
WAITS = True  # for a model that a person must bring


class Options(Strict):
    """Which encoders, and which questions to them."""

    encoders: tuple[str, ...] = Field(default=("static",), min_length=1)
    """Encoders, as specs."""
    string: str = "indel"
    """How strings are compared."""
    categories: tuple[Category, ...] | None = None
    """Categories of COSTRA 1.1; those that the data allow unless named."""
    columns: bool = True
    """Whether to give the mean similarities per kind; a recipe that has `analysis/transformations` has them there."""
    regularity: bool = True
    """Whether to look at the differences of seed and rewrite."""
    samples: int = Field(default=1000, ge=0)
    """Bootstrap samples of seeds."""


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:
    """Encoders × kinds of rewrites."""
    return plan_with_encoders(
        f"asks {counted(len(options.encoders), 'encoder')} what they do with {inputs.get('sentences', 0):,} sentences",
        options.encoders,
        context,
    )


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Look at the rewrites through each encoder."""
    about = context.recipe.recipe
    data = Dataset(
        name=about.name,
        language=about.language,
        sentences=inputs["sentences"],
        pairs=_either(inputs.get("pairs"), PAIRS),
        scores=_either(inputs.get("scores"), SCORES),
        judgments=inputs.get("judgments"),
    )
    found = transformations(
        data,
        step_encoders(options.encoders, context),
        string=options.string,
        wanted=options.categories,
        columns=options.columns,
        regular=options.regularity,
        samples=options.samples,
        rng=context.rng,
        progress=context.progress,
    )
    lost = found[0].counts["lost_rewrites"]
    if lost:
        context.note("lost_rewrites", f"{lost:,} rewrites have no seed among the sentences and are left out")
    return {"results": as_results(found)}


def _either(found: Frame | None, schema: Schema) -> Frame:
    return schema.empty() if found is None else found
