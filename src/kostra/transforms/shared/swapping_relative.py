"""Swaps a relative clause for a participle, and a participle for a relative clause."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kostra.transforms.engine import Draft, Relation, Tools
from kostra.transforms.shared.participle_to_relative import ToRelatives
from kostra.transforms.shared.relative_to_participle import ToParticiples
from kostra.trees import Tree

RELATION: Relation = "similar"
VARIANTS: Mapping[str, str] = {
    "participle before": "the relative clause becomes a participle before its noun",
    "participle behind": "the relative clause becomes a participle phrase at its place",
    "relative near": "the participle becomes a relative clause right behind its noun, or at its place",
    "relative far": "the participle becomes a relative clause behind its whole noun phrase",
    "relative of subject": "a participle that stands with the verb becomes a relative clause of the subject",
}


class SwappingRelative:
    """Both directions, one after the other."""

    def __init__(self, to_participles: ToParticiples, to_relatives: ToRelatives) -> None:
        self.ways = (to_participles, to_relatives)

    def apply(self, tree: Tree, tools: Tools) -> Iterator[Draft]:
        """Swap every relative clause and every participle, one at a time."""
        found = False
        for way in self.ways:
            for draft in way.apply(tree, tools):
                found = True
                yield draft
        if not found:
            tools.why("there is neither a relative clause nor a participle that could be swapped", None)
