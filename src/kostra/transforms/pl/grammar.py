"""What the Polish rules know of Polish: finite verbs, subjects, numerals, and phrases in another case."""

from __future__ import annotations

from collections.abc import Mapping

from kostra.transforms.edits import part
from kostra.transforms.inflection import Inflector
from kostra.transforms.pl import lexicon
from kostra.transforms.pl.agreement import agree
from kostra.trees import Features, Tree, Word

AGREEING = ("amod", "det", "nummod", "acl")
"""Relations of what agrees with its noun, if it has a case at all."""
GOVERNING = ("nummod:gov", "det:numgov")
"""Relations of numerals that put their noun into the genitive."""
FIVE_OR_MORE_VERB = {"Number": "Sing", "Gender": "Neut"}


def is_finite(word: Word) -> bool:
    """Whether a word is a finite verb in the indicative."""
    return word.upos == "VERB" and word.feats.get("VerbForm") == "Fin" and word.feats.get("Mood", "Ind") == "Ind"


def is_participle(word: Word, voice: str | None = None) -> bool:
    """Whether a word is an adjectival participle, of one voice or any."""
    return word.feats.get("VerbForm") == "Part" and (voice is None or word.feats.get("Voice") == voice)


def is_converb(word: Word) -> bool:
    """Whether a word is an adverbial participle."""
    return word.feats.get("VerbForm") == "Conv"


def is_negated(tree: Tree, verb: int) -> bool:
    """Whether *nie* stands with a verb or with its auxiliary."""
    helpers = [one.id for one in tree.children(verb, "aux", "cop")]
    return any(one.form.lower() == "nie" for word in (verb, *helpers) for one in tree.children(word, "advmod"))


def reflexive(tree: Tree, verb: int) -> Word | None:
    """The *się* of a verb."""
    return next((one for one in tree.children(verb) if one.form.lower() == "się"), None)


def subject(tree: Tree, verb: int) -> Word | None:
    """The subject of a predicate, if it has one of its own."""
    return tree.child(verb, "nsubj")


def governor(tree: Tree, noun: int) -> Word | None:
    """The numeral that puts a noun into the genitive."""
    return tree.child(noun, *GOVERNING)


def numeral(tree: Tree, noun: int) -> Word | None:
    """The numeral of a noun, whether it agrees or governs."""
    return tree.child(noun, "nummod", *GOVERNING)


def predicates(tree: Tree) -> list[Word]:
    """The root, and the predicates coordinated with it, in order."""
    root = tree.root
    return [root, *(one for one in tree.children(root.id, "conj") if is_finite(one) or _is_nominal(tree, one))]


def _is_nominal(tree: Tree, word: Word) -> bool:
    return tree.child(word.id, "aux:pass", "cop") is not None


def is_plain_phrase(tree: Tree, top: int) -> bool:
    """Whether a phrase has no clause inside."""
    return all(one.relation not in ("advcl", "ccomp", "csubj", "parataxis") for one in tree.descendants(top))


# Agreement ----------------------------------------------------------------------------------------------


def phrase_features(tree: Tree, noun: int) -> dict[str, str] | None:
    """Number, gender and animacy that a predicate or pronoun takes from a phrase; None where that cannot be told.

    Coordinated nouns make a plural, of men if one of them is a man.
    """
    word = tree[noun]
    joined = [one for one in tree.children(noun, "conj") if one.upos in ("NOUN", "PROPN", "PRON")]
    if joined:
        genders = [one.feats for one in (word, *joined)]
        if any(one.agrees(Gender="Masc", Animacy="Hum") for one in genders):
            return {"Number": "Plur", "Gender": "Masc", "Animacy": "Hum"}
        return {"Number": "Plur", "Gender": "Fem"}
    found = {name: word.feats[name] for name in ("Number", "Gender", "Animacy") if name in word.feats}
    if found.get("Number") == "Ptan":
        found["Number"] = "Plur"
    if "Number" not in found or "Gender" not in found:
        return None
    return found


