"""Exchanges a dependent only for another of its kind, where a language lists kinds and the places they go in."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from kostra.transforms.donors import Donor, Place, agreement_of, doer_of, preposition
from kostra.transforms.edits import part
from kostra.transforms.shared import looking
from kostra.transforms.shared.frames import ANY, Frames
from kostra.transforms.shared.grammar import Grammar
from kostra.transforms.shared.mixing_dependents import MixingDependents
from kostra.trees import Tree, Word

LONGEST = 5
"""Words of the longest phrase that is exchanged, its preposition and article among them."""
_PLAIN = frozenset({"case", "det", "amod", "compound"})
"""Relations of the words in a phrase without further phrases."""


class MixingInFrames(MixingDependents, ABC):
    """Every dependent of a listed kind, in a place that takes this kind, gives way to another of the kind."""

    def __init__(self, grammar: Grammar, frames: Frames) -> None:
        super().__init__(grammar)
        self.frames = frames

    def places(self, tree: Tree, word: Word) -> list[Place]:
        """Where a dependent may stand: in its frame under the same lemma, or under another."""
        frame = self.frames.frame_of(tree, word)
        if frame is None:
            return []
        where = (frame.name, word.feats.get("Case", ""), preposition(tree, word).lower())
        return [("frame", *where, tree[word.head].lemma), ("frame", *where)]

    def is_movable(self, tree: Tree, word: Word) -> bool:
        """A short phrase of a listed kind, with nothing beside it that belongs to it or fits it alone."""
        frame = self.frames.frame_of(tree, word) if word.head else None
        if frame is None or not super().is_movable(tree, word):
            return False
        inside = part(tree, tree.subtree(word.id))
        if len(inside) > LONGEST or any(one.relation not in _PLAIN for one in inside if one.id != word.id):
            return False
        if any(not one.form.replace("-", "").isalpha() for one in inside):
            return False
        if frame.somebody and word.relation in ("obj", "obl") and not self._is_somebody(tree, doer_of(tree, word)):
            return False
        if ANY in frame.heads and self._is_of_another(tree, word, inside[0]):
            return False
        return self.is_whole(tree, word) and not self.is_leant_on(tree, word)

    def _is_of_another(self, tree: Tree, word: Word, first: Word) -> bool:
        """Whether a phrase stands behind a noun that is not who does something: *talks to a man in a coat*."""
        before, doer = tree.words[tree.places[first.id] - 1] if tree.places[first.id] else None, doer_of(tree, word)
        if doer is not None and doer.deprel == "nsubj:pass":
            return True
        return before is not None and before.upos in ("NOUN", "PROPN") and before != doer

    def can_give(self, tree: Tree, word: Word) -> bool:
        """Whether a dependent can stand elsewhere: it is not odd there, and brings at most a plain adjective."""
        if self.frames.is_of(word, "not_given") or not self.is_movable(tree, word):
            return False
        said = [one for one in tree.descendants(word.id) if one.relation == "amod"]
        return len(said) < 2 and all(
            self.frames.is_of(one, "plain", "colours", "patterns", "materials") for one in said
        )

    def _is_somebody(self, tree: Tree, doer: Word | None) -> bool:
        """Whether a person or an animal does something; where nobody is named it may be anybody."""
        if doer is None or doer.upos in ("PRON", "PROPN", "DET", "NUM"):
            return True
        return self.frames.is_of(doer, "people", "animals") or self.grammar.is_animate(tree, doer.id)

    @abstractmethod
    def is_whole(self, tree: Tree, word: Word) -> bool:
        """Whether nothing around a phrase looks like a part of it."""

    @abstractmethod
    def is_leant_on(self, tree: Tree, word: Word) -> bool:
        """Whether something that stays needs this dependent: a pronoun that means it, a state that it is left in."""

    def takes(self, tree: Tree, word: Word, own: str, variant: str) -> bool:  # noqa: ARG002 - as elsewhere
        """Whether anything at all can take a dependent's place: not where a second place is named."""
        frame = self.frames.frame_of(tree, word)
        return frame is not None and not (frame.place and self._is_placed(tree, word))

    def _is_placed(self, tree: Tree, word: Word) -> bool:
        """Whether a sentence names another place, or does what is done in few places."""
        inside = tree.subtree(word.id)
        if any(one.id not in inside and self.frames.is_of(one, "scenes") for one in tree.words):
            return True
        head = tree[word.head]
        for one in tree.children(head.id, "obl"):
            placed = preposition(tree, one).lower() in self.grammar.places
            if one.id != word.id and placed and not self.frames.is_of(one, "people"):
                return True
        done = tree.child(head.id, "obj")
        return done is not None and done.id != word.id and not self.frames.is_of(head, "anywhere_done")

    def _fitting(self, tree: Tree, word: Word, variant: str) -> Callable[[Donor], bool]:  # noqa: ARG002 - as elsewhere
        """A test whether another of the kind can stand here."""
        frame = self.frames.frame_of(tree, word)
        assert frame is not None
        alike = self.frames.alike
        said = frozenset().union(*(alike.get(one.lemma.lower(), {one.lemma.lower()}) for one in tree.words))
        doer = self._person(tree, word)
        wanted = agreement_of(word) if word.relation == "amod" else None

        def fits(donor: Donor) -> bool:
            top = donor.top.lemma.lower()
            if top in said or (wanted is not None and donor.agreement != wanted):
                return False
            if any(one.lemma.lower() in said for one in donor.words if one.upos in ("NOUN", "ADJ")):
                return False
            if top in self.frames.only_of and (doer is None or doer.lemma.lower() not in self.frames.only_of[top]):
                return False
            return wanted is not None or (
                self._alike_doers(doer, donor.doer) and (not frame.number or self._fits_number(tree, word, doer, donor))
            )

        return fits

    def _person(self, tree: Tree, word: Word) -> Word | None:
        """Of whom a dependent is said: the noun on which it hangs, or who does what its verb says."""
        return tree[word.head] if word.relation in ("nmod", "amod") else doer_of(tree, word)

    def _alike_doers(self, one: Word | None, other: Word | None) -> bool:
        """Whether both are animals or neither: what a dog carries is in its mouth."""
        animals = [doer is not None and self.frames.is_of(doer, "animals") for doer in (one, other)]
        return animals[0] == animals[1]

    def _fits_number(self, tree: Tree, word: Word, doer: Word | None, donor: Donor) -> bool:
        """Whether one or several stand for one or several; trousers go for both, and no two sit on one chair."""
        pairs = self.frames.kinds["pairs"]
        if donor.top.lemma.lower() in pairs:
            return True
        several = donor.top.feats.get("Number") == "Plur"
        crowd = doer is not None and self._are_several(tree, doer, joined=word.relation != "nmod")
        if crowd and not several and self.frames.is_of(donor.top, "for_one", "clothes", "headwear", "accessories"):
            return False
        if word.lemma.lower() in pairs:
            return several == crowd
        return several == (word.feats.get("Number") == "Plur")

    def _are_several(self, tree: Tree, doer: Word, *, joined: bool) -> bool:
        """Whether a noun names several: a plural, a group, a number of them, or two nouns joined."""
        if doer.feats.get("Number") == "Plur" or self.frames.is_of(doer, "several"):
            return True
        return looking.numeral(tree, doer.id) is not None or (joined and tree.child(doer.id, "conj") is not None)
