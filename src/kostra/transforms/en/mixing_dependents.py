"""Exchanges a dependent for one of another sentence, of another theme and of the same kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kostra.transforms.donors import Donor, preposition
from kostra.transforms.edits import is_comma
from kostra.transforms.en import lexicon
from kostra.transforms.en.doubting import trusting
from kostra.transforms.en.grammar import ENGLISH, is_in_compound
from kostra.transforms.engine import Draft, Tools
from kostra.transforms.shared.frames import Frames
from kostra.transforms.shared.mixing_dependents import EXCHANGED, RELATION, VARIANTS
from kostra.transforms.shared.mixing_in_frames import MixingInFrames
from kostra.trees import Tree, Word

__all__ = ["RELATION", "VARIANTS", "apply", "can_give", "places"]

_MEANS_IT = frozenset({"it", "its", "itself", "one", "ones", "them", "they", "their", "themselves", "which", "both"})
"""Words that may mean what was exchanged."""
_GOES_ON = frozenset({"ADP", "ADV", "ADJ", "NOUN", "PROPN", "NUM", "PART", "PRON", "X", "SYM"})
"""Kinds of words that, right behind an object, may say more of it."""
_STAYING = frozenset({"in", "on", "at", "near", "by", "beside", "behind", "under", "outside", "inside"})
"""Prepositions of where all this is; a bridge, but no snowman, goes *across* a river."""


_ASKING = frozenset({"how", "what", "why", "whether", "when"})


_OUTFITS = frozenset({"suit", "uniform", "outfit", "costume", "dress", "gown", "overalls", "tracksuit", "tuxedo",
                      "kimono", "swimsuit", "wetsuit", "bikini", "robe"})  # fmt: skip
"""What covers somebody from top to toe, or needs nothing else."""
_ON_BODY = _OUTFITS | {"jacket", "coat", "shirt", "t-shirt", "sweater", "sweatshirt", "jumper", "hoodie", "blouse",
                       "top", "vest", "skirt", "shorts", "trousers", "jeans", "pants", "blazer"}  # fmt: skip
"""What covers a part of somebody that a whole outfit covers too."""


class _English(MixingInFrames):
    def apply(self, tree: Tree, tools: Tools) -> Iterator[Draft]:
        """Exchange what stands in a sentence, or in a caption that is a noun and what belongs to it."""
        nominal = not ENGLISH.is_predicate(tree, tree.root)
        asks = next((one for one in tree.words if one.form.lower() in _ASKING), None)
        if nominal and asks is not None:
            tools.why(f"{asks.form} stands in no sentence", asks.id)  # a letter of how charming
            return
        yield from super().apply(tree, tools)

    def _fitting(self, tree: Tree, word: Word, variant: str) -> Callable[[Donor], bool]:
        """What is told by *the* gives way to nothing with another article: *stop reading the book*."""
        fits = super()._fitting(tree, word, variant)
        known = any(one.form.lower() == "the" for one in tree.children(word.id, "det"))
        beside = _joined_with(tree, word)
        return lambda donor: fits(donor) and not (known and _is_new(donor)) and not _clashes(donor, beside)

    def is_movable(self, tree: Tree, word: Word) -> bool:
        """Whether a dependent can leave its sentence, in English: it agrees with its article, and is no name."""
        named = word.relation == "amod" and word.lemma.lower() in self.frames.kinds["nationalities"]
        if word.deprel not in EXCHANGED or (word.form[:1].isupper() and not named):
            return False
        return super().is_movable(tree, word) and not is_in_compound(tree, word.id)

    def is_whole(self, tree: Tree, word: Word) -> bool:
        """Whether a phrase begins with its preposition and ends before nothing that it may be a part of."""
        inside = tree.subtree(word.id)
        places = [tree.places[one] for one in inside]
        following = tree.words[max(places) + 1] if max(places) + 1 < len(tree.words) else None
        if word.relation == "amod":
            alone = len(inside) == 1 and len(tree.children(word.head, "amod")) == 1
            plain = word.feats.get("Degree", "Pos") == "Pos" and tree.places[word.head] == max(places) + 1
            return alone and plain and not is_in_compound(tree, word.head)
        if max(places) != tree.places[word.id] or (following is not None and following.upos in ("NOUN", "PROPN")):
            return False
        if word.relation == "nmod" and min(places) != tree.places[word.head] + 1:
            return False  # it may belong to what stands between
        case = tree.child(word.id, "case")
        if case is not None and tree.places[case.id] != min(places):
            return False
        own = preposition(tree, word)
        same = [one for one in tree.children(word.head, word.relation) if preposition(tree, one) == own]
        return len(same) == 1 and not _is_misread(tree, word)

    def can_give(self, tree: Tree, word: Word) -> bool:
        """Whether a dependent can leave its sentence, with the article that it needs: not *in yellow helmet*."""
        if not super().can_give(tree, word):
            return False
        frame = self.frames.frame_of(tree, word)
        if frame is not None and frame.place and tree.child(word.id, "compound") is not None:
            return False  # nobody plays in the stock market
        needs = word.relation != "amod" and word.feats.get("Number") != "Plur" and not (frame and frame.bare)
        return not needs or tree.child(word.id, "det") is not None or word.lemma.lower() in self.frames.kinds["masses"]

    def is_leant_on(self, tree: Tree, word: Word) -> bool:
        """Whether something behind a dependent needs it: *holds the gate open*, *a fork to his mouth*, *eats it*."""
        last = max(tree.places[one] for one in tree.subtree(word.id))
        after = tree.words[last + 1 :]
        if word.relation == "amod":  # of which nation somebody is whose name is said is no open question
            named = any(one.upos == "PROPN" for one in tree.words)
            return named and word.lemma.lower() in self.frames.kinds["nationalities"]
        if any(one.form.lower() in _MEANS_IT for one in after):
            return True
        if not after or word.relation != "obj":
            return bool(after) and after[0].form.lower() in ("of", "that", "with", "for", "like")
        return after[0].upos in _GOES_ON and not self._is_scene(tree, after[0])

    def _is_scene(self, tree: Tree, first: Word) -> bool:
        """Whether a preposition opens a phrase that says where all this is: *in a park*, *on the beach*."""
        noun = tree[first.head] if first.relation == "case" and first.head else None
        while_ = first.form.lower() in ("while", "as", "together", "outside", "outdoors", "inside", "during", "at")
        return while_ or (noun is not None and first.form.lower() in _STAYING and self.frames.is_of(noun, "scenes"))


def _is_new(donor: Donor) -> bool:
    """Whether a phrase has an article or the like, and it is not *the*."""
    return any(one.relation == "det" and one.head == donor.top.id and one.form.lower() != "the" for one in donor.words)


def _joined_with(tree: Tree, word: Word) -> frozenset[str]:
    """The nouns right before and behind that a comma or *and* joins with a phrase, whatever the parser hung them on."""
    places = [tree.places[one] for one in tree.subtree(word.id)]
    before, after = tree.words[: min(places)][::-1], tree.words[max(places) + 1 :]
    joined = [side for side in (before, after) if side and (is_comma(side[0]) or side[0].upos == "CCONJ")]
    nouns = [next((one for one in side if one.upos == "NOUN"), word) for side in joined]
    return frozenset(one.lemma.lower() for one in nouns)


def _clashes(donor: Donor, beside: frozenset[str]) -> bool:
    """Whether a suit or the like would be worn with a second thing that covers the same: *in a jacket and a suit*."""
    top = donor.top.lemma.lower()
    return (top in _OUTFITS and bool(beside & _ON_BODY)) or (top in _ON_BODY and bool(beside & _OUTFITS))


def _is_misread(tree: Tree, word: Word) -> bool:
    """Whether *a* stands with a vowel or a plural, or a word that says how many or which, and seldom fits elsewhere."""
    articles = [one for one in tree.children(word.id, "det") if one.form.lower() == "a"]
    if any(tree.words[tree.places[one.id] + 1].form[:1].lower() in "aeio" for one in articles):
        return True  # written carelessly
    forms = {one.form.lower() for one in tree.children(word.id, "det")}
    if word.feats.get("Number") == "Plur" and forms & {"a", "an", "each", "every", "this", "that"}:
        return True
    return any(one.lemma.lower() in lexicon.MANY or one.lemma.lower() == "no" for one in tree.children(word.id))


_MIXING = _English(ENGLISH, Frames(__file__))
apply = trusting(_MIXING.apply)
can_give, places = _MIXING.can_give, _MIXING.places
