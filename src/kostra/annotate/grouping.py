"""A page on which a person groups free names: reads what is proposed, puts names together and takes them apart.

It stands at ``/admin/CAMPAIGN/names`` for a campaign whose names a step ``analysis/name_groups`` of the recipe counts,
and writes the table that this step reads. It is one form without scripts. Every button saves the names of groups as
they stand in their fields; what is ticked goes together into one group, or each name into a group of its own.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, Response
from starlette.exceptions import HTTPException

from kostra import files
from kostra.annotate import rendering
from kostra.annotate.admin.office import GROUPS_NAMES, Show, office_of
from kostra.annotate.collecting import collect
from kostra.annotate.hall import Admin, Hall, goes_to, hall_of
from kostra.annotate.tokens import Session
from kostra.campaign.naming import (
    Groups,
    NamingOptions,
    given_names,
    group_name,
    merged,
    moved,
    named_texts,
    propose,
    read_groups,
    settled,
    write_groups,
)
from kostra.encoders.specs import in_project
from kostra.errors import KostraError
from kostra.recipe import RECIPE_FILE, parse, read_recipe

SHOWN = 4
"""Names of a group of which an example is shown."""
ACTS = ("together", "apart", "save")
SAYS = {
    "together": "Put together and saved.",
    "apart": "Taken apart and saved.",
    "save": "Saved.",
}


class MeanwhileError(KostraError):
    """Somebody else was faster."""


@dataclass(frozen=True)
class Named:
    """The names of a campaign, and the groups in which they are."""

    names: Counter[str]
    groups: Groups
    new: frozenset[str]
    """Names about which nobody has decided."""
    file: str
    """The table's path inside the project."""
    stamp: str
    """What the table held when this was read; empty where there is none."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """Name → a text that somebody called so."""

    def sections(self) -> list[dict[str, object]]:
        """What the page shows: the groups, the largest first, each with its names, the most frequent first."""
        members: dict[str, list[tuple[str, int]]] = {}
        for name, count in self.names.items():
            members.setdefault(self.groups[name], []).append((name, count))
        total = self.names.total()
        ordered = sorted(members.items(), key=lambda one: (-sum(count for _, count in one[1]), one[0]))
        return [
            {
                "group": group,
                "count": (count := sum(often for _, often in own)),
                "share": count / total,
                "names": [{"name": name, "count": often, "new": name in self.new} for name, often in own],
                "texts": [(name, self.texts[name]) for name, _ in own[:SHOWN] if name in self.texts],
            }
            for group, own in ordered
        ]


def named(hall: Hall, campaign: str) -> Named:
    """Read the names that were given so far, and what was decided about them."""
    project = hall.desks[campaign].project
    options = naming_options(project, campaign)
    judgments = collect(hall.store, campaign)["judgments"]
    names = given_names(judgments, options.question)
    phases = hall.store.load_material(campaign).protocol.phases
    asked = (question for phase in phases for question in phase.questions if question.name == options.question)
    about = next((question.about for question in asked), None)
    encoder = in_project(options.encoder, project)
    path = project / options.groups
    decided, stamp = (read_groups(path)[0], files.sha256(path)) if path.is_file() else ({}, "")
    # Proposing is the work; it is not done where everything is decided.
    new = frozenset(names) - set(decided)
    proposed = (
        propose(names, encoder=encoder, threshold=options.threshold, examples=options.examples)
        if new
        else dict(decided)
    )
    groups = settled({name: proposed[name] for name in names}, decided)
    texts = named_texts(judgments, options.question, about) if about is not None else {}
    return Named(names, groups, new, options.groups, stamp, texts)


def naming_options(project: Path, campaign: str) -> NamingOptions:
    """The options of the recipe's step that counts the names of a campaign; 404 where there is none."""
    path = project / RECIPE_FILE
    if path.is_file():
        for number, step in enumerate(read_recipe(path).steps):
            if step.use == GROUPS_NAMES and campaign in step.reads:
                place = ("steps", number, "with")
                return parse(NamingOptions, step.options, where=str(path), text=files.read_text(path), at=place)
    raise HTTPException(404, "no step of the recipe groups names of this campaign")


# What a person does ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Wanted:
    """What came from the form."""

    act: str
    stamp: str
    called: Mapping[str, str]
    """Group → what it shall be called."""
    groups: tuple[str, ...]
    """Groups that are ticked."""
    names: tuple[str, ...]
    """Names that are ticked."""
    into: str

    @classmethod
    def of(cls, fields: Sequence[tuple[str, str]]) -> Wanted:
        """Read the fields; ``group-3`` and ``called-3`` are the third group and what stands in its field."""
        single = dict(fields)
        was = {name.removeprefix("group-"): value for name, value in fields if name.startswith("group-")}
        called = {was[number]: single.get(f"called-{number}", was[number]) for number in was}
        return cls(
            act=single.get("act", "save"),
            stamp=single.get("stamp", ""),
            called=called,
            groups=tuple(value for name, value in fields if name == "groups"),
            names=tuple(value for name, value in fields if name == "names"),
            into=single.get("into", ""),
        )


