"""Words that the parser took for something else: their class, their features, what they are to their verb.

Each function looks for one pattern that the endings forbid, and gives the words that change, by id.
"""

from __future__ import annotations

from kostra.transforms.inflection import Inflector
from kostra.transforms.pl import grammar, lexicon
from kostra.transforms.pl.agreement import agree, can_have, cells, lexemes_of
from kostra.trees import Tree, Word

Changes = dict[int, Word]


def impossible_number(tree: Tree, inflector: Inflector) -> Changes:
    """A noun whose form cannot have the number that the parser gave it has the other one."""
    changes: Changes = {}
    for word in tree.words:
        if word.upos != "NOUN" or word.feats.get("Number") not in ("Sing", "Plur") or "Case" not in word.feats:
            continue
        case, number = word.feats["Case"], word.feats["Number"]
        possible = {(c, n) for c, n, _ in cells(inflector, word.form, "NOUN")}
        other = "Sing" if number == "Plur" else "Plur"
        if possible and (case, number) not in possible and (case, other) in possible:
            changes[word.id] = word.but(feats=word.feats.but(Number=other))
    return changes


def lexeme(tree: Tree, inflector: Inflector) -> Changes:
    """A lemma that the form cannot have, and an aspect that the lemma cannot have, become those of the analyser."""
    changes: Changes = {}
    for word in tree.words:
        if word.upos not in ("VERB", "ADJ", "NOUN"):
            continue
        known = lexemes_of(inflector, word)
        if not known:
            continue
        lemma = word.lemma
        if lemma not in [one for one, _ in known]:
            lemma = max((one for one, _ in known), key=lambda one: _shared_letters(one, word.lemma))
        if word.upos == "NOUN" and lemma not in lexicon.BODY:  # pyska is more often of pysk than of pysek
            lemma = next((one for one, _ in known if one in lexicon.BODY), lemma)
        aspects = {aspect for one, aspect in known if one == lemma and aspect}
        aspect = word.feats.get("Aspect")
        feats = word.feats.but(Aspect=aspects.pop()) if aspect and len(aspects) == 1 else word.feats
        if lemma != word.lemma or feats != word.feats:
            changes[word.id] = word.but(lemma=lemma, feats=feats)
    return changes


def _shared_letters(first: str, second: str) -> int:
    """How many letters two words share at their beginning."""
    return next(
        (place for place, pair in enumerate(zip(first, second, strict=False)) if len(set(pair)) > 1), len(first)
    )


def hidden_participle(tree: Tree, inflector: Inflector) -> Changes:
    """*chwiejącego się*: an adjective that can only be a participle is one."""
    changes: Changes = {}
    for word in tree.words:
        if word.upos != "ADJ" or "VerbForm" in word.feats or not word.form.lower().endswith(_ACTIVE):
            continue
        readings = [one for one in inflector.analyses(word.form.lower()) if one.upos == "ADJ"]
        if (
            readings
            and all(one.feats.get("VerbForm") == "Part" for one in readings)
            and len({o.lemma for o in readings}) == 1
        ):
            feats = word.feats.but(VerbForm="Part", Voice=readings[0].feats["Voice"], Degree=None)
            changes[word.id] = word.but(lemma=readings[0].lemma, feats=feats)
    return changes


_ACTIVE = ("ący", "ąca", "ące", "ącego", "ącej", "ącemu", "ącym", "ącą", "ących", "ącymi")


def common_noun(tree: Tree, inflector: Inflector) -> Changes:
    """What the parser took for a name is a common noun if it has no capital of its own and the analyser knows it."""
    changes: Changes = {}
    for place, word in enumerate(tree.words):
        named = word.upos == "PROPN" or (place == 0 and word.upos in ("NOUN", "ADJ") and word.lemma[:1].isupper())
        if not named or (place and not word.form.islower()):
            continue
        readings = [one for one in inflector.analyses(word.form.lower()) if one.lemma.islower() and "Case" in one.feats]
        nouns = [one for one in readings if one.upos == "NOUN"] or [one for one in readings if one.upos == "ADJ"]
        lemmas = [one.lemma for one in nouns]
        if lemmas:
            own = word.lemma[:1].lower() + word.lemma[1:]
            changes[word.id] = word.but(lemma=own if own in lemmas else min(lemmas, key=len), upos=nouns[0].upos)
    return changes


