"""Tables as items: what the screens of each task are made of, step by step."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from kostra.campaign.items import Item
from kostra.campaign.protocol import Phase
from kostra.errors import KostraError, some
from kostra.tables import Frame

ByStep = Mapping[str, Mapping[str, Frame]]
"""Step → kind of table → table: what a campaign reads."""


class Shelves:
    """The items that tasks make of the tables of each step."""

    def __init__(self, tables: ByStep) -> None:
        self.tables = tables
        self.by_step: dict[str, dict[str, None]] = {step: {} for step in tables}
        self._made: dict[tuple[str, str, str], dict[str, Item]] = {}

    def all(self, kind: str) -> list[Frame]:
        """The tables of one kind."""
        return [found[kind] for found in self.tables.values() if kind in found]

    def items(self, phase: Phase, steps: Sequence[str]) -> dict[str, Item]:
        """The items that a phase's task makes of what some steps wrote, in the order of the tables."""
        wanted = _wanted(phase)
        here = [kind for kind in wanted if any(kind in self.tables[step] for step in steps)]
        if not here:
            read = f"reads {some(steps)}" if steps else "reads nothing"
            raise lacks(phase, f"the task needs {' or '.join(wanted)}, and {read}", remedy=_REMEDY[wanted[0]])
        found: dict[str, Item] = {}
        for step in steps:
            if here[0] in self.tables[step]:
                key = (step, phase.task, here[0])
                if key not in self._made:
                    self._made[key] = self._made_of(phase, here[0], self.tables[step][here[0]])
                own = self._made[key]
                self.by_step[step].update(dict.fromkeys(own))
                found |= own
        return found

    def _made_of(self, phase: Phase, kind: str, frame: Frame) -> dict[str, Item]:
        match kind:
            case "tuples" if phase.task == "pick":
                made = self._candidates(phase, frame)
            case "tuples":
                made = self._compared(phase, frame)
            case "pairs":
                made = self._pairs(phase, frame)
            case "documents":
                made = [
                    Item(
                        row["document"], "image", _filled(image=row["document"], title=row["title"]), group=row["group"]
                    )
                    for row in frame.filter(pl.col("kind") == "image").iter_rows(named=True)
                ]
                if not made:
                    raise lacks(phase, "none of the documents is an image", remedy="read a step of sources/images")
            case _:
                made = [
                    Item(row["sentence"], "sentence", _filled(text=row["text"], change=row.get("change")),
                         group=row.get("group"), sentences=(row["sentence"],))
                    for row in frame.iter_rows(named=True)
                ]  # fmt: skip
        return {item.item: item for item in made}

    def _sentences(self) -> dict[str, dict[str, Any]]:
        """Every sentence that is read, by id."""
        return {row["sentence"]: row for frame in self.all("sentences") for row in frame.iter_rows(named=True)}

    def _pairs(self, phase: Phase, frame: Frame) -> list[Item]:
        about = self._sentences()
        made = [_pair(row, about) for row in frame.iter_rows(named=True)]
        if phase.task == "rating_in_context":
            bare = [item.item for item in made if not {"context_a", "context_b"} & set(item.content)]
            if bare:
                raise lacks(phase, f"{len(bare):,} of {len(made):,} pairs have no context: {some(bare)}")
        return made

    def members(self) -> dict[str, dict[str, Any]]:
        """What tuples may be made of: all sentences and pairs that are read."""
        found: dict[str, dict[str, Any]] = {}
        for frame in self.all("sentences"):
            for item, text in frame.select("sentence", "text").iter_rows():
                found[item] = {"item": item, "text": text}
        for frame in self.all("pairs"):
            for item, first, second in frame.select("pair", "text_a", "text_b").iter_rows():
                found[item] = {"item": item, "text_a": first, "text_b": second}
        return found

    def _compared(self, phase: Phase, frame: Frame) -> list[Item]:
        members = self.members()
        pairs = {row["pair"]: row for one in self.all("pairs") for row in one.iter_rows(named=True)}
        made = []
        for name, ids in _tuples(frame):
            missing = [item for item in ids if item not in members]
            if missing:
                raise lacks(
                    phase,
                    f'tuple "{name}" compares {some(missing)}, which no step that it reads wrote',
                    remedy="read the pairs or sentences as well: name their step in `reads`",
                )
            sentences = [one for item in ids for one in (sentence_ids(pairs[item]) if item in pairs else (item,))]
            content = {"members": [members[item] for item in ids]}
            made.append(Item(name, "tuple", content, sentences=tuple(dict.fromkeys(sentences))))
        return made

    def _candidates(self, phase: Phase, frame: Frame) -> list[Item]:
        about = self._sentences()
        titles = {row["document"]: row["title"] for one in self.all("documents") for row in one.iter_rows(named=True)}
        made = []
        for name, ids in _tuples(frame):
            missing = [sentence for sentence in (name, *ids) if sentence not in about]
            if missing:
                raise lacks(
                    phase,
                    f'"{name}" is to be compared with {some(missing)}, which no step that it reads wrote',
                    remedy="read a step that uses sampling/incident_candidates",
                )
            documents: dict[str, list[dict[str, str]]] = {}
            for sentence in ids:
                row = about[sentence]
                documents.setdefault(row["document"] or "", []).append({"item": sentence, "text": row["text"]})
            shown = [
                {"document": document, "title": titles.get(document) or "", "sentences": sentences}
                for document, sentences in documents.items()
            ]
            content = {"text": about[name]["text"], "documents": shown}
            made.append(Item(name, "candidates", content, group=about[name]["group"], sentences=(name, *ids)))
        return made


