"""Systematic mistakes of the Czech parser, mended before any rule looks at a tree.

``cs_core_news_sm`` reads features of single words, and some of them leave open what the words around settle: an
l-participle in *-a* is feminine or neuter, an adjective has another case than its noun. A tree in which nothing is
wrong comes back as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from kostra.transforms.cs import lexicon
from kostra.transforms.cs.agreement import agree
from kostra.transforms.cs.grammar import is_bare, is_past
from kostra.transforms.cs.mending_names import given_name
from kostra.transforms.cs.mending_phrases import joined_phrase, late_participle, listed_noun, preposition
from kostra.transforms.cs.mending_subjects import second_object, second_subject, subject_features, turned
from kostra.transforms.cs.mending_verbs import joined_predicate, phrase_of_participle, verb_of_object
from kostra.transforms.inflection import Inflector
from kostra.transforms.shared.grammar import Changes
from kostra.transforms.shared.looking import governor, is_participle, no_preposition, subject
from kostra.transforms.shared.mending import Mender, mended
from kostra.trees import Tree, Word

_DOERS = ("ář", "ař", "tel", "ník", "ista")
"""Endings of nouns for people that are taken for names at the beginning of a sentence."""
_AGREEMENT = ("Case", "Number", "Gender", "Animacy")


def common_word(tree: Tree, inflector: Inflector) -> Changes:
    """A word that has its capital only because it begins the sentence is no name."""
    first = next((word for word in tree.words if word.upos != "PUNCT"), None)
    if first is None or first.form[1:] != first.form[1:].lower():
        return {}
    if not first.lemma[:1].isupper() and first.upos != "PROPN":
        return {}
    lemma = first.lemma.lower()
    if first.upos != "PROPN":
        return {first.id: first.but(lemma=lemma)}
    if "," in first.feats.get("Case", ",") or tree.child(first.id, "flat") or first.relation == "flat":
        return {}
    known = lemma.endswith(_DOERS) and any(
        one.lemma == lemma and one.upos == "NOUN" for one in inflector.analyses(first.form.lower())
    )
    return {first.id: first.but(lemma=lemma, upos="NOUN", feats=first.feats.but(NameType=None))} if known else {}


def open_features(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*Zadržela*: feminine singular or neuter plural, as the subject says; the singular where there is none."""
    changes: Changes = {}
    for word in tree.words:
        if word.feats.get("Gender") != "Fem,Neut" or "," not in word.feats.get("Number", ""):
            continue
        top = tree[word.head] if word.relation in ("aux", "cop") and word.head else word
        above = tree[top.head] if top.relation == "conj" and top.head else top
        who = subject(tree, top.id) or subject(tree, above.id)
        plural = who is not None and who.feats.agrees(Gender="Neut", Number="Plur")
        said = {"Gender": "Neut", "Number": "Plur"} if plural else {"Gender": "Fem", "Number": "Sing"}
        changes[word.id] = word.but(feats=word.feats.but(**said))
    return changes


def polarity(tree: Tree, inflector: Inflector) -> Changes:
    """*Nečte*: a verb whose *ne-* the parser took for a part of the word."""
    changes: Changes = {}
    for word in tree.words:
        if word.upos not in ("VERB", "AUX") or word.feats.get("Polarity") == "Neg":
            continue
        if not word.form.lower().startswith("ne") or not word.lemma.startswith("ne"):
            continue
        found = {one.lemma for one in inflector.analyses(word.form.lower()) if one.feats.get("Polarity") == "Neg"}
        if len(found) == 1:
            changes[word.id] = word.but(lemma=found.pop(), feats=word.feats.but(Polarity="Neg"))
    return changes


