"""Coordinations that stay whole: what is said of several together, what may be no coordination, fixed pairs."""

from __future__ import annotations

from kostra.transforms.edits import is_comma, part
from kostra.transforms.en import grammar, lexicon, scope
from kostra.transforms.en.grammar import ENGLISH
from kostra.transforms.inflection import Inflector
from kostra.trees import Tree, Word

_TAKEN_UP = frozenset({"they", "them", "their", "theirs", "themselves", "both", "between", "together", "respectively"})
"""Words that take up several named before."""
_MORE = frozenset({"more", "other", "another", "others", "not", "then", "also", "even", "especially", "specifically",
                   "particularly", "mostly", "sometimes", "perhaps", "maybe", "possibly", "eventually", "finally",
                   "ultimately", "only", "just", "too"})  # fmt: skip
_MAINLY = frozenset({"mainly", "mostly", "chiefly", "largely", "primarily", "principally", "predominantly"})
_WHOLLY = frozenset({"consist", "compose", "comprise", "make", "weave", "build", "mix", "divide", "total", "form"})
"""Verbs that say of what something is, and of what else it is not: *made of hemp and wool*."""
_SHARES = frozenset({"most", "half", "majority", "third", "quarter", "total"})
_QUOTES = frozenset({'"', "'", "''", "``", "“", "”", "-", "–", "—", "(", ")", "&", "/"})
_ASKING = frozenset({"what", "which", "how", "who", "whose", "where", "when", "why"})
_DEFINITE = frozenset({"the", "these", "those", "his", "her", "its", "their", "my", "our", "your"})
_SOMEBODYS = frozenset({"daughter", "son", "brother", "sister", "wife", "husband", "nephew", "niece", "grandson",
                        "granddaughter", "cousin", "sibling", "twin", "girlfriend", "boyfriend", "spouse", "partner",
                        "friend", "owner", "assistant"})  # fmt: skip
"""People who are somebody's, so that alone they say little: *a mother and son*."""
_COMPASS = frozenset({"north", "south", "east", "west", "northeast", "northwest", "southeast", "southwest"})
_PERSONS = frozenset({"he", "she", "him", "her", "his", "hers", "himself", "herself"})
_NOT_IN_SPAN = frozenset({"SCONJ", "PUNCT"})


def why_whole(tree: Tree, first: Word, conjuncts: tuple[Word, ...], inflector: Inflector) -> str | None:
    """Why nothing goes from a coordination, or None."""
    inside = part(tree, tree.subtree(first.id))
    if any(one.form in _QUOTES for one in inside) or any(one.form.lower() in _ASKING for one in inside):
        return f"{first.form} and what is joined with it are quoted, or asked for"
    if grammar.is_supposed(tree, first):
        return f"without a part of {first.form} more would be supposed"
    if scope.is_denied(tree, first) or scope.is_under_all(tree, first):
        return f"without a part of {first.form} more would be denied, or said of all"
    if scope.says_nothing(tree, inflector):
        return f"{first.form} stands in a list or a title, where nothing is said"
    if any(one.form == "The" and tree.places[one.id] for one in inside):
        return f"{first.form} may be a title"
    if first.upos == "NUM" or any(one.form.lower() in _MORE for one in inside):
        return f"what is joined with {first.form} may not stand for itself"
    pairs = {frozenset({first.lemma.lower(), one.lemma.lower()}) for one in conjuncts}
    if pairs & lexicon.BINOMIALS:
        return f"{first.form} and {conjuncts[0].form} are one expression"
    if not all(_is_what_it_seems(one, inflector) for one in (first, *conjuncts)):
        return f"what is joined with {first.form} is hardly what it seems"
    if first.upos == "ADJ":
        return _why_adjectives_stay(tree, first, conjuncts)
    return _why_nouns_stay(tree, first, conjuncts, inside, inflector)


def _is_what_it_seems(word: Word, inflector: Inflector) -> bool:
    """Whether the dictionary has a word as what the parser took it for, if it has it: names it need not have."""
    if word.upos not in ("NOUN", "ADJ"):
        return True
    kinds = {one.upos for one in inflector.analyses(word.form.lower())}
    if word.upos == "ADJ":
        formed = word.form.lower().endswith(lexicon.ADJECTIVE_ENDINGS)
        return "ADJ" in kinds or (formed and not kinds - {"VERB"}) or word.form[:1].isupper()
    return "NOUN" in kinds or not kinds


