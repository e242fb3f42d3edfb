"""Signs that an English participle or relative clause is not said of the noun on which the parser hung it."""

from __future__ import annotations

from kostra.transforms.donors import preposition
from kostra.transforms.edits import is_comma, is_unbroken
from kostra.transforms.en import grammar, lexicon
from kostra.transforms.en.grammar import ENGLISH
from kostra.transforms.inflection import Inflector
from kostra.transforms.shared import looking
from kostra.trees import Tree, Word

STAYING = (lexicon.STATES | lexicon.STATES_OF_THINGS | lexicon.OF_THINGS
           | {"link", "connect", "separate", "divide", "encompass", "span", "represent", "describe", "cause", "end",
              "stick", "serve"})  # fmt: skip
"""What things do as long as they are there."""
_POINTING = frozenset({"this", "that", "these", "those", "many", "all", "such", "every", "each"})
_HYPHENS = frozenset({"-", "–", "/"})
_DEGREES = frozenset({"well", "ill", "half", "so", "very", "too", "more", "most", "less", "much", "newly", "long"})
_BEFORE_PARTICIPLES = frozenset({"now", "still", "often", "always", "also", "once", "ever", "never", "then"})
"""Adverbs beside those in -ly that open a participle phrase."""
_WITH_OF = frozenset(
    {"think", "dream", "speak", "consist", "talk", "approve", "smell", "die", "complain", "warn", "hear"}
)
_WITH_AS = frozenset({"know", "describe", "use", "dress", "regard", "classify", "see", "define", "disguise", "treat",
                      "view", "refer", "name", "recognise", "recognize", "identify", "choose", "mark"})  # fmt: skip
_CLAUSES = frozenset({"as", "when", "while", "after", "because", "before"})
_AROUND = frozenset({"surround", "accompany", "follow", "flank", "join"})
"""What is done around people as well as around the place where they are."""
_IN_HAND = frozenset({"hold", "carry", "wear", "play", "read", "eat", "drink", "smoke", "push", "pull", "wave"})
"""What somebody does with something, and no place does."""
_AS_ONE_LOOKS = frozenset({"hold", "carry", "push", "pull", "watch", "chase", "drag", "ride", "lift", "feed"})
"""What is done to something for a while, so that *is held* would be too little."""
_SET_OFF = frozenset({"know", "call", "name", "base", "locate", "situate", "seat"})
"""Participles that stand between commas behind the noun of which they are said."""


def is_part_of_word(tree: Tree, word: Word) -> bool:
    """Whether a hyphen joins a participle with what stands beside it: *a bell-shaped lamp*."""
    place = tree.places[word.id]
    beside = (*tree.words[max(0, place - 1) : place], *tree.words[place + 1 : place + 2])
    return "-" in word.form or any(one.form in _HYPHENS for one in beside)


def not_said_of(tree: Tree, word: Word, noun: Word, inflector: Inflector) -> str | None:
    """Why a participle is hardly said of a noun, or None."""
    if is_part_of_word(tree, word):
        return f"{word.form} is part of a word"
    if word.form.lower() == "left" and word.relation == "acl" and not tree.children(word.id):
        return f"{word.form} says that some remain"  # there is no bread left
    if _lacks_article(tree, noun):
        return f"{noun.form} has no article, and a clause needs one"  # old cart that is rolling
    owner = tree.child(noun.id, "nmod:poss")
    if owner is not None:
        return f"{owner.form} {noun.form} is told by whose it is"  # his horn that is wrapped in cloth
    if reason := _not_alone(tree, word) or _not_phrase(tree, word, noun, inflector):
        return reason
    if word.relation == "amod":
        return _not_near(tree, word, noun)
    if reason := _elsewhere(tree, word, noun):
        return reason
    said = _is_captions(tree, noun)  # a clause would leave it without a predicate
    return f"{word.form} is what the caption says of {noun.form}" if said else None


