"""Removes one of the coordinated parts of an adjunct, or of a compound with a hyphen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kostra.transforms.edits import cut
from kostra.transforms.engine import Draft, Tools
from kostra.transforms.pl import lexicon
from kostra.transforms.pl.grammar import POLISH, is_denied
from kostra.transforms.shared import removing_conjunct as shared
from kostra.trees import Tree, Word

RELATION = shared.RELATION
VARIANTS: Mapping[str, str] = {**shared.VARIANTS, "compound": "of a compound with a hyphen one part goes"}


class _Polish(shared.RemovingConjunct):
    def are_alike(self, tree: Tree, first: Word, conjunct: Word) -> bool:
        """*Dwie siostry, starsza i młodsza*: each of two says something of one only."""
        noun = tree[first.head] if first.head else first
        several = noun.feats.get("Number") == "Plur" and first.feats.get("Number") == "Sing"
        coloured = first.lemma in lexicon.COLOUR_ADJECTIVES and conjunct.lemma in lexicon.COLOUR_ADJECTIVES
        if first.upos == "ADJ" and (several or coloured):
            return False
        if any(one.lemma in POLISH.relatives for one in tree.children(conjunct.id)):
            return False  # a clause whose verb the parser took for a noun
        kept = first.lemma in lexicon.ANY_CLOTHES and tree.child(first.id, "amod", "nmod", "acl") is None
        return not kept and super().are_alike(tree, first, conjunct)

    def why_kept(self, tree: Tree, first: Word, conjuncts: tuple[Word, ...]) -> str | None:
        """What is not denied, and what does not tell one from another: *a small dark dog and two small ones*."""
        if is_denied(tree, first):
            return f"without {first.form} or what is joined with it more would be denied"
        plural = [one for one in tree.children(first.id, "amod") if one.feats.get("Number") == "Plur"]
        if plural and first.feats.get("Number") == "Sing":
            return f"{plural[0].form} is said of several"
        own = {_quality(one) for one in (first, *conjuncts)}
        for noun in tree.words if first.relation == "amod" else ():
            if noun.lemma == tree[first.head].lemma and noun.id != first.head:
                adjectives = [one for one in tree.descendants(noun.id) if one.upos == "ADJ"]
                said = {_quality(one) for one in adjectives if one.lemma not in lexicon.ORDER_WORDS}
                if said and said < own:
                    return f"{first.form} and what is joined with it tell one {noun.lemma} from another"
        return None


def _quality(adjective: Word) -> tuple[str, str]:
    return adjective.lemma, adjective.feats.get("Degree", "Pos")


_CONJUNCTS = _Polish(POLISH)


def apply(tree: Tree, tools: Tools) -> Iterator[Draft]:
    """Remove each conjunct in turn, then each part of a compound."""
    yield from _CONJUNCTS.apply(tree, tools)
    yield from _without_part(tree, tools)


def _without_part(tree: Tree, tools: Tools) -> Iterator[Draft]:
    for first, hyphen, second in zip(tree.words, tree.words[1:], tree.words[2:], strict=False):
        if hyphen.form in "-–" and POLISH.is_compound_part(first) and "Case" in second.feats:
            noun = first.head if second.head == first.id else second.head
            while noun in tree and tree[noun].relation == "conj" and tree[noun].upos == "ADJ":
                noun = tree[noun].head
            noun = tree[noun].head if noun in tree and tree[noun].upos == "ADJ" else noun
            if noun in tree and (POLISH.is_animate(tree, noun, tools.inflector) or tree[noun].lemma in lexicon.BODY):
                tools.why(f"{tree[noun].form} of two colours is of neither", noun)
                continue
            if is_denied(tree, second):
                tools.why(f"without {first.form} more would be denied", first.id)
                continue
            gone = {first.id, hyphen.id}
            changed = {}
            if second.head == first.id:
                changed[second.id] = second.but(head=first.head, deprel=first.deprel)
            for child in tree.children(first.id):
                if child.id not in gone and child.id != second.id:
                    changed[child.id] = child.but(head=second.id)
            yield Draft(cut(tree, gone, changed), "compound", (first.id,), ("argument", "sense"))
            alone = _whole_adjective(first, second, tools)
            if alone is not None:
                top = first.but(form=alone, feats=second.feats)
                top = top.but(head=second.head, deprel=second.deprel) if first.head == second.id else top
                gone = {hyphen.id, second.id}
                yield Draft(
                    cut(tree, gone, {first.id: top}), "compound", (second.id,), ("argument", "sense", "inflected")
                )


def _whole_adjective(first: Word, second: Word, tools: Tools) -> str | None:
    """The first part of *biało-czarny* as an adjective of its own, agreeing as the second does."""
    lemmas = {one.lemma for one in tools.inflector.analyses(first.form.lower()) if one.feats.get("Hyph") == "Yes"}
    if len(lemmas) != 1:
        return None
    wanted = {name: second.feats[name] for name in ("Case", "Number", "Gender", "Animacy") if name in second.feats}
    return tools.inflector.inflect(lemmas.pop(), "ADJ", wanted)
