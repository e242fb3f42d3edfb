"""Dawid–Skene and MACE. Most of it runs only where the extra ``crowd`` is installed."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import polars as pl
import pytest

from kostra.errors import KostraError
from kostra.ratings import Ratings, ratings_from
from kostra.scoring import dawid_skene, mace
from kostra.scoring.dawid_skene import CrowdLabels, crowd_scores, crowd_table, dawid_skene_labels
from kostra.scoring.mace import mace_labels
from kostra.scoring.majority import majority_labels
from kostra.steps import Inputs

from .test_ratings_scores import context_of, judged

needs_crowd_kit = pytest.mark.skipif(find_spec("crowdkit") is None, reason="crowd-kit is not installed (extra crowd)")


def said(**answers: str) -> Ratings:
    """One letter per item, by annotator; a blank is no answer."""
    rows = [(f"i{n}", v, who) for who, values in answers.items() for n, v in enumerate(values) if v != " "]
    return ratings_from([r[0] for r in rows], [r[1] for r in rows], [r[2] for r in rows])


def fit(module: ModuleType, ratings: Ratings) -> CrowdLabels:
    if module is mace:
        return mace_labels(ratings, rng=np.random.default_rng(1), iterations=20, restarts=1)
    return dawid_skene_labels(ratings)


def crowd(seed: int, *, good: int, careless: int) -> tuple[Ratings, dict[str, str]]:
    """Of every item five people speak; the good are right nine times in ten, the careless answer at random."""
    rng = np.random.default_rng(seed)
    truth = {f"i{n:03d}": "abc"[rng.integers(3)] for n in range(150)}
    rows = []
    for item, right in truth.items():
        for who in rng.permutation(good + careless)[:5]:
            knows = who < good and rng.random() < 0.9
            rows.append((item, right if knows else "abc"[rng.integers(3)], f"w{who}"))
    order = rng.permutation(len(rows))
    return ratings_from(*([rows[n][column] for n in order] for column in (0, 1, 2))), truth


# ---- without crowd-kit


@pytest.mark.parametrize("module", [dawid_skene, mace])
def test_the_error_names_the_extra(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "crowdkit", None)
    monkeypatch.setitem(sys.modules, "crowdkit.aggregation", None)
    with pytest.raises(KostraError, match='needs the package "crowd-kit"') as caught:
        fit(module, said(ann="xy", bob="xy"))
    assert caught.value.remedy == "pip install 'kostra[crowd]'"


@pytest.mark.parametrize("module", [dawid_skene, mace])
def test_anonymous_answers_and_none_at_all_are_refused(module: ModuleType) -> None:
    with pytest.raises(KostraError, match="these answers are anonymous"):
        fit(module, ratings_from(["p", "p"], ["x", "y"]))
    with pytest.raises(KostraError, match="needs answers, and there are none"):
        fit(module, ratings_from([], [], []))


def test_the_order_of_answers_does_not_change_what_crowd_kit_sees() -> None:
    one = crowd_table(ratings_from(["q", "p", "p"], ["y", "x", "y"], ["b", "b", "a"]), "it")
    two = crowd_table(ratings_from(["p", "p", "q"], ["y", "x", "y"], ["a", "b", "b"]), "it")
    assert (one.items, one.annotators, one.labels) == (two.items, two.annotators, two.labels) == (
        ("p", "q"), ("a", "b"), ("y", "x"),
    )  # fmt: skip
    assert one.codes.equals(two.codes)
    assert one.codes.rows() == [(0, 0, 0), (0, 1, 1), (1, 1, 0)]


def test_scores_are_posteriors_and_equal_ones_tie() -> None:
    found = CrowdLabels(
        ("i0", "i1"), ("x", "y"), np.array([[0.9, 0.1], [0.5, 0.5]]), ("ann", "bob"), np.ones(2), 3, True, ""
    )
    frame = crowd_scores(found, said(ann="xx", bob="yy"), question="q")
    assert frame.select("item", "label", "score", "raw", "appearances").rows() == [
        ("i0", "x", 0.9, 0.5, 2), ("i1", "tie:x|y", 0.5, 0.5, 2),
    ]  # fmt: skip


# ---- with it


@needs_crowd_kit
def test_the_example_of_dawid_and_skene_holds() -> None:
    found = dawid_skene_labels(said(ann="yyNN", bob="yyNN", cy="yyyy"))
    assert found.reliability.round(6).tolist() == [1.0, 1.0, 0.5]
    assert found.converged
    assert [found.labels[place] for place in found.posterior.argmax(axis=1)] == list("yyNN")


@needs_crowd_kit
def test_the_example_of_mace_holds() -> None:
    alike = {f"ann {n}": "ny" * 10 for n in range(9)}
    found = mace_labels(said(**alike, spam="y" * 20), rng=np.random.default_rng(1), iterations=30, restarts=2)
    assert found.annotators[int(found.reliability.argmin())] == "spam"
    assert found.converged


@needs_crowd_kit
@pytest.mark.parametrize("module", [dawid_skene, mace])
def test_the_careless_weigh_less_than_in_a_majority(module: ModuleType) -> None:
    ratings, truth = crowd(1, good=4, careless=5)
    found = fit(module, ratings)
    right = [truth[i] == found.labels[k] for i, k in zip(found.items, found.posterior.argmax(axis=1), strict=True)]
    names = ratings.labels or ()
    plain = majority_labels(
        pl.DataFrame({
            "item": [ratings.items[n] for n in ratings.item], "value": [names[int(code)] for code in ratings.values],
        }), question="q",
    )  # fmt: skip
    majority = [truth[item] == label for item, label in plain.select("item", "label").iter_rows()]
    assert np.mean(right) > 0.9 > 0.8 > np.mean(majority)
    trusted = dict(zip(found.annotators, found.reliability, strict=True))
    assert min(trusted[f"w{n}"] for n in range(4)) > max(trusted[f"w{n}"] for n in range(4, 9))
    np.testing.assert_allclose(found.posterior.sum(axis=1), 1, atol=1e-12)


@needs_crowd_kit
@pytest.mark.parametrize("module", [dawid_skene, mace])
@pytest.mark.parametrize(
    "ratings",
    [said(ann="xyxy"), said(ann="x", bob="x", cy="y"), said(ann="xxx", bob="xxx"), said(ann="12 ", bob=" 23")],
    ids=["one annotator", "one item", "all equal", "numbers and gaps"],
)
def test_edges_give_probabilities(module: ModuleType, ratings: Ratings) -> None:
    found = fit(module, ratings)
    assert np.isfinite(found.posterior).all()
    np.testing.assert_allclose(found.posterior.sum(axis=1), 1, atol=1e-12)
    assert crowd_scores(found, ratings, question="q").height == len(ratings.items)


@needs_crowd_kit
def test_too_few_rounds_are_not_called_converged() -> None:
    ratings, _ = crowd(2, good=3, careless=4)
    assert not dawid_skene_labels(ratings, iterations=2).converged
    assert not mace_labels(ratings, rng=np.random.default_rng(1), iterations=4, restarts=1).converged


@needs_crowd_kit
@pytest.mark.parametrize("module", [dawid_skene, mace])
def test_the_step_labels_and_says_whom_it_trusts(module: Any, tmp_path: Path) -> None:
    context = context_of(tmp_path)
    frame = judged(
        *[(f"i{n}", who, v) for who, vs in {"a": "xxyy", "b": "xxyy", "c": "xxxx"}.items() for n, v in enumerate(vs)]
    )
    options = module.Options(iterations=20, as_question="label")
    scores = module.run(Inputs({"judgments": frame}), options, context)["scores"]
    assert scores["label"].to_list() == list("xxyy")
    assert scores["question"].unique().to_list() == ["label"]
    kinds = [finding.kind for finding in context.findings]
    assert kinds[1] == "reliability"
    assert "c 0." in context.findings[1].message
