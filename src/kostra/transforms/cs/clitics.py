"""The second place of a Czech clause, where words without stress of their own stand: *se*, *jsem*, *by*, *mu*."""

from __future__ import annotations

from kostra.transforms.cs import lexicon
from kostra.transforms.shared.looking import is_participle
from kostra.trees import Tree, Word

_NOT_FIRST = frozenset({"cc", "punct", "advcl", "parataxis", "discourse", "vocative"})
"""Relations of what stands before the first place: conjunctions, and clauses with a comma behind them."""
_TRUE = ("aux", "expl", "obj", "iobj", "obl", "mark", "discourse", "dep")
"""Relations of clitics."""

_STRESSED = frozenset({"není", "nejsou"})
"""Negated auxiliaries, which clitics follow only where nothing else comes first."""
_LEANING = frozenset({"pak", "potom", "nyní", "teď"})
"""Adverbs that lean on an auxiliary as clitics do."""


def is_clitic(word: Word) -> bool:
    """Whether a word is one of those that stand in the second place."""
    return word.form.lower() in lexicon.CLITICS and word.upos in ("PRON", "AUX", "PART") and word.relation in _TRUE


def is_of_no_verb(tree: Tree, word: Word) -> bool:
    """*Hodinář se hrbí*: whether a reflexive hangs on a noun that is no predicate, so that a verb was misread."""
    if word.form.lower() not in ("se", "si") or word.relation != "expl":
        return False
    above, before = tree[word.head], tree.words[max(0, tree.places[word.id] - 1)]
    if is_participle(before) or before.lemma.endswith("cí"):
        return False  # usmívajících se lidí
    return above.upos in ("NOUN", "PROPN") and tree.child(above.id, "cop", "aux") is None


def with_second_places(tree: Tree) -> Tree:
    """Put clitics into the second place of every clause that an edit changed before them."""
    for clitic in [word for word in tree.words if is_clitic(word)]:
        tree = _behind_participle(tree, clitic)
        verb = _clause_of(tree, clitic)
        if verb is not None and _was_touched(tree, verb, clitic):
            tree = in_second_place(tree, verb.id)
    return tree


def _behind_participle(tree: Tree, clitic: Word) -> Tree:
    """*Hrající si*, *hrajíc si*: a clitic that would begin the phrase of a participle stands behind it."""
    head = tree[clitic.head] if clitic.head else clitic
    if head.feats.get("VerbForm") not in ("Part", "Conv") or is_predicate(tree, head):
        return tree
    first = min(tree.places[one] for one in tree.subtree(head.id) if tree[one].upos != "PUNCT")
    if tree.words[first].id == clitic.id and tree.words[first + 1].id == head.id:
        return tree.move(clitic.id, after=head.id)
    return tree


def _clause_of(tree: Tree, clitic: Word) -> Word | None:
    """The predicate in whose clause a clitic stands: its head, or the verb that governs that infinitive."""
    if not clitic.head:
        return None
    at = tree[clitic.head]
    if at.feats.get("VerbForm") == "Inf" and tree.places[clitic.id] == tree.places[at.id] + 1:
        return None  # pomohl mu uklidnit se
    while at.relation == "xcomp" and at.feats.get("VerbForm") == "Inf" and at.head:
        at = tree[at.head]
    return at if is_predicate(tree, at) else None


def is_predicate(tree: Tree, word: Word) -> bool:
    """Whether clitics that hang on a word stand in the second place: not those of an adjectival participle."""
    if word.upos in ("VERB", "AUX"):
        return word.feats.get("VerbForm") in ("Fin", "Part") or tree.child(word.id, "aux") is not None
    return tree.child(word.id, "cop", "aux") is not None


def _was_touched(tree: Tree, verb: Word, clitic: Word) -> bool:
    """Whether what stands in a clause before a clitic is not what stood there: ids that do not count up, or none."""
    inside = tree.subtree(verb.id)
    place = tree.places[clitic.id]
    before = [word for word in tree.words[: place + 1] if word.id in inside]
    ids = [word.id for word in before]
    start = tree.places[ids[0]]
    followed = tree.words[start - 1].id if start else 0
    if ids == list(range(followed + 1, followed + 1 + len(ids))):
        return False  # all as it was
    if ids != list(range(ids[0], ids[0] + len(ids))):
        return True
    return all(word.upos in ("PUNCT", "CCONJ") or is_clitic(word) for word in before)


