from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from kostra.campaign.items import Item
from kostra.campaign.judged import judgments_of
from kostra.campaign.material import Material
from kostra.campaign.protocol import Campaign, Phase, Question
from kostra.campaign.questions import completed
from kostra.campaign.rehearsal import cast, rehearse
from kostra.campaign.simulated import Truth
from kostra.errors import KostraError
from kostra.recipe import Recipe, Score, Simulation
from kostra.reliability import annotators
from kostra.reliability.annotators import COLUMNS, Thresholds, annotator_table, effect_of_excluding
from kostra.steps import Context, Inputs
from kostra.tables import JUDGMENTS, TUPLES, Frame, check

SCORE = Score(question="similarity", low=0.0, high=5.0)


def judged(values: dict[str, list[str]], *, question: str = "similarity", **same: Any) -> Frame:
    """Answers to items i0, i1, … by annotator; an empty one is no answer."""
    rows = [(f"i{n}", who, value) for who, given in values.items() for n, value in enumerate(given) if value]
    fixed: dict[str, Any] = {
        "question": question,
        "status": "answered",
        "phase": "main",
        "block": "main",
        "seconds": 9.0,
    }
    text = {"item": pl.String, "annotator": pl.String, "value": pl.String}
    frame = pl.DataFrame(rows, schema=text, orient="row").with_columns(
        version=pl.lit(1, dtype=pl.Int64), **{name: pl.lit(value) for name, value in (fixed | same).items()}
    )
    ids = pl.Series("judgment", [f"{question}-{fixed | same}-{n}" for n in range(len(rows))], dtype=pl.String)
    return check(frame.with_columns(ids), JUDGMENTS)


def of(frame: Frame, annotator: str, *columns: str) -> tuple[Any, ...]:
    return frame.filter(annotator=annotator).select(columns).row(0)


def campaign(task: Any, seed: int, *, careless: float) -> tuple[Frame, Frame | None, set[str]]:
    """A simulated campaign of 16 annotators on 160 items, and who is careless."""
    rng = np.random.default_rng(seed)
    items = [f"p{n:03d}" for n in range(160)]
    values = dict(zip(items, rng.standard_normal(len(items)).tolist(), strict=True))
    members: dict[str, list[str]] = {}
    if task == "best_worst":
        for turn in range(4):
            order = rng.permutation(items).tolist()
            members |= {f"t{turn}-{at:03d}": order[at : at + 4] for at in range(0, len(order), 4)}
    if members:
        shown = [Item(name, "tuple", {"members": [{"item": one} for one in some]}) for name, some in members.items()]
    else:
        shown = [Item(name, "pair", {"text_a": f"{name} a", "text_b": f"{name} b"}) for name in items]
    rated = () if members else (Question(name="similarity", low=0.0, high=5.0),)
    protocol = completed(Campaign(phases=(Phase(name="main", task=task, overlap=4, questions=rated),)), SCORE)
    material = Material({one.item: one for one in shown}, {("main", 0): tuple(one.item for one in shown)})
    players = cast(protocol, Simulation(annotators=16, careless=careless), rng=rng)
    played = rehearse(protocol, material, players, truth=Truth(seed, values), seed=seed, rng=rng)
    statuses = {seq: record.status for seq, record in played.running.records.items()}
    judgments = judgments_of(played.events, statuses, played.running.items)
    people = [player.person for player in players]
    places = [(name, place, item) for name, shown in members.items() for place, item in enumerate(shown, 1)]
    tuples = check(pl.DataFrame(places, schema=TUPLES.dtypes, orient="row"), TUPLES) if members else None
    return judgments, tuples, {person.name for person in people if person.careless}


# ---- the careless and the careful


@pytest.mark.parametrize("task", ["best_worst", "rating"])
@pytest.mark.parametrize("limits", [Thresholds(), Thresholds(speed=0.0)], ids=["all", "without speed"])
def test_flags_catch_the_simulated_careless_and_spare_the_careful(task: str, limits: Thresholds) -> None:
    hits = careless = false = careful = 0
    for seed in range(8):
        judgments, tuples, bad = campaign(task, seed, careless=0.125)
        table = annotator_table(judgments, question="similarity", tuples=tuples, thresholds=limits)
        known = set(table.filter(pl.col("answers") >= limits.answers)["annotator"])
        flagged = set(table.filter("flagged")["annotator"])
        assert flagged <= known, "nobody is flagged on a handful of answers"
        hits, careless = hits + len(flagged & bad), careless + len(known & bad)
        false, careful = false + len(flagged - bad), careful + len(known - bad)
    assert careless >= 8
    assert careful >= 70
    assert hits >= 0.85 * careless
    assert false <= 0.03 * careful


