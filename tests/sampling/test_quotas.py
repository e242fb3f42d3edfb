"""Strategies with quotas or parts: stance, draws, held-out parts, calibration, pools and incidents."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kostra.errors import KostraError
from kostra.recipe import About, Recipe, Score, Step
from kostra.sampling import calibration, draw, hold_out, incident_candidates, pool, stance
from kostra.sampling.hold_out import deal_groups
from kostra.sampling.stance import equal_pairs
from kostra.steps import Context, Inputs
from kostra.tables import PAIRS, SCORES, SENTENCES, TUPLES, Frame, check


def a_context(seed: int = 1, *, name: str = "drawn", folder: Path = Path("nowhere"), recipe_seed: int = 1) -> Context:
    step = Step(name=name, use="sampling/draw")
    about = About(name="try", title="Try", protocol="none", language="en", seed=recipe_seed, citation="Nobody, 2026.")
    recipe = Recipe(recipe=about, score=Score(question="similarity", low=0.0, high=6.0), steps=(step,))
    rng = np.random.default_rng(seed)
    now = datetime(2026, 1, 1, tzinfo=UTC)
    return Context(recipe=recipe, step=step, project=folder, folder=folder, rng=rng, now=now)


def messages(context: Context) -> str:
    return "\n".join(finding.message for finding in context.findings)


# Stance -------------------------------------------------------------------------------------------------

opinion = st.tuples(st.sampled_from(["tea", "tax", "bus", None]), st.sampled_from(["for", "against", "neither", None]))


def opinions(rows: list[tuple[str | None, str | None]]) -> Frame:
    made = {
        "sentence": [f"s{n}" for n in range(len(rows))],
        "text": [f"opinion {n}" for n in range(len(rows))],
        "source": ["x"] * len(rows),
        "language": ["en"] * len(rows),
        "group": pl.Series([target for target, _ in rows], dtype=pl.String),
        "label": pl.Series([label for _, label in rows], dtype=pl.String),
    }
    return check(pl.DataFrame(made), SENTENCES)


@settings(max_examples=60, deadline=None)
@given(st.lists(opinion, min_size=4, max_size=30), st.tuples(*[st.integers(0, 12)] * 3), st.integers(0, 9))
def test_stance_quotas_are_exact_or_told_and_pairs_share_their_target(
    rows: list[tuple[str | None, str | None]], quotas: tuple[int, int, int], seed: int
) -> None:
    if not sum(quotas):
        return
    frame = opinions(rows)
    for_for, against_against, for_against = quotas
    options = stance.Options(
        pairs=sum(quotas), for_for=for_for, against_against=against_against, for_against=for_against
    )
    possible: Counter[tuple[str, str]] = Counter()
    for (target, label), (other_target, other) in combinations(rows, 2):
        if target is not None and target == other_target and {label, other} <= {"for", "against"}:
            possible[tuple(sorted((str(label), str(other))))] += 1  # type: ignore[index]
    kinds = (("for", "for"), ("against", "against"), ("against", "for"))
    expected = [min(quota, possible[kind]) for quota, kind in zip(quotas, kinds, strict=True)]
    context = a_context(seed)
    if not sum(expected):
        with pytest.raises(KostraError):
            stance.run(Inputs({"sentences": frame}), options, context)
        return
    made = stance.run(Inputs({"sentences": frame}), options, context)["pairs"]
    assert made.equals(stance.run(Inputs({"sentences": frame}), options, a_context(seed))["pairs"])
    info = {f"s{n}": row for n, row in enumerate(rows)}
    found: Counter[tuple[str, ...]] = Counter()
    for a, b in made.select("sentence_a", "sentence_b").iter_rows():
        assert info[a][0] == info[b][0] is not None
        found[tuple(sorted((str(info[a][1]), str(info[b][1]))))] += 1
    assert [found[kind] for kind in kinds] == expected
    assert len({frozenset(pair) for pair in made.select("sentence_a", "sentence_b").iter_rows()}) == made.height
    assert messages(context).count("pairs instead of") == sum(e < q for e, q in zip(expected, quotas, strict=True))


@given(st.integers(0, 40), st.integers(0, 900), st.integers(0, 99))
def test_equal_pairs_are_different_and_as_many_as_there_are(n: int, count: int, seed: int) -> None:
    found = equal_pairs(np.arange(n), count, rng=np.random.default_rng(seed))
    assert len({frozenset(pair) for pair in found.tolist()}) == len(found) == min(count, n * (n - 1) // 2)
    assert all(a != b for a, b in found.tolist())


def test_each_target_gives_alike_as_far_as_it_can() -> None:
    rows: list[tuple[str | None, str | None]] = [(name, "for") for name in ["tea"] * 2 + ["tax"] * 6 + ["bus"] * 6]
    options = stance.Options(pairs=13, for_for=13, against_against=0, for_against=0)
    made = stance.run(Inputs({"sentences": opinions(rows)}), options, a_context())["pairs"]
    targets = Counter(rows[int(first[1:])][0] for first in made["sentence_a"])
    assert targets == {"tea": 1, "tax": 6, "bus": 6}


def test_unknown_targets_and_wrong_sums_are_refused() -> None:
    options = stance.Options(pairs=1, for_for=1, against_against=0, for_against=0, targets=("tee",))
    with pytest.raises(KostraError, match='unknown target "tee"'):
        stance.run(Inputs({"sentences": opinions([("tea", "for")] * 2)}), options, a_context())
    with pytest.raises(ValueError, match="are 3 pairs, not 750"):
        stance.Options(pairs=750, for_for=1, against_against=1, for_against=1)


def test_a_corpus_without_opinions_is_refused_with_what_is_needed() -> None:
    options = stance.Options(pairs=1, for_for=1, against_against=0, for_against=0)
    with pytest.raises(KostraError, match="none of the 2 sentences is an opinion on a target"):
        stance.run(Inputs({"sentences": opinions([(None, "for"), ("tea", "neither")])}), options, a_context())


# Draws --------------------------------------------------------------------------------------------------


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 30), st.integers(1, 40), st.integers(0, 9))
def test_tuples_are_drawn_whole(tuples: int, count: int, seed: int) -> None:
    rows = [(f"t{n}", place, f"p{n + place}") for n in range(tuples) for place in (1, 2, 3, 4)]
    frame = check(pl.DataFrame(rows, schema=["tuple", "position", "item"], orient="row"), TUPLES)
    context = a_context(seed)
    made = draw.run(Inputs({"tuples": frame}), draw.Options(count=count), context)["tuples"]
    assert made["tuple"].n_unique() == min(count, tuples)
    assert set(made["tuple"].value_counts()["count"]) == {4}
    assert set(made.rows()) <= set(frame.rows())
    assert (count > tuples) == ("there are no more" in messages(context))


def test_what_is_not_read_cannot_be_drawn() -> None:
    with pytest.raises(KostraError, match="there are no pairs to draw from"):
        draw.run(Inputs({}), draw.Options(count=1, of="pairs"), a_context())
    assert draw.writes(draw.Options(count=1, of="pairs")) == ("pairs",)


# Held-out parts -----------------------------------------------------------------------------------------


def picked(sets: int, *, size: int = 3) -> Inputs:
    """Pairs (S, A), (S, B), (S, C) of so many summary sentences, with the score of round 1."""
    rows = [(f"s{n}+r{n}{c}", f"S {n}", f"R {n} {c}", f"s{n}", f"r{n}{c}") for n in range(sets) for c in "abc"[:size]]
    names = ["pair", "text_a", "text_b", "sentence_a", "sentence_b"]
    pairs = check(pl.DataFrame(rows, schema=names, orient="row"), PAIRS)
    scores = pl.DataFrame({"item": pairs["pair"], "question": "similarity_round1", "appearances": 1}).with_columns(
        score=pl.Series([float(n % 7) for n in range(pairs.height)])
    )
    return Inputs({"pairs": pairs, "scores": check(scores, SCORES)})


def part(name: str, inputs: Inputs, seed: int = 1, **more: float) -> tuple[Frame, Frame, Context]:
    options = hold_out.Options(part=name, parts={"test": 12, "preliminary": 6}, whole="sentence_a", **more)  # type: ignore[arg-type]
    context = a_context(seed=len(name), name=f"{name}_pairs", recipe_seed=seed)
    made = hold_out.run(inputs, options, context)
    return made["pairs"], made["scores"], context


@settings(max_examples=30, deadline=None)
@given(st.integers(10, 40), st.integers(0, 99))
def test_parts_are_whole_disjoint_exact_and_the_rest_is_everything_else(sets: int, seed: int) -> None:
    inputs = picked(sets)
    parts = {name: part(name, inputs, seed) for name in ("test", "preliminary", "train")}
    assert parts["test"][0].height == 12
    assert parts["preliminary"][0].height == 6
    every = [pair for pairs, _, _ in parts.values() for pair in pairs["pair"]]
    assert sorted(every) == sorted(inputs["pairs"]["pair"])
    homes = Counter(s for pairs, _, _ in parts.values() for s in pairs["sentence_a"].unique())
    assert set(homes.values()) == {1}
    for pairs, scores, _ in parts.values():
        assert scores["item"].to_list() == pairs["pair"].to_list()


def test_the_deal_depends_on_the_recipes_seed_and_not_on_the_order_of_rows() -> None:
    inputs = picked(20)
    turned = Inputs({"pairs": inputs["pairs"].reverse(), "scores": inputs["scores"]})
    assert set(part("test", inputs)[0]["pair"]) == set(part("test", turned)[0]["pair"])
    assert set(part("test", inputs, 1)[0]["pair"]) != set(part("test", inputs, 2)[0]["pair"])


def test_too_few_pairs_make_all_parts_smaller_in_proportion() -> None:
    # Twelve pairs; a quarter stays: 9 for 12 + 6, so 6 and 3.
    pairs, _, context = part("test", picked(4))
    assert pairs.height == 6
    assert "12 pairs are too few; 25% stay the rest: test 6 instead of 12, preliminary 3 instead of 6" in messages(
        context
    )
    assert part("train", picked(4))[0].height == 3


def test_a_part_that_no_group_fits_any_more_says_so_and_an_empty_one_is_refused() -> None:
    # Groups of two and parts of 9 · 12/18 = 6 and 3 of the 12 pairs: "preliminary" gets one group.
    pairs, _, context = part("preliminary", picked(6, size=2))
    assert pairs.height == 2
    assert "2 pairs instead of 3: no whole group fits any more" in messages(context)
    with pytest.raises(KostraError, match='the part "preliminary" gets none of the 3 pairs'):
        part("preliminary", picked(1))


def test_a_pair_and_its_reverse_are_never_on_two_sides() -> None:
    one_way = [(f"p{n}", f"A {n}", f"B {n}", f"q{n}") for n in range(30)]
    back = [(reverse, b, a, pair) for pair, a, b, reverse in one_way]
    names = ["pair", "text_a", "text_b", "reverse"]
    pairs = check(pl.DataFrame(one_way + back, schema=names, orient="row"), PAIRS)
    options = hold_out.Options(part="test", parts={"test": 20})
    made = hold_out.run(Inputs({"pairs": pairs}), options, a_context())["pairs"]
    assert made.height == 20
    assert set(made["pair"]) == set(made["reverse"])


def test_a_pair_that_names_no_group_is_dealt_by_itself() -> None:
    inputs = picked(10)
    nameless = inputs["pairs"].with_columns(sentence_a=pl.lit(None, dtype=pl.String))
    pairs, _, context = part("test", Inputs({"pairs": nameless, "scores": inputs["scores"]}))
    assert pairs.height == 12
    assert "30 pairs have no sentence_a and are dealt each by itself" in messages(context)


def test_a_part_that_is_not_declared_is_refused() -> None:
    with pytest.raises(ValueError, match='part "tset" is none of test, train'):
        hold_out.Options(part="tset", parts={"test": 5})
    with pytest.raises(ValueError, match='"train" is the name of the rest'):
        hold_out.Options(part="train", parts={"train": 5})


@given(
    st.lists(st.integers(1, 5), max_size=20), st.lists(st.integers(1, 20), min_size=1, max_size=3), st.integers(0, 9)
)
def test_a_part_takes_whatever_still_fits(sizes: list[int], wanted: list[int], seed: int) -> None:
    groups = {f"g{n}": size for n, size in enumerate(sizes)}
    parts = {f"part{n}": count for n, count in enumerate(wanted)}
    dealt = deal_groups(groups, parts, rng=np.random.default_rng(seed))
    left = set(groups)
    for name, taken in dealt.items():
        room = parts[name] - sum(groups[group] for group in taken)
        assert room >= 0
        left -= set(taken)
        assert all(groups[group] > room for group in left)
    assert sum(len(taken) for taken in dealt.values()) + len(left) == len(groups)


# Calibration --------------------------------------------------------------------------------------------


def calibrate(inputs: Inputs, folder: Path, **more: object) -> tuple[Frame, Context]:
    options = calibration.Options.model_validate({"pairs": 6, "question": "similarity_round1", **more})
    context = a_context(folder=folder)
    return calibration.run(inputs, options, context)["pairs"], context


def test_proposals_cover_the_scale_until_a_person_settles_them(tmp_path: Path) -> None:
    inputs = picked(20)  # scores 0, 1, …, 6 in turn
    made, context = calibrate(inputs, tmp_path, chosen="calibration.csv")
    scores = dict(inputs["scores"].select("item", "score").iter_rows())
    # The points are 0, 1.2, 2.4, 3.6, 4.8 and 6: nearest are 0, 1, 2, 4, 5 and 6.
    assert [scores[pair] for pair in made["pair"]] == [0, 1, 2, 4, 5, 6]
    assert "6 proposed pairs stand in until a person has settled the choice in calibration.csv" in messages(context)
    proposals = pl.read_csv(tmp_path / "proposals.csv")
    assert proposals.height == 30
    assert proposals["pair"].n_unique() == 30
    chosen = proposals.filter(pl.col("rank") == 2)["pair"].to_list()
    (tmp_path / "calibration.csv").write_text("pair\n" + "".join(f"{pair}\n" for pair in reversed(chosen)))
    settled, quiet = calibrate(inputs, tmp_path, chosen="calibration.csv")
    assert settled["pair"].to_list() == chosen[::-1]
    assert "stand in" not in messages(quiet)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("item\np\n", 'unknown column "pair"'),
        ("pair\nnobody\n", r'calibration.csv:2: column "pair": found "nobody"'),
        ("pair\ns0+r0a\ns0+r0a\n", "found 1 different pairs in 2 rows"),
    ],
)
def test_a_choice_that_cannot_be_kept_is_refused_with_its_line(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "calibration.csv").write_text(text)
    with pytest.raises(KostraError, match=message):
        calibrate(picked(10), tmp_path, chosen="calibration.csv")


def test_too_few_scored_pairs_and_gaps_in_the_scale_are_told(tmp_path: Path) -> None:
    with pytest.raises(KostraError, match="3 pairs have a score of similarity_round1; 6 are asked for"):
        calibrate(picked(1), tmp_path)
    _, context = calibrate(picked(2), tmp_path, low=0.0, high=60.0)
    assert "6 pairs could cover the scale with gaps of 12" in messages(context)


@given(st.lists(st.floats(0, 6), min_size=6, max_size=40), st.integers(0, 9))
def test_no_pair_is_proposed_twice(scores: list[float], seed: int) -> None:
    rng = np.random.default_rng(seed)
    found = np.concatenate(calibration.covering(np.array(scores), np.linspace(0, 6, 6), each=3, rng=rng))
    assert len(set(found.tolist())) == len(found) == min(18, len(scores))


# Pools --------------------------------------------------------------------------------------------------


def test_a_pool_holds_each_pair_once_in_either_order(tmp_path: Path) -> None:
    rows = [("p1", "A b.", "C d.", "x"), ("p2", "C d", "A b", "y"), ("p3", "A b.", "E f.", "y"), ("p4", "G!", "G", "y")]
    pairs = check(pl.DataFrame(rows, schema=["pair", "text_a", "text_b", "subset"], orient="row"), PAIRS)
    context = a_context(folder=tmp_path)
    made = pool.run(Inputs({"pairs": pairs}), pool.Options(), context)["pairs"]
    assert made["pair"].to_list() == ["p1", "p3", "p4"]
    assert made.equals(pairs.filter(pl.col("pair") != "p2"))
    assert "1 of 4 pairs repeat an earlier one, in either order, and are left out: p2" in messages(context)
    assert "1 pairs consist of one text twice: p4" in messages(context)
    assert "x: 1 pairs of 2 sentences, the most used in 1; mean overlap 0.00" in messages(context)
    assert pl.read_csv(tmp_path / pool.TABLE)["pairs"].to_list() == [1, 2]


def test_a_pool_keeps_both_directions_of_pairs_that_are_linked(tmp_path: Path) -> None:
    rows = [("p", "A", "B", "q"), ("q", "B", "A", "p"), ("r", "B", "A", None)]
    pairs = check(pl.DataFrame(rows, schema=["pair", "text_a", "text_b", "reverse"], orient="row"), PAIRS)
    made = pool.run(Inputs({"pairs": pairs}), pool.Options(), a_context(folder=tmp_path))["pairs"]
    assert made["pair"].to_list() == ["p", "q"]


def test_an_empty_pool_is_refused(tmp_path: Path) -> None:
    with pytest.raises(KostraError, match="there are no pairs to join"):
        pool.run(Inputs({"pairs": PAIRS.empty()}), pool.Options(), a_context(folder=tmp_path))


# Incidents ----------------------------------------------------------------------------------------------


def test_every_summary_sentence_gets_all_report_sentences_of_its_incident_in_order() -> None:
    rows = [
        ("s1", "fire", "summary", "fs", 1), ("s2", "fire", "summary", "fs", 2), ("s3", "flood", "summary", "ws", 1),
        ("r4", "fire", "report", "f2", 1), ("r2", "fire", "report", "f1", 2), ("r1", "fire", "report", "f1", 1),
        ("r9", "flood", "report", "w1", 1),
    ]  # fmt: skip
    names = ["sentence", "group", "label", "document", "position"]
    frame = pl.DataFrame(rows, schema=names, orient="row").with_columns(
        text=pl.col("sentence"), source=pl.lit("x"), language=pl.lit("cs")
    )
    context = a_context()
    made = incident_candidates.run(
        Inputs({"sentences": check(frame, SENTENCES)}), incident_candidates.Options(), context
    )
    # Report f2 comes first in the table; the flood's one candidate is no choice.
    expected = [(s, place, r) for s in ("s1", "s2") for place, r in enumerate(("r4", "r1", "r2"), 1)]
    assert check(made["tuples"], TUPLES).rows() == expected
    assert set(made["sentences"]["sentence"]) == {"s1", "s2", "r1", "r2", "r4"}
    assert "1 of 3 summary sentences have fewer than 3 candidates and are left out: s3" in messages(context)
    with pytest.raises(KostraError, match="no summary sentence has 9 candidates"):
        incident_candidates.run(
            Inputs({"sentences": check(frame, SENTENCES)}), incident_candidates.Options(at_least=9), a_context()
        )
