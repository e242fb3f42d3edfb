"""Objects that others made, taken as they are: sentence-transformers' models, MTEB's, or any function."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from kostra.encoders.protocol import Encoder, Identity, Numbers, Pairs, Vectors, identity_of
from kostra.errors import KostraError


def as_encoder(given: object, *, name: str | None = None, revision: str | None = None) -> Encoder:
    """Make an encoder of a spec, an encoder, an object with ``encode`` or ``predict``, or a function of sentences.

    An object can change between two calls (it may be in training), so nothing of it is kept in the cache unless
    `revision` says which state it is in.

    Examples
    --------
    >>> class Lengths:
    ...     def encode(self, sentences, batch_size=32):
    ...         return [[len(text), 1] for text in sentences]
    >>> as_encoder(Lengths()).encode(["a", "abc"]).tolist()
    [[1.0, 1.0], [3.0, 1.0]]
    """
    if isinstance(given, str):
        from kostra.encoders.specs import encoder

        return encoder(given)
    if isinstance(getattr(given, "identity", None), Identity):
        return cast(Encoder, given)  # one of ours says who it is
    identity = Identity(name or identity_of(given).name, revision, costly=True)
    if hasattr(given, "mteb_model_meta"):
        from kostra.encoders.mteb import from_mteb

        return from_mteb(given)
    for method, adapter in (("predict", PairObject), ("encode", SentenceObject)):
        if callable(getattr(given, method, None)):
            return cast(Encoder, adapter(getattr(given, method), identity))
    if callable(given):
        return SentenceObject(given, identity)
    raise KostraError(
        f"a {type(given).__name__} is no encoder",
        accepted="a spec, an object with encode(sentences) or predict(pairs), or a function of a list of sentences",
    )


class SentenceObject:
    """Somebody's ``encode``, with its result as an array."""

    def __init__(self, encode: Callable[..., Any], identity: Identity) -> None:
        self.identity = identity
        self._encode = encode

    def encode(self, sentences: Sequence[str], *, batch_size: int = 32) -> Vectors:
        """One row per sentence."""
        if not sentences:
            return np.zeros((0, 0), dtype=np.float32)
        return array(self._encode(list(sentences), **accepted(self._encode, batch_size)))


class PairObject:
    """Somebody's ``predict``, with its result as an array."""

    def __init__(self, predict: Callable[..., Any], identity: Identity) -> None:
        self.identity = identity
        self._predict = predict

    def predict(self, pairs: Pairs, *, batch_size: int = 32) -> Numbers:
        """One number per pair."""
        if not pairs:
            return np.zeros(0)
        found = array(self._predict([tuple(pair) for pair in pairs], **accepted(self._predict, batch_size)))
        return np.asarray(found, dtype=np.float64)


def accepted(call: Callable[..., Any], batch_size: int) -> dict[str, Any]:
    """The batch size and the wish for silence, as far as a function takes them.

    Examples
    --------
    >>> accepted(lambda sentences, batch_size=8: None, 16)
    {'batch_size': 16}
    """
    try:
        parameters = inspect.signature(call).parameters
    except (TypeError, ValueError):  # a function written in C does not say
        return {}
    wishes = {"batch_size": batch_size, "show_progress_bar": False}
    return {name: value for name, value in wishes.items() if name in parameters}


def array(found: Any) -> Vectors:
    """Numbers as a NumPy array, wherever they lie: a list, an array, or a tensor on any device."""
    if hasattr(found, "detach"):
        found = found.detach().cpu().float().numpy()
    elif isinstance(found, list) and found and hasattr(found[0], "detach"):
        found = [row.detach().cpu().float().numpy() for row in found]
    numbers = np.asarray(found)
    return numbers if np.issubdtype(numbers.dtype, np.floating) else numbers.astype(np.float64)