def verb_features(tree: Tree, noun: int) -> dict[str, str] | None:
    """What a verb takes from its subject; a numeral that governs makes it neuter singular."""
    if governor(tree, noun) is not None and not tree.children(noun, "conj"):
        return dict(FIVE_OR_MORE_VERB)
    return phrase_features(tree, noun)


def finite_form(inflector: Inflector, lemma: str, feats: Mapping[str, str], agreement: Mapping[str, str]) -> str | None:
    """A finite form with the tense of `feats` and the number and gender of `agreement`."""
    wanted = {name: feats[name] for name in ("Tense", "Aspect", "Mood") if name in feats}
    wanted |= {"VerbForm": "Fin", "Person": "3", "Number": agreement["Number"]}
    if wanted.get("Tense") == "Past":
        wanted |= {name: agreement[name] for name in ("Gender", "Animacy") if name in agreement}
    return inflector.inflect(lemma, "VERB", wanted)


def participle(inflector: Inflector, verb: Word, voice: str, feats: Mapping[str, str]) -> Word | None:
    """The adjectival participle of a verb, agreeing with these features."""
    wanted = {"VerbForm": "Part", "Voice": voice}
    if "Aspect" in verb.feats:
        wanted["Aspect"] = verb.feats["Aspect"]
    wanted |= {name: feats[name] for name in ("Case", "Number", "Gender", "Animacy") if name in feats}
    form = inflector.inflect(verb.lemma, "ADJ", wanted)
    return None if form is None else verb.but(form=form, upos="ADJ", xpos="_", feats=Features(wanted))


def converb(inflector: Inflector, verb: Word) -> Word | None:
    """The present adverbial participle of an imperfective verb."""
    if verb.feats.get("Aspect") != "Imp":
        return None
    wanted = {"Aspect": "Imp", "VerbForm": "Conv", "Tense": "Pres", "Voice": "Act"}
    form = inflector.inflect(verb.lemma, "VERB", wanted)
    return None if form is None else verb.but(form=form, xpos="_", feats=Features(wanted))


# Case ---------------------------------------------------------------------------------------------------


def recased(
    tree: Tree, top: int, case: str, inflector: Inflector, *, with_numeral: bool = True
) -> dict[int, Word] | None:
    """The words of a noun phrase that change when it takes another case, by id; None where one cannot be inflected.

    A numeral that governs the genitive does so in the nominative and accusative only: elsewhere it takes the case
    itself, and so does its noun.
    """
    word = tree[top]
    if word.feats.get("Case") is None or word.upos not in ("NOUN", "PROPN", "PRON", "ADJ", "NUM", "DET"):
        return None
    governing = governor(tree, top)
    if governing is not None and with_numeral:
        return _recased_numeral(tree, word, governing, case, inflector)
    if word.feats["Case"] == case:
        return {}
    number = word.feats.get("Number", "Sing")
    form = _in_case(word, word.feats, case, inflector)
    if form is None or tree.child(top, "flat", "appos") is not None:
        return None
    changed = {top: word.but(form=form, xpos="_", feats=word.feats.but(Case=case))}
    target = word.feats.but(Case=case, Number="Plur" if number == "Ptan" else number)
    for child in tree.children(top):
        more: dict[int, Word] | None = {}
        bare = "Case" in child.feats and tree.child(child.id, "case") is None
        if child is governing or child.deprel in GOVERNING:
            continue
        if child.relation in AGREEING and child.deprel != "acl:relcl" and bare:
            more = _agreeing(tree, child, target, inflector) if agree(inflector, child, word) else None
        elif child.relation == "conj" and bare:
            more = recased(tree, child.id, case, inflector)
        if more is None:
            return None
        changed |= more
    return changed


def _recased_numeral(
    tree: Tree, word: Word, governing: Word, case: str, inflector: Inflector
) -> dict[int, Word] | None:
    if case in ("Nom", "Acc"):  # pięć psów, pięciu panów: both cases look alike
        if governing.form.lower() in lexicon.MALE_NOMINATIVE_NUMERALS:
            return None
        return {}
    if case != "Gen" or any("Case" in one.feats for one in tree.children(word.id, "conj")):
        return None
    target = word.feats.but(Case=case)
    form = inflector.inflect(governing.lemma, governing.upos, {**_gender(target), "Case": case, "Number": "Plur"})
    return None if form is None else {governing.id: governing.but(form=form, feats=governing.feats.but(Case=case))}


