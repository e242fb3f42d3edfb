"""What the rules, and the menders, know of English: groups of auxiliaries, agreement, pronouns."""

from __future__ import annotations

from collections.abc import Mapping

from kostra.transforms.en import counting, lexicon
from kostra.transforms.inflection import Inflector
from kostra.transforms.shared import looking
from kostra.transforms.shared.grammar import Changes, Grammar
from kostra.trees import Features, Tree, Word

HELPERS = ("aux", "aux:pass", "cop")
"""Relations of what stands in one group with a predicate."""
MODALS = frozenset(
    {"can", "could", "may", "might", "must", "shall", "should", "will", "would", "ca", "wo", "'ll", "'d"}
)
_THIRD: Mapping[str, str] = {"Number": "Sing", "Person": "3"}
_PLURAL: Mapping[str, str] = {"Number": "Plur", "Person": "3"}


def is_ing(word: Word) -> bool:
    """Whether a word is an -ing form of a verb."""
    return word.upos in ("VERB", "AUX") and (
        word.feats.get("VerbForm") == "Ger" or word.feats.agrees(VerbForm="Part", Tense="Pres")
    )


def is_past_participle(word: Word) -> bool:
    """Whether a word is the participle of perfect and passive."""
    return word.upos in ("VERB", "AUX") and word.feats.agrees(VerbForm="Part", Tense="Past")


def is_base(word: Word) -> bool:
    """Whether a word is a verb in its base form."""
    return word.upos in ("VERB", "AUX") and word.feats.get("VerbForm") == "Inf"


def helpers(tree: Tree, verb: int) -> list[Word]:
    """The auxiliaries or the copula of a predicate, in their order."""
    return [one for one in tree.children(verb, *HELPERS) if one.upos in ("AUX", "VERB")]


def finite_word(tree: Tree, verb: int) -> Word | None:
    """The word of a predicate that has tense and agrees: its first auxiliary, or itself."""
    for one in (*helpers(tree, verb), tree[verb]):
        if one.feats.get("VerbForm") == "Fin" and one.feats.get("Mood", "Ind") == "Ind":
            return one
        if one.lemma in MODALS or one.form.lower() in MODALS:
            return one if one.upos == "AUX" else None
        break
    return None


def is_passive(tree: Tree, verb: int) -> bool:
    """Whether a predicate stands in the passive."""
    return tree.child(verb, "aux:pass", "nsubj:pass") is not None


def has_subject_behind(tree: Tree, verb: int) -> bool:
    """Whether the subject stands behind the finite word, as in questions."""
    subject, finite = looking.subject(tree, verb), finite_word(tree, verb)
    return subject is not None and finite is not None and tree.places[subject.id] > tree.places[finite.id]


def is_person(tree: Tree, noun: int) -> bool:
    """Whether a noun names a person or several, so that *who* points to it."""
    word = tree[noun]
    if word.lemma.lower() in lexicon.QUANTITIES:
        inner = tree.child(noun, "nmod")
        if inner is not None:
            return is_person(tree, inner.id)
    if word.lemma.lower() in lexicon.COLLECTIVES:
        return False
    return word.upos in ("NOUN", "PRON") and (word.lemma.lower() in lexicon.PEOPLE or word.form.lower() == "people")


