"""Pictures: the right sentences, no number over another, the same bytes for the same seed, and clear refusals."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest

from kostra import figures
from kostra.errors import KostraError
from kostra.evaluate import picture as drawing
from kostra.evaluate.outcome import Evaluation, Measure
from kostra.evaluate.picture_charts import Entry, heat_map, moves, numbered, placed
from kostra.evaluate.rewrites import rewrites_of
from kostra.picturing import picture
from kostra.recipe import About, Recipe, Score, Step, parse
from kostra.steps import Context, Inputs
from kostra.tables import SENTENCES, Frame, check

CHANGES = ("past", "future", "ban", "past", "nonsense")


def sentences(seeds: int = 3) -> Frame:
    rows: list[dict[str, str | None]] = []
    for seed in range(seeds):
        rows.append({"sentence": f"s{seed}", "text": f"Boat {seed} sails home.", "origin": None, "change": None})
        rows += [
            {"sentence": f"s{seed}r{n}", "text": f"Boat {seed} {change} {n}.", "origin": f"s{seed}", "change": change}
            for n, change in enumerate(CHANGES)
        ]
    frame = pl.DataFrame(rows, schema_overrides={"origin": pl.String, "change": pl.String})
    return check(frame.with_columns(source=pl.lit("own"), language=pl.lit("en")), SENTENCES)


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.csv"
    rows = [f"boat {n} sails,boat {n % 7} sinks,{n / 40},{'xy'[n % 2]}" for n in range(40)]
    path.write_text("\n".join(["sentence1,sentence2,score,source", *rows]) + "\n")
    return path


# What is shown -----------------------------------------------------------------------------------------


def test_a_seed_is_shown_with_one_rewrite_of_each_kind_listed_below() -> None:
    figure = drawing.set_figure(sentences(), "hashed")
    title, said = str(figure.get_label()).split("\n")
    assert title == "A seed and 4 rewrites as hashed sees them"
    assert said == (
        "1 seed: Boat 0 sails home. 2 past: Boat 0 past 0. 3 future: Boat 0 future 1. 4 ban: Boat 0 ban 2. "
        "5 nonsense: Boat 0 nonsense 4."
    )
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["PCA", "t-SNE"]
    listed = [text.get_text() for text in figure.texts]
    assert listed[:2] == ["1", "seed: Boat 0 sails home."]
    for axes in figure.axes:
        assert [text.get_text() for text in axes.texts] == ["1", "2", "3", "4", "5"]


def test_all_rewrites_are_shown_when_asked_for_and_glosses_stand_below_their_sentence() -> None:
    figure = drawing.set_figure(
        sentences(), "hashed", seed_sentence="s1", per_change=None, gloss={"s1": "A boat."}, methods=["pca"]
    )
    listed = [text.get_text() for text in figure.texts]
    assert listed[3].strip() == "(A boat.)"
    assert sum(text.isdigit() for text in listed) == 6


@pytest.mark.parametrize("said", ["s2", "Boat 2 sails home.", "boat 2"])
def test_a_seed_is_named_by_its_id_its_text_or_the_beginning_of_it(said: str) -> None:
    made = rewrites_of(sentences())
    assert made.ids[drawing.seed_row(made, said)] == "s2"


@pytest.mark.parametrize(("said", "what"), [("Boat", "3 seeds begin with"), ("Ship", "no seed is, or begins with")])
def test_a_seed_that_cannot_be_told_is_refused_with_those_that_are_there(said: str, what: str) -> None:
    with pytest.raises(KostraError, match=what) as caught:
        drawing.seed_row(rewrites_of(sentences()), said)
    assert "s0" in str(caught.value.accepted)


def test_all_seeds_of_one_kind_are_joined_with_one_rewrite_each() -> None:
    figure = drawing.type_figure(sentences(5), "hashed", change="past", methods=["pca"])
    assert str(figure.get_label()).endswith("5 seeds, each joined with a rewrite: past.")
    with pytest.raises(KostraError, match='unknown kind of rewrite "passed"'):
        drawing.type_figure(sentences(), "hashed", change="passed")


def test_kinds_of_rewrites_are_bars_with_the_most_similar_first() -> None:
    said = str(drawing.types_figure(sentences(), ["indel"], samples=50).get_label()).split("\n")[1]
    values = [float(found) for found in re.findall(r"indel ([\d.]+) \(", said)]
    assert values == sorted(values, reverse=True)
    assert len(values) == 4


def test_principal_components_keep_distances_and_their_sign() -> None:
    vectors = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])  # flat already
    flat = drawing.projected(vectors, "pca")
    apart = np.linalg.norm(vectors[:, None] - vectors[None], axis=2)
    assert np.linalg.norm(flat[:, None] - flat[None], axis=2) == pytest.approx(apart)
    assert (flat[np.abs(flat).argmax(axis=0), [0, 1]] > 0).all()


@pytest.mark.parametrize("method", drawing.METHODS)
def test_the_same_seed_gives_the_same_points(method: drawing.Method) -> None:
    vectors = np.random.default_rng(1).normal(size=(12, 5))
    first, again = (drawing.projected(vectors, method, seed=3) for _ in range(2))
    assert first.tolist() == again.tolist()
    assert np.isfinite(first).all()


def test_equal_vectors_do_not_break_a_projection() -> None:
    assert np.isfinite(drawing.projected(np.ones((5, 3)), "pca")).all()
    assert drawing.projected(np.ones((4, 1)), "pca").shape == (4, 2)


# How it is shown ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_no_number_covers_another_or_a_point(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = np.concatenate([rng.normal(110, 12, size=(14, 2)), rng.uniform(20, 200, size=(16, 2))])
    labels = [str(number) for number in range(1, 31)]
    middles = placed(points, labels, (230.0, 212.0))
    half = np.array([[2.9 * len(label), 4.6] for label in labels])
    for one in range(30):
        others = np.arange(30) != one
        covered = (np.abs(middles[one] - middles[others]) < (half[one] + half[others]) - 1e-9).all(axis=1)
        assert not covered.any()
        assert not (np.abs(middles[one] - points) < half[one] + 2.5).all(axis=1).any()
    assert ((middles > 0) & (middles < (230, 212))).all()


CHARTS: dict[str, Any] = {
    "numbered": lambda: numbered(
        {"PCA": np.array([[0.0, 0.0], [1.0, 1.0]])}, [Entry("A & B.", ""), Entry("<b>", "past", "x")], title="t"
    ),
    "one point": lambda: numbered({"PCA": np.zeros((1, 2))}, [Entry("A.", "")], title="t"),
    "moves": lambda: moves({"PCA": (np.zeros((2, 2)), np.ones((2, 2)))}, change="past", title="t"),
    "heat map": lambda: heat_map({"dice": {"a": 0.5, "b": None}, "static": {"a": 0.7}}, title="t"),
    "empty heat map": lambda: heat_map({}, title="t"),
}


@pytest.mark.parametrize("chart", CHARTS)
def test_charts_are_valid_say_what_they_show_and_have_the_same_bytes_again(chart: str) -> None:
    svg = figures.svg_of(CHARTS[chart]())
    root = ElementTree.fromstring(svg)
    assert root.get("role") == "img"
    assert root.find("{http://www.w3.org/2000/svg}desc").text  # type: ignore[union-attr]
    assert svg == figures.svg_of(CHARTS[chart]())


def test_the_highest_of_a_column_is_bold_and_what_is_missing_a_dash() -> None:
    figure = heat_map({"dice": {"a": 0.5, "b": None}, "static": {"a": 0.7}}, title="t")
    shown = {text.get_text(): text.get_fontweight() for text in figure.axes[0].texts}
    assert shown == {"0.500": "normal", "0.700": "bold", "–": "normal"}


def test_numbers_in_a_heat_map_can_be_read_on_their_ground() -> None:
    from matplotlib.colors import to_rgb

    def light(colour: Any) -> float:
        parts = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(colour)]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    axes = heat_map({f"e{n}": {"a": n / 20} for n in range(21)}, title="t").axes[0]
    for text, patch in zip(axes.texts, axes.patches, strict=True):
        bright, dark = sorted((light(text.get_color()), light(patch.get_facecolor())), reverse=True)
        assert (bright + 0.05) / (dark + 0.05) >= 4.5


def test_results_are_drawn_per_part_and_per_dataset() -> None:
    measures = (Measure("all", "cosine_spearman", 0.5, 0.4, 0.6, 9), Measure("x", "cosine_spearman", 0.3, n=5))
    made = [Evaluation(name, data, "relatedness", measures) for name in ("dice", "static") for data in ("a", "b")]
    assert "x: dice 0.30" in str(drawing.parts_figure(made[:1]).get_label())
    assert "dice: a 0.500, b 0.500" in str(drawing.heat_figure(made).get_label())
    with pytest.raises(KostraError, match="nothing has the figure"):
        drawing.parts_figure(made, metric="accuracy")


# The command -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("encoders", "options", "title"),
    [
        (["dice"], {}, "Similarity, by dice against score, by people"),
        (["dice", "hashed"], {}, "Encoders by part"),
        (["dice"], {"kind": "overlap"}, "Score against shared words (Dice)"),
        (["dice", "hashed"], {"kind": "heat"}, "Spearman correlation with people"),
    ],
)
def test_the_kind_of_picture_follows_from_what_is_given(
    pairs: Path, tmp_path: Path, encoders: list[str], options: dict[str, Any], title: str
) -> None:
    figure = picture(pairs, encoders, to=tmp_path / "p.svg", samples=20, **options)
    assert str(figure.get_label()).split("\n")[0] == title
    assert (tmp_path / "p.svg").read_bytes().startswith(b"<?xml")


@pytest.mark.parametrize("ending", figures.ENDINGS)
def test_real_rewrites_are_drawn_in_every_format(data: Path, tmp_path: Path, ending: str) -> None:
    figure = picture(data / "costra11.tsv", "hashed", to=tmp_path / f"p{ending}", methods=["pca"])
    assert "rewrites as hashed sees them" in str(figure.get_label())
    assert (tmp_path / f"p{ending}").stat().st_size > 1000


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"to": "p.gif"}, "ends in its format"),
        ({"kind": "seed"}, 'has nothing for the task "transformations"'),
        ({"kind": "map"}, 'unknown kind of picture "map"'),
        ({"kind": "predicted", "encoders": ["dice", "hashed"]}, "shows one encoder"),
        ({"encoders": []}, "a picture needs a dataset and an encoder"),
    ],
)
def test_what_cannot_be_drawn_is_refused_and_nothing_is_written(
    pairs: Path, tmp_path: Path, options: dict[str, Any], said: str
) -> None:
    chosen = {"encoders": ["dice"], "to": "p.svg", **options}
    with pytest.raises(KostraError, match=said):
        picture(pairs, **{**chosen, "to": tmp_path / str(chosen["to"])})
    assert not list(tmp_path.glob("p.*"))


# The step ----------------------------------------------------------------------------------------------


def context(project: Path) -> Context:
    about = About(name="t", title="t", protocol="t", language="cs", seed=1, citation="t")
    step = Step(name="picture", use="evaluate/picture")
    recipe = Recipe(recipe=about, score=Score(question="score", low=0.0, high=1.0), steps=(step,))
    folder = project / "folder"
    folder.mkdir()
    return Context(recipe, step, project, folder, np.random.default_rng(1), datetime(2026, 3, 1, tzinfo=UTC))


def test_the_step_draws_seeds_and_kinds_into_its_folder(tmp_path: Path) -> None:
    (tmp_path / "gloss.csv").write_text("sentence,gloss\ns0,A boat.\n")
    options = parse(
        drawing.Options,
        {"encoder": "hashed", "methods": ["pca"], "seeds": 2, "gloss": "gloss.csv", "changes": ["past"]},
        where="t",
    )
    where = context(tmp_path)
    assert drawing.plan({}, options, where).says == "draws 2 seeds and the rewrites of 1 kinds with hashed by PCA"
    assert drawing.watches(options, where) == [tmp_path / "gloss.csv"]
    assert drawing.run(Inputs({"sentences": sentences()}), options, where) == {}
    made = {path.name for path in (where.folder / drawing.FOLDER).iterdir()}
    assert made == {f"{name}.{form}" for name in ("past", "seed_1", "seed_2") for form in ("svg", "pdf", "png")}
    assert not where.findings


def test_too_few_seeds_and_lost_rewrites_are_noted(tmp_path: Path) -> None:
    lost = sentences(2).with_columns(
        origin=pl.when(pl.col("origin") == "s1").then(pl.lit("gone")).otherwise(pl.col("origin"))
    )
    options = parse(drawing.Options, {"encoder": "hashed", "methods": ["pca"], "seeds": 2}, where="t")
    where = context(tmp_path)
    drawing.run(Inputs({"sentences": lost}), options, where)
    assert [finding.kind for finding in where.findings] == ["lost", "few_seeds"]


def test_a_gloss_without_its_columns_is_refused(tmp_path: Path) -> None:
    (tmp_path / "gloss.csv").write_text("sentence,english\ns0,A boat.\n")
    with pytest.raises(KostraError, match='no column "gloss"'):
        drawing.read_gloss(tmp_path / "gloss.csv")
