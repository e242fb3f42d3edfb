"""How sure an output is, from doubts that anybody can read.

A rule names what may have gone wrong; each doubt has a share of outputs that survive it, and the confidence is their
product. The shares were set by reading outputs, not fitted: they order outputs so that a campaign can ask for the
safest ones, and are no probabilities.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

SHARES: Mapping[str, float] = MappingProxyType(
    {
        "inflected": 0.99,  # one more word was given a new form
        "moved": 0.98,  # words stand in another order
        "attachment": 0.93,  # the change rests on what a prepositional phrase hangs on
        "argument": 0.85,  # what went may have been needed by the verb or noun
        "several": 0.97,  # several parts went at once
        "far": 0.95,  # a long phrase stands between a word and what it belongs to
        "comma": 0.97,  # a comma was set or removed
        "aspect": 0.9,  # tense or aspect of the new form is a guess
        "coordinated": 0.95,  # a coordination is inside what changed
        "heavy": 0.92,  # a long phrase stands before what it modifies
        "number": 0.97,  # a numeral phrase was changed
        "sense": 0.85,  # two sentences' parts stand together
        "style": 0.9,  # right but clumsy
    }
)
LATER_RULE = 0.95
"""What every further rule of a composition leaves."""


def confidence_of(doubts: Sequence[str], *, rules: int = 1) -> float:
    """The product of the doubts' shares, and of `LATER_RULE` for every rule but the first.

    Examples
    --------
    >>> confidence_of(["inflected", "inflected", "moved"])  # .99 · .99 · .98
    0.96
    >>> confidence_of([], rules=2)
    0.95
    """
    return _confidence(tuple(doubts), rules)


@lru_cache(maxsize=4096)
def _confidence(doubts: tuple[str, ...], rules: int) -> float:
    share = LATER_RULE ** (rules - 1)
    for doubt in doubts:
        share *= SHARES[doubt]
    return round(share, 3)
