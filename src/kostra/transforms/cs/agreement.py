"""Agreement and government in Czech, as inflection sees them, whatever a parser said.

Two words agree if one, inflected with the other's features, gives the form that stands there: that costs one look-up,
where reading both forms would cost a hundred.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from kostra.transforms.cs.clitics import is_clitic
from kostra.transforms.inflection import Inflector
from kostra.transforms.shared.looking import GOVERNING
from kostra.trees import Features, Tree, Word

_REMEMBERED = 100_000
_AGREEMENT = ("Case", "Number", "Gender", "Animacy")
_KEPT = ("VerbForm", "Voice", "Aspect", "Degree", "Polarity", "Poss", "Variant")


def agree(inflector: Any, first: Word, second: Word) -> bool:
    """Whether a modifier can agree with a noun; one that cannot be inflected is believed."""
    if first.upos not in ("ADJ", "DET", "NUM") or "Case" not in first.feats:
        return True
    feats = tuple((name, second.feats[name]) for name in _AGREEMENT if name in second.feats)
    kept = tuple((name, first.feats[name]) for name in _KEPT if name in first.feats)
    return _agree(inflector, first.form.lower(), first.lemma, first.upos, kept, feats)


@lru_cache(maxsize=_REMEMBERED)
def _agree(
    inflector: Any,  # a protocol does not say that it is hashable
    form: str,
    lemma: str,
    upos: str,
    kept: tuple[tuple[str, str], ...],
    feats: tuple[tuple[str, str], ...],
) -> bool:
    made = inflector.inflect(lemma, upos, {**dict(kept), **dict(feats)})
    return made is None or made.lower() == form


def disagreement(tree: Tree, inflector: Inflector, edited: frozenset[int]) -> str | None:
    """What does not agree around the edited words, or stands without what it needs; None if nothing is wrong."""
    root = tree.root
    if root.upos in ("NOUN", "ADJ", "PROPN") and tree.child(root.id, "cop", "aux", "nsubj") is None:
        return "there is no predicate"
    if " “" in tree.text:
        return "a quotation mark stands apart"
    if (complaint := _begins_with_clitic(tree)) is not None:
        return complaint
    for word in tree.words:
        if word.deprel == "acl:relcl" and (complaint := _pronoun(tree, word, tree[word.head])):
            return complaint
        check = _CHECKS.get(word.deprel)
        if check is not None and (word.id in edited or word.head in edited or word.relation == "nsubj"):
            complaint = check(tree, word, tree[word.head], inflector)
            if complaint is not None:
                return complaint
    return None


def _begins_with_clitic(tree: Tree) -> str | None:
    """A word that has to lean on another begins a clause, or leans on the wrong one, as it did not before the edit."""
    for place, word in enumerate(tree.words):
        if not is_clitic(word) and word.form.lower() not in ("však", "totiž"):
            continue
        before = tree.words[place - 1] if place else None
        if before is not None and before.id == word.id - 1:
            continue
        if before is None or before.upos == "CCONJ" or (before.form == "," and not _closes_clause(tree, place - 1)):
            return f"{word.form} would begin its clause"
        if before.form.lower() == "být":
            return f"{word.form} would stand too late"
    return None


def _closes_clause(tree: Tree, comma: int) -> bool:
    """Whether a comma stands behind a clause, so that what is before that clause stands before the comma, too."""
    opening = next((place for place in range(comma - 1, -1, -1) if tree.words[place].form == ","), 0)
    return any(one.upos in ("VERB", "AUX") or "VerbForm" in one.feats for one in tree.words[opening:comma])


def _modifier(tree: Tree, word: Word, head: Word, inflector: Inflector) -> str | None:  # noqa: ARG001 - a check's form
    if "Case" in word.feats and head.upos in ("NOUN", "PROPN") and not agree(inflector, word, head):
        return f"{word.form} and {head.form} do not agree"
    return None


def _preposition(tree: Tree, word: Word, head: Word, inflector: Inflector) -> str | None:  # noqa: ARG001 - a check's form
    said, found = word.feats.get("Case"), head.feats.get("Case")
    if said is None or found is None or head.upos != "NOUN" or tree.child(head.id, *GOVERNING) is not None:
        return None
    return None if said == found else f"{word.form} and {head.form} do not go together"


def _subject(tree: Tree, word: Word, head: Word, inflector: Inflector) -> str | None:  # noqa: ARG001 - a check's form
    if word.upos not in ("NOUN", "PROPN") or tree.child(word.id, "conj") is not None:
        return None
    if tree.child(word.id, *GOVERNING) is not None:
        return None
    if word.feats.get("Case") not in ("Nom", None):
        return f"{word.form} cannot be a subject"
    helpers = [one for one in tree.children(head.id, "aux", "cop") if "Gender" in one.feats or "Person" in one.feats]
    for verb in (head, *helpers):
        if verb.upos in ("VERB", "AUX") and not _agrees_with_verb(word.feats, verb.feats):
            return f"{word.form} and {verb.form} do not agree"
    return None


def _pronoun(tree: Tree, word: Word, head: Word) -> str | None:
    """A relative pronoun must agree with the noun that its clause hangs on."""
    for one in tree.children(word.id):
        if one.lemma in ("který", "jenž") and head.upos == "NOUN" and tree.child(head.id, "conj") is None:
            for name in ("Number", "Gender"):
                said = one.feats.get(name)
                if said and name in head.feats and head.feats[name] not in said.split(","):
                    return f"{one.form} and {head.form} do not agree"
    return None


def _relative(tree: Tree, word: Word, head: Word, inflector: Inflector) -> str | None:  # noqa: ARG001 - a check's form
    """A new relative clause must not stand behind another noun that its pronoun fits as well."""
    places = [tree.places[one] for one in tree.subtree(word.id)]
    first, behind = min(places), [one.form for one in tree.words[max(places) + 1 : max(places) + 3] if one.form != ","]
    if behind and behind[0] in ("a", "i", "nebo", "či", "ani"):
        return f"{behind[0]} may join more to the clause"
    for between in tree.words[tree.places[head.id] + 1 : first]:
        same = all(between.feats.get(name) == head.feats.get(name) for name in ("Number", "Gender"))
        if between.upos in ("NOUN", "PROPN") and same:
            return f"the clause could be about {between.form} instead of {head.form}"
    return None


def _agrees_with_verb(noun: Features, verb: Features) -> bool:
    for name in ("Number", "Gender"):
        if name in noun and name in verb and noun[name] not in verb[name].split(","):
            return False
    return verb.get("Person", "3") == "3"


_CHECKS: dict[str, Callable[[Tree, Word, Word, Inflector], str | None]] = {
    "amod": _modifier,
    "det": _modifier,
    "case": _preposition,
    "nsubj": _subject,
    "nsubj:pass": _subject,
    "acl:relcl": _relative,
}
