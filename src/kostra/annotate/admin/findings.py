"""Figures of a campaign from its ledger: agreement now and over time, annotators, items on which people disagree.

All of it is pure and takes from a tenth of a second to some seconds, depending on how many answers there are; so it is
worked out beside the requests (`kostra.annotate.admin.watch`) and shown with the moment that it is about.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from kostra.annotate.admin.checks import Bools, Point, gold_checks, moments_of, repeat_checks
from kostra.annotate.admin.ledger import Answers, Floats, Ints, kind_of, moment
from kostra.campaign.protocol import Phase
from kostra.errors import KostraError
from kostra.ratings import Ratings
from kostra.reliability import Estimate
from kostra.reliability.annotators import annotator_table
from kostra.reliability.krippendorff_alpha import krippendorff_alpha
from kostra.reliability.split_half import split_half_best_worst
from kostra.tables import Frame

SAMPLES, HISTORY_SAMPLES = 300, 60
TRIALS, HISTORY_TRIALS = 50, 10
MOST_DISPUTED = 200
CHECKING = ("gold", "repeat", "repeat_1", "repeat_2")
"""Blocks whose answers are compared with known or with earlier ones, and are no part of agreement."""


@dataclass(frozen=True)
class Asked:
    """What is asked, whose answers can be compared: a question of a phase, or best and worst together."""

    phase: str
    question: str
    kind: str
    """rating, label or best_worst"""


@dataclass(frozen=True)
class Disputed:
    """An item on which people disagree."""

    item: str
    answers: int
    spread: float
    """Standard deviation of ratings; else the share of answers that are not the commonest."""
    said: Mapping[str, Sequence[tuple[str, int]]]
    """The answers, the commonest first, with how often each was given; of ``best`` and ``worst`` apart."""


@dataclass(frozen=True)
class Described:
    """One annotator, by the answers to one question."""

    answers: int
    agreement: float | None
    median_seconds: float | None
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Findings:
    """All figures of a campaign at one moment."""

    upto: int
    """Number of the last entry of the log that they rest on."""
    answers: int
    agreement: Mapping[Asked, Estimate] = field(default_factory=dict)
    gold: Estimate | None = None
    """Share of gold questions answered rightly."""
    repeats: Estimate | None = None
    """Share of repeats answered as before."""
    history: Mapping[Asked, Sequence[Point]] = field(default_factory=dict)
    gold_history: Sequence[Point] = ()
    repeats_history: Sequence[Point] = ()
    disputed: Mapping[Asked, Sequence[Disputed]] = field(default_factory=dict)
    people: Mapping[Asked, Mapping[str, Described]] = field(default_factory=dict)


Members = Mapping[str, Sequence[str]]
"""Tuple → its members."""


def asked_in(phases: Sequence[Phase]) -> list[Asked]:
    """What of the phases can be compared, in the order of the recipe.

    Examples
    --------
    >>> from kostra.campaign.protocol import Question
    >>> best, worst = Question(name="best"), Question(name="worst")
    >>> asked_in([Phase(name="main", task="best_worst", questions=(best, worst))])
    [Asked(phase='main', question='best and worst', kind='best_worst')]
    """
    found = []
    for phase in phases:
        kinds = {question.name: kind_of(phase, question.name) for question in phase.questions}
        if "best_worst" in kinds.values():
            found.append(Asked(phase.name, "best and worst", "best_worst"))
        several = {question.name for question in phase.questions if question.at_most}
        found += [
            Asked(phase.name, name, kind)
            for name, kind in kinds.items()
            if kind in ("rating", "label") and name not in several
        ]
    return found


def find(answers: Answers, phases: Sequence[Phase], members: Members, *, models: Sequence[str] = ()) -> Findings:
    """Work out all figures.

    Parameters
    ----------
    phases
        The phases of the campaign as it runs.
    members
        The tuples that are asked, for best–worst answers.
    models
        Annotators that are no people; they are no part of any figure.
    """
    agreement: dict[Asked, Estimate] = {}
    history: dict[Asked, Sequence[Point]] = {}
    disputed: dict[Asked, Sequence[Disputed]] = {}
    people: dict[Asked, Mapping[str, Described]] = {}
    people_only = ~np.isin(answers.who, [number for number, name in enumerate(answers.people) if name in set(models)])
    for asked in asked_in(phases):
        sheet = _sheet(answers, asked, members, people_only)
        if sheet is None:
            continue
        agreement[asked] = _agreement(sheet, samples=SAMPLES, trials=TRIALS)
        history[asked] = _history(sheet)
        disputed[asked] = _disputed(sheet, answers)
        people[asked] = _described(answers, asked, sheet, people_only)
    gold, repeats = gold_checks(answers, people_only), repeat_checks(answers, phases, people_only)
    count = int(answers.stands().sum())
    return Findings(
        answers.upto,
        count,
        agreement=agreement,
        gold=gold.estimate() if gold else None,
        repeats=repeats.estimate() if repeats else None,
        history=history,
        gold_history=gold.history() if gold else (),
        repeats_history=repeats.history() if repeats else (),
        disputed=disputed,
        people=people,
    )


# One question ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Sheet:
    """The answers to one question that count, in the order of the log."""

    asked: Asked
    at: Floats
    who: Ints
    item: Ints
    value: Ints
    """Codes of the values; of best–worst answers, the best."""
    worst: Ints
    numbers: Floats
    tuples: Ints
    """Members of each answer's tuple, as numbers."""
    members: int
    best_of: Ints
    worst_of: Ints

    def first(self, count: int) -> _Sheet:
        """As it was when there were so many."""
        arrays = ("at", "who", "item", "value", "worst", "numbers", "tuples", "best_of", "worst_of")
        cut = {name: getattr(self, name)[:count] for name in arrays}
        return _Sheet(self.asked, members=self.members, **cut)


