"""Removes adjuncts, one or several: modifiers of nouns, circumstances of verbs, clauses, numerals."""

from __future__ import annotations

from collections.abc import Iterator

from kostra.transforms.cs import bearing, edges, leaving, lexicon, scope, ways
from kostra.transforms.cs.grammar import CZECH, is_bare
from kostra.transforms.edits import part, with_commas
from kostra.transforms.engine import Draft, Tools
from kostra.transforms.shared.looking import is_in_relative, is_participle, verb_above
from kostra.transforms.shared.removing_adjuncts import RELATION, VARIANTS, Doubts, Needy, RemovingAdjuncts
from kostra.trees import Tree, Word

__all__ = ["RELATION", "VARIANTS", "apply"]


_ABSTRACT = ("ství", "ctví", "ost", "ání", "ení", "ace", "ita", "ismus")
"""Endings of nouns that say little without their adjective: *v soukromém vlastnictví*."""
_GOING = frozenset({"amod", "nmod", "obl", "iobj", "advmod", "advcl", "acl", "xcomp", "det", "appos"})
"""Relations of what may go."""
_GOVERNED = frozenset({"na", "o", "k", "pro", "proti", "od", "do", "za", "s", "z"})
"""Prepositions that nouns govern as often as verbs."""
_CORRELATIVES = frozenset(
    {"poté", "potom", "předtím", "tehdy", "tak", "tím", "tam", "to", "toho", "tomu", "proto", "tolik"}
)
_EXAMPLES = frozenset({":", "mimo", "včetně", "například", "třeba", "zejména", "především", "např"})
_CONTRAST = frozenset({"ale", "ani", "nýbrž", "než", "nikoli", "nikoliv", "ne", "i", "a", "nebo", "či", "jako", "až"})
"""Words that would join what follows to something else if what stands before them went."""
_SINCE = frozenset({"nově", "nedávno", "dávno", "předem"})
"""Adverbs of when something was done, without which one asks why it is said."""


