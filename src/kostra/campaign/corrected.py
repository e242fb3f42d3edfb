"""The pairs in their last wording after leaders' and linguists' corrections.

A correction is the answer to a question called ``correction`` (of the second sentence, which a rule made) or
``correction_a`` (of the first one) that differs from the text that was shown. It changes the sentence in every pair in
which it stands, which makes a new version of each; corrections follow each other in the order in which they were given.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from kostra.campaign.shelves import sentence_ids
from kostra.errors import KostraError
from kostra.recipe import Name, Strict
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame

READS = ("pairs", "judgments")
WRITES = ("pairs",)


class Options(Strict):
    """Which questions correct a sentence."""

    question: Name = "correction"
    """Corrects the second sentence of a pair."""
    first: Name = "correction_a"
    """Corrects the first sentence of a pair."""


@dataclass(frozen=True)
class Correction:
    """One sentence in another wording."""

    sentence: str
    before: str
    after: str
    pair: str
    """Where it was corrected."""
    judgment: str
    pairs: int
    """How many pairs it reached."""


def corrected_pairs(
    pairs: Frame,
    judgments: Frame,
    *,
    question: str = "correction",
    first: str = "correction_a",
) -> tuple[Frame, list[Correction]]:
    """The pairs in their last wording, and the corrections in order.

    Parameters
    ----------
    judgments
        All judgments of the campaign, in the order in which they were given.

    Examples
    --------
    A pair and its reverse share both sentences:

    >>> pairs = pl.DataFrame(
    ...     {
    ...         "pair": ["p", "r"],
    ...         "text_a": ["A cat.", "A dgo."],
    ...         "text_b": ["A dgo.", "A cat."],
    ...         "sentence_a": ["s1", "s2"],
    ...         "sentence_b": ["s2", "s1"],
    ...     }
    ... )
    >>> answer = {
    ...     "judgment": "j1",
    ...     "item": "p",
    ...     "version": 1,
    ...     "question": "correction",
    ...     "value": "A dog.",
    ...     "status": "answered",
    ...     "answered_at": None,
    ... }
    >>> mended, corrections = corrected_pairs(pairs, pl.DataFrame([answer]))
    >>> mended.select("text_a", "text_b").rows(), corrections[0].pairs
    ([('A cat.', 'A dog.'), ('A dog.', 'A cat.')], 2)
    """
    replay = _Replay(pairs)
    # A correction stays even if the answers of whoever made it are discarded: others judged what it made.
    asked = judgments.filter(pl.col("question").is_in([question, first]) & (pl.col("status") != "superseded"))
    ordered = asked.drop_nulls("value").sort("answered_at", nulls_last=True, maintain_order=True)
    corrections = []
    for row in ordered.select("judgment", "item", "version", "question", "value").iter_rows():
        found = replay.take(*row[:3], of_first=row[3] == first, value=row[4])
        if found is not None:
            corrections.append(found)
    return replay.pairs(), corrections


class _Replay:
    """The wordings of all sentences while corrections are taken in one after the other."""

    def __init__(self, pairs: Frame) -> None:
        self._frame = pairs
        self._sides = {row["pair"]: sentence_ids(row) for row in pairs.iter_rows(named=True)}
        self._having: dict[str, list[str]] = {}
        self._texts: dict[str, str] = {}
        """Sentence → its wording now."""
        self._shown: dict[str, list[tuple[str, str]]] = {}
        """Pair → its two texts in each version."""
        for pair, text_a, text_b in pairs.select("pair", "text_a", "text_b").iter_rows():
            for sentence, text in zip(self._sides[pair], (text_a, text_b), strict=True):
                self._having.setdefault(sentence, []).append(pair)
                self._texts.setdefault(sentence, text)
            self._shown[pair] = [(text_a, text_b)]

    def take(self, judgment: str, pair: str, version: int, *, of_first: bool, value: str) -> Correction | None:
        if pair not in self._sides:
            raise KostraError(
                f'the judgment "{judgment}" corrects "{pair}", which is none of the pairs',
                remedy="read the pairs that were corrected",
            )
        versions = self._shown[pair]
        if not 1 <= version <= len(versions):
            raise KostraError(
                f'the judgment "{judgment}" is about version {version} of "{pair}", which has {len(versions)}',
                accepted="all judgments of the campaign, in the order in which they were given",
            )
        side = 0 if of_first else 1
        if value == versions[version - 1][side]:
            return None  # left as it was shown
        sentence = self._sides[pair][side]
        before, self._texts[sentence] = self._texts[sentence], value
        if before == value:
            return None  # somebody else had mended it so in the meantime
        reached = list(dict.fromkeys(self._having[sentence]))
        for one in reached:
            text_a, text_b = (self._texts[each] for each in self._sides[one])
            if text_a == text_b:
                raise KostraError(f'the judgment "{judgment}" makes both sentences of "{one}" the same: "{value}"')
            self._shown[one].append((text_a, text_b))
        return Correction(sentence, before, value, pair, judgment, len(reached))

    def pairs(self) -> Frame:
        last = {pair: versions[-1] for pair, versions in self._shown.items() if len(versions) > 1}
        if not last:
            return self._frame
        rows = []
        for row in self._frame.iter_rows(named=True):
            if row["pair"] in last:
                for side, text in zip("ab", last[row["pair"]], strict=True):
                    marked = row.get(f"context_{side}")
                    if marked is not None:
                        was = f"<sent>{row[f'text_{side}']}</sent>"
                        row[f"context_{side}"] = marked.replace(was, f"<sent>{text}</sent>")
                    row[f"text_{side}"] = text
            rows.append(row)
        return pl.DataFrame(rows, schema=self._frame.schema)


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """As many pairs as before."""
    count = inputs.get("pairs", 0)
    return Plan(f"{count:,} pairs in their last wording", {"pairs": count})


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Apply the corrections, and count them."""
    try:
        pairs, corrections = corrected_pairs(
            inputs["pairs"], inputs["judgments"], question=options.question, first=options.first
        )
    except KostraError as error:
        error.where = error.where or f'step "{context.step.name}"'
        raise
    mended = {one.sentence for one in corrections}
    changed = (pairs["text_a"] != inputs["pairs"]["text_a"]) | (pairs["text_b"] != inputs["pairs"]["text_b"])
    reached = f"{int(changed.sum()):,} of {pairs.height:,} pairs"
    said = f"{len(corrections):,} corrections of {len(mended):,} sentences reach {reached}"
    again = len(corrections) - len(mended)
    context.note("corrected", said + (f"; {again:,} were corrected again" if again else ""))
    return {"pairs": pairs}
