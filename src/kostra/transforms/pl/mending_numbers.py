"""Numerals: which of them govern the genitive, and whose subjects they count.

Each function looks for one pattern that the endings forbid, and gives the words that change, by id.
"""

from __future__ import annotations

from kostra.transforms.inflection import Inflector
from kostra.transforms.pl import grammar, lexicon
from kostra.transforms.pl.agreement import can_have, cells
from kostra.trees import Tree, Word

Changes = dict[int, Word]
_OTHER = ("obj", "obl", "iobj", "nmod")


def collective_numeral(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*Czworo dzieci śpi*: a numeral in the nominative beside a genitive governs it."""
    changes: Changes = {}
    for word in tree.words:
        if word.deprel == "nummod" and word.feats.get("Case") in ("Nom", "Acc") and word.head:
            noun = tree[word.head]
            if noun.feats.get("Case") == "Gen" and noun.relation in ("nsubj", "obj", "conj"):
                changes[word.id] = word.but(deprel="nummod:gov")
    return changes


def counted_subject(tree: Tree, inflector: Inflector) -> Changes:
    """*Na łące trzech chłopców śpi*: a counted genitive beside a singular verb without subject is its subject."""
    changes: Changes = {}
    for verb in tree.words:
        if not grammar.is_finite(verb) or verb.feats.get("Number") != "Sing":
            continue
        if verb.relation not in ("root", "conj", "parataxis") or grammar.subject(tree, verb.id) is not None:
            continue
        for count, noun in _counted(tree, tree.places[verb.id], inflector):
            if noun.id != verb.id and grammar.is_inside(tree, noun.id, verb.id):
                changes[noun.id] = noun.but(head=verb.id, deprel="nsubj", feats=noun.feats.but(Case="Gen"))
                changes[count.id] = count.but(head=noun.id, deprel="nummod:gov")
                break
    return changes


def _counted(tree: Tree, end: int, inflector: Inflector) -> list[tuple[Word, Word]]:
    """Numerals before or right behind a place that can govern the genitive they hang on."""
    found = []
    for count in (*tree.words[:end], *tree.words[end + 1 : end + 2]):
        if count.upos not in ("NUM", "DET") or not count.head:
            continue
        noun = tree[count.head]
        governs = count.form.lower() in lexicon.MALE_GOVERNING_NUMERALS or (
            count.upos == "NUM" or count.lemma in lexicon.INDEFINITE_NUMERALS
        )
        if governs and noun.upos == "NOUN" and noun.relation in _OTHER:
            bare = grammar.no_preposition(tree, noun) and noun.feats.get("Number") == "Plur"
            if bare and can_have(inflector, noun, "Gen") and can_have(inflector, count, "Nom", "Acc"):
                found.append((count, noun))
    return found


def plural_object(tree: Tree, inflector: Inflector) -> Changes:
    """*zdmuchuje świeczki*: an object that looks like a genitive singular is the accusative plural."""
    changes: Changes = {}
    for word in tree.words:
        if word.deprel != "obj" or word.upos != "NOUN" or word.feats.get("Case") != "Gen" or not word.head:
            continue
        verb = tree[word.head]
        if verb.upos != "VERB" or verb.lemma in lexicon.GENITIVE_VERBS or grammar.is_negated(tree, verb.id):
            continue
        if word.feats.get("Number") != "Sing" or grammar.numeral(tree, word.id) is not None:
            continue
        beside = [one for one in tree.children(word.id, "amod", "det") if "Case" in one.feats]
        plural = [cell for cell in cells(inflector, word.form, word.upos) if cell[:2] == ("Acc", "Plur")]
        fits = all(any(c[:2] == ("Acc", "Plur") for c in cells(inflector, one.form, one.upos)) for one in beside)
        if plural and fits and grammar.no_preposition(tree, word):
            for one in (word, *beside):
                changes[one.id] = one.but(feats=one.feats.but(Case="Acc", Number="Plur"))
    return changes
