"""The report: complete, honest about simulation, safe with any text, the same bytes for the same build."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from kostra import tables
from kostra.recipe import Recipe, parse
from kostra.report import html
from kostra.report.people import best_worst_agreement
from kostra.steps import Context, Inputs
from kostra.tables import Frame

VOID = {"meta", "br", "hr", "img", "input", "link"}


class Page(HTMLParser):
    """What a page consists of; a tag that is closed in the wrong order is an error."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.headings: list[int] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if re.fullmatch(r"h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.tags if name == tag]


def _recipe(**score: Any) -> Recipe:
    table = {
        "recipe": {
            "name": "small",
            "title": "Small & tidy",
            "protocol": "made for a test",
            "language": "cs",
            "seed": 1,
            "citation": "Somebody (2021), https://doi.org/10.1/1",
        },
        "score": {"question": "relatedness", "low": 0, "high": 1, **score},
        "steps": [
            {"name": "pairs", "use": "sources/files", "note": "two by two", "with": {"paths": ["x.csv"]}},
            {"name": "report", "use": "report/html", "reads": ["pairs"]},
        ],
    }
    return parse(Recipe, table, where="recipe.toml")


def _context(folder: Path, recipe: Recipe, *, simulated: bool = False) -> Context:
    manifest = {"rows": {"pairs": 4}, "findings": ["pairs: 2 of 6 dropped <b>"], "simulated": simulated, "outputs": {}}
    return Context(
        recipe=recipe,
        step=recipe.step("report"),
        project=folder,
        folder=folder,
        rng=np.random.default_rng(1),
        now=datetime(2026, 1, 1, tzinfo=UTC),
        history={"pairs": manifest},
    )


def _pairs(texts: Mapping[str, tuple[str, str]]) -> Frame:
    rows = [
        {"pair": pair, "text_a": first, "text_b": second, "source": "news", "subset": "random"}
        for pair, (first, second) in texts.items()
    ]
    return tables.check(pl.DataFrame(rows, schema_overrides={"pair": pl.String}), tables.PAIRS)


def _scores(values: Mapping[str, float], *, error: float | None = 0.1) -> Frame:
    schema = {name: tables.SCORES.dtypes[name] for name in tables.SCORES.dtypes}
    rows = [
        {"item": item, "question": "relatedness", "score": value, "appearances": 4, "standard_error": error}
        for item, value in values.items()
    ]
    return tables.check(pl.DataFrame(rows, schema=schema), tables.SCORES)


def _judgments(rows: Sequence[tuple[str | None, str, str, str]]) -> Frame:
    """From (annotator, item, question, value)."""
    made = [
        {
            "judgment": f"j{number}", "item": item, "version": 1, "question": question, "annotator": annotator,
            "value": value, "status": "answered", "phase": "main", "block": "main", "seconds": 5.0 + number,
        }
        for number, (annotator, item, question, value) in enumerate(rows)
    ]  # fmt: skip
    kinds = {name: kind for name, kind in tables.JUDGMENTS.dtypes.items() if name in made[0]}
    return tables.check(pl.DataFrame(made, schema=kinds), tables.JUDGMENTS)


TEXTS = {
    "p1": ("Příliš žluťoučký kůň.", "Kůň úpěl ďábelské ódy."),
    "p2": ("مرحبا بالعالم", "أهلا وسهلا"),
    "p3": ('<script>alert("x")</script>', "a < b & c"),
    "p4": ("One.", "Two."),
}
SCORES = {"p1": 0.9, "p2": 0.6, "p3": 0.4, "p4": 0.1}
ANNOTATORS = pl.DataFrame(
    {"annotator": ["ann", "bob", "cy", "dan"], "kind": ["person"] * 4, "role": [None] * 4, "note": [None] * 4},
    schema=tables.ANNOTATORS.dtypes,
)


def _best_worst() -> Frame:
    right = [(name, "t1", question, value) for name in ("ann", "bob") for question, value in
             (("best", "p1"), ("worst", "p4"))]  # fmt: skip
    return _judgments([*right, ("cy", "t1", "best", "p4"), ("cy", "t1", "worst", "p1")])


