"""A proposal: one word of one sentence, and what a checker would put in its place.

A table of proposals is a table of pairs, so that people can decide on each: the sentence as written (``text_a``, with
its id in ``sentence_a``) and as proposed (``text_b``), by which checker (``subset``). Place and rank stand in the id of
the pair, such as ``s17@4-9#1``: the best proposal for the characters from 4 up to 9 of s17, counted from 0.
`from_pairs` reads them back, and `mended` applies those that were accepted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from kostra.errors import KostraError
from kostra.tables import PAIRS, Frame, check

_ID = re.compile(r"(?P<sentence>.+)@(?P<start>\d+)-(?P<end>\d+)#(?P<rank>\d+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Proposal:
    """Something else in the place of one word."""

    start: int
    """Where the word begins, in characters from 0."""
    written: str
    proposed: str
    rank: int = 1
    """1 for the checker's first choice."""

    @property
    def end(self) -> int:
        """The place behind the word."""
        return self.start + len(self.written)

    def applied(self, text: str) -> str:
        """The text with what is proposed.

        Examples
        --------
        >>> Proposal(2, "catt", "cat").applied("A catt sat.")
        'A cat sat.'
        """
        return text[: self.start] + self.proposed + text[self.end :]


def to_pairs(sentences: Frame, proposals: Sequence[Sequence[Proposal]], *, checker: str) -> Frame:
    """A pair for each proposal, in the order of the sentences.

    Parameters
    ----------
    sentences
        With ``sentence``, ``text`` and ``source``.
    proposals
        Those of each sentence.

    Examples
    --------
    >>> sentences = pl.DataFrame({"sentence": ["s1"], "text": ["A catt sat."], "source": ["own"]})
    >>> made = to_pairs(sentences, [[Proposal(2, "catt", "cat")]], checker="hunspell")
    >>> made.select("pair", "text_b").rows()
    [('s1@2-6#1', 'A cat sat.')]
    """
    rows = [
        {
            "pair": f"{sentence}@{one.start}-{one.end}#{one.rank}",
            "text_a": text,
            "text_b": one.applied(text),
            "sentence_a": sentence,
            "source": source,
            "subset": checker,
        }
        for (sentence, text, source), found in zip(
            sentences.select("sentence", "text", "source").iter_rows(), proposals, strict=True
        )
        for one in found
    ]
    return check(pl.DataFrame(rows, schema=PAIRS.dtypes), PAIRS, where="proposals")


def from_pairs(pairs: Frame) -> dict[str, tuple[str, Proposal]]:
    """Pair to (sentence, proposal), for a table that `to_pairs` made.

    Examples
    --------
    >>> pairs = pl.DataFrame({"pair": ["s1@2-6#1"], "text_a": ["A catt sat."], "text_b": ["A cat sat."]})
    >>> from_pairs(pairs)
    {'s1@2-6#1': ('s1', Proposal(start=2, written='catt', proposed='cat', rank=1))}
    """
    return {
        pair: _proposal(pair, before, after)
        for pair, before, after in pairs.select("pair", "text_a", "text_b").iter_rows()
    }


def _proposal(pair: str, before: str, after: str) -> tuple[str, Proposal]:
    match = _ID.fullmatch(pair)
    if match is not None:
        start, end = int(match["start"]), int(match["end"])
        found = Proposal(start, before[start:end], after[start : len(after) - len(before) + end], int(match["rank"]))
        if start < end <= len(before) and found.applied(before) == after:
            return match["sentence"], found
    accepted = "the pairs of sources/spell, with ids such as s17@4-9#1"
    raise KostraError("this pair is no proposal of spelling", where=f'pair "{pair}"', accepted=accepted)


@dataclass(frozen=True)
class Mended:
    """A text after the accepted proposals."""

    text: str
    applied: tuple[Proposal, ...]
    left: tuple[Proposal, ...]
    """Accepted ones whose place another accepted one had taken."""


def mended(text: str, accepted: Iterable[Proposal]) -> Mended:
    """Apply accepted proposals, all of which speak of the text as it was written.

    Where two want the same place, the better rank is taken, and the other is left and told.

    Examples
    --------
    >>> mended("Teh catt sat.", [Proposal(0, "Teh", "The"), Proposal(4, "catt", "cat"), Proposal(4, "catt", "cart", 2)])
    Mended(text='The cat sat.', applied=(Proposal(start=0, written='Teh', proposed='The', rank=1),
    Proposal(start=4, written='catt', proposed='cat', rank=1)),
    left=(Proposal(start=4, written='catt', proposed='cart', rank=2),))
    """
    taken: list[Proposal] = []
    left: list[Proposal] = []
    for one in sorted(accepted, key=lambda one: (one.rank, one.start, one.proposed)):
        overlaps = any(one.start < other.end and other.start < one.end for other in taken)
        (left if overlaps else taken).append(one)
    for one in sorted(taken, key=lambda one: -one.start):  # from the end, so that places stay right
        if text[one.start : one.end] != one.written:
            what = f'"{one.written}" does not stand at {one.start}: the text is not the one that was checked'
            raise KostraError(what, where=f'"{text[:60]}"')
        text = one.applied(text)
    return Mended(text, tuple(sorted(taken, key=lambda one: one.start)), tuple(left))


def listed(sentences: Frame, proposals: Sequence[Sequence[Proposal]]) -> Frame:
    """The proposals as a plain list: one row each, with word, place and rank."""
    columns: Mapping[str, pl.DataType] = {
        "sentence": pl.String(), "start": pl.Int64(), "end": pl.Int64(), "word": pl.String(),
        "proposed": pl.String(), "rank": pl.Int64(), "text": pl.String(),
    }  # fmt: skip
    rows = [
        (sentence, one.start, one.end, one.written, one.proposed, one.rank, text)
        for (sentence, text), found in zip(sentences.select("sentence", "text").iter_rows(), proposals, strict=True)
        for one in found
    ]
    return pl.DataFrame(rows, schema=columns, orient="row")
