"""Triplets: whether a sentence is closer to one that means the same than to one that does not.

After X. Zhu, T. Li and G. de Melo (2018). Exploring semantic properties of sentence embeddings. ACL 2018, 632–637.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kostra.encoders import Encoder, Similarity, encoder
from kostra.errors import KostraError
from kostra.evaluate.dataset import Dataset
from kostra.evaluate.likeness import likeness, revision
from kostra.evaluate.means import Means
from kostra.evaluate.outcome import WHOLE, Evaluation, Measure
from kostra.evaluate.rewrites import Rewrites, rewrites_of

IntArray = NDArray[np.int64]
NEAR = ("paraphrase",)
"""Kinds of rewrites that keep the meaning, by default."""
FAR = ("negation", "opposite meaning", "different meaning", "minimal change", "nonsense")
"""Kinds that change it, by default; where none of them is there, all kinds but the near ones."""


@dataclass(frozen=True)
class Triplet:
    """An anchor, a sentence that shall be near, one that shall be far, and of which kind the far one is."""

    anchor: str
    near: str
    far: str
    kind: str = ""


def triplets_of(rewrites: Rewrites, *, near: Sequence[str] = NEAR, far: Sequence[str] | None = None) -> list[Triplet]:
    """Every seed with every rewrite that keeps its meaning and every one that does not.

    Parameters
    ----------
    far
        Kinds of rewrites that change the meaning; those of `FAR` that are there unless named.

    Examples
    --------
    >>> made = Rewrites(
    ...     tuple("abc"),
    ...     ("It rains.", "Rain falls.", "It is dry."),
    ...     np.array([0, 0, 0]),
    ...     ("seed", "paraphrase", "negation"),
    ... )
    >>> triplets_of(made)
    [Triplet(anchor='It rains.', near='Rain falls.', far='It is dry.', kind='negation')]
    """
    known = rewrites.changes()
    usual = [kind for kind in FAR if kind in known] or [kind for kind in known if kind not in near]
    wanted = usual if far is None else list(far)
    for kind in (*near, *wanted):
        if kind not in known:
            raise KostraError(f'there is no rewrite of the kind "{kind}"', accepted=", ".join(known) or "none")
    by_seed: dict[int, dict[str, list[str]]] = {}
    for row, (seed, kind) in enumerate(zip(rewrites.seed.tolist(), rewrites.kinds, strict=True)):
        by_seed.setdefault(seed, {}).setdefault(kind, []).append(rewrites.texts[row])
    return [
        Triplet(rewrites.texts[seed], close, other, kind)
        for seed, kinds in by_seed.items()
        for kind in wanted
        for other in kinds.get(kind, ())
        for keeps in near
        for close in kinds.get(keeps, ())
    ]


def triplets(
    data: Dataset,
    encoders: Sequence[str] | Mapping[str, Encoder],
    *,
    near: Sequence[str] = NEAR,
    far: Sequence[str] | None = None,
    similarity: Similarity = "cosine",
    samples: int = 1000,
    rng: np.random.Generator,
) -> tuple[Evaluation, ...]:
    """The share of triplets in which the near sentence is nearer. A tie is an error, and counted.

    The triplets are those of the dataset, or made from its rewrites (`triplets_of`).
    """
    made = encoders if isinstance(encoders, Mapping) else {spec: encoder(spec) for spec in encoders}
    asked = _asked(data, near, far)
    anchors = np.unique([one.anchor for one in asked], return_inverse=True)[1].reshape(-1)
    kinds = np.array([one.kind for one in asked])
    means = Means(samples, rng)
    found = []
    for name, chosen in made.items():
        start = time.perf_counter()
        both = likeness(
            chosen, [*((one.anchor, one.near) for one in asked), *((one.anchor, one.far) for one in asked)], similarity
        )
        closer, further = both.values[: len(asked)], both.values[len(asked) :]
        right = closer > further
        measures: list[Measure] = [means.of(WHOLE, f"{similarity}_accuracy", right, anchors)]
        for kind in sorted(set(kinds.tolist()) - {""}):
            inside = kinds == kind
            measures.append(means.of(kind, f"{similarity}_accuracy", right[inside], anchors[inside]))
        counted = {**both.counts, "triplets": len(asked), "ties": int((closer == further).sum())}
        counted.pop("tied_pairs", None)
        found.append(
            Evaluation(
                encoder=name,
                dataset=data.name,
                task="triplets",
                measures=tuple(measures),
                revision=revision(chosen),
                languages=data.languages,
                similarity=both.similarity,
                counts={**data.counts, **counted},
                seconds=time.perf_counter() - start,
                details={"near": list(near)} if data.triplets is None else {},
            )
        )
    return tuple(found)


def _asked(data: Dataset, near: Sequence[str], far: Sequence[str] | None) -> list[Triplet]:
    if data.triplets is not None:
        return [Triplet(*row) for row in data.triplets.select("anchor", "near", "far").iter_rows()]
    if data.sentences is None:
        data.needs("triplets")
        raise AssertionError  # pragma: no cover - `needs` has refused
    asked = triplets_of(rewrites_of(data.sentences), near=near, far=far)
    if not asked:
        raise KostraError("no seed has both kinds of rewrites", where=data.where or data.name)
    return asked
