"""Words of a sentence as treebanks split them, for parsers that bring no tokenizer; languages in Latin script.

White space always parts tokens, and so do brackets, quotation marks and other signs; numbers, dates, addresses and
dotted abbreviations stay whole. What differs between languages is small: English keeps the dot of *Dr.* and splits
*don't* and *cat's*; Polish splits *byłem* and *żebym* (one token, two words) as UD_Polish-PDB does, and *biało-czarny*
at its hyphen. Every token knows whether a blank follows, so that the text comes back letter by letter, but for white
space, of which only one blank remains.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from kostra.errors import extra_needed


@dataclass(frozen=True, slots=True)
class Token:
    """A written word or sign, and the words that it stands for."""

    form: str
    glued: bool
    """Whether the next token follows without a blank."""
    parts: tuple[str, ...] = ()
    """The words of the tree, where the token is several."""

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the tree: the form itself unless it is several words."""
        return self.parts or (self.form,)


_TOKEN = re.compile(
    r"""
    (?:https?://|www\.)\S*[\w/]               # addresses
    | [\w.+-]+@[\w-]+(?:\.[\w-]+)+            # mail
    | \d+(?:[.,:/]\d+)+                       # 1,5  6:30  1.335  08/16/2000
    | (?:[^\W\d_]\.){2,}[^\W\d_]?             # p.n.e  U.S.
    | [\w-]+\.(?:com|org|net|edu|gov|pl|cz|uk|pdf|docx?|xlsx?|html?|jpe?g|png|txt)\b
    | \w+(?:['’]\w+)*                         # words, with what stands behind an apostrophe
    | °\w
    | ([.!?…*=_~$<>-])\1+                     # dots and dashes in a row
    | .                                       # any other sign, alone
    """,
    re.VERBOSE | re.DOTALL,
)
_JOINED = re.compile(r"\w+(?:['’]\w+)*(?:-\w+(?:['’]\w+)*)+")
_ENGLISH_ABBREVIATIONS = frozenset(
    (
        "mr", "mrs", "ms", "dr", "prof", "st", "rev", "gen", "col", "sgt", "capt", "lt", "gov", "sen", "rep", "hon",
        "jr", "sr", "inc", "corp", "co", "ltd", "vs", "etc", "fig", "no", "vol", "dept", "est", "ext", "jan", "feb",
        "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec",
    )
)  # fmt: skip
_ENGLISH_PREFIXES = frozenset(
    (
        "e", "re", "co", "un", "non", "pre", "mis", "anti", "post", "counter", "ex", "mid", "semi", "multi", "over",
        "under",
    )
)  # fmt: skip
_ENGLISH_CLITIC = re.compile(r"(?i)(.+?)(n['’]t|['’](?:s|m|re|ve|ll|d))$")
_ENGLISH_PAIRS = {"cannot": 3, "gonna": 3, "wanna": 3, "gotta": 3}
_POLISH_ENDING = re.compile(r"(?:[aeo]m|[aeo]ś|śmy|ście|by[mś]?|ń)$", re.IGNORECASE)
_POLISH_HOSTS = frozenset({"praet", "winien", "comp", "part"})
_POLISH_OBSOLETE = ("daw.", "arch.", "przest.", "gwar.", "rzad.")
_POLISH_ALWAYS_TWO = frozenset({"miałem"})
"""More often *I had* than the name of a powder."""


def tokenize(text: str, language: str | None = None) -> list[Token]:
    """The tokens of one sentence.

    Parameters
    ----------
    text
        The sentence; white space of any kind and length counts as one blank.
    language
        ISO 639 code; any but ``en`` and ``pl`` gets only what languages share.

    Examples
    --------
    >>> [token.form for token in tokenize("W 2004 r. (p.n.e.) było 1,5 mln...", "pl")]
    ['W', '2004', 'r', '.', '(', 'p.n.e', '.', ')', 'było', '1,5', 'mln', '...']
    >>> [token.words for token in tokenize("Dr. Ray can't!", "en")]
    [('Dr.',), ('Ray',), ('ca', "n't"), ('!',)]
    """
    found = []
    for chunk in text.split():
        pieces = list(_pieces(chunk, language))
        found += [Token(form, glued=True, parts=_parts(form, language)) for form in pieces[:-1]]
        found.append(Token(pieces[-1], glued=False, parts=_parts(pieces[-1], language)))
    return found


