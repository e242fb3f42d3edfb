"""Turns one of two coordinated predicates with one subject into a participle, or into a transgressive.

Adjectival participles in *-ící* stand behind their noun if anything hangs on them: *muž sedící na lavičce*. A past
stays a past beside them, since they tell no tense. Transgressives (*sedě*, *sedíc*) are right and bookish: they are
made only of a sentence that is bookish itself, by one of the words of `lexicon.BOOKISH` or a transgressive of its own,
and come last by their confidence.
"""

from __future__ import annotations

from collections.abc import Mapping

from kostra.transforms.cs import lexicon
from kostra.transforms.cs.clitics import is_clitic, participle_first
from kostra.transforms.cs.grammar import CZECH, converb, form_in_case, has_active_participle, is_bare, is_no_object
from kostra.transforms.cs.participles import is_late_participle
from kostra.transforms.engine import Tools
from kostra.transforms.shared import dropping_conjunction as shared
from kostra.transforms.shared.dropping_conjunction import RELATION, Shape
from kostra.transforms.shared.grammar import Grammar
from kostra.transforms.shared.looking import is_converb, no_preposition
from kostra.trees import Tree, Word

__all__ = ["RELATION", "VARIANTS", "apply"]

VARIANTS: Mapping[str, str] = {
    **shared.VARIANTS,
    "first adverbial": "the first predicate becomes a transgressive behind the subject: bookish",
    "second adverbial": "the second predicate becomes a transgressive at its place: bookish",
}

LONGEST_SUBJECT = 6
"""Words of the longest subject behind which a participle phrase stands."""
LONGEST_BEFORE_VERB = 5
"""Words that may stand before a verb that closes the sentence alone."""
_POINTS_BACK = frozenset(
    {"ten", "druhý", "další", "jiný", "ostatní", "zbylý", "opačný", "stejný", "přitom", "pak", "potom", "zároveň"}
)
"""Words in a second predicate that need the first before them: *v druhé ruce drží hůl*, *zpívá při tom*."""
_AFTER_SE = ("s", "z", "š", "ž", "mnou", "ps", "dv", "tř", "čtyř", "vš", "lv")
"""How words begin before which *s* is *se*; before others *se* leans on the verb."""
_OFTEN = frozenset({"hrát", "chodit", "jezdit", "lovit", "nosit", "psát", "číst"})
"""Verbs of scenes that tell of a habit as well, so that only a scene beside them shows that they are none."""
_STILL = frozenset({"stát", "sedět", "ležet", "klečet", "viset", "být"})
"""Verbs that hardly say more than that somebody is there."""


class _Shape(Shape):
    """What stands between subject and verb stays with the subject: *dívka v čepici sedící na lavičce*."""

    def __init__(
        self, grammar: Grammar, tree: Tree, first: Word, second: Word, subject: Word, dropped: tuple[str, ...]
    ) -> None:
        super().__init__(grammar, tree, first, second, subject, dropped)
        start, end = tree.places[subject.id], tree.places[first.id]
        between = [one for one in tree.children(first.id, "obl") if start < tree.places[one.id] < end]
        self.subject_words = self.subject_words.union(*(tree.subtree(one.id) for one in between))

    def own(self, verb: Word) -> list[Word]:
        """A predicate with its own dependents, without those that stay with the subject."""
        return [word for word in super().own(verb) if word.id not in self.subject_words]

    def in_phrase(self, words: list[Word], participle: Word) -> list[Word]:
        """*Držící v ruce hůl*: adverbs, the participle, its clitics, all else."""
        return participle_first(words, participle)

    def in_clause(self, words: list[Word], verb: Word) -> list[Word]:
        """*Drží v ruce hůl*: the verb comes first behind a long subject, unless something leans on it."""
        if any(is_clitic(word) for word in words):
            return words
        return participle_first(words, verb)


