"""Strategies that draw by levels of overlap or score: quotas exact or told, published bounds kept, seed decides."""

from __future__ import annotations

import types
from collections import Counter
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kostra.errors import KostraError
from kostra.recipe import About, Recipe, Score, Step
from kostra.sampling import idf_dice, paraphrase_buckets, premises, stratified
from kostra.sampling.buckets import bin_places, even_counts, even_quotas, exponential_counts
from kostra.sampling.paraphrase_buckets import percentile_draw
from kostra.sampling.premises import most_frequent_synonyms, premise_pairs, read_thesaurus, wordnet
from kostra.steps import Context, Inputs
from kostra.tables import PAIRS, SCORES, SENTENCES, Frame, check
from kostra.text import dice, shared_share, words

sentence = st.lists(st.sampled_from("abcdefghij"), min_size=1, max_size=9).map(" ".join)


def a_context(seed: int = 1, project: Path = Path("nowhere")) -> Context:
    step = Step(name="drawn", use="sampling/overlap")
    about = About(name="try", title="Try", protocol="none", language="en", seed=1, citation="Nobody, 2026.")
    recipe = Recipe(recipe=about, score=Score(question="relatedness", low=0.0, high=1.0), steps=(step,))
    rng = np.random.default_rng(seed)
    now = datetime(2026, 1, 1, tzinfo=UTC)
    return Context(recipe=recipe, step=step, project=project, folder=project, rng=rng, now=now)


def sentences(texts: list[str], *, groups: list[str | None] | None = None, source: str = "x") -> Frame:
    rows = {
        "sentence": [f"s{n}" for n in range(len(texts))],
        "text": texts,
        "source": [source] * len(texts),
        "language": ["en"] * len(texts),
        "group": pl.Series(groups or [None] * len(texts), dtype=pl.String),
    }
    return check(pl.DataFrame(rows), SENTENCES)


def messages(context: Context) -> str:
    return "\n".join(finding.message for finding in context.findings)


# Counts -------------------------------------------------------------------------------------------------


@given(st.integers(0, 5000), st.integers(1, 120), st.floats(1, 10))
def test_exponential_counts_are_exact_and_never_fall(total: int, buckets: int, rate: float) -> None:
    counts = exponential_counts(total, buckets, rate=rate).tolist()
    assert sum(counts) == total
    assert all(low <= high for low, high in pairwise(counts))
    weights = [rate ** (n - buckets + 1) for n in range(buckets)]
    for count, weight in zip(counts, weights, strict=True):
        assert abs(count - total * weight / sum(weights)) <= 1


def test_the_published_thousand_grows_from_1_to_92() -> None:
    # 1.1⁵⁰ − 1 = 116.39; the lowest share is 1000 · 0.1 / 116.39 = 0.859, the highest 0.859 · 1.1⁴⁹ = 91.69.
    counts = exponential_counts(1000, 50, rate=1.1)
    assert (counts[0], counts[-1], counts.sum()) == (1, 92, 1000)


def test_of_equal_remainders_the_higher_bucket_is_rounded_up() -> None:
    assert exponential_counts(1, 3, rate=1).tolist() == [0, 0, 1]


@given(st.lists(st.integers(0, 40), min_size=1, max_size=12), st.integers(0, 300))
def test_even_quotas_give_all_that_can_be_given_as_evenly_as_can_be(offered: list[int], total: int) -> None:
    quotas = even_quotas(offered, total)
    assert sum(quotas) == min(total, sum(offered))
    assert all(0 <= quota <= most for quota, most in zip(quotas, offered, strict=True))
    hungry = [quota for quota, most in zip(quotas, offered, strict=True) if quota < most]
    assert not hungry or max(quotas) - min(hungry) <= 1


@given(st.integers(0, 500), st.permutations(range(7)))
def test_even_counts_differ_by_one_at_most(total: int, order: list[int]) -> None:
    counts = even_counts(total, order)
    assert counts.sum() == total
    assert counts.max() - counts.min() <= 1


