"""Any transformer of the Hugging Face hub or a folder, its token vectors pooled: mean, max or first token."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np

from kostra.encoders.models import Model, chosen_device, find_model, libraries, library, loading, needs, numbers
from kostra.encoders.protocol import Identity, Matrix, unit
from kostra.encoders.specs import named, needs_argument
from kostra.errors import KostraError

ARGUMENT = "NAME or FOLDER"
"""What must follow the colon."""

Pooling = Literal["mean", "max", "cls"]


class Transformer:
    """A model's hidden states at one layer, pooled over the tokens that are no padding, special ones included."""

    def __init__(
        self,
        model: Model,
        *,
        pooling: Pooling = "mean",
        layer: int = -1,
        normalize: bool = False,
        device: str | None = None,
        trust_remote_code: bool = False,
    ) -> None:
        self._found = model
        self._pooling, self._layer, self._normalize = pooling, layer, normalize
        self._device, self._trust = device, trust_remote_code

    @property
    def identity(self) -> Identity:
        """The model's commit or the hash of its files, the library, the pooling and the layer."""
        return Identity(
            named("hf", self._found.name, pooling=self._pooling, layer=self._layer if self._layer != -1 else None),
            revision=f"{self._found.state()}; {libraries('transformers')}",
            dimensions=self._loaded[1].config.hidden_size if "_loaded" in self.__dict__ else None,
            pooling=self._pooling,
            normalisation="l2" if self._normalize else None,
            costly=True,
        )

    @cached_property
    def _loaded(self) -> tuple[Any, Any, int]:
        """The tokenizer, the model, and how many tokens it takes."""
        torch, transformers = library("torch"), library("transformers")
        device = chosen_device(self._device) or ("cuda" if torch.cuda.is_available() else "cpu")
        with loading(self._found.name):
            folder = str(self._found.here())
            tokenizer = transformers.AutoTokenizer.from_pretrained(folder, trust_remote_code=self._trust)
            model = transformers.AutoModel.from_pretrained(folder, trust_remote_code=self._trust)
        if model.config.is_encoder_decoder:
            model = model.get_encoder()  # what a sentence means to T5 and its like
        if tokenizer.pad_token is None:
            tokenizer.pad_token = tokenizer.eos_token
        layers = getattr(model.config, "num_hidden_layers", 0)
        if not -layers - 1 <= self._layer <= layers:
            raise KostraError(
                f"there is no layer {self._layer}",
                where=f"hf:{self._found.name}",
                accepted=f"0 (embeddings) to {layers} (last), or -1 (last) to {-layers - 1} (embeddings)",
            )
        longest = min(tokenizer.model_max_length, getattr(model.config, "max_position_embeddings", 512))
        return tokenizer, model.to(device).eval(), int(longest)

    def encode(self, sentences: Sequence[str], *, batch_size: int = 32) -> Matrix:
        """One vector per sentence; what is longer than the model takes is cut."""
        torch = library("torch")
        tokenizer, model, longest = self._loaded
        found = [np.zeros((0, model.config.hidden_size), dtype=np.float32)]
        for start in range(0, len(sentences), batch_size):
            some = list(sentences[start : start + batch_size])
            with torch.inference_mode():
                tokens = tokenizer(some, padding=True, truncation=True, max_length=longest, return_tensors="pt")
                tokens = tokens.to(model.device)
                states = model(**tokens, output_hidden_states=True).hidden_states[self._layer]
                found.append(numbers(self._pooled(states, tokens["attention_mask"])))
        vectors = np.concatenate(found)
        return unit(vectors).astype(np.float32) if self._normalize else vectors

    def _pooled(self, states: Any, mask: Any) -> Any:
        """One vector per row of (sentence, token, dimension)."""
        if self._pooling == "cls":
            # The first token that is no padding: some tokenizers pad on the left.
            return states[range(len(states)), mask.argmax(dim=1)]
        counted = mask.unsqueeze(-1).to(states.dtype)
        if self._pooling == "mean":
            return (states * counted).sum(dim=1) / counted.sum(dim=1).clamp(min=1)
        return states.masked_fill(counted == 0, float("-inf")).amax(dim=1)


def make(
    argument: str | None,
    *,
    pooling: Pooling = "mean",
    layer: int = -1,
    normalize: bool = False,
    device: str | None = None,
    trust_remote_code: bool = False,
) -> Transformer:
    """Make the encoder; the argument is a model's name or a folder.

    Parameters
    ----------
    argument
        Such as ``bert-base-uncased`` or ``./my-model``.
    pooling
        mean, max or cls (the first token).
    layer
        Which hidden states: -1 is the last layer, 0 the embeddings.
    normalize, device, trust_remote_code
        As for ``sbert``.
    """
    name = needs_argument("hf", argument, what=ARGUMENT)
    needs("torch", "transformers", purpose="the encoder hf")
    return Transformer(
        find_model(name, where=f"hf:{name}"),
        pooling=pooling,
        layer=layer,
        normalize=normalize,
        device=device,
        trust_remote_code=trust_remote_code,
    )
