"""Removes one of the coordinated parts of an adjunct."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kostra.transforms.cs import bearing, edges, leaving, lexicon, scope
from kostra.transforms.cs.clitics import is_clitic, is_of_no_verb
from kostra.transforms.cs.grammar import CZECH, is_bare
from kostra.transforms.cs.joint import (
    follows_mostly,
    is_between,
    is_made_together,
    is_of_sum,
    is_summed_up,
    is_told_of_all,
)
from kostra.transforms.engine import Draft, Tools
from kostra.transforms.inflection import inflector
from kostra.transforms.shared.looking import no_preposition
from kostra.transforms.shared.removing_conjunct import RELATION, VARIANTS, Conjuncts, RemovingConjunct
from kostra.trees import Tree, Word

__all__ = ["RELATION", "VARIANTS", "apply"]

_PLAIN = frozenset({"a", "i"})
"""Conjunctions of which each part holds alone; of what *nebo* joins, none need hold."""
_POINTING = frozenset({"jeho", "její", "jejich", "jehož", "jejichž"})
_OTHERS = frozenset({"další", "jiný", "ostatní", "podobný", "druhý", "podobně", "zbylý"})
"""Words that say that others were named before."""
_BOTH = ("obojí", "oboj", "nezávisl", "odděleně", "zvlášť", "rozliš")
"""How words begin that speak of two, and of each by itself."""
_THEREFORE = frozenset({"tedy", "tak", "proto", "tím", "tudíž", "potažmo"})
"""Words that draw the second of two from the first."""

_CLAUSAL = ("nsubj", "aux", "cop", "mark", "expl", "advcl")
"""Relations of what only a clause has."""
MOST = 3
"""Conjuncts of the longest list whose parts a parser tells from what stands beside it."""


class _Czech(RemovingConjunct):
    def apply(self, tree: Tree, tools: Tools) -> Iterator[Draft]:
        """As in other languages, but for what a pronoun may stand for."""
        for draft in super().apply(tree, tools):
            pointing = leaving.what_points(tree, draft.tree) or _comes_again(tree, draft.tree)
            if pointing is None:
                yield draft
            else:
                tools.why(f"{draft.variant}: {pointing}", None)

    def are_alike(self, tree: Tree, first: Word, conjunct: Word) -> bool:
        """Of one kind, joined by a plain *and*, without *others*, quotation marks or brackets."""
        if first.upos != conjunct.upos or any(
            one.form.lower() not in _PLAIN for one in tree.children(conjunct.id, "cc", "advmod") if one.upos != "ADV"
        ):
            return False
        if any(tree.places[one.id] > tree.places[conjunct.id] for one in tree.children(conjunct.id, "cc")):
            return False  # what it joins was cut off
        if _is_also(tree, first, conjunct) or not _has_case_of(first, conjunct):
            return False
        if any(one.form.lower() in _THEREFORE for one in tree.children(conjunct.id)):
            return False  # délku, a tedy cenu
        joined = tree.children(first.id, "conj")
        if len(joined) > MOST or tree.child(joined[-1].id, "cc") is None or tree.child(conjunct.id, "conj") is not None:
            return False
        if tree.child(first.id, *_CLAUSAL) is not None or tree.child(conjunct.id, *_CLAUSAL) is not None:
            return False
        if any(one.upos == "PRON" and "Person" in one.feats for one in tree.descendants(conjunct.id)):
            return False  # knihy o nich
        pair = (*tree.descendants(first.id), *tree.descendants(conjunct.id))
        if any(one.lemma.lower() in _POINTING or one.form.lower() in _POINTING for one in pair):
            return False  # zákony a jejich uplatňování
        if not _is_plain_list(tree, first, joined) or _runs_into_clause(tree, first, joined[-1]):
            return False
        if _is_doubtful(tree, first, joined[-1]):
            return False
        ends = max(tree.places[one] for one in tree.subtree(joined[-1].id))
        if any(tree.places[one.id] > ends and one.upos != "PUNCT" for one in tree.descendants(first.id)):
            return False  # what stands behind the last of them may belong to it
        if first.upos == "ADJ" and first.head and tree.places[first.id] > tree.places[first.head]:
            return False
        if first.relation == "amod" and first.head:
            noun = tree[first.head]
            if any(one.lemma in CZECH.between for one in tree.children(noun.id, "case")):
                return False
        if any(one.form.lower() in ("jako", "než") for one in tree.children(first.id)):
            return False
        inside = (*tree.descendants(first.id), conjunct)
        if any(one.lemma in _OTHERS or (one.upos == "PUNCT" and one.form not in ",.") for one in inside):
            return False
        return super().are_alike(tree, first, conjunct)

    def why_kept(self, tree: Tree, first: Word, conjuncts: Conjuncts) -> str | None:
        """Nothing goes from a condition, a denial, a name, or from what is counted, measured or made up together."""
        if any(one.lemma in CZECH.together or one.form.lower().startswith(_BOTH) for one in tree.words) or is_between(
            tree, first
        ):
            return "what several do together none does alone"  # mladí a staří sousedé společně malují plot
        if bearing.limits_kind(tree, first) or scope.is_only_one(tree, first) or is_of_sum(tree, first):
            return f"what is said of all that is joined with {first.form} need not hold of each"
        if scope.is_denied(tree, first) or scope.is_in_condition(tree, first) or scope.describes_anybody(tree, first):
            return f"without a part of {first.form} something else would be said"
        if is_made_together(tree, first, conjuncts) or (
            first.relation in ("nmod", "obl") and scope.is_measured(tree, first)
        ):
            return f"what is said holds only of all that is joined with {first.form}"
        if follows_mostly(tree, first):
            return f"mostly is said of all that is joined with {first.form}"
        if any(is_of_no_verb(tree, one) for one in tree.words):
            return "a verb was taken for a noun"
        if is_told_of_all(tree, first, conjuncts[-1]) or is_summed_up(tree, conjuncts[-1]):
            return f"what stands behind {conjuncts[-1].form} is said of all"
        if is_in_longer_list(tree, first) or _is_in_name(tree, first) or edges.is_reflexive_misread(tree, first):
            return f"{first.form} may be joined with something else"
        shared = self._shared(tree, first, conjuncts[-1])
        if shared is not None and _tells_of_several(tree, shared):
            return f"{shared.form} may be said of all that is joined with {first.form}"
        several = len(conjuncts) > 1 or (
            first.relation == "nmod" and tree.child(shared.id, "case") if shared else False
        )
        if shared is not None and (several or _may_be_joined_above(tree, first)):
            return f"what hangs on {conjuncts[-1].form} may be said of all"
        return None

    def clause_behind(self, tree: Tree, conjunct: Word) -> Word | None:
        """Also a genitive that all conjuncts may share: *ochrana a tvorba krajiny*."""
        return super().clause_behind(tree, conjunct) or self._shared(tree, tree[conjunct.head], conjunct)

    def _shared(self, tree: Tree, first: Word, last: Word) -> Word | None:
        """What hangs on the last conjunct and may belong to the first, or to their verb, as well."""
        if first.upos == "VERB" and tree.child(first.id, "obj") is None:
            return tree.child(last.id, "obj")  # péct a prodávat chléb
        if first.upos != "NOUN" or tree.child(first.id, "nmod", "acl") is not None:
            return None
        for one in tree.children(last.id, "nmod", "acl"):
            if one.deprel == "acl:relcl" and _tells_of_several(tree, one):
                return one  # s rukama a nohama, které jsou špinavé
            if first.relation == "obj" or (is_bare(tree, one, "Gen") and last.lemma not in lexicon.QUANTITIES):
                return one
            if first.relation == "nmod" and is_bare(tree, first, "Gen"):
                return one  # k opravě mostu a stav na silnici: perhaps no part of it
        return None

    def _without_later(self, tree: Tree, conjunct: Word, conjuncts: Conjuncts) -> Iterator[Draft]:
        first = tree[conjunct.head]
        if not (len(conjuncts) == 1 and _is_bare_body(tree, first)):
            yield from super()._without_later(tree, conjunct, conjuncts)

    def _without_first(self, tree: Tree, first: Word, conjuncts: Conjuncts, tools: Tools) -> Iterator[Draft]:
        heir = conjuncts[0]
        if _may_be_of_outer(tree, first, heir):
            tools.why(f"{heir.form} may be joined with {tree[first.head].form}", heir.id)
            return
        if _leans_on(tree, first, heir) or _is_bare_body(tree, heir):
            tools.why(f"{heir.form} says little without what is said of {first.form}", heir.id)
            return
        yield from super()._without_first(tree, first, conjuncts, tools)

    def _closes(self, tree: Tree, gone: set[int]) -> set[int]:  # noqa: ARG002 - a hook
        """Nothing: behind what is said, a comma stands before who says it."""
        return set()


def _may_be_joined_above(tree: Tree, first: Word) -> bool:
    """*Postavení mostu a výběr cest*: whether a conjunct with its own genitive may be joined with the noun above."""
    head = tree[first.head]
    return first.relation == "nmod" and is_bare(tree, first, "Gen") and head.lemma.endswith(("ní", "tí", "ace", "ba"))


def _comes_again(source: Tree, made: Tree) -> str | None:
    """*Koupil chléb a sýr, sýr snědl*: why nouns of which one is spoken of again are not parted."""
    gone = [one for one in source.words if one.id not in made and one.upos in ("NOUN", "PROPN")]
    tops = [source[one.head] if one.relation == "conj" else one for one in gone if one.head]
    joined = {one.id: one for top in tops for one in (top, *source.children(top.id, "conj"))}
    for one in (*gone, *joined.values()):
        if any(other.lemma == one.lemma and other.id != one.id and other.upos == one.upos for other in source.words):
            return f"{one.form} comes again"
    return None


def is_in_longer_list(tree: Tree, first: Word) -> bool:
    """Whether a comma right before the first conjunct joins it to more: *číst, [psát a počítat]*."""
    start = min(tree.places[one] for one in tree.subtree(first.id))
    return start > 0 and any(one.form == "," for one in tree.words[start - 1 : start + 1])


def _is_in_name(tree: Tree, first: Word) -> bool:
    """Whether a coordination is a part of a name: *Výbor pro vědu a kulturu*."""
    head = tree[first.head]
    named = head.form[:1].isupper() and (head.id != tree.words[0].id or head.upos == "PROPN")
    return first.relation in ("nmod", "amod") and (named or head.lemma in lexicon.OFFICES)


def _leans_on(tree: Tree, first: Word, heir: Word) -> bool:
    """Whether the second of two needs what stands with the first: *různou sílu i směr*, *dost malý a starý*."""
    if _degree(tree, first) and not _degree(tree, heir):
        return True
    if first.upos == "VERB":
        if any(is_clitic(one) for verb in (first, heir) for one in tree.children(verb.id)):
            return True  # má jít a nedívat se
        return tree.child(first.id, "obj", "iobj") is not None and tree.child(heir.id, "obj", "iobj") is None
    if first.upos not in ("NOUN", "PROPN"):
        return False
    own, given = ({one.lemma for one in tree.children(noun.id, "case")} for noun in (heir, first))
    if own and own != given:
        return True
    if tree.child(first.id, "det", "nummod") is not None and tree.child(heir.id, "det", "nummod") is None:
        return True
    if tree.child(first.id, "amod") is None or tree.child(heir.id, "amod") is not None:
        return False
    if heir.feats.get("Number") == first.feats.get("Number") == "Plur":
        return True  # nových slov a vět
    return heir.lemma in CZECH.needs_adjective | CZECH.needs_genitive or heir.lemma.endswith(("ost", "ství", "ita"))


def _may_be_of_outer(tree: Tree, first: Word, heir: Word) -> bool:
    """*V šátku na hlavě a kabátě*: whether the second may be joined with the noun over the first, in its case."""
    above = tree[first.head]
    phrases = not no_preposition(tree, first) and not no_preposition(tree, above)
    return phrases and no_preposition(tree, heir) and above.feats.get("Case") == heir.feats.get("Case")


def _is_bare_body(tree: Tree, noun: Word) -> bool:
    """Whether a part of the body would say nothing alone: *s rukama*."""
    told = tree.child(noun.id, "amod", "nmod", "acl", "det", "nummod") is not None
    cases = tree.children(noun.id, "case") or tree.children(noun.head, "case")  # s rukama a nohama
    return noun.lemma in CZECH.body and not told and any(one.lemma == "s" for one in cases)


def _tells_of_several(tree: Tree, clause: Word) -> bool:
    """Whether the pronoun of a relative clause is a plural."""
    return any(one.lemma in CZECH.relatives and one.feats.get("Number") == "Plur" for one in tree.children(clause.id))


def _degree(tree: Tree, word: Word) -> bool:
    """Whether an adverb stands before a word and says how far it holds."""
    return any(tree.places[one.id] < tree.places[word.id] for one in tree.children(word.id, "advmod"))


def _has_case_of(first: Word, conjunct: Word) -> bool:
    """Whether a conjunct stands in the first one's case, as the dictionary knows it: *dám výpověď a otevřu obchod*."""
    case = first.feats.get("Case")
    if conjunct.upos != "NOUN" or case is None:
        return conjunct.feats.get("Case") == case
    readings = inflector("cs").analyses(conjunct.form.lower())
    known = [one.feats.get("Case", "").split(",") for one in readings if one.upos in ("NOUN", "ADJ")]
    return any(case in cases for cases in known) if readings else conjunct.feats.get("Case") == case


