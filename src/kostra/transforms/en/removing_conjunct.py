"""Removes one of the coordinated parts of an adjunct, an object or a subject; the verb agrees with what is left."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from kostra.transforms.edits import cut, is_comma, is_unbroken
from kostra.transforms.en import grammar, lexicon, parting
from kostra.transforms.en.doubting import trusting
from kostra.transforms.en.grammar import ENGLISH
from kostra.transforms.engine import Draft, Tools
from kostra.transforms.inflection import inflector
from kostra.transforms.shared.removing_conjunct import ADJUNCTS, RELATION, VARIANTS, RemovingConjunct
from kostra.trees import Tree, Word

__all__ = ["RELATION", "VARIANTS", "apply"]

_OF_SEVERAL = frozenset({"they", "them", "their", "theirs", "themselves", "both", "together", "other", "respectively",
                         "all", "each", "another", "same",
                         "different", "similar", "alike", "apart", "between", "couple", "pair",
                         "equal", "identical", "parallel", "compatible", "joint", "jointly", "mutual", "mutually",
                         "simultaneously", "related", "coordinated", "homologous", "commensurable", "analogous",
                         "synonymous", "face-to-face", "adjacent",
                         "friends", "enemies", "rivals", "side", "hand"})  # fmt: skip
_POINTING = frozenset({"his", "her", "its", "their", "theirs"})
_WITH_ANOTHER = frozenset({"fight", "wrestle", "argue", "chat", "compete", "debate", "negotiate", "converse",
                           "quarrel", "talk", "crash", "agree", "differ", "separate", "split", "date"})  # fmt: skip
"""What one does with another, beside what is never done alone."""
_EACH_ONE = frozenset({"ride", "wear", "drive", "hold", "carry", "play", "wave"})
"""What each of several does with one thing of its own."""
_AMOUNTS = frozenset({"several", "many", "few", "numerous"})
"""Adjectives that stand in the place of an article."""
_PLAIN_CASES = frozenset({"with", "in", "for", "to", "about", "from"})
_PLAIN = frozenset({"and", "or"})
_ADVERBS = frozenset({"up", "down", "in", "out", "on", "off", "back", "forth", "over", "again", "more"})


class _English(RemovingConjunct):
    adjuncts = ADJUNCTS | {"nsubj"}

    def apply(self, tree: Tree, tools: Tools) -> Iterator[Draft]:
        """Remove each conjunct in turn, and mend articles, commas and the verb."""
        for draft in super().apply(tree, tools):
            made = _mended(tree, draft.tree, tools)
            if made is None:
                tools.why("what is left of the subject does not agree with the verb", None)
            else:
                yield draft._replace(tree=made)

    def why_kept(self, tree: Tree, first: Word, conjuncts: tuple[Word, ...]) -> str | None:
        """What is said of several together, fixed pairs, and what may be no coordination."""
        if first.relation not in self.adjuncts:
            return None  # why, is said elsewhere
        return parting.why_whole(tree, first, conjuncts, inflector("en"))

    def are_alike(self, tree: Tree, first: Word, conjunct: Word) -> bool:
        """Not *up and down*, not a subject whose parts do something with one another, not what is hardly parsed."""
        if conjunct.upos != first.upos and {conjunct.upos, first.upos} - {"NOUN", "PROPN", "PRON"}:
            return False
        if {first.form.lower(), conjunct.form.lower()} & _ADVERBS or tree.child(
            first.id, "cc:preconj", "det:predet", "appos"
        ) is not None:
            return False
        if any(one.form.lower() not in _PLAIN for one in tree.children(conjunct.id, "cc")):
            return False
        if first.upos in ("VERB", "AUX", "PRON") or _is_verb(tree, first, conjunct) or _is_tied(tree, first):
            return False
        if not _in_a_row(tree, first) or not super().are_alike(tree, first, conjunct):
            return False
        if any(one.form.lower() == "respectively" for one in tree.words):
            return False
        alive = ENGLISH.is_animate(tree, first.id)
        last = max(tree.places[one] for one in tree.subtree(first.id))
        if alive and any(one.form.lower() in ("in", "with") for one in tree.words[last + 1 : last + 2]):
            return False  # two dogs and a boy in a cap
        if (
            first.relation == "nsubj"
            and alive
            and conjunct.upos == "NOUN"
            and not ENGLISH.is_animate(tree, conjunct.id)
        ):
            return False  # miners in boots and helmets
        return first.relation != "nsubj" or _may_part(tree, first)


def _is_verb(tree: Tree, first: Word, conjunct: Word) -> bool:
    """Whether a bare plural is likely a verb that was misread: *rests on the branch and sings*."""
    one = first.feats.get("Number") == "Sing" and tree.child(first.id, "det") is not None
    bare = not [child for child in tree.children(conjunct.id) if child.relation not in ("cc", "punct")]
    return one and bare and conjunct.feats.get("Number") == "Plur"


def _is_tied(tree: Tree, first: Word) -> bool:
    """Whether conjuncts are one thing, or hardly what they seem: a pair, a name, a list behind a colon."""
    conjuncts = tree.children(first.id, "conj")
    inside = tree.subtree(first.id)
    start, last = min(tree.places[one] for one in inside), max(tree.places[one] for one in inside)
    before = tree.words[start - 1] if start else None
    after = tree.words[last + 1] if last + 1 < len(tree.words) else None
    joints = sum(tree[one].upos == "CCONJ" for one in inside)
    if tree.child(conjuncts[-1].id, "cc") is None or joints > 1:
        return True  # joined by commas alone, or twice by and: it may be no list at all
    if after is not None and after.upos in ("NOUN", "PROPN") and first.upos in ("NOUN", "PROPN"):
        return True  # the coefficient and standard error
    if len(conjuncts) > 1 and (tree.child(first.id, "nummod") or len({one.upos for one in (first, *conjuncts)}) > 1):
        return True  # two teams, the Reds and the Blues
    if _is_one_whole(tree, first, conjuncts):
        return True
    owner = tree.child(first.id, "nmod:poss")
    if owner is not None and any(one.upos == "PROPN" for one in conjuncts):
        return True
    opens_all = before is None and first.upos == "ADV"  # suddenly and oddly, she left
    if opens_all or any("--" in one.form for one in tree.words):
        return True
    if first.form.lower() in ("nice", "good") and first.relation != "amod":
        return True  # nice and hot
    beside = before is not None and before.upos in ("NOUN", "PROPN", "ADJ", "NUM")
    listed = start > 1 and tree.words[start - 2].upos == first.upos == "NOUN" and tree.child(first.id, "case") is None
    if before is not None and is_comma(before) and listed:
        return True  # notes on old bridges, [mills and barns]
    if before is not None and (before.form == ":" or (beside and not _is_plain_phrase(tree, first, conjuncts, before))):
        return True  # Ada [the Great and Bob]; record [producer and …]
    if first.head and tree[first.head].lemma.lower() in lexicon.SEVERAL_OF | lexicon.JOINING:
        return True
    if any(tree[one].form.lower() in _POINTING | {"both", "either", "neither"} for one in inside):
        return True  # the rules and their use
    if first.upos == "NOUN" and _shares_noun(tree, first, conjuncts[-1]):
        return True  # rescue or safety gear, the front and side doors
    if first.upos == "PROPN" and tree.child(first.id, "det") is not None:
        return True  # the Bath and Bristol Railway
    if first.head and first.upos == "PROPN" and tree[first.head].upos == "PROPN":
        return True  # the Bishop of Bath and Wells
    if any(tree.child(one.id, "acl:relcl", "acl") is not None for one in (first, *conjuncts)):
        return True  # whose clause it is, cannot be told
    return after is not None and after.upos in ("VERB", "AUX") and first.relation != "nsubj"


def _shares_noun(tree: Tree, first: Word, last: Word) -> bool:
    """Whether two words may stand before one noun, or one article before what takes none: *a brush and toothpaste*."""
    whole = tree.child(first.id, "compound", "amod", "nmod:poss", "nummod") is not None
    own = tree.child(last.id, "det", "nmod:poss", "nummod") is not None
    if not whole and not own and tree.child(last.id, "compound") is not None:
        return True
    one = any(near.form.lower() in ("a", "an") for near in tree.children(first.id, "det"))
    thing = last.upos == "NOUN" and last.feats.get("Number") != "Plur" and not ENGLISH.is_animate(tree, last.id)
    return one and thing and not own


def _is_plain_phrase(tree: Tree, first: Word, conjuncts: tuple[Word, ...], noun: Word) -> bool:
    """Whether things joined behind a preposition are surely said of one noun or done to it: *a degree in A and B*."""
    case = tree.child(first.id, "case")
    heads = (first, *conjuncts)
    if case is None or noun.upos != "NOUN" or any(one.upos != "NOUN" for one in heads):
        return False
    if any(tree.child(one.id, "nmod", "acl", "advmod", "appos") is not None for one in heads):
        return False  # the last in a series and the first in another
    end = max(tree.places[one] for one in tree.subtree(first.id)) + 1
    if end < len(tree.words) and tree.words[end].form not in (".", "!"):
        return False
    if case.form.lower() not in _PLAIN_CASES or noun.feats.get("Number") == "Plur":
        return False
    articles = {tuple(one.form.lower() for one in tree.children(head.id, "det", "nmod:poss")) for head in heads}
    numbers = {head.feats.get("Number") for head in heads}
    alive = {ENGLISH.is_animate(tree, head.id) for head in heads}
    return len(articles) == 1 and len(numbers) == 1 and len(alive) == 1


def _is_one_whole(tree: Tree, first: Word, conjuncts: tuple[Word, ...]) -> bool:
    """Whether conjuncts are one thing, or share a word that says how much: *black and white*, *most old and odd*."""
    forms = {one.form.lower() for one in (first, *conjuncts)}
    if any(near.lemma == "other" for one in conjuncts for near in tree.children(one.id, "amod")):
        return True  # nuts or other snacks
    if len(forms & lexicon.COLOURS) > 1 or any(one.lemma.lower() in lexicon.AND_SO_ON for one in conjuncts):
        return True
    if first.upos == "ADJ" and (first.relation != "amod" or tree.child(first.id, "advmod") is not None):
        return True
    if first.relation == "amod" and any(one.lemma in ENGLISH.between for one in tree.children(first.head, "case")):
        return True
    opens = [one.id for one in tree.children(first.id, "case", "advmod", "nummod")]
    return any(tree.child(one, "fixed", "advmod") is not None for one in opens)  # more than ten cats and dogs


def _in_a_row(tree: Tree, first: Word) -> bool:
    """Whether conjuncts follow one another, each whole, and nothing else opens behind them."""
    inside = tree.subtree(first.id)
    if not is_unbroken(tree, inside):
        return False
    conjuncts = tree.children(first.id, "conj")
    parts = [tree.subtree(one.id) for one in conjuncts]
    own = inside.difference(*parts)
    last_own = max(tree.places[one] for one in own if tree[one].upos not in ("PUNCT", "CCONJ"))
    if any(last_own > min(tree.places[one] for one in mine) for mine in parts):
        return False
    for one, mine in zip(conjuncts, parts, strict=True):
        start = min(tree.places[word] for word in mine)
        joined = any(near.upos == "CCONJ" or is_comma(near) for near in tree.words[max(0, start - 1) : start + 1])
        if not joined or tree.child(one.id, "conj", "nsubj", "cop") is not None:
            return False
    last = max(tree.places[one] for one in inside)
    following = tree.words[last + 1] if last + 1 < len(tree.words) else first
    quoted = {tree.words[min(tree.places[one] for one in inside) - 1].form, following.form}
    if quoted & {'"', "'", "''", "``", "-", "–", "both", "either", "neither"}:
        return False
    if first.relation == "nsubj" and len(conjuncts) == 1 and any(is_comma(tree[one]) for one in inside):
        return False
    above = tree[first.head] if first.head else first
    behind_verb = above.upos == "VERB" and tree.places[above.id] < tree.places[first.id]
    return not (behind_verb and following.upos in ("VERB", "AUX") and following.feats.get("VerbForm") == "Fin")


def _may_part(tree: Tree, subject: Word) -> bool:
    """Whether what several do, each of them does."""
    predicate = tree[subject.head]
    finite = grammar.finite_word(tree, predicate.id)
    if (
        predicate.lemma in ENGLISH.together | _WITH_ANOTHER
        or grammar.has_subject_behind(tree, predicate.id)
        or finite is None
    ):
        return False
    if any(one.upos == "VERB" for one in tree.children(predicate.id, "conj")):
        return False  # all their verbs would have to agree
    if finite.id == predicate.id and predicate.feats.get("Tense") == "Past" and tree.child(predicate.id, "obj"):
        return False  # Ann and Bob founded the firm: what is done once, they did together
    if finite.feats.agrees(Number="Sing", Tense="Pres"):
        return False  # several names that are one
    if predicate.lemma in lexicon.POSTURES | _EACH_ONE and _has_one_each(tree, predicate):
        return False
    if _are_bare(tree, subject):
        return False
    several = predicate.feats.get("Number") == "Plur" or predicate.form.endswith("s")
    if predicate.upos in ("NOUN", "PROPN") and several and not tree.child(predicate.id, "case"):
        return False
    return not any(one.form.lower() in _OF_SEVERAL for one in tree.words)


def _has_one_each(tree: Tree, predicate: Word) -> bool:
    """*A boy and a girl sit on stools*: whether each of several may have one, so that one has not several."""
    things = tree.children(predicate.id, "obj", "obl")
    return any(
        one.feats.get("Number") == "Plur" and tree.child(one.id, "det", "nummod", "nmod:poss") is None for one in things
    )


def _are_bare(tree: Tree, subject: Word) -> bool:
    """*Time and place are known*: whether joined nouns stand without the article that one alone would need."""
    return any(
        one.upos == "NOUN" and parting.is_bare(tree, one) and tree.child(one.id, "amod") is None
        for one in (subject, *tree.children(subject.id, "conj"))
    )


def _mended(source: Tree, tree: Tree, tools: Tools) -> Tree | None:
    """What is left agrees: *a* stands with no plural, the verb with its subject, no comma before a lone *and*."""
    gone: set[int] = set()
    changed: dict[int, Word] = {}
    for word in tree.words:
        if source[word.id].head == word.head and len(source.children(word.id)) == len(tree.children(word.id)):
            continue  # nothing happened here
        gone |= _surplus(source, tree, word)
        conjuncts = tree.children(word.id, "conj")
        if len(conjuncts) == 1:
            start = min(tree.places[one] for one in tree.subtree(conjuncts[0].id))
            near = tree.words[max(0, start - 1) : start + 2]
            gone |= {a.id for a, b in pairwise(near) if is_comma(a) and b.upos == "CCONJ"}
        if word.relation == "nsubj":
            agreement = grammar.agreement_of(tree, word.id)
            more = grammar.agreeing_predicates(tree, word.head, agreement, tools.inflector) if agreement else None
            if more is None:
                return None
            changed |= more
    return cut(tree, gone, changed) if gone or changed else tree


def _surplus(source: Tree, tree: Tree, word: Word) -> set[int]:
    """Determiners that a word was given and that do not go with it: *a* of a plural, any of a name."""
    kinds = tree.children(word.id, "det", "nmod:poss")
    own = [one for one in kinds if source[one.id].head == one.head]
    own += [one for one in tree.children(word.id, "amod") if one.lemma.lower() in _AMOUNTS]
    several = word.feats.get("Number") == "Plur" or word.form.lower() in lexicon.PAIRS
    several = several or tree.child(word.id, "nummod") is not None
    found: set[int] = set()
    for one in kinds:
        wrong = bool(own) or word.upos == "PROPN" or (several and one.lemma.lower() in ("a", "an", "one"))
        if one not in own and wrong:
            found |= tree.subtree(one.id)
    return found


apply = trusting(_English(ENGLISH).apply)
