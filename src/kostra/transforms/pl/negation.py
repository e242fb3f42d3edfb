"""Negates a sentence: nobody does it, no such one does it, it is not done; objects take the genitive."""

from __future__ import annotations

from collections.abc import Iterator

from kostra.transforms.edits import is_unbroken
from kostra.transforms.engine import Draft, Tools
from kostra.transforms.pl import lexicon
from kostra.transforms.pl.grammar import POLISH
from kostra.transforms.shared import looking as shared
from kostra.transforms.shared.looking import governor
from kostra.transforms.shared.negation import RELATION, Negation, variants
from kostra.trees import Features, Tree, Word

__all__ = ["RELATION", "VARIANTS", "apply"]

VARIANTS = variants("nikt", "żaden")
_OTHERS = frozenset({"drugi", "inny", "trzeci"})
_TOO = frozenset({"też", "także", "również"})
_POINTING = frozenset({"on", "jego", "jej", "ich"})
_POSSESSIVE = frozenset({"jego", "jej", "ich"})
MALE = {"Number": "Sing", "Gender": "Masc", "Animacy": "Hum"}


class _Polish(Negation):
    nobody, none, somebody = "nikt", "żaden", frozenset({"ktoś"})
    nobody_features = Features({"Animacy": "Hum", "Case": "Nom", "Gender": "Masc", "Number": "Sing", "PronType": "Neg"})

    def negated(self, tree: Tree, verbs: list[Word], tools: Tools) -> list[Word] | None:
        """The words with *nie* before each predicate; objects in the genitive."""
        changed: dict[int, Word] = {}
        for one in verbs:
            more = _genitives(tree, one, tools)
            if more is None:
                return None
            changed |= more | self._negative_words(tree, one, tools)
        number = tree.fresh()
        words: list[Word] = []
        places = {(_helper(tree, one) or one).id: one.id for one in verbs}
        for word in tree.words:
            if word.id in places:
                words.append(Word(number, "nie", "nie", "PART", head=places[word.id], deprel="advmod:neg"))
                number += 1
            words.append(changed.get(word.id, word))
        return words

    def _negative_words(self, tree: Tree, verb: Word, tools: Tools) -> dict[int, Word]:
        """Polish negates twice: somebody and somewhere become nobody and nowhere."""
        changed: dict[int, Word] = {}
        for word, negative in self.indefinites(tree, verb):
            if word.upos == "ADV" or "Case" not in word.feats:
                changed[word.id] = word.but(form=negative, lemma=negative)
                continue
            case = "Gen" if word.feats["Case"] == "Acc" else word.feats["Case"]
            form = lexicon.NEGATIVE_FORMS.get((negative, case))
            if negative == "żaden":
                made = POLISH.agreeing(word.but(lemma="żaden"), word.feats.but(Case=case), tools.inflector)
                form = made.form if made else None
            if form:
                changed[word.id] = word.but(form=form, lemma=negative, feats=word.feats.but(Case=case))
        return changed

    def _other_subjects(self, tree: Tree, verb: Word) -> bool:
        """Also where the parser did not see the subject: *jeden śpi, a drugi czuwa*."""
        inside = tree.subtree(verb.id)
        elided = any(
            one.lemma in _OTHERS and (tree[one.head].upos != "NOUN" or _is_alone(tree, one))
            for one in tree.words
            if one.id in inside and one.head
        )
        return elided or super()._other_subjects(tree, verb)

    def _sharing(self, tree: Tree, verb: Word, tools: Tools) -> list[Word]:
        """Nothing where another clause says that somebody does so *too*."""
        for other in tree.children(verb.id, "conj"):
            too = next((one for one in tree.children(other.id) if one.lemma in _TOO), None)
            if too is not None and shared.subject(tree, other.id) is not None:
                tools.why(f"{too.form} would have nothing to go with", too.id)
                return []
        return super()._sharing(tree, verb, tools)

    def _nobody(self, tree: Tree, verb: Word, subject: Word, words: list[Word], tools: Tools) -> Iterator[Draft]:
        """Nobody has a beak, is meant by *jego*, or is *seen by others* while doing it."""
        inside = tree.subtree(subject.id)
        if not is_unbroken(tree, inside):
            tools.why(f"what belongs to {subject.form} does not stand together", subject.id)
            return
        for one in tree.words:
            if one.id in inside:
                continue
            same = all(one.feats.get(name) == subject.feats.get(name) for name in ("Number", "Gender"))
            if one.lemma in _POINTING and (same or one.form.lower() in _POSSESSIVE):
                tools.why(f"{one.form} may point to {subject.form}", one.id)
                return
            loose = one.head == verb.id and one.feats.get("Case") == "Nom" and shared.is_participle(one)
            if loose and tree.child(one.id, "aux", "cop") is None:
                tools.why(f"{one.form} is said of {subject.form}", one.id)
                return
        part = next(
            (
                one
                for one in words
                if one.lemma in lexicon.OF_ANIMALS and tree[one.head].upos == "VERB" and one.id not in inside
            ),
            None,
        )
        if part is not None:
            tools.why(f"nobody has such a {part.lemma}", part.id)
            return
        for draft in super()._nobody(tree, verb, subject, _reflexive_first(tree, verb, words), tools):
            beast = subject.feats.get("Animacy") == "Nhum" or subject.lemma in lexicon.ANIMALS
            yield draft._replace(doubts=(*draft.doubts, *["style"] * beast))

    def none_before(self, tree: Tree, subject: Word, number: int, tools: Tools) -> Word | None:  # noqa: ARG002 - a hook
        """*Żaden*, agreeing."""
        feats = subject.feats.but(
            Case="Nom", Number="Plur" if subject.feats.get("Number") == "Ptan" else subject.feats.get("Number")
        )
        wanted = {name: feats[name] for name in ("Case", "Number", "Gender", "Animacy") if name in feats}
        form = tools.inflector.inflect("żaden", "DET", wanted)
        return None if form is None else Word(number, form, "żaden", "DET", feats=feats, head=subject.id, deprel="det")

    def for_nobody(self, tree: Tree, predicate: Word, tools: Tools) -> dict[int, Word] | None:
        """A predicate as *nikt* has it, masculine singular, and what is said of the subject beside it."""
        helper = _helper(tree, predicate)
        if helper is not None:
            form = POLISH.finite_form(tools.inflector, helper.lemma, helper.feats, MALE)
            made = POLISH.agreeing(predicate, {**MALE, "Case": "Nom"}, tools.inflector)
            if form is None or predicate.upos != "ADJ" or made is None:
                return None
            return {helper.id: helper.but(form=form, feats=helper.feats.but(Number="Sing")), predicate.id: made}
        form = POLISH.finite_form(tools.inflector, predicate.lemma, predicate.feats, MALE)
        if form is None:
            return None
        changed = {predicate.id: predicate.but(form=form, feats=predicate.feats.but(**MALE))}
        if predicate.head == 0 and predicate.upos == "VERB":
            for one in tree.children(predicate.id):
                if one.upos == "ADJ" and one.feats.get("Case") == "Nom":
                    made = POLISH.agreeing(one, {**MALE, "Case": "Nom"}, tools.inflector)
                    if made is None:
                        return None
                    changed[one.id] = made
        return changed


