r"""Dependency trees: CoNLL-U read and written without loss, and edits that never change the tree they start from.

A `Tree` is its words in their order. A word keeps its id through every edit: ids say *which* word, the place in
``Tree.words`` says *where* it stands, so that an edit touches only what it changes and a rule can say which words it
edited. `Tree.conllu` numbers the words afresh where they no longer count 1, 2, 3, …

Examples
--------
>>> lines = ["1 Cats cat NOUN _ _ 2 nsubj _ _", "2 sleep sleep VERB _ _ 0 root _ _", "3 here here ADV _ _ 2 advmod _ _"]
>>> tree = parse_conllu("\n".join(lines).replace(" ", "\t"))[0]
>>> tree.text, tree.drop(3).text, tree.move(3, before=1).repaired().text
('Cats sleep here', 'Cats sleep', 'Here cats sleep')
"""

from __future__ import annotations

from .conllu import Block, make_tree, parse_conllu, read_blocks, tree_of
from .repair import is_capital_by_place
from .tree import Tree
from .words import NO_FEATURES, EmptyNode, Features, Range, Word

__all__ = [
    "NO_FEATURES",
    "Block",
    "EmptyNode",
    "Features",
    "Range",
    "Tree",
    "Word",
    "is_capital_by_place",
    "make_tree",
    "parse_conllu",
    "read_blocks",
    "tree_of",
]
