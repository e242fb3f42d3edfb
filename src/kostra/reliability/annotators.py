"""One row per annotator: answers, time, agreement, gold accuracy, repeats, straight-lining, flags with their reason.

Nothing is excluded here. A flag is a reason to look; `effect_of_excluding` says what leaving people out would change.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from itertools import groupby
from typing import Annotated, Any

import numpy as np
import polars as pl
from pydantic import Field

from kostra import tables
from kostra.errors import KostraError, some, unknown
from kostra.ratings import ratings_from
from kostra.recipe import Name, Strict
from kostra.reliability.split_half import split_half_best_worst, split_half_ratings
from kostra.scoring.comparisons import implied_orders_held
from kostra.scoring.counting import best_worst_table
from kostra.scoring.majority import agreed_labels, agreement_with_majority
from kostra.scoring.mean import agreement_with_mean
from kostra.scoring.ratings import campaign_phases, refuse_anonymous, refuse_repeats
from kostra.steps import Context, Inputs, Plan
from kostra.tables import STATISTICS, Frame, check

READS = ("judgments",)
WRITES = ("statistics",)

Gold = Mapping[tuple[str, str], str]
"""(item, question) → the right answer."""
Statistic = Callable[[Frame], float]
"""A figure of a judgments table."""

_TEXT, _WHOLE, _NUMBER = pl.String(), pl.Int64(), pl.Float64()
COLUMNS = pl.Schema({
    "annotator": _TEXT, "answers": _WHOLE, "median_seconds": _NUMBER, "mean_seconds": _NUMBER, "mean": _NUMBER,
    "spread": _NUMBER, "agreement": _NUMBER, "agreement_answers": _WHOLE, "gold": _NUMBER, "gold_answers": _WHOLE,
    "repeats": _NUMBER, "repeat_answers": _WHOLE, "longest_run": _WHOLE, "modal_share": _NUMBER,
    "flagged": pl.Boolean(), "reasons": _TEXT,
})  # fmt: skip
"""The columns of the table, in their order. `answers` counts accepted items without gold and repeats; mean and spread
(n − 1) are those of ratings; a share stands before the number of answers that it rests on."""


class Thresholds(Strict):
    """When an annotator is flagged."""

    speed: Annotated[float, Field(ge=0, le=1)] = 1 / 3
    """Median seconds below this share of the median annotator's."""
    agreement: Annotated[float, Field(ge=0, le=1)] = 0.5
    """Agreement beyond chance below this share of the median annotator's, …"""
    sure: Annotated[float, Field(ge=0)] = 2.5
    """… and below it by so many standard errors, taken as 1/√n: where all agree little, nobody stands out by luck."""
    answers: Annotated[int, Field(ge=3)] = 10
    """Answers that speed and agreement must rest on before they count."""
    gold: Annotated[float, Field(ge=0, le=1)] = 0.7
    """Share of gold questions answered rightly below this."""
    repeats: Annotated[float, Field(ge=0, le=1)] = 0.5
    """Share of repeats answered as before below this share of the median annotator's."""
    checks: Annotated[int, Field(ge=1)] = 5
    """Gold questions or repeats that they must rest on."""
    run: Annotated[float, Field(ge=0, le=1)] = 0.0001
    """A run of one answer so long that it has at most this chance, by how often the others give that answer."""
    within: Annotated[float, Field(ge=0)] = 1.0
    """How far a rating may lie from the gold answer, or from the earlier one, and still count as the same."""


