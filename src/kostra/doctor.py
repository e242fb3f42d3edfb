"""Whether a site can run here: what is well, what deserves a look, what is wrong, and what to do about it.

Nothing is changed, and no store is opened for writing: a doctor looks.
"""

from __future__ import annotations

import importlib.metadata
import os
import re
import resource
import shutil
import socket
import stat
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from kostra.annotate.addresses import SECRET, SECRET_FILE, is_public
from kostra.annotate.store_health import Health, health_of
from kostra.campaign.protocol import Campaign
from kostra.errors import KostraError
from kostra.recipe import RECIPE_FILE, Recipe, parse, read_recipe

STORE = "campaign.db"
PYTHON = (3, 11)
LITTLE, SCARCE = 200 * 2**20, 2**30
"""Bytes left on the disk below which the site will fail soon, or should be watched."""
FEW_FILES = 1024
BIG_LOG = 256 * 2**20
"""A write-ahead log of this size says that somebody has been reading for very long."""
_SLOW_FILESYSTEMS = ("nfs", "nfs4", "cifs", "smb3", "fuse.sshfs", "9p", "afs", "ceph")
State = Literal["good", "notice", "wrong"]


@dataclass(frozen=True)
class Check:
    """One thing that was looked at."""

    name: str
    state: State
    told: str
    remedy: str = ""


def doctor(
    folder: str | Path,
    *,
    db: str | None = None,
    host: str = "127.0.0.1",
    port: int = 8000,
    now: datetime | None = None,
) -> list[Check]:
    """Look at all that a site needs.

    Examples
    --------
    >>> [(check.name, check.state) for check in doctor("/nowhere")][-1]
    ('folder', 'wrong')
    """
    place, now = Path(folder), now or datetime.now(UTC)
    found = [*_machine()]
    if not place.is_dir():
        return [*found, Check("folder", "wrong", f"{place} is no folder", "kostra new RECIPE FOLDER")]
    found += _folder(place)
    found += _disk(place, _size(place, db))
    found += _recipe(place)
    health = _health(place, db)
    found += _store(place, db, health)
    if isinstance(health, Health):
        found += _pictures(place, health)
        found += _clock(health, now)
        found += _backups(place, health, now)
    else:
        found += _own_clock()
    found += _secrets(place, host)
    found.append(_port(host, port))
    return found


# The machine -------------------------------------------------------------------------------------------------


def _machine() -> Iterator[Check]:
    version = ".".join(str(part) for part in sys.version_info[:3])
    if sys.version_info >= PYTHON:
        yield Check("Python", "good", version)
    else:
        yield Check("Python", "wrong", version, "install Python 3.11 or newer")
    yield _packages()
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < FEW_FILES:
        told = f"{soft} files may be open at once; every visitor and every connection needs one"
        yield Check("open files", "wrong" if soft < 256 else "notice", told, "ulimit -n 65536 (systemd: LimitNOFILE=)")
    else:
        yield Check("open files", "good", "no limit" if soft == resource.RLIM_INFINITY else f"{soft:,} at once")


def _packages() -> Check:
    """Whether what kostra needs is there, in versions that it knows."""
    old, seen = [], []
    for line in importlib.metadata.requires("kostra") or ():
        required, _, marker = line.partition(";")
        if "extra ==" in marker or "win32" in marker:
            continue
        match = re.match(r"([A-Za-z0-9_.-]+)\s*(?:>=\s*([0-9.]+))?", required.strip())
        if match is None:
            continue
        name, least = match[1], match[2]
        try:
            version = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            old.append(f"{name} is missing")
            continue
        if name in ("fastapi", "uvicorn", "sqlalchemy", "pydantic", "polars"):
            seen.append(f"{name} {version}")
        if least and _numbers(version) < _numbers(least):
            old.append(f"{name} {version} is older than {least}")
    if old:
        return Check("packages", "wrong", "; ".join(old), "pip install --upgrade kostra")
    return Check("packages", "good", ", ".join(seen))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


# The folder --------------------------------------------------------------------------------------------------


