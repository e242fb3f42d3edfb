"""The tree itself: looking, editing, writing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from .repair import repaired
from .words import RELATIONS, EmptyNode, Range, Word

if TYPE_CHECKING:
    from functools import cached_property as remembered
else:

    class remembered:  # noqa: N801 - used as the decorator that it stands for
        """`functools.cached_property` without its lock: rules make hundreds of trees for a sentence."""

        def __init__(self, work_out):
            self.work_out, self.name, self.__doc__ = work_out, work_out.__name__, work_out.__doc__

        def __get__(self, tree, owner=None):
            if tree is None:
                return self
            tree.__dict__[self.name] = found = self.work_out(tree)
            return found


def named_comments(lines: Iterable[str]) -> dict[str, str]:
    """The values of comments such as ``# sent_id = s1``, by name."""
    parts = (line[1:].partition("=") for line in lines)
    return {name.strip(): value.strip() for name, _, value in parts}


@dataclass(frozen=True)
class Tree:
    """A sentence's words in their order, each with its head; 0 is the head of the root."""

    words: tuple[Word, ...]
    comments: tuple[str, ...] = ()
    """Comment lines as they stand in the file, ``#`` included."""
    ranges: tuple[Range, ...] = ()
    empty: tuple[EmptyNode, ...] = ()
    line: int | None = field(default=None, compare=False)
    """The line of the file on which the sentence begins."""

    # Looking -------------------------------------------------------------------------------------------

    @remembered
    def _by_id(self) -> dict[int, Word]:
        return {word.id: word for word in self.words}

    @remembered
    def _children(self) -> dict[int, list[Word]]:
        found: dict[int, list[Word]] = {}
        for word in self.words:
            head = word.head
            if head in found:
                found[head].append(word)
            else:
                found[head] = [word]
        return found

    @remembered
    def _subtrees(self) -> dict[int, frozenset[int]]:
        return {}

    @remembered
    def places(self) -> dict[int, int]:
        """Where each word stands, by its id, from 0."""
        return {word.id: place for place, word in enumerate(self.words)}

    def __getitem__(self, word: int) -> Word:
        return self._by_id[word]

    def __contains__(self, word: object) -> bool:
        return word in self._by_id

    def __len__(self) -> int:
        return len(self.words)

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the fields and not what was worked out from them."""
        return {name: self.__dict__[name] for name in ("words", "comments", "ranges", "empty", "line")}

    @property
    def root(self) -> Word:
        """The word whose head is 0."""
        return self._children[0][0]

    def children(self, word: int, *relations: str) -> tuple[Word, ...]:
        """The words that hang on a word, in order; only some relations (with or without subtype), if any are named."""
        found = self._children.get(word)
        if found is None:
            return ()
        if not relations:
            return tuple(found)
        return tuple([child for child in found if child.deprel in relations or RELATIONS[child.deprel] in relations])

    def child(self, word: int, *relations: str) -> Word | None:
        """The first child with one of these relations, or None."""
        for child in self._children.get(word, ()):
            if child.deprel in relations or RELATIONS[child.deprel] in relations:
                return child
        return None

    def subtree(self, word: int) -> frozenset[int]:
        """The ids of a word and of everything that hangs on it."""
        known = self._subtrees.get(word)
        if known is not None:
            return known
        below = self._children
        found, waiting = {word}, [word]
        while waiting:
            for child in below.get(waiting.pop(), ()):
                if child.id not in found:
                    found.add(child.id)
                    waiting.append(child.id)
        self._subtrees[word] = made = frozenset(found)
        return made

    def descendants(self, word: int) -> tuple[Word, ...]:
        """Everything that hangs on a word, however deep, in order."""
        inside = self.subtree(word)
        return tuple([one for one in self.words if one.id in inside and one.id != word])

    def comment(self, name: str) -> str | None:
        """The value of a comment such as ``# sent_id = s1``."""
        return named_comments(self.comments).get(name)

    @remembered
    def text(self) -> str:
        """The sentence as it is written, by its words, its multiword tokens and their ``SpaceAfter=No``."""
        if not self.ranges:
            parts = [word.form if "SpaceAfter=No" in word.misc else f"{word.form} " for word in self.words]
            return "".join(parts).strip()
        written, inside = "", 0
        starts = {one.first: one for one in self.ranges}
        for word in self.words:
            if inside:
                inside = 0 if word.id == inside else inside
                continue
            one = starts.get(word.id)
            form, glued = (one.form, "SpaceAfter=No" in one.rest[-1]) if one else (word.form, word.glued)
            inside = one.last if one and one.last != one.first else 0
            written += form if glued else f"{form} "
        return written.strip()

    # Editing -------------------------------------------------------------------------------------------

    def with_words(self, words: Iterable[Word]) -> Tree:
        """A tree of these words instead: what no longer holds (text comments, enhanced graph, torn ranges) goes."""
        kept = tuple(words)
        made = object.__new__(Tree)  # no field needs a check, and a frozen class is slow to fill
        made.__dict__.update(
            words=kept,
            comments=self._lasting,
            ranges=self._whole_ranges(kept) if self.ranges else (),
            empty=(),
            line=None,
            _lasting=self._lasting,
        )
        return made

    @remembered
    def _lasting(self) -> tuple[str, ...]:
        """The comments that hold whatever becomes of the words."""
        return tuple(line for line in self.comments if not line.startswith("# text"))

    def _whole_ranges(self, words: Sequence[Word]) -> tuple[Range, ...]:
        ids = [word.id for word in words]
        forms = {word.id: word.form for word in words}
        kept = []
        for one in self.ranges:
            span = list(range(one.first, one.last + 1))
            start = ids.index(one.first) if one.first in forms else -1
            same = start >= 0 and ids[start : start + len(span)] == span
            if same and all(forms[word].lower() == self[word].form.lower() for word in span):
                first = forms[one.first]  # it may have lost or got the capital of the sentence's first word
                kept.append(one if first == self[one.first].form else replace(one, form=first[0] + one.form[1:]))
        return tuple(kept)

    def drop(self, *words: int) -> Tree:
        """Without these words and everything that hangs on them."""
        gone = frozenset().union(*(self.subtree(word) for word in words))
        if self.root.id in gone:
            raise ValueError("a tree cannot lose its root")
        return self.with_words(word for word in self.words if word.id not in gone)

    def keep(self, words: Collection[int]) -> Tree:
        """Only these words; one whose head went hangs on the nearest head that stayed."""
        if self.root.id not in words:
            raise ValueError("a tree cannot lose its root")
        kept = (word for word in self.words if word.id in words)
        return self.with_words(self._hung_again(word, words) for word in kept)

    def _hung_again(self, word: Word, kept: Collection[int]) -> Word:
        head = word.head
        while head and head not in kept:
            head = self[head].head
        return word if head == word.head else word.but(head=head)

    def replace(self, word: int, **changes: Any) -> Tree:
        """With some fields of one word exchanged (``form=``, ``head=``, ``feats=``, …)."""
        return self.with_words(one.but(**changes) if one.id == word else one for one in self.words)

    def move(self, word: int, *, before: int | None = None, after: int | None = None) -> Tree:
        """With a word and all that hangs on it standing before, or after, another word."""
        moved = self.subtree(word)
        part = [one for one in self.words if one.id in moved]
        rest = [one for one in self.words if one.id not in moved]
        return self.with_words(_laid(rest, part, before=before, after=after))

    def insert(self, *words: Word, before: int | None = None, after: int | None = None) -> Tree:
        """With new words before, or after, a word; their ids must be new (see `fresh`)."""
        return self.with_words(_laid(list(self.words), list(words), before=before, after=after))

    def fresh(self) -> int:
        """The first of the ids that no word has."""
        return self._fresh

    @remembered
    def _fresh(self) -> int:
        return max([word.id for word in self.words], default=0) + 1

    def repaired(self, *, first_was: int | None = None) -> Tree:
        """With spacing, needless commas and capitals mended, as an edit leaves them behind.

        Parameters
        ----------
        first_was
            The word that began the sentence before the edit: it loses its capital if it no longer does, unless it is a
            name. By default the word with the least id.
        """
        return self.with_words(repaired(self.words, first_was=first_was))

    # Writing -------------------------------------------------------------------------------------------

    def conllu(self) -> str:
        """The sentence in CoNLL-U, with the blank line that ends it; what was read comes back byte by byte."""
        in_order = all(word.id == place for place, word in enumerate(self.words, 1))
        tree = self if in_order else self._numbered()
        starts = {one.first: one for one in tree.ranges}
        lines = list(tree.comments)
        lines += ["\t".join(one.columns) for one in tree.empty if one.after == 0]
        for word in tree.words:
            if (one := starts.get(word.id)) is not None:
                lines.append("\t".join((f"{one.first}-{one.last}", one.form, *one.rest)))
            lines.append(
                f"{word.id}\t{word.form}\t{word.lemma}\t{word.upos}\t{word.xpos}\t{word.feats}\t"
                f"{word.head}\t{word.deprel}\t{word.deps}\t{word.misc}"
            )
            lines += ["\t".join(node.columns) for node in tree.empty if node.after == word.id]
        return "\n".join(lines) + "\n\n"

    def _numbered(self) -> Tree:
        new = {word.id: place for place, word in enumerate(self.words, 1)} | {0: 0}
        words = tuple(word.but(id=new[word.id], head=new[word.head], deps="_") for word in self.words)
        ranges = tuple(replace(one, first=new[one.first], last=new[one.last]) for one in self.ranges)
        return Tree(words, self.comments, ranges)


def _laid(rest: list[Word], part: list[Word], *, before: int | None, after: int | None) -> list[Word]:
    if (before is None) == (after is None):
        raise ValueError("say either before or after which word")
    anchor = before if before is not None else after
    place = next(place for place, word in enumerate(rest) if word.id == anchor) + (after is not None)
    return rest[:place] + part + rest[place:]