def annotator_table(
    judgments: Frame,
    *,
    question: str | None = None,
    tuples: Frame | None = None,
    gold: Gold | None = None,
    thresholds: Thresholds | None = None,
) -> Frame:
    """Describe every annotator, and flag those who may be careless, with the reason in words.

    Agreement with the others is, for ratings, Pearson's correlation with the mean of the others
    (`kostra.scoring.mean.agreement_with_mean`); for labels, the share equal to the others' majority
    (`kostra.scoring.majority.agreement_with_majority`); for best–worst answers, the share of the orders they imply
    that hold among the others' scores (`kostra.scoring.comparisons.implied_orders_held`). By what each has beyond
    chance, people are compared.

    Straight-lining shows in the longest run of one answer, in the order of time, or, for best–worst, of one position.
    A run of L has an expected number of about K pᴸ (1 + (n − L)(1 − p)) among n answers, K being the number of possible
    answers and p the share of that answer among the others' (one added to each count); it is flagged if that is
    below `Thresholds.run`. Where similar items follow each other, long runs are no fault.

    Parameters
    ----------
    judgments
        Accepted answers count (status *answered*). Answers of the blocks ``gold`` and ``repeat`` are set against the
        right ones and the earlier ones, and are no part of anything else.
    question, tuples
        What was asked or, for best–worst answers, the tuples; answers to a question are ratings if all are numbers, and
        labels otherwise.
    gold, thresholds
        The right answers, without which there is no gold accuracy; and when to flag.

    Returns
    -------
    Frame
        One row per annotator, by name, with the columns `COLUMNS`. What cannot be told is empty: an annotator without
        accepted answers, one who shares no item with anybody, ratings that are all equal.

    Raises
    ------
    KostraError
        If answers are anonymous, or somebody answered an item twice outside the block ``repeat``.

    References
    ----------
    A. W. Meade and S. B. Craig (2012). Identifying careless responses in survey data. Psychological Methods 17,
    437–455: speed, runs, agreement with others. The thresholds are our own choice.

    Examples
    --------
    Ann and Bob rate alike; Cy gives 3 to everything, and so has no correlation.

    >>> said = {"ann": "1245", "bob": "1245", "cy": "3333"}
    >>> answers = [(f"item {n}", who, value) for who, values in said.items() for n, value in enumerate(values)]
    >>> frame = pl.DataFrame(answers, schema=["item", "annotator", "value"], orient="row").with_columns(
    ...     question=pl.lit("similarity"), status=pl.lit("answered"), block=pl.lit("main"), seconds=9.0
    ... )
    >>> annotator_table(frame, question="similarity").select("annotator", "mean", "agreement", "longest_run").rows()
    [('ann', 3.0, 1.0, 1), ('bob', 3.0, 1.0, 1), ('cy', 3.0, None, 4)]
    """
    limits = thresholds or Thresholds()
    sheet = _sheet(judgments, question, tuples)
    frame = pl.DataFrame({"annotator": sheet.everybody}, schema={"annotator": pl.String})
    for part in (_plain(sheet), _agreement(sheet), *_checks(sheet, gold, limits), _runs(sheet)):
        frame = frame.join(part, on="annotator", how="left", maintain_order="left")
    counts = ("answers", "agreement_answers", "gold_answers", "repeat_answers")
    rows = frame.with_columns(pl.col(counts).fill_null(0)).rows(named=True)
    known = {name: [row[name] for row in rows if _enough(row, name, limits)] for name in _RESTS_ON}
    median = {name: float(np.median(values)) if values else 0.0 for name, values in known.items()}
    reasons = ["; ".join(_reasons(row, median, limits)) or None for row in rows]
    told = [row | {"flagged": why is not None, "reasons": why} for row, why in zip(rows, reasons, strict=True)]
    return pl.DataFrame([{name: row[name] for name in COLUMNS} for row in told], schema=COLUMNS)


def effect_of_excluding(judgments: Frame, excluded: Collection[str], statistics: Mapping[str, Statistic]) -> Frame:
    """Say what leaving annotators out does to statistics; the judgments themselves stay as they are.

    Statistics are functions of a judgments table, by name. One that is undefined, or refuses, is empty, with the reason
    in `note`.

    Examples
    --------
    >>> answers = pl.DataFrame({"annotator": ["ann", "bob"], "value": ["1", "5"], "status": ["answered"] * 2})
    >>> mean = lambda frame: float(frame["value"].cast(pl.Float64).mean())
    >>> effect_of_excluding(answers, ["bob"], {"mean": mean}).select("statistic", "before", "after", "change").rows()
    [('mean', 3.0, 1.0, -2.0)]
    """
    known = set(judgments["annotator"].drop_nulls())
    for name in sorted(set(excluded) - known):
        raise unknown("annotator", name, known)
    kept = judgments.filter(~pl.col("annotator").is_in(list(excluded)).fill_null(False))
    counts = [int((frame["status"] == "answered").sum()) for frame in (judgments, kept)]
    rows = []
    for name, statistic in statistics.items():
        (before, first), (after, second) = (_tried(statistic, frame) for frame in (judgments, kept))
        rows.append((name, before, after, None if first or second else after - before, *counts, first or second))
    names = ("statistic", "before", "after", "change", "answers_before", "answers_after", "note")
    kinds = (_TEXT, _NUMBER, _NUMBER, _NUMBER, _WHOLE, _WHOLE, _TEXT)
    return pl.DataFrame(rows, schema=dict(zip(names, kinds, strict=True)), orient="row").fill_nan(None)


