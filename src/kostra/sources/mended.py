"""Applies the corrections of spelling that a person accepted, and no others.

A proposal on which several people disagree, or that nobody has decided, changes nothing and is listed. Every proposal
with what became of it lies in ``proposals.csv``, every sentence that changed in ``mended.csv``. The statistics count
proposals by what became of them and, by author, the typos that were mended.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl
from pydantic import Field

from kostra import tables
from kostra.errors import KostraError, some
from kostra.recipe import Name, Strict
from kostra.sources.spelling import proposals
from kostra.sources.triaged import Verdicts, triage
from kostra.steps import Context, Inputs, Plan
from kostra.tables import STATISTICS, Frame

READS = ("sentences", "pairs", "judgments")
WRITES = ("sentences", "statistics")


class Options(Strict):
    """Which answers accept a proposal."""

    question: Name = "proposal"
    """The question under which proposals were accepted or rejected."""
    accept: tuple[str, ...] = Field(default=("accept",), min_length=1)
    """Answers that accept a proposal."""


@dataclass(frozen=True)
class Mending:
    """The sentences afterwards, and what became of each proposal."""

    sentences: Frame
    became: Mapping[str, str]
    """Pair → applied, crowded out, rejected, disputed or undecided."""

    @property
    def applied(self) -> list[str]:
        """The proposals that changed a sentence."""
        return [pair for pair, became in self.became.items() if became == "applied"]


CROWDED_OUT = "crowded out"
"""What becomes of an accepted proposal whose place another accepted one has taken."""


def mend(sentences: Frame, pairs: Frame, verdicts: Verdicts) -> Mending:
    """Apply the accepted proposals.

    Examples
    --------
    >>> sentences = pl.DataFrame({"sentence": ["s1"], "text": ["Teh catt sat."]})
    >>> pairs = pl.DataFrame(
    ...     {
    ...         "pair": ["s1@0-3#1", "s1@4-8#1"], "sentence_a": ["s1", "s1"], "text_a": ["Teh catt sat."] * 2,
    ...         "text_b": ["The catt sat.", "Teh cat sat."],
    ...     }
    ... )  # fmt: skip
    >>> verdicts = Verdicts(kept=("s1@4-8#1",), rejected={"s1@0-3#1": "reject"}, disputed=(), untriaged=())
    >>> mend(sentences, pairs, verdicts).sentences["text"].to_list()
    ['Teh cat sat.']
    """
    texts = dict(sentences.select("sentence", "text").iter_rows())
    proposed = proposals.from_pairs(pairs)
    for pair, text in pairs.select("pair", "text_a").iter_rows():
        sentence = proposed[pair][0]
        if texts.get(sentence) != text:
            what = "is not among those read here" if sentence not in texts else "has another text than was checked"
            raise KostraError(f'the sentence "{sentence}" {what}', where=f'proposal "{pair}"')
    became = {
        **dict.fromkeys(verdicts.rejected, "rejected"),
        **dict.fromkeys(verdicts.disputed, "disputed"),
        **dict.fromkeys(verdicts.untriaged, "undecided"),
    }
    accepted: dict[str, dict[proposals.Proposal, str]] = {}
    for pair in verdicts.kept:
        sentence, proposal = proposed[pair]
        accepted.setdefault(sentence, {})[proposal] = pair
    after = dict(texts)
    for sentence, own in accepted.items():
        found = proposals.mended(texts[sentence], own)
        after[sentence] = found.text
        became |= {own[one]: "applied" for one in found.applied}
        became |= {own[one]: CROWDED_OUT for one in found.left}
    mended = sentences.with_columns(text=pl.Series([after[name] for name in sentences["sentence"]], dtype=pl.String))
    return Mending(mended, {pair: became[pair] for pair in pairs["pair"]})


# The step ----------------------------------------------------------------------------------------------


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """As many sentences as before."""
    count = inputs.get("sentences", 0)
    says = f"applies what was accepted of {inputs.get('pairs', 0):,} proposals to {count:,} sentences"
    return Plan(says, {"sentences": count})


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Mend what a person accepted; count and list everything else."""
    sentences, pairs = inputs["sentences"], inputs["pairs"]
    asked = inputs["judgments"]["question"].unique(maintain_order=True)
    if pairs.height and options.question not in asked.to_list():
        raise KostraError(
            f'nobody has answered the question "{options.question}"',
            where=f'step "{context.step.name}"',
            accepted=some(asked) or "answers to it",
        )
    verdicts = triage(
        pairs.select(sentence="pair"), inputs["judgments"], question=options.question, keep=options.accept
    )
    found = mend(sentences, pairs, verdicts)
    typos = typos_by_author(found, sentences)
    _note(found, sentences, typos, context)
    _write(found, sentences, pairs, context)
    return {"sentences": found.sentences, "statistics": _statistics(found, typos, options.question)}


def typos_by_author(found: Mending, sentences: Frame) -> dict[str, int]:
    """Author → corrections that were applied, who had most first; sentences without an author count for nobody."""
    authors = dict(sentences.select("sentence", "label").iter_rows())
    made = set(sentences.filter(pl.col("origin").is_not_null())["sentence"])  # a seed's label is no author
    places = (pair.rpartition("@")[0] for pair in found.applied)
    by = Counter(author for place in places if place in made and (author := authors[place]) is not None)
    return dict(sorted(by.items(), key=lambda one: (-one[1], one[0])))


def _statistics(found: Mending, typos: Mapping[str, int], question: str) -> Frame:
    counts = Counter(found.became.values())
    rows = [("proposals", question, len(found.became))]
    rows += [(f"{became.replace(' ', '_')}_proposals", question, counts[became]) for became in sorted(counts)]
    rows += [("typos", author, count) for author, count in typos.items()]
    frame = pl.DataFrame(rows, schema=["statistic", "question", "value"], orient="row").with_columns(
        pl.col("value").cast(pl.Float64), n=pl.lit(len(found.became), dtype=pl.Int64)
    )
    return tables.check(frame, STATISTICS, where="corrections of spelling")


def _note(found: Mending, sentences: Frame, typos: Mapping[str, int], context: Context) -> None:
    counts = Counter(found.became.values())
    changed = int((found.sentences["text"] != sentences["text"]).sum())
    accepted = counts["applied"] + counts[CROWDED_OUT]
    said = f"{accepted:,} of {len(found.became):,} proposals accepted, {counts['rejected']:,} rejected"
    context.note("mended", f"{said}; {changed:,} of {sentences.height:,} sentences changed")
    for kind in ("disputed", "undecided", CROWDED_OUT):
        if counts[kind]:
            listed = some(pair for pair, became in found.became.items() if became == kind)
            context.note(kind.replace(" ", "_"), f"{counts[kind]:,} proposals {kind}, not applied: {listed}")
    if typos:
        context.note("typos", f"typos mended: {', '.join(f'{author} {count}' for author, count in typos.items())}")


def _write(found: Mending, sentences: Frame, pairs: Frame, context: Context) -> None:
    listed = pairs.select("pair", "sentence_a", "text_a", "text_b").with_columns(
        became=pl.Series(list(found.became.values()), dtype=pl.String)
    )
    tables.write(listed, context.folder / "proposals.csv")
    beside = sentences.select("sentence", "label", before="text").with_columns(after=found.sentences["text"])
    tables.write(beside.filter(pl.col("before") != pl.col("after")), context.folder / "mended.csv")
