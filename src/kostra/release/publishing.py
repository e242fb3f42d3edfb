"""Writes a published edition of a dataset: tables with splits, card, papers, licence, citation, metadata, checksums."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import polars as pl

import kostra
from kostra import files
from kostra.recipe import RECIPE_FILE
from kostra.release.card import card, fields_of, pair_fields, who_answered
from kostra.release.citation import CITATION, citation
from kostra.release.croissant import CROISSANT, croissant
from kostra.release.edition import Edition
from kostra.release.folder import CHECKSUMS, configurations, write_checksums, write_table, write_tables
from kostra.release.licences import licence_named
from kostra.release.mteb_file import MTEB_FILE, mteb_file
from kostra.release.papers import papers
from kostra.release.released import Released
from kostra.release.versions import ABOUT, CHANGES, DETAILS, Difference, Last, changes_text
from kostra.steps import Context
from kostra.tables import ANNOTATORS, JUDGMENTS, SENTENCES

LICENCE = "LICENSE"


def with_splits(made: Released, edition: Edition) -> Released:
    """The tables as they are published: every pair says in which split it is."""
    if edition.splits is None:
        return made
    return replace(made, pairs=made.pairs.with_columns(edition.splits.part.alias("split")))


def publish(
    made: Released,
    folder: Path,
    context: Context,
    edition: Edition,
    *,
    name: str,
    difference: Difference | None = None,
    last: Last | None = None,
) -> None:
    """Write all files of an edition into a folder; `made` comes from `with_splits`."""
    recipe = context.recipe
    task = mteb_file(recipe, edition, name=name)
    edition = replace(edition, mteb=task is not None)
    write_tables(made, folder)
    for part in edition.parts:
        rows = made.pairs.filter(pl.col("split") == part)
        for ending in ("parquet", "csv"):
            write_table(rows, folder / "data" / f"{part}.{ending}")
    who = who_answered(made, context)
    texts = {
        "README.md": card(made, context, name=name, edition=edition),
        **papers(made, context, edition, who, name=name),
        LICENCE: licence_named(recipe.recipe.licence).text(),
        CITATION: citation(recipe.recipe, edition, name=name),
        CHANGES: changes_text(last.changes if last else "", edition.version, edition.released, list(edition.changes)),
        ABOUT: json.dumps(
            {"version": edition.version, "released": edition.released.isoformat(), "kostra": kostra.__version__},
            indent=2,
        )
        + "\n",
        **({MTEB_FILE: task} if task is not None else {}),
    }
    for file, text in texts.items():
        files.write_text(text, folder / file)
    if difference is not None and difference.rows.height:
        write_table(difference.rows, folder / DETAILS / f"{edition.version}.csv")
    recipe_file = context.project / RECIPE_FILE
    if recipe_file.is_file():
        files.write_bytes(files.read_bytes(recipe_file), folder / RECIPE_FILE)
    for form, made_by in edition.forms.items():
        shutil.copytree(made_by, folder / form, ignore=shutil.ignore_patterns(CHECKSUMS))
    _write_croissant(made, folder, context, edition, name=name)
    write_checksums(folder)


def _write_croissant(made: Released, folder: Path, context: Context, edition: Edition, *, name: str) -> None:
    frames = {
        "pairs": made.pairs,
        "sentences": made.sentences,
        "tuples": made.tuples,
        "judgments": made.judgments,
        "annotators": made.annotators,
    }
    configs = {
        config: (path, frame) for config, path in configurations(made).items() if (frame := frames[config]) is not None
    }
    schemas = {"sentences": SENTENCES, "judgments": JUDGMENTS, "annotators": ANNOTATORS}
    meanings = {
        "pairs": {field: meaning for field, _, meaning in pair_fields(made.pairs, context.recipe)},
        **{
            config: {field: meaning for field, _, meaning in fields_of(schema.columns)}
            for config, schema in schemas.items()
        },
    }
    found = croissant(folder, configs, meanings, about=context.recipe.recipe, name=name, edition=edition)
    files.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n", folder / CROISSANT)
