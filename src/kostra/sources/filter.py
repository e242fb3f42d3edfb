"""Keeps sentences of the wanted length, language and letters, each once, and lists what it removed and why.

The filters go one after the other, in the order of the options below; each says how many it removed. Everything that
was removed stands in ``removed.csv`` in the step's folder, with the filter and the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Literal

import polars as pl
from pydantic import Field, field_validator, model_validator

from kostra import files, tables
from kostra.errors import some
from kostra.recipe import Strict
from kostra.sources import sieves
from kostra.sources.sieves import TOKENS, Verdicts
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame
from kostra.text import WORDS_VERSION, bare

READS = ("sentences",)
WRITES = ("sentences",)

Share = Annotated[float, Field(gt=0, le=1)]


class Options(Strict):
    """What a sentence must be like; what is not said is not looked at."""

    min_words: Annotated[int, Field(ge=0)] = 0
    """Least number of words, inclusive."""
    max_words: Annotated[int, Field(ge=1)] | None = None
    """Most words, inclusive."""
    more_than_words: Annotated[int, Field(ge=0)] | None = None
    """The same bounds as others say them: more than 5 and fewer than 15."""
    fewer_than_words: Annotated[int, Field(ge=2)] | None = None
    """Keep sentences of fewer words than this."""
    tokens: str = WORDS_VERSION
    r"""How words are told: words-1 (runs of ``\w``) or blanks-1 (what stands between blanks)."""
    max_characters: Annotated[int, Field(ge=1)] | None = None
    """Keep sentences of at most so many characters."""
    languages: tuple[str, ...] = ()
    """Languages that a sentence may be declared to have."""
    detect_language: bool = False
    """Remove what looks like another language than it is declared to be (extra ``detect``)."""
    detect_min_words: Annotated[int, Field(ge=1)] = 5
    """Shorter sentences tell too little by which to detect a language, and stay."""
    scripts: tuple[str, ...] = ()
    """Scripts that letters may have: latin, cyrillic, greek, …"""
    min_letters: Share | None = None
    """Least share of letters among the characters that are no blanks."""
    word_list: str | None = None
    """A file of words or phrases, one a line; sentences with any of them are removed."""
    duplicates: Literal["keep", "exact", "near"] = "keep"
    """Whether a text that repeats an earlier one goes: letter by letter, or but for white space and punctuation."""
    similar: Share | None = None
    """Remove a sentence that shares so many words (Dice) with an earlier one that stays."""

    @field_validator("tokens")
    @classmethod
    def _known(cls, tokens: str) -> str:
        if tokens not in TOKENS:
            raise ValueError(f'unknown tokens "{tokens}"; known are {", ".join(TOKENS)}')
        return tokens

    @model_validator(mode="after")
    def _in_order(self) -> Options:
        if self.most is not None and self.least > self.most:
            raise ValueError(f"no sentence can have at least {self.least} and at most {self.most} words")
        return self

    @property
    def least(self) -> int:
        """The least number of words, inclusive."""
        return max(self.min_words, 0 if self.more_than_words is None else self.more_than_words + 1)

    @property
    def most(self) -> int | None:
        """The most words, inclusive."""
        bounds = [self.max_words, None if self.fewer_than_words is None else self.fewer_than_words - 1]
        return min((bound for bound in bounds if bound is not None), default=None)


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """At most all sentences stay."""
    count = inputs.get("sentences", 0)
    others = [name for name, _ in _filters(options, Path())][1:]
    and_by = f", and looks at their {', '.join(others)}" if others else ""
    upper = f" to {options.most}" if options.most else " or more"
    says = f"keeps those of {count:,} sentences that have {options.least}{upper} words{and_by}"
    return Plan(says, {"sentences": count})


def watches(options: Options, context: Context) -> list[Path]:
    """The list of words, if there is one."""
    return [context.project / options.word_list] if options.word_list else []


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Apply one filter after the other; note what each removed."""
    kept = inputs["sentences"]
    context.note("tokens", f"words counted with {options.tokens}")
    if options.detect_language:
        context.note("detector", f"languages detected with {sieves.detector()}")
    gone = []
    for name, judge in _filters(options, context.project):
        verdicts = pl.Series("reason", judge(kept), dtype=pl.String)
        removed = kept.filter(verdicts.is_not_null()).with_columns(verdicts.drop_nulls(), filter=pl.lit(name))
        if removed.height:
            gone.append(removed.select("sentence", "text", "filter", "reason"))
            _note(name, removed, kept.height, context)
        kept = kept.filter(verdicts.is_null())
    if gone:
        tables.write(pl.concat(gone), context.folder / "removed.csv")
    return {"sentences": kept}


def _note(name: str, removed: Frame, total: int, context: Context) -> None:
    examples = some(f"{one} ({reason})" for one, reason in removed.select("sentence", "reason").iter_rows())
    first = str(removed["text"][0])
    shown = f', such as "{first[:80]}{"…" if len(first) > 80 else ""}"' if name != _WORDS else ""
    said = f"{removed.height:,} of {total:,} sentences removed by their {name}{shown}: {examples}"
    context.note("removed", said)


_WORDS = "number of words"


def _filters(options: Options, project: Path) -> Iterator[tuple[str, Callable[[Frame], Verdicts]]]:
    """The filters that the options ask for, each under what it looks at."""
    least, most, tokens = options.least, options.most, options.tokens
    yield _WORDS, lambda frame: sieves.by_length(_texts(frame), least=least, most=most, tokens=tokens)
    if (longest := options.max_characters) is not None:
        yield "length", lambda frame: sieves.by_characters(_texts(frame), most=longest)
    if options.languages:
        yield "language", lambda frame: sieves.by_language(frame["language"].to_list(), wanted=options.languages)
    if options.detect_language:
        yield (
            "detected language",
            lambda frame: sieves.by_detected_language(
                _texts(frame), frame["language"].to_list(), least=options.detect_min_words
            ),
        )
    if options.scripts:
        yield "script", lambda frame: sieves.by_script(_texts(frame), allowed=[s.casefold() for s in options.scripts])
    if (letters := options.min_letters) is not None:
        yield "letters", lambda frame: sieves.by_letters(_texts(frame), least=letters)
    if (listed := options.word_list) is not None:
        yield (
            "words on the list",
            lambda frame: sieves.by_word_list(
                _texts(frame), unwanted=[word for _, word in files.numbered_lines(project / listed)]
            ),
        )
    if options.duplicates != "keep":
        key = bare if options.duplicates == "near" else str
        yield "repetition", lambda frame: sieves.by_repetition(_texts(frame), frame["sentence"].to_list(), key=key)
    if (share := options.similar) is not None:
        yield (
            "likeness",
            lambda frame: sieves.by_shared_words(
                _texts(frame), frame["sentence"].to_list(), share=share, tokens=tokens
            ),
        )


def _texts(frame: Frame) -> list[str]:
    return frame["text"].to_list()
