"""Outputs parsed again: one whose new tree is not nearly what the rule meant is implausible, and dropped.

A parser reads what stands there, the rule knows what it wanted to say. Where the two differ in the predicate or in many
attachments, the sentence is likely to mislead a reader as well. A parser errs, so this costs good outputs too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from kostra.transforms.engine import Language, Output
from kostra.transforms.inflection import Inflector
from kostra.trees import Tree

LEAST_SHARED = 0.7
"""Share of words that must hang on the same word in both trees."""
Parse = Callable[[Sequence[str]], list[Tree]]


def implausible(meant: Tree, found: Tree, language: Language, inflector: Inflector) -> str | None:
    """Why a sentence is implausible by its second tree, or None."""
    if meant.root.form.lower() != found.root.form.lower():
        return f"the predicate is {meant.root.form}, the parser takes {found.root.form}"
    shared = shared_attachments(meant, found)
    if shared < LEAST_SHARED:
        return f"only {shared:.0%} of its words hang on the same word"
    everything = frozenset(word.id for word in found.words)
    return language.disagreement(language.mend_parse(found, inflector), inflector, everything)


def shared_attachments(first: Tree, second: Tree) -> float:
    """The share of words, punctuation aside, that hang on the same word in both trees of one sentence.

    Examples
    --------
    >>> from kostra.trees import make_tree
    >>> rows = [{"form": "Cats", "head": 2}, {"form": "sleep", "head": 0}, {"form": "here", "head": 2}]
    >>> shared_attachments(make_tree(rows), make_tree([*rows[:2], {"form": "here", "head": 1}]))
    0.6666666666666666
    """
    left, right = _attachments(first), _attachments(second)
    total = max(left.total(), right.total())
    return (left & right).total() / total if total else 1.0


def _attachments(tree: Tree) -> Counter[tuple[str, str]]:
    return Counter(
        (word.form.lower(), tree[word.head].form.lower() if word.head else "")
        for word in tree.words
        if word.upos != "PUNCT"
    )


def verified(
    outputs: Sequence[Output], parse: Parse, language: Language, inflector: Inflector
) -> tuple[list[Output], list[tuple[Output, str]]]:
    """Split outputs into those that stand a second parse and those that do not, each with the reason."""
    kept: list[Output] = []
    dropped: list[tuple[Output, str]] = []
    for output, found in zip(outputs, parse([output.text for output in outputs]) if outputs else [], strict=True):
        reason = implausible(output.tree, found, language, inflector)
        if reason is None:
            kept.append(output)
        else:
            dropped.append((output, reason))
    return kept, dropped
