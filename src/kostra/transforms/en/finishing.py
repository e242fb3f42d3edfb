"""What an edit may leave behind in English: *a* before a vowel, a clitic without its word, two commas."""

from __future__ import annotations

from itertools import pairwise

from kostra.transforms.edits import exchanged
from kostra.transforms.en import lexicon
from kostra.trees import Tree, Word

_ARTICLES = frozenset({"a", "an", "A", "An"})
_CLITICS = {
    "n't": "not",
    "'m": "am",
    "'re": "are",
    "'ve": "have",
    "'ll": "will",
    "ca": "can",
    "wo": "will",
    "sha": "shall",
}
_SPELLED_WITH_VOWEL = frozenset("AEFHILMNORSX")
"""Letters whose names begin with a vowel."""
_BY_LEMMA = {"be": "is", "have": "has", "would": "would", "will": "would"}
"""What *'s* and *'d* stand for, by lemma."""


def finish(tree: Tree) -> Tree:
    """Exchange *a* and *an* where another word follows now, write clitics out that lost their word, drop commas."""
    words = tree.words
    covered = {number for one in tree.ranges for number in range(one.first, one.last + 1)}
    changed: dict[int, Word | None] = {}
    for place, word in enumerate(words):
        following = words[place + 1] if place + 1 < len(words) else None
        if word.form in _ARTICLES and word.upos == "DET":
            if following is not None and following.upos != "PUNCT":
                form = article(following.form)
                if form != word.form.lower() and _is_new(word, following):
                    changed[place] = word.but(form=form.capitalize() if word.form[0].isupper() else form)
        elif word.form == ",":
            stray = following is not None and (_parts_noun(words, place) or _parts_subject(tree, place))
            if following is not None and (following.form == "," or stray):
                changed[place] = None
        elif word.upos in ("AUX", "VERB", "PART") and word.id not in covered:
            form = _written_out(word)
            if form != word.form:
                changed[place] = word.but(form=form)
    return exchanged(tree, changed)


def _parts_noun(words: tuple[Word, ...], place: int) -> bool:
    """Whether a comma parts an adjective from its noun, since the adjective between them went."""
    before, after = words[place - 1], words[place + 1]
    return place > 0 and before.relation == "amod" and before.head == after.id and after.id != words[place].id + 1


def _parts_subject(tree: Tree, place: int) -> bool:
    """Whether a comma parts a subject from its verb, since the one that opened what stands between them went."""
    finite = tree.words[place + 1]
    verb = tree[finite.head] if finite.relation in ("aux", "cop") else finite
    subject = tree.child(verb.id, "nsubj") if finite.feats.get("VerbForm") == "Fin" else None
    if subject is None or tree.child(subject.id, "conj") is not None or tree.places[subject.id] > place:
        return False
    before = tree.words[min(tree.places[one] for one in tree.subtree(subject.id)) : place]
    edited = any(_is_new(one, two) for one, two in pairwise(before))
    return edited and not any(one.form == "," for one in before)


def _is_new(word: Word, following: Word) -> bool:
    """Whether a word stands behind its article only now: what was wrong before is not ours to mend."""
    return following.id != word.id + 1


def article(following: str) -> str:
    """*A* or *an*, by how the next word begins.

    Examples
    --------
    >>> [article(word) for word in ("apple", "hour", "university", "umbrella", "one-way", "8", "MRI", "dog")]
    ['an', 'an', 'a', 'an', 'a', 'an', 'an', 'a']
    """
    word = following.lower()
    if 1 < len(following) < 4 and following.isupper():
        return "an" if following[0] in _SPELLED_WITH_VOWEL else "a"
    if word.startswith(lexicon.AN_BEFORE):
        return "an"
    if word.startswith(lexicon.A_BEFORE) and not word.startswith(lexicon.AN_ANYWAY):
        return "a"
    if word[:1] == "8" or word in ("11", "18"):
        return "an"
    return "an" if word[:1] in "aeiou" else "a"


def _written_out(word: Word) -> str:
    form = word.form.lower().replace("’", "'")
    if word.upos == "PART" and form == "'s":
        return word.form
    if form in ("'s", "'d"):
        return _BY_LEMMA.get(word.lemma, word.form)
    return _CLITICS.get(form, word.form)
