"""Commands of the annotation site."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import kostra
from kostra.commands.shared import AsJson, Folder, Seed, app, one_of, print_json, say, warn
from kostra.errors import KostraError

if TYPE_CHECKING:
    from kostra.participants import Posted

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
    root_path: Annotated[
        str, typer.Option(help="Path under which a proxy shows the site, such as /study.", show_default=False)
    ] = "",
    url: Annotated[
        str, typer.Option(help="The site's address as people type it, root path included.", show_default=False)
    ] = "",
    host_name: Annotated[
        list[str] | None, typer.Option(help="A name by which the site may be asked for.", show_default="any")
    ] = None,
    proxy: Annotated[
        list[str] | None, typer.Option(help="Address of a proxy to believe about clients.", show_default="none")
    ] = None,
    log: Annotated[str, typer.Option(help="text, or json with one line per request.")] = "text",
) -> None:
    """Open the campaigns of a project on a web site, where people answer."""
    from kostra.annotate.addresses import check_address, is_public, secret_of
    from kostra.annotate.guard import Doors
    from kostra.site import first_links

    check_address(host, port)
    Doors(root_path, tuple(host_name or ()), tuple(proxy or ()), url)  # refuses before anything is said
    one_of("--log", log, ("text", "json"))
    secret_of(folder, host=host)
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
    shown = f"[{host}]" if ":" in host else host
    address = url.rstrip("/") or f"http://{shown}:{port}{root_path.rstrip('/')}"
    if is_public(host):
        say(f"an admin link: kostra invite {folder} --role admin --url {address}")
    else:  # whoever sees this terminal may run the campaign; a journal of a public site is read by others
        for links in first_links(folder, url=address, db=db):
            if links.demo:
                say(f'try "{links.campaign}" (kept apart from people\'s answers): {links.demo}')
            say(f'run "{links.campaign}":                                    {links.admin}')
    say(f"serving at {address}; invitations: kostra invite {folder} -n 20 --url {address}")
    say("Ctrl-C ends it; nothing is lost")
    kostra.serve(
        folder,
        db=db,
        host=host,
        port=port,
        workers=workers,
        root=root_path,
        hosts=host_name or (),
        proxies=proxy or (),
        url=url,
        log="json" if log == "json" else "text",
    )


@app.command()
def preview(
    folder: Folder,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on.")] = 8001,
) -> None:
    """Show a campaign screen by screen, as annotators will see it; nothing is stored."""
    from kostra.recipe import RECIPE_FILE, read_recipe
    from kostra.site import check_address

    check_address(host, port)
    read_recipe(folder / RECIPE_FILE)  # refuses before anything is said
    say(f"a preview at http://{host}:{port}; nothing is stored; Ctrl-C ends it")
    kostra.preview(folder, host=host, port=port)


@app.command()
def invite(
    folder: Folder,
    number: Annotated[int, typer.Option("-n", "--number", help="How many links.")] = 1,
    role: Annotated[str, typer.Option(help="annotator, leader, judge, linguist or admin.")] = "annotator",
    uses: Annotated[str, typer.Option(help="personal (one person, any time), once, or shared (anybody).")] = "personal",
    days: Annotated[float | None, typer.Option(help="How long they work.", show_default="for ever")] = None,
    quota: Annotated[int | None, typer.Option(help="How many a shared link lets in.", show_default="all")] = None,
    source: Annotated[str, typer.Option(help="prolific or mturk: the shared link to enter there.")] = "link",
    people: Annotated[
        Path | None, typer.Option("--list", help="CSV of name,mail: a letter for each.", show_default=False)
    ] = None,
    letters: Annotated[
        Path | None, typer.Option(help="With --list: write the letters to .txt or .csv.", show_default=False)
    ] = None,
    smtp: Annotated[
        str | None, typer.Option(help="With --list: send them through host:port.", show_default=False)
    ] = None,
    sender: Annotated[str, typer.Option("--from", help="Whom mails are from.", show_default=False)] = "",
    smtp_user: Annotated[
        str, typer.Option(help="Who logs in there; password in KOSTRA_SMTP_PASSWORD.", show_default=False)
    ] = "",
    smtp_tls: Annotated[
        str | None, typer.Option(help="starttls, ssl or none.", show_default="starttls, or ssl on port 465")
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="With --list: also those invited before.")] = False,
    url: Address = "http://127.0.0.1:8000",
    campaign: WhichCampaign = None,
    db: Database = None,
) -> None:
    """Print invitation links, one a line, or write to the people of a list."""
    if people is not None:
        _write_to(
            kostra.invite_list(
                folder, people, smtp=smtp, sender=sender, user=smtp_user,
                tls=one_of("--smtp-tls", smtp_tls, ("starttls", "ssl", "none")), output=letters, again=again,
                days=days, url=url, campaign=campaign, db=db,
            ),
            letters,
        )  # fmt: skip
        return
    if letters is not None or smtp is not None:
        raise KostraError("letters are written to the people of a list", accepted="--list people.csv")
    from kostra.site import seats

    chosen = one_of("--role", role, ("annotator", "leader", "judge", "linguist", "admin"))
    links = kostra.invite(
        folder,
        number,
        role=chosen,
        uses=one_of("--uses", uses, ("personal", "once", "shared")),
        days=days,
        quota=quota,
        source=one_of("--source", source, ("link", "prolific", "mturk")),
        url=url,
        campaign=campaign,
        db=db,
    )
    for link in links:
        print(link)
    for phase, most in seats(folder, campaign=campaign, role=chosen, db=db).items():
        say(
            f'phase "{phase}" is dealt to {most:,} people, each with a part of their own; '
            "whoever comes later waits until a part comes back"
        )


def _write_to(posted: Posted, letters: Path | None) -> None:
    sent = len(posted.letters) - len(posted.failed)
    say(f"{sent:,} letters {'sent' if letters is None else f'written to {letters}'}")
    if posted.before:
        say(f"{len(posted.before):,} people were invited before and got none (--again writes to them too)")
    if posted.failed:
        told = "; ".join(f"{letter.to.mail}: {why}" for letter, why in posted.failed.items())
        raise KostraError(f"{len(posted.failed):,} letters were not taken: {told}", remedy="the same command again")


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
        what = f"{one.judgments:,} judgments of {one.annotators:,} annotators in {one.path}"
        say(f"{one.campaign}: {what if one.judgments or output is not None else 'nobody has answered yet'}")
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