_REMEDY = {
    "tuples": "read a step that uses sampling/tuples or sampling/incident_candidates",
    "pairs": "read a step that writes pairs, such as one of sampling",
    "documents": "read a step that uses sources/images",
}


def _wanted(phase: Phase) -> tuple[str, ...]:
    """The kinds of table that a task can be made of, the best first."""
    if phase.task in ("best_worst", "pick"):
        return ("tuples",)
    if phase.task == "describe":
        return ("documents",)
    return ("pairs",) if phase.task in ("rating_in_context", "entailment", "comparison") else ("pairs", "sentences")


def lacks(phase: Phase, what: str, *, remedy: str | None = None) -> KostraError:
    """The error for a phase that cannot be made of what is read."""
    return KostraError(what, where=f'phase "{phase.name}" ({phase.task})', remedy=remedy)


def _tuples(frame: Frame) -> Iterable[tuple[str, list[str]]]:
    ordered = frame.sort("tuple", "position", maintain_order=True)
    first = frame["tuple"].unique(maintain_order=True).to_list()
    found = dict(ordered.group_by("tuple", maintain_order=True).agg("item").iter_rows())
    return ((name, found[name]) for name in first)


def _filled(**content: Any) -> dict[str, Any]:
    return {name: value for name, value in content.items() if value is not None}


def _pair(row: Mapping[str, Any], about: Mapping[str, Mapping[str, Any]]) -> Item:
    optional = ("sentence_a", "sentence_b", "context_a", "context_b")
    content = _filled(text_a=row["text_a"], text_b=row["text_b"], **{name: row.get(name) for name in optional})
    first, second = about.get(row.get("sentence_a") or "", {}), about.get(row.get("sentence_b") or "", {})
    content |= _filled(change=second.get("change"), change_a=first.get("change"))
    return Item(
        row["pair"],
        "pair",
        content,
        group=first.get("group"),
        reverse=row.get("reverse"),
        sentences=sentence_ids(row),
    )


def sentence_ids(row: Mapping[str, Any]) -> tuple[str, str]:
    """The ids of a pair's two sentences; a sentence without one is known by its text, wherever it stands."""
    return (
        row.get("sentence_a") or text_id(row["text_a"]),
        row.get("sentence_b") or text_id(row["text_b"]),
    )


def text_id(text: str) -> str:
    """An id for a sentence that has none: the same text has the same.

    Examples
    --------
    >>> text_id("A cat.")
    'text-60a52d10f5e2'
    """
    return f"text-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