def _written(folder: Path, given: Mapping[str, Frame], recipe: Recipe | None = None, **context: Any) -> str:
    made = _context(folder, recipe or _recipe(), **context)
    assert html.run(Inputs(given), html.Options(), made) == {}
    return (folder / "report.html").read_text(encoding="utf-8")


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
        "pairs": _pairs(TEXTS),
        "scores": _scores(SCORES),
        "judgments": _best_worst(),
        "annotators": ANNOTATORS,
        "statistics": statistics,
        "results": results,
    }


@pytest.fixture(scope="module")
def whole(everything: dict[str, Frame], tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page with everything on it."""
    return _written(tmp_path_factory.mktemp("whole"), everything)


def test_page_is_well_formed_with_headings_in_order(whole: str) -> None:
    page = Page(whole)
    assert page.headings[0] == 1
    assert page.headings.count(1) == 1
    assert all(after - before <= 1 for before, after in zip(page.headings, page.headings[1:], strict=False))
    assert len(page.all("table")) == len(page.all("caption")) == 3
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
    assert "correlate at 0.81 (Spearman)" in text
    assert "−0.26 (−0.50 to 0.10)" in text


def test_undefined_values_are_said_in_words(whole: str) -> None:
    text = Page(whole).text
    assert "Odd undefined 0 undefined: too few" in text
    assert "None" not in text
    assert "nan" not in text.lower().split()


def test_steps_stand_with_note_rows_and_findings(whole: str) -> None:
    text = Page(whole).text
    assert "two by two" in text
    assert 'paths = ["x.csv"]' in text
    assert "Writes 4 pairs. 2 of 6 dropped <b>" in text
    assert "Reads 4 pairs (pairs). Writes this page." in text


@pytest.mark.parametrize("simulated", [True, False])
def test_simulated_annotators_are_announced_and_people_are_not(
    tmp_path: Path, everything: dict[str, Frame], simulated: bool
) -> None:
    given = {kind: frame for kind, frame in everything.items() if kind != "annotators"}
    text = Page(_written(tmp_path, given, simulated=simulated)).text
    assert ("The annotators were simulated." in text) is simulated
    assert ("test the plumbing, not the encoders" in text) is simulated


def test_a_mixture_of_people_and_simulated_annotators_is_announced(
    tmp_path: Path, everything: dict[str, Frame]
) -> None:
    kinds = pl.Series("kind", ["person", "person", "person", "simulated"])
    given = everything | {"annotators": ANNOTATORS.with_columns(kinds)}
    text = Page(_written(tmp_path, given, simulated=True)).text
    assert "Some of the annotators were simulated." in text
    assert "No person gave" not in text


def test_the_same_inputs_give_the_same_bytes(tmp_path: Path, everything: dict[str, Frame]) -> None:
    texts: list[str] = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        shuffled = {kind: frame.sample(fraction=1, shuffle=True, seed=len(texts)) for kind, frame in everything.items()
                    if kind in ("pairs", "scores", "judgments")}  # fmt: skip
        texts.append(_written(tmp_path / name, everything | shuffled))
    assert texts[0] == texts[1]


def test_a_careless_annotator_stands_first_in_the_table(whole: str) -> None:
    text = Page(whole).text
    assert text.index("cy 0%") < text.index("ann 50%")
    assert "1 of those who were asked gave no answer." in text


def test_agreement_counts_only_the_others_and_a_lone_annotator_has_none() -> None:
    alone = _judgments([("ann", "t", "best", "p1"), ("ann", "t", "worst", "p2")])
    scored = pl.DataFrame({"pair": ["p1", "p2"], "appearances": [1, 1]})
    assert best_worst_agreement(alone, scored).rows() == [("ann", None, 1)]


def test_ratings_need_no_tuples_and_labelled_points_are_the_levels(tmp_path: Path) -> None:
    texts = {f"p{number}": (f"First {number}.", f"Second {number}.") for number in range(12)}
    ratings = [(name, pair, "relatedness", str(number % 3 if name != "cy" else (number * 7 + number // 3) % 3))
               for name in ("ann", "bob", "cy") for number, pair in enumerate(texts)]  # fmt: skip
    given = {
        "pairs": _pairs(texts),
        "scores": _scores({pair: number % 3 for number, pair in enumerate(texts)}),
        "judgments": _judgments(ratings),
    }
    recipe = _recipe(high=2, labels=["nothing", "some", "all"])
    page = Page(_written(tmp_path, given, recipe))
    assert "The scores rest on 36 answers by 3 annotators" in page.text
    assert "Pearson correlation of an annotator's ratings" in page.text
    assert page.text.index("2: all") < page.text.index("1: some") < page.text.index("0: nothing")
    assert "tuple" not in page.text


def test_only_pairs_and_scores_are_needed(tmp_path: Path, everything: dict[str, Frame]) -> None:
    page = Page(_written(tmp_path, {kind: everything[kind] for kind in ("pairs", "scores")}))
    assert "No reliability was measured" in page.text
    assert "nothing can be said about single annotators" in page.text
    assert "No encoder was evaluated" in page.text


@pytest.mark.parametrize("error", [None, 0.0])
def test_one_pair_and_one_answer_are_enough(tmp_path: Path, error: float | None) -> None:
    given = {
        "pairs": _pairs({"p": ("A.", "B.")}),
        "scores": _scores({"p": 0.5}, error=error),
        "judgments": _judgments([("ann", "p", "relatedness", "0.5")]),
    }
    page = Page(_written(tmp_path, given))
    assert "1 pair of sentences has a score" in page.text
    assert "disagreements" not in [section["id"] for section in page.all("section")]


def test_pairs_without_any_score_make_a_page_that_says_so(tmp_path: Path) -> None:
    page = Page(_written(tmp_path, {"pairs": _pairs(TEXTS), "scores": _scores({})}))
    assert "None of 4 pairs has a score for relatedness yet." in page.text
    assert "No pair has a score yet." in page.text


def test_anonymous_answers_are_counted_and_belong_to_nobody(tmp_path: Path, everything: dict[str, Frame]) -> None:
    anonymous = everything["judgments"].with_columns(annotator=pl.lit(None, pl.String))
    given = {"pairs": everything["pairs"], "scores": everything["scores"], "judgments": anonymous}
    text = Page(_written(tmp_path, given)).text
    assert "annotators whose names are not known" in text
    assert "3 answers carry no annotator's name" in text


def test_what_has_no_place_on_the_page_is_counted_and_noted(tmp_path: Path) -> None:
    recipe = _recipe()
    context = _context(tmp_path, recipe)
    scores = pl.concat([_scores({"p1": 0.5, "stranger": 0.1}), _scores({"p1": 1.0}).with_columns(question=pl.lit("x"))])
    html.run(Inputs({"pairs": _pairs(TEXTS), "scores": scores}), html.Options(), context)
    said = [
        "3 pairs without a score",
        "1 score for items that are not among the pairs read here",
        '1 score for the question "x", which this page does not show',
    ]
    assert [finding.message for finding in context.findings] == said
    assert f"Not on this page: {'; '.join(said)}." in Page((tmp_path / "report.html").read_text("utf-8")).text


def test_a_title_may_be_chosen(tmp_path: Path, everything: dict[str, Frame]) -> None:
    html.run(Inputs(everything), html.Options(title="Mine <3"), _context(tmp_path, _recipe()))
    assert "<title>Mine &lt;3</title>" in (tmp_path / "report.html").read_text("utf-8")


def test_plan_says_what_is_written(tmp_path: Path) -> None:
    plan = html.plan({"pairs": 1200}, html.Options(), _context(tmp_path, _recipe()))
    assert plan.says == "writes report.html about 1,200 pairs"


def test_examples_never_show_a_pair_twice(tmp_path: Path) -> None:
    from kostra.report.material import gather
    from kostra.report.sections import levels

    for count in (1, 3, 5, 7, 16, 100):
        texts = {f"p{number}": ("A.", "B.") for number in range(count)}
        scores = _scores(dict.fromkeys(texts, 0.5))
        material = gather(Inputs({"pairs": _pairs(texts), "scores": scores}), _context(tmp_path, _recipe()))
        shown = [pair.pair for level in levels(material) for pair in level.pairs]
        assert len(shown) == len(set(shown)) == min(count, 15 if count >= 15 else 5 * max(1, count // 5))
