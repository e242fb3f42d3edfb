"""Models of MTEB's registry as our encoders, and our encoders as models for ``mteb.evaluate``."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from kostra.encoders.adapters import array, as_encoder
from kostra.encoders.embedding import embed, similarities
from kostra.encoders.models import find_model, libraries, library, loading, needs, offline
from kostra.encoders.protocol import Encoder, Identity, Numbers, PairEncoder, Vectors, identity_of
from kostra.encoders.specs import named, needs_argument
from kostra.errors import KostraError, nearest

ARGUMENT = "ORGANISATION/MODEL"
"""What must follow the colon."""

_FROM_HUB = {"Sentence Transformers", "PyTorch", "Transformers", "safetensors"}
"""Frameworks of MTEB's list whose models are files on the Hugging Face hub."""


class _Mteb:
    """A model that follows MTEB's protocol, loaded when it is first used."""

    def __init__(self, meta: Any, load: Callable[[], Any]) -> None:
        self._meta = meta
        self._load = load

    @cached_property
    def model(self) -> Any:
        """The model itself."""
        return self._load()

    @property
    def identity(self) -> Identity:
        """Name and revision as MTEB has them; without a revision nothing is kept."""
        dimensions = getattr(self._meta, "embed_dim", None)
        revision = getattr(self._meta, "revision", None)
        return Identity(
            named("mteb", getattr(self._meta, "name", None) or type(self.model).__name__),
            revision=f"{revision}; {libraries('mteb')}" if revision else None,
            dimensions=dimensions if isinstance(dimensions, int) else None,
            costly=True,
        )


class MtebSentences(_Mteb):
    """One that encodes."""

    def encode(self, sentences: Sequence[str], *, batch_size: int = 32) -> Vectors:
        """One vector per sentence, with the prompt that the model has for tasks of similarity."""
        if not sentences:
            return np.zeros((0, self.identity.dimensions or 0), dtype=np.float32)
        return array(self.model.encode(_loader(sentences, batch_size), **_task(), batch_size=batch_size))


class MtebPairs(_Mteb):
    """One that predicts."""

    def predict(self, pairs: Sequence[tuple[str, str]], *, batch_size: int = 32) -> Numbers:
        """One number per pair."""
        if not pairs:
            return np.zeros(0)
        first, second = (_loader([pair[side] for pair in pairs], batch_size) for side in (0, 1))
        found = self.model.predict(first, second, **_task(), batch_size=batch_size)
        return np.asarray(array(found), dtype=np.float64).reshape(-1)


def from_mteb(model: Any) -> Encoder:
    """Take a loaded model that follows MTEB's protocol for encoders or cross-encoders."""
    kind = MtebSentences if hasattr(model, "encode") else MtebPairs
    return kind(model.mteb_model_meta, lambda: model)


def _loader(texts: Sequence[str], batch_size: int) -> Any:
    dataset = library("datasets").Dataset.from_dict({"text": list(texts)})
    return library("torch.utils.data").DataLoader(dataset, batch_size=batch_size)


def _task() -> dict[str, Any]:
    """What a model is told about the task: similarity of sentences, nothing more."""
    task = library("mteb.abstasks.task_metadata").TaskMetadata(
        dataset={"path": "kostra", "revision": "1"},
        name="KostraSTS",
        description="Sentences that kostra compares.",
        type="STS",
        eval_langs=["eng-Latn"],
        main_score="cosine_spearman",
    )
    return {"task_metadata": task, "hf_split": "test", "hf_subset": "default"}


class ForMteb:
    """One of our encoders, as MTEB wants a model to be."""

    def __init__(self, encoder: Encoder, meta: Any) -> None:
        self.encoder = encoder
        self.mteb_model_meta = meta

    def encode(self, inputs: Any, *, batch_size: int = 32, **_: Any) -> Any:
        """Vectors of the texts that a data loader brings; prompts are the encoder's own business."""
        return embed(self.encoder, [text for batch in inputs for text in batch["text"]], batch_size=batch_size)

    def similarity(self, embeddings1: Any, embeddings2: Any) -> Any:
        """The cosine of every row with every row."""
        return library("mteb.similarity_functions").cos_sim(embeddings1, embeddings2)

    def similarity_pairwise(self, embeddings1: Any, embeddings2: Any) -> Any:
        """The cosine of row with row."""
        return library("mteb.similarity_functions").pairwise_cos_sim(embeddings1, embeddings2)


class PairsForMteb:
    """One of our encoders of pairs, as MTEB wants a cross-encoder to be."""

    def __init__(self, encoder: Encoder, meta: Any) -> None:
        self.encoder = encoder
        self.mteb_model_meta = meta

    def predict(self, inputs1: Any, inputs2: Any, *, batch_size: int = 32, **_: Any) -> Any:
        """One number per pair of texts that two data loaders bring."""
        first, second = ([text for batch in inputs for text in batch["text"]] for inputs in (inputs1, inputs2))
        return similarities(self.encoder, list(zip(first, second, strict=True)), batch_size=batch_size)


def to_mteb(encoder: Encoder | str) -> Any:
    """Make a model for ``mteb.evaluate`` of an encoder.

    MTEB's tasks of similarity want vectors; encoders of pairs serve where MTEB takes cross-encoders (reranking).
    """
    needs("mteb", purpose="the bridge to MTEB", extra="mteb")
    chosen = as_encoder(encoder)
    identity = identity_of(chosen)
    pairs = isinstance(chosen, PairEncoder)
    meta = library("mteb.models").ModelMeta.create_empty(
        overwrites={
            "name": "kostra/" + re.sub(r"[^\w.=-]+", "_", identity.name),
            "revision": re.sub(r"[^\w.=-]+", "_", identity.revision) if identity.revision else None,
            "embed_dim": identity.dimensions,
            "similarity_fn_name": None if pairs else "cosine",
            "model_type": ["cross-encoder" if pairs else "dense"],
        }
    )
    return PairsForMteb(chosen, meta) if pairs else ForMteb(chosen, meta)


def make(argument: str | None, *, device: str | None = None) -> MtebSentences | MtebPairs:
    """Make the encoder; the argument is a name in MTEB's registry, such as ``intfloat/multilingual-e5-small``.

    Parameters
    ----------
    device
        cpu, cuda, mps; the best there is, unless said.
    """
    name = needs_argument("mteb", argument, what=ARGUMENT)
    needs("mteb", purpose="the encoder mteb", extra="mteb")
    known = library("mteb.models.model_implementations").MODEL_REGISTRY
    if name not in known:
        guess = nearest(name, known)
        raise KostraError(
            f'"{name}" is not in the registry of MTEB {libraries("mteb").split()[-1]} ({len(known):,} models)',
            where=f"mteb:{name}",
            remedy=f'did you mean "{guess}"?' if guess else f"sbert:{name} or hf:{name} need no registry",
        )
    meta = known[name]
    from_hub = bool(_FROM_HUB & set(meta.framework or []))
    found = find_model(name, where=f"mteb:{name}") if from_hub else None

    def load() -> Any:
        with loading(name), offline(found is not None and found.folder is not None):
            return meta.load_model(device=device)

    return (MtebPairs if "cross-encoder" in meta.model_type else MtebSentences)(meta, load)
