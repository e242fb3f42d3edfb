"""Sentences from which the mixing rule takes dependents, found by what they hang on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from kostra.trees import Tree, Word, is_capital_by_place

Place = tuple[str, ...]
"""Where a dependent may stand; see `places_of`."""
LOOKED_AT = 40
"""Donors that are looked at for one place, however many there are."""


@dataclass(frozen=True, slots=True)
class Donor:
    """A dependent of some sentence that may stand in another."""

    words: tuple[Word, ...]
    """Without the capital that the first has only because it begins its sentence."""
    top: Word
    theme: str | None
    lemmas: frozenset[str]
    """Of its nouns, verbs and adjectives."""
    prepositions: str
    agreement: tuple[str | None, ...]
    """What an adjective shares with its noun (see `agreement_of`)."""
    doer: Word | None = None
    """The subject of its clause."""


def agreement_of(word: Word) -> tuple[str | None, ...]:
    """Case, number, gender and animacy, as far as a word has them."""
    get = word.feats.get
    return get("Case"), get("Number"), get("Gender"), get("Animacy")


class Donors:
    """Dependents of many sentences, by the lemma of their head, their relation, preposition and case.

    Parameters
    ----------
    sentences
        Trees, mended as the language mends them, all readings of each sentence, with its theme.
    can_give
        Whether a dependent can leave its sentence.
    places
        Where else a dependent may stand.
    """

    def __init__(
        self,
        sentences: Iterable[tuple[Sequence[Tree], str | None]] = (),
        *,
        can_give: Callable[[Tree, Word], bool],
        places: Callable[[Tree, Word], list[Place]] | None = None,
    ) -> None:
        self.can_give = can_give
        self.places = places or places_of
        self._by_place: dict[Place, list[Donor]] = {}
        self._seen: set[tuple[Place, str]] = set()
        for readings, theme in sentences:
            self.add(readings, theme)

    def add(self, readings: Sequence[Tree], theme: str | None) -> None:
        """Offer the dependents of one more sentence that stand in all its readings."""
        others = [{(place, text) for place, text, _ in self._given(tree, theme)} for tree in readings[1:]]
        for place, text, donor in self._given(readings[0], theme):
            if (place, text) not in self._seen and all((place, text) in other for other in others):
                self._seen.add((place, text))
                self._by_place.setdefault(place, []).append(donor)

    def _given(self, tree: Tree, theme: str | None) -> Iterator[tuple[Place, str, Donor]]:
        """What a tree can give: where it may stand, its words, and itself."""
        for word in tree.words:
            if word.head and self.can_give(tree, word):
                donor = _donor(tree, word, theme)
                text = " ".join([one.form for one in donor.words]).lower()
                for place in self.places(tree, word):
                    yield place, text, donor

    def for_place(self, place: Place, *, but_theme: str | None, salt: int) -> Iterator[Donor]:
        """Donors for a place, of other themes; `salt` turns the list, so that not all sentences take the same."""
        found = self._by_place.get(place)
        if found is None:
            return
        start = salt % len(found)
        looked_at = found[start : start + LOOKED_AT]
        looked_at += found[: min(start, LOOKED_AT - len(looked_at))]
        for donor in looked_at:
            if but_theme is None or donor.theme != but_theme:
                yield donor


def _donor(tree: Tree, word: Word, theme: str | None) -> Donor:
    inside = tree.subtree(word.id)
    words = tuple(one for one in tree.words if one.id in inside)
    lemmas = frozenset(one.lemma for one in words if one.upos in ("NOUN", "VERB", "ADJ"))
    first = words[0]
    if first.id == tree.words[0].id and is_capital_by_place(first):
        words = (first.but(form=first.form[0].lower() + first.form[1:]), *words[1:])
    return Donor(words, word, theme, lemmas, preposition(tree, word), agreement_of(word), doer_of(tree, word))


def doer_of(tree: Tree, word: Word) -> Word | None:
    """The subject of the nearest clause above a word that has one, or the noun of which a participle is said."""
    at = word
    while at.head:
        if at.relation in ("amod", "acl") and tree[at.head].upos == "NOUN":
            return tree[at.head]
        at = tree[at.head]
        found = tree.child(at.id, "nsubj")
        if found is not None:
            return found
    return None


def places_of(tree: Tree, word: Word) -> list[Place]:
    """Where a dependent may stand: under the same lemma, or in the same relation with the same case."""
    head = tree[word.head]
    case = word.feats.get("Case", "")
    return [
        ("lemma", head.lemma, word.relation),
        ("relation", head.upos, word.relation, case, preposition(tree, word)),
    ]


def preposition(tree: Tree, word: Word) -> str:
    """The prepositions of a dependent, as one string."""
    return " ".join([one.lemma for one in tree.children(word.id, "case")])
