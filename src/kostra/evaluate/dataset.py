"""A dataset as evaluation sees it: pairs with scores or labels, sentences with their changes, answers of people."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kostra.errors import KostraError, some, unknown
from kostra.evaluate.folds import Ends
from kostra.tables import PAIRS, SCORES, Frame

FloatArray = NDArray[np.float64]

MTEB_LANGUAGES = {
    "af": "afr-Latn", "am": "amh-Ethi", "ar": "ara-Arab", "arb": "arb-Arab", "arq": "arq-Arab", "ary": "ary-Arab",
    "cs": "ces-Latn", "de": "deu-Latn", "en": "eng-Latn", "es": "spa-Latn", "fr": "fra-Latn", "ha": "hau-Latn",
    "hi": "hin-Deva", "id": "ind-Latn", "it": "ita-Latn", "mr": "mar-Deva", "pa": "pan-Guru", "pl": "pol-Latn",
    "pt": "por-Latn", "ru": "rus-Cyrl", "rw": "kin-Latn", "sk": "slk-Latn", "te": "tel-Telu", "uk": "ukr-Cyrl",
}  # fmt: skip
"""ISO 639 codes as kostra's tables have them, to the codes with scripts that MTEB uses."""

ENTAILMENT = ("entailment", "neutral", "contradiction")


@dataclass(frozen=True, eq=False)
class Scored:
    """Pairs that have a score for one question."""

    question: str
    ids: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    gold: FloatArray
    sources: tuple[str, ...]
    """Empty where a pair names none."""
    subsets: tuple[str, ...]
    groups: tuple[str, ...] | None
    """Seed, image or incident of each pair, where all pairs have one."""

    def ends(self) -> Ends:
        """Which sentences each pair has."""
        return Ends.of(self.pairs)

    def revision(self) -> str:
        """A hash of sentences and scores, so that results say which rows they were computed from."""
        rows = (f"{one}\0{two}\0{value!r}" for (one, two), value in zip(self.pairs, self.gold.tolist(), strict=True))
        return hashed(rows)


@dataclass(frozen=True, eq=False)
class Labelled:
    """Pairs that have a label for one question."""

    question: str
    ids: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    labels: tuple[str, ...]
    sources: tuple[str, ...]
    groups: tuple[str, ...] | None
    reverse: tuple[str | None, ...]
    """The id of the pair with the sentences swapped, where there is one."""

    def revision(self) -> str:
        """A hash of sentences and labels."""
        return hashed(f"{one}\0{two}\0{label}" for (one, two), label in zip(self.pairs, self.labels, strict=True))


def hashed(rows: Iterable[str]) -> str:
    """Sixteen hexadecimal digits that change when a row does."""
    digest = hashlib.sha256()
    for row in rows:
        digest.update(row.encode() + b"\n")
    return digest.hexdigest()[:16]