_NONE = np.zeros(0, dtype=np.int64)


def _rows(answers: Answers, phase: str, question: str, people_only: Bools) -> Ints:
    """The judgments that count for one question: rows of the table of judgments."""
    if phase not in answers.phases or question not in answers.questions:
        return _NONE
    checking = [number for number, name in enumerate(answers.blocks) if name in CHECKING]
    whole = answers.stands() & (answers.phase == answers.phases.index(phase)) & people_only
    whole &= ~np.isin(answers.block, checking)
    chosen = whole[answers.of] & (answers.question == answers.questions.index(question)) & (answers.value >= 0)
    return np.flatnonzero(chosen)


def _sheet(answers: Answers, asked: Asked, members: Members, people_only: Bools) -> _Sheet | None:
    best = "best" if asked.kind == "best_worst" else asked.question
    rows = _rows(answers, asked.phase, best, people_only)
    worst = _NONE
    if asked.kind == "best_worst":
        other = _rows(answers, asked.phase, "worst", people_only)
        _, mine, theirs = np.intersect1d(answers.of[rows], answers.of[other], return_indices=True)
        rows, worst = rows[mine], answers.value[other[theirs]]
    if not len(rows):
        return None
    of = answers.of[rows]
    value = answers.value[rows]
    numbers = answers.numbers()[value] if asked.kind == "rating" else np.zeros(len(rows))
    keep = np.isfinite(numbers)
    rows, of, value, numbers = rows[keep], of[keep], value[keep], numbers[keep]
    item = answers.item[of]
    tuples, count, best_of, worst_of = _NONE, 0, _NONE, _NONE
    if asked.kind == "best_worst":
        place: dict[str, int] = {}
        used = np.unique(item).tolist()
        sizes = {len(members.get(answers.items[one], ())) for one in used}
        size = max(sizes, default=0)
        known = {one: members[answers.items[one]] for one in used if len(members.get(answers.items[one], ())) == size}
        table = np.zeros((len(answers.items), max(size, 1)), dtype=np.int64)
        for one, names in known.items():
            table[one] = [place.setdefault(name, len(place)) for name in names]
        code = np.array([place.get(name, -1) for name in answers.values], dtype=np.int64)
        fits = np.isin(item, list(known)) & (code[value] >= 0) & (code[worst] >= 0)
        of, item, value, worst, numbers = of[fits], item[fits], value[fits], worst[fits], numbers[fits]
        tuples, count, best_of, worst_of = table[item], len(place), code[value], code[worst]
    if not len(of):
        return None
    return _Sheet(asked, answers.at[of], answers.who[of], item, value, worst, numbers, tuples, count, best_of, worst_of)


