"""The annotation site of a project: opens its campaigns, serves them, invites people, and collects their answers.

Behind ``kostra serve``, ``invite``, ``simulate``, ``collect``, ``backup`` and ``restore``.
"""

from __future__ import annotations

import json
import os
import typing
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from kostra import pipeline
from kostra.annotate import app, backups, collecting, simulating
from kostra.annotate.campaigns import open_engine
from kostra.annotate.simulating import Report
from kostra.annotate.store import Store, open_store
from kostra.annotate.tokens import Uses
from kostra.campaign import language_model
from kostra.campaign.annotate import tuples_beside
from kostra.campaign.events import Event
from kostra.campaign.items import Item
from kostra.campaign.material import Material, material
from kostra.campaign.protocol import Campaign, Role
from kostra.campaign.questions import completed
from kostra.campaign.rehearsal import Player, cast
from kostra.campaign.revisions import difference
from kostra.campaign.running import Running
from kostra.campaign.simulated import as_given
from kostra.errors import KostraError, unknown
from kostra.recipe import RECIPE_FILE, Recipe, Step, parse, read_recipe
from kostra.steps import Progress, silent
from kostra.tables import write

CAMPAIGN = "campaign/annotate"
STORE = "campaign.db"


@dataclass(frozen=True)
class Opened:
    """A campaign of a project, as it stands in the store."""

    campaign: str
    """The name of its step."""
    revision: int
    difference: str
    """What changed since the last time; empty if nothing did."""
    items: int
    waits: str = ""
    """Why it is not open, if it is not."""


@dataclass(frozen=True)
class Collected:
    """What was collected from one campaign."""

    campaign: str
    path: Path
    judgments: int
    annotators: int


# Campaigns -----------------------------------------------------------------------------------------------


def prepare(folder: str | Path, *, db: str | None = None, now: datetime | None = None) -> list[Opened]:
    """Build what stands before the campaigns of a project, and bring the store up to date with its recipe.

    A campaign whose recipe has changed gets another revision: what was answered stays, and a change that would alter
    the meaning of answers is refused with the reason.
    """
    place = Path(folder)
    now = now or datetime.now(UTC)
    recipe = read_recipe(place / RECIPE_FILE)
    named = [step.name for step in recipe.steps]
    opened = []
    with _store(place, db) as store:
        for step in _campaign_steps(recipe, place):
            # Only what stands before it: its own step would read answers that a change may have made strange.
            before = named[: named.index(step.name)]
            if before:
                pipeline.build(place, to=before[-1], now=now)
            opened.append(_opened(store, place, recipe, step, now))
    return opened


def _campaign_steps(recipe: Recipe, folder: Path) -> list[Step]:
    steps = [step for step in recipe.steps if step.use == CAMPAIGN]
    if not steps:
        raise KostraError(
            "this recipe has no campaign", where=str(folder / RECIPE_FILE), accepted=f'a step with use = "{CAMPAIGN}"'
        )
    return steps


def _protocol(folder: Path, recipe: Recipe, step: Step) -> Campaign:
    """The step's options, with the questions that its tasks ask by themselves."""
    path = folder / RECIPE_FILE
    place = ("steps", [one.name for one in recipe.steps].index(step.name), "with")
    text = path.read_text(encoding="utf-8")
    return completed(parse(Campaign, step.options, where=str(path), text=text, at=place), recipe.score)


def _opened(store: Store, folder: Path, recipe: Recipe, step: Step, now: datetime) -> Opened:
    protocol = _protocol(folder, recipe, step)
    try:
        inputs = pipeline.reads_of(folder, step.name)
    except KostraError as error:
        return Opened(step.name, 0, "", 0, waits=error.what)
    made = material(protocol, inputs.by_step, project=folder, score=recipe.score)
    seed = recipe.recipe.seed
    Running(protocol, made, seed=seed)  # what cannot be dealt is refused before anybody comes
    store.create_campaign(step.name, seed=seed, now=now)
    known = store.revisions(step.name)
    if not known:
        number = store.save_revision(step.name, protocol=protocol, material=made, difference="the first", now=now)
        return Opened(step.name, number, "", len(made.items))
    return _revised(store, step.name, protocol, made, now, where=str(folder / RECIPE_FILE))


