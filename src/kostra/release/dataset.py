"""The dataset folder with its card: data, raw judgments, recipe, licence, citation and checksums."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import kostra
from kostra import files
from kostra.recipe import RECIPE_FILE, Strict
from kostra.release.card import card
from kostra.release.folder import write_checksums, write_tables
from kostra.release.licences import licence_named
from kostra.release.released import Released, release
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame

READS = ("pairs", "scores")
WRITES = ()
PUBLISHES = "dataset"
_HOME = Path(__file__).parent


class Options(Strict):
    """How the dataset is called."""

    name: str = ""
    """The dataset's name on the card, where it is not the recipe's title."""


def watches(options: Options, context: Context) -> list[Path]:  # noqa: ARG001 - a step's form
    """The recipe file, which is released with its comments, and what the card is made by."""
    makers = sorted(path for path in _HOME.rglob("*") if path.suffix in (".py", ".jinja"))
    return [context.project / RECIPE_FILE, *makers]


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """Say what will be released."""
    judgments = f" and {inputs['judgments']:,} judgments" if inputs.get("judgments") else ""
    kind = "pairs" if "pairs" in inputs else "sentences"
    return Plan(f"writes {PUBLISHES}/ with {inputs.get(kind, 0):,} {kind}{judgments}, a card and checksums")


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Make the dataset folder."""
    made = release(inputs, context.recipe.score)
    for kind, message in made.findings:
        context.note(kind, message)
    folder = context.folder / PUBLISHES
    write_tables(made, folder)
    _write_papers(made, folder, context, name=options.name or context.recipe.recipe.title)
    write_checksums(folder)
    return {}


def _write_papers(made: Released, folder: Path, context: Context, *, name: str) -> None:
    about = context.recipe.recipe
    files.write_text(card(made, context, name=name), folder / "README.md")
    files.write_text(licence_named(about.licence).text(), folder / "LICENSE.txt")
    files.write_text(
        f"{about.citation.strip()}\n\n"
        f"The reference above is the one that the recipe names. This dataset: {' '.join(name.split())}, made with\n"
        f'kostra {kostra.__version__} from the recipe "{about.name}", seed {about.seed}.\n',
        folder / "CITATION.txt",
    )
    recipe = context.project / RECIPE_FILE
    if recipe.is_file():
        files.write_bytes(files.read_bytes(recipe), folder / RECIPE_FILE)