def in_second_place(tree: Tree, verb: int) -> Tree:
    """The tree with the clitics of a clause behind its first part."""
    own = _own(tree, verb)
    clitics = [word for word in own if is_clitic(word) and _belongs(tree, word, verb)]
    rest = [word for word in own if word not in clitics]
    anchor = _first_part(tree, verb, rest)
    if not clitics or anchor is None:
        return tree
    clitics.sort(key=lambda word: (_rank(word), tree.places[word.id]))
    gone = {word.id for word in clitics}
    start, end = sorted((tree.places[anchor], tree.places[clitics[0].id]))
    crossed = [word for word in tree.words[start + 1 : end] if word.id not in gone]
    if any(word.form == "," for word in crossed) and any(_opens_clause(word) for word in crossed):
        return tree  # into another clause, which the parser took for this one
    words: list[Word] = []
    for word in tree.words:
        if word.id not in gone:
            words.append(word)
        if word.id == anchor:
            words += clitics
    return tree.with_words(words)


def _opens_clause(word: Word) -> bool:
    """Whether a word is of another clause: a verb, a conjunction, *jejichž*."""
    return word.upos in ("VERB", "AUX", "SCONJ") or "Rel" in word.feats.get("PronType", "").split(",")


def _own(tree: Tree, verb: int) -> list[Word]:
    """The words of a clause without the clauses that are joined to it behind."""
    outside: set[int] = set()
    for one in tree.children(verb, "conj", "parataxis"):
        outside |= tree.subtree(one.id)
    inside = tree.subtree(verb)
    return [word for word in tree.words if word.id in inside and word.id not in outside]


def _belongs(tree: Tree, clitic: Word, verb: int) -> bool:
    found = _clause_of(tree, clitic)
    return found is not None and found.id == verb


def _rank(word: Word) -> int:
    form = word.form.lower()
    if form in lexicon.CLITIC_AUXILIARIES:
        return 0
    return 1 if form in ("se", "si") else 2


def _first_part(tree: Tree, verb: int, words: list[Word]) -> int | None:
    """The last word of the first part of a clause: of its first phrase, its conjunction, or its verb."""
    skipped: set[int] = set()
    for place, word in enumerate(words):
        if word.id in skipped or (word.upos == "PUNCT" and word.head != verb):
            continue
        top = _top(tree, word, verb)
        if top.relation in _NOT_FIRST and top.id != verb:
            skipped |= tree.subtree(top.id)
            continue
        if top.id == verb or top.relation == "mark":
            return word.id
        inside = tree.subtree(top.id)
        last = word
        for one in words[place:]:
            if one.id not in inside:
                break
            last = one
        return _behind_commas(tree, verb, last).id
    return None


def _behind_commas(tree: Tree, verb: int, last: Word) -> Word:
    """The comma that closes what stands between commas behind a phrase: a clause of its own, a transgressive."""
    place = tree.places[last.id] + 1
    if last.form == "," or place >= len(tree.words) or tree.words[place].form != ",":
        return last
    last = tree.words[place]
    for one in tree.words[place + 1 :]:
        top = _top(tree, one, verb)
        if top.id == verb or (one.form != "," and top.relation not in _NOT_FIRST):
            break
        last = one
    return last


def _top(tree: Tree, word: Word, verb: int) -> Word:
    """The child of the predicate on which a word hangs, or the predicate."""
    at = word
    while at.head != verb and at.id != verb and at.head:
        at = tree[at.head]
    return at


def before_negated(words: list[Word]) -> list[Word]:
    """*Je mu dán*, *je pak dán*, but *mu není dán*, *pak není dán*: a negated auxiliary has its own stress."""
    for place in range(1, len(words) - 1):
        carrier, behind = words[place], words[place + 1]
        begins = words[place - 1].upos in ("PUNCT", "CCONJ")
        leans = (is_clitic(behind) and behind.upos == "PRON") or behind.form in _LEANING
        if carrier.form in _STRESSED and not begins and leans:
            words[place], words[place + 1] = behind, carrier
    return words


def participle_first(words: list[Word], participle: Word) -> list[Word]:
    """The words of a participle phrase: adverbs, the participle, its clitics, all else.

    Examples
    --------
    >>> [
    ...     word.form
    ...     for word in participle_first(
    ...         [Word(1, "v", "v", "ADP"), Word(2, "drží", "držet", "VERB")], Word(2, "drží", "držet", "VERB")
    ...     )
    ... ]
    ['drží', 'v']
    """
    place = next(place for place, word in enumerate(words) if word.id == participle.id)
    weak = [word for word in words if is_clitic(word) and word.head == participle.id]
    first = [*(word for word in words[:place] if word.upos == "ADV"), words[place], *weak]
    return [*first, *(word for word in words if word not in first)]
