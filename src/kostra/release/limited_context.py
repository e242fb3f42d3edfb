"""Cuts contexts short around the marked key sentence, so that no source text can be rebuilt; passes on scores.

Cutting each context by itself is not enough: where many sentences of a report are judged, short contexts overlap, and
whoever lays them over each other has the report again. So all contexts are cut together. Every document is taken apart
into pieces, and a context is what stands around its key sentence in its piece:

- a piece is no longer than what may stand around one key sentence, and no longer than a share of its document;
- no two pieces of more than one sentence have a sentence in common, so that nothing joins them;
- a share of each document is never released, as far as its key sentences, which are the dataset, leave one.

Sentences count as the same by their words, wherever they stand: reports repeat each other, and a piece of one could
be joined to a piece of its copy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

import polars as pl
from pydantic import Field

from kostra.errors import KostraError, some
from kostra.recipe import Strict
from kostra.sources.split import split_text, splitter
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame
from kostra.text import bare

READS = ("pairs",)
WRITES = ("pairs", "scores")

OPEN, CLOSE = "<sent>", "</sent>"
Spans = Sequence[tuple[int, int]]
Split = Callable[[str], Spans]
"""Text → where its sentences begin and end."""


@dataclass(frozen=True)
class Marked:
    """A text with one key sentence: where it begins and ends."""

    text: str
    start: int
    end: int


def read_marked(context: str, *, where: str = "context") -> Marked:
    """Find the key sentence of a context.

    Examples
    --------
    >>> read_marked("It rained. <sent>A river rose.</sent>")
    Marked(text='It rained. A river rose.', start=11, end=24)
    """
    if context.count(OPEN) != 1 or context.count(CLOSE) != 1 or context.index(OPEN) > context.index(CLOSE):
        raise KostraError(
            "the key sentence cannot be told", where=where, accepted=f"a text with one sentence inside {OPEN}{CLOSE}"
        )
    before, _, rest = context.partition(OPEN)
    key, _, after = rest.partition(CLOSE)
    return Marked(before + key + after, len(before), len(before) + len(key))


@dataclass
class _Document:
    """One source text in its sentences, and the pieces that are released of it."""

    text: str
    keys: list[tuple[int, int]] = field(default_factory=list)
    """Where the key sentences stand."""
    units: list[tuple[int, int]] = field(default_factory=list)
    """Where its sentences stand, key sentences among them."""
    names: list[str] = field(default_factory=list)
    """Per unit what it is known by, wherever it stands: its words."""
    pieces: list[tuple[int, int]] = field(default_factory=list)
    """First and last unit of each piece, in order; each begins as one key sentence."""

    @property
    def released(self) -> int:
        return sum(last - first + 1 for first, last in self.pieces)


def limited(contexts: Sequence[str], *, sentences: int, share: float, split: Split) -> list[str]:
    """Cut contexts short together, so that what is released of each source text stays in pieces that cannot be joined.

    Parameters
    ----------
    contexts
        Texts with the key sentence inside ``<sent></sent>``. Those that are equal without the marks are one document.
    sentences
        Most sentences on either side of the key sentence.
    share
        Most of a document's sentences that stand in one piece, and that are released at all, save that its key
        sentences always are.
    split
        Where the sentences of a text stand.

    Returns
    -------
    list of str
        The contexts, cut; each is a stretch of the text it was, with its mark.

    Examples
    --------
    Half of eight sentences are four: one piece, from B to E, around both key sentences.

    >>> def split(text):
    ...     return [(place, place + 2) for place in range(len(text) - 1) if text[place + 1] == "."]
    >>> whole = "A. B. C. D. E. F. G. H."
    >>> texts = [whole.replace(key, f"<sent>{key}</sent>") for key in ("C.", "E.")]
    >>> limited(texts, sentences=2, share=0.5, split=split)
    ['B. <sent>C.</sent> D. E.', 'C. D. <sent>E.</sent>']
    """
    marked = [read_marked(text) for text in contexts]
    documents: dict[str, _Document] = {}
    for one in marked:
        document = documents.setdefault(one.text, _Document(one.text))
        if (one.start, one.end) not in document.keys:
            document.keys.append((one.start, one.end))
    for document in documents.values():
        _cut(document, split)
    joined: set[str] = set()
    growing = list(documents.values())
    while growing:  # by a sentence on each side at a time, so that neighbours get equally much
        growing = [one for one in growing if _grown(one, joined, sentences=sentences, share=share)]
    return [_released(one, documents[one.text], sentences) for one in marked]


def _cut(document: _Document, split: Split) -> None:
    """Cut a document in units: its key sentences, and the sentences between them."""
    whole: list[tuple[int, int]] = []
    for start, end in sorted(document.keys):
        if whole and start < whole[-1][1]:  # two key sentences that overlap are one unit
            whole[-1] = (whole[-1][0], max(end, whole[-1][1]))
        else:
            whole.append((start, end))
    position = 0
    for start, end in [*whole, (len(document.text), len(document.text))]:
        document.units += [(position + one, position + two) for one, two in split(document.text[position:start])]
        if end > start:
            document.pieces.append((len(document.units), len(document.units)))
            document.units.append((start, end))
        position = end
    document.names = [bare(document.text[start:end]).casefold() for start, end in document.units]


def _grown(document: _Document, joined: set[str], *, sentences: int, share: float) -> bool:
    """Let each piece grow by what stands before and behind it: another piece, or a sentence; whether one did.

    `joined` holds the sentences of all pieces of more than one: none of them may enter another.
    """
    most = int(share * len(document.units))
    longest = min(2 * sentences + 1, most)
    grown, number = False, 0
    while number < len(document.pieces):
        for side in (-1, 1):
            first, last = document.pieces[number]
            unit = first - 1 if side < 0 else last + 1
            beside = number + side
            meets = 0 <= beside < len(document.pieces) and _holds(document.pieces[beside], unit)
            low, high = document.pieces[beside] if meets else (unit, unit)
            start, end = min(first, low), max(last, high)
            if not 0 <= unit < len(document.units) or end - start + 1 > longest:
                continue
            if not meets and document.released >= most:
                continue
            fresh = [document.names[one] for one, other in ((first, last), (low, high)) if one == other]
            if len(set(fresh)) < len(fresh) or joined.intersection(fresh):
                continue
            joined.update(fresh)
            document.pieces[number] = (start, end)
            if meets:
                del document.pieces[beside]
                number = min(number, beside)
            grown = True
        number += 1
    return grown


def _holds(piece: tuple[int, int], unit: int) -> bool:
    return piece[0] <= unit <= piece[1]


def _released(one: Marked, document: _Document, sentences: int) -> str:
    """A context as it is released."""
    key = next(number for number, (start, end) in enumerate(document.units) if start <= one.start and one.end <= end)
    first, last = next(piece for piece in document.pieces if _holds(piece, key))
    start = document.units[max(first, key - sentences)][0]
    end = document.units[min(last, key + sentences)][1]
    text = document.text
    return f"{text[start : one.start]}{OPEN}{text[one.start : one.end]}{CLOSE}{text[one.end : end]}"


# The step ----------------------------------------------------------------------------------------------


class Options(Strict):
    """How much context may be seen."""

    sentences: Annotated[int, Field(ge=0)] = 2
    """Most sentences on either side of the key sentence."""
    share: Annotated[float, Field(ge=0, le=1)] = 0.5
    """Most of a document's sentences that stand in one piece, and that are released at all, save that its key sentences
    always are."""
    unlink: bool = True
    """Whether sentences get new ids that say nothing, and pairs are sorted by their own, so that nothing but the
    sentences themselves says which pairs share a document."""


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """As many pairs, with shorter contexts."""
    count = inputs.get("pairs", 0)
    sides = f"{options.sentences} sentences on either side, {options.share:.0%} of a document"
    return Plan(f"cuts the contexts of {count:,} pairs to at most {sides}", {"pairs": count})


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Cut all contexts together, count what is left, and pass on the scores."""
    pairs = inputs["pairs"]
    _refuse_unmarked(pairs)
    language = context.recipe.recipe.language
    given = [text for side in ("context_a", "context_b") for text in pairs[side].drop_nulls()]
    short = limited(
        given, sentences=options.sentences, share=options.share,
        split=lambda text: [(span.start, span.end) for span in split_text(text, language=language)],
    )  # fmt: skip
    if given:
        context.note("splitter", f"contexts split into sentences with {splitter(language)}")
    _tell(given, short, pairs, context)
    left = iter(short)
    columns = {
        side: pl.Series(side, [None if text is None else next(left) for text in pairs[side]], dtype=pl.String)
        for side in ("context_a", "context_b")
    }
    cut = pairs.with_columns(**columns)
    made = {"pairs": _unlinked(cut, context) if options.unlink else cut}
    scores = inputs.get("scores")
    return made if scores is None else {**made, "scores": scores}


