"""Negates a sentence: nobody does it, no such one does it, it is not done; *ne-* on the verb, objects stay."""

from __future__ import annotations

from collections.abc import Iterator

from kostra.transforms.cs import lexicon
from kostra.transforms.cs.clitics import before_negated
from kostra.transforms.cs.deniable import is_odd_under_denial, is_presented, needs_another, stays_never
from kostra.transforms.cs.denial import (
    counts_part,
    describes_several,
    fits_no_denial,
    has_two_objects,
    is_amid,
    is_astray,
    is_contrasted,
    is_likened,
    is_quoted,
    names_what_was_meant,
    opens_with_condition,
    points_back_to_cause,
    points_to_denied,
    says_how_much,
    vague_quantity,
)
from kostra.transforms.cs.grammar import CZECH, auxiliary, is_bare, is_past, may_agree
from kostra.transforms.engine import Draft, Tools
from kostra.transforms.shared.grammar import Changes
from kostra.transforms.shared.looking import (
    is_in_other_clause,
    is_in_relative,
    no_preposition,
    subject,
)
from kostra.transforms.shared.negation import RELATION, Negation, variants
from kostra.trees import Features, Tree, Word

__all__ = ["RELATION", "VARIANTS", "apply"]

VARIANTS = variants("nikdo", "žádný")
MOST = 2
"""Predicates that one negation reaches."""
MALE = {"Number": "Sing", "Gender": "Masc", "Animacy": "Anim"}


def negative(word: Word) -> Word:
    """A verb with *ne-*.

    Examples
    --------
    >>> negative(Word(1, "je", "být", "AUX")).form, negative(Word(1, "Byl", "být", "AUX")).form
    ('není', 'nebyl')
    """
    form = "není" if word.form.lower() == "je" and word.lemma == "být" else f"ne{word.form[:1].lower()}{word.form[1:]}"
    return word.but(form=form, xpos="_", feats=word.feats.but(Polarity="Neg"))