def agreement_of(tree: Tree, noun: int) -> Mapping[str, str] | None:
    """Number and person that a verb takes from its subject; None where that cannot be told."""
    word = tree[noun]
    joined = [one for one in tree.children(noun, "conj") if one.upos in ("NOUN", "PROPN", "PRON", "NUM")]
    if joined:
        either = any(one.form.lower() in ("or", "nor") for last in joined for one in tree.children(last.id, "cc"))
        return agreement_of(tree, joined[-1].id) if either else _PLURAL
    if word.upos == "PRON" and word.feats.get("PronType") == "Prs":
        if word.lemma.lower() == "you":
            return {"Number": "Plur", "Person": "2"}
        return {"Number": word.feats.get("Number", "Sing"), "Person": word.feats.get("Person", "3")}
    if word.form.lower() in (
        "people",
        "police",
        "cattle",
        "others",
        "many",
        "several",
        "both",
        "few",
        "these",
        "those",
    ):
        return _PLURAL
    if word.lemma.lower() in lexicon.QUANTITIES and word.feats.get("Number") != "Plur":
        inner = tree.child(noun, "nmod")
        if inner is not None and word.lemma.lower() in ("couple", "lot", "majority", "number"):
            return agreement_of(tree, inner.id)
    if word.upos == "NUM":
        return _THIRD if word.lemma.lower() in ("one", "1") else _PLURAL
    if looking.numeral(tree, noun) is not None and word.feats.get("Number") == "Plur":
        return _PLURAL
    one = word.form == word.lemma and any(det.form.lower() in ("a", "an") for det in tree.children(noun, "det"))
    if word.feats.get("Number") in ("Plur", "Ptan") and not one:
        return _PLURAL  # a species is one
    if word.upos in ("NOUN", "PROPN", "PRON", "DET"):
        return _THIRD
    return None


def finite_form(inflector: Inflector, lemma: str, tense: str, agreement: Mapping[str, str]) -> str | None:
    """A finite form in a tense, agreeing."""
    wanted = {"Tense": tense, "VerbForm": "Fin", **agreement}
    return inflector.inflect(lemma, "AUX" if lemma == "be" else "VERB", wanted)


def agreeing(word: Word, agreement: Mapping[str, str], inflector: Inflector) -> Word | None:
    """A finite word that agrees with another subject; one that does not change comes back as it is."""
    if word.lemma in MODALS or word.feats.get("VerbForm") != "Fin":
        return word
    if word.feats.get("Tense") == "Past" and word.lemma != "be":
        return word
    if word.feats.get("Number") == agreement["Number"] and word.feats.get("Person", "3") == agreement.get("Person"):
        return word
    form = finite_form(inflector, word.lemma, word.feats.get("Tense", "Pres"), agreement)
    return None if form is None else word.but(form=form, feats=word.feats.but(**agreement))


def agreeing_predicates(tree: Tree, verb: int, agreement: Mapping[str, str], inflector: Inflector) -> Changes | None:
    """What changes in a predicate, and in those that share its subject, when the subject does."""
    changed: Changes = {}
    sharing = [one for one in tree.children(verb, "conj") if looking.subject(tree, one.id) is None]
    for one in (tree[verb], *sharing):
        finite = finite_word(tree, one.id)
        if finite is None:
            continue
        made = agreeing(finite, agreement, inflector)
        if made is None:
            return None
        if made is not finite:
            changed[finite.id] = made
    return changed


def in_case(tree: Tree, top: int, case: str, inflector: Inflector) -> Changes | None:
    """The pronouns of a phrase that change when it becomes subject or object; None where one has no such form."""
    changed: Changes = {}
    for word in (tree[top], *tree.children(top, "conj")):
        if word.upos == "PRON" and word.feats.get("PronType") == "Prs" and word.feats.get("Case") in ("Nom", "Acc"):
            form = inflector.inflect(word.lemma, "PRON", {"Case": case})
            if form is None:
                return None
            if form.lower() != word.form.lower():
                changed[word.id] = word.but(form=form, feats=word.feats.but(Case=case))
    return changed


def formed(word: Word, inflector: Inflector, feats: Mapping[str, str], **changes: object) -> Word | None:
    """A verb in another form."""
    form = inflector.inflect(word.lemma, "VERB", feats, like=word.form)
    if form is None:
        return None
    xpos = {"Inf": "VB", "Part": "VBG" if feats.get("Tense") == "Pres" else "VBN"}.get(feats["VerbForm"], "_")
    return word.but(form=form, upos="VERB", xpos=xpos, feats=Features(feats), **changes)


ING: Mapping[str, str] = {"Tense": "Pres", "VerbForm": "Part"}
DONE: Mapping[str, str] = {"Tense": "Past", "VerbForm": "Part", "Voice": "Pass"}
BASE: Mapping[str, str] = {"VerbForm": "Inf"}


