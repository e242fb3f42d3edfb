"""Files from the network: resumed where they broke off, checked, and laid down whole or not at all."""

from __future__ import annotations

import hashlib
import json
import shutil
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import IO
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from kostra.errors import KostraError
from kostra.steps import Progress, silent

CHUNK = 1 << 16
BY_HAND = "fetch the file by hand, where there is a network, and name it: --path FILE (path=… in Python)"


def download(
    url: str, target: str | Path, *, checksum: str = "", progress: Progress = silent, timeout: float = 30.0
) -> Path:
    """Fetch a file, unless it is there already.

    What arrives is kept beside the target as ``….part`` until it is whole. If the connection breaks, the next call goes
    on from there, provided that the server still has the same file; otherwise it begins anew.

    Parameters
    ----------
    checksum
        ``sha256:…``, ``sha1:…`` or ``md5:…``; a file that does not agree is thrown away.
    progress
        Called with (bytes there, bytes in all); the latter is 0 where the server does not say.
    timeout
        Seconds without a byte after which the server is given up.

    Raises
    ------
    KostraError
        If the server cannot be reached, has no such file, breaks off, or sends something else than the checksum says.
    """
    place = Path(target)
    if place.is_file() and (not checksum or agrees(place, checksum)):
        return place
    if urlsplit(url).scheme not in ("http", "https"):
        raise KostraError("this is no address that can be fetched", where=url, accepted="http or https")
    place.parent.mkdir(parents=True, exist_ok=True)
    part = place.with_name(f"{place.name}.part")
    with _explained(url):
        _fetch(url, part, resumable=bool(checksum), progress=progress, timeout=timeout)
    if checksum and not agrees(part, checksum):
        found = _digest(part, checksum.partition(":")[0])
        _forget(part)
        raise KostraError(
            f"the file is not the one that was expected: {found}, not {checksum.partition(':')[2]}",
            where=url,
            remedy="try again; if it stays so, the file was changed at its source",
        )
    part.replace(place)
    _forget(part)
    return place


def agrees(path: Path, checksum: str) -> bool:
    """Whether a file has a checksum, given as ``sha256:…``, ``sha1:…`` or ``md5:…``."""
    kind, _, wanted = checksum.partition(":")
    return _digest(path, kind) == wanted.casefold()


def _digest(path: Path, kind: str) -> str:
    if kind not in ("sha256", "sha1", "md5"):
        raise KostraError(f'unknown checksum "{kind}"', accepted="sha256:…, sha1:… or md5:…")
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, lambda: hashlib.new(kind, usedforsecurity=False)).hexdigest()


def _fetch(url: str, part: Path, *, resumable: bool, progress: Progress, timeout: float) -> None:
    """Append to what is there already, or begin anew, until the file is whole."""
    have, version = _begun(part, resumable=resumable)
    headers = {"User-Agent": "kostra", "Accept-Encoding": "identity"}
    if have:
        headers |= {"Range": f"bytes={have}-", **({"If-Range": version} if version else {})}
    try:
        answer: HTTPResponse = urlopen(Request(url, headers=headers), timeout=timeout)
    except HTTPError as error:
        if error.code != 416 or not have:
            raise
        error.close()
        _forget(part)  # there is nothing beyond what we have, so it is another file
        _fetch(url, part, resumable=resumable, progress=progress, timeout=timeout)
        return
    with answer:
        goes_on = answer.status == 206 and answer.headers.get("Content-Range", "").startswith(f"bytes {have}-")
        have = have if goes_on else 0
        length = answer.headers.get("Content-Length", "")
        total = have + int(length) if length.isdecimal() else 0
        _remember(part, answer)
        with part.open("ab" if goes_on else "wb") as stream:
            while chunk := answer.read(CHUNK):
                stream.write(chunk)
                have += len(chunk)
                progress(have, total)
    if have < total:
        raise KostraError(
            f"the connection broke off after {have:,} of {total:,} bytes",
            where=url,
            remedy="try again: it goes on from there",
        )


def _begun(part: Path, *, resumable: bool) -> tuple[int, str]:
    """How much is there already, and which version of the file it belongs to; nothing where that cannot be told."""
    version = ""
    with suppress(OSError, ValueError):
        version = str(json.loads(_about(part).read_text(encoding="utf-8")))
    have = part.stat().st_size if part.is_file() else 0
    return (have, version) if version or resumable else (0, "")


def _remember(part: Path, answer: HTTPResponse) -> None:
    # A weak mark (W/…) does not promise the same bytes, and servers do not accept it here.
    mark = answer.headers.get("ETag", "")
    version = mark if mark and not mark.startswith("W/") else answer.headers.get("Last-Modified", "")
    _about(part).write_text(json.dumps(version), encoding="utf-8")


def _about(part: Path) -> Path:
    return part.with_name(f"{part.name}.version")


def _forget(part: Path) -> None:
    part.unlink(missing_ok=True)
    _about(part).unlink(missing_ok=True)


@contextmanager
def _explained(url: str) -> Iterator[None]:
    try:
        yield
    except HTTPError as error:
        error.close()
        raise KostraError(
            f"the server answers {error.code} {error.reason}", where=url, remedy=f"it may have moved: {BY_HAND}"
        ) from None
    except TimeoutError:
        raise KostraError("the server does not answer", where=url, remedy=f"try again later, or {BY_HAND}") from None
    except URLError as error:
        reason = getattr(error.reason, "strerror", None) or error.reason
        raise KostraError(
            f"the server cannot be reached ({reason}); is there a network?", where=url, remedy=BY_HAND
        ) from None
    except HTTPException as error:
        raise KostraError(
            f"the answer cannot be understood: {type(error).__name__} {error}", where=url, remedy="try again"
        ) from None
    except OSError as error:
        said = error.strerror or str(error)
        raise KostraError(f"the download failed: {said}", where=error.filename or url, remedy="try again") from None


def unpack(archive: Path, member: str, target: Path) -> Path:
    """Take one file out of a .zip or .tar archive, unless it is there already."""
    if target.is_file():
        return target
    part = target.with_name(f"{target.name}.part")
    try:
        with _member(archive, member) as stream, part.open("wb") as out:
            shutil.copyfileobj(stream, out)
        part.replace(target)
    except KeyError:
        raise KostraError(f'the archive holds no "{member}"', where=str(archive)) from None
    except (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, OSError) as error:
        raise KostraError(
            f"the archive cannot be opened: {error}",
            where=str(archive),
            remedy="delete it, so that it is fetched again",
        ) from None
    finally:
        part.unlink(missing_ok=True)
    return target


@contextmanager
def _member(archive: Path, member: str) -> Iterator[IO[bytes]]:
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as box, box.open(member) as stream:
            yield stream
        return
    with tarfile.open(archive) as tape:
        inside = tape.extractfile(member)
        if inside is None:  # a folder
            raise KeyError(member)
        yield inside