def test_excluding_the_flagged_is_explicit_and_told_before_and_after() -> None:
    judgments, _, bad = campaign("rating", 3, careless=0.25)
    table = annotator_table(judgments, question="similarity")
    flagged = table.filter("flagged")["annotator"].to_list()
    assert set(flagged) & bad

    def agreement(frame: Frame) -> float:
        return float(annotator_table(frame, question="similarity")["agreement"].drop_nulls().to_numpy().mean())

    before = judgments.clone()
    effect = effect_of_excluding(judgments, flagged, {"agreement": agreement})
    assert judgments.equals(before)
    [row] = effect.rows(named=True)
    assert row["after"] > row["before"]
    assert row["change"] == row["after"] - row["before"]
    assert row["answers_before"] - row["answers_after"] == table.filter("flagged")["answers"].sum()


def test_a_statistic_that_refuses_is_empty_with_its_reason() -> None:
    def refuses(frame: Frame) -> float:
        raise KostraError("it needs more")

    frame = judged({"ann": ["1"], "bob": ["2"]})
    effect = effect_of_excluding(frame, ["ann"], {"x": refuses, "y": lambda _: float("nan")})
    assert effect.select("before", "after", "change", "note").rows() == [
        (None, None, None, "it needs more"), (None, None, None, "undefined"),
    ]  # fmt: skip
    with pytest.raises(KostraError, match='unknown annotator "anne"'):
        effect_of_excluding(frame, ["anne"], {})


# ---- columns


def test_the_columns_stand_in_the_declared_order() -> None:
    table = annotator_table(judged({"bob": ["1", "2", "3"], "ann": ["1", "2", "4"]}), question="similarity")
    assert table.schema == COLUMNS
    assert table["annotator"].to_list() == ["ann", "bob"]


def test_ratings_are_described_by_mean_spread_and_correlation() -> None:
    frame = judged({"ann": ["1", "2", "3"], "bob": ["3", "2", "1"], "cy": ["1", "2", "3"]})
    table = annotator_table(frame, question="similarity")
    # The mean of Bob and Cy is 2 throughout, so that Ann has no correlation; Bob's with 1, 2, 3 is −1.
    assert of(table, "ann", "answers", "mean", "spread", "agreement") == (3, 2.0, 1.0, None)
    assert of(table, "bob", "agreement", "agreement_answers", "median_seconds") == (-1.0, 3, 9.0)


def test_labels_are_compared_with_the_majority_of_the_others() -> None:
    frame = judged({"ann": ["x", "x"], "bob": ["x", "y"], "cy": ["x", "y"]})
    table = annotator_table(frame, question="similarity")
    assert of(table, "ann", "agreement", "agreement_answers", "mean") == (0.5, 2, None)
    assert of(table, "bob", "agreement", "agreement_answers") == (1.0, 1)  # on i1, Ann and Cy differ


def test_best_worst_is_compared_by_the_orders_it_implies() -> None:
    tuples = pl.DataFrame({"tuple": ["i0"] * 3, "position": [1, 2, 3], "item": ["a", "b", "c"]})
    frame = pl.concat([
        judged({"ann": ["a"], "bob": ["b"]}, question="best"), judged({"ann": ["c"], "bob": ["c"]}, question="worst"),
    ])  # fmt: skip
    table = annotator_table(frame, tuples=tuples)
    # Bob's scores are a ½, b 1, c 0 (on 0 to 1): of Ann's a > b, a > c, b > c two hold.
    assert of(table, "ann", "answers", "agreement", "agreement_answers") == (1, pytest.approx(2 / 3), 1)


def test_a_half_answered_tuple_counts_where_it_can() -> None:
    tuples = pl.DataFrame({"tuple": ["i0"] * 3, "position": [1, 2, 3], "item": ["a", "b", "c"]})
    table = annotator_table(judged({"ann": ["a"]}, question="best"), tuples=tuples)
    assert of(table, "ann", "answers", "agreement", "longest_run") == (1, None, 1)


# ---- gold, repeats, runs, speed


