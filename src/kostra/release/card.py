"""The dataset card: front matter for Hugging Face, then what kostra knows, in words and tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

import polars as pl

import kostra
from kostra.errors import some
from kostra.recipe import RECIPE_FILE, Recipe, Step
from kostra.release.about import ABOUT_FILE, answered, open_questions
from kostra.release.edition import Edition, part_files
from kostra.release.folder import configurations
from kostra.release.licences import Licence, licence_named
from kostra.release.markup import Safe, count, render, yaml_block
from kostra.release.released import OTHER_WAY, Released
from kostra.steps import Context
from kostra.tables import ANNOTATORS, JUDGMENTS, PAIRS, SCORES, STATISTICS, Frame

_SIZES = {
    10**3: "n<1K", 10**4: "1K<n<10K", 10**5: "10K<n<100K", 10**6: "100K<n<1M", 10**7: "1M<n<10M", 10**8: "10M<n<100M",
}  # fmt: skip
_MOST_GROUPS = 40
_MACHINES = {"simulated": "simulated annotator", "model": "model"}
_KINDS = {"text": "text", "whole": "whole number", "number": "number", "time": "time (UTC)"}


def card(made: Released, context: Context, *, name: str, edition: Edition | None = None) -> str:
    """The text of README.md; an edition has splits, a version and papers of its own beside it."""
    recipe = context.recipe
    licence = licence_named(recipe.recipe.licence)
    answers = who_answered(made, context)
    facts: dict[str, Any] = {
        "front_matter": Safe(front_matter(made, recipe, licence, answers, name=name, edition=edition)),
        "name": name,
        "about": recipe.recipe,
        "score": recipe.score,
        "points": _points(recipe),
        "kostra": kostra.__version__,
        "digest": recipe.digest()[:12],
        "licence": licence,
        "answers": answers,
        "made": made,
        "scores": _distribution(made.pairs),
        "groups": _groups(made.pairs),
        "more_groups": max(0, made.pairs.select("source", "subset").n_unique() - _MOST_GROUPS),
        "examples": _examples(made.pairs),
        "fields": pair_fields(made.pairs, recipe),
        "labels": _labels(made.pairs),
        "judgment_fields": fields_of(JUDGMENTS.columns),
        "annotator_fields": fields_of(ANNOTATORS.columns),
        "statistics": statistic_rows(made.statistics),
        "statuses": _statuses(made.judgments),
        "per_annotator": _per_annotator(made),
        "has_recipe": (context.project / RECIPE_FILE).is_file(),
        "steps": step_rows(context, below=True),
        "other_steps": step_rows(context, below=False),
        "findings": [finding for manifest in context.history.values() for finding in manifest.get("findings", [])],
        "own_findings": [message for _, message in made.findings],
        "edition": edition,
        "parts": [] if edition is None else _parts(made.pairs, edition),
        "configs": [config for config in configurations(made) if config != "pairs"],
        "to_fill": {} if edition is None else open_questions(edition.about, people=not answers.no_person),
        "asks_back": ABOUT_FILE,
        "licence_file": licence_file(edition),
        "citation_file": "CITATION.txt" if edition is None else "CITATION.cff",
        "cite_as": "" if edition is None else answered(edition.about, "cite_as"),
    }
    return render("card.md.jinja", facts)


def licence_file(edition: Edition | None) -> str:
    """The name of the file with the licence."""
    return "LICENSE.txt" if edition is None else "LICENSE"


def _parts(pairs: Frame, edition: Edition) -> list[tuple[str, int, str, str]]:
    rows = []
    for part, number in edition.parts.items():
        score = pairs.filter(pl.col("split") == part)["score"].to_numpy()
        rows.append((part, number, f"{score.mean():.3f}", f"{score.std(ddof=min(1, len(score) - 1)):.3f}"))
    return rows


# Who answered ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Answers:
    """Accepted answers and annotators, by what answered: person, simulated, model or unknown."""

    answers: Mapping[str, int]
    annotators: Mapping[str, int]
    simulated_steps: tuple[str, ...] = ()
    """Steps on the way to the release in which simulated annotators stood in for people."""

    @property
    def simulated(self) -> bool:
        """Whether anything was simulated."""
        return bool(self.answers.get("simulated") or self.simulated_steps)

    @property
    def no_person(self) -> bool:
        """Whether no answer can be a person's."""
        machines = self.answers.get("simulated", 0) + self.answers.get("model", 0)
        return (machines > 0 or self.simulated) and machines == sum(self.answers.values())

    @property
    def some_machine(self) -> bool:
        """Whether some answers are not a person's."""
        return self.simulated or self.answers.get("model", 0) > 0

    @property
    def creators(self) -> list[str]:
        """The value of ``annotations_creators``."""
        machine = ["machine-generated"] if self.some_machine else []
        if self.no_person:
            return machine
        return ["crowdsourced", *machine] if self.answers else [*machine, "other"]

    def statement(self) -> str:
        """Who answered in the place of people."""
        if not self.answers:
            return f"Simulated annotators answered ({', '.join(self.simulated_steps)})."
        # An anonymous source names nobody: then the kind must do, without a number.
        who = [count(n, _MACHINES[kind]) if n else f"{_MACHINES[kind]}s" for kind, n in self.annotators.items()]
        return f"Every accepted answer ({sum(self.answers.values()):,} in all) was given by {' or '.join(who)}."

    def mixture(self) -> str:
        """How many answers came from whom, in words."""
        words = {"person": "people", "simulated": "simulated annotators", "model": "models", "unknown": "unknown hands"}
        return ", ".join(f"{self.answers[kind]:,} from {word}" for kind, word in words.items() if kind in self.answers)