class _Czech(shared.DroppingConjunction):
    def participle(self, tree: Tree, verb: Word, subject: Word, tools: Tools) -> Word | None:
        """*Čtoucí*, agreeing; not where a verb alone would be left at the end: *muž čtoucí noviny stojí*."""
        if _leaves_verb_alone(tree, verb, subject):
            tools.why(f"a verb would stand alone behind a long subject with {verb.form}", verb.id)
            return None
        if (obstacle := _stays_finite(tree, verb)) is not None:
            tools.why(obstacle, verb.id)
            return None
        return CZECH.participle(tools.inflector, verb, "Act", subject.feats) if "Case" in subject.feats else None

    @property
    def shape(self) -> type[Shape]:
        """Czech keeps with the subject what stands behind it, and puts participles first."""
        return _Shape

    def converb(self, tree: Tree, verb: Word, subject: Word, tools: Tools) -> Word | None:
        """*Čta*, *čtouc*, *čtouce*: of a present, where the subject is a noun."""
        feats = CZECH.verb_features(tree, subject.id)
        if not _is_bookish(tree):
            tools.why(f"a transgressive of {verb.form} would be bookish in a plain sentence", verb.id)
            return None
        if feats is None or CZECH.is_negated(tree, verb.id):
            return None
        return converb(tools.inflector, verb, feats)

    def obstacle(self, tree: Tree, first: Word, second: Word, subject: Word, tools: Tools) -> tuple[str, int] | None:
        """Beside what stops it elsewhere: pronouns without stress, complements that are clauses, quotation marks."""
        for verb in (first, second):
            for one in tree.children(verb.id):
                if one.relation == "punct" and one.form not in (",", "."):
                    return "quotation marks or dashes would stand elsewhere", one.id
                if is_clitic(one) and one.form.lower() not in ("se", "si"):
                    return f"{one.form} leans on {verb.form}", one.id
                if one.relation == "obj" and is_no_object(tree, one, tools.inflector):
                    return f"{one.form} is the subject of {verb.form}", one.id
                named = one.upos in ("NOUN", "PROPN") and is_bare(tree, one, "Nom") and one.id != subject.id
                cases = {found.feats.get("Case") for found in tools.inflector.analyses(one.form.lower())}
                if named and "Nom" in cases and "Acc" not in cases:
                    return f"{one.form} may be the subject of {verb.form}", one.id
                if one.id != subject.id and _may_be_subject(tree, one, verb, tools):
                    return f"{one.form} may be the subject of {verb.form}", one.id
                open_case = form_in_case(tools.inflector, one, "Nom") in (None, one.form.lower())
                if one.relation == "obj" and open_case and verb.lemma in lexicon.POSTURES and no_preposition(tree, one):
                    return f"{one.form} may be the subject of {verb.form}", one.id  # leží tu míč, whatever míč is
                if one.relation in ("xcomp", "ccomp", "csubj"):
                    return f"{one.form} depends on {verb.form}", one.id
        if not {first.lemma, second.lemma} & (lexicon.SCENES - _OFTEN):
            return f"{first.form} and {second.form} need not go on at the same time", second.id
        if subject.lemma in lexicon.OFFICES | lexicon.COMPANIES:
            return f"nobody sees what {subject.form} does", subject.id
        past = first.feats.get("Tense") == "Past"
        lasting = [has_active_participle(tools.inflector, verb) for verb in (first, second)]
        if past and (first.feats.get("Aspect") != second.feats.get("Aspect") or not all(lasting)):
            return f"{first.form} and {second.form} may follow one another", second.id
        if _has_fronted(tree, first, subject):
            return f"something stands before {subject.form}", subject.id
        start, end = tree.places[subject.id], tree.places[first.id]
        inner = [one for one in tree.words[start:end] if one.upos == "CCONJ"]
        joins = next((one for one in inner if one.head in (first.id, second.id)), None)
        if joins is not None:
            return f"{joins.form} stands before {first.form}", joins.id  # dívka v sukni a s copem
        if (other := _points_to_subject(tree, second)) is not None:
            return f"{other.form} may point to {subject.form}, beside another subject", other.id
        if _parts_from_participle(tree, subject):
            return f"a participle would not reach {subject.form}", subject.id
        if "jít" in (first.lemma, second.lemma):
            return "jít is often no going", second.id
        oneself = CZECH.reflexive(tree, first.id)
        bare = second.lemma not in lexicon.POSTURES and tree.child(second.id, "obj", "obl") is None
        if oneself is not None and (oneself.deprel == "expl:pass" or bare) and CZECH.reflexive(tree, second.id) is None:
            return f"{second.form} may share the reflexive of {first.form}", second.id
        for verb in (first, second):
            undergoes = verb.lemma in lexicon.REFLEXIVE_PASSIVE or verb.lemma == "nazývat"
            if undergoes and CZECH.reflexive(tree, verb.id) is not None:
                return f"{verb.form} with se is a passive", verb.id
        for verb in (first, second):
            if CZECH.reflexive(tree, verb.id) is not None and (other := _weak_phrase(tree, verb)) is not None:
                return f"{other.form} would stand before {verb.form}", other.id
        if any(tree.places[one.id] < tree.places[second.id] for one in tree.children(second.id, "obj")):
            return f"an object stands before {second.form}", second.id
        return super().obstacle(tree, first, second, subject, tools)

    def cannot_precede(self, shape: Shape, verb: Word, own: list[Word]) -> str | None:
        """Beside what stops it elsewhere: *dívka hrající na flétnu sedící na zídce*, one participle behind another."""
        tree, subject = shape.tree, shape.subject
        alone = all(word.id == verb.id or is_clitic(word) for word in own)
        other = next((one for one in tree.descendants(subject.id) if is_late_participle(tree, one)), None)
        if other is not None and not alone:
            return f"{other.form} stands behind {subject.form} already"
        inner = next((one for one in own if is_late_participle(tree, one)), None)
        if inner is not None:
            return f"{inner.form} would end one participle phrase with another"  # hledící na psa ležící vedle běží
        if not alone and all(word.id == verb.id or word.upos in ("ADV", "PART") or is_clitic(word) for word in own):
            return f"{verb.form} with an adverb alone would stand behind {subject.form}"
        if not alone and len(shape.subject_words) > LONGEST_SUBJECT:
            return f"{verb.form} would stand far behind {subject.form}"
        stays = shape.first if verb.id == shape.second.id else shape.second
        if not alone and (other := _weak_phrase(tree, stays)) is not None:
            return f"{other.form} points into the phrase of {verb.form}, and would stand before {stays.form}"
        last = shape.in_phrase(own, verb)[-1]
        if not alone and is_clitic(last) and CZECH.reflexive(tree, stays.id) is not None:
            return f"{last.form} would stand beside another"  # náramně bavící se si hrají
        return super().cannot_precede(shape, verb, own)

    def doubts(self, kind: str) -> tuple[str, ...]:
        """Transgressives are bookish."""
        return ("style", "style") if kind == "adverbial" else ()

    def shares_object(self, tree: Tree, first: Word, second: Word, tools: Tools) -> bool:
        """*Myje a krájí mrkev*: a transitive verb with nothing of its own has the other's object."""
        behind = [
            one for one in tree.children(first.id)
            if tree.places[one.id] > tree.places[first.id] and one.relation not in ("conj", "punct")
        ]  # fmt: skip
        if any(tree.places[one.id] > tree.places[second.id] for one in behind):
            return True
        if behind or tree.child(second.id, "obj") is None or first.lemma in lexicon.POSTURES:
            return False
        wanted = {"VerbForm": "Part", "Voice": "Pass", "Number": "Sing", "Gender": "Fem"}
        return tools.inflector.inflect(first.lemma, "ADJ", wanted) is not None

    def place(self, shape: Shape, verb: Word, made: Word) -> Tree:
        """A participle alone stands before its noun, a phrase behind it."""
        alone = all(word.id == verb.id or is_clitic(word) for word in shape.own(verb))  # smějící se chlapec
        return shape.before_noun(verb, made) if alone else shape.behind_noun(verb, made)


