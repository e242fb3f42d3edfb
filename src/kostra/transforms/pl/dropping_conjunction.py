"""Turns one of two coordinated predicates with one subject into a participle."""

from __future__ import annotations

from kostra.transforms.engine import Tools
from kostra.transforms.pl import grammar, lexicon
from kostra.transforms.pl.grammar import POLISH
from kostra.transforms.shared import looking
from kostra.transforms.shared.dropping_conjunction import RELATION, VARIANTS, DroppingConjunction, Shape
from kostra.trees import Tree, Word

__all__ = ["RELATION", "VARIANTS", "apply"]

_LIGHT = 3
"""Words of a participle phrase that stands before anything."""


_AT_ONCE = frozenset({"jednocześnie", "równocześnie", "zarazem"})
_AFTERWARDS = frozenset({"następnie", "potem", "później", "wreszcie", "zaraz"})


class _Polish(DroppingConjunction):
    def participle(self, tree: Tree, verb: Word, subject: Word, tools: Tools) -> Word | None:  # noqa: ARG002 - a hook
        """*Czytający*, agreeing."""
        feats = dict(subject.feats)
        if feats.get("Number") == "Ptan":
            feats["Number"] = "Plur"
        return POLISH.participle(tools.inflector, verb, "Act", feats)

    def converb(self, tree: Tree, verb: Word, subject: Word, tools: Tools) -> Word | None:  # noqa: ARG002 - a hook
        """*Czytając*."""
        return grammar.converb(tools.inflector, verb)

    def shares_object(self, tree: Tree, first: Word, second: Word, tools: Tools) -> bool:
        """*Myje i kroi marchew*: a transitive verb with nothing of its own has the other's object."""
        bare = all(one.relation in ("nsubj", "conj", "punct") for one in tree.children(first.id))
        if not bare or tree.child(second.id, "obj") is None or first.lemma in lexicon.POSTURES:
            return False
        return grammar.is_transitive(tools.inflector, first)

    def obstacle(self, tree: Tree, first: Word, second: Word, subject: Word, tools: Tools) -> tuple[str, int] | None:
        """Also a *nie*: *nie śpi, nie jedząc* says something else than *nie śpi i nie je*."""
        for one in (first, second):
            if POLISH.is_negated(tree, one.id):
                return f"{one.form} is negated", one.id
            inner = _inside_subject(tree, one, subject)
            if inner is not None:
                return f"{inner.form} stands inside the subject", inner.id
        if any(one.form in _AFTERWARDS for one in tree.children(second.id, "advmod")):
            return f"{second.form} happens after {first.form}", second.id
        if _exclude_each_other(first, second):
            return f"nobody can {first.lemma} and {second.lemma} at once", second.id
        return super().obstacle(tree, first, second, subject, tools)

    def cannot_be_converb(self, shape: Shape, verb: Word) -> str | None:
        """One converb beside another, or *stojąc* alone between two commas, is clumsy."""
        tree = shape.tree
        for one in (*tree.children(shape.first.id, "advcl"), *tree.children(shape.second.id, "advcl")):
            if looking.is_converb(one):
                return f"{one.form} is a converb already"
        lasting = lexicon.HOLDING | lexicon.POSTURES
        if shape.first.lemma not in lasting and any(_points_back(one) for one in tree.children(shape.second.id, "obj")):
            return f"{shape.second.form} happens after {shape.first.form}"
        if verb.id == shape.first.id and verb.lemma in lexicon.POSTURES and len(shape.own(verb)) == 1:
            return f"{verb.form} alone says too little"
        return None

    def cannot_precede(self, shape: Shape, verb: Word, own: list[Word]) -> str | None:
        """Nothing heavy stands before a subject that has something heavy already, or whose verb says little alone."""
        tree, subject = shape.tree, shape.subject
        before = [one for one in tree.children(subject.id, "amod") if tree.places[one.id] < tree.places[subject.id]]
        for one in before:
            if any(more.relation != "conj" and more.upos != "PUNCT" for more in tree.children(one.id)):
                return f"{one.form} and what hangs on it stand before {subject.form} already"
        counted = looking.numeral(tree, subject.id) is not None
        if counted and before and len(own) > _LIGHT:
            return f"too much would stand between a numeral and {subject.form}"
        if any(one.lemma.endswith("ący") for one in before):
            return f"a participle stands before {subject.form} already"
        other = shape.second if verb.id == shape.first.id else shape.first
        if own and (own[0].upos == "ADP" or own[0].form in _AT_ONCE):
            return f"{own[0].form} would stand before a participle"
        if verb.id == shape.first.id and _is_ambiguous(tree, shape, other):
            return f"a pronoun behind {other.form} would point to another noun"
        heavy = len(own) > _LIGHT or other.lemma in lexicon.POSTURES
        if heavy and all(one.form == "się" or one.id == other.id for one in shape.own(other)):
            return f"{other.form} would be left alone behind a long subject"
        return super().cannot_precede(shape, verb, own)


def _inside_subject(tree: Tree, verb: Word, subject: Word) -> Word | None:
    """What hangs on a verb and stands between words of its subject: *czujny, choć senny kot*."""
    places = [tree.places[one] for one in tree.subtree(subject.id)]
    inside = [one for one in tree.children(verb.id) if min(places) < tree.places[one.id] < max(places)]
    return next((one for one in inside if one.upos == "SCONJ"), None)


def _exclude_each_other(first: Word, second: Word) -> bool:
    """Whether two verbs can only be said of some and of others: *ludzie chodzą i siedzą*."""
    both = {first.lemma, second.lemma}
    postures = both & lexicon.EXCLUSIVE_POSTURES
    return len(postures) == 2 or (bool(postures) and not both.isdisjoint(lexicon.WALKING))


def _points_back(word: Word) -> bool:
    return word.lemma == "on" and word.feats.get("PronType") == "Prs"


def _is_ambiguous(tree: Tree, shape: Shape, other: Word) -> bool:
    """Whether a noun of the subject would come between a pronoun and the object to which it points."""
    inner = [one for one in tree.descendants(shape.subject.id) if one.upos == "NOUN"]
    pronouns = [one for one in tree.descendants(other.id) if _points_back(one)]
    return any(
        all(noun.feats.get(name) == one.feats.get(name) for name in ("Gender", "Number"))
        for one in pronouns
        for noun in inner
    )


apply = _Polish(POLISH).apply