def _revised(store: Store, campaign: str, protocol: Campaign, made: Material, now: datetime, *, where: str) -> Opened:
    """Compare with the newest revision and, where anything differs, make another."""
    newest = store.load_material(campaign)
    with open_engine(store, campaign) as engine:
        phases, items, followed = engine.read(_answered).result()
        if followed < newest.revision:  # saved, but not told: the last time ended between the two
            engine.do(lambda _: (None, [Event("revised", now, None, {"revision": newest.revision})]))
        found = difference((newest.protocol, newest.material), (protocol, made), phases, items)
        if not found:
            return Opened(campaign, newest.revision, "", len(made.items))
        found.check(where=where)
        text = str(found)
        number = store.save_revision(campaign, protocol=protocol, material=made, difference=text, now=now)
        engine.do(lambda _: (None, [Event("revised", now, None, {"revision": number})]))
    return Opened(campaign, number, text, len(made.items))


def _answered(running: Running) -> tuple[set[str], set[str], int]:
    """The phases and items that have answers, and the revision that the campaign follows."""
    records = running.records.values()
    return {record.phase for record in records}, {record.item for record in records}, running.revision


@contextmanager
def _store(folder: Path, db: str | None) -> Iterator[Store]:
    with open_store(db or folder / STORE) as store:
        yield store


def _existing(folder: Path, db: str | None) -> None:
    if db is None and not (folder / STORE).is_file():
        raise KostraError(
            "this project has no answers yet: its site was never opened",
            where=str(folder),
            remedy=f"kostra serve {folder}",
        )


def _chosen(store: Store, campaign: str | None) -> str:
    """The campaign that is meant: the one that is named, or the only one."""
    known = store.campaigns()
    if campaign is not None:
        if campaign not in known:
            raise unknown("campaign", campaign, known, where=store.where)
        return campaign
    if len(known) != 1:
        raise KostraError(
            f"the project has {len(known)} campaigns: {', '.join(known)}", remedy=f"--campaign {known[-1]}"
        )
    return known[0]


# Serving -------------------------------------------------------------------------------------------------


def environment(folder: str | Path, *, db: str | None = None) -> dict[str, Any]:
    """What a worker process must know to serve a project (`kostra.annotate.app.from_environment`)."""
    place = Path(folder).resolve()
    recipe = read_recipe(place / RECIPE_FILE)
    with _store(place, db) as store:
        opened = set(store.campaigns())
    campaigns = {}
    for step in _campaign_steps(recipe, place):
        if step.name in opened:
            protocol = _protocol(place, recipe, step)
            campaigns[step.name] = {
                "title": recipe.recipe.title,
                "language": recipe.recipe.language,
                "payment": protocol.payment,
                "contact": protocol.contact,
                "languages": _languages(protocol),
            }
    return {"db": db or str(place / STORE), "project": str(place), "campaigns": campaigns}


def _languages(protocol: Campaign) -> list[str]:
    """Languages in which the questions are given besides the recipe's own."""
    asked = [question for phase in protocol.phases for question in phase.questions]
    return sorted({code for question in asked for code in (*question.labels_in, *question.prompt_in)})


