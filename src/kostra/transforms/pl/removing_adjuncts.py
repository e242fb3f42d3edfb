"""Removes adjuncts, one or several: modifiers of nouns, circumstances of verbs, clauses, numerals."""

from __future__ import annotations

from kostra.transforms.donors import preposition
from kostra.transforms.engine import Tools
from kostra.transforms.pl import lexicon
from kostra.transforms.pl.agreement import can_have
from kostra.transforms.pl.grammar import POLISH, is_denied
from kostra.transforms.shared import looking
from kostra.transforms.shared.removing_adjuncts import RELATION, VARIANTS, Doubts, Needy, RemovingAdjuncts
from kostra.trees import Tree, Word

__all__ = ["RELATION", "VARIANTS", "apply"]

_OTHERS = frozenset({"drugi", "inny", "kolejny", "trzeci"})
_ANYBODY = frozenset({"człowiek", "osoba"})
_TIMES = frozenset({"dzień", "lato", "noc", "pogoda", "ranek", "wieczór", "zima"})
_SIDES = frozenset({"bokiem", "plecami", "przodem", "tyłem", "twarzą"})


class _Polish(RemovingAdjuncts):
    def removable(self, tree: Tree, word: Word, tools: Tools) -> Doubts | None:
        """What is not denied: *no dog swims in the river* does not say that no dog swims."""
        if any(one.lemma in POLISH.relatives for one in (word, *tree.children(word.id))) and word.deprel != "acl:relcl":
            return None  # what opens a clause is no adjunct of it, whatever it hangs on
        doubts = super().removable(tree, word, tools)
        if doubts is not None and is_denied(tree, word):
            tools.why(f"without {word.form} more would be denied", word.id)
            return None
        return doubts

    def modifier(self, tree: Tree, word: Word, head: Word, tools: Tools) -> Doubts | None:
        """*Jeden* stays beside a *drugi* that does something to him, and *drugi* beside any *jeden*."""
        if word.lemma in _OTHERS and _is_named_before(tree, head):
            tools.why(f"without {word.form} it could be the same {head.form}", word.id)
            return None
        first, second = POLISH.pairs
        for one in tree.words if word.lemma in POLISH.pairs else ():
            beside = one.lemma == second and one.head == head.head and one.relation != "conj"
            if beside if word.lemma == first else one.lemma == first:
                tools.why(f"{word.form} belongs together with {one.form}", word.id)
                return None
        return super().modifier(tree, word, head, tools)

    def extent(self, tree: Tree, word: Word, inside: frozenset[int]) -> frozenset[int]:
        """*Takie same, jak tamte*: what is compared goes with the comparison."""
        found = super().extent(tree, word, inside)
        if word.deprel != "acl:relcl" and _clause_follows(tree, inside):
            return frozenset()
        if any(tree[one].lemma == "taki" for one in inside):
            last = max(tree.places[one] for one in found)
            behind = [one.form for one in tree.words[last + 1 : last + 3]]
            return frozenset() if "jak" in behind else found
        return found

    def noun_modifier(self, tree: Tree, word: Word, head: Word, tools: Tools) -> Doubts | None:
        """*Niektórzy w kaskach*: what stands for a noun says nothing alone."""
        bare = word.upos == "NOUN" and tree.child(word.id, "case") is None and looking.numeral(tree, word.id) is None
        if bare and not can_have(tools.inflector, word, "Gen", "Dat", "Ins"):
            return None  # a subject or object that the parser took for something else
        if head.upos in ("DET", "PRON"):
            tools.why(f"{head.form} says little without {word.form}", word.id)
            return None
        return super().noun_modifier(tree, word, head, tools)

    def says_all(self, tree: Tree, noun: Word) -> bool:
        """*Z podbitym okiem*, *o zadartym nosie*: without its modifier either says nothing."""
        about = noun.relation == "nmod" and any(one.lemma == "o" for one in tree.children(noun.id, "case"))
        return about or super().says_all(tree, noun)

    def circumstance(self, tree: Tree, word: Word, head: Word, tools: Tools) -> Doubts | None:
        """*Tyłem do okna* goes as a whole or stays."""
        if _is_one_another(tree, word):
            tools.why(f"{word.form} says that they do it to one another", word.id)
            return None
        upside_down = head.lemma == "stać" and word.lemma in ("ręka", "głowa") and preposition(tree, word) == "na"
        if upside_down and tree.places[word.id] == tree.places[head.id] + 2:
            tools.why(f"who stands on {word.form} does not just stand", word.id)
            return None
        if word.form.lower() in _SIDES and looking.next_form(tree, word).lower() == "do":
            following = tree.words[tree.places[word.id] + 1]
            if following.id not in tree.subtree(word.id):
                tools.why(f"{word.form} and what follows say where one looks", word.id)
                return None
        return super().circumstance(tree, word, head, tools)

    def needy(self, tree: Tree) -> list[Needy]:
        """Further *in clothes* (who is not?), *on the rope hung*."""
        found = [_without_times(tree, one) for one in super().needy(tree)]
        for word in tree.words:
            worn = word.relation == "conj" or tree.child(word.id, "case") is not None
            if word.lemma in lexicon.ANY_CLOTHES and worn:
                needed = frozenset(one.id for one in tree.children(word.id, "amod", "nmod", "acl"))
                found += [Needy(word, needed, f"{word.form} says nothing alone")] if needed else []
            if word.lemma in lexicon.NEEDS_MODIFIER and tree.child(word.id, "case") is not None:
                needed = frozenset(one.id for one in tree.children(word.id, "amod", "nmod", "acl"))
                found += [Needy(word, needed, f"{word.form} says nothing alone")] if needed else []
            own = tree.child(word.id, "obj")
            held = own is not None and own.lemma in lexicon.LIMBS and tree.child(own.id, "amod", "acl") is None
            clings = word.lemma == "trzymać" and POLISH.reflexive(tree, word.id) is not None
            passive = looking.is_participle(word, "Pass") and POLISH.helper(tree, word.id) is not None
            if passive or clings or (held and word.lemma in lexicon.HOLDING):
                needed = frozenset(one.id for one in tree.children(word.id, "obl", "advmod", "iobj", "xcomp"))
                found += [Needy(word, needed, f"{word.form} needs a complement")] if needed else []
            if word.relation == "amod" and looking.is_participle(word) and _stands_before_other(tree, word):
                needed = frozenset(one.id for one in tree.children(word.id, "obl", "advmod", "iobj", "xcomp"))
                found += [Needy(word, needed, f"{word.form} needs a complement")] if needed else []
            behind = (
                word.relation in ("amod", "acl", "conj") and looking.is_participle(word) and word.deprel != "acl:relcl"
            )
            if behind and word.head and tree.places[word.head] < tree.places[word.id]:
                needed = frozenset(one.id for one in tree.children(word.id, "obl", "advmod", "iobj", "xcomp"))
                alone = tree.child(word.id, "obj", "conj") is None
                found += [Needy(word, needed, f"{word.form} needs a complement")] if needed and alone else []
        return found


