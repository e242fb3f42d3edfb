"""Lists of Polish words that the rules need, from ``lexicon.toml`` beside this file."""

from __future__ import annotations

from collections.abc import Mapping

from kostra.transforms.shared.lexicon import Lexicon

LEXICON = Lexicon(__file__)
_words = LEXICON.words

CLAUSE_OPENERS = _words("clause_openers")
QUANTITIES = _words("quantities")
MALE_NOMINATIVE_NUMERALS = _words("male_nominative_numerals")
MALE_GOVERNING_NUMERALS = _words("male_governing_numerals")
ANIMATE = _words("animate")
NEEDS_PLACE = _words("needs_place")
NOT_PASSIVE = _words("not_passive")
GENITIVE_OBJECTS = _words("genitive_objects")
GENITIVE_VERBS = GENITIVE_OBJECTS | _words("genitive_verbs")
INSTRUMENT_VERBS = _words("instrument_verbs")
NEVER_ALONE = _words("never_alone")
REMOVABLE_DETERMINERS = _words("removable_determiners")
BODY = _words("body")
NEEDS_ADJECTIVE = _words("needs_adjective")
NEEDS_GENITIVE = _words("needs_genitive")
CLUMSY_PASSIVE = _words("clumsy_passive")
NEVER_MIXED = _words("never_mixed")
COLOURS = _words("colours")
NEARNESS = _words("nearness")
ALSO_ADVERBS = _words("also_adverbs")
PLACES = _words("places")
WEAK_DATIVES = _words("weak_datives")
LIGHT_VERBS = _words("light_verbs")
POSTURES = _words("postures")
ORDER_WORDS = _words("order_words")
JOINTS = _words("joints")
PREPOSITIONAL = _words("prepositional")
TOGETHER = _words("together")
CLOTHES = _words("clothes")
DIRECTIONS = _words("directions")
BESIDE = _words("beside")
STAYING = _words("staying")
ANY_CLOTHES = _words("any_clothes")
NEEDS_MODIFIER = _words("needs_modifier")
EXERCISES = _words("exercises")
COLOUR_ADJECTIVES = _words("colour_adjectives")
ANIMALS = _words("animals")
PATTERNS = _words("patterns")
MATERIALS = _words("materials")
EXCLUSIVE_POSTURES = _words("exclusive_postures")
WALKING = _words("walking")
INSTRUMENTS = _words("instruments")
WATERS = _words("waters")
SNOWS = _words("snows")
SETTINGS = _words("settings")
OF_ANIMALS = _words("of_animals")
LIMBS = _words("limbs")
GAMES = _words("games")
POLES = _words("poles")
VEHICLES = _words("vehicles")
MOTIONS = _words("motions")
HOLDING = _words("holding")
INDEFINITE_NUMERALS = _words("indefinite_numerals")
ANIMATE_ENDINGS = tuple(sorted(_words("animate_endings")))
FIXED_OBJECTS = LEXICON.pairs("fixed_objects")
"""Verbs and objects that are one expression."""
INDEFINITE_TO_NEGATIVE: Mapping[str, str] = LEXICON.table["indefinite_to_negative"]
"""What an indefinite word becomes under negation, by lemma."""
NEGATIVE_FORMS: Mapping[tuple[str, str], str] = {
    (lemma, case): form for lemma, forms in LEXICON.table["negative_forms"].items() for case, form in forms.items()
}
PREPOSITION_CASES: Mapping[str, frozenset[str]] = {
    preposition: frozenset(cases.split()) for preposition, cases in LEXICON.table["preposition_cases"].items()
}
"""Cases that prepositions govern."""
