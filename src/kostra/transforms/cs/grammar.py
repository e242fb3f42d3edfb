"""What the rules know of Czech."""

from __future__ import annotations

import re
from collections.abc import Mapping

from kostra.transforms.cs import lexicon
from kostra.transforms.cs.agreement import agree
from kostra.transforms.inflection import Inflector
from kostra.transforms.shared.looking import governor, no_preposition
from kostra.transforms.shared.looking import numeral as looking_numeral
from kostra.transforms.shared.slavic import Slavic
from kostra.trees import Features, Tree, Word

_REFLEXIVE = frozenset({"se", "si", "ses", "sis"})
_LIKE_SÁZET = re.compile("[áéíýúů][bcčdďfghjklmnňprřsštťvzž]+[eě]t$")
"""Verbs with a long vowel before *-et*: several *odjíždějí*, so that the participle is *odjíždějící*."""


def is_past(word: Word) -> bool:
    """Whether a word is an l-participle, which is the past without an auxiliary in the third person."""
    return word.feats.get("VerbForm") == "Part" and word.feats.get("Voice") == "Act" and word.upos in ("VERB", "AUX")


def auxiliary(tree: Tree, verb: int) -> Word | None:
    """The auxiliary that carries negation: *bude* of the future, a form of *být* with a participle or adjective."""
    found = tree.children(verb, "aux", "cop")
    carriers = [one for one in found if one.feats.get("Mood") != "Cnd" and not _is_person(one)]
    return next((one for one in carriers if is_past(one)), carriers[0] if carriers else None)  # jsme byli poznáni


def _is_person(word: Word) -> bool:
    """Whether an auxiliary only tells the person of a past: *jsem* of *jsem šel*."""
    return word.deprel == "aux" and word.form.lower() in lexicon.CLITIC_AUXILIARIES


def is_conditional(tree: Tree, verb: int) -> bool:
    """Whether *by* stands with a verb, or inside its conjunction."""
    return any(one.feats.get("Mood") == "Cnd" for one in tree.children(verb, "aux", "mark"))


