"""Commands on projects and their components."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import kostra
from kostra.commands.shared import AsJson, Folder, Language, Seed, app, as_dict, print_json, print_steps, warn
from kostra.errors import KostraError

if TYPE_CHECKING:
    from kostra.pipeline import Built


@app.command()
def recipes(as_json: AsJson = False) -> None:
    """List the recipes: language, protocol, citation."""
    found = kostra.recipes()
    if as_json:
        print_json([{**vars(recipe), "path": str(recipe.path)} for recipe in found])
        return
    for recipe in found:
        print(f"{recipe.name}  [{recipe.language}]  {recipe.title}")
        print(f"    {recipe.protocol}")
        print(f"    {recipe.citation}")


@app.command()
def new(
    recipe: Annotated[str, typer.Argument(help="A recipe's name, or the path of a recipe.toml.", show_default=False)],
    folder: Folder,
) -> None:
    """Make a project folder: the recipe, sample data, and a README of the next steps."""
    place = kostra.new(recipe, folder)
    print(f"made {place}: recipe.toml, README.md and data/")
    print(f"next: kostra check {place}")


@app.command()
def check(
    folder: Annotated[Path, typer.Argument(help="A project's folder, or a recipe.toml.", show_default=False)],
    as_json: AsJson = False,
) -> None:
    """Validate recipe and data, and say what each step will do, in numbers, before anything runs."""
    found = kostra.check(folder)
    if as_json:
        print_json([as_dict(status) for status in found])
        return
    print_steps(found)
    print(f"the recipe is valid: {len(found)} steps")


@app.command()
def build(
    folder: Folder,
    simulate: Annotated[bool, typer.Option("--simulate", help="Let simulated annotators answer for people.")] = False,
    to: Annotated[str | None, typer.Option("--until", "--to", help="Stop after this step.", show_default=False)] = None,
) -> None:
    """Run every step that can run and is not up to date."""
    from kostra.console import BuildView

    with BuildView(folder) as view:
        built = kostra.build(folder, simulate=simulate, to=to, observer=view)
    for path in built.published():
        print(f"made {path}")
    for path in built.outdated():
        print(f"{path} is of an earlier build and out of date", file=sys.stderr)
    if not built.complete and to is None:
        print("not everything could run: see the steps above", file=sys.stderr)
    for line in _next(folder, built):
        print(line, file=sys.stderr)


def _next(folder: Path, built: Built) -> list[str]:
    """What to do after a build: let people answer where it waits for them, else release what is made."""
    if any(one.state == "waiting" and one.step.use == "campaign/annotate" for one in built.steps):
        return [
            f"next: kostra serve {folder}            lets people answer; kostra collect {folder} brings their answers",
            f"  or: kostra build {folder} --simulate rehearses all of it without people",
        ]
    if built.complete and any(one.step.use == "release/dataset" for one in built.steps):
        return [f"next: kostra release {folder} --to FOLDER makes it ready to publish"]
    return []


@app.command()
def status(folder: Folder, as_json: AsJson = False) -> None:
    """Say where each step of a project stands."""
    found = kostra.status(folder)
    if as_json:
        print_json([as_dict(one) for one in found])
        return
    print_steps(found)


@app.command()
def demo(
    folder: Annotated[Path, typer.Argument(help="Where to build it.")] = Path("demo"),
) -> None:
    """Build a small dataset end to end with simulated annotators, and say what to try next."""
    from kostra.console import BuildView

    with BuildView() as view:
        built = kostra.demo(folder, observer=view)
    # As the command was called, so that the lines below can be copied also where kostra is not on the path.
    call = "kostra" if shutil.which("kostra") else sys.argv[0]
    print()
    print(f"A dataset came into being in {built.folder}:")
    print(f"  {built.folder / 'dataset'}      pairs, scores and raw answers, with a card")
    print(f"  {built.folder / 'report.html'}  everything on one page: open it in a browser")
    print()
    print("Its annotators were simulated. Try next:")
    print(f"  {call} status {built.folder}")
    print("      where each step stands; a second build skips all of them")
    print(f"  {call} build {built.folder} --simulate")
    print(f"      after changing a number in {built.folder / 'recipe.toml'}")
    print(f"  {call} recipes")
    print("      the four published protocols, and plain ones to start from")
    print(f"  {call} new bws my-dataset")
    print("      a project for your own pairs in a CSV")
    print("To let people take the place of the simulated ones, open the annotation site:")
    print(f"  {call} serve {built.folder}")
    print(f"  {call} invite {built.folder} -n 3")
    print("      links for three people; open one in a browser")


@app.command()
def components(
    room: Annotated[str | None, typer.Argument(help="Only this room.", show_default=False)] = None,
    as_json: AsJson = False,
) -> None:
    """List everything that a recipe can name, built in or plugged in."""
    found = kostra.components(room)
    if as_json:
        print_json([vars(one) for one in found])
        return
    for one in found:
        print(f"{one.room}/{one.name}\n    {one.summary}")


@app.command()
def run(
    use: Annotated[str, typer.Argument(help="A component as room/name; kostra components lists them.")],
    read: Annotated[
        list[str] | None, typer.Option(help="KIND=FILE, such as judgments=j.csv; once per table.", show_default=False)
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option(help="NAME=VALUE for the component; once per option.", show_default=False)
    ] = None,
    question: Annotated[str, typer.Option(help="The main question.")] = "score",
    low: Annotated[float, typer.Option(help="Lower end of its declared range.")] = 0.0,
    high: Annotated[float, typer.Option(help="Upper end of its declared range.")] = 1.0,
    language: Language = "und",
    seed: Seed = 0,
    to: Annotated[
        Path | None, typer.Option(help="A new folder for all that it makes.", show_default="the first table is printed")
    ] = None,
) -> None:
    """Run one component on tables in files, without a project: every statistic and score is a command."""
    from kostra import tables

    strange = [one for one in read or [] if "=" not in one]
    if strange:
        raise KostraError(f'--read: found "{strange[0]}"', accepted="KIND=FILE, such as judgments=j.csv")
    reads = dict(one.split("=", 1) for one in read or [])
    made = kostra.run(
        use, reads, options=option or [], question=question, low=low, high=high, language=language, seed=seed, to=to
    )
    if to is None and made.tables:
        tables.write(next(iter(made.tables.values())), "-")
    for path in made.files:
        print(f"made {path}")
    warn(made.findings)
