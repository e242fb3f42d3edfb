"""Words that parsers of English take for another kind: verbs for nouns, base forms for the present tense."""

from __future__ import annotations

from kostra.transforms.en import grammar, lexicon
from kostra.transforms.inflection import Inflector
from kostra.trees import Features, Tree, Word

Changes = dict[int, Word]
_SINGULAR = frozenset({"a", "an", "one", "another", "each", "every", "this"})
_PRESENT = Features({"Mood": "Ind", "Number": "Sing", "Person": "3", "Tense": "Pres", "VerbForm": "Fin"})


def common_noun(tree: Tree, inflector: Inflector) -> Changes:
    """*Men* is no name, though it begins the sentence with a capital."""
    first = tree.words[0]
    form = first.form.lower()
    if first.upos != "PROPN" or first.form.isupper():
        return {}
    for one in inflector.analyses(form):
        if one.upos == "NOUN" and one.lemma in lexicon.ANIMATE:
            number = one.feats.get("Number", "Sing")
            return {first.id: first.but(lemma=one.lemma, upos="NOUN", feats=Features({"Number": number}))}
    return {}


def lemma(tree: Tree, inflector: Inflector) -> Changes:
    """A lemma that the dictionary does not give a form, where it gives one other."""
    changed: Changes = {}
    for word in tree.words:
        if word.upos not in ("VERB", "NOUN", "ADJ"):
            continue
        known = {one.lemma for one in inflector.analyses(word.form.lower()) if one.upos == word.upos}
        if not known and word == tree.words[0] and word.feats.get("Number") == "Plur":
            changed[word.id] = word.but(lemma=word.lemma.lower())  # Roadworks: names of several are seldom nouns
        if known and word.lemma not in known:
            if len(known) == 1:
                changed[word.id] = word.but(lemma=known.pop())
            elif word.lemma.lower() in known:
                changed[word.id] = word.but(lemma=word.lemma.lower())
    return changed


def tag_is_verb(tree: Tree, inflector: Inflector) -> Changes:
    """A word with a subject that is tagged as a finite verb is one, whatever its part of speech is said to be."""
    changed: Changes = {}
    for word in tree.words:
        tagged = word.xpos in ("VBZ", "VBP", "VBD") and word.upos not in ("VERB", "AUX")
        if not tagged and not (word.upos == "VERB" and "VerbForm" not in word.feats):
            continue
        if tree.child(word.id, "nsubj") is None and word.relation not in ("conj", "root"):
            continue
        found = [one for one in inflector.analyses(word.form.lower()) if one.feats.get("VerbForm") == "Fin"]
        tense = {"VBD": "Past", "VBZ": "Pres", "VBP": "Pres"}.get(word.xpos)
        found = [one for one in found if tense is None or one.feats.get("Tense") == tense]
        if len(found) == 1:
            xpos = "VBD" if found[0].feats["Tense"] == "Past" else "VBZ" if "Person" in found[0].feats else "VBP"
            feats = Features(found[0].feats)
            changed[word.id] = word.but(lemma=found[0].lemma, upos="VERB", xpos=xpos, feats=feats)
    return changed


def ing_is_verb(tree: Tree, inflector: Inflector) -> Changes:
    """*Is laughing*: an -ing form with *be* is a verb, whatever the parser takes it for."""
    changed: Changes = {}
    for word in tree.words:
        if word.xpos != "VBG" or word.upos in ("VERB", "AUX"):
            continue
        be = next((one for one in tree.children(word.id, "cop", "aux") if one.lemma == "be"), None)
        known = {one.lemma for one in inflector.analyses(word.form.lower()) if one.upos == "VERB"}
        if be is not None and len(known) == 1:
            changed[word.id] = word.but(lemma=known.pop(), upos="VERB", feats=Features(grammar.ING))
            changed[be.id] = be.but(deprel="aux")
    return changed