def test_gold_answers_are_set_against_the_right_ones() -> None:
    right = {(f"i{n}", "similarity"): "3" for n in range(5)}
    frame = judged({"ann": list("33333"), "bob": list("34500"), "cy": list("33")}, block="gold")
    table = annotator_table(frame, question="similarity", gold=right)
    # Within one point of 3 are 3 and 4: two of Bob's five. Cy's two gold questions are too few for a flag.
    assert table.select("annotator", "answers", "gold", "gold_answers", "flagged").rows() == [
        ("ann", 0, 1.0, 5, False), ("bob", 0, 0.4, 5, True), ("cy", 0, 1.0, 2, False),
    ]  # fmt: skip
    assert of(table, "bob", "reasons") == ("40% of 5 gold questions right, less than 70%",)
    assert annotator_table(frame, question="similarity")["gold"].null_count() == 3, "nothing says what is right"


def test_repeats_are_set_against_the_earlier_answer_and_count_nowhere_else() -> None:
    first = judged({"ann": list("xyxyx"), "bob": list("xyxyx"), "cy": list("xyxyx")})
    again = judged({"ann": list("xyxyx"), "bob": list("yxyxx"), "cy": list("xyxyx")}, block="repeat")
    table = annotator_table(pl.concat([first, again]), question="similarity")
    assert of(table, "bob", "answers", "repeats", "repeat_answers", "flagged") == (5, 0.2, 5, True)
    assert of(table, "bob", "reasons") == ("20% of 5 repeats answered as before, the median annotator's 100%",)
    assert of(table, "ann", "repeats", "flagged") == (1.0, False)


def test_a_straight_liner_is_flagged_with_the_run() -> None:
    rng = np.random.default_rng(1)
    people = {f"a{n}": [str(value) for value in rng.integers(0, 6, 30)] for n in range(5)}
    table = annotator_table(judged(people | {"lazy": ["3"] * 25 + list("01245")}), question="similarity")
    assert of(table, "lazy", "longest_run", "modal_share", "flagged") == (25, pytest.approx(25 / 30), True)
    assert '"3" 25 times in a row' in of(table, "lazy", "reasons")[0]
    assert table.filter("flagged")["annotator"].to_list() == ["lazy"]


def test_where_everybody_says_the_same_a_long_run_is_no_fault() -> None:
    table = annotator_table(judged({who: ["0"] * 40 for who in ("ann", "bob", "cy")}), question="similarity")
    assert table["longest_run"].to_list() == [40, 40, 40]
    assert not table["flagged"].any()
    assert table["agreement"].null_count() == 3


def test_best_worst_runs_are_those_of_a_position_in_the_order_of_time() -> None:
    tuples = pl.DataFrame({
        "tuple": [f"i{n}" for n in range(20) for _ in range(4)], "position": [1, 2, 3, 4] * 20,
        "item": [f"{n}-{place}" for n in range(20) for place in range(4)],
    })  # fmt: skip
    rng = np.random.default_rng(2)
    place = {"lazy": [0] * 20, **{f"a{n}": rng.integers(0, 3, 20).tolist() for n in range(4)}}
    best = {who: [f"{n}-{at}" for n, at in enumerate(places)] for who, places in place.items()}
    worst = {who: [f"{n}-{(at + 1 + n % 3) % 4}" for n, at in enumerate(places)] for who, places in place.items()}
    frame = pl.concat([judged(best, question="best"), judged(worst, question="worst")])
    start = datetime(2026, 1, 1, tzinfo=UTC)
    times = [start + timedelta(minutes=int(item[1:])) for item in frame["item"]]
    frame = check(frame.with_columns(answered_at=pl.Series(times)).sample(fraction=1, shuffle=True, seed=1), JUDGMENTS)
    table = annotator_table(frame, tuples=tuples)
    assert of(table, "lazy", "longest_run", "modal_share", "flagged") == (20, 1.0, True)
    assert '"best" at position 1 20 times in a row' in of(table, "lazy", "reasons")[0]


def test_a_speeder_is_flagged_from_enough_answers_on() -> None:
    answers = [str(n % 6) for n in range(12)]
    slow = judged({"ann": answers, "bob": answers, "cy": answers})
    fast = judged({"dan": answers, "eve": answers[:5]}, seconds=2.9)
    table = annotator_table(pl.concat([slow, fast]), question="similarity")
    assert table.filter("flagged").select("annotator", "reasons").rows() == [
        ("dan", "answers in 2.9 s, the median annotator in 9.0 s")
    ]


# ---- edges