def _is_plain_list(tree: Tree, first: Word, joined: Conjuncts) -> bool:
    """Whether of three or more nothing but a comma or *and* parts them, and none holds a phrase of its own."""
    if len(joined) == 1:
        return True
    members = (first, *joined)
    heavy = any(tree.child(one.id, "nmod", "acl", "obl", "appos", "obj") is not None for one in members)
    if heavy or any(one.feats.get("Number") != first.feats.get("Number") for one in members if one.upos == "ADJ"):
        return False
    starts = [min(tree.places[one] for one in tree.subtree(member.id)) for member in joined]
    ends = [tree.places[member.id] for member in members]
    between = [tree.words[end + 1 : start + 1] for end, start in zip(ends, starts, strict=False)]
    marks = [one.form for words in between for one in words if one.upos in ("PUNCT", "CCONJ")]
    return marks[:-1] == [","] * (len(joined) - 1) and marks[-1] in _PLAIN


def _runs_into_clause(tree: Tree, first: Word, last: Word) -> bool:
    """*Šplhá po skále a laně jistí muže*: whether a verb follows a list, and one stands before it already."""
    start = min(tree.places[one] for one in tree.subtree(first.id))
    return _verb_near(tree, reversed(tree.words[:start])) and _verb_near(tree, tree.words[tree.places[last.id] + 1 :])


