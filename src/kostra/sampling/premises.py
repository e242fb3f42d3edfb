"""Premise with premise, by overlap after each word became its most frequent synonym (STR-2021's SNLI pairs)."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import polars as pl
from pydantic import Field

from kostra import files
from kostra.errors import KostraError
from kostra.recipe import Strict
from kostra.sampling.buckets import FloatArray, IntArray, by_source, each_text_once, even_counts, nothing_fits, place
from kostra.sampling.mining import Corpus, gather
from kostra.sampling.mining_search import near_in_length
from kostra.sampling.pairing import pair_table
from kostra.steps import Context, Inputs, Plan, Progress, silent
from kostra.tables import Frame
from kostra.text import words

READS = ("sentences",)
WRITES = ("pairs",)

WORDNET = "wordnet"

Synonyms = Mapping[str, frozenset[str]]
"""Each word's synonyms, the word itself left out."""


class Options(Strict):
    """The published constraints, and the thesaurus."""

    pairs: Annotated[int, Field(ge=1)]
    """How many pairs to draw."""
    low: Annotated[float, Field(ge=0, le=1)] = 0.25
    """Least share of the first sentence's words that the second has, inclusive; one word is always shared."""
    high: Annotated[float, Field(gt=0)] = 0.75
    """The share must stay below this."""
    length_difference: Annotated[float, Field(ge=0)] = 0.25
    """Greatest difference in length, as a share of the longer sentence's number of words."""
    thesaurus: str = ""
    """A file (see `read_thesaurus`), relative to the project's folder; a bare name such as
    "roget" is ``data/roget.txt`` or ``data/roget.tsv``, and words count as they are while there is none; "wordnet" is
    an installed WordNet; empty is none."""
    label: str = ""
    """The label of premises, where other sentences stand beside them; empty is every sentence."""


def premise_pairs(
    tokens: Sequence[Sequence[str]],
    *,
    count: int,
    low: float = 0.25,
    high: float = 0.75,
    length_difference: float = 0.25,
    rng: np.random.Generator,
    progress: Progress = silent,
) -> tuple[IntArray, FloatArray]:
    """Pair sentences, each first one drawn at random, with a partner that shares some of its words [1]_.

    The share of the first sentence's distinct words that the partner has lies in ``[low, high)``, and the numbers of
    words differ by at most `length_difference` of the longer. Published is the first partner that fits in the order of
    the corpus; here it is a random one, so that the corpus's first sentences are not everybody's partners. No pair
    comes twice, in either order. Once every sentence has been first, they are gone through again.

    Returns
    -------
    The pairs of sentence numbers, one a row, and their shares; fewer than `count` if there are no more.

    References
    ----------
    .. [1] M. Abdalla, K. Vishnubhotla and S. M. Mohammad (2021). What makes sentences semantically related? Appendix
       A.1.1.

    Examples
    --------
    "a" is a quarter of the first two sentences; the third shares nothing.

    >>> found, shares = premise_pairs(
    ...     [["a", "b", "c", "d"], ["a", "x", "y", "z"], ["q", "r", "s", "t"]], count=5, rng=np.random.default_rng(1)
    ... )
    >>> sorted(found[0].tolist()), shares.tolist()
    ([0, 1], [0.25])
    """
    corpus = gather(tokens)
    drawn: list[tuple[int, int]] = []
    shares: list[float] = []
    taken: dict[int, list[int]] = {}
    before = -1
    while before < len(drawn) < count:
        before = len(drawn)
        for first in rng.permutation(corpus.sentences).tolist():
            share = _shares(corpus, first)
            near = near_in_length(corpus.lengths[first], corpus.lengths, length_difference)
            fits = (share >= low) & (share < high) & (share > 0) & near
            fits[[first, *taken.get(first, [])]] = False
            partners = np.flatnonzero(fits)
            if not len(partners):
                continue
            second = int(rng.choice(partners))
            drawn.append((first, second))
            shares.append(float(share[second]))
            taken.setdefault(first, []).append(second)
            taken.setdefault(second, []).append(first)
            progress(len(drawn), count)
            if len(drawn) == count:
                break
    return np.array(drawn, dtype=np.int64).reshape(-1, 2), np.array(shares, dtype=np.float64)


def _shares(corpus: Corpus, first: int) -> FloatArray:
    """The share of one sentence's distinct words that each sentence has."""
    types = corpus.types[corpus.starts[first] : corpus.starts[first + 1]]
    marked = np.zeros(corpus.incidence.shape[1], dtype=np.int64)
    marked[types] = 1
    return np.asarray(corpus.incidence @ marked / max(len(types), 1), dtype=np.float64)


@dataclass(frozen=True)
class Thesaurus:
    """Synonyms, and what of the file could not be used."""

    synonyms: Synonyms
    sets: int
    phrases: int
    """Members that are more than one word and so never equal a token."""