def _agreement(sheet: _Sheet, *, samples: int, trials: int) -> Estimate:
    rng = np.random.default_rng(1)  # the same answers give the same figure, whenever somebody looks
    if sheet.asked.kind == "best_worst":
        return _split_half(sheet, trials, rng)
    names, item = np.unique(sheet.item, return_inverse=True)
    labels = None
    values = sheet.numbers
    if sheet.asked.kind == "label":
        codes, coded = np.unique(sheet.value, return_inverse=True)
        labels, values = tuple(str(code) for code in codes.tolist()), coded.astype(np.float64)
    ratings = Ratings(tuple(map(str, names.tolist())), item.reshape(-1).astype(np.int64), values, labels=labels)
    level = "interval" if sheet.asked.kind == "rating" else "nominal"
    return krippendorff_alpha(ratings, level=level, samples=samples, rng=rng)  # type: ignore[arg-type]


def _split_half(sheet: _Sheet, trials: int, rng: np.random.Generator) -> Estimate:
    """Split-half reliability, with the interval of a rank correlation over so many items (Bonett and Wright, 2000)."""
    found = split_half_best_worst(
        sheet.tuples, sheet.best_of, sheet.worst_of, items=sheet.members, trials=trials, rng=rng
    )
    compared = found.items - found.left_out
    if not math.isfinite(found.spearman) or compared < 5:
        return Estimate(math.nan, n=int(compared), note="undefined: fewer than five items have answers in both halves")
    r = min(max(found.spearman, -0.999999), 0.999999)
    reach = 1.959964 * math.sqrt((1 + r**2 / 2) / (compared - 3))
    low, high = math.tanh(math.atanh(r) - reach), math.tanh(math.atanh(r) + reach)
    return Estimate(found.spearman, low, high, int(compared), f"Spearman, mean of {trials} splits")


def _history(sheet: _Sheet) -> list[Point]:
    """Agreement of the answers that count today, as far as they were there at some moments."""
    points = []
    for count in moments_of(len(sheet.at)):
        found = _agreement(sheet.first(count), samples=HISTORY_SAMPLES, trials=HISTORY_TRIALS)
        if math.isfinite(found.value):
            points.append(Point(moment(sheet.at[count - 1]), count, found.value, found.low, found.high))
    return points


def _disputed(sheet: _Sheet, answers: Answers) -> list[Disputed]:
    items = len(answers.items)
    count = np.bincount(sheet.item, minlength=items)
    if sheet.asked.kind == "rating":
        mean = np.bincount(sheet.item, sheet.numbers, minlength=items) / np.maximum(count, 1)
        squares = np.bincount(sheet.item, (sheet.numbers - mean[sheet.item]) ** 2, minlength=items)
        spread = np.sqrt(squares / np.maximum(count - 1, 1))
    else:
        chosen = [sheet.value] if sheet.asked.kind == "label" else [sheet.value, sheet.worst]
        commonest = np.mean([_commonest(sheet.item, one, items) for one in chosen], axis=0)
        spread = 1 - commonest / np.maximum(count, 1)
    spread[count < 2] = -1.0
    worst = np.lexsort((-count, -spread))[:MOST_DISPUTED]
    shown = [int(one) for one in worst if spread[one] > 0]
    order = np.argsort(sheet.item, kind="stable")
    ends = np.searchsorted(sheet.item[order], np.arange(items + 1))
    found = []
    for one in shown:
        rows = order[ends[one] : ends[one + 1]]
        if sheet.asked.kind == "best_worst":
            asked = {"best": sheet.value[rows], "worst": sheet.worst[rows]}
        else:
            asked = {"": sheet.value[rows]}
        said = {name: _said(answers.values, codes) for name, codes in asked.items()}
        found.append(Disputed(answers.items[one], int(count[one]), float(spread[one]), said))
    return found


