"""`kostra transform`: files in, a table out, resumed where it stopped; and the step of a recipe."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from kostra import transforming
from kostra.cli import app
from kostra.errors import KostraError
from kostra.recipe import About, Recipe, Score, Step
from kostra.sources.parsers import Parser
from kostra.steps import Context, Inputs
from kostra.tables import SENTENCES, TREES
from kostra.transforming import COLUMNS, explain, transform
from kostra.transforms import rules
from kostra.transforms.engine import LONGEST, language

SENTENCES_HERE = [
    "Dziewczynka w kapeluszu karmi kota.",
    "Chłopiec siedzi na krześle i rysuje dom.",
    "Kobieta niesie torbę, która jest wypełniona owocami.",
    "Stary mężczyzna siedzi przy oknie.",
]


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "captions.txt"
    path.write_text("\n".join(SENTENCES_HERE) + "\n", encoding="utf-8")
    return path


def test_one_sentence_a_line_becomes_a_table(text: Path, model: str) -> None:
    found = transform(text, language="pl", parser=model)
    assert found.frame.columns == list(COLUMNS)
    assert found.sources == 4
    assert set(found.frame["source"]) == set(SENTENCES_HERE)
    texts = set(found.frame["text"])
    assert {"Nikt nie karmi kota.", "Kot jest karmiony przez dziewczynkę w kapeluszu."} <= texts
    assert "Chłopiec siedzi na krześle, rysując dom." in texts
    assert set(found.frame["relation"]) == {"similar", "contradiction", "neutral"}
    assert found.by_rule["negation"] >= 8


def test_a_table_gives_its_ids_and_its_groups_as_themes(tmp_path: Path, model: str) -> None:
    path = tmp_path / "captions.csv"
    rows = [("s1", SENTENCES_HERE[1], "a"), ("s2", SENTENCES_HERE[3], "a"), ("s3", "Kucharz siedzi na płocie.", "b")]
    frame = pl.DataFrame(rows, schema=["sentence", "text", "group"], orient="row")
    frame.write_csv(path)
    found = transform(path, language="pl", parser=model, rules=["mixing_dependents"])
    mixed = found.frame.filter(pl.col("source") == "s2")["text"].to_list()
    assert "Stary mężczyzna siedzi na płocie." in mixed  # of another theme
    assert "Stary mężczyzna siedzi na krześle." not in mixed  # of the same


def test_trees_need_no_parser(tmp_path: Path, polish: Parser) -> None:
    path = tmp_path / "captions.conllu"
    path.write_text("".join(tree.conllu() for tree in polish.parse(SENTENCES_HERE)), encoding="utf-8")
    found = transform(path, language="pl", rules=["negation"])
    assert found.sources == 4
    assert set(found.by_rule) == {"negation"}


def test_rules_limit_and_compose_do_what_they_say(text: Path, model: str) -> None:
    one = transform(text, language="pl", parser=model, rules=["removing_adjuncts"], limit=1)
    assert one.frame.group_by("source", "rule").len()["len"].max() == 1
    two = transform(text, language="pl", parser=model, rules=["removing_adjuncts", "negation"], compose=2)
    assert any("+" in rule for rule in two.frame["rule"])


def test_verification_drops_and_counts(text: Path, model: str) -> None:
    every = transform(text, language="pl", parser=model)
    kept = transform(text, language="pl", parser=model, verify=True)
    assert 0 < kept.frame.height < every.frame.height
    assert any(finding.kind == "dropped" for finding in kept.findings)


def test_a_finished_block_is_taken_up_again_and_another_job_is_refused(text: Path, model: str, tmp_path: Path) -> None:
    work = tmp_path / "work"
    first = transform(text, language="pl", parser=model, work=work)
    assert list(work.glob("block-*.npy"))
    calls: list[tuple[int, int]] = []
    again = transform(text, language="pl", parser=model, work=work, progress=lambda *told: calls.append(told))
    assert calls == [(1, 1)]  # nothing was left to do
    assert again.frame.equals(first.frame)
    with pytest.raises(KostraError, match="another search"):
        transform(text, language="pl", parser=model, work=work, compose=2)


def test_workers_give_what_one_process_gives(text: Path, model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = transform(text, language="pl", parser=model)
    monkeypatch.setattr(transforming, "BLOCK", 2)
    together = transform(text, language="pl", parser=model, workers=2)
    assert alone.frame.equals(together.frame)


def test_a_sentence_of_four_hundred_words_is_skipped_and_counted(tmp_path: Path, model: str) -> None:
    path = tmp_path / "long.txt"
    path.write_text("Kot " + "bardzo " * 398 + "śpi.\nKot śpi na kanapie.\n", encoding="utf-8")
    found = transform(path, language="pl", parser=model)
    assert set(found.frame["source"]) == {"Kot śpi na kanapie."}
    assert [finding.kind for finding in found.findings if finding.kind == "skipped"]


@pytest.mark.parametrize(
    ("name", "content", "options", "complaint"),
    [
        ("a.txt", "\n\n", {}, r"a\.txt: there is no sentence"),
        ("a.txt", "Kot śpi.\n", {}, r"no parser is named, and the sentences have no trees"),
        ("a.conllu", "1\tKot\tkot\tNOUN\t_\t_\t1\tdep\t_\t_\n", {}, r"a\.conllu:1: no word is the root"),
        ("a.conllu", "1\tA\ta\tX\t_\t_\t0\troot\t_\t_\n", {"verify": True}, "outputs can be verified only by a parser"),
        ("a.txt", "Kot śpi.\n", {"language": "tlh"}, 'unknown language with rules "tlh"'),
        ("a.txt", "Kot śpi.\n", {"rules": ["negate"]}, 'unknown rule for pl "negate"'),
        ("a.txt", "Kot śpi.\n", {"compose": 0}, "0 rules one upon the other"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_runs(
    tmp_path: Path, name: str, content: str, options: dict[str, object], complaint: str
) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    with pytest.raises(KostraError, match=complaint):
        transform(path, **{"language": "pl", **options})  # type: ignore[arg-type]


def test_an_explanation_shows_the_trees_and_why_rules_fired_or_not(text: Path, model: str) -> None:
    found = explain(text, language="pl", parser=model, most=1)
    (one,) = found
    said = one.text()
    assert SENTENCES_HERE[0] in said
    assert "Nikt nie karmi kota." in said
    assert "no two predicates are coordinated" in said
    svgs = one.svgs()
    assert len(svgs) == len(one.outputs)
    assert all(svg.startswith("<svg") for svg in svgs)


# The step ----------------------------------------------------------------------------------------------


@pytest.fixture
def context(tmp_path: Path) -> Context:
    step = Step(name="made", use="transforms/rules")
    about = About(name="try", title="Try", protocol="none", language="pl", seed=1, citation="Nobody, 2026.")
    recipe = Recipe(recipe=about, score=Score(question="relatedness", low=0.0, high=1.0), steps=(step,))
    rng, now = np.random.default_rng(1), datetime(2026, 1, 1, tzinfo=UTC)
    return Context(recipe=recipe, step=step, project=tmp_path, folder=tmp_path, rng=rng, now=now)


def tables_of(polish: Parser, texts: list[str]) -> Inputs:
    frame = pl.DataFrame(
        {
            "sentence": [f"s{number}" for number in range(len(texts))],
            "text": texts,
            "source": ["captions"] * len(texts),
            "language": ["pl"] * len(texts),
            "group": [f"theme {number}" for number in range(len(texts))],
        }
    )
    missing = {name: pl.lit(None, dtype) for name, dtype in SENTENCES.dtypes.items() if name not in frame.columns}
    sentences = frame.with_columns(**missing).select(list(SENTENCES.dtypes)).cast(SENTENCES.dtypes)
    trees = {"text": texts, "parser": ["p"] * len(texts), "conllu": [tree.conllu() for tree in polish.parse(texts)]}
    return Inputs({"sentences": sentences, "trees": pl.DataFrame(trees, schema=TREES.dtypes)})


def test_the_step_writes_sentences_with_origin_and_change(context: Context, polish: Parser) -> None:
    inputs = tables_of(polish, SENTENCES_HERE)
    made = rules.run(inputs, rules.Options(), context)["sentences"]
    assert set(made["origin"]) == {"s0", "s1", "s2", "s3"}
    assert set(made["change"]) <= set(language("pl").rules)
    assert made["sentence"].is_unique().all()
    assert made.filter(pl.col("origin") == "s0")["group"].unique().to_list() == ["theme 0"]
    listed = pl.read_csv(context.folder / "outputs.csv")
    assert listed.height == made.height
    assert {"variant", "relation", "confidence"} <= set(listed.columns)
    assert any(finding.kind == "outputs" for finding in context.findings)


def test_the_step_keeps_the_safest_and_the_confident(context: Context, polish: Parser) -> None:
    inputs = tables_of(polish, SENTENCES_HERE)
    few = rules.run(inputs, rules.Options(limit=1, confidence=0.9), context)["sentences"]
    assert few.group_by("origin", "change").len()["len"].max() == 1
    assert pl.read_csv(context.folder / "outputs.csv")["confidence"].min() >= 0.9  # type: ignore[operator]
    assert any(finding.kind == "unsure" for finding in context.findings)


def test_outputs_that_are_less_sure_than_asked_are_left_out_and_counted(text: Path, model: str) -> None:
    every = transform(text, language="pl", parser=model)
    sure = transform(text, language="pl", parser=model, confidence=0.95)
    assert sure.frame.equals(every.frame.filter(pl.col("confidence") >= 0.95))
    (told,) = [finding for finding in sure.findings if finding.kind == "unsure"]
    assert sum(int(word) for word in str(told).replace(",", "").split() if word.isdigit()) == (
        every.frame.height - sure.frame.height
    )
    with pytest.raises(KostraError, match=r"a confidence of 95"):
        transform(text, language="pl", parser=model, confidence=95)


def test_the_step_plans_before_it_runs_and_refuses_unknown_rules(context: Context) -> None:
    plan = rules.plan({"sentences": 10}, rules.Options(rules=("negation",)), context)
    assert "10 sentences by 1 rules: negation" in plan.says
    with pytest.raises(KostraError, match='unknown rule for pl "passive"'):
        rules.plan({"sentences": 10}, rules.Options(rules=("passive",)), context)


def test_a_sentence_without_a_tree_is_refused(context: Context, polish: Parser) -> None:
    inputs = tables_of(polish, SENTENCES_HERE)
    lost = Inputs({"sentences": inputs["sentences"], "trees": inputs["trees"].head(2)})
    with pytest.raises(KostraError, match="2 sentences have no tree"):
        rules.run(lost, rules.Options(), context)


def test_explaining_makes_the_folder_for_its_drawings(text: Path, model: str, tmp_path: Path) -> None:
    figures = tmp_path / "new" / "figures"
    told = ["transform", str(text), "--lang", "pl", "--parser", model, "--explain", "--figures", str(figures)]
    assert CliRunner().invoke(app, told).exit_code == 0
    assert list(figures.glob("*.svg"))


def test_explaining_says_that_a_sentence_is_too_long(model: str, tmp_path: Path) -> None:
    text = tmp_path / "long.txt"
    text.write_text("Pies biegnie " + "bardzo " * LONGEST + "szybko.\n", encoding="utf-8")
    (told,) = explain(text, language="pl", parser=model, rules=["negation"])
    assert not told.outputs
    assert [one.reason for one in told.refusals] == [f"more than {LONGEST} words"]
