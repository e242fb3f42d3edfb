"""Seeds with rewrites, and rewrites with each other."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from kostra.errors import KostraError
from kostra.recipe import About, Recipe, Score, Step, parse
from kostra.sampling import rewrite_pairs
from kostra.sampling.rewrite_pairs import Options, families
from kostra.steps import Context, Inputs
from kostra.tables import SENTENCES, Frame, check

ROWS = [
    ("s1", "It rains.", None, None),
    ("s2", "It snows.", None, None),
    ("a", "It rained.", "s1", "past"),
    ("b", "It had rained.", "s1", "past"),
    ("c", "It rained.", "s1", "past"),  # as a
    ("d", "It will rain.", "s1", "future"),
    ("e", "It snows.", "s2", "past"),  # as its seed
    ("f", "It snowed.", "s2", "past"),
]


def sentences(rows: list[tuple[str, str, str | None, str | None]] | None = None) -> Frame:
    kinds = dict.fromkeys(("sentence", "text", "origin", "change"), pl.String)
    frame = pl.DataFrame(rows or ROWS, schema=kinds, orient="row")
    return check(frame.with_columns(source=pl.lit("x"), language=pl.lit("en")), SENTENCES)


def run(frame: Frame, *, seed: int = 1, **said: object) -> tuple[Frame, dict[str, str]]:
    about = About(name="t", title="t", protocol="t", language="en", seed=1, citation="t")
    step = Step(name="gaps", use="sampling/rewrite_pairs")
    recipe = Recipe(recipe=about, score=Score(question="q", low=0.0, high=1.0), steps=(step,))
    context = Context(recipe, step, Path(), Path(), np.random.default_rng(seed), datetime(2026, 3, 1, tzinfo=UTC))
    made = rewrite_pairs.run(Inputs({"sentences": frame}), parse(Options, dict(said), where="here"), context)
    return made["pairs"], {found.kind: found.message for found in context.findings}


def test_a_seed_is_paired_with_each_different_rewrite() -> None:
    made, said = run(sentences(), of="seed_and_rewrite", changes=["past"])
    assert made.select("pair", "sentence_a", "sentence_b", "subset").rows() == [
        ("s1>a", "s1", "a", "past"),
        ("s1>b", "s1", "b", "past"),
        ("s2>f", "s2", "f", "past"),
    ]
    assert said["repeated"] == "2 rewrites have a text that stands there already, and are left out: c, e"


def test_without_named_kinds_all_are_paired() -> None:
    made, _ = run(sentences(), of="seed_and_rewrite")
    assert set(made["subset"]) == {"past", "future"}


def test_two_of_one_kind_share_seed_and_kind_and_stand_in_either_order() -> None:
    orders = set()
    for seed in range(12):
        made, _ = run(sentences(), of="two_of_one_kind", seed=seed)
        ((first, second),) = made.select("sentence_a", "sentence_b").rows()
        assert {first, second} == {"a", "b"}
        orders.add(first)
    assert orders == {"a", "b"}


def test_the_seed_counts_among_them_where_the_recipe_says_so() -> None:
    made, _ = run(sentences(), of="two_of_one_kind", with_seed=True)
    ends = {frozenset(pair) for pair in made.select("sentence_a", "sentence_b").iter_rows()}
    assert ends == {frozenset(pair) for pair in (("s1", "a"), ("s1", "b"), ("a", "b"), ("s1", "d"), ("s2", "f"))}


def test_at_most_so_many_pairs_of_a_seed_and_kind_are_drawn() -> None:
    many = [("s1", "It rains.", None, None), *((f"r{n}", f"It rained {n}.", "s1", "past") for n in range(10))]
    made, _ = run(sentences(many), of="two_of_one_kind", at_most=6)
    assert made.height == 6
    drawn = {tuple(run(sentences(many), of="two_of_one_kind", at_most=6, seed=n)[0]["pair"]) for n in range(5)}
    assert len(drawn) == 5, "which ones, chance decides"


def test_rewrites_of_a_seed_that_is_not_there_are_left_out_and_counted() -> None:
    made, said = run(sentences([*ROWS, ("z", "It hailed.", "s9", "past")]), of="seed_and_rewrite", changes=["past"])
    assert "z" not in set(made["sentence_b"])
    assert said["lost"] == "1 rewrites name a seed that is not there, and are left out: z"


def test_an_unknown_kind_is_refused_with_the_nearest() -> None:
    with pytest.raises(KostraError, match='unknown kind of rewrite "pasd"') as error:
        run(sentences(), of="seed_and_rewrite", changes=["pasd"])
    assert error.value.remedy == 'did you mean "past"?'


def test_nothing_to_pair_is_an_error() -> None:
    lonely = sentences([("s1", "It rains.", None, None), ("a", "It rained.", "s1", "past")])
    with pytest.raises(KostraError, match="no two of 2 sentences make a pair"):
        run(lonely, of="two_of_one_kind")


def test_how_to_pair_must_be_said() -> None:
    with pytest.raises(KostraError, match='the key "of" is missing'):
        run(sentences())
    with pytest.raises(KostraError, match="all_of_them"):
        run(sentences(), of="all_of_them")


def test_a_family_keeps_the_order_of_the_table() -> None:
    found = families(sentences())
    assert [(family.seed, family.change, family.rewrites) for family in found.found] == [
        ("s1", "past", ("a", "b")),
        ("s1", "future", ("d",)),
        ("s2", "past", ("f",)),
    ]