def _tried(statistic: Statistic, frame: Frame) -> tuple[float, str | None]:
    try:
        value = float(statistic(frame))
    except KostraError as error:
        return np.nan, error.what
    return (value, None) if np.isfinite(value) else (np.nan, "undefined")


# What there is to measure ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Sheet:
    everybody: list[str]
    questions: tuple[str, ...]
    main: Frame
    """Answers, in the order of time, by which people are compared."""
    checks: Frame  # answers to gold questions and to repeated ones
    tuples: Frame | None
    numeric: bool


def _sheet(judgments: Frame, question: str | None, tuples: Frame | None) -> _Sheet:
    if tuples is None and question is None:
        raise KostraError("which question is the table of annotators about?", accepted="a question, or tuples")
    questions = ("best", "worst") if tuples is not None else (str(question),)
    asked = judgments.filter(pl.col("question").is_in(list(questions)))
    refuse_anonymous(asked, "a table of annotators")
    answered = asked.filter((pl.col("status") == "answered") & pl.col("value").is_not_null())
    if "answered_at" in answered.columns:
        answered = answered.sort("answered_at", maintain_order=True, nulls_last=True)
    checking = pl.col("block").is_in(["gold", "repeat"])
    main = answered.filter(~checking)
    for _, part in main.group_by("question", maintain_order=True):
        refuse_repeats(part)
    numeric = tuples is None and bool(answered["value"].cast(_NUMBER, strict=False).is_finite().fill_null(False).all())
    everybody = asked["annotator"].unique().sort().to_list()
    return _Sheet(everybody, questions, main, answered.filter(checking), tuples, numeric)


def _plain(sheet: _Sheet) -> Frame:
    value = pl.col("value").cast(pl.Float64, strict=False) if sheet.numeric else pl.lit(None, dtype=pl.Float64)
    # An answer of two parts is one answer, and took its time once.
    once = sheet.main.filter(pl.col("question") == sheet.questions[0]).group_by("annotator")
    times = {"median_seconds": pl.col("seconds").median(), "mean_seconds": pl.col("seconds").mean()}
    return once.agg(answers=pl.len(), **times, mean=value.mean(), spread=value.std())


def _agreement(sheet: _Sheet) -> Frame:
    main = sheet.main
    if sheet.tuples is not None:
        best, worst = (main.filter(pl.col("question") == question) for question in sheet.questions)
        who = best.join(worst, on=["item", "annotator"], how="semi", maintain_order="left")["annotator"].to_list()
        table = best_worst_table(sheet.tuples, main) if who else None  # its answers stand in the same order
        found = implied_orders_held(table.tuples, table.best, table.worst, who, items=len(table.items)) if table else []
    else:
        answers = ratings_from(*(main[name].to_list() for name in ("item", "value", "annotator")))
        found = agreement_with_mean(answers) if sheet.numeric else agreement_with_majority(answers)
    schema = {"annotator": _TEXT, "agreement": _NUMBER, "beyond_chance": _NUMBER, "agreement_answers": _WHOLE}
    return pl.DataFrame([astuple(one) for one in found], schema=schema, orient="row").fill_nan(None)


def _checks(sheet: _Sheet, gold: Gold | None, limits: Thresholds) -> Iterator[Frame]:
    """Gold questions against the right answers, repeats against the earlier ones."""
    right = pl.DataFrame(
        [(*place, value) for place, value in (gold or {}).items()],
        schema={"item": pl.String, "question": pl.String, "other": pl.String},
        orient="row",
    )
    earlier = sheet.main.select("annotator", "item", "question", other="value")
    number, other = (pl.col(name).cast(pl.Float64, strict=False) for name in ("value", "other"))
    same = (number - other).abs() <= limits.within + 1e-9 if sheet.numeric else pl.col("value") == pl.col("other")
    for block, name, known in (("gold", "gold", right), ("repeat", "repeats", earlier)):
        key = known.columns[:-1]
        rows = sheet.checks.filter(pl.col("block") == block).join(known, on=key, how="inner")
        yield rows.group_by("annotator").agg(same.mean().alias(name), pl.len().alias(f"{block}_answers"))


