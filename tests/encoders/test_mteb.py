"""To MTEB and back: its registry's models as our encoders, our encoders in ``mteb.evaluate``."""

from __future__ import annotations

import importlib
import warnings
from typing import Any

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

from kostra.encoders import as_encoder, embed, encoder, similarities
from kostra.encoders.mteb import to_mteb
from kostra.errors import KostraError

RANDOM = "mteb/baseline-random-encoder"

pytestmark = pytest.mark.usefixtures("torch")


@pytest.fixture(scope="module")
def mteb(torch: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what its imports call is not ours to mend
        return pytest.importorskip("mteb")


def test_a_model_of_the_registry_is_an_encoder(mteb: Any) -> None:
    made = encoder(f"mteb:{RANDOM}")
    vectors = embed(made, ["one", "two", "one"], cache=False)
    assert vectors.shape == (3, 32)
    assert (vectors[0] == vectors[2]).all()
    assert (vectors[0] != vectors[1]).any()
    assert made.identity.name == f"mteb:{RANDOM}"  # type: ignore[union-attr]
    assert made.identity.revision == f"2; mteb {mteb.__version__}"  # type: ignore[union-attr]
    assert made.encode([]).shape[0] == 0  # type: ignore[union-attr]


def test_a_cross_encoder_of_the_registry_gives_numbers(mteb: Any) -> None:
    numbers = similarities("mteb:mteb/baseline-random-cross-encoder", [("a", "a"), ("a", "b")], cache=False)
    assert numbers[0] == pytest.approx(1)
    assert numbers[1] < 0.999


def test_a_loaded_model_is_taken_as_it_is(mteb: Any) -> None:
    loaded = mteb.get_model(RANDOM)
    direct = embed(f"mteb:{RANDOM}", ["one", "two"], cache=False)
    np.testing.assert_array_equal(embed(as_encoder(loaded), ["one", "two"], cache=False), direct)


def test_a_name_that_the_registry_lacks_suggests_the_nearest(mteb: Any) -> None:
    with pytest.raises(KostraError, match='did you mean "intfloat/multilingual-e5-small"'):
        encoder("mteb:intfloat/multilingual-e5-smal")


def test_a_model_of_the_registry_that_is_not_here_is_said_at_once(mteb: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(KostraError, match="is not on this machine"):
        encoder("mteb:intfloat/multilingual-e5-small")


PAIRS = [
    ("A cat sits on a chair.", "A kitten rests on a seat.", 0.9),
    ("A cat sits on a chair.", "The bank raised its rates.", 0.0),
    ("He reads a book.", "He is reading.", 0.8),
    ("He reads a book.", "She sells books.", 0.4),
    ("Snow fell all night.", "It snowed.", 0.7),
    ("Snow fell all night.", "The night was long.", 0.3),
]


def test_our_encoder_runs_in_mteb_and_scores_as_here(mteb: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its own making
        datasets = importlib.import_module("datasets")
        task = importlib.import_module("mteb.mocks.mock_tasks").MockSTSTask()  # as a task that needs no download
        first, second, score = zip(*PAIRS, strict=True)
        rows = datasets.Dataset.from_dict({"sentence1": first, "sentence2": second, "score": score})
        task.dataset, task.data_loaded = datasets.DatasetDict({"test": rows}), True
        results = mteb.evaluate(to_mteb("static"), task, cache=None, show_progress_bar=False)
    scores = results.task_results[0].scores["test"][0]
    ours = similarities("static", [(first, second) for first, second, _ in PAIRS])
    gold = [score for *_, score in PAIRS]
    assert scores["cosine_spearman"] == pytest.approx(spearmanr(ours, gold).statistic, abs=1e-9)
    assert scores["cosine_pearson"] == pytest.approx(pearsonr(ours, gold).statistic, abs=1e-5)
    assert results.model_name == "kostra/static"


def test_our_model_keeps_the_protocols_of_mteb(mteb: Any) -> None:
    protocols = importlib.import_module("mteb.models.models_protocols")
    sentences, pairs = to_mteb("static"), to_mteb("dice")
    assert isinstance(sentences, protocols.EncoderProtocol)
    assert isinstance(pairs, protocols.CrossEncoderProtocol)
    texts = [{"text": ["a cat", "a dog"]}, {"text": ["a cow"]}]
    vectors = sentences.encode(texts, task_metadata=None, hf_split="test", hf_subset="default", batch_size=2)
    assert vectors.shape == (3, 256)
    assert np.asarray(sentences.similarity(vectors, vectors)).shape == (3, 3)
    assert np.asarray(sentences.similarity_pairwise(vectors, vectors)) == pytest.approx([1, 1, 1], abs=1e-6)
    assert pairs.predict(texts, texts).tolist() == [1, 1, 1]
    assert pairs.mteb_model_meta.model_type == ["cross-encoder"]


def test_our_model_comes_back_from_mteb_as_it_went(mteb: Any) -> None:
    there_and_back = as_encoder(to_mteb("static"))
    np.testing.assert_array_equal(embed(there_and_back, ["a cat"], cache=False), embed("static", ["a cat"]))
