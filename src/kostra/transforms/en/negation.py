"""Negates a sentence: with *not* and the help of *do*, with *no* before the subject, with *nobody* for it."""

from __future__ import annotations

from collections.abc import Iterator

from kostra.transforms.edits import in_order, is_comma
from kostra.transforms.en import grammar, lexicon
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
_OF_SUBJECT = frozenset({"his", "her", "its", "their"}) | ENGLISH.reflexives
_ARTICLES = frozenset({"a", "an", "some"})
_OUT_OF_SCOPE = frozenset(
    {"sometimes", "rather", "instead", "yet", "only", "just", "even", "maybe", "well", "lets", "let", "both", "another"}
)
_REASONS = frozenset({"because", "since", "so", "unless", "until", "although", "though"})
"""What opens a clause that the negation reaches or not, as forms."""
_BESIDE_NO = frozenset({"also", "too", "already"})
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
        wish = any(one.form.lower() in ("'d", "would") for one in tree.children(root.id, "aux"))
        if any(word.form.lower() in _OUT_OF_SCOPE for word in tree.words) or (wish and root.lemma in ("like", "love")):
            tools.why("a word would stand outside the negation, or mean something else in it", root.id)
        elif (reason := _incoherent(tree, root)) is not None:
            tools.why(reason, root.id)
        elif tree.words[-1].form == "?" or (grammar.has_subject_behind(tree, root.id) and not _there(tree)):
            tools.why("a question, or a subject behind its verb", root.id)
        elif _there(tree) is not None:
            yield from self._there_is(tree, root, tools)
        elif _is_request(tree, tools):
            do = Word(tree.fresh(), "do", "do", "AUX", feats=Features(grammar.BASE), head=root.id, deprel="aux")
            words = list(tree.words)
            place = tree.places[root.id]
            made = [*words[:place], do, _not(tree.fresh() + 1, root.id), *words[place:]]
            yield Draft(in_order(tree, _in_scope(tree, made, root)), "not", (root.id,), ())
        elif (every := _every(tree, root)) is not None:
            yield from self._not_every(tree, root, every, tools)
        else:
            yield from super().apply(tree, tools)

    def _there_is(self, tree: Tree, root: Word, tools: Tools) -> Iterator[Draft]:
        thing = looking.subject(tree, root.id)
        if thing is None or ENGLISH.is_negated(tree, root.id) or grammar.finite_word(tree, root.id) is None:
            tools.why("what there is cannot be negated", root.id)
            return
        if any(one.upos == "CCONJ" for one in tree.descendants(thing.id)):
            tools.why(f"what is joined with {thing.form} would be denied, or not", thing.id)
            return
        if self.is_determined(tree, thing) or looking.numeral(tree, thing.id) or thing.upos != "NOUN":
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
        for one in tree.children(verbs[0].id, "conj"):
            if one.upos == "VERB" and one not in verbs and looking.subject(tree, one.id) is None:
                tools.why(f"{one.form} may share the negation or not", one.id)
                return None
        if subject is None:
            tools.why(f"{verbs[0].form} has no subject", verbs[0].id)
            return None
        if len(tree.children(verbs[0].id, "conj")) > 1:
            tools.why(f"what is joined with {verbs[0].form} would be denied, or not", verbs[0].id)
            return None
        plan = _Plan(tree, tools)
        for number, verb in enumerate(verbs):
            if not (plan.negate(verb) if number == 0 else plan.negate_joined(verbs[0], verb)):
                return None
        return _in_scope(tree, plan.words(), verbs[0])

    def _nobody(self, tree: Tree, verb: Word, subject: Word, words: list[Word], tools: Tools) -> Iterator[Draft]:
        if subject.lemma.lower() not in self.somebody and not grammar.is_person(tree, subject.id):
            tools.why(f"{subject.form} is nobody who could be {self.nobody}", subject.id)
            return
        named = verb.form[:1].isupper() or any(one.form.lower() == "the" for one in tree.children(verb.id, "det"))
        if named and tree.child(verb.id, "cop") is not None:
            tools.why(f"who {subject.form} is cannot be said of {self.nobody}", verb.id)
            return
        yield from super()._nobody(tree, verb, subject, words, tools)

    def in_scope(self, tree: Tree, verbs: list[Word], tools: Tools) -> list[Word] | None:
        """The words beside *nobody*: *some* becomes *any* all the same."""
        early = next((one for one in tree.children(verbs[0].id, "advmod") if one.form.lower() in _BESIDE_NO), None)
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
        if tree[opens].form.lower() in lexicon.DETERMINERS - _ARTICLES:
            return True
        if tree.child(subject.id, "advmod") is not None or subject.lemma.lower() in ("thing", "one"):
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
        if finite.lemma in ("ought", "use", "dare") or (finite.id == verb.id and finite.lemma == "get"):
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

    def negate_joined(self, first: Word, verb: Word) -> bool:
        """A predicate joined with a negated one: *or read* in its scope, else a *not* of its own."""
        tree = self.tree
        joint = next((one for one in tree.children(verb.id, "cc")), None)
        if joint is not None and joint.form.lower() not in ("and", "or"):
            self.tools.why(f"{joint.form} joins what is negated", joint.id)
            return False
        first_finite, own = grammar.finite_word(tree, first.id), grammar.finite_word(tree, verb.id)
        if own is not None and own.id != verb.id:
            self._behind(own, verb)
            return True
        if own is not None and first_finite is not None and first_finite.id != first.id:
            self.tools.why(f"{verb.form} does not share the auxiliary of {first.form}", verb.id)
            return False
        if own is not None:
            base = grammar.formed(verb, self.tools.inflector, grammar.BASE)
            if base is None or first.lemma == "be":
                self.tools.why(f"the base form of {verb.form} cannot be told", verb.id)
                return False
            self.changed[verb.id] = base
        if joint is not None:
            self.changed[joint.id] = joint.but(form="or", lemma="or")
        return True

    def _fresh(self) -> int:
        self.number += 1
        return self.number - 1


