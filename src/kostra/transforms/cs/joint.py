"""What is said of several that are joined, and of none of them alone: a sum, a pair, a share."""

from __future__ import annotations

from itertools import pairwise

from kostra.transforms.cs import lexicon, scope
from kostra.transforms.cs.grammar import CZECH
from kostra.transforms.shared.looking import GOVERNING, governor, numeral
from kostra.transforms.shared.removing_conjunct import Conjuncts
from kostra.trees import Tree, Word

_SUMMING = frozenset({"vůbec", "celkem", "dohromady", "obecně", "všeobecně", "apod", "atd", "aj"})
"""Words that take together what stands before them."""
_OF_SEVERAL = frozenset({"kteří", "kterých", "kterými", "jichž", "jimiž", "jejichž"})
_NEAR = 4
"""Words within which a clause on a noun begins."""


def is_made_together(tree: Tree, first: Word, conjuncts: Conjuncts) -> bool:
    """*Vztah obce a kraje*, *pět mužů a žen*, *skupina mužů a žen*: what is said of all is not said of each."""
    head = tree[first.head]
    wholes = lexicon.QUANTITIES | lexicon.COMPANIES
    if head.lemma in lexicon.MUTUAL or (first.relation == "nmod" and head.lemma in wholes):
        return True
    if first.upos == "ADJ" and head.relation == "nmod" and tree[head.head].lemma in lexicon.MUTUAL | wholes:
        return True  # jednota starých a nových prvků
    if (first.upos == "ADJ" or first.relation in ("obl", "nmod")) and _is_shared_out(tree, first):
        return True
    if first.relation == "nmod" and all(one.lemma.endswith("ní") for one in (head, first)):
        return True  # plánování stavění a bourání
    counted = first.upos == "NOUN" and numeral(tree, first.id) is not None
    return counted and any(numeral(tree, one.id) is None and one.feats.get("Number") == "Plur" for one in conjuncts)


def is_between(tree: Tree, first: Word) -> bool:
    """*Mezi cenou chleba a sýra*, *levý i pravý okraj a čára mezi nimi*: whether *between* needs what is joined."""
    above = [one for one in scope.ancestors(tree, first) if not CZECH.is_predicate(tree, one)]
    if any(case.lemma in CZECH.between for one in above for case in tree.children(one.id, "case")):
        return True
    behind = [one.form.lower() for one in tree.words[tree.places[first.id] :]]
    return any(pair in (("mezi", "nimi"), ("mezi", "sebou")) for pair in pairwise(behind))


def is_of_sum(tree: Tree, first: Word) -> bool:
    """*Víc jablek a hrušek než loni*, *v písních a hrách chybují nejvíc*: what holds of a sum, or most of it."""
    counted = governor(tree, first.id)
    if counted is not None and counted.lemma.lower() in ("více", "víc", "méně", "míň"):
        return True
    predicate = next((one for one in scope.ancestors(tree, first) if CZECH.is_predicate(tree, one)), None)
    if predicate is None:
        return False
    return any(one.form.lower().startswith("nej") for one in tree.children(predicate.id, "advmod"))


def _is_shared_out(tree: Tree, first: Word) -> bool:
    """*Dvě okna vedou do velké a malé síně*: whether a number in the clause may be shared out among what is joined."""
    around = list(scope.ancestors(tree, first))
    predicate = next((one for one in around if CZECH.is_predicate(tree, one)), None)
    if predicate is None:
        return False
    inside = tree.subtree(first.id)
    counted = [one for one in tree.descendants(predicate.id) if one.upos == "NUM" and one.id not in inside]
    return any(_counts_things(tree, one) for one in counted)


def _counts_things(tree: Tree, number: Word) -> bool:
    """Whether a numeral says how many things there are: no year, day or time, and not just one."""
    noun = tree[number.head] if number.head else number
    counts = number.deprel in ("nummod", *GOVERNING) and noun.upos == "NOUN"
    counts = counts or number.relation in ("nsubj", "obj")  # čtyři vedou
    return counts and number.lemma not in ("jeden", "1") and noun.lemma not in lexicon.TIMES


def is_summed_up(tree: Tree, last: Word) -> bool:
    """*Řek, jezer a vod vůbec*: whether a word behind the last conjunct says that all are meant."""
    start = tree.places[last.id]
    ends = max(tree.places[one] for one in tree.subtree(last.id))
    return any(one.form.lower() in _SUMMING for one in tree.words[start : ends + 2])


def follows_mostly(tree: Tree, first: Word) -> bool:
    """*Žijí hlavně v lesích a na polích*: what holds mostly of all need not hold mostly of each."""
    for one in reversed(tree.words[: tree.places[first.id]]):
        if one.form == ",":
            return False
        if one.form.lower() in lexicon.MOSTLY:
            return True
    return False


def is_told_of_all(tree: Tree, first: Word, last: Word) -> bool:
    """*Na ženu a muže, kteří sedí*: whether a relative clause in the plural stands behind two of which one is one."""
    following = tree.words[tree.places[last.id] + 1 :]
    marks = [place for place, one in enumerate(following[:_NEAR]) if one.form == ","][:1]
    opens = [one for place in marks for one in following[place + 1 : place + 3] if one.lemma in CZECH.relatives][:1]
    several = any(one.feats.get("Number") == "Plur" or one.form.lower() in _OF_SEVERAL for one in opens)
    if numeral(tree, last.id) is not None:
        return False  # k ženě a dvěma chlapcům, kteří
    return several and "Sing" in {one.feats.get("Number") for one in (first, last)}
