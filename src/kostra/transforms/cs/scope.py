"""Where less cannot be said without saying something else: under a negation, an *all*, an *if*, a *first*."""

from __future__ import annotations

from collections.abc import Iterator

from kostra.transforms.cs import lexicon
from kostra.transforms.cs.grammar import CZECH, is_past
from kostra.trees import Tree, Word

_CLAUSES = ("acl", "advcl", "ccomp", "csubj", "conj", "parataxis")
_NOBODY = frozenset({"nikdo", "nic", "žádný", "nikdy", "nikde"})
_HARDLY = frozenset({"zřídka", "zřídkakdy", "málokdy", "sotva", "stěží"})
"""Adverbs that deny nearly all."""
_ANYBODY = frozenset({"ten", "každý", "všechen", "všichni", "kdokoli", "kdokoliv", "cokoli", "kdo", "onen"})
"""Pronouns that a relative clause tells of."""
_SAID_OF_ALL = frozenset({"podle", "dle", "kvůli", "navzdory", "díky"})
"""Prepositions of what a negation does not reach."""


def ancestors(tree: Tree, word: Word) -> Iterator[Word]:
    """The words on which a word hangs, the nearest first."""
    at = word
    while at.head:
        at = tree[at.head]
        yield at


def is_denied(tree: Tree, word: Word) -> bool:
    """Whether a negated predicate denies just what a word says: *nespí na gauči* is not *nespí*."""
    if _follows_not(tree, word):
        return True
    at = word
    while at.head:
        clause = at.relation in _CLAUSES and at.id != word.id
        if at.relation == "nsubj" or (clause and at.upos in ("VERB", "AUX")):
            return _is_in_denied_clause(tree, at)
        part, at = at, tree[at.head]
        if _denies(tree, at):
            behind = tree.places[word.id] > tree.places[at.id]
            return behind or _is_reached(tree, part, at)
    return False


def _follows_not(tree: Tree, word: Word) -> bool:
    """*Pije čaj, nikoli silnou kávu*: whether a word stands in a phrase that is denied without a verb."""
    for one in reversed(tree.words[: tree.places[word.id]]):
        if one.upos == "PUNCT" or one.upos in ("VERB", "AUX"):
            return False
        if one.form.lower() in ("ne", "nikoli", "nikoliv"):
            return True
    return False


def _is_in_denied_clause(tree: Tree, word: Word) -> bool:
    """*Neznamená, že…*: whether a clause around a word is itself what somebody denies."""
    return any(_is_content(tree, one) and _is_denied_above(tree, one) for one in (word, *ancestors(tree, word)))


def _is_content(tree: Tree, clause: Word) -> bool:
    """Whether a clause says what is known, told or meant: *zpráva, že…*, not *zpráva, kterou…*."""
    told = clause.relation == "acl" and tree.child(clause.id, "mark") is not None
    return told or clause.relation in ("ccomp", "csubj")


def _is_denied_above(tree: Tree, clause: Word) -> bool:
    """*Zprávy, že…, se nepotvrdily*: whether the verb over a clause, or over the noun that it hangs on, denies it."""
    head = tree[clause.head]
    above = (head, *(ancestors(tree, head) if head.upos == "NOUN" else ()))
    verb = next((one for one in above if one.upos in ("VERB", "AUX") or CZECH.is_predicate(tree, one)), head)
    return _denies(tree, verb)


def _denies(tree: Tree, word: Word) -> bool:
    if word.lemma in lexicon.DENYING or word.form.lower() == "nelze":
        return True
    if any(one.form.lower() in _HARDLY for one in tree.children(word.id, "advmod")):
        return True
    predicate = CZECH.is_predicate(tree, word) or (
        word.upos in ("VERB", "AUX") and word.relation not in ("aux", "cop", "amod")
    )
    return predicate and CZECH.is_negated(tree, word.id)


def _is_reached(tree: Tree, part: Word, verb: Word) -> bool:
    """Whether a negation reaches what stands before its verb: when and where, and all if nobody does it."""
    if any(one.lemma in _NOBODY for one in tree.children(verb.id)):
        return True
    if part.relation not in ("obl", "advmod"):
        return False
    return not any(one.lemma in _SAID_OF_ALL for one in tree.children(part.id, "case"))