def _pieces(chunk: str, language: str | None) -> Iterator[str]:
    place = 0
    while place < len(chunk):
        joined = _JOINED.match(chunk, place)
        if joined and _stays_joined(joined.group(), language):
            yield joined.group()
            place = joined.end()
            continue
        match = _TOKEN.match(chunk, place)
        assert match is not None  # the last alternative matches any character
        end = match.end()
        form = match.group()
        if language == "en" and end < len(chunk) and chunk[end] == "." and _keeps_dot(form):
            end += 1
        elif language != "en" and form.endswith(".") and len(form) > 1 and form[0] != ".":
            end -= 1  # the last dot of p.n.e. is a sign of its own, as in the Polish treebanks
        yield chunk[place:end]
        place = end


def _keeps_dot(form: str) -> bool:
    return form.lower() in _ENGLISH_ABBREVIATIONS or (len(form) == 1 and form.isupper() and form != "I")


def _stays_joined(form: str, language: str | None) -> bool:
    """Whether a word with hyphens is one token."""
    parts = form.split("-")
    if all(part.isdigit() for part in parts):
        return language == "en" and len(parts) > 2  # a telephone number, and no range
    if language == "en":
        return parts[0].lower() in _ENGLISH_PREFIXES
    if any(char.isdigit() for char in form) or any(part[:1].isupper() for part in parts[1:]):
        return True  # 10-letni, B-29, Joliot-Curie
    return not (language == "pl" and _polish_hyphen(form))


def _parts(form: str, language: str | None) -> tuple[str, ...]:
    if language == "pl" and _POLISH_ENDING.search(form):
        return _polish_parts(form)
    if language == "en":
        if form.lower() in _ENGLISH_PAIRS:
            cut = _ENGLISH_PAIRS[form.lower()]
            return form[:cut], form[cut:]
        if (clitic := _ENGLISH_CLITIC.match(form)) is not None:
            return clitic.group(1), clitic.group(2)
    return ()


@lru_cache(maxsize=65_536)
def _polish_parts(form: str) -> tuple[str, ...]:
    """Split a personal ending (*był·em*, *chciał·by·m*, *żeby·m*) and *do·ń*, unless the form is a word by itself."""
    paths = _morfeusz()(form)
    end = max((last for _, last, _ in paths), default=0)
    if end < 2:
        return ()
    whole = [reading for first, last, reading in paths if (first, last) == (0, end) and not _obsolete(reading)]
    if whole and form.lower() not in _POLISH_ALWAYS_TWO:
        return ()
    parts: list[str] = []
    for place in range(end):
        here = [reading for first, last, reading in paths if (first, last) == (place, place + 1)]
        kinds = {reading[2].split(":")[0] for reading in here}
        fits = kinds & _POLISH_HOSTS if place == 0 else kinds & {"aglt", "part"}
        if not (fits or (form.lower().endswith("ń") and kinds & {"prep", "ppron3"})):
            return ()
        parts.append(here[0][0])
    return tuple(parts) if "".join(parts) == form else ()


@lru_cache(maxsize=16_384)
def _polish_hyphen(form: str) -> bool:
    """Whether a hyphen parts two Polish words: each is known, and the whole is not a word of the dictionary."""
    paths = _morfeusz()(form)
    known = all(reading[2] != "ign" for _, _, reading in paths)
    return known and max((last for _, last, _ in paths), default=0) > 1


def _obsolete(reading: Any) -> bool:
    return any(said in line for line in reading[4] for said in _POLISH_OBSOLETE)


@cache
def _morfeusz() -> Callable[[str], Any]:
    try:
        import morfeusz2
    except ImportError as error:
        raise extra_needed("morfeusz2", "parse", purpose="splitting Polish words") from error
    analyse: Callable[[str], Any] = morfeusz2.Morfeusz(generate=False).analyse
    return analyse