def _leaves_verb_alone(tree: Tree, second: Word, subject: Word) -> bool:
    """Whether a first predicate that is a verb alone would close a sentence, where it says too little."""
    first = tree[second.head] if second.relation == "conj" else second
    own = [one for one in tree.children(first.id) if tree.places[one.id] > tree.places[first.id]]
    if first is second or any(one.relation not in ("conj", "punct", "expl") for one in own):
        return False
    start = min(tree.places[one] for one in tree.subtree(subject.id))
    long = tree.places[first.id] - start + len(tree.subtree(second.id)) > LONGEST_BEFORE_VERB
    return long or first.lemma in _STILL


def _stays_finite(tree: Tree, verb: Word) -> str | None:
    """Why a predicate cannot become a participle beside the other, or None."""
    if verb.lemma == "mít":
        return "mající is right, and clumsy"
    second = verb.relation == "conj" and verb.head in tree
    if second and (back := [one for one in tree.descendants(verb.id) if one.lemma in _POINTS_BACK]):
        return f"{back[0].form} would stand before what it points to"
    others = [tree[verb.head]] if second else tree.children(verb.id, "conj")
    for other in others:
        place = tree.places[other.id] + 1
        near = tree.words[place] if place < len(tree.words) else other
        case = tree[near.head].feats.get("Case") if near.head else None
        behind = tree.words[place + 1].form.lower() if place + 1 < len(tree.words) else ""
        plain = case == "Ins" and behind.startswith(_AFTER_SE)
        if near.form in ("se", "si") and not is_clitic(near) and (near.upos == "PRON" or not plain):
            return f"{near.form} may lean on {other.form}"  # drží se zábradlí, where se is taken for a preposition
    return None