def read_thesaurus(path: str | Path) -> Thesaurus:
    r"""Read a thesaurus from a text file.

    A line is either a word, a tab and a synonym (more may follow after further tabs), or a set of words that are
    synonyms of each other, set apart by commas or semicolons or, where there are none, by blanks. Empty lines and those
    that begin with ``#`` do not count.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "own.txt"
    ...     _ = file.write_text("# mine\ncar, automobile, motor car\nauto\tcar\n")
    ...     found = read_thesaurus(file)
    >>> sorted(found.synonyms["car"]), found.phrases
    (['auto', 'automobile'], 1)
    """
    gathered: dict[str, set[str]] = {}
    sets, phrases = 0, 0
    for number, line in files.numbered_lines(path):
        if not line.strip() or line.startswith("#"):
            continue
        members, skipped = _members(line)
        if len(members) + skipped < 2:
            place = f"{files.shown(path)}:{number}"
            raise KostraError(f'found "{line.strip()}"', where=place, accepted="two words or more that are synonyms")
        sets += 1
        phrases += skipped
        # A set binds all its members; a line with tabs binds its first word alone, in both directions.
        bound = [(members[0], members[1:])] if "\t" in line and members else [(one, members) for one in members]
        for word, others in bound:
            for other in others:
                if other != word:
                    gathered.setdefault(word, set()).add(other)
                    gathered.setdefault(other, set()).add(word)
    if not sets:
        raise KostraError("the thesaurus is empty", where=files.shown(path), accepted="one set of synonyms a line")
    return Thesaurus({word: frozenset(others) for word, others in gathered.items()}, sets, phrases)


def _members(line: str) -> tuple[list[str], int]:
    """The single words of a line, and how many phrases stand beside them."""
    if "\t" in line:
        cells = line.split("\t")
    elif "," in line or ";" in line:
        cells = line.replace(";", ",").split(",")
    else:
        cells = line.split()
    tokens = [words(cell) for cell in cells if cell.strip()]
    singles = list(dict.fromkeys(found[0] for found in tokens if len(found) == 1))
    return singles, sum(len(found) != 1 for found in tokens)


def most_frequent_synonyms(sentences: Iterable[Sequence[str]], synonyms: Synonyms) -> dict[str, str]:
    """What each word of the sentences is replaced by: the most frequent of it and its synonyms in these sentences.

    Published as *the most frequent synonym* [1]_; the word itself takes part, because otherwise two words that are
    each other's only synonym would just change places. Among equally frequent words the first in the alphabet wins.
    A word without synonyms stays, and so is not told.

    References
    ----------
    .. [1] M. Abdalla, K. Vishnubhotla and S. M. Mohammad (2021). What makes sentences semantically related? Appendix
       A.1.1.

    Examples
    --------
    >>> synonyms = {"car": frozenset({"auto"}), "auto": frozenset({"car"})}
    >>> most_frequent_synonyms([["a", "car"], ["car", "auto"]], synonyms)  # car stands twice, auto once
    {'car': 'car', 'auto': 'car'}
    """
    frequency = Counter(word for sentence in sentences for word in sentence)
    return {
        word: min((word, *synonyms[word]), key=lambda other: (-frequency[other], other))
        for word in frequency
        if word in synonyms
    }


def wordnet(vocabulary: Iterable[str], language: str) -> Synonyms:
    """Synonyms from an installed WordNet: of the package ``wn`` or, for English, of ``nltk``; the data must be there.

    Raises
    ------
    KostraError
        If neither package with its data is found.
    """
    for package, lookup in (("wn", _by_wn), ("nltk.corpus", _by_nltk)):
        try:
            found = lookup(importlib.import_module(package), language)
            return {word: frozenset(found(word)) - {word} for word in vocabulary}
        except (ImportError, LookupError, _NoDataError):
            continue
    raise KostraError(
        f'no WordNet for the language "{language}" is installed',
        accepted='the packages "wn" or, for English, "nltk", with their data',
        remedy="pip install wn && python -m wn download oewn:2024; or name a thesaurus file of your own",
    )


class _NoDataError(Exception):
    """The package is there, a WordNet of the language is not."""


def _by_wn(wn: Any, language: str) -> Any:
    if not wn.lexicons(lang=language):
        raise _NoDataError
    return lambda word: _single(lemma for synset in wn.synsets(word, lang=language) for lemma in synset.lemmas())


def _by_nltk(corpora: Any, language: str) -> Any:
    if language != "en":
        raise _NoDataError
    corpora.wordnet.ensure_loaded()  # a LookupError, if the data are not there
    return lambda word: _single(name for synset in corpora.wordnet.synsets(word) for name in synset.lemma_names())


