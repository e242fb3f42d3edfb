"""Trees to look at: as text for a terminal and as SVG for a page, with the edited words marked, and why rules fired."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Sequence
from html import escape
from typing import NamedTuple

from kostra.trees import Tree, Word

MARK = "*"
"""What stands before an edited word in text."""

_STEP = 3
"""Columns by which a word stands to the right of its head."""
_LETTER, _SIZE = 8.2, 14
"""Width of a letter, with a little to spare, and size of the words in SVG."""
_GAP, _LEVEL, _MARGIN, _HEADING = 18, 26, 16, 20
_STYLE = (
    ".kt{font-family:system-ui,sans-serif;background:#fff}.kt text{fill:#1c1c28;text-anchor:middle}"
    ".kt .kt-w{font-size:14px}.kt .kt-u{font-size:10px;fill:#5a5a6e}.kt .kt-h{font-size:13px;text-anchor:start}"
    ".kt .kt-r{font-size:10.5px;fill:#30305a;stroke:#fff;stroke-width:4px;paint-order:stroke}"
    ".kt path{fill:none;stroke:#8a8aa0;stroke-width:1.3}.kt .kt-a{fill:#8a8aa0;stroke:none}"
    ".kt .kt-e{fill:#ffe9b8;stroke:#9a6700;stroke-width:1.2;stroke-dasharray:4 2}.kt .kt-p{fill:#fff}"
    "@media(prefers-color-scheme:dark){.kt{background:#16161d}.kt text{fill:#ececf2}.kt .kt-u{fill:#a9a9bc}"
    ".kt .kt-r{fill:#c9c9f5;stroke:#16161d}.kt path{stroke:#77778f}.kt .kt-a{fill:#77778f}"
    ".kt .kt-e{fill:#4a3500;stroke:#e0b050}.kt .kt-p{fill:#16161d}}"
)


class Reason(NamedTuple):
    """Whether a rule fired on a sentence, and why or why not."""

    rule: str
    fired: bool
    why: str


# As text ------------------------------------------------------------------------------------------------


def tree_text(tree: Tree, *, edited: Collection[int] = ()) -> str:
    """A tree as lines of text: one word a line, in the order of the sentence, each to the right of its head.

    Behind the words stand part of speech and relation; an edited word has a star.

    Examples
    --------
    >>> from kostra.trees import make_tree
    >>> rows = [("Small", 2, "amod"), ("cats", 3, "nsubj"), ("sleep", 0, "root"), ("here", 3, "advmod")]
    >>> tree = make_tree({"form": form, "head": head, "deprel": deprel} for form, head, deprel in rows)
    >>> print(tree_text(tree, edited=[2]))
         ┌─ Small  _  amod
      ┌─ * cats    _  nsubj
      sleep        _  root
      └─ here      _  advmod
    """
    return "\n".join(_lines(tree, edited))


def _lines(tree: Tree, edited: Collection[int]) -> list[str]:
    depths = _depths(tree)
    drawn = ["".join(row).rstrip() for row in _arcs(tree, depths)]
    words = [
        f"  {arcs.ljust(_STEP * depths[word.id])}{MARK + ' ' if word.id in edited else ''}{word.form}"
        for word, arcs in zip(tree.words, drawn, strict=True)
    ]
    wide = max((width(word) for word in words), default=0)
    tags = max((len(word.upos) for word in tree.words), default=0)
    return [
        f"{padded(line, wide)}  {word.upos.ljust(tags)}  {word.deprel}"
        for line, word in zip(words, tree.words, strict=True)
    ]


def _depths(tree: Tree) -> dict[int, int]:
    depths = {0: -1}
    waiting = [tree.root.id] if len(tree) else []
    heads = {word.id: word.head for word in tree.words}
    while waiting:
        word = waiting.pop()
        depths[word] = depths[heads[word]] + 1
        waiting += [child.id for child in tree.children(word)]
    return depths


def _arcs(tree: Tree, depths: dict[int, int]) -> list[list[str]]:
    """What stands before each word: a line from its head, and the lines of others that pass by."""
    rows = [[" "] * (_STEP * depths[word.id]) for word in tree.words]
    for head in tree.words:
        children = [tree.places[child.id] for child in tree.children(head.id)]
        column, own = _STEP * depths[head.id], tree.places[head.id]
        for place in range(min([own, *children]), max([own, *children]) + 1):
            row = rows[place]
            if place == own or column >= len(row):
                continue  # a word that is not the head's stands here: the tree crosses itself
            first, last = place == min(children), place == max(children)
            if place in children:
                row[column] = "┌" if first and place < own else "└" if last and place > own else "├"
                row[column + 1 : column + 2] = ["─"]
            else:
                row[column] = "│"
    return rows


def side_by_side(before: Tree, after: Tree, *, edited: Collection[int] = (), columns: int = 120) -> str:
    """Two trees beside each other, or one above the other where they do not fit."""
    left, right = _lines(before, edited), _lines(after, edited)
    wide = max((width(line) for line in left), default=0)
    if wide + 4 + max((width(line) for line in right), default=0) > columns:
        return "\n".join(("before", *left, "after", *right))
    rows = max(len(left), len(right))
    left += [""] * (rows - len(left))
    right += [""] * (rows - len(right))
    head = f"{padded('before', wide)}    after"
    return "\n".join([head, *(f"{padded(a, wide)}    {b}".rstrip() for a, b in zip(left, right, strict=True))])


def reasons_text(reasons: Iterable[Reason]) -> str:
    """Why each rule fired or not, one a line.

    Examples
    --------
    >>> print(reasons_text([Reason("negation", True, "not"), Reason("passivisation", False, "no object")]))
    + negation       not
    - passivisation  no object
    """
    listed = list(reasons)
    wide = max((len(one.rule) for one in listed), default=0)
    return "\n".join(f"{'+' if one.fired else '-'} {one.rule.ljust(wide)}  {one.why}" for one in listed)


def width(text: str) -> int:
    """Columns that a text takes on a terminal: Chinese letters and emoji take two, combining marks none.

    Examples
    --------
    >>> width("kot"), width("猫"), width("e\u0301")
    (3, 2, 1)
    """
    return sum(_columns(char) for char in text)


def padded(text: str, columns: int) -> str:
    """The text with blanks behind it up to a width on the screen."""
    return text + " " * (columns - width(text))


def _columns(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in ("Cf", "Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


# As SVG -------------------------------------------------------------------------------------------------


def tree_svg(tree: Tree, *, edited: Collection[int] = (), title: str | None = None) -> str:
    """A tree as SVG: arcs from heads to dependents above the words, edited words in a dashed box.

    It needs nothing from outside, follows the reader's light or dark scheme, and may stand alone or inside a page.

    Examples
    --------
    >>> from kostra.trees import make_tree
    >>> svg = tree_svg(make_tree([{"form": "Rain", "deprel": "root"}]), title="A tree")
    >>> svg[:4], "<title>A tree</title>" in svg
    ('<svg', True)
    """
    body, wide, high = _drawn(tree, edited)
    return _framed([(0.0, 0.0, body)], wide, high, title or tree.text, _described([tree]))


def before_after_svg(
    before: Tree, after: Tree, *, edited: Collection[int] = (), title: str | None = None, most: float = 1400
) -> str:
    """Two trees in one SVG, beside each other if they fit into `most` pixels, else one above the other."""
    left, left_wide, left_high = _drawn(before, edited)
    right, right_wide, right_high = _drawn(after, edited)
    if left_wide + right_wide <= most:
        wide, high = left_wide + right_wide, max(left_high, right_high)  # the words stand on one line
        places = [(0.0, _HEADING + high - left_high), (left_wide, _HEADING + high - right_high)]
        headings = [(0.0, 0.0), (left_wide, 0.0)]
        high += _HEADING
    else:
        wide, high = max(left_wide, right_wide), left_high + right_high + 2 * _HEADING
        places = [(0.0, float(_HEADING)), (0.0, left_high + 2 * _HEADING)]
        headings = [(0.0, 0.0), (0.0, left_high + _HEADING)]
    parts = [(x, y, body) for (x, y), body in zip(places, (left, right), strict=True)]
    parts += [(x, y, _heading(said)) for (x, y), said in zip(headings, ("before", "after"), strict=True)]
    return _framed(parts, wide, high, title or f"{before.text} → {after.text}", _described([before, after]))


def _heading(said: str) -> str:
    return f'<text class="kt-h" x="{_MARGIN}" y="{_MARGIN + 6}">{said}</text>'


def _framed(parts: Sequence[tuple[float, float, str]], wide: float, high: float, title: str, said: str) -> str:
    body = "".join(f'<g transform="translate({x:g} {y:g})">{part}</g>' for x, y, part in parts)
    return (
        f'<svg class="kt" role="img" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:g} {high:g}" '
        f'width="{wide:g}" height="{high:g}"><title>{_plain(title)}</title><desc>{_plain(said)}</desc>'
        f'<style>{_STYLE}</style><rect class="kt-p" width="{wide:g}" height="{high:g}"/>{body}</svg>'
    )


def _described(trees: Iterable[Tree]) -> str:
    """The same in words, for those who do not see the picture."""
    return " | ".join(
        ", ".join(
            f"{word.form}: {word.deprel}{' of ' + tree[word.head].form if word.head else ''}" for word in tree.words
        )
        for tree in trees
    )


def _drawn(tree: Tree, edited: Collection[int]) -> tuple[str, float, float]:
    """The parts of one drawing, with its width and height."""
    middles, wide = _middles(tree.words)
    levels = _levels(tree)
    base = _MARGIN + _LEVEL * max(levels.values(), default=0) + 14
    parts = [_arc(word, middles, base, levels[word.id]) for word in tree.words]
    parts += [_labelled(word, middles[word.id], base, word.id in edited) for word in tree.words]
    # Labels come last, so that no arc crosses them.
    parts += [_relation(word, middles, base, levels[word.id]) for word in tree.words]
    return "".join(parts), wide, base + 44 + _MARGIN


def _middles(words: Sequence[Word]) -> tuple[dict[int, float], float]:
    """Where each word's middle lies, and how wide all are: words part where a label needs room between them."""
    middles: dict[int, float] = {}
    end, before = float(_MARGIN - _GAP), None
    for word in words:
        half = max(width(word.form) * _LETTER, len(word.upos) * 7) / 2
        middle = end + _GAP + half
        if before is not None:
            labels = [one.deprel for one, other in ((word, before), (before, word)) if one.head == other.id]
            middle = max([middle, *(middles[before.id] + len(label) * 6.2 + 30 for label in labels)])
        middles[word.id] = round(middle, 1)
        end, before = middle + half, word
    return middles, round(max(end, 60.0) + _MARGIN, 1)


