"""What a campaign asks about: the items of every block, made once from the tables that the campaign reads.

`material` turns tables into `kostra.campaign.items.Item`s; `kostra.campaign.running` deals them, the store keeps them
(`to_json`, `from_json`), and the tasks draw them. Which table a task needs:

==================================================  ==================================================================
task                                                items
==================================================  ==================================================================
best_worst                                          tuples, whose members are pairs or sentences
pick                                                tuples called by the sentence S, whose members are sentences
rating, entailment, comparison, correct             pairs, or sentences where no pairs are read
rating_in_context                                   pairs with a context
rewrite, triage                                     pairs, or sentences where no pairs are read
describe                                            documents of the kind "image"
questionnaire                                       one item, called by the phase
==================================================  ==================================================================
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from kostra import files
from kostra.campaign.items import Item, Kind
from kostra.campaign.protocol import Block, Campaign, Phase
from kostra.campaign.questions import CHECK, READ, completed
from kostra.campaign.shelves import ByStep, Shelves, lacks
from kostra.errors import KostraError, some, unknown
from kostra.recipe import Score

__all__ = ["CHECK", "CONSENT", "READ", "ByStep", "Material", "item_from_json", "item_to_json", "material"]

CONSENT = (
    "Your answers are kept under a pseudonym and may be published as part of a dataset. Taking part is your own "
    "choice, and you may stop at any time."
)
"""What a consent block says if the recipe does not."""

_LATER = ("repeat",)
"""Purposes whose items are chosen while the campaign runs."""


@dataclass(frozen=True)
class Material:
    """The items of a campaign, in their latest version, and the blocks in which they stand."""

    items: Mapping[str, Item]
    blocks: Mapping[tuple[str, int], tuple[str, ...]]
    """Phase and number of the block, from 0 → its items. A repeat block has none: its items depend on the annotator,
    and neither has a phase that decides about suggestions, or that makes its tuples on the way."""
    by_step: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Step that the campaign reads → the items that came from it."""
    members: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """For an adaptive campaign: what tuples may be made of, as a tuple's content shows it."""

    def of(self, phase: str, block: int) -> tuple[Item, ...]:
        """The items of one block."""
        return tuple(self.items[item] for item in self.blocks[phase, block])

    def in_phase(self, phase: str) -> tuple[str, ...]:
        """The ids of all items that stand in some block of a phase, each once."""
        return tuple(dict.fromkeys(item for (name, _), ids in self.blocks.items() if name == phase for item in ids))

    def with_item(self, item: Item) -> Material:
        """The same with one item added, or in another version."""
        return replace(self, items={**self.items, item.item: item})

    def to_json(self) -> dict[str, Any]:
        """Everything as plain JSON.

        Examples
        --------
        >>> made = Material({"i": Item("i", "sentence", {"text": "A cat."})}, {("main", 0): ("i",)})
        >>> Material.from_json(made.to_json()) == made
        True
        """
        return {
            "items": [item_to_json(item) for item in self.items.values()],
            "blocks": [[phase, block, list(ids)] for (phase, block), ids in self.blocks.items()],
            "by_step": {step: list(ids) for step, ids in self.by_step.items()},
            "members": {item: dict(content) for item, content in self.members.items()},
        }

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Material:
        """What `to_json` gave."""
        return cls(
            items={one["item"]: item_from_json(one) for one in found["items"]},
            blocks={(phase, block): tuple(ids) for phase, block, ids in found["blocks"]},
            by_step={step: tuple(ids) for step, ids in found["by_step"].items()},
            members=found["members"],
        )


def item_to_json(item: Item) -> dict[str, Any]:
    """One item as plain JSON; what it does not have is left out.

    Examples
    --------
    >>> item_to_json(Item("i", "sentence", {"text": "A cat."}, sentences=("s1",)))
    {'item': 'i', 'kind': 'sentence', 'content': {'text': 'A cat.'}, 'version': 1, 'sentences': ['s1']}
    """
    made: dict[str, Any] = {
        "item": item.item,
        "kind": item.kind,
        "content": dict(item.content),
        "version": item.version,
    }
    optional = {
        "group": item.group,
        "reverse": item.reverse,
        "sentences": list(item.sentences),
        "known": dict(item.known),
    }
    return made | {name: value for name, value in optional.items() if value}


def item_from_json(found: Mapping[str, Any]) -> Item:
    """What `item_to_json` gave."""
    return Item(
        item=found["item"],
        kind=cast(Kind, found["kind"]),
        content=found["content"],
        version=found["version"],
        group=found.get("group"),
        reverse=found.get("reverse"),
        sentences=tuple(found.get("sentences", ())),
        known=found.get("known", {}),
    )


# Items --------------------------------------------------------------------------------------------------


def material(campaign: Campaign, tables: ByStep, *, project: Path, score: Score) -> Material:
    """Make the items of every block of a campaign.

    Parameters
    ----------
    tables
        What the campaign reads: step → kind of table → table.
    project
        The project's folder, where the texts of instructions may lie.
    score
        The recipe's score, for phases that ask no question of their own.

    Examples
    --------
    >>> import polars as pl
    >>> pairs = pl.DataFrame({"pair": ["p1"], "text_a": ["A cat."], "text_b": ["A dog."]})
    >>> rating = Campaign(phases=(Phase(name="main", task="rating"),))
    >>> read = {"pairs": {"pairs": pairs}}
    >>> made = material(rating, read, project=Path(), score=Score(question="similarity", low=0, high=5))
    >>> made.blocks, made.items["p1"].content
    ({('main', 0): ('p1',)}, {'text_a': 'A cat.', 'text_b': 'A dog.'})
    """
    return _Making(completed(campaign, score), tables, project).made()


