"""What would be left of a sentence and sounds wrong, whatever went: last words, neighbours, commas."""

from __future__ import annotations

from itertools import pairwise

from kostra.transforms.edits import is_comma
from kostra.transforms.en import grammar, lexicon, placing
from kostra.transforms.en.grammar import ENGLISH
from kostra.trees import Tree, Word

_STAYING = frozenset({"stand", "stands", "standing", "stood", "sit", "sits", "sitting", "sat", "lie", "lies", "lying",
                      "lean", "leans", "leaning", "leaned", "hang", "hangs", "hanging", "hung", "perched"})  # fmt: skip
_NEVER_LAST = frozenset({"a", "an", "the", "of", "and", "or", "but", "very", "just", "not"})
_VERBS_ONLY = frozenset({"nsubj", "aux", "punct", "cc", "mark", "conj", "parataxis", "discourse"})
"""Relations under a verb of which nothing is said but who does it."""


def why_wrong(source: Tree, tree: Tree) -> str | None:
    """Why a shorter sentence cannot stand, or None."""
    last, before = (_last_said(some) for some in (tree, source))
    if last.id != before.id and last.form.lower() in _STAYING:
        return "the last verb would say too little"  # two men sitting
    if last.id != before.id and last.form.lower() in _NEVER_LAST:
        return f"{last.form} would stand last"
    if reason := _bare_clause(source, tree) or _lost_date(source, tree):
        return reason
    before_last = tree.words[tree.places[last.id] - 1]
    if last.id != before.id and (last.upos == "NOUN" or last.form.lower().endswith("ing")) and is_comma(before_last):
        return f"{last.form} would stand last and alone"
    for one, other in pairwise(tree.words):
        apart = source.places[other.id] - source.places[one.id] > 1
        if apart and grammar.is_ing(one) and (grammar.is_ing(other) or other.form.lower().endswith("ing")):
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


def _bare_clause(source: Tree, tree: Tree) -> str | None:
    """A clause of which only who does it would be left, unless it is going on: *I will sleep*, *bowls that form*."""
    for verb in tree.words:
        mine = tree.children(verb.id)
        if verb.upos != "VERB" or len(mine) == len(source.children(verb.id)):
            continue
        said = {one.relation for one in mine}
        if "nsubj" in said and said <= _VERBS_ONLY and not _is_going_on(tree, verb):
            return f"nothing but who does it would be left beside {verb.form}"
    last = _last_said(tree)
    if last.id != _last_said(source).id:
        opens = next((one for one in reversed(tree.words) if one.form.lower() in ENGLISH.relatives), None)
        rest = tree.words[tree.places[opens.id] + 1 : tree.places[last.id]] if opens is not None else ()
        if opens is not None and opens.id != last.id and all(one.upos in ("AUX", "VERB", "CCONJ") for one in rest):
            return f"too little would be left behind {opens.form}"  # guards who march or have marched
    return None


def _is_going_on(tree: Tree, verb: Word) -> bool:
    """Whether a verb alone says enough of its subject: *a dog is running*, *two ducks swim*, *the car was repaired*."""
    subject, finite = tree.child(verb.id, "nsubj", "nsubj:pass"), grammar.finite_word(tree, verb.id)
    if grammar.is_passive(tree, verb.id) or (grammar.is_ing(verb) and finite is not None):
        return True
    now = finite is not None and finite.id == verb.id and verb.feats.get("Tense") == "Pres"
    easy = lexicon.LASTING | lexicon.MOTION | lexicon.POSTURES | lexicon.ANYWHERE | lexicon.INTRANSITIVE
    return (
        now
        and verb.lemma in easy - lexicon.NEEDS_PHRASE
        and subject is not None
        and ENGLISH.is_animate(tree, subject.id)
    )


def _lost_date(source: Tree, tree: Tree) -> str | None:
    """A time that goes where an *and* sets another beside it: *closed in 1890, and the mill burned in 1900*."""
    times = [place for place, one in enumerate(source.words) if one.relation == "obl" and placing.is_time(source, one)]
    gone = [place for place in times if source.words[place].id not in tree.places]
    for place in gone:
        for other in set(times) - set(gone):
            between = source.words[min(place, other) : max(place, other)]
            if any(one.upos == "CCONJ" for one in between):
                return f"{source.words[place].form} tells when one of two things was"
    return None


def _last_said(tree: Tree) -> Word:
    return next((one for one in reversed(tree.words) if one.upos != "PUNCT"), tree.root)
