"""Simulated annotators and language models that answer on a running site, over HTTP, as people would."""

from __future__ import annotations

import json
import os
import typing
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from kostra.annotate import simulating
from kostra.annotate.simulating import Report
from kostra.annotate.store import Store
from kostra.campaign import language_model
from kostra.campaign.items import Item
from kostra.campaign.protocol import Role
from kostra.campaign.rehearsal import Player, cast
from kostra.campaign.simulated import as_given
from kostra.errors import KostraError
from kostra.recipe import RECIPE_FILE, read_recipe
from kostra.site import check_opened, chosen, opened_store
from kostra.steps import Progress, silent


def simulate(
    folder: str | Path,
    *,
    url: str = "http://127.0.0.1:8000",
    annotators: int | None = None,
    campaign: str | None = None,
    db: str | None = None,
    seed: int = 0,
    progress: Progress = silent,
    now: datetime | None = None,
) -> Report:
    """Let simulated annotators answer on a running site, over HTTP, as people would.

    They are named and declared as simulated; other roles than annotators are filled as far as the overlap needs it.
    """
    place, now = Path(folder), now or datetime.now(UTC)
    check_opened(place, db)
    simulation = read_recipe(place / RECIPE_FILE).simulation
    if annotators is not None:
        simulation = simulation.model_copy(update={"annotators": annotators})
    with opened_store(place, db) as store:
        name = chosen(store, campaign)
        protocol = store.load_material(name).protocol
        players = cast(protocol, simulation, rng=np.random.default_rng(seed))
        tokens = {player.person.name: _let_in(store, name, player, now) for player in players}
    answers = simulating.answers_from(protocol, [player.person for player in players], seed=seed)
    report = simulating.simulate(url, tokens, answers=answers, told=lambda count: progress(count, 0))
    if not report.acknowledged and report.wrong:
        raise KostraError(next(iter(report.wrong.values())), where=url, remedy=f"kostra serve {folder}")
    return report


def ask_model(
    folder: str | Path,
    model: str,
    *,
    endpoint: str,
    url: str = "http://127.0.0.1:8000",
    campaign: str | None = None,
    db: str | None = None,
    now: datetime | None = None,
) -> Report:
    """Let a language model answer on a running site, declared as one: its answers are kept apart from people's.

    Parameters
    ----------
    model
        Its name at the endpoint.
    endpoint
        An OpenAI-compatible address, such as ``http://localhost:11434/v1``; a key is read from ``KOSTRA_MODEL_KEY``.
    """
    place, now = Path(folder), now or datetime.now(UTC)
    check_opened(place, db)
    asked = language_model.LanguageModel(endpoint, model)
    with opened_store(place, db) as store:
        name = chosen(store, campaign)
        protocol = store.load_material(name).protocol
        if asked.name not in {known.annotator for known in store.annotators(name)}:
            store.add_annotator(name, kind="model", name=asked.name, now=now)
        token = store.invite(name, annotator=asked.name, now=now)[0]
    phases = {phase.name: phase for phase in protocol.phases}

    def answers(annotator: str, item: Item, phase: str) -> Mapping[str, Any]:
        del annotator
        return as_given(language_model.ask(asked, item, phases[phase], post=_post), phases[phase])

    return simulating.simulate(url, {asked.name: token}, answers=answers)


def _post(address: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
    import urllib.request

    headers = {"Content-Type": "application/json"}
    if key := os.environ.get("KOSTRA_MODEL_KEY"):
        headers["Authorization"] = f"Bearer {key}"
    request = urllib.request.Request(address, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=120) as response:
        found: Mapping[str, Any] = json.load(response)
        return found


def _let_in(store: Store, campaign: str, player: Player, now: datetime) -> str:
    """The token of an invitation for a simulated annotator, who may have been there before."""
    name = player.person.name
    if name not in {known.annotator for known in store.annotators(campaign)}:
        store.add_annotator(campaign, role=typing.cast(Role, player.role), kind="simulated", name=name, now=now)
    return store.invite(campaign, annotator=name, now=now)[0]