def _verb_near(tree: Tree, words: Iterable[Word]) -> bool:
    """Whether a finite verb comes before the next comma or conjunction."""
    for one in words:
        if one.upos in ("PUNCT", "CCONJ", "SCONJ"):
            return False
        if one.relation not in ("aux", "cop") and one.upos in ("VERB", "AUX") and CZECH.is_finite(tree, one):
            return True
    return False


def _may_be_subject(noun: Word) -> bool:
    readings = inflector("cs").analyses(noun.form.lower())
    return noun.upos == "NOUN" and any(one.upos == "NOUN" and one.feats.get("Case") == "Nom" for one in readings)


def _is_also(tree: Tree, first: Word, conjunct: Word) -> bool:
    """Whether *i* may be *also*: *nebezpečí představuje i olovo*, where the verb has no subject but what follows."""
    if first.relation != "obj" or not any(one.form.lower() == "i" for one in tree.children(conjunct.id)):
        return False
    at = tree[first.head]
    while at.relation in ("xcomp", "conj") and at.head and tree.child(at.id, "nsubj") is None:
        at = tree[at.head]
    return tree.child(at.id, "nsubj") is None


def _differ(tree: Tree, first: Word, last: Word) -> bool:
    """Whether two conjuncts are hardly joined: one without a case, one that names an action, a comma before *nebo*."""
    kinds = [one.lemma.endswith(("ní", "tí")) for one in (first, last)]
    if first.upos in ("NOUN", "PROPN") and (
        kinds[0] != kinds[1] or not {"Case"} <= first.feats.keys() & last.feats.keys()
    ):
        return True
    start = min(tree.places[one] for one in tree.subtree(last.id))
    near = [one.form for one in tree.words[max(0, start - 1) : start + 2]]
    return first.upos == "VERB" and "," in near


