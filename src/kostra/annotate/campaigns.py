"""Stored campaigns as they run: the state machine of `kostra.campaign.running` on the log of a store."""

from __future__ import annotations

from functools import partial

from kostra.annotate.engine import Engine
from kostra.annotate.store import Store
from kostra.campaign.material import Material
from kostra.campaign.protocol import Campaign
from kostra.campaign.running import Running


def first_state(store: Store, campaign: str) -> Running:
    """A campaign as it was before its first event; it can load the revisions that its log will speak of."""

    def load(revision: int) -> tuple[Campaign, Material]:
        saved = store.load_material(campaign, revision)
        return saved.protocol, saved.material

    first = store.load_material(campaign, 1)
    return Running(first.protocol, first.material, seed=first.seed, load=load)


def open_engine(store: Store, campaign: str) -> Engine[Running]:
    """The writer of a stored campaign."""
    return Engine(store, campaign, partial(first_state, store, campaign))