def _levels(tree: Tree) -> dict[int, int]:
    """How high the arc to each word goes: above every arc that lies under it."""
    places = tree.places
    spans = {word.id: tuple(sorted((places[word.id], places[word.head]))) for word in tree.words if word.head in places}
    levels: dict[int, int] = {word.id: 0 for word in tree.words}
    for word, (first, last) in sorted(spans.items(), key=lambda item: (item[1][1] - item[1][0], item[1])):
        inside = [levels[o] for o, (a, b) in spans.items() if o != word and first <= a and b <= last and levels[o]]
        levels[word] = 1 + max(inside, default=0)
    if len(tree):
        levels[tree.root.id] = 1 + max(levels.values())
    return levels


def _arc(word: Word, middles: dict[int, float], base: float, level: int) -> str:
    x, y = middles[word.id], base - 4
    arrow = f'<path class="kt-a" d="M{x - 3.5:g} {y - 6:g}h7l-3.5 6z"/>'
    if word.head not in middles:
        return f'<path d="M{x:g} {base - 8 - _LEVEL * level:g}V{y - 5:g}"/>{arrow}'
    start = _start(word, middles)
    high, bend = y - _LEVEL * level, min(10.0, abs(x - start) / 2)
    turn = bend if x > start else -bend
    return (
        f'<path d="M{start:g} {y:g}V{high + bend:g}Q{start:g} {high:g} {start + turn:g} {high:g}'
        f'H{x - turn:g}Q{x:g} {high:g} {x:g} {high + bend:g}V{y - 5:g}"/>{arrow}'
    )