def _single(lemmas: Iterable[Any]) -> set[str]:
    """Lemmas of one word, in lower case."""
    tokens = (words(str(lemma).replace("_", " ")) for lemma in lemmas)
    return {found[0] for found in tokens if len(found) == 1}


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """At most as many pairs as asked for."""
    synonyms = f", synonyms from {options.thesaurus} counting as one word" if options.thesaurus else ""
    bounds = f"{options.low:.0%} to {options.high:.0%} of their words shared{synonyms}"
    says = f"draws {options.pairs:,} pairs from {inputs.get('sentences', 0):,} premises with {bounds}"
    return Plan(says, {"pairs": options.pairs})


def watches(options: Options, context: Context) -> list[Path]:
    """The thesaurus."""
    return _files(options.thesaurus, context)


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Draw the pairs inside each source, as many from each as from the others."""
    sentences = _premises(each_text_once(inputs["sentences"], context), options, context)
    tokens = _normalised([words(text) for text in sentences["text"]], options, context)
    numbered = sentences.with_row_index("row")
    blocks = [block["row"].to_numpy().astype(np.int64) for _, block in by_source(numbered)]
    pairs, shares = [], []
    for rows, count in zip(blocks, even_counts(options.pairs, range(len(blocks))).tolist(), strict=True):
        found, overlap = premise_pairs(
            [tokens[row] for row in rows.tolist()],
            count=count,
            low=options.low,
            high=options.high,
            length_difference=options.length_difference,
            rng=context.rng,
            progress=context.progress,
        )
        pairs.append(rows[found])
        shares.append(overlap)
    drawn = np.concatenate([np.zeros((0, 2), dtype=np.int64), *pairs])
    if not len(drawn):
        raise nothing_fits(
            f"no two of the {sentences.height:,} sentences fit the bounds",
            context,
            accepted=f"pairs inside one source that share {options.low:.0%} or more, and less than {options.high:.0%}",
            remedy="lower `low`, raise `high` or `length_difference`, or bring more sentences",
        )
    if len(drawn) < options.pairs:
        context.note("fewer", f"{len(drawn):,} pairs instead of {options.pairs:,}: the sentences offer no more")
    again = len(drawn) - len(np.unique(drawn[:, 0]))
    if again:
        context.note("first_again", f"{again:,} of {len(drawn):,} pairs begin with a sentence that began one before")
    subset, overlaps = context.step.name, np.concatenate(shares)
    return {"pairs": pair_table(sentences, drawn[:, 0], drawn[:, 1], subset=subset, overlap=overlaps)}


def _premises(sentences: Frame, options: Options, context: Context) -> Frame:
    if not options.label:
        return sentences
    kept = sentences.filter((pl.col("label") == options.label).fill_null(False))
    if kept.height < sentences.height:
        context.note("left_out", f"{sentences.height - kept.height:,} sentences are not labelled {options.label}")
    if kept.is_empty():
        raise nothing_fits(f'no sentence has the label "{options.label}"', context)
    return kept


def _normalised(tokens: list[list[str]], options: Options, context: Context) -> list[list[str]]:
    """The sentences with each word as its most frequent synonym."""
    if options.thesaurus == WORDNET:
        synonyms = wordnet({word for sentence in tokens for word in sentence}, context.recipe.recipe.language)
    else:
        file = next((path for path in _files(options.thesaurus, context) if path.is_file()), None)
        if file is None:
            _without_thesaurus(options.thesaurus, context)
            return tokens
        thesaurus = read_thesaurus(file)
        synonyms = thesaurus.synonyms
        if thesaurus.phrases:
            said = f"{thesaurus.phrases:,} members of its {thesaurus.sets:,} sets are more than one word"
            context.note("thesaurus", f"{options.thesaurus}: {said}, and equal no word of a sentence")
    replaced = most_frequent_synonyms(tokens, synonyms)
    changed = sum(word != other for word, other in replaced.items())
    known = len({word for sentence in tokens for word in sentence})
    context.note("thesaurus", f"{changed:,} of {known:,} different words became a more frequent synonym")
    return [[replaced.get(word, word) for word in sentence] for sentence in tokens]


def _without_thesaurus(name: str, context: Context) -> None:
    """Say that words count as they are; a file that was named with its ending must be there."""
    if name and _is_path(name):
        raise KostraError(
            f'there is no thesaurus "{name}"',
            where=place(context),
            accepted=f'a file in the project\'s folder, "{WORDNET}", or nothing',
        )
    missing = f'there is no thesaurus "{name}" (data/{name}.txt, data/{name}.tsv)' if name else "no thesaurus is named"
    context.note("thesaurus", f"{missing}: overlap is of the words as they are, and synonyms do not count")


def _is_path(name: str) -> bool:
    return "/" in name or "." in name


def _files(name: str, context: Context) -> list[Path]:
    if not name or name == WORDNET:
        return []
    if _is_path(name):
        return [context.project / name]
    return [context.project / "data" / f"{name}{ending}" for ending in (".txt", ".tsv")]
