"""Exchanges a dependent for one of another sentence, of another theme."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from kostra.transforms.cs import lexicon
from kostra.transforms.cs.grammar import CZECH, form_in_case
from kostra.transforms.donors import Donor, preposition
from kostra.transforms.edits import part
from kostra.transforms.inflection import inflector
from kostra.transforms.shared.mixing_dependents import RELATION, VARIANTS, MixingDependents
from kostra.trees import Features, Tree, Word

__all__ = ["RELATION", "VARIANTS", "apply", "is_movable"]


class _Czech(MixingDependents):
    def is_movable(self, tree: Tree, word: Word) -> bool:
        """A whole phrase, as elsewhere, without adjectives of names and numbers written as figures."""
        if word.relation == "amod" and (
            (word.form[:1].isupper() and word.id != tree.words[0].id) or word.feats.get("Degree", "Pos") != "Pos"
        ):
            return False
        if word.relation == "amod" and not word.lemma.endswith(("ý", "í")):
            return False  # a noun, misread
        if word.relation == "amod" and word.feats.get("Voice") == "Act":
            return False  # its reflexive may stand elsewhere
        if word.feats.agrees(Case="Acc", Gender="Fem", Number="Sing") and word.form.endswith("a"):
            return False  # a nominative, misread
        if word.relation == "amod" and tree[word.head].lemma in lexicon.TIMES:
            return False
        if word.relation == "amod" and any(
            one.form[:1].isupper() for one in tree.children(word.head, "amod") if one.id != tree.words[0].id
        ):
            return False  # a part of a name
        if word.relation == "obj" and (tree[word.head].lemma, word.lemma) in CZECH.fixed_objects:
            return False
        counted = any(one.upos == "NUM" or one.lemma in CZECH.quantities for one in part(tree, tree.subtree(word.id)))
        if word.relation == "obj" and counted:
            return False
        if word.lemma in lexicon.TIMES or (word.relation == "amod" and len(tree.subtree(word.id)) > 1):
            return False
        if not _stands_alone(tree, word):
            return False
        head = tree[word.head] if word.head else word
        if head.upos == "NUM" or head.lemma in lexicon.LIGHT_HEADS or head.lemma == "jeden":
            return False
        if any(not one.form.isalpha() for one in part(tree, tree.subtree(word.id))):
            return False
        return super().is_movable(tree, word) and _is_what_it_says(word)

    def takes(self, tree: Tree, word: Word, own: str, variant: str) -> bool:
        """By relation alone only circumstances before their verb are exchanged: what is behind it may be needed."""
        if variant == "same relation" and (
            word.relation != "obl" or tree.places[word.id] > tree.places[word.head] or own not in lexicon.CIRCUMSTANCES
        ):
            return False
        if _points_back(tree, word) or _is_bound(tree, word):
            return False
        return super().takes(tree, word, own, variant)

    def _fitting(self, tree: Tree, word: Word, variant: str) -> Callable[[Donor], bool]:
        """As elsewhere, and of the same head only with the same preposition and case."""
        fits = super()._fitting(tree, word, variant)
        own, case = preposition(tree, word), word.feats.get("Case")
        return lambda donor: donor.prepositions == own and donor.agreement[0] == case and fits(donor)


def _points_back(tree: Tree, word: Word) -> bool:
    """Whether a pronoun behind a phrase may point to it: *pozval hosty a uvítal je*."""
    if word.relation == "amod":
        return False
    last = max(tree.places[one] for one in tree.subtree(word.id))
    return any(
        one.feats.get("Person") == "3" and one.feats.get("PronType") == "Prs" and one.feats.get("Reflex") != "Yes"
        for one in tree.words[last + 1 :]
        if one.upos in ("PRON", "DET")
    )


def _is_bound(tree: Tree, word: Word) -> bool:
    """Whether what stands around fits only this phrase: a negation, a phrase behind it, no other subject."""
    head = tree[word.head]
    last = max(tree.places[one] for one in tree.subtree(word.id))
    after = tree.words[last + 1] if last + 1 < len(tree.words) else None
    if word.relation == "amod":
        behind = [one for one in tree.children(head.id, "nmod") if tree.child(one.id, "case") is not None]
        return bool(behind) or len(tree.children(head.id, "amod")) > 1  # osobní spory se sousedy; starý dobrý přítel
    verb = head
    while verb.head and verb.upos not in ("VERB", "AUX"):
        verb = tree[verb.head]
    if CZECH.is_negated(tree, verb.id):
        return True  # nekoupil ovoce: nor did he buy apples
    if word.relation != "obj":
        return False
    if (after is not None and after.upos == "ADP") or len(tree.children(head.id, "obj")) > 1:
        return True  # najít cestu do lesa
    while verb.relation in ("xcomp", "conj") and verb.head and tree.child(verb.id, "nsubj") is None:
        verb = tree[verb.head]
    if tree.child(verb.id, "nsubj") is not None or verb.feats.get("Person", "3") != "3" or tree.child(verb.id, "aux"):
        return False
    return form_in_case(inflector("cs"), word, "Nom") == word.form.lower()  # rozhodnutí má přinést jednání


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


_RULE = _Czech(CZECH)
apply, is_movable = _RULE.apply, _RULE.is_movable