def who_answered(made: Released, context: Context) -> Answers:
    """Count accepted answers by kind of annotator; a simulated step owns the answers whose annotator is unknown."""
    steps = tuple(
        name for name in ancestors(context.recipe, context.step) if context.history.get(name, {}).get("simulated")
    )
    if made.judgments is None:
        return Answers({}, {}, steps)
    accepted = made.judgments.filter(pl.col("status") == "answered").select("annotator")
    if made.annotators is None:
        known = accepted.with_columns(kind=pl.lit(None, dtype=pl.String))
    else:
        known = accepted.join(made.annotators.select("annotator", "kind"), on="annotator", how="left")
    known = known.with_columns(pl.col("kind").fill_null("simulated" if steps else "unknown"))
    counted = known.group_by("kind").agg(answers=pl.len(), people=pl.col("annotator").drop_nulls().n_unique())
    rows = counted.sort("kind").rows()
    return Answers({kind: n for kind, n, _ in rows}, {kind: n for kind, _, n in rows}, steps)


def ancestors(recipe: Recipe, step: Step) -> list[str]:
    """Names of the steps that a step rests on, directly or through others, in the recipe's order."""
    wanted = set(step.reads)
    for other in reversed(recipe.steps):
        if other.name in wanted:
            wanted |= set(other.reads)
    return [other.name for other in recipe.steps if other.name in wanted]


# Front matter ------------------------------------------------------------------------------------------


def front_matter(
    made: Released, recipe: Recipe, licence: Licence, answers: Answers, *, name: str, edition: Edition | None = None
) -> str:
    """The YAML that Hugging Face reads: what it is, and which files make which configuration."""
    labelled = any(column.startswith("label_") for column in made.pairs.columns)
    link = {"license_name": licence.slug, "license_link": licence_file(edition)}
    other = link if licence.hub == "other" else {}
    parts = {} if edition is None else part_files(edition)
    fields: dict[str, Any] = {
        "pretty_name": " ".join(name.split()),
        "language": [recipe.recipe.language],
        "license": licence.hub,
        **other,
        "size_categories": [size_category(made.pairs.height)],
        "task_categories": ["sentence-similarity", "text-classification"],
        "task_ids": ["semantic-similarity-scoring", *(["semantic-similarity-classification"] if labelled else [])],
        "annotations_creators": answers.creators,
        "tags": ["kostra", recipe.score.question, *(["simulated"] if answers.simulated else [])],
        "configs": [_config(config, path, parts) for config, path in configurations(made).items()],
    }
    return yaml_block(fields)


def _config(name: str, path: str, parts: Mapping[str, str]) -> dict[str, Any]:
    # A dataset without splits is one split called "train": what `datasets` itself does, and "all" is reserved.
    of = (parts if name == "pairs" else {}) or {"train": path}
    entry: dict[str, Any] = {
        "config_name": name,
        "data_files": [{"split": part, "path": file} for part, file in of.items()],
    }
    return {**entry, "default": True} if name == "pairs" else entry


def size_category(rows: int) -> str:
    """The size class of Hugging Face.

    Examples
    --------
    >>> size_category(354), size_category(1000), size_category(5_000_000)
    ('n<1K', '1K<n<10K', '1M<n<10M')
    """
    return next((named for limit, named in _SIZES.items() if rows < limit), "100M<n<1B")


# Facts -------------------------------------------------------------------------------------------------


def _points(recipe: Recipe) -> list[tuple[str, str]]:
    return [(f"{recipe.score.low + place:g}", label) for place, label in enumerate(recipe.score.labels)]


def _distribution(pairs: Frame) -> dict[str, str]:
    score = pairs["score"]
    figures: dict[str, Any] = {
        "lowest": score.min(),
        "lower quartile": score.quantile(0.25, "linear"),
        "median": score.median(),
        "upper quartile": score.quantile(0.75, "linear"),
        "highest": score.max(),
        "mean": score.mean(),
    }
    return {name: f"{figure:.3f}" for name, figure in figures.items()}


def _groups(pairs: Frame) -> list[tuple[str, str, int, str]]:
    counted = pairs.group_by("source", "subset").agg(n=pl.len(), mean=pl.col("score").mean())
    rows = counted.sort("source", "subset", nulls_last=True).head(_MOST_GROUPS).rows()
    return [(source or "–", subset or "–", n, f"{mean:.3f}") for source, subset, n, mean in rows]


