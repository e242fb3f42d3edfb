"""Takes campaigns to other annotation tools, and brings the answers home: behind ``kostra export`` and ``import``."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl

from kostra import files, pipeline, tables
from kostra.campaign.language_model import MODEL
from kostra.campaign.material import material
from kostra.campaign.protocol import Campaign
from kostra.campaign.simulated import SIMULATED
from kostra.errors import KostraError, some, unknown
from kostra.recipe import RECIPE_FILE, read_recipe
from kostra.release.bridges import TOOLS, bridge, prolific
from kostra.release.bridges.contract import Reply, Screen, cannot_leave, not_kept, screens_of
from kostra.release.bridges.judging import ACCEPTED, judged, replies_of
from kostra.release.edition import CAMPAIGN, campaigns_of
from kostra.release.folder import laid_down
from kostra.release.papers import INSTRUCTIONS, instructions
from kostra.release.private import PRIVATE, write_private
from kostra.tables import JUDGMENTS, Frame

PROLIFIC = "prolific"
EXPORTS = (*TOOLS, PROLIFIC)


@dataclass(frozen=True)
class Exported:
    """What was written for another tool."""

    folder: Path
    files: tuple[Path, ...]
    items: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Imported:
    """What came of others' files."""

    path: Path
    """Where it was written."""
    answers: int
    """Screens that were answered."""
    judgments: int
    """Rows that they became, one per question."""
    people: int
    repeated: int = 0
    """Judgments that had been imported before."""
    skipped: tuple[str, ...] = ()
    """What was not taken, each with its place and the reason."""
    surplus: tuple[str, ...] = ()
    """Answers beyond those that an item was to get, each with its place: kept, and never counted."""
    notes: tuple[str, ...] = ()


# Out ---------------------------------------------------------------------------------------------------


def export(
    folder: str | Path, tool: str, output: str | Path, *, campaign: str | None = None, answers: bool = False
) -> Exported:
    """Write a campaign's items as another tool takes them, a folder per phase, whole or not at all.

    Parameters
    ----------
    tool
        ``label-studio``, ``potato``, ``mturk``; or ``prolific``: whom to approve there, and bonuses.
    output
        A folder that does not exist yet, or is empty.
    answers
        Whether the answers so far go with the items, in the form in which the tool gives them.
    """
    place, out = Path(folder), Path(output)
    if tool not in EXPORTS:
        raise unknown("tool", tool, EXPORTS)
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise KostraError("this is not an empty folder", where=files.shown(out), remedy="name a folder that is new")
    name, protocol = _campaign(place, campaign)
    if tool == PROLIFIC:
        return _export_prolific(place, out, name, protocol)
    screens = _screens(place, name, protocol)
    notes: list[str] = []
    replies = _replies(place / protocol.answers, screens, notes) if answers else []
    made: list[Path] = []
    recipe = read_recipe(place / RECIPE_FILE)
    title = protocol.title or recipe.recipe.title
    with laid_down(out) as staging:
        for phase in protocol.phases:
            mine = [screen for screen in screens if screen.phase.name == phase.name]
            if not mine:
                notes.append(f'phase "{phase.name}" has no items as yet')
                continue
            (staging / phase.name).mkdir()
            given = [reply for reply in replies if reply.key.partition(":")[0] == phase.name]
            wrote = bridge(tool).write(phase, mine, staging / phase.name, title=title, replies=given)
            made += [out / path.relative_to(staging) for path in wrote]
            notes.append(f'phase "{phase.name}": {len(mine):,} items, {phase.overlap} people each')
            lost = not_kept(phase)
            notes += [f'phase "{phase.name}": {bridge(tool).TITLE} does not keep: {"; ".join(lost)}'] if lost else []
        pairs = any("text_a" in member for one in screens for member in one.item.content.get("members", []))
        files.write_text(instructions({name: protocol}, recipe, place, of_pairs=pairs), staging / INSTRUCTIONS)
        made.append(out / INSTRUCTIONS)
    return Exported(out, tuple(made), len(screens), tuple(notes))


def _campaign(folder: Path, name: str | None) -> tuple[str, Campaign]:
    """The campaign that is meant: the one that is named, or the only one."""
    recipe = read_recipe(folder / RECIPE_FILE)
    known = [step.name for step in recipe.steps if step.use == CAMPAIGN]
    if not known:
        raise KostraError("this recipe has no campaign", where=str(folder / RECIPE_FILE))
    if name is not None and name not in known:
        raise unknown("campaign", name, known, where=str(folder / RECIPE_FILE))
    if name is None and len(known) > 1:
        raise KostraError(
            f"the project has {len(known)} campaigns: {', '.join(known)}", remedy=f"--campaign {known[-1]}"
        )
    chosen = name or known[0]
    return chosen, campaigns_of(recipe, [chosen])[chosen]


