"""Where a site listens, and the secret that it needs there."""

from __future__ import annotations

import ipaddress
import os
import secrets
import socket
import stat
from pathlib import Path

from kostra.errors import KostraError

SECRET = "KOSTRA_SECRET"
SECRET_FILE = "campaign.secret"
_SECRET_LETTERS = 32


def check_address(host: str, port: int) -> None:
    """Refuse an address on which the site could not listen."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except (OSError, OverflowError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise KostraError(
                f"cannot listen: {why}", where=f"{host}:{port}", remedy="another port: --port 8001"
            ) from None


def is_public(host: str) -> bool:
    """Whether others than this machine could reach an address on which the site listens.

    Examples
    --------
    >>> is_public("127.0.0.1"), is_public("localhost"), is_public("::1"), is_public("0.0.0.0"), is_public("example.org")
    (False, False, False, True, True)
    """
    if host == "localhost":
        return False
    try:
        return not ipaddress.ip_address(host).is_loopback
    except ValueError:
        return True


def secret_of(folder: str | Path, *, host: str = "127.0.0.1") -> str:
    """What only the site of a project knows: ``KOSTRA_SECRET``, or the file ``campaign.secret``.

    On this machine alone the file is made if need be; on a public address that must have been done on purpose.
    """
    given = os.environ.get(SECRET)
    if given is not None:
        return _long_enough(given.strip(), f"the variable {SECRET}")
    path = Path(folder) / SECRET_FILE
    try:
        if not path.exists():
            if is_public(host):
                raise KostraError(
                    f"a site on the public address {host} needs a secret of its own",
                    where=str(path),
                    accepted=f"the variable {SECRET} with {_SECRET_LETTERS} letters or more, or this file",
                    remedy=f"(umask 077; python -c 'import secrets; print(secrets.token_hex(32))' > {path})",
                )
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
                stream.write(secrets.token_hex(32) + "\n")
        if stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise KostraError("others may read the site's secret", where=str(path), remedy=f"chmod 600 {path}")
        return _long_enough(path.read_text(encoding="utf-8").strip(), str(path))
    except OSError as error:
        raise KostraError(f"the site's secret cannot be read: {error.strerror}", where=str(path)) from None


def _long_enough(secret: str, where: str) -> str:
    if len(secret) < _SECRET_LETTERS:
        raise KostraError(
            f"the site's secret has {len(secret)} letters", where=where, accepted=f"{_SECRET_LETTERS} or more"
        )
    return secret