def _without_times(tree: Tree, needy: Needy) -> Needy:
    """*Wchodzi w słoneczny dzień*: when it happens does not say where one goes."""
    kept = frozenset(one for one in needy.complements if tree[one].lemma not in _TIMES)
    return needy._replace(complements=kept) if kept else needy


def _stands_before_other(tree: Tree, made: Word) -> bool:
    """Whether *drugi* or *inny* stands between a participle and its noun: *stojący na ganku drugi chłopiec*."""
    between = tree.words[tree.places[made.id] + 1 : tree.places[made.head]] if made.head else ()
    return any(one.lemma in lexicon.ORDER_WORDS and one.head == made.head for one in between)


def _clause_follows(tree: Tree, inside: frozenset[int]) -> bool:
    """Whether a relative clause that stays follows a phrase, and may be said of it: *na dachu domu, w którym śpią*."""
    last = max(tree.places[one] for one in inside if tree[one].upos != "PUNCT")
    following = tree.words[last + 1 : last + 5]
    if not following or following[0].form != "," or following[0].id in inside:
        return False
    until = next((place for place, one in enumerate(following[1:], 1) if one.upos in ("PUNCT", "VERB")), len(following))
    pronoun = next((one for one in following[1:until] if one.lemma in POLISH.relatives), None)
    if pronoun is None or pronoun.id in inside:
        return False
    number = pronoun.feats.get("Number")
    return any(one.upos == "NOUN" and (one.feats.get("Number") == number or one.feats.get("Number") == "Ptan")
               for one in (tree[one] for one in inside))  # fmt: skip


def _is_named_before(tree: Tree, noun: Word) -> bool:
    """Whether the one subject of a further clause is named before, or is just anybody."""
    clause = tree[noun.head] if noun.relation == "nsubj" and noun.head else noun
    if noun.feats.get("Number") != "Sing" or clause.relation not in ("conj", "parataxis"):
        return False
    return noun.lemma in _ANYBODY or any(one.lemma == noun.lemma for one in tree.words[: tree.places[noun.id]])


def _is_one_another(tree: Tree, word: Word) -> bool:
    """*Jedno za drugim*: whether a word is one of the two."""
    place = tree.places[word.id]
    near = {one.lemma for one in tree.words[max(0, place - 2) : place + 3]}
    return word.lemma in POLISH.pairs and near.issuperset(POLISH.pairs)


apply = _Polish(POLISH).apply
