"""Numbers that stay: what a noun counts or measures and says little without."""

from __future__ import annotations

from kostra.transforms.en import lexicon
from kostra.trees import Tree, Word

_BEFORE = frozenset({"over", "about", "only", "least", "than", "another", "first", "last", "next", "top", "all",
                     "these", "those", "of", "nearly", "almost", "every", "each", "a", "an", "just", "up", "to",
                     "within", "per", "around", "any", "some", "no"})  # fmt: skip
"""What stands before a number and is said of it."""
_COUNTING = frozenset({"one", "other", "others", "both", "each", "half", "third", "respectively", "them"})
"""Words that take up a number later."""
_HAVING = frozenset({"have", "contain", "include", "comprise", "be", "consist", "get", "give", "earn", "win", "score",
                     "need", "own", "receive", "award"})  # fmt: skip


def is_needed(tree: Tree, noun: Word, number: Word) -> bool:
    """Whether a number says most of what its phrase says: *has 9 rings*, *over 10 million tons*, *two men, one …*."""
    inside = tree.subtree(number.id)
    first, last = min(tree.places[one] for one in inside), max(tree.places[one] for one in inside)
    before = tree.words[first - 1] if first else None
    after = tree.words[last + 1] if last + 1 < len(tree.words) else None
    if not number.form[0].isdigit() and number.lemma.lower() not in lexicon.NUMBERS:
        return True  # no number at all
    if len(inside) > 1 or (after is not None and (after.upos in ("NUM", "PUNCT") or after.form == "-")):
        return True
    if before is not None and (before.form.lower() in _BEFORE or before.upos in ("NUM", "PUNCT", "ADV", "ADJ")):
        return True
    if noun.lemma.lower() in lexicon.TIMES | lexicon.MEASURES or noun.relation == "conj":
        return True
    if noun.upos != "NOUN" or tree.child(noun.id, "cop", "conj") is not None:
        return True
    behind = tree.words[tree.places[noun.id] + 1 : tree.places[noun.id] + 5]
    if behind and behind[0].upos in ("CCONJ", "PUNCT") and any(one.upos == "NUM" for one in behind):
        return True  # into 3 halls and then 12 rooms
    digits = number.form[0].isdigit()
    if digits and any(one.upos == "NUM" and one.form[0].isdigit() and one.id != number.id for one in tree.words):
        return True  # figures that are set beside one another
    above = tree[noun.head] if noun.head else noun
    if noun.head and (above.lemma in _HAVING or tree.child(above.id, "expl") is not None):
        return True
    return any(one.form.lower() in _COUNTING for one in tree.words if one.id not in inside)
