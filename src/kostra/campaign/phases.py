"""The phases of a running campaign: their blocks, pools and gold questions, and which items wait for which."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import cast

import numpy as np

from kostra import registry
from kostra.campaign import dealing
from kostra.campaign.adaptive import AdaptiveDesign
from kostra.campaign.adaptive_pool import AdaptivePool
from kostra.campaign.items import Item
from kostra.campaign.lots import Lots
from kostra.campaign.material import Material
from kostra.campaign.people import Person
from kostra.campaign.pools import Followed, Pool, Queue, Sitting, personal_rng
from kostra.campaign.protocol import Campaign, Phase, Role
from kostra.campaign.schedule import Policy

Known = Mapping[str, str]
"""Question → right answer."""
Said = Mapping[str, str | None]
"""Question → an author's answer, if they gave one."""


class PhaseRun:
    """One phase while the campaign runs."""

    gold_block = -1
    """The number under which the gold questions among the items of a pool stand."""

    def __init__(
        self, phase: Phase, material: Material, items: Mapping[str, Item], people: Mapping[str, Person], seed: int
    ) -> None:
        self.phase = phase
        self.name = phase.name
        self.items = items
        self.material = material
        self.pools: dict[int, Pool] = {}
        self.labels = _labels(phase)
        self.gold: dict[str, Known] = {}
        """The gold questions that are mixed into the pools."""
        self.authored: dict[str, dict[str, Said]] = {}
        """Item → author → answers, where they become gold elsewhere."""
        self.dependents: dict[str, list[tuple[Pool, str]]] = {}
        """Item → what waits until it is complete."""
        self._people = people
        self._seed = seed
        self._orders: dict[str, list[str]] = {}

    def purpose(self, number: int) -> str:
        """What a block is for."""
        return self.phase.blocks[number].purpose

    def mixes(self, number: int) -> bool:
        """Whether a block only holds the gold questions that are mixed into the others."""
        return self.purpose(number) == "gold" and self.phase.gold is not None

    def complete(self, item: str) -> bool:
        """Whether an item has as many answers as are enough."""
        least = self.phase.overlap_at_least
        return any(pool.complete(item, least) for pool in self.pools.values() if item in pool)

    @property
    def all_complete(self) -> bool:
        """Whether every item has as many answers as are enough."""
        least = self.phase.overlap_at_least
        return all(pool.all_complete if least is None else pool.all_have(least) for pool in self.pools.values())

    # Gold ------------------------------------------------------------------------------------------------

    def set_gold(self, item: str, known: Known | None) -> None:
        """An item becomes a gold question and leaves the pools, or it is none any more.

        What somebody was shown already stays what it was then.
        """
        if any((self.name, item) in person.shown for person in self._people.values()):
            return
        self._orders.clear()
        if known:
            self.gold[item] = known
        else:
            self.gold.pop(item, None)
        for pool in self.pools.values():
            if item in pool:
                pool.withhold(item, bool(known))

    def gold_order(self, annotator: str) -> list[str]:
        """The gold questions in the annotator's own order."""
        if annotator not in self._orders:
            rng = personal_rng(self._seed, annotator, self.name, "gold")
            ordered = sorted(self.gold)
            self._orders[annotator] = [ordered[place] for place in rng.permutation(len(ordered)).tolist()]
        return self._orders[annotator]

    def agreed(self, item: str, least: float) -> dict[str, str] | None:
        """The answers on which at least such a share of the authors agree, if they do so on every question.

        Examples
        --------
        >>> run = PhaseRun(Phase(name="authors", task="rating"), Material({}, {}), {}, {}, 1)
        >>> run.authored["p"] = {"ann": {"q": "1"}, "bob": {"q": "1"}, "eve": {"q": "2"}}
        >>> run.agreed("p", 0.6), run.agreed("p", 1.0)
        ({'q': '1'}, None)
        """
        authors = list(self.authored.get(item, {}).values())
        if not authors:
            return None
        found: dict[str, str] = {}
        for question in dict.fromkeys(question for answers in authors for question in answers):
            value, votes = Counter(answers.get(question) for answers in authors).most_common(1)[0]
            if votes / len(authors) < least:
                return None
            if value is not None:  # what all of them left open is no question of gold
                found[question] = value
        return found or None

    # Lists -----------------------------------------------------------------------------------------------

    def list_for(self, person: Person, number: int) -> tuple[str, ...]:
        """The items of a block without a pool, in a person's own order."""
        block = self.phase.blocks[number]
        if block.purpose == "repeat":
            return self._repeats(person, number)
        items = self.material.blocks[self.name, number]
        items = items[: block.items] if block.items is not None else items
        if block.purpose not in ("calibration", "gold"):
            return items
        # The same order in both phases, where one keeps the order of the other.
        rng = personal_rng(self._seed, person.name, self.phase.same_order_as or self.name, str(number))
        return tuple(items[place] for place in rng.permutation(len(items)).tolist())

    def _repeats(self, person: Person, number: int) -> tuple[str, ...]:
        """Some of the items whose answers by this person were accepted in the earlier phase."""
        block = self.phase.blocks[number]
        before = block.from_phase or self.name
        answered = [
            record.item
            for record in person.records
            if record.phase == before and record.status == "answered" and self._was_main(before, record.block)
        ]
        rng = personal_rng(self._seed, person.name, self.name, "repeat")
        chosen = rng.permutation(len(answered))[: block.items or len(answered)]
        return tuple(answered[place] for place in chosen.tolist())

    def clashes(self, item: str, sitting: Sitting) -> bool:
        """Whether an item may not be met in this sitting, because its reverse was."""
        return "reverse" in self.phase.never_in_one_sitting and self.items[item].reverse in sitting.items

    def _was_main(self, phase: str, number: int) -> bool:
        return phase != self.name or number in self.pools

    def made_tuple(self, name: str, members: Sequence[str]) -> Item:
        """An item that an adaptive design made."""
        return Item(name, "tuple", {"members": [dict(self.material.members[member]) for member in members]})