def is_under_all(tree: Tree, word: Word) -> bool:
    """*Každé malé dítě*, *bez velkých obtíží*, *nedostatek lidí, kteří…*: without it the phrase says more."""
    for one in ancestors(tree, word):
        beside = [child for child in tree.children(one.id, "det", "amod", "nummod", "case") if child.id != word.id]
        if one.lemma in lexicon.LACKS or any(child.lemma in lexicon.UNIVERSAL for child in beside):
            return True
        if one.lemma in lexicon.UNIVERSAL and one.upos in ("DET", "PRON"):
            return True  # každý z mladých hráčů
    return describes_anybody(tree, word)


def describes_anybody(tree: Tree, word: Word) -> bool:
    """*Ten, kdo v zimě plave, …*: whether a word helps to tell of whom something is said, and less would be more."""
    for one in (word, *ancestors(tree, word)):
        above = tree[one.head] if one.head else one
        if one.relation == "acl" and _is_anybody(above):
            return True
        if one.id != word.id and any(child.lemma == "kdo" for child in tree.children(one.id, "nsubj", "obj", "iobj")):
            return True
    place = tree.places[word.id]
    comma = next((at for at in range(place - 1, 0, -1) if tree.words[at].form == ","), 0)
    if not comma:
        return False
    before, opens = tree.words[comma - 1], tree.words[comma + 1]
    return _is_anybody(before) and (opens.lemma in CZECH.relatives or opens.lemma == "kdo")


def _is_anybody(word: Word) -> bool:
    """Whether a pronoun stands for all whom its clause describes: *každému*, *ti*; *v rukou těch* tells of some."""
    if word.upos not in ("PRON", "DET") or word.lemma.lower() not in _ANYBODY:
        return False
    return word.lemma.lower() not in ("ten", "onen") or word.feats.get("Case") == "Nom"


def is_only_one(tree: Tree, word: Word) -> bool:
    """*První schůzka, kterou měli v zimě*: of which kind something is the first or the best."""
    below = word
    for one in ancestors(tree, word):
        if below.relation in ("amod", "nmod", "acl"):
            others = [child for child in tree.children(one.id, "amod", "nummod") if child.id != below.id]
            if any(is_unique(child) for child in others) or (one.upos != "NOUN" and is_unique(one)):
                return True
        if below.relation == "acl" and _follows_unique(tree, below):
            return True
        below = one
    return False


def _follows_unique(tree: Tree, clause: Word) -> bool:
    """*Cesta byla první, na kterou…*: whether a clause stands right behind a word that leaves only one."""
    start = min(tree.places[one] for one in tree.subtree(clause.id))
    before = [one for one in tree.words[max(0, start - 2) : start] if one.form != ","]
    return bool(before) and is_unique(before[-1])


def is_set_beside(tree: Tree, word: Word) -> bool:
    """*Zatímco loni pršelo…*, *v Brně o metr, v Opavě o dva*: whether other words are set against these."""
    if word.relation not in ("obl", "advmod"):
        return False
    if any(one.form.lower() in ("zatímco", "kdežto") for one in tree.words):
        return True
    row = [one for one in tree.words if one.upos == "PROPN" and _opens_part(tree, one)]
    return word.upos == "PROPN" and len([one for one in row if one.id != word.id]) > 1


def _opens_part(tree: Tree, name: Word) -> bool:
    """Whether a name with its preposition stands right behind a comma or *a*."""
    place = tree.places[name.id]
    before = tree.words[max(0, place - 2) : place]
    return len(before) > 1 and before[1].upos == "ADP" and before[0].form in (",", "a")


