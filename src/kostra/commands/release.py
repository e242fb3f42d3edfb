"""Commands that bring a project's work to the world, and others' work in."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import kostra
from kostra.commands.annotation import WhichCampaign
from kostra.commands.shared import AsJson, Folder, app, print_json, say, warn


@app.command()
def release(
    folder: Folder,
    to: Annotated[Path, typer.Option(help="The folder of the release: new, or with an earlier one.")],
    test: Annotated[float, typer.Option(help="Share of the pairs for testing.")] = 0.2,
    validation: Annotated[float, typer.Option(help="Share of the pairs for validation.")] = 0.1,
    seed: Annotated[int | None, typer.Option(help="For the splits.", show_default="the recipe's")] = None,
    version: Annotated[
        str | None, typer.Option(help="Such as 2.0.0.", show_default="by what differs from the last release")
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Lose what was changed by hand in the last release.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Release the dataset of a built project: data with splits, card, papers, citation, checksums."""
    made = kostra.release(folder, to, test=test, validation=validation, seed=seed, version=version, overwrite=overwrite)
    if as_json:
        print_json({**vars(made), "folder": str(made.folder)})
        return
    print(
        f"{'unchanged' if made.same else 'released'} {made.folder}, version {made.version}: {'; '.join(made.changes)}"
    )
    if made.splits:
        parts = ", ".join(f"{part} {number:,}" for part, number in made.splits.items())
        common = "; ".join(made.shared) or "no sentence stands in two of them"
        print(f"splits by {made.split_by}: {parts}; {common}")
    warn(made.findings)
    if made.open:
        say(f"{len(made.open)} questions are open; answer them in {Path(folder) / 'datasheet.toml'}:")
        say(f"  {', '.join(made.open)}")


Tool = "label-studio, potato, mturk or prolific."


@app.command()
def export(
    folder: Folder,
    to: Annotated[str, typer.Option(help=f"The tool: {Tool}", show_default=False)],
    output: Annotated[Path, typer.Option("--output", "-o", help="A new folder.", show_default=False)],
    campaign: WhichCampaign = None,
    answers: Annotated[bool, typer.Option("--answers", help="With the answers so far, in the tool's form.")] = False,
) -> None:
    """Write a campaign's items as another annotation tool takes them."""
    made = kostra.export(folder, to, output, campaign=campaign, answers=answers)
    for path in made.files:
        print(f"made {path}")
    warn(made.notes)


@app.command("import")
def import_answers(
    folder: Folder,
    paths: Annotated[list[Path], typer.Argument(help="Files that the tool exported.", show_default=False)],
    tool: Annotated[str, typer.Option("--from", help=f"The tool: {Tool}", show_default=False)],
    campaign: WhichCampaign = None,
    keep_names: Annotated[
        bool, typer.Option("--keep-names", help="Annotators keep their names; they are pseudonyms already.")
    ] = False,
    skip: Annotated[
        bool, typer.Option("--skip", help="Leave out and list what is no answer to this campaign, and take the rest.")
    ] = False,
) -> None:
    """Bring answers from another annotation tool into a campaign, each checked by its task."""
    made = kostra.import_answers(folder, paths, tool, campaign=campaign, keep_names=keep_names, skip=skip)
    print(f"{made.path}: {made.judgments:,} judgments more, from {made.answers:,} answers of {made.people:,} people")
    if made.repeated:
        print(f"{made.repeated:,} judgments were there already")
    warn(made.notes)
    if made.surplus:
        say(f"{len(made.surplus):,} answers are surplus, and count nowhere:")
        for line in made.surplus:
            say(f"  {line}")
    if made.skipped:
        say(f"{len(made.skipped):,} answers were not taken:")
        for line in made.skipped:
            say(f"  {line}")
