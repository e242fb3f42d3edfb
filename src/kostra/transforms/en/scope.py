"""Where less cannot be said without saying something else, or where nothing is said at all: a list of names."""

from __future__ import annotations

from collections.abc import Iterator

from kostra.transforms.en import grammar, lexicon
from kostra.transforms.en.grammar import ENGLISH
from kostra.transforms.inflection import Inflector
from kostra.trees import Tree, Word

_OF_AMOUNT = frozenset({"few", "little"})
"""Words that deny where no article stands before them: *few boys*, and not *the few boys*, *a little boy*."""
_ALL = frozenset({"all", "any", "anybody", "anyone", "anything", "each", "every", "everybody", "everyone",
                  "everything", "only", "whatever", "whoever"})  # fmt: skip
_REFUSING = frozenset({"deny", "doubt", "fail", "prevent", "refuse"})
_CLAUSES = frozenset({"acl", "advcl", "ccomp", "csubj", "xcomp"})
_DESCRIBING = frozenset({"acl", "amod", "nmod"})


def is_denied(tree: Tree, word: Word) -> bool:
    """Whether something above a word denies it, in its own clause or around it: *shelves not filled with jars*."""
    if _is_without(tree, word) or any(_is_no(tree, one) for one in tree.children(word.id, "det", "amod", "advmod")):
        return True
    for below, at in _steps(tree, word):
        if at.lemma.lower() in _REFUSING and below.relation in _CLAUSES:
            return True
        joined = below.relation in ("conj", "parataxis") and at.upos in ("VERB", "AUX")
        own_subject = below.id == word.id and below.relation == "nsubj"
        if not joined and not own_subject and (_is_without(tree, at) or _denies(tree, at)):
            return True
    return False


def is_under_all(tree: Tree, word: Word) -> bool:
    """*Everyone who sells apples and pears*: of fewer things more would be said of all."""
    for below, at in _steps(tree, word):
        beside = (at, *tree.children(at.id, "det", "det:predet", "amod", "advmod"))
        if below.relation in _DESCRIBING and any(one.lemma.lower() in _ALL for one in beside if one.id != below.id):
            return True
    return False


def says_nothing(tree: Tree, inflector: Inflector) -> bool:
    """Whether a text has no verb in any tense and no participle behind a noun, or a name for its verb."""
    verbs = [one for one in tree.words if one.upos in ("VERB", "AUX")]
    nouns = [tree.places[one.id] for one in tree.words if one.upos in ("NOUN", "PROPN", "PRON")]
    first = min(nouns, default=len(tree.words))
    told = [one for one in verbs if one.feats.get("VerbForm") == "Fin" or tree.places[one.id] > first]
    return all(_may_be_name(one, inflector) for one in told)


def _may_be_name(verb: Word, inflector: Inflector) -> bool:
    """Whether no dictionary has a verb, and it does not end as one: *anna lena oskar and ida* in small letters."""
    form = verb.form.lower()
    return verb.upos == "VERB" and not form.endswith(("ed", "ing", "s")) and not inflector.analyses(form)


def _steps(tree: Tree, word: Word) -> Iterator[tuple[Word, Word]]:
    """A word and what it hangs on, up to the root."""
    while word.head:
        above = tree[word.head]
        yield word, above
        word = above


def _is_without(tree: Tree, word: Word) -> bool:
    return any(one.form.lower() == "without" for one in tree.children(word.id, "case", "mark"))


def _denies(tree: Tree, at: Word) -> bool:
    """Whether a word says no: by itself, by a *not* beside it, or by a *nobody* that does it."""
    group = (at, *grammar.helpers(tree, at.id))
    near = [one for word in group for one in tree.children(word.id, "advmod", "cc", "det", "amod")]
    for noun in tree.children(at.id, "nsubj", "obj", "iobj", "obl"):
        near += [noun, *tree.children(noun.id, "det", "amod", "advmod")]
    return any(one.form.lower() == "cannot" or _is_no(tree, one) for one in (*group, *near))


def _is_no(tree: Tree, word: Word) -> bool:
    if word.lemma.lower() not in lexicon.NEGATIVE:
        return False
    before = tree.words[tree.places[word.id] - 1] if tree.places[word.id] else None
    named = before is not None and (before.upos in ("DET", "ADJ", "NUM") or before.relation == "nmod:poss")
    small = word.form.lower() == "little" and word.head and _is_counted(tree, tree[word.head])
    return word.lemma.lower() not in _OF_AMOUNT or not (named or small)


def _is_counted(tree: Tree, noun: Word) -> bool:
    """Whether *little* can only mean small: *little lamps*, *little girl*."""
    return noun.feats.get("Number") == "Plur" or ENGLISH.is_animate(tree, noun.id)
