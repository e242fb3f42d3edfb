"""Turns one of two coordinated predicates with one subject into an -ing phrase: *sits reading*, *sitting, he reads*."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kostra.transforms.donors import preposition
from kostra.transforms.edits import in_order, is_comma, is_unbroken
from kostra.transforms.en import grammar, lexicon
from kostra.transforms.en.doubting import trusting
from kostra.transforms.en.grammar import ENGLISH
from kostra.transforms.engine import Draft, Tools
from kostra.transforms.shared import looking
from kostra.transforms.shared.dropping_conjunction import RELATION, DroppingConjunction, Shape
from kostra.trees import Features, Tree, Word

__all__ = ["RELATION", "VARIANTS", "apply"]

VARIANTS: Mapping[str, str] = {
    "first adjectival": "the first predicate becomes a participle right behind the subject",
    "second adjectival": "the second predicate becomes a participle right behind the subject",
    "first adverbial": "the first predicate becomes a participle phrase before the subject",
    "second adverbial": "the second predicate becomes a participle phrase at its place",
}


_ONE_OR_OTHER = frozenset({"sit", "stand", "lie", "kneel", "squat", "sleep", "walk", "run"})
"""Postures of which nobody has two at once: several people are meant."""


_POSTURES = frozenset({"sit", "stand", "lie", "kneel", "squat", "crouch", "lean", "wait", "rest", "recline", "lounge",
                       "hang", "perch"})  # fmt: skip
"""In which something else is done: *stands, holding a lamp*."""
_MOTIONS = frozenset({"walk", "run", "ride", "jog", "swim", "skate", "ski", "cycle", "march", "stroll", "surf",
                      "hike", "wander", "drift", "float", "wade", "crawl", "sail", "row", "paddle"})  # fmt: skip
_BASIS = _POSTURES | _MOTIONS | {"hold", "carry", "wear", "push", "pull"}
"""What goes on while something else is done, whatever it is."""
_ATTENTION = frozenset({"look", "gaze", "stare", "smoke"})
_BESIDE = frozenset({"use", "hold", "carry", "wear", "wave", "smile", "grin", "laugh", "admire", "look", "watch",
                     "gaze", "stare", "listen", "sing", "talk", "chat", "point", "hum", "shout", "chase"})  # fmt: skip
"""What is done beside anything else: *gives a talk, using a chart*."""
_GOALS = frozenset({"in", "into", "out", "away", "off", "up", "back", "home", "onto", "to", "over", "inside",
                    "outside", "ashore", "aboard"})  # fmt: skip
"""What makes an end of a motion, so that something else follows it, as forms."""
_CHANGES = frozenset({"get", "become", "discover", "begin", "start", "realise", "realize", "find"})
_EXPRESSIONS = frozenset({"smile", "laugh", "grin", "cry", "sing", "scream", "shout", "yell", "shiver", "sob"})
"""What says enough alone: *smiling, she waved*."""
_GOING_ON = lexicon.LASTING | _BASIS | _BESIDE | _EXPRESSIONS
"""What somebody does on the way, and not once there."""


class _English(DroppingConjunction):
    heaviest = 9

    def _pair(self, tree: Tree, first: Word, second: Word, tools: Tools) -> Iterator[Draft]:
        """Each predicate in turn loses its auxiliaries; those that both share stay with the other one."""
        if self.differ(tree, first, second):
            tools.why(f"{first.form} and {second.form} differ in number or tense", second.id)
            return
        if first.lemma == second.lemma or _is_loose(tree, first, second):
            tools.why(f"{first.form} and {second.form} are hardly two things done at once", second.id)
            return
        if {first.lemma, second.lemma} <= _ONE_OR_OTHER:
            tools.why(f"{first.form} and {second.form} are two postures", second.id)
            return
        more = [one for verb in (first, second) for one in tree.children(verb.id, "conj") if one.upos == "VERB"]
        row = [one for one in tree.children(first.id, "conj") if one.id != second.id]
        row += tree.children(first.id, "mark")
        if more != [second] or row or tree.child(first.id, "cop") or tree.child(second.id, "cop"):
            tools.why("more than two predicates, or one that is no verb", second.id)
            return
        if reason := _unfit(tree, first, second):
            tools.why(reason, first.id)
            return
        if any(grammar.finite_word(tree, one.id) is None and not grammar.is_ing(one) for one in (first, second)):
            tools.why(f"{first.form} or {second.form} is no finite verb", second.id)
            return
        alone = all(one.relation in ("nsubj", "cc", "conj", "punct", "aux") for one in tree.children(first.id))
        if alone and first.lemma not in _EXPRESSIONS:
            if first.lemma in _POSTURES:
                yield from self._turned(tree, second, first, "second adverbial", tools)  # stands, holding a lamp
            else:
                tools.why(f"{first.form} says too little alone", first.id)
            return
        yield from self._turned(tree, first, second, "first", tools)
        yield from self._turned(tree, second, first, "second", tools)
        if _comes_first(tree, first, second):
            yield from self._having(tree, first, second, tools)

    def _turned(self, tree: Tree, word: Word, other: Word, name: str, tools: Tools) -> Iterator[Draft]:
        """The variants of that name, in which one predicate becomes an -ing phrase beside the other."""
        first, second = sorted((word, other), key=lambda one: tree.places[one.id])
        if reason := _unmotivated(tree, word, other) or _obstacle(tree, word) or _ended(tree, word, other):
            tools.why(reason, word.id)
            return
        alone = _without_helpers(tree, word, other)
        for draft in super()._pair(alone, alone[first.id], alone[second.id], tools):
            reason = _adverbially(tree, first, second, draft.variant) or _adjectivally(tree, first, draft.variant)
            if draft.variant.startswith(name) and reason is None:
                yield draft
            elif draft.variant.startswith(name):
                tools.why(reason or "", word.id)

    def _having(self, tree: Tree, first: Word, second: Word, tools: Tools) -> Iterator[Draft]:
        """*Having reached the town, they rested*: what was over before the other began."""
        done, subject = grammar.formed(first, tools.inflector, grammar.DONE), looking.subject(tree, first.id)
        if _has_opener(tree, first):
            tools.why(f"two phrases would stand before {second.form}", first.id)
            return
        if reason := _other_subject(tree, second):
            tools.why(reason, second.id)
            return
        if done is None or subject is None or self.obstacle(tree, first, second, subject, tools) is not None:
            tools.why(f"{first.form} cannot be told before {second.form}", first.id)
            return
        having = Word(tree.fresh(), "having", "have", "AUX", feats=Features(grammar.ING), head=first.id, deprel="aux")
        place = tree.places[first.id]
        while place and tree.words[place - 1].head == first.id and tree.words[place - 1].upos == "ADV":
            place -= 1
        longer = in_order(tree, [*tree.words[:place], having, *tree.words[place:]])
        shape = Shape(self.grammar, longer, first, second, subject, self.dropped)
        yield Draft(self.place_first(shape, done), "first adverbial", (first.id, second.id), ("comma", "inflected"))

    def participle(self, tree: Tree, verb: Word, subject: Word, tools: Tools) -> Word | None:
        """*Sitting*, behind a noun that nothing follows yet."""
        if subject.upos != "NOUN" or tree.child(subject.id, "acl", "appos") is not None:
            return None
        bare = tree.child(subject.id, "det", "amod", "nummod", "nmod:poss") is None
        if bare and subject.form[0].isupper() and subject.feats.get("Number") != "Plur":
            return None  # most likely a name
        if all(one.relation in ("nsubj", "cc", "conj", "punct") for one in tree.children(verb.id)):
            return None  # three boys jumping: one word alone hardly stands behind its noun
        return self.converb(tree, verb, subject, tools)

    def converb(self, tree: Tree, verb: Word, subject: Word, tools: Tools) -> Word | None:  # noqa: ARG002 - a hook
        """*Sitting*."""
        return verb if grammar.is_ing(verb) else grammar.formed(verb, tools.inflector, grammar.ING)

    def has_participle(self, tree: Tree, verb: Word) -> bool:
        """Whether a predicate is not negated; what else is asked was asked before."""
        return not ENGLISH.is_negated(tree, verb.id)

    def differ(self, tree: Tree, first: Word, second: Word) -> bool:
        """Whether two predicates stand in different tenses."""
        one, other = grammar.finite_word(tree, first.id), grammar.finite_word(tree, second.id)
        if one is None or other is None:
            return False  # the second shares the auxiliary of the first, or lost its own
        if (one.id == first.id) != (other.id == second.id):
            return True  # hated it and was looking for another
        number = one.feats.get("Number") != other.feats.get("Number") and other.feats.get("Tense") == "Pres"
        return number or one.feats.get("Tense") != other.feats.get("Tense")

    def shares_object(self, tree: Tree, first: Word, second: Word, tools: Tools) -> bool:  # noqa: ARG002 - a hook
        """*Washes and cuts the carrot*: a verb with nothing of its own may have the other's object."""
        own = [one for one in tree.children(first.id) if one.relation not in ("nsubj", "conj", "punct", "aux")]
        return not own and first.lemma not in lexicon.POSTURES and tree.child(second.id, "obj", "obl") is not None

    def place(self, shape: Shape, verb: Word, made: Word) -> Tree:
        """A participle stands behind its noun."""
        return shape.behind_noun(verb, made)

    def place_first(self, shape: Shape, made: Word) -> Tree:
        """A participle phrase of the first predicate begins the sentence."""
        return shape.fronted(made)


