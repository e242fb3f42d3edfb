"""A cache of its own for every test, and a tiny model that needs no network."""

from __future__ import annotations

import importlib
import warnings
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KOSTRA_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("KOSTRA_CACHE_LIMIT", raising=False)
    return tmp_path / "cache"


@pytest.fixture(scope="session")
def torch() -> Any:
    """The library, on one thread."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # what torch's own imports call is not ours to mend
        found = pytest.importorskip("torch")
        pytest.importorskip("sentence_transformers")
    found.set_num_threads(1)
    return found


LETTERS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefghijklmnopqrstuvwxyz."]


@pytest.fixture(scope="session")
def tiny(torch: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT of random weights that reads letters: two layers, 16 dimensions, at most 24 tokens."""
    transformers = importlib.import_module("transformers")
    folder = tmp_path_factory.mktemp("models") / "tiny-bert"
    folder.mkdir()
    pieces = [*LETTERS, *(f"##{letter}" for letter in LETTERS[5:])]
    (folder / "vocab.txt").write_text("\n".join(pieces) + "\n")
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(pieces), hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=24,
    )  # fmt: skip
    transformers.BertModel(config).eval().save_pretrained(folder)
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    transformers.BertTokenizer(vocab=vocabulary, model_max_length=24).save_pretrained(folder)
    return folder
