"""The reference of recipes and tables, from their schemas."""

from __future__ import annotations

from docs.making.fields import cell, table
from kostra.recipe import Recipe
from kostra.tables import SCHEMAS, Column

_STEP = """\
[recipe]
name = "small"
title = "A small example"
protocol = "the pairs of a file, and nothing else"
language = "en"
seed = 1
citation = "none yet"

[score]
question = "relatedness"
low = 0.0
high = 1.0

[[steps]]
name = "pairs"
use = "sources/files"
[steps.with]
paths = ["data/pairs.csv"]
table = "pairs"
"""


def recipe_page() -> str:
    """The recipe: what `recipe.toml` may say."""
    return "\n\n".join(
        [
            "# Recipe",
            "A recipe is a TOML file without code: what the dataset is, the range of its score, and a list of named "
            "steps. A key that kostra does not know is refused, with the nearest one that it does. `kostra check` "
            "explains every mistake with its line.",
            f"```toml\n{_STEP}```",
            "The keys under `[steps.with]` are the options of the step's component: see [Components]"
            "(components/index.md). Steps read only from steps above them. Paths are relative to the project's folder.",
            "## The whole",
            table(Recipe),
        ]
    )


def tables_page() -> str:
    """The tables that flow between steps."""
    parts = [
        "# Tables",
        "Steps exchange tables of declared kinds. `kostra convert FILE --table KIND` checks a file of yours against "
        "one. CSV, TSV, JSONL and Parquet are read and written; times are in UTC. A column marked *may be empty* may "
        "also be absent from a file.",
    ]
    for schema in SCHEMAS.values():
        rows = [f"| `{one.name}` | {_holds(one)} | {cell(one.doc)} |" for one in schema.columns]
        parts += [
            f"## {schema.name}",
            f"{schema.doc} A row is identified by {' and '.join(f'`{name}`' for name in schema.key)}.",
            "\n".join(["| column | holds | what it is |", "|---|---|---|", *rows]),
        ]
    return "\n\n".join(parts)


def _holds(column: Column) -> str:
    said = ", ".join(f"`{one}`" for one in column.choices) or {"whole": "whole number"}.get(column.kind, column.kind)
    return f"{said}; may be empty" if column.empty else said
