"""Negates a sentence: nobody does it, no such one does it, it is not done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kostra.transforms.edits import in_order
from kostra.transforms.engine import Draft, Relation, Tools
from kostra.transforms.pl import grammar, lexicon
from kostra.trees import Features, Tree, Word

RELATION: Relation = "contradiction"
VARIANTS: Mapping[str, str] = {
    "nobody": "the subject becomes nikt",
    "no such": "żaden stands before the subject",
    "not": "only the verb is negated",
}
NOBODY = Features({"Animacy": "Hum", "Case": "Nom", "Gender": "Masc", "Number": "Sing", "PronType": "Neg"})
MALE = {"Number": "Sing", "Gender": "Masc", "Animacy": "Hum"}


def apply(tree: Tree, tools: Tools) -> Iterator[Draft]:
    """Negate the main clause in three ways."""
    verb = tree.root
    if not (grammar.is_finite(verb) or tree.child(verb.id, "aux:pass", "cop")):
        tools.why(f"{verb.form} is no finite verb", verb.id)
        return
    if grammar.is_negated(tree, verb.id):
        tools.why("the sentence is negated already", verb.id)
        return
    negated = _negated(tree, verb, tools)
    if negated is None:
        return
    subject = grammar.subject(tree, verb.id)
    if subject is None or subject.lemma not in lexicon.INDEFINITE_TO_NEGATIVE:
        yield Draft(in_order(tree, negated), "not", (verb.id,), _doubts(tree, verb, subject))
    if subject is None:
        tools.why("there is no subject that nobody or none could replace", verb.id)
        return
    yield from _no_such(tree, verb, subject, negated, tools)
    yield from _nobody(tree, verb, subject, negated, tools)


def _doubts(tree: Tree, verb: Word, subject: Word | None) -> tuple[str, ...]:
    joined = [one for one in tree.children(verb.id, "conj") if grammar.is_finite(one)]
    return ("coordinated",) * len(joined) + (("style",) if subject is None else ())


def _negated(tree: Tree, verb: Word, tools: Tools) -> list[Word] | None:
    """The words with *nie* before the verb, and before those that share its subject; objects in the genitive."""
    verbs = [verb]
    for other in tree.children(verb.id, "conj"):
        if (
            other.upos in ("VERB", "ADJ", "AUX")
            and grammar.subject(tree, other.id) is None
            and not _has_own(tree, other)
        ):
            verbs.append(other)
    changed: dict[int, Word] = {}
    for one in verbs:
        if grammar.is_negated(tree, one.id):
            tools.why("a part of the sentence is negated already", one.id)
            return None
        more = _genitives(tree, one, tools)
        if more is None:
            return None
        changed |= more | _negative_words(tree, one, tools)
    number = tree.fresh()
    words: list[Word] = []
    places = {(_helper(tree, one) or one).id: one.id for one in verbs}
    for word in tree.words:
        if word.id in places:
            words.append(Word(number, "nie", "nie", "PART", head=places[word.id], deprel="advmod:neg"))
            number += 1
        words.append(changed.get(word.id, word))
    return words


def _has_own(tree: Tree, word: Word) -> bool:
    """Whether a conjunct is a clause of its own, or no predicate at all."""
    return not (grammar.is_finite(word) or tree.child(word.id, "aux:pass", "cop"))


def _helper(tree: Tree, verb: Word) -> Word | None:
    return tree.child(verb.id, "aux:pass", "cop", "aux")


def _genitives(tree: Tree, verb: Word, tools: Tools) -> dict[int, Word] | None:
    """Objects in the accusative take the genitive, also those of an infinitive that the verb governs."""
    changed: dict[int, Word] = {}
    for word in (verb, *(one for one in tree.children(verb.id, "xcomp") if one.feats.get("VerbForm") == "Inf")):
        for thing in tree.children(word.id, "obj"):
            if thing.feats.get("Case") != "Acc" and grammar.governor(tree, thing.id) is None:
                continue
            if thing.lemma in lexicon.INDEFINITE_TO_NEGATIVE:
                continue
            more = grammar.recased(tree, thing.id, "Gen", tools.inflector)
            if more is None:
                tools.why(f"the genitive of {thing.form} cannot be told", thing.id)
                return None
            changed |= more
    return changed


def _negative_words(tree: Tree, verb: Word, tools: Tools) -> dict[int, Word]:
    """Polish negates twice: somebody and somewhere become nobody and nowhere."""
    changed: dict[int, Word] = {}
    elsewhere = frozenset().union(
        *(tree.subtree(one.id) for one in tree.children(verb.id, "advcl", "conj", "parataxis"))
    )
    for word in tree.descendants(verb.id):
        if word.id in elsewhere:
            continue
        negative = lexicon.INDEFINITE_TO_NEGATIVE.get(word.lemma)
        if negative is None or word.relation == "nsubj" or tree[word.head].relation == "nsubj":
            continue
        if word.upos == "ADV" or "Case" not in word.feats:
            changed[word.id] = word.but(form=negative, lemma=negative)
            continue
        case = "Gen" if word.feats["Case"] == "Acc" else word.feats["Case"]
        form = lexicon.NEGATIVE_FORMS.get((negative, case))
        if negative == "żaden":
            made = grammar.agreeing(word.but(lemma="żaden"), word.feats.but(Case=case), tools.inflector)
            form = made.form if made else None
        if form:
            changed[word.id] = word.but(form=form, lemma=negative, feats=word.feats.but(Case=case))
    return changed


def _no_such(tree: Tree, verb: Word, subject: Word, negated: list[Word], tools: Tools) -> Iterator[Draft]:
    if subject.upos != "NOUN" or tree.children(subject.id, "conj"):
        tools.why(f"żaden cannot stand before {subject.form}", subject.id)
        return
    if grammar.numeral(tree, subject.id) or tree.child(subject.id, "det"):
        tools.why(f"{subject.form} has a numeral or determiner already", subject.id)
        return
    if subject.lemma in lexicon.QUANTITIES or (len(grammar.predicates(tree)) > 1 and _other_subjects(tree, verb)):
        tools.why(f"żaden does not go with {subject.form}", subject.id)
        return
    feats = subject.feats.but(
        Case="Nom", Number="Plur" if subject.feats.get("Number") == "Ptan" else subject.feats.get("Number")
    )
    form = tools.inflector.inflect(
        "żaden", "DET", {k: feats[k] for k in ("Case", "Number", "Gender", "Animacy") if k in feats}
    )
    if form is None:
        tools.why(f"żaden cannot agree with {subject.form}", subject.id)
        return
    number = max(word.id for word in negated) + 1
    none = Word(number, form, "żaden", "DET", feats=feats, head=subject.id, deprel="det")
    inside = tree.subtree(subject.id)
    place = next(place for place, word in enumerate(negated) if word.id in inside)
    while place > 1 and "-" in (negated[place].form, negated[place - 1].form):
        place -= 1  # before the whole of a compound with a hyphen
    doubts = ("style",) if any(tree[one].deprel == "acl:relcl" for one in inside) else ()
    yield Draft(in_order(tree, [*negated[:place], none, *negated[place:]]), "no such", (verb.id, subject.id), doubts)


def _other_subjects(tree: Tree, verb: Word) -> bool:
    return any(grammar.subject(tree, one.id) is not None for one in tree.children(verb.id, "conj"))


def _nobody(tree: Tree, verb: Word, subject: Word, negated: list[Word], tools: Tools) -> Iterator[Draft]:
    named = subject.upos in ("NOUN", "PROPN") and grammar.is_animate(tree, subject.id, tools.inflector)
    if not named and subject.lemma != "ktoś":
        tools.why(f"{subject.form} is nobody who could be nikt", subject.id)
        return
    if _other_subjects(tree, verb):
        tools.why("another clause has a subject of its own", verb.id)
        return
    inside = tree.subtree(subject.id)
    together = next((one for one in tree.words if one.lemma in lexicon.TOGETHER and one.id not in inside), None)
    several = subject.feats.get("Number") != "Sing" or tree.children(subject.id, "conj")
    if together is not None and several:
        tools.why(f"{together.form} needs several", together.id)
        return
    changed: dict[int, Word] = {}
    for one in grammar.predicates(tree):
        new = _singular(tree, one, tools)
        if new is None:
            tools.why(f"{one.form} cannot take the singular", one.id)
            return
        changed |= new
    nobody = Word(
        max(word.id for word in negated) + 1, "nikt", "nikt", "PRON", feats=NOBODY, head=verb.id, deprel="nsubj"
    )
    first = next(place for place, word in enumerate(negated) if word.id in inside)
    words = [changed.get(word.id, word) for word in negated if word.id not in inside]
    before = sum(word.id not in inside for word in negated[:first])
    if before < len(words) and words[before].form == ",":
        del words[before]  # it closed a clause of the subject
    agreeing = [one for one in tree.children(verb.id) if one.upos == "ADJ" and one.feats.get("Case") == "Nom"]
    if agreeing and verb.upos == "VERB":
        for one in agreeing:
            made = grammar.agreeing(one, {**MALE, "Case": "Nom"}, tools.inflector)
            if made is None:
                return
            words = [made if word.id == one.id else word for word in words]
    doubts = ("argument",) if any(tree[one].relation in ("acl", "nmod") for one in inside) else ()
    yield Draft(
        in_order(tree, [*words[:before], nobody, *words[before:]]), "nobody", (verb.id, subject.id, nobody.id), doubts
    )


def _singular(tree: Tree, verb: Word, tools: Tools) -> dict[int, Word] | None:
    """A predicate as *nikt* has it: masculine singular."""
    helper = _helper(tree, verb)
    if helper is not None:
        form = grammar.finite_form(tools.inflector, helper.lemma, helper.feats, MALE)
        if form is None or verb.upos != "ADJ":
            return None
        made = grammar.agreeing(verb, {**MALE, "Case": "Nom"}, tools.inflector)
        if made is None:
            return None
        return {helper.id: helper.but(form=form, feats=helper.feats.but(Number="Sing")), verb.id: made}
    form = grammar.finite_form(tools.inflector, verb.lemma, verb.feats, MALE)
    return None if form is None else {verb.id: verb.but(form=form, feats=verb.feats.but(**MALE))}