class _Czech(Negation):
    other_clauses = ("advcl", "conj", "parataxis", "ccomp", "csubj", "acl")
    nobody, none, somebody = "nikdo", "žádný", frozenset({"někdo"})
    nobody_features = Features(
        {"Animacy": "Anim", "Case": "Nom", "Gender": "Masc", "Number": "Sing", "PronType": "Neg"}
    )

    def apply(self, tree: Tree, tools: Tools) -> Iterator[Draft]:
        """Negate the main clause, unless a word in it asks for more than *ne-*."""
        verb = tree.root
        if tree.words[-1].form == "?" or any(word.form == "?" for word in tree.words[-2:]):
            tools.why("the sentence is a question", verb.id)
            return
        place = tree.places[verb.id]
        if place and tree.words[place - 1].form in (",", '"', "“", "”"):
            tools.why(f"what is said stands before {verb.form}", verb.id)
            return
        clauses = [one for one in tree.words if one.relation in ("ccomp", "advcl", "acl", "csubj")]
        own = [one for one in clauses if CZECH.is_predicate(tree, one) and not _is_infinitive(tree, one)]
        elsewhere = frozenset().union(*(tree.subtree(one.id) for one in own if one.id != verb.id))
        for word in tree.words:
            if word.id not in elsewhere and {word.lemma.lower(), word.form.lower()} & lexicon.SCOPE_WORDS:
                tools.why(f"{word.form} would not stay as it is", word.id)
                return
        degree = next((one for one in tree.words if says_how_much(tree, one)), None)
        if degree is not None:
            tools.why(f"{degree.form} is not said of what is not done", degree.id)
            return
        reason = self._stays_behind(tree)
        if reason is not None:
            tools.why(f"{reason.form} would not fit what is denied", reason.id)
            return
        astray = next((one for one in tree.words if is_astray(tree, one)), None)
        if astray is not None:
            tools.why(f"{astray.form} hangs where no verb can hang", astray.id)
            return
        if opens_with_condition(tree):
            tools.why(f"{verb.form} stands in a condition", verb.id)
            return
        odd = next((one for one in tree.words if is_odd_under_denial(tree, one)), None)
        if odd is not None:
            tools.why(f"{odd.form} does not go with a denial", odd.id)
            return
        vague = vague_quantity(tree)
        for draft in super().apply(tree, tools):
            if draft.variant == "not" and vague is not None:
                tools.why(f"{vague.form}: others may do what they do not", vague.id)
                continue
            if draft.variant == "not" and any(has_two_objects(tree, one) for one in tree.words if one.upos == "VERB"):
                tools.why(f"{verb.form} would be denied of who comes last", verb.id)
                continue
            if draft.variant == "not" and is_presented(tree):
                tools.why(f"what is told of stands behind {verb.form}", verb.id)
                continue
            if draft.variant == "nobody" and is_amid(tree):
                tools.why("nikdo would stand in the middle of what is said", verb.id)
                continue
            yield draft

    def _stays_behind(self, tree: Tree) -> Word | None:
        """A word that does not fit once the main clause is denied: a reason, a request, *jednoho dne*."""
        for word in tree.words:
            reason = word.lemma in lexicon.REASONS and word.head and tree[word.head].head == tree.root.id
            some_day = word.lemma == "jeden" and tree[word.head].lemma in lexicon.TIMES if word.head else False
            asked = word.head == tree.root.id and word.feats.get("PronType") in ("Int,Rel", "Rel", "Int")
            inner = tree[word.head].head if word.head else 0
            contrast = word.form.lower() in lexicon.CONTRASTS and inner == tree.root.id
            if points_back_to_cause(tree, word) or is_contrasted(tree, word) or names_what_was_meant(tree, word):
                return word
            if fits_no_denial(tree, word) or points_to_denied(tree, word):
                return word
            if is_quoted(tree, word) or is_likened(tree, word) or counts_part(tree, word):
                return word
            if reason or some_day or asked or contrast or word.feats.get("Mood") == "Imp":
                return word
        return None

    def is_determined(self, tree: Tree, subject: Word) -> bool:
        """Beside a determiner, a name or a superlative *žádný* cannot stand; behind its verb a subject may be none."""
        if tree.places[subject.id] > tree.places[tree.root.id] or tree.child(subject.id, "det", "flat", "appos"):
            return True
        if subject.lemma.lower() in lexicon.DEFINITE | lexicon.OFFICES or tree.root.lemma in (
            "nazývat",
            "jmenovat",
            "znamenat",
        ):
            return True  # žádný prezident: there is one, and it is known which
        if subject.feats.get("Number") == "Plur" and any(
            one.deprel == "acl:relcl" for one in tree.children(subject.id)
        ):
            return True  # dělníci, mezi nimiž byl i soused
        kinds = tree.children(subject.id, "amod")
        if subject.lemma.lower() in lexicon.KIN and not kinds and tree.child(subject.id, "nmod", "acl") is None:
            return True  # žádná manželka: whose?
        alike = lexicon.UNIQUE | {"podobný", "takový", "stejný", "celý"}
        if any(one.lemma in alike or one.feats.get("NumType") == "Ord" for one in kinds):
            return True  # žádný poslední vlak
        if any(one.form[:1].isupper() and one.id != tree.words[0].id for one in kinds):
            return True  # a name
        if tree.root.upos == "VERB" and not may_agree(tree, subject, tree.root):
            return True  # perhaps no subject
        if subject.lemma.endswith(("ní", "tí", "ost", "ství")) or (
            tree.child(tree.root.id, "cop") is not None and not CZECH.is_animate(tree, subject.id)
        ):
            return True
        if any(is_bare(tree, one, "Gen") for one in tree.children(subject.id, "nmod")):
            return True
        if not CZECH.is_animate(tree, subject.id) and subject.lemma not in lexicon.THINGS | lexicon.ANIMALS:
            return True  # žádná voda, žádná sociologie
        if _is_torn(tree, subject) or _is_pointed_to(tree, subject):
            return True
        return any(
            (one.upos == "PROPN" and no_preposition(tree, one)) or one.feats.get("Degree") == "Sup"
            for one in tree.descendants(subject.id)
        )

    def negated(self, tree: Tree, verbs: list[Word], tools: Tools) -> list[Word] | None:
        """The words with *ne-* before each predicate or its auxiliary; *někdo* becomes *nikdo*."""
        changed: Changes = {}
        if any(one.feats.get("Person") != verbs[0].feats.get("Person") for one in verbs[1:]):
            tools.why("what is joined with the predicate has another subject", verbs[0].id)
            return None
        if len(verbs) > MOST or any(tree.child(one.id, "mark") is not None for one in verbs[1:]):
            tools.why("too much, or a clause of its own, is joined with the predicate", verbs[0].id)
            return None
        if any(one.form.lower().startswith("nej") for one in tree.children(verbs[0].id, "advmod")):
            tools.why("what is denied of the most cannot be told", verbs[0].id)
            return None
        for one in verbs:
            carrier = auxiliary(tree, one.id) or one
            again = carrier.form.lower().startswith("ne") and not carrier.lemma.startswith(("ne", "né"))
            again = again or carrier.feats.get("VerbForm") == "Inf"  # být of měl by být: ne- stands with měl
            if carrier.upos not in ("VERB", "AUX") or carrier.feats.get("Mood") == "Imp" or again:
                tools.why(f"{carrier.form} cannot take ne-", carrier.id)
                return None
            more = self._negative_words(tree, one, tools)
            if more is None:
                return None
            changed |= {carrier.id: negative(carrier), **more}
        return before_negated([changed.get(word.id, word) for word in tree.words])

    def _negative_words(self, tree: Tree, verb: Word, tools: Tools) -> Changes | None:
        """Czech negates twice: *někdo* and *někde* become *nikdo* and *nikde*."""
        changed: Changes = {}
        for word, lemma in self.indefinites(tree, verb):
            if is_in_other_clause(tree, word, verb):
                continue
            who = subject(tree, verb.id)
            if who is not None and word.id in tree.subtree(who.id):
                tools.why(f"{word.form} stands with the subject", word.id)
                return None
            if lemma == "nikdy" and stays_never(tree, verb):
                tools.why(f"{lemma} would not stand for {word.form}", word.id)
                return None
            noun = tree[word.head] if word.head else word
            if noun.lemma in lexicon.TIMES or any(one.lemma == "podle" for one in tree.children(noun.id, "case")):
                tools.why(f"{word.form} {noun.form} stands outside the negation", word.id)
                return None
            if word.upos in ("ADV", "PART") or "Case" not in word.feats:
                changed[word.id] = word.but(form=lemma, lemma=lemma)
                continue
            names = ("Case", "Number", "Gender", "Animacy") if lemma == "žádný" else ("Case",)
            wanted = {name: word.feats[name] for name in names if name in word.feats}
            form = tools.inflector.inflect(lemma, "DET" if lemma == "žádný" else "PRON", wanted)
            if form is None:
                tools.why(f"{lemma} cannot stand for {word.form}", word.id)
                return None
            changed[word.id] = word.but(form=form, lemma=lemma)
        return changed

    def none_before(self, tree: Tree, subject: Word, number: int, tools: Tools) -> Word | None:
        """*Žádný*, agreeing."""
        wanted = {name: subject.feats[name] for name in ("Number", "Gender", "Animacy") if name in subject.feats}
        if subject.form.lower() == "lidé":
            wanted = {"Number": "Plur", "Gender": "Masc", "Animacy": "Anim"}
        if not {"Number", "Gender"} <= wanted.keys():
            return None
        if _may_be_object(tree, subject, tools):
            return None
        opens = tree.words[0]
        if opens.upos == "PUNCT":
            return None
        if opens.id in tree.subtree(subject.id) and not tools.inflector.analyses(opens.form.lower()):
            return None  # perhaps a name: Alpy
        feats = Features({**wanted, "Case": "Nom", "PronType": "Neg"})
        form = tools.inflector.inflect("žádný", "DET", {**wanted, "Case": "Nom"})
        return None if form is None else Word(number, form, "žádný", "DET", feats=feats, head=subject.id, deprel="det")

    def for_nobody(self, tree: Tree, predicate: Word, tools: Tools) -> Changes | None:
        """A predicate as *nikdo* has it: masculine singular, negated."""
        who = subject(tree, predicate.id)
        if who is not None and any(
            one.upos == "VERB" and not is_in_relative(tree, one, who) for one in tree.descendants(who.id)
        ):
            return None  # more than the subject would go
        if who is not None and predicate.upos == "VERB" and not may_agree(tree, who, predicate):
            return None  # an object, misread: chodce povedou světla
        if who is not None and (who.lemma.lower() in CZECH.quantities | lexicon.ANIMALS or _takes_more(tree, who)):
            return None
        if who is not None and (_is_pointed_to(tree, who) or _is_torn(tree, who) or _leaves_plural(tree, who)):
            return None  # Petr slíbil, že ho najdou: whom, if nobody promised?
        if who is not None and any(describes_several(tree, one, who) for one in tree.words):
            return None
        if who is not None and who.lemma.endswith(("ník", "ač")) and not tools.inflector.analyses(who.form.lower()):
            return None  # posuvník: perhaps a thing
        if who is not None and who.upos == "PROPN" and who.feats.get("NameType") not in ("Giv", "Sur"):
            return None
        changed: Changes = {}
        carrier = auxiliary(tree, predicate.id)
        for one in dict.fromkeys((predicate, *((carrier,) if carrier else ()))):
            if one.upos in ("VERB", "AUX") and (is_past(one) or one.feats.get("VerbForm") == "Fin"):
                form = (
                    _past_of_men(one)
                    or _present_of_one(one)
                    or CZECH.finite_form(tools.inflector, one.lemma, one.feats.but(Polarity=None), MALE, like=one.form)
                )
                if form is None or _is_plural_again(one, form):
                    return None
                made = one.but(form=form, feats=one.feats.but(**MALE) if is_past(one) else one.feats.but(Number="Sing"))
                changed[one.id] = negative(made) if one is (carrier or predicate) else made
            elif one.upos == "ADJ":
                wanted = MALE if one.feats.get("Variant") == "Short" else {**MALE, "Case": "Nom"}
                adjective = CZECH.agreeing(one, wanted, tools.inflector)
                if adjective is None:
                    return None
                changed[one.id] = adjective
            elif one.feats.get("VerbForm") != "Inf":
                return None
        return changed


