"""Removes adjuncts, one or several: modifiers of nouns, circumstances of verbs, clauses, numerals."""

from __future__ import annotations

from collections.abc import Iterator

from kostra.transforms.donors import preposition
from kostra.transforms.edits import is_comma, is_unbroken, part
from kostra.transforms.en import (
    grammar,
    keeping_clauses,
    keeping_phrases,
    keeping_words,
    leaning,
    leaving,
    lexicon,
    restricting,
)
from kostra.transforms.en.doubting import trusting
from kostra.transforms.en.grammar import ENGLISH
from kostra.transforms.engine import Draft, Tools
from kostra.transforms.shared.removing_adjuncts import RELATION, VARIANTS, Doubts, Needy, RemovingAdjuncts
from kostra.trees import Tree, Word

__all__ = ["RELATION", "VARIANTS", "apply"]


_PARTICLES = frozenset({"off", "out", "up", "down", "over"})
"""What may belong to a verb right before it."""
_EXAMPLES = frozenset({"including", "such", "like", "especially", "particularly", "e.g."})
_FAST = frozenset({"about", "order", "least", "first", "last", "once", "all", "most"})
_OTHER = frozenset({"other", "others", "another"})
"""Words that set one against another, so that what is said of one does not go."""
_ASKING = frozenset({"how", "what", "why", "whether"})
_MAKES_PREPOSITION = frozenset({"with", "to", "from", "of", "for"})
"""What makes a preposition of a bare noun and the one before it: *in conjunction with*."""
_OPENS_NOUN = frozenset({"DET", "NOUN", "PROPN", "PRON", "NUM", "ADJ"})
LEAST_SHARE = 0.4
"""Share of a sentence's words that must stay, once several adjuncts go."""
SHORT = 10
"""Words of a sentence of which little may be left."""
FEWEST_WORDS = 3
"""Words of the shortest sentence: *dogs sleep* says something of all dogs."""
LEAST_WORDS = 4
"""Words of the shortest phrase that may be left of a caption without a verb: *a man* says nothing."""