def _not_near(tree: Tree, word: Word, noun: Word) -> str | None:
    """Why a participle before a noun would not stand well in a clause behind it, or None."""
    if word.form.lower() == "stuffed" and ENGLISH.is_animate(tree, noun.id):
        return f"a stuffed {noun.form} is a toy"
    group = tree[noun.head] if noun.relation == "nmod" else noun
    if group.id == noun.id:
        return _not_apart(tree, word, noun)
    if group.lemma not in ENGLISH.quantities:
        return f"{word.form} would be said of {group.form}"  # a wall with a clock that is broken
    be = grammar.finite_word(tree, group.head) if group.relation == "nsubj" else None
    if be is not None and be.lemma == "be":
        return f"{word.form} and {be.form} would stand side by side"  # a group of boys who are singing are walking
    return _not_apart(tree, word, noun)


def _not_apart(tree: Tree, word: Word, noun: Word) -> str | None:
    """Why a participle and its noun are one, or a clause would tell apart what is pointed at; None if neither."""
    form = word.form.lower()
    if form == "crowded" or (form == "broken" and noun.lemma in lexicon.BODY | {"heart", "promise"}):
        return f"{word.form} {noun.form} is one expression"  # a crowded street, a broken heart
    pointed = next((one for one in tree.children(noun.id, "det", "amod") if one.form.lower() in _POINTING), None)
    if pointed is not None:
        return f"{pointed.form} {noun.form} would be told apart by the clause"  # this hall that is painted
    return None


def _is_captions(tree: Tree, noun: Word) -> bool:
    """Whether a noun, alone or joined, is all that a text without a finite verb names: *two dogs swimming*."""
    top = noun
    while top.head and (top.relation == "conj" or tree[top.head].lemma.lower() in lexicon.QUANTITIES):
        top = tree[top.head]  # a group of boys
    return not top.head and not ENGLISH.is_predicate(tree, top)


def _lacks_article(tree: Tree, noun: Word) -> bool:
    """Whether one thing is named as captions name it, without an article: *young sailor walking home*."""
    first = tree[noun.head] if noun.relation == "conj" else noun
    if noun.feats.get("Number") != "Sing" or noun.form.lower() in {"people", "police"} | lexicon.PAIRS:
        return False
    return not any(tree.children(one.id, "det", "nmod:poss", "nummod") for one in (noun, first))


def _not_alone(tree: Tree, word: Word) -> str | None:
    """What stands beside a participle and makes something else of it, or None."""
    place = tree.places[word.id]
    before, after = tree.words[max(0, place - 1)], looking.next_form(tree, word).lower()
    if word.relation == "amod" and (before.upos == "ADV" or _is_degree(before.form.lower())):
        return f"{before.form} and {word.form} are one"
    if word.relation == "amod" and before.upos in ("NOUN", "PROPN", "VERB") and before.form not in ("'s", "’s"):
        return f"{word.form} may be what {before.form} do"  # two girls playing loud flutes
    start = min(tree.places[one] for one in tree.subtree(word.id))
    opens = tree.words[start]
    if opens.upos == "ADV" and not opens.form.endswith("ly") and opens.form.lower() not in _BEFORE_PARTICIPLES:
        return f"{opens.form} hardly belongs to {word.form}"
    if grammar.is_ing(word) and after == "of" and word.lemma not in _WITH_OF:
        return f"{word.form} is a noun"  # the raising of the flag
    if grammar.is_past_participle(word) and after in _CLAUSES and word.lemma not in _WITH_AS:
        return f"{word.form} may be a past tense"  # the cart stopped as …
    return None


def _is_degree(form: str) -> bool:
    """Whether a form says how: *a dimly lit hall*, *a well known song*."""
    return form in _DEGREES or form.endswith("ly")


def _not_phrase(tree: Tree, word: Word, noun: Word, inflector: Inflector) -> str | None:
    """What around noun and participle keeps a clause from standing there, or None."""
    end = max(tree.places[one] for one in tree.subtree(word.id)) + 1
    following = next((one.form.lower() for one in tree.words[end:] if one.upos != "PUNCT"), "")
    later = {one.form.lower() for one in tree.words[tree.places[word.id] :]}
    if word.lemma in lexicon.NAMING and not later.isdisjoint(ENGLISH.relatives):
        return "another clause may follow the name"  # a play called Rain that she wrote
    behind = bool(noun.head) and tree.places[noun.head] < tree.places[noun.id]
    if following in ("and", "or") and behind and word.relation == "acl":
        return f"what is joined with {noun.form} would be joined with {word.form}"  # two inns situated here and a mill
    if following in ENGLISH.relatives:
        return f"another clause with {following} follows"
    start = min(tree.places[one] for one in tree.subtree(noun.id) if tree[one].upos != "PUNCT")
    loose = noun.relation not in ("root", "nsubj") and tree.child(noun.id, "case", "cc") is None
    if loose and start and is_comma(tree.words[start - 1]):
        return f"{noun.form} and {word.form} may be a clause of their own"  # …, sparks flying
    if tree.places[noun.id] == 0 and not inflector.analyses(noun.form.lower()) and noun.form[0].isupper():
        return f"{noun.form} is most likely a name"
    return None