class _Czech(RemovingAdjuncts):
    def apply(self, tree: Tree, tools: Tools) -> Iterator[Draft]:
        """As in other languages, but for what would leave a stray word or comma behind."""
        for draft in super().apply(tree, tools):
            left = leaving.too_much_goes(tree, draft.variant) or edges.left_behind(tree, draft.tree)
            left = left or leaving.what_lacks(tree, draft.tree)
            if left is None:
                yield draft
            else:
                tools.why(f"{draft.variant}: {left}", None)

    def removable(self, tree: Tree, word: Word, tools: Tools) -> Doubts | None:
        """As in other languages, but nothing goes from a name, before a contrast, or between quotation marks."""
        head = tree[word.head]
        if word.relation not in _GOING or word.upos == "PRON":
            return None
        inside = part(tree, tree.subtree(word.id))
        if _is_part_of_name(word, head) or self._is_misread(tree, word, head, inside):
            return None
        pointed = edges.follows_focus(tree, word, inside) or edges.is_in_focus(tree, word, head)
        if pointed or edges.is_broken_off(word, inside) or edges.is_all_between_commas(tree, word, head):
            tools.why(f"a particle points to {word.form}", word.id)
            return None
        if word.relation in ("acl", "advcl") and self._needs_clause(tree, word, head):
            tools.why(f"{head.form} says little without its clause", word.id)
            return None
        if _holds_comma(tree, word, inside):
            return None
        other = any(word.feats.get(name) != head.feats.get(name) for name in ("Case", "Number"))
        if word.relation == "det" and (other or head.relation not in ("nsubj", "obj") or _is_needed(tree, word, head)):
            return None
        if word.relation == "advmod" and head.upos == "ADJ" and not _is_by_the_way(word, head):
            tools.why(f"{word.form} says how far {head.form} holds", word.id)
            return None
        if self._points_to(tree, word, inside):
            return None
        if bearing.bears_on_meaning(tree, word, head):
            tools.why(f"without {word.form} something else would be said", word.id)
            return None
        if word.relation == "amod" and is_participle(word) and head.head and tree[head.head].lemma == "mít":
            return None  # má naplánovaný návrat
        if edges.is_with_another(tree, word, head, inside) or edges.is_part_of_more(tree, word, head, inside):
            tools.why(f"{word.form} belongs to what stands beside it", word.id)
            return None
        if word.relation in ("obl", "nmod") and self._leaves_phrase(tree, inside):
            tools.why(f"what follows {word.form} may belong to it", word.id)
            return None
        return super().removable(tree, word, tools)

    def _is_misread(self, tree: Tree, word: Word, head: Word, inside: list[Word]) -> bool:
        """Whether a phrase holds what no adjunct holds, or leaves half of itself behind."""
        if any(one.upos == "PUNCT" and one.form not in ",." for one in inside) or self._joins(tree, inside):
            return True
        beside = tree.words[max(0, tree.places[inside[0].id] - 1) : tree.places[inside[-1].id] + 2]
        if any(one.form in "-–" for one in beside) or inside[0].upos == "CCONJ":
            return True  # one half of a compound
        if any(one.form.lower() in ("jen", "jenom", "pouze", "teprve") for one in inside) or beside[0].form == "co":
            return True  # jen obtížně: hardly at all; co [nejdřív]
        clausal = word.relation in ("acl", "advcl")
        if not clausal and any(one.upos in ("AUX", "VERB") and not is_in_relative(tree, one, word) for one in inside):
            return True
        last = tree.places[inside[-1].id] + 1
        done = is_participle(word) or word.lemma.endswith(("ený", "aný", "tý"))
        if done and last < len(tree.words) and is_bare(tree, tree.words[last], "Ins"):
            return True  # its agent would be left behind
        if any(is_bare(tree, one, "Nom") and one.upos == "NOUN" and one.relation != "nsubj" for one in inside):
            return True  # perhaps the subject, misread
        if any(one.form.lower() in ("než", "jako") for one in tree.children(word.id, "case", "mark", "cc", "advmod")):
            return True
        if edges.is_reflexive_misread(tree, word) or edges.is_reflexive_misread(tree, head):
            return True
        if edges.is_told_more(tree, word, inside) or edges.leaves_rest(tree, word, inside):
            return True
        if edges.goes_on_list(tree, word, inside) or edges.is_second_end(tree, word, inside):
            return True
        if edges.holds_subject(tree, word, head, inside) or edges.is_all_of_half(tree, word, head, inside):
            return True
        if word.relation in ("obl", "nmod") and edges.follows_late_adjective(tree, inside):
            return True
        return edges.is_mixed(tree, word) or edges.is_listed(tree, word, inside) or _is_counted(tree, word, head)

    def _needs_clause(self, tree: Tree, word: Word, head: Word) -> bool:
        """Whether what is left needs its clause: *existují lidé, kteří…*; *takový, že…*; *žádá, aby…*."""
        if word.relation == "advcl":
            marked = tree.child(word.id, "mark") is not None or word.feats.get("VerbForm") == "Conv"
            asked = {head.lemma, *(one.lemma for one in tree.children(head.id, "obj", "iobj", "obl", "nsubj"))}
            wished = any(one.form.lower().startswith("aby") for one in tree.children(word.id, "mark", "aux"))
            return not marked or self._is_all(tree, word, head) or (wished and bool(asked & lexicon.ASKS))
        inside = tree.descendants(word.id)
        if head.upos in ("PRON", "DET", "NUM") or tree.child(word.id, "mark") is not None:
            return True
        if word.deprel != "acl:relcl" and not is_participle(word):
            return True
        if word.deprel == "acl:relcl" and not any("Rel" in one.feats.get("PronType", "") for one in inside):
            return True  # aby spal, a to v noci, [k tomu je třeba ticha]
        beside = tree.children(head.id, "det", "amod")
        joined = tree.children(head.head, "det", "amod") if head.relation == "conj" else ()
        if any(one.lemma in ("takový", "ten", "onen", "týž", "tentýž") for one in (*beside, *joined)):
            return True
        above = tree[head.head] if head.head else head
        behind = tree.places[head.id] > tree.places[above.id]
        found = above.lemma in lexicon.EXISTENTIAL or (head.relation == "nsubj" and head.lemma in ("člověk", "lidé"))
        return (behind and found) or (head.lemma in CZECH.needs_genitive and not beside)

    def _is_all(self, tree: Tree, word: Word, head: Word) -> bool:
        """Whether a clause is all that a verb without a subject has: *nevadí, když…*."""
        others = [
            one for one in tree.children(head.id) if one.relation not in ("punct", "aux", "expl") and one.id != word.id
        ]
        return not others

    def _points_to(self, tree: Tree, word: Word, inside: list[Word]) -> bool:
        """Whether a word beside what would go points to it: *poté, co*; *různě:*; *mimo jiné s*."""
        words = [one for one in inside if one.form != ","] or inside
        first, last = tree.places[words[0].id], tree.places[words[-1].id]
        before = next((one for one in reversed(tree.words[:first]) if one.form != ","), None)
        after = [one.form.lower() for one in tree.words[last + 1 : last + 3] if one.form != ","][:1]
        clause = word.relation in ("advcl", "acl") and before is not None
        if clause and before is not None and before.form.lower() in _CORRELATIVES:
            return True
        return any(form in _EXAMPLES for form in after) or (
            word.relation == "obl" and tree[word.head].lemma in lexicon.LIGHT_HEADS
        )

    def _leaves_phrase(self, tree: Tree, inside: list[Word]) -> bool:
        """Whether a phrase follows that a noun before it often governs: *v rámci příprav na zimu*."""
        last = tree.places[inside[-1].id]
        following = tree.words[last + 1] if last + 1 < len(tree.words) else None
        return following is not None and following.upos == "ADP" and following.lemma in _GOVERNED

    def extent(self, tree: Tree, word: Word, inside: frozenset[int]) -> frozenset[int]:
        """What is no clause takes commas with it only if it stands between two."""
        around = with_commas(tree, inside, clause_openers=self.grammar.clause_openers)
        return edges.own_commas(tree, word, around)

    def _joins(self, tree: Tree, inside: list[Word]) -> bool:
        """Whether what follows, or what stands right before, is joined with what would go."""
        following = tree.words[tree.places[inside[-1].id] + 1 :][:2]
        behind = [one.form.lower() for one in following if one.form != ","][:1]
        first = tree.places[inside[0].id]
        before = tree.words[first - 1].form.lower() if first else ""
        return any(form in _CONTRAST for form in behind) or before in _CONTRAST - {"ale"}

    def modifier(self, tree: Tree, word: Word, head: Word, tools: Tools) -> Doubts | None:
        """An adjective; of what the subject is said to be, and of some abstract nouns, it says the most."""
        if word.form[:1].isupper() and word.id != tree.words[0].id:
            return None
        before = tree.words[tree.places[word.id] - 1] if tree.places[word.id] else None
        if head.lemma in lexicon.QUANTITIES:
            return None  # neomezený počet
        if head.lemma in lexicon.DEFINITE and word.lemma.endswith(("ský", "cký")):
            return None  # polský prezident
        if head.lemma in lexicon.BODY and word.lemma.endswith(bearing.KINDS):
            return None  # dělá zaječí uši
        if head.lemma in lexicon.TIMES or (before is not None and before.upos in ("NOUN", "NUM")):
            return None  # minulý týden; sto let starou stavbu
        if any(one.form[:1].isupper() and one.id != tree.words[0].id for one in tree.children(head.id, "amod")):
            return None  # a part of a name
        if tree.places[word.id] and tree.words[tree.places[word.id] - 1].form in "-–":
            return None
        if (
            scope.is_unique(word)
            or word.feats.get("Degree", "Pos") != "Pos"
            or any(one.form.isdecimal() for one in (word, *tree.children(word.id)))
        ):
            return None
        with_it = head.relation == "nmod" and any(one.lemma == "s" for one in tree.children(head.id, "case"))
        said = with_it or tree.child(head.id, "cop") is not None or head.relation in ("xcomp", "advcl")
        said = said or _is_predicative(tree, head)
        abstract = head.lemma.endswith(_ABSTRACT) and (tree.child(head.id, "case") is not None or _is_term(tree, word))
        if said or abstract or (_is_term(tree, word) and _is_inner(tree, word, head)):
            tools.why(f"{head.form} says little without {word.form}", word.id)
            return None
        return super().modifier(tree, word, head, tools)

    def noun_modifier(self, tree: Tree, word: Word, head: Word, tools: Tools) -> Doubts | None:
        """A noun on a noun; an argument of a noun made from a verb stays."""
        if word.upos not in ("NOUN", "PROPN") or word.feats.get("Case") == "Nom" or head.upos != "NOUN":
            return None
        if is_bare(tree, word, "Ins") or _is_turned_body(tree, head):
            return None  # what something is said to be, misread; opřený rukou [o zeď]
        if head.lemma.endswith(_ABSTRACT):
            tools.why(f"{head.form} says little without {word.form}", word.id)
            return None
        above = tree[head.head] if head.head else head
        if head.relation in ("obl", "obj") and ways.is_way(tree, word, above):
            tools.why(f"{above.form} needs its way", word.id)
            return None  # sjíždějí na lyžích ze svahu
        cases = tree.children(word.id, "case")
        vague = head.lemma in CZECH.needs_genitive and not CZECH.is_animate(tree, head.id)
        if vague or not cases or any(one.lemma in _GOVERNED - {"s", "z", "za"} for one in cases):
            tools.why(f"{head.form} says little without {word.form}", word.id)
            return None
        return super().noun_modifier(tree, word, head, tools)

    def circumstance(self, tree: Tree, word: Word, head: Word, tools: Tools) -> Doubts | None:
        """A phrase that hangs on a verb; what the parser calls an argument is one."""
        same = all(word.feats.get(name) == head.feats.get(name) for name in ("Case", "Number", "Gender"))
        if head.upos == "ADJ" and same and "Case" in head.feats and tree.child(word.id, "case") is None:
            return None  # its noun, which the parser took for something else
        if word.deprel == "obl:arg" or word.upos not in ("NOUN", "PROPN"):
            tools.why(f"{word.form} is an argument of {head.form}", word.id)
            return None
        if tree.child(word.id, "case") is None and word.lemma not in lexicon.TIMES:
            return None
        if tree.child(word.id, "mark", "cop") is not None or head.upos not in ("VERB", "ADJ"):
            return None
        if head.lemma == "stát" and word.feats.get("Case") == "Acc":
            return None  # stojí za pozornost
        if ways.is_way(tree, word, head):
            tools.why(f"{head.form} needs its way", word.id)
            return None
        if head.upos == "ADJ" and not is_participle(head) and tree.places[word.id] > tree.places[head.id]:
            tools.why(f"{word.form} is an argument of {head.form}", word.id)
            return None  # dobrá v počítání
        return super().circumstance(tree, word, head, tools)

    def needy(self, tree: Tree) -> list[Needy]:
        """A verb without an object keeps one of the phrases behind it, unless it says enough alone."""
        found = [self._behind(tree, one) for one in super().needy(tree)]
        for verb in tree.words:
            if verb.upos not in ("VERB", "ADJ") or verb.lemma in lexicon.POSTURES or not verb.relation:
                continue
            if tree.child(verb.id, "obj", "iobj", "ccomp", "xcomp", "csubj") is not None:
                continue
            place = tree.places[verb.id]
            phrases = tree.children(verb.id, "obl", "advmod")
            needed = frozenset(one.id for one in phrases if tree.places[one.id] > place and one.relation == "obl")
            done = is_participle(verb) or verb.lemma.endswith(("ený", "aný", "tý"))
            if needed and (verb.upos == "VERB" or done):
                found.append(Needy(verb, needed, f"{verb.form} needs a complement"))
        return found

    def _behind(self, tree: Tree, one: Needy) -> Needy:
        """What a verb needs stands behind it, if anything does: *po výbuchu zůstali bez střechy*."""
        if one.word.upos == "NOUN":
            return one
        phrases = [tree[phrase] for phrase in one.complements if tree[phrase].relation in ("obl", "xcomp")]
        phrases = [phrase for phrase in phrases if not _is_aside(tree, phrase)]
        behind = [phrase for phrase in phrases if tree.places[phrase.id] > tree.places[one.word.id]]
        return one._replace(complements=frozenset(phrase.id for phrase in behind or phrases) or one.complements)


