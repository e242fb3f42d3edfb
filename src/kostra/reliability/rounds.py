"""Two rounds of scores of the same items side by side: how well they agree, with corrections that the user names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from kostra import registry, tables
from kostra.correlate import FloatArray
from kostra.errors import KostraError, some
from kostra.figures import scatter
from kostra.reliability import Estimate, plain_estimate
from kostra.reliability.agreement_step import statistics_table
from kostra.reliability.round_correlation import round_correlation, side_by_side
from kostra.resample import seeded
from kostra.sources.released import Released
from kostra.tables import SCORES, Finding, Frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class TwoRounds:
    """How two rounds agree."""

    first: str
    second: str
    items: int
    statistics: dict[str, Estimate]
    scores: tuple[FloatArray, FloatArray]
    """Scores of the first and of the second question, item by item."""
    warnings: tuple[str, ...]
    """What is odd about the scores, and every correction that was made."""

    def table(self) -> Frame:
        """The statistics as a table."""
        return statistics_table(self.statistics, question=f"{self.first} and {self.second}")

    def figure(self) -> Figure:
        """One round against the other."""
        points = (self.scores[0].tolist(), self.scores[1].tolist())
        return scatter({"items": points}, x_label=self.first, y_label=self.second)

    def summary(self) -> dict[str, Any]:
        """Everything, ready for JSON; what is undefined is None."""
        return {
            "first": self.first,
            "second": self.second,
            "items": self.items,
            "statistics": {name: plain_estimate(one) for name, one in self.statistics.items()},
            "warnings": list(self.warnings),
        }


def rounds(
    path: str | Path,
    *,
    first: str | None = None,
    second: str | None = None,
    released: str | None = None,
    low: float | None = None,
    high: float | None = None,
    corrections: Mapping[tuple[str, str], float] | None = None,
    samples: int = 1000,
    seed: int = 0,
) -> TwoRounds:
    """Correlate the scores of two questions about the same items.

    Parameters
    ----------
    path
        A scores table or, with `released`, a dataset as its authors released it.
    first, second
        The two questions; the only two of the table unless said.
    released
        The form of the release, such as ``czech_news_sts``.
    low, high
        The declared range; that of the release unless said. What lies outside is reported and used as it stands.
    corrections
        ``{(question, item): score}``: scores to read otherwise than they stand. Each is recorded in `warnings`; nothing
        else is mended.
    """
    if released is None:
        scores, found_low, found_high = tables.read(path, SCORES), low, high
        findings: tuple[Finding, ...] = ()
    else:
        read = cast(Released, registry.load("sources/released", released).read(path))
        if "scores" not in read.tables:
            raise KostraError("this release holds no scores", where=str(path))
        scores, found_low, found_high = read.tables["scores"], read.low, read.high
        findings = read.findings
    questions = scores["question"].unique(maintain_order=True).to_list()
    one, two = _two(questions, first, second, where=str(path))
    bounds = {
        "low": found_low if low is None else low,
        "high": found_high if high is None else high,
    }
    if None in bounds.values():
        raise KostraError("the range of the scores is not known", where=str(path), remedy="say it: --low 0 --high 6")
    pair = side_by_side(scores, one, two, corrections=dict(corrections or {}), **cast(dict[str, float], bounds))
    rng = seeded(seed)
    statistics = {
        name: round_correlation(pair.first, pair.second, ranks=ranks, rng=rng, samples=samples)
        for name, ranks in (("rounds_pearson", False), ("rounds_spearman", True))
    }
    said = tuple(str(finding) for finding in (*findings, *pair.findings))
    return TwoRounds(one, two, len(pair.first), statistics, (pair.first, pair.second), said)


def _two(questions: list[str], first: str | None, second: str | None, *, where: str) -> tuple[str, str]:
    if first is not None and second is not None:
        return first, second
    if len(questions) != 2 or first is not None or second is not None:
        raise KostraError(
            f"which two questions? the scores answer {some(questions, 12)}",
            where=where,
            remedy="name both: --first QUESTION --second QUESTION",
        )
    return questions[0], questions[1]