def impossible_features(tree: Tree, inflector: Inflector) -> Changes:
    """A noun whose form cannot have the case, number and gender that the parser gave it takes those it can have."""
    changes: Changes = {}
    for word in tree.words:
        if word.upos != "NOUN" or "Case" not in word.feats or word.feats.get("Number") == "Ptan":
            continue
        lemmas = {one.lemma for one in inflector.analyses(word.form.lower()) if one.upos == "NOUN"}
        possible = cells(inflector, word.form, "NOUN")
        gender = " ".join(filter(None, (word.feats.get("Gender"), word.feats.get("Animacy"))))
        now = (word.feats["Case"], word.feats.get("Number", ""), gender)
        if not possible or now in possible or len(lemmas) != 1:
            continue
        same = [cell for cell in possible if cell[:2] == now[:2]] or list(possible)
        if len({cell[2] for cell in same}) > 1 or len({cell[:2] for cell in same}) > 1:
            continue
        case, number, gender = same[0]
        kind, _, animate = gender.partition(" ")
        feats = word.feats.but(Case=case, Number=number, Gender=kind, Animacy=animate or None)
        changes[word.id] = word.but(feats=feats, lemma=lemmas.pop())
    return changes


def genitive_object(tree: Tree, inflector: Inflector) -> Changes:
    """*pilnuje jeziora*: the object of a verb that takes the genitive is in the genitive, whatever its form recalls."""
    changes: Changes = {}
    for word in tree.words:
        if word.deprel != "obj" or word.upos != "NOUN" or tree[word.head].lemma not in lexicon.GENITIVE_VERBS:
            continue
        possible = [(case, number) for case, number, _ in cells(inflector, word.form, "NOUN") if case == "Gen"]
        if possible and word.feats.get("Case") != "Gen":
            number = "Sing" if ("Gen", "Sing") in possible else "Plur"
            changes[word.id] = word.but(feats=word.feats.but(Case="Gen", Number=number))
    return changes


def animacy(tree: Tree, inflector: Inflector) -> Changes:
    """Masculine nouns get the animacy that the analyser knows where the parser left it out."""
    changes: Changes = {}
    for word in tree.words:
        if word.upos == "NOUN" and word.feats.get("Gender") == "Masc" and "Animacy" not in word.feats:
            case, number = word.feats.get("Case"), word.feats.get("Number")
            kinds = {
                g.split()[1]
                for c, n, g in cells(inflector, word.form, "NOUN")
                if c == case and n == number and " " in g
            }
            if len(kinds) == 1:
                changes[word.id] = word.but(feats=word.feats.but(Animacy=kinds.pop()))
    return changes


def adverb_not_preposition(tree: Tree, inflector: Inflector) -> Changes:
    """*mieszkający obok sąsiad*: where no genitive follows, *obok* is an adverb."""
    changes: Changes = {}
    for word in tree.words:
        if word.relation != "case" or word.form.lower() not in lexicon.ALSO_ADVERBS or not word.head:
            continue
        noun = tree[word.head]
        if noun.upos == "NOUN" and not can_have(inflector, noun, "Gen"):
            place = tree.places[word.id]
            owner = next((one for one in reversed(tree.words[:place]) if one.upos in ("ADJ", "VERB")), None)
            if owner is not None and owner.id != noun.id:
                changes[word.id] = word.but(upos="ADV", deprel="advmod", head=owner.id)
    return changes


def adjective_as_noun(tree: Tree, inflector: Inflector) -> Changes:
    """*dwóch rudych rycerzy*: of two nouns side by side the first is an adjective if it can be one and agrees."""
    changes: Changes = {}
    for first, second in zip(tree.words, tree.words[1:], strict=False):
        if first.upos != "NOUN" or second.upos != "NOUN" or second.head != first.id:
            continue
        adjective = first.but(upos="ADJ")
        if cells(inflector, first.form, "ADJ") and agree(inflector, adjective, second) and first.head != second.id:
            lemma = next(one.lemma for one in inflector.analyses(first.form.lower()) if one.upos == "ADJ")
            changes[second.id] = second.but(head=first.head, deprel=first.deprel)
            changes[first.id] = adjective.but(head=second.id, deprel="amod", lemma=lemma)
            for child in tree.children(first.id):
                if child.id != second.id:
                    changes[child.id] = child.but(head=second.id)
    return changes


