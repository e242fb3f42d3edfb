"""What the skeletons of rules ask of a language."""

from __future__ import annotations

from collections.abc import Mapping

from kostra.transforms.inflection import Inflector
from kostra.transforms.shared import looking
from kostra.transforms.shared.lexicon import Lexicon
from kostra.trees import Tree, Word

Changes = dict[int, Word]
"""Words that change, by id."""


class Grammar:
    """A language as the skeletons see it: lists of words, and questions with the answers of Universal Dependencies.

    A language makes one object of a subclass, with its own lists (lemmas, unless forms are named) and its own answers
    where they differ. An empty list asks nothing, so that a language begins with few.
    """

    # Words ---------------------------------------------------------------------------------------------

    clause_openers: frozenset[str] = frozenset()
    """Forms before which a clause's comma stands."""
    conjunctions: frozenset[str] = frozenset()
    """Forms that say a plain *and*."""
    alternatives: frozenset[str] = frozenset()
    """Conjunctions that leave open which of the joined things holds: *or*."""
    joints: frozenset[str] = frozenset({","})
    """Forms that join a conjunct to what stands before it, the comma among them."""
    between: frozenset[str] = frozenset()
    """Prepositions that need two: *between*."""
    pairs: tuple[str, ...] = ()
    """*One* and *the other*, which go together."""
    order_words: frozenset[str] = frozenset()
    """Modifiers that stand before all others."""
    body: frozenset[str] = frozenset()
    """What everybody has: *with a head* says nothing, *with a raised head* does."""
    appearance: frozenset[str] = frozenset()
    """Prepositions that say how somebody looks: *with a raised head*."""
    quantities: frozenset[str] = frozenset()
    """Nouns that say how much of what hangs on them, and little without it."""
    never_alone: frozenset[str] = frozenset()
    """Words that are no adjuncts though they look like some: lemmas of adjectives, forms of adverbs."""
    removable_determiners: frozenset[str] = frozenset()
    """Determiners without which a phrase says nearly the same."""
    needs_adjective: frozenset[str] = frozenset()
    """Nouns that say nothing without their adjective."""
    needs_genitive: frozenset[str] = frozenset()
    """Nouns that say little without the noun that hangs on them."""
    needs_place: frozenset[str] = frozenset()
    """Verbs that say little without their complement."""
    prepositional: frozenset[str] = frozenset()
    """Nouns that make a preposition with the one before them."""
    one: str = ""
    """The numeral *one*, where the treebank takes it for an adjective."""
    relatives: frozenset[str] = frozenset()
    """Relative pronouns."""
    reflexives: frozenset[str] = frozenset()
    """Pronouns that point back to the subject."""
    never_mixed: frozenset[str] = frozenset()
    """Words that point to something else in their sentence."""
    together: frozenset[str] = frozenset()
    """What several do with one another."""
    not_passive: frozenset[str] = frozenset()
    """Transitive verbs of which nobody uses a passive."""
    clumsy_passive: frozenset[str] = frozenset()
    """Verbs whose passive is right and clumsy."""
    light_verbs: frozenset[str] = frozenset()
    """Verbs that say little beside an object that names what is done."""
    fixed_objects: frozenset[tuple[str, ...]] = frozenset()
    """Verbs and objects that are one expression."""
    places: frozenset[str] = frozenset()
    """Prepositions of places: a phrase with one may belong to a noun or to the verb."""
    indefinite_to_negative: Mapping[str, str] = {}
    """What an indefinite word becomes under negation, by lemma."""
    agent_preposition: str | None = None
    """What stands before the agent of a passive, if anything does."""
    inherited: tuple[str, ...] = ("case",)
    """Relations of what a conjunct takes over from one before it that goes."""
    subject_may_follow: bool = False
    """Whether a subject stands behind its verb as easily as before it."""
    object_case: str | None = None
    """The case of direct objects, where nouns have one."""

    def __init__(self, lexicon: Lexicon | None = None) -> None:
        """Take over every list that a language's lexicon has by a name that is asked for here."""
        if lexicon is not None:
            for name in _LISTS & lexicon.table.keys():
                setattr(self, name, lexicon.field(name))

    # Questions -----------------------------------------------------------------------------------------

    def is_finite(self, tree: Tree, word: Word) -> bool:  # noqa: ARG002 - other languages look at auxiliaries
        """Whether a word is a finite verb in the indicative."""
        return word.upos == "VERB" and word.feats.get("VerbForm") == "Fin" and word.feats.get("Mood", "Ind") == "Ind"

    def is_negated(self, tree: Tree, verb: int) -> bool:
        """Whether a predicate is negated."""
        raise NotImplementedError

    def helper(self, tree: Tree, verb: int) -> Word | None:
        """The copula or the auxiliary of the passive: what stands with a predicate that is no finite verb."""
        return tree.child(verb, "aux:pass", "cop")

    def is_predicate(self, tree: Tree, word: Word) -> bool:
        """Whether a word is a finite verb, or has a helper."""
        return self.is_finite(tree, word) or self.helper(tree, word.id) is not None

    def predicates(self, tree: Tree) -> list[Word]:
        """The root, and the predicates coordinated with it, in order."""
        root = tree.root
        return [root, *(one for one in tree.children(root.id, "conj") if self.is_predicate(tree, one))]

    def is_compound_part(self, word: Word) -> bool:  # noqa: ARG002 - asked of languages that have them
        """Whether a word is the first part of a compound with a hyphen, which joins nothing."""
        return False

    def is_animate(self, tree: Tree, noun: int, inflector: Inflector | None = None) -> bool:
        """Whether a noun names people or animals."""
        raise NotImplementedError

    def reflexive(self, tree: Tree, verb: int) -> Word | None:
        """The reflexive pronoun that belongs to a verb."""
        raise NotImplementedError

    def without_numeral(
        self,
        tree: Tree,
        noun: Word,
        inflector: Inflector,  # noqa: ARG002 - of languages in which something agrees
    ) -> tuple[frozenset[int], Changes] | None:
        """The words of a noun's numeral, and what agrees anew once it is gone; None where that cannot be told."""
        found = looking.numeral(tree, noun.id)
        if found is None or noun.feats.get("Number") == "Sing":
            return None
        return tree.subtree(found.id), {}


_LISTS = frozenset(name for name, value in vars(Grammar).items() if isinstance(value, frozenset | Mapping))
"""Names of what a lexicon may say."""
