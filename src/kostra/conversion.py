"""Tables from one form to another: checked, reported on, and without loss."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from kostra import files, registry, tables
from kostra.errors import KostraError, unknown
from kostra.sources.files import read_table
from kostra.sources.released import Released
from kostra.tables import Frame


@dataclass(frozen=True)
class Converted:
    """A table, and what was noticed on the way in."""

    frame: Frame
    kind: str
    findings: tuple[str, ...]
    others: tuple[str, ...] = ()
    """Other tables that the file holds."""


def convert(
    path: str | Path,
    output: str | Path | None = None,
    *,
    table: str | None = None,
    released: str | None = None,
    language: str = "und",
    columns: Mapping[str, str] | None = None,
    merge_near_duplicates: bool = False,
) -> Converted:
    """Read a table strictly and, if an output is named, write it in the form that its ending asks for.

    Parameters
    ----------
    path
        A table (.csv, .tsv, .jsonl, .parquet), a list of sentences (.txt), or ``-``.
    output
        Where to write it; ``-`` is standard output.
    table
        The kind of table: sentences, pairs, judgments, … (default: pairs, or what the released dataset holds first).
    released
        Read the file as the release of a known dataset: str2021, costra, czech_news_sts, cdsc.
    language
        ISO 639 code for sentences whose file does not say it.
    columns
        Our column to the file's column, where the names differ (sentences and pairs).
    merge_near_duplicates
        Keep the first of several texts that differ only in white space and punctuation (sentences and pairs).
    """
    if released is not None:
        _only_for_own_files(columns, merge_near_duplicates, why=f'the release of "{released}" has columns of its own')
        made = _released(path, released, table)
    elif table in ("sentences", "pairs", None):
        kind = table or ("sentences" if files.uncompressed(path).suffix.lower() == ".txt" else "pairs")
        loaded = read_table(
            path,
            kind,  # type: ignore[arg-type]
            language=language,
            columns=columns,
            merge_near_duplicates=merge_near_duplicates,
        )
        made = Converted(loaded.frame, kind, tuple(str(finding) for finding in loaded.findings))
    else:
        schema = tables.schema_named(table)
        _only_for_own_files(columns, merge_near_duplicates, why=f"a table of {table} is read as it stands")
        made = Converted(tables.read(path, schema), table, ())
    if output is not None:
        tables.write(made.frame, output)
    return made


def _only_for_own_files(columns: Mapping[str, str] | None, merge: bool, *, why: str) -> None:
    """Refuse options that would be passed over."""
    for said, option in ((columns, "columns (--column)"), (merge, "merge_near_duplicates (--merge-near-duplicates)")):
        if said:
            raise KostraError(f"{option} does not apply: {why}", accepted="it with a file of sentences or pairs")


def _released(path: str | Path, form: str, table: str | None) -> Converted:
    found = cast(Released, registry.load("sources/released", form).read(path))
    kind = table or next(iter(found.tables), None)
    if kind is None:
        raise KostraError("the release holds no table", where=str(path))
    if kind not in found.tables:
        raise unknown(f"table of {form}", kind, found.tables, where=str(path))
    others = tuple(name for name in found.tables if name != kind)
    return Converted(found.tables[kind], kind, tuple(str(finding) for finding in found.findings), others)
