"""Sentences to vectors and pairs to numbers, each distinct one once, through the cache where that pays."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from kostra.encoders.adapters import accepted, array, as_encoder
from kostra.encoders.protocol import (
    Counting,
    Encoder,
    Matrix,
    Numbers,
    PairEncoder,
    Pairs,
    SentenceEncoder,
    Vectors,
    identity_of,
    unit,
)
from kostra.encoders.store import Store, text_key
from kostra.errors import KostraError, unknown
from kostra.steps import Progress, silent

Similarity = Literal["cosine", "dot", "euclidean", "manhattan"]
"""The names of sentence-transformers and MTEB."""
Cache = bool | str | Path | Store | None
"""None: where it pays; True or False: always or never; a folder or a store: there."""

Item = str | tuple[str, str]

_CHEAP_AT_ONCE = 4096
_DIGITS = 6  # of a cosine; what is beyond may differ from machine to machine, and from batch to batch


def embed(
    encoder: Encoder | str,
    sentences: Sequence[str],
    *,
    cache: Cache = None,
    batch_size: int | None = None,
    progress: Progress = silent,
) -> Matrix:
    """The vectors of sentences, one float32 row each; a sentence that stands twice is encoded once.

    What the cache has is looked up; what is made is laid into it batch by batch, so that a run that is interrupted
    goes on where it was. By default only costly encoders use the cache (see `Identity.costly`).

    Parameters
    ----------
    encoder
        A spec, one of our encoders, or an object with ``encode`` (see `as_encoder`).
    sentences
        Any number of them, also none.
    cache
        None (where it pays), True, False, a folder, or a `Store`.
    batch_size
        How many sentences go through the encoder together, and are lost at most when a run is killed; what the encoder
        prefers (its ``batch_size``), else 32.
    progress
        Called with (done, total) over the distinct sentences.

    Examples
    --------
    >>> vectors = embed("hashed?dimensions=8", ["one", "two", "one"])
    >>> vectors.shape, vectors.dtype.name, bool((vectors[0] == vectors[2]).all())
    ((3, 8), 'float32', True)
    """
    chosen = as_encoder(encoder)
    if not isinstance(chosen, SentenceEncoder):
        raise KostraError(
            f'the encoder "{identity_of(chosen).name}" gives a number to pairs, and no vector to a sentence',
            accepted="an encoder with vectors, such as static",
        )
    distinct, places = _distinct(sentences)
    batch_size = _batch(chosen, batch_size)

    def make(some: Sequence[str]) -> Vectors:
        return array(chosen.encode(some, **accepted(chosen.encode, batch_size)))

    rows = _through_cache(chosen, distinct, make, cache=cache, batch_size=batch_size, progress=progress)
    return np.take(rows.astype(np.float32, copy=False), places, axis=0)


def similarities(
    chosen: Encoder | str,
    pairs: Pairs,
    *,
    similarity: Similarity = "cosine",
    cache: Cache = None,
    batch_size: int | None = None,
    progress: Progress = silent,
) -> Numbers:
    """How close an encoder holds the sentences of each pair: its own number, or the similarity of its vectors.

    Each distinct sentence is encoded once. The conventions stand in `kostra.encoders`.

    Examples
    --------
    >>> pairs = [("a cat", "a cat"), ("", "a cat")]
    >>> similarities("static", pairs).tolist()
    [1.0, 0.0]
    """
    chosen = as_encoder(chosen)
    options: dict[str, Any] = {"cache": cache, "batch_size": batch_size, "progress": progress}
    if isinstance(chosen, PairEncoder):
        return _predicted(chosen, pairs, **options)
    distinct, places = _distinct([text for pair in pairs for text in pair])
    return compared(embed(chosen, distinct, **options), places.reshape(-1, 2), similarity=similarity)


def similarities_with_counts(
    chosen: Encoder | str, pairs: Pairs, *, similarity: Similarity = "cosine", **options: Any
) -> tuple[Numbers, dict[str, int]]:
    """The similarities, and what the conventions had to decide about (see `counts`).

    Examples
    --------
    >>> numbers, counted = similarities_with_counts("static", [("a cat", ""), ("a cat", "a dog")])
    >>> counted
    {'sentences': 3, 'empty_sentences': 1, 'zero_vectors': 1}
    """
    chosen = as_encoder(chosen)
    distinct, places = _distinct([text for pair in pairs for text in pair])
    if isinstance(chosen, PairEncoder):
        return similarities(chosen, pairs, **options), counts(chosen, distinct)
    vectors = embed(chosen, distinct, **options)
    return compared(vectors, places.reshape(-1, 2), similarity=similarity), counts(chosen, distinct, vectors)


def counts(chosen: Encoder, sentences: Sequence[str], vectors: Vectors | None = None) -> dict[str, int]:
    """Distinct sentences, empty ones, those with a zero vector, and what the encoder itself counts.

    Examples
    --------
    >>> counts(as_encoder("static"), ["", "a"], np.array([[0.0], [1.0]]))
    {'sentences': 2, 'empty_sentences': 1, 'zero_vectors': 1}
    """
    row = {text: number for number, text in enumerate(sentences)}
    found = {"sentences": len(row), "empty_sentences": sum(not text.strip() for text in row)}
    if vectors is not None:
        found["zero_vectors"] = int((~np.asarray(vectors)[list(row.values())].any(axis=1)).sum()) if row else 0
    if isinstance(chosen, Counting):
        found |= chosen.tally(list(row))
    return found


def compared(vectors: Vectors, places: np.ndarray[Any, Any], *, similarity: Similarity = "cosine") -> Numbers:
    """The similarity of the rows that each pair of places names.

    Examples
    --------
    >>> vectors = np.array([[3.0, 4.0], [4.0, 3.0], [0.0, 0.0]])
    >>> places = np.array([[0, 1], [0, 2]])
    >>> compared(vectors, places).tolist(), compared(vectors, places, similarity="dot").tolist()
    ([0.96, 0.0], [24.0, 0.0])
    >>> compared(vectors, places, similarity="manhattan").tolist()
    [-2.0, -7.0]
    """
    if similarity not in get_args(Similarity):
        raise unknown("similarity", similarity, get_args(Similarity))
    wide = unit(vectors) if similarity == "cosine" else np.asarray(vectors, dtype=np.float64)
    first, second = wide[places[:, 0]], wide[places[:, 1]]
    if similarity == "cosine":
        cosines = np.einsum("ij,ij->i", first, second)
        return np.asarray(np.round(np.clip(cosines, -1, 1), _DIGITS) + 0.0)  # never -0
    if similarity == "dot":
        return np.asarray(np.einsum("ij,ij->i", first, second))
    return np.asarray(-np.linalg.norm(first - second, ord=2 if similarity == "euclidean" else 1, axis=1)) + 0.0


def _predicted(
    chosen: PairEncoder, pairs: Pairs, *, cache: Cache, batch_size: int | None, progress: Progress
) -> Numbers:
    distinct, places = _distinct([tuple(pair) for pair in pairs])
    batch_size = _batch(chosen, batch_size)

    def make(some: Sequence[tuple[str, str]]) -> Vectors:
        found = array(chosen.predict(some, **accepted(chosen.predict, batch_size)))
        return found.reshape(-1, 1) if found.ndim == 1 else found

    rows = _through_cache(chosen, distinct, make, cache=cache, batch_size=batch_size, progress=progress)
    if pairs and rows.shape[1] != 1:
        raise KostraError(
            f'the encoder "{identity_of(chosen).name}" gave {rows.shape[1]} numbers to a pair', accepted="one number"
        )
    return np.asarray(rows[places, 0] if pairs else np.zeros(0), dtype=np.float64)


def _distinct(items: Sequence[Any]) -> tuple[list[Any], np.ndarray[Any, Any]]:
    """The different items in order of appearance, and for each item its place among them."""
    row: dict[Any, int] = {}
    places = [row.setdefault(item, len(row)) for item in items]
    return list(row), np.asarray(places, dtype=np.int64)


def _through_cache(
    chosen: Encoder,
    distinct: Sequence[Item],
    make: Callable[[Sequence[Any]], Vectors],
    *,
    cache: Cache,
    batch_size: int,
    progress: Progress,
) -> Vectors:
    """Look up what is kept, make the rest in batches of similar length, keep it, and give all in order."""
    identity = identity_of(chosen)
    store = _store(chosen, cache)
    keys = [text_key(item) for item in distinct] if store else []
    kept = store.get(identity, keys) if store else {}
    width = len(next(iter(kept.values()))) if kept else None
    rows: Vectors = np.zeros((len(distinct), width or identity.dimensions or 0), dtype=np.float32)
    for number, row in kept.items():
        rows[number] = row
    # The longest first, so that a batch has little padding, and what does not fit into memory shows at once.
    lacking = sorted((n for n in range(len(distinct)) if n not in kept), key=lambda n: -_length(distinct[n]))
    step = batch_size if identity.costly or store else max(batch_size, _CHEAP_AT_ONCE)
    progress(len(kept), len(distinct))
    with store.filling(identity) if store and lacking else contextlib.nullcontext() as put:
        for start in range(0, len(lacking), step):
            numbers = lacking[start : start + step]
            some = [distinct[n] for n in numbers]
            made = _sound(make(some), some, identity.name, width, narrow=store is not None or isinstance(some[0], str))
            if width is None:
                width = made.shape[1]
                rows = np.zeros((len(distinct), width), dtype=made.dtype)
            rows[numbers] = made
            if put:
                put([keys[n] for n in numbers], made.astype(np.float32))
            progress(len(kept) + start + len(numbers), len(distinct))
    return rows


def _batch(chosen: Encoder, asked: int | None) -> int:
    size = asked if asked is not None else int(getattr(chosen, "batch_size", 32))
    if size < 1:
        raise KostraError(f"a batch of {size} sentences", accepted="1 or more")
    return size


def _length(item: Item) -> int:
    return len(item) if isinstance(item, str) else len(item[0]) + len(item[1])


def _store(chosen: Encoder, cache: Cache) -> Store | None:
    identity = identity_of(chosen)
    if cache is False or identity.revision is None or (cache is None and not identity.costly):
        return None
    if isinstance(cache, Store):
        return cache
    return Store() if cache is None or cache is True else Store(cache)


def _sound(made: Vectors, items: Sequence[Item], name: str, width: int | None, *, narrow: bool) -> Vectors:
    """Refuse what is no table of numbers: one row per item, as wide as those before, everything finite."""
    if made.ndim != 2 or len(made) != len(items):
        raise KostraError(
            f'the encoder "{name}" gave an array of the shape {made.shape} to {len(items)} sentences',
            accepted="one row of numbers per sentence",
        )
    if width is not None and made.shape[1] != width:
        raise KostraError(
            f'the encoder "{name}" gave {made.shape[1]} numbers to a sentence, and {width} to another',
            remedy="if it changed under one name and revision: kostra cache clear",
        )
    if narrow:
        with np.errstate(over="ignore"):  # what is too large for float32 becomes infinite, and is named below
            made = made.astype(np.float32)
    wrong = np.flatnonzero(~np.isfinite(made).all(axis=1))
    if len(wrong):
        value = next(value for value in made[wrong[0]] if not np.isfinite(value))
        more = f" (and {len(wrong) - 1:,} more)" if len(wrong) > 1 else ""
        raise KostraError(f'the encoder "{name}" gave {value} for {_shown(items[wrong[0]])}{more}', accepted="numbers")
    return made


def _shown(item: Item) -> str:
    if not isinstance(item, str):
        return " and ".join(_shown(text) for text in item)
    return f"“{item if len(item) <= 80 else item[:79] + '…'}”"