def _folder(place: Path) -> Iterator[Check]:
    if not os.access(place, os.R_OK | os.W_OK | os.X_OK):
        told = f"{place} cannot be read and written by {_me()}"
        yield Check("folder", "wrong", told, f"chown -R {_me()} {place}")
    elif place.stat().st_mode & stat.S_IWOTH:
        yield Check("folder", "wrong", f"anybody on this machine may write into {place}", f"chmod o-w {place}")
    else:
        yield Check("folder", "good", str(place))


def _me() -> str:
    try:
        import pwd

        return pwd.getpwuid(os.geteuid()).pw_name
    except (ImportError, KeyError):
        return str(os.geteuid())


def _size(place: Path, db: str | None) -> int:
    return (place / STORE).stat().st_size if db is None and (place / STORE).is_file() else 0


def _disk(place: Path, store: int) -> Iterator[Check]:
    free = shutil.disk_usage(place).free
    told = f"{free / 2**30:.1f} GiB free"
    needed = max(LITTLE, 2 * store)  # a copy of the store before an upgrade, and room for what comes
    if free < needed:
        remedy = f"make room, or move the project to a larger disk: {needed / 2**30:.1f} GiB are needed"
        yield Check("disk", "wrong", told, remedy)
    else:
        yield Check("disk", "notice" if free < SCARCE else "good", told, "make room soon" if free < SCARCE else "")
    files = os.statvfs(place)
    if files.f_files:  # some file systems have no such limit
        share = files.f_favail / files.f_files
        state: State = "good" if share > 0.05 else "notice" if share > 0.005 else "wrong"
        yield Check(
            "inodes", state, f"{share:.0%} free", "" if state == "good" else "delete small files you do not need"
        )


def _recipe(place: Path) -> Iterator[Check]:
    try:
        recipe = read_recipe(place / RECIPE_FILE)
    except KostraError as error:
        yield Check("recipe", "wrong", str(error).replace("\n", ";"), error.remedy or f"kostra check {place}")
        return
    yield Check("recipe", "good", recipe.recipe.title)
    for step in recipe.steps:
        if step.use == "campaign/annotate":
            yield from _campaign_files(place, recipe, step.name)


def _campaign_files(place: Path, recipe: Recipe, name: str) -> Iterator[Check]:
    """Whether dictionaries, instructions and pictures of a campaign are where the recipe says."""
    try:
        protocol = parse(Campaign, recipe.step(name).options, where=f'step "{name}"')
    except KostraError as error:
        yield Check(f'campaign "{name}"', "wrong", str(error).replace("\n", ";"), f"kostra check {place}")
        return
    lacking = [file for file in _files(protocol) if not (place / file).is_file()]
    if lacking:
        told = f"{', '.join(lacking[:5])} {'is' if len(lacking) == 1 else 'are'} not there"
        yield Check(f'campaign "{name}"', "wrong", told, f"put the files into {place}, or mend the recipe")
    else:
        phases = ", ".join(phase.name for phase in protocol.phases)
        yield Check(f'campaign "{name}"', "good", f"phases {phases}; all files are there")


def _files(protocol: Campaign) -> Iterator[str]:
    for phase in protocol.phases:
        if phase.spelling is not None:
            yield phase.spelling
            yield str(Path(phase.spelling).with_suffix(".aff"))
        yield from (block.text_file for block in phase.blocks if block.text_file is not None)


def _pictures(place: Path, health: Health) -> Iterator[Check]:
    lacking = sorted(image for image in health.images if not (place / image).is_file())
    if lacking:
        told = f"{len(lacking):,} of {len(health.images):,} pictures are not there, such as {lacking[0]}"
        yield Check("pictures", "wrong", told, f"put them into {place}, under the names that the items have")
    elif health.images:
        yield Check("pictures", "good", f"{len(health.images):,}, all there")


# The store ---------------------------------------------------------------------------------------------------


def _health(place: Path, db: str | None) -> Health | KostraError | None:
    if db is None and not (place / STORE).is_file():
        return None
    try:
        return health_of(db or place / STORE)
    except KostraError as error:
        return error


