"""When a whole sentence is sure to be denied by one *not*: one clause, nothing beside it, nothing that not may miss."""

from __future__ import annotations

import re

from kostra.transforms.edits import is_comma
from kostra.transforms.en import grammar, lexicon
from kostra.transforms.en.grammar import ENGLISH
from kostra.transforms.shared import looking
from kostra.trees import Tree, Word

_ASIDE = re.compile(r"[()\[\]:;–—]|--|\.\.|(^|\s)-|-(\s|$)")
"""Marks that part one thing said from another; a hyphen inside a word does not."""
_CLAUSE_OPENERS = frozenset({"because", "until", "unless", "since", "while", "whilst", "as", "when",
                             "whenever", "after", "before", "although", "though", "so", "whereas", "if",
                             "once", "like", "than"})  # fmt: skip
_ADVERBS = frozenset({"also", "already", "now", "currently", "here", "there", "outside", "inside",
                      "outdoors", "indoors", "together", "today", "tonight", "yesterday", "tomorrow",
                      "home", "up", "down", "out", "off", "away", "back", "around", "along", "over",
                      "on", "in", "through", "by", "past", "forward", "upside", "actually", "certainly",
                      "clearly", "definitely", "really", "however", "nearby", "alone", "underwater"})  # fmt: skip
"""Adverbs of a verb beside which *not* denies the whole, as forms, beside manners behind the verb."""
_HOW_OFTEN = frozenset({"every", "each", "many", "several", "all", "most", "few"})
_SPOKEN = frozenset({"okay", "ok", "plus", "anyway", "please"})
_NOMINAL = frozenset({"NOUN", "PROPN", "PRON", "NUM"})
_DEEPER = frozenset({"nmod", "acl", "compound", "nsubj", "appos"})
_PLACES_OF_OR = frozenset({"obj", "obl", "root"})


def why_unclear(tree: Tree, root: Word) -> str | None:
    """Why *not* may reach only a part of what a sentence says, or None."""
    finite = grammar.finite_word(tree, root.id) or root
    begins = tree.places[finite.id]
    return (
        _aside(tree, begins)
        or _caption(tree, root)
        or _second_clause(tree, root, begins)
        or _adverb(tree, root, begins)
        or _joined(tree, root, begins)
        or _headline(tree)
    )


def _aside(tree: Tree, begins: int) -> str | None:
    """A dash or bracket anywhere; a comma behind the verb but in *Bath, Ohio*, *in 2,000* and *a big, old barn*."""
    if _ASIDE.search(tree.text):
        return "an aside would stay as it is"
    for place, word in enumerate(tree.words):
        if place <= begins or not is_comma(word) or place + 1 >= len(tree.words):
            continue
        near = tree.words[place - 1], tree.words[place + 1]
        named = all(one.form[:1].isupper() or one.form[:1].isdigit() for one in near)
        if not named and any(one.upos != "ADJ" for one in near):
            return f"what is said with {near[1].form} would stay as it is"
    return None


def _caption(tree: Tree, root: Word) -> str | None:
    """A clause inside the subject, so that the root is rather its verb: *a man rowing as the rain falls*."""
    subject = looking.subject(tree, root.id)
    inside = tree.descendants(subject.id) if subject is not None else ()
    opens = next((one for one in inside if one.form.lower() in _CLAUSE_OPENERS and one.upos != "VERB"), None)
    return f"{root.form} may stand in the clause with {opens.form}" if opens is not None else None


def _second_clause(tree: Tree, root: Word, begins: int) -> str | None:
    """A clause beside the one that is denied, but *sits reading*, *runs to catch it* and *is walking and talking*."""
    for one in tree.children(root.id, "advcl", "conj", "parataxis"):
        if one.relation == "conj" and not _is_like_first(tree, root, one):
            return f"{one.form} would be denied, or not"
        opened = any(near.form.lower() != "to" for near in tree.children(one.id, "mark", "advmod"))
        told = looking.subject(tree, one.id) is not None or grammar.helpers(tree, one.id)
        if one.relation == "parataxis" or (
            one.relation == "advcl" and (told or opened) and tree.places[one.id] > begins
        ):
            return f"the clause with {one.form} would be negated, or not"
    for word in tree.words[begins + 1 :]:
        if (
            word.upos in ("SCONJ", "ADV")
            and word.form.lower() in _CLAUSE_OPENERS
            and word.relation in ("mark", "advmod")
        ):
            return f"the clause with {word.form} would be negated, or not"
        if word.deprel == "acl:relcl" and not _has_pronoun(tree, word):
            return f"{word.form} has no relative pronoun"  # the day [they came]
    return None