def _why_adjectives_stay(tree: Tree, first: Word, conjuncts: tuple[Word, ...]) -> str | None:
    noun = tree[first.head]
    if any(one.feats.get("Degree") in ("Cmp", "Sup") for one in (first, *conjuncts)):
        return f"{first.form} and {conjuncts[-1].form} {noun.form} are several"
    known = any(one.form.lower() in _DEFINITE for one in tree.children(noun.id, "det", "nmod:poss"))
    counted = tree.child(noun.id, "nummod") is not None
    if noun.feats.get("Number") == "Plur" and (known or counted):
        return f"{first.form} and {conjuncts[-1].form} {noun.form} are several"  # the left and right hands
    last = max(tree.places[one] for one in tree.subtree(first.id))
    behind = tree.words[last + 1] if last + 1 < len(tree.words) else noun
    if behind.id != noun.id and behind.upos != "ADJ":
        return f"{conjuncts[-1].form} may belong to {behind.form}"
    if noun.head and tree[noun.head].lemma.lower() in lexicon.SEVERAL_OF:
        return f"{tree[noun.head].form} is of several"
    bare = not tree.children(noun.id, "det", "nmod:poss", "nummod")
    if noun.relation == "nsubj" and bare:
        return f"more would be said of all {noun.form}"
    return None


def _why_nouns_stay(
    tree: Tree, first: Word, conjuncts: tuple[Word, ...], inside: list[Word], inflector: Inflector
) -> str | None:
    start, last = tree.places[inside[0].id], tree.places[inside[-1].id]
    behind = tree.words[last + 1] if last + 1 < len(tree.words) else None
    if reason := _why_all_are_named(tree, first):
        return reason
    heads = (first, *conjuncts)
    if any(one.lemma in lexicon.BODY and is_bare(tree, one) for one in heads):
        return f"{first.form} and {conjuncts[-1].form} need no article together"  # with pale face and thin arms
    if is_bare(tree, first) and any(tree.child(one.id, "det") is not None for one in conjuncts):
        return f"{first.form} and {conjuncts[-1].form} are hardly joined"
    if _is_told_of_all(tree, last):
        return f"a clause is said of {first.form} and {conjuncts[-1].form}"
    if _is_title(tree, (first, *conjuncts), inflector):
        return f"{first.form} and {conjuncts[-1].form} may be one name"
    if any(_is_somebodys(tree, one) for one in conjuncts):
        return f"{conjuncts[-1].form} says little without {first.form}"
    if _is_somebody(tree, first) and any(one.form.lower() in _PERSONS for one in tree.words[last:]):
        return f"a pronoun may point to a part of {first.form} and {conjuncts[-1].form}"
    if behind is not None and (behind.upos == "CCONJ" or (behind.form.lower() == "to" and _is_somebody(tree, first))):
        return f"what follows may belong to {first.form} and {conjuncts[-1].form}"
    if any(one.form.lower() in _TAKEN_UP for one in tree.words):
        return "several are taken up by a pronoun"
    if any(one.lemma.lower() in lexicon.MANY for one in tree.children(first.id, "amod", "det")):
        return f"how many is said of {first.form} and {conjuncts[-1].form}"
    if any(one.form.lower() in ("%", "percent", "half", "most") for one in tree.words[:start]):
        return "a share is said of several"
    if first.form.lower() in lexicon.COLOURS:
        return f"{first.form} may be an adjective"  # an old and a new boat
    if tree.child(first.id, "nummod") and not all(tree.children(one.id, "det", "nummod") for one in conjuncts):
        return f"the number may count {conjuncts[-1].form} as well"
    if first.relation in ("obj", "obl", "nmod") and any(_may_be_verb(tree, first, one, inflector) for one in conjuncts):
        return f"{conjuncts[-1].form} may be a verb"
    if first.relation in ("obj", "obl", "nmod") and _verb_follows(tree, first, start, last):
        return f"{conjuncts[-1].form} may be the subject of what follows"
    return None


def is_bare(tree: Tree, noun: Word) -> bool:
    """Whether one thing is named without an article."""
    return noun.feats.get("Number") == "Sing" and tree.child(noun.id, "det", "nmod:poss", "nummod") is None


