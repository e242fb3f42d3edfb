"""What a misspelt word was probably meant to be, the most probable first.

A word w scores for a misspelt m as in a noisy channel: log₁₀ of its frequency, less what the mistakes cost,

    zipf(w) − EDIT · d(m°, w°) − STRAY · s(m°, w°) − MARK · marks,    marks = d(m, w) − d(m°, w°),

where ° drops diacritics and capitals and d counts insertions, deletions, substitutions and swaps of neighbours, so that
a lost háček or ogonek costs less than a wrong letter (Damerau 1964; for the channel Kernighan, Church and Gale 1990).
Where m has no diacritics at all, marks counts 1 at most: whoever writes without them loses all at once. The number s of
letters that w lacks altogether tells stray letters, of which there are as many as the alphabet has, from letters left
out, doubled or swapped, of which there is one.

Candidates are the words of wordfreq's list within one edit of m° that the dictionary knows, found by symspellpy; where
there is none, hunspell's own suggestions, which are slower by two orders of magnitude and look further.
"""

from __future__ import annotations

import importlib
import math
import unicodedata
from functools import lru_cache
from typing import Any

from rapidfuzz.distance import OSA

from kostra.errors import extra_needed
from kostra.sources.spelling.dictionaries import Dictionary

EDIT = 2.0
MARK = 1.5
"""Both chosen on typos made in words of UD treebanks (CAC, PUD, EWT); the benchmark's words are others."""
STRAY = math.log10(26)
_NO_MARK = str.maketrans("łŁøØđĐ", "lLoOdD")  # letters with a stroke, which Unicode does not take apart


def plain(word: str) -> str:
    """A word without diacritics and capitals.

    Examples
    --------
    >>> plain("Żółty"), plain("kůň")
    ('zolty', 'kun')
    """
    word = word.lower()
    if word.isascii():
        return word
    parts = unicodedata.normalize("NFD", word.translate(_NO_MARK))
    return "".join(char for char in parts if not unicodedata.combining(char))


class Vocabulary:
    """Words of a language with their frequencies, to be found by how they look."""

    def __init__(self, frequencies: dict[str, float]) -> None:
        symspell = _module("symspellpy")
        self._all = symspell.Verbosity.ALL
        self._index: Any = symspell.SymSpell(max_dictionary_edit_distance=1, prefix_length=7)
        self._zipf: dict[str, float] = {}
        self._words: dict[str, list[str]] = {}
        for word, frequency in frequencies.items():
            if word.replace("'", "").isalpha():
                self._zipf[word] = math.log10(frequency) + 9
                self._words.setdefault(plain(word), []).append(word)
        for form in self._words:
            self._index.create_dictionary_entry(form, 1)

    def zipf(self, text: str) -> float:
        """The frequency on the Zipf scale (log₁₀ per 10⁹ words) of a word, or of several that follow one another."""
        return sum(self._zipf.get(word, 0.0) - 9 for word in text.lower().split()) + 9

    def near(self, word: str) -> list[str]:
        """Words within one edit, diacritics and capitals apart."""
        found = self._index.lookup(plain(word), self._all, 1)
        return [word for one in found for word in self._words[one.term]]


@lru_cache(maxsize=4)
def vocabulary(language: str) -> Vocabulary:
    """The vocabulary of a language, by its ISO 639 code; without words where wordfreq has none."""
    wordfreq = _module("wordfreq")
    code = language.replace("-", "_").partition("_")[0]
    return Vocabulary(wordfreq.get_frequency_dict(code) if code in wordfreq.available_languages() else {})


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise extra_needed(name, "spell", purpose="ranking suggestions of spelling") from error


def suggestions(word: str, dictionary: Dictionary, words: Vocabulary, *, most: int = 5) -> list[str]:
    """The best so many proposals for a misspelt word, capitalised as it is."""
    capital = word[0].isupper()
    small = word[0].lower() + word[1:]
    candidates = [form for near in words.near(small) if (form := _as_known(near, dictionary)) is not None]
    if not candidates:
        candidates = list(dictionary.suggest(word))
    # The first letter of a sentence tells nothing of whether a name was meant; elsewhere a name costs its capital.
    scores = {form: score(small, form.lower() if capital else form, words) for form in candidates}
    best = sorted(scores, key=lambda form: -scores[form])  # equal ones stay in hunspell's order
    made = [_in_the_style_of(word, form[0].upper() + form[1:] if capital else form) for form in best]
    return [form for form in dict.fromkeys(made) if form != word][:most]


def score(written: str, meant: str, words: Vocabulary) -> float:
    """How probable it is that one word was written where the other was meant; higher is better."""
    look, right = plain(written), plain(meant)
    edits = OSA.distance(look, right)
    stray = sum(letter not in right for letter in look)
    marks = max(0, OSA.distance(written, meant) - edits)
    if written == look:
        marks = min(marks, 1)
    return words.zipf(meant) - EDIT * edits - STRAY * stray - MARK * marks


def _as_known(word: str, dictionary: Dictionary) -> str | None:
    """The word of the list, which is in lower case, as the dictionary knows it: *praha* is *Praha*."""
    if dictionary.known(word):
        return word
    name = word[0].upper() + word[1:]
    return name if dictionary.known(name) else None


def _in_the_style_of(written: str, proposed: str) -> str:
    return proposed.replace("'", "’") if "’" in written else proposed