def make_phases(
    campaign: Campaign,
    material: Material,
    items: Mapping[str, Item],
    people: Mapping[str, Person],
    *,
    before: Mapping[str, PhaseRun],
    seed: int,
) -> dict[str, PhaseRun]:
    """The phases of a campaign; what the pools of an earlier revision counted is kept."""
    runs: dict[str, PhaseRun] = {}
    for phase in campaign.phases:
        run = PhaseRun(phase, material, items, people, seed)
        old = before.get(phase.name)
        if old is not None:
            run.gold, run.authored = old.gold, old.authored
        for number, block in enumerate(phase.blocks):
            if block.purpose == "main" and phase.task != "questionnaire":
                known = old.pools.get(number) if old is not None else None
                run.pools[number] = (
                    _pool(run, number, campaign, people, seed)
                    if known is None
                    else _grown(known, run, number, campaign, old.phase.overlap if old else 1, seed)
                )
        if phase.gold is not None and phase.gold.from_phase is None:
            asked = {question.name for question in phase.questions}
            for item in material.in_phase(phase.name):
                # An item may be gold in two phases that ask different things of it.
                known_here = {name: value for name, value in items[item].known.items() if name in asked}
                if known_here and items[item].kind != "check":
                    run.set_gold(item, known_here)
        runs[phase.name] = run
    for run in runs.values():
        _link(run, runs)
    return runs


def _labels(phase: Phase) -> list[str]:
    """The names of the blocks: their purpose, with a number where it stands more than once."""
    purposes = [block.purpose for block in phase.blocks]
    return [
        purpose if purposes.count(purpose) == 1 else f"{purpose}_{purposes[: number + 1].count(purpose)}"
        for number, purpose in enumerate(purposes)
    ]


def _grown(known: Pool, run: PhaseRun, number: int, campaign: Campaign, overlap: int, seed: int) -> Pool:
    """The pool of an earlier revision as this one has it: more or fewer items, another overlap, other rules."""
    known.overlap = run.phase.overlap
    if isinstance(known, AdaptivePool) or run.phase.validates is not None:
        return known  # its items are made on the way
    wanted = run.material.blocks[run.name, number]
    fresh = [item for item in wanted if item not in known]
    if isinstance(known, Lots):
        known.idle = timedelta(days=campaign.idle_days)
        if run.phase.overlap > overlap:
            known.add_lots([lot for replicate in _lots(run, number, known.items, seed)[overlap:] for lot in replicate])
        if fresh:
            known.add_lots([lot for replicate in _lots(run, number, fresh, seed) for lot in replicate])
    known.add(fresh)
    if isinstance(known, Queue):
        known.policy = cast(Policy, registry.load("campaign/policies", campaign.policy))
    known.keep_apart(_reverses(run, wanted))
    asked = set(wanted)
    for item in known.items:
        known.withhold(item, item not in asked or item in run.gold)
    return known


def _reverses(run: PhaseRun, items: Sequence[str]) -> dict[str, str] | None:
    if "reverse" not in run.phase.never_in_one_sitting:
        return None
    return {item: run.items[item].reverse or "" for item in items}


