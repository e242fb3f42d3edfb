"""Looking after a project's store: tokens for scripts, and upgrades."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from kostra.annotate import upgrading
from kostra.annotate.store import Store, open_store
from kostra.annotate.store_office import ApiToken, TokenRole
from kostra.annotate.upgrading import Upgraded
from kostra.errors import KostraError, unknown

STORE = "campaign.db"


def _open(folder: str | Path, db: str | None, now: datetime) -> Store:
    place = Path(folder)
    if db is None and not (place / STORE).is_file():
        what = "this project has no store yet: its site was never opened"
        raise KostraError(what, where=str(place), remedy=f"kostra serve {place}")
    return open_store(db or place / STORE, before=upgrading.careful(place, now=now))


def token(
    folder: str | Path,
    name: str,
    *,
    role: TokenRole = "read",
    campaign: str | None = None,
    days: float | None = None,
    db: str | None = None,
    now: datetime | None = None,
) -> str:
    """Make a token with which a script may use the site's API; it stands nowhere else.

    Parameters
    ----------
    name
        Whose it is, or what for: under this name its acts are written down.
    role
        ``read`` (figures and judgments), ``write`` (and invite, exclude, pause), or ``admin`` (and make campaigns).
    campaign
        The only campaign that it is for; all unless said.
    days
        How long it works; for ever unless said.
    """
    now = now or datetime.now(UTC)
    if days is not None and days <= 0:
        raise KostraError(f"a token for {days:g} days works for nobody", accepted="more than 0")
    with _open(folder, db, now) as store:
        if campaign is not None and campaign not in store.campaigns():
            raise unknown("campaign", campaign, store.campaigns(), where=store.where)
        expires = None if days is None else now + timedelta(days=days)
        made = store.make_api_token(name, role=role, campaign=campaign, actor="shell", expires_at=expires, now=now)
        told = {"name": name, "role": role, "expires_at": expires.isoformat() if expires else None}
        store.record("token made", campaign=campaign, actor="shell", data=told, now=now)
    return made


def tokens(folder: str | Path, *, db: str | None = None, now: datetime | None = None) -> list[ApiToken]:
    """The tokens that were made, the newest first; what is told of one does not open anything."""
    with _open(folder, db, now or datetime.now(UTC)) as store:
        return store.api_tokens()


def withdraw_token(folder: str | Path, token_id: str, *, db: str | None = None, now: datetime | None = None) -> None:
    """Make a token worthless at once, by the id that `tokens` tells."""
    now = now or datetime.now(UTC)
    with _open(folder, db, now) as store:
        store.withdraw_api_token(token_id)
        store.record("token withdrawn", campaign=None, actor="shell", data={"token": token_id}, now=now)


def upgrade(folder: str | Path, *, db: str | None = None, now: datetime | None = None) -> Upgraded:
    """Bring a project's store up to date with this kostra, after a backup of it was written into the folder."""
    place = Path(folder)
    if db is None and not (place / STORE).is_file():
        raise KostraError("this project has no store yet: there is nothing to upgrade", where=str(place))
    return upgrading.upgrade(db or place / STORE, folder=place, now=now or datetime.now(UTC))