def _elsewhere(tree: Tree, word: Word, noun: Word) -> str | None:
    """Why a participle behind a noun may be said of another one, or None."""
    animate = ENGLISH.is_animate
    if reason := _not_beside(tree, word, noun):
        return reason
    own = word.lemma in lexicon.POSTURES | {"wear"} or not grammar.is_ing(word)
    if word.lemma == "use" or (noun.relation == "obj" and animate(tree, noun.id) and not own):
        return f"{word.form} may be done by somebody else"  # walks a dog holding a leash
    first = tree[noun.head] if noun.relation == "conj" else None
    if first is not None and animate(tree, first.id) and animate(tree, noun.id):
        return f"{word.form} may be said of {first.form} too"
    doer = tree.child(noun.id, "nsubj")
    things = lexicon.OF_THINGS | lexicon.STATES_OF_THINGS
    own = animate(tree, noun.id) or word.lemma in things or not grammar.is_ing(word)
    placed = tree.child(noun.id, "case") is not None  # they are in the yard trying to sing
    if doer is not None and not own and (animate(tree, doer.id) or (placed and doer.upos in ("PRON", "PROPN"))):
        return f"{word.form} may be said of {doer.form}"  # a man is in a field pulling a cart
    owner = tree.child(noun.head, "nsubj") if noun.head and noun.relation in ("obl", "obj") else None
    if owner is not None and animate(tree, owner.id) and word.lemma in _AROUND:
        return f"{word.form} may be said of {owner.form}"
    return None


def _not_beside(tree: Tree, word: Word, noun: Word) -> str | None:
    """Why a participle phrase does not plainly belong to its noun, and end where it ends; or None.

    It stands right behind the noun, and either the verb of which the noun is the subject follows, or nothing does.
    """
    group = tree[noun.head] if noun.relation == "nmod" else noun
    counted = group.id != noun.id and group.lemma in ENGLISH.quantities
    if noun.relation == "nmod" and (not counted or group.relation == "nmod"):
        return f"{word.form} may be said of {group.form}"  # the roof of a house covered with snow
    inside = [tree.places[one] for one in tree.subtree(word.id) if tree[one].upos != "PUNCT"]
    before = tree.words[min(inside) - 1]
    set_off = is_comma(before)
    before = tree.words[min(inside) - 2] if set_off else before
    inner = tree.child(noun.id, "nmod") if noun.lemma in ENGLISH.quantities else None
    if before.id not in (noun.id, inner.id if inner is not None else noun.id):
        return f"{before.form} stands between {noun.form} and {word.form}"  # a boy with a dog barking
    if _is_with(tree, group):
        return f"{noun.form} and {word.form} may be a clause of their own"  # with the lights burning
    after = [one for one in tree.words[max(inside) + 1 :] if not is_comma(one) or not set_off]
    if set_off and word.lemma not in _SET_OFF:
        return f"{word.form} between commas may be said of more"
    if group.relation == "nsubj" and after and (after[0].upos in ("AUX", "VERB") or after[0].form.endswith("ly")):
        return None
    phrases = [one for one in tree.words[min(inside) : max(inside)] if one.upos == "ADP" and one.form.lower() != "of"]
    listed = any(is_comma(one) for one in tree.words[min(inside) : max(inside)])
    most = 1 if tree.child(word.id, "obj") is None else 0
    several = len(phrases) > most and tree.child(noun.id, "cop") is None  # what is a song has no phrases of its own
    if several or listed or any(one.upos != "PUNCT" for one in after):
        return f"where the phrase with {word.form} ends cannot be told"  # men dressed in white on stage
    return None


