"""Training one model on some pairs and asking it about others: small, seeded, kept once finished."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from kostra import files, registry
from kostra.encoders import encoder, identity_of, similarities, specs
from kostra.encoders.models import chosen_device
from kostra.errors import KostraError, unknown
from kostra.evaluate.heads import Architecture, Base, PairModel, Pairs, needs_torch

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Steps = Callable[[int, int], None]
"""Called with (steps done, steps in all) of one training."""

_TESTED_AT_ONCE = 128
_STRETCH = 32  # batches within which pairs are sorted by length


@dataclass(frozen=True)
class Settings:
    """How a model is trained. The defaults are the usual ones for BERT-like models."""

    model: str
    architecture: Architecture = "two_tower"
    loss: Literal["cosine", "squared_error"] | None = None
    """``cosine``: squared difference of the cosine and the score; ``squared_error``: of the head's number and it."""
    projection: int = 200
    activation: str = "relu"
    epochs: int = 1
    batch: int = 16
    learning_rate: float = 2e-5
    head_learning_rate: float = 1e-3
    """Of the new layers of a cross-attention model, which start from nothing."""
    warmup: float = 0.1
    """Share of the steps during which the learning rate rises; then it falls to 0."""
    weight_decay: float = 0.01
    longest: int = 128
    device: str = "auto"

    def named(self) -> None:
        """Refuse what cannot go together, and a model that no name can mean; nothing is loaded."""
        fitting = {"word_vectors": "cosine", "two_tower": "cosine", "cross_attention": "squared_error"}
        if self.loss not in (None, fitting[self.architecture]):
            raise KostraError(
                f'the loss "{self.loss}" does not fit the architecture "{self.architecture}"',
                accepted=fitting[self.architecture],
            )
        if self.architecture != "word_vectors":
            Base.named(self.model)
        elif not registry.exists("encoders", specs.parse(self.model).name):
            raise unknown("encoder", self.model, registry.names("encoders"))

    def checked(self) -> Settings:
        """Ready to train: names are refused if they are wrong, and the device is chosen."""
        self.named()
        return replace(self, device=_device(self.device)) if self.architecture != "word_vectors" else self


def _device(wanted: str) -> str:
    torch = needs_torch()
    if wanted == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    return chosen_device(wanted) or "cpu"


def predictions(
    settings: Settings,
    train: tuple[Pairs, FloatArray],
    test: Pairs,
    *,
    seed: int,
    folder: Path | None = None,
    steps: Steps | None = None,
) -> FloatArray:
    """Train on `train` (pairs, and scores from 0 to 1) and say a number for each pair of `test`.

    Parameters
    ----------
    seed
        Of the order of the pairs, the new layers and dropout.
    folder
        Where finished numbers are kept under a hash of all that they depend on, and found again.
    """
    kept = folder / f"{_name(settings, train, test, seed)}.json" if folder else None
    if kept and kept.exists():
        return np.asarray(json.loads(files.read_text(kept))["predicted"], dtype=np.float64)
    predicted = _asked(settings, train, test, seed=seed, steps=steps)
    if kept:
        kept.parent.mkdir(parents=True, exist_ok=True)
        content = {"settings": asdict(settings), "seed": seed, "predicted": [float(one) for one in predicted]}
        files.write_text(json.dumps(content) + "\n", kept)
    return predicted


def _name(settings: Settings, train: tuple[Pairs, FloatArray], test: Pairs, seed: int) -> str:
    """A hash of whatever the numbers depend on; the machine's device is no part of it."""
    if settings.architecture == "word_vectors":
        state = identity_of(encoder(settings.model)).revision
    else:
        state = Base.named(settings.model).found().state()
    parts = [replace(settings, device=""), state, list(train[0]), train[1].tolist(), list(test), seed]
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:20]


def _asked(
    settings: Settings, train: tuple[Pairs, FloatArray], test: Pairs, *, seed: int, steps: Steps | None
) -> FloatArray:
    if settings.architecture == "word_vectors":
        return _calibrated(settings.model, train, test)
    torch = needs_torch()
    # Dropout and new layers draw from PyTorch's global generator: it is seeded here and given back as it was.
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        base = Base.named(settings.model)
        model = PairModel(
            base,
            settings.architecture,
            projection=settings.projection,
            activation=settings.activation,
            longest=settings.longest,
            device=settings.device,
        )
        _train(model, *train, settings=settings, rng=np.random.default_rng(seed), steps=steps)
        return _say(model, test)