class _English(RemovingAdjuncts):
    def apply(self, tree: Tree, tools: Tools) -> Iterator[Draft]:
        """Shorter sentences, but for captions of which only a noun would be left."""
        if (reason := leaning.elliptic(tree) or leaning.broken(tree)) is not None:
            tools.why(reason, None)
            return
        nominal = not ENGLISH.is_predicate(tree, tree.root)
        many = sum(word.upos != "PUNCT" for word in tree.words)
        for draft in super().apply(tree, tools):
            left = sum(word.upos != "PUNCT" for word in draft.tree.words)
            if nominal and _says_nothing(draft.tree):
                tools.why(f"{draft.variant}: hardly more than {tree.root.form} would be left", tree.root.id)
            elif (wrong := leaving.why_wrong(tree, draft.tree) or leaning.why_needed(tree, draft.tree)) is not None:
                tools.why(f"{draft.variant}: {wrong}", tree.root.id)
            elif left < FEWEST_WORDS or (many > SHORT and left < LEAST_SHARE * many):
                tools.why(f"{draft.variant}: too little of the sentence would be left", tree.root.id)
            else:
                yield draft

    def removable(self, tree: Tree, word: Word, tools: Tools) -> Doubts | None:
        """The doubts with which a word can go; infinitives and what stands before a conjunction cannot."""
        if (
            word.deprel in ("nmod:poss", "nmod:unmarked", "nmod:desc", "xcomp")
            or tree.child(word.id, "expl") is not None
        ):
            return None
        if not is_unbroken(tree, tree.subtree(word.id)) or not _is_apart(tree, word):
            return None
        if grammar.is_in_compound(tree, word.id):
            return None
        head = tree[word.head]
        if word.relation in ("amod", "nmod", "acl") and restricting.is_of_all(tree, word, head):
            tools.why(f"{head.form} would stand for more than {word.form} lets it", word.id)
            return None
        if word.relation in ("amod", "nmod", "acl", "obl", "advcl", "advmod") and restricting.is_denied(tree, word):
            tools.why(f"without {word.form} more would be denied", word.id)
            return None
        if word.relation in ("amod", "nmod", "acl", "obl", "advmod") and grammar.is_supposed(tree, word):
            tools.why(f"without {word.form} more would be supposed", word.id)
            return None
        if word.relation in ("amod", "nmod", "obl", "advmod") and restricting.says_which(tree, word):
            tools.why(f"{word.form} says of which ones something is told", word.id)
            return None
        if word.relation in ("obl", "nmod") and _stands_with(tree, word):
            tools.why(f"{word.form} makes a phrase with what stands beside it", word.id)
            return None
        if word.relation == "acl" and head.lemma in ENGLISH.needs_genitive | ENGLISH.needs_adjective:
            return None  # the way he walks
        inside = part(tree, tree.subtree(word.id))
        hyphens = tree.words[max(0, tree.places[inside[0].id] - 1) : tree.places[inside[-1].id] + 2]
        if any(one.form in "-–/&" for one in hyphens):
            return None
        if word.relation == "acl" and any(one.upos == "CCONJ" for one in hyphens[:2]):
            return None
        first = tree.places[inside[0].id]
        if word.relation == "advcl" and first and tree.words[first - 1].upos == "ADP":
            return None  # go about winning
        if self._is_fast(tree, word, inside):
            return None
        if word.relation == "acl" and grammar.is_past_participle(word) and not _has_verb(tree, head):
            return None  # it may be the only verb
        last = tree.places[inside[-1].id] + 1
        loose = last < len(tree.words) and tree.words[last].upos == "ADP"
        if word.relation == "acl" and grammar.is_past_participle(word) and loose:
            return None  # a fair held by the guild [in May]
        if word.relation == "acl" and (grammar.is_base(word) or head.upos not in ("NOUN", "PROPN")):
            return None
        if word.relation in ("acl", "advcl") and not _is_closed(tree, word):
            return None
        if word.relation == "advcl" and _is_wanted(tree, word, head):
            tools.why(f"{head.form} may need {word.form}", word.id)
            return None
        found = super().removable(tree, word, tools)
        kept = _why_stays(tree, word, head, tools) if found is not None else None
        if kept is not None:
            tools.why(kept, word.id)
            return None
        if found is not None and word.relation == "acl" and head.relation == "root" and word.deprel == "acl":
            return (*found, "argument")  # a caption says little without it
        return found

    def _is_fast(self, tree: Tree, word: Word, inside: list[Word]) -> bool:
        """Whether what stands beside a phrase, or opens it, says that it cannot be taken for an adjunct."""
        first, last = tree.places[inside[0].id], tree.places[inside[-1].id]
        before = tree.words[first - 1] if first else None
        after = tree.words[last + 1 : last + 3]
        if word.form.lower() in _FAST or any(one.form.lower() in _OTHER for one in tree.words):
            return True
        if after and (after[0].lemma in ENGLISH.reflexives or after[0].form.lower() in ENGLISH.reflexives):
            return True
        if word.relation == "amod":
            adverb = before is not None and before.upos == "ADV"
            named = word.form[:1].isupper() and tree[word.head].form[:1].isupper() and word.id != tree.words[0].id
            joined = len(inside) > 1 and bool(after) and after[0].id != word.head
            return adverb or named or joined
        if word.relation in ("acl", "advcl") and before is not None and before.form.lower() == "order":
            return True  # in order to win
        if word.relation == "acl":
            return inside[0].form.lower() in ("of", "for", "about", "to") or (
                bool(after) and after[0].form.lower() in ENGLISH.relatives
            )
        listed = len(after) == 2 and is_comma(after[0]) and after[1].upos in ("NOUN", "PROPN")
        third = tree.words[last + 3] if last + 3 < len(tree.words) else word
        town = len(after) == 2 and after[1].form[:1].isupper() and is_comma(third)  # in Bath, England, …
        return word.relation in ("obl", "nmod") and (
            (listed and first > 0) or (bool(after) and is_comma(after[0]) and town)
        )

    def extent(self, tree: Tree, word: Word, inside: frozenset[int]) -> frozenset[int]:
        """An adjective takes only a comma that parts it from another: *a big, brown dog*."""
        if word.relation != "amod":
            around = super().extent(tree, word, inside)
            lone = word.relation == "advmod" and len(around) == len(inside) + 1 and tree.words[0].id not in inside
            return inside if lone else around
        places = [tree.places[one] for one in inside]
        before, after = tree.words[: min(places)][-2:], tree.words[max(places) + 1 :][:2]
        if after and is_comma(after[0]):
            return inside | {after[0].id}
        listed = len(before) == 2 and is_comma(before[1]) and (before[0].upos == "ADJ" or before[0].head == word.head)
        return inside | {before[1].id} if listed and after and after[0].id == word.head else inside

    def modifier(self, tree: Tree, word: Word, head: Word, tools: Tools) -> Doubts | None:
        """An adjective; one behind its noun or of a name belongs to it."""
        behind = tree.places[word.id] > tree.places[head.id]
        if head.relation == "conj" and tree[head.head].upos == "ADJ":
            return None  # an old and a new boat
        if any(one.lemma.lower() in lexicon.MANY for one in tree.descendants(word.id)):
            return None  # Jack White and other artists
        if head.relation == "obj" and (tree[head.head].lemma, head.lemma) in lexicon.FIXED_OBJECTS:
            return None  # makes a funny face
        the = any(one.form.lower() == "the" for one in tree.children(head.id, "det"))
        if the and tree.child(head.id, "cop") is not None:
            return None  # she is the right doctor
        if head.deprel == "obl:unmarked" and head.lemma.lower() not in lexicon.TIMES:
            return None  # low key
        if behind or head.upos == "PROPN" or tree.child(head.id, "flat") or word.feats.get("NumType"):
            return None
        if word.feats.get("Degree") in ("Cmp", "Sup") or head.lemma.lower() in lexicon.TIMES:
            return None
        return super().modifier(tree, word, head, tools)

    def noun_modifier(self, tree: Tree, word: Word, head: Word, tools: Tools) -> Doubts | None:
        """A phrase with a preposition; *of* belongs to its noun more than others."""
        case = tree.child(word.id, "case")
        if case is None or head.upos not in ("NOUN", "PROPN") or tree.places[word.id] < tree.places[head.id]:
            return None
        if self.says_all(tree, head) or any(one.form.lower() == "with" for one in tree.children(head.id, "mark")):
            return None  # with her head on a pillow
        if case.form.lower() in lexicon.COMPLEMENT_PREPOSITIONS | {"between"} or head.lemma in ENGLISH.needs_genitive:
            tools.why(f"{head.form} says little without {word.form}", word.id)
            return None
        return super().noun_modifier(tree, word, head, tools)

    def circumstance(self, tree: Tree, word: Word, head: Word, tools: Tools) -> Doubts | None:
        """A phrase with a preposition, or a time; not what an adjective or a comparison needs."""
        case = tree.child(word.id, "case")
        if word.deprel == "obl:unmarked" or (case is None and word.relation == "obl"):
            said = tree.child(word.id, "det", "amod", "nummod") is not None or word.lemma.lower().endswith("day")
            return () if said and word.lemma.lower() in lexicon.TIMES and head.upos == "VERB" else None
        if head.upos in ("ADJ", "ADV") or (case is not None and case.form.lower() in ("of", "as", "like", "than")):
            return None
        first = min(tree.places[one] for one in tree.subtree(word.id))
        if case is not None and case.form.lower() in _PARTICLES and first == tree.places[head.id] + 1:
            return None  # fight off an attack
        last = max(tree.places[one] for one in tree.subtree(word.id))
        following = tree.words[last + 1] if last + 1 < len(tree.words) else word
        if following.feats.get("VerbForm") == "Fin" and tree.places[head.id] < tree.places[word.id]:
            return None  # it may be the subject of what follows
        found = super().circumstance(tree, word, head, tools)
        if found is None or case is None:
            return found
        if case.form.lower() not in lexicon.COMPLEMENT_PREPOSITIONS:
            return found
        doing = head.lemma in lexicon.LASTING | lexicon.MOTION | lexicon.POSTURES and case.form.lower() != "about"
        thing = tree.child(head.id, "obj")
        doing = doing or (thing is not None and thing.upos == "NOUN")
        return (*found, "argument") if doing else None

    def adverb(self, tree: Tree, word: Word, head: Word, tools: Tools) -> Doubts | None:
        """An adverb of a verb, or one that only says how much."""
        following = tree.words[tree.places[word.id] + 1 :][:1]
        if any(one.form.lower() in ("to", "of", "from", "than", "as") for one in following):
            return None
        if word.form.lower() in ENGLISH.places and any(one.upos in _OPENS_NOUN for one in following):
            return None  # a preposition, misread
        if word.form.lower() in lexicon.HEDGES:
            tools.why(f"without {word.form} the sentence says more", word.id)
            return None
        if word.lemma.lower() in lexicon.NEGATIVE or word.feats.get("Polarity") == "Neg":
            return None
        if word.feats.get("Degree") in ("Cmp", "Sup") or word.feats.get("PronType") in ("Int", "Rel", "Neg"):
            return None
        if head.upos in ("NUM", "NOUN", "PROPN", "ADP", "SCONJ") or head.relation in ("case", "mark"):
            return None
        return super().adverb(tree, word, head, tools)

    def needy(self, tree: Tree) -> list[Needy]:
        """Beside verbs that need a place: participles that say little without what did it, or where."""
        found = [*super().needy(tree), *keeping_phrases.bare_verbs(tree)]
        for word in tree.words:
            if word.relation in ("acl", "advcl") and grammar.is_past_participle(word):
                needed = frozenset(one.id for one in tree.children(word.id, "obl", "advmod", "xcomp", "obj"))
                found += [Needy(word, needed, f"{word.form} needs a complement")] if needed else []
        return found

    def says_all(self, tree: Tree, noun: Word) -> bool:
        """*With a raised head*; *one with a beard* needs its phrase as well."""
        return super().says_all(tree, noun) or noun.upos == "NUM"