# Paraphrases by percentile ------------------------------------------------------------------------------


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]), max_size=80),
    st.integers(1, 60),
    st.integers(1, 90),
    st.integers(0, 99),
)
def test_percentiles_give_alike_and_all_that_is_asked_for_where_there_is_so_much(
    overlaps: list[float], buckets: int, count: int, seed: int
) -> None:
    values = np.array(overlaps)
    parts = percentile_draw(values, buckets=buckets, count=count, rng=np.random.default_rng(seed))
    drawn = np.concatenate(parts)
    assert len(parts) == buckets
    assert len(set(drawn.tolist())) == len(drawn) == min(count, len(values))
    if len(values) >= count:
        assert {len(part) for part in parts} <= {count // buckets, -(-count // buckets)}
    levels = [values[part] for part in parts if len(part)]
    assert all(low.max() <= high.min() for low, high in pairwise(levels))
    again = percentile_draw(values, buckets=buckets, count=count, rng=np.random.default_rng(seed))
    assert [part.tolist() for part in again] == [part.tolist() for part in parts]


def test_inside_a_percentile_every_pair_may_be_drawn() -> None:
    values = np.arange(6) / 6
    drawn = [percentile_draw(values, buckets=2, count=2, rng=np.random.default_rng(seed)) for seed in range(60)]
    assert {low.item() for low, _ in drawn} == {0, 1, 2}
    assert {high.item() for _, high in drawn} == {3, 4, 5}


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(sentence, sentence), min_size=1, max_size=20), st.integers(1, 25), st.integers(0, 9))
def test_bucketed_paraphrases_are_whole_groups_with_their_dice_overlap(
    wordings: list[tuple[str, str]], count: int, seed: int
) -> None:
    texts = [text for couple in wordings for text in couple]
    groups: list[str | None] = [f"g{n // 2}" for n in range(len(texts))]
    context = a_context(seed)
    options = paraphrase_buckets.Options(pairs=count, buckets=5)
    made = paraphrase_buckets.run(Inputs({"sentences": sentences(texts, groups=groups)}), options, context)["pairs"]
    assert made.height == min(count, len(wordings))
    assert (made.height < count) == ("instead of" in messages(context))
    for row in made.iter_rows(named=True):
        assert int(row["sentence_a"][1:]) + 1 == int(row["sentence_b"][1:])
        assert row["overlap"] == dice(words(row["text_a"]), words(row["text_b"]))


def test_groups_of_one_or_three_are_listed_and_no_group_of_two_is_an_error() -> None:
    frame = sentences(["a", "b", "c", "d", "e", "f"], groups=["one", "two", "two", "three", "three", "three"])
    context = a_context()
    options = paraphrase_buckets.Options(pairs=1, buckets=1)
    assert paraphrase_buckets.run(Inputs({"sentences": frame}), options, context)["pairs"].height == 1
    assert "2 of 3 groups have not exactly two sentences and are left out: one, three" in messages(context)
    with pytest.raises(KostraError, match="none of the 3 sentences stands in a group of two"):
        paraphrase_buckets.run(Inputs({"sentences": frame[3:]}), options, a_context())


# IDF-weighted Dice --------------------------------------------------------------------------------------


def idf_overlap(texts: list[str], a: str, b: str) -> float:
    tokens = [set(words(text)) for text in texts]
    idf = {w: np.log(len(texts) / sum(w in t for t in tokens)) for token in tokens for w in token}
    shared, both = set(words(a)) & set(words(b)), sum(idf[w] for side in (a, b) for w in set(words(side)))
    return float(2 * sum(idf[w] for w in shared) / both) if both > 0 else 0.0


