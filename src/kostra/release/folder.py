"""Files of a dataset folder: the tables in Parquet and CSV, and the checksums of all files."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from kostra import files, tables
from kostra.errors import KostraError
from kostra.release.released import Released
from kostra.tables import Frame

CHECKSUMS = "checksums.txt"


def configurations(made: Released) -> dict[str, str]:
    """The tables that a reader can load by name, with the file of each.

    Examples
    --------
    >>> import polars as pl
    >>> pairs = pl.DataFrame({"pair": ["p"]})
    >>> configurations(Released(pairs, pairs.clear(), judgments=pl.DataFrame({"judgment": ["j"]})))
    {'pairs': 'data/pairs.parquet', 'judgments': 'judgments/judgments.parquet'}
    """
    there = {
        "pairs": made.pairs,
        "sentences": made.sentences,
        "tuples": made.tuples,
        "judgments": made.judgments,
        "annotators": made.annotators,
    }
    homes = {"pairs": "data", "annotators": "judgments"}
    # A reader of Parquet needs one row at least to know what a column is.
    return {
        name: f"{homes.get(name, name)}/{name}.parquet"
        for name, frame in there.items()
        if frame is not None and frame.height
    }


def write_tables(made: Released, folder: Path) -> None:
    """Write every table that is there."""
    wanted: list[tuple[str, Frame | None]] = [
        ("data/pairs", made.pairs),
        ("judgments/judgments", made.judgments),
        ("judgments/annotators", made.annotators),
        ("tuples/tuples", made.tuples),
        ("sentences/sentences", made.sentences),
    ]
    for name, frame in wanted:
        if frame is not None:
            for ending in ("parquet", "csv"):
                write_table(frame, folder / f"{name}.{ending}")
    if made.unscored.height:
        for ending in ("parquet", "csv"):
            write_table(made.unscored, folder / "data" / f"unscored.{ending}")


def write_table(frame: Frame, path: Path) -> None:
    """Write one table, in a folder that is made where it is not there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    tables.write(frame, path)


def checksums(folder: Path) -> dict[str, str]:
    """File → SHA-256, of every file of a folder but the list of checksums itself."""
    paths = sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file() and path.name != CHECKSUMS
    )
    return {path: files.sha256(folder / path) for path in paths}


def write_checksums(folder: Path) -> None:
    """Write the SHA-256 of every file of a folder, as ``sha256sum -c`` reads it."""
    lines = [f"{digest}  {path}\n" for path, digest in checksums(folder).items()]
    files.write_text("".join(lines), folder / CHECKSUMS)


def bring_back(place: Path) -> None:
    """Mend what an earlier time left that ended between two renames: the folder itself, or what is not ours in it."""
    old = _beside(place, "old")
    if not old.exists():
        return
    if not place.exists():
        old.replace(place)
        return
    listed = files.read_text(old / CHECKSUMS).splitlines() if (old / CHECKSUMS).is_file() else []
    ours = {line.partition("  ")[2].partition("/")[0] for line in listed} | {CHECKSUMS}
    for path in old.iterdir():
        if path.name not in ours and not (place / path.name).exists():
            path.replace(place / path.name)


def _beside(place: Path, what: str) -> Path:
    whole = place.absolute()  # "." has no name
    return whole.with_name(f".{whole.name}.{what}")


@contextmanager
def laid_down(place: Path, *, keep: Sequence[str] = ()) -> Iterator[Path]:
    """A folder beside the place, which takes its place when all is well; what is not ours there stays."""
    named, place = place, place.absolute()  # "." cannot be replaced under that name
    staging, old = _beside(place, "partial"), _beside(place, "old")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        bring_back(place)
        shutil.rmtree(staging, ignore_errors=True)
        staging.mkdir()
        yield staging
        if not any(staging.iterdir()):
            return
        shutil.rmtree(old, ignore_errors=True)
        if place.exists():
            place.replace(old)
        try:
            staging.replace(place)
        except OSError:
            if old.exists():
                old.replace(place)
            raise
        for name in keep:
            (old / name).replace(place / name)
        shutil.rmtree(old, ignore_errors=True)
    except OSError as error:
        raise KostraError(f"cannot be written: {error.strerror or error}", where=files.shown(named)) from None
    finally:
        shutil.rmtree(staging, ignore_errors=True)
