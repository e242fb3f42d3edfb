"""Exchanges a dependent for one of another sentence, of another theme.

Grammar alone lets smoke be mountainous and people climb water, so Polish asks more: of the same head the same
preposition and case, or one place for another; without the same head only clothes for clothes, and one neighbour for
another.
"""

from __future__ import annotations

from collections.abc import Callable

from kostra.transforms.donors import Donor, doer_of, preposition
from kostra.transforms.edits import part
from kostra.transforms.pl import lexicon
from kostra.transforms.pl.grammar import POLISH
from kostra.transforms.shared import looking
from kostra.transforms.shared.mixing_dependents import RELATION, VARIANTS, MixingDependents
from kostra.trees import Tree, Word

__all__ = ["RELATION", "VARIANTS", "apply", "is_movable"]

_NEAR = frozenset({"koło", "naprzeciwko", "niedaleko", "nieopodal", "obok"})
"""Prepositions whose phrase goes with every verb."""
_OF_NOUNS = frozenset({"dla", "do", "o", "od", "z", "ze"})
"""Prepositions whose phrase may belong to the noun before it, whatever a tree says."""
_STATIC = frozenset({"Gen", "Ins", "Loc"})
"""Cases of places where something is; the accusative says where it goes."""
_HALF = lexicon.PREPOSITIONAL | lexicon.NEEDS_GENITIVE | lexicon.QUANTITIES
"""Nouns that are half a phrase."""


_KINDS: tuple[frozenset[str], ...] = (
    lexicon.CLOTHES,
    lexicon.BODY,
    lexicon.VEHICLES,
    lexicon.INSTRUMENTS,
    lexicon.WATERS,
    lexicon.SNOWS,
    lexicon.SETTINGS,
)
"""Things of which one stands for another of its kind only."""
_ANIMACIES = {"Masc1": "Hum", "Masc2": "Nhum", "Masc3": "Inan"}
_AFLOAT = frozenset({"nurkować", "pływać", "płynąć", "surfować", "wiosłować", "żeglować"})


class _Polish(MixingDependents):
    def is_movable(self, tree: Tree, word: Word) -> bool:
        """A whole phrase, as elsewhere, that is no half of an expression and behind which nothing of it is left."""
        if not super().is_movable(tree, word):
            return False
        if word.relation == "amod":
            plain = (
                word.feats.get("Degree", "Pos") == "Pos"
                and not word.lemma.endswith("ący")
                and not looking.is_participle(word, "Act")
            )
            alone = len(tree.children(word.head, "amod")) == 1  # a formal bathing suit is none
            return plain and alone and len(tree.subtree(word.id)) == 1
        words = part(tree, tree.subtree(word.id))
        if word.lemma in _HALF or _goes_on(tree, words[-1]) or _is_mixed_up(tree, word, words):
            return False
        if word.relation == "obj":
            verb = tree[word.head]
            return word.lemma not in lexicon.BODY and verb.lemma not in lexicon.LIGHT_VERBS
        if looking.no_preposition(tree, word):
            return False
        if word.relation == "nmod":
            return True
        before = tree.words[tree.places[words[0].id] - 1] if tree.places[words[0].id] else word
        unsure = words[0].form in _OF_NOUNS and before.upos == "NOUN"
        nested = sum(one.upos == "ADP" for one in words) > 1
        return not unsure and not nested and not any(one.lemma in lexicon.BODY for one in words)

    def takes(self, tree: Tree, word: Word, own: str, variant: str) -> bool:
        """Whether anything at all can take a dependent's place in this way."""
        if _is_bound(tree, word, own):
            return False
        if variant == "same relation":
            dressed = word.relation == "nmod" and own == "w" and word.lemma in lexicon.CLOTHES
            return (dressed or (word.relation == "obl" and own in _NEAR)) and super().takes(tree, word, own, variant)
        head = tree[word.head]
        if word.relation == "obj" and (
            (head.lemma, word.lemma) in lexicon.FIXED_OBJECTS
            or any(one.lemma in lexicon.SETTINGS for one in tree.words)
        ):
            return False
        if word.relation == "nmod" and word.lemma in lexicon.BODY:
            return own == "o" and POLISH.is_animate(tree, head.id) and super().takes(tree, word, own, variant)
        return super().takes(tree, word, own, variant)

    def _fitting(self, tree: Tree, word: Word, variant: str) -> Callable[[Donor], bool]:
        """A test whether another dependent of the same relation can stand here, and makes sense here."""
        fits = super()._fitting(tree, word, variant)
        if word.relation == "amod":
            if tree.child(word.head, "nmod") is None:
                return fits
            return lambda donor: donor.top.lemma in lexicon.COLOUR_ADJECTIVES and fits(donor)
        doer = _kind_of(doer_of(tree, word))
        case, number = word.feats.get("Case"), word.feats.get("Number")
        if word.relation == "obj":
            return lambda donor: donor.agreement[1] == number and _kind_of(donor.doer) == doer and fits(donor)
        own, head = preposition(tree, word), tree[word.head]
        others = [one for one in tree.children(head.id, "obl") if one.id != word.id]
        taken = {preposition(tree, one) for one in others if not _is_beside(tree, one)}
        stays = head.lemma in lexicon.STAYING and own in lexicon.PLACES and case in _STATIC
        free = stays and taken.isdisjoint(lexicon.PLACES - _NEAR)
        kinds = _KINDS if word.relation == "obl" else _KINDS[:2]
        if stays:  # one sits on a camel as at a table
            kinds = tuple(kind for kind in kinds if kind is not lexicon.VEHICLES)

        def suits(donor: Donor) -> bool:
            if donor.agreement[1] not in (number, "Sing" if stays else number) or (
                word.relation == "obl" and _kind_of(donor.doer) != doer
            ):
                return False
            if any((word.lemma in kind) != (donor.top.lemma in kind) for kind in kinds) or not fits(donor):
                return False
            if own in _NEAR and any(one.upos == "NUM" for one in donor.words):
                return False
            if donor.prepositions == own and donor.agreement[0] == case:
                return own not in taken
            place = donor.prepositions in lexicon.PLACES and donor.agreement[0] in _STATIC
            return free and place and donor.prepositions not in taken

        return suits