def _has_pronoun(tree: Tree, clause: Word) -> bool:
    inside = sorted(tree.subtree(clause.id), key=tree.places.__getitem__)
    return any(tree[one].form.lower() in ENGLISH.relatives | {"where"} for one in inside[:3])


def _is_like_first(tree: Tree, root: Word, joined: Word) -> bool:
    """Whether what is joined with a predicate stands under its auxiliary or copula: *is walking and talking*."""
    joint = tree.child(joined.id, "cc")
    if joint is None or joint.form.lower() not in ("and", "or"):
        return False
    if is_comma(tree.words[tree.places[joint.id] - 1]) or looking.subject(tree, joined.id) is not None:
        return False
    if grammar.helpers(tree, joined.id) or len(tree.children(root.id, "conj")) > 1:
        return False
    if grammar.is_ing(root) or grammar.is_ing(joined):
        return grammar.is_ing(root) and grammar.is_ing(joined)
    named = tree.child(root.id, "cop") is not None
    alike = {root.upos, joined.upos} == {"ADJ"} or {root.upos, joined.upos} <= _NOMINAL
    cases = [one.form.lower() for one in tree.children(joined.id, "case")]
    return named and alike and cases in ([], [one.form.lower() for one in tree.children(root.id, "case")])


def _adverb(tree: Tree, root: Word, begins: int) -> str | None:
    """Adverbs that may stand for themselves, but a few; manners may stand behind the verb."""
    often = {
        one.form.lower() for near in tree.children(root.id, "obl") for one in tree.children(near.id, "det", "amod")
    }
    if often & _HOW_OFTEN and any(one.deprel == "obl:unmarked" for one in tree.children(root.id)):
        return "how often it is so would be denied, or that it is"
    loose = next((one for one in tree.words if one.upos == "INTJ" or one.form.lower() in _SPOKEN), None)
    if loose is not None:
        return f"what is said with {loose.form} would stay as it is"
    for one in tree.children(root.id, "advmod"):
        form = one.form.lower()
        manner = (
            form.endswith(("ly", "wards", "ward"))
            and form not in lexicon.SENTENCE_ADVERBS
            and tree.places[one.id] > begins
        )
        manner = manner and tree.places[one.id] > tree.places[root.id]
        if form not in _ADVERBS and not manner and form != "not" and tree.places[one.id]:
            return f"{one.form} would be denied, or not"
    return None


def _joined(tree: Tree, root: Word, begins: int) -> str | None:
    """Things joined behind the verb, but two of a kind that *or* can join, adjectives, and what stands in a noun."""
    for joint in tree.words[begins + 1 :]:
        if joint.upos != "CCONJ":
            continue
        last = tree[joint.head] if joint.head else joint
        first = tree[last.head] if last.head else last
        if last.relation != "conj":
            return f"what {joint.form} joins would be denied, or not"
        inside = _is_inside_noun(tree, first) and first.upos == last.upos
        if first.id == root.id or {first.upos, last.upos} == {"ADJ"} or inside:
            continue
        alike = {first.upos, last.upos} <= _NOMINAL and len(tree.children(first.id, "conj")) == 1
        if not alike or first.relation not in _PLACES_OF_OR or first.head != root.id or tree.child(last.id, "case"):
            return f"what is joined with {first.form} would be denied, or not"
    return None


def _is_inside_noun(tree: Tree, word: Word) -> bool:
    """Whether a word stands in what a noun is said to be: *the sound of drums and bells*."""
    at = word
    while at.head:
        if at.relation in _DEEPER:
            return True
        at = tree[at.head]
    return False


def _headline(tree: Tree) -> str | None:
    """What has neither article nor full stop, and whose verb may be a participle: *Two miners found safe*."""
    ends = tree.words[-1].upos == "PUNCT"
    plain = any(one.upos in ("DET", "PRON") for one in tree.words)
    return None if ends or plain else "a headline, hardly a sentence"


def is_note(tree: Tree, root: Word) -> bool:
    """Whether somebody is named without an article: *man is watching a dog*."""
    subject = looking.subject(tree, root.id)
    if subject is None or subject.upos != "NOUN" or subject.feats.get("Number") != "Sing":
        return False
    bare = tree.child(subject.id, "det", "nmod:poss", "nummod") is None
    return bare and ENGLISH.is_animate(tree, subject.id)


def says_what_is_worn(tree: Tree, root: Word) -> bool:
    """Whether a phrase of a verb says what its subject wears: *is rowing in a red jacket*."""
    subject = looking.subject(tree, root.id)
    before = tree.subtree(subject.id) if subject is not None else frozenset()
    worn = [one for one in tree.descendants(root.id) if one.lemma.lower() in lexicon.WORN and one.id not in before]
    return any(near.form.lower() in ("in", "with") for one in worn for near in tree.children(one.id, "case"))