def _runs(sheet: _Sheet) -> Frame:
    """Longest run, share of the commonest answer, chance of the strangest run, and that run in words."""
    shown = sheet.main
    if sheet.tuples is not None:
        places = sheet.tuples.select(item="tuple", value="item", place=pl.col("position").cast(pl.String))
        shown = shown.join(places, on=["item", "value"], how="inner", maintain_order="left")
        shown = shown.with_columns(value="place")
    elif sheet.numeric:  # 1 and 1.0 are one answer
        shown = shown.with_columns(
            value=(pl.col("value").cast(pl.Float64) + 0.0).cast(pl.String).str.strip_suffix(".0")
        )
    found = []
    for (question,), asked in shown.group_by("question", maintain_order=True):
        common = dict(asked["value"].value_counts().iter_rows())
        said = f'"{question}" at position {{}}' if sheet.tuples is not None else '"{}"'
        for (who,), rows in asked.group_by("annotator", maintain_order=True):
            found.append((who, *_strangest_run(rows["value"].to_list(), common, said)))
    schema = {"annotator": _TEXT, "longest_run": _WHOLE, "modal_share": _NUMBER, "run_chance": _NUMBER}
    runs = (
        pl.DataFrame(found, schema=schema | {"run_said": _TEXT}, orient="row").sort("run_chance").group_by("annotator")
    )
    return runs.agg(pl.col("longest_run", "modal_share").max(), pl.col("run_chance", "run_said").first())


def _strangest_run(mine: Sequence[str], common: Mapping[str, int], said: str) -> tuple[int, float, float, str]:
    runs = [(value, len(list(run))) for value, run in groupby(mine)]
    n, total, kinds = len(mine), sum(common.values()), len(common)

    def chance(value: str, length: int) -> float:
        p = (common[value] - mine.count(value) + 1) / (total - n + kinds)
        return min(1.0, kinds * p**length * (1 + (n - length) * (1 - p)))

    longest = {value: max(length for other, length in runs if other == value) for value in dict.fromkeys(mine)}
    strangest = min(longest, key=lambda value: chance(value, longest[value]))
    words = f"{said.format(strangest)} {longest[strangest]:,} times in a row"
    modal = max(mine.count(value) for value in longest) / n
    return max(longest.values()), modal, chance(strangest, longest[strangest]), words


# Flags -------------------------------------------------------------------------------------------------


_RESTS_ON = {
    "median_seconds": ("answers", "answers"), "agreement": ("agreement_answers", "answers"),
    "beyond_chance": ("agreement_answers", "answers"), "gold": ("gold_answers", "checks"),
    "repeats": ("repeat_answers", "checks"),
}  # fmt: skip
"""Figure → how many answers it rests on, and the threshold for that."""


def _enough(row: Mapping[str, Any], name: str, limits: Thresholds) -> bool:
    counted, least = _RESTS_ON[name]
    return row[name] is not None and row[counted] >= getattr(limits, least)


def _reasons(row: Mapping[str, Any], median: Mapping[str, float], limits: Thresholds) -> Iterator[str]:
    def low(name: str, limit: float) -> bool:
        return _enough(row, name, limits) and row[name] < limit

    if low("median_seconds", limits.speed * median["median_seconds"]):
        yield f"answers in {row['median_seconds']:.1f} s, the median annotator in {median['median_seconds']:.1f} s"
    surely = median["beyond_chance"] - limits.sure / max(row["agreement_answers"], 1) ** 0.5
    if low("beyond_chance", min(limits.agreement * median["beyond_chance"], surely)):
        yield f"agreement with the others {row['agreement']:.2f}, the median annotator's {median['agreement']:.2f}"
    if low("gold", limits.gold):
        yield f"{row['gold']:.0%} of {row['gold_answers']} gold questions right, less than {limits.gold:.0%}"
    if low("repeats", limits.repeats * median["repeats"]):
        usual = f"the median annotator's {median['repeats']:.0%}"
        yield f"{row['repeats']:.0%} of {row['repeat_answers']} repeats answered as before, {usual}"
    if row["run_chance"] is not None and row["run_chance"] < limits.run:
        yield f"{row['run_said']}"


