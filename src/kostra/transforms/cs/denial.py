"""What in a Czech sentence does not fit once its main clause is denied."""

from __future__ import annotations

from kostra.transforms.cs import lexicon
from kostra.transforms.cs.grammar import CZECH
from kostra.transforms.shared.looking import governor, no_preposition, numeral, subject
from kostra.trees import Tree, Word

_SAID_OF_SEVERAL = frozenset({"bosi", "bosy", "bosa", "sami", "samy", "sama", "nazí", "nahá", "nahé", "živi"})
"""Words that stand with the verb and agree with the subject."""


def says_how_much(tree: Tree, word: Word) -> bool:
    """Whether a word says how much somebody does something: *velmi se liší*; *není velmi dobrý* is said."""
    head = tree[word.head] if word.head else word
    main = head.id == tree.root.id or (head.relation == "conj" and head.head == tree.root.id)
    return main and head.upos == "VERB" and word.lemma.lower() in lexicon.INTENSIFIERS


def is_amid(tree: Tree) -> bool:
    """*Řekl to soused na schůzi*: whether more than clauses follows a subject that stands behind its verb."""
    who = subject(tree, tree.root.id)
    if who is None or tree.places[who.id] < tree.places[tree.root.id]:
        return False
    end = max(tree.places[one] for one in tree.subtree(who.id))
    rest = [one for one in tree.words[end + 1 :] if one.upos != "PUNCT"]
    return bool(rest) and tree.words[end + 1].form != ","


def points_back_to_cause(tree: Tree, word: Word) -> bool:
    """*A kvůli tomu zaspal*: whether what is joined follows from what comes before it."""
    place = tree.places[word.id]
    before = tree.words[place - 1] if place else None
    if word.lemma != "ten" or before is None or not any(one.upos == "CCONJ" for one in tree.words[:place]):
        return False
    return before.form.lower() in ("kvůli", "díky", "důsledku", "následkem", "základě", "zásluhou", "vinou")


def is_contrasted(tree: Tree, word: Word) -> bool:
    """*Zaplatit jsem musel já*: a pronoun behind its verb says who did it, not that it was done."""
    late = word.relation == "nsubj" and word.head == tree.root.id and tree.places[word.id] > tree.places[word.head]
    return late and word.upos == "PRON" and word.feats.get("PronType") == "Prs"


def is_astray(tree: Tree, word: Word) -> bool:
    """Whether a joined verb hangs on a noun, where negation does not reach it, or the main one is of another clause."""
    modifies = word.relation in ("amod", "nmod") and CZECH.is_finite(tree, word)
    main = word.id == tree.root.id and tree.child(word.id, "mark") is not None
    if word.id == tree.words[0].id == tree.root.id and word.feats.agrees(Person="2", Tense="Pres"):
        return True  # myslete na to: perhaps a request
    if word.relation == "conj" and word.upos == "ADJ" and tree[word.head].upos == "VERB":
        return tree.child(word.id, "cop", "aux") is None  # stojí a chytá ryby
    return main or (modifies and tree.child(word.id, "cc") is not None)


def opens_with_condition(tree: Tree) -> bool:
    """*Pokud pršet bude, zůstaneme doma*: a parser may take the first verb for the main one."""
    commas = [place for place, one in enumerate(tree.words) if one.form == ","]
    asks = tree.words[0].lemma.lower() in ("jaký", "kolik", "proč", "co")  # jaká je cena, nevím
    if asks and not any(place < tree.places[tree.root.id] for place in commas):
        return True
    opens = tree.words[0].form.lower() in lexicon.SUBORDINATORS
    return opens and bool(commas) and tree.places[tree.root.id] < commas[0]


def vague_quantity(tree: Tree) -> Word | None:
    """What says of a subject that it is some of many: that a few people do not sleep leaves open whether others do."""
    who = subject(tree, tree.root.id) or counted_before(tree)
    if who is None:
        return None
    counted = numeral(tree, who.id)
    late = tree.places[who.id] > tree.places[tree.root.id]
    others = any(subject(tree, one.id) is not None for one in tree.children(tree.root.id, "conj", "parataxis"))
    if counted is not None and (late or others):
        return counted  # zraněno bylo pět lidí, deset zůstalo doma
    beside = (who, *tree.children(who.id, "det", "nummod", "advmod", "amod"))
    return next((one for one in beside if one.lemma.lower() in lexicon.VAGUE_QUANTITIES), None)


def counted_before(tree: Tree) -> Word | None:
    """*Pár lidí odešlo*: a counted noun before the verb, which a parser did not take for the subject."""
    counted = [one for one in tree.children(tree.root.id, "obl", "obj") if governor(tree, one.id) is not None]
    early = [one for one in counted if tree.places[one.id] < tree.places[tree.root.id] and no_preposition(tree, one)]
    return early[0] if early else None


def names_what_was_meant(tree: Tree, word: Word) -> bool:
    """*Důvody jsou jasné, nouze a hlad*: whether a noun behind a comma tells what a predicate speaks of."""
    behind = word.head == tree.root.id and tree.places[word.id] > tree.places[tree.root.id] and word.upos == "NOUN"
    added = word.relation in ("conj", "appos", "parataxis", "dep") and tree.root.upos in ("ADJ", "VERB")
    if not behind or not added:
        return False
    start = min(tree.places[one] for one in tree.subtree(word.id))
    bare = word.feats.get("Case") == "Nom" and tree.child(word.id, "cop", "aux", "nsubj") is None
    return bare and any(one.form in (",", ":", "-") for one in tree.words[start - 1 : start + 1])


def describes_several(tree: Tree, word: Word, who: Word) -> bool:
    """*Děti běhají bosy*: whether a word beside the verb agrees with a subject that is not one man."""
    if word.id in tree.subtree(who.id):
        return False
    named = word.form.lower() in _SAID_OF_SEVERAL
    beside = word.head == who.head and word.upos == "ADJ" and word.feats.get("Case") == "Nom"
    one_man = word.feats.agrees(Number="Sing", Gender="Masc")
    return named or (beside and not one_man and word.relation in ("advmod", "xcomp", "obl", "dep", "advcl", "amod"))
