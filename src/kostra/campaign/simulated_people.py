"""Simulated annotators: what is known of each, what they see, and how noise turns it into a choice or a rating.

Each item has a latent value. In a best–worst choice an annotator sees it through Gumbel noise of their own scale: best
is the largest of *z + s·G*, worst the smallest of *z − s·G′* among the rest (Marley & Louviere, 2005). In a rating they
see it through normal noise and a leaning of their own. Careless annotators answer at random, and fast.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from kostra.encoders import encoder, similarities
from kostra.recipe import Score, Simulation
from kostra.tables import Frame

START = datetime(2000, 1, 3, 9, tzinfo=UTC)
"""Where the simulated clock starts: a date that nobody takes for a real one."""

SIMULATED = "simulated-"
"""How the names of simulated annotators begin, so that they are known again wherever their answers go."""

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class SimulatedAnnotator:
    """One made-up annotator."""

    name: str
    noise: float
    """Scale of the noise through which latent values are seen."""
    leaning: float
    """How far ratings lie above or below the truth, in latent units."""
    seconds: float
    """Typical thinking time."""
    careless: bool


def make_annotators(simulation: Simulation, *, rng: np.random.Generator) -> list[SimulatedAnnotator]:
    """Draw the annotators of a simulation: individual noise, leaning and speed; the declared share is careless."""
    count = simulation.annotators
    careless = set(rng.permutation(count)[: round(simulation.careless * count)].tolist())
    width = len(str(count))
    return [
        SimulatedAnnotator(
            name=f"{SIMULATED}{number + 1:0{width}d}",
            noise=float(simulation.noise * np.exp(simulation.spread * rng.standard_normal())),
            leaning=float(0.3 * rng.standard_normal()),
            seconds=float(
                simulation.seconds * np.exp(0.3 * rng.standard_normal()) * (0.2 if number in careless else 1)
            ),
            careless=number in careless,
        )
        for number in range(count)
    ]


def latent_relatedness(
    pairs: Frame, *, rng: np.random.Generator, scores: Frame | None = None, score: Score | None = None
) -> dict[str, float]:
    """Give each pair a latent relatedness of mean 0 and variance 1.

    Four fifths of the weight is the embedded encoder's cosine, so that the made-up truth has something to do with the
    sentences, and the rest is noise that no encoder can know. Evaluating encoders on it tests the plumbing, not them.
    What an earlier round said of a pair takes the encoder's place: two rounds about the same pairs must agree.
    """
    texts = list(pairs.select("text_a", "text_b").iter_rows())
    seen = similarities(encoder("static"), texts)
    spread = seen.std()
    standard = 0.8 * (seen - seen.mean()) / spread if spread > 0 else np.zeros(len(seen))
    latent = dict(zip(pairs["pair"].to_list(), standard.tolist(), strict=True))
    if scores is not None and score is not None:
        middle, unit = (score.low + score.high) / 2, (score.high - score.low) / 4
        said = scores.drop_nulls("score").select("item", "score").iter_rows()
        latent |= {item: (value - middle) / unit for item, value in said if item in latent}
    noise = 0.6 * rng.standard_normal(len(latent))
    return {pair: value + float(more) for (pair, value), more in zip(latent.items(), noise, strict=True)}


def choose_best_worst(
    seen: FloatArray,
    noise: FloatArray | Sequence[float],
    careless: NDArray[np.bool_] | Sequence[bool],
    *,
    rng: np.random.Generator,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Best and worst place of each tuple, a row of latent values each, for annotators of the given noise.

    Examples
    --------
    Without noise the largest and the smallest are chosen:

    >>> best, worst = choose_best_worst(np.array([[0.1, 2.0, -1.0]]), [0.0], [False], rng=np.random.default_rng(1))
    >>> best.tolist(), worst.tolist()
    ([1], [2])
    """
    scale = np.asarray(noise)[:, None]
    # Someone careless sees nothing of the item: equal values under noise are a choice at random.
    latent = np.where(np.asarray(careless)[:, None], 0.0, seen)
    scale = np.where(np.asarray(careless)[:, None], 1.0, scale)
    best = np.argmax(latent + scale * rng.gumbel(size=seen.shape), axis=1)
    low = latent - scale * rng.gumbel(size=seen.shape)
    low[np.arange(len(seen)), best] = np.inf
    return best, np.argmin(low, axis=1)


def on_scale(
    blurred: FloatArray, careless: NDArray[np.bool_] | Sequence[bool], score: Score, *, rng: np.random.Generator
) -> FloatArray:
    """Whole points of the scale: two standard deviations on either side of the mean span it, careless ones anywhere.

    Examples
    --------
    On 0 to 5 the middle is 2.5 and one latent unit 1.25 points: 1.2 is seen as 4.

    >>> on_scale(np.array([1.2]), [False], Score(question="q", low=0, high=5), rng=np.random.default_rng(1))
    array([4.])
    """
    value = (score.low + score.high) / 2 + blurred * (score.high - score.low) / 4
    guessed = rng.integers(int(score.low), int(score.high) + 1, size=len(blurred))
    # Adding zero turns the −0 that rounding can leave into 0, which is the same point of the scale.
    return np.where(careless, guessed, np.clip(np.round(value), score.low, score.high)) + 0.0
