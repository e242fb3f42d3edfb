"""The people of a project's campaigns, for whoever runs them: lists and letters, their data, erasing, and pay.

Behind ``kostra invite --list``, ``invitations``, ``person``, ``erase``, ``questionnaire`` and ``pay``.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

from kostra.annotate.campaigns import first_state
from kostra.annotate.entry import letters, own_data
from kostra.annotate.entry.joining import naming_of
from kostra.annotate.entry.letters import Invited, Letter, Server
from kostra.annotate.entry.pay import Earned, Tally, Work, earned
from kostra.annotate.store import Store
from kostra.annotate.store_people import Invitation
from kostra.campaign.admission import Pay
from kostra.campaign.running import Running
from kostra.errors import KostraError
from kostra.files import shown, write_text
from kostra.recipe import RECIPE_FILE, read_recipe
from kostra.site import STORE, check_opened, chosen, opened_store, prepare

ACTOR = "shell"
"""Who acts in the audit log, where a command does."""


@dataclass(frozen=True)
class Posted:
    """What became of a list."""

    letters: tuple[Letter, ...]
    """What was written, or sent."""
    before: tuple[Invited, ...]
    """Who had been invited already, and got nothing."""
    failed: Mapping[Letter, str]
    """What the mail server did not take, and why; their links work no more."""


def invite_list(
    folder: str | Path,
    path: str | Path,
    *,
    smtp: str | None = None,
    sender: str = "",
    user: str = "",
    tls: letters.Tls | None = None,
    output: str | Path | None = None,
    again: bool = False,
    days: float | None = None,
    url: str = "http://127.0.0.1:8000",
    campaign: str | None = None,
    db: str | None = None,
    now: datetime | None = None,
) -> Posted:
    """Invite the people of a list (CSV: name,mail), each by a link of their own.

    Parameters
    ----------
    smtp
        The mail server through which letters go, as host:port; its password is read from ``KOSTRA_SMTP_PASSWORD``.
    sender, user
        Whom they are from; who logs in at the server.
    output
        Instead of sending: a file of letters, CSV for a mail merge or text.
    again
        Whether those who were invited before get another letter.
    """
    place, now = Path(folder), now or datetime.now(UTC)
    people = letters.read_list(path)
    if (smtp is None) == (output is None):
        raise KostraError("letters are sent, or written to a file", accepted="--smtp host:port, or --letters FILE")
    if output is not None and Path(output).exists():
        raise KostraError(
            "there are letters in this file already, and their links stand nowhere else",
            where=shown(output),
            remedy="another file; --again writes to those who have lost their letter",
        )
    server = Server.at(smtp, sender=sender, user=user, tls=tls) if smtp is not None else None
    if db is None and not (place / STORE).is_file():
        prepare(place, now=now)
    recipe = read_recipe(place / RECIPE_FILE).recipe
    with opened_store(place, db) as store:
        name = chosen(store, campaign)
        protocol = store.load_material(name).protocol
        language = protocol.language or recipe.language
        expires = now + timedelta(days=days) if days is not None else None

        def write() -> tuple[list[Letter], list[Invited]]:
            words = letters.wording(protocol.letter, language, contact=protocol.contact)
            made = letters.write_letters(
                store, name, people, url=url, title=protocol.title or recipe.title, contact=protocol.contact,
                words=words, naming=naming_of(protocol, language), expires_at=expires, again=again, now=now,
            )  # fmt: skip
            told = {"number": len(made[0]), "source": "list", "uses": "personal"}
            store.record("invited", campaign=name, actor=ACTOR, data=told, now=now)
            return made

        if output is not None:
            made, before = write()
            with ExitStack() as otherwise:
                otherwise.callback(letters.take_back, store, name, made)  # nobody is invited by a letter that is lost
                if made:
                    letters.save_letters(made, output)
                otherwise.pop_all()
            return Posted(tuple(made), tuple(before), {})
        assert server is not None  # one of the two was said
        with letters.connected(server) as link:  # whoever cannot send invites nobody
            made, before = write()
            failed = letters.send(link, server, made, now=now)
        letters.take_back(store, name, list(failed))
    return Posted(tuple(made), tuple(before), failed)


def invitations(folder: str | Path, *, campaign: str | None = None, db: str | None = None) -> list[Invitation]:
    """The links that were made, the newest first; what is told of one lets nobody in."""
    place = Path(folder)
    check_opened(place, db)
    with opened_store(place, db) as store:
        return store.invitations(chosen(store, campaign))


def withdraw_invitation(
    folder: str | Path,
    invitation: str,
    *,
    campaign: str | None = None,
    db: str | None = None,
    now: datetime | None = None,
) -> None:
    """Make a link worthless, by the id that `invitations` tells. Who came in by it stays."""
    place, now = Path(folder), now or datetime.now(UTC)
    check_opened(place, db)
    with opened_store(place, db) as store:
        name = chosen(store, campaign)
        store.withdraw_invitation(name, invitation)
        store.record("invitation withdrawn", campaign=name, actor=ACTOR, data={"invitation": invitation}, now=now)


# A person ------------------------------------------------------------------------------------------------


def person(
    folder: str | Path,
    annotator: str,
    *,
    campaign: str | None = None,
    db: str | None = None,
    now: datetime | None = None,
) -> dict[str, Any]:
    """Everything that is stored of one person, for themselves."""
    place, now = Path(folder), now or datetime.now(UTC)
    check_opened(place, db)
    with opened_store(place, db) as store:
        name = chosen(store, campaign)
        if annotator in store.aliases(name):
            raise KostraError(f'what was known of "{annotator}" was erased', where=store.where)
        found = own_data.data_of(store, name, annotator, now=now)
        store.record("data exported", campaign=name, actor=ACTOR, data={"annotator": annotator}, now=now)
    return found


def erase(
    folder: str | Path,
    annotator: str,
    *,
    campaign: str | None = None,
    db: str | None = None,
    now: datetime | None = None,
) -> str:
    """Erase what is known of a person, and give the random name under which their answers stay.

    Contact, consents, questionnaire, password, sessions, drafts, messages and links are deleted. The answers and the
    log keep the old pseudonym inside the database, which nothing may change; every table, page and export shows the
    random name. Backups that were made before still hold what they held.
    """
    place, now = Path(folder), now or datetime.now(UTC)
    check_opened(place, db)
    with opened_store(place, db) as store:
        name = chosen(store, campaign)
        alias = store.erase(name, annotator, now=now)
        store.record("erased", campaign=name, actor=ACTOR, data={"annotator": alias, "by": ACTOR}, now=now)
    return alias


def questionnaire(
    folder: str | Path,
    output: str | Path,
    *,
    linked: bool = True,
    campaign: str | None = None,
    db: str | None = None,
) -> list[str]:
    """Write what people told about themselves as CSV, apart from their answers; what is to be told about it.

    Parameters
    ----------
    linked
        Whether rows have pseudonyms, by which they can be joined with the answers.
    """
    place = Path(folder)
    check_opened(place, db)
    with opened_store(place, db) as store:
        name = chosen(store, campaign)
        asked = store.load_material(name).protocol.questionnaire
        text, notes = own_data.replies_table(store.replies(name), asked, store.aliases(name), linked=linked)
    write_text(text, output)
    return notes


# Pay -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Payment:
    """What one person has done and earned."""

    annotator: str
    work: Work
    earned: Earned
    source: str = ""
    external: str | None = None
    """Their name at Prolific or MTurk, by which they are paid there."""
    name: str | None = None
    mail: str | None = None


def payments(folder: str | Path, *, campaign: str | None = None, db: str | None = None) -> list[Payment]:
    """What everybody has earned so far, by the recipe's rules (``[steps.with.pay]``)."""
    return _earnings(folder, campaign, db)[1]


