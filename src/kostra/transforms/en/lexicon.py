"""Lists of English words that the rules need, from ``lexicon.toml`` beside this file."""

from __future__ import annotations

from collections.abc import Mapping

from kostra.transforms.shared.lexicon import Lexicon

LEXICON = Lexicon(__file__)
words = LEXICON.words

PEOPLE = words("people")
COLLECTIVES = words("collectives")
DETERMINERS = words("determiners")
ANIMATE = PEOPLE | words("animals")
QUANTITIES = words("quantities")
STATES = words("states")
STATES_OF_THINGS = words("states_of_things")
LASTING = words("lasting")
OVER = words("over")
OF_THINGS = words("of_things")
MOTION = words("motion")
PAIRS = words("pairs")
WANTS_INFINITIVE = words("wants_infinitive")
WANTS_ING = words("wants_ing")
SEVERAL_OF = words("several_of")
MANY = words("many")
WITH_PARTICLE = words("with_particle")
JOINING = words("joining")
SCENES = words("scenes")
BODY = words("body")
WORN = words("worn")
HEDGES = words("hedges")
OF_ALL = words("of_all")
ANYWHERE = words("anywhere")
AND_SO_ON = words("and_so_on")
NAMED_BY_ING = words("named_by_ing")
ADJECTIVE_KINDS = tuple(frozenset(row.split()) for row in LEXICON.table["adjective_kinds"])
"""Adjectives of one kind."""
COLOURS = ADJECTIVE_KINDS[0]
LIGHT_VERBS = words("light_verbs")
ACTIONS = words("actions")
TIMES = words("times")
GIVES_TO = words("gives_to")
GIVES_FOR = words("gives_for")
INTRANSITIVE = words("intransitive")
DONE_VERBS = words("done_verbs")
DONE_ONCE = words("done_once")
NAMING = words("naming")
POSTURES = words("postures")
PERCEPTION = words("perception")
DIRECTIONS = words("directions")
INSTRUMENTS = words("instruments")
SENTENCE_ADVERBS = words("sentence_adverbs")
NEGATIVE = words("negative")
ANY_AT_ALL = words("any_at_all")
DONE_ADJECTIVES = words("done_adjectives")
DOING_ADJECTIVES = words("doing_adjectives")
ADVERBS_BEFORE_TO = words("adverbs_before_to")
COMPLEMENT_PREPOSITIONS = words("complement_prepositions")
VAGUE = words("vague")
RELATIONAL = words("relational")
NEEDS_PHRASE = words("needs_phrase")
PARTICLES = words("particles")
NEEDED_ADVERBS = words("needed_adverbs")
DEGREES = words("degrees")
PREPOSITIONS = words("prepositions")
PEOPLE_AND_WORKS = words("people_and_works")
ADJECTIVE_ENDINGS = tuple(sorted(words("adjective_endings")))
NUMBERS = words("numbers")
PLAIN_ADJECTIVES = words("plain_adjectives")
DESCRIBING_ADJECTIVES = words("describing_adjectives")
INTENSIFIERS = words("intensifiers")
PLAIN_ADVERBS = words("plain_adverbs")
LIMITING_ADVERBS = words("limiting_adverbs")
BINOMIALS = frozenset(frozenset(row.split()) for row in LEXICON.table["binomials"])
"""Pairs that are one expression."""
MEASURES = words("measures")
AN_BEFORE = tuple(sorted(words("an_before")))
A_BEFORE = tuple(sorted(words("a_before")))
AN_ANYWAY = tuple(sorted(words("an_anyway")))
FIXED_OBJECTS = LEXICON.pairs("fixed_objects")
"""Verbs and objects that are one expression."""
USUAL_FORMS: Mapping[str, str] = LEXICON.table["usual_forms"]
"""Forms by lemma and Penn tag, where the dictionary gives several or an unusual one."""
SOME_TO_ANY: Mapping[str, str] = LEXICON.table["some_to_any"]
"""What a form becomes in the scope of a negation."""
