"""Known public datasets: what they are, where they lie, and how to load them."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote, urlsplit

from kostra import registry
from kostra.errors import KostraError, unknown
from kostra.sources.download import BY_HAND, download, unpack
from kostra.sources.released import Released
from kostra.steps import Progress, silent


@dataclass(frozen=True)
class Part:
    """One file of a dataset."""

    name: str
    url: str
    member: str = ""
    """The file inside, where the address is that of an archive."""
    checksum: str = ""


@dataclass(frozen=True)
class DatasetInfo:
    """A public dataset, as ``kostra datasets`` lists it; what is not known is empty."""

    name: str
    title: str
    languages: tuple[str, ...]
    """ISO 639 codes."""
    size: int | None
    unit: str
    """What the size counts: pairs, sentences, annotations."""
    licence: str
    address: str
    """Where a person reads about it and finds it."""
    reader: str
    """The form in which kostra reads it; empty where it cannot yet."""
    parts: tuple[Part, ...]
    """The files that can be downloaded; none where the dataset is loaded from a local path only."""


def datasets() -> list[DatasetInfo]:
    """List the known public datasets, by name.

    Examples
    --------
    >>> [info.name for info in datasets() if "pl" in info.languages]
    ['cdsc']
    """
    return list(_catalogue().values())


@cache
def _catalogue() -> dict[str, DatasetInfo]:
    text = (Path(__file__).parent / "catalogue.toml").read_text(encoding="utf-8")
    return {name: _info(name, entry) for name, entry in sorted(tomllib.loads(text).items())}


def _info(name: str, entry: dict[str, Any]) -> DatasetInfo:
    return DatasetInfo(
        name=name,
        title=entry["title"],
        languages=tuple(entry["languages"]),
        size=entry.get("size"),
        unit=entry["unit"],
        licence=entry.get("licence", ""),
        address=entry.get("address", ""),
        reader=entry.get("reader", ""),
        parts=tuple(Part(part, **about) for part, about in entry.get("parts", {}).items()),
    )


def load_dataset(
    name: str,
    path: str | Path | None = None,
    *,
    part: str | None = None,
    cache: str | Path | None = None,
    progress: Progress = silent,
) -> Released:
    """Load a known dataset from a local file, or from the network, whence it is kept.

    Parameters
    ----------
    name
        As `datasets` lists it.
    path
        The released file, where it is at hand; nothing is downloaded then.
    part
        Which file to download: train, dev, …; the first if it is not said.
    cache
        Where downloads are kept (default: ``$KOSTRA_CACHE``, else the user's cache folder).

    Raises
    ------
    KostraError
        If there is no such dataset or part, it cannot be downloaded, or its file is not of the known form.
    """
    known = _catalogue()
    if name not in known:
        raise unknown("dataset", name, known)
    info = known[name]
    if not info.reader:
        raise KostraError(
            f'the form of "{name}" has no reader yet',
            remedy=f"fetch it from {info.address or 'its authors'} and read its tables with kostra convert",
        )
    if path is not None and part is not None:
        raise KostraError("a file at hand has no parts to choose from", remedy="leave --part out, or --path")
    file = Path(path) if path is not None else _fetched(info, part, Path(cache or default_cache()), progress)
    return cast(Released, registry.load("sources/released", info.reader).read(file))


def default_cache() -> Path:
    """The folder in which downloads are kept: ``$KOSTRA_CACHE``, else ``kostra`` in the user's cache folder."""
    said = os.environ.get("KOSTRA_CACHE")
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(said) if said else Path(home) / "kostra"


def _fetched(info: DatasetInfo, part: str | None, cache: Path, progress: Progress) -> Path:
    """The file of a part in the cache, downloaded and unpacked if it is not there yet."""
    if not info.parts:
        raise KostraError(
            f'"{info.name}" cannot be downloaded by kostra',
            remedy=f"see {info.address or 'its authors'}, then {BY_HAND}",
        )
    parts = {one.name: one for one in info.parts}
    if part is not None and part not in parts:
        raise unknown(f"part of {info.name}", part, parts)
    wanted = parts[part] if part is not None else info.parts[0]
    folder = cache / "datasets" / info.name
    name = Path(unquote(urlsplit(wanted.url).path)).name
    fetched = download(wanted.url, folder / name, checksum=wanted.checksum, progress=progress)
    return unpack(fetched, wanted.member, folder / Path(wanted.member).name) if wanted.member else fetched
