"""Embeddings that were made elsewhere: a .npy beside its sentences, or a .parquet with texts and vectors."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

from kostra.encoders.protocol import Identity, Vectors
from kostra.encoders.specs import named, needs_argument
from kostra.errors import KostraError, some
from kostra.files import read_text, sha256, shown

ARGUMENT = "FILE.npy or FILE.parquet"
"""What must follow the colon."""

_TEXT = ("text", "sentence", "sentences")
_VECTOR = ("vector", "embedding", "embeddings")


class Given:
    """Vectors that are looked up by their sentence; one that is not there is an error."""

    def __init__(self, file: Path, sentences: Sequence[str], vectors: Vectors) -> None:
        if vectors.ndim != 2 or len(vectors) != len(sentences):
            raise KostraError(
                f"there are {len(sentences):,} sentences for vectors of the shape {vectors.shape}",
                where=shown(file),
                accepted="one row per sentence",
            )
        self.file, self._vectors = file, vectors
        self._row: dict[str, int] = {}
        for number, text in enumerate(sentences):
            first = self._row.setdefault(_plain(text), number)
            if first != number and not np.array_equal(vectors[first], vectors[number]):
                raise KostraError(
                    f"one sentence has two vectors, in rows {first + 1} and {number + 1}: {text[:80]}",
                    where=shown(file),
                )

    @property
    def identity(self) -> Identity:
        """The hash of the file."""
        return Identity(
            named("embeddings", self.file.name), revision=sha256(self.file)[:16], dimensions=self._vectors.shape[1]
        )

    def encode(self, sentences: Sequence[str]) -> Vectors:
        """The rows of these sentences."""
        missing = [text for text in sentences if _plain(text) not in self._row]
        if missing:
            raise KostraError(
                f"{len(missing):,} of {len(sentences):,} sentences have no vector: {some(map(repr, missing), 3)}",
                where=shown(self.file),
                remedy="embed these too; sentences are compared letter by letter, after Unicode normalisation",
            )
        return self._vectors[[self._row[_plain(text)] for text in sentences]]


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def make(
    argument: str | None, *, sentences: Path | None = None, text: str | None = None, vector: str | None = None
) -> Given:
    """Make the encoder; the argument is the file.

    Parameters
    ----------
    argument
        A ``.npy`` of shape (sentences, dimensions), or a ``.parquet``.
    sentences
        For ``.npy``, the file of its sentences: ``.txt`` (one per line) or ``.json`` (a list); unless said, the file
        beside it of the same name.
    text, vector
        For ``.parquet``, the names of the columns, if they are none of the usual.
    """
    path = Path(needs_argument("embeddings", argument, what=ARGUMENT)).expanduser()
    ending = path.suffix.lower()
    if ending not in (".npy", ".parquet"):
        raise KostraError(f'the ending "{ending}" is not known', where=shown(path), accepted=".npy, .parquet")
    if not path.is_file():
        raise KostraError("there is no such file", where=shown(path))
    needless = {"sentences": sentences} if ending == ".parquet" else {"text": text, "vector": vector}
    for name, value in needless.items():
        if value is not None:
            raise KostraError(f'the option "{name}" means nothing for {ending}', where=shown(path))
    return _of_npy(path, sentences) if ending == ".npy" else _of_parquet(path, text, vector)


def _of_npy(path: Path, beside: Path | None) -> Given:
    try:
        vectors = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        raise KostraError(f"this is not an array of numbers: {error}", where=shown(path)) from None
    if not np.issubdtype(vectors.dtype, np.number) or np.issubdtype(vectors.dtype, np.complexfloating):
        raise KostraError(f"the array holds {vectors.dtype}", where=shown(path), accepted="numbers")
    places = [beside] if beside else [path.with_suffix(".txt"), path.with_suffix(".json")]
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise KostraError(
            "its sentences are not beside it",
            where=shown(path),
            accepted=" or ".join(shown(place) for place in places),
            remedy="save them one per line, or name the file: ?sentences=FILE",
        )
    return Given(path, _sentences(found), vectors)


def _sentences(path: Path) -> list[str]:
    whole = read_text(path)
    if path.suffix.lower() != ".json":
        return whole.removesuffix("\n").replace("\r\n", "\n").split("\n")
    try:
        found = json.loads(whole)
    except json.JSONDecodeError as error:
        raise KostraError(f"this is not JSON: {error}", where=shown(path)) from None
    if not isinstance(found, list) or not all(isinstance(text, str) for text in found):
        raise KostraError("this is not a list of sentences", where=shown(path), accepted='["…", "…"]')
    return found


def _of_parquet(path: Path, text: str | None, vector: str | None) -> Given:
    try:
        table = pl.read_parquet(path)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise KostraError(f"this is not Parquet: {str(error).splitlines()[0]}", where=shown(path)) from None
    texts = table[_column(table, text, _TEXT, where=shown(path))]
    vectors = table[_column(table, vector, _VECTOR, where=shown(path))]
    if texts.dtype != pl.String or texts.null_count():
        raise KostraError(
            f'the column "{texts.name}" holds {texts.dtype}', where=shown(path), accepted="text in every row"
        )
    return Given(path, texts.to_list(), _matrix(vectors, where=shown(path)))


def _column(table: pl.DataFrame, named: str | None, usual: tuple[str, ...], *, where: str) -> str:
    wanted = (named,) if named else usual
    found = next((name for name in wanted if name in table.columns), None)
    if found is None:
        raise KostraError(
            f"there is no column {' or '.join(wanted)}",
            where=where,
            accepted=", ".join(table.columns),
            remedy=f"?{usual[0]}=COLUMN" if not named else None,
        )
    return found


def _matrix(vectors: pl.Series, *, where: str) -> Vectors:
    """Lists or arrays of numbers, all of one length."""
    wrong = KostraError(
        f'the column "{vectors.name}" holds {vectors.dtype}', where=where, accepted="a list of numbers per row"
    )
    if not isinstance(vectors.dtype, pl.List | pl.Array) or vectors.null_count():
        raise wrong
    try:
        rows = np.array(vectors.to_list(), dtype=np.float64)
    except (ValueError, TypeError):
        raise wrong from None
    return np.asarray(rows, dtype=np.float32) if "32" in str(vectors.dtype) else rows