def _is_with(tree: Tree, noun: Word) -> bool:
    """Whether *with* stands before a noun phrase."""
    start = min(tree.places[one] for one in tree.subtree(noun.id))
    opens = {tree.words[place].form.lower() for place in (start, start - 1) if place >= 0}
    return not opens.isdisjoint({"with", "without"})


def is_of_subject(tree: Tree, word: Word) -> bool:
    """Whether an -ing phrase at the end of a clause plainly says what else its subject does.

    A comma stands before it, or the subject sits or moves and has something in hand: *runs along, carrying a flag*.
    """
    verb, place = tree[word.head], tree.places[word.id]
    subject = tree.child(verb.id, "nsubj")
    if word.relation != "advcl" or not grammar.is_ing(word) or tree.child(word.id, "mark", "nsubj") is not None:
        return False
    if subject is None or subject.upos != "NOUN" or not ENGLISH.is_animate(tree, subject.id):
        return False
    if tree.child(subject.id, "acl", "conj", "appos", "nmod") is not None or is_part_of_word(tree, word):
        return False  # a boy in a red cap who is waving sits on a wall
    if not ENGLISH.is_finite(tree, verb) or verb.lemma in lexicon.WANTS_ING | lexicon.PERCEPTION:
        return False  # has a ring hanging from his ear
    inside = tree.subtree(word.id)
    later = [one for one in tree.words[place:] if one.id not in inside and one.upos != "PUNCT"]
    between = tree.words[tree.places[subject.id] + 1 : place]
    rival = any(one.upos in ("NOUN", "PROPN") and ENGLISH.is_animate(tree, one.id) for one in between)
    if later or rival or not is_unbroken(tree, inside) or tree.places[verb.id] > place:
        return False
    moving = verb.lemma in lexicon.MOTION | lexicon.POSTURES and tree.words[place - 1].upos == "NOUN"
    return is_comma(tree.words[place - 1]) or (
        moving and word.lemma in _IN_HAND and tree.child(word.id, "obj") is not None
    )


def is_defined(tree: Tree, noun: Word) -> bool:
    """Whether a sentence says what something is, so that what is done to it is done always: *wool is hair obtained*."""
    clause = tree[noun.head] if noun.relation == "nsubj" and noun.head else noun
    return tree.child(clause.id, "cop") is not None


def is_told(tree: Tree, word: Word) -> bool:
    """Whether a participle says who did it, or when: *a song written by Ann in 1900*."""
    beside = tree.children(word.id, "obl", "obl:agent", "nmod")
    return any(
        one.upos == "NUM" or one.lemma.lower() in lexicon.TIMES or preposition(tree, one) == "by" for one in beside
    )


def goes_on(tree: Tree, word: Word) -> bool:
    """Whether somebody is doing it to something as one looks: *a rope held by a boy* is being held."""
    beside = tree.children(word.id, "obl", "obl:agent", "nmod")
    doers = [one for one in beside if preposition(tree, one) == "by"]
    return word.lemma in _AS_ONE_LOOKS and any(ENGLISH.is_animate(tree, one.id) for one in doers)


