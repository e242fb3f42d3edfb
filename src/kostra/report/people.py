"""The annotators: how much each answered, how fast, how far the others agree, and who may have been careless."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from kostra import figures
from kostra.errors import KostraError
from kostra.reliability.annotators import annotator_table
from kostra.report.blocks import Drawing, Section, Table, Text, section
from kostra.report.material import Material
from kostra.report.words import counted, number
from kostra.tables import Frame

HOW_BEST_WORST = (
    "Agreement is the share of the orders that an annotator's answers imply which hold when only the others' answers "
    "are scored; ties count half. Who answers at random comes near 50%."
)
HOW_RATING = (
    "Agreement is the Pearson correlation of an annotator's ratings with the mean rating that the others gave to the "
    "same items. Who answers at random comes near 0."
)
HOW_LABEL = "Agreement is the share of an annotator's labels that are the majority of the others' labels."
NOT_A_VERDICT = (
    " Nobody is judged by this automatically: a low number may also mean hard items, or an opinion of one's own."
)


@dataclass(frozen=True)
class People:
    """What is known of the annotators."""

    known: Frame
    """One row per annotator, as `kostra.reliability.annotators.annotator_table` describes them."""
    how: str
    chance: float | None
    percent: bool

    @property
    def flagged(self) -> Frame:
        """Those who may have been careless, with the reasons."""
        return self.known.filter("flagged")


def described(material: Material) -> People | None:
    """Compare the annotators with each other, where their answers can be compared."""
    if not material.main or not material.basis.height or (material.best_worst and material.tuples is None):
        return None
    try:
        known = annotator_table(_for_comparison(material), question=material.main, tuples=material.tuples)
    except KostraError:  # anonymous answers, or somebody who answered an item in two phases
        return None
    if material.best_worst:
        return People(known, HOW_BEST_WORST, 0.5, percent=True)
    if known["mean"].is_not_null().any():
        return People(known, HOW_RATING, 0.0, percent=False)
    return People(known, HOW_LABEL, None, percent=True)


def _for_comparison(material: Material) -> Frame:
    """The answers behind the scores, and the repeats of the same phases and questions."""
    if material.judgments is None:
        return material.basis
    phases, questions = (material.basis[name].unique().to_list() for name in ("phase", "question"))
    repeats = material.judgments.filter(
        (pl.col("block") == "repeat") & pl.col("phase").is_in(phases) & pl.col("question").is_in(questions)
    )
    return pl.concat([material.basis, repeats]).unique("judgment", maintain_order=True)


def people(material: Material, found: People | None) -> Section:
    """The figure and the table of annotators."""
    judgments = material.judgments
    if judgments is None or not judgments.height:
        return section("annotators", "Annotators", Text("There are no answers yet, so nothing to say about people."))
    anonymous = int(judgments["annotator"].is_null().sum())
    nameless = Text(f"{counted(anonymous, 'answer')} carry no annotator's name.", tone="small") if anonymous else None
    table = _table(judgments, material, found)
    about = Text(found.how + NOT_A_VERDICT) if found is not None else None
    return section("annotators", "Annotators", about, nameless, _drawing(found), table if table.rows else None)


def _drawing(found: People | None) -> Drawing | None:
    if found is None:
        return None
    known = {name: value for name, value in found.known.select("annotator", "agreement").rows() if value is not None}
    if len(known) < 2:
        return None
    what = {0.5: "share of orders", 0.0: "correlation", None: "share of labels"}[found.chance]
    label = f"agreement with the others ({what})"
    figure = figures.dots(known, x_label=label, title="Agreement per annotator", chance=found.chance)
    return Drawing("annotators", "Each annotator's agreement with the others, lowest first.", figure)


def _table(judgments: Frame, material: Material, found: People | None) -> Table:
    """One row per annotator, those whom the others contradict most first."""
    counts = _counts(judgments)
    if material.annotators is not None:
        roles = material.annotators.select("annotator", "role", "note").unique("annotator", keep="first")
        counts = counts.join(roles, on="annotator", how="full", coalesce=True)
    else:
        counts = counts.with_columns(role=pl.lit(None, pl.String), note=pl.lit(None, pl.String))
    if found is not None:
        counts = counts.join(found.known.select("annotator", "agreement", "reasons"), on="annotator", how="left")
    else:
        counts = counts.with_columns(agreement=pl.lit(None, pl.Float64), reasons=pl.lit(None, pl.String))
    ordered = counts.sort("agreement", "given", "annotator", descending=[False, True, False], nulls_last=True)
    silent = ordered.filter(pl.col("given").fill_null(0) == 0).height
    rows = ordered.filter(pl.col("given") > 0)
    columns = _columns(rows, percent=found is not None and found.percent)
    head = tuple(columns)
    made = tuple(zip(*columns.values(), strict=True)) if rows.height else ()
    said = "Annotators, those who agree least with the others first." if found is not None else "Who answered how much."
    said += f" {silent:,} of those who were asked gave no answer." if silent else ""
    numbers = tuple(
        place for place, name in enumerate(head) if name not in ("Annotator", "Role", "Why to look", "Note")
    )
    return Table("annotators", said, head, made, numbers=numbers)


def _counts(judgments: Frame) -> Frame:
    accepted = pl.col("status") == "answered"
    screen = judgments.drop_nulls("annotator")
    return screen.group_by("annotator").agg(
        given=accepted.sum(),
        impossible=(pl.col("status") == "impossible").sum(),
        other=(~pl.col("status").is_in(["answered", "impossible"])).sum(),
        seconds=pl.col("seconds").filter(accepted).median(),
    )


def _columns(rows: Frame, *, percent: bool) -> dict[str, list[str]]:
    """Columns that have something to say, by their heading."""

    def shown(value: float | None) -> str:
        return "not measured" if value is None else f"{100 * value:.0f}%" if percent else number(value)

    columns = {"Annotator": rows["annotator"].to_list()}
    if rows["role"].is_not_null().any() and rows["role"].n_unique() > 1:
        columns["Role"] = [role or "" for role in rows["role"]]
    if rows["agreement"].is_not_null().any():
        columns["Agreement"] = [shown(value) for value in rows["agreement"]]
    columns["Answers"] = [f"{count:,}" for count in rows["given"]]
    for name, heading in (("impossible", "Impossible"), ("other", "Not counted")):
        if rows[name].sum():
            columns[heading] = [f"{count or 0:,}" for count in rows[name]]
    if rows["seconds"].is_not_null().any():
        columns["Median seconds"] = [number(value, 1) if value is not None else "" for value in rows["seconds"]]
    if rows["reasons"].is_not_null().any():
        columns["Why to look"] = [text or "" for text in rows["reasons"]]
    if rows["note"].is_not_null().any():
        columns["Note"] = [text or "" for text in rows["note"]]
    return columns