def aspect(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """Common imperfective verbs that the parser took for perfective."""
    return {
        word.id: word.but(feats=word.feats.but(Aspect="Imp"))
        for word in tree.words
        if word.upos == "VERB" and word.lemma in lexicon.IMPERFECTIVE and word.feats.get("Aspect") == "Perf"
    }


def reflexive_verb(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*Smějí se*: with *se* it is laughing, not being allowed."""
    return {
        word.id: word.but(lemma=lexicon.REFLEXIVE_VERBS[word.lemma])
        for word in tree.words
        if word.lemma in lexicon.REFLEXIVE_VERBS and any(one.form == "se" for one in tree.children(word.id, "expl"))
    }


def gender(tree: Tree, inflector: Inflector) -> Changes:
    """A subject or object in a gender that its lemma never has; kin are alive."""
    changes: Changes = {}
    for word in tree.words:
        if word.relation not in ("nsubj", "obj") or word.upos != "NOUN" or "Gender" not in word.feats:
            continue
        if word.lemma in lexicon.KIN and word.feats.agrees(Gender="Masc", Animacy="Inan"):
            changes[word.id] = word.but(feats=word.feats.but(Animacy="Anim"))  # rodiče
            continue
        readings = [
            one for one in inflector.analyses(word.form.lower()) if one.lemma == word.lemma and one.upos == "NOUN"
        ]
        genders = {(one.feats.get("Gender"), one.feats.get("Animacy")) for one in readings}
        if len(genders) == 1 and (word.feats["Gender"], word.feats.get("Animacy")) not in genders:
            ((kind, animacy),) = genders
            changes[word.id] = word.but(feats=word.feats.but(Gender=kind, Animacy=animacy))
    return changes


def verb_number(tree: Tree, inflector: Inflector) -> Changes:
    """*Sedí*: singular and plural look alike, and the subject tells."""
    changes: Changes = {}
    for verb in tree.words:
        if verb.upos != "VERB" or not verb.feats.agrees(VerbForm="Fin", Tense="Pres", Person="3"):
            continue
        above = tree[verb.head] if verb.relation == "conj" and verb.head else verb
        who = subject(tree, verb.id) or subject(tree, above.id)
        if who is None or who.upos not in ("NOUN", "PROPN") or who.feats.get("Number") not in ("Sing", "Plur"):
            continue
        joined = tree.child(who.id, "conj") is not None
        number = "Plur" if joined else "Sing" if governor(tree, who.id) is not None else who.feats["Number"]
        if verb.feats.get("Number") == number:
            continue
        feats = {name: verb.feats[name] for name in ("Tense", "Mood", "VerbForm", "Person", "Polarity", "Aspect")
                 if name in verb.feats}  # fmt: skip
        made = inflector.inflect(verb.lemma, "VERB", {**feats, "Number": number}, like=verb.form)
        if made is not None and made.lower() == verb.form.lower():
            changes[verb.id] = verb.but(feats=verb.feats.but(Number=number))
    return changes


def object_case(tree: Tree, inflector: Inflector) -> Changes:
    """An object in the nominative, and a conjunct in another case than its first, whose forms can be the right ones."""
    changes: Changes = {}
    for word in tree.words:
        if (
            word.upos != "NOUN"
            or not word.head
            or not no_preposition(tree, word)
            or governor(tree, word.id) is not None
        ):
            continue
        head, case = tree[word.head], word.feats.get("Case")
        wanted = "Acc" if word.relation == "obj" and case == "Nom" else None
        if word.relation == "conj" and head.upos == "NOUN" and head.feats.get("Case") != case:
            wanted = changes.get(head.id, head).feats.get("Case")
        if wanted is None or case is None:
            continue
        feats = {name: word.feats[name] for name in ("Gender", "Animacy") if name in word.feats}
        for number in dict.fromkeys((word.feats.get("Number", "Sing"), "Plur", "Sing")):
            made = inflector.inflect(word.lemma, "NOUN", {**feats, "Number": number, "Case": wanted})
            if made is not None and made.lower() == word.form.lower():
                changes[word.id] = word.but(feats=word.feats.but(Case=wanted, Number=number))
                break
    return changes


def joining_word(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*Z Prahy i z Brna*: the *i* before a conjunct joins it, if nothing else does."""
    changes: Changes = {}
    for word in tree.words:
        if word.form != "i" or word.relation != "advmod" or not word.head:
            continue
        top = tree[word.head]
        if top.relation == "amod" and top.head:
            top = tree[top.head]
        first = min(tree.places[one] for one in tree.subtree(top.id))
        if top.relation == "conj" and tree.child(top.id, "cc") is None and tree.words[first].id == word.id:
            changes[word.id] = word.but(head=top.id, deprel="cc", upos="CCONJ")
    return changes


def reflexive_of_participle(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*Smějící se na matku*: a reflexive right behind an active participle is its own, with what follows."""
    changes: Changes = {}
    for word, oneself in pairwise(tree.words):
        if (
            word.upos == "ADJ"
            and is_participle(word, "Act")
            and oneself.form in ("se", "si")
            and oneself.head != word.id
        ):
            changes[oneself.id] = oneself.but(head=word.id, deprel="expl:pv")
            place = tree.places[oneself.id] + 1
            following = tree.words[place] if place < len(tree.words) else word
            if following.relation == "case" and following.head:
                phrase = tree[following.head]
                verb = tree[word.head].head if word.head else 0
                if (
                    phrase.relation == "obl"
                    and phrase.head == verb
                    and tree.places[phrase.id] < tree.places.get(verb, 0)
                ):
                    changes[phrase.id] = phrase.but(head=word.id)
    return changes


def modifier_features(tree: Tree, inflector: Inflector) -> Changes:
    """An adjective or determiner whose form can agree with its noun does agree with it."""
    changes: Changes = {}
    for word in tree.words:
        if word.relation not in ("amod", "det", "nummod") or "Case" not in word.feats or not word.head:
            continue
        noun = tree[word.head]
        if (
            noun.upos not in ("NOUN", "PROPN")
            or "Case" not in noun.feats
            or word.deprel in ("nummod:gov", "det:numgov")
        ):
            continue
        wanted = {name: noun.feats[name] for name in _AGREEMENT if name in noun.feats}
        if all(word.feats.get(name) == value for name, value in wanted.items()):
            continue
        if word.upos != "NUM" and agree(inflector, word, noun):
            changes[word.id] = word.but(feats=word.feats.but(**wanted))
    return changes


def noun_features(tree: Tree, inflector: Inflector) -> Changes:
    """A noun in a case that its preposition does not govern, where the form can have the one that it governs."""
    changes: Changes = {}
    for word in tree.words:
        if word.relation != "case" or not word.head:
            continue
        noun, said = tree[word.head], word.feats.get("Case")
        if said is None or noun.upos not in ("NOUN", "PROPN") or noun.feats.get("Case") in (None, said):
            continue
        feats = {name: noun.feats[name] for name in ("Number", "Gender", "Animacy") if name in noun.feats}
        made = inflector.inflect(noun.lemma, noun.upos, {**feats, "Case": said})
        if made is not None and made.lower() == noun.form.lower():
            changes[noun.id] = noun.but(feats=noun.feats.but(Case=said))
        else:
            changes[word.id] = word.but(feats=word.feats.but(Case=noun.feats["Case"]))
    return changes


def object_of_participle(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*Žena nesoucí tašku*: what follows an active participle in the accusative is its object."""
    changes: Changes = {}
    for word, behind in _neighbours(tree):
        if word.upos != "ADJ" or not is_participle(word, "Act") or word.relation not in ("amod", "acl"):
            continue
        if behind.head == word.head and behind.relation in ("dep", "nmod", "obj", "obl") and behind.id != word.head:
            if is_bare(tree, behind, "Acc"):
                changes[behind.id] = behind.but(head=word.id, deprel="obj")
            elif not no_preposition(tree, behind):
                changes[behind.id] = behind.but(head=word.id, deprel="obl")
    return changes


def _neighbours(tree: Tree) -> list[tuple[Word, Word]]:
    """Each word with the noun that begins the phrase right behind it, if one does."""
    found = []
    for place, word in enumerate(tree.words[:-1]):
        behind = tree.words[place + 1]
        if behind.relation == "case" and behind.head:
            behind = tree[behind.head]
        while behind.relation in ("amod", "det", "nummod") and behind.head and behind.head != word.id:
            behind = tree[behind.head]
        if behind.upos in ("NOUN", "PROPN") and tree.places[behind.id] > place:
            found.append((word, behind))
    return found


def agent(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*Podepsána starostou*: an instrumental of somebody with a passive participle is its agent."""
    changes: Changes = {}
    for word in tree.words:
        if word.relation != "obl" or word.deprel == "obl:agent" or not word.head or not is_bare(tree, word, "Ins"):
            continue
        if is_participle(tree[word.head], "Pass") and _acts(word):
            changes[word.id] = word.but(deprel="obl:agent")
    return changes


def _acts(word: Word) -> bool:
    lemma = word.lemma.lower()
    return word.feats.get("Animacy") == "Anim" or word.upos == "PROPN" or lemma in lexicon.ANIMATE


def lost_person(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """A past without *jsem* is a third person."""
    return {
        word.id: word.but(feats=word.feats.but(Person=None))
        for word in tree.words
        if is_past(word) and "Person" in word.feats
    }


def lexeme(tree: Tree, inflector: Inflector) -> Changes:
    """A noun whose lemma does not give its form, where the analyser knows one and only one that does."""
    changes: Changes = {}
    for word in tree.words:
        if word.upos != "NOUN" or "Case" not in word.feats or "Number" not in word.feats:
            continue
        feats = {name: word.feats[name] for name in _AGREEMENT if name in word.feats}
        made = inflector.inflect(word.lemma, "NOUN", feats, like=word.form)
        if made is not None and made.lower() == word.form.lower():
            continue
        readings = [one for one in inflector.analyses(word.form.lower()) if one.upos == "NOUN"]
        same = [one for one in readings if one.feats.get("Case") == word.feats["Case"]]
        if len({one.lemma for one in readings}) == 1 and same:
            best = min(same, key=lambda one: _distance(one.feats, word))
            said = {name: best.feats.get(name) for name in _AGREEMENT}
            changes[word.id] = word.but(lemma=best.lemma, feats=word.feats.but(**said))
    return changes


def _distance(feats: Mapping[str, str], word: Word) -> tuple[object, ...]:
    """How far a reading is from what the parser read: number first, then gender; a fixed order between equals."""
    apart = [feats.get(name) != word.feats.get(name) for name in ("Number", "Gender", "Animacy")]
    return (*apart, sorted(feats.items()))


MENDERS: tuple[Mender, ...] = (
    turned,
    preposition,
    common_word,
    given_name,
    polarity,
    reflexive_verb,
    aspect,
    lexeme,
    late_participle,
    gender,
    second_subject,
    second_object,
    joining_word,
    listed_noun,
    joined_phrase,
    joined_predicate,
    verb_of_object,
    open_features,
    noun_features,
    subject_features,
    object_case,
    verb_number,
    modifier_features,
    reflexive_of_participle,
    object_of_participle,
    phrase_of_participle,
    agent,
    lost_person,
)
"""In the order in which they run: first what words are, then what hangs on what."""


def mend_parse(tree: Tree, inflector: Inflector) -> Tree:
    """Mend one kind of mistake after the other."""
    return mended(tree, inflector, MENDERS)
