"""Any cross-encoder of sentence-transformers: it reads both sentences of a pair and gives one number."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from kostra.encoders.models import Model, chosen_device, find_model, libraries, library, loading, needs
from kostra.encoders.protocol import Identity, Numbers, Pairs
from kostra.encoders.specs import named, needs_argument
from kostra.errors import KostraError

ARGUMENT = "NAME or FOLDER"
"""What must follow the colon."""


class Cross:
    """A CrossEncoder, loaded when it is first used."""

    def __init__(self, model: Model, *, device: str | None = None, trust_remote_code: bool = False) -> None:
        self._found = model
        self._device, self._trust = device, trust_remote_code

    @cached_property
    def identity(self) -> Identity:
        """The model's commit or the hash of its files, and the libraries."""
        return Identity(
            named("cross", self._found.name),
            revision=f"{self._found.state()}; {libraries('sentence-transformers', 'transformers')}",
            costly=True,
        )

    @cached_property
    def model(self) -> Any:
        """The CrossEncoder itself."""
        device = chosen_device(self._device)
        with loading(self._found.name):
            made = library("sentence_transformers").CrossEncoder(
                str(self._found.here()), device=device, trust_remote_code=self._trust
            )
        if made.num_labels != 1:
            raise KostraError(
                f"this model gives {made.num_labels} numbers to a pair: it is a classifier",
                where=f"cross:{self._found.name}",
                accepted="a cross-encoder with one number per pair",
            )
        return made

    def predict(self, pairs: Pairs, *, batch_size: int = 32) -> Numbers:
        """The model's own number for each pair; the order of the two sentences may matter."""
        if not pairs:
            return np.zeros(0)
        found = self.model.predict([tuple(pair) for pair in pairs], batch_size=batch_size, show_progress_bar=False)
        return np.asarray(found, dtype=np.float64)


def make(argument: str | None, *, device: str | None = None, trust_remote_code: bool = False) -> Cross:
    """Make the encoder; the argument is a model's name or a folder.

    Parameters
    ----------
    device
        cpu, cuda, mps; the best there is, unless said.
    trust_remote_code
        Whether Python code that comes with the model may run.
    """
    name = needs_argument("cross", argument, what=ARGUMENT)
    needs("torch", "sentence_transformers", purpose="the encoder cross")
    return Cross(find_model(name, where=f"cross:{name}"), device=device, trust_remote_code=trust_remote_code)