def _not(number: int, head: int) -> Word:
    return Word(number, "not", "not", "PART", "RB", Features({"Polarity": "Neg"}), head, "advmod")


def _there(tree: Tree) -> Word | None:
    """The *there* of *there is*."""
    root = tree.root
    found = next((one for one in tree.children(root.id, "expl") if one.form.lower() == "there"), None)
    return found if found is not None and root.lemma == "be" else None


def _incoherent(tree: Tree, root: Word) -> str | None:
    """What else in a sentence says that it is so, and would stand beside its negation; None if nothing does."""
    subject = looking.subject(tree, root.id)
    if any(one.form in "()[]" for one in tree.words):
        return "an aside would stay as it is"
    denied = next((one for one in tree.words if one.lemma.lower() in lexicon.NEGATIVE), None)
    if denied is not None and not ENGLISH.is_negated(tree, root.id):
        return f"{denied.form} denies something already"
    if any(one.form.lower() == "but" for joined in tree.children(root.id, "conj") for one in tree.children(joined.id)):
        return "what is set against it with but would fit no more"
    for one in tree.children(root.id):
        if one.upos == "PUNCT" or (one.relation in ("conj", "parataxis") and tree.child(one.id, "cc", "nsubj")):
            continue
        start = min(tree.places[inner] for inner in tree.subtree(one.id))
        opens = next((near for near in tree.words[start:] if near.upos != "PUNCT"), one)
        if one.relation == "advcl" and opens.form.lower() in _REASONS:
            return f"the clause with {one.form} would be negated, or not"
        apart = any(is_comma(near) for near in tree.words[max(0, start - 1) : start + 1])
        if apart and tree.child(root.id, "cop") is not None and start > tree.places[root.id]:
            return f"what is said with {one.form} would stay as it is"
    for one in tree.children(root.id, "conj", "parataxis"):
        other = looking.subject(tree, one.id)
        if other is not None and other.upos == "PRON":
            return f"what is said with {one.form} may follow from what is denied"
    if subject is not None and grammar.is_ing(root):
        named = root.lemma in ("have", "be") or subject.lemma.lower() in lexicon.NAMED_BY_ING
        if named and not grammar.is_passive(tree, root.id):
            return f"{root.form} may say what {subject.form} is"
    return None