def _is_doubtful(tree: Tree, first: Word, last: Word) -> bool:
    """Whether a coordination may be less or more than a parser took it for."""
    ends = max(tree.places[one] for one in tree.subtree(last.id))
    after = tree.words[ends + 1] if ends + 1 < len(tree.words) else None
    if first.relation != "nsubj" and after is not None and after.upos in ("VERB", "AUX") and _may_be_subject(last):
        return True  # pole na kraji a les jsou
    if after is not None and after.upos in ("VERB", "AUX", "NOUN", "ADJ", "NUM", "DET", "ADV") and after.form != "však":
        belongs = after.id == first.head and (first.upos == "ADJ" or after.upos == "VERB")  # v bundě a čepici stojí
        if not belongs and not (after.upos in ("VERB", "AUX") and scope.is_in_subject(tree, first)):
            return first.relation != "amod" or after.upos not in ("ADJ", "NOUN")
    heavy = any(tree.child(one.id, "amod", "nmod") is not None for one in (first, last))
    if after is not None and after.upos == "ADP" and first.relation in ("obj", "nmod") and heavy:
        return True  # what follows may belong to one of them
    if tree.child(last.id, "case") is not None and tree.child(first.id, "case") is None:
        return True
    if not first.head or _differ(tree, first, last):
        return True
    head = tree[first.head]
    if any(one.lemma in CZECH.between for one in tree.children(head.id, "case")):
        return True
    if first.relation == "amod" and any(
        one.feats.get("Number", number) != number for one in (first, last) for number in (head.feats.get("Number"),)
    ):
        return True  # v Husitské a přilehlých ulicích
    if any(one.form.lower() == "jako" for one in tree.words[ends + 1 : ends + 2]):
        return True  # Jana a Petra jako pár
    place = tree.places[head.id]
    listed = place and tree.words[place - 1].form == "," and first.relation == "nmod"
    several = first.relation in ("nmod", "flat") and head.feats.get("Number") == "Plur"
    offices = several and (is_bare(tree, first, "Gen") or first.upos == "PROPN")
    return bool(listed) or (offices and first.feats.get("Number") == "Sing")


apply = _Czech(CZECH).apply