@settings(max_examples=30, deadline=None)
@given(
    st.lists(sentence, min_size=2, max_size=14, unique=True), st.integers(1, 60), st.integers(1, 8), st.integers(0, 9)
)
def test_idf_dice_pairs_have_their_overlap_no_pair_comes_twice_and_shortfalls_are_told(
    texts: list[str], count: int, buckets: int, seed: int
) -> None:
    options = idf_dice.Options(pairs=count, buckets=buckets)
    inputs = Inputs({"sentences": sentences(texts)})
    context = a_context(seed)
    made = idf_dice.run(inputs, options, context)["pairs"]
    assert made.equals(idf_dice.run(inputs, options, a_context(seed))["pairs"])
    couples = {frozenset(pair) for pair in made.select("sentence_a", "sentence_b").iter_rows()}
    assert len(couples) == made.height <= count
    assert (made.height < count) == ("buckets gave fewer than asked" in messages(context))
    for row in made.iter_rows(named=True):
        assert row["overlap"] == pytest.approx(idf_overlap(texts, row["text_a"], row["text_b"]), abs=1e-6)


def test_higher_percentiles_give_exponentially_more() -> None:
    rng = np.random.default_rng(5)
    texts = [" ".join(rng.choice(list("abcdefghijklmnopqrstuvwxyz"), size=8)) for _ in range(150)]
    options = idf_dice.Options(pairs=310, buckets=5, rate=2.0)
    made = idf_dice.run(Inputs({"sentences": sentences(texts)}), options, a_context())["pairs"]
    # 310 = 10 + 20 + 40 + 80 + 160; the pairs come from the lowest level to the highest.
    levels = np.split(made["overlap"].to_numpy(), [10, 30, 70, 150])
    assert [len(level) for level in levels] == [10, 20, 40, 80, 160]
    assert all(low.max() <= high.min() for low, high in pairwise(levels))


def test_repeated_texts_are_left_out_and_told() -> None:
    context = a_context()
    made = idf_dice.run(Inputs({"sentences": sentences(["a b", "a b", "a c"])}), idf_dice.Options(pairs=3), context)
    assert made["pairs"].height == 1
    assert "1 of 3 sentences repeat the text of an earlier one and are left out: s1" in messages(context)


def test_one_sentence_makes_no_pair() -> None:
    with pytest.raises(KostraError, match="1 sentences make no pair"):
        idf_dice.run(Inputs({"sentences": sentences(["a b"])}), idf_dice.Options(pairs=3), a_context())


# Premises -----------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=8), min_size=2, max_size=12),
    st.integers(1, 40),
    st.sampled_from([(0.25, 0.75, 0.25), (0.0, 0.5, 0.5), (0.5, 1.01, 1.0)]),
    st.integers(0, 99),
)
def test_premises_keep_the_published_bounds_and_take_what_there_is(
    tokens: list[list[str]], count: int, bounds: tuple[float, float, float], seed: int
) -> None:
    low, high, apart = bounds

    def draw() -> tuple[Any, Any]:
        rng = np.random.default_rng(seed)
        return premise_pairs(tokens, count=count, low=low, high=high, length_difference=apart, rng=rng)

    found, shares = draw()
    possible = set()
    for a, first in enumerate(tokens):
        for b, second in enumerate(tokens):
            near = abs(len(first) - len(second)) <= apart * max(len(first), len(second))
            if a != b and near and low <= shared_share(first, second) < high and set(first) & set(second):
                possible.add((a, b))
    pairs = [(a, b) for a, b in found.tolist()]
    assert set(pairs) <= possible
    assert [shared_share(tokens[a], tokens[b]) for a, b in pairs] == shares.tolist()
    assert len({frozenset(pair) for pair in pairs}) == len(pairs)
    assert len(pairs) == min(count, len({frozenset(pair) for pair in possible}))
    assert draw()[0].tolist() == found.tolist()


def test_a_premise_comes_first_again_only_after_the_others() -> None:
    tokens = [["a", f"{n}x", f"{n}y", f"{n}z"] for n in range(8)]  # any two share a quarter
    found, _ = premise_pairs(tokens, count=8, rng=np.random.default_rng(1))
    assert sorted(found[:, 0].tolist()) == list(range(8))
    everything, _ = premise_pairs(tokens, count=99, rng=np.random.default_rng(1))
    assert len(everything) == 28
    assert everything[:8].tolist() == found.tolist()