def _screens(folder: Path, name: str, protocol: Campaign) -> list[Screen]:
    for phase in protocol.phases:
        why = cannot_leave(phase)
        if why:
            raise KostraError(
                f'phase "{phase.name}" of campaign "{name}" works on kostra\'s own site only: {why}',
                where=str(folder / RECIPE_FILE),
                remedy=f"kostra serve {folder}",
            )
    score = read_recipe(folder / RECIPE_FILE).score
    made = material(protocol, pipeline.reads_of(folder, name).by_step, project=folder, score=score)
    screens = screens_of(protocol.phases, made)
    if not screens:
        raise KostraError(
            f'the items of campaign "{name}" are chosen while it runs: no other tool can show them',
            where=str(folder / RECIPE_FILE),
        )
    return screens


def _replies(path: Path, screens: Sequence[Screen], notes: list[str]) -> list[Reply]:
    """The collected answers, screen by screen."""
    if not path.is_file():
        raise KostraError("there are no answers yet", where=str(path), remedy="kostra collect, or leave --answers out")
    judgments = tables.read(path, JUDGMENTS)
    found, left_out = replies_of(judgments, screens)
    if left_out:
        notes.append(f"{left_out:,} judgments do not go out: not accepted, or about other items")
    return found


# In ------------------------------------------------------------------------------------------------------


def import_answers(
    folder: str | Path,
    paths: Sequence[str | Path],
    tool: str,
    *,
    campaign: str | None = None,
    keep_names: bool = False,
    skip: bool = False,
) -> Imported:
    """Bring answers from another tool's export into a campaign's table of judgments, all of them or none.

    Every answer is checked by its task, as on the site. Answers that were imported before are known again, and what
    exceeds the answers that an item was to get is kept as surplus.

    Parameters
    ----------
    tool
        ``label-studio``, ``potato`` or ``mturk``; or ``prolific``: what participants are, which stays private.
    keep_names
        Whether annotators keep the names that the tool has for them. Unless said they get pseudonyms, and who is who
        stands in the project's ``private/annotators.csv`` only.
    skip
        Whether replies that are no answers to this campaign (of unknown items, outside the scale, given twice) are
        left out and listed. Unless said the files are refused for the first of them.
    """
    place = Path(folder)
    if tool not in EXPORTS:
        raise unknown("tool", tool, EXPORTS)
    name, protocol = _campaign(place, campaign)
    if tool == PROLIFIC:
        return _import_participants(place, paths)
    replies = [reply for path in paths for reply in bridge(tool).read(Path(path))]
    people = _People(place, tool, keep=keep_names)
    path = place / protocol.answers
    before = tables.read(path, JUDGMENTS) if path.is_file() else JUDGMENTS.empty()
    known = set(before["judgment"])
    made = judged(replies, _screens(place, name, protocol), tool=tool, people=people.named, before=before)
    if made.wrong and not skip:
        raise _refused(made.wrong)
    fresh = [row for row in made.rows if row["judgment"] not in known]
    before = _superseded(before, fresh, tool)
    added = tables.check(pl.DataFrame(fresh, schema=JUDGMENTS.dtypes), JUDGMENTS, where=f"answers from {tool}")
    if added.height:
        path.parent.mkdir(parents=True, exist_ok=True)
        people.save()
        tables.write(tables.check(pl.concat([before, added]), JUDGMENTS, where=str(path)), path)
    answers = added.select("item", "phase", "annotator", "answered_at").n_unique() if added.height else 0
    return Imported(
        path,
        answers,
        added.height,
        added["annotator"].drop_nulls().n_unique(),
        len(made.rows) - len(fresh),
        (*(f"{where}: {why}" for where, why in made.wrong), *made.left_out),
        tuple(made.surplus) if added.height else (),
    )


def _refused(wrong: Sequence[tuple[str, str]]) -> KostraError:
    (where, why), *others = wrong
    more = f"; {len(others):,} more are wrong as well: {some([place for place, _ in others])}" if others else ""
    return KostraError(
        f"{why}{more}",
        where=where,
        accepted="answers to items of this campaign, in the wording in which they went out, one per person",
        remedy="mend the file, or take the rest of it: --skip",
    )


def _superseded(before: Frame, fresh: Sequence[dict[str, Any]], tool: str) -> Frame:
    """The table in which answers that were changed in the tool since say so; the new ones say what they replace."""
    place = ("annotator", "phase", "block", "item", "version", "question")
    mine = before.filter(pl.col("judgment").str.starts_with(f"{tool}-") & pl.col("status").is_in(ACCEPTED))
    standing = {tuple(row[name] for name in place): row["judgment"] for row in mine.iter_rows(named=True)}
    replaced = []
    for row in fresh:
        old = standing.get(tuple(row[name] for name in place))
        if old is not None and row["annotator"] is not None and row["status"] in ACCEPTED:
            row["supersedes"] = old
            replaced.append(old)
    changed = pl.when(pl.col("judgment").is_in(replaced)).then(pl.lit("superseded")).otherwise(pl.col("status"))
    return before.with_columns(status=changed)


# People --------------------------------------------------------------------------------------------------


