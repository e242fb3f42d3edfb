"""Small changes of trees that rules of any language share."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from kostra.trees import Tree, Word


def is_comma(word: Word | None) -> bool:
    """Whether a word is a comma."""
    return word is not None and word.form == ","


def part(tree: Tree, ids: Collection[int]) -> list[Word]:
    """The words with these ids, in order."""
    return [word for word in tree.words if word.id in ids]


def bounds(tree: Tree, ids: Collection[int]) -> tuple[int, int]:
    """The places of the first and the last of these words that are no punctuation."""
    places, words = tree.places, tree.words
    inside = [places[one] for one in ids if words[places[one]].upos != "PUNCT"] or [places[one] for one in ids]
    return min(inside), max(inside)


def is_unbroken(tree: Tree, ids: Collection[int]) -> bool:
    """Whether these words stand together, whatever punctuation is between them."""
    first, last = bounds(tree, ids)
    for word in tree.words[first : last + 1]:  # noqa: SIM110 - asked all the time, and a generator costs more
        if word.id not in ids and word.upos != "PUNCT":
            return False
    return True


def with_commas(tree: Tree, ids: Collection[int], *, clause_openers: Collection[str]) -> frozenset[int]:
    """These words and the commas that stand around them only because of them.

    Of two commas around a part the first goes with it; the second stays if it opens another clause: if a word such as
    *but* or *which* follows, or if it hangs on something that stays behind it.
    """
    first, last = bounds(tree, ids)
    words = tree.words
    before = words[first - 1] if first else None
    after = words[last + 1] if last + 1 < len(words) else None
    gone = set(ids)
    for word in words[first : last + 1]:
        if is_comma(word):
            gone.add(word.id)
    if is_comma(after) and after is not None:
        gone.discard(after.id)
        adjacent = first > 0 and any(tree[one].head == words[first - 1].id for one in ids)
        alone = adjacent and last + 2 < len(words) and words[last + 2].upos == "ADP"  # a man [with a beard], in a hat
        if (is_comma(before) or first == 0 or alone) and not _opens(tree, last + 1, gone, clause_openers):
            gone.add(after.id)
    if is_comma(before) and before is not None:
        gone.add(before.id)
        if after is not None and not is_comma(after) and _belongs_elsewhere(tree, before, ids):
            gone.discard(before.id)
    return frozenset(gone)


def _opens(tree: Tree, comma: int, gone: Collection[int], openers: Collection[str]) -> bool:
    following = tree.words[comma + 1 : comma + 4]
    if not following:
        return False
    if following[0].form.lower() in openers or following[0].feats.get("VerbForm") == "Conv":
        return True
    if len(following) > 1 and following[0].upos == "ADP" and following[1].form.lower() in openers:
        return True
    head = tree.words[comma].head
    if head in gone or head not in tree or tree.places[head] < comma:
        return False
    return tree[head].relation in _CLAUSES and tree[head].upos in ("VERB", "AUX", "ADJ")


_CLAUSES = ("acl", "advcl", "ccomp", "conj", "parataxis")


def _belongs_elsewhere(tree: Tree, comma: Word, ids: Collection[int]) -> bool:
    """Whether a comma closes a clause before it, or opens one around it: *he reads, [beside him] she sleeps*."""
    head = comma.head
    return head not in ids and head in tree and tree[head].relation in _CLAUSES


def cut(tree: Tree, gone: Collection[int], changed: Mapping[int, Word] | None = None) -> Tree:
    """The tree without some words and with others changed; what hung on a word that went hangs on its head."""
    changed = changed or {}
    kept = [word for word in tree.words if word.id not in gone]
    if changed:
        kept = [changed.get(word.id, word) for word in kept]
    for place, one in enumerate(kept):
        head = one.head
        if head in gone:
            while head in gone and head in tree:
                head = changed[head].head if head in changed else tree[head].head
            kept[place] = one.but(head=head)
    return tree.with_words(kept)


def exchanged(tree: Tree, changed: Mapping[int, Word | None]) -> Tree:
    """The tree with other words at some places, or none; what hung on a word that went hangs on its head."""
    if not changed:
        return tree
    gone = {tree.words[place].id for place, word in changed.items() if word is None}
    made = [changed.get(place) or word for place, word in enumerate(tree.words)]
    return cut(tree.with_words(made), gone) if gone else tree.with_words(made)


def in_order(tree: Tree, order: Iterable[Word]) -> Tree:
    """The tree with its words in a new order; words that are not in it yet are new, those that are missing went.

    A word whose head went hangs on the nearest head that stayed.
    """
    words = list(order)
    ids = {0, *[word.id for word in words]}
    for place, word in enumerate(words):
        head = word.head
        if head not in ids:
            while head not in ids:
                head = tree[head].head if head in tree else 0
            words[place] = word.but(head=head)
    return tree.with_words(words)


def comma(number: int, head: int) -> Word:
    """A new comma."""
    return Word(number, ",", ",", "PUNCT", head=head, deprel="punct")
