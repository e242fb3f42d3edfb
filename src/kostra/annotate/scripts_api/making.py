"""Campaigns that a script sends: a recipe's step and its tables, as JSON, checked like a recipe on disk."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from kostra import tables
from kostra.annotate.scripts_api.shapes import Sent
from kostra.campaign.material import Material, material
from kostra.campaign.protocol import Campaign
from kostra.campaign.questions import completed
from kostra.campaign.running import Running
from kostra.errors import KostraError, unknown
from kostra.recipe import Score, parse
from kostra.tables import Frame

Row = dict[str, str | int | float | bool | None]
Small = Annotated[str, Field(max_length=100)]
_PLAIN = Score(question="score", low=0, high=1)


class StepBody(Sent):
    """A step of a recipe, as its TOML has it."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=64)]
    """The campaign's name."""
    use: Literal["campaign/annotate"] = "campaign/annotate"
    options: Annotated[dict[str, Any], Field(alias="with")]
    """Phases and rules, as in a recipe: `{"phases": [{"name": "main", "task": "rating", "overlap": 3}]}`."""


class ScoreBody(Sent):
    """The score that rating tasks ask for where a phase names no question."""

    question: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=64)]
    low: Annotated[float, Field(ge=-1e6, le=1e6)]
    high: Annotated[float, Field(ge=-1e6, le=1e6)]
    labels: tuple[str, ...] = ()


class MaterialBody(Sent):
    """What a campaign asks, and about what."""

    step: StepBody
    tables: dict[Small, dict[Small, list[Row]]]
    """Name of a step → kind of table (pairs, sentences, tuples, documents, scores) → rows: what `items_from` names."""
    score: ScoreBody | None = None
    title: Annotated[str, Field(max_length=200)] = ""
    """What stands above the pages."""
    language: Annotated[str, Field(pattern=r"^([a-z]{2,3})?$")] = ""
    """ISO 639 code of the texts' language."""


class CampaignBody(MaterialBody):
    """A new campaign."""

    seed: Annotated[int, Field(ge=0, le=2**53)] = 0


def made(body: MaterialBody, *, project: Path, seed: int) -> tuple[Campaign, Material]:
    """The campaign that was sent, with its items.

    Raises
    ------
    KostraError
        What a recipe on disk would be refused for; and files, which a script sends none of.
    """
    given = {"title": body.title, "language": body.language}
    options = {**{name: text for name, text in given.items() if text}, **body.step.options}
    score = _PLAIN if body.score is None else parse(Score, body.score.model_dump(), where="score")
    protocol = completed(parse(Campaign, options, where="step.with"), score)
    _no_files(protocol, project)
    found = material(protocol, _tables(body.tables), project=project, score=score)
    Running(protocol, found, seed=seed)  # what cannot be dealt is refused before anybody comes
    return protocol, found


def _no_files(protocol: Campaign, project: Path) -> None:
    """Refuse to read files of the machine for whoever sends their names."""
    if protocol.consent is not None and protocol.consent.text_file is not None:
        raise KostraError("text_file cannot be sent", where="consent", accepted="text")
    for phase in protocol.phases:
        for block in phase.blocks:
            if block.text_file is not None:
                raise KostraError("text_file cannot be sent", where=f'phase "{phase.name}"', accepted="text")
        if phase.spelling is not None:
            path = (project / phase.spelling).resolve()
            if not path.is_relative_to(project.resolve()) or path.suffix != ".dic" or not path.is_file():
                raise KostraError(
                    f'there is no dictionary "{phase.spelling}" in the project',
                    where=f'phase "{phase.name}": spelling',
                    accepted="the path of a .dic file inside the project",
                )


def _tables(sent: Mapping[str, Mapping[str, list[Row]]]) -> dict[str, dict[str, Frame]]:
    return {
        step: {kind: _frame(rows, kind, where=f"tables.{step}.{kind}") for kind, rows in kinds.items()}
        for step, kinds in sent.items()
    }


def _frame(rows: list[Row], kind: str, *, where: str) -> Frame:
    """Rows as a table of a kind; rows are counted from 1, as lines of a file would be.

    Examples
    --------
    >>> _frame([{"pair": "p1", "text_a": "A cat.", "text_b": "A dog."}], "pairs", where="pairs").height
    1
    >>> _frame([{"pair": "p1", "text": "A cat."}], "pairs", where="pairs")
    Traceback (most recent call last):
    ...
    kostra.errors.KostraError: pairs: unknown column "text"
    ...
    """
    schema = tables.schema_named(kind)
    if not rows:
        raise KostraError("the table is empty", where=where)
    names = {name: None for row in rows for name in row}
    for name in names:
        if name not in schema.dtypes:
            raise unknown("column", name, schema.dtypes, where=where)
    cells = {name: [row.get(name) for row in rows] for name in names}
    frame = tables.from_cells(cells, schema, where=where, lines=range(1, len(rows) + 1))
    return tables.check(frame, schema, where=where)  # which knows what must not be empty