class _Making:
    """The tables while items are made of them."""

    def __init__(self, campaign: Campaign, tables: ByStep, project: Path) -> None:
        self.campaign = campaign
        self.tables = tables
        self.project = project
        self.items: dict[str, Item] = {}
        self.shelves = Shelves(tables)

    def made(self) -> Material:
        blocks: dict[tuple[str, int], tuple[str, ...]] = {}
        for phase in self.campaign.phases:
            taken = self._taken(phase)
            for number, block in enumerate(phase.blocks):
                blocks[phase.name, number] = tuple(self._block(phase, number, block, taken))
        members = self._members() if self.campaign.policy == "adaptive" else {}
        return Material(self.items, blocks, {step: tuple(ids) for step, ids in self.shelves.by_step.items()}, members)

    def _members(self) -> dict[str, dict[str, Any]]:
        """What an adaptive campaign makes tuples of: pairs, or sentences where no pairs are read."""
        found = self.shelves.members()
        pairs = {item: content for item, content in found.items() if "text_a" in content}
        return pairs or found

    def _taken(self, phase: Phase) -> set[str]:
        """The items that blocks of the phase take from steps of their own."""
        named = [block.items_from for block in phase.blocks if block.items_from is not None]
        return {item for step in named for item in self.shelves.items(phase, [self._step(phase, step)])}

    def _step(self, phase: Phase, step: str) -> str:
        if step not in self.tables:
            raise unknown("step", step, self.tables, where=f'phase "{phase.name}": items_from')
        return step

    def _block(self, phase: Phase, number: int, block: Block, taken: set[str]) -> Iterable[str]:
        if block.purpose in ("instructions", "consent"):
            return self._entered([self._text(phase, number, block)])
        if block.checks:
            return self._entered(_checks(phase, number, block))
        if block.purpose in _LATER or phase.validates is not None:
            return ()
        if phase.task == "questionnaire":
            title = block.title or phase.name.replace("_", " ")
            return self._entered([Item(phase.name, "text", {"title": title, "text": self._words(block)})])
        if self.campaign.policy == "adaptive" and phase.task == "best_worst":
            return ()
        if block.purpose == "gold" and block.items_from is None and phase.gold and phase.gold.from_phase:
            return ()  # what the authors agree on, which nobody knows yet
        if block.items_from is not None:
            found = self.shelves.items(phase, [block.items_from])
        else:
            found = {
                item: one for item, one in self.shelves.items(phase, list(self.tables)).items() if item not in taken
            }
        if not found:
            raise lacks(phase, f"no item is left for its block {number + 1} ({block.purpose})")
        if block.purpose in ("qualification", "gold"):
            found = self._with_known(phase, number, block, found)
        return self._entered(found.values())

    def _entered(self, items: Iterable[Item]) -> list[str]:
        ids = []
        for item in items:
            before = self.items.get(item.item)
            if before is not None and before.kind != item.kind:
                raise KostraError(
                    f'"{item.item}" is the id of a {before.kind} and of a {item.kind}',
                    accepted="ids that are different across the tables that a campaign reads",
                )
            if before is None or item.known:
                known = {**(before.known if before else {}), **item.known}
                self.items[item.item] = replace(item, known=known)
            ids.append(item.item)
        return ids

    def _text(self, phase: Phase, number: int, block: Block) -> Item:
        text = self._words(block)
        if not text and block.purpose == "consent":
            text = CONSENT
        elif not text:
            # People read what they will be asked rather than an empty page.
            text = "\n\n".join(question.prompt for question in phase.questions if question.prompt)
        title = block.title or block.purpose.capitalize()
        return Item(f"text-{phase.name}-{number}", "text", {"title": title, "text": text})

    def _words(self, block: Block) -> str:
        if block.text_file is None:
            return block.text
        return files.read_text(self.project / block.text_file).strip()

    def _with_known(self, phase: Phase, number: int, block: Block, found: Mapping[str, Item]) -> dict[str, Item]:
        """The items with their right answers, which stand in a table of scores."""
        asked = {question.name for question in phase.questions}
        known: dict[str, dict[str, str]] = {}
        for scores in self.shelves.all("scores"):
            for item, question, score, label in scores.select("item", "question", "score", "label").iter_rows():
                if item in found and question in asked and (label is not None or score is not None):
                    known.setdefault(item, {})[question] = label if label is not None else f"{score:g}"
        unanswered = [item for item in found if item not in known]
        if unanswered:
            raise lacks(
                phase,
                f"nobody knows the right answer to {len(unanswered):,} items of its block {number + 1} "
                f"({block.purpose}): {some(unanswered)}",
                remedy="read a step that writes scores for them, under the question's name, or give the block `checks`",
            )
        return {item: replace(one, known=known[item]) for item, one in found.items()}


def _checks(phase: Phase, number: int, block: Block) -> list[Item]:
    """The questions of a comprehension check, each with its right answer."""
    return [
        Item(
            f"check-{phase.name}-{number}-{place}",
            "check",
            {"prompt": check.prompt, "choices": list(check.choices)},
            known={CHECK: check.right},
        )
        for place, check in enumerate(block.checks)
    ]