def _examples(pairs: Frame) -> list[dict[str, Any]]:
    """The pairs at the bottom, the quarters and the top of the scores; ties go by id."""
    order = pairs.sort("score", "pair")
    places = sorted({round(quarter * (order.height - 1) / 4) for quarter in range(5)})
    return [{**order.row(place, named=True), "shown": f"{order['score'][place]:.3f}"} for place in places]


Field = tuple[str, str, str]
"""Name, type and meaning of a column."""


def fields_of(columns: tuple[Any, ...]) -> list[Field]:
    """The columns of a schema, for a reader."""
    return [
        (
            column.name,
            _KINDS[column.kind] + (", may be empty" if column.empty else ""),
            column.doc + (f": {', '.join(column.choices)}" if column.choices else ""),
        )
        for column in columns
    ]


def pair_fields(pairs: Frame, recipe: Recipe) -> list[Field]:
    """The columns of the released pairs."""
    known = {field[0]: field for field in (*fields_of(SCORES.columns), *fields_of(PAIRS.columns))}
    score = recipe.score
    known["split"] = ("split", "text", "train, validation or test")
    known["pair"] = ("pair", "text", "id of the pair")
    known["score"] = ("score", "number", f'the score for "{score.question}", from {score.low:g} to {score.high:g}')
    fields = []
    for name in pairs.columns:
        if name in known:
            fields.append(known[name])
            continue
        base = next(base for base in ("standard_error", "appearances", "label", "score") if name.startswith(f"{base}_"))
        question = name.removeprefix(f"{base}_").removesuffix(OTHER_WAY)
        way = ", the other way round: the second sentence first" if name.endswith(OTHER_WAY) else ""
        meaning = {"label": "the label", "score": "the score"}.get(base, known[base][2])
        fields.append((name, f"{known[base][1].split(',')[0]}, may be empty", f'{meaning}, for "{question}"{way}'))
    return fields


def _labels(pairs: Frame) -> list[tuple[str, str]]:
    found = []
    for name in pairs.columns:
        if name.startswith("label_"):
            counted = pairs[name].drop_nulls().value_counts(sort=False).sort("count", name, descending=[True, False])
            found.append((name, some([f"{label} ({n:,})" for label, n in counted.rows()], 20)))
    return found


def statistic_rows(statistics: Frame | None) -> list[dict[str, str]]:
    """Figures of reliability, as they are printed."""
    if statistics is None:
        return []
    said = []
    for row in statistics.sort(*STATISTICS.key).iter_rows(named=True):
        interval = row["low"] is not None and row["high"] is not None
        said.append(
            {
                "statistic": row["statistic"],
                "question": row["question"],
                "value": "undefined" if row["value"] is None else f"{row['value']:.3f}",
                "interval": f"{row['low']:.3f} to {row['high']:.3f}" if interval else "–",
                "n": f"{row['n']:,}",
                "note": row["note"] or "",
            }
        )
    return said


def _statuses(judgments: Frame | None) -> list[tuple[str, str, int]]:
    if judgments is None:
        return []
    return judgments.group_by("question", "status").agg(n=pl.len()).sort("question", "status").rows()


def _per_annotator(made: Released) -> str:
    """How the accepted answers spread over the annotators; empty where the source is anonymous."""
    if made.judgments is None:
        return ""
    named = made.judgments.filter((pl.col("status") == "answered") & pl.col("annotator").is_not_null())
    if named.is_empty():
        return ""
    loads = sorted(named.group_by("annotator").agg(n=pl.len())["n"].to_list())
    idle = max(0, made.annotators.height - len(loads)) if made.annotators is not None else 0
    others = f"; {idle:,} more are listed and gave none" if idle else ""
    return (
        f"{count(len(loads), 'annotator')} gave them, from {loads[0]:,} to {loads[-1]:,} each, "
        f"the median {median(loads):,g}{others}."
    )


def step_rows(context: Context, *, below: bool) -> list[dict[str, Any]]:
    """The steps before this one that were built: those that the release rests on, or the others."""
    resting_on = ancestors(context.recipe, context.step)
    return [
        {
            "name": step.name,
            "use": step.use,
            "note": step.note,
            "rows": _rows(context.history[step.name]),
            "simulated": bool(context.history[step.name].get("simulated")),
        }
        for step in context.recipe.steps
        if step.name in context.history and (step.name in resting_on) == below
    ]


def _rows(manifest: Mapping[str, Any]) -> str:
    words = {"statistics": "figure|figures", "results": "result|results"}
    said = []
    for kind, rows in manifest.get("rows", {}).items():
        one, _, many = words.get(kind, f"{kind.removesuffix('s')}|{kind}").partition("|")
        said.append(f"{rows:,} {one if rows == 1 else many}")
    return ", ".join(said)