def _calibrated(spec: str, train: tuple[Pairs, FloatArray], test: Pairs) -> FloatArray:
    """Cosine of averaged word vectors, mapped by the line that fits the training scores best.

    The line changes no correlation (unless it falls) and makes the error comparable.
    """
    chosen = encoder(spec)
    known, asked = similarities(chosen, list(train[0])), similarities(chosen, list(test))
    spread = float(known.var()) if len(known) else 0.0
    slope = float(np.mean((known - known.mean()) * (train[1] - train[1].mean()))) / spread if spread > 0 else 1.0
    start = float(train[1].mean()) - slope * float(known.mean()) if spread > 0 else 0.0
    return np.asarray(start + slope * asked, dtype=np.float64)


def _train(
    model: PairModel,
    pairs: Pairs,
    scores: FloatArray,
    *,
    settings: Settings,
    rng: np.random.Generator,
    steps: Steps | None,
) -> None:
    torch = needs_torch()
    total = math.ceil(len(pairs) / settings.batch) * settings.epochs
    optimiser = torch.optim.AdamW(_groups(model, settings), weight_decay=settings.weight_decay)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda done: _rate(done, total, settings.warmup))
    model.parts.train()
    done = 0
    for _ in range(settings.epochs):
        for rows in _batches(pairs, settings.batch, rng):
            wanted = torch.tensor(scores[rows], dtype=torch.float32, device=model.device)
            loss = torch.nn.functional.mse_loss(model.scores([pairs[row] for row in rows]), wanted)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parts.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            done += 1
            if steps:
                steps(done, total)


def _batches(pairs: Pairs, size: int, rng: np.random.Generator) -> list[IntArray]:
    """Shuffled batches of pairs of like length, so that little is padded: half the time, the same learning.

    Pairs are shuffled, sorted by length within stretches of many batches, cut, and the batches shuffled.
    """
    order = rng.permutation(len(pairs))
    lengths = np.array([max(len(a), len(b)) for a, b in pairs])
    stretch = size * _STRETCH
    cut: list[IntArray] = []
    for start in range(0, len(order), stretch):
        near = order[start : start + stretch]
        near = near[np.argsort(lengths[near], kind="stable")]
        cut += [near[place : place + size] for place in range(0, len(near), size)]
    return [cut[place] for place in rng.permutation(len(cut))]


def _groups(model: PairModel, settings: Settings) -> list[dict[str, Any]]:
    rates = (settings.learning_rate, settings.head_learning_rate)
    return [{"params": list(part.parameters()), "lr": rate} for part, rate in zip(model.parts, rates, strict=False)]


def _rate(done: int, total: int, warmup: float) -> float:
    """Share of the learning rate at a step: up to 1, then down to 0.

    Examples
    --------
    >>> [round(_rate(done, 10, 0.2), 3) for done in (0, 1, 2, 6, 9)]
    [0.5, 1.0, 1.0, 0.5, 0.125]
    """
    rising = round(total * warmup)
    if done < rising:
        return (done + 1) / rising
    return max(total - done, 0) / max(total - rising, 1)


def _say(model: PairModel, pairs: Pairs) -> FloatArray:
    """Numbers for pairs, in order; pairs of like length go together, so that little is padded."""
    torch = needs_torch()
    model.parts.eval()
    order = sorted(range(len(pairs)), key=lambda row: len(pairs[row][0]) + len(pairs[row][1]))
    said = np.empty(len(pairs))
    with torch.no_grad():
        for start in range(0, len(pairs), _TESTED_AT_ONCE):
            rows = order[start : start + _TESTED_AT_ONCE]
            said[rows] = model.scores([pairs[row] for row in rows]).cpu().numpy()
    return said


def scaled(scores: Sequence[float] | FloatArray, *, low: float, high: float) -> FloatArray:
    """Scores from their own range to 0 to 1.

    Examples
    --------
    >>> scaled([0.0, 3.0, 6.0], low=0, high=6).tolist()
    [0.0, 0.5, 1.0]
    """
    return (np.asarray(scores, dtype=np.float64) - low) / (high - low)