def _is_turned_body(tree: Tree, noun: Word) -> bool:
    """*Opřený rukou o zeď*: whether a part of the body stands in the instrumental, so that a phrase is the verb's."""
    return noun.lemma in lexicon.BODY and noun.relation != "conj" and is_bare(tree, noun, "Ins")


def _is_needed(tree: Tree, word: Word, head: Word) -> bool:
    """*Ten vtip znal*, *má své místo*: whether a noun says little without its pronoun."""
    if word.lemma == "ten":
        return not CZECH.is_animate(tree, head.id)
    if any(scope.is_unique(one) for one in tree.children(head.id, "amod")):
        return True  # svůj poslední román
    return head.lemma in CZECH.needs_adjective | CZECH.needs_genitive or head.lemma.endswith(_ABSTRACT)


def _is_by_the_way(adverb: Word, adjective: Word) -> bool:
    """*Pečlivě složený*, *tmavě modrý*, but not *středně těžký*: whether an adjective holds without its adverb."""
    if adverb.form.lower() in _SINCE:
        return False  # nově zvolená předsedkyně
    done = is_participle(adjective) or adjective.lemma.endswith(("ený", "aný", "tý", "cí"))
    return done or adverb.form.lower() in ("tmavě", "světle", "jasně", "sytě", "bledě")


