"""One component on files, without a project: every statistic, score and strategy is a command."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kostra import tables
from kostra.errors import KostraError, unknown
from kostra.files import copy_folder
from kostra.recipe import Score, parse
from kostra.sampling.strategies import lone_context, parse_options
from kostra.steps import Inputs, component
from kostra.tables import Frame


@dataclass(frozen=True)
class Ran:
    """What a component made."""

    tables: dict[str, Frame]
    files: tuple[Path, ...]
    """Files beside the tables, in the folder that was named."""
    findings: tuple[str, ...]


def run(
    use: str,
    reads: Mapping[str, str | Path],
    *,
    options: Mapping[str, object] | Sequence[str] = (),
    question: str = "score",
    low: float = 0.0,
    high: float = 1.0,
    language: str = "und",
    seed: int = 0,
    to: str | Path | None = None,
) -> Ran:
    """Run one step component on tables in files.

    Parameters
    ----------
    use
        The component as room/name, such as ``reliability/annotators`` (`kostra.components` lists them).
    reads
        Kind of table to file: ``{"judgments": "judgments.csv"}``.
    options
        The component's options, as in a recipe or as ``NAME=VALUE`` strings.
    question, low, high
        The main question and the declared range of its score.
    to
        A folder that does not exist yet, for the tables (as CSV) and for whatever else the component writes.
    """
    if "/" not in use:
        raise KostraError(f'found "{use}"', accepted="a component as room/name, such as reliability/annotators")
    module = component(use)
    for kind in reads:
        if kind not in tables.SCHEMAS:
            raise unknown("kind of table", kind, tables.SCHEMAS)
    for needed in module.READS:
        if not set(needed.split("|")) & set(reads):
            raise KostraError(
                f"{use} needs {needed.replace('|', ' or ')}",
                remedy=f"name the file: --read {needed.split('|')[0]}=FILE",
            )
    place = Path(to) if to is not None else None
    if place is not None and place.exists():
        raise KostraError("this exists already", where=str(place), remedy="name a folder that does not exist yet")
    given = options if isinstance(options, Mapping) else parse_options(options, module.Options)
    chosen = parse(module.Options, dict(given), where=use)
    read = {kind: tables.read(path, tables.schema_named(kind)) for kind, path in reads.items()}
    with tempfile.TemporaryDirectory() as scratch:
        context = lone_context(use, Path(scratch), language=language, seed=seed)
        score = Score(question=question, low=low, high=high)
        context = replace(context, recipe=context.recipe.model_copy(update={"score": score}))
        made = module.run(Inputs(read), chosen, context)
        files = _laid_down(Path(scratch), made, place) if place is not None else ()
    return Ran(made, files, tuple(str(finding) for finding in context.findings))


def _laid_down(scratch: Path, made: Mapping[str, Frame], place: Path) -> tuple[Path, ...]:
    for kind, frame in made.items():
        tables.write(frame, scratch / f"{kind}.csv")
    copy_folder(scratch, place)
    return tuple(sorted(path for path in place.rglob("*") if path.is_file()))