def _kind_of(doer: Word | None) -> str:
    """Whether a person, an animal or a thing does something: what one sits on another would not."""
    if doer is None:
        return "nobody"
    animacy = doer.feats.get("Animacy") or _ANIMACIES.get(doer.feats.get("SubGender", ""))
    if animacy == "Nhum" or doer.lemma in lexicon.ANIMALS:
        return "animal"
    person = animacy == "Hum" or doer.lemma in lexicon.ANIMATE or doer.lemma.endswith(lexicon.ANIMATE_ENDINGS)
    return "person" if person else "thing"


def _is_bound(tree: Tree, word: Word, own: str) -> bool:
    """Whether what else is said decides what can stand here: a second place, several heads in one hat, a purpose."""
    head = tree[word.head]
    match word.relation:
        case "amod":
            return tree.child(head.id, "nmod") is not None and word.lemma not in lexicon.COLOUR_ADJECTIVES
        case "obj":
            return any(preposition(tree, one) == "do" for one in tree.children(word.id, "nmod"))
        case "nmod":
            worn = word.lemma in lexicon.CLOTHES | lexicon.BODY
            several = head.feats.get("Number") == "Plur" and word.feats.get("Number") == "Sing"
            return (worn and several) or (own in lexicon.PLACES and not worn)
        case "obl":
            others = [one for one in tree.children(head.id, "obl", "iobj") if one.id != word.id]
            others = [one for one in others if one.lemma not in lexicon.BODY and not _is_beside(tree, one)]
            placed = any(preposition(tree, one) in (*lexicon.PLACES, "") for one in others)
            return head.lemma in _AFLOAT or looking.is_converb(head) or (placed and own in lexicon.PLACES)
    return False


def _is_beside(tree: Tree, word: Word) -> bool:
    """Whether a phrase says beside what something is, in two words: *w pobliżu domu*."""
    fixed = any(tree.child(one.id, "fixed") is not None for one in tree.children(word.id, "case"))
    return fixed or word.lemma in lexicon.PREPOSITIONAL


def _goes_on(tree: Tree, last: Word) -> bool:
    """Whether what follows a phrase may belong to it, whatever the tree says: a bare genitive, a companion."""
    place = tree.places[last.id] + 1
    if place >= len(tree.words):
        return False
    following = tree.words[place]
    bare = following.upos in ("NOUN", "PROPN", "ADJ", "DET", "NUM") and following.feats.get("Case") == "Gen"
    clause = following.form == "," and any(one.lemma == "który" for one in tree.words[place + 1 : place + 3])
    noun = tree[following.head] if following.relation == "case" and following.head else following
    aimed = noun is not following and (noun.feats.get("Case") == "Acc" or noun.lemma in lexicon.BODY)
    return bare or clause or aimed or following.form in _OF_NOUNS


def _is_mixed_up(tree: Tree, top: Word, words: list[Word]) -> bool:
    """Whether a phrase says where something goes, or holds a noun that can hardly be its own."""
    if top.lemma in lexicon.DIRECTIONS and preposition(tree, top) in ("do", "w", "na", "ku"):
        return True
    return any(
        one.upos == "NOUN"
        and one.id != top.id
        and (one.feats.get("Case") in ("Nom", "Acc", "Ins") or looking.governor(tree, one.id) is not None)
        and looking.no_preposition(tree, one)
        for one in words
    )


_RULE = _Polish(POLISH)
apply, is_movable = _RULE.apply, _RULE.is_movable
