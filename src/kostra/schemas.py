"""Ten kinds of table that cover every protocol: their columns, what a cell may hold, and what identifies a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import polars as pl

from kostra.errors import unknown

Frame = pl.DataFrame
Kind = Literal["text", "whole", "number", "time"]

DTYPES: dict[Kind, pl.DataType] = {
    "text": pl.String(),
    "whole": pl.Int64(),
    "number": pl.Float64(),
    "time": pl.Datetime("us", "UTC"),
}
_ACCEPTED: dict[Kind, str] = {
    "text": "text",
    "whole": "a whole number, such as 3",
    "number": "a finite number, such as 2.5",
    "time": "a time with its zone, such as 2026-03-01T12:00:00Z",
}

STATUSES = ("answered", "impossible", "skipped", "superseded", "surplus", "discarded")


@dataclass(frozen=True)
class Column:
    """One column of a schema."""

    name: str
    doc: str
    kind: Kind = "text"
    empty: bool = False
    """Whether a cell may be empty (and the whole column absent from a file)."""
    choices: tuple[str, ...] = ()

    @property
    def accepted(self) -> str:
        """What a cell may hold, in words."""
        what = f"one of {', '.join(self.choices)}" if self.choices else _ACCEPTED[self.kind]
        return f"{what}, or nothing" if self.empty else what


@dataclass(frozen=True)
class Schema:
    """A kind of table: its columns in order, and the columns that together identify a row."""

    name: str
    doc: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    counted: str | None = None
    """The column whose distinct values are counted as the table's things, where that is not its rows."""

    def count(self, frame: Frame) -> int:
        """How many things a table of this kind holds: tuples, say, and not their places."""
        return frame[self.counted].n_unique() if self.counted else frame.height

    @property
    def dtypes(self) -> pl.Schema:
        """The Polars schema."""
        return pl.Schema({column.name: DTYPES[column.kind] for column in self.columns})

    def empty(self) -> Frame:
        """A table of this kind without rows."""
        return pl.DataFrame(schema=self.dtypes)


def _optional(name: str, doc: str, kind: Kind = "text", choices: tuple[str, ...] = ()) -> Column:
    return Column(name, doc, kind, empty=True, choices=choices)