# The step ----------------------------------------------------------------------------------------------


class Options(Thresholds):
    """Which answers the table is about, and when an annotator is flagged."""

    question: Name | None = None
    """What was asked; the recipe's own question if nothing is said. Best–worst answers need no name."""
    phases: tuple[Name, ...] = ()
    """Phases whose answers count, and to which repeats are compared; all if nothing is said."""
    gold_phase: Name | None = None
    """The phase in which the authors answered the gold questions; the one that the campaign names if nothing is said.
    Where they agree, that is the right answer; their answers are no part of the table."""


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """One row per annotator."""
    return Plan(f"describes and flags annotators by {inputs.get('judgments', 0):,} judgments; excludes nobody")


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Write the table as ``annotators.csv`` and a summary as statistics."""
    tuples, question = inputs.get("tuples"), options.question or context.recipe.score.question
    gold, judgments = _gold(inputs["judgments"], options, context)
    if options.phases:
        judgments = judgments.filter(pl.col("phase").is_in(list(options.phases)))
    limits = Thresholds(**{name: getattr(options, name) for name in Thresholds.model_fields})
    table = annotator_table(judgments, question=question, tuples=tuples, gold=gold, thresholds=limits)
    tables.write(table, context.folder / "annotators.csv")
    flagged = table.filter("flagged")
    for name, why in flagged.select("annotator", "reasons").iter_rows():
        context.note("flagged", f"{name}: {why}; not excluded")
    rows = [("annotators_flagged", float(flagged.height), table.height, some(flagged["annotator"]) or "nobody")]
    if flagged.height:
        rated, seed = table["mean"].count() > 0, int(context.rng.integers(2**32))
        statistics = _statistics(question, tuples, numeric=rated, seed=seed)
        effects = effect_of_excluding(judgments, flagged["annotator"].to_list(), statistics)
        for name, before, after, _, all_answers, kept, why in effects.iter_rows():
            rows.append((f"{name}_all", before, all_answers, why or "all annotators; n counts answers"))
            rows.append((f"{name}_without_flagged", after, kept, why or "what excluding the flagged would give"))
    schema = {"statistic": _TEXT, "value": _NUMBER, "n": _WHOLE, "note": _TEXT}
    frame = pl.DataFrame(rows, schema=schema, orient="row").with_columns(question=pl.lit(question))
    return {"statistics": check(frame, STATISTICS, where="annotators")}


def _gold(judgments: Frame, options: Options, context: Context) -> tuple[Gold, Frame]:
    """The right answers, where authors gave them, and the judgments without the authors'."""
    declared = [phase["gold"] for phase in campaign_phases(context.recipe) if phase.get("gold")]
    rules: Mapping[str, Any] = declared[0] if declared else {}
    of_authors = pl.col("phase").eq_missing(pl.lit(options.gold_phase or rules.get("from_phase"), dtype=_TEXT))
    authors = judgments.filter(of_authors, pl.col("status") == "answered")
    if not authors.height and (judgments["block"] == "gold").any():
        context.note("no_gold", "there are answers to gold questions, but nothing says what is right: gold_phase")
    right = {
        (item, question): label
        for question in authors["question"].unique()
        for item, label in agreed_labels(authors.filter(question=question), least=rules.get("agreement", 1.0)).items()
    }
    return right, judgments.filter(~of_authors)


def _statistics(question: str, tuples: Frame | None, *, numeric: bool, seed: int) -> dict[str, Statistic]:
    """The figures whose change is reported: the same random splits before and after."""

    def agreement(frame: Frame) -> float:
        known = annotator_table(frame, question=question, tuples=tuples)["agreement"].drop_nulls().to_numpy()
        return float(known.mean()) if len(known) else np.nan

    def split_half(frame: Frame) -> float:
        main, rng = _sheet(frame, question, tuples).main, np.random.default_rng(seed)
        if tuples is None:
            rated = ratings_from(main["item"].to_list(), main["value"].to_list())
            return split_half_ratings(rated.item, rated.values, items=len(rated.items), rng=rng).spearman
        table = best_worst_table(tuples, main)
        return split_half_best_worst(table.tuples, table.best, table.worst, items=len(table.items), rng=rng).spearman

    halves = {"split_half_spearman": split_half} if numeric or tuples is not None else {}
    return {"mean_agreement": agreement, **halves}