def _start(word: Word, middles: dict[int, float]) -> float:
    """Where an arc leaves the head: beside the arrow that ends there."""
    return middles[word.head] + (5 if middles[word.id] > middles[word.head] else -5)


def _relation(word: Word, middles: dict[int, float], base: float, level: int) -> str:
    x = middles[word.id]
    middle = (x + _start(word, middles)) / 2 if word.head in middles else x
    y = base - 4 - _LEVEL * level + (3.5 if word.head in middles else -6)
    return f'<text class="kt-r" x="{middle:g}" y="{y:g}">{_plain(word.deprel)}</text>'


def _labelled(word: Word, x: float, base: float, edited: bool) -> str:
    wide = width(word.form) * _LETTER + 10
    box = (
        f'<rect class="kt-e" x="{x - wide / 2:g}" y="{base:g}" width="{wide:g}" height="24" rx="5"/>' if edited else ""
    )
    return (
        f'{box}<text class="kt-w" x="{x:g}" y="{base + 17:g}">{_plain(word.form)}</text>'
        f'<text class="kt-u" x="{x:g}" y="{base + 37:g}">{_plain(word.upos)}</text>'
    )


def _plain(text: str) -> str:
    """Text as XML allows it: escaped, without control characters."""
    return escape("".join(char for char in text if char >= " " or char in "\t\n"))