def _store(place: Path, db: str | None, health: Health | KostraError | None) -> Iterator[Check]:
    if health is None:
        yield Check("database", "notice", "there is none yet: the site was never opened", f"kostra serve {place}")
        return
    if isinstance(health, KostraError):
        yield Check("database", "wrong", str(health).replace("\n", ";"), health.remedy or "is the server running?")
        return
    if health.damage:
        latest = next(iter(_copies(place)), None)
        remedy = f"kostra restore NEW-FOLDER {latest[1]}" if latest else "sqlite3 campaign.db .recover, and a backup"
        yield Check("database", "wrong", f"it is damaged: {health.damage}", remedy)
    else:
        yield Check("database", "good", f"{health.kind}, {health.answers:,} answers, whole")
    yield _migration(place, db, health)
    if health.gaps:
        told = f"the log of {', '.join(health.gaps)} has gaps: entries are missing"
        yield Check("log", "wrong", told, "kostra restore, from the last backup")
    for setting, told in health.unsafe.items():
        yield Check(setting, "wrong", told, f"set {setting} to its default again: answers may be lost without it")
    if db is None:
        yield from _file(place / STORE, health)
    else:
        yield _server(health)


def _migration(place: Path, db: str | None, health: Health) -> Check:
    if health.revision == health.newest:
        return Check("tables", "good", f"up to date ({health.revision})")
    if db and not health.revision:
        return Check("tables", "good", "none in this database as yet: they are made at the first start")
    if health.is_older:
        told = f"made by an older kostra ({health.revision}; this one has {health.newest})"
        more = f" --db {db}" if db else ""
        return Check("tables", "notice", told, f"stop the site, then: kostra upgrade {place}{more}")
    told = f'made by a newer kostra, or not by kostra ("{health.revision}")'
    return Check("tables", "wrong", told, "pip install --upgrade kostra")


def _file(file: Path, health: Health) -> Iterator[Check]:
    where = _filesystem(file)
    if where in _SLOW_FILESYSTEMS:
        told = f"the store lies on a network drive ({where}), where SQLite's locks do not hold"
        yield Check("file system", "wrong", told, "move the project to a local disk, or use --db postgresql://…")
    if health.journal != "wal":
        told = f"journal mode is {health.journal}"
        yield Check("write-ahead log", "notice", told, "kostra serve sets it to WAL")
    else:
        log = file.with_name(file.name + "-wal")
        size = log.stat().st_size if log.exists() else 0
        state: State = "notice" if size > BIG_LOG else "good"
        remedy = (
            "end programs that have been reading the store for long; then restart the site" if size > BIG_LOG else ""
        )
        yield Check("write-ahead log", state, f"{size / 2**20:.1f} MiB", remedy)
    mode, owner = stat.S_IMODE(file.stat().st_mode), file.stat().st_uid
    if not os.access(file, os.W_OK):
        yield Check("database file", "wrong", f"{_me()} cannot write {file}", f"chown {_me()} {file}")
    elif mode & 0o077:
        told = f"others on this machine can read it ({mode:o}): it holds names and contacts"
        yield Check("database file", "notice", told, f"chmod 600 {file}*")
    elif owner != os.geteuid() and os.geteuid() != 0:
        yield Check("database file", "notice", "it belongs to somebody else", f"chown {_me()} {file}*")
    else:
        yield Check("database file", "good", f"{mode:o}")


def _filesystem(file: Path) -> str:
    """The kind of file system on which a file lies, where the machine tells."""
    try:
        mounts = [line.split()[1:3] for line in Path("/proc/mounts").read_text(encoding="utf-8").splitlines()]
    except OSError:
        return ""
    inside = [(point, kind) for point, kind in mounts if file.resolve().is_relative_to(point.replace("\\040", " "))]
    return max(inside, key=lambda one: len(one[0]), default=("", ""))[1]


def _server(health: Health) -> Check:
    if health.version and health.version < (13,):
        return Check("server", "wrong", f"PostgreSQL {_dotted(health.version)}", "PostgreSQL 13 or newer")
    if health.encoding and health.encoding != "UTF8":
        return Check(
            "server", "wrong", f"the database's encoding is {health.encoding}", "CREATE DATABASE … ENCODING 'UTF8'"
        )
    return Check("server", "good", f"PostgreSQL {_dotted(health.version)}")


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(str(part) for part in version)


# The clock ---------------------------------------------------------------------------------------------------


