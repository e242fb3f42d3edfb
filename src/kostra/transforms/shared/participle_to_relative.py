"""A participle becomes a relative clause: *by the closed window* → *by the window that is closed*."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kostra.transforms.edits import comma, in_order, part, with_commas
from kostra.transforms.engine import Draft, Tools
from kostra.transforms.inflection import Inflector
from kostra.transforms.shared import looking
from kostra.transforms.shared.grammar import Grammar
from kostra.trees import Tree, Word

Feats = Mapping[str, str]


class ToRelatives:
    """Each participle becomes a relative clause of its noun, or of the subject if it stands with the verb.

    A language says what is a participle (`voice`), and makes the pronoun (`pronoun`), the predicate (`predicate`) and
    the auxiliary of the passive (`auxiliaries`).
    """

    set_off = True
    """Whether commas stand around a relative clause."""

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar

    # What a language says ------------------------------------------------------------------------------

    def is_candidate(self, word: Word) -> bool:
        """Whether a word has the form of a participle that modifies something."""
        return word.upos == "ADJ" and "Case" in word.feats

    def is_joined(self, word: Word) -> bool:
        """Whether what is coordinated with a participle must become a predicate as well."""
        return "Case" in word.feats

    def voice(self, word: Word, inflector: Inflector) -> str | None:  # noqa: ARG002 - some languages ask the analyser
        """The voice of a participle; None for what is none."""
        return word.feats.get("Voice", "Pass") if looking.is_participle(word) else None

    def agree(self, tree: Tree, word: Word, noun: Word, tools: Tools) -> bool:
        """Whether a participle can belong to a noun."""
        raise NotImplementedError

    def features(self, tree: Tree, noun: Word, *, alone: bool) -> Feats | None:
        """What pronoun and predicate take from a noun, or from all that are joined with it; None if not known."""
        raise NotImplementedError

    def pronoun(self, tree: Tree, number: int, noun: Word, feats: Feats, tools: Tools) -> Word | None:
        """The relative pronoun, with `number` as its id."""
        raise NotImplementedError

    def predicate(self, tree: Tree, word: Word, voice: str, feats: Feats, tools: Tools) -> Word | None:
        """What a participle is in the clause: a finite verb, or a participle beside an auxiliary."""
        raise NotImplementedError

    def auxiliaries(self, tree: Tree, number: int, word: Word, voice: str, feats: Feats) -> list[Word] | None:
        """The auxiliary that stands before a passive participle, ids from `number` on; None where none can be told."""
        raise NotImplementedError

    # The rule ------------------------------------------------------------------------------------------

    def apply(self, tree: Tree, tools: Tools) -> Iterator[Draft]:
        """Turn each participle into a relative clause of its noun, or of the subject if it stands with the verb."""
        for word in tree.words:
            if not self.is_candidate(word) or word.head == 0 or word.deprel == "acl:relcl":
                continue
            voice = self.voice(word, tools.inflector)
            if voice is None or tree.child(word.id, "aux", "cop") is not None:
                continue
            head = tree[word.head]
            if word.relation in ("amod", "acl") and head.upos in ("NOUN", "PROPN"):
                if not self.agree(tree, word, head, tools):
                    tools.why(f"{word.form} does not agree with {head.form}", word.id)
                    continue
                yield from self._of_noun(tree, word, head, voice, tools)
            elif head.upos == "VERB" and self.is_of_subject(tree, word):
                yield from self._of_subject(tree, word, head, voice, tools)

    def is_of_subject(self, tree: Tree, word: Word) -> bool:  # noqa: ARG002 - other languages look at the tree
        """Whether a participle that hangs on a verb says something of the subject."""
        return word.feats.get("Case") == "Nom" and word.relation != "nsubj"

    def _of_noun(self, tree: Tree, word: Word, noun: Word, voice: str, tools: Tools) -> Iterator[Draft]:
        feats = self.features(tree, noun, alone=True)
        if feats is None:
            tools.why(f"the gender or number of {noun.form} is not known", noun.id)
            return
        if any(one.deprel == "acl:relcl" for one in tree.children(noun.id)):
            tools.why(f"{noun.form} has a relative clause already", noun.id)
            return
        if self.is_nested(tree, noun):
            tools.why(f"{noun.form} stands in a relative clause already", noun.id)
            return
        clause = self._clause(tree, word, voice, feats, noun, tools)
        if clause is None:
            return
        inside = with_commas(tree, tree.subtree(word.id), clause_openers=self.grammar.clause_openers)
        doubts = ("inflected", "comma")
        if tree.places[word.id] > tree.places[noun.id]:
            first = min(tree.places[one] for one in tree.subtree(word.id))
            yield Draft(_with_clause(tree, inside, clause, first), "relative near", (word.id, noun.id), doubts)
            return
        near = tree.places[noun.id] + 1
        far = _end(tree, noun)
        clumsy = ("style",) if far > near else ()
        made = _with_clause(tree, inside, clause, near)
        if not self.clings(tree, noun):
            yield Draft(made, "relative near", (word.id, noun.id), (*doubts, "moved", *clumsy))
        if far > near:
            yield Draft(
                _with_clause(tree, inside, clause, far), "relative far", (word.id, noun.id), (*doubts, "moved", "far")
            )
        joined = tree.children(noun.id, "conj") if self.reaches_all(word, noun) else ()
        if joined and all(
            tree.child(one.id, "case", "amod", "det", "nummod", *looking.GOVERNING) is None for one in joined
        ):
            plural = self.features(tree, noun, alone=False)
            both = self._clause(tree, word, voice, plural, noun, tools) if plural else None
            if both is not None:
                last = max(tree.places[one] for one in tree.subtree(joined[-1].id)) + 1
                made = _with_clause(tree, inside, both, last)
                yield Draft(made, "relative far", (word.id, noun.id), (*doubts, "moved", "coordinated"))

    def is_nested(self, tree: Tree, noun: Word) -> bool:  # noqa: ARG002 - of languages that set clauses off by commas
        """Whether one relative clause would stand in another, and be hard to read."""
        return False

    def reaches_all(self, word: Word, noun: Word) -> bool:
        """Whether a participle says something of all that are joined with its noun: it alone is plural."""
        return word.feats.get("Number") == "Plur" and noun.feats.get("Number") == "Sing"

    def clings(self, tree: Tree, noun: Word) -> bool:
        """Whether a genitive follows a noun from which nothing may part it: *garść monet*."""
        return any(
            one.feats.get("Case") == "Gen"
            and tree.child(one.id, "case") is None
            and tree.places[one.id] > tree.places[noun.id]
            for one in tree.children(noun.id, "nmod")
        )

    def _of_subject(self, tree: Tree, word: Word, verb: Word, voice: str, tools: Tools) -> Iterator[Draft]:
        subject = looking.subject(tree, verb.id)
        feats = self.features(tree, subject, alone=False) if subject is not None else None
        if subject is None or feats is None or subject.upos not in ("NOUN", "PROPN"):
            tools.why(f"{word.form} has no subject whose clause it could be", word.id)
            return
        for own, doubts in _reach(tree, word, verb):
            if any(tree[one].deprel == "acl:relcl" for one in own) and self.set_off:
                tools.why(f"one relative clause would stand in another behind {subject.form}", word.id)
                continue
            clause = self._clause(tree, word, voice, feats, subject, tools, own=own)
            if clause is None:
                return
            inside = with_commas(tree, own, clause_openers=self.grammar.clause_openers)
            last = max(tree.places[one] for one in tree.subtree(subject.id) if one not in inside) + 1
            draft = _with_clause(tree, inside, clause, last)
            doubts = ("inflected", "comma", "moved", *doubts)
            yield Draft(draft, "relative of subject", (word.id, subject.id), doubts)

    def _clause(
        self,
        tree: Tree,
        word: Word,
        voice: str,
        feats: Feats,
        noun: Word,
        tools: Tools,
        *,
        own: frozenset[int] | None = None,
    ) -> list[Word] | None:
        """Comma, pronoun, the predicate and what the participle had, comma."""
        number = tree.fresh()
        which = self.pronoun(tree, number, noun, feats, tools)
        changed: dict[int, Word] = {}
        for one in (word, *(joined for joined in tree.children(word.id, "conj") if self.is_joined(joined))):
            other = voice if one is word else self.voice(one, tools.inflector)
            if other != voice:
                tools.why(f"{word.form} and {one.form} make different clauses", one.id)
                return None
            new = self.predicate(tree, one, voice, feats, tools)
            if new is None:
                tools.why(f"no predicate of {one.form} can be told", one.id)
                return None
            changed[one.id] = new
        helpers = self.auxiliaries(tree, number + 3, word, voice, feats)
        if helpers is None:
            tools.why(f"no auxiliary of {word.form} can be told", word.id)
        if which is None or helpers is None:
            return None
        which = which.but(head=word.id, deprel="nsubj" if voice == "Act" else "nsubj:pass")
        changed[word.id] = changed[word.id].but(head=noun.id, deprel="acl:relcl")
        inside = [changed.get(one.id, one) for one in part(tree, own or tree.subtree(word.id))]
        while inside and inside[0].upos == "PUNCT":
            inside.pop(0)
        while inside and inside[-1].form == ",":
            inside.pop()
        words = [which, *helpers, *self.ordered(inside, word)]
        return [comma(number + 1, word.id), *words, comma(number + 2, word.id)] if self.set_off else words

    def ordered(self, words: list[Word], predicate: Word) -> list[Word]:  # noqa: ARG002 - other languages put the verb first
        """The predicate and its dependents in the order of a clause: as they stood."""
        return words


def _end(tree: Tree, noun: Word) -> int:
    """The place behind a noun and what follows and hangs on it, without coordinated nouns."""
    inside = set(tree.subtree(noun.id))
    for one in tree.children(noun.id, "conj", "acl"):
        inside -= tree.subtree(one.id)
    place = tree.places[noun.id]
    while place + 1 < len(tree.words) and tree.words[place + 1].id in inside and tree.words[place + 1].upos != "PUNCT":
        place += 1
    return place + 1


def _reach(tree: Tree, word: Word, verb: Word) -> Iterator[tuple[frozenset[int], tuple[str, ...]]]:
    """How far a participle that stands with the verb reaches: to its agent, or to the end of the clause."""
    own = tree.subtree(word.id)
    agent = tree.child(word.id, "obl:agent")
    if agent is not None:
        end = max(tree.places[one] for one in tree.subtree(agent.id))
        yield frozenset(one for one in own if tree.places[one] <= end), ()
    place = tree.places[word.id]
    if place > tree.places[verb.id] and len(own) > 1:
        more = [one for one in tree.children(verb.id, "obl", "advmod", "iobj") if tree.places[one.id] > place]
        wide = own.union(*(tree.subtree(one.id) for one in more))
        yield frozenset(one for one in wide if tree.places[one] >= place or one in own), ("attachment",)
    else:
        yield own, ()


def _with_clause(tree: Tree, gone: frozenset[int], clause: list[Word], place: int) -> Tree:
    before = [word for word in tree.words[:place] if word.id not in gone]
    after = [word for word in tree.words[place:] if word.id not in gone]
    clause = [word for word in clause if word.id in gone or word.id not in tree]  # of two commas one stays outside
    return in_order(tree, [*before, *clause, *after])