def men_are_governed(tree: Tree, inflector: Inflector) -> Changes:
    """*dwóch stolarzy* as subject or object: for men these forms of numerals govern the genitive."""
    changes: Changes = {}
    for word in tree.words:
        if word.deprel != "nummod" or word.form.lower() not in lexicon.MALE_GOVERNING_NUMERALS or not word.head:
            continue
        noun = tree[word.head]
        if (
            noun.relation in ("nsubj", "obj", "conj")
            and can_have(inflector, noun, "Gen")
            and grammar.no_preposition(tree, noun)
        ):
            changes[word.id] = word.but(deprel="nummod:gov")
            changes[noun.id] = noun.but(feats=noun.feats.but(Case="Gen"))
    return changes


def relative_object(tree: Tree, inflector: Inflector) -> Changes:
    """*listu, którego szuka*: który that cannot be a nominative is no subject."""
    changes: Changes = {}
    for word in tree.words:
        if (
            word.lemma != "który"
            or word.relation not in ("nsubj", "iobj")
            or not word.head
            or can_have(inflector, word, "Nom")
        ):
            continue
        verb = tree[word.head]
        if grammar.is_finite(verb) and can_have(inflector, word, "Acc") and tree.child(verb.id, "obj") is None:
            changes[word.id] = word.but(deprel="obj", feats=word.feats.but(Case="Acc"))
    return changes


def features_by_agreement(tree: Tree, inflector: Inflector) -> Changes:
    """*na odsłoniętej kości*: a noun's number and case are those in which its modifier can follow it."""
    changes: Changes = {}
    for word in tree.words:
        if word.relation != "amod" or not word.head or "Case" not in word.feats:
            continue
        noun = tree[word.head]
        if noun.upos != "NOUN" or "Case" not in noun.feats:
            continue
        shared = cells(inflector, word.form, word.upos) & cells(inflector, noun.form, noun.upos)
        number = "Plur" if noun.feats.get("Number") == "Ptan" else noun.feats.get("Number")
        if shared and not any((case, many) == (noun.feats["Case"], number) for case, many, _ in shared):
            values = {(case, many) for case, many, _ in shared}
            if len(values) == 1:
                case, many = values.pop()
                changes[noun.id] = noun.but(feats=noun.feats.but(Case=case, Number=many))
                changes[word.id] = word.but(feats=word.feats.but(Case=case, Number=many))
    return changes


def object_case(tree: Tree, inflector: Inflector) -> Changes:
    """An object is in the accusative where its form allows it; of two subjects the second is the object."""
    changes: Changes = {}
    for verb in tree.words:
        if verb.upos != "VERB" or grammar.is_negated(tree, verb.id):
            continue
        things = tree.children(verb.id, "obj")
        subjects = tree.children(verb.id, "nsubj")
        thing = things[0] if things else None
        if thing is None and not grammar.reflexive(tree, verb.id):
            behind = [one for one in subjects[1:] if tree.places[one.id] > tree.places[verb.id]]
            thing = behind[0] if behind and len(subjects) == 2 else None
            if thing is None and verb.lemma not in lexicon.GENITIVE_VERBS:
                thing = _bare_genitive(tree, verb)
        if (
            thing is None
            or thing.upos != "NOUN"
            or not can_have(inflector, thing, "Acc")
            or not grammar.no_preposition(tree, thing)
        ):
            continue
        if thing.deprel == "obj" and (thing.feats.get("Case") == "Acc" or grammar.governor(tree, thing.id) is not None):
            continue
        if thing.feats.get("Case") == "Gen" and (
            verb.lemma in lexicon.GENITIVE_VERBS or thing.feats.get("Gender") != "Masc"
        ):
            continue
        changes[thing.id] = thing.but(deprel="obj", feats=thing.feats.but(Case="Acc"))
        for child in tree.children(thing.id, "amod", "det", "nummod"):
            if "Case" in child.feats and can_have(inflector, child, "Acc"):
                changes[child.id] = child.but(feats=child.feats.but(Case="Acc"))
    return changes