def _why_stays(tree: Tree, word: Word, head: Word, tools: Tools) -> str | None:
    """Why a word that hangs like an adjunct is none, by what it is."""
    match word.relation:
        case "amod":
            return keeping_words.why_adjective_stays(tree, word, head, tools.inflector)
        case "advmod":
            return keeping_words.why_adverb_stays(tree, word, head, tools.inflector)
        case "obl" | "nmod":
            return keeping_phrases.why_phrase_stays(tree, word, head, tools.inflector)
        case "advcl":
            return keeping_clauses.why_circumstance_stays(tree, word, head)
        case "acl":
            return keeping_clauses.why_clause_of_noun_stays(tree, word, head, tools.inflector)
        case "appos":
            return keeping_phrases.why_apposition_stays(tree, word, head)
    return None


def _stands_with(tree: Tree, word: Word) -> bool:
    """Whether a phrase is half of another: *in conjunction* with a fair, with a hat *over his face*."""
    inside = tree.subtree(word.id)
    first, last = min(tree.places[one] for one in inside), max(tree.places[one] for one in inside)
    following = tree.words[last + 1] if last + 1 < len(tree.words) else None
    before = tree.words[first - 1] if first else None
    joins = following is not None and following.upos == "ADP" and following.form.lower() in _MAKES_PREPOSITION
    if (joins and _is_bare(tree, word)) or (
        before is not None and tree.words[first].form.lower() in _MAKES_PREPOSITION and _is_bare(tree, before)
    ):
        return True
    opens_with = tree.words[first].form.lower() == "with"
    if opens_with and following is not None and following.upos == "ADP":
        behind = tree[following.head] if following.head else following
        return behind.id not in inside and grammar.is_where_something_is(tree, behind)
    with_before = before is not None and any(one.form.lower() == "with" for one in tree.children(before.id, "case"))
    return with_before and (word.upos == "PRON" or grammar.is_where_something_is(tree, word))