class _People:
    """Who is who: names in other tools and our pseudonyms, kept in a private file of the project."""

    _HEADER = ("tool", "external", "annotator")

    def __init__(self, folder: Path, tool: str, *, keep: bool = False) -> None:
        self.path = folder / PRIVATE / "annotators.csv"
        self.tool, self.keep = tool, keep
        self.known: dict[tuple[str, str], str] = {}
        if self.path.is_file():
            for row in files.read_records(self.path, kind="csv").rows:
                self.known[row[0], row[1]] = row[2]

    def named(self, external: str) -> str:
        """The pseudonym of somebody; simulated annotators and models stay what they are."""
        if self.keep or external.startswith((SIMULATED, MODEL)):
            return external
        if (self.tool, external) not in self.known:
            number = 1 + sum(tool == self.tool for tool, _ in self.known)
            self.known[self.tool, external] = f"{self.tool}-{number:03d}"
        return self.known[self.tool, external]

    def save(self) -> None:
        """Write the file, for its owner alone."""
        if self.known:
            rows = [(tool, external, name) for (tool, external), name in self.known.items()]
            write_private([self._HEADER, *rows], self.path)


# Prolific ------------------------------------------------------------------------------------------------

_PARTICIPANTS = ("annotator", "status", "started", "completed", "seconds", "code", "told")


def _import_participants(folder: Path, paths: Sequence[str | Path]) -> Imported:
    found: dict[str, prolific.Participant] = {}
    for one in (one for path in paths for one in prolific.read_participants(Path(path))):
        # Whoever returned a study and took it again has two submissions: the finished one counts.
        if one.participant not in found or one.status in prolific.DONE:
            found[one.participant] = one
    people = _People(folder, PROLIFIC)
    rows = [
        (
            people.named(one.participant), one.status, _iso(one.started), _iso(one.completed),
            "" if one.seconds is None else f"{one.seconds:g}", one.code, json.dumps(dict(one.told), ensure_ascii=False),
        )
        for one in found.values()
    ]  # fmt: skip
    path = folder / PRIVATE / "participants.csv"
    people.save()
    write_private([_PARTICIPANTS, *rows], path)
    statuses = Counter(one.status for one in found.values())
    counted = ", ".join(f"{status.lower()} {number:,}" for status, number in sorted(statuses.items()))
    return Imported(path, 0, 0, len(found), notes=(f"submissions: {counted}", *prolific.summary(found.values())))


def _iso(moment: datetime | None) -> str:
    return "" if moment is None else moment.isoformat()


def _export_prolific(folder: Path, out: Path, name: str, protocol: Campaign) -> Exported:
    """Whom to approve: those who wait for it and have answers that count. Bonuses: as the recipe pays."""
    path = folder / PRIVATE / "participants.csv"
    if not path.is_file():
        raise KostraError(
            "nothing is known of participants yet",
            where=str(folder),
            remedy=f"kostra import {folder} EXPORT.csv --from {PROLIFIC}",
        )
    external = {name: who for (tool, who), name in _People(folder, PROLIFIC).known.items() if tool == PROLIFIC}
    external_of_site, earned = _site_people(folder, name, protocol)
    answered = _people_with_answers(folder / protocol.answers)
    by_participant = {who: annotator for annotator, who in (external | external_of_site).items()}
    approve, not_yet = [], []
    for row in files.read_records(path, kind="csv").rows:
        who = external[row[0]]
        if row[1] != "AWAITING REVIEW":
            not_yet.append((who, row[1].lower()))
        elif answered & {row[0], by_participant.get(who, row[0])}:
            approve.append(who)
        else:
            not_yet.append((who, "no answers that count"))
    with laid_down(out) as staging:
        for file, text in (("approvals.txt", prolific.approvals(approve)), ("bonuses.csv", prolific.bonuses(earned))):
            (staging / file).touch(mode=0o600)  # they hold people's ids
            files.write_text(text, staging / file)
        lines = [("participant", "why"), *not_yet]
        write_private(lines, staging / "not_approved.csv")
    notes = (f"{len(approve):,} to approve, {len(not_yet):,} not", f"{sum(bool(v) for v in earned.values()):,} bonuses")
    return Exported(
        out, tuple(out / file for file in ("approvals.txt", "bonuses.csv", "not_approved.csv")), len(approve), notes
    )


def _people_with_answers(path: Path) -> set[str]:
    if not path.is_file():
        return set()
    judgments = tables.read(path, JUDGMENTS).filter(pl.col("status").is_in(ACCEPTED))
    return set(judgments["annotator"].drop_nulls())


def _site_people(folder: Path, campaign: str, protocol: Campaign) -> tuple[dict[str, str], dict[str, Decimal]]:
    """Whom Prolific sent to our own site: pseudonym → id there, and what each has earned by the recipe's rules."""
    from kostra.participants import payments
    from kostra.site import STORE

    if protocol.pay is None or not (folder / STORE).is_file():
        return {}, {}
    paid = [one for one in payments(folder, campaign=campaign) if one.source == PROLIFIC and one.external]
    return (
        {one.annotator: str(one.external) for one in paid},
        {str(one.external): one.earned.total for one in paid},
    )