class CzechGrammar(Slavic):
    """Czech as the skeletons of rules see it."""

    conjunctions = frozenset({"a"})
    alternatives = frozenset({"nebo", "či"})
    joints = frozenset({",", "a", "i", "ale", "nebo", "či", "ani"})
    between = frozenset({"mezi"})
    pairs = ("jeden", "druhý")
    appearance = frozenset({"s", "o"})
    one = "jeden"
    relatives = frozenset({"který", "jenž"})
    reflexives = frozenset({"svůj", "se"})
    men = "Anim"

    def is_finite(self, tree: Tree, word: Word) -> bool:
        """Whether a word is a finite verb in the indicative: a present, or an l-participle without *by*."""
        if word.upos != "VERB":
            return False
        if word.feats.get("VerbForm") == "Fin":
            return word.feats.get("Mood", "Ind") == "Ind"
        return is_past(word) and not is_conditional(tree, word.id)

    def is_predicate(self, tree: Tree, word: Word) -> bool:
        """Whether a word is a finite verb, or one with an auxiliary or copula: *bude číst*, *by četl*, *je rád*."""
        return self.is_finite(tree, word) or is_past(word) or tree.child(word.id, "aux", "cop") is not None

    def is_negated(self, tree: Tree, verb: int) -> bool:
        """Whether a predicate or its auxiliary begins with *ne-*, or *ne* or *ani* stands with it."""
        found = (tree[verb], *tree.children(verb, "aux", "cop"))
        if any(one.feats.get("Polarity") == "Neg" for one in found if one.upos in ("VERB", "AUX", "ADJ")):
            return True
        beside = tree.children(verb, "advmod", "cc")
        return any(one.form.lower() in ("ne", "ani", "nikoli", "nikoliv", "nikdy") for one in beside)

    def reflexive(self, tree: Tree, verb: int) -> Word | None:
        """The *se* or *si* of a verb."""
        return next((one for one in tree.children(verb) if one.form.lower() in _REFLEXIVE), None)

    def agree(self, inflector: Inflector, first: Word, second: Word) -> bool:
        """Whether a modifier can agree with a noun."""
        return agree(inflector, first, second)

    def finite_form(
        self,
        inflector: Inflector,
        lemma: str,
        feats: Mapping[str, str],
        agreement: Mapping[str, str],
        *,
        like: str | None = None,
    ) -> str | None:
        """The third person with the tense, aspect and polarity of `feats` and the number and gender of `agreement`."""
        wanted = {name: feats[name] for name in ("Tense", "Aspect", "Polarity") if name in feats}
        wanted["Number"] = agreement["Number"]
        if wanted.get("Tense") == "Past":
            if agreement["Number"] == "Plur" and agreement.get("Gender") == "Masc" and "Animacy" not in agreement:
                return None
            wanted |= {"VerbForm": "Part", "Voice": "Act", **gender_of(agreement)}
        else:
            wanted |= {"VerbForm": "Fin", "Mood": "Ind", "Person": "3"}
        return inflector.inflect(lemma, "AUX" if lemma == "být" else "VERB", wanted, like=like)

    def participle(self, inflector: Inflector, verb: Word, voice: str, feats: Mapping[str, str]) -> Word | None:
        """The adjectival participle of a verb, in its long form; the word takes the participle's own lemma."""
        if voice == "Act" and not has_active_participle(inflector, verb):
            return None
        listed = next((own for own, lemma in lexicon.PARTICIPLE_VERBS.items() if lemma == verb.lemma), None)
        listed = listed or (verb.lemma[:-1] + "jící" if _LIKE_SÁZET.search(verb.lemma) else None)
        if voice == "Act" and (listed or verb.feats.agrees(Tense="Pres", Number="Plur")):
            # The participle is the third person plural and -cí; the sentence knows that form better than any rule.
            stem = listed or verb.form.lower() + "cí"
            wanted = {"VerbForm": "Part", "Voice": "Act", "Aspect": "Imp"}
            word = verb.but(lemma=stem, form=stem, upos="ADJ", feats=Features(wanted))
            return self.agreeing(word, feats, inflector) if stem.endswith(("ící", "oucí")) else None
        made = super().participle(inflector, verb, voice, feats)
        if made is None:
            return None
        own = inflector.inflect(
            verb.lemma, "ADJ", {**made.feats, "Case": "Nom", "Number": "Sing", "Gender": "Masc", "Animacy": "Anim"}
        )
        if own is not None and voice == "Act" and _is_of_other_present(verb, own):
            return None
        if own is not None and own.endswith("jící") and verb.lemma.endswith(("st", "zt")):
            return None  # vést has vedoucí
        if own is None or (voice == "Act" and not _is_plural_of(inflector, own.removesuffix("cí"), verb.lemma)):
            return None
        return made.but(lemma=own)

    def without_numeral(
        self, tree: Tree, noun: Word, inflector: Inflector
    ) -> tuple[frozenset[int], dict[int, Word]] | None:
        """As elsewhere, but times and measures are nothing without their number."""
        governs = governor(tree, noun.id) is not None and noun.relation not in ("nsubj", "obj")
        if governs or noun.lemma in lexicon.QUANTITIES or noun.lemma in lexicon.TIMES:
            return None
        numeral = governor(tree, noun.id)
        if numeral is not None and numeral.lemma in ("málo", "méně", "trochu", "dost", "moc"):
            return None  # málo lidí: who are few are not simply people
        if numeral is not None and noun.relation == "obj" and self._counts_subject(tree, noun):
            return None
        every = looking_numeral(tree, noun.id)
        joined = [one for one in tree.children(noun.id, "conj") if looking_numeral(tree, one.id) is not None]
        if every is None or every.lemma in ("oba", "obě") or noun.relation in ("conj", "appos") or joined:
            return None  # of two joined phrases one would have its number and one not
        if noun.lemma.endswith("cí") or (noun.head and tree[noun.head].lemma in ("zůstat", "zůstávat", "být")):
            return None
        between = tree.words[tree.places[every.id] + 1 : tree.places[noun.id]]
        if every.lemma == "kolik" or any(one.upos not in ("ADJ", "DET", "ADV") for one in between):
            return None  # několik set lidí
        counting = [one for one in tree.descendants(noun.id) if one.upos == "NUM" or one.lemma in ("tisíc", "milion")]
        if len(counting) > 1:
            return None  # dvanáct tisíc
        if noun.relation not in ("nsubj", "obj", "obl") or noun.lemma in self.needs_genitive | self.needs_adjective:
            return None  # s průměrem čtyři stopy; čtyři situace
        behind = tree.words[tree.places[noun.id] + 1 :]
        if any(one.lemma in ("jeden", "další", "každý", "oba", "zbylý", "ostatní", "druhý") for one in behind):
            return None  # tři ženy mluví a jedna pije; zemřeli tři lidé, dalších pět
        found = super().without_numeral(tree, noun, inflector)
        bare = noun.relation != "obl" and noun.feats.get("Case") == "Gen" and no_preposition(tree, noun)
        return None if found is not None and bare and noun.id not in found[1] else found

    def _counts_subject(self, tree: Tree, noun: Word) -> bool:
        """*Přišlo pět lidí*: whether a counted noun, taken for an object, is the subject, as the verb says."""
        verb = tree[noun.head]
        return tree.child(verb.id, "nsubj") is None and verb.feats.get("Gender") in ("Neut", "Fem,Neut")

    def recased_numeral(
        self, tree: Tree, word: Word, governing: Word, case: str, inflector: Inflector
    ) -> dict[int, Word] | None:
        """*Pět psů* in the nominative and accusative; *s pěti psy*: elsewhere numeral and noun take the case."""
        if case in ("Nom", "Acc"):
            return {}
        form = inflector.inflect(governing.lemma, governing.upos, {"Case": case})
        changed = self.recased(tree, word.id, case, inflector, with_numeral=False)
        if form is None or changed is None or tree.children(word.id, "conj"):
            return None
        return {**changed, governing.id: governing.but(form=form, feats=governing.feats.but(Case=case))}

    def agreeing(self, word: Word, target: Mapping[str, str], inflector: Inflector) -> Word | None:
        """A modifier in the case, number and gender of a noun; none where it would lose or gain its *ne-*."""
        made = super().agreeing(word, target, inflector)
        if made is None or made.form.lower().startswith("ne") != word.form.lower().startswith("ne"):
            return None
        return made.but(form=_capital(made.form, word))

    def in_case(self, word: Word, case: str, inflector: Inflector) -> str | None:
        """The form of a noun in another case, if its lemma and features give the form that stands there."""
        if len(word.form) > 1 and word.form[1:].upper() == word.form[1:]:
            return None  # abbreviations
        names = ("Number", "Gender", "Animacy", "Person", "Polarity", "Degree", "VerbForm", "Voice", "Aspect")
        wanted = {name: word.feats[name] for name in names if name in word.feats}
        now = inflector.inflect(word.lemma, word.upos, {**wanted, "Case": word.feats["Case"]})
        if now is None or now.lower() != word.form.lower():
            return None  # lemma or features were misread, or the word has forms of its own
        made = inflector.inflect(word.lemma, word.upos, {**wanted, "Case": case})
        return _capital(made, word) if made else None

    def recased(
        self, tree: Tree, top: int, case: str, inflector: Inflector, *, with_numeral: bool = True
    ) -> dict[int, Word] | None:
        """The words of a noun phrase that change in another case; names of several words are declined whole."""
        for one in (tree[top], *tree.descendants(top)):
            cases = {
                joined.feats.get("Case") for joined in tree.children(one.id, "conj") if no_preposition(tree, joined)
            }
            if cases - {None, one.feats.get("Case")}:
                return None  # one of the two was misread
        if any(
            one.upos == "PROPN" and one.relation == "nmod" and one.feats.get("Case") == "Nom"
            for one in tree.children(top)
        ):
            return None  # a name that stays as it is, or was misread
        named = tree.children(top, "flat", "appos")
        if not named or tree[top].feats.get("Case") == case:
            return super().recased(tree, top, case, inflector, with_numeral=with_numeral)
        said = tree[top].feats.get("Case")
        if any(one.relation == "appos" or one.upos != "PROPN" or one.feats.get("Case") != said for one in named):
            return None
        if any(one.lemma.endswith(("u", "ů")) or not inflector.analyses(one.form.lower()) for one in named):
            return None  # foreign names have endings of their own, and some are no nominatives
        bare = tree.with_words(word.but(deprel="dep") if word in named else word for word in tree.words)
        changed = super().recased(bare, top, case, inflector, with_numeral=with_numeral)
        for one in named:
            form = self.in_case(one, case, inflector)
            if changed is None or form is None or tree.children(one.id):
                return None
            changed[one.id] = one.but(form=form, feats=one.feats.but(Case=case))
        return changed

    def is_animate(self, tree: Tree, noun: int, inflector: Inflector | None = None) -> bool:
        """Whether a noun names people or animals: by its animacy where Czech shows it, else by the lexicon."""
        word = tree[noun]
        if governor(tree, noun) is None and word.lemma.lower() in lexicon.QUANTITIES:
            inner = tree.child(noun, "nmod")
            return inner is not None and self.is_animate(tree, inner.id, inflector)
        if word.feats.get("Gender") == "Masc":
            return word.feats.get("Animacy") == "Anim" and word.lemma.lower() not in lexicon.THINGS
        return word.lemma.lower() in lexicon.ANIMATE or word.lemma.lower().endswith(lexicon.ANIMATE_ENDINGS)


