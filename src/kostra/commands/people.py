"""Commands about the people of a campaign."""

from __future__ import annotations

from typing import Annotated

import typer

import kostra
from kostra.commands.annotation import Database, WhichCampaign
from kostra.commands.shared import Folder, aligned, app, one_of, say, warn
from kostra.errors import KostraError


@app.command()
def invitations(
    folder: Folder,
    withdraw: Annotated[str | None, typer.Option(help="Make a link worthless, by its id.", show_default=False)] = None,
    campaign: WhichCampaign = None,
    db: Database = None,
) -> None:
    """List the links that were made, or withdraw one (--withdraw ID)."""
    from datetime import UTC, datetime

    if withdraw is not None:
        kostra.withdraw_invitation(folder, withdraw, campaign=campaign, db=db)
        say("withdrawn; it lets nobody in any more")
        return
    now = datetime.now(UTC)
    rows = []
    for one in kostra.invitations(folder, campaign=campaign, db=db):
        state = "works" if one.works(now) else "withdrawn" if one.withdrawn else "used up or expired"
        most = f" of {one.quota:,}" if one.quota else ""
        rows.append([str(one.id), one.role, one.uses, one.source, f"used {one.used:,}{most}", state])
    for line in aligned(rows):
        print(line)


@app.command()
def person(
    folder: Folder,
    annotator: Annotated[str, typer.Argument(help="The pseudonym.")],
    output: Annotated[str, typer.Option("--output", "-o", help="Where to write it.")] = "-",
    campaign: WhichCampaign = None,
    db: Database = None,
) -> None:
    """Write everything that is stored of one person, as JSON, for themselves."""
    from kostra.files import write_text
    from kostra.participants import as_json

    write_text(as_json(kostra.person(folder, annotator, campaign=campaign, db=db)), output)


@app.command()
def erase(
    folder: Folder,
    annotator: Annotated[str, typer.Argument(help="The pseudonym.")],
    campaign: WhichCampaign = None,
    db: Database = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Erase what is known of a person; their answers stay under a random name."""
    kostra.person(folder, annotator, campaign=campaign, db=db)  # refuses a name that nobody has before it asks
    if not yes and not typer.confirm(f'Erase all that is known of "{annotator}"? It cannot be undone.', err=True):
        raise KostraError("nothing was erased")
    alias = kostra.erase(folder, annotator, campaign=campaign, db=db)
    say(f'contact, consents, questionnaire, password, sessions, drafts and links are gone; the answers are "{alias}"')
    say("the old pseudonym stays in the log inside the database, which nothing may change, and in older backups")


@app.command()
def questionnaire(
    folder: Folder,
    output: Annotated[str, typer.Option("--output", "-o", help="Where to write it.")] = "-",
    unlinked: Annotated[bool, typer.Option("--unlinked", help="Without pseudonyms, in a random order.")] = False,
    campaign: WhichCampaign = None,
    db: Database = None,
) -> None:
    """Write what people told about themselves, apart from their answers."""
    warn(kostra.questionnaire(folder, output, linked=not unlinked, campaign=campaign, db=db))


@app.command()
def pay(
    folder: Folder,
    output: Annotated[str, typer.Option("--output", "-o", help="Where to write it.")] = "-",
    form: Annotated[str, typer.Option(help="csv, or prolific: id,amount for its bonus payments.")] = "csv",
    names: Annotated[bool, typer.Option("--names", help="With names and addresses, for whoever pays.")] = False,
    campaign: WhichCampaign = None,
    db: Database = None,
) -> None:
    """Write what people have earned so far, by the rules of the recipe."""
    said = one_of("--form", form, ("csv", "prolific"))
    total = kostra.pay(folder, output, form=said, names=names, campaign=campaign, db=db)
    say(f"{total:,.2f} in all")
