"""What is put on a pretrained model to make it say how close two sentences are.

Two shapes [1]_ [2]_: two towers (each sentence encoded alone, the cosine on top) and cross-attention (both sentences
read together, a projection with an activation, one linear neuron). Both say numbers meant for 0 to 1. PyTorch is
imported where it is used, so that importing this file costs nothing.

References
----------
.. [1] N. Reimers and I. Gurevych (2019). Sentence-BERT: sentence embeddings using siamese BERT-networks.
.. [2] J. Sido, M. Seják, O. Pražák, M. Konopík and V. Moravec (2021). Czech news dataset for semantic textual
   similarity. Section 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from kostra.encoders.models import Model, find_model, loading, needs
from kostra.encoders.specs import parse
from kostra.errors import KostraError, unknown

Pairs = Sequence[tuple[str, str]]
Architecture = Literal["word_vectors", "two_tower", "cross_attention"]
POOLINGS = ("mean", "max", "cls", "pooler")
ACTIVATIONS = ("relu", "tanh", "gelu")


@dataclass(frozen=True)
class Base:
    """A pretrained model, named as an encoder is: ``hf:NAME?pooling=mean`` or ``sbert:NAME``.

    Examples
    --------
    >>> Base.named("hf:some/bert?pooling=cls")
    Base(kind='hf', name='some/bert', pooling='cls')
    >>> Base.named("dice")
    Traceback (most recent call last):
    ...
    kostra.errors.KostraError: "dice" cannot be fine-tuned
      accepted: hf:NAME?pooling=mean|max|cls|pooler, sbert:NAME
    """

    kind: Literal["hf", "sbert"]
    name: str
    pooling: str | None = None

    @classmethod
    def named(cls, spec: str) -> Base:
        """Read an encoder's name."""
        asked = parse(spec)
        if asked.name not in ("hf", "sbert") or asked.argument is None:
            accepted = f"hf:NAME?pooling={'|'.join(POOLINGS)}, sbert:NAME"
            raise KostraError(f'"{spec}" cannot be fine-tuned', accepted=accepted)
        strange = [option for option in asked.options if option != "pooling"]
        if strange:
            raise unknown("option of a model", strange[0], ["pooling"], where=spec)
        pooling = asked.options.get("pooling")
        if pooling is not None and pooling not in POOLINGS:
            raise unknown("pooling", pooling, POOLINGS, where=spec)
        if asked.name == "hf":
            return cls("hf", asked.argument, pooling)
        if pooling is not None:
            remedy = f"hf:{asked.argument}?pooling={pooling}"
            raise KostraError("a sentence-transformers model has its own pooling", where=spec, remedy=remedy)
        return cls("sbert", asked.argument)

    def found(self) -> Model:
        """The model, found but not loaded: a folder, a package that carries it, the local cache or the hub."""
        return find_model(self.name, where=f"{self.kind}:{self.name}")


class PairModel:
    """A model that gives a pair a number and can be trained: what the training loop sees.

    Parameters
    ----------
    base
        The pretrained model.
    architecture
        ``two_tower`` or ``cross_attention``.
    projection, activation
        The hidden layer of the head of a cross-attention model.
    longest
        Tokens after which a sentence, or a pair read together, is cut.
    device
        As PyTorch names it: ``cpu``, ``cuda``, ``mps``.
    """

    def __init__(
        self,
        base: Base,
        architecture: Architecture,
        *,
        projection: int = 200,
        activation: str = "relu",
        longest: int = 128,
        device: str = "cpu",
    ) -> None:
        torch = needs_torch()
        self.architecture = architecture
        self.longest = longest
        self.device = device
        self.trunk: Any
        if architecture == "two_tower" and base.kind == "sbert":
            self.trunk, self.tokenizer, self.pooling = _sentence_transformer(base, longest, device), None, None
            parts = [self.trunk]
        else:
            self.trunk, self.tokenizer = _transformer(base)
            self.pooling = base.pooling or "mean"
            parts = [self.trunk]
        if architecture == "cross_attention":
            if activation not in ACTIVATIONS:
                raise unknown("activation", activation, ACTIVATIONS)
            between = {"relu": torch.nn.ReLU, "tanh": torch.nn.Tanh, "gelu": torch.nn.GELU}[activation]()
            width = self.trunk.config.hidden_size
            self.head = torch.nn.Sequential(torch.nn.Linear(width, projection), between, torch.nn.Linear(projection, 1))
            parts.append(self.head)
        self.parts = torch.nn.ModuleList(parts).to(device)

    def scores(self, pairs: Pairs) -> Any:
        """One number per pair, through which gradients flow."""
        if self.architecture == "cross_attention":
            found = self._tokens([a for a, _ in pairs], [b for _, b in pairs])
            return self.head(_pooled(self.trunk(**found), found["attention_mask"], "pooler")).squeeze(-1)
        torch = needs_torch()
        place = {text: row for row, text in enumerate(dict.fromkeys(text for pair in pairs for text in pair))}
        vectors = self._vectors(list(place))
        first, second = ([place[pair[side]] for pair in pairs] for side in (0, 1))
        return torch.nn.functional.cosine_similarity(vectors[first], vectors[second])

    def _vectors(self, texts: list[str]) -> Any:
        if self.tokenizer is None:
            # sentence-transformers 5 renamed its tokenize.
            prepared = getattr(self.trunk, "preprocess", None) or self.trunk.tokenize
            found = {key: _on(self.device, value) for key, value in prepared(texts).items()}
            return self.trunk(found)["sentence_embedding"]
        found = self._tokens(texts)
        return _pooled(self.trunk(**found), found["attention_mask"], self.pooling or "mean")

    def _tokens(self, *texts: list[str]) -> Any:
        made = self.tokenizer(  # type: ignore[misc]
            *texts, padding=True, truncation=True, max_length=self.longest, return_tensors="pt"
        )
        return made.to(self.device)


def _on(device: str, value: Any) -> Any:
    return value.to(device) if hasattr(value, "to") else value


def _pooled(output: Any, mask: Any, pooling: str) -> Any:
    """One vector per row: of BERT's pooler, of the first token, or the mean or maximum over real tokens."""
    hidden = output.last_hidden_state
    if pooling == "pooler" and getattr(output, "pooler_output", None) is not None:
        return output.pooler_output
    if pooling in ("cls", "pooler"):
        return hidden[:, 0]
    real = mask.unsqueeze(-1).to(hidden.dtype)
    if pooling == "max":
        return hidden.masked_fill(real == 0, float("-inf")).amax(dim=1)
    return (hidden * real).sum(dim=1) / real.sum(dim=1).clamp(min=1e-9)


def _sentence_transformer(base: Base, longest: int, device: str) -> Any:
    needs("sentence_transformers", purpose="fine-tuning")
    from sentence_transformers import SentenceTransformer

    found = base.found()
    with loading(found.name):
        model = SentenceTransformer(str(found.here()), device=device)
    model.max_seq_length = min(longest, model.max_seq_length or longest)
    return model


def _transformer(base: Base) -> tuple[Any, Any]:
    needs("transformers", purpose="fine-tuning")
    from transformers import AutoModel, AutoTokenizer

    found = base.found()
    with loading(found.name):
        folder = str(found.here())
        return AutoModel.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)


def needs_torch() -> Any:
    """PyTorch, or the error that names the extra to install."""
    needs("torch", purpose="fine-tuning")
    import torch

    return torch
