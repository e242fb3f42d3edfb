"""The annotation site of a project: opens its campaigns, serves them, invites people, and collects their answers.

Behind ``kostra serve``, ``preview``, ``invite``, ``collect``, ``backup`` and ``restore``; what concerns people is in
`kostra.participants`, what answers in their stead in `kostra.acting`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from kostra import pipeline
from kostra.annotate import backups, collecting
from kostra.annotate.addresses import check_address as check_address
from kostra.annotate.addresses import secret_of
from kostra.annotate.campaigns import is_scripted, languages_of, open_engine, revise
from kostra.annotate.entry.gates import DEMO
from kostra.annotate.store import Store, open_store
from kostra.annotate.tokens import Uses
from kostra.annotate.upgrading import careful
from kostra.campaign import phases
from kostra.campaign.annotate import tuples_beside
from kostra.campaign.material import material
from kostra.campaign.protocol import Campaign, Role
from kostra.campaign.questions import completed
from kostra.campaign.running import Running
from kostra.errors import KostraError, unknown
from kostra.files import read_text
from kostra.recipe import RECIPE_FILE, Recipe, Step, parse, read_recipe
from kostra.tables import write

CAMPAIGN = "campaign/annotate"
STORE = "campaign.db"
ADMIN = "admin"
"""Who comes in by the link that `kostra serve` prints for whoever runs the campaign."""


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
    with opened_store(place, db) as store:
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
    found = completed(parse(Campaign, step.options, where=str(path), text=text, at=place), recipe.score)
    if found.consent is not None and found.consent.text_file is not None:
        said = found.consent.model_copy(update={"text": _project_text(folder, found.consent.text_file)})
        found = found.model_copy(update={"consent": said})
    return found


def _project_text(folder: Path, name: str) -> str:
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise KostraError(f'"{name}" lies outside of the project', where=str(folder / RECIPE_FILE))
    text = read_text(path).strip()
    if not text:
        raise KostraError("the consent text is empty", where=str(path))
    return text


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
    with open_engine(store, step.name) as engine:
        number, text = revise(store, engine, protocol, made, now=now, where=str(folder / RECIPE_FILE))
    return Opened(step.name, number, text, len(made.items))


@contextmanager
def opened_store(folder: Path, db: str | None) -> Iterator[Store]:
    """The store of a project; one of an older kostra is backed up before it is brought up to date."""
    with open_store(db or folder / STORE, before=careful(folder, now=datetime.now(UTC))) as store:
        yield store


def check_opened(folder: Path, db: str | None) -> None:
    """Refuse a project whose site was never opened."""
    if db is None and not (folder / STORE).is_file():
        raise KostraError(
            "this project has no answers yet: its site was never opened",
            where=str(folder),
            remedy=f"kostra serve {folder}",
        )


def chosen(store: Store, campaign: str | None) -> str:
    """The campaign that is meant: the one that is named, or the only one."""
    known = store.campaigns()
    if campaign is not None:
        if campaign not in known:
            raise unknown("campaign", campaign, known, where=store.where)
        return campaign
    if not known:
        raise KostraError("no campaign was opened here yet", where=store.where, remedy="kostra serve, first")
    if len(known) != 1:
        raise KostraError(
            f"the project has {len(known)} campaigns: {', '.join(known)}", remedy=f"--campaign {known[-1]}"
        )
    return known[0]


# Serving -------------------------------------------------------------------------------------------------


def environment(
    folder: str | Path,
    *,
    db: str | None = None,
    root: str = "",
    hosts: Sequence[str] = (),
    proxies: Sequence[str] = (),
    url: str = "",
) -> dict[str, Any]:
    """What a worker process must know to serve a project (`kostra.annotate.app.from_environment`)."""
    place = Path(folder).resolve()
    recipe = read_recipe(place / RECIPE_FILE)
    with opened_store(place, db) as store:
        opened = set(store.campaigns())
    campaigns = {}
    for step in _campaign_steps(recipe, place):
        if step.name in opened:
            protocol = _protocol(place, recipe, step)
            campaigns[step.name] = {
                "title": protocol.title or recipe.recipe.title,
                "language": protocol.language or recipe.recipe.language,
                "payment": protocol.payment,
                "contact": protocol.contact,
                "languages": languages_of(protocol),
            }
    where = {"root": root, "hosts": list(hosts), "proxies": list(proxies), "url": url}
    return {"db": db or str(place / STORE), "project": str(place), "campaigns": campaigns, **where}


def serve(
    folder: str | Path,
    *,
    db: str | None = None,
    host: str = "127.0.0.1",
    port: int = 8000,
    workers: int = 1,
    root: str = "",
    hosts: Sequence[str] = (),
    proxies: Sequence[str] = (),
    url: str = "",
    log: Literal["text", "json"] = "text",
) -> None:
    """Serve the campaigns of a project until it is interrupted; `prepare` it first.

    Parameters
    ----------
    db
        The address of a PostgreSQL database; without it, ``campaign.db`` in the project's folder.
    workers
        Processes; any number may share a store. If they cannot start, all end, with one message.
    root
        The path under which a proxy shows the site, such as ``/study``.
    hosts
        Names under which the site may be asked for; any unless said.
    proxies
        Addresses of proxies whose word about the client is believed.
    url
        The site's own address as people type it.
    log
        ``text``: what goes wrong, in plain lines. ``json``: one object a line, requests included.
    """
    from kostra.annotate import guard, serving

    if workers < 1:
        raise KostraError(f"{workers} workers cannot serve anything", accepted="1 or more")
    guard.Doors(root, tuple(hosts), tuple(proxies), url)  # refuses what cannot be before anything is opened
    secret = secret_of(folder, host=host)
    told = environment(folder, db=db, root=root, hosts=hosts, proxies=proxies, url=url)
    if not told["campaigns"]:
        raise KostraError("no campaign of this project can be opened yet", where=str(folder), remedy="kostra status")
    serving.run_site(told, host=host, port=port, workers=workers, secret=secret, log=log)


@dataclass(frozen=True)
class Links:
    """The first links to a campaign."""

    campaign: str
    demo: str
    """To try it: nobody's place is taken, and what is answered is kept apart. Empty where only admins are asked
    anything."""
    admin: str
    """For whoever runs it."""


def first_links(
    folder: str | Path, *, url: str = "http://127.0.0.1:8000", db: str | None = None, now: datetime | None = None
) -> list[Links]:
    """Links for whoever opens a site for the first time, to each campaign; those of the time before work no more."""
    place, now = Path(folder), now or datetime.now(UTC)
    found = []
    with opened_store(place, db) as store:
        for campaign in store.campaigns():
            if not store.revisions(campaign):
                continue
            for old in store.invitations(campaign):
                if old.source == DEMO and not old.withdrawn:
                    store.withdraw_invitation(campaign, old.id)
            known = {one.annotator for one in store.annotators(campaign)}
            role = _tried_as(store.load_material(campaign).protocol)
            if DEMO not in known and role is not None:
                store.add_annotator(campaign, name=DEMO, role=role, kind="model", now=now)  # takes nobody's place
            if ADMIN not in known:
                store.add_annotator(campaign, name=ADMIN, role="admin", now=now)
            demo, admin = (
                f"{url.rstrip('/')}/join/{store.invite(campaign, annotator=who, source=DEMO, now=now)[0]}"
                if who
                else ""
                for who in (DEMO if role is not None else "", ADMIN)
            )
            found.append(Links(campaign, demo, admin))
    return found


def _tried_as(protocol: Campaign) -> Role | None:
    """As whom a campaign is tried: an annotator, where annotators are asked anything, and never who may run it."""
    roles = [phase.role for phase in protocol.phases if phase.role != "admin"]
    return "annotator" if "annotator" in roles else next(iter(roles), None)


def preview(folder: str | Path, *, host: str = "127.0.0.1", port: int = 8001) -> None:
    """Show the campaigns of a project screen by screen until it is interrupted; nothing is stored anywhere."""
    import uvicorn

    made = preview_app(folder)
    uvicorn.run(made, host=host, port=port, access_log=False, log_level="warning", ws="none", server_header=False)


def preview_app(folder: str | Path, *, now: datetime | None = None) -> Any:
    """The application of `preview`."""
    from kostra.annotate.previewing import Previewed, preview_application

    place = Path(folder).resolve()
    recipe = read_recipe(place / RECIPE_FILE)
    named = [step.name for step in recipe.steps]
    shown: dict[str, Previewed] = {}
    waits = ""
    for step in _campaign_steps(recipe, place):
        before = named[: named.index(step.name)]
        if before:
            pipeline.build(place, to=before[-1], now=now or datetime.now(UTC))
        protocol = _protocol(place, recipe, step)
        try:
            inputs = pipeline.reads_of(place, step.name)
        except KostraError as error:
            waits = error.what
            continue
        made = material(protocol, inputs.by_step, project=place, score=recipe.score)
        title = protocol.title or recipe.recipe.title
        shown[step.name] = Previewed(protocol, made, title, protocol.language or recipe.recipe.language)
    if not shown:
        raise KostraError(f"no campaign of this project can be shown yet: {waits}", remedy=f"kostra status {folder}")
    return preview_application(shown, project=place)


def invite(
    folder: str | Path,
    number: int = 1,
    *,
    campaign: str | None = None,
    role: Role = "annotator",
    uses: Uses = "personal",
    days: float | None = None,
    quota: int | None = None,
    source: Literal["link", "prolific", "mturk"] = "link",
    url: str = "http://127.0.0.1:8000",
    db: str | None = None,
    now: datetime | None = None,
) -> list[str]:
    """Make invitation links. A personal link lets one person in, as often as they come.

    Parameters
    ----------
    uses
        ``personal``: one person, any time. ``once``: a single time. ``shared``: everybody, as somebody new.
    days
        How long they work; for ever unless said.
    quota
        How many a shared link lets in.
    source
        ``prolific`` or ``mturk``: the shared link that is entered there.
    """
    place, now = Path(folder), now or datetime.now(UTC)
    if number < 1:
        raise KostraError(f"{number} invitations were asked for", accepted="1 or more")
    if db is None and not (place / STORE).is_file():
        prepare(place, now=now)
    with opened_store(place, db) as store:
        name = chosen(store, campaign)
        _has_role(store, name, role)
        expires = now + timedelta(days=days) if days is not None else None
        if source != "link":
            uses = "shared"
        tokens = store.invite(
            name, number, role=role, uses=uses, expires_at=expires, quota=quota, source=source, now=now
        )
        told = {"number": number, "role": role, "uses": uses, "quota": quota, "source": source}
        store.record("invited", campaign=name, actor="shell", data=told, now=now)
    return [link_to(url, source, token) for token in tokens]


def seats(
    folder: str | Path, *, campaign: str | None = None, role: Role = "annotator", db: str | None = None
) -> dict[str, int]:
    """Dealt phase → how many people it can take; whoever comes later waits until somebody's part comes back."""
    with opened_store(Path(folder), db) as store:
        saved = store.load_material(chosen(store, campaign))
    return phases.seats(saved.protocol, saved.material, role)


