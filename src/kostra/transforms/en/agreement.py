"""Agreement of subject and verb, and the case of pronouns, around what a rule edited."""

from __future__ import annotations

from kostra.transforms.en import grammar
from kostra.transforms.inflection import Inflector
from kostra.trees import Tree, Word

_EITHER = frozenset(
    {"group", "couple", "pair", "number", "lot", "variety", "team", "crowd", "family", "band", "crew", "set"}
)
"""Nouns beside which both numbers are used, by lemma."""


def disagreement(tree: Tree, inflector: Inflector, edited: frozenset[int]) -> str | None:  # noqa: ARG001 - a language's form
    """What does not agree around the edited words, or None."""
    for place, word in enumerate(tree.words):
        if word.upos == "DET" and word.form.lower() in ("a", "an", "the") and not _has_noun(tree, place, word):
            return f"{word.form} has no noun"
        if word.relation != "nsubj" or word.head not in tree:
            continue
        finite = grammar.finite_word(tree, word.head)
        if finite is None or not edited & {word.id, word.head, finite.id}:
            continue
        if word.feats.get("Case") == "Acc" and word.upos == "PRON" and word.form.lower() not in ("it", "you", "her"):
            return f"{word.form} cannot be a subject"
        if not _agrees(tree, word, finite):
            return f"{word.form} and {finite.form} do not agree"
    return None


def _has_noun(tree: Tree, place: int, article: Word) -> bool:
    """Whether an article stands before its noun, and nothing that cannot come between."""
    end = tree.places.get(article.head, -1)
    if end < place:
        return False
    following = tree.words[place + 1]
    opens = following.upos == "VERB" and following.relation not in (
        "amod",
        "compound",
        "root",
        "conj",
        "nmod",
        "obj",
        "obl",
    )
    return following.upos not in ("ADP", "AUX", "DET", "SCONJ", "CCONJ") and not (
        opens and following.head != article.head
    )


def _agrees(tree: Tree, subject: Word, finite: Word) -> bool:
    if finite.lemma in grammar.MODALS or (finite.feats.get("Tense") == "Past" and finite.lemma != "be"):
        return True
    number = finite.feats.get("Number")
    if number is None or subject.upos not in ("NOUN", "PRON") or subject.lemma.lower() in _EITHER:
        return True
    if subject.feats.get("PronType") in ("Rel", "Int", "Dem", "Ind") or subject.lemma.lower() in ("i", "you"):
        return True
    wanted = grammar.agreement_of(tree, subject.id)
    return wanted is None or wanted["Number"] == number
