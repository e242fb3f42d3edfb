"""What goes with relatedness: shared and related words, by part of speech, subject and object, in any language."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from kostra.analysis import relatedness_factors as analysis
from kostra.analysis.relatedness_factors import factors, factors_figure, relatedness_factors, trees_of
from kostra.encoders import encoder
from kostra.errors import KostraError
from kostra.evaluate.dataset import Dataset
from kostra.recipe import About, Recipe, Score, Step
from kostra.sources import parsers
from kostra.sources.released import str2021
from kostra.steps import Context, Inputs
from kostra.tables import PAIRS, SCORES, TREES, Frame, check

NOW = datetime(2026, 3, 1, tzinfo=UTC)
WORDS = {"cat": "NOUN", "dog": "NOUN", "tax": "NOUN", "sleeps": "VERB", "barks": "VERB", "rises": "VERB", "old": "ADJ"}


def tree(text: str) -> str:
    """A tree in which the last word is the verb, the noun its subject and an adjective hangs on the noun."""
    words = text.split()
    lines = []
    for place, word in enumerate(words, 1):
        head, relation = {"NOUN": (len(words), "nsubj"), "VERB": (0, "root"), "ADJ": (place + 1, "amod")}[WORDS[word]]
        lines.append(f"{place}\t{word}\t{word}\t{WORDS[word]}\t_\t_\t{head}\t{relation}\t_\t_")
    return "\n".join(lines) + "\n\n"


def tables(pairs: list[tuple[str, str]], scores: list[float]) -> dict[str, Frame]:
    ids = [f"p{number}" for number in range(len(pairs))]
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    return {
        "pairs": check(
            pl.DataFrame({"pair": ids, "text_a": [a for a, _ in pairs], "text_b": [b for _, b in pairs]}), PAIRS
        ),
        "scores": check(
            pl.DataFrame({"item": ids, "question": "relatedness", "score": scores, "appearances": 2}), SCORES
        ),
        "trees": check(
            pl.DataFrame({"text": texts, "parser": "by hand", "conllu": [tree(text) for text in texts]}), TREES
        ),
    }


def context(folder: Path) -> Context:
    about = About(name="t", title="t", protocol="t", language="en", seed=1, citation="t")
    step = Step(name="factors", use="analysis/relatedness_factors")
    recipe = Recipe(recipe=about, score=Score(question="relatedness", low=0.0, high=1.0), steps=(step,))
    return Context(recipe, step, folder, folder, np.random.default_rng(1), NOW)


PAIRED = [
    ("cat sleeps", "cat barks"),
    ("old dog barks", "old cat sleeps"),
    ("tax rises", "dog barks"),
    ("dog barks", "tax sleeps"),
]


def test_a_pair_counts_only_if_both_sentences_have_the_words() -> None:
    made = tables(PAIRED, [1.0, 0.6, 0.2, 0.1])
    found = relatedness_factors(
        PAIRED, np.array([1.0, 0.6, 0.2, 0.1]), trees_of(made["trees"]), vectors=encoder("static"),
        asked=factors(["NOUN", "ADJ"], {}, ["subject"]), least_share=0.0, rng=np.random.default_rng(1), samples=10,
    )  # fmt: skip
    count = dict(found.select("factor", "pairs").iter_rows())
    assert count == {"shared words": 4, "related words": 4, "NOUN": 4, "ADJ": 1, "subject": 4}
    noun, subject = (found.filter(pl.col("factor") == name)["spearman"][0] for name in ("NOUN", "subject"))
    assert noun == subject  # every noun here is a subject


def test_a_factor_that_few_pairs_have_is_left_out_and_named(tmp_path: Path) -> None:
    told = context(tmp_path)
    options = analysis.Options(parts_of_speech=("NOUN", "ADJ"), groups={}, least_share=0.5, samples=10)
    made = analysis.run(Inputs(tables(PAIRED, [1.0, 0.6, 0.2, 0.1])), options, told)
    row = made["statistics"].filter(pl.col("statistic") == "factor_ADJ").row(0, named=True)
    assert (row["value"], row["n"]) == (None, 1)
    assert row["note"].startswith("left out: fewer than 50%")
    assert any("ADJ, object" in str(finding) for finding in told.findings)
    assert pl.read_csv(tmp_path / "relatedness_factors.csv")["question"].to_list() == [
        "Q1",
        "Q2",
        "Q3a",
        "Q3a",
        "Q4",
        "Q4",
    ]
    for name in ("relatedness_factors.svg", "overlap.svg"):
        assert (tmp_path / name).is_file()


def test_a_group_is_its_tags_together(tmp_path: Path) -> None:
    options = analysis.Options(
        parts_of_speech=(), groups={"mine": ("NOUN", "ADJ")}, relations=(), least_share=0.0, samples=10
    )
    made = analysis.run(Inputs(tables(PAIRED, [1.0, 0.6, 0.2, 0.1])), options, context(tmp_path))["statistics"]
    assert made["statistic"].to_list() == ["factor_shared_words", "factor_related_words", "factor_mine_group"]


def test_a_sentence_without_a_tree_is_refused() -> None:
    made = tables(PAIRED[:1], [1.0])
    with pytest.raises(KostraError, match="sentences have no tree: tax rises"):
        relatedness_factors(
            PAIRED[2:3], np.array([1.0]), trees_of(made["trees"]), asked=factors(), vectors=encoder("static"),
            rng=np.random.default_rng(1),
        )  # fmt: skip


def test_an_unknown_part_of_speech_is_refused_before_anything_is_computed() -> None:
    with pytest.raises(KostraError) as error:
        factors(["PROPM"])
    assert error.value.remedy == 'did you mean "PROPN"?'


@pytest.mark.parametrize("name", ["dice", "hashed"])
def test_an_encoder_without_vectors_of_words_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(KostraError, match="no vectors of single words"):
        analysis.run(Inputs(tables(PAIRED, [1.0, 0.6, 0.2, 0.1])), analysis.Options(encoder=name), context(tmp_path))


def test_the_step_waits_for_vectors_that_are_not_there(tmp_path: Path) -> None:
    options = analysis.Options(encoder="vectors:models/word2vec.bin")
    waits = analysis.plan({"pairs": 4}, options, context(tmp_path)).waits
    assert waits is not None
    assert "models/word2vec.bin" in waits


@pytest.mark.long
def test_real_pairs_put_nouns_above_verbs_and_objects_above_subjects(data: Path, models: Path) -> None:
    # The paper, Table 4, with word2vec and spaCy: nouns .45, verbs .31, determiners .20, objects .43, subjects .29.
    released = str2021.read(data / "str2022.csv")
    chosen = released.tables["pairs"].gather_every(9)
    scored = Dataset("str2021", pairs=chosen, scores=released.tables["scores"]).scored()
    texts = list(dict.fromkeys(text for pair in scored.pairs for text in pair))
    trees = dict(zip(texts, parsers.parser(f"udpipe:{models / 'en.udpipe'}").parse(texts), strict=True))
    found = relatedness_factors(
        scored.pairs, scored.gold, trees, asked=factors(["NOUN", "VERB", "DET"]), vectors=encoder("static"),
        rng=np.random.default_rng(1), samples=10,
    )  # fmt: skip
    value = dict(found.select("factor", "spearman").iter_rows())
    assert value["noun group"] > value["NOUN"] > value["VERB"] > value["DET"]
    assert value["object"] > value["subject"]
    assert factors_figure(found).get_label()