def _commonest(item: Ints, value: Ints, items: int) -> Floats:
    """Per item, how often its commonest answer was given."""
    width = int(value.max(initial=0)) + 1
    pairs, counts = np.unique(item * width + value, return_counts=True)
    found = np.zeros(items)
    np.maximum.at(found, pairs // width, counts)
    return found


def _said(values: Sequence[str], codes: Ints) -> tuple[tuple[str, int], ...]:
    """What was said and how often, the commonest first; at most six."""
    found, counts = np.unique(codes, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:6]
    return tuple((values[int(found[one])], int(counts[one])) for one in order)


# People ------------------------------------------------------------------------------------------------------


def _described(answers: Answers, asked: Asked, sheet: _Sheet, people_only: Bools) -> dict[str, Described]:
    """What the table of annotators says (`kostra.reliability.annotators`), and its flags with their reasons."""
    frame, tuples = _frame(answers, asked, people_only), None
    question: str | None = asked.question
    if asked.kind == "best_worst":
        question, tuples = None, _tuples(answers, sheet)
        frame = frame.filter(pl.col("item").is_in(tuples["tuple"].unique().implode()))
    try:
        table = annotator_table(frame, question=question, tuples=tuples)
    except KostraError:  # an item answered twice by one person, after a revision: nobody can be compared
        return {}
    return {
        row["annotator"]: Described(
            row["answers"], row["agreement"], row["median_seconds"], tuple((row["reasons"] or "").split("; "))
            if row["reasons"]
            else (),
        )
        for row in table.iter_rows(named=True)
    }  # fmt: skip


def _frame(answers: Answers, asked: Asked, people_only: Bools) -> Frame:
    """The answers to a question as a table of judgments, as far as the table of annotators reads it."""
    names = ("best", "worst") if asked.kind == "best_worst" else (asked.question,)
    wanted = [number for number, name in enumerate(answers.questions) if name in names]
    gold = [number for number, name in enumerate(answers.blocks) if name == "gold"]
    whole = answers.stands() & people_only & ~np.isin(answers.block, gold)
    in_phase = answers.phase == answers.phases.index(asked.phase)
    rows = np.flatnonzero((whole & in_phase)[answers.of] & np.isin(answers.question, wanted) & (answers.value >= 0))
    of = answers.of[rows]

    def named(texts: Sequence[str], codes: Ints) -> pl.Series:
        return pl.Series(texts, dtype=pl.String).gather(codes)

    return pl.DataFrame(
        {
            "item": named(answers.items, answers.item[of]),
            "annotator": named(answers.people, answers.who[of]),
            "question": named(answers.questions, answers.question[rows]),
            "value": named(answers.values, answers.value[rows]),
            "status": pl.Series(["answered"], dtype=pl.String).gather(np.zeros(len(rows), dtype=np.int64)),
            "block": named(answers.blocks, answers.block[of]),
            "seconds": pl.Series(answers.seconds[of]).fill_nan(None),
        }
    )


def _tuples(answers: Answers, sheet: _Sheet) -> Frame:
    used, first = np.unique(sheet.item, return_index=True)
    size = sheet.tuples.shape[1]
    return pl.DataFrame(
        {
            "tuple": [answers.items[one] for one in np.repeat(used, size).tolist()],
            "position": np.tile(np.arange(1, size + 1), len(used)),
            "item": _member_names(answers, sheet, sheet.tuples[first].ravel()),
        }
    )


def _member_names(answers: Answers, sheet: _Sheet, numbers: Ints) -> list[str]:
    names = {int(code): answers.values[int(value)] for code, value in zip(sheet.best_of, sheet.value, strict=True)}
    names |= {int(code): answers.values[int(value)] for code, value in zip(sheet.worst_of, sheet.worst, strict=True)}
    return [names.get(int(one), f"\0{int(one)}") for one in numbers]  # a member that nobody chose needs no name