def _pool(run: PhaseRun, number: int, campaign: Campaign, people: Mapping[str, Person], seed: int) -> Pool:
    phase, items = run.phase, list(run.material.blocks[run.name, number])
    reverses = _reverses(run, items)
    if campaign.policy == "adaptive" and phase.task == "best_worst":
        return _adaptive(run, campaign, seed)
    if phase.same_order_as is not None:
        earlier = next(one for one in campaign.phases if one.name == phase.same_order_as)
        main = {place for place, block in enumerate(earlier.blocks) if block.purpose == "main"}

        def answered(annotator: str) -> list[str]:
            records = people[annotator].records if annotator in people else ()
            own = (one for one in records if one.phase == earlier.name and one.block in main)  # repeats do not count
            return list(dict.fromkeys(one.item for one in own if one.status == "answered"))

        return Followed(items, overlap=phase.overlap, seed=seed, earlier=answered, reverses=reverses)
    if phase.deal == "queue":
        policy = cast(Policy, registry.load("campaign/policies", campaign.policy))
        return Queue(items, overlap=phase.overlap, seed=seed, policy=policy, reverses=reverses)
    return Lots(
        [lot for replicate in _lots(run, number, items, seed) for lot in replicate],
        overlap=phase.overlap,
        seed=seed,
        idle=timedelta(days=campaign.idle_days),
        reverses=reverses,
    )


def seats(campaign: Campaign, material: Material, role: Role) -> dict[str, int]:
    """Dealt phase of a role → how many people it can take, each with a lot of their own.

    Examples
    --------
    >>> from kostra.campaign.protocol import Block
    >>> main = Phase(
    ...     name="main", task="rating", overlap=3, deal="disjoint_sequences", blocks=(Block(purpose="main", items=10),)
    ... )
    >>> seats(Campaign(phases=(main,)), Material({}, {("main", 0): tuple(map(str, range(40)))}), "annotator")
    {'main': 12}
    """
    found = {}
    for phase in campaign.phases:
        if phase.role != role or phase.deal == "queue" or phase.same_order_as is not None:
            continue
        lots = 0
        for number, block in enumerate(phase.blocks):
            if block.purpose == "main":
                items = material.blocks[phase.name, number]
                whole = phase.deal == "whole_groups"
                dealt = len({material.items[item].group or item for item in items}) if whole else len(items)
                each = (block.groups or 1) if whole else (block.items or len(items))
                lots = max(lots, math.ceil(dealt / max(each, 1)) * phase.overlap)
        found[phase.name] = lots
    return found


def _lots(run: PhaseRun, number: int, items: Sequence[str], seed: int) -> Sequence[Sequence[Sequence[str]]]:
    """The lots of every replicate; more replicates leave the first ones as they are."""
    phase, block = run.phase, run.phase.blocks[number]
    if phase.deal == "whole_groups":
        groups = {item: run.items[item].group or item for item in items}
        return dealing.whole_groups(groups, per_annotator=block.groups or 1, overlap=phase.overlap, seed=seed)
    sets = {item: run.items[item].sentences[0] for item in items if run.items[item].sentences}
    length = block.items or len(items)
    return dealing.disjoint_sequences(
        items, length=length, replicates=phase.overlap, seed=seed, apart=sets if len(sets) == len(items) else None
    )


def _adaptive(run: PhaseRun, campaign: Campaign, seed: int) -> AdaptivePool:
    names = list(run.material.members)
    wanted = campaign.adaptive
    design = AdaptiveDesign(
        len(names),
        size=wanted.size,
        budget=sys.maxsize,  # the pool counts what stands, which the design cannot know
        target=wanted.target_error,
        rng=np.random.default_rng(seed),
    )
    budget = round(wanted.answers_per_item * len(names))
    return AdaptivePool(names, design, budget=budget, overlap=run.phase.overlap, seed=seed)


def _link(run: PhaseRun, runs: Mapping[str, PhaseRun]) -> None:
    """Let the items of a phase wait for those of the phase that must come before them.

    Where that phase corrects sentences, an item waits for every item with one of its sentences: a correction must reach
    all of them before anybody judges one.
    """
    for pool in run.pools.values():
        pool.wait_for_nothing()
    if run.phase.items_after is None:
        return
    first = runs[run.phase.items_after]
    asked = [item for pool in first.pools.values() for item in pool.items]
    having: dict[str, list[str]] = {}
    for item in asked:
        for sentence in run.items[item].sentences if first.phase.corrects else ():
            having.setdefault(sentence, []).append(item)
    for pool in run.pools.values():
        for item in pool.items:
            awaited = {one for sentence in run.items[item].sentences for one in having.get(sentence, ())}
            awaited |= {item} & set(asked) if not first.phase.corrects else set()
            for one in sorted(awaited):
                first.dependents.setdefault(one, []).append((pool, item))
                if not first.complete(one):
                    pool.depend(item, 1)