def changed(found: Named, wanted: Wanted) -> Groups:
    """The groups after what a person asked for.

    Examples
    --------
    Two groups become one, called as the larger; a name leaves its group.

    >>> found = Named(Counter({"a": 3, "b": 1, "c": 1}), {"a": "x", "b": "y", "c": "x"}, frozenset(), "", "")
    >>> changed(found, Wanted("together", "", {}, ("x", "y"), (), ""))
    {'a': 'x', 'b': 'x', 'c': 'x'}
    >>> changed(found, Wanted("together", "", {}, (), ("c",), "of its own"))
    {'a': 'x', 'b': 'y', 'c': 'of its own'}
    """
    if wanted.act not in ACTS:
        raise KostraError(f'there is no act "{wanted.act}"', accepted=", ".join(ACTS))
    strange = [*(set(wanted.groups) - set(found.groups.values())), *(set(wanted.names) - set(found.names))]
    if strange:
        raise KostraError(f'"{strange[0]}" is not here any more', remedy="load the page again")
    renamed = {group: group_name(said) for group, said in wanted.called.items() if said != group}
    groups = {name: renamed.get(group, group) for name, group in found.groups.items()}
    ticked_groups = [renamed.get(group, group) for group in wanted.groups]
    inside = [name for name, group in groups.items() if group in ticked_groups]
    ticked = list(dict.fromkeys([*inside, *wanted.names]))
    if wanted.act == "save" or not ticked:
        if wanted.into.strip() and not ticked:
            raise KostraError("nothing is ticked", remedy="tick the groups or names that belong together")
        return groups
    if wanted.act == "apart":
        for name in ticked:
            groups = moved(groups, [name], name)
        return groups
    into = wanted.into or _largest(found.names, groups, ticked_groups, ticked)
    return moved(merged(groups, ticked_groups, into), wanted.names, into)


def _largest(names: Counter[str], groups: Groups, ticked_groups: Sequence[str], ticked: Sequence[str]) -> str:
    """What a group is called of which nobody said it: as its largest part."""
    if not ticked_groups:
        return min(ticked, key=lambda name: (-names[name], name))
    sizes = {group: sum(names[name] for name in groups if groups[name] == group) for group in ticked_groups}
    return min(sizes, key=lambda group: (-sizes[group], group))


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Have others who save wait, in this process or another."""
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def save(hall: Hall, session: Session, campaign: str, wanted: Wanted) -> None:
    """Do what a person asked for, unless somebody else has changed the groups since they looked.

    Raises
    ------
    KostraError
        If it cannot be done; nothing is changed then.
    """
    project = hall.desks[campaign].project
    path = project / naming_options(project, campaign).groups
    with _alone(path.parent):
        found = named(hall, campaign)
        if found.stamp != wanted.stamp:
            raise MeanwhileError("somebody has changed the groups since you looked: here they are as they stand now")
        groups = changed(found, wanted)
        kept = read_groups(path)[0] if path.is_file() else {}
        write_groups({**kept, **groups}, path)  # names that nobody gave stay, as a person wrote them
    data = {"act": wanted.act, "names": len(groups), "groups": len(set(groups.values()))}
    hall.store.record("names grouped", campaign=campaign, actor=session.annotator, data=data, now=hall.now())


# The page --------------------------------------------------------------------------------------------------


def add_grouping(app: FastAPI) -> None:
    """Add the page to the site."""

    @app.get("/admin/{campaign}/names", include_in_schema=False)
    async def names(campaign: str, request: Request, _: Admin) -> Response:
        _known(request, campaign)
        found = await asyncio.to_thread(named, hall_of(request), campaign)
        return _page(request, campaign, found, said=SAYS.get(request.query_params.get("done", ""), ""))

    @app.post("/admin/{campaign}/names", include_in_schema=False)
    async def names_sent(campaign: str, request: Request, session: Admin) -> Response:
        _known(request, campaign)
        hall = hall_of(request)
        fields = [(name, str(value)) for name, value in (await request.form(max_fields=20_000)).multi_items()]
        hall.check_csrf(request, dict(fields))
        wanted = Wanted.of(fields)
        try:
            await asyncio.to_thread(save, hall, session, campaign, wanted)
        except KostraError as error:
            found = await asyncio.to_thread(named, hall, campaign)
            status = 409 if isinstance(error, MeanwhileError) else 422
            return _page(request, campaign, found, wanted=wanted, error=error, status=status)
        return goes_to(request, f"/admin/{campaign}/names?done={wanted.act}")


def _known(request: Request, campaign: str) -> None:
    if campaign not in hall_of(request).desks:
        raise HTTPException(404, "there is no such campaign here")


def _page(
    request: Request,
    campaign: str,
    found: Named,
    *,
    said: str = "",
    wanted: Wanted | None = None,
    error: KostraError | None = None,
    status: int = 200,
) -> HTMLResponse:
    site = hall_of(request).desks[campaign].site
    kept = wanted if wanted is not None and wanted.stamp == found.stamp else None
    html = rendering.render(
        "grouping.html",
        site,
        campaign=campaign,
        found=found,
        sections=found.sections(),
        ticked_groups=kept.groups if kept else (),
        ticked_names=kept.names if kept else (),
        called=kept.called if kept else {},
        into=kept.into if kept else "",
        error=error,
        tab="names",
        **office_of(request).further(campaign),
        show=Show(site.words),
        now=hall_of(request).now(),
        done=said,
    )
    return HTMLResponse(html, status)
