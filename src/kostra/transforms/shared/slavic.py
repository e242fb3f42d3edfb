"""Grammar that Slavic languages share: phrases in another case, agreement, numerals that govern the genitive."""

from __future__ import annotations

from collections.abc import Mapping

from kostra.transforms.edits import part
from kostra.transforms.inflection import Inflector
from kostra.transforms.shared.grammar import Changes, Grammar
from kostra.transforms.shared.looking import GOVERNING, governor, numeral, subject
from kostra.trees import Features, Tree, Word

AGREEING = ("amod", "det", "nummod", "acl")
"""Relations of what agrees with its noun, if it has a case at all."""
AGREEMENT = ("Case", "Number", "Gender", "Animacy")
"""What a modifier takes from its noun."""
FIVE_OR_MORE_VERB = {"Number": "Sing", "Gender": "Neut"}
"""How a verb agrees with a subject whose numeral governs it."""
_OWN = ("VerbForm", "Voice", "Aspect", "Degree", "Polarity")
"""What a modifier keeps when it agrees anew."""
_KEPT = ("Number", "Gender", "Animacy", "Person", "Polarity", "Degree", "VerbForm", "Voice", "Aspect")
"""What a noun or adjective keeps in another case."""


class Slavic(Grammar):
    """Cases, and verbs that agree in number and, in the past, in gender."""

    subject_may_follow = True
    object_case = "Acc"
    agent_case: str = "Ins"
    """The case of the agent of a passive."""
    men: str = "Hum"
    """The animacy that decides the plural of several: of men in Polish, of anything animate in Czech."""

    # What a language answers ---------------------------------------------------------------------------

    def agree(self, inflector: Inflector, first: Word, second: Word) -> bool:
        """Whether two words can agree in case, number and gender."""
        raise NotImplementedError

    def finite_form(
        self,
        inflector: Inflector,
        lemma: str,
        feats: Mapping[str, str],
        agreement: Mapping[str, str],
        *,
        like: str | None = None,
    ) -> str | None:
        """A finite form in the third person, with the tense of `feats`, number and gender of `agreement`.

        `like` is the form that stands in the sentence, for lemmas of two inflections.
        """
        raise NotImplementedError

    def recased_numeral(
        self, tree: Tree, word: Word, governing: Word, case: str, inflector: Inflector
    ) -> Changes | None:
        """What changes when a phrase with a numeral that governs takes another case."""
        raise NotImplementedError

    # Agreement -----------------------------------------------------------------------------------------

    def phrase_features(self, tree: Tree, noun: int) -> dict[str, str] | None:
        """Number, gender and animacy that a predicate or pronoun takes from a phrase; None where that cannot be told.

        Coordinated nouns make a plural, of men if one of them is a man.
        """
        word = tree[noun]
        joined = [one for one in tree.children(noun, "conj") if one.upos in ("NOUN", "PROPN", "PRON")]
        if joined:
            genders = [one.feats for one in (word, *joined)]
            if any(one.agrees(Gender="Masc", Animacy=self.men) for one in genders):
                return {"Number": "Plur", "Gender": "Masc", "Animacy": self.men}
            return {"Number": "Plur", "Gender": "Fem"}
        return self.own_features(word)

    def own_features(self, noun: Word) -> dict[str, str] | None:
        """Number, gender and animacy of a noun itself, whatever is joined with it; None where that cannot be told."""
        found = {name: noun.feats[name] for name in ("Number", "Gender", "Animacy") if name in noun.feats}
        if found.get("Number") == "Ptan":
            found["Number"] = "Plur"
        return found if "Number" in found and "Gender" in found else None

    def verb_features(self, tree: Tree, noun: int) -> dict[str, str] | None:
        """What a verb takes from its subject; a numeral that governs makes it neuter singular."""
        if governor(tree, noun) is not None and not tree.children(noun, "conj"):
            return dict(FIVE_OR_MORE_VERB)
        return self.phrase_features(tree, noun)

    def agreeing(self, word: Word, target: Mapping[str, str], inflector: Inflector) -> Word | None:
        """A modifier in the case, number and gender of a noun."""
        wanted = {name: target[name] for name in AGREEMENT if name in target}
        kept = {name: word.feats[name] for name in _OWN if name in word.feats}
        form = inflector.inflect(word.lemma, word.upos, {**kept, **wanted})
        if form is None:
            return None
        animacy = {} if "Animacy" in wanted else {"Animacy": None}
        return word.but(form=form, xpos="_", feats=word.feats.but(**wanted, **animacy))

    def participle(self, inflector: Inflector, verb: Word, voice: str, feats: Mapping[str, str]) -> Word | None:
        """The adjectival participle of a verb, agreeing with these features."""
        wanted = {"VerbForm": "Part", "Voice": voice}
        if "Aspect" in verb.feats:
            wanted["Aspect"] = verb.feats["Aspect"]
        wanted |= {name: feats[name] for name in AGREEMENT if name in feats}
        form = inflector.inflect(verb.lemma, "ADJ", wanted)
        return None if form is None else verb.but(form=form, upos="ADJ", xpos="_", feats=Features(wanted))

    # Case ----------------------------------------------------------------------------------------------

    def recased(
        self, tree: Tree, top: int, case: str, inflector: Inflector, *, with_numeral: bool = True
    ) -> Changes | None:
        """The words of a noun phrase that change when it takes another case; None where one cannot be inflected.

        A numeral that governs the genitive does so in the nominative and accusative only: elsewhere it takes the case
        itself, and so does its noun.
        """
        word = tree[top]
        if word.feats.get("Case") is None or word.upos not in ("NOUN", "PROPN", "PRON", "ADJ", "NUM", "DET"):
            return None
        governing = governor(tree, top)
        if governing is not None and with_numeral:
            return self.recased_numeral(tree, word, governing, case, inflector)
        if word.feats["Case"] == case:
            return {}
        number = word.feats.get("Number", "Sing")
        form = self.in_case(word, case, inflector)
        if form is None or tree.child(top, "flat", "appos") is not None:
            return None
        changed = {top: word.but(form=form, xpos="_", feats=word.feats.but(Case=case))}
        target = word.feats.but(Case=case, Number="Plur" if number == "Ptan" else number)
        for child in tree.children(top):
            more: Changes | None = {}
            bare = "Case" in child.feats and tree.child(child.id, "case") is None
            if child is governing or child.deprel in GOVERNING or tree.child(child.id, "aux", "cop") is not None:
                continue
            if child.relation in AGREEING and child.deprel != "acl:relcl" and bare:
                more = self._agreeing(tree, child, target, inflector) if self.agree(inflector, child, word) else None
            elif child.relation == "conj" and bare:
                more = self.recased(tree, child.id, case, inflector)
            if more is None:
                return None
            changed |= more
        return changed

    def _agreeing(self, tree: Tree, word: Word, target: Mapping[str, str], inflector: Inflector) -> Changes | None:
        """A modifier, and those coordinated with it, in the case, number and gender of their noun."""
        changed: Changes = {}
        for one in (word, *(joined for joined in tree.children(word.id, "conj") if "Case" in joined.feats)):
            made = self.agreeing(one, target, inflector)
            if made is None:
                return None
            changed[one.id] = made
        return changed

    def in_case(self, word: Word, case: str, inflector: Inflector) -> str | None:
        """The form of a noun or adjective in another case."""
        wanted = {name: word.feats[name] for name in _KEPT if name in word.feats}
        return inflector.inflect(word.lemma, word.upos, {**wanted, "Case": case})

    def agent(self, tree: Tree, doer: Word, number: int, inflector: Inflector) -> list[Word] | None:
        """A subject as the agent of a passive, in order, `number` being the id of a new preposition; None if unsure."""
        changed = self.recased(tree, doer.id, self.agent_case, inflector)
        if changed is None:
            return None
        by = self.agent_preposition
        words = [Word(number, by, by, "ADP", head=doer.id, deprel="case")] if by else []
        words += [changed.get(word.id, word) for word in part(tree, tree.subtree(doer.id))]
        return [word.but(deprel="obl:agent") if word.id == doer.id else word for word in words]

    # Numerals ------------------------------------------------------------------------------------------

    def without_numeral(self, tree: Tree, noun: Word, inflector: Inflector) -> tuple[frozenset[int], Changes] | None:
        """The words of a noun's numeral, and what agrees anew once it is gone: the noun's case, its verb's number."""
        number = numeral(tree, noun.id)
        if number is None or noun.feats.get("Number") == "Sing":
            return None
        gone = tree.subtree(number.id)
        governs = number.deprel in GOVERNING
        governs = governs or (noun.feats.get("Case") == "Gen" and number.feats.get("Case") in ("Nom", "Acc"))
        if not governs or noun.relation not in ("nsubj", "obj", "conj"):
            return gone, {}
        case = "Acc" if noun.relation == "obj" else "Nom"
        changed = self.recased(tree, noun.id, case, inflector, with_numeral=False)
        if changed is None:
            return None
        if noun.relation != "nsubj":
            return gone, changed
        verb = tree[noun.head]
        agreement = self.phrase_features(tree, noun.id)
        if agreement is None or self.helper(tree, verb.id) is not None:
            return None  # with a helper the participle would have to agree as well: rare, and left alone
        if not self.is_finite(tree, verb):
            return None
        for one in (verb, *(other for other in tree.children(verb.id, "conj") if self.is_finite(tree, other))):
            if one is not verb and subject(tree, one.id) is not None:
                continue
            form = self.finite_form(inflector, one.lemma, one.feats, agreement, like=one.form)
            if form is None:
                return None
            changed[one.id] = one.but(form=form, feats=one.feats.but(Number="Plur"))
        return gone, changed
