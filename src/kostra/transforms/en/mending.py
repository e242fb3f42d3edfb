"""Systematic mistakes of parsers of English, mended before any rule looks at a tree.

English says little by endings, so the menders look for what its grammar forbids (*a man lies* with *lies* as a noun)
and for what captions are full of: nouns with a participle and no clause, participles behind what somebody wears.
"""

from __future__ import annotations

from kostra.transforms.en import mending_clauses, mending_phrases, mending_words
from kostra.transforms.inflection import Inflector
from kostra.transforms.shared.mending import Mender, mended
from kostra.trees import Tree

MENDERS: tuple[Mender, ...] = (
    mending_words.common_noun,
    mending_words.not_a_determiner,
    mending_words.lemma,
    mending_words.number_by_form,
    mending_words.tag_is_verb,
    mending_words.ing_is_verb,
    mending_words.participle_before_noun,
    mending_words.noun_is_verb,
    mending_clauses.verb_behind_phrase,
    mending_clauses.acting_participle,
    mending_clauses.lost_subject,
    mending_clauses.joined_subject,
    mending_clauses.subject_of_participle,
    mending_words.past_by_form,
    mending_words.base_is_present,
    mending_words.person,
    mending_words.participle_tense,
    mending_phrases.clause_inside_noun,
    mending_words.past_is_no_participle,
    mending_words.noun_is_second_verb,
    mending_phrases.colour_before_noun,
    mending_phrases.caption,
    mending_phrases.dressed,
    mending_phrases.joined_adjectives,
    mending_phrases.joined_adverbs,
    mending_phrases.joined_object,
    mending_phrases.side_of_and,
    mending_phrases.phrase_of_verb,
    mending_phrases.participle_of_verb,
    mending_phrases.participle_of_person,
    mending_phrases.particle_of_near_verb,
    mending_phrases.particle_with_phrase,
    mending_phrases.two_objects,
    mending_phrases.receiver,
    mending_phrases.next_to,
    mending_phrases.time_has_no_article,
    mending_phrases.time_has_no_preposition,
    mending_phrases.lost_object,
    mending_phrases.time_is_no_object,
    mending_phrases.direction_of_verb,
)
"""In the order in which they run: first what words are, then what hangs on what."""


def mend_parse(tree: Tree, inflector: Inflector) -> Tree:
    """Mend one kind of mistake after the other."""
    return mended(tree, inflector, MENDERS)
