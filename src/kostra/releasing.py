"""Releases the dataset of a built project: behind ``kostra release``."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from kostra import pipeline, tables
from kostra.errors import KostraError, some
from kostra.files import shown
from kostra.recipe import RECIPE_FILE, Recipe, Step, read_recipe
from kostra.release.about import open_questions, read_about
from kostra.release.card import ancestors, who_answered
from kostra.release.dataset import Options
from kostra.release.edition import Edition, campaigns_of
from kostra.release.folder import bring_back, checksums, laid_down
from kostra.release.papers import with_known
from kostra.release.pseudonyms import pseudonyms, read_pseudonyms, unnamed, with_pseudonyms, write_pseudonyms
from kostra.release.publishing import publish, with_splits
from kostra.release.released import Released, without_questionnaires
from kostra.release.released import release as released_form
from kostra.release.splits import Splits, split_pairs
from kostra.release.versions import (
    FIRST,
    Difference,
    Last,
    checked_version,
    difference,
    edited,
    last_release,
    next_version,
    strangers,
)
from kostra.steps import Context, Inputs, component

RELEASE = "release/dataset"
NO_PERSON = "no person judged anything in it: what it holds are the answers of a rehearsal, and its card says so"


@dataclass(frozen=True)
class Release:
    """What was released."""

    folder: Path
    version: str
    changes: tuple[str, ...]
    """What differs from the last release, a line each."""
    splits: Mapping[str, int]
    split_by: str
    shared: tuple[str, ...]
    """What the splits have in common; nothing where no sentence stands in two."""
    open: tuple[str, ...]
    """Keys of the questions that nobody has answered yet."""
    findings: tuple[str, ...]
    """What was left out, and why."""
    same: bool = False
    """Whether the last release was like this one to the byte, and stays."""


def release(
    folder: str | Path,
    to: str | Path,
    *,
    test: float = 0.2,
    validation: float = 0.1,
    seed: int | None = None,
    version: str | None = None,
    overwrite: bool = False,
    now: datetime | None = None,
) -> Release:
    """Release the dataset of a built project into a folder of its own, whole or not at all.

    The folder loads with ``datasets.load_dataset`` and as a task of MTEB. If it holds an earlier release, the new one
    gets a later version and says what differs.

    Parameters
    ----------
    to
        A folder that does not exist, is empty, or holds an earlier release.
    test, validation
        Shares of the pairs; the rest is for training. With 0 for both there are no splits.
    seed
        For the splits; the recipe's unless said.
    version
        Three numbers; unless said, the last one with the major number raised where pairs are gone, worded or scored
        anew or moved, the minor where some were added, and the patch where no pair differs.
    overwrite
        Whether files of the last release that were edited by hand may be lost.

    Raises
    ------
    KostraError
        If the project is not built, or the folder holds something else.
    """
    project, place = Path(folder), Path(to)
    moment = now or datetime.now(UTC)
    recipe = read_recipe(project / RECIPE_FILE)
    step = _release_step(recipe, project)
    _refuse_inside(place, project)
    forms = _forms(recipe)
    _refuse_unbuilt(project, [*step.reads, *forms])
    bring_back(place)
    last = _last(place, overwrite=overwrite)
    context = _context(project, recipe, step, moment, seed)
    campaigns = campaigns_of(recipe, ancestors(recipe, step))
    inputs = pipeline.reads_of(project, step.name)
    made = without_questionnaires(released_form(inputs, recipe.score), list(campaigns.values()))
    splits = _splits(made, inputs, context, test, validation)
    about = with_known(read_about(project), recipe, campaigns)
    lie = {name: project / "build" / form / name for form, name in forms.items()}
    edition = Edition(splits=splits, about=about, campaigns=campaigns, forms=lie)
    made = with_splits(made, edition)
    names = pseudonyms(made, read_pseudonyms(project))
    made, context = with_pseudonyms(made, names), _unnamed(context, names)
    found = None if last is None else difference(last.pairs, made.pairs)
    edition = replace(edition, **_numbered(last, found, version, moment, made))
    name = Options(**step.options).name or recipe.recipe.title
    same = False
    with laid_down(place, keep=strangers(place, last) if last else []) as staging:
        if last is not None and version is None:
            same = _same_as_last(made, staging, context, edition, last, place, name=name)
        if not same:
            _keep_details(place, staging, last)
            publish(made, staging, context, edition, name=name, difference=found, last=last)
        write_pseudonyms(names, project)
    people = not who_answered(made, context).no_person
    return Release(
        folder=place,
        version=last.version if same and last else edition.version,
        changes=("nothing differs from the last release",) if same else edition.changes,
        splits=edition.parts,
        split_by=splits.by if splits else "",
        shared=tuple(edition.shared),
        open=tuple(open_questions(about, people=people)),
        findings=tuple(message for _, message in made.findings) + (() if people else (NO_PERSON,)),
        same=same,
    )


# The project -------------------------------------------------------------------------------------------


def _release_step(recipe: Recipe, project: Path) -> Step:
    found = [step for step in recipe.steps if step.use == RELEASE]
    if not found:
        raise KostraError(
            "this recipe does not say what is released",
            where=str(project / RECIPE_FILE),
            accepted=f'a step with use = "{RELEASE}" that reads the pairs and their scores',
        )
    return found[-1]


def _refuse_inside(place: Path, project: Path) -> None:
    """A project holds what is private, and a release what is public: neither lies in the other."""
    inner, outer = place.resolve(), project.resolve()
    if inner == outer or outer in inner.parents or inner in outer.parents:
        raise KostraError(
            "a release needs a folder of its own, outside the project",
            where=shown(place),
            remedy=f"--to {outer.parent / f'{outer.name}-release'}",
        )


def _forms(recipe: Recipe) -> dict[str, str]:
    """Steps that write the dataset as its paper released it → the folder that each makes."""
    found = {step.name: getattr(component(step.use), "PUBLISHES", None) for step in recipe.steps if step.use != RELEASE}
    rooms = {step.name: step.use.partition("/")[0] for step in recipe.steps}
    return {name: folder for name, folder in found.items() if folder and rooms[name] == "release"}


def _refuse_unbuilt(project: Path, steps: Sequence[str]) -> None:
    states = {status.step.name: status for status in pipeline.status(project)}
    for name in steps:
        if states[name].state not in ("done", "unchanged"):
            why = f" ({states[name].why})" if states[name].why else ""
            stuck = states[name].state in ("waiting", "blocked")
            raise KostraError(
                f'step "{name}", which the release rests on, is {pipeline.SAYS[states[name].state]}{why}',
                where=str(project),
                remedy=f"kostra status {project}   says what is waited for" if stuck else f"kostra build {project}",
            )


def _context(project: Path, recipe: Recipe, step: Step, now: datetime, seed: int | None) -> Context:
    name = int.from_bytes(hashlib.sha256(b"splits").digest()[:8], "big")
    return Context(
        recipe=recipe,
        step=step,
        project=project,
        folder=project,
        rng=np.random.default_rng([recipe.recipe.seed if seed is None else seed, name]),
        now=now,
        history=_history(project, recipe, step),
    )


def _history(project: Path, recipe: Recipe, step: Step) -> dict[str, Any]:
    """Manifests of the steps before the release, as they were built."""
    found: dict[str, Any] = {}
    for other in recipe.steps[: recipe.steps.index(step)]:
        path = project / "build" / other.name / "manifest.json"
        if path.is_file():
            found[other.name] = json.loads(path.read_text(encoding="utf-8"))
    return found


def _unnamed(context: Context, names: Mapping[str, str]) -> Context:
    """The context whose history calls nobody by name."""
    history = {
        step: {**manifest, "findings": [unnamed(str(finding), names) for finding in manifest.get("findings", [])]}
        for step, manifest in context.history.items()
    }
    return replace(context, history=history)


def _splits(made: Released, inputs: Inputs, context: Context, test: float, validation: float) -> Splits | None:
    if not test and not validation:
        return None
    ids = inputs["pairs"].select("pair", "sentence_a", "sentence_b")
    pairs = made.pairs.join(ids, on="pair", how="left", maintain_order="left")
    return split_pairs(pairs, rng=context.rng, test=test, validation=validation, seeds=_seeds(context))


def _seeds(context: Context) -> dict[str, str]:
    """Sentence → the seed that it was made from, or else the document or image that it comes from.

    The release need not read the sentences; any step before it may have written them.
    """
    origins: dict[str, str] = {}
    homes: dict[str, str] = {}
    for name in ancestors(context.recipe, context.step):
        path = context.project / "build" / name / "sentences.parquet"
        if not path.is_file():
            continue
        frame = tables.read(path, tables.SENTENCES)
        origins |= dict(frame.select("sentence", "origin").drop_nulls().iter_rows())
        homes |= dict(frame.select("sentence", "document").drop_nulls().iter_rows())
    found = {}
    for sentence in {*origins, *origins.values(), *homes}:
        root, seen = sentence, {sentence}
        while root in origins and origins[root] not in seen:
            root = origins[root]
            seen.add(root)
        found[sentence] = f"document {homes[root]}" if root in homes else f"seed {root}"
    return found


# The last release --------------------------------------------------------------------------------------


def _last(place: Path, *, overwrite: bool) -> Last | None:
    last = last_release(place)
    changed = edited(place, last) if last is not None else []
    if changed and not overwrite:
        raise KostraError(
            f"{len(changed):,} files of the last release were changed by hand: {some(changed)}",
            where=shown(place),
            remedy="answer open questions in the project's datasheet.toml instead, or lose the changes: --overwrite",
        )
    return last


def _numbered(
    last: Last | None, found: Difference | None, asked: str | None, now: datetime, made: Released
) -> dict[str, Any]:
    """Version, date and what changed."""
    before = last.version if last else None
    level = found.level if found is not None else "major"
    version = checked_version(asked, before) if asked is not None else next_version(before, level)
    changes = found.says() if found is not None else [f"the first release: {made.pairs.height:,} pairs"]
    return {"version": version or FIRST, "released": now.astimezone(UTC).date(), "changes": tuple(changes)}


def _same_as_last(
    made: Released, staging: Path, context: Context, edition: Edition, last: Last, place: Path, *, name: str
) -> bool:
    """Whether the same edition, under the last number and date, would be the same to the byte."""
    entry = last.changes.partition("\n## ")[2].partition("\n\n")[2].partition("\n\n")[0]
    lines = tuple(line.removeprefix("- ") for line in entry.strip().split("\n"))
    as_last = replace(edition, version=last.version, released=last.released, changes=lines)
    trial = staging / ".trial"
    publish(made, trial, context, as_last, name=name)
    own = {file: digest for file, digest in checksums(trial).items() if file != "CHANGES.md"}
    shutil.rmtree(trial)
    theirs = {
        file: digest
        for file, digest in last.checksums.items()
        if file != "CHANGES.md" and not file.startswith("changes/")
    }
    return own == theirs and not edited(place, last)


def _keep_details(place: Path, staging: Path, last: Last | None) -> None:
    """Keep the lists of what changed in earlier versions."""
    if last is not None and (place / "changes").is_dir():
        shutil.copytree(place / "changes", staging / "changes")
