"""Removes one of the coordinated parts of an adjunct."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kostra.transforms.edits import cut, is_comma
from kostra.transforms.engine import Draft, Relation, Tools
from kostra.transforms.pl import grammar, lexicon
from kostra.trees import Tree, Word

RELATION: Relation = "similar"
VARIANTS: Mapping[str, str] = {
    "later": "the second or a later conjunct goes",
    "first": "the first conjunct goes, and the next takes its place and preposition",
    "only": "of three or more conjuncts one stays",
    "compound": "of a compound with a hyphen one part goes",
}
ADJUNCTS = frozenset({"amod", "nmod", "obl", "advmod", "advcl", "acl", "iobj", "xcomp", "obj"})
"""Relations of what is coordinated; an object counts, as one of two things held is still held."""


def apply(tree: Tree, tools: Tools) -> Iterator[Draft]:
    """Remove each conjunct in turn."""
    found = False
    for word in tree.words:
        conjuncts = tree.children(word.id, "conj")
        if not conjuncts or (word.upos == "ADJ" and "Case" not in word.feats):
            continue  # the first part of a compound with a hyphen has no case
        found = True
        if any(_is_clause(tree, one) for one in conjuncts):
            tools.why(f"a clause is joined with {word.form}", word.id)
            continue
        if not all(_is_like(tree, word, one) for one in conjuncts):
            tools.why(f"what is joined with {word.form} is of another kind", word.id)
            continue
        if word.relation not in ADJUNCTS:
            tools.why(f"{word.form} and what is joined with it are no adjunct", word.id)
            continue
        for conjunct in conjuncts:
            yield from _without_later(tree, conjunct, conjuncts)
        yield from _without_first(tree, word, conjuncts, tools)
        if len(conjuncts) > 1:
            yield from _only(tree, word, conjuncts, tools)
    if not found:
        tools.why("nothing is coordinated", None)
    yield from _without_first_part(tree, tools)


def _is_clause(tree: Tree, conjunct: Word) -> bool:
    inside = tree.descendants(conjunct.id)
    return grammar.is_finite(conjunct) or any(
        grammar.is_finite(one) and one.relation in ("conj", "root") for one in inside
    )


def _is_like(tree: Tree, first: Word, conjunct: Word) -> bool:
    """Whether two conjuncts are of one kind: in one case unless each has its own preposition, not one and another."""
    if any(one.lemma == "między" or one.lemma == "pomiędzy" for one in tree.children(first.id, "case")):
        return False
    ordered = (first, conjunct, *tree.children(first.id), *tree.children(conjunct.id))
    if any(one.lemma in ("jeden", "drugi") for one in ordered) and first.upos == "ADJ":
        return False
    if first.lemma in lexicon.ORDER_WORDS or any(one.form in "-–" for one in tree.children(conjunct.id, "punct")):
        return False
    cases = first.feats.get("Case"), conjunct.feats.get("Case")
    return first.upos == "ADJ" or None in cases or cases[0] == cases[1] or tree.child(conjunct.id, "case") is not None


def _without_later(tree: Tree, conjunct: Word, conjuncts: tuple[Word, ...]) -> Iterator[Draft]:
    gone = set(tree.subtree(conjunct.id))
    changed: dict[int, Word] = {}
    joint = _joint(tree, conjunct)
    gone |= {one.id for one in joint}
    remaining = [one for one in conjuncts if one is not conjunct]
    conjunction = next((one for one in joint if one.upos == "CCONJ"), None)
    if conjunction is not None and remaining and conjunct is conjuncts[-1]:
        # A, B and C: without C the last comma becomes the conjunction
        mark = next((one for one in _joint(tree, remaining[-1]) if is_comma(one)), None)
        if mark is not None and not any(one.upos == "CCONJ" for one in _joint(tree, remaining[-1])):
            changed[mark.id] = conjunction.but(id=mark.id, head=remaining[-1].id)
    if _closes(tree, gone):
        gone |= _closes(tree, gone)
    yield Draft(cut(tree, gone, changed), "later", (conjunct.id,), ("coordinated",) if remaining else ())


def _without_first(tree: Tree, first: Word, conjuncts: tuple[Word, ...], tools: Tools) -> Iterator[Draft]:
    heir = conjuncts[0]
    if heir.upos != first.upos and not (heir.feats.get("Case") and heir.feats.get("Case") == first.feats.get("Case")):
        tools.why(f"{heir.form} cannot stand where {first.form} stands", first.id)
        return
    if first.relation == "obj" and heir.feats.get("Case") != first.feats.get("Case"):
        return
    own_case = tree.children(heir.id, "case")
    if heir.lemma in lexicon.BODY and tree.child(first.id, "amod") and not tree.child(heir.id, "amod"):
        tools.why(f"{heir.form} says nothing without what is said of {first.form}", heir.id)
        return
    gone = set(tree.subtree(first.id)) - set().union(*(tree.subtree(one.id) for one in conjuncts))
    gone |= {one.id for one in _joint(tree, heir)}
    changed = {heir.id: heir.but(head=first.head, deprel=first.deprel)}
    for case in tree.children(first.id, "case"):
        if not own_case:
            gone -= tree.subtree(case.id)
            changed[case.id] = case.but(head=heir.id)
    for later in conjuncts[1:]:
        changed[later.id] = later.but(head=heir.id)
    if len(conjuncts) > 1:  # the comma or conjunction before the new second conjunct stays
        gone -= {one.id for one in _joint(tree, conjuncts[1])}
    for mark in tree.children(first.id, "punct"):
        if tree.places[mark.id] < tree.places[first.id] or _behind(tree, mark, conjuncts):
            gone.discard(mark.id)
            changed[mark.id] = mark.but(head=heir.id)
    doubts = ("coordinated",) if len(conjuncts) > 1 or tree.children(first.id, "amod", "nmod") else ()
    yield Draft(cut(tree, gone, changed), "first", (first.id, heir.id), doubts)


def _only(tree: Tree, first: Word, conjuncts: tuple[Word, ...], tools: Tools) -> Iterator[Draft]:
    """Keep one of many: remove all later ones, or all but one and then the first."""
    for kept in (first, *conjuncts):
        gone: set[int] = set()
        for conjunct in conjuncts:
            if conjunct is not kept:
                gone |= tree.subtree(conjunct.id) | {one.id for one in _joint(tree, conjunct)}
        alone = cut(tree, gone)
        if kept is first:
            yield Draft(alone, "only", tuple(one.id for one in conjuncts), ("coordinated",))
            continue
        for draft in _without_first(alone, first, (kept,), tools):
            yield Draft(draft.tree, "only", draft.edited, ("coordinated",))


def _behind(tree: Tree, mark: Word, conjuncts: tuple[Word, ...]) -> bool:
    return tree.places[mark.id] > max(tree.places[one.id] for one in conjuncts)


def _joint(tree: Tree, conjunct: Word) -> list[Word]:
    """The conjunction and the comma that join a conjunct to what is before it."""
    place = min(tree.places[one] for one in tree.subtree(conjunct.id))
    inside = [
        one for one in tree.children(conjunct.id, "cc", "punct") if tree.places[one.id] < tree.places[conjunct.id]
    ]
    before = [tree.words[place - 1]] if place and tree.words[place - 1].form in (",", "i", "oraz", "ale") else []
    if before and before[0].upos == "CCONJ" and place > 1 and is_comma(tree.words[place - 2]):
        before.append(tree.words[place - 2])
    return [*inside, *(one for one in before if one not in inside)]


def _closes(tree: Tree, gone: set[int]) -> set[int]:
    """A comma that is left behind what went, before a word that needs none."""
    last = max((tree.places[word] for word in gone), default=0)
    following = tree.words[last + 1 : last + 3]
    if len(following) == 2 and is_comma(following[0]) and grammar.is_finite(following[1]):
        first = min(tree.places[word] for word in gone)
        if not any(is_comma(word) for word in tree.words[:first]):
            return {following[0].id}
    return set()


def _without_first_part(tree: Tree, tools: Tools) -> Iterator[Draft]:
    for first, hyphen, second in zip(tree.words, tree.words[1:], tree.words[2:], strict=False):
        if hyphen.form in "-–" and first.upos == "ADJ" and "Case" not in first.feats and "Case" in second.feats:
            gone = {first.id, hyphen.id}
            changed = {}
            if second.head == first.id:
                changed[second.id] = second.but(head=first.head, deprel=first.deprel)
            for child in tree.children(first.id):
                if child.id not in gone and child.id != second.id:
                    changed[child.id] = child.but(head=second.id)
            yield Draft(cut(tree, gone, changed), "compound", (first.id,), ("argument",))
            alone = _whole_adjective(first, second, tools)
            if alone is not None:
                top = first.but(form=alone, feats=second.feats)
                top = top.but(head=second.head, deprel=second.deprel) if first.head == second.id else top
                gone = {hyphen.id, second.id}
                yield Draft(cut(tree, gone, {first.id: top}), "compound", (second.id,), ("argument", "inflected"))


def _whole_adjective(first: Word, second: Word, tools: Tools) -> str | None:
    """The first part of *biało-czarny* as an adjective of its own, agreeing as the second does."""
    lemmas = {one.lemma for one in tools.inflector.analyses(first.form.lower()) if one.feats.get("Hyph") == "Yes"}
    if len(lemmas) != 1:
        return None
    wanted = {name: second.feats[name] for name in ("Case", "Number", "Gender", "Animacy") if name in second.feats}
    return tools.inflector.inflect(lemmas.pop(), "ADJ", wanted)
