"""Proposes corrections of spelling, each as a pair: as written, as proposed; a person decides on each.

By a hunspell dictionary with suggestions ranked by likeness and frequency, or by the service Korektor, which sees
grammar too. Words written as names, numbers, addresses and tags are passed over and counted. Which word a proposal is
about stands in ``proposals.csv`` in the step's folder, and in the pair's id (`kostra.sources.spelling.proposals`).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import polars as pl
from pydantic import Field, model_validator

from kostra import tables
from kostra.errors import KostraError, some
from kostra.recipe import Strict
from kostra.sources.spelling import dictionaries, proposals
from kostra.sources.spelling.checking import Checker, HunspellChecker, korektor_checker, lacking
from kostra.sources.spelling.korektor import LINDAT
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame

READS = ("sentences",)
WRITES = ("pairs",)
WAITS = True  # for a dictionary that a person must install


class Options(Strict):
    """Who proposes, and how much."""

    checker: Literal["hunspell", "korektor"] = "hunspell"
    """A dictionary on this machine, or Korektor's service, which is sent the text."""
    language: Annotated[str, Field(pattern=r"^[a-z]{2,3}$")] | None = None
    """ISO 639 code of the sentences to check, the recipe's language unless said; sentences in others are left alone."""
    dictionary: str | None = None
    """For hunspell: a .dic file or a folder of them in the project, or a variant such as en_GB."""
    suggestions: Annotated[int, Field(ge=1, le=20)] = 1
    """At most so many proposals for one word, each a pair of its own."""
    url: str = LINDAT
    """For korektor: the address of the service, to which the sentences are sent."""
    model: str | None = None
    """For korektor: the model; the service's default, which is Czech, unless said."""

    @model_validator(mode="after")
    def _for_its_checker(self) -> Options:
        if self.checker == "korektor" and self.dictionary is not None:
            raise ValueError("korektor takes no dictionary; that is for hunspell")
        if self.checker == "hunspell" and (self.model is not None or self.url != LINDAT):
            raise ValueError('hunspell asks no service; for one, say checker = "korektor"')
        return self


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:
    """How many mistakes there are cannot be told; a dictionary that is not there is told before anything runs."""
    count = inputs.get("sentences", 0)
    says = f"checks the spelling of {count:,} sentences with {options.checker}"
    error = _lacking(options, context) if options.checker == "hunspell" else None
    if error is None:
        return Plan(says)
    place = f"{error.where}: " if error.where else ""
    remedy = f" (try: {error.remedy})" if error.remedy else ""
    return Plan(says, waits=f"for its dictionary: {place}{error.what}{remedy}")


def _lacking(options: Options, context: Context) -> KostraError | None:
    """What keeps hunspell from checking on this machine."""
    try:
        dictionaries.check_files(_dictionary_file(options, context))
    except KostraError as error:
        return error
    return lacking()


def watches(options: Options, context: Context) -> list[Path]:
    """The dictionary's two files."""
    if options.checker != "hunspell":
        return []
    path = _dictionary_file(options, context)
    return [path, path.with_suffix(".aff")]


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Check every sentence of the language; note what was proposed, passed over and beyond help."""
    sentences = inputs["sentences"]
    language = _language(options, context)
    ours = sentences.filter(pl.col("language") == language)
    if not ours.height:
        there = some(sentences["language"].unique(maintain_order=True))
        raise KostraError(f'no sentence is in "{language}"', where=f'step "{context.step.name}"', accepted=there)
    if ours.height < sentences.height:
        others = sentences.height - ours.height
        context.note("language", f"{others:,} of {sentences.height:,} sentences are not in {language}: not checked")
    if options.checker == "korektor":
        checker: Checker = korektor_checker(language, url=options.url, model=options.model, most=options.suggestions)
    else:
        loaded = dictionaries.dictionary(_dictionary_file(options, context))
        checker = HunspellChecker(loaded, language=language, most=options.suggestions)
    found = checker.check(ours["text"].to_list(), progress=context.progress)
    for kind, said in found.told(checker):
        context.note(kind, said)
    tables.write(proposals.listed(ours, found.proposals), context.folder / "proposals.csv")
    return {"pairs": proposals.to_pairs(ours, found.proposals, checker=checker.name)}


def _language(options: Options, context: Context) -> str:
    return options.language or context.recipe.recipe.language


def _dictionary_file(options: Options, context: Context) -> Path:
    """The dictionary that the options name, or the machine's for the language."""
    return dictionaries.find(_language(options, context), named=options.dictionary, folder=context.project)
