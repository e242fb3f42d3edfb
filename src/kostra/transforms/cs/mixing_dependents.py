"""Exchanges a dependent for one of another sentence, of another theme and of the same kind."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from kostra.transforms.cs import lexicon
from kostra.transforms.cs.finishing import vocalised
from kostra.transforms.cs.grammar import CZECH, form_in_case
from kostra.transforms.inflection import inflector
from kostra.transforms.shared.frames import Frames
from kostra.transforms.shared.looking import is_participle
from kostra.transforms.shared.mixing_dependents import RELATION, VARIANTS
from kostra.transforms.shared.mixing_in_frames import MixingInFrames
from kostra.trees import Features, Tree, Word

__all__ = ["RELATION", "VARIANTS", "apply", "can_give", "places"]


_RELATIVES = frozenset({"který", "jenž", "kde", "kam", "odkud", "což", "jaký"})


class _Czech(MixingInFrames):
    def is_movable(self, tree: Tree, word: Word) -> bool:
        """A short phrase of a listed kind whose words are hardly misread."""
        if (word.form[:1].isupper() and word.id != tree.words[0].id) or _has_open_se(tree):
            return False
        return super().is_movable(tree, word) and _is_what_it_says(word) and not _is_misread(word)

    def is_whole(self, tree: Tree, word: Word) -> bool:
        """Whether neither what stands before a phrase nor what stands behind it may belong to it."""
        if word.relation == "amod":
            head = tree[word.head]
            return (
                len(tree.subtree(word.id)) == 1
                and len(tree.children(head.id, "amod")) == 1
                and tree.places[head.id] == tree.places[word.id] + 1
            )
        return _stands_alone(tree, word)

    def is_leant_on(self, tree: Tree, word: Word) -> bool:
        """Whether a pronoun means a dependent, a negation denies it, or something right behind may say more of it."""
        if word.relation == "amod":
            others = [one for one in tree.words if one.id != word.id and self.frames.is_of(one, "nationalities")]
            return self.frames.is_of(word, "nationalities", "branches") and (_is_named(tree) or bool(others))
        if self.frames.is_of(word, "weekdays", "months") and _is_dated(tree, word):
            return True
        return _points_back(tree, word) or _is_bound(tree, word) or self._goes_on(tree, word)

    def takes(self, tree: Tree, word: Word, own: str, variant: str) -> bool:
        """As elsewhere, but who rows holds nothing but what he rows with."""
        rows = self.frames.is_of(word, "paddles") and any(self.frames.is_of(one, "sailed") for one in tree.words)
        return not rows and super().takes(tree, word, own, variant)

    def _goes_on(self, tree: Tree, word: Word) -> bool:
        """Whether a phrase that is no place stands right behind an object: *nese koš s houbami*, *drží nůž u krku*."""
        last = max(tree.places[one] for one in tree.subtree(word.id))
        after = tree.words[last + 1] if last + 1 < len(tree.words) else None
        if after is None or after.upos in ("PUNCT", "CCONJ"):
            return False
        if is_participle(after) and all(after.feats.get(name) == word.feats.get(name) for name in ("Case", "Gender")):
            return True  # v sukni natažené přes kalhoty
        if after.upos != "ADP":
            return word.relation == "obj" and after.upos in ("ADJ", "ADV", "NOUN")
        noun = tree[after.head] if after.relation == "case" and after.head else after
        return word.relation == "obj" and not self.frames.is_of(noun, "scenes")


def _points_back(tree: Tree, word: Word) -> bool:
    """Whether a pronoun behind a phrase may point to it: *pozval hosty a uvítal je*, *u plotu, za kterým…*."""
    last = max(tree.places[one] for one in tree.subtree(word.id))
    if any(one.lemma in _RELATIVES for one in tree.words[last + 2 : last + 4]) and tree.words[last + 1].form == ",":
        return True
    return any(
        one.feats.get("Person") == "3" and one.feats.get("PronType") == "Prs" and one.feats.get("Reflex") != "Yes"
        for one in tree.words[last + 1 :]
        if one.upos in ("PRON", "DET")
    )


def _is_bound(tree: Tree, word: Word) -> bool:
    """Whether what stands around fits only this phrase: a negation, a second object, no other subject."""
    head = verb = tree[word.head]
    while verb.head and verb.upos not in ("VERB", "AUX"):
        verb = tree[verb.head]
    if CZECH.is_negated(tree, verb.id):
        return True  # nekoupil ovoce: nor did he buy apples
    if word.relation != "obj":
        return False
    if any(one.form.lower() == "se" for one in tree.children(head.id, "expl")):
        return True  # přidržuje se zábradlí: with se a verb governs otherwise
    if len(tree.children(head.id, "obj")) > 1:
        return True
    while verb.relation in ("xcomp", "conj") and verb.head and tree.child(verb.id, "nsubj") is None:
        verb = tree[verb.head]
    if tree.child(verb.id, "nsubj") is not None or verb.feats.get("Person", "3") != "3" or tree.child(verb.id, "aux"):
        return False
    return form_in_case(inflector("cs"), word, "Nom") == word.form.lower()  # rozhodnutí má přinést jednání


def _has_open_se(tree: Tree) -> bool:
    """Whether a reflexive may be a preposition, and would be moved as a clitic: *jde se psem*, *leží se štěnětem*."""
    return any(
        one.form.lower() == "se"
        and one.upos == "PRON"
        and after.upos in ("NOUN", "ADJ")
        and (after.feats.get("Case") == "Ins" or vocalised("s", after.form.lower()) == "se")
        for one, after in pairwise(tree.words)
    )


def _is_dated(tree: Tree, word: Word) -> bool:
    """Whether a sentence says more precisely when: *v sobotu 3. dubna*."""
    return any(one.id != word.id and (one.upos == "NUM" or one.lemma in lexicon.TIMES) for one in tree.words)


def _is_named(tree: Tree) -> bool:
    """Whether a name, or a word written as one, stands in a sentence: whose nation is known."""
    return any(one.upos == "PROPN" or (place and one.form[:1].isupper()) for place, one in enumerate(tree.words))


def _is_misread(word: Word) -> bool:
    """Whether an adjective is none in form, or a nominative is read as an accusative."""
    if word.relation == "amod":
        plain = word.feats.get("Degree", "Pos") == "Pos" and word.feats.get("Polarity", "Pos") == "Pos"
        return not word.lemma.endswith(("ý", "í")) or not plain
    return word.feats.agrees(Case="Acc", Gender="Fem", Number="Sing") and word.form.endswith("a")


def _stands_alone(tree: Tree, word: Word) -> bool:
    """Whether neither an adverb before a phrase nor a genitive behind it may belong to it: *krátce po činu*."""
    places = [tree.places[one] for one in tree.subtree(word.id)]
    before = tree.words[min(places) - 1] if min(places) else None
    after = tree.words[max(places) + 1] if max(places) + 1 < len(tree.words) else None
    leans = word.relation in ("obl", "nmod") and before is not None and before.upos in ("ADV", "PART")
    genitive = after is not None and after.feats.get("Case") == "Gen" and after.upos in ("NOUN", "PROPN", "ADJ", "DET")
    return not leans and not (genitive and word.relation != "amod")


@lru_cache(maxsize=100_000)
def _gives(lemma: str, upos: str, feats: Features) -> str | None:
    return inflector("cs").inflect(lemma, upos, feats)


def _is_what_it_says(word: Word) -> bool:
    """Whether a word is not plainly misread: a nominative in form whose features say another case."""
    kept = ("Case", "Number", "Gender", "Animacy", "Degree", "Polarity", "VerbForm", "Voice", "Aspect")
    feats = Features({name: word.feats[name] for name in kept if name in word.feats})
    made = _gives(word.lemma, word.upos, feats)
    if made is None or made.lower() == word.form.lower():
        return True
    nominative = _gives(word.lemma, word.upos, feats.but(Case="Nom"))
    return nominative is None or nominative.lower() != word.form.lower()


_RULE = _Czech(CZECH, Frames(__file__))
apply, can_give, places = _RULE.apply, _RULE.can_give, _RULE.places
