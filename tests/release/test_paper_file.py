"""What is written in a paper's own form is read back by the reader of that paper's release."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.release.projects import HARD

from kostra import registry
from kostra.errors import KostraError
from kostra.recipe import About, Recipe, Score, Step
from kostra.release import paper_file
from kostra.sources.released import Released
from kostra.steps import Context, Inputs
from kostra.tables import PAIRS, SCORES, SENTENCES, Frame, check

FILES = {"costra": "costra.tsv", "cdsc": "cdsc.tsv", "str2021": "str.csv"}
LETTERS = st.characters(exclude_categories=("Cs", "Cc", "Co", "Cn"))
TEXTS = st.one_of(
    st.sampled_from([*HARD, '=1+1', '"', "'a", "12. 3.", "a,b", "-"]),
    st.text(st.one_of(LETTERS, st.sampled_from("-\"'\n\t\r.,:;|<>&0123456789")), min_size=1, max_size=20),
).filter(lambda text: bool(text.strip()))  # fmt: skip


def written(form: str, folder: Path, **tables: Frame) -> tuple[Released, list[str]]:
    """What the reader finds in the file that the step wrote, and what the step noted."""
    about = About(name="t", title="Tea", protocol="t", language="cs", seed=1, citation="Nobody, 2026.")
    step = Step(name="mine", use="release/paper_file")
    recipe = Recipe(recipe=about, score=Score(question="relatedness", low=0.0, high=5.0), steps=(step,))
    context = Context(recipe, step, folder, folder, np.random.default_rng(1), datetime(2026, 3, 1, tzinfo=UTC))
    paper_file.run(Inputs(tables), paper_file.Options(form=form), context)  # type: ignore[arg-type]
    found = registry.load("sources/released", form).read(folder / "paper_file" / FILES[form])
    return found, [finding.message for finding in context.findings]


def pairs_of(texts: list[tuple[str, str]]) -> Frame:
    rows = [
        {"pair": f"p{n:03d}", "text_a": a, "text_b": b, "source": "own", "subset": "own, random"}
        for n, (a, b) in enumerate(texts)
    ]
    return check(pl.DataFrame(rows), PAIRS)


def scores_of(pairs: Frame, *, labels: bool) -> Frame:
    rows = [
        {"item": pair, "question": "relatedness", "score": (n % 7) / 6, "appearances": 6}
        for n, pair in enumerate(pairs["pair"])
    ]
    if labels:
        kinds = ("entailment", "contradiction", "neutral")
        rows += [
            {"item": pair, "question": "entailment", "label": kinds[n % 3], "appearances": 3}
            for n, pair in enumerate(pairs["pair"])
        ]
    return check(pl.DataFrame(rows, schema_overrides=SCORES.dtypes), SCORES)


def one_line(text: str) -> str:
    return " ".join(text.split())


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(texts=st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=5), form=st.sampled_from(["cdsc", "str2021"]))
def test_pairs_and_scores_come_back_whatever_the_sentences_hold(texts: list[tuple[str, str]], form: str) -> None:
    pairs = pairs_of(texts)
    scores = scores_of(pairs, labels=form == "cdsc")
    with tempfile.TemporaryDirectory() as folder:
        found, _ = written(form, Path(folder), pairs=pairs, scores=scores)
    back = found.tables["pairs"]
    assert back["text_a"].to_list() == [one_line(text) for text in pairs["text_a"]]
    assert back["text_b"].to_list() == [one_line(text) for text in pairs["text_b"]]
    values = found.tables["scores"].select("question", "score", "label").rows()
    assert values == scores.select("question", "score", "label").rows()
    if form == "str2021":
        assert back.select("pair", "source", "subset").rows() == pairs.select("pair", "source", "subset").rows()


def test_what_has_no_place_in_the_form_is_counted(tmp_path: Path) -> None:
    pairs = pairs_of([("a", "b"), ("c", "d"), ("e", "f")])
    scores = scores_of(pairs, labels=True)
    lost = (pl.col("item") == "p000") & (pl.col("question") == "relatedness")
    tied = (pl.col("item") == "p001") & (pl.col("question") == "entailment")
    scores = scores.filter(~lost).with_columns(label=pl.when(tied).then(pl.lit("tie:a|b")).otherwise(pl.col("label")))
    found, notes = written("cdsc", tmp_path, pairs=pairs, scores=scores)
    assert found.tables["pairs"]["text_a"].to_list() == ["e"]
    assert notes[0].startswith("1 pairs have no score of their own")
    assert notes[1] == "1 pairs have no label that most judges gave: p001"
    with pytest.raises(KostraError, match="nothing fits into the form"):
        written("cdsc", tmp_path, pairs=pairs, scores=scores.filter(pl.col("item") == "p001"))


def rewrites() -> Frame:
    rows = [
        ("s2", HARD[1], None, None), ("s1", "Prší.", None, None), ("s1:past:fox", "Pršelo – včera!", "s1", "past"),
        ("s1:past:hen", "Kdysi\tpršelo.", "s1", "past"), ("s1:paraphrase_1:fox", "Padá déšť.", "s1", "paraphrase_1"),
        ("s1:sung:fox", "La la.", "s1", "sung"), ("s2:ban:fox", "Nesmí „ne“.", "s2", "ban"),
    ]  # fmt: skip
    names = {"sentence": pl.String, "text": pl.String, "origin": pl.String, "change": pl.String}
    frame = pl.DataFrame(rows, schema=names, orient="row")
    return check(frame.with_columns(source=pl.lit("own"), language=pl.lit("cs")), SENTENCES)


def test_rewrites_and_comparisons_come_back(tmp_path: Path) -> None:
    pairs = pl.DataFrame(
        {
            "pair": ["c1", "c2", "c3"], "text_a": ["x"] * 3, "text_b": ["y"] * 3,
            "sentence_a": ["s1:past:hen", "s1", "s1:past:fox"],
            "sentence_b": ["s1:past:fox", "s1:past:fox", "s1:past:hen"],
        }
    )  # fmt: skip
    labels = ["more", "too similar", "tie:less|more"]
    scores = pl.DataFrame({"item": ["c1", "c2", "c3"], "question": "degree", "label": labels, "appearances": 3})
    found, notes = written(
        "costra", tmp_path, sentences=rewrites(), pairs=check(pairs, PAIRS), scores=check(scores, SCORES)
    )
    back = found.tables["sentences"]
    kept = rewrites().filter(pl.col("change").ne_missing("sung"))
    assert sorted(back["text"]) == sorted(one_line(text) for text in kept["text"])
    made_from = dict(back.select("sentence", "text").iter_rows())
    told = {
        (text, change, made_from.get(origin or "")) for text, change, origin in back["text", "change", "origin"].rows()
    }
    assert ("Kdysi pršelo.", "past", "Prší.") in told
    assert ("Padá déšť.", "paraphrase", "Prší.") in told
    judged = found.tables["judgments"].join(found.tables["pairs"], left_on="item", right_on="pair")
    values = {(a, value, b) for a, value, b in judged.select("text_a", "value", "text_b").rows()}
    either_way = {("Kdysi pršelo.", "more", "Pršelo – včera!"), ("Pršelo – včera!", "less", "Kdysi pršelo.")}
    assert len(values) == 2
    assert values & either_way
    assert any(value == "too_similar" for _, value, _ in values)
    assert any("1 sentences were made by a change that the form does not know" in note for note in notes)
    assert any("1 comparisons have no majority" in note for note in notes)
    assert not [one for one in found.findings if one.kind in ("dangling", "one_sided", "tokenized_differs", "no_seed")]
