"""Stored campaigns as they run: the state machine of `kostra.campaign.running` on the log of a store."""

from __future__ import annotations

from datetime import datetime
from functools import partial

from kostra.annotate.engine import Engine, Observed
from kostra.annotate.store import Store
from kostra.campaign.events import Event
from kostra.campaign.material import Material
from kostra.campaign.protocol import Campaign
from kostra.campaign.revisions import difference
from kostra.campaign.running import Running
from kostra.errors import KostraError

SCRIPTED = "made by a script"
"""What is said of the first revision of a campaign that is no step of the project's recipe."""


def first_state(store: Store, campaign: str) -> Running:
    """A campaign as it was before its first event; it can load the revisions that its log will speak of."""

    def load(revision: int) -> tuple[Campaign, Material]:
        saved = store.load_material(campaign, revision)
        return saved.protocol, saved.material

    first = store.load_material(campaign, 1)
    return Running(first.protocol, first.material, seed=first.seed, load=load)


def open_engine(store: Store, campaign: str, *, observed: Observed | None = None) -> Engine[Running]:
    """The writer of a stored campaign."""
    make = partial(first_state, store, campaign)
    return Engine(store, campaign, make) if observed is None else Engine(store, campaign, make, observed=observed)


def begin(store: Store, campaign: str, protocol: Campaign, material: Material, *, seed: int, now: datetime) -> int:
    """Make a campaign that is no step of the project's recipe, and give the number of its revision.

    Raises
    ------
    KostraError
        If there is one of that name.
    """
    if not store.create_campaign(campaign, seed=seed, now=now):
        raise KostraError(f'there is a campaign "{campaign}" already', where=store.where)
    return store.save_revision(campaign, protocol=protocol, material=material, difference=SCRIPTED, now=now)


def languages_of(protocol: Campaign) -> list[str]:
    """Languages in which the questions are given besides the recipe's own."""
    asked = [question for phase in protocol.phases for question in phase.questions]
    return sorted({code for question in asked for code in (*question.labels_in, *question.prompt_in)})


def is_scripted(store: Store, campaign: str) -> bool:
    """Whether a script made the campaign, and not the project's recipe."""
    known = store.revisions(campaign)
    return bool(known) and known[0][2] == SCRIPTED


def revise(
    store: Store, engine: Engine[Running], protocol: Campaign, material: Material, *, now: datetime, where: str
) -> tuple[int, str]:
    """Compare with the newest revision of a campaign and, where anything differs, make another.

    Gives the number of the revision that the campaign follows, and what has changed, for people.

    Raises
    ------
    KostraError
        If a change would alter the meaning of answers that are there.
    """
    newest = store.load_material(engine.campaign)
    phases, items, followed = engine.read(_answered).result()
    if followed < newest.revision:  # saved, but not told: the last time ended between the two
        engine.do(lambda _: (None, [Event("revised", now, None, {"revision": newest.revision})]))
    found = difference((newest.protocol, newest.material), (protocol, material), phases, items)
    if not found:
        return newest.revision, ""
    found.check(where=where)
    text = str(found)
    number = store.save_revision(engine.campaign, protocol=protocol, material=material, difference=text, now=now)
    engine.do(lambda _: (None, [Event("revised", now, None, {"revision": number})]))
    return number, text


def _answered(running: Running) -> tuple[set[str], set[str], int]:
    """The phases and items that have answers, and the revision that the campaign follows."""
    records = running.records.values()
    return {record.phase for record in records}, {record.item for record in records}, running.revision
