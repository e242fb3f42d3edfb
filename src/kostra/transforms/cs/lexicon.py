"""Lists of Czech words that the rules need, from ``lexicon.toml`` beside this file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

_TABLE = tomllib.loads((Path(__file__).parent / "lexicon.toml").read_text(encoding="utf-8"))


def _words(name: str) -> frozenset[str]:
    return frozenset(_TABLE[name].split())


CLAUSE_OPENERS = _words("clause_openers")
CLITICS = _words("clitics")
CLITIC_AUXILIARIES = _words("clitic_auxiliaries")
QUANTITIES = _words("quantities")
GOVERNING_WORDS = _words("governing_words")
ANIMATE = _words("animate")
ANIMATE_ENDINGS = tuple(sorted(_words("animate_endings")))
NEEDS_PLACE = _words("needs_place")
NOT_PASSIVE = _words("not_passive")
CLUMSY_PASSIVE = _words("clumsy_passive")
OFFICES = _words("offices")
LIGHT_HEADS = _words("light_heads")
CIRCUMSTANCES = _words("circumstances")
IMPERFECTIVE = _words("imperfective")
TIMES = _words("times")
SCOPE_WORDS = _words("scope_words")
LEXICALISED = _words("lexicalised")
REFLEXIVE_PASSIVE = _words("reflexive_passive")
NEVER_ALONE = _words("never_alone")
REMOVABLE_DETERMINERS = _words("removable_determiners")
BODY = _words("body")
NEEDS_ADJECTIVE = _words("needs_adjective")
NEEDS_GENITIVE = _words("needs_genitive")
PREPOSITIONAL = _words("prepositional")
LIGHT_VERBS = _words("light_verbs")
POSTURES = _words("postures")
ORDER_WORDS = _words("order_words")
NEVER_MIXED = _words("never_mixed")
PLACES = _words("places")
TOGETHER = _words("together")
FIXED_OBJECTS = frozenset(tuple(pair) for pair in _TABLE["fixed_objects"])
"""Verbs and objects that are one expression."""
REFLEXIVE_VERBS: Mapping[str, str] = _TABLE["reflexive_verbs"]
"""Verbs that are others with *se*."""
PARTICIPLE_VERBS: Mapping[str, str] = _TABLE["participle_verbs"]
"""Verbs of participles that two verbs could have."""
INDEFINITE_TO_NEGATIVE: Mapping[str, str] = _TABLE["indefinite_to_negative"]
"""What an indefinite word becomes under negation, by lemma."""