def _unmotivated(tree: Tree, word: Word, other: Word) -> str | None:
    """Why two acts do not plainly go together, or None: only a posture, a way of moving or a burden goes with any."""
    times = [any(one.lemma.lower() in lexicon.TIMES for one in tree.children(verb.id, "obl")) for verb in (word, other)]
    if all(times):
        return f"{word.form} and {other.form} are done at different times"  # bakes by night and sleeps by day
    leads = tree.places[word.id] < tree.places[other.id]
    first = word if leads else other
    basis = first.lemma in _BASIS | _EXPRESSIONS | _ATTENTION
    past = first.feats.get("Tense") == "Past" and grammar.finite_word(tree, first.id) == first
    if first.lemma in _POSTURES and tree.child(first.id, "obj") is not None and not grammar.is_ing(first):
        return f"{first.form} is an act here"  # hangs a picture and steps back
    if basis or (leads and word.lemma == "wave" and not past) or (not leads and word.form == "using"):
        return None
    return f"{word.form} and {other.form} do not plainly go together"


def _adjectivally(tree: Tree, first: Word, variant: str) -> str | None:
    """Why a participle would not stand well right behind a subject, or None."""
    subject = looking.subject(tree, first.id)
    if subject is None or not variant.endswith("adjectival"):
        return None
    told = not grammar.is_ing(first) and any(one.form.lower() == "the" for one in tree.children(subject.id, "det"))
    if told or tree.child(subject.id, "nmod:poss") is not None:
        return f"which {subject.form} is meant is known"  # my uncle holding a cup
    for one in tree.children(subject.id, "nmod"):
        worn = preposition(tree, one) == "in" and one.lemma in lexicon.WORN and variant.startswith("first")
        if preposition(tree, one) != "of" and not worn:
            return f"{one.form} stands between {subject.form} and a participle"
    return None


