"""Exchanges a dependent for one of another sentence, of another theme."""

from __future__ import annotations

from collections.abc import Callable

from kostra.transforms.donors import Donor, preposition
from kostra.transforms.en import grammar, lexicon
from kostra.transforms.en.doubting import trusting
from kostra.transforms.en.grammar import ENGLISH, is_in_compound
from kostra.transforms.shared.mixing_dependents import EXCHANGED, RELATION, VARIANTS, MixingDependents
from kostra.trees import Tree, Word

__all__ = ["RELATION", "VARIANTS", "apply", "can_give"]


_VAGUE = lexicon.TIMES | ENGLISH.needs_adjective | ENGLISH.needs_genitive
_VERBS = lexicon.LASTING | lexicon.POSTURES


class _English(MixingDependents):
    def is_movable(self, tree: Tree, word: Word) -> bool:
        """Whether a dependent can leave its sentence: a phrase with its preposition, an object, an adjective."""
        if word.deprel not in EXCHANGED or word.form[:1].isupper() or not super().is_movable(tree, word):
            return False
        behind = [one for one in tree.children(word.id, "amod", "det") if tree.places[one.id] > tree.places[word.id]]
        if not _is_whole(tree, word):
            return False
        if is_in_compound(tree, word.id) or behind or tree.child(word.id, "acl") is not None:
            return False
        several = word.feats.get("Number") == "Plur"
        if several and (word.lemma in _VERBS or any(one.form in ("a", "an") for one in tree.children(word.id, "det"))):
            return False  # a verb that the parser took for a noun
        if word.relation == "amod" and tree[word.head].lemma in _VAGUE:
            return False
        if word.relation == "amod":
            plain = word.feats.get("Degree", "Pos") == "Pos" and word.feats.get("NumType") is None
            return plain and len(tree.subtree(word.id)) == 1 and _kinds(word) != [] and _is_alone(tree, word)
        if any(one.upos in ("VERB", "AUX", "ADV", "PART") for one in tree.descendants(word.id)):
            return False
        if any(one.lemma.lower() in lexicon.MANY for one in tree.children(word.id)):
            return False  # how much of something is seldom anything to hold
        placing = lexicon.ANYWHERE | lexicon.MOTION | lexicon.POSTURES
        if word.relation == "obl" and tree[word.head].lemma not in placing:
            return False
        if len(tree.children(word.id, "case")) > 1 or not _is_alone(tree, word):
            return False
        if tree.child(word.id, "det", "nummod", "amod") is None and word.feats.get("Number") == "Sing":
            return False
        case = tree.child(word.id, "case")
        if word.relation == "obj":
            verb = tree[word.head].lemma
            return case is None and verb in lexicon.HANDLING and (verb, word.lemma) not in lexicon.FIXED_OBJECTS
        return case is not None and case.form.lower() not in ("of", "as", "than", "like", "'s")

    def takes(self, tree: Tree, word: Word, own: str, variant: str) -> bool:
        """Whether anything can take a dependent's place; no adjective goes with every noun."""
        if variant != "same head" and not _is_common(tree, word):
            return False
        return super().takes(tree, word, own, variant)

    def _fitting(self, tree: Tree, word: Word, variant: str) -> Callable[[Donor], bool]:
        """A test whether another dependent can stand here, beside those that stay."""
        fits = super()._fitting(tree, word, variant)
        beside = {preposition(tree, one) for one in tree.children(word.head, "obl", "nmod") if one.id != word.id}
        kind = _kind(word) if variant == "same relation" or preposition(tree, word) == "in" else None
        own = preposition(tree, word)
        kinds = _kinds(word) if word.relation == "amod" else None
        number = word.feats.get("Number")
        return lambda donor: (
            fits(donor)
            and donor.prepositions == own
            and (kinds is None or any(donor.top.lemma.lower() in alike for alike in kinds))
            and (kinds is not None or donor.top.feats.get("Number") == number)
            and (not donor.prepositions or donor.prepositions not in beside)
            and (
                kind is None
                or (_kind(donor.top) == kind and not any(one.relation == "compound" for one in donor.words))
            )
            and not any({word.lemma, donor.top.lemma} <= alike for alike in lexicon.ALIKE)
        )


def _is_alone(tree: Tree, word: Word) -> bool:
    """Whether nothing of the same kind stands beside a dependent that may belong to it: *a lovely little story*."""
    return sum(one.relation == word.relation for one in tree.children(word.head)) == 1 and (
        tree.child(word.id, "conj", "appos", "nmod:poss") is None
    )


def _is_whole(tree: Tree, word: Word) -> bool:
    """Whether a phrase begins with its preposition and ends before no noun that it may be a part of."""
    inside = tree.subtree(word.id)
    first, last = min(tree.places[one] for one in inside), max(tree.places[one] for one in inside)
    following = tree.words[last + 1] if last + 1 < len(tree.words) else None
    if word.relation == "amod":
        return following is not None and following.id == word.head and following.relation != "compound"
    if word.relation == "nmod" and first != tree.places[word.head] + 1:
        return False  # it may belong to what stands between
    case = tree.child(word.id, "case")
    whole = case is None or tree.places[case.id] == first
    return whole and (following is None or following.upos not in ("NOUN", "PROPN"))


def _kinds(word: Word) -> list[frozenset[str]]:
    """The kinds of adjectives to which one belongs."""
    return [alike for alike in lexicon.ADJECTIVE_KINDS if word.lemma.lower() in alike]


def _kind(word: Word) -> str | None:
    """What kind of thing a noun names, where phrases of one kind go with many heads."""
    if word.lemma in ("table", "desk"):
        return "table"  # at which one sits, wherever it is
    if word.relation == "obl" or word.lemma in lexicon.SCENES:
        return "scene" if word.lemma in lexicon.SCENES else None
    return "worn" if word.lemma in lexicon.WORN else None


def _is_common(tree: Tree, word: Word) -> bool:
    """Whether a phrase says where somebody is or moves, or what somebody wears, and so goes with many heads."""
    head = tree[word.head]
    if word.relation == "obl":
        return head.lemma in lexicon.ANYWHERE and _kind(word) is not None
    return word.relation == "nmod" and grammar.is_person(tree, head.id) and _kind(word) is not None


_MIXING = _English(ENGLISH)
apply = trusting(_MIXING.apply)
can_give = _MIXING.is_movable
