"""The annotators: how much each answered, how fast, and how far the others agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from kostra import figures
from kostra.correlate import correlation
from kostra.report.material import Material
from kostra.report.words import counted, number
from kostra.tables import Frame

MOST_ROWS = 60
FEWEST_ITEMS = 10
"""Below that a correlation says nothing."""

HOW_BEST_WORST = (
    "Agreement is the share of an annotator's answers in which the item chosen as best stands above the item chosen as "
    "worst when only the others' answers are counted (times best minus times worst, over appearances); a tie counts as "
    "half. Who answers at random comes near 50%."
)
HOW_RATING = (
    "Agreement is the Pearson correlation of an annotator's ratings with the mean rating that the others gave to the "
    f"same items, where there are at least {FEWEST_ITEMS}. Who answers at random comes near 0."
)


@dataclass(frozen=True)
class Row:
    """One annotator, as shown."""

    annotator: str
    kind: str
    answers: str
    refused: str
    seconds: str
    agreement: str
    compared: str
    note: str


@dataclass(frozen=True)
class People:
    """The section about annotators."""

    rows: tuple[Row, ...]
    left_out: int
    silent: int
    """Annotators who were asked and gave no answer."""
    how: str
    figure: str | None
    anonymous: int
    has_notes: bool
    has_refused: bool


def people(material: Material) -> People | None:
    """Make the section, or None where there are no judgments."""
    judgments = material.judgments
    if judgments is None or not judgments.height:
        return None
    best_worst = material.main == "best"
    accepted = material.accepted()
    agreement = best_worst_agreement(judgments, material.scored) if best_worst else rating_agreement(accepted)
    everyone = _table(judgments, material, agreement)
    table = everyone.drop_nulls("answers")
    shown = table.head(MOST_ROWS)
    known = dict(agreement.drop_nulls().select("annotator", "agreement").iter_rows())
    return People(
        rows=tuple(_row(row, percent=best_worst) for row in shown.iter_rows(named=True)),
        left_out=table.height - shown.height,
        silent=everyone.height - table.height,
        how=HOW_BEST_WORST if best_worst else HOW_RATING,
        figure=_figure(known, best_worst=best_worst) if len(known) > 1 else None,
        anonymous=int(accepted["annotator"].is_null().sum()),
        has_notes=bool(shown["note"].is_not_null().any()),
        has_refused=bool((shown["refused"] > 0).any()),
    )


def _figure(known: Mapping[str, float], *, best_worst: bool) -> str:
    label = f"agreement with the others ({'share of answers' if best_worst else 'correlation'})"
    chance = 0.5 if best_worst else 0.0
    return figures.svg_of(figures.dots(known, x_label=label, title="Agreement per annotator", chance=chance))


def _table(judgments: Frame, material: Material, agreement: Frame) -> Frame:
    """One row per annotator, those whom the others contradict most first."""
    asked = judgments.filter(pl.col("question") == material.main).drop_nulls("annotator")
    accepted = pl.col("status") == "answered"
    counts = asked.group_by("annotator").agg(
        answers=accepted.sum(), refused=(~accepted).sum(), seconds=pl.col("seconds").filter(accepted).median()
    )
    about = material.annotators
    if about is None:
        about = counts.select("annotator", kind=pl.lit(""), note=pl.lit(None, pl.String))
    table = about.select("annotator", "kind", "note").join(counts, on="annotator", how="full", coalesce=True)
    return table.join(agreement, on="annotator", how="left").sort("agreement", "seconds", "annotator", nulls_last=True)


def _row(row: dict[str, object], *, percent: bool) -> Row:
    agreement, seconds = row["agreement"], row["seconds"]
    if not isinstance(agreement, float):
        said = "not measured"
    else:
        said = f"{100 * agreement:.0f}%" if percent else number(agreement)
    return Row(
        annotator=str(row["annotator"]),
        kind=str(row["kind"] or "unknown"),
        answers=f"{row['answers'] or 0:,}",
        refused=f"{row['refused'] or 0:,}",
        seconds=number(seconds, 1) if isinstance(seconds, float) else "not recorded",
        agreement=said,
        compared=f"{row['compared'] or 0:,}",
        note=str(row["note"] or ""),
    )


def best_worst_agreement(judgments: Frame, scored: Frame) -> Frame:
    """How often the others put an annotator's best above the same annotator's worst.

    Columns annotator, agreement (empty if nobody else answered) and compared (answers).

    Examples
    --------
    Ann and Bob put p above q, Cy the other way round. Without Ann there is one voice each way: a tie, which counts
    half. The same holds without Bob. Without Cy, p leads.

    >>> rows = [(who, "t", "best", best) for who, best in (("ann", "p"), ("bob", "p"), ("cy", "q"))]
    >>> rows += [(who, "t", "worst", worst) for who, worst in (("ann", "q"), ("bob", "q"), ("cy", "p"))]
    >>> judgments = pl.DataFrame(rows, schema=["annotator", "item", "question", "value"], orient="row").with_columns(
    ...     version=1, phase=pl.lit("main"), block=pl.lit("main"), status=pl.lit("answered")
    ... )
    >>> scored = pl.DataFrame({"pair": ["p", "q"], "appearances": [3, 3]})
    >>> best_worst_agreement(judgments, scored).rows()
    [('ann', 0.5, 1), ('bob', 0.5, 1), ('cy', 0.0, 1)]
    """
    accepted = judgments.filter(pl.col("status") == "answered").drop_nulls(["annotator", "value"])
    best, worst = (accepted.filter(pl.col("question") == question) for question in ("best", "worst"))
    signed = pl.concat([best.with_columns(sign=1), worst.with_columns(sign=-1)]).rename({"value": "chosen"})
    total = signed.group_by("chosen").agg(total=pl.col("sign").sum())
    own = signed.group_by("annotator", "chosen").agg(own=pl.col("sign").sum())
    appearances = scored.select(chosen="pair", appearances="appearances")
    others = own.join(total, on="chosen").join(appearances, on="chosen", how="left")
    standing = (pl.col("total") - pl.col("own")) / pl.col("appearances").fill_null(1)
    others = others.select("annotator", "chosen", standing=standing)
    screen = ["annotator", "item", "version", "phase", "block"]
    answers = best.select(*screen, best="value").join(worst.select(*screen, worst="value"), on=screen)
    for side in ("best", "worst"):
        named = others.select("annotator", pl.col("chosen").alias(side), pl.col("standing").alias(f"{side}_standing"))
        answers = answers.join(named, on=["annotator", side])
    above, below = pl.col("best_standing"), pl.col("worst_standing")
    agrees = pl.when(above > below).then(1.0).when(above == below).then(0.5).otherwise(0.0)
    alone = answers["annotator"].n_unique() < 2
    return (
        answers.group_by("annotator")
        .agg(agreement=pl.lit(None, pl.Float64) if alone else agrees.mean(), compared=pl.len())
        .sort("annotator")
    )


def rating_agreement(accepted: Frame) -> Frame:
    """Correlate each annotator's ratings with the mean of the others' ratings of the same items.

    Columns annotator, agreement (empty if undefined) and compared (items).

    Examples
    --------
    Bob's ratings are twice Ann's, and a correlation does not see the unit.

    >>> rows = [(name, f"p{n}", f"{n * unit}") for name, unit in (("ann", 1), ("bob", 2)) for n in range(10)]
    >>> ratings = pl.DataFrame(rows, schema=["annotator", "item", "value"], orient="row")
    >>> [(name, round(r, 6), n) for name, r, n in rating_agreement(ratings).rows()]
    [('ann', 1.0, 10), ('bob', 1.0, 10)]
    """
    value = pl.col("value").cast(pl.Float64, strict=False)
    ratings = accepted.drop_nulls("annotator").select("annotator", "item", value).drop_nulls()
    totals = ratings.group_by("item").agg(total=pl.col("value").sum(), count=pl.len())
    own = ratings.group_by("annotator", "item").agg(own=pl.col("value").sum(), n=pl.len())
    compared = own.join(totals, on="item").filter(pl.col("count") > pl.col("n"))
    compared = compared.select(
        "annotator",
        "item",
        own=pl.col("own") / pl.col("n"),
        others=(pl.col("total") - pl.col("own")) / (pl.col("count") - pl.col("n")),
    ).sort("annotator", "item")
    rows = []
    for (name,), group in compared.group_by("annotator", maintain_order=True):
        enough = group.height >= FEWEST_ITEMS
        r = correlation(group["own"].to_numpy(), group["others"].to_numpy(), ranks=False) if enough else float("nan")
        rows.append({"annotator": name, "agreement": r if r == r else None, "compared": group.height})
    return pl.DataFrame(rows, schema={"annotator": pl.String, "agreement": pl.Float64, "compared": pl.UInt32})


def summary(material: Material) -> str:
    """Who answered, in words."""
    known = material.people()
    if not known:
        return "annotators whose names are not known"
    what = "simulated annotator" if material.simulated == "all" else "annotator"
    asked = material.annotators.height if material.annotators is not None else known
    return f"{known:,} of {counted(asked, what)}" if asked > known else counted(known, what)