def is_in_compound(tree: Tree, top: int) -> bool:
    """Whether a hyphen joins a phrase to what stands before or behind it, so that it is a part of a word."""
    inside = tree.subtree(top)
    first, last = min(tree.places[one] for one in inside), max(tree.places[one] for one in inside)
    beside = (*tree.words[max(0, first - 1) : first], *tree.words[last + 1 : last + 2])
    return any(one.form in ("-", "–", "/") for one in beside)


def is_supposed(tree: Tree, word: Word) -> bool:
    """Whether a word stands in a condition, which says more once it is shorter: *if you like old books, read it*."""
    while word.head:
        if any(one.form.lower() in ("if", "unless", "whether") for one in tree.children(word.id, "mark")):
            return True
        word = tree[word.head]
    return False


def is_where_something_is(tree: Tree, noun: Word) -> bool:
    """Whether a phrase says where something is that stands before it: *with a hat over his face*."""
    return noun.lemma in ENGLISH.body | {"background", "foreground", "distance"} or (
        tree.child(noun.id, "nmod:poss") is not None
    )


class English(Grammar):
    """English as the skeletons of rules see it."""

    conjunctions = frozenset({"and"})
    alternatives = frozenset({"or", "nor"})
    between = frozenset({"between"})
    describing = lexicon.words("describing")
    """Prepositions of phrases that alone say enough of a noun."""
    relatives = frozenset({"which", "who", "whom", "whose", "that"})
    reflexives = frozenset({"himself", "herself", "itself", "themselves", "myself", "yourself", "ourselves", "oneself"})
    agent_preposition = "by"
    inherited = ("case", "det", "nmod:poss")

    def is_finite(self, tree: Tree, word: Word) -> bool:
        """Whether a verb has tense, by itself, by an auxiliary, or by the auxiliary of one that it is joined with."""
        if word.upos != "VERB":
            return False
        if finite_word(tree, word.id) is not None:
            return True
        if word.relation != "conj" or helpers(tree, word.id) or looking.subject(tree, word.id) is not None:
            return False
        first = tree[word.head]
        same = first.feats.get("VerbForm") == word.feats.get("VerbForm")
        return first.upos == "VERB" and same and bool(helpers(tree, first.id)) and self.is_finite(tree, first)

    def without_numeral(self, tree: Tree, noun: Word, inflector: Inflector) -> tuple[frozenset[int], Changes] | None:
        """As elsewhere; *one of six members* and *within nine months* need their numbers."""
        measured = noun.lemma.lower() in lexicon.TIMES or any(
            one.form == "of" for one in tree.children(noun.id, "case")
        )
        number = looking.numeral(tree, noun.id)
        if measured or (number is not None and counting.is_needed(tree, noun, number)):
            return None
        return super().without_numeral(tree, noun, inflector)

    def is_negated(self, tree: Tree, verb: int) -> bool:
        """Whether a predicate is negated, by *not*, by an adverb such as *hardly*, or by its subject or object."""
        for word in (verb, *(one.id for one in helpers(tree, verb))):
            for one in tree.children(word):
                if one.relation in ("advmod", "cc:preconj") and one.lemma.lower() in lexicon.NEGATIVE:
                    return True
                if one.relation in ("nsubj", "obj", "obl") and _says_no(tree, one):
                    return True
        return any(one.form.lower() == "cannot" for one in helpers(tree, verb))

    def is_animate(self, tree: Tree, noun: int, inflector: Inflector | None = None) -> bool:
        """Whether a noun names people or animals."""
        word = tree[noun]
        if word.lemma.lower() in lexicon.QUANTITIES:
            inner = tree.child(noun, "nmod")
            if inner is not None:
                return self.is_animate(tree, inner.id, inflector)
        return word.lemma.lower() in lexicon.ANIMATE or word.form.lower() == "people"

    def reflexive(self, tree: Tree, verb: int) -> Word | None:
        """The *himself* of a verb."""
        return next((one for one in tree.children(verb) if one.lemma in self.reflexives), None)


def _says_no(tree: Tree, noun: Word) -> bool:
    return noun.lemma.lower() in lexicon.NEGATIVE or any(
        one.lemma.lower() in lexicon.NEGATIVE for one in tree.children(noun.id, "det", "amod", "advmod")
    )


ENGLISH = English(lexicon.LEXICON)
