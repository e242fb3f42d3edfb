"""Relative clauses and participles in languages where both agree with their noun."""

from __future__ import annotations

from collections.abc import Mapping

from kostra.transforms.engine import Tools
from kostra.transforms.shared import participle_to_relative, relative_to_participle
from kostra.transforms.shared.slavic import Slavic
from kostra.trees import Features, Tree, Word

Feats = Mapping[str, str]


class ToParticiples(relative_to_participle.ToParticiples):
    """Relative clauses become participles that agree; a language says of which verbs (`active`)."""

    def __init__(self, grammar: Slavic) -> None:
        super().__init__(grammar)
        self.slavic = grammar

    def passive(self, tree: Tree, verb: Word, feats: dict[str, str], tools: Tools) -> Word | None:  # noqa: ARG002 - a hook
        """The passive participle, agreeing."""
        return self.slavic.participle(tools.inflector, verb, "Pass", feats)

    def predicative(self, tree: Tree, adjective: Word, feats: dict[str, str], tools: Tools) -> Word | None:  # noqa: ARG002 - a hook
        """An adjective, agreeing."""
        return self.slavic.agreeing(adjective, feats, tools.inflector)

    def agent(self, tree: Tree, doer: Word, tools: Tools) -> list[Word] | None:
        """The agent in its case, behind its preposition if the language has one."""
        return self.slavic.agent(tree, doer, tree.fresh(), tools.inflector)


class ToRelatives(participle_to_relative.ToRelatives):
    """Participles become clauses with a pronoun that agrees."""

    pronoun_lemma: str

    def __init__(self, grammar: Slavic) -> None:
        super().__init__(grammar)
        self.slavic = grammar

    def agree(self, tree: Tree, word: Word, noun: Word, tools: Tools) -> bool:  # noqa: ARG002 - a hook
        """Whether a participle can agree with a noun."""
        return self.slavic.agree(tools.inflector, word, noun)

    def features(self, tree: Tree, noun: Word, *, alone: bool) -> Feats | None:
        """Number, gender and animacy."""
        return self.slavic.own_features(noun) if alone else self.slavic.phrase_features(tree, noun.id)

    def pronoun(self, tree: Tree, number: int, noun: Word, feats: Feats, tools: Tools) -> Word | None:  # noqa: ARG002 - a hook
        """The pronoun in the nominative."""
        form = tools.inflector.inflect(self.pronoun_lemma, "DET", {**feats, "Case": "Nom"})
        kind = Features({**feats, "Case": "Nom", "PronType": "Rel"})
        return None if form is None else Word(number, form, self.pronoun_lemma, "DET", feats=kind)