def _obstacle(tree: Tree, verb: Word) -> str | None:
    """Why a predicate has no -ing phrase that says the same, or None."""
    if verb.lemma in lexicon.STATES or ENGLISH.is_negated(tree, verb.id) or grammar.is_passive(tree, verb.id):
        return f"{verb.form} is a state, passive or negated"
    group = grammar.helpers(tree, verb.id)
    if any(one.lemma != "be" for one in group) or len(group) > 1 or tree.child(verb.id, "cop") is not None:
        return f"{verb.form} stands with auxiliaries that an -ing form would lose"
    finite = grammar.finite_word(tree, verb.id)
    if verb.lemma in _CHANGES:
        return f"{verb.form} hardly goes on beside something else"
    if verb.lemma not in lexicon.LASTING | _BASIS and not grammar.is_ing(verb):
        return f"{verb.form} names no state that lasts while something else happens"
    if finite is None and not grammar.is_ing(verb):
        return f"{verb.form} shares an auxiliary that an -ing form would lose"
    return None


def _ended(tree: Tree, word: Word, other: Word) -> str | None:
    """Why one act is over when the other is done, or begins only then, or None: *ran in and sat down*."""
    if grammar.is_ing(word):
        return None
    leads = tree.places[word.id] < tree.places[other.id]
    if other.lemma in _CHANGES and leads:
        return f"{other.form} tells what came after {word.form}"
    first, second = (word, other) if leads else (other, word)
    past = first.feats.get("Tense") == "Past" and first.lemma in _MOTIONS and second.lemma not in _GOING_ON
    rose = first.lemma in _POSTURES and _has_goal(tree, first)
    if past or rose or _has_goal(tree, word):  # rowed out and cast a net, stood up and sang
        return f"{word.form} is over when {other.form} is done, or follows it"
    return None


def _has_goal(tree: Tree, verb: Word) -> bool:
    """Whether a motion or a change of posture has an end."""
    goals = [one for one in tree.children(verb.id, "advmod", "compound:prt") if one.form.lower() in _GOALS | {"down"}]
    goals += [
        one
        for phrase in tree.children(verb.id, "obl")
        for one in tree.children(phrase.id, "case")
        if verb.lemma in lexicon.MOTION and one.form.lower() in _GOALS
    ]
    return bool(goals)


def _adverbially(tree: Tree, first: Word, second: Word, variant: str) -> str | None:
    """Why an -ing phrase without a conjunction would not read as one, or None: *is jumping, playing* lacks an *and*."""
    if variant == "first adverbial" and _has_opener(tree, first):
        return f"two phrases would stand before {second.form}"  # in a while, singing, she left
    if variant != "second adverbial" or first.lemma in _POSTURES:
        return None
    if all(one.relation in ("nsubj", "cc", "punct", "aux") for one in tree.children(second.id)):
        return f"{second.form} says too little alone behind a comma"  # wear red scarves, smiling
    own = first.lemma in _EXPRESSIONS or tree.child(first.id, "obj", "obl", "xcomp", "compound:prt") is not None
    along = first.lemma in _MOTIONS and grammar.is_ing(first) and tree.child(second.id, "obj") is not None
    if not (second.lemma in _BESIDE or along) or not own:
        return f"{second.form} is no more done beside {first.form} than the other way round"
    return None


