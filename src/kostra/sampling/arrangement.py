"""Captions and what was made from them, arranged in kinds of pairs: the reasoning behind ``sampling/ensemble``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from pydantic import model_validator
from scipy import sparse
from scipy.sparse import csgraph

from kostra.errors import KostraError, some
from kostra.recipe import Name, Strict

_SECOND = re.compile(r"(?P<made>t\()?(?P<author>[a-z][a-z0-9_]*)(?P<prime>')?(?(made)\))")


class Kind(Strict):
    """One kind of pair."""

    first: Name
    """The author whose caption comes first."""
    second: str
    """``b``, ``t(a)``, ``a'`` or ``t(a')``."""
    theme: Literal["same", "other"] | None = None
    """The theme of the other image, where the second sentence has a prime."""
    another: bool = False
    """Not the sentence that an earlier kind put beside the first: says what holds anyway, as no pair comes twice."""
    every_second_image: Name | None = None
    """For every second image this author stands in place of the first one, in both sentences."""

    @model_validator(mode="after")
    def _makes_sense(self) -> Kind:
        found = _SECOND.fullmatch(self.second)
        if found is None:
            raise ValueError(f"second: found \"{self.second}\"; known are forms such as b, t(a), a' and t(a')")
        if bool(found["prime"]) != (self.theme is not None):
            raise ValueError(f'second "{self.second}": a prime and a theme come together')
        if not found["made"] and not found["prime"] and found["author"] == self.first:
            raise ValueError(f'a sentence is not paired with itself: "{self.first}" with "{self.second}"')
        if self.every_second_image is not None and found["author"] != self.first:
            raise ValueError(f'every_second_image changes one author; "{self.first}" and "{self.second}" have two')
        return self

    @property
    def made(self) -> bool:
        """Whether the second sentence is a transformed one."""
        return self.second.startswith("t(")

    @property
    def author(self) -> str:
        """The author of the second sentence, or of what it was made from."""
        found = _SECOND.fullmatch(self.second)
        return found["author"] if found else self.second

    def by(self, author: str) -> Kind:
        """The same kind with another author in place of the first."""
        prime = "'" if self.theme else ""
        other = author if self.author == self.first else self.author
        second = f"t({other}{prime})" if self.made else f"{other}{prime}"
        return self.model_copy(update={"first": author, "second": second, "every_second_image": None})

    def __str__(self) -> str:
        extra = f" of {'the same' if self.theme == 'same' else 'another'} theme" if self.theme else ""
        return f"{self.first} {self.second}{extra}{', another' if self.another else ''}"


CDSC_KINDS = (
    Kind(first="a", second="b"),
    Kind(first="a", second="t(a)"),
    Kind(first="b", second="t(b)"),
    Kind(first="a", second="t(b)"),
    Kind(first="b", second="t(a)"),
    Kind(first="a", second="t(a')", theme="same"),
    Kind(first="b", second="t(b')", theme="same"),
    Kind(first="a", second="a'", theme="other"),
    Kind(first="b", second="b'", theme="other"),
    Kind(first="a", second="t(a)", another=True, every_second_image="b"),
)
"""The ten of the paper."""


@dataclass(frozen=True)
class Image:
    """An image: its theme, its caption by each author, and what was made from each caption (row numbers)."""

    name: str
    theme: str
    captions: Mapping[str, int]
    made: Mapping[str, Sequence[int]]


@dataclass(frozen=True)
class Arranged:
    """One pair of the ensemble."""

    image: str
    kind: Kind
    first: int
    second: int


class TooFewSentencesError(KostraError):
    """A theme, or the whole, offers too few sentences for a kind of pair."""


def ensemble_pairs(
    images: Sequence[Image],
    *,
    kinds: Sequence[Kind] = CDSC_KINDS,
    partners: Sequence[Image] | None = None,
    rng: np.random.Generator,
) -> list[Arranged]:
    """Give every image one pair of each kind, no two sentences together twice [1]_.

    Second sentences are drawn at random. Where the draws of some images use up what another needs, the kind is
    arranged anew by bipartite matching: an arrangement is found if there is one, kind by kind.

    Parameters
    ----------
    images
        What gets pairs: each needs its captions and what was made from them.
    partners
        Images whose sentences may stand in for ``a'``; the same ones, if not said.

    Raises
    ------
    TooFewSentencesError
        If a theme has too few sentences, with the arithmetic.

    References
    ----------
    .. [1] A. Wróblewska and K. Krasnowska-Kieraś (2017). Polish evaluation dataset for compositional distributional
       semantics models. ACL. Section 2.3.

    Examples
    --------
    Two images of two themes: only one pair of two captions of different themes is possible, and two are wanted.

    >>> images = [Image("i", "dogs", {"a": 0}, {}), Image("j", "boats", {"a": 1}, {})]
    >>> far = Kind(first="a", second="a'", theme="other")
    >>> ensemble_pairs(images, kinds=[far], rng=np.random.default_rng(1))
    Traceback (most recent call last):
    ...
    kostra.sampling.arrangement.TooFewSentencesError: 2 images want a pair "a a' of another theme" each, and 1 different
    can be made, not one for each; ...
      try: bring more images or themes, or leave this kind out
    """
    others = partners if partners is not None else images
    _check_themes(images, others, kinds)
    pools = _Pools(others)
    taken: set[frozenset[int]] = set()
    arranged: list[Arranged] = []
    for kind in kinds:
        chosen = [kind.by(author) for author in _authors(images, kind, kinds)]
        seconds = _matched(images, chosen, pools, taken, rng)
        made = [
            Arranged(image.name, own, image.captions[own.first], second)
            for image, own, second in zip(images, chosen, seconds, strict=True)
        ]
        arranged += made
        taken |= {frozenset((one.first, one.second)) for one in made}
    order = {image.name: number for number, image in enumerate(images)}
    return sorted(arranged, key=lambda one: order[one.image])  # stable: the kinds of an image stay in order


def _check_themes(images: Sequence[Image], partners: Sequence[Image], kinds: Sequence[Kind]) -> None:
    """Refuse themes in which an image finds no sentence of another image, and a single theme where two are needed."""
    for kind in kinds:
        authors = {kind.author, *((kind.every_second_image,) if kind.every_second_image else ())}
        if kind.theme == "other" and len({image.theme for image in partners}) < 2:
            what = f'all {len(partners):,} images have one theme, and a pair "{kind}" needs two'
            raise TooFewSentencesError(what, remedy="bring images of another theme, or leave this kind out")
        if kind.theme != "same":
            continue
        for author in sorted(authors):
            offers: dict[str, set[str]] = {}
            for image in partners:
                if author in image.captions and (not kind.made or image.made.get(author)):
                    offers.setdefault(image.theme, set()).add(image.name)
            lonely = {i.theme: 0 for i in images if not offers.get(i.theme, set()) - {i.name}}
            if lonely:
                sizes = {theme: sum(image.theme == theme for image in partners) for theme in lonely}
                each = some(
                    f'"{theme}" ({size:,} image{"s" if size != 1 else ""}, '
                    f"{len(offers.get(theme, ())):,} with such sentences)"
                    for theme, size in sizes.items()
                )
                what = f'a pair "{kind}" needs sentences of at least 2 images of a theme: too few are in {each}'
                raise TooFewSentencesError(
                    what, remedy="bring more images of these themes, merge themes, or leave them out"
                )


class _Entry(NamedTuple):
    row: int
    image: str
    theme: str


class _Pools:
    """Sentences that may stand second: captions and what was made from them, by author and by theme."""

    def __init__(self, images: Sequence[Image]) -> None:
        self.every: dict[tuple[str, bool], list[_Entry]] = {}
        self.of_theme: dict[tuple[str, bool, str], list[_Entry]] = {}
        for image in images:
            for author, caption in image.captions.items():
                for made, rows in ((False, (caption,)), (True, image.made.get(author, ()))):
                    entries = [_Entry(row, image.name, image.theme) for row in rows]
                    self.every.setdefault((author, made), []).extend(entries)
                    self.of_theme.setdefault((author, made, image.theme), []).extend(entries)

    def seconds(self, image: Image, kind: Kind, rng: np.random.Generator) -> Iterator[int]:
        """The sentences that may stand second, in random order, each once."""
        author = kind.author
        if kind.theme is None:
            own = image.made.get(author, ()) if kind.made else [image.captions[author]]
            yield from (own[number] for number in rng.permutation(len(own)).tolist())
        elif kind.theme == "same":
            pool = self.of_theme.get((author, kind.made, image.theme), [])
            yield from (entry.row for entry in _shuffled(pool, rng) if entry.image != image.name)
        else:
            pool = self.every.get((author, kind.made), [])
            yield from (entry.row for entry in _shuffled(pool, rng) if entry.theme != image.theme)


def _shuffled(pool: Sequence[_Entry], rng: np.random.Generator) -> Iterator[_Entry]:
    """Go through a pool in random order; the whole of it is shuffled only if a few draws do not suffice."""
    seen: set[int] = set()
    for _ in range(8 if pool else 0):
        number = int(rng.integers(len(pool)))
        if number not in seen:
            seen.add(number)
            yield pool[number]
    yield from (pool[number] for number in rng.permutation(len(pool)).tolist() if number not in seen)


def _authors(images: Sequence[Image], kind: Kind, kinds: Sequence[Kind]) -> list[str]:
    """Whose turn it is for each image: alternating, unless only one of the two has sentences enough."""
    if kind.every_second_image is None:
        return [kind.first] * len(images)
    both = (kind.first, kind.every_second_image)
    count = dict.fromkeys(both, 0)
    turns = []
    for image in images:
        able = [author for author in both if not lacks(image, kinds_with(kinds, kind.by(author)))] or list(both)
        turn = min(able, key=lambda author: count[author])  # the first of equals
        count[turn] += 1
        turns.append(turn)
    return turns


def kinds_with(kinds: Sequence[Kind], last: Kind) -> list[Kind]:
    """The kinds that every image has, and one more."""
    return [*(kind for kind in kinds if kind.every_second_image is None), last]


def lacks(image: Image, kinds: Sequence[Kind]) -> list[str]:
    """What an image needs of its own for these kinds and does not have, in words."""
    authors = {author for kind in kinds for author in (kind.first, *(() if kind.theme else (kind.author,)))}
    lacking = [f"a caption by {author}" for author in sorted(authors) if author not in image.captions]
    needed: dict[tuple[str, str], int] = {}
    for kind in kinds:
        if kind.made and kind.theme is None:
            needed[kind.first, kind.author] = needed.get((kind.first, kind.author), 0) + 1
    for author in sorted({author for _, author in needed}):
        most = max(count for (_, other), count in needed.items() if other == author)
        have = len(image.made.get(author, ()))
        if have < most:
            lacking.append(f"{most} sentences made from the caption by {author} (it has {have})")
    return lacking


def _matched(
    images: Sequence[Image], kinds: Sequence[Kind], pools: _Pools, taken: set[frozenset[int]], rng: np.random.Generator
) -> list[int]:
    """A second sentence for each image: at random, or where that leaves one without, by bipartite matching."""
    used = set(taken)
    chosen: list[int] = []
    for image, kind in zip(images, kinds, strict=True):
        first = image.captions[kind.first]
        free = (second for second in pools.seconds(image, kind, rng) if frozenset((first, second)) not in used)
        second = next(free, None)
        if second is None:
            return _by_matching(images, kinds, pools, taken, rng)
        used.add(frozenset((first, second)))
        chosen.append(second)
    return chosen


def _by_matching(
    images: Sequence[Image], kinds: Sequence[Kind], pools: _Pools, taken: set[frozenset[int]], rng: np.random.Generator
) -> list[int]:
    columns: dict[frozenset[int], int] = {}
    edges: dict[tuple[int, int], int] = {}
    for row, (image, kind) in enumerate(zip(images, kinds, strict=True)):
        for second in pools.seconds(image, kind, rng):
            pair = frozenset((image.captions[kind.first], second))
            if pair not in taken:
                edges[row, columns.setdefault(pair, len(columns))] = second
    places = np.array(list(edges), dtype=np.int64).reshape(-1, 2)
    shape = (len(images), max(len(columns), 1))
    graph = sparse.csr_array((np.ones(len(places), dtype=np.int8), (places[:, 0], places[:, 1])), shape=shape)
    found = csgraph.maximum_bipartite_matching(graph, perm_type="column").tolist()
    if -1 in found:
        without = found.index(-1)
        what = (
            f'{len(images):,} images want a pair "{kinds[without]}" each, and {len(columns):,} different can be made, '
        )
        what += f'not one for each; "{images[without].name}" of the theme "{images[without].theme}" goes without'
        raise TooFewSentencesError(what, remedy="bring more images or themes, or leave this kind out")
    return [edges[row, column] for row, column in enumerate(found)]