def _reflexive_first(tree: Tree, verb: Word, words: list[Word]) -> list[Word]:
    """*Nikt się nie śmieje*: się that would close the clause stands before *nie*."""
    oneself = POLISH.reflexive(tree, verb.id)
    at = next(place for place, one in enumerate(words) if one.id == verb.id)
    if oneself is None or not at or words[at - 1].form != "nie" or oneself not in words[at + 1 : at + 2]:
        return words
    if any(one.upos != "PUNCT" for one in words[at + 2 :]):
        return words
    return [*words[: at - 1], oneself, *words[at - 1 : at + 1], *words[at + 2 :]]


def _helper(tree: Tree, verb: Word) -> Word | None:
    return tree.child(verb.id, "aux:pass", "cop", "aux")


def _genitives(tree: Tree, verb: Word, tools: Tools) -> dict[int, Word] | None:
    """Objects in the accusative take the genitive, also those of an infinitive that the verb governs."""
    changed: dict[int, Word] = {}
    for word in (verb, *(one for one in tree.children(verb.id, "xcomp") if one.feats.get("VerbForm") == "Inf")):
        for thing in tree.children(word.id, "obj"):
            if thing.feats.get("Case") != "Acc" and governor(tree, thing.id) is None:
                continue
            if thing.lemma in lexicon.INDEFINITE_TO_NEGATIVE or _is_behind_preposition(tree, thing):
                continue
            more = POLISH.recased(tree, thing.id, "Gen", tools.inflector)
            if more is None:
                tools.why(f"the genitive of {thing.form} cannot be told", thing.id)
                return None
            changed |= more
    return changed


def _is_alone(tree: Tree, other: Word) -> bool:
    """Whether a verb stands right behind *drugi*, so that it can only be its subject."""
    place = tree.places[other.id] + 1
    return place < len(tree.words) and tree.words[place].upos == "VERB"


def _is_behind_preposition(tree: Tree, thing: Word) -> bool:
    """Whether a preposition opens an object's phrase, or stands right before it, whatever it hangs on."""
    first = min(tree.places[one] for one in tree.subtree(thing.id))
    return any(one.upos == "ADP" for one in tree.words[max(0, first - 1) : first + 1])


apply = _Polish(POLISH).apply
