"""Embeddings that were made elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from kostra.encoders import embed, encoder, identity_of
from kostra.errors import KostraError

TEXTS = ["one", "two", "naïve"]
ROWS = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]], dtype=np.float32)


def save(folder: Path, form: str) -> Path:
    path = folder / ("given.parquet" if form.startswith("parquet") else "given.npy")
    if path.suffix == ".npy":
        np.save(path, ROWS)
        whole = json.dumps(TEXTS) if form == "json" else "\n".join(TEXTS) + "\n"
        path.with_suffix(f".{form}").write_text(whole, encoding="utf-8")
    else:
        kind = pl.Array(pl.Float32, 2) if form == "parquet array" else pl.List(pl.Float32)
        pl.DataFrame({"text": TEXTS, "vector": pl.Series(ROWS.tolist(), dtype=kind)}).write_parquet(path)
    return path


@pytest.mark.parametrize("form", ["txt", "json", "parquet list", "parquet array"])
def test_vectors_are_looked_up_by_their_sentence(tmp_path: Path, form: str) -> None:
    made = encoder(f"embeddings:{save(tmp_path, form)}")
    assert embed(made, ["nai\u0308ve", "one", "one"]).tolist() == [[2, 2], [1, 0], [1, 0]]  # decomposed is the same
    assert identity_of(made).dimensions == 2


def test_sentences_without_a_vector_are_listed(tmp_path: Path) -> None:
    with pytest.raises(KostraError, match="4 of 5 sentences have no vector: 'wx', 'xx', 'yx' and 1 more"):
        embed(f"embeddings:{save(tmp_path, 'txt')}", ["one", "wx", "xx", "yx", "zx"])


def test_columns_and_sentences_may_have_other_names(tmp_path: Path) -> None:
    pl.DataFrame({"satz": TEXTS, "v": ROWS.tolist()}).write_parquet(tmp_path / "a.parquet")
    assert embed(f"embeddings:{tmp_path / 'a.parquet'}?text=satz&vector=v", ["two"]).tolist() == [[0, 1]]
    with pytest.raises(KostraError, match="there is no column text or sentence or sentences"):
        encoder(f"embeddings:{tmp_path / 'a.parquet'}")
    np.save(tmp_path / "b.npy", ROWS)
    (tmp_path / "other.txt").write_text("\n".join(TEXTS))
    assert embed(f"embeddings:{tmp_path / 'b.npy'}?sentences={tmp_path / 'other.txt'}", ["two"]).tolist() == [[0, 1]]


def test_one_sentence_with_two_vectors_is_refused(tmp_path: Path) -> None:
    path = save(tmp_path, "txt")
    path.with_suffix(".txt").write_text("one\none\ntwo\n")
    with pytest.raises(KostraError, match="one sentence has two vectors, in rows 1 and 2"):
        encoder(f"embeddings:{path}")


def test_files_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    path = save(tmp_path, "txt")
    for spec, said in (
        (f"{tmp_path / 'x.csv'}", 'the ending ".csv" is not known'),
        (f"{tmp_path / 'x.npy'}", "there is no such file"),
        (f"{path}?text=a", 'the option "text" means nothing for .npy'),
    ):
        with pytest.raises(KostraError, match=said):
            encoder(f"embeddings:{spec}")
    path.with_suffix(".txt").write_text("one\n")
    with pytest.raises(KostraError, match="1 sentences for vectors of the shape"):
        encoder(f"embeddings:{path}")
    path.with_suffix(".txt").unlink()
    with pytest.raises(KostraError, match="its sentences are not beside it"):
        encoder(f"embeddings:{path}")
    path.write_bytes(b"nothing")
    with pytest.raises(KostraError, match="this is not an array of numbers"):
        encoder(f"embeddings:{path}")
    np.save(path, np.array(["a", "b"]))
    with pytest.raises(KostraError, match="the array holds <U1"):
        encoder(f"embeddings:{path}")
    (tmp_path / "bad.parquet").write_bytes(b"nothing")
    with pytest.raises(KostraError, match="this is not Parquet"):
        encoder(f"embeddings:{tmp_path / 'bad.parquet'}")
    pl.DataFrame({"text": ["a", "b"], "vector": [[1.0], [1.0, 2.0]]}).write_parquet(tmp_path / "bad.parquet")
    with pytest.raises(KostraError, match="a list of numbers per row"):
        encoder(f"embeddings:{tmp_path / 'bad.parquet'}")