def _is_bare(tree: Tree, noun: Word) -> bool:
    """Whether a noun stands with a preposition and nothing else: *in conjunction*."""
    beside = [one.relation for one in tree.children(noun.id) if tree.places[one.id] < tree.places[noun.id]]
    return noun.upos == "NOUN" and noun.feats.get("Number") != "Plur" and beside == ["case"]


def _says_nothing(tree: Tree) -> bool:
    root = tree.root
    words = [word for word in tree.words if word.upos != "PUNCT"]
    behind = [one for one in tree.children(root.id, "acl", "nmod") if tree.places[one.id] > tree.places[root.id]]
    kinds = ENGLISH.describing - ({"of"} if root.lemma in ENGLISH.quantities else frozenset())
    behind = [one for one in behind if one.relation == "acl" or preposition(tree, one) in kinds]
    return len(words) < LEAST_WORDS or not behind


def _is_apart(tree: Tree, word: Word) -> bool:
    """Whether a phrase neither asks something nor stands before an *and* that may join a part of it."""
    inside = tree.subtree(word.id)
    first, last = min(tree.places[one] for one in inside), max(tree.places[one] for one in inside)
    following = tree.words[last + 1] if last + 1 < len(tree.words) else word
    if word.relation in ("advcl", "acl") and any(tree[one].form.lower() in _ASKING for one in inside):
        return False
    examples = tree.words[last + 2].form.lower() if following.form == "," and last + 2 < len(tree.words) else ""
    if following.form.lower() in ("else", "of") or (following.upos == "PART" and following.form.lower() == "to"):
        return False
    if following.form.lower() in _EXAMPLES or examples in _EXAMPLES:
        return False
    if first and tree.words[first - 1].upos == "CCONJ" and following.form == ",":
        return False  # but, in spring, …
    joins = following.upos == "CCONJ" and not (following.head and tree[following.head].upos in ("VERB", "AUX"))
    if len(inside) > 1 and joins:
        return False
    before = tree.words[first - 1] if first else word
    if word.relation in ("obl", "nmod") and before.upos in ("ADV", "ADP", "SCONJ") and before.id not in inside:
        return False  # apart from, instead of, up the stairs
    if word.relation in ("obl", "nmod") and _is_misjoined(tree, word):
        return False
    if before.lemma in ENGLISH.body and any(one.form.lower() == "with" for one in tree.children(before.id, "case")):
        return False  # with her head on a pillow
    return word.relation != "nmod" or first == 0 or tree.words[first - 1].upos not in ("PRON", "NUM")


