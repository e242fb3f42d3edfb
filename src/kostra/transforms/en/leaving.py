"""What would be left of a sentence and sounds wrong, whatever went: last words, neighbours, commas."""

from __future__ import annotations

from itertools import pairwise

from kostra.transforms.edits import is_comma
from kostra.transforms.en import grammar
from kostra.trees import Tree, Word

_STAYING = frozenset({"stand", "stands", "standing", "stood", "sit", "sits", "sitting", "sat", "lie", "lies", "lying",
                      "lean", "leans", "leaning", "leaned", "hang", "hangs", "hanging", "hung", "perched"})  # fmt: skip
_NEVER_LAST = frozenset({"a", "an", "the", "of", "and", "or", "but", "very", "just", "not"})


def why_wrong(source: Tree, tree: Tree) -> str | None:
    """Why a shorter sentence cannot stand, or None."""
    last, before = (_last_said(some) for some in (tree, source))
    if last.id != before.id and last.form.lower() in _STAYING:
        return "the last verb would say too little"  # two men sitting
    if last.id != before.id and last.form.lower() in _NEVER_LAST:
        return f"{last.form} would stand last"
    before_last = tree.words[tree.places[last.id] - 1]
    if last.id != before.id and (last.upos == "NOUN" or last.form.lower().endswith("ing")) and is_comma(before_last):
        return f"{last.form} would stand last and alone"
    for one, other in pairwise(tree.words):
        apart = source.places[other.id] - source.places[one.id] > 1
        if apart and grammar.is_ing(one) and grammar.is_ing(other):
            return f"{one.form} would stand right before {other.form}"  # is standing talking
        if apart and one.form.lower() == other.form.lower():
            return f"{one.form} would stand twice"
    left = {one.id for one in tree.words}
    for one, other in pairwise(source.words):
        if one.id not in left and other.id in left and grammar.is_past_participle(one) and grammar.is_ing(other):
            return f"{other.form} may need {one.form}"  # caught stealing
    for first, comma, noun in zip(tree.words, tree.words[1:], tree.words[2:], strict=False):
        apart = noun.upos == "NOUN" and source.places[noun.id] - source.places[comma.id] > 1
        if is_comma(comma) and (first.upos in ("ADJ", "DET") or first.feats.get("Degree")) and apart:
            return f"a comma would part {first.form} from {noun.form}"  # huge, claws
    return None


def _last_said(tree: Tree) -> Word:
    return next((one for one in reversed(tree.words) if one.upos != "PUNCT"), tree.root)
