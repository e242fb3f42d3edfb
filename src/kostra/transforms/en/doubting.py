"""Parses that no rule should build on: what English forbids, though the parser drew it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from kostra.transforms.edits import is_comma
from kostra.transforms.en import grammar, lexicon
from kostra.transforms.en.grammar import ENGLISH
from kostra.transforms.en.mending_clauses import is_act
from kostra.transforms.engine import Draft, Tools
from kostra.transforms.inflection import Inflector
from kostra.trees import Tree, Word

Apply = Callable[[Tree, Tools], Iterator[Draft]]
_TYPED = frozenset({"r", "u", "ur", "thx", "plz", "pls", "cuz", "coz", "dont", "cant", "didnt", "doesnt", "lol",
                    "aint", "isnt", "wasnt"})  # fmt: skip
"""What people type in haste, as forms."""
_NEVER_LAST = frozenset({"a", "an", "the", "and", "or", "but", "because", "if", "my", "your", "their", "our"})
_NEEDS_OBJECT = frozenset({"arrest", "capture", "charge", "elect", "hospitalise", "hospitalize", "injure", "jail",
                           "kill", "name", "rescue", "sentence", "wound", "mount", "accuse", "blame"})  # fmt: skip
"""Verbs that without an object are passives without their auxiliary, as in headlines."""
_WITH_PLURALS = frozenset({"few", "dozen", "couple", "hundred", "thousand", "million", "great", "good", "lot", "bunch"})
"""What may stand between *a* and a plural."""


def trusting(apply: Apply) -> Apply:
    """A rule that refuses what is hardly parsed right, and says so."""

    def careful(tree: Tree, tools: Tools) -> Iterator[Draft]:
        reason = doubtful(tree, tools.inflector)
        if reason is None:
            yield from apply(tree, tools)
        else:
            tools.why(f"hardly parsed right: {reason}", None)

    return careful


def doubtful(tree: Tree, inflector: Inflector) -> str | None:
    """What in a tree cannot be English, or None."""
    for word in tree.words:
        reason = _crowded(tree, word) or _misjoined(tree, word, inflector) or _mistagged(tree, word, inflector)
        reason = reason or _disagreeing(tree, word, inflector) or _bare_predicate(tree, word)
        if reason is not None:
            return reason
    return _lost_subject(tree) or _hidden_clause(tree) or _false_root(tree, inflector) or _several(tree, inflector)


def _several(tree: Tree, inflector: Inflector) -> str | None:
    """A full stop behind a short word, before a capital; a comma inside a word."""
    for word, stop, after in zip(tree.words, tree.words[1:], tree.words[2:], strict=False):
        if stop.form == "." and word.form.islower() and after.form[:1].isupper() and inflector.analyses(word.form):
            return f"a sentence ends with {word.form}"
    if any(one.form.lower() in _TYPED or re.search(r"([a-z])\1\1\1", one.form) for one in tree.words):
        return "typed in haste"
    small = any(one.form == "i" for one in tree.words) and any(one.form[:1].isupper() for one in tree.words[1:])
    if small or re.search(r"[^\W\d],[^\W\d]", tree.text):
        return "typed in haste"
    if re.search(r"\b(on|in|with|at|for) that (is|are|was|were|has)\b", tree.text):
        return "a preposition has lost its noun"  # a raft on that is floating
    said = [one for one in tree.words if one.upos != "PUNCT"]
    if said and said[-1].form.lower() in _NEVER_LAST:
        return f"it breaks off with {said[-1].form}"
    finite = grammar.finite_word(tree, tree.root.id)
    if finite is not None and finite.form.isupper() and len(finite.form) > 1:
        return "all in capitals"
    joined = next((one for one in tree.words if re.search(r"[^\W\d],[^\W\d]", one.form)), None)
    return f"{joined.form} is two words" if joined is not None else None


def _crowded(tree: Tree, word: Word) -> str | None:
    """Two subjects or copulas of one predicate; *a* with a plural."""
    if len(tree.children(word.id, "nsubj")) > 1 or len(tree.children(word.id, "cop")) > 1:
        return f"{word.form} has two subjects or two copulas"
    copula, mark = tree.child(word.id, "cop"), tree.child(word.id, "mark")
    if copula is not None and copula.lemma not in grammar.MODALS | {"be"}:
        return f"{copula.form} is no copula"  # the horse does a kick
    if (
        copula is not None
        and mark is not None
        and mark.form == "that"
        and tree.places[copula.id] < tree.places[mark.id]
    ):
        return f"{word.form} is rather what the clause with {mark.form} is about"  # the reason was that the rope broke
    before = tree.words[tree.places[word.id] - 1] if tree.places[word.id] else word
    if word.relation == "nsubj" and word.form.lower() == "that" and before.upos == "ADP":
        return f"{before.form} {word.form} opens no sentence"  # a raft on that is floating
    if word.relation == "nsubj" and tree.child(word.id, "cop", "nsubj") is not None:
        return f"{word.form} is subject and predicate"
    if word.upos == "NOUN" and word.feats.get("Number") == "Plur" and word.form.lower() != word.lemma.lower():
        article = next((one for one in tree.children(word.id, "det") if one.form.lower() in ("a", "an")), None)
        between = tree.words[tree.places[article.id] + 1 : tree.places[word.id]] if article is not None else ()
        if article is not None and not any(one.lemma in _WITH_PLURALS or one.upos == "NUM" for one in between):
            return f"{article.form} stands with {word.form}"
    return _no_subject(tree, word)


def _no_subject(tree: Tree, word: Word) -> str | None:
    """A subject that only owns something; a subject of what can have none."""
    form, head = word.form.lower(), tree[word.head] if word.head else word
    if word.relation == "nsubj" and form in _OWNERS:
        return f"{word.form} owns something, and does nothing"  # our wilted roses
    if word.relation == "nsubj" and head.upos in ("ADV", "SCONJ") and tree.child(head.id, "cop") is None:
        return f"{word.form} has lost its verb"  # when the guard shouted
    return None


_OWNERS = frozenset({"my", "your", "her", "our", "their"})
_WITH_ONE = frozenset({"he", "she", "it"})
_WITH_SEVERAL = frozenset({"i", "you", "we", "they"})
_OF_ONE = frozenset({"is", "was", "has", "does"})


def _disagreeing(tree: Tree, word: Word, inflector: Inflector) -> str | None:
    """A verb that does not agree with its subject, as where somebody writes in haste: *they goes*."""
    subject, finite = tree.child(word.id, "nsubj"), grammar.finite_word(tree, word.id)
    if subject is None or finite is None or tree.child(subject.id, "conj") is not None:
        return None
    own, form = subject.form.lower(), finite.form.lower()
    present = finite.feats.get("Tense") == "Pres" and finite.lemma not in grammar.MODALS
    ends = present and form != finite.lemma and form.endswith("s")
    several = own in _WITH_SEVERAL and (ends or form == "is" or (form == "was" and own != "i"))
    bare = own in _WITH_ONE and ((present and form == finite.lemma) or form in ("are", "were", "have"))
    many = subject.upos == "NOUN" and subject.feats.get("Number") == "Plur" and own != subject.lemma
    named = many and subject.xpos != "VBZ" and form in _OF_ONE and subject.lemma not in lexicon.TIMES
    asked = tree.places[subject.id] > tree.places[finite.id]
    wrong = several or bare or named or (present and form == finite.lemma and _is_one(tree, subject, finite, inflector))
    return f"{subject.form} and {finite.form} do not agree" if wrong and not asked else None


def _is_one(tree: Tree, subject: Word, finite: Word, inflector: Inflector) -> bool:
    """Whether *a* stands with a subject that is no group, beside what is no past tense like *hit*: *a woman cap*."""
    one = any(near.form.lower() in ("a", "an") for near in tree.children(subject.id, "det"))
    group = subject.lemma.lower() in lexicon.COLLECTIVES | lexicon.QUANTITIES
    past = inflector.inflect(finite.lemma, "VERB", {"Tense": "Past", "VerbForm": "Fin"})
    return one and not group and subject.upos == "NOUN" and past != finite.form.lower()


def _bare_predicate(tree: Tree, word: Word) -> str | None:
    """One thing without an article behind *is*, before what is rather done: *a girl is horse riding*."""
    subject, copula = tree.child(word.id, "nsubj"), tree.child(word.id, "cop")
    if word.upos != "NOUN" or word.feats.get("Number") != "Sing" or subject is None or copula is None:
        return None
    if tree.child(word.id, "det", "nmod:poss", "nummod", "case", "amod", "compound") is not None:
        return None
    following = tree.words[tree.places[word.id] + 1 :][:1]
    doing = any(grammar.is_ing(one) or one.form.lower().endswith("ing") for one in following)
    someone = tree.child(subject.id, "det", "nummod") is not None and ENGLISH.is_animate(tree, subject.id)
    caption = someone and copula.form.lower() in ("is", "are") and not tree.children(word.id, "nmod")
    return f"{word.form} has no article" if doing or caption else None


def _misjoined(tree: Tree, word: Word, inflector: Inflector) -> str | None:
    """A conjunct before what it is joined with; a verb joined with a noun that is no predicate, or with nothing."""
    before = tree.words[tree.places[word.id] - 1] if tree.places[word.id] else word
    if not word.head and before.deprel == "cc" and before.head == word.id and tree.child(word.id, "nsubj") is not None:
        return f"{before.form} joins {word.form} with nothing"  # a child in a cap and pads sits
    if word.relation != "conj":
        return None
    first = tree[word.head]
    if tree.places[word.id] < tree.places[first.id]:
        return f"{word.form} is joined with what follows"
    if _is_rather_verb(tree, word, first, inflector):
        return f"{word.form} is rather what {tree.root.form} is joined with"
    nominal = first.upos in ("NOUN", "PROPN") and first.relation in ("obl", "nmod", "obj")
    if nominal and word.upos == "VERB":
        return f"{word.form} is joined with {first.form}"
    return None


def _is_rather_verb(tree: Tree, word: Word, first: Word, inflector: Inflector) -> bool:
    """*Lifts a cup and nods at the guests*: whether a bare plural joined with one thing is a second verb."""
    bare = not [one for one in tree.children(word.id) if one.relation not in ("cc", "punct")]
    one = first.feats.get("Number") == "Sing" and tree.child(first.id, "det", "nmod:poss") is not None
    place = tree.places[word.id] + 1
    phrase = place < len(tree.words) and tree.words[place].upos == "ADP"
    if not (bare and one and phrase and word.upos == "NOUN" and tree.root.xpos == "VBZ"):
        return False
    return any(one.upos == "VERB" and "Person" in one.feats for one in inflector.analyses(word.form.lower()))


def _mistagged(tree: Tree, word: Word, inflector: Inflector) -> str | None:
    """A verb that the dictionary does not have, or that was overlooked; a noun that it has only as an adjective."""
    if reason := _overlooked(tree, word, inflector):
        return reason
    if word.upos == "VERB" and not word.head and (word.form.islower() or not tree.places[word.id]):
        known = {one.upos for one in inflector.analyses(word.form.lower())}
        if known and not known & {"VERB", "AUX"} and all(one.lemma != "be" for one in grammar.helpers(tree, word.id)):
            return f"{word.form} is no verb"  # pupils do homework
    first = tree.child(word.id, "compound")
    if word.upos != "NOUN" or first is None:
        return None
    plural = first.feats.get("Number") == "Plur" and first.form.islower() and first.form != first.lemma
    kinds = {one.upos for one in inflector.analyses(word.form.lower())}
    bare = tree.child(word.id, "det", "nmod:poss") is None and word.form == word.lemma
    if plural and bare and "VERB" in kinds:
        return f"{word.form} may be what {first.form} do"  # two boys dressed as pirates dance
    return f"{word.form} is no noun" if "ADJ" in kinds and "NOUN" not in kinds and word.form != "top" else None


def _overlooked(tree: Tree, word: Word, inflector: Inflector) -> str | None:
    """A finite verb that was taken for a noun where a sentence wants one, or for a participle; a participle for one."""
    behind = word.relation == "nsubj" and tree.places[word.id] > 0  # what opens a sentence may well be a noun
    wanted = behind or not ENGLISH.is_predicate(tree, tree.root)
    if word.upos == "NOUN" and word.feats.get("VerbForm") == "Fin" and wanted:
        return f"{word.form} is rather a verb"  # a note scribbled in haste lay on the desk
    if word.upos == "NOUN" and word.relation == "obj" and word.xpos == "JJR" and word.form.lower().endswith("er"):
        return f"{word.form} is no noun"  # wages have risen faster
    bare = word.deprel == "ccomp" and tree.child(word.id, "nsubj", "csubj", "expl") is None
    if bare and grammar.helpers(tree, word.id) and grammar.finite_word(tree, word.id) is not None:
        return f"{word.form} has lost its subject"  # a child held by the hand is crying
    readings = inflector.analyses(word.form.lower()) if word.deprel == "acl" else frozenset()
    told = any(one.feats.get("Tense") == "Past" and one.feats.get("VerbForm") == "Fin" for one in readings)
    if is_act(tree, word, inflector):
        return f"{word.form} is no participle, or has no object"  # the nurse cleaned my bad knee
    if told and all(one.feats.get("VerbForm") != "Part" for one in readings):
        return f"{word.form} is no participle"  # ash carried by the wind fell on roofs
    return None


def _hidden_clause(tree: Tree) -> str | None:
    """A participle that opens a sentence without a comma behind its phrase, and is rather the main verb."""
    subject = tree.child(tree.root.id, "nsubj")
    start = min(tree.places[one] for one in tree.subtree(subject.id)) if subject is not None else 0
    for one in tree.children(tree.root.id, "advcl") if start else ():
        opened = tree.child(one.id, "mark", "aux", "cop", "nsubj", "case") is not None
        if tree.places[one.id] < start and not opened and not is_comma(tree.words[start - 1]):
            return f"{one.form} may be what the sentence says"  # Zoltan led the choir in the years he was here
    return None


def _false_root(tree: Tree, inflector: Inflector) -> str | None:
    """A root that is rather a noun or a participle inside a phrase, or what is done with *do*."""
    root, place = tree.root, tree.places[tree.root.id]
    subject = tree.child(root.id, "nsubj")
    if root.upos != "VERB" or subject is None or not place:
        return None
    group, before = grammar.helpers(tree, root.id), tree.words[place - 1]
    negated = any(one.lemma.lower() in lexicon.NEGATIVE for one in tree.children(root.id, "advmod"))
    if group and group[0].lemma == "do" and not negated and subject.upos != "PRON":
        return f"{root.form} may be what is done"  # a boy does wheel tricks
    hyphen = tree.words[place - 2].form == "-" if place > 1 else False
    done = hyphen and root.form.lower().endswith(("ed", "en"))
    if not group and ("-" in before.form or done or (before.id != subject.id and before.xpos == "HYPH")):
        return f"{before.form} and {root.form} may be one"  # with a two-man operated saw
    inside = any(one.relation == "acl" and before.id in tree.subtree(one.id) for one in tree.children(subject.id))
    kinds = {one.upos for one in inflector.analyses(root.form.lower())}
    bare = before.upos == "NOUN" and before.form != before.lemma and not tree.children(before.id)
    lone = not group and root.form == root.lemma and tree.child(root.id, "obj", "xcomp", "ccomp") is None
    moves = root.lemma in lexicon.MOTION | lexicon.POSTURES
    if inside and bare and lone and "NOUN" in kinds and not moves:
        return f"{before.form} {root.form} may be one thing"  # people eating berries dessert
    return None


def _is_rather_done(tree: Tree, verb: Word, subject: Word) -> bool:
    """Whether a past tense without an object may be a participle in a caption: *roofs dusted with snow*."""
    new = not any(one.form.lower() not in ("a", "an") for one in tree.children(subject.id, "det", "nmod:poss"))
    past = verb.feats.get("Tense") == "Past" and verb.form.lower().endswith("ed") and subject.upos == "NOUN"
    if not new or not past or tree.child(verb.id, "obj", "ccomp") is not None or verb.lemma in lexicon.INTRANSITIVE:
        return False
    to = tree.child(verb.id, "xcomp")
    if to is not None and tree.child(to.id, "mark") is not None:
        return verb.lemma not in lexicon.WANTS_INFINITIVE | {"start", "manage", "fail", "continue", "cease"}
    cases = {one.form.lower() for near in tree.children(verb.id, "obl") for one in tree.children(near.id, "case")}
    return not cases.isdisjoint({"with", "by"}) and not ENGLISH.is_animate(tree, subject.id)


def _lost_subject(tree: Tree) -> str | None:
    """A finite root without a subject that is no request; a present without its *-s* beside one noun."""
    root, opens = tree.root, tree.words[0]
    if opens.id != root.id and opens.upos == "VERB" and opens.feats.agrees(VerbForm="Fin", Tense="Past"):
        return f"{opens.form} has no subject"
    if root.upos != "VERB":
        return None
    subject, finite = tree.child(root.id, "nsubj"), grammar.finite_word(tree, root.id)
    plain = finite is not None and finite.id == root.id
    if plain and root.lemma in _NEEDS_OBJECT and tree.child(root.id, "obj", "xcomp", "ccomp", "compound:prt") is None:
        return f"{root.form} has no object, and may be passive"  # two miners rescued
    if plain and subject is not None and _is_rather_done(tree, root, subject):
        return f"{root.form} may be what is done to {subject.form}"  # a wall prepared to take paint
    if subject is None:
        before = [one for one in tree.children(root.id, "obl") if tree.places[one.id] < tree.places[root.id]]
        past = plain and root.feats.get("Tense") == "Past"
        if (before and opens.form.lower() in ENGLISH.clause_openers) or past:
            return f"{root.form} has no subject"
    elif finite is not None and finite.id == root.id and subject.upos == "PROPN":
        bare = root.feats.get("Tense") == "Pres" and root.form.lower() == root.lemma
        if bare and subject.feats.get("Number") != "Plur" and not tree.children(subject.id, "conj", "flat"):
            return f"{subject.form} and {root.form} do not agree"
    return None
