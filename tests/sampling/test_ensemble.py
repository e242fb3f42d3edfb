"""CDSC's ensemble: for every image ten pairs of the described kinds and their reverses, or a refusal that counts."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kostra import registry
from kostra.errors import KostraError
from kostra.recipe import About, Recipe, Score, Step, parse, read_recipe
from kostra.sampling import ensemble
from kostra.sampling.arrangement import CDSC_KINDS, Image, Kind, TooFewSentencesError, ensemble_pairs
from kostra.sampling.ensemble import Options
from kostra.steps import Context, Inputs
from kostra.tables import SENTENCES, Frame, check

SAMPLE = Path(registry.__file__).parent / "sources" / "samples" / "pl" / "captions.csv"
RECIPE = Path(registry.__file__).parent / "recipes" / "cdsc.toml"
KINDS = [str(kind) for kind in CDSC_KINDS]


def a_context(seed: int = 1) -> Context:
    step = Step(name="pairs", use="sampling/ensemble")
    about = About(name="try", title="Try", protocol="none", language="pl", seed=1, citation="Nobody, 2026.")
    recipe = Recipe(recipe=about, score=Score(question="relatedness", low=0.0, high=5.0), steps=(step,))
    here = Path("nowhere")
    rng = np.random.default_rng(seed)
    return Context(recipe=recipe, step=step, project=here, folder=here, rng=rng, now=datetime(2026, 1, 1, tzinfo=UTC))


def messages(context: Context) -> str:
    return "\n".join(finding.message for finding in context.findings)


Themes = list[list[tuple[int, int]]]
"""For each theme its images; for each image how many sentences were made from the captions by a and by b."""


def corpus(themes: Themes) -> Frame:
    rows: list[dict[str, Any]] = []
    for theme, images in enumerate(themes):
        for number, counts in enumerate(images):
            image = f"i{theme}-{number}"
            for author, made in zip("ab", counts, strict=True):
                caption = f"{image}-{author}"
                rows.append({"sentence": caption, "document": image, "group": f"theme{theme}", "label": author})
                rows += [{"sentence": f"{caption}-{n}", "origin": caption, "change": "negation"} for n in range(made)]
    frame = pl.DataFrame(rows, infer_schema_length=None).with_columns(
        text=pl.concat_str(pl.lit("Text of "), pl.col("sentence")), source=pl.lit("captions"), language=pl.lit("pl")
    )
    return check(frame, SENTENCES)


def run(frame: Frame, context: Context | None = None, **options: Any) -> Frame:
    return ensemble.run(Inputs({"sentences": frame}), Options(**options), context or a_context())["pairs"]


def is_of_kind(kind: str, row: dict[str, Any], about: dict[str, dict[str, Any]]) -> bool:
    """Whether a pair is what the paper's list says, told from the table of sentences alone."""
    first, second = about[row["sentence_a"]], about[row["sentence_b"]]
    origin = about[second["origin"]] if second["origin"] else second
    made = second["origin"] is not None
    if first["origin"] is not None or first["label"] != kind[0]:
        return False
    same_image = origin["document"] == first["document"]
    same_theme = origin["group"] == first["group"]
    expected = {
        "a b": not made and same_image and origin["label"] == "b",
        "a t(a)": made and same_image and origin["label"] == "a",
        "b t(b)": made and same_image and origin["label"] == "b",
        "a t(b)": made and same_image and origin["label"] == "b",
        "b t(a)": made and same_image and origin["label"] == "a",
        "a t(a') of the same theme": made and not same_image and same_theme and origin["label"] == "a",
        "b t(b') of the same theme": made and not same_image and same_theme and origin["label"] == "b",
        "a a' of another theme": not made and not same_theme and origin["label"] == "a",
        "b b' of another theme": not made and not same_theme and origin["label"] == "b",
        "a t(a), another": made and same_image and origin["label"] == "a",
        "b t(b), another": made and same_image and origin["label"] == "b",
    }
    return expected[kind]


image_counts = st.tuples(st.integers(1, 4), st.integers(1, 4))
corpora = st.lists(st.lists(image_counts, min_size=2, max_size=5), min_size=2, max_size=4)


