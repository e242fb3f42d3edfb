"""Where more goes with an adjunct than a detail: a comparison, a contrast, a habit, an exception."""

from __future__ import annotations

from kostra.transforms.cs import lexicon, scope
from kostra.transforms.cs.grammar import CZECH, is_past
from kostra.transforms.inflection import inflector
from kostra.transforms.shared.looking import governor, is_participle, no_preposition, numeral
from kostra.trees import Tree, Word

KINDS = ("ní", "ský", "cký", "ový", "čí", "cí")
"""Endings of adjectives that say of which kind something is."""

_CASES = frozenset({"případ", "okolnost", "podmínka", "situace", "režim", "nastavení"})
"""Nouns of when something holds."""
_SHARES = frozenset({"podíl", "část", "většina", "menšina", "polovina", "třetina", "čtvrtina", "procento"})
"""Nouns of how much of something is meant."""
_NEEDED = frozenset({"nutný", "možný", "třeba", "zapotřebí", "potřebný", "nezbytný", "schopný", "ochotný", "povinný"})
"""Adjectives of what holds of less as well."""
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
    if _is_valued(tree, word) or _is_likened(tree, head, word) or _is_limited(tree, word):
        return True
    if _is_made(tree, word, head) or _is_part_told(tree, word, head):
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
    return _is_said_last(tree, word, head) or _is_defined(tree, word, head) or limits_kind(tree, word)


def _is_limited(tree: Tree, word: Word) -> bool:
    """*V mnoha případech*, *za jistých okolností*, *čím rychleji*, *přesněji řečeno*: how far what is said holds."""
    cases = {one.lemma for one in tree.children(word.id, "case")}
    if word.relation in ("obl", "nmod") and word.lemma in _CASES and cases & {"v", "za", "při"}:
        return True
    if word.relation == "amod" and (tree[word.head].lemma in _CASES or word.lemma in lexicon.VAGUE_QUANTITIES):
        return True
    if any(one.deprel == "fixed" and one.lemma == "případ" for one in tree.descendants(word.id)):
        return True  # v případě deště
    before = tree.words[tree.places[word.id] - 1].form.lower() if tree.places[word.id] else ""
    compared = word.feats.get("Degree") == "Cmp" and before in ("čím", "tím")
    return compared or (word.relation == "advmod" and tree[word.head].form.lower() in ("řečeno", "vzato"))


def _is_valued(tree: Tree, word: Word) -> bool:
    """*Je nejlepší chodit pomalu*: whether a word stands in what is judged, which less of it need not be."""
    for one in scope.ancestors(tree, word):
        above = tree[one.head] if one.head else one
        if one.feats.get("VerbForm") == "Inf" and above.upos in ("ADJ", "ADV") and above.id != one.id:
            return above.lemma not in _NEEDED and not is_participle(above)
    return False


def _is_likened(tree: Tree, head: Word, word: Word) -> bool:
    """*Couvl jako pes, na kterého…*, *spíš než v lidském životě*: what something is compared with is all of it."""
    compared = any(one.form.lower() in ("jako", "než") for one in tree.children(head.id))
    return word.relation in ("amod", "acl", "nmod") and compared and not CZECH.is_predicate(tree, head)


def _is_made(tree: Tree, word: Word, head: Word) -> bool:
    """*Tvoří ostré hrany*, *překovat v meče*: what something makes or is turned into is said by all of it."""
    above = tree[head.head] if head.head else head
    made = head.relation == "obj" or above.lemma in ("vzniknout", "vznikat")
    if word.relation in ("amod", "acl") and made and above.lemma in lexicon.MAKING:
        return True
    into = any(one.lemma == "v" for one in tree.children(word.id, "case")) and tree.child(head.id, "obj") is not None
    if word.relation != "obl" or not into:
        return False
    readings = [one.feats.get("Case", "") for one in inflector("cs").analyses(word.form.lower()) if one.upos == "NOUN"]
    return "Acc" in readings and not any("Loc" in cases for cases in readings) and word.lemma not in lexicon.TIMES


def _is_part_told(tree: Tree, word: Word, head: Word) -> bool:
    """*Určuje podíl lidí, kteří…*: whether a clause tells of what a share is spoken."""
    above = tree[head.head] if head.head else head
    shares = {head.lemma, *(one.lemma for one in tree.children(head.id, "det", "nummod"))}
    shares |= {above.lemma} if head.relation == "nmod" else set()
    return word.relation == "acl" and bool(shares & _SHARES)


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


def limits_kind(tree: Tree, word: Word) -> bool:
    """*Strukturální změny trvají*: what is told of a kind now need not hold of more; a dog that one sees is one."""
    head = tree[word.head] if word.head else word
    if word.relation not in ("amod", "nmod", "acl") or head.relation != "nsubj" or _was(tree, tree[head.head]):
        return False
    telling = ("amod",) if word.relation == "acl" else ()  # of a clause, which may be said by the way
    left = [one for one in tree.children(head.id, "det", "nummod", "nmod", *telling) if one.id != word.id]
    if left or governor(tree, head.id) is not None or head.lemma in lexicon.THINGS | lexicon.ANIMALS | lexicon.OFFICES:
        return False
    seen = lexicon.POSTURES | lexicon.VISIBLE_ACTS | lexicon.IMPERFECTIVE | lexicon.STANDING
    return not (
        CZECH.is_animate(tree, head.id) and (head.feats.get("Number") == "Sing" or tree[head.head].lemma in seen)
    )


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
        if not CZECH.is_animate(tree, head.id) and head.lemma not in lexicon.THINGS and tree.child(one.id, "amod"):
            return True  # spotřeba soukromých statků neplatí pro veřejné statky
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
