"""Released pseudonyms: whoever annotated is called ``annotator-001``, and nothing in the folder leads back.

Names in a project may be anything: what somebody typed into a table, what another tool called them, the animals of the
site. So people get new names when a dataset is released. They are numbered by their first answer, which the release
shows anyway, and never by their name; who is who stands in the project's ``private/pseudonyms.csv`` alone, so that the
next version calls them the same. Simulated annotators and models are nobody, and keep theirs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from kostra import files
from kostra.campaign.language_model import MODEL
from kostra.campaign.simulated import SIMULATED
from kostra.release.private import PRIVATE, write_private
from kostra.release.released import Released
from kostra.tables import Frame

_FILE = "pseudonyms.csv"
_HEADER = ("annotator", "pseudonym")
_OWN_ID = r"^j-\d+-\d+$"
"""Judgments of the site are numbered; ids that others gave may say whose they are."""
_PARTS = re.compile(r"([:>+~|])")
"""What stands between the parts of an id that kostra made from others: ``seed:change:annotator``."""


def read_pseudonyms(project: Path) -> dict[str, str]:
    """Name in the project → pseudonym in its releases, as far as they were given."""
    path = project / PRIVATE / _FILE
    if not path.is_file():
        return {}
    return {row[0]: row[1] for row in files.read_records(path, kind="csv").rows}


def write_pseudonyms(names: Mapping[str, str], project: Path) -> None:
    """Keep who is who, for its owner alone."""
    if names and dict(names) != read_pseudonyms(project):
        write_private([_HEADER, *names.items()], project / PRIVATE / _FILE)


def pseudonyms(made: Released, known: Mapping[str, str]) -> dict[str, str]:
    """Give everybody a pseudonym who has none yet, by the order of their first answers.

    Examples
    --------
    >>> answers = pl.DataFrame(
    ...     {"judgment": ["j1", "j2", "j3"], "annotator": ["zoe", "adam", "simulated-1"], "answered_at": [1, 2, 3]}
    ... )
    >>> pseudonyms(Released(answers, answers, judgments=answers), {})
    {'zoe': 'annotator-001', 'adam': 'annotator-002'}
    """
    found = dict(known)
    free = (f"annotator-{number:03d}" for number in range(1, 10**9))
    taken = set(found.values())
    for name in _people(made):
        if name not in found:
            found[name] = next(one for one in free if one not in taken)
            taken.add(found[name])
    return found


def _people(made: Released) -> list[str]:
    """Everybody who is a person or may be one, by their first answers; those without an answer come last."""
    names: list[str] = []
    if made.judgments is not None:
        ordered = made.judgments.drop_nulls("annotator").sort("answered_at", "judgment", nulls_last=True)
        names += ordered["annotator"].unique(maintain_order=True).to_list()
    if made.annotators is not None:
        machines = set(made.annotators.filter(pl.col("kind") != "person")["annotator"])
        names += made.annotators["annotator"].to_list()
    else:
        machines = set()
    nobody = (SIMULATED, MODEL)
    return [name for name in dict.fromkeys(names) if name not in machines and not name.startswith(nobody)]


def with_pseudonyms(made: Released, names: Mapping[str, str]) -> Released:
    """The tables with pseudonyms in the place of names: in columns, in ids that hold a name, in what was noted."""
    if not names:
        return made
    ids = _ids(made, names)
    judgments = None if made.judgments is None else _judgments(made.judgments, names, ids)
    return replace(
        made,
        pairs=_renamed(made.pairs, ids, ["pair"]).sort("pair"),
        unscored=_renamed(made.unscored, ids, ["pair"]).sort("pair"),
        statistics=_noted(made.statistics, names),
        judgments=judgments,
        annotators=None
        if made.annotators is None
        else _renamed(made.annotators, names, ["annotator"]).sort("annotator"),
        tuples=None if made.tuples is None else _renamed(made.tuples, ids, made.tuples.columns),
        sentences=None if made.sentences is None else _sentences(made.sentences, names, ids),
        findings=[(kind, unnamed(message, names)) for kind, message in made.findings],
    )


def unnamed(text: str, names: Mapping[str, str]) -> str:
    """A message with pseudonyms in the place of names.

    Examples
    --------
    >>> unnamed("3 answers of jana, 2 of s1:past:jana; not Janata", {"jana": "annotator-001"})
    '3 answers of annotator-001, 2 of s1:past:annotator-001; not Janata'
    """
    # Of one or two letters, or a number alone, nobody can say that it is a name.
    telling = [name for name in sorted(names, key=len, reverse=True) if len(name) > 2 and not name.isdigit()]
    if not telling:
        return text
    found = re.compile(rf"(?<![^\W_])(?:{'|'.join(map(re.escape, telling))})(?![^\W_])")
    return found.sub(lambda match: names[match[0]], text)


def _ids(made: Released, names: Mapping[str, str]) -> dict[str, str]:
    """Ids of sentences and pairs that hold a name → the same with the pseudonym."""
    listed: list[Iterable[str]] = [made.pairs["pair"], made.unscored["pair"]]
    listed += [made.sentences["sentence"]] if made.sentences is not None else []
    listed += [made.judgments["item"]] if made.judgments is not None else []
    found = {}
    for one in dict.fromkeys(name for ids in listed for name in ids):
        new = "".join(names.get(part, part) for part in _PARTS.split(one))
        if new != one:
            found[one] = new
    return found


def _renamed(frame: Frame, by: Mapping[str, str], columns: Sequence[str]) -> Frame:
    return frame.with_columns(pl.col(columns).replace(dict(by)))


def _sentences(sentences: Frame, names: Mapping[str, str], ids: Mapping[str, str]) -> Frame:
    """Sentences that somebody made have their author as label."""
    author = pl.when(pl.col("origin").is_not_null()).then(pl.col("label").replace(dict(names)))
    made = sentences.with_columns(label=author.otherwise(pl.col("label")))
    return _renamed(made, ids, ["sentence", "origin", "group"]).sort("sentence")


def _noted(statistics: Frame | None, names: Mapping[str, str]) -> Frame | None:
    if statistics is None or "note" not in statistics.columns:
        return statistics
    told = [None if note is None else unnamed(note, names) for note in statistics["note"]]
    return statistics.with_columns(note=pl.Series(told, dtype=pl.String))


def _judgments(judgments: Frame, names: Mapping[str, str], ids: Mapping[str, str]) -> Frame:
    made = judgments.with_columns(
        pl.col("annotator").replace(dict(names)), pl.col("item", "value").replace(dict(ids))
    ).sort("answered_at", "judgment", nulls_last=True)
    strange = made.filter(~pl.col("judgment").str.contains(_OWN_ID))["judgment"]
    if len(strange):
        numbered = {old: f"j-{number:06d}-0" for number, old in enumerate(made["judgment"], 1)}
        made = made.with_columns(pl.col("judgment", "supersedes").replace(numbered))
    return made.sort("judgment")