def _is_told_of_all(tree: Tree, last: int) -> bool:
    """Whether a relative clause follows a coordination: *Ann and Bob, who sing*."""
    following = [one for one in tree.words[last + 1 : last + 4] if not is_comma(one)][:2]
    return any(one.form.lower() in ENGLISH.relatives for one in following)


def _is_title(tree: Tree, heads: tuple[Word, ...], inflector: Inflector) -> bool:
    """Whether common nouns have capitals, as in names: *School of Dance and Drama*, *Arts and Theatre Hall*."""
    common = [one for one in heads if one.form[:1].isupper() and _is_common(one, inflector)]
    if len(common) > 1:
        return True
    parts = [near for one in common for near in tree.children(one.id, "compound", "flat", "amod")]
    return any(one.form[:1].isupper() and one.form.lower() not in _COMPASS for one in parts)


def _why_all_are_named(tree: Tree, first: Word) -> str | None:
    """Why a phrase names all there are, so that less of it says something else, or None."""
    cases = {one.form.lower() for one in tree.children(first.id, "case")}
    above = tree[first.head] if first.head else first
    if "with" in cases and any(one.form.lower() == "alone" for one in tree.words[: tree.places[first.id]]):
        return f"without a part of {first.form} somebody would be more alone"  # alone with a dog and a cat
    if "in" in cases and above.form.lower() in ("dressed", "clothed", "clad"):
        return f"{above.form} says all that is worn"
    start = min(tree.places[one] for one in tree.subtree(first.id))
    if any(one.form.lower() in _MAINLY for one in tree.words[max(0, start - 2) : tree.places[first.id]]):
        return f"what holds mainly of {first.form} and another need not hold mainly of one"
    if above.lemma in _WHOLLY and first.relation in ("obl", "obj", "nsubj", "nmod"):
        return f"{above.form} tells all that there is"
    if first.relation == "nsubj" and any(one.form.lower() in _SHARES for one in tree.descendants(above.id)):
        return f"what is a great part of several is none of {first.form}"
    given = first.relation == "obj" and above.lemma in lexicon.GIVES_TO | lexicon.GIVES_FOR
    if given and tree.child(above.id, "iobj") is None and tree.child(first.id, "compound", "nmod") is not None:
        return f"{first.form} may be two objects"  # gave the children sweets and a toy
    return None


def _is_common(word: Word, inflector: Inflector) -> bool:
    return any(found.upos == "NOUN" and found.lemma.islower() for found in inflector.analyses(word.form.lower()))


def _is_somebodys(tree: Tree, noun: Word) -> bool:
    return noun.lemma.lower() in _SOMEBODYS and tree.child(noun.id, "nmod:poss") is None


def _is_somebody(tree: Tree, noun: Word) -> bool:
    return noun.upos in ("PROPN", "PRON") or ENGLISH.is_animate(tree, noun.id)


def _may_be_verb(tree: Tree, first: Word, conjunct: Word, inflector: Inflector) -> bool:
    """Whether a bare noun may be a verb joined with another: *picks flowers and fish*, *aims at it and miss*."""
    term = tree.child(conjunct.id, "compound", "amod")
    if term is not None and tree.children(first.id, "det") and not tree.children(conjunct.id, "det", "nmod:poss"):
        return any(
            one.upos == "VERB" for one in inflector.analyses(term.form.lower())
        )  # takes a seat and let birds sing
    if any(one.relation not in ("cc", "punct") for one in tree.children(conjunct.id)):
        return False
    kinds = {(one.upos, one.feats.get("VerbForm")) for one in inflector.analyses(conjunct.form.lower())}
    verb = any(upos == "VERB" for upos, _ in kinds)
    return verb and (first.relation == "obj" or bool(tree.children(first.id, "det", "nmod:poss")))


def _verb_follows(tree: Tree, first: Word, start: int, last: int) -> bool:
    """Whether a finite verb follows without a subject between: *she loved the lore and the tone of it was fine*."""
    if first.head and tree.places[first.head] > start:
        return False
    for word in tree.words[last + 1 :]:
        if word.upos in _NOT_IN_SPAN or is_comma(word) or word.feats.get("PronType") in ("Rel", "Int"):
            return False
        if word.upos == "PRON" and word.relation == "nsubj":
            return False
        if word.upos in ("VERB", "AUX") and word.feats.get("VerbForm") == "Fin":
            return True
    return False
