"""Negates a sentence: with *not* and the help of *do*, with *no* before the subject, with *nobody* for it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from kostra.transforms.edits import in_order, is_comma
from kostra.transforms.en import denying, grammar, lexicon, negatable
from kostra.transforms.en.doubting import trusting
from kostra.transforms.en.grammar import ENGLISH
from kostra.transforms.engine import Draft, Tools
from kostra.transforms.shared import looking
from kostra.transforms.shared.grammar import Changes
from kostra.transforms.shared.negation import RELATION, Negation, variants
from kostra.trees import Features, Tree, Word

__all__ = ["RELATION", "VARIANTS", "apply"]

VARIANTS = variants("nobody", "no")
_THIRD = {"Number": "Sing", "Person": "3"}
_OF_SUBJECT = ENGLISH.reflexives | {
    "his", "her", "its", "their", "he", "him", "she", "they", "them", "other", "others", "own"
}  # fmt: skip
"""What may point back to a subject, or set others against it."""
_ARTICLES = frozenset({"a", "an", "some"})
_BESIDE_NO = frozenset({"also", "too", "already", "often", "frequently", "usually", "generally", "typically", "always"})
"""Adverbs that cannot stand beside *nobody* as they are."""


class English(Negation):
    """*Not* behind the first auxiliary, or behind *do*; *some* becomes *any* and *already* becomes *yet*."""

    nobody = "nobody"
    nobody_features = Features({"Number": "Sing", "Person": "3", "PronType": "Neg"})
    none = "no"
    somebody = frozenset({"somebody", "someone", "everybody", "everyone"})
    negates_twice = False

    def apply(self, tree: Tree, tools: Tools) -> Iterator[Draft]:
        """Negate a statement, a request, or that there is something."""
        root = tree.root
        if negatable.has_word_outside(tree, root):
            tools.why("a word would stand outside the negation, or mean something else in it", root.id)
        elif (reason := negatable.incoherent(tree, root) or denying.why_unclear(tree, root)) is not None:
            tools.why(reason, root.id)
        elif tree.words[-1].form == "?" or (grammar.has_subject_behind(tree, root.id) and not negatable.there(tree)):
            tools.why("a question, or a subject behind its verb", root.id)
        elif negatable.there(tree) is not None:
            yield from self._there_is(tree, root, tools)
        elif negatable.is_request(tree, tools):
            do = Word(tree.fresh(), "do", "do", "AUX", feats=Features(grammar.BASE), head=root.id, deprel="aux")
            words = list(tree.words)
            place = tree.places[root.id]
            made = [*words[:place], do, _not(tree.fresh() + 1, root.id), *words[place:]]
            yield Draft(in_order(tree, _in_scope(tree, made, root)), "not", (root.id,), ())
        elif (every := negatable.every(tree, root)) is not None:
            yield from self._not_every(tree, root, every, tools)
        else:
            for draft in super().apply(tree, tools):
                if draft.variant == "not" and negatable.is_of_some(tree, root):
                    tools.why("of some it may hold, and of others not", root.id)
                elif draft.variant == "not" and denying.is_note(tree, root):
                    tools.why("its subject has no article", root.id)
                else:
                    yield draft

    def _there_is(self, tree: Tree, root: Word, tools: Tools) -> Iterator[Draft]:
        thing = looking.subject(tree, root.id)
        if thing is None or ENGLISH.is_negated(tree, root.id) or grammar.finite_word(tree, root.id) is None:
            tools.why("what there is cannot be negated", root.id)
            return
        if any(one.upos == "CCONJ" for one in tree.descendants(thing.id)):
            tools.why(f"what is joined with {thing.form} would be denied, or not", thing.id)
            return
        bare = tree.child(thing.id, "det", "nmod:poss", "amod", "advmod", "compound") is None  # there is bread
        named = self.is_determined(tree, thing) and not (bare and thing.form.islower())
        if any(one.form.lower() in ("some", "other", "more") for one in tree.descendants(thing.id)):
            tools.why(f"how many {thing.form} there are would be denied, or that there are any", thing.id)
            return
        if named or looking.numeral(tree, thing.id) or thing.upos != "NOUN":
            words = self.negated(tree, [root], tools)
            if words is not None:
                yield Draft(in_order(tree, words), "not", (root.id,), ())
            return
        if tree.children(thing.id, "conj"):
            tools.why(f"{self.none} cannot stand before {thing.form}", thing.id)
            return
        none = self.none_before(tree, thing, tree.fresh(), tools)
        gone, inside = self.replaced_by_none(tree, thing), tree.subtree(thing.id)
        place = next(place for place, word in enumerate(tree.words) if word.id in inside)
        after = [word for word in tree.words[place:] if word.id not in gone]
        words = _in_scope(tree, [*tree.words[:place], none, *after], root)
        yield Draft(in_order(tree, words), "no such", (root.id, thing.id), ())

    def _not_every(self, tree: Tree, root: Word, every: Word, tools: Tools) -> Iterator[Draft]:
        subject = looking.subject(tree, root.id)
        if subject is None or ENGLISH.is_negated(tree, root.id) or not ENGLISH.is_predicate(tree, root):
            tools.why("the sentence is negated already, or has no finite verb", root.id)
            return
        place = tree.places[every.id]
        words = [*tree.words[:place], _not(tree.fresh(), every.id), *tree.words[place:]]
        yield Draft(in_order(tree, words), "not", (root.id, subject.id), ())
        yield from self._nobody(tree, root, subject, _in_scope(tree, list(tree.words), root), tools)

    # What the skeleton asks ----------------------------------------------------------------------------

    def negated(self, tree: Tree, verbs: list[Word], tools: Tools) -> list[Word] | None:
        """All words, with *not* in the first group of auxiliaries; what shares it follows with *or*."""
        subject = looking.subject(tree, verbs[0].id)
        if subject is not None and any(one.lemma.lower() in ("both", "each") for one in tree.children(subject.id)):
            tools.why(f"what is denied of each of {subject.form} cannot be told", subject.id)
            return None
        if subject is None:
            tools.why(f"{verbs[0].form} has no subject", verbs[0].id)
            return None
        plan = _Plan(tree, tools)
        if not plan.negate(verbs[0]):
            return None
        for verb in verbs[1:]:
            plan.join_with_or(verb)
        return _in_scope(tree, plan.words(), verbs[0])

    def _no_such(self, tree: Tree, verb: Word, subject: Word, words: list[Word], tools: Tools) -> Iterator[Draft]:
        defined = verb.upos in ("NOUN", "PROPN") and tree.child(verb.id, "case") is None and verb.form[-3:] != "ing"
        opens = tree[min(tree.subtree(subject.id), key=tree.places.__getitem__)]
        if subject.form.lower() == "people" or (opens.upos == "PROPN" and not tree.places[opens.id]):
            tools.why(f"{self.none} hardly stands before {opens.form}", subject.id)
            return
        if aside := _set_off(tree, subject, verb):
            tools.why(f"{aside.form} between commas is said of one that there is", aside.id)
            return
        called = verb.lemma in lexicon.NAMING | {"know", "define"} and grammar.is_passive(tree, verb.id)
        if called or (defined and tree.child(verb.id, "cop") is not None):
            tools.why(f"what {subject.form} is holds of every one", verb.id)  # a lute is an old instrument
            return
        yield from super()._no_such(tree, verb, subject, words, tools)

    def _nobody(self, tree: Tree, verb: Word, subject: Word, words: list[Word], tools: Tools) -> Iterator[Draft]:
        if subject.lemma.lower() not in self.somebody and not grammar.is_person(tree, subject.id):
            tools.why(f"{subject.form} is nobody who could be {self.nobody}", subject.id)
            return
        if denying.says_what_is_worn(tree, verb):
            tools.why(f"what {subject.form} wears would be said of {self.nobody}", verb.id)
            return
        named = verb.form[:1].isupper() or any(one.form.lower() == "the" for one in tree.children(verb.id, "det"))
        if named and tree.child(verb.id, "cop") is not None:
            tools.why(f"who {subject.form} is cannot be said of {self.nobody}", verb.id)
            return
        for draft in super()._nobody(tree, verb, subject, words, tools):
            yield draft._replace(tree=_without_comma(draft.tree, draft.edited[-1]))

    def in_scope(self, tree: Tree, verbs: list[Word], tools: Tools) -> list[Word] | None:
        """The words beside *nobody*: *some* becomes *any* all the same."""
        second = next((one for one in tree.children(verbs[0].id, "conj") if _is_predicate(tree, one)), None)
        if second is not None:
            tools.why(f"{self.nobody} would do {verbs[0].form} and {second.form} both, or neither", second.id)
            return None
        if any(one.lemma == "must" for one in grammar.helpers(tree, verbs[0].id)):
            tools.why(f"what {self.nobody} must do is what {self.nobody} may do, or need not", verbs[0].id)
            return None
        beside = _BESIDE_NO | lexicon.SENTENCE_ADVERBS  # nobody is probably watching
        early = next((one for one in tree.children(verbs[0].id, "advmod") if one.form.lower() in beside), None)
        if early is not None:
            tools.why(f"{early.form} cannot stand beside {self.nobody}", early.id)
            return None
        return _in_scope(tree, list(tree.words), verbs[0])

    def none_before(self, tree: Tree, subject: Word, number: int, tools: Tools) -> Word:  # noqa: ARG002 - the skeleton's form
        """*No* agrees with everything."""
        return Word(number, "no", "no", "DET", "DT", Features({"PronType": "Neg"}), subject.id, "det")

    def is_determined(self, tree: Tree, subject: Word) -> bool:
        """Whether a subject is named or pointed at: *the dog*, *his dog*."""
        kinds = tree.children(subject.id, "det", "nmod:poss", "det:predet")
        opens = min(tree.subtree(subject.id), key=tree.places.__getitem__)
        if tree[opens].form.lower() in lexicon.DETERMINERS - _ARTICLES or subject.form.lower() == "police":
            return True
        if tree.child(subject.id, "advmod") is not None or subject.lemma.lower() in ("thing", "one", "other", "others"):
            return True
        if subject.lemma.lower() in negatable.LARGE:
            return True
        mass = subject.feats.get("Number") == "Sing" and tree.child(subject.id, "det", "nummod") is None
        many = mass or any(one.lemma.lower() in lexicon.MANY for one in tree.children(subject.id, "amod", "advmod"))
        return many or any(one.lemma.lower() not in _ARTICLES for one in kinds)

    def replaced_by_none(self, tree: Tree, subject: Word) -> frozenset[int]:
        """*No* takes the place of *a* and *some*."""
        return frozenset(one.id for one in tree.children(subject.id, "det") if one.lemma.lower() in _ARTICLES)

    def for_nobody(self, tree: Tree, predicate: Word, tools: Tools) -> Changes | None:
        """A predicate in the third person singular; none where a word in it points back to the old subject."""
        inside = frozenset().union(*(tree.subtree(one.id) for one in tree.children(predicate.id, "nsubj")))
        for one in tree.words:
            if one.id not in inside and (one.lemma.lower() in _OF_SUBJECT or one.form.lower() in _OF_SUBJECT):
                return None
        several = predicate.upos == "NOUN" and predicate.feats.get("Number") == "Plur"
        if several and tree.child(predicate.id, "cop") and tree.child(predicate.id, "case") is None:
            return None  # nobody is friends
        return grammar.agreeing_predicates(tree, predicate.id, _THIRD, tools.inflector)


def _is_predicate(tree: Tree, joined: Word) -> bool:
    """Whether what is joined with a predicate is one more that shares its subject."""
    acts = joined.upos in ("VERB", "AUX") or bool(grammar.helpers(tree, joined.id))
    return acts and looking.subject(tree, joined.id) is None


class _Plan:
    """What changes and where *do* and *not* are put."""

    def __init__(self, tree: Tree, tools: Tools) -> None:
        self.tree, self.tools = tree, tools
        self.changed: Changes = {}
        self.before: dict[int, list[Word]] = {}
        self.after: dict[int, list[Word]] = {}
        self.number = tree.fresh()

    def words(self) -> list[Word]:
        """All words in their new order."""
        made: list[Word] = []
        for word in self.tree.words:
            made += self.before.get(word.id, ())
            made.append(self.changed.get(word.id, word))
            made += self.after.get(word.id, ())
        return made

    def negate(self, verb: Word) -> bool:
        """Put *not* behind the first auxiliary, or *do not* before the verb."""
        tree = self.tree
        finite = grammar.finite_word(tree, verb.id)
        if finite is None:
            self.tools.why(f"{verb.form} has no word with tense", verb.id)
            return False
        got = verb.lemma == "get" and finite.lemma in ("get", "have")
        if finite.lemma in ("ought", "use", "dare") or got:
            self.tools.why(f"{finite.form} is not negated with do", finite.id)
            return False
        if (
            finite.lemma == "have"
            and finite.id != verb.id
            and not grammar.is_past_participle(verb)
            and not (grammar.helpers(tree, verb.id)[1:])
        ):
            self.tools.why(f"{finite.form} is no auxiliary of {verb.form}", finite.id)
            return False
        if finite.id != verb.id or finite.lemma == "be":
            self._behind(finite, verb)
            return True
        return self._with_do(verb)

    def _behind(self, finite: Word, verb: Word) -> None:
        tree = self.tree
        if finite.form.lower() == "can":
            form = "Cannot" if finite.form[0].isupper() else "cannot"
            self.changed[finite.id] = finite.but(form=form, feats=finite.feats.but(Polarity="Neg"))
            return
        at = tree.places[finite.id]
        if finite.form.lower() in ("'ll", "’ll") and at:
            before = tree.words[at - 1]
            self.changed[before.id] = self.changed.get(before.id, before).but(misc="_")
            self.changed[finite.id] = finite.but(form="will", lemma="will")
        while at + 1 < len(tree.words) and tree.words[at + 1].form.lower() in lexicon.SENTENCE_ADVERBS:
            at += 1
        self.after[tree.words[at].id] = [_not(self._fresh(), verb.id)]

    def _with_do(self, verb: Word) -> bool:
        tree = self.tree
        base = grammar.formed(verb, self.tools.inflector, grammar.BASE)
        tense = verb.feats.get("Tense", "Pres")
        subject = looking.subject(tree, verb.id)
        agreement = grammar.agreement_of(tree, subject.id) if subject is not None else None
        if verb.feats.get("Number") and tense == "Pres":  # the form of the verb tells better than the subject's
            agreement = {"Number": verb.feats["Number"], "Person": verb.feats.get("Person", "3")}
        form = grammar.finite_form(self.tools.inflector, "do", tense, agreement or _THIRD)
        if base is None or form is None:
            self.tools.why(f"the base form of {verb.form} cannot be told", verb.id)
            return False
        feats = Features({"Mood": "Ind", **(agreement or _THIRD), "Tense": tense, "VerbForm": "Fin"})
        do = Word(self._fresh(), form, "do", "AUX", feats=feats, head=verb.id, deprel="aux")
        at = tree.places[verb.id]
        while at and tree.words[at - 1].head == verb.id and tree.words[at - 1].upos == "ADV":
            if tree.words[at - 1].form.lower() in lexicon.SENTENCE_ADVERBS:
                break
            at -= 1
        self.before[tree.words[at].id] = [do, _not(self._fresh(), verb.id)]
        self.changed[verb.id] = base
        return True

    def join_with_or(self, verb: Word) -> None:
        """A predicate under the auxiliary of a negated one: *is not walking or talking*."""
        for joint in self.tree.children(verb.id, "cc"):
            self.changed[joint.id] = joint.but(form="or", lemma="or")

    def _fresh(self) -> int:
        self.number += 1
        return self.number - 1


def _without_comma(tree: Tree, nobody: int) -> Tree:
    """No comma parts *nobody* from its verb: it closed what the old subject had."""
    near = tree.words[tree.places[nobody] + 1 :][:2]
    if len(near) > 1 and is_comma(near[0]) and near[1].upos in ("AUX", "VERB"):
        return in_order(tree, [word for word in tree.words if word.id != near[0].id])
    return tree


def _set_off(tree: Tree, subject: Word, verb: Word) -> Word | None:
    """The first word behind a comma that opens no part of a list: *a girl, dressed in white, is asleep*."""
    start = min(tree.places[one] for one in tree.subtree(subject.id))
    finite = grammar.finite_word(tree, verb.id) or verb
    for comma, after in pairwise(tree.words[start : tree.places[finite.id]]):
        listed = after.upos in ("ADJ", "NOUN", "PROPN", "DET", "NUM", "CCONJ", "PUNCT") or after.relation == "amod"
        if is_comma(comma) and not listed:
            return after
    return None


def _not(number: int, head: int) -> Word:
    return Word(number, "not", "not", "PART", "RB", Features({"Polarity": "Neg"}), head, "advmod")


def _with_or(tree: Tree, words: list[Word], verb: Word) -> list[Word]:
    """*And* between things of which each is denied becomes *or*: *does not eat bread or butter*."""
    if verb.lemma in lexicon.JOINING:
        return words  # is not divided into a hall and a tower
    named = [verb] if tree.child(verb.id, "cop") is not None else []
    things = [one for one in (*named, *tree.children(verb.id, "obj", "obl")) if one.upos in ("NOUN", "PROPN", "NUM")]
    things = [one for one in things if not _is_one_state(tree, one)]
    joints = {
        joint.id
        for one in things
        for last in tree.children(one.id, "conj")
        for joint in tree.children(last.id, "cc")
        if not grammar.helpers(tree, last.id) and looking.subject(tree, last.id) is None and last.upos != "VERB"
    }
    return [one.but(form="or", lemma="or") if one.id in joints and one.form == "and" else one for one in words]


def _is_one_state(tree: Tree, thing: Word) -> bool:
    """Whether things joined are told of together: *between a church and a mill*, *with arms and legs spread*."""
    alone = any(one.form.lower() == "alone" for one in tree.children(thing.head, "advmod"))
    body = frozenset({"with"}) if alone or thing.lemma in lexicon.BODY else frozenset()
    return any(near.lemma in ENGLISH.between | body for near in tree.children(thing.id, "case"))


def _in_scope(tree: Tree, words: list[Word], verb: Word) -> list[Word]:
    """*Some* becomes *any*, *already* *yet*; *also* goes."""
    clauses = tree.children(verb.id, "parataxis", "ccomp", "nsubj")
    clauses += tuple(one for one in tree.children(verb.id, "advcl") if not negatable.is_of_verb(tree, one))
    clauses += tuple(one for one in tree.children(verb.id, "conj") if looking.subject(tree, one.id) is not None)
    clauses += tuple(one for one in tree.descendants(verb.id) if one.deprel == "acl:relcl")
    outside = frozenset().union(*(tree.subtree(one.id) for one in clauses))
    there = negatable.there(tree)
    words = _with_or(tree, words, verb)
    begins = tree.places[(grammar.finite_word(tree, verb.id) or verb).id]
    made: list[Word] = []
    for word in words:
        form = word.form.lower()
        in_clause = word.id not in outside and word.id in tree and word.id != verb.id
        in_clause = in_clause and (tree.places[word.id] > begins or form in ("also", "already"))
        if in_clause and word.upos in ("DET", "PRON", "ADV", "NOUN") and form in lexicon.SOME_TO_ANY:
            if there is None or tree[word.head].relation != "nsubj":
                any_ = lexicon.SOME_TO_ANY[form]
                word = word.but(form=any_, lemma=any_)
        elif in_clause and word.upos == "ADV" and word.head == verb.id and form == "already":
            word = word.but(form="yet", lemma="yet")
        elif in_clause and word.upos == "ADV" and word.head == verb.id and form == "also":
            continue  # without it the sentence is denied all the same
        made.append(word)
    return made


apply = trusting(English(ENGLISH).apply)
