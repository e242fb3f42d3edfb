"""Sentences read more than once: only what every reading gives is said, and what is left out is counted."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.transforms.test_engine import ROWS
from typer.testing import CliRunner

from kostra.cli import app
from kostra.recipe import About, Recipe, Score, Step
from kostra.sources import parse
from kostra.sources.parsers import parser
from kostra.steps import Context, Inputs
from kostra.tables import SENTENCES, Frame, check
from kostra.transforming import explain, transform
from kostra.transforms import rules
from kostra.transforms.engine import Engine, Refusal
from kostra.trees import Tree, parse_conllu

MISREAD = "The Brown bear eats Honey from a Glass jar in the kitchen."
"""Its capitals lead the parser to read it otherwise than in small letters."""
PLAIN = "A baker sells fresh bread."


@pytest.fixture(scope="module")
def english(model: str) -> str:
    return model.replace("pl.udpipe", "en.udpipe")


def drinking(place: int) -> Tree:
    """Cats that drink milk in a kitchen, the kitchen hanging on the verb (4) or on the milk (5)."""
    (tree,) = parse_conllu(ROWS.replace(" ", "\t"))
    kitchen = tree[7].but(head=place, deprel="obl" if place == 4 else "nmod")
    return tree.with_words([kitchen if word.id == 7 else word for word in tree.words])


def test_what_one_reading_does_not_give_is_dropped_counted_and_explained() -> None:
    engine = Engine("pl", rules=["passivisation", "negation"])
    verb, noun = ({one.text for one in engine.outputs_of_mended([drinking(place)])} for place in (4, 5))
    assert verb & noun
    assert verb - noun
    heard: list[Refusal] = []
    both = engine.outputs_of_mended([drinking(4), drinking(5)], heard=heard)
    assert {one.text for one in both} == verb & noun
    assert engine.disputed == {"passivisation": len(verb - noun)}
    assert any("not every reading of the sentence gives it" in one.reason for one in heard)


def test_equal_readings_lose_nothing() -> None:
    engine = Engine("pl")
    assert engine.outputs_of_mended([drinking(4)] * 3) == engine.outputs_of_mended([drinking(4)])
    assert not engine.disputed


@pytest.mark.parametrize(("readings", "offered"), [((4, 4), 1), ((4, 5), 0)])
def test_a_dependent_is_offered_to_others_only_where_it_stands_in_every_reading(
    readings: tuple[int, int], offered: int
) -> None:
    engine = Engine("pl", rules=["mixing_dependents"])
    engine.offer_mended([([drinking(place) for place in readings], None)])
    assert engine.donors is not None
    assert len(list(engine.donors.for_place(("lemma", "pić", "obl"), but_theme=None, salt=0))) == offered


@pytest.mark.parametrize("reread", [True, False])
def test_a_language_says_whether_it_reads_again_and_the_user_overrules_it(
    tmp_path: Path, english: str, reread: bool
) -> None:
    path = tmp_path / "sentences.txt"
    path.write_text(f"{MISREAD}\n{PLAIN}\n", encoding="utf-8")
    usual = transform(path, language="en", parser=english)
    asked = transform(path, language="en", parser=english, reread=reread)
    assert asked.frame.equals(usual.frame) is reread
    assert any(finding.kind == "disputed" for finding in asked.findings) is reread
    assert (MISREAD in asked.frame["source"].to_list()) is not reread
    assert "Fresh bread is sold by a baker." in asked.frame["text"].to_list()


def test_polish_reads_once_and_may_be_asked_for_more(tmp_path: Path, model: str) -> None:
    path = tmp_path / "sentences.txt"
    path.write_text("Dziewczynka w kapeluszu karmi kota.\n", encoding="utf-8")
    once, again = (transform(path, language="pl", parser=model, reread=reread) for reread in (None, True))
    assert set(again.frame["text"]) <= set(once.frame["text"])


def test_an_explanation_and_the_command_know_both_ways(tmp_path: Path, english: str) -> None:
    path = tmp_path / "sentences.txt"
    path.write_text(f"{MISREAD}\n", encoding="utf-8")
    (told,) = explain(path, language="en", parser=english)
    assert any("not every reading" in one.reason for one in told.refusals)
    run = ["transform", str(path), "--lang", "en", "--parser", english]
    assert "bear does not eat" in CliRunner().invoke(app, [*run, "--read-once"]).output
    assert "bear does not eat" not in CliRunner().invoke(app, [*run, "--reread"]).output


def test_trees_that_somebody_brings_are_read_as_they_are(tmp_path: Path, english: str) -> None:
    path, trees = tmp_path / "sentences.txt", tmp_path / "trees.conllu"
    path.write_text(f"{PLAIN}\n", encoding="utf-8")
    trees.write_text(parser(english).parse([PLAIN])[0].conllu(), encoding="utf-8")
    found = transform(path, language="en", parser=f"conllu:{trees}")
    assert "Fresh bread is sold by a baker." in found.frame["text"].to_list()


# The steps ---------------------------------------------------------------------------------------------


def context(folder: Path, use: str) -> Context:
    step = Step(name="made", use=use)
    about = About(name="try", title="Try", protocol="none", language="en", seed=1, citation="Nobody, 2026.")
    recipe = Recipe(recipe=about, score=Score(question="relatedness", low=0.0, high=1.0), steps=(step,))
    rng, now = np.random.default_rng(1), datetime(2026, 1, 1, tzinfo=UTC)
    return Context(recipe=recipe, step=step, project=folder, folder=folder, rng=rng, now=now)


def sentences(*texts: str) -> Frame:
    count = len(texts)
    ids = [f"s{number}" for number in range(count)]
    rows = {"sentence": ids, "text": texts, "source": ["own"] * count, "language": ["en"] * count}
    return check(pl.DataFrame(rows), SENTENCES)


@pytest.mark.parametrize(("respelled", "trees", "said"), [(True, 6, "disputed"), (False, 2, "read once")])
def test_the_step_that_parses_gives_the_other_spellings_and_the_rules_use_them(
    tmp_path: Path, english: str, respelled: bool, trees: int, said: str
) -> None:
    own = sentences(MISREAD, PLAIN)
    parsing, making = context(tmp_path, "sources/parse"), context(tmp_path, "transforms/rules")
    options = parse.Options(parser=english, respelled=respelled, cache=False)
    parsed = parse.run(Inputs({"sentences": own}), options, parsing)["trees"]
    assert parsed.height == trees
    assert parse.plan({"sentences": 2}, options, parsing).rows == {"trees": trees}
    made = rules.run(Inputs({"sentences": own, "trees": parsed}), rules.Options(), making)["sentences"]
    assert "Fresh bread is sold by a baker." in made["text"].to_list()
    assert [one.kind for one in making.findings if one.kind in ("disputed", "read once")] == [said]


def test_a_long_sentence_is_skipped_and_counted_where_the_language_says_so(tmp_path: Path, english: str) -> None:
    path = tmp_path / "sentences.txt"
    path.write_text(f"{PLAIN}\n{'A baker sells bread, ' * 8}and a girl sells milk.\n", encoding="utf-8")
    found = transform(path, language="en", parser=english)
    assert set(found.frame["source"]) == {PLAIN}
    (said,) = [finding for finding in found.findings if finding.kind == "skipped"]
    assert "1 sentences of more than 30 words" in said.message
