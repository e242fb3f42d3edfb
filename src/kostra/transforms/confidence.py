"""How sure an output is, from doubts that anybody can read.

A rule names what may have gone wrong, and a sentence may give reason to doubt whatever is made of it; each doubt has a
share of outputs that survive it, and the confidence is their product. The shares of rules' doubts were set by reading
outputs, those of sentences' by what judges said of 620 outputs with the doubt and without it: they order outputs so
that a campaign can ask for the safest ones, and are no probabilities.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

from kostra.trees import Tree

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
        # Of the sentence:
        "commas": 0.82,  # two or more: parts that a parser hangs anywhere
        "denied": 0.85,  # something is negated, so that less does not follow from more
        "speaker": 0.87,  # somebody speaks of themselves or to another: no description
        "clauses": 0.9,  # a clause hangs on another, and may hang on a third
        "long": 0.95,
    }
)
LATER_RULE = 0.95
"""What every further rule of a composition leaves."""
_LONG = 14
"""Words beyond which a sentence is a long one."""
_SUBORDINATE = frozenset({"advcl", "ccomp", "csubj"})
_INFLECTED_NEGATIVE = frozenset({"ADJ", "NOUN"})
"""Parts of speech whose negation is a part of the word: *unknown*."""


def doubts_of_sentence(tree: Tree) -> tuple[str, ...]:
    """Why whatever is made of a sentence is less sure than of a caption, *two dogs run along a beach*.

    Examples
    --------
    >>> from kostra.trees import Features, Word
    >>> first = Word(1, "I", "I", "PRON", feats=Features({"Person": "1"}), head=2, deprel="nsubj")
    >>> doubts_of_sentence(Tree((first, Word(2, "ran", "run", "VERB", head=0, deprel="root"))))
    ('speaker',)
    """
    words = tree.words
    found = {
        "commas": sum(word.form == "," for word in words) > 1,
        "denied": any(
            "Neg" in (word.feats.get("Polarity"), word.feats.get("PronType")) and word.upos not in _INFLECTED_NEGATIVE
            for word in words
        ),
        "speaker": any(word.feats.get("Person") in ("1", "2") for word in words),
        "clauses": any(word.upos == "SCONJ" or word.relation in _SUBORDINATE for word in words),
        "long": sum(word.upos != "PUNCT" for word in words) > _LONG,
    }
    return tuple(doubt for doubt, there in found.items() if there)


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
