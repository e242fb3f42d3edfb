"""The probe for labels: folds without leakage, the commonest label beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import accuracy_score, f1_score

from kostra.encoders import encoder
from kostra.errors import KostraError
from kostra.evaluate.dataset import Dataset
from kostra.evaluate.entailment import entailment
from kostra.evaluate.probe import accuracy, f1_by_class, pair_features
from kostra.evaluate.reading import read_dataset
from kostra.tables import PAIRS, SCORES, check


class Signs:
    """Sentences are numbers, and their vector is the number."""

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        return np.array([[float(text), 1.0] for text in sentences])


def labelled(rows: Sequence[tuple[str, str, str]], reverse: Sequence[str | None] | None = None) -> Dataset:
    ids = [f"p{n}" for n in range(len(rows))]
    pairs = pl.DataFrame(
        {
            "pair": ids,
            "text_a": [a for a, _, _ in rows],
            "text_b": [b for _, b, _ in rows],
            "reverse": pl.Series(reverse or [None] * len(rows), dtype=pl.String),
        }
    )
    scores = pl.DataFrame(
        {"item": ids, "question": "entailment", "label": [label for _, _, label in rows], "appearances": 3}
    )
    return Dataset("mine", pairs=check(pairs, PAIRS), scores=check(scores, SCORES))


def numbers(count: int) -> list[tuple[str, str, str]]:
    """Entailment where the numbers are close, contradiction where they are far apart."""
    return [
        (f"{n}.25", f"{n + (0.5 if n % 2 else 40)}", "entailment" if n % 2 else "contradiction") for n in range(count)
    ]


def test_a_probe_reads_what_lies_on_a_line() -> None:
    (found,) = entailment(labelled(numbers(60)), {"mine": Signs()}, samples=100, rng=np.random.default_rng(1))
    assert found.value("accuracy") == 1.0
    assert found.value("f1") == 1.0
    assert found.value("majority_accuracy") is not None
    assert found.details["shared_pairs"] == 0
    assert found.details["labels"] == {"entailment": 30, "contradiction": 30}
    assert found.protocol == "5-fold grouped"


def test_accuracy_and_f1_are_scikit_learns() -> None:
    rng = np.random.default_rng(1)
    gold, found = rng.integers(0, 3, 100), rng.integers(0, 3, 100)
    assert accuracy(gold, found) == accuracy_score(gold, found)
    np.testing.assert_allclose(f1_by_class(gold, found, 3), f1_score(gold, found, average=None))


def test_features_are_the_difference_and_the_product_and_directed_ones_know_the_order() -> None:
    made, _ = pair_features(Signs(), [("2", "5"), ("5", "2")])
    assert made.tolist() == [[3, 0, 10, 1], [3, 0, 10, 1]]
    directed, _ = pair_features(Signs(), [("2", "5"), ("5", "2")], "directed")
    assert directed[0, :4].tolist() == [2, 1, 5, 1]
    assert directed[1, :4].tolist() == [5, 1, 2, 1]
    own, counted = pair_features(encoder("dice"), [("a b", "a b")])
    assert own.tolist() == [[1.0]]
    assert counted["sentences"] == 1


def test_random_folds_stand_beside_with_what_they_leak() -> None:
    # Ten sentences in six pairs each, and the label hangs on the sentence alone: who has seen it knows the label.
    rng = np.random.default_rng(2)
    labels = ["entailment" if n % 2 else "neutral" for n in range(10)]
    rows = [(f"s{n % 10} x", f"t{n}", labels[n % 10]) for n in range(60)]
    (found,) = entailment(labelled(rows), ["hashed"], samples=0, rng=rng)
    leaking = found.measure("accuracy_random_folds")
    assert leaking is not None
    assert leaking.value is not None
    assert "share a sentence with the training pairs" in leaking.note
    assert leaking.value > (found.value("accuracy") or 0) + 0.2
    assert found.details["shared_pairs"] == 0
    assert found.details["random_folds_shared_pairs"] == 60


def test_both_directions_of_a_pair_are_reported_apart() -> None:
    rows = [(one, two, label) for one, two, label in numbers(40)]
    both = [*rows, *((two, one, label) for one, two, label in rows)]
    reverse = [*(f"p{n + 40}" for n in range(40)), *(f"p{n}" for n in range(40))]
    (found,) = entailment(labelled(both, reverse), {"mine": Signs()}, samples=0, rng=np.random.default_rng(1))
    for part in ("first direction", "second direction"):
        measure = found.measure("accuracy", part)
        assert measure is not None
        assert measure.n == 40


def test_one_label_only_is_refused() -> None:
    with pytest.raises(KostraError, match="all 12 pairs have the label neutral"):
        entailment(labelled([(f"a{n}", f"b{n}", "neutral") for n in range(12)]), ["dice"], rng=np.random.default_rng(1))


def test_cdsc_is_probed_although_all_its_pairs_hang_together(data: Path) -> None:
    (found,) = entailment(read_dataset(data / "cdsc_trial.tsv"), ["dice"], samples=100, rng=np.random.default_rng(1))
    assert found.details["kind"] == "cut"
    assert found.value("majority_accuracy") == pytest.approx(0.741, abs=0.001)
    assert (found.value("accuracy") or 0) > 0.741
    assert found.languages == ("pol-Latn",)
