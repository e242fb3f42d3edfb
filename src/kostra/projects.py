"""Recipes that kostra ships, and project folders made from them."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from kostra import files
from kostra.errors import KostraError, unknown
from kostra.recipe import RECIPE_FILE, Recipe, read_recipe

_HOME = Path(__file__).parent
_RECIPES = _HOME / "recipes"
_SAMPLES = _HOME / "sources" / "samples"


@dataclass(frozen=True)
class RecipeInfo:
    """A shipped recipe, as ``kostra recipes`` lists it."""

    name: str
    title: str
    language: str
    protocol: str
    citation: str
    path: Path


def recipes() -> list[RecipeInfo]:
    """List the recipes that kostra ships.

    Examples
    --------
    >>> "str2021" in [recipe.name for recipe in recipes()]
    True
    """
    return [_info(path) for path in sorted(_RECIPES.glob("*.toml"))]


def _info(path: Path) -> RecipeInfo:
    about = read_recipe(path).recipe
    return RecipeInfo(about.name, about.title, about.language, about.protocol, about.citation, path)


def shipped_recipe(name: str) -> Path:
    """The file of a shipped recipe; an unknown name lists what exists."""
    known = {path.stem: path for path in _RECIPES.glob("*.toml")}
    if name not in known:
        raise unknown("recipe", name, known)
    return known[name]


def new(recipe: str, folder: str | Path) -> Path:
    """Make a project folder: the recipe, its sample data and a README of the next steps.

    `recipe` is the name of a shipped recipe or the path of a recipe file. The folder must not exist or be empty:
    nothing of the user's is overwritten.
    """
    source = Path(recipe) if recipe.endswith(".toml") else shipped_recipe(recipe)
    parsed = read_recipe(source)
    place = Path(folder)
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise KostraError(
            "this is not an empty folder", where=str(place), remedy="name a folder that does not exist yet"
        )
    data = place / "data"
    try:
        data.mkdir(parents=True, exist_ok=True)
        for sample in parsed.recipe.samples:
            shutil.copyfile(_sample(sample), data / Path(sample).name)
    except OSError as error:
        raise KostraError(f"cannot be written: {error.strerror}", where=str(place)) from None
    files.write_text(_readme(parsed, place), place / "README.md")
    files.write_text(files.read_text(source), place / RECIPE_FILE)
    return place


def _sample(name: str) -> Path:
    path = _SAMPLES / name
    if not path.is_file():
        known = [str(other.relative_to(_SAMPLES)) for other in _SAMPLES.rglob("*.csv")]
        raise unknown("sample corpus", name, known)
    return path


def _readme(recipe: Recipe, folder: Path) -> str:
    about = recipe.recipe
    steps = "\n".join(
        f"{number}. **{step.name}** (`{step.use}`): {step.note}" for number, step in enumerate(recipe.steps, 1)
    )
    return f"""# {about.title}

Made from the recipe `{about.name}`: {about.protocol}.

## Next
1. `kostra check {folder}` says what each step will do, in numbers, before anything runs.
2. `kostra build {folder} --simulate` runs all steps with simulated annotators: a rehearsal without people.
3. Put your own data into `data/` (the files there are samples, CC0) and set `language`, `seed` and the paths in
   `recipe.toml`.
4. `kostra serve {folder}` opens the annotation site, `kostra invite {folder} -n 20` prints links for twenty people, and
   `kostra collect {folder}` writes their answers so far where the recipe reads them, while the site goes on. (Answers
   from elsewhere go there as a table of judgments.)
5. `kostra build {folder}` goes as far as it can, and says what it waits for.
6. `kostra status {folder}` tells at any time where each step stands.

## The steps
{steps}

## Reference
{about.citation}
"""
