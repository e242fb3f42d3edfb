"""The page: complete, honest about simulation, safe with any text, the same bytes for the same build."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from unicodedata import normalize

import polars as pl
import pytest
from tests.report.reports import (
    ANNOTATORS,
    SCORES,
    TEXTS,
    TUPLES,
    Page,
    best_worst,
    context,
    judgments,
    pairs,
    recipe,
    scores,
    written,
)

from kostra import tables
from kostra.report import html
from kostra.report.blocks import Pairs
from kostra.report.material import gather
from kostra.report.scores import examples
from kostra.steps import Inputs
from kostra.tables import Frame


@pytest.fixture(scope="module")
def everything() -> dict[str, Frame]:
    statistics = pl.DataFrame(
        [("split_half_spearman", "relatedness", 0.8125, None, None, 4, "mean of 9 splits"),
         ("odd", "relatedness", None, None, None, 0, "undefined: too few")],
        schema=tables.STATISTICS.dtypes, orient="row",
    )  # fmt: skip
    results = pl.DataFrame(
        [("dice", "all", "cosine_spearman", 0.5, 0.4, 0.6, 4, None),
         ("static", "all", "cosine_spearman", -0.256, -0.5, 0.1, 4, None),
         ("dice", "news", "cosine_spearman", None, None, None, 2, "undefined: too few pairs")],
        schema=tables.RESULTS.dtypes, orient="row",
    )  # fmt: skip
    return {
        "pairs": pairs(TEXTS),
        "scores": scores(SCORES),
        "judgments": best_worst(),
        "tuples": TUPLES,
        "annotators": ANNOTATORS,
        "statistics": statistics,
        "results": results,
    }


@pytest.fixture(scope="module")
def whole(everything: dict[str, Frame], tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page with everything on it."""
    return written(tmp_path_factory.mktemp("whole"), everything)


def test_page_is_well_formed_with_headings_in_order(whole: str) -> None:
    page = Page(whole)
    assert page.headings[0] == 1
    assert page.headings.count(1) == 1
    assert all(after - before <= 1 for before, after in zip(page.headings, page.headings[1:], strict=False))
    assert len(page.all("table")) == len(page.all("caption")) > 5
    assert all(cell.get("scope") in ("col", "row", "rowgroup") for cell in page.all("th"))


def test_contents_list_leads_to_every_section_and_ids_stand_once(whole: str) -> None:
    page = Page(whole)
    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    assert [f"#{section['id']}" for section in page.all("section")] == [link["href"] for link in page.all("a")]


def test_page_needs_nothing_from_outside(whole: str) -> None:
    text = whole
    page = Page(text)
    links = [value for _, attrs in page.tags for name, value in attrs.items() if name.endswith(("src", "href"))]
    assert links
    assert all((link or "").startswith("#") for link in links)
    assert not {"script", "link", "iframe", "img", "image"} & {tag for tag, _ in page.tags}
    assert "@import" not in text
    assert not re.search(r"url\((?!#)", text)


def test_texts_of_items_are_escaped_and_carry_language_and_direction(whole: str) -> None:
    text = whole
    assert "<script" not in text
    assert "&lt;script&gt;alert(&#34;x&#34;)&lt;/script&gt;" in text
    assert '<p lang="cs" dir="auto">مرحبا بالعالم</p>' in text
    assert "Příliš žluťoučký kůň." in text


def test_key_numbers_and_reliability_stand_in_the_summary(whole: str) -> None:
    text = Page(whole).text
    assert "4 pairs of sentences have a score for relatedness, on a scale from 0 to 1." in text
    assert "The scores rest on 3 answers to 1 tuple by 3 of 4 annotators; each pair was judged 4 times." in text
    assert "Scores run from 0.10 to 0.90 with a mean of 0.50; the standard error is 0.10 at the median." in text
    assert "Reliability is 0.81 (" in text
    assert "−0.26 (−0.50 to 0.10)" in text


def test_undefined_values_are_said_in_words(whole: str) -> None:
    text = Page(whole).text
    assert "Odd undefined 0 undefined: too few" in text
    assert "None" not in text
    assert "nan" not in text.lower().split()


def test_steps_stand_with_note_options_and_in_the_flow_with_rows_and_findings(whole: str) -> None:
    text = Page(whole).text
    assert "two by two" in text
    assert 'paths = ["x.csv"]' in text
    assert "pairs 4 pairs 2 of 6 dropped <b>" in text