def _may_be_subject(tree: Tree, noun: Word, verb: Word, tools: Tools) -> bool:
    """*Vedle leží další čluny*: whether a verb that has no object has a noun that may be a nominative."""
    bare = is_bare(tree, noun, "Nom") or is_bare(tree, noun, "Acc")
    bare = bare and form_in_case(tools.inflector, noun, "Nom") in (None, noun.form.lower())
    if noun.upos not in ("NOUN", "PROPN") or not bare or noun.lemma in lexicon.TIMES or verb.lemma == "mít":
        return False
    wanted = {"VerbForm": "Part", "Voice": "Pass", "Number": "Sing", "Gender": "Fem"}
    return verb.lemma in lexicon.POSTURES or tools.inflector.inflect(verb.lemma, "ADJ", wanted) is None


def _points_to_subject(tree: Tree, second: Word) -> Word | None:
    """*A za ním běží kolem*: a personal pronoun before the second verb, which hardly speaks of its own subject."""
    early = [one for one in tree.children(second.id) if tree.places[one.id] < tree.places[second.id]]
    personal = [one for one in early if one.upos == "PRON" and one.feats.get("PronType") == "Prs"]
    return next((one for one in personal if one.feats.get("Reflex") != "Yes"), None)


def _weak_phrase(tree: Tree, verb: Word) -> Word | None:
    """*Opírá se o něj*: a pronoun behind a preposition, which stands before a verb that does not open its clause."""
    own = [one for one in tree.children(verb.id, "obl", "obj", "iobj") if one.upos == "PRON"]
    own = [one for one in own if one.feats.get("PronType") == "Prs" and one.feats.get("Reflex") != "Yes"]
    return next((one for one in own if tree.child(one.id, "case") is not None), None)


def _parts_from_participle(tree: Tree, subject: Word) -> bool:
    """Whether a participle behind a subject may be read with another noun: not *muž v klobouku sedící na židli*."""
    inside = tree.descendants(subject.id)
    joints = [one for one in inside if one.upos == "CCONJ" and no_preposition(tree, tree[one.head])]  # a s copem
    if joints or any(one.upos in ("VERB", "PUNCT", "PROPN") for one in inside):
        return True
    nouns = [one for one in inside if one.upos == "NOUN" or (one.upos == "ADJ" and tree.child(one.id, "case"))]
    somebody = CZECH.is_animate(tree, subject.id)
    return any(not somebody or CZECH.is_animate(tree, one.id) or no_preposition(tree, one) for one in nouns)


def _is_bookish(tree: Tree) -> bool:
    """Whether a sentence is of the register in which transgressives are at home."""
    return any(is_converb(word) or word.lemma in lexicon.BOOKISH for word in tree.words)


def _has_fronted(tree: Tree, verb: Word, subject: Word) -> bool:
    """Whether something of a predicate stands before the subject, where no participle can take it along."""
    start = min(tree.places[one] for one in tree.subtree(subject.id))
    return any(
        tree.places[one.id] < start for one in tree.children(verb.id) if one.relation not in ("cc", "punct", "nsubj")
    )


apply = _Czech(CZECH).apply