def _is_aside(tree: Tree, phrase: Word) -> bool:
    """Whether a phrase says when, why or according to whom: no verb needs that."""
    cases = {one.lemma for one in tree.children(phrase.id, "case")}
    return phrase.lemma in lexicon.TIMES or bool(cases & (lexicon.CIRCUMSTANCES - {"po", "vedle"}))


def _holds_comma(tree: Tree, word: Word, inside: list[Word]) -> bool:
    """Whether the comma behind a clause also parts what is said from who says it: *…, aby spal, řekla Jana*."""
    first, last = tree.places[inside[0].id], tree.places[inside[-1].id]
    following = [one for one in tree.words[last + 1 : last + 3] if one.form != ","][:1]
    above = verb_above(tree, word.id)
    said = above is not None and tree.places[above] < first
    if word.relation == "acl" and edges.is_in_aside(tree, inside):
        return True
    return word.relation in ("advcl", "acl") and said and any(one.upos in ("VERB", "AUX") for one in following)


def _is_part_of_name(word: Word, head: Word) -> bool:
    return head.upos == "PROPN" and word.relation in ("amod", "nmod")


def _is_counted(tree: Tree, word: Word, head: Word) -> bool:
    """*Na sto lidí přišlo*: a subject that looks like a circumstance, as its numeral governs it."""
    if word.relation != "obl" or tree.child(head.id, "nsubj") is not None:
        return False
    counted = any(one.upos == "NUM" or one.lemma in lexicon.GOVERNING_WORDS for one in tree.descendants(word.id))
    return (
        counted
        and word.feats.get("Case") == "Gen"
        and tree.child(word.id, "case") is not None
        and (any(one.lemma in ("na", "přes", "okolo", "kolem") for one in tree.children(word.id, "case")))
    )


def _is_term(tree: Tree, word: Word) -> bool:
    """Whether an adjective right before its noun says of which kind it is, not what it is like: *lední hokej*."""
    return (
        word.lemma.endswith(bearing.KINDS)
        and not is_participle(word)
        and tree.places[word.head] == tree.places[word.id] + 1
    )


def _is_inner(tree: Tree, word: Word, head: Word) -> bool:
    """Whether another adjective stands before one: *velký [lední] medvěd*."""
    return any(tree.places[one.id] < tree.places[word.id] for one in tree.children(head.id, "amod"))


def _is_predicative(tree: Tree, noun: Word) -> bool:
    """Whether a noun says what something is or becomes: *stal se dobrým lékařem*."""
    bare = noun.feats.get("Case") == "Ins" and tree.child(noun.id, "case") is None
    return bare and noun.relation in ("obl", "obj", "root", "conj")


apply = _Czech(CZECH).apply