def _capital(form: str, word: Word) -> str:
    """A form with the capital that its word has: a name's stays, and the first word's goes where it is moved."""
    return form[:1].upper() + form[1:] if word.form[:1].isupper() else form


def has_active_participle(inflector: Inflector, verb: Word) -> bool:
    """Whether a verb is imperfective beyond doubt: listed, or with an active participle that the dictionary knows."""
    if verb.lemma in lexicon.IMPERFECTIVE or verb.lemma.endswith(("ovat", "ávat", "ívat")):
        return True
    wanted = {"VerbForm": "Part", "Voice": "Act", "Tense": "Pres", "Case": "Nom", "Number": "Sing", "Gender": "Fem"}
    return inflector.inflect(verb.lemma, "ADJ", wanted) is not None


PREFIXES = ("do", "na", "nad", "o", "ob", "od", "po", "pod", "pro", "pře", "před", "při", "roz", "s", "u", "v", "vy",
             "vz", "z", "za")  # fmt: skip


def is_prefixed(inflector: Inflector, lemma: str) -> bool:
    """Whether a verb is another one with a prefix, and so most likely perfective, whatever a parser says.

    Secondary imperfectives (*vyhledávat*) are not what their prefix leaves with a word of its own in common use.
    """
    if lemma in lexicon.IMPERFECTIVE or lemma.endswith(("ávat", "ívat", "ývat", "ovávat")):
        return False
    rests = [lemma.removeprefix(prefix) for prefix in PREFIXES if lemma.startswith(prefix)]
    return any(
        len(rest) > _SHORTEST and any(one.upos == "VERB" and one.lemma == rest for one in inflector.analyses(rest))
        for rest in rests
    )