def _agreeing(tree: Tree, word: Word, target: Mapping[str, str], inflector: Inflector) -> dict[int, Word] | None:
    """A modifier, and those coordinated with it, in the case, number and gender of their noun."""
    changed: dict[int, Word] = {}
    for one in (word, *(joined for joined in tree.children(word.id, "conj") if "Case" in joined.feats)):
        made = agreeing(one, target, inflector)
        if made is None:
            return None
        changed[one.id] = made
    return changed


def agreeing(word: Word, target: Mapping[str, str], inflector: Inflector) -> Word | None:
    """A modifier in the case, number and gender of a noun."""
    wanted = {name: target[name] for name in ("Case", "Number", "Gender", "Animacy") if name in target}
    kept = {
        name: word.feats[name] for name in ("VerbForm", "Voice", "Aspect", "Degree", "Polarity") if name in word.feats
    }
    form = inflector.inflect(word.lemma, word.upos, {**kept, **wanted})
    if form is None:
        return None
    animacy = {} if "Animacy" in wanted else {"Animacy": None}
    return word.but(form=form, xpos="_", feats=word.feats.but(**wanted, **animacy))


def _in_case(word: Word, feats: Features, case: str, inflector: Inflector) -> str | None:
    names = ("Number", "Gender", "Animacy", "Person", "Polarity", "Degree", "VerbForm", "Voice", "Aspect")
    wanted = {name: feats[name] for name in names if name in feats}
    return inflector.inflect(word.lemma, word.upos, {**wanted, "Case": case})


def _gender(feats: Mapping[str, str]) -> dict[str, str]:
    return {name: feats[name] for name in ("Gender", "Animacy") if name in feats}


def is_animate(tree: Tree, noun: int, inflector: Inflector | None = None) -> bool:
    """Whether a noun names people or animals: by its animacy where Polish shows it, else by the lexicon."""
    word = tree[noun]
    if word.lemma.lower() in lexicon.QUANTITIES:
        inner = tree.child(noun, "nmod")
        return inner is not None and is_animate(tree, inner.id, inflector)
    if word.feats.get("Gender") == "Masc" and "Animacy" in word.feats:
        return word.feats["Animacy"] in ("Hum", "Nhum")
    if word.feats.get("Gender") == "Masc" and inflector is not None:
        kinds = [
            one.feats.get("Animacy", "") for one in inflector.analyses(word.form.lower()) if one.lemma == word.lemma
        ]
        return any("Hum" in kind for kind in kinds)
    return word.lemma.lower() in lexicon.ANIMATE or word.lemma.lower().endswith(lexicon.ANIMATE_ENDINGS)


def own_words(tree: Tree, top: int, *, but: tuple[str, ...]) -> list[Word]:
    """A word and what hangs on it, without the subtrees of some relations."""
    gone = frozenset().union(*(tree.subtree(one.id) for one in tree.children(top, *but)))
    return [word for word in part(tree, tree.subtree(top)) if word.id not in gone]


# Places ------------------------------------------------------------------------------------------------


def no_preposition(tree: Tree, word: Word) -> bool:
    """Whether a noun stands without a preposition."""
    return tree.child(word.id, "case") is None


def next_form(tree: Tree, word: Word) -> str:
    """The form of the word behind a word; empty at the end."""
    place = tree.places[word.id] + 1
    return tree.words[place].form if place < len(tree.words) else ""


def is_inside(tree: Tree, word: int, top: int) -> bool:
    """Whether a word hangs, however deep, on another."""
    return word in tree.subtree(top)


def verb_above(tree: Tree, word: int) -> int | None:
    """The nearest verb or participle on which a word hangs."""
    at = tree[word]
    while at.head:
        at = tree[at.head]
        if at.upos == "VERB" or is_participle(at):
            return at.id
    return None
