"""SentEval's functions work as they were written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kostra.encoders import as_encoder, similarities
from kostra.errors import KostraError
from kostra.evaluate.senteval import SE, Batched, Params

ROWS = "sentence1,sentence2,score\na cat,a cat,1\na cat,a dog,0.5\na cat,it rains,0\n,\n"
WORDS = ("a", "cat", "dog", "it", "rains")


def prepare(params: Any, samples: list[list[str]]) -> None:
    """As in SentEval's examples: a vocabulary from all samples, kept on the params."""
    params.word2id = {word: place for place, word in enumerate(sorted({word for one in samples for word in one}))}
    params.wvec_dim = len(params.word2id)


def batcher(params: Any, batch: list[list[str]]) -> Any:
    made = []
    for sentence in batch:
        vector = np.zeros(params.wvec_dim)
        for word in sentence:
            vector[params.word2id[word]] += 1
        made.append(vector)
    return np.vstack(made)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pets.csv").write_text(ROWS.removesuffix(",\n"))
    return tmp_path


def test_prepare_sees_all_sentences_once_and_the_batcher_gets_tokens(folder: Path) -> None:
    seen: list[Any] = []

    def watching(params: Any, samples: list[list[str]]) -> None:
        seen.append(samples)
        prepare(params, samples)

    found = SE({"task_path": str(folder), "usepytorch": False, "kfold": 10}, batcher, watching).eval(["pets.csv"])
    assert seen == [[["a", "cat"], ["a", "dog"], ["it", "rains"]]]
    assert found["pets.csv"]["all"]["spearman"] == pytest.approx(1.0)
    assert found["pets.csv"]["all"]["nsamples"] == 3


def test_one_name_gives_its_entry_alone_and_every_evaluation_is_kept(folder: Path) -> None:
    engine = SE({"task_path": folder}, batcher, prepare, name="mine")
    assert engine.eval("pets.csv")["all"]["pearson"] == pytest.approx(1.0)
    assert [(one.encoder, one.dataset) for one in engine.evaluations] == [("mine", "pets")]


def test_a_dataset_outside_the_folder_may_be_named_by_its_path(folder: Path) -> None:
    path = str(folder / "pets.csv")
    assert path in SE({}, batcher, prepare).eval([path])


def test_batches_are_no_larger_than_asked_for() -> None:
    sizes: list[int] = []

    def counting(params: Any, batch: list[list[str]]) -> Any:
        sizes.append(len(batch))
        return np.ones((len(batch), 2))

    Batched(counting, params={"batch_size": 2}).encode(["a", "b", "c", "d", "e"])
    assert sizes == [2, 2, 1]


def test_a_batcher_is_an_encoder_for_every_door_of_kostra() -> None:
    chosen = as_encoder(Batched(batcher, prepare))
    assert similarities(chosen, [("a cat", "a cat"), ("a cat", "it rains")]).tolist() == [1.0, 0.0]


def test_transformations_are_evaluated_where_a_dataset_has_rewrites(data: Path) -> None:
    def letters(params: Any, batch: list[list[str]]) -> Any:
        return [[float(" ".join(one).count(letter)) for letter in "aeiouyáéíóú"] for one in batch]

    found = SE({"task_path": data}, letters).eval("costra11.tsv")
    assert {"past", "future", "ban"} <= set(found)


@pytest.mark.parametrize("shape", [(2,), (1, 2)])
def test_a_batcher_that_gives_something_else_is_told(shape: tuple[int, ...]) -> None:
    def wrong(params: Any, batch: list[list[str]]) -> Any:
        return np.ones(shape)

    with pytest.raises(KostraError, match="the batcher gave an array"):
        Batched(wrong).encode(["a", "b"])


def test_a_dataset_that_is_not_there_is_named(folder: Path) -> None:
    with pytest.raises(KostraError, match=r"nothing\.csv"):
        SE({"task_path": folder}, batcher, prepare).eval(["nothing.csv"])


def test_params_are_keys_and_attributes() -> None:
    params = Params({"seed": 3})
    params.more = 4
    assert (params.seed, params["more"]) == (3, 4)
    with pytest.raises(AttributeError):
        _ = params.missing