@settings(max_examples=60, deadline=None)
@given(corpora, st.integers(0, 99))
def test_every_image_gets_ten_pairs_of_the_described_kinds_and_their_reverses(themes: Themes, seed: int) -> None:
    frame = corpus(themes)
    complete = [counts for images in themes for counts in images if max(counts) > 1]
    assume(complete)
    context = a_context(seed)
    made = run(frame, context)
    assert made.equals(run(frame, a_context(seed)))
    about = {row["sentence"]: row for row in frame.iter_rows(named=True)}
    one_way, back = made[: made.height // 2], made[made.height // 2 :]
    assert one_way.height == back.height == 10 * len(complete)

    by_image: dict[str, list[dict[str, Any]]] = {}
    for row in one_way.iter_rows(named=True):
        assert is_of_kind(row["subset"], row, about)
        by_image.setdefault(about[row["sentence_a"]]["document"], []).append(row)
    assert len(by_image) == len(complete)
    for rows in by_image.values():
        assert [row["subset"] for row in rows[:9]] == KINDS[:9]
        assert rows[9]["subset"] in ("a t(a), another", "b t(b), another")
        assert rows[9]["sentence_b"] not in {rows[1]["sentence_b"], rows[2]["sentence_b"]}

    assert len({frozenset((row["sentence_a"], row["sentence_b"])) for row in one_way.iter_rows(named=True)}) == len(
        one_way
    )
    assert made["pair"].n_unique() == made.height
    swapped = {(row["pair"], row["reverse"]): (row["text_a"], row["text_b"]) for row in made.iter_rows(named=True)}
    for (pair, reverse), (a, b) in swapped.items():
        assert swapped[reverse, pair] == (b, a)


def test_point_ten_goes_to_the_authors_in_turn() -> None:
    made = run(corpus([[(2, 2)] * 5, [(2, 2)] * 4]), reverses=False)
    last = [subset for subset in made["subset"] if "another" in subset and "theme" not in subset]
    assert last == ["a t(a), another", "b t(b), another"] * 4 + ["a t(a), another"]


def test_an_image_that_only_one_author_can_serve_goes_to_that_author_and_the_others_make_up_for_it() -> None:
    made = run(corpus([[(1, 2), (1, 2), (2, 2)], [(2, 2)] * 3]), reverses=False)
    last = Counter(subset for subset in made["subset"] if "another" in subset and "theme" not in subset)
    assert last == {"a t(a), another": 3, "b t(b), another": 3}


def test_an_image_without_enough_sentences_is_left_out_and_told_or_refused() -> None:
    frame = corpus([[(2, 2), (2, 2), (0, 2), (1, 1)], [(2, 2), (2, 2)]])
    context = a_context()
    made = run(frame, context)
    assert made.height == 2 * 10 * 4
    said = messages(context)
    assert "2 of 6 images lack sentences of their own and are left out" in said
    assert "i0-2 lacks 1 sentences made from the caption by a (it has 0)" in said
    assert "i0-3 lacks 2 sentences made from the caption by a (it has 1)" in said
    assert "4 images × 10 kinds = 40 pairs, with the reverse of each 80" in said
    with pytest.raises(KostraError, match=r'step "pairs": 2 of 6 images lack sentences of their own: i0-2 lacks'):
        run(frame, incomplete="refuse")


@pytest.mark.parametrize(
    ("themes", "message"),
    [
        (
            [[(2, 2)], [(2, 2), (2, 2)]],
            r'needs sentences of at least 2 images of a theme: .*"theme0" \(1 image, 1 with',
        ),
        ([[(2, 2), (0, 2)], [(2, 2)] * 2], r'"theme0" \(2 images, 1 with such sentences\)'),
        ([[(2, 2)] * 3], 'all 3 images have one theme, and a pair "a a\' of another theme" needs two'),
    ],
)
def test_a_theme_with_too_few_sentences_is_refused_with_the_arithmetic(themes: Themes, message: str) -> None:
    with pytest.raises(KostraError, match=message) as caught:
        run(corpus(themes))
    assert caught.value.where == 'step "pairs"'
    assert caught.value.remedy


def test_two_themes_of_two_images_are_just_enough() -> None:
    # Four images want four different pairs across themes, and there are 2 · 2 = 4: drawing alone often gets stuck.
    for seed in range(30):
        assert run(corpus([[(2, 2)] * 2, [(2, 2)] * 2]), a_context(seed), reverses=False).height == 40


def test_what_matching_cannot_find_is_not_there() -> None:
    # One theme of one image and one of two: three images want a pair across themes, and there are 1 · 2 = 2.
    images = [Image(f"i{n}", theme, {"a": n}, {}) for n, theme in enumerate(["x", "y", "y"])]
    far = [Kind(first="a", second="a'", theme="other")]
    with pytest.raises(TooFewSentencesError, match=r"3 images want a pair .* each, and 2 different can be made"):
        ensemble_pairs(images, kinds=far, rng=np.random.default_rng(1))


def test_where_nothing_was_transformed_yet_the_error_says_what_is_missing() -> None:
    with pytest.raises(
        KostraError, match="no sentence was made from a caption, and 7 of 10 kinds of pairs need"
    ) as caught:
        run(corpus([[(0, 0)] * 2] * 2))
    assert "origin" in str(caught.value.accepted)
    assert "transforms/rules" in str(caught.value.remedy)


def test_what_cannot_be_used_is_counted() -> None:
    frame = corpus([[(2, 2)] * 2, [(2, 2)] * 2])
    extra = frame[:1].with_columns(sentence=pl.lit("lost"), origin=pl.lit("nobody"))
    same = frame[:1].with_columns(sentence=pl.lit("same"), origin=pl.col("sentence"))
    nameless = frame[:1].with_columns(sentence=pl.lit("nameless"), document=pl.lit(None, dtype=pl.String))
    twice = frame[:1].with_columns(sentence=pl.lit("twice"))
    context = a_context()
    run(pl.concat([frame, extra, same, nameless]), context)
    said = messages(context)
    assert "1 transformed sentences name an unknown caption as origin: lost" in said
    assert "1 transformed sentences equal their caption: same" in said
    assert "1 captions name no image, theme or author" in said
    with pytest.raises(KostraError, match="needs sentences of at least 2 images"):
        run(pl.concat([frame, twice]))  # the image has two captions by a, and its theme is left with one


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ({"first": "a", "second": "a"}, "not paired with itself"),
        ({"first": "a", "second": "t(a"}, "known are forms such as"),
        ({"first": "a", "second": "a'"}, "a prime and a theme come together"),
        ({"first": "a", "second": "t(a)", "theme": "same"}, "a prime and a theme come together"),
        ({"first": "a", "second": "b", "every_second_image": "c"}, "changes one author"),
    ],
)
def test_kinds_that_make_no_sense_are_refused(kind: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Kind(**kind)


def test_the_recipe_asks_for_the_papers_ten_kinds() -> None:
    options = parse(Options, read_recipe(RECIPE).step("pairs").options, where="cdsc.toml")
    assert options.kinds == CDSC_KINDS
    assert options.reverses


def test_the_sample_captions_make_ten_pairs_per_image_once_they_are_transformed() -> None:
    captions = pl.read_csv(SAMPLE, infer_schema=False).with_columns(
        source=pl.lit("captions"), language=pl.lit("pl"), position=pl.lit(None, dtype=pl.Int64)
    )
    original = check(captions, SENTENCES)
    made = [
        original.with_columns(
            sentence=pl.col("sentence") + f"-{n}", text=pl.col("text") + f" ({n})", origin=pl.col("sentence"),
            change=pl.lit("negation"), document=pl.lit(None, dtype=pl.String), group=pl.lit(None, dtype=pl.String),
        )
        for n in (1, 2)
    ]  # fmt: skip
    context = a_context()
    pairs = run(pl.concat([original, *made]), context)
    images = original["document"].n_unique()
    assert pairs.height == 20 * images
    assert "85 images × 10 kinds = 850 pairs, with the reverse of each 1,700" in messages(context)
