"""SentEval's calls: ``prepare(params, samples)`` and ``batcher(params, batch)`` work here as they were written.

SentEval [1]_ hands a batch of tokenised sentences to a function and gets one vector each. `SE` takes the same three
arguments and evaluates on kostra's datasets; `Batched` is the encoder behind it, for every other door of kostra.

References
----------
.. [1] A. Conneau and D. Kiela (2018). SentEval: an evaluation toolkit for universal sentence representations. LREC.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kostra.encoders import Vectors
from kostra.errors import KostraError
from kostra.evaluate.dataset import Dataset
from kostra.evaluate.entailment import entailment
from kostra.evaluate.outcome import Evaluation
from kostra.evaluate.reading import read_dataset
from kostra.evaluate.relatedness import relatedness
from kostra.evaluate.rewrites import rewrites_of
from kostra.evaluate.transformations import transformations
from kostra.resample import seeded

Tokens = list[str]
Batcher = Callable[[Any, list[Tokens]], Any]
Prepare = Callable[[Any, list[Tokens]], Any]
BATCH = 128
"""SentEval's own default."""


class Params(dict[str, Any]):
    """Settings that are read and set as keys and as attributes, as SentEval's are.

    Examples
    --------
    >>> params = Params(seed=1)
    >>> params.word2id = {"a": 0}
    >>> params["word2id"], params.seed
    ({'a': 0}, 1)
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


class Batched:
    """An encoder made from a batcher; sentences are split at white space, as SentEval's files are.

    Examples
    --------
    >>> def batcher(params, batch):
    ...     return [[len(sentence), sum(len(word) for word in sentence)] for sentence in batch]
    >>> Batched(batcher).encode(["a dog", "it rains again"]).tolist()
    [[2.0, 4.0], [3.0, 12.0]]
    """

    def __init__(
        self,
        batcher: Batcher,
        prepare: Prepare | None = None,
        params: Mapping[str, Any] | None = None,
        *,
        tokenize: Callable[[str], Tokens] = str.split,
    ) -> None:
        self.params = params if isinstance(params, Params) else Params(params or {})
        self._batcher, self._prepare, self._tokenize = batcher, prepare, tokenize
        self._prepared = prepare is None

    def prepare(self, sentences: Sequence[str]) -> None:
        """Let the user's ``prepare`` see all sentences, to build a vocabulary from; encoding does it if nobody did."""
        self._prepared = True
        if self._prepare is not None:
            self._prepare(self.params, [self._tokenize(text) for text in dict.fromkeys(sentences)])

    def encode(self, sentences: Sequence[str], *, batch_size: int | None = None) -> Vectors:
        """One row per sentence."""
        if not self._prepared:
            self.prepare(sentences)
        size = int(batch_size or self.params.get("batch_size", BATCH))
        made = []
        for start in range(0, len(sentences), size):
            batch = [self._tokenize(text) for text in sentences[start : start + size]]
            found = np.asarray(self._batcher(self.params, batch), dtype=np.float64)
            if found.ndim != 2 or len(found) != len(batch):
                raise KostraError(
                    f"the batcher gave an array of the shape {found.shape} to {len(batch)} sentences",
                    accepted="one row of numbers per sentence",
                )
            made.append(found)
        return np.concatenate(made) if made else np.zeros((0, 0))


class SE:
    r"""SentEval's engine on kostra's datasets.

    Parameters
    ----------
    params
        As SentEval's: ``task_path`` is the folder in which datasets are looked for, ``seed`` seeds whatever is drawn,
        ``batch_size`` is how many sentences a batcher gets. Whatever else is there reaches the user's functions.
    batcher, prepare
        The user's functions.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "mine.csv").write_text("sentence1,sentence2,score\na b,a b,1\na b,b c,0.5\na b,c d,0\n")
    ...     words = lambda params, batch: [[float(letter in sentence) for letter in "abcd"] for sentence in batch]
    ...     found = SE({"task_path": folder}, words).eval(["mine.csv"])
    >>> found["mine.csv"]["all"]["spearman"], found["mine.csv"]["all"]["nsamples"]
    (1.0, 3)
    """

    def __init__(
        self,
        params: Mapping[str, Any],
        batcher: Batcher,
        prepare: Prepare | None = None,
        *,
        name: str = "batcher",
        samples: int = 0,
    ) -> None:
        self.params = Params(params)
        self.evaluations: list[Evaluation] = []
        """Everything in kostra's own form, for results, leaderboard and pictures."""
        self._encoder = Batched(batcher, prepare, self.params)
        self._name, self._samples = name, samples

    def eval(self, name: str | Sequence[str]) -> dict[str, Any]:
        """Evaluate on datasets; a list gives one entry per dataset, a single name that entry alone.

        An entry has the figures of each part, ``all`` first, under SentEval's names: ``pearson``, ``spearman``,
        ``nsamples``; other tasks have their own.
        """
        if isinstance(name, str):
            return self._one(name)
        return {one: self._one(one) for one in name}

    def _one(self, name: str) -> dict[str, Any]:
        data = read_dataset(self._path(name))
        self._encoder.prepare(_sentences(data))
        found = self._evaluated(data)
        self.evaluations += found
        made: dict[str, Any] = {}
        for one in found:
            for measure in one.measures:
                entry = made.setdefault(measure.part, {})
                entry[measure.metric.removeprefix("cosine_")] = measure.value
                entry["nsamples"] = max(measure.n, entry.get("nsamples", 0))
        return made

    def _path(self, name: str) -> str:
        """In the folder ``task_path`` where it is there, else as it stands; ``NAME=FILE`` as everywhere in kostra."""
        known, mark, file = name.rpartition("=")
        inside = Path(self.params.get("task_path", "")) / file
        return f"{known}{mark}{inside}" if inside.exists() else name

    def _evaluated(self, data: Dataset) -> list[Evaluation]:
        made = {self._name: self._encoder}
        found: list[Evaluation] = []
        for task in data.tasks():
            rng = seeded(int(self.params.get("seed", 0)))
            if task == "relatedness":
                found += relatedness(data, made, samples=self._samples, rng=rng).evaluations
            elif task == "entailment":
                found += entailment(data, made, samples=self._samples, rng=rng)
            elif task == "transformations":
                found += transformations(data, made, samples=self._samples, rng=rng)
        if not found:
            data.needs("relatedness")
        return found


def _sentences(data: Dataset) -> list[str]:
    found = [text for side in ("text_a", "text_b") for text in data.pairs[side].to_list()]
    if data.sentences is not None:
        found += rewrites_of(data.sentences).texts
    return list(dict.fromkeys(found))
