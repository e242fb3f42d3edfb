"""Commands of the annotation site."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

import kostra
from kostra.commands.shared import AsJson, Folder, Seed, app, one_of, print_json, say, warn
from kostra.errors import KostraError

Database = Annotated[
    str | None,
    typer.Option("--db", help="postgresql://… where campaign.db in the folder is outgrown.", show_default=False),
]
WhichCampaign = Annotated[
    str | None, typer.Option("--campaign", help="The step, where a recipe has several.", show_default=False)
]
Address = Annotated[str, typer.Option(help="Where the site is reached.")]


@app.command()
def serve(
    folder: Folder,
    db: Database = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on.")] = 8000,
    workers: Annotated[int, typer.Option(help="Processes.")] = 1,
) -> None:
    """Open the campaigns of a project on a web site, where people answer."""
    from kostra.site import check_address

    check_address(host, port)
    opened = kostra.prepare(folder, db=db)
    for one in opened:
        if one.waits:
            say(f'campaign "{one.campaign}" is not open yet: {one.waits}')
            continue
        say(f'campaign "{one.campaign}": {one.items:,} items, revision {one.revision}')
        if one.difference:
            say("the recipe has changed since the site was opened last; what was answered stays:")
            say(one.difference)
    if all(one.waits for one in opened):
        raise KostraError("no campaign of this project can be opened yet", remedy=f"kostra status {folder}")
    say(f"serving at http://{host}:{port}; invitations: kostra invite {folder} -n 20 --url http://{host}:{port}")
    say("Ctrl-C ends it; nothing is lost")
    kostra.serve(folder, db=db, host=host, port=port, workers=workers)


@app.command()
def invite(
    folder: Folder,
    number: Annotated[int, typer.Option("-n", "--number", help="How many links.")] = 1,
    role: Annotated[str, typer.Option(help="annotator, leader, judge, linguist or admin.")] = "annotator",
    uses: Annotated[str, typer.Option(help="personal (one person, any time), once, or shared (anybody).")] = "personal",
    days: Annotated[float | None, typer.Option(help="How long they work.", show_default="for ever")] = None,
    url: Address = "http://127.0.0.1:8000",
    campaign: WhichCampaign = None,
    db: Database = None,
) -> None:
    """Print invitation links, one a line; each lets one person in, as often as they come."""
    links = kostra.invite(
        folder,
        number,
        role=one_of("--role", role, ("annotator", "leader", "judge", "linguist", "admin")),
        uses=one_of("--uses", uses, ("personal", "once", "shared")),
        days=days,
        url=url,
        campaign=campaign,
        db=db,
    )
    for link in links:
        print(link)


@app.command()
def simulate(
    folder: Folder,
    url: Address = "http://127.0.0.1:8000",
    annotators: Annotated[int | None, typer.Option(help="How many.", show_default="as the recipe says")] = None,
    campaign: WhichCampaign = None,
    db: Database = None,
    seed: Seed = 0,
    model: Annotated[
        str | None, typer.Option(help="A language model in their place, by its name at --endpoint.", show_default=False)
    ] = None,
    endpoint: Annotated[
        str | None, typer.Option(help="OpenAI-compatible address of the model, up to /v1.", show_default=False)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Let simulated annotators, or a language model, answer on a running site, over HTTP, as people would."""
    if (model is None) != (endpoint is None):
        raise KostraError("--model and --endpoint go together")
    if model is not None and endpoint is not None:
        found = kostra.ask_model(folder, model, endpoint=endpoint, url=url, campaign=campaign, db=db)
    else:
        found = kostra.simulate(folder, url=url, annotators=annotators, campaign=campaign, db=db, seed=seed)
    if as_json:
        print_json({"acknowledged": len(found.acknowledged), "refused": len(found.refused), "ends": found.ends})
        return
    say(found.summary())
    warn([f"{name}: {why}" for name, why in found.wrong.items()])


@app.command()
def collect(
    folder: Folder,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="Where to write them.", show_default="where the recipe reads")
    ] = None,
    campaign: WhichCampaign = None,
    db: Database = None,
    as_json: AsJson = False,
) -> None:
    """Write the answers so far as a judgments table, without stopping the site."""
    found = kostra.collect(folder, campaign=campaign, db=db, output=output)
    if as_json:
        print_json([{**vars(one), "path": str(one.path)} for one in found])
        return
    for one in found:
        say(f"{one.campaign}: {one.judgments:,} judgments of {one.annotators:,} annotators in {one.path}")
    if output is None:
        say(f"next: kostra build {folder}")


@app.command()
def backup(
    folder: Folder,
    to: Annotated[Path, typer.Argument(help="NAME.jsonl.gz, or NAME.db for a copy of a SQLite store.")],
    db: Database = None,
) -> None:
    """Write a backup of all campaigns while the site runs, whole or not at all."""
    rows = kostra.backup(folder, to, db=db)
    say(f"made {to}: {_counted(rows)}")


@app.command()
def restore(
    folder: Folder,
    path: Annotated[Path, typer.Argument(help="A backup, of SQLite or PostgreSQL.")],
    db: Database = None,
) -> None:
    """Fill an empty store, SQLite or PostgreSQL, from a backup of either."""
    rows = kostra.restore(folder, path, db=db)
    say(f"restored {_counted(rows)}")


def _counted(rows: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in rows.items() if count) or "nothing: it is empty"