def test_synonyms_count_as_one_word(tmp_path: Path) -> None:
    # car and auto are one word, so each two of the sentences share one of four words; nothing else is shared.
    frame = sentences(["car b c d", "auto e f g", "car h i j"])
    (tmp_path / "own.tsv").write_text("auto\tcar\n")
    context = a_context(project=tmp_path)
    options = premises.Options(pairs=9, thesaurus="own.tsv")
    made = premises.run(Inputs({"sentences": frame}), options, context)["pairs"]
    assert made.height == 3
    assert set(made["overlap"]) == {0.25}
    assert "1 of 11 different words became a more frequent synonym" in messages(context)
    assert premises.run(Inputs({"sentences": frame}), premises.Options(pairs=9), a_context())["pairs"].height == 1


def test_a_thesaurus_that_is_only_a_name_may_be_missing_and_a_file_may_not(tmp_path: Path) -> None:
    inputs = Inputs({"sentences": sentences(["a b c d", "a e f g"])})
    context = a_context(project=tmp_path)
    premises.run(inputs, premises.Options(pairs=1, thesaurus="roget"), context)
    assert 'there is no thesaurus "roget" (data/roget.txt, data/roget.tsv): overlap is of the words' in messages(
        context
    )
    with pytest.raises(KostraError, match=r'there is no thesaurus "data/roget\.txt"'):
        premises.run(inputs, premises.Options(pairs=1, thesaurus="data/roget.txt"), a_context(project=tmp_path))
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "roget.txt").write_text("a, z\n")
    named = a_context(project=tmp_path)
    premises.run(inputs, premises.Options(pairs=1, thesaurus="roget"), named)
    assert "became a more frequent synonym" in messages(named)