def _earnings(folder: str | Path, campaign: str | None, db: str | None) -> tuple[Pay, list[Payment]]:
    place = Path(folder)
    check_opened(place, db)
    with opened_store(place, db) as store:
        name = chosen(store, campaign)
        rules = store.load_material(name).protocol.pay
        if rules is None:
            raise KostraError(
                "the recipe does not say what people earn",
                where=str(place / RECIPE_FILE),
                accepted='[steps.with.pay] with currency = "EUR" and per_answer or per_hour',
            )
        return rules, _payments(store, name, rules)


def _payments(store: Store, campaign: str, rules: Pay) -> list[Payment]:
    running, tally = first_state(store, campaign), Tally(longest_seconds=rules.longest_seconds)
    with store.reading() as connection, closing(store.log(campaign).all(connection)) as log:
        for event in log:
            running.apply(event)
            tally.learn(event)
    done = tally.finished(finished_people(running))
    contacts = {one.annotator: one for one in store.contacts(campaign)}
    aliases = store.aliases(campaign)
    found = []
    for annotator, work in sorted(done.items()):
        if work.kind != "person" or running.people[annotator].role == "admin":
            continue
        contact = contacts.get(annotator)
        told = (contact.source, contact.external, contact.name, contact.mail) if contact else ("", None, None, None)
        found.append(Payment(aliases.get(annotator, annotator), work, earned(work, rules), *told))
    return found


