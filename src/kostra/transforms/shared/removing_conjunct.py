"""Removes one of the coordinated parts of an adjunct."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kostra.transforms.edits import cut, is_comma
from kostra.transforms.engine import Draft, Relation, Tools
from kostra.transforms.shared.grammar import Grammar
from kostra.trees import Tree, Word

RELATION: Relation = "similar"
VARIANTS: Mapping[str, str] = {
    "later": "the second or a later conjunct goes",
    "first": "the first conjunct goes, and the next takes its place and preposition",
    "only": "of three or more conjuncts one stays",
}
ADJUNCTS = frozenset({"amod", "nmod", "obl", "advmod", "advcl", "acl", "iobj", "xcomp", "obj"})
"""Relations of what is coordinated; an object counts, as one of two things held is still held."""
Conjuncts = tuple[Word, ...]


class RemovingConjunct:
    """Each conjunct of an adjunct goes in turn, with the comma or conjunction that joins it."""

    adjuncts = ADJUNCTS
    """Relations of what may lose a part; a language that mends agreement may add the subject."""

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar

    def apply(self, tree: Tree, tools: Tools) -> Iterator[Draft]:
        """Remove each conjunct in turn."""
        found = False
        for word in tree.words:
            conjuncts = tree.children(word.id, "conj")
            if not conjuncts or self.grammar.is_compound_part(word):
                continue
            found = True
            if self._leaves_open(tree, conjuncts):
                tools.why(f"of {word.form} and what is joined with it, either may hold", word.id)
                continue
            if any(self._is_clause(tree, one) for one in conjuncts):
                tools.why(f"a clause is joined with {word.form}", word.id)
                continue
            if not all(self.are_alike(tree, word, one) for one in conjuncts):
                tools.why(f"what is joined with {word.form} is of another kind", word.id)
                continue
            kept = self.why_kept(tree, word, conjuncts)
            if kept is not None:
                tools.why(kept, word.id)
                continue
            if word.relation not in self.adjuncts:
                tools.why(f"{word.form} and what is joined with it are no adjunct", word.id)
                continue
            for conjunct in conjuncts:
                clause = self.clause_behind(tree, conjunct)
                if clause is not None:
                    tools.why(f"{clause.form} may be said of {conjunct.form}", conjunct.id)
                    continue
                yield from self._without_later(tree, conjunct, conjuncts)
            yield from self._without_first(tree, word, conjuncts, tools)
            if len(conjuncts) > 1:
                yield from self._only(tree, word, conjuncts, tools)
        if not found:
            tools.why("nothing is coordinated", None)

    def _leaves_open(self, tree: Tree, conjuncts: Conjuncts) -> bool:
        """Whether an *or* joins them: what it joins need not hold by itself."""
        joining = (one for conjunct in conjuncts for one in tree.children(conjunct.id, "cc"))
        return any(one.form.lower() in self.grammar.alternatives for one in joining)

    def _is_clause(self, tree: Tree, conjunct: Word) -> bool:
        inside = tree.descendants(conjunct.id)
        is_finite = self.grammar.is_finite
        return is_finite(tree, conjunct) or any(
            is_finite(tree, one) and one.relation in ("conj", "root") for one in inside
        )

    def are_alike(self, tree: Tree, first: Word, conjunct: Word) -> bool:
        """Whether two conjuncts are of one kind: in one case unless each has its preposition, not one and another."""
        grammar = self.grammar
        if any(one.lemma in grammar.between for one in tree.children(first.id, "case")):
            return False
        ordered = (first, conjunct, *tree.children(first.id), *tree.children(conjunct.id))
        if any(one.lemma in grammar.pairs for one in ordered) and first.upos == "ADJ":
            return False
        if first.lemma in grammar.order_words or any(one.form in "-–" for one in tree.children(conjunct.id, "punct")):
            return False
        cases = first.feats.get("Case"), conjunct.feats.get("Case")
        alone = first.upos == "ADJ" or None in cases or cases[0] == cases[1]
        return alone or tree.child(conjunct.id, "case") is not None

    def why_kept(self, tree: Tree, first: Word, conjuncts: Conjuncts) -> str | None:  # noqa: ARG002 - a hook
        """Why what is said of all conjuncts does not hold without one of them, or None."""
        return None

    def clause_behind(self, tree: Tree, conjunct: Word) -> Word | None:
        """What stays and is right behind a conjunct, and may be said of it: a relative clause."""
        inside = tree.subtree(conjunct.id)
        last = max(tree.places[one] for one in inside)
        following = tree.words[last + 1 : last + 4]
        if not following or not is_comma(following[0]):
            return None
        return next((one for one in following[1:] if one.lemma in self.grammar.relatives), None)

    def _without_later(self, tree: Tree, conjunct: Word, conjuncts: Conjuncts) -> Iterator[Draft]:
        gone = set(tree.subtree(conjunct.id))
        changed: dict[int, Word] = {}
        joint = self._joint(tree, conjunct)
        gone |= {one.id for one in joint}
        remaining = [one for one in conjuncts if one is not conjunct]
        conjunction = next((one for one in joint if one.upos == "CCONJ"), None)
        if conjunction is not None and remaining and conjunct is conjuncts[-1]:
            # A, B and C: without C the last comma becomes the conjunction
            before = self._joint(tree, remaining[-1])
            mark = next((one for one in before if is_comma(one)), None)
            if mark is not None and not any(one.upos == "CCONJ" for one in before):
                changed[mark.id] = conjunction.but(id=mark.id, head=remaining[-1].id)
        gone |= self._closes(tree, gone)
        yield Draft(cut(tree, gone, changed), "later", (conjunct.id,), ("coordinated",) if remaining else ())

    def _without_first(self, tree: Tree, first: Word, conjuncts: Conjuncts, tools: Tools) -> Iterator[Draft]:
        heir = conjuncts[0]
        cases = first.feats.get("Case"), heir.feats.get("Case")
        if heir.upos != first.upos and not (cases[1] and cases[0] == cases[1]):
            tools.why(f"{heir.form} cannot stand where {first.form} stands", first.id)
            return
        if first.relation == "obj" and cases[0] != cases[1]:
            return
        if heir.lemma in self.grammar.body and tree.child(first.id, "amod") and not tree.child(heir.id, "amod"):
            tools.why(f"{heir.form} says nothing without what is said of {first.form}", heir.id)
            return
        gone = set(tree.subtree(first.id)) - set().union(*(tree.subtree(one.id) for one in conjuncts))
        gone |= {one.id for one in self._joint(tree, heir)}
        changed = {heir.id: heir.but(head=first.head, deprel=first.deprel)}
        for relation in self.grammar.inherited:
            if tree.children(heir.id, relation):
                continue
            for child in tree.children(first.id, relation):
                gone -= tree.subtree(child.id)
                changed[child.id] = child.but(head=heir.id)
        for later in conjuncts[1:]:
            changed[later.id] = later.but(head=heir.id)
        if len(conjuncts) > 1:  # the comma or conjunction before the new second conjunct stays
            gone -= {one.id for one in self._joint(tree, conjuncts[1])}
        for mark in tree.children(first.id, "punct"):
            if tree.places[mark.id] < tree.places[first.id] or _behind(tree, mark, conjuncts):
                gone.discard(mark.id)
                changed[mark.id] = mark.but(head=heir.id)
        gone |= self._opens(tree, gone, heir)
        doubts = ("coordinated",) if len(conjuncts) > 1 or tree.children(first.id, "amod", "nmod") else ()
        yield Draft(cut(tree, gone, changed), "first", (first.id, heir.id), doubts)

    def _only(self, tree: Tree, first: Word, conjuncts: Conjuncts, tools: Tools) -> Iterator[Draft]:
        """Keep one of many: remove all later ones, or all but one and then the first."""
        for kept in (first, *conjuncts):
            gone: set[int] = set()
            for conjunct in conjuncts:
                if conjunct is not kept:
                    gone |= tree.subtree(conjunct.id) | {one.id for one in self._joint(tree, conjunct)}
            alone = cut(tree, gone)
            if kept is first:
                yield Draft(alone, "only", tuple(one.id for one in conjuncts), ("coordinated",))
                continue
            for draft in self._without_first(alone, first, (kept,), tools):
                yield Draft(draft.tree, "only", draft.edited, ("coordinated",))

    def _joint(self, tree: Tree, conjunct: Word) -> list[Word]:
        """The conjunction and the comma that join a conjunct to what is before it."""
        place = min(tree.places[one] for one in tree.subtree(conjunct.id))
        inside = [
            one for one in tree.children(conjunct.id, "cc", "punct") if tree.places[one.id] < tree.places[conjunct.id]
        ]
        before = [tree.words[place - 1]] if place and tree.words[place - 1].form in self.grammar.joints else []
        if before and before[0].upos == "CCONJ" and place > 1 and is_comma(tree.words[place - 2]):
            before.append(tree.words[place - 2])
        return [*inside, *(one for one in before if one not in inside)]

    def _opens(self, tree: Tree, gone: set[int], heir: Word) -> set[int]:
        """A comma that closed the second of two phrases at the beginning, and has nothing to close any more."""
        inside = tree.subtree(heir.id)
        if any(word.id not in gone and word.id not in inside for word in tree.words[: tree.places[heir.id]]):
            return set()
        last = max(tree.places[one] for one in inside if tree[one].upos != "PUNCT")
        following = tree.words[last + 1 : last + 3]
        closes = len(following) == 2 and is_comma(following[0]) and self.grammar.is_finite(tree, following[1])
        return {following[0].id} if closes else set()

    def _closes(self, tree: Tree, gone: set[int]) -> set[int]:
        """A comma that is left behind what went, before a word that needs none."""
        last = max((tree.places[word] for word in gone), default=0)
        following = tree.words[last + 1 : last + 3]
        if len(following) == 2 and is_comma(following[0]) and self.grammar.is_finite(tree, following[1]):
            first = min(tree.places[word] for word in gone)
            if not any(is_comma(word) for word in tree.words[:first]):
                return {following[0].id}
        return set()


def _behind(tree: Tree, mark: Word, conjuncts: Conjuncts) -> bool:
    return tree.places[mark.id] > max(tree.places[one.id] for one in conjuncts)