def needs_clause(tree: Tree, verb: Word, noun: Word) -> str | None:
    """Why a relative clause cannot become a participle, or None."""
    inside = tree.subtree(verb.id)
    if _lacks_article(tree, noun) and ENGLISH.is_animate(tree, noun.id):
        return f"{noun.form} has no article"
    if any(one.form.lower() == "those" for one in tree.children(noun.id, "det")):
        return f"those {noun.form} need a clause"
    places = [tree.places[one] for one in inside if tree[one].upos != "PUNCT"]
    if any(is_comma(one) for one in tree.words[min(places) : max(places)]):
        return f"the clause with {verb.form} holds a list, or more"
    if reason := _habitual(tree, verb, noun):
        return reason
    if reason := _said_elsewhere(tree, verb, noun, places):
        return reason
    subject = tree.child(noun.id, "nsubj", "expl")
    named = noun.upos == "PROPN" or any(
        one.form.lower() == "the" or one.relation == "nmod" for one in tree.children(noun.id, "det", "nmod:poss")
    )
    if subject is not None and subject.form.lower() == "it" and named:
        return f"what is said of {noun.form} is what the sentence says"  # it is the noise that bothers me
    if noun.upos == "NOUN" and noun.form[0].isupper() and tree.places[noun.id]:
        return f"{noun.form} is most likely a name"
    if verb.lemma in ("suppose", "mean", "say") or verb.form == "supposed":
        return f"{verb.form} needs its auxiliary"  # the parts that are supposed to fit
    finite = grammar.finite_word(tree, verb.id)
    alone = finite is not None and finite.feats.agrees(Number="Sing", Person="3")
    if alone and noun.feats.get("Number") == "Plur":
        return f"{verb.form} does not agree with {noun.form}"
    if _goes_on(tree, verb):
        return f"what follows may be joined with {verb.form}"  # guards who march or have marched
    if _is_far(tree, verb, noun):
        return f"something stands between {noun.form} and what is said of it"
    start = min(tree.places[one] for one in tree.subtree(noun.id))
    if start and tree.words[start - 1].form.lower() in ("like", "likes", "liked", "love", "loves", "hate", "hates"):
        return f"{tree.words[start - 1].form} {noun.form} with a participle would say something else"
    above = tree[noun.head] if noun.head else noun
    liking = above.lemma in lexicon.WANTS_ING | lexicon.PERCEPTION
    if noun.relation == "obj" and liking and not grammar.helpers(tree, verb.id):
        return f"{above.form} {noun.form} with a participle would say something else"  # hates people smoking
    lasts = verb.lemma in STAYING or (noun.relation == "nsubj" and verb.lemma in lexicon.LASTING)
    if not lasts and not grammar.helpers(tree, verb.id) and not ENGLISH.is_animate(tree, noun.id):
        return f"{verb.form} is what {noun.form} does at times"  # a cloth that takes dye well
    return None


def _said_elsewhere(tree: Tree, verb: Word, noun: Word, places: list[int]) -> str | None:
    """Why a clause is said of a noun further before it, or of one of which more is said behind it; None if neither."""
    thing = noun.lemma.lower() in lexicon.WORN | lexicon.SCENES
    if thing and any(one.form.lower() == "who" for one in tree.children(verb.id)):
        return f"who is meant stands before {noun.form}"  # a girl in a cap who is swimming
    after = tree.words[max(places) + 1 : max(places) + 3]
    more = len(after) > 1 and is_comma(after[0]) and after[1].upos == "ADP" and noun.relation == "nsubj"
    if more and not is_comma(tree.words[min(places) - 1]):
        return f"more of what is said of {noun.form} follows"  # a boy who is seen from afar, in a red cap
    return None


def _habitual(tree: Tree, verb: Word, noun: Word) -> str | None:
    """Why what somebody does always would be told as what they do now, or None: *she hires boys who steal*."""
    who = any(one.form.lower() == "who" for one in tree.children(verb.id, "nsubj"))
    if grammar.helpers(tree, verb.id) or not (who or ENGLISH.is_animate(tree, noun.id)):
        return None
    shown = noun.relation == "nsubj" and tree.child(noun.id, "det", "nummod") is not None
    if shown or verb.lemma in lexicon.POSTURES:
        return None
    return f"{verb.form} is no act that goes on"


def _goes_on(tree: Tree, verb: Word) -> bool:
    """Whether a second predicate follows a clause that the parser hung elsewhere."""
    end = max(tree.places[one] for one in tree.subtree(verb.id) if tree[one].upos != "PUNCT") + 1
    joint, *after = [*tree.words[end : end + 3], verb]
    if joint.upos != "CCONJ" or joint.head == verb.id:
        return False
    return any(one.upos in ("AUX", "VERB") for one in after[:1]) or (
        after[0].upos == "ADV" and len(after) > 1 and after[1].upos in ("AUX", "VERB")
    )


def _is_far(tree: Tree, verb: Word, noun: Word) -> bool:
    """Whether more stands between a noun and its clause than a phrase with *of*."""
    inside = tree.subtree(verb.id)
    first = min(tree.places[one] for one in inside if tree[one].upos != "PUNCT")
    between = [one for one in tree.words[tree.places[noun.id] + 1 : first] if one.upos != "PUNCT"]
    if not between:
        return False
    cases = [one.form.lower() for one in between if one.upos == "ADP"]
    named = any(one.upos == "PROPN" for one in between)  # a member of the Guild who
    return named or cases != ["of"] or between[0].form.lower() != "of"