def finished_people(running: Running) -> set[str]:
    """Those who have finished every phase that is for them."""
    wanted: dict[str, set[str]] = {}
    for phase in running.campaign.phases:
        wanted.setdefault(phase.role, set()).add(phase.name)
    return {
        name
        for name, one in running.people.items()
        if wanted.get(one.role) and wanted[one.role] <= set(one.finished) and not one.stopped
    }


def pay(
    folder: str | Path,
    output: str | Path,
    *,
    form: Literal["csv", "prolific"] = "csv",
    names: bool = False,
    campaign: str | None = None,
    db: str | None = None,
) -> Decimal:
    """Write what people have earned as CSV, and give the sum.

    Parameters
    ----------
    form
        ``prolific``: what its bonus payments take, one ``id,amount`` a line, of the people it sent.
    names
        Whether names and addresses stand beside the pseudonyms, for whoever pays. Such a file is personal data.
    """
    rules, found = _earnings(folder, campaign, db)
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    if form == "prolific":
        found = [one for one in found if one.source == "prolific"]
        writer.writerows([one.external, f"{one.earned.total:.2f}"] for one in found if one.earned.total)
    else:
        bonuses = [bonus.name for bonus in rules.bonus]
        head = ["annotator", "answers", "hours", "gold", "gold_right", "finished", "for_answers", "for_time"]
        more = ["source", "external", "name", "mail"] if names else []
        writer.writerow([*head, *(f"bonus: {name}" for name in bonuses), "total", "currency", *more])
        for one in found:
            work, sums = one.work, one.earned
            row = [one.annotator, work.answers, f"{work.seconds / 3600:.3f}", work.gold, f"{work.gold_right:g}"]
            row += ["yes" if work.finished else "no", f"{sums.answers:.2f}", f"{sums.time:.2f}"]
            row += [f"{sums.bonuses.get(name, Decimal(0)):.2f}" for name in bonuses]
            personal = [one.source, one.external, one.name, one.mail] if names else []
            writer.writerow([*row, f"{sums.total:.2f}", sums.currency, *personal])
    write_text(stream.getvalue(), output)
    if names and str(output) != "-":
        Path(output).chmod(0o600)
    return sum((one.earned.total for one in found), Decimal(0))


def as_json(found: Mapping[str, Any]) -> str:
    """A person's data as text."""
    return json.dumps(found, ensure_ascii=False, indent=2) + "\n"
