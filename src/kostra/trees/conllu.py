"""CoNLL-U read strictly: what is wrong is said with file and line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kostra.errors import KostraError

from .tree import Tree, named_comments
from .words import EmptyNode, Features, Range, Word

COLUMNS = 10


@dataclass
class Block:
    """The lines of one sentence, before they are looked at as a tree."""

    line: int
    comments: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    """The line of the file on which each row stands."""

    @property
    def named(self) -> dict[str, str]:
        """The values of comments such as ``# sent_id = s1``, by name."""
        return named_comments(self.comments)

    @property
    def text(self) -> str:
        """The text that the rows make: 2-3 stands for both words, and the empty node 2.1 for nothing."""
        text, covered = "", 0
        for number, form, *_, misc in self.rows:
            first, _, last = number.partition("-")
            if "." in number or (not last and int(first) <= covered):
                continue
            covered = int(last) if last else covered
            text += form if "SpaceAfter=No" in misc.split("|") else f"{form} "
        return text.strip()


def read_blocks(text: str, *, where: str) -> Iterator[Block]:
    """Cut CoNLL-U into sentences; heads and features are not looked at.

    Raises
    ------
    KostraError
        With file and line, where a line is neither a comment nor ten columns, or a sentence has no words.
    """
    block: Block | None = None
    for number, line in enumerate(text.split("\n"), 1):
        line = line.rstrip("\r")
        if not line.strip():
            if block is not None:
                yield _with_words(block, where)
            block = None
            continue
        block = block or Block(number)
        if line.startswith("#"):
            block.comments.append(line)
        else:
            block.rows.append(_columns(line, where=f"{where}:{number}"))
            block.lines.append(number)
    if block is not None:
        yield _with_words(block, where)


def _columns(line: str, *, where: str) -> list[str]:
    columns = line.split("\t")
    if len(columns) != COLUMNS:
        raise KostraError(
            f"found {len(columns)} column{'s' if len(columns) != 1 else ''}",
            where=where,
            accepted=f"{COLUMNS}, separated by tabs, or a comment that begins with #",
        )
    number = columns[0].replace("-", "", 1).replace(".", "", 1)
    if not (number.isascii() and number.isdecimal()):
        raise KostraError(f'found "{columns[0]}" as a word\'s number', where=where, accepted="1, 1-2 or 1.1")
    return columns


def _with_words(block: Block, where: str) -> Block:
    if not block.rows:
        raise KostraError("the sentence has comments and no words", where=f"{where}:{block.line}")
    return block


def parse_conllu(text: str, *, where: str = "CoNLL-U") -> list[Tree]:
    """Read the trees of a CoNLL-U text.

    Raises
    ------
    KostraError
        With file and line, where a line has not ten columns, words are not numbered 1, 2, 3, …, a head is no word, or
        the heads make no tree: no root, two roots, a circle.
    """
    return [tree_of(block, where=where) for block in read_blocks(text, where=where)]


def tree_of(block: Block, *, where: str) -> Tree:
    """Make a tree of a sentence's lines."""
    words: list[Word] = []
    ranges: list[Range] = []
    empty: list[EmptyNode] = []
    for row, line in zip(block.rows, block.lines, strict=True):
        place = f"{where}:{line}"
        if "." in row[0]:
            empty.append(EmptyNode(_inside(row[0].split(".")[0], len(words), place), tuple(row)))
        elif "-" in row[0]:
            first, _, last = row[0].partition("-")
            ranges.append(Range(int(first or 0), int(last or 0), row[1], tuple(row[2:])))
            if ranges[-1].first != len(words) + 1 or ranges[-1].last < ranges[-1].first:
                raise KostraError(f"found the range {row[0]} before word {len(words) + 1}", where=place)
        else:
            words.append(_word(row, len(words) + 1, place))
    _check(words, block, where)
    if ranges and ranges[-1].last > len(words):
        raise KostraError(f"a range ends with word {ranges[-1].last} of {len(words)}", where=f"{where}:{block.line}")
    return Tree(tuple(words), tuple(block.comments), tuple(ranges), tuple(empty), block.line)


def _inside(number: str, so_far: int, where: str) -> int:
    if int(number) != so_far:
        raise KostraError(f"found an empty node {number}.… behind word {so_far}", where=where)
    return so_far


def _word(row: list[str], wanted: int, where: str) -> Word:
    number, form, lemma, upos, xpos, feats, head, deprel, deps, misc = row
    if number != str(wanted):
        raise KostraError(f"found word {number} where word {wanted} should stand", where=where)
    if not form.strip():
        raise KostraError("the word has no form", where=where)
    if not (head.isascii() and head.isdecimal()):
        raise KostraError(f'found "{head}" as a head', where=where, accepted="the number of a word, or 0 for the root")
    try:
        features = Features.parse(feats)
    except ValueError as error:
        accepted = "Name=Value, each name once, separated by |"
        raise KostraError(f'found "{error}" among the features', where=where, accepted=accepted) from None
    return Word(wanted, form, lemma, upos, xpos, features, int(head), deprel, deps, misc)


def _check(words: Sequence[Word], block: Block, where: str) -> None:
    """Refuse heads that make no tree."""
    lines = [line for row, line in zip(block.rows, block.lines, strict=True) if row[0].isdecimal()]
    heads = [word.head for word in words]
    for word, line in zip(words, lines, strict=True):
        if word.head > len(words):
            raise KostraError(f"word {word.id} hangs on word {word.head} of {len(words)}", where=f"{where}:{line}")
    roots = [place for place, head in enumerate(heads) if head == 0]
    if len(roots) > 1:
        two = f"words {' and '.join(str(place + 1) for place in roots[:2])} are both roots"
        raise KostraError(two, where=f"{where}:{lines[roots[1]]}", accepted="one word with head 0")
    safe: set[int] = {0}
    for start in range(1, len(words) + 1):
        path: list[int] = []
        at = start
        while at not in safe:
            if at in path:
                said = f"the heads go round in a circle: {' → '.join(map(str, [*path[path.index(at) :], at]))}"
                where_line = f"{where}:{lines[at - 1]}"
                raise KostraError(said if roots else f"no word is the root; {said}", where=where_line)
            path.append(at)
            at = heads[at - 1]
        safe.update(path)


def make_tree(words: Iterable[Mapping[str, Any]], *, comments: Sequence[str] = ()) -> Tree:
    """A tree from rows of fields, as a parser gives them: ``form``, ``head``, ``deprel`` and what else is known.

    Examples
    --------
    >>> make_tree([{"form": "Rain", "head": 2, "deprel": "nsubj"}, {"form": "falls", "head": 0, "deprel": "root"}]).text
    'Rain falls'
    """
    made = [Word(id=place, **fields) for place, fields in enumerate(words, 1)]
    block = Block(1, list(comments), [[str(word.id)] for word in made], list(range(1, len(made) + 1)))
    _check(made, block, "tree")
    return Tree(tuple(made), tuple(comments))
