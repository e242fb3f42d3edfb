"""Which Czech relative clauses stay clauses, because they may be said of another noun, or say more than they seem."""

from __future__ import annotations

from kostra.transforms.cs import lexicon
from kostra.transforms.cs.grammar import CZECH, form_in_case, is_bare
from kostra.transforms.cs.participles import is_uncertain_case
from kostra.transforms.inflection import Inflector
from kostra.transforms.shared.looking import is_participle
from kostra.trees import Tree, Word


def ends_alone(tree: Tree, verb: Word) -> bool:
    """Whether a verb that hardly says more than that somebody is there closes the sentence alone."""
    last = [one for one in tree.words[tree.places[verb.id] :] if one.upos != "PUNCT"]
    return last == [verb] and verb.lemma in lexicon.STANDING


def has_subject_behind(tree: Tree, verb: Word, inflector: Inflector) -> bool:
    """*Vozík, který tlačí žena*: whether a noun behind the verb is its subject, so that the pronoun is the object."""
    for one in tree.children(verb.id):
        if one.upos not in ("NOUN", "PROPN") or tree.places[one.id] < tree.places[verb.id]:
            continue
        if is_bare(tree, one, "Nom") and (one.relation == "nsubj" or form_in_case(inflector, one, "Acc") != one.form):
            return True
        alike = form_in_case(inflector, one, "Nom") == one.form.lower()
        things = verb.head in tree and not CZECH.is_animate(tree, verb.head)
        if one.relation == "obj" and alike and things and CZECH.is_animate(tree, one.id):
            return True  # kolo, které veze dítě
    return False


def stays_clause(tree: Tree, verb: Word, noun: Word, pronoun: Word, inflector: Inflector) -> str | None:
    """Why a relative clause cannot become a participle of the noun on which a parser hung it, or None."""
    if noun.upos == "PROPN":
        return f"what is said of {noun.form} is said by the way"
    if any(one.form[:1].isupper() and one.id != tree.words[0].id for one in tree.children(noun.id, "amod", "flat")):
        return f"there is one {noun.form} of that name, and the clause is said by the way"
    alike = noun.head and tree[noun.head].feats.get("Case") == noun.feats.get("Case")
    joins = alike and any(one.form.lower() in ("a", "i", "nebo", "či") for one in tree.children(noun.id, "cc"))
    if noun.relation == "conj" and joins and "Plur" in pronoun.feats.get("Number", ""):
        return f"the clause may be said of more than {noun.form}"
    if (other := _noun_before(tree, noun, pronoun) or _noun_between(tree, noun, pronoun)) is not None:
        return f"the clause may be said of {other.form}"
    if is_uncertain_case(tree, noun, inflector):
        return f"the case of {noun.form} is not certain"
    if _has_participle_behind(tree, noun):
        return f"a participle stands behind {noun.form} already"
    above = tree[noun.head] if noun.head else noun
    if any(one.lemma == "ten" for top in (noun, above) for one in tree.children(top.id, "det")):
        return f"ten points to the clause behind {noun.form}"
    number = noun.feats.get("Number")
    open_form = pronoun.form.lower() in ("která", "které", "jež")  # one and several
    if pronoun.relation == "nsubj" and open_form and verb.feats.get("Number", number) != number:
        return f"{verb.form} does not agree with {noun.form}"
    same = all(above.feats.get(name) == noun.feats.get(name) for name in ("Number", "Gender"))
    if noun.relation == "nmod" and same and above.lemma not in CZECH.quantities and above.upos in ("NOUN", "PROPN"):
        return f"the clause may be said of {above.form}"
    place = tree.places[min(tree.subtree(verb.id), key=tree.places.__getitem__)]
    if place and tree.words[place - 1].upos == "PUNCT" and tree.words[place - 1].form != ",":
        return f"brackets or quotation marks stand before {verb.form}"
    for one in tree.descendants(verb.id):
        if one.relation == "conj" and one.upos == "NOUN" and not inflector.analyses(one.form.lower()):
            return f"{one.form} may be another predicate"
    return None


def is_one_of_clauses(tree: Tree, verb: Word, noun: Word) -> str | None:
    """*Druhy, které kvetou, mají trny nebo voní*: why a clause may be the first of several with one pronoun."""
    joined = next((one for one in tree.children(verb.id, "conj", "parataxis") if one.upos != "NOUN"), None)
    if joined is not None:
        return f"{verb.form} and {joined.form} share a pronoun"
    end = max(tree.places[one] for one in tree.subtree(verb.id) if tree[one].upos != "PUNCT") + 1
    behind = next((one for one in tree.words[end:] if one.form != ","), None)
    early = _has_verb_before(tree, noun)
    if behind is not None and behind.upos in ("VERB", "AUX") and tree.words[end].form == "," and early:
        return f"{behind.form} may belong to the pronoun as well"
    return None


def _has_verb_before(tree: Tree, noun: Word) -> bool:
    """*V kleci je pták, který*: whether a verb stands before a noun in its clause, whatever a parser made of it."""
    for one in reversed(tree.words[: tree.places[noun.id]]):
        if one.form == "," or one.upos in ("CCONJ", "SCONJ"):
            return False
        if one.upos in ("VERB", "AUX") and one.feats.get("VerbForm") != "Inf":
            return True
    return False


def _noun_before(tree: Tree, noun: Word, pronoun: Word) -> Word | None:
    """*Muž v klobouku, který*: the noun right before a phrase with a preposition, if the pronoun agrees with it."""
    first = min(tree.places[one] for one in tree.subtree(noun.id))
    before = tree.words[first - 1] if first and tree.child(noun.id, "case") is not None else None
    if before is None or before.upos not in ("NOUN", "PROPN") or before.lemma in CZECH.quantities:
        return None
    names = [name for name in ("Number", "Gender") if name in pronoun.feats and name in before.feats]
    return before if all(before.feats[name] in pronoun.feats[name].split(",") for name in names) else None


def _noun_between(tree: Tree, noun: Word, pronoun: Word) -> Word | None:
    """*Bušení srdce, které*: a noun behind another that does not live, if the pronoun agrees with both."""
    if CZECH.is_animate(tree, noun.id):
        return None
    for one in tree.words[tree.places[noun.id] + 1 : tree.places[pronoun.id]]:
        names = [name for name in ("Number", "Gender") if name in pronoun.feats and name in one.feats]
        if one.upos == "NOUN" and all(one.feats[name] in pronoun.feats[name].split(",") for name in names):
            return one
    return None


def _has_participle_behind(tree: Tree, noun: Word) -> bool:
    """*Kanál lemovaný vrbami, který vede kolem*: whether one participle would stand behind another."""
    own = [one for one in tree.children(noun.id, "amod", "acl") if one.upos == "ADJ" and "Case" in one.feats]
    own = [one for one in own if one.deprel != "acl:relcl"]
    return any(is_participle(one) and tree.places[one.id] > tree.places[noun.id] for one in own)
