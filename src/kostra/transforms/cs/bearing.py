"""Where more goes with an adjunct than a detail: a comparison, a contrast, a habit, an exception."""

from __future__ import annotations

from kostra.transforms.cs import lexicon, scope
from kostra.transforms.cs.grammar import CZECH, is_past
from kostra.transforms.shared.looking import governor, no_preposition, numeral
from kostra.trees import Tree, Word

KINDS = ("ní", "ský", "cký", "ový", "čí", "cí")
"""Endings of adjectives that say of which kind something is."""


_AMOUNTS = frozenset({"činit", "být", "dosahovat", "dosáhnout", "pohybovat", "představovat", "tvořit", "přesahovat"})
"""Verbs of how much something is."""


def bears_on_meaning(tree: Tree, word: Word, head: Word) -> bool:
    """Whether more would change than a detail: a comparison, a negation, a contrast, a habit, *the first Czech one*."""
    inside = tree.subtree(word.id)
    compared = word.feats.get("Degree") == "Cmp" and any(
        one.form.lower() == "než" and one.id not in inside for one in tree.words
    )
    if compared or scope.is_denied(tree, word) or _is_contrasted(tree, word, head) or _is_parallel(tree, word, head):
        return True
    if word.lemma in lexicon.DEPICTED and word.relation in ("amod", "acl"):
        return True  # zeď s medvědem, [který je na ní namalovaný]
    if scope.is_under_all(tree, word) or scope.is_only_one(tree, word) or scope.is_in_condition(tree, word):
        return True
    if scope.is_restricted(tree, word) or scope.is_set_beside(tree, word) or scope.is_where_it_holds(tree, word):
        return True
    if word.relation == "advcl" and scope.is_condition(tree, word):
        return True
    if (_is_where_measured(tree, word, head) or scope.is_in_subject(tree, word)) and scope.is_measured(tree, word):
        return True
    if word.relation in ("obl", "nmod") and _is_exception(tree, word, head):
        return True
    if word.relation == "advmod" and head.lemma.endswith(KINDS) and word.form.endswith(("ově", "sky", "cky", "ně")):
        return True  # nervově paralytický
    if head.upos == "VERB" and head.feats.agrees(Aspect="Perf", Tense="Pres"):
        told = {word.form.lower(), *(one.lemma for one in tree.children(word.id, "det", "amod"))}
        if told & lexicon.HABITS:
            return True  # denně spadne: a habit, not a future
    return _is_said_last(tree, word, head) or _is_defined(tree, word, head) or _is_said_of_kind(tree, word, head)


def _is_where_measured(tree: Tree, word: Word, head: Word) -> bool:
    """*Cena [v obci] činí 700 Kč*: whether a phrase says where what is measured is; who are counted there are there."""
    cases = {one.lemma for one in tree.children(word.id, "case")}
    subject = tree.child(head.id, "nsubj")
    told = subject is not None and numeral(tree, subject.id) is None and head.lemma in _AMOUNTS
    return "u" in cases or (told and word.relation == "obl" and bool(cases & {"v", "na"}))


def _is_exception(tree: Tree, word: Word, head: Word) -> bool:
    """*Kromě neděle*; *při dodržování zásad budete spokojeni*: what is said holds only with it."""
    cases = {one.lemma for one in tree.children(word.id, "case")}
    helpers = tree.children(head.id, "aux", "cop")
    told = is_past(head) or any(is_past(one) for one in helpers) or (head.upos != "VERB" and not helpers)
    return bool(cases & lexicon.EXCEPTIONS) or ("při" in cases and not told)


def _is_said_last(tree: Tree, word: Word, head: Word) -> bool:
    """*Zranil se lehce*: an adverb behind a verb that has nothing else to say."""
    if word.relation != "advmod" or head.upos != "VERB" or tree.places[word.id] < tree.places[head.id]:
        return False
    if head.lemma in lexicon.POSTURES and tree.child(head.id, "nsubj") is not None:
        return False
    behind = [one for one in tree.children(head.id) if tree.places[one.id] > tree.places[head.id]]
    return not any(
        one.id != word.id and one.relation in ("obj", "iobj", "obl", "xcomp", "ccomp", "nsubj") for one in behind
    )


def _is_defined(tree: Tree, word: Word, head: Word) -> bool:
    """*Duševní klid je nejlepší lék*: what a subject is said to be holds of just that."""
    if word.relation not in ("amod", "nmod", "acl") or head.relation != "nsubj":
        return False
    said = tree[head.head]
    now = any(one.feats.get("Tense") == "Pres" for one in tree.children(said.id, "cop"))
    many = head.feats.get("Number") == "Plur" or not CZECH.is_animate(tree, head.id)
    kind = said.upos == "NOUN" or (said.upos == "ADJ" and many)  # staré domy jsou drahé
    return now and kind and said.feats.get("Case") in ("Nom", "Ins") and no_preposition(tree, said)


def _is_said_of_kind(tree: Tree, word: Word, head: Word) -> bool:
    """*Strukturální změny trvají*: what is told of a kind now need not hold of more; a dog that one sees is one."""
    if word.relation not in ("amod", "nmod", "acl") or head.relation != "nsubj" or _was(tree, tree[head.head]):
        return False
    left = [one for one in tree.children(head.id, "amod", "det", "nummod", "nmod") if one.id != word.id]
    if left or governor(tree, head.id) is not None or head.lemma in lexicon.THINGS | lexicon.ANIMALS | lexicon.OFFICES:
        return False
    one_of_them = head.feats.get("Number") == "Sing" and CZECH.is_animate(tree, head.id)
    seen = lexicon.POSTURES | lexicon.VISIBLE_ACTS | lexicon.IMPERFECTIVE | lexicon.STANDING
    shown = tree[head.head].lemma in seen and CZECH.is_animate(tree, head.id)
    return not one_of_them and not shown


def _was(tree: Tree, predicate: Word) -> bool:
    return is_past(predicate) or any(is_past(one) for one in tree.children(predicate.id, "aux", "cop"))


def _is_parallel(tree: Tree, word: Word, head: Word) -> bool:
    """*U obchodu s obilím roste, u obchodu s cukrem klesá*: the same noun with the same preposition, told apart."""
    if word.relation not in ("amod", "nmod", "acl"):
        return False
    own = {one.lemma for one in tree.children(head.id, "case")}
    for one in tree.words:
        if one.lemma != head.lemma or one.id == head.id:
            continue
        cases = {case.lemma for case in tree.children(one.id, "case")}
        if own & cases or (own == cases and one.feats.get("Case") == head.feats.get("Case")):
            return True
    return False


def _is_contrasted(tree: Tree, word: Word, head: Word) -> bool:
    """*U mědi cena roste, u cínu klesá*: what another clause sets beside it, with its preposition or as a time."""
    if word.relation not in ("obl", "advmod"):
        return False
    above = tree[head.head] if head.relation == "conj" and head.head else head
    inside = tree.subtree(word.id)
    own = {one.lemma for one in tree.children(word.id, "case")}
    clauses = [one for one in (above, *tree.children(above.id, "conj")) if one.id != head.id]
    for clause in clauses:
        beside = [clause, *tree.children(clause.id, "obl", "advmod", "orphan")]
        for one in beside:
            if one.id in inside or one.id == head.id:
                continue
            timed = {word.lemma, one.lemma} <= lexicon.TIMES
            if timed or own & {case.lemma for case in tree.children(one.id, "case")}:
                return True
    return False