@dataclass(frozen=True, eq=False)
class Dataset:
    """What was read.

    Examples
    --------
    >>> pairs = pl.DataFrame({"pair": ["p"], "text_a": ["A dog."], "text_b": ["A cat."]})
    >>> scores = pl.DataFrame({"item": ["p"], "question": ["relatedness"], "score": [0.5], "appearances": [1]})
    >>> from kostra.tables import check
    >>> data = Dataset("mine", pairs=check(pairs, PAIRS), scores=check(scores, SCORES))
    >>> data.tasks(), data.scored().gold.tolist()
    (('relatedness',), [0.5])
    """

    name: str
    where: str = ""
    language: str = "und"
    low: float | None = None
    """Ends of the score's range as it was declared; None where only the scores themselves tell."""
    high: float | None = None
    question: str | None = None
    """The main question, where the dataset has several."""
    pairs: Frame = field(default_factory=PAIRS.empty)
    scores: Frame = field(default_factory=SCORES.empty)
    sentences: Frame | None = None
    judgments: Frame | None = None
    tuples: Frame | None = None
    triplets: Frame | None = None
    """Columns anchor, near, far: sentences as text."""
    groups: Mapping[str, str] = field(default_factory=dict)
    """Pair to its seed, image or incident."""
    splits: Mapping[str, str] = field(default_factory=dict)
    """Pair to the part it was released in: train, validation, test."""
    split: str = ""
    """The part that was chosen; empty where all pairs are here."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """Rows left out on the way in, by reason."""
    findings: tuple[str, ...] = ()

    @property
    def languages(self) -> tuple[str, ...]:
        """As MTEB writes them."""
        return (MTEB_LANGUAGES[self.language],) if self.language in MTEB_LANGUAGES else ()

    def tasks(self) -> tuple[str, ...]:
        """What an encoder can be asked about this dataset."""
        found = []
        if self.questions("score"):
            found.append("relatedness")
        if any(self._is_entailment(question) for question in self.questions("label")):
            found.append("entailment")
        rewrites = self.sentences is not None and self.sentences["change"].drop_nulls().len() > 0
        if rewrites:
            found.append("transformations")
        if self.triplets is not None or rewrites:
            found.append("triplets")
        contexts = self.pairs["context_a"].drop_nulls().len() > 0 and self.pairs["context_b"].drop_nulls().len() > 0
        if contexts and len(self.questions("score")) > 1:
            found.append("context_shift")
        return tuple(found)

    def part(self, split: str) -> Dataset:
        """The pairs of one split with their scores; answers stay, since a score may rest on those about other pairs.

        Examples
        --------
        >>> pairs = (
        ...     PAIRS.empty().clear(2).with_columns(pair=pl.Series(["p", "q"]), text_a=pl.lit(""), text_b=pl.lit(""))
        ... )
        >>> data = Dataset("mine", pairs=pairs, splits={"p": "train", "q": "test"})
        >>> data.part("test").pairs["pair"].to_list()
        ['q']
        """
        known = sorted(set(self.splits.values()))
        if split not in known:
            raise unknown("split", split, known, where=self.where or self.name)
        chosen = pl.Series([name for name, part in self.splits.items() if part == split], dtype=pl.String).implode()
        return replace(
            self,
            split=split,
            pairs=self.pairs.filter(pl.col("pair").is_in(chosen)),
            scores=self.scores.filter(pl.col("item").is_in(chosen)),
        )

    def questions(self, kind: str) -> list[str]:
        """Questions that have a score (or a label) on at least one pair, the main one first."""
        known = self.scores.drop_nulls(kind).filter(pl.col("item").is_in(self.pairs["pair"].implode()))
        names: list[str] = known["question"].unique(maintain_order=True).to_list()
        return sorted(names, key=lambda name: name != self.question)

    def _is_entailment(self, question: str) -> bool:
        labels = self.scores.filter(pl.col("question") == question)["label"].drop_nulls().unique()
        return set(labels.str.to_lowercase()) <= set(ENTAILMENT)

    def _question(self, question: str | None, kind: str) -> str:
        known = self.questions(kind)
        if question is not None and question not in known:
            raise unknown(f"question with a {kind}", question, known, where=self.where or self.name)
        if not known:
            raise KostraError(f"no pair has a {kind}", where=self.where or self.name, accepted=f"pairs with a {kind}")
        return question or known[0]

    def scored(self, question: str | None = None) -> Scored:
        """The pairs that have a score for a question; the main one where none is named."""
        asked = self._question(question, "score")
        rows = self._rows(asked, "score")
        return Scored(
            asked,
            tuple(rows["pair"]),
            tuple(rows.select("text_a", "text_b").iter_rows()),
            rows["score"].to_numpy(),
            tuple(rows["source"].fill_null("")),
            tuple(rows["subset"].fill_null("")),
            self._groups(rows["pair"].to_list()),
        )

    def labelled(self, question: str | None = None) -> Labelled:
        """The pairs that have an entailment label for a question."""
        named = [name for name in self.questions("label") if self._is_entailment(name)]
        if question is None and not named:
            raise KostraError(
                "no pair has an entailment label",
                where=self.where or self.name,
                accepted=f"labels {', '.join(ENTAILMENT)}",
            )
        asked = self._question(question or named[0], "label")
        rows = self._rows(asked, "label").with_columns(pl.col("label").str.to_lowercase())
        strange = sorted(set(rows["label"]) - set(ENTAILMENT))
        if strange:
            raise KostraError(f'found the label "{strange[0]}"', where=asked, accepted=", ".join(ENTAILMENT))
        return Labelled(
            asked,
            tuple(rows["pair"]),
            tuple(rows.select("text_a", "text_b").iter_rows()),
            tuple(rows["label"]),
            tuple(rows["source"].fill_null("")),
            self._groups(rows["pair"].to_list()),
            tuple(rows["reverse"]),
        )

    def _rows(self, question: str, kind: str) -> Frame:
        asked = self.scores.filter(pl.col("question") == question).drop_nulls(kind).select(kind, pair="item")
        return self.pairs.join(asked, on="pair", how="inner", maintain_order="left")

    def _groups(self, ids: Sequence[str]) -> tuple[str, ...] | None:
        if not ids or not all(name in self.groups for name in ids):
            return None
        return tuple(self.groups[name] for name in ids)

    def range(self, gold: FloatArray) -> tuple[float, float]:
        """The declared range, or that of the scores where none was declared."""
        low = float(gold.min()) if self.low is None else self.low
        high = float(gold.max()) if self.high is None else self.high
        return low, high

    def needs(self, task: str) -> None:
        """Refuse a task that the dataset has no data for."""
        known = self.tasks()
        if task not in known:
            raise KostraError(
                f'"{self.name}" has nothing for the task "{task}"',
                where=self.where or None,
                accepted=some(known) or "nothing: it has neither scores nor labels nor rewrites",
            )