def check_address(host: str, port: int) -> None:
    """Refuse an address on which the site could not listen."""
    import socket

    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except (OSError, OverflowError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise KostraError(
                f"cannot listen: {why}", where=f"{host}:{port}", remedy="another port: --port 8001"
            ) from None


def serve(
    folder: str | Path, *, db: str | None = None, host: str = "127.0.0.1", port: int = 8000, workers: int = 1
) -> None:
    """Serve the campaigns of a project until it is interrupted; `prepare` it first.

    Parameters
    ----------
    db
        The address of a PostgreSQL database; without it, ``campaign.db`` in the project's folder.
    workers
        Processes; any number may share a store.
    """
    import uvicorn

    told = environment(folder, db=db)
    if not told["campaigns"]:
        raise KostraError("no campaign of this project can be opened yet", where=str(folder), remedy="kostra status")
    os.environ[app.ENVIRONMENT] = json.dumps(told)
    uvicorn.run(
        "kostra.annotate.app:from_environment",
        factory=True,
        host=host,
        port=port,
        workers=workers,
        access_log=False,  # its lines would hold invitation links
        log_level="warning",
        ws="none",
        timeout_worker_healthcheck=30,  # a worker that replays a long log is busy, not dead
    )


def invite(
    folder: str | Path,
    number: int = 1,
    *,
    campaign: str | None = None,
    role: Role = "annotator",
    uses: Uses = "personal",
    days: float | None = None,
    url: str = "http://127.0.0.1:8000",
    db: str | None = None,
    now: datetime | None = None,
) -> list[str]:
    """Make invitation links. A personal link lets one person in, as often as they come."""
    place, now = Path(folder), now or datetime.now(UTC)
    if number < 1:
        raise KostraError(f"{number} invitations were asked for", accepted="1 or more")
    if db is None and not (place / STORE).is_file():
        prepare(place, now=now)
    with _store(place, db) as store:
        chosen = _chosen(store, campaign)
        _has_role(store, chosen, role)
        expires = now + timedelta(days=days) if days is not None else None
        tokens = store.invite(chosen, number, role=role, uses=uses, expires_at=expires, now=now)
    return [f"{url.rstrip('/')}/join/{token}" for token in tokens]


def _has_role(store: Store, campaign: str, role: str) -> None:
    asked = {phase.role for phase in store.load_material(campaign).protocol.phases}
    if role not in asked:
        raise unknown(f'role in the campaign "{campaign}"', role, asked)


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
    _existing(place, db)
    simulation = read_recipe(place / RECIPE_FILE).simulation
    if annotators is not None:
        simulation = simulation.model_copy(update={"annotators": annotators})
    with _store(place, db) as store:
        chosen = _chosen(store, campaign)
        protocol = store.load_material(chosen).protocol
        players = cast(protocol, simulation, rng=np.random.default_rng(seed))
        tokens = {player.person.name: _let_in(store, chosen, player, now) for player in players}
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
    _existing(place, db)
    asked = language_model.LanguageModel(endpoint, model)
    with _store(place, db) as store:
        chosen = _chosen(store, campaign)
        protocol = store.load_material(chosen).protocol
        if asked.name not in {known.annotator for known in store.annotators(chosen)}:
            store.add_annotator(chosen, kind="model", name=asked.name, now=now)
        token = store.invite(chosen, annotator=asked.name, now=now)[0]
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


# Answers -------------------------------------------------------------------------------------------------


def collect(
    folder: str | Path, *, campaign: str | None = None, db: str | None = None, output: str | Path | None = None
) -> list[Collected]:
    """Write the answers so far where the recipe's steps read them, without stopping the site.

    Every answer that was ever stored is there, with what has become of it; `kostra build` goes on from them.
    """
    place = Path(folder)
    _existing(place, db)
    recipe = read_recipe(place / RECIPE_FILE)
    found = []
    with _store(place, db) as store:
        known = store.campaigns()
        names = [_chosen(store, campaign)] if campaign is not None or output is not None else known
        for name in names:
            step = next((step for step in recipe.steps if step.name == name), None)
            if step is None:
                raise KostraError(f'the recipe has no step "{name}" any more', where=str(place / RECIPE_FILE))
            path = Path(output) if output is not None else place / _protocol(place, recipe, step).answers
            found.append(_collect_one(store, name, path))
    return found


def _collect_one(store: Store, campaign: str, path: Path) -> Collected:
    if str(path) != "-":
        path.parent.mkdir(parents=True, exist_ok=True)
    tables = collecting.collect(store, campaign) if store.load_material(campaign).protocol.policy == "adaptive" else {}
    if tables:
        write(tables["tuples"], tuples_beside(path))
    count = collecting.collect_to(store, campaign, path)
    return Collected(campaign, path, count, len(store.annotators(campaign)))


def backup(
    folder: str | Path, to: str | Path, *, db: str | None = None, now: datetime | None = None
) -> Mapping[str, int]:
    """Write a backup of a project's store while the site runs, whole or not at all; rows by table."""
    place = Path(folder)
    _existing(place, db)
    with _store(place, db) as store:
        return backups.backup(store, to, now=now or datetime.now(UTC)).rows


def restore(folder: str | Path, path: str | Path, *, db: str | None = None) -> Mapping[str, int]:
    """Fill the empty store of a project, SQLite or PostgreSQL, from a backup of either; rows by table."""
    return backups.restore(path, db or Path(folder) / STORE).rows
