"""First names that the Czech parser took for nouns, mended before any rule looks at a tree."""

from __future__ import annotations

from kostra.transforms.cs import lexicon
from kostra.transforms.inflection import Inflector
from kostra.transforms.shared.grammar import Changes
from kostra.trees import Tree


def given_name(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*Zuzana*, which begins the sentence, has its capital wherever it goes."""
    first = next((word for word in tree.words if word.upos != "PUNCT"), None)
    if first is None or first.form not in lexicon.GIVEN_NAMES or first.upos not in ("NOUN", "ADJ"):
        return {}
    return {first.id: first.but(lemma=first.form, upos="PROPN")}