DOCUMENTS = Schema(
    "documents",
    "Texts or images that sentences come from.",
    (
        Column("document", "id"),
        Column("source", "corpus it comes from"),
        Column("language", "ISO 639 code"),
        _optional("kind", "review, report, summary, image, …"),
        _optional("group", "theme, incident, book: what documents share"),
        _optional("title", "title"),
        _optional("text", "whole text; empty for an image"),
    ),
    ("document",),
)
SENTENCES = Schema(
    "sentences",
    "Sentences, as found, as made by a rule, or as rewritten by a person.",
    (
        Column("sentence", "id"),
        Column("text", "the sentence"),
        Column("source", "corpus it comes from"),
        Column("language", "ISO 639 code"),
        _optional("document", "the document it stands in"),
        _optional("position", "place in the document, from 1", "whole"),
        _optional("group", "theme, incident, target, paraphrase set: what sentences share"),
        _optional("label", "style, author, stance, …"),
        _optional("origin", "the sentence it was made from"),
        _optional("change", "the rule or rewrite that made it"),
    ),
    ("sentence",),
)
PAIRS = Schema(
    "pairs",
    "Two sentences to be judged together, maybe with their contexts.",
    (
        Column("pair", "id"),
        Column("text_a", "first sentence"),
        Column("text_b", "second sentence"),
        _optional("sentence_a", "id of the first sentence"),
        _optional("sentence_b", "id of the second sentence"),
        _optional("source", "corpus"),
        _optional("subset", "sampling strategy"),
        _optional("context_a", "text around the first sentence, the key sentence inside <sent></sent>"),
        _optional("context_b", "text around the second sentence, likewise"),
        _optional("reverse", "id of the pair with the sentences swapped"),
        _optional("overlap", "lexical overlap by which it was sampled", "number"),
    ),
    ("pair",),
)
TUPLES = Schema(
    "tuples",
    "Items compared together: one row per place in a tuple.",
    (
        Column("tuple", "id"),
        Column("position", "place in the tuple, from 1", "whole"),
        Column("item", "id of the pair or sentence at that place"),
    ),
    ("tuple", "position"),
    counted="tuple",
)
ANNOTATORS = Schema(
    "annotators",
    "Who answers. Names and payment never stand here.",
    (
        Column("annotator", "pseudonym"),
        Column("kind", "what answers", choices=("person", "simulated", "model")),
        _optional("role", "role in the campaign", choices=("annotator", "leader", "judge", "linguist", "admin")),
        _optional("note", "anything worth keeping"),
    ),
    ("annotator",),
)
JUDGMENTS = Schema(
    "judgments",
    "One stored answer to one question. Rows are appended, never edited; a correction supersedes.",
    (
        Column("judgment", "id"),
        Column("item", "what was asked about"),
        Column("version", "version of the item that was shown", "whole"),
        Column("question", "what was asked"),
        _optional("annotator", "who answered; empty where the source is anonymous"),
        _optional("value", "the answer as text; empty when impossible or skipped"),
        Column("status", "what became of it", choices=STATUSES),
        Column("phase", "phase of the campaign"),
        Column("block", "block of the phase"),
        _optional("shown_at", "when the item was shown", "time"),
        _optional("answered_at", "when the answer was stored", "time"),
        _optional("seconds", "thinking time", "number"),
        _optional("supersedes", "the judgment this one replaces"),
    ),
    ("judgment",),
)
SCORES = Schema(
    "scores",
    "Aggregated judgments: one row per item and question.",
    (
        Column("item", "id"),
        Column("question", "what was asked"),
        _optional("score", "the score, on the recipe's range", "number"),
        _optional("label", "the label, for label questions"),
        _optional("raw", "the score on the method's own scale", "number"),
        Column("appearances", "answers it rests on", "whole"),
        _optional("standard_error", "standard error of the score", "number"),
    ),
    ("item", "question"),
)
STATISTICS = Schema(
    "statistics",
    "Figures about the judgments, each with its interval where one is meaningful.",
    (
        Column("statistic", "plain name"),
        Column("question", "what it is about"),
        _optional("value", "estimate; empty where undefined", "number"),
        _optional("low", "lower end of the 95% interval", "number"),
        _optional("high", "upper end", "number"),
        Column("n", "units it rests on", "whole"),
        _optional("note", "convention or reason"),
    ),
    ("statistic", "question"),
)
TREES = Schema(
    "trees",
    "Dependency trees, one per distinct sentence text, whichever tables it stands in.",
    (
        Column("text", "the sentence"),
        Column("parser", "which parser made the tree, as a spec such as udpipe:PATH"),
        Column("conllu", "the tree in CoNLL-U, comments included"),
    ),
    ("text",),
)
RESULTS = Schema(
    "results",
    "Encoders against people.",
    (
        Column("encoder", "encoder"),
        Column("part", "whole set, or the source it is limited to"),
        Column("metric", "such as cosine_spearman"),
        _optional("value", "estimate; empty where undefined", "number"),
        _optional("low", "lower end of the 95% interval", "number"),
        _optional("high", "upper end", "number"),
        Column("n", "pairs", "whole"),
        _optional("note", "convention or reason"),
    ),
    ("encoder", "part", "metric"),
)

SCHEMAS: dict[str, Schema] = {
    schema.name: schema
    for schema in (
        DOCUMENTS, SENTENCES, PAIRS, TUPLES, ANNOTATORS, JUDGMENTS, SCORES, STATISTICS, TREES, RESULTS,
    )
}  # fmt: skip


def schema_named(name: str) -> Schema:
    """The schema of that name.

    Examples
    --------
    >>> schema_named("pairs").key
    ('pair',)
    """
    if name not in SCHEMAS:
        raise unknown("kind of table", name, SCHEMAS)
    return SCHEMAS[name]
