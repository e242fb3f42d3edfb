"""The labels of a pair and of its reverse as one label, ordered or unordered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from kostra.errors import KostraError
from kostra.recipe import Name, Strict
from kostra.scoring.ratings import first_of_reverses
from kostra.steps import Context, Inputs, Plan
from kostra.tables import SCORES, Frame, check

READS = ("pairs", "scores")
WRITES = ("scores",)


@dataclass(frozen=True)
class PairLabels:
    """Labels of both directions together, and what they leave out."""

    scores: Frame
    one_sided: tuple[str, ...]
    """Labelled pairs whose reverse has no label."""
    without_reverse: tuple[str, ...]
    """Labelled pairs that have no reverse."""


def pair_labels(scores: Frame, pairs: Frame, *, question: str, as_question: str, ordered: bool = False) -> PairLabels:
    """Join the label of each pair with that of its reverse, under the pair that comes first in the table.

    Unordered, the two stand in alphabetical order with a plus: ``entailment+neutral`` is one-way entailment, whichever
    way it goes (CDSC, Table 4 [1]_). Ordered, the pair's own label comes first, with an arrow: ``entailment>neutral``
    and ``neutral>entailment`` differ. A tie in one direction is a label like any other.

    Parameters
    ----------
    scores
        Labels per direction, such as those of `kostra.scoring.majority.majority_labels`.
    pairs
        Columns pair and reverse.
    question, as_question
        The question whose labels are joined, and the one under which they then stand.

    Returns
    -------
    PairLabels
        The answers of both directions are added up; a joint label has neither score nor share. Pairs of which only one
        direction has a label have no joint one, and are named.

    References
    ----------
    .. [1] A. Wróblewska and K. Krasnowska-Kieraś (2017). Polish evaluation dataset for compositional distributional
       semantics models. ACL 2017, 784–792.

    Examples
    --------
    >>> pairs = pl.DataFrame({"pair": ["p", "q"], "reverse": ["q", "p"]})
    >>> labels = pl.DataFrame(
    ...     {
    ...         "item": ["p", "q"],
    ...         "question": ["entailment"] * 2,
    ...         "label": ["neutral", "entailment"],
    ...         "appearances": [3, 3],
    ...     }
    ... )
    >>> both = pair_labels(labels, pairs, question="entailment", as_question="both_ways")
    >>> both.scores.select("item", "label", "appearances").rows()
    [('p', 'entailment+neutral', 6)]
    >>> pair_labels(labels, pairs, question="entailment", as_question="both", ordered=True).scores["label"].to_list()
    ['neutral>entailment']
    """
    labelled = scores.filter((pl.col("question") == question) & pl.col("label").is_not_null())
    if not labelled.height:
        raise KostraError(f'there is no label of "{question}"', remedy="read a step that writes labels, e.g. majority")
    label = {item: (text, count) for item, text, count in labelled.select("item", "label", "appearances").iter_rows()}
    first = first_of_reverses(pairs)
    sides: dict[str, list[str]] = {}
    for pair, leader in first.items():
        sides.setdefault(leader, []).append(pair)
    joined = [sorted(both, key=lambda side: side != leader) for leader, both in sides.items()]
    complete = [(one, two) for one, two in joined if one in label and two in label]
    frame = pl.DataFrame(
        {
            "item": [one for one, _ in complete],
            "question": [as_question] * len(complete),
            "label": [_joint(label[one][0], label[two][0], ordered=ordered) for one, two in complete],
            "appearances": [label[one][1] + label[two][1] for one, two in complete],
        },
        schema={name: dtype for name, dtype in SCORES.dtypes.items() if name in _WRITTEN},
    )
    inside = {side for both in complete for side in both}
    return PairLabels(
        scores=check(frame, SCORES, where="labels of both directions"),
        one_sided=tuple(item for item in label if item in first and item not in inside),
        without_reverse=tuple(item for item in label if item not in first),
    )


_WRITTEN = ("item", "question", "label", "appearances")


def _joint(one: str, two: str, *, ordered: bool) -> str:
    return f"{one}>{two}" if ordered else "+".join(sorted((one, two)))


# The step ----------------------------------------------------------------------------------------------


class Options(Strict):
    """Which labels are joined, and how."""

    question: Name
    """The question whose labels are paired."""
    as_question: Name
    """The name under which the joint labels stand."""
    ordered: bool = False
    """Whether the direction matters."""


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """One label per pair and its reverse."""
    return Plan(f"joins the labels of both directions of {inputs.get('pairs', 0):,} pairs")


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Join the labels and say what is missing."""
    found = pair_labels(
        inputs["scores"],
        inputs["pairs"],
        question=options.question,
        as_question=options.as_question,
        ordered=options.ordered,
    )
    if found.one_sided:
        context.note("one_sided", f"{len(found.one_sided):,} pairs have a label in one direction only; left out")
    if found.without_reverse:
        context.note("no_reverse", f"{len(found.without_reverse):,} labelled pairs have no reverse; left out")
    return {"scores": found.scores}
