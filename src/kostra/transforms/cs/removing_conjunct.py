"""Removes one of the coordinated parts of an adjunct."""

from __future__ import annotations

from kostra.transforms.cs.grammar import CZECH, is_bare
from kostra.transforms.inflection import inflector
from kostra.transforms.shared.removing_conjunct import RELATION, VARIANTS, RemovingConjunct
from kostra.trees import Tree, Word

__all__ = ["RELATION", "VARIANTS", "apply"]

_PLAIN = frozenset({"a", "i"})
"""Conjunctions of which each part holds alone; of what *nebo* joins, none need hold."""
_POINTING = frozenset({"jeho", "její", "jejich", "jehož", "jejichž"})
_OTHERS = frozenset({"další", "jiný", "ostatní", "podobný", "druhý", "podobně", "zbylý"})
"""Words that say that others were named before."""


_CLAUSAL = ("nsubj", "aux", "cop", "mark", "expl", "advcl")
"""Relations of what only a clause has."""
MOST = 3
"""Conjuncts of the longest list whose parts a parser tells from what stands beside it."""


class _Czech(RemovingConjunct):
    def are_alike(self, tree: Tree, first: Word, conjunct: Word) -> bool:
        """Of one kind, joined by a plain *and*, without *others*, quotation marks or brackets."""
        if first.upos != conjunct.upos or any(
            one.form.lower() not in _PLAIN for one in tree.children(conjunct.id, "cc", "advmod") if one.upos != "ADV"
        ):
            return False
        if _is_also(tree, first, conjunct) or _is_misread(conjunct):
            return False
        joined = tree.children(first.id, "conj")
        if len(joined) > MOST or tree.child(joined[-1].id, "cc") is None or tree.child(conjunct.id, "conj") is not None:
            return False
        if tree.child(first.id, *_CLAUSAL) is not None or tree.child(conjunct.id, *_CLAUSAL) is not None:
            return False
        if any(one.upos == "PRON" and "Person" in one.feats for one in tree.descendants(conjunct.id)):
            return False  # knihy o nich
        pair = (*tree.descendants(first.id), *tree.descendants(conjunct.id))
        if any(one.lemma.lower() in _POINTING or one.form.lower() in _POINTING for one in pair):
            return False  # zákony a jejich uplatňování
        if _is_doubtful(tree, first, joined[-1]):
            return False
        ends = max(tree.places[one] for one in tree.subtree(joined[-1].id))
        if any(tree.places[one.id] > ends and one.upos != "PUNCT" for one in tree.descendants(first.id)):
            return False  # what stands behind the last of them may belong to it
        if first.upos == "ADJ" and first.head and tree.places[first.id] > tree.places[first.head]:
            return False
        if first.relation == "amod" and first.head:
            noun = tree[first.head]
            if any(one.lemma in CZECH.between for one in tree.children(noun.id, "case")):
                return False
        if any(one.form.lower() in ("jako", "než") for one in tree.children(first.id)):
            return False
        inside = (*tree.descendants(first.id), conjunct)
        if any(one.lemma in _OTHERS or (one.upos == "PUNCT" and one.form not in ",.") for one in inside):
            return False
        return super().are_alike(tree, first, conjunct)

    def _closes(self, tree: Tree, gone: set[int]) -> set[int]:  # noqa: ARG002 - a hook
        """Nothing: behind what is said, a comma stands before who says it."""
        return set()


def _is_misread(conjunct: Word) -> bool:
    """Whether the dictionary knows a noun's form only as something else: *dám výpověď a otevřu obchod*."""
    readings = inflector("cs").analyses(conjunct.form.lower())
    return conjunct.upos == "NOUN" and bool(readings) and not any(one.upos in ("NOUN", "ADJ") for one in readings)


def _is_also(tree: Tree, first: Word, conjunct: Word) -> bool:
    """Whether *i* may be *also*: *nebezpečí představuje i olovo*, where the verb has no subject but what follows."""
    if first.relation != "obj" or not any(one.form.lower() == "i" for one in tree.children(conjunct.id)):
        return False
    at = tree[first.head]
    while at.relation in ("xcomp", "conj") and at.head and tree.child(at.id, "nsubj") is None:
        at = tree[at.head]
    return tree.child(at.id, "nsubj") is None


def _differ(tree: Tree, first: Word, last: Word) -> bool:
    """Whether two conjuncts are hardly joined: one without a case, one that names an action, a comma before *nebo*."""
    kinds = [one.lemma.endswith(("ní", "tí")) for one in (first, last)]
    if first.upos in ("NOUN", "PROPN") and (
        kinds[0] != kinds[1] or not {"Case"} <= first.feats.keys() & last.feats.keys()
    ):
        return True
    start = min(tree.places[one] for one in tree.subtree(last.id))
    near = [one.form for one in tree.words[max(0, start - 1) : start + 2]]
    return first.upos == "VERB" and "," in near


def _is_in_subject(tree: Tree, word: Word) -> bool:
    at = word
    while at.head and at.relation != "nsubj":
        at = tree[at.head]
    return at.relation == "nsubj"


def _is_doubtful(tree: Tree, first: Word, last: Word) -> bool:
    """Whether a coordination may be less or more than a parser took it for."""
    ends = max(tree.places[one] for one in tree.subtree(last.id))
    after = tree.words[ends + 1] if ends + 1 < len(tree.words) else None
    if after is not None and after.upos in ("VERB", "AUX", "NOUN", "ADJ", "NUM", "DET", "ADV") and after.form != "však":
        belongs = first.upos == "ADJ" and after.id == first.head
        if not belongs and not (after.upos in ("VERB", "AUX") and _is_in_subject(tree, first)):
            return first.relation != "amod" or after.upos not in ("ADJ", "NOUN")
    heavy = any(tree.child(one.id, "amod", "nmod") is not None for one in (first, last))
    if after is not None and after.upos == "ADP" and first.relation in ("obj", "nmod") and heavy:
        return True  # what follows may belong to one of them
    if tree.child(last.id, "case") is not None and tree.child(first.id, "case") is None:
        return True
    if not first.head or _differ(tree, first, last):
        return True
    head = tree[first.head]
    if any(one.lemma in CZECH.between for one in tree.children(head.id, "case")):
        return True
    if first.relation == "amod" and any(
        one.feats.get("Number", number) != number for one in (first, last) for number in (head.feats.get("Number"),)
    ):
        return True  # v Husitské a přilehlých ulicích
    if any(one.form.lower() == "jako" for one in tree.words[ends + 1 : ends + 2]):
        return True  # Jana a Petra jako pár
    place = tree.places[head.id]
    listed = place and tree.words[place - 1].form == "," and first.relation == "nmod"
    several = first.relation in ("nmod", "flat") and head.feats.get("Number") == "Plur"
    offices = several and (is_bare(tree, first, "Gen") or first.upos == "PROPN")
    return bool(listed) or (offices and first.feats.get("Number") == "Sing")


apply = _Czech(CZECH).apply