def _has_verb(tree: Tree, noun: Word) -> bool:
    """Whether the clause in which a noun stands has a finite verb, so that a participle is no misread past tense."""
    clause = noun
    while clause.head and clause.relation not in ("conj", "ccomp", "advcl", "parataxis", "acl"):
        clause = tree[clause.head]
    return not clause.head or ENGLISH.is_predicate(tree, clause)


def _is_wanted(tree: Tree, word: Word, head: Word) -> bool:
    """Whether a clause may be what a verb is about: *tries to read*, *attempts in order to win*; *is, if she asks*."""
    infinitive = grammar.is_base(word) and any(one.form.lower() == "to" for one in tree.children(word.id, "mark"))
    opens = tree.words[min(tree.places[one] for one in tree.subtree(word.id))]
    agent = opens.form.lower() == "by" and grammar.is_passive(tree, head.id)
    return agent or (infinitive and head.lemma in lexicon.WANTS_INFINITIVE) or head.upos == "AUX"


def _is_misjoined(tree: Tree, word: Word) -> bool:
    """Whether what is joined with a noun may belong elsewhere: *a giant from the sea and the son of a king*."""
    for one in (tree[inside] for inside in tree.subtree(word.id)):
        articles = bool(tree.children(one.id, "det", "nmod:poss"))
        for joined in tree.children(one.id, "conj"):
            if joined.upos != one.upos or joined.feats.get("NumType") != one.feats.get("NumType"):
                return True  # the last in a series and the first in another
            if articles != bool(tree.children(joined.id, "det", "nmod:poss")):
                return True
    return False


def _is_closed(tree: Tree, word: Word) -> bool:
    """Whether a clause is followed by nothing that may still belong to it."""
    last = max(tree.places[one] for one in tree.subtree(word.id))
    following = tree.words[last + 1] if last + 1 < len(tree.words) else None
    return following is None or following.upos in ("PUNCT", "VERB", "AUX", "CCONJ", "ADP", "SCONJ", "ADV")


apply = trusting(_English(ENGLISH).apply)
