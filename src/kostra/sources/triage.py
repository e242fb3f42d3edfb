"""The person's pass over sentences, as a table: one row a sentence, one empty cell for the verdict.

The site's triage task asks the same on a screen. Whoever prefers a spreadsheet writes the table, fills it in, and turns
it into judgments; both ways lead to `sources/triaged`.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import polars as pl

from kostra import tables
from kostra.errors import KostraError, some
from kostra.sources.cells import read_cells
from kostra.tables import JUDGMENTS, Frame

VERDICTS = ("keep", "unreal", "caption or incomplete", "too dependent on context")
"""COSTRA's: a sentence is kept, or rejected for one of three reasons."""


def triage_table(sentences: Frame, *, question: str = "verdict", verdicts: Sequence[str] = VERDICTS) -> Frame:
    """The table to fill in: sentence, text, an empty column named after the question, and what may stand in it.

    Examples
    --------
    >>> frame = pl.DataFrame({"sentence": ["s1"], "text": ["It rains."]})
    >>> triage_table(frame).row(0, named=True)["accepted"]
    'keep | unreal | caption or incomplete | too dependent on context'
    """
    return sentences.select(
        "sentence",
        "text",
        pl.lit(None, dtype=pl.String).alias(question),
        pl.lit(" | ".join(verdicts)).alias("accepted"),
    )


def read_triage(
    path: str | Path,
    *,
    annotator: str,
    now: datetime,
    question: str = "verdict",
    verdicts: Sequence[str] = VERDICTS,
    phase: str = "triage",
) -> Frame:
    r"""Turn a filled-in triage table into judgments; a row without a verdict gives none, and stays to be triaged.

    Raises
    ------
    KostraError
        With file and line, where a verdict is none of those accepted, or a sentence stands twice.

    Examples
    --------
    >>> import tempfile
    >>> from datetime import UTC
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "triage.csv"
    ...     _ = file.write_text("sentence,text,verdict\ns1,It rains.,keep\ns2,Rain.,\n")
    ...     judgments = read_triage(file, annotator="otter", now=datetime(2026, 3, 1, tzinfo=UTC))
    >>> judgments.select("item", "question", "value", "annotator").rows()
    [('s1', 'verdict', 'keep', 'otter')]
    """
    cells = read_cells(path)
    column = cells.find(question, (question,), what="verdict")
    items = cells.ids("", cells.find(None, ("sentence", "item"), what="sentence"))
    values = [value.strip() for value in cells.text(column)]
    for row, value in enumerate(values):
        if value and value not in verdicts:
            raise KostraError(f'found "{value}"', where=cells.at(row, column), accepted=some(verdicts, 12))
    given = [(item, value) for item, value in zip(items, values, strict=True) if value]
    if not given:
        raise KostraError("no sentence has a verdict yet", where=cells.where, accepted=some(verdicts, 12))
    frame = pl.DataFrame(
        {
            "judgment": [f"{phase}:{item}" for item, _ in given],
            "item": [item for item, _ in given],
            "version": [1] * len(given),
            "question": [question] * len(given),
            "annotator": [annotator] * len(given),
            "value": [value for _, value in given],
            "status": ["answered"] * len(given),
            "phase": [phase] * len(given),
            "block": ["main"] * len(given),
            "answered_at": pl.Series([now] * len(given), dtype=pl.Datetime("us", "UTC")),
        }
    )
    return tables.check(frame, JUDGMENTS, where=cells.where)