def reflexive_of_participle(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*kołyszących się traw*: się right behind a participle is its own."""
    changes: Changes = {}
    for word, oneself in zip(tree.words, tree.words[1:], strict=False):
        if oneself.form == "się" and grammar.is_participle(word, "Act") and oneself.head != word.id:
            changes[oneself.id] = oneself.but(head=word.id, deprel="expl:pv")
    return changes


def possessive(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*podziwia jej naszyjnik*: jej, jego and ich right before a noun's phrase belong to it."""
    changes: Changes = {}
    for word, noun in zip(tree.words, tree.words[1:], strict=False):
        apart = noun.upos == "NOUN" and word.head != noun.id and noun.head != word.id
        if word.form.lower() in ("jej", "jego", "ich") and apart and tree.child(word.id, "case") is None:
            changes[word.id] = word.but(head=noun.id, deprel="nmod:poss")
    return changes


def na_czarno(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*pomalowany na zielono*: the adverb belongs to the participle, and *na* to the adverb."""
    changes: Changes = {}
    for before, na, adverb in zip(tree.words, tree.words[1:], tree.words[2:], strict=False):
        colour = adverb.form in lexicon.COLOURS or (adverb.upos == "ADV" and adverb.form.endswith("o"))
        if na.form == "na" and colour and before.upos in ("ADJ", "VERB"):
            changes[na.id] = na.but(head=adverb.id, deprel="case")
            changes[adverb.id] = adverb.but(head=before.id, deprel="obl", upos="ADV")
            for child in (*tree.children(na.id), *tree.children(adverb.id)):
                if child.id not in (na.id, adverb.id):
                    changes[child.id] = child.but(head=before.id)
        elif na.form == "na" and colour:
            place = tree.places[adverb.id] + 1
            behind = tree.words[place] if place < len(tree.words) else adverb
            if grammar.is_participle(behind):  # na biało ubrani mężczyźni
                changes[na.id] = na.but(head=adverb.id, deprel="case")
                changes[adverb.id] = adverb.but(head=behind.id, deprel="obl", upos="ADV")
    return changes


def one_another(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*stoi jedno za drugim na moście*: one beside the other is a circumstance, and ends there."""
    changes: Changes = {}
    for first, preposition, second in zip(tree.words, tree.words[1:], tree.words[2:], strict=False):
        if first.lemma != "jeden" or preposition.upos != "ADP" or second.lemma != "drugi":
            continue
        if grammar.next_form(tree, second) and tree.words[tree.places[second.id] + 1].upos == "NOUN":
            continue
        verb = tree.root if tree.root.upos == "VERB" else None
        if verb is None or first.id == verb.id or tree.places[verb.id] > tree.places[first.id]:
            continue
        changes[first.id] = first.but(head=verb.id, deprel="advmod")
        changes[second.id] = second.but(head=first.id, deprel="obl")
        changes[preposition.id] = preposition.but(head=second.id, deprel="case")
        for word in (first, second):
            for child in tree.children(word.id):
                if child.id not in (first.id, preposition.id, second.id):
                    changes[child.id] = child.but(head=verb.id)
    return changes


def beside_oneself(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*rosnące blisko siebie*: an adverb before siebie is its preposition, and both hang on what is before them."""
    changes: Changes = {}
    for before, adverb, oneself in zip(tree.words, tree.words[1:], tree.words[2:], strict=False):
        if (
            oneself.lemma != "siebie"
            or adverb.form.lower() not in lexicon.ALSO_ADVERBS
            or before.upos not in ("ADJ", "VERB")
        ):
            continue
        if oneself.head != before.id or adverb.head != oneself.id:
            changes[adverb.id] = adverb.but(head=oneself.id, deprel="case", upos="ADP")
            changes[oneself.id] = oneself.but(head=before.id, deprel="obl")
    return changes


def _bare_genitive(tree: Tree, verb: Word) -> Word | None:
    """A masculine genitive without preposition or numeral: what looks like the accusative of a man or an animal."""
    for one in tree.children(verb.id, "iobj", "obl"):
        if one.upos == "NOUN" and one.feats.agrees(Case="Gen", Gender="Masc") and grammar.no_preposition(tree, one):
            return one if grammar.governor(tree, one.id) is None else None
    return None
