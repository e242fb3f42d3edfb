"""What languages share: skeletons of the rules, and the grammar that they ask.

A rule of a language is a skeleton with the language's grammar in it. The skeleton knows trees: what may be cut, where
commas go, how parts are ordered, which variants there are, what to say where nothing can be done. The grammar knows
words: lists of them, and answers to questions such as *is this verb negated?* A language's rule file is then a few
lines, and where the language differs it overrides one method of the skeleton::

    from kostra.transforms.shared.removing_adjuncts import RELATION, VARIANTS, RemovingAdjuncts

    apply = RemovingAdjuncts(POLISH).apply

`looking`
    questions about trees that have one answer in Universal Dependencies: subject, numeral, participle, …
`grammar`
    `Grammar`: the lists of words and the questions, with defaults; a language makes one object of a subclass
`slavic`
    `Slavic(Grammar)`: phrases in another case (`recased`), agreement (`agreeing`, `phrase_features`,
    `verb_features`), participles, numerals that govern the genitive
`lexicon`
    `Lexicon`: reads the lists; the grammar takes those that it knows by name
`mending`
    runs a language's menders of parses, one after the other
`removing_conjunct`, `removing_adjuncts`, `mixing_dependents`
    whole rules; a language gives words, and overrides what may go (`removable` and the methods it asks, relation by
    relation; `are_alike`; `is_movable`)
`frames`, `mixing_in_frames`
    kinds of words and the places they go in (``kinds.toml`` beside a language's files), and mixing within them alone
`negation`
    the three variants; a language says how predicates are negated (`negated`), how *none* stands before a subject
    (`none_before`), what agrees with *nobody* (`for_nobody`), and whether both negate (`negates_twice`)
`dropping_conjunction`
    two predicates of one subject; a language makes its participles (`participle`, `converb`) and places them (`place`)
`passivisation`
    when a clause has a passive and how it is ordered; a language makes the verb (`passive`) and the agent (`agent`)
`relative_to_participle`, `participle_to_relative`, `swapping_relative`
    both ways, and the rule that is both; a language makes participles and agents, pronouns and predicates
    (`slavic_relatives` does so where they agree with their noun)
"""

RULES = (
    "dropping_conjunction",
    "removing_conjunct",
    "passivisation",
    "removing_adjuncts",
    "swapping_relative",
    "negation",
    "mixing_dependents",
)
"""The seven rules in the order of the CDSC paper; a language that lacks one names its own, and says why."""