def _is_infinitive(tree: Tree, clause: Word) -> bool:
    """*Může být poznán jen zblízka*: whether a clause is an infinitive, which *ne-* reaches."""
    helpers = tree.children(clause.id, "aux", "cop")
    return any(one.feats.get("VerbForm") == "Inf" for one in helpers) and tree.child(clause.id, "mark") is None


def _may_mean(pronoun: Word, noun: Word) -> bool:
    """Whether a pronoun has the gender and number of a noun, as far as it tells them."""
    return all(
        noun.feats.get(name, said) in said.split(",")
        for name in ("Gender", "Number")
        for said in (pronoun.feats.get(f"{name}[psor]", pronoun.feats.get(name, "")),)
        if said
    )


def _past_of_men(verb: Word) -> str | None:
    """*Usnuli*, *usnula*: *usnul*, by the form that stands there; not of *šli*, *šla*."""
    form = verb.form.rstrip("aeiyo")
    return form if is_past(verb) and form.endswith("l") and not form.lower().endswith("šl") else None


def _present_of_one(verb: Word) -> str | None:
    """*Lezou*: *leze*, by the form that stands there, which no rule knows better; not of *mohou*, *tekou*, *jsou*."""
    if verb.feats.get("Tense") != "Pres" or verb.lemma == "být":
        return None
    if verb.feats.get("Number") == "Sing":
        return verb.form
    stem = verb.form.removesuffix("ou")
    return f"{stem}e" if stem != verb.form and not stem.endswith(("k", "h", "j")) else None


