"""Spelling: words checked and suggestions made per second, and how often the first suggestion is what was meant.

Typos are made from words of the sample corpora that the dictionary knows, by a seeded draw of five mistakes: a letter
dropped, doubled, swapped with the next, replaced by a neighbour on the keyboard, or all diacritics lost. What is by
chance a word again is drawn anew. The peer is hunspell's own suggest, on the same typos and the same dictionary. The
costs in `kostra.sources.spelling.suggestions` were chosen on other words (UD treebanks), but on these five mistakes.

    python -m bench.spelling
"""

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from kostra import tables
from kostra.errors import KostraError
from kostra.sources.spelling.checking import HunspellChecker
from kostra.sources.spelling.dictionaries import Dictionary, dictionary, find
from kostra.sources.spelling.suggestions import plain, suggestions, vocabulary
from kostra.sources.spelling.words import words

LANGUAGES = ("en", "cs", "pl")
MISTAKES = ("drop", "double", "swap", "neighbour", "diacritics")
TYPOS = 250
"""Per language; hunspell suggests about ten times a second."""
REPEATS = 40
"""How often the sample is checked for the speed of checking."""
_QWERTY = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_KEYS = {"en": _QWERTY, "pl": _QWERTY, "cs": ("qwertzuiop", "asdfghjkl", "yxcvbnm")}


@dataclass(frozen=True)
class Typo:
    """A mistake in a word."""

    written: str
    meant: str
    mistake: str


def texts(language: str) -> list[str]:
    """Every sentence of the sample corpora of a language."""
    found: list[str] = []
    folder = Path(str(files("kostra.sources"))) / "samples" / language
    for path in sorted(folder.glob("*.csv")):
        cells, _ = tables.read_cells(path)
        found += [str(cell) for name in ("text", "text_a", "text_b") for cell in cells.get(name, []) if cell]
    return found


def mistaken(word: str, mistake: str, language: str, rng: random.Random) -> str:
    """The word with one mistake; itself where the mistake cannot be made."""
    place = rng.randrange(len(word))
    match mistake:
        case "drop":
            return word[:place] + word[place + 1 :]
        case "double":
            return word[: place + 1] + word[place:]
        case "swap":
            return word[:place] + word[place : place + 2][::-1] + word[place + 2 :]
        case "neighbour":
            near = _neighbours(plain(word[place]), _KEYS[language])
            return word[:place] + rng.choice(near) + word[place + 1 :] if near else word
        case _:
            return plain(word)


def _neighbours(letter: str, rows: Sequence[str]) -> list[str]:
    places = {one: (row, column) for row, keys in enumerate(rows) for column, one in enumerate(keys)}
    if letter not in places:
        return []
    row, column = places[letter]
    return [
        one for one, (r, c) in places.items() if one != letter and abs(r - row) <= 1 and abs(c - column) <= 1
    ]  # fmt: skip


def typos(language: str, known: Dictionary, *, count: int, seed: int = 1) -> list[Typo]:
    """Mistakes in words of four letters or more, each kind as often as the others where the language has it."""
    rng = random.Random(seed)
    pool = [one.text for text in texts(language) for one in words(text) if one.kind == "word"]
    pool = [word for word in pool if word.islower() and word.isalpha() and len(word) > 3 and known.known(word)]
    kinds = MISTAKES[:-1] if language == "en" else MISTAKES
    made: list[Typo] = []
    while len(made) < count:
        kind = kinds[len(made) % len(kinds)]
        meant = rng.choice(pool)
        written = mistaken(meant, kind, language, rng)
        if written != meant and not known.known(written):
            made.append(Typo(written, meant, kind))
    return made


def _hits(cases: Sequence[Typo], first: Callable[[str], Sequence[str]]) -> tuple[dict[str, float], float]:
    """Share of typos whose first suggestion is right, by mistake and in all ("all"), and suggestions per second."""
    begun = time.process_time()
    right = [first(case.written)[:1] == [case.meant] for case in cases]
    seconds = time.process_time() - begun
    shares = {"all": sum(right) / len(right)}
    for kind in MISTAKES:
        own = [hit for hit, case in zip(right, cases, strict=True) if case.mistake == kind]
        if own:
            shares[kind] = sum(own) / len(own)
    return shares, len(cases) / seconds


def _checked_per_second(language: str, loaded: Dictionary) -> tuple[float, float]:
    """Words per second, by our checker on text that repeats itself and by the dictionary alone on each word."""
    sample = texts(language)
    flat = [one.text for text in sample for one in words(text) if one.kind == "word"]
    checker = HunspellChecker(loaded, language=language)
    begun = time.process_time()
    count = sum(1 for _ in range(REPEATS) for word in flat if checker.known(word) is not None)
    ours = count / (time.process_time() - begun)
    begun = time.process_time()
    count = sum(1 for word in flat if loaded.known(word) is not None)
    return ours, count / (time.process_time() - begun)


def main() -> None:
    for language in LANGUAGES:
        try:
            loaded = dictionary(find(language))
        except KostraError as error:
            print(f"{language}: skipped: {error}\n")
            continue
        with_memory, alone = _checked_per_second(language, loaded)
        begun = time.process_time()
        known_words = vocabulary(language)
        index = time.process_time() - begun
        cases = typos(language, loaded, count=TYPOS)
        ours, our_rate = _hits(cases, lambda word: suggestions(word, loaded, known_words))  # noqa: B023 - used at once
        theirs, their_rate = _hits(cases, lambda word: list(loaded.suggest(word)))  # noqa: B023
        print(f"{language} ({loaded.name}): {len(cases)} typos")
        print(f"  words checked per second of CPU: {alone:,.0f} each anew, {with_memory:,.0f} with repeats remembered")
        print(f"  vocabulary indexed in {index:.1f} s of CPU, once a run")
        print(f"  {'':<10}{'suggestions/s':>14}{'hit@1':>8}" + "".join(f"{kind:>12}" for kind in MISTAKES))
        for name, shares, rate in (("kostra", ours, our_rate), ("hunspell", theirs, their_rate)):
            cells = "".join(f"{shares[kind]:>12.3f}" if kind in shares else f"{'–':>12}" for kind in MISTAKES)
            print(f"  {name:<10}{rate:>14,.0f}{shares['all']:>8.3f}{cells}")
        print(f"  ratio: {our_rate / their_rate:,.0f} times as fast\n")


if __name__ == "__main__":
    main()
