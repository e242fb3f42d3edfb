"""Figures of a campaign: agreement, gold, repeats, and annotators."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from fastapi import APIRouter, Request

from kostra.annotate.admin.findings import Asked, Findings
from kostra.annotate.admin.office import office_of
from kostra.annotate.hall import hall_of
from kostra.annotate.scripts_api.access import CampaignName, Reads, desk_of
from kostra.annotate.scripts_api.shapes import Shape
from kostra.reliability import Estimate, plain_estimate


class EstimateReply(Shape):
    """A statistic with its 95% interval; what is undefined is null, and the note says why."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    note: str


class AgreementReply(Shape):
    """How far people agree on one question: α of ratings and labels, split-half reliability of best–worst answers."""

    phase: str
    question: str
    kind: str
    estimate: EstimateReply


class PersonReply(Shape):
    """One annotator, by the answers to one question."""

    annotator: str
    phase: str
    question: str
    answers: int
    agreement: float | None
    """With the others."""
    median_seconds: float | None
    flags: list[str]
    """What is worth a look, in words."""


class StatisticsReply(Shape):
    """All figures, at one moment."""

    upto: int
    """Number of the last entry of the log that they rest on."""
    ready: bool
    """Whether they are there: the first ones over many answers take a while; ask again."""
    answers: int
    agreement: list[AgreementReply]
    gold: EstimateReply | None
    """Share of gold questions that were answered rightly."""
    repeats: EstimateReply | None
    """How well people agree with their own earlier answers."""
    annotators: list[PersonReply]


def add_figures(api: APIRouter) -> None:
    """Add figures."""

    @api.get("/campaigns/{campaign}/statistics")
    async def statistics(campaign: CampaignName, token: Reads, request: Request) -> StatisticsReply:
        """Agreement with its interval, gold accuracy, consistency with oneself, and every annotator's figures."""
        await desk_of(request, campaign, token)
        watch = office_of(request).watch(campaign)

        def look() -> tuple[Findings | None, dict[str, str]]:
            return watch.findings(watch.look()), hall_of(request).store.aliases(campaign)

        found, aliases = await asyncio.to_thread(look)
        return _reply(found or Findings(0, 0), aliases, ready=found is not None)


def _reply(found: Findings, aliases: Mapping[str, str], *, ready: bool) -> StatisticsReply:
    return StatisticsReply(
        upto=found.upto,
        ready=ready,
        answers=found.answers,
        agreement=[_agreement(asked, estimate) for asked, estimate in found.agreement.items()],
        gold=_estimate(found.gold),
        repeats=_estimate(found.repeats),
        annotators=[
            PersonReply(
                annotator=aliases.get(name, name), phase=asked.phase, question=asked.question, answers=one.answers,
                agreement=one.agreement, median_seconds=one.median_seconds, flags=list(one.reasons),
            )
            for asked, people in found.people.items()
            for name, one in people.items()
        ],
    )  # fmt: skip


def _agreement(asked: Asked, estimate: Estimate) -> AgreementReply:
    found = _estimate(estimate)
    assert found is not None
    return AgreementReply(phase=asked.phase, question=asked.question, kind=asked.kind, estimate=found)


def _estimate(estimate: Estimate | None) -> EstimateReply | None:
    return None if estimate is None else EstimateReply.model_validate(plain_estimate(estimate))