@pytest.mark.parametrize("simulated", [True, False])
def test_simulated_annotators_are_announced_and_people_are_not(
    tmp_path: Path, everything: dict[str, Frame], simulated: bool
) -> None:
    given = {kind: frame for kind, frame in everything.items() if kind != "annotators"}
    text = Page(written(tmp_path, given, simulated=simulated)).text
    assert ("The annotators were simulated." in text) is simulated
    assert ("test the plumbing, not the encoders" in text) is simulated


def test_a_mixture_of_people_and_simulated_annotators_is_announced(
    tmp_path: Path, everything: dict[str, Frame]
) -> None:
    kinds = pl.Series("kind", ["person", "person", "person", "simulated"])
    given = everything | {"annotators": ANNOTATORS.with_columns(kinds)}
    text = Page(written(tmp_path, given, simulated=True)).text
    assert "Some of the annotators were simulated." in text
    assert "No person gave" not in text


def test_the_same_inputs_give_the_same_bytes(tmp_path: Path, everything: dict[str, Frame]) -> None:
    texts: list[str] = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        shuffled = {kind: frame.sample(fraction=1, shuffle=True, seed=len(texts)) for kind, frame in everything.items()
                    if kind in ("pairs", "scores", "judgments")}  # fmt: skip
        texts.append(written(tmp_path / name, everything | shuffled))
    assert texts[0] == texts[1]


def test_those_whom_the_others_contradict_stand_first_in_the_table(whole: str) -> None:
    text = Page(whole).text
    assert text.index("cy 0% 2") < text.index("ann 50% 2") < text.index("bob 50% 2")
    assert "1 of those who were asked gave no answer." in text


