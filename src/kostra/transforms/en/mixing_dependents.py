"""Exchanges a dependent for one of another sentence, of another theme."""

from __future__ import annotations

from collections.abc import Callable

from kostra.transforms.donors import Donor, preposition
from kostra.transforms.en import lexicon
from kostra.transforms.en.grammar import ENGLISH, is_in_compound
from kostra.transforms.shared.mixing_dependents import EXCHANGED, RELATION, VARIANTS, MixingDependents
from kostra.trees import Tree, Word

__all__ = ["RELATION", "VARIANTS", "apply", "can_give"]


_VERBS = lexicon.LASTING | lexicon.POSTURES


class _English(MixingDependents):
    def is_movable(self, tree: Tree, word: Word) -> bool:
        """Whether a dependent can leave its sentence: a phrase with its preposition, an object, an adjective."""
        if word.deprel not in EXCHANGED or word.form[:1].isupper() or not super().is_movable(tree, word):
            return False
        behind = [one for one in tree.children(word.id, "amod", "det") if tree.places[one.id] > tree.places[word.id]]
        if is_in_compound(tree, word.id) or behind or tree.child(word.id, "acl") is not None:
            return False
        several = word.feats.get("Number") == "Plur"
        if several and (word.lemma in _VERBS or any(one.form in ("a", "an") for one in tree.children(word.id, "det"))):
            return False  # a verb that the parser took for a noun
        if word.relation == "amod":
            return word.feats.get("Degree", "Pos") == "Pos" and len(tree.subtree(word.id)) == 1
        if tree.child(word.id, "det", "nummod", "amod") is None and word.feats.get("Number") == "Sing":
            return False
        case = tree.child(word.id, "case")
        if word.relation == "obj":
            return case is None
        return case is not None and case.form.lower() not in ("of", "as", "than", "like", "'s")

    def takes(self, tree: Tree, word: Word, own: str, variant: str) -> bool:
        """Whether anything can take a dependent's place; no adjective goes with every noun."""
        if word.relation == "amod" and variant != "same head":
            return False
        return super().takes(tree, word, own, variant)

    def _fitting(self, tree: Tree, word: Word, variant: str) -> Callable[[Donor], bool]:
        """A test whether another dependent can stand here, beside those that stay."""
        fits = super()._fitting(tree, word, variant)
        beside = {preposition(tree, one) for one in tree.children(word.head, "obl", "nmod") if one.id != word.id}
        return lambda donor: fits(donor) and (not donor.prepositions or donor.prepositions not in beside)


_MIXING = _English(ENGLISH)
apply = _MIXING.apply
can_give = _MIXING.is_movable
