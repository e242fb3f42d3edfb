"""Systematic mistakes of parsers of Polish, mended before any rule looks at a tree.

A statistical parser attaches by habit; Polish says by its endings what belongs together. Each mender looks for one
pattern that the endings forbid and hangs the words where they allow it. A tree in which nothing is wrong comes back as
it is, so gold trees stay gold but for a few phrases whose place no ending tells.
"""

from __future__ import annotations

from kostra.transforms.inflection import Inflector
from kostra.transforms.pl import (
    mending_clauses,
    mending_heads,
    mending_modifiers,
    mending_numbers,
    mending_phrases,
    mending_roots,
    mending_subjects,
    mending_verbs,
    mending_words,
)
from kostra.transforms.shared.mending import Mender, mended
from kostra.trees import Tree

MENDERS: tuple[Mender, ...] = (
    mending_words.common_noun,
    mending_words.lexeme,
    mending_words.hidden_participle,
    mending_words.impossible_features,
    mending_words.impossible_number,
    mending_words.animacy,
    mending_words.na_czarno,
    mending_words.adverb_not_preposition,
    mending_words.adjective_as_noun,
    mending_roots.hidden_verb,
    mending_verbs.verb_of_relative,
    mending_verbs.where_clause,
    mending_heads.hyphenated_colour,
    mending_phrases.measure_of_adverb,
    mending_modifiers.joined_adjectives,
    mending_modifiers.adjective_between_nouns,
    mending_modifiers.participle_as_root,
    mending_roots.noun_as_root,
    mending_roots.standing_beside,
    mending_clauses.predicate_participle,
    mending_modifiers.participle_for_noun,
    mending_phrases.numeral_as_subject,
    mending_words.men_are_governed,
    mending_numbers.collective_numeral,
    mending_numbers.counted_subject,
    mending_subjects.participle_beside_subject,
    mending_subjects.subject_of_noun,
    mending_phrases.wrong_preposition,
    mending_clauses.preposition_of_participle,
    mending_modifiers.adjective_of_nothing,
    mending_modifiers.disagreeing_modifier,
    mending_modifiers.noun_joined_to_adjective,
    mending_modifiers.adjectives_before_noun,
    mending_modifiers.noun_joined_to_wrong_noun,
    mending_modifiers.clause_joined_to_noun,
    mending_modifiers.agent,
    mending_modifiers.distant_agent,
    mending_phrases.wrong_antecedent,
    mending_words.relative_object,
    mending_words.beside_oneself,
    mending_clauses.beyond_the_comma,
    mending_phrases.lost_genitive,
    mending_phrases.phrase_beside_its_word,
    mending_clauses.wearer_as_antecedent,
    mending_modifiers.participle_keeps_its_own,
    mending_modifiers.converb_keeps_its_own,
    mending_modifiers.before_the_conjunction,
    mending_heads.adverb_of_participle,
    mending_heads.direction_of_participle,
    mending_heads.place_of_crowd,
    mending_heads.participle_of_next_noun,
    mending_heads.way_of_verb,
    mending_heads.place_beyond_body,
    mending_heads.place_of_adjective,
    mending_heads.purpose_of_noun,
    mending_heads.head_down,
    mending_phrases.direction_of_verb,
    mending_heads.held_in_arms,
    mending_phrases.lost_object,
    mending_phrases.instrument,
    mending_words.reflexive_of_participle,
    mending_words.possessive,
    mending_clauses.modifiers_of_participle,
    mending_clauses.preposition_of_participle,
    mending_verbs.preposition_beyond_phrase,
    mending_verbs.place_of_joined_participle,
    mending_verbs.held_before_verb,
    mending_verbs.behind_second_verb,
    mending_words.features_by_agreement,
    mending_heads.bare_locative,
    mending_numbers.plural_object,
    mending_words.object_case,
    mending_words.genitive_object,
    mending_verbs.object_of_participle,
    mending_words.animacy,
    mending_subjects.lost_subject,
    mending_verbs.object_of_second_verb,
    mending_clauses.participle_before_subject,
    mending_phrases.together_of_verb,
    mending_phrases.phrase_of_last_conjunct,
    mending_clauses.flat_conjuncts,
    mending_clauses.listed_noun,
    mending_phrases.adverb_of_verb,
    mending_words.one_another,
)
"""In the order in which they run: first what words are, then what hangs on what."""


def mend_parse(tree: Tree, inflector: Inflector) -> Tree:
    """Mend one kind of mistake after the other."""
    return mended(tree, inflector, MENDERS)