def _with_or(tree: Tree, words: list[Word], verb: Word) -> list[Word]:
    """*And* between things of which each is denied becomes *or*: *does not eat bread or butter*."""
    named = [verb] if tree.child(verb.id, "cop") is not None else []
    things = [one for one in (*named, *tree.children(verb.id, "obj", "obl")) if one.upos in ("NOUN", "PROPN")]
    joints = {
        joint.id for one in things for last in tree.children(one.id, "conj") for joint in tree.children(last.id, "cc")
    }
    return [one.but(form="or", lemma="or") if one.id in joints and one.form == "and" else one for one in words]


def _is_request(tree: Tree, tools: Tools) -> bool:
    root = tree.root
    if root.upos != "VERB" or looking.subject(tree, root.id) or grammar.helpers(tree, root.id):
        return False
    bare = grammar.is_base(root) or root.feats.get("Mood") == "Imp"
    bare = bare or (root.feats.agrees(Tense="Pres", VerbForm="Fin") and root.form.lower() == root.lemma)
    first = next((one for one in tree.words if one.upos != "PUNCT" and one.form.lower() != "please"), root)
    alone = tree.child(root.id, "parataxis", "conj", "ccomp") is None and not root.form.isupper()
    bare = bare and any(one.upos == "VERB" for one in tools.inflector.analyses(root.form.lower()))
    bare = bare and root.lemma not in lexicon.STATES and root.lemma not in ("look", "thank", "sound")
    return bare and alone and first.id == root.id and tree.child(root.id, "mark") is None


def _every(tree: Tree, root: Word) -> Word | None:
    """The *every* or *all* with which the sentence begins."""
    subject = looking.subject(tree, root.id)
    if subject is None:
        return None
    if subject.lemma.lower() in ("everyone", "everybody", "everything"):
        return subject
    if tree.child(subject.id, "acl:relcl") is not None:
        return None
    kinds = tree.children(subject.id, "det", "det:predet")
    return next((one for one in kinds if one.lemma.lower() in ("all", "every")), None)


def _in_scope(tree: Tree, words: list[Word], verb: Word) -> list[Word]:
    """*Some* becomes *any*, *already* *yet*; *too* and *also* become *either* at the end of the clause."""
    clauses = tree.children(verb.id, "advcl", "parataxis", "ccomp", "nsubj")
    clauses += tuple(one for one in tree.children(verb.id, "conj") if looking.subject(tree, one.id) is not None)
    outside = frozenset().union(*(tree.subtree(one.id) for one in clauses))
    there = _there(tree)
    words = _with_or(tree, words, verb)
    begins = tree.places[(grammar.finite_word(tree, verb.id) or verb).id]
    made: list[Word] = []
    either: Word | None = None
    for word in words:
        form = word.form.lower()
        in_clause = word.id not in outside and word.id in tree and word.id != verb.id
        in_clause = in_clause and (tree.places[word.id] > begins or form in ("also", "too", "already"))
        if in_clause and word.upos in ("DET", "PRON", "ADV", "NOUN") and form in lexicon.SOME_TO_ANY:
            if there is None or tree[word.head].relation != "nsubj":
                any_ = lexicon.SOME_TO_ANY[form]
                word = word.but(form=any_, lemma=any_)
        elif in_clause and word.upos == "ADV" and word.head == verb.id and form == "already":
            word = word.but(form="yet", lemma="yet")
        elif in_clause and word.upos == "ADV" and word.head == verb.id and form in ("also", "too"):
            either = word.but(form="either", lemma="either")
            continue
        made.append(word)
    if either is not None:
        place = len(made)
        while place and made[place - 1].form in (".", "!", "?", "…", "..."):
            place -= 1
        made.insert(place, either)
    return made


apply = trusting(English(ENGLISH).apply)