_SHORTEST = 3
"""Letters that are no verb."""


def _is_of_other_present(verb: Word, participle: str) -> bool:
    """*Koupe* has no *koupající*: whether a participle has another present than the one that stands there."""
    other = verb.form.endswith("e") and not verb.form.endswith("je")
    return other and verb.feats.agrees(Tense="Pres") and participle.endswith("ající")


def _is_plural_of(inflector: Inflector, form: str, lemma: str) -> bool:
    """Whether a form is known as the third person plural of a verb."""
    return any(
        one.lemma == lemma and one.feats.get("Number") == "Plur" and one.feats.get("VerbForm") == "Fin"
        for one in inflector.analyses(form)
    )


def gender_of(feats: Mapping[str, str]) -> dict[str, str]:
    """Gender and animacy, as far as said."""
    return {name: feats[name] for name in ("Gender", "Animacy") if name in feats}


def form_in_case(inflector: Inflector, word: Word, case: str) -> str | None:
    """The form of a noun in a case, in small letters."""
    kept = {name: word.feats[name] for name in ("Number", "Gender", "Animacy", "NameType") if name in word.feats}
    made = inflector.inflect(word.lemma, word.upos, {**kept, "Case": case})
    return None if made is None else made.lower()


def is_no_object(tree: Tree, word: Word, inflector: Inflector) -> bool:
    """Whether what a parser took for an object cannot be one by its form: *prosakuje voda*."""
    if governor(tree, word.id) is not None or word.feats.get("Case") != "Acc":
        return False
    made = form_in_case(inflector, word, "Acc")
    return made is not None and made != word.form.lower()


def may_agree(tree: Tree, subject: Word, verb: Word) -> bool:
    """Whether a verb has the number and gender of its subject."""
    alone = governor(tree, subject.id) is None and tree.child(subject.id, "conj") is None
    own = {"Number": subject.feats["Number"]} if alone and "Number" in subject.feats else {}
    wanted = CZECH.verb_features(tree, subject.id) or own  # a noun whose gender a parser does not say
    for name in ("Number", "Gender"):
        if name in wanted and name in verb.feats and wanted[name] not in verb.feats[name].split(","):
            return False
    return True


def is_bare(tree: Tree, word: Word, case: str) -> bool:
    """Whether a noun stands in a case without a preposition."""
    return word.feats.get("Case") == case and no_preposition(tree, word)


def converb(inflector: Inflector, verb: Word, feats: Mapping[str, str]) -> Word | None:
    """The transgressive that agrees with a subject: *čta*, *čtouc*, *čtouce*; of imperfective verbs, in the present."""
    if verb.feats.get("Aspect") != "Imp" or verb.feats.get("Tense") != "Pres":
        return None
    if not has_active_participle(inflector, verb):
        return None
    wanted = {"VerbForm": "Conv", "Tense": "Pres", "Voice": "Act", "Number": feats["Number"]}
    if feats["Number"] == "Sing":
        wanted["Gender"] = feats["Gender"]
    form = inflector.inflect(verb.lemma, "VERB", wanted, like=verb.form)
    return None if form is None else verb.but(form=form, xpos="_", feats=Features({**wanted, "Aspect": "Imp"}))


CZECH = CzechGrammar(lexicon.LEXICON)
