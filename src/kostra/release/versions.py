"""Versions of a released dataset: what differs from the last one, and which number that earns.

The number tells whether results can be compared. A *major* one says that they cannot: pairs are gone, worded or scored
anew, or stand in another part. A *minor* one says that there is more: pairs were added. A *patch* leaves every pair as
it was. A release in which no file differs keeps its number, its date and all its bytes.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl

from kostra import files, tables
from kostra.errors import KostraError
from kostra.release.markup import count
from kostra.tables import Frame

FIRST = "1.0.0"
ABOUT = "version.json"
CHANGES = "CHANGES.md"
DETAILS = "changes"
_NUMBER = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)", re.ASCII)
_SAME_SCORE = 1e-9


@dataclass(frozen=True)
class Last:
    """The release that lies in the folder."""

    version: str
    released: date
    pairs: Frame
    checksums: dict[str, str]
    """File → SHA-256, as it was written."""
    changes: str
    """The text of CHANGES.md."""


@dataclass(frozen=True)
class Difference:
    """What became of the pairs since the last release."""

    rows: Frame
    """pair, change (added, removed, reworded, rescored, moved), old, new."""
    kept: int
    """Pairs that are in both."""
    mean_shift: float | None = None
    """Mean absolute change of the scores that changed."""
    largest_shift: float | None = None

    def number(self, change: str) -> int:
        """How many pairs changed so."""
        return int((self.rows["change"] == change).sum())

    @property
    def level(self) -> str:
        """What it means for whoever compares results: major, minor or patch."""
        if any(self.number(change) for change in ("removed", "reworded", "rescored", "moved")):
            return "major"
        return "minor" if self.number("added") else "patch"

    def says(self) -> list[str]:
        """The difference in words, a line each."""
        said = []
        for change, words in (("added", "added"), ("removed", "removed"), ("reworded", "worded anew")):
            if self.number(change):
                said.append(f"{count(self.number(change), 'pair')} {words}")
        if self.number("rescored"):
            said.append(
                f"{count(self.number('rescored'), 'score')} changed, by {self.mean_shift:.4g} on average and "
                f"{self.largest_shift:.4g} at most"
            )
        if self.number("moved"):
            said.append(f"{count(self.number('moved'), 'pair')} moved to another split")
        return said or [f"all {count(self.kept, 'pair')} are as they were"]


def difference(old: Frame, new: Frame) -> Difference:
    """Compare two releases' pairs (pair, text_a, text_b, score and, where there is one, split) by id.

    Examples
    --------
    >>> old = pl.DataFrame({"pair": ["p", "q"], "text_a": ["a", "b"], "text_b": ["c", "d"], "score": [0.5, 0.25]})
    >>> new = pl.DataFrame({"pair": ["p", "r"], "text_a": ["a", "b"], "text_b": ["c", "d"], "score": [0.75, 0.25]})
    >>> found = difference(old, new)
    >>> found.level, found.says()
    ('major', ['1 pair added', '1 pair removed', '1 score changed, by 0.25 on average and 0.25 at most'])
    """
    before, after = (_comparable(frame) for frame in (old, new))
    both = before.join(after, on="pair", suffix="_new")
    shift = (pl.col("score_new") - pl.col("score")).abs()
    rescored = both.filter((shift > _SAME_SCORE) | (pl.col("score").is_null() != pl.col("score_new").is_null()))
    texts = ("text_a", "text_b")
    parts = [
        _rows(after.join(before, on="pair", how="anti"), "added", None, "score"),
        _rows(before.join(after, on="pair", how="anti"), "removed", "score", None),
        *(_rows(both.filter(pl.col(name) != pl.col(f"{name}_new")), "reworded", name, f"{name}_new") for name in texts),
        _rows(rescored, "rescored", "score", "score_new"),
        _rows(both.filter(pl.col("split").ne_missing(pl.col("split_new"))), "moved", "split", "split_new"),
    ]  # fmt: skip
    rows = pl.concat(parts).unique(["pair", "change"], keep="first").sort("change", "pair")
    shifts = rescored.select(shift.alias("shift"))["shift"].drop_nulls()
    mean, most = (float(shifts.mean() or 0), float(shifts.max() or 0)) if len(shifts) else (None, None)  # type: ignore[arg-type]
    return Difference(rows, both.height, mean, most)


def _comparable(frame: Frame) -> Frame:
    if "split" not in frame.columns:
        frame = frame.with_columns(split=pl.lit(None, dtype=pl.String))
    return frame.select("pair", "text_a", "text_b", pl.col("score").cast(pl.Float64), "split")


def _rows(frame: Frame, change: str, old: str | None, new: str | None) -> Frame:
    def column(name: str | None) -> pl.Expr:
        return pl.lit(None, dtype=pl.String) if name is None else pl.col(name).cast(pl.String)

    return frame.select("pair", change=pl.lit(change), old=column(old), new=column(new))


def next_version(last: str | None, level: str) -> str:
    """The number of the next release.

    Examples
    --------
    >>> next_version(None, "major"), next_version("1.2.3", "minor"), next_version("1.2.3", "major")
    ('1.0.0', '1.3.0', '2.0.0')
    """
    if last is None:
        return FIRST
    major, minor, patch = (int(part) for part in last.split("."))
    return {"major": f"{major + 1}.0.0", "minor": f"{major}.{minor + 1}.0"}.get(level, f"{major}.{minor}.{patch + 1}")


def checked_version(said: str, last: str | None) -> str:
    """A number that was asked for: three whole numbers, and later than the last one.

    Examples
    --------
    >>> checked_version("2.0.0", "1.4.1")
    '2.0.0'
    """
    if not _NUMBER.fullmatch(said):
        raise KostraError(f'--version: found "{said}"', accepted="three whole numbers, such as 1.2.0")
    if last is not None and [int(part) for part in said.split(".")] <= [int(part) for part in last.split(".")]:
        raise KostraError(f"version {said} does not come after {last}, which lies there", accepted="a later one")
    return said


# The folder of the last release ------------------------------------------------------------------------


def last_release(folder: Path) -> Last | None:
    """The release that lies in a folder; None where it is empty or not there, and refused where it is anything else."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return None
    about = folder / ABOUT
    if not folder.is_dir() or not about.is_file():
        raise KostraError(
            "this is not a released dataset, and nothing of it may be overwritten",
            where=files.shown(folder),
            accepted="a folder that does not exist, is empty, or holds an earlier release",
        )
    try:
        said: dict[str, Any] = json.loads(files.read_text(about))
        version, released = str(said["version"]), date.fromisoformat(said["released"])
    except (ValueError, KeyError, TypeError):
        raise KostraError("this says no version and date", where=files.shown(about)) from None
    if not _NUMBER.fullmatch(version):
        raise KostraError(f'"{version}" is no version', where=files.shown(about), accepted="such as 1.2.0")
    columns, _ = tables.read_cells(folder / "data" / "pairs.parquet")
    changes = folder / CHANGES
    return Last(
        version,
        released,
        pl.DataFrame(columns, infer_schema_length=None),
        _checksums(folder / "checksums.txt"),
        files.read_text(changes) if changes.is_file() else "",
    )


def _checksums(path: Path) -> dict[str, str]:
    lines = (line.partition("  ") for line in files.read_text(path).split("\n") if line)
    return {name: digest for digest, _, name in lines}


def edited(folder: Path, last: Last) -> list[str]:
    """Files of the last release that somebody has changed since."""
    return sorted(
        name
        for name, digest in last.checksums.items()
        if (folder / name).is_file() and files.sha256(folder / name) != digest
    )


def strangers(folder: Path, last: Last) -> list[str]:
    """What lies at the top of the folder and is not of the release: a repository's own files, say."""
    ours = {name.partition("/")[0] for name in last.checksums} | {"checksums.txt"}
    return sorted(path.name for path in folder.iterdir() if path.name not in ours)


def changes_text(before: str, version: str, released: date, lines: list[str]) -> str:
    """CHANGES.md with one more entry at the top."""
    head = "# Changes\n\nThe newest release comes first. Lists of the pairs that changed are in `changes/`.\n"
    older = before.partition("\n## ")[2]
    entry = "\n".join(f"- {line}" for line in lines)
    return f"{head}\n## {version} ({released.isoformat()})\n\n{entry}\n" + (f"\n## {older}" if older else "")