def _other_subject(tree: Tree, second: Word) -> str | None:
    """Why a second predicate may have a subject of its own, or None: *rains ended, and the mills closed*."""
    place = tree.places[second.id]
    joint = max((at for at, one in enumerate(tree.words[:place]) if one.upos == "CCONJ"), default=place)
    if joint and is_comma(tree.words[joint - 1]):
        return f"a comma stands before what {second.form} is told of"
    own = {one.id for one in grammar.helpers(tree, second.id)}
    between = [one for one in tree.words[joint + 1 : place] if one.upos != "ADV" and one.id not in own]
    if between or looking.subject(tree, second.id) is not None:
        return f"{second.form} may have a subject of its own"
    return None


def _has_opener(tree: Tree, first: Word) -> bool:
    """Whether a phrase stands before the subject already."""
    subject = looking.subject(tree, first.id)
    start = min(tree.places[one] for one in tree.subtree(subject.id)) if subject is not None else 0
    return start > 0 and is_comma(tree.words[start - 1])


def _comes_first(tree: Tree, first: Word, second: Word) -> bool:
    """Whether the first of two things told in the past was over when the second was done: *won … and went on*."""
    plain = all(
        grammar.finite_word(tree, one.id) == one and one.feats.get("Tense") == "Past" for one in (first, second)
    )
    active = not ENGLISH.is_negated(tree, first.id) and not ENGLISH.is_negated(tree, second.id)
    over = first.lemma in lexicon.OVER and second.lemma not in lexicon.STATES
    return plain and active and over and tree.child(first.id, "obj", "obl", "xcomp") is not None


def _unfit(tree: Tree, first: Word, second: Word) -> str | None:
    """Why the parts of a sentence would not stand together, or None."""
    kinds = [{one.lemma for one in grammar.helpers(tree, verb.id)} for verb in (first, second)]
    if kinds[1] and kinds[0] != kinds[1]:
        return f"{first.form} and {second.form} have different auxiliaries"
    subject = looking.subject(tree, first.id)
    if subject is None:
        return f"{first.form} has no subject"
    start = min(tree.places[one] for one in tree.subtree(subject.id))
    if any(one.relation == "advcl" and tree.places[one.id] < start for one in tree.children(first.id)):
        return "a participle stands before the subject already"
    if start and not is_comma(tree.words[start - 1]) and tree.words[start - 1].upos != "CCONJ":
        return f"something stands before {subject.form}"
    mine = tree.subtree(second.id)
    if not is_unbroken(tree, tree.subtree(first.id) - mine - {one.id for one in tree.children(first.id, "punct")}):
        return f"parts of {first.form} stand behind {second.form}"
    return None


def _is_loose(tree: Tree, first: Word, second: Word) -> bool:
    """Whether two predicates may be neither two nor simultaneous: a third, an infinitive, *then*, a list."""
    between = tree.words[tree.places[first.id] + 1 : tree.places[second.id]]
    inside = tree.subtree(second.id)
    then = any(one.form.lower() in _THEN for one in tree.children(second.id, "advmod"))
    listed = any(one.form in (",", ";", ":") and one.id not in inside for one in between)
    verbs = any(one.upos == "VERB" and one.feats.get("VerbForm") == "Fin" for one in between)
    base = any(grammar.is_base(one) and not grammar.helpers(tree, one.id) for one in (first, second))
    return then or listed or verbs or base or looking.subject(tree, first.id) is None


_THEN = frozenset({"then", "later", "afterwards", "finally", "eventually", "subsequently", "soon", "again"})


def _without_helpers(tree: Tree, verb: Word, other: Word) -> Tree:
    """The tree in which a predicate has no auxiliaries; if the other one has none either, it takes them over."""
    group = grammar.helpers(tree, verb.id)
    if not group:
        return tree
    ids = {one.id for one in group}
    words = [word for word in tree.words if word.id not in ids]
    if not grammar.helpers(tree, other.id) and other.feats.get("VerbForm") != "Fin":
        place = next(place for place, word in enumerate(words) if word.id == other.id)
        while place and words[place - 1].head == other.id and words[place - 1].upos == "ADV":
            place -= 1
        words[place:place] = [one.but(head=other.id) for one in group]
    return in_order(tree, words)


apply = trusting(_English(ENGLISH).apply)
