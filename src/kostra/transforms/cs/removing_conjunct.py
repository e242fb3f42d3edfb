"""Removes one of the coordinated parts of an adjunct."""

from __future__ import annotations

from kostra.transforms.cs.grammar import CZECH
from kostra.transforms.shared.removing_conjunct import RELATION, VARIANTS, RemovingConjunct
from kostra.trees import Tree, Word

__all__ = ["RELATION", "VARIANTS", "apply"]

_PLAIN = frozenset({"a", "i", "nebo", "či"})
_POINTING = frozenset({"jeho", "její", "jejich", "jehož", "jejichž"})
_OTHERS = frozenset({"další", "jiný", "ostatní", "podobný", "druhý", "podobně", "zbylý"})
"""Words that say that others were named before."""


_CLAUSAL = ("nsubj", "aux", "cop", "mark", "expl", "advcl")
"""Relations of what only a clause has."""
MOST = 4
"""Conjuncts of the longest list whose parts a parser tells from what stands beside it."""


class _Czech(RemovingConjunct):
    def are_alike(self, tree: Tree, first: Word, conjunct: Word) -> bool:
        """Of one kind, joined by a plain *and* or *or*, without *others*, quotation marks or brackets."""
        if first.upos != conjunct.upos or any(
            one.form.lower() not in _PLAIN for one in tree.children(conjunct.id, "cc", "advmod") if one.upos != "ADV"
        ):
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


apply = _Czech(CZECH).apply