def test_two_words_that_are_each_others_synonym_do_not_change_places(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("# comment\nbig large, huge\nbig; large; sizeable\ntiny small\n")
    found = read_thesaurus(tmp_path / "t.txt")
    assert found.phrases == 1  # "big large" between commas
    replaced = most_frequent_synonyms([["big", "large"], ["tiny", "small"]], found.synonyms)
    # All four stand once; of equals the first in the alphabet stands for both.
    assert replaced == {"big": "big", "large": "big", "tiny": "small", "small": "small"}


@pytest.mark.parametrize(("text", "message"), [("alone\n", r't\.txt:1: found "alone"'), ("# no\n", "is empty")])
def test_a_thesaurus_without_synonyms_is_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text(text)
    with pytest.raises(KostraError, match=message):
        read_thesaurus(tmp_path / "t.txt")


def test_wordnet_comes_from_an_installed_package_or_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    installed: dict[str, Any] = {}

    def found(name: str) -> Any:
        if name not in installed:
            raise ImportError(name)
        return installed[name]

    monkeypatch.setattr("kostra.sampling.premises.importlib.import_module", found)
    with pytest.raises(KostraError, match='no WordNet for the language "en" is installed'):
        wordnet(["car"], "en")
    synset = types.SimpleNamespace(lemma_names=lambda: ["car", "Auto", "motor_car"])
    corpus = types.SimpleNamespace(ensure_loaded=lambda: None, synsets=lambda _: [synset])
    installed["nltk.corpus"] = types.SimpleNamespace(wordnet=corpus)
    assert wordnet(["car"], "en") == {"car": frozenset({"auto"})}
    with pytest.raises(KostraError, match='language "cs"'):
        wordnet(["auto"], "cs")
    synset_of_wn = types.SimpleNamespace(lemmas=lambda: ["vůz", "auto"])
    installed["wn"] = types.SimpleNamespace(
        lexicons=lambda lang: [lang],
        synsets=lambda word, lang: [synset_of_wn] if (word, lang) == ("auto", "cs") else [],
    )
    assert wordnet(["auto"], "cs") == {"auto": frozenset({"vůz"})}


def test_only_premises_are_paired_where_they_are_labelled() -> None:
    frame = sentences(["a b c d", "a e f g", "a h i j"]).with_columns(label=pl.Series(["premise", "premise", "other"]))
    made = premises.run(Inputs({"sentences": frame}), premises.Options(pairs=9, label="premise"), a_context())["pairs"]
    assert set(made.select("sentence_a", "sentence_b").row(0)) == {"s0", "s1"}
    with pytest.raises(KostraError, match='no sentence has the label "hypothesis"'):
        premises.run(Inputs({"sentences": frame}), premises.Options(pairs=9, label="hypothesis"), a_context())


def test_premises_that_fit_nothing_are_an_error_that_says_what_to_change() -> None:
    with pytest.raises(KostraError, match="no two of the 2 sentences fit the bounds"):
        premises.run(Inputs({"sentences": sentences(["a b", "c d"])}), premises.Options(pairs=1), a_context())


# By an existing score -----------------------------------------------------------------------------------


def scored(scores: list[float | None], texts: list[str] | None = None) -> Inputs:
    ids = [f"p{n}" for n in range(len(scores))]
    said = texts or [f"{n} b c d e" for n in range(len(scores))]
    pairs = pl.DataFrame({"pair": ids, "text_a": said, "text_b": said})
    rows = [(item, "similarity", score, 5) for item, score in zip(ids, scores, strict=True) if score is not None]
    table = pl.DataFrame(rows, schema=["item", "question", "score", "appearances"], orient="row")
    return Inputs({"pairs": check(pairs, PAIRS), "scores": check(table, SCORES)})


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 20).map(lambda n: n / 4), min_size=1, max_size=60), st.integers(1, 9), st.integers(0, 9))
def test_each_bin_gives_its_quota_or_all_it_has_and_holds_its_lower_edge(
    scores: list[float], per_bin: int, seed: int
) -> None:
    edges = (0.0, 1.0, 2.0, 3.0, 4.0, 5.0)
    options = stratified.Options(pairs=5 * per_bin, question="similarity", edges=edges, per_bin=per_bin)
    context = a_context(seed)
    made = stratified.run(scored([*scores]), options, context)["pairs"]
    assert made.equals(stratified.run(scored([*scores]), options, a_context(seed))["pairs"])
    bins = Counter(min(int(scores[int(pair[1:])]), 4) for pair in made["pair"])
    offered = Counter(min(int(score), 4) for score in scores)
    assert bins == Counter({number: min(per_bin, count) for number, count in offered.items()})
    assert (made.height < 5 * per_bin) == ("buckets gave fewer than asked" in messages(context))
    assert set(made["subset"]) == {"drawn"}


def test_pairs_without_score_of_other_length_or_outside_the_bins_are_counted() -> None:
    inputs = scored([0.5, None, 9.0, 0.7], ["a b c d e", "a b c d e", "a b c d e", "too short"])
    options = stratified.Options(pairs=2, question="similarity", edges=(0.0, 1.0), per_bin=2, min_words=5, max_words=25)
    context = a_context()
    assert stratified.run(inputs, options, context)["pairs"]["pair"].to_list() == ["p0"]
    said = messages(context)
    assert "1 of 4 pairs have no score: left out" in said
    assert "1 of 3 pairs are not of 5 to 25 words: left out" in said
    assert "1 pairs have a score outside 0 to 1: p2" in said
    assert "0 to 1 (1 of 2)" in said


def test_an_unknown_question_or_a_sum_that_is_wrong_is_refused() -> None:
    options = stratified.Options(pairs=1, question="similarly", edges=(0.0, 1.0), per_bin=1)
    with pytest.raises(KostraError, match='unknown question "similarly"'):
        stratified.run(scored([0.5]), options, a_context())
    with pytest.raises(ValueError, match="2 bins of 50 are 100 pairs, not 250"):
        stratified.Options(pairs=250, question="similarity", edges=(0.0, 1.0, 2.0), per_bin=50)


def test_the_best_score_belongs_to_the_last_bin() -> None:
    assert bin_places(np.array([4.99, 5.0, 5.01, -0.1]), [0, 1, 5]).tolist() == [1, 1, -1, -1]