def _clock(health: Health, now: datetime) -> Iterator[Check]:
    latest = health.latest_at
    if latest is not None and latest > now + timedelta(seconds=5):
        told = (
            f"the last entry of the log is from {latest:%Y-%m-%d %H:%M:%S} UTC, and now it is {now:%Y-%m-%d %H:%M:%S}"
        )
        yield Check("clock", "wrong", told, "set the clock: pauses and deadlines go by it (timedatectl set-ntp true)")
    elif health.server_now is not None and abs(health.server_now - now) > timedelta(seconds=5):
        apart = abs((health.server_now - now).total_seconds())
        yield Check(
            "clock", "notice", f"this clock and the database server's are {apart:.0f} s apart", "set both by NTP"
        )
    else:
        yield from _own_clock()


def _own_clock() -> Iterator[Check]:
    known = _synchronised()
    if known is False:
        yield Check("clock", "notice", "the kernel says that nobody sets this clock", "timedatectl set-ntp true")
    else:
        yield Check("clock", "good", "set by NTP" if known else "it cannot be told whether NTP sets it")


def _synchronised() -> bool | None:
    """Whether something keeps the machine's clock right, as far as the kernel knows (adjtimex on Linux)."""
    import ctypes

    try:
        adjust: Callable[[Any], int] = ctypes.CDLL(None).adjtimex
    except (OSError, AttributeError):
        return None
    answer = adjust(ctypes.create_string_buffer(512))  # all zero: it is asked and not set
    return None if answer < 0 else answer != 5  # TIME_ERROR: not synchronised


# Backups, secrets, the port ----------------------------------------------------------------------------------


def _copies(place: Path) -> list[tuple[float, Path]]:
    """Backups in the folder and its folder ``backups``, the newest first."""
    inside = [
        *place.glob("*.jsonl.gz"),
        *place.glob("backups/*.jsonl.gz"),
        *place.glob("*.db"),
        *place.glob("backups/*.db"),
    ]
    return sorted(((file.stat().st_mtime, file) for file in inside if file.name != STORE), reverse=True)


def _backups(place: Path, health: Health, now: datetime) -> Iterator[Check]:
    if not health.answers:
        return
    remedy = f"kostra backup {place} {place}/backups/{now:%Y-%m-%d}.jsonl.gz, every night; and a copy elsewhere"
    copies = _copies(place)
    if not copies:
        yield Check("backup", "notice", "no backup was found in the folder", remedy)
        return
    made = datetime.fromtimestamp(copies[0][0], UTC)
    age = now - made
    stale = age > timedelta(days=2) and health.latest_at is not None and health.latest_at > made
    told = f"the last is {age / timedelta(hours=1):.0f} h old: {copies[0][1].name}"
    yield Check("backup", "notice" if stale else "good", told, remedy if stale else "")


def _secrets(place: Path, host: str) -> Iterator[Check]:
    file = place / SECRET_FILE
    if file.is_file():
        mode = stat.S_IMODE(file.stat().st_mode)
        if mode & 0o077:
            yield Check("secret", "wrong", f"others on this machine can read {file} ({mode:o})", f"chmod 600 {file}")
        else:
            yield Check("secret", "good", f"in {file.name}")
    elif os.environ.get(SECRET):
        yield Check("secret", "good", f"in {SECRET}")
    elif is_public(host):
        remedy = f"export {SECRET}=$(openssl rand -hex 32), the same at every start"
        yield Check("secret", "wrong", "a site on a public address needs a secret", remedy)
    else:
        yield Check("secret", "good", "made at the first start")


def _port(host: str, port: int) -> Check:
    """Whether the site could listen, or listens already."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except (OSError, OverflowError) as error:
            if _is_ours(host, port):
                return Check("port", "good", f"{host}:{port}: a site answers there")
            why = getattr(error, "strerror", None) or str(error)
            return Check("port", "wrong", f"{host}:{port}: {why}", "another port, or end what listens there: ss -ltnp")
    return Check("port", "good", f"{host}:{port} is free")


def _is_ours(host: str, port: int) -> bool:
    import http.client

    connection = http.client.HTTPConnection(host, port, timeout=3)
    try:
        connection.request("GET", "/health")
        return b'"status"' in connection.getresponse().read(1000)
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