def test_ratings_need_no_tuples_and_labelled_points_are_the_levels(tmp_path: Path) -> None:
    texts = {f"p{number}": (f"First {number}.", f"Second {number}.") for number in range(12)}
    ratings = [(name, pair, "relatedness", str(number % 3 if name != "cy" else (number * 7 + number // 3) % 3))
               for name in ("ann", "bob", "cy") for number, pair in enumerate(texts)]  # fmt: skip
    given = {
        "pairs": pairs(texts),
        "scores": scores({pair: number % 3 for number, pair in enumerate(texts)}),
        "judgments": judgments(ratings),
    }
    of_three = recipe(high=2, labels=["nothing", "some", "all"])
    page = Page(written(tmp_path, given, of_three))
    assert "The scores rest on 36 answers by 3 annotators" in page.text
    assert "Pearson correlation of an annotator's ratings" in page.text
    assert page.text.index("2: all") < page.text.index("1: some") < page.text.index("0: nothing")
    assert "tuple" not in page.text


def test_only_pairs_and_scores_are_needed(tmp_path: Path, everything: dict[str, Frame]) -> None:
    page = Page(written(tmp_path, {kind: everything[kind] for kind in ("pairs", "scores")}))
    assert "No agreement was measured" in page.text
    assert "nothing to say about people" in page.text
    assert "No encoder was evaluated" in page.text


@pytest.mark.parametrize("error", [None, 0.0])
def test_one_pair_and_one_answer_are_enough(tmp_path: Path, error: float | None) -> None:
    given = {
        "pairs": pairs({"p": ("A.", "B.")}),
        "scores": scores({"p": 0.5}, error=error),
        "judgments": judgments([("ann", "p", "relatedness", "0.5")]),
    }
    page = Page(written(tmp_path, given))
    assert "1 pair of sentences has a score" in page.text
    assert "disagreements" not in [section["id"] for section in page.all("section")]


def test_pairs_without_any_score_make_a_page_that_says_so(tmp_path: Path) -> None:
    page = Page(written(tmp_path, {"pairs": pairs(TEXTS), "scores": scores({})}))
    assert "None of 4 pairs has a score for relatedness yet." in page.text
    assert "No pair has a score yet." in page.text


def test_anonymous_answers_are_counted_and_belong_to_nobody(tmp_path: Path, everything: dict[str, Frame]) -> None:
    anonymous = everything["judgments"].with_columns(annotator=pl.lit(None, pl.String))
    given = {"pairs": everything["pairs"], "scores": everything["scores"], "judgments": anonymous}
    text = Page(written(tmp_path, given)).text
    assert "annotators whose names are not known" in text
    assert "6 answers carry no annotator's name" in text


def test_what_has_no_place_on_the_page_is_counted_and_noted(tmp_path: Path) -> None:
    made = context(tmp_path, recipe())
    made.folder.mkdir()
    given = pl.concat([scores({"p1": 0.5, "stranger": 0.1}), scores({"p1": 1.0}).with_columns(question=pl.lit("x"))])
    html.run(Inputs({"pairs": pairs(TEXTS), "scores": given}), html.Options(), made)
    said = ["3 pairs without a score", "1 score for items that are not among the pairs read here"]
    assert [finding.message for finding in made.findings] == said
    text = Page((made.folder / "report.html").read_text("utf-8")).text
    assert f"Not on this page: {'; '.join(said)}." in text
    assert "Scores for other questions. Question Items Mean" in text


def test_a_title_may_be_chosen(tmp_path: Path, everything: dict[str, Frame]) -> None:
    made = context(tmp_path, recipe())
    made.folder.mkdir()
    html.run(Inputs(everything), html.Options(title="Mine <3"), made)
    assert "<title>Mine &lt;3</title>" in (made.folder / "report.html").read_text("utf-8")


def test_plan_says_what_is_written(tmp_path: Path) -> None:
    plan = html.plan({"pairs": 1200}, html.Options(), context(tmp_path, recipe()))
    assert plan.says == "writes report.html about 1,200 pairs, its figures and tables"


def test_examples_never_show_a_pair_twice(tmp_path: Path) -> None:
    for count in (1, 3, 5, 7, 16, 100):
        texts = {f"p{number}": ("A.", "B.") for number in range(count)}
        given = {"pairs": pairs(texts), "scores": scores(dict.fromkeys(texts, 0.5))}
        found = examples(gather(Inputs(given), context(tmp_path, recipe())))
        assert found is not None
        shown = [pair.pair for block in found.blocks if isinstance(block, Pairs) for pair in block.pairs]
        assert len(shown) == len(set(shown)) == min(count, 15 if count >= 15 else 5 * max(1, count // 5))


AWKWARD = {
    "markup": ("<b>bold</b> & <script>alert(1)</script>", "</style><img src=x onerror=alert(2)>"),
    "rtl": ("שלום עולם (1)", "مرحبا 2%"),
    "emoji": ("👩‍👩‍👧 and 🇨🇿", "e\u0301 ﬁ \u200b"),
    "latex": (r"50% of \alpha_1 & {x} $5 #1 ~^", r"\input{/etc/passwd} \\"),
    "long": ("word " * 400 + "end", "x" * 3000),
}


def test_awkward_texts_stand_as_they_are_and_nothing_else_breaks(tmp_path: Path) -> None:
    given = {
        "pairs": pairs(AWKWARD).with_columns(subset=pl.col("pair")),
        "scores": scores({pair: place / 5 for place, pair in enumerate(AWKWARD)}),
    }
    text = written(tmp_path, given)
    page = Page(text)
    assert not {"script", "img", "b"} & {tag for tag, _ in page.tags if tag != "b"}
    assert text.count("</style>") == 1
    for pair in AWKWARD.values():
        for sentence in pair:
            assert " ".join(normalize("NFC", sentence).split()) in page.text


@pytest.mark.parametrize("width", [1280, 360])
def test_page_fits_its_window_whatever_texts_hold(
    tmp_path: Path, browser: Any, everything: Mapping[str, Frame], width: int
) -> None:
    awkward = {"pairs": pairs(AWKWARD), "scores": scores(dict.fromkeys(AWKWARD, 0.5))}
    for name, given in {"awkward": awkward, "whole": everything}.items():
        written(tmp_path / name, given)
        tab = browser.new_page(viewport={"width": width, "height": 800})
        tab.goto((tmp_path / name / "report" / "report.html").as_uri())
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        tab.close()


def test_all_scores_equal_and_one_annotator_make_a_page(tmp_path: Path) -> None:
    texts = {f"p{number}": (f"First {number}.", f"Second {number}.") for number in range(30)}
    given = {
        "pairs": pairs(texts),
        "scores": scores(dict.fromkeys(texts, 1.0), error=0.0),
        "judgments": judgments([("ann", pair, "relatedness", "1") for pair in texts]),
    }
    page = Page(written(tmp_path, given))
    assert "Scores run from 1.00 to 1.00" in page.text
    assert "Fill the gaps of the scale" in page.text
    assert "Find out how many answers are enough" in page.text


def test_nothing_at_all_makes_a_page_that_says_so(tmp_path: Path) -> None:
    page = Page(written(tmp_path, {}))
    assert "There is nothing to score for relatedness yet." in page.text
    assert "Ask people" in page.text


def test_sentences_without_scores_make_a_page(tmp_path: Path) -> None:
    rows = {"sentence": ["s1", "s2"], "text": ["One.", "Two."], "source": ["x"] * 2, "language": ["cs"] * 2}
    given = {"sentences": tables.check(pl.DataFrame(rows), tables.SENTENCES)}
    assert "2 sentences are here, and no scores for relatedness yet." in Page(written(tmp_path, given)).text