def link_to(url: str, source: str, token: str) -> str:
    """The address of an invitation; Prolific and MTurk fill in their own parameters.

    Examples
    --------
    >>> link_to("http://127.0.0.1:8000/", "link", "T"), link_to("https://example.org/s", "mturk", "T")
    ('http://127.0.0.1:8000/join/T', 'https://example.org/s/mturk/T')
    """
    base = url.rstrip("/")
    if source == "prolific":
        asked = "&".join(f"{name}={{{{%{name}%}}}}" for name in ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID"))
        return f"{base}/prolific/{token}?{asked}"
    return f"{base}/{'mturk' if source == 'mturk' else 'join'}/{token}"


def _has_role(store: Store, campaign: str, role: str) -> None:
    if role == "admin":
        return  # they run the campaign, and answer nothing
    asked = {phase.role for phase in store.load_material(campaign).protocol.phases}
    if role not in asked:
        raise unknown("role", role, asked, where=f'campaign "{campaign}"')


# Answers -------------------------------------------------------------------------------------------------


def collect(
    folder: str | Path, *, campaign: str | None = None, db: str | None = None, output: str | Path | None = None
) -> list[Collected]:
    """Write the answers so far where the recipe's steps read them, without stopping the site.

    Every answer that was ever stored is there, with what has become of it; `kostra build` goes on from them. Nothing is
    written for a campaign that nobody has answered: its step goes on waiting.
    """
    place = Path(folder)
    check_opened(place, db)
    recipe = read_recipe(place / RECIPE_FILE)
    found = []
    with opened_store(place, db) as store:
        known = store.campaigns()
        ours = [one for one in known if not is_scripted(store, one)]
        names = [chosen(store, campaign)] if campaign is not None or output is not None else ours
        for name in names:
            step = next((step for step in recipe.steps if step.name == name), None)
            if step is not None:
                path = place / _protocol(place, recipe, step).answers
            elif is_scripted(store, name):
                path = place / "data" / f"{name}.csv"
            else:
                raise KostraError(f'the recipe has no step "{name}" any more', where=str(place / RECIPE_FILE))
            if output is None and not collecting.anybody_answered(store, name, but=DEMO):
                found.append(Collected(name, path, 0, 0))  # a file of answers from elsewhere stays as it is
                continue
            found.append(_collect_one(store, name, Path(output) if output is not None else path))
    return found


def _collect_one(store: Store, campaign: str, path: Path) -> Collected:
    if str(path) != "-":
        path.parent.mkdir(parents=True, exist_ok=True)
    tables = collecting.collect(store, campaign) if store.load_material(campaign).protocol.policy == "adaptive" else {}
    if tables:
        write(tables["tuples"], tuples_beside(path))
    count = collecting.collect_to(store, campaign, path)
    people = [one for one in store.annotators(campaign) if one.role != "admin" and one.annotator != DEMO]
    return Collected(campaign, path, count, len(people))


def backup(
    folder: str | Path, to: str | Path, *, db: str | None = None, now: datetime | None = None
) -> Mapping[str, int]:
    """Write a backup of a project's store while the site runs, whole or not at all; rows by table."""
    place = Path(folder)
    check_opened(place, db)
    with opened_store(place, db) as store:
        return backups.backup(store, to, now=now or datetime.now(UTC)).rows


def restore(folder: str | Path, path: str | Path, *, db: str | None = None) -> Mapping[str, int]:
    """Fill the empty store of a project, SQLite or PostgreSQL, from a backup of either; rows by table."""
    return backups.restore(path, db or Path(folder) / STORE).rows
