"""Proposals of spelling for a file, without a project: what ``kostra spell`` does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from kostra import files
from kostra.errors import KostraError, unknown
from kostra.sources.files import read_table
from kostra.sources.spelling import dictionaries, proposals
from kostra.sources.spelling.checking import Checker, HunspellChecker, korektor_checker
from kostra.sources.spelling.korektor import LINDAT
from kostra.steps import Progress, silent
from kostra.tables import SENTENCES, Finding, Frame, check

CHECKERS = ("hunspell", "korektor")


@dataclass(frozen=True)
class Spelt:
    """What a checker proposes for the sentences of a file."""

    frame: Frame
    """One row per proposal: sentence, start, end, word, proposed, rank, text; places are characters from 0."""
    pairs: Frame
    """The same as pairs, as the step ``sources/spell`` writes them: as written, as proposed."""
    sentences: int
    words: int
    findings: tuple[Finding, ...] = ()


def spell(
    path: str | Path,
    *,
    language: str,
    columns: Mapping[str, str] | None = None,
    checker: str = "hunspell",
    dictionary: str | None = None,
    suggestions: int = 1,
    url: str = LINDAT,
    model: str | None = None,
    progress: Progress = silent,
) -> Spelt:
    """Propose corrections of the spelling of sentences; nothing is changed.

    Parameters
    ----------
    path
        One sentence per line (``-`` is standard input), or a table of sentences (.csv, .tsv, .jsonl, .parquet).
    language
        ISO 639 code, with or without a region: ``cs``, ``pl``, ``en``, ``en_GB``.
    columns
        Our column to the file's column, where the names differ.
    checker
        ``hunspell``, which asks a dictionary on this machine, or ``korektor``, which asks a service.
    dictionary
        For hunspell: a .dic file, a folder of them, or a variant such as ``en_GB``; found by the language unless given.
    suggestions
        At most so many proposals for one word.
    url, model
        For korektor: the address of the service, to which the sentences are sent, and the model.
    progress
        Called with (done, total), counted in sentences.
    """
    if checker not in CHECKERS:
        raise unknown("checker", checker, CHECKERS)
    if not 1 <= suggestions <= 20:
        raise KostraError(f"{suggestions} suggestions for one word", accepted="a number from 1 to 20")
    made = _checker(checker, language, dictionary, suggestions, url, model)
    sentences, findings = _sentences(path, language, columns)
    found = made.check(sentences["text"].to_list(), progress=progress)
    where = files.shown(path)
    return Spelt(
        proposals.listed(sentences, found.proposals),
        proposals.to_pairs(sentences, found.proposals, checker=made.name),
        sentences.height,
        found.words,
        (*findings, *(Finding(kind, said, where) for kind, said in found.told(made))),
    )


def _checker(
    name: str, language: str, dictionary: str | None, suggestions: int, url: str, model: str | None
) -> Checker:
    if name == "korektor":
        if dictionary is not None:
            raise KostraError("korektor takes no dictionary", where="--dictionary", remedy="use the checker hunspell")
        return korektor_checker(language, url=url, model=model, most=suggestions)
    loaded = dictionaries.dictionary(dictionaries.find(language, named=dictionary))
    return HunspellChecker(loaded, language=language, most=suggestions)


def _sentences(path: str | Path, language: str, columns: Mapping[str, str] | None) -> tuple[Frame, list[Finding]]:
    """The sentences of a file, without those that say they are in another language."""
    code = language.replace("-", "_").partition("_")[0]
    if files.uncompressed(path).suffix.lower() in files.FORMATS:
        every = read_table(path, "sentences", language=code, columns=columns).frame
        ours = every.filter(pl.col("language").is_in([code, "und"]))
        if ours.height == every.height:
            return ours, []
        said = f"{every.height - ours.height:,} of {every.height:,} sentences are not in {code}: not checked"
        return ours, [Finding("language", said, files.shown(path))]
    lines = files.numbered_lines(path)
    if not lines:
        raise KostraError("there is no sentence", where=files.shown(path))
    source = files.stem(path)
    rows = {"sentence": [f"{source}:{number}" for number, _ in lines], "text": [text for _, text in lines]}
    frame = pl.DataFrame(rows).with_columns(source=pl.lit(source), language=pl.lit(code))
    return check(frame, SENTENCES, where=files.shown(path)), []
