"""Exchanges a dependent for one of another sentence, of another theme."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from zlib import crc32

from kostra.transforms.donors import Donor, Place, agreement_of, places_of, preposition
from kostra.transforms.edits import is_unbroken, part
from kostra.transforms.engine import Draft, Relation, Tools, key_of
from kostra.transforms.shared import looking
from kostra.transforms.shared.grammar import Grammar
from kostra.trees import Tree, Word

RELATION: Relation = "neutral"
VARIANTS: Mapping[str, str] = {
    "same head": "a dependent of the same lemma takes the place",
    "same relation": "a dependent in the same relation, case and with the same preposition takes the place",
}
EXCHANGED = ("obl", "nmod", "obj", "amod")
"""Relations whose dependents are exchanged, and offered to others."""
MOST = {"same head": 3, "same relation": 1}
"""Outputs for one place, by variant."""
LONGEST = 8
"""Words of the longest dependent that is exchanged."""
_STAY = frozenset({"PRON", "VERB", "PROPN", "CCONJ", "PUNCT"})
"""Kinds of words that point beyond their phrase, or open another."""


class MixingDependents:
    """Every dependent gives way to a few of other sentences."""

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar

    def apply(self, tree: Tree, tools: Tools) -> Iterator[Draft]:
        """Exchange every dependent for a few of other sentences."""
        if tools.donors is None:
            tools.why("there is no other sentence to take a dependent from", None)
            return
        exchanged = [word for word in tree.words if word.relation in EXCHANGED]
        if not exchanged:
            tools.why("there is no dependent that could be exchanged", None)
        here = {word.lemma for word in tree.words if word.upos in ("NOUN", "VERB", "ADJ")}
        text = key_of(tree)  # the same for every reading of a sentence, so that all take the same
        for word in exchanged:
            if not word.head:
                continue
            if not self.is_movable(tree, word):
                tools.why(f"{word.form} cannot be exchanged", word.id)
                continue
            made = list(self._exchanged(tree, word, here, crc32(f"{text} {word.id}".encode()), tools))
            yield from made
            if not made:
                tools.why(f"no other sentence has something for the place of {word.form}", word.id)

    def _exchanged(self, tree: Tree, word: Word, here: set[str], salt: int, tools: Tools) -> Iterator[Draft]:
        assert tools.donors is not None
        own = preposition(tree, word)
        for (variant, most), place in zip(MOST.items(), self.places(tree, word), strict=True):
            if not self.takes(tree, word, own, variant):
                continue
            left = most
            fits = self._fitting(tree, word, variant)
            for donor in tools.donors.for_place(place, but_theme=tools.theme, salt=salt):
                if not donor.lemmas.isdisjoint(here) or not fits(donor):
                    continue
                yield _mixed(tree, word, donor, variant)
                left -= 1
                if not left:
                    break

    def places(self, tree: Tree, word: Word) -> list[Place]:
        """Where else a dependent may stand, by variant."""
        return places_of(tree, word)

    def is_movable(self, tree: Tree, word: Word) -> bool:
        """Whether a dependent can leave its sentence: a whole phrase that points to nothing outside itself."""
        if word.relation not in EXCHANGED or word.upos != ("ADJ" if word.relation == "amod" else "NOUN"):
            return False
        if word.deprel == "obl:agent" or (
            word.relation == "obj" and word.feats.get("Case") != self.grammar.object_case
        ):
            return False
        inside = tree.subtree(word.id)
        if len(inside) > LONGEST or not is_unbroken(tree, inside):
            return False
        never = self.grammar.never_mixed
        for one in part(tree, inside):  # noqa: SIM110 - asked all the time, and a generator costs more
            if one.upos in _STAY or one.lemma in never:
                return False
        return True

    def takes(self, tree: Tree, word: Word, own: str, variant: str) -> bool:
        """Whether anything at all can take a dependent's place in this way."""
        match word.relation:
            case "amod":
                return tree.places[word.id] < tree.places[word.head]  # behind its noun it says of what kind it is
            case "obj":
                return variant == "same head"
        if variant == "same head":
            return bool(own) and (own != self.grammar.agent_preposition or tree[word.head].upos == "VERB")
        return looking.numeral(tree, word.id) is None

    def _fitting(self, tree: Tree, word: Word, variant: str) -> Callable[[Donor], bool]:
        """A test whether another dependent of the same relation can stand here, agreeing if it has to agree."""
        match word.relation:
            case "amod":
                wanted = agreement_of(word)
                return lambda donor: donor.agreement == wanted
            case "obj":
                case = word.feats.get("Case")
                return lambda donor: donor.agreement[0] == case
        if variant == "same relation":
            return lambda _: True
        never = ("",) if tree[word.head].upos == "VERB" else ("", self.grammar.agent_preposition)
        return lambda donor: donor.prepositions not in never


def _mixed(tree: Tree, word: Word, donor: Donor, variant: str) -> Draft:
    inside = tree.subtree(word.id)
    first = tree.fresh()
    ids = {one.id: number for number, one in enumerate(donor.words, first)}
    top = donor.top.id
    copies = []
    for old, form, lemma, upos, xpos, feats, head, deprel, _, misc in donor.words:
        at, said = (word.head, word.deprel) if old == top else (ids[head], deprel)
        copies.append(Word(ids[old], form, lemma, upos, xpos, feats, at, said, "_", misc))
    place = min([tree.places[one] for one in inside])
    after = [one for one in tree.words[place:] if one.id not in inside]
    doubts = ("sense",) * (1 if variant == "same head" else 2)
    doubts += ("far",) * (len(copies) > 4)
    # All that hung on the old dependent went with it, so that no word has lost its head.
    return Draft(tree.with_words([*tree.words[:place], *copies, *after]), variant, (word.id, ids[top]), doubts)