def is_where_it_holds(tree: Tree, word: Word) -> bool:
    """*Půda na Moravě chudne*, *v horách vzduch řídne*: whether what is said in general holds of a place alone."""
    predicate = tree[word.head] if word.relation == "obl" else tree[tree[word.head].head or word.head]
    opens = min(tree.places[one] for one in tree.subtree(word.id)) == 0
    now = any(one.feats.agrees(Tense="Pres") for one in tree.children(predicate.id, "aux", "cop"))
    if not (word.upos == "PROPN" or opens) or not (now or predicate.feats.agrees(Aspect="Imp", Tense="Pres")):
        return False
    placed = any(one.lemma in ("v", "na") for one in tree.children(word.id, "case"))
    subject = tree.child(predicate.id, "nsubj")
    if not placed or subject is None or subject.upos != "NOUN":
        return False
    if subject.lemma in lexicon.UNIVERSAL:
        return True  # v Brně je většina lidí
    if CZECH.is_animate(tree, subject.id):
        return False
    return word.upos == "PROPN" or subject.lemma not in lexicon.THINGS


def is_unique(word: Word) -> bool:
    """Whether an adjective leaves only one."""
    superlative = word.upos == "ADJ" and word.form.lower().startswith("nej")
    return superlative or word.feats.get("Degree") == "Sup" or word.lemma in lexicon.UNIQUE


def is_condition(tree: Tree, clause: Word) -> bool:
    """Whether a clause says *if*; *když* does so where nothing is told of the past."""
    marks = {one.form.lower() for one in tree.children(clause.id, "mark", "advmod", "cc", "discourse", "aux")}
    if marks & lexicon.CONDITIONS or any(one.form.lower() == "li" for one in tree.descendants(clause.id)):
        return True
    past = is_past(clause) or any(is_past(one) for one in tree.children(clause.id, "cop", "aux"))
    return "když" in marks and not past


def is_in_condition(tree: Tree, word: Word) -> bool:
    """Whether a word stands in an *if*, which holds more often the less it asks."""
    return any(one.relation == "advcl" and is_condition(tree, one) for one in ancestors(tree, word))


_ONLY = frozenset({"jen", "jenom", "pouze", "výhradně", "výlučně", "jedině"})


def is_restricted(tree: Tree, word: Word) -> bool:
    """*Vzácné knihy půjčují jen na den*: whether an *only* behind a word in a general sentence would say more."""
    if word.relation not in ("amod", "nmod", "acl", "det"):
        return False
    predicate = next((one for one in ancestors(tree, word) if CZECH.is_predicate(tree, one)), None)
    if predicate is None or is_past(predicate):
        return False
    behind = (one for one in tree.descendants(predicate.id) if tree.places[one.id] > tree.places[word.id])
    return any(one.form.lower() in _ONLY for one in behind)


_UNITS = frozenset(
    {
        "procento",
        "koruna",
        "milion",
        "miliarda",
        "tisíc",
        "dolar",
        "euro",
        "tuna",
        "metr",
        "kilometr",
        "litr",
        "kč",
        "eur",
    }
)
"""Words of amounts."""


def is_measured(tree: Tree, word: Word) -> bool:
    """*Příjem z daní a cel činil miliardu*: whether an amount is said of just what a word stands in."""
    inside = tree.subtree(word.id)
    predicate = next((one for one in ancestors(tree, word) if CZECH.is_predicate(tree, one)), None)
    if predicate is None or word.relation not in ("nmod", "obl", "amod", "acl"):
        return False
    return any(_is_amount(tree, one) for one in tree.descendants(predicate.id) if one.id not in inside)


def _is_amount(tree: Tree, word: Word) -> bool:
    """*Miliarda*, *23 000 Kč*, but no year and no day."""
    if word.lemma.lower() in _UNITS or word.form == "%":
        return True
    above = tree[word.head] if word.head else word
    behind = tree.words[tree.places[word.id] + 1 :][:1]
    figure = (
        word.upos == "NUM"
        and not any(one.form == "." for one in behind)
        and word.form[:1].isdecimal()
        and word.form[-1:].isdecimal()
    )
    return figure and above.lemma not in lexicon.TIMES and above.upos != "NUM"


def is_in_subject(tree: Tree, word: Word) -> bool:
    """Whether a word stands in a subject."""
    at = word
    while at.head and at.relation != "nsubj":
        at = tree[at.head]
    return at.relation == "nsubj"