def _refuse_unmarked(pairs: Frame) -> None:
    """A context whose key sentence is not marked once is refused with its pair."""
    for side in ("context_a", "context_b"):
        for name, text in pairs.select("pair", side).drop_nulls().iter_rows():
            read_marked(text, where=f'pair "{name}": {side}')


def _tell(given: Sequence[str], short: Sequence[str], pairs: Frame, context: Context) -> None:
    if not given:
        context.note("no_context", f"none of the {pairs.height:,} pairs has a context: nothing is cut")
        return
    missing = pairs.height * 2 - len(given)
    if missing:
        context.note("no_context", f"{missing:,} of {pairs.height * 2:,} sentences have no context")
    whole = {read_marked(text).text for text in given}
    seen = {read_marked(text).text for text in short}
    before, after = (sum(map(len, texts)) for texts in (whole, seen))
    said = f"contexts from {len(whole):,} documents: {after:,} of {before:,} characters are released"
    alone = sum(text.startswith(OPEN) and text.endswith(CLOSE) for text in short)
    context.note("limited", f"{said}; {alone:,} of {len(short):,} key sentences stand alone")
    entire = len(whole & seen)
    if entire:
        context.note("whole", f"{entire:,} documents are released whole: they are too short to be cut")


def _unlinked(pairs: Frame, context: Context) -> Frame:
    """The pairs with new ids of sentences; ids of pairs that hold the old ones are refused, since they tell them."""
    named = pl.any_horizontal(
        pl.col("pair").str.contains(pl.col(side), literal=True).fill_null(False)
        for side in ("sentence_a", "sentence_b")
    )
    telling = pairs.filter(named)["pair"]
    if len(telling):
        raise KostraError(
            f"the ids of {len(telling):,} pairs hold those of their sentences, and so tell where they stood: "
            f"{some(telling)}",
            where=f'step "{context.step.name}"',
            accepted="ids of pairs that say nothing, such as those of sampling/picks",
            remedy="set unlink = false if everybody may know which sentences stood in one document",
        )
    texts: dict[str, str] = {}
    for side in ("a", "b"):
        texts |= dict(pairs.select(f"sentence_{side}", f"text_{side}").drop_nulls().iter_rows())
    # In alphabetical order of the texts, which everybody can see: it says nothing of where they stood.
    ordered = sorted(texts, key=lambda name: (texts[name], name))
    numbered = {name: f"sentence-{number:06d}" for number, name in enumerate(ordered, 1)}
    renamed = [
        pl.col(side).replace_strict(numbered, return_dtype=pl.String).alias(side)
        for side in ("sentence_a", "sentence_b")
    ]
    return pairs.with_columns(renamed).sort("pair")
