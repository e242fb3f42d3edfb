"""Lists of Czech words that the rules need, from ``lexicon.toml`` beside this file."""

from __future__ import annotations

from collections.abc import Mapping

from kostra.transforms.shared.lexicon import Lexicon

LEXICON = Lexicon(__file__)
_words = LEXICON.words

CLAUSE_OPENERS = _words("clause_openers")
CLITICS = _words("clitics")
CLITIC_AUXILIARIES = _words("clitic_auxiliaries")
QUANTITIES = _words("quantities")
GOVERNING_WORDS = _words("governing_words")
ANIMATE = _words("animate")
ANIMALS = _words("animals")
ANIMATE_ENDINGS = tuple(sorted(_words("animate_endings")))
NEEDS_PLACE = _words("needs_place")
NOT_PASSIVE = _words("not_passive")
OFFICES = _words("offices")
LIGHT_HEADS = _words("light_heads")
CIRCUMSTANCES = _words("circumstances")
IMPERFECTIVE = _words("imperfective")
TIMES = _words("times")
SCOPE_WORDS = _words("scope_words")
INTENSIFIERS = _words("intensifiers")
SUDDEN = _words("sudden")
MOSTLY = _words("mostly")
OUTSIDE = _words("outside")
LEXICALISED = _words("lexicalised")
REFLEXIVE_PASSIVE = _words("reflexive_passive")
BODY = _words("body")
POSTURES = _words("postures")
VISIBLE_ACTS = _words("visible_acts")
VISIBLE_STATES = _words("visible_states")
LASTING_STATES = _words("lasting_states")
STATIVE = _words("stative")
PLACES = _words("places")
HABITS = _words("habits")
UNIQUE = _words("unique")
DENYING = _words("denying")
EXCEPTIONS = _words("exceptions")
MUTUAL = _words("mutual")
UNIVERSAL = _words("universal")
LACKS = _words("lacks")
CONDITIONS = _words("conditions")
FOCUS = _words("focus")
HALVES = _words("halves")
EXISTENTIAL = _words("existential")
ASKS = _words("asks")
REASONS = _words("reasons")
CONTRASTS = _words("contrasts")
DEFINITE = _words("definite")
MEETING = _words("meeting")
SUBORDINATORS = _words("subordinators")
THINGS = _words("things")
VAGUE_QUANTITIES = _words("vague_quantities")
BOOKISH = _words("bookish")
STANDING = _words("standing")
WAYS = _words("ways")
SAYING = _words("saying")
WHERE = _words("where")
MANNERS = _words("manners")
PRESENTING = _words("presenting")
WITH_ANOTHER = _words("with_another")
COMPANIES = _words("companies")
REFLEXIVE_VERBS: Mapping[str, str] = LEXICON.table["reflexive_verbs"]
"""Verbs that are others with *se*."""
PARTICIPLE_VERBS: Mapping[str, str] = LEXICON.table["participle_verbs"]
"""Verbs of participles that two verbs could have."""
