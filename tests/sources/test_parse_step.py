"""The step that parses: one tree per text, and what it says of a parser that is not there."""

from __future__ import annotations

import importlib.util
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from kostra.errors import KostraError
from kostra.recipe import About, Recipe, Score, Step
from kostra.sources import parse
from kostra.steps import Context, Inputs, component
from kostra.tables import PAIRS, SENTENCES, TREES, check
from kostra.trees import parse_conllu

needs_udpipe = pytest.mark.skipif(not importlib.util.find_spec("ufal"), reason="the extra parse is not installed")


@pytest.fixture
def context(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Context:
    monkeypatch.setenv("KOSTRA_CACHE", str(tmp_path / "cache"))
    step = Step(name="parsed", use="sources/parse")
    about = About(name="try", title="Try", protocol="none", language="pl", seed=1, citation="Nobody, 2026.")
    recipe = Recipe(recipe=about, score=Score(question="relatedness", low=0.0, high=1.0), steps=(step,))
    rng = np.random.default_rng(1)
    now = datetime(2026, 3, 1, tzinfo=UTC)
    return Context(recipe=recipe, step=step, project=tmp_path, folder=tmp_path, rng=rng, now=now)


def sentences(*texts: str) -> Inputs:
    count = len(texts)
    ids = [f"s{number}" for number in range(count)]
    rows = {"sentence": ids, "text": texts, "source": ["own"] * count, "language": ["pl"] * count}
    return Inputs({"sentences": check(pl.DataFrame(rows), SENTENCES)})


def pairs(*texts: tuple[str, str]) -> Inputs:
    rows = {"pair": [f"p{number}" for number in range(len(texts))]}
    rows |= {"text_a": [a for a, _ in texts], "text_b": [b for _, b in texts]}
    return Inputs({"pairs": check(pl.DataFrame(rows), PAIRS)})


@pytest.fixture
def options(models: Path) -> parse.Options:
    return parse.Options(parser=f"udpipe:{models / 'pl.udpipe'}")


def test_it_is_a_step() -> None:
    assert component("sources/parse").WRITES == ("trees",)


@needs_udpipe
def test_each_distinct_sentence_has_one_tree(context: Context, options: parse.Options) -> None:
    made = parse.run(sentences("Kot śpi.", "Pies biegnie.", "Kot śpi."), options, context)["trees"]
    assert check(made, TREES).equals(made)
    assert made["text"].to_list() == ["Kot śpi.", "Pies biegnie."]
    trees = [parse_conllu(conllu)[0] for conllu in made["conllu"]]
    assert [tree.text for tree in trees] == made["text"].to_list()
    assert [finding.message for finding in context.findings if finding.kind == "parser"]


@needs_udpipe
def test_both_sides_of_pairs_are_parsed(context: Context, options: parse.Options) -> None:
    made = parse.run(pairs(("Kot śpi.", "Pies śpi."), ("Pies śpi.", "Lis śpi.")), options, context)["trees"]
    assert sorted(made["text"]) == ["Kot śpi.", "Lis śpi.", "Pies śpi."]


@needs_udpipe
def test_what_the_cache_knows_is_what_the_parser_says(context: Context, options: parse.Options) -> None:
    texts = ("Dwie kobiety siedzą na ławce.", "Zobaczyłem psa 🙂, który biegnie po plaży.")
    without = parse.run(sentences(*texts), options.model_copy(update={"cache": False}), context)["trees"]
    assert not (context.project / "cache").exists()
    first = parse.run(sentences(*texts), options, context)["trees"]
    second = parse.run(sentences(*texts), options, context)["trees"]
    assert (context.project / "cache" / "parses.sqlite").is_file()
    assert without.equals(first)
    assert first.equals(second)


@needs_udpipe
def test_the_plan_counts_trees_and_watches_the_model(context: Context, options: parse.Options, models: Path) -> None:
    assert parse.plan({"sentences": 7}, options, context).rows == {"trees": 7}
    assert parse.plan({"pairs": 7}, options, context).rows == {"trees": 14}
    assert parse.plan({"pairs": 7}, options, context).waits is None
    assert parse.watches(options, context) == [models / "pl.udpipe"]


@needs_udpipe
def test_a_parser_that_is_not_there_is_named_by_the_plan_and_refused_by_the_run(context: Context) -> None:
    options = parse.Options(parser="udpipe:models/pl.udpipe")
    waits = parse.plan({"sentences": 1}, options, context).waits
    assert waits is not None
    assert waits.startswith("for its parser: ")
    assert "models/pl.udpipe" in waits
    with pytest.raises(KostraError, match="there is no such UDPipe model"):
        parse.run(sentences("Kot śpi."), options, context)


def test_paths_are_relative_to_the_project(context: Context) -> None:
    conllu = "# text = Śpią\n1\tŚpią\tspać\tVERB\t_\t_\t0\troot\t_\t_\n\n"
    (context.project / "own.conllu").write_text(conllu, encoding="utf-8")
    made = parse.run(sentences("Śpią"), parse.Options(parser="conllu:own.conllu"), context)["trees"]
    assert made.rows() == [("Śpią", "conllu:own.conllu", conllu)]
