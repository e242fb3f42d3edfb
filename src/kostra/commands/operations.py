"""Commands for those who run a site."""

from __future__ import annotations

from typing import Annotated, Any

import typer

import kostra
from kostra.commands.annotation import Database, WhichCampaign
from kostra.commands.shared import AsJson, Folder, app, one_of, print_json, say
from kostra.errors import KostraError

_SIGNS = {"good": "ok    ", "notice": "notice", "wrong": "WRONG "}


@app.command()
def token(
    folder: Folder,
    name: Annotated[str | None, typer.Option(help="Whose it is, or what for.", show_default=False)] = None,
    role: Annotated[
        str, typer.Option(help="read, write (invite, exclude, pause as well) or admin (make campaigns as well).")
    ] = "read",
    days: Annotated[float | None, typer.Option(help="How long it works.", show_default="for ever")] = None,
    withdraw: Annotated[str | None, typer.Option(help="Make a token worthless, by its id.", show_default=False)] = None,
    campaign: WhichCampaign = None,
    db: Database = None,
    as_json: AsJson = False,
) -> None:
    """Make a token for a script (--name), list all tokens, or withdraw one (--withdraw ID)."""
    if name is not None and withdraw is not None:
        raise KostraError("--name makes a token and --withdraw ends one: not both at once")
    if withdraw is not None:
        kostra.withdraw_token(folder, withdraw, db=db)
        say("withdrawn; it opens nothing any more")
    elif name is not None:
        said = one_of("--role", role, ("read", "write", "admin"))
        made = kostra.token(folder, name, role=said, campaign=campaign, days=days, db=db)
        say("keep it as you keep a password: it is shown this once")
        print(made)
    else:
        _list_tokens(kostra.tokens(folder, db=db), as_json)


def _list_tokens(found: list[Any], as_json: bool) -> None:
    if as_json:
        print_json([{**vars(one), **_moments(one)} for one in found])
        return
    for one in found:
        state = "withdrawn" if one.withdrawn else f"until {one.expires_at:%Y-%m-%d}" if one.expires_at else "for ever"
        used = f"used {one.used_at:%Y-%m-%d %H:%M}" if one.used_at else "never used"
        print(f"{one.id}  {one.role:<6}  {one.campaign or 'all campaigns'}  {state}, {used}  {one.name}")
    if not found:
        say("there are no tokens; make one: --name NAME")


def _moments(one: Any) -> dict[str, str | None]:
    times = {name: getattr(one, name) for name in ("created_at", "expires_at", "used_at")}
    return {name: at.isoformat() if at else None for name, at in times.items()}


@app.command()
def upgrade(folder: Folder, db: Database = None, as_json: AsJson = False) -> None:
    """Bring a store that an older kostra made up to date, after a backup of it is written."""
    done = kostra.upgrade(folder, db=db)
    if as_json:
        print_json({"before": done.before, "after": done.after, "backup": str(done.backup) if done.backup else None})
    elif done.backup is None:
        say(f"the store is up to date ({done.after})")
    else:
        say(f"upgraded from {done.before} to {done.after}; as it was: {done.backup}")


@app.command()
def doctor(
    folder: Folder,
    db: Database = None,
    host: Annotated[str, typer.Option(help="Address on which the site shall listen.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port on which it shall listen.")] = 8000,
    as_json: AsJson = False,
) -> None:
    """Look whether a site can run here, and say what to do about what is wrong; exit code 2 if anything is."""
    found = kostra.doctor(folder, db=db, host=host, port=port)
    if as_json:
        print_json([vars(one) for one in found])
    else:
        for one in found:
            print(f"{_SIGNS[one.state]}  {one.name}: {one.told}")
            if one.remedy:
                print(f"{' ' * 8}try: {one.remedy}")
    if any(one.state == "wrong" for one in found):
        raise typer.Exit(2)