def _is_plural_again(verb: Word, form: str) -> bool:
    """Whether a singular is the plural that stood there, of a verb in which they differ: *jedí* is *jí*."""
    same = form.lower() == verb.form.lower()
    return same and form.lower().endswith(("jedí", "ědí"))


def _is_pointed_to(tree: Tree, who: Word) -> bool:
    """Whether a pronoun elsewhere may stand for the subject, or several do something beside one another."""
    inside = tree.subtree(who.id)
    several = who.feats.get("Number") != "Sing" or bool(tree.children(who.id, "conj"))
    forms = {one.form.lower() for one in tree.words}
    lemmas = {one.lemma for one in tree.words if one.upos == "VERB"}
    if several and (forms & {"sebe", "sobě", "sebou"} or lemmas & lexicon.MEETING):
        return True  # vedle sebe, proti sobě
    if needs_another(tree, who):
        return True  # skáče jiný muž: other than whom?
    for one in tree.words:
        if one.id in inside:
            continue
        third = one.upos in ("PRON", "DET") and one.feats.get("PronType") == "Prs" and one.feats.get("Person") == "3"
        if third and one.feats.get("Reflex") != "Yes" and _may_mean(one, who):
            return True
    return False


def _is_torn(tree: Tree, who: Word) -> bool:
    """Whether what stands right before a subject may be a part of it: *herci, zpěváci a tanečníci*."""
    inside = tree.subtree(who.id)
    places = [tree.places[one] for one in inside]
    first, last = min(places), max(places)
    if any(one.form == "-" for one in tree.words[max(0, first - 1) : last + 2]):
        return True  # bílo-hnědý
    behind = tree.words[last + 1] if last + 1 < len(tree.words) else None
    phrases = any(tree[one].relation == "case" for one in inside)
    if phrases and behind is not None and behind.upos == "ADP":
        return True  # žena s telefonem u ucha
    before = tree.words[first - 1] if first else None
    if before is not None and before.upos == "ADJ" and before.feats.get("Case") == "Nom":
        return True
    verbs = any(one.upos in ("VERB", "AUX") for one in tree.words[:first])
    listed = before is not None and (before.upos == "CCONJ" or before.form == ",") and first > 1
    return listed and not verbs and tree.words[first - 2].upos in ("NOUN", "PROPN")


