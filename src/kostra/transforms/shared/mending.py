"""How a language's menders run, one after the other, before any rule looks at a tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kostra.transforms.inflection import Inflector
from kostra.transforms.shared.grammar import Changes
from kostra.trees import Tree

Mender = Callable[[Tree, Inflector], Changes]
"""Gives the words that change, by id; none where nothing is wrong."""


def mended(tree: Tree, inflector: Inflector, menders: Sequence[Mender]) -> Tree:
    """Mend one kind of mistake after the other; what would make a circle of heads is left as it is."""
    tree = _rooted(tree)
    for mend in menders:
        changes = mend(tree, inflector)
        if changes and not makes_circle(tree, changes):
            words = tuple(changes.get(word.id, word) for word in tree.words)
            tree = Tree(words, tree.comments, tree.ranges, (), tree.line)
    return tree


def _rooted(tree: Tree) -> Tree:
    """The tree with its root called so: a file may call it an object, and rules ask an object for its head."""
    if not tree.words or tree.root.deprel == "root":
        return tree
    words = tuple(word if word.head else word.but(deprel="root") for word in tree.words)
    return Tree(words, tree.comments, tree.ranges, tree.empty, tree.line)


def makes_circle(tree: Tree, changes: Changes) -> bool:
    """Whether the heads go round once these words have changed."""
    heads = {word.id: changes.get(word.id, word).head for word in tree.words}
    for start in changes:
        at, steps = start, 0
        while at:
            at, steps = heads.get(at, 0), steps + 1
            if steps > len(heads):
                return True
    return False