def participle_before_noun(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*A smiling girl*: what the girl does is no noun, unlike the *dancing* of *dancing shoes*."""
    changed: Changes = {}
    for word in tree.words:
        form = word.form.lower()
        if word.relation not in ("compound", "amod") or word.upos not in ("NOUN", "PROPN", "ADJ", "VERB"):
            continue
        noun = tree[word.head]
        if form in lexicon.DOING_ADJECTIVES and grammar.ENGLISH.is_animate(tree, noun.id):
            changed[word.id] = word.but(upos="VERB", xpos="VBG", deprel="amod", feats=Features(grammar.ING))
        elif form in lexicon.DONE_ADJECTIVES and word.relation == "compound":
            changed[word.id] = word.but(upos="VERB", xpos="VBN", deprel="amod", feats=Features(grammar.DONE))
    return changed


def past_is_no_participle(tree: Tree, inflector: Inflector) -> Changes:
    """*Won the series and advanced*: joined with a past tense, without an auxiliary, it is a past tense itself."""
    changed: Changes = {}
    for word in tree.words:
        if not grammar.is_past_participle(word) or word.upos != "VERB" or grammar.helpers(tree, word.id):
            continue
        first = tree[word.head] if word.head else word
        joined = word.relation == "conj" and first.upos == "VERB" and first.feats.agrees(VerbForm="Fin", Tense="Past")
        alone = word.relation == "root" and tree.child(word.id, "nsubj") and tree.child(word.id, "obj")
        if not joined and not alone:
            continue
        readings = [one for one in inflector.analyses(word.form.lower()) if one.upos == "VERB"]
        if any(one.feats.get("VerbForm") == "Fin" and one.feats.get("Tense") == "Past" for one in readings):
            feats = Features({"Mood": "Ind", "Tense": "Past", "VerbForm": "Fin"})
            changed[word.id] = word.but(xpos="VBD", feats=feats)
    return changed


def number_by_form(tree: Tree, inflector: Inflector) -> Changes:
    """*Geese* is a plural, whatever the parser says: the number of a noun that has only one reading."""
    changed: Changes = {}
    for word in tree.words:
        if word.upos != "NOUN":
            continue
        found = {one.feats.get("Number") for one in inflector.analyses(word.form.lower()) if one.upos == "NOUN"}
        number = found.pop() if len(found) == 1 else None
        if number == "Sing" and inflector.inflect(word.lemma, "NOUN", {"Number": "Plur"}) == word.form.lower():
            continue  # fish
        if number is not None and word.feats.get("Number") != number:
            changed[word.id] = word.but(feats=word.feats.but(Number=number))
    return changed


def noun_is_verb(tree: Tree, inflector: Inflector) -> Changes:
    """*A man lies*, *two dogs run*: article or numeral and noun do not go together, so that the noun is a verb."""
    root = tree.root
    place = tree.places[root.id]
    noun_like = root.upos == "NOUN" or (root.upos == "VERB" and tree.child(root.id, "det"))
    if not noun_like or tree.child(root.id, "nsubj", "cop", "case") or place < 1:
        return {}
    before = tree.words[place - 1]
    if before.head != root.id or before.relation not in ("compound", "amod", "nmod") or before.upos == "VERB":
        return {}
    number = "Sing" if root.feats.get("Number") == "Plur" or root.xpos == "VBZ" else "Plur"
    subject = _other_number(tree, root, before, number, inflector)
    readings = {
        one.lemma
        for one in inflector.analyses(root.form.lower())
        if one.feats.get("Tense") == "Pres" and one.feats.get("VerbForm") == "Fin"
        if (one.feats.get("Person") == "3") == (number == "Sing")
    }
    if subject is None or len(readings) != 1:
        return {}
    feats = _PRESENT.but(Number=number)
    changed = {
        root.id: root.but(upos="VERB", xpos="VBZ" if number == "Sing" else "VBP", lemma=readings.pop(), feats=feats),
        before.id: subject.but(deprel="nsubj"),
    }
    for one in tree.children(root.id):
        if one.id == before.id or one.upos == "PUNCT":
            continue
        if tree.places[one.id] < place:
            changed[one.id] = one.but(head=before.id)
        elif one.relation == "nmod":
            changed[one.id] = one.but(deprel="obl" if tree.child(one.id, "case") else "obj")
        elif one.relation == "acl":
            changed[one.id] = one.but(deprel="advcl")
    return changed


def _other_number(tree: Tree, root: Word, noun: Word, number: str, inflector: Inflector) -> Word | None:
    """The word before the supposed noun as its subject, if it has the other number."""
    readings = [one for one in inflector.analyses(noun.form.lower()) if one.upos == "NOUN"]
    mine = next((one for one in readings if one.feats.get("Number") == number), None)
    kinds = {one.lemma.lower() for one in tree.children(root.id, "det")}
    if number == "Sing":
        fits = bool(kinds & _SINGULAR)
    else:
        fits = tree.child(root.id, "nummod") is not None or (mine is not None and mine.lemma in lexicon.ANIMATE)
        fits = fits and not kinds & _SINGULAR
    if mine is None or not fits:
        return None
    return noun.but(upos="NOUN", lemma=mine.lemma, feats=Features({"Number": number}))


def noun_is_second_verb(tree: Tree, inflector: Inflector) -> Changes:
    """*Eats an apple and drinks water*: no noun stands right before another phrase without a preposition."""
    changed: Changes = {}
    for word in tree.words:
        place = tree.places[word.id]
        if word.upos != "NOUN" or word.relation != "conj" or place < 2 or tree.words[place - 1].upos != "CCONJ":
            continue
        following = tree.words[place + 1] if place + 1 < len(tree.words) else word
        at = tree[word.head]
        while at.head and at.upos != "VERB":
            at = tree[at.head]
        if at.upos != "VERB" or not at.feats.agrees(Tense="Pres", VerbForm="Fin") or tree.child(word.id, "det", "amod"):
            continue
        readings = {
            one.lemma
            for one in inflector.analyses(word.form.lower())
            if one.feats.get("Tense") == "Pres" and one.feats.get("VerbForm") == "Fin"
            if (one.feats.get("Person") == "3") == (at.feats.get("Number") == "Sing")
        }
        phrase = following.upos in ("DET", "PRON") or at.feats.get("Number") == "Sing"  # palm trees are no palming
        starts = phrase and following.upos in ("DET", "NOUN", "PROPN", "PRON", "ADJ") and following.head != word.id
        first = tree[word.head]
        goes_on = (
            following.upos in ("ADP", "ADV") and first.feats.get("Number") == "Sing" and tree.child(first.id, "det")
        )
        acts = bool(readings & (lexicon.LASTING | lexicon.POSTURES | lexicon.MOTION))
        if len(readings) == 1 and (starts or at.id == word.head or (goes_on and acts)):
            changed[word.id] = word.but(head=at.id, lemma=readings.pop(), upos="VERB", feats=at.feats)
            if starts:
                top = following
                while top.head and tree.places[top.head] > place:
                    top = tree[top.head]
                if top.relation in ("obl", "nmod", "obj"):
                    changed[top.id] = top.but(head=word.id, deprel="obj")
            elif goes_on:
                for one in tree.children(word.id, "nmod"):
                    changed[one.id] = one.but(deprel="obl")
    return changed


def not_a_determiner(tree: Tree, inflector: Inflector) -> Changes:
    """A word that the parser takes for a determiner and the dictionary knows as a noun."""
    changed: Changes = {}
    for word in tree.words:
        is_one = word.upos == "DET" or (word.upos == "PRON" and word.xpos == "DT")
        if not is_one or word.form.lower() in lexicon.DETERMINERS:
            continue
        for one in inflector.analyses(word.form.lower()):
            if one.upos == "NOUN":
                relation = "compound" if word.relation == "det" else word.deprel
                number = Features({"Number": one.feats.get("Number", "Sing")})
                changed[word.id] = word.but(lemma=one.lemma, upos="NOUN", feats=number, deprel=relation)
    return changed


def base_is_present(tree: Tree, inflector: Inflector) -> Changes:
    """*Children float*: a base form with a subject and without an auxiliary stands in the present tense.

    So does one that was taken for a past tense and is none: *two girls hang a lamp*.
    """
    changed: Changes = {}
    for word in tree.words:
        base = grammar.is_base(word) or (
            _was(word) and word.form.lower() == word.lemma and not _can_be_past(word, inflector)
        )
        if not base or word.upos != "VERB" or tree.child(word.id, "aux", "aux:pass", "mark", "cop"):
            continue
        subject = tree.child(word.id, "nsubj")
        joined = word.relation == "conj" and tree[word.head].feats.get("VerbForm") == "Fin"
        if subject is None and word.relation == "conj" and word.head in changed:
            joined = True
        if joined and subject is None and _was(tree[word.head]) and _can_be_past(word, inflector):
            feats = Features({"Mood": "Ind", "Tense": "Past", "VerbForm": "Fin"})
            changed[word.id] = word.but(xpos="VBD", feats=feats)
            continue
        if (subject is None and not joined) or (joined and not _is_plural_verb(tree[word.head])):
            continue
        agreement = grammar.agreement_of(tree, subject.id) if subject is not None else {"Number": "Plur", "Person": "3"}
        if agreement is None or (agreement["Number"] == "Sing" and agreement.get("Person") == "3"):
            continue
        feats = Features({"Mood": "Ind", **agreement, "Tense": "Pres", "VerbForm": "Fin"})
        changed[word.id] = word.but(xpos="VBP", feats=feats)
    return changed


def _was(word: Word) -> bool:
    return word.feats.agrees(Tense="Past", VerbForm="Fin")


def _can_be_past(word: Word, inflector: Inflector) -> bool:
    readings = inflector.analyses(word.form.lower())
    return any(one.feats.get("Tense") == "Past" and one.feats.get("VerbForm") == "Fin" for one in readings)


def _is_plural_verb(word: Word) -> bool:
    return word.xpos == "VBP" or grammar.is_base(word)


def past_by_form(tree: Tree, inflector: Inflector) -> Changes:
    """*Drew* is a past tense, whatever the parser says: the tense of a verb of which the form can be no other."""
    changed: Changes = {}
    for word in tree.words:
        if word.upos != "VERB" or not word.feats.agrees(Tense="Pres", VerbForm="Fin"):
            continue
        readings = [one for one in inflector.analyses(word.form.lower()) if one.upos == "VERB"]
        if readings and all(one.feats.get("Tense") == "Past" for one in readings):
            feats = Features({"Mood": "Ind", "Tense": "Past", "VerbForm": "Fin"})
            changed[word.id] = word.but(xpos="VBD", feats=feats)
    return changed


def person(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """Number and person of a finite verb in the present tense, by its form: *stand* is no third person singular."""
    changed: Changes = {}
    for word in tree.words:
        if word.upos not in ("VERB", "AUX") or not word.feats.agrees(Tense="Pres", VerbForm="Fin"):
            continue
        form = word.form.lower()
        if form in ("am", "'m"):
            wanted = {"Number": "Sing", "Person": "1"}
        elif form != word.lemma and form.endswith("s"):
            wanted = {"Number": "Sing", "Person": "3"}
        else:
            wanted = {"Number": "Plur", "Person": "3"}
        if any(word.feats.get(name) != value for name, value in wanted.items()):
            changed[word.id] = word.but(feats=word.feats.but(**wanted))
    return changed


def participle_tense(tree: Tree, inflector: Inflector) -> Changes:
    """What stands behind *have* or *be* is a participle, whatever the parser took it for, if it can be one."""
    changed: Changes = {}
    for word in tree.words:
        if word.upos != "VERB" or word.feats.get("VerbForm") != "Fin":
            continue
        group = grammar.helpers(tree, word.id)
        if not group or group[-1].lemma not in ("have", "be"):
            continue
        readings = [one for one in inflector.analyses(word.form.lower()) if one.upos == "VERB"]
        if any(one.feats.get("VerbForm") == "Part" and one.feats.get("Tense") == "Past" for one in readings):
            changed[word.id] = word.but(xpos="VBN", feats=Features(grammar.DONE))
    return changed