def _leaves_plural(tree: Tree, who: Word) -> bool:
    """*Dva muži v kabátech stojí*: whether what several wear would be left with *nikdo*."""
    places = tree.places
    between = [one for one in tree.children(who.head, "obl") if places[who.id] < places[one.id] < places[who.head]]
    several = [one for one in (who, *between) if one.feats.get("Number") == "Plur"]
    worn = any(one.lemma in ("v", "s") for phrase in between for one in tree.children(phrase.id, "case"))
    return worn and len(several) > 1 and several[0] is who


def _takes_more(tree: Tree, who: Word) -> bool:
    """Whether a parser hung on a subject what may belong to the verb: an object, a phrase behind a late subject."""
    late = tree.places[who.id] > tree.places[who.head]
    for one in tree.descendants(who.id):
        if one.upos not in ("NOUN", "PROPN", "PRON") or one.relation in ("conj", "flat"):
            continue
        bare = no_preposition(tree, one)
        if (bare and one.feats.get("Case") not in ("Gen", "Nom", None)) or (late and not bare):
            return True
    return False


def _may_be_object(tree: Tree, subject: Word, tools: Tools) -> bool:
    """*Auta předjížděla kola*: of two things that look like nominatives either may be the subject."""
    if CZECH.is_animate(tree, subject.id, tools.inflector):
        return False
    for thing in tree.children(subject.head, "obj"):
        feats = {name: thing.feats[name] for name in ("Number", "Gender", "Animacy") if name in thing.feats}
        form = tools.inflector.inflect(thing.lemma, thing.upos, {**feats, "Case": "Nom"})
        same = thing.feats.get("Number") == subject.feats.get("Number")
        if same and form is not None and form.lower() == thing.form.lower():
            return True
    return False


apply = _Czech(CZECH).apply
