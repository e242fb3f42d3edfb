"""Where a phrase is sure to be an adjunct, whatever it hangs on: at an end, or between a subject and its verb."""

from __future__ import annotations

from kostra.transforms.edits import is_comma
from kostra.transforms.en import grammar, lexicon
from kostra.transforms.en.grammar import ENGLISH
from kostra.trees import Tree, Word

_TIME_PREPOSITIONS = frozenset({"during", "since", "until", "till", "after", "before", "throughout"})
_MOMENTS = frozenset({"noon", "midnight", "dawn", "dusk", "sunrise", "sunset", "christmas", "easter", "season", "era"})
_OF_TIME = _TIME_PREPOSITIONS | {"in", "on", "at", "by", "for", "within", "around"}
_OF_VERB = frozenset({"to", "into", "onto", "off", "out", "from", "about", "against"})
"""Prepositions of phrases that a verb with an object needs."""
_AROUND = frozenset({"background", "foreground", "distance", "air", "sky", "sun", "rain", "evening", "dark", "shade",
                     "wind", "front", "party", "event", "game", "competition", "concert", "festival", "parade",
                     "countryside", "camera", "crowd", "woods", "mountains", "capital", "country",
                     "outskirts"})  # fmt: skip
"""What is around all that is said, as scenes are."""
_WHERE = frozenset({"in", "on", "at", "near", "by", "beside", "behind", "under", "outside", "inside", "above", "along",
                    "across", "around", "against", "over", "through", "with", "during", "after", "before", "down",
                    "up", "toward", "towards"})  # fmt: skip


def is_time(tree: Tree, word: Word) -> bool:
    """Whether a phrase says when or how long."""
    if word.lemma.lower() in lexicon.TIMES | _MOMENTS or word.form.rstrip("s").isdigit():
        return True
    return any(one.form.lower() in _TIME_PREPOSITIONS for one in tree.children(word.id, "case"))


def is_in_the_open(tree: Tree, word: Word, head: Word, inside: list[Word]) -> bool:
    """Whether no neighbour can claim a phrase, or be claimed once it goes."""
    said = [one for one in inside if one.upos != "PUNCT"] or inside
    first, last = tree.places[said[0].id], tree.places[said[-1].id]
    before = tree.words[first - 1] if first else None
    if before is not None and before.form[:1].isupper() and word.form[:1].isupper() and first > 1:
        return False  # half of a title
    case = said[0].form.lower()
    if case == "by" and grammar.is_passive(tree, head.id):
        return False  # was built by monks
    if first == 0:
        return _opens(tree, word, last)
    if is_time(tree, word):
        return tree.child(word.id, "case") is None or case in _OF_TIME
    behind = tree.words[last + 1] if last + 1 < len(tree.words) else None
    if behind is None or (behind.upos == "PUNCT" and last + 2 >= len(tree.words)) or _is_last_time(tree, behind):
        return _closes(tree, word, head, before, case)
    return word.relation == "nmod" and _is_before_verb(tree, word, head, behind)


def _is_last_time(tree: Tree, behind: Word) -> bool:
    """Whether a time opens here and ends the sentence: *met at the harbour in May*."""
    top = tree[behind.head] if behind.head else behind
    end = max(tree.places[one] for one in tree.subtree(top.id))
    rest = tree.words[end + 1 :]
    return (
        behind.upos == "ADP"
        and top.relation == "obl"
        and is_time(tree, top)
        and all(one.upos == "PUNCT" for one in rest)
    )


def _opens(tree: Tree, word: Word, last: int) -> bool:
    """A time, or a place with a comma, right before the subject; *In Bath, Ohio, the fair opens* has another place."""
    subject = tree.child(tree.root.id, "nsubj", "expl")
    if subject is None or last + 2 >= len(tree.words):
        return False
    starts = min(tree.places[one] for one in tree.subtree(subject.id))
    finite = grammar.finite_word(tree, tree.root.id) or tree.root
    if any(is_comma(one) for one in tree.words[starts : tree.places[finite.id]]):
        return False
    comma = is_comma(tree.words[last + 1])
    told = is_time(tree, word) or (comma and is_around(word))
    return told and starts == last + (2 if comma else 1)


def _closes(tree: Tree, word: Word, head: Word, before: Word | None, case: str) -> bool:
    """The end of a sentence, where a phrase says where, when or how, and not what a noun or verb is about."""
    if tree.child(word.id, "case") is None:
        return True
    if case in _OF_VERB:
        return before is not None and before.id == head.id
    if word.relation == "obl":
        return case in _WHERE | {"for", "past", "amid", "among", "despite", "without"}
    if case not in _WHERE:
        return False
    worn = word.lemma.lower() in lexicon.WORN
    return worn or is_around(word) or ENGLISH.is_animate(tree, head.id)


def is_around(word: Word) -> bool:
    """Whether a noun names what is around all that is said: a scene, a town."""
    return word.lemma.lower() in lexicon.SCENES | _AROUND or word.upos == "PROPN"


def _is_before_verb(tree: Tree, word: Word, head: Word, behind: Word) -> bool:
    """*A man in a cap is rowing*, *a man in a cap rowing*; not *a man with his hair flying*."""
    subject = head.relation in ("nsubj", "root") or head.id == tree.root.id
    doing = grammar.is_ing(behind) and not ENGLISH.is_predicate(tree, tree.root)
    told = behind.feats.get("VerbForm") == "Fin" or behind.upos == "AUX"
    if doing and word.lemma.lower() in ENGLISH.body:
        return False
    return subject and (doing or told)