def test_one_annotator_is_described_and_not_judged() -> None:
    table = annotator_table(judged({"ann": [str(n % 5) for n in range(20)]}), question="similarity")
    assert of(table, "ann", "answers", "agreement", "agreement_answers", "flagged") == (20, None, 0, False)


def test_an_annotator_without_accepted_answers_has_a_row_and_no_figures() -> None:
    frame = pl.concat([judged({"ann": ["1"]}), judged({"bob": ["2"]}, status="discarded")])
    table = annotator_table(frame, question="similarity")
    assert of(table, "bob", "answers", "mean", "median_seconds", "longest_run", "flagged") == (
        0,
        None,
        None,
        None,
        False,
    )


def test_missing_everywhere_is_a_table_of_nobody_or_of_nothing() -> None:
    assert annotator_table(judged({}), question="similarity").is_empty()
    nothing = annotator_table(judged({"ann": ["1"]}, status="skipped"), question="similarity")
    assert nothing["answers"].to_list() == [0]


def test_text_among_numbers_makes_labels_of_all() -> None:
    table = annotator_table(judged({"ann": ["1", "NaN"], "bob": ["1", "2"]}), question="similarity")
    assert of(table, "ann", "mean", "agreement") == (None, 0.5)


def test_anonymous_and_repeated_answers_are_refused() -> None:
    frame = judged({"ann": ["1"], "bob": ["2"]})
    with pytest.raises(KostraError, match="a table of annotators needs to know who"):
        annotator_table(frame.with_columns(annotator=pl.lit(None, dtype=pl.String)), question="similarity")
    with pytest.raises(KostraError, match="ann on i0"):
        annotator_table(pl.concat([frame, frame.with_columns(phase=pl.lit("x"))]), question="similarity")
    with pytest.raises(KostraError, match="which question"):
        annotator_table(frame)


# ---- the step


def context_of(folder: Path, gold: dict[str, Any] | None = None) -> Context:
    phase = {"name": "main", "task": "rating"} | ({"gold": gold} if gold else {})
    steps = (
        {"name": "judge", "use": "campaign/annotate", "with": {"phases": [phase]}},
        {"name": "annotators", "use": "reliability/annotators"},
    )
    about = {"name": "r", "title": "t", "protocol": "p", "language": "en", "seed": 1, "citation": "c"}
    recipe = Recipe.model_validate({"recipe": about, "score": SCORE.model_dump(), "steps": steps}, strict=False)
    now = datetime(2026, 1, 1, tzinfo=UTC)
    return Context(recipe, recipe.steps[-1], folder, folder, np.random.default_rng(1), now)


@pytest.mark.parametrize("task", ["rating", "best_worst"])
def test_the_step_writes_the_table_and_what_excluding_would_change(task: str, tmp_path: Path) -> None:
    judgments, tuples, _ = campaign(task, 3, careless=0.25)
    context = context_of(tmp_path)
    inputs = Inputs({"judgments": judgments} | ({"tuples": tuples} if tuples is not None else {}))
    found = annotators.run(inputs, annotators.Options(), context)["statistics"]
    written = pl.read_csv(tmp_path / "annotators.csv")
    assert written.columns == list(COLUMNS)
    value = dict(found.select("statistic", "value").iter_rows())
    assert value["annotators_flagged"] == written["flagged"].sum() == len(context.findings) > 0
    assert all("not excluded" in finding.message for finding in context.findings)
    assert value["mean_agreement_without_flagged"] > value["mean_agreement_all"]
    assert value["split_half_spearman_without_flagged"] > value["split_half_spearman_all"]


def test_the_step_takes_gold_from_the_phase_that_the_campaign_names(tmp_path: Path) -> None:
    authors = judged({"x": list("33333"), "y": list("33333")}, phase="authors")
    gold = judged({"ann": list("00000")}, block="gold")
    context = context_of(tmp_path, gold={"every": 5, "from_phase": "authors"})
    annotators.run(Inputs({"judgments": pl.concat([authors, gold])}), annotators.Options(), context)
    written = pl.read_csv(tmp_path / "annotators.csv")
    assert written.select("annotator", "gold", "gold_answers").rows() == [("ann", 0.0, 5)]
    assert [finding.kind for finding in context.findings] == ["flagged"]


def test_the_step_says_that_it_does_not_know_what_is_right(tmp_path: Path) -> None:
    context = context_of(tmp_path)
    annotators.run(Inputs({"judgments": judged({"ann": ["1"]}, block="gold")}), annotators.Options(), context)
    assert [finding.kind for finding in context.findings] == ["no_gold"]
