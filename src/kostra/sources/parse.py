"""Parses sentences, or both sides of pairs, into dependency trees: one for each distinct text.

Trees are remembered by sentence and parser across projects (see `kostra.sources.parse_cache`).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from kostra.recipe import Strict
from kostra.sources import parse_cache, parsers
from kostra.sources.readings import respelled
from kostra.steps import Context, Inputs, Plan
from kostra.tables import TREES, Frame, check

READS = ("sentences|pairs",)
WRITES = ("trees",)
WAITS = True  # for a model that a person must fetch


class Options(Strict):
    """Which parser."""

    parser: str
    """``udpipe:PATH``, ``spacy:NAME``, ``stanza:LANG`` or ``conllu:FILE``; paths are relative to the project."""
    respelled: bool = False
    """Whether each text is parsed in its other spellings as well, so that rules can keep to what all readings give."""
    cache: bool = True
    """Whether trees are looked up and kept on this machine."""


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:
    """At most one tree per text; a parser that is not there yet is named before anything runs."""
    kind = "sentences" if "sentences" in inputs else "pairs"
    count = inputs.get(kind, 0)
    says = (
        f"parses the texts of {count:,} {kind} with {options.parser}{', each in three spellings' * options.respelled}"
    )
    texts = (count if kind == "sentences" else 2 * count) * (3 if options.respelled else 1)
    return Plan(says, {"trees": texts}, waits=_lacking(options, context))


def _lacking(options: Options, context: Context) -> str | None:
    """What keeps the parser from being made."""
    error = parsers.lacking(options.parser, folder=context.project)
    if error is None:
        return None
    what = f"{error.where}: {error.what}" if error.where else error.what
    return f"for its parser: {what}; {error.remedy or 'lay the model there, or name another parser in recipe.toml'}"


def watches(options: Options, context: Context) -> list[Path]:
    """The model's file, if the parser is one."""
    return parsers.watches(options.parser, folder=context.project)


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Parse every distinct text."""
    kind, frame = inputs.either("sentences", "pairs")
    columns = ("text",) if kind == "sentences" else ("text_a", "text_b")
    own = [text for column in columns for text in frame[column].to_list()]
    others = [text for one in own for text in respelled(one)] if options.respelled else []
    texts = list(dict.fromkeys([*own, *others]))
    parser = parsers.parser(options.parser, folder=context.project)
    cache = parse_cache.ParseCache() if options.cache else None
    try:
        trees = parse_cache.parse(parser, texts, cache=cache, progress=context.progress)
    finally:
        if cache:
            cache.close()
    context.note("parser", f"{options.parser}, {parser.revision}")
    made = pl.DataFrame(
        {"text": texts, "parser": [options.parser] * len(texts), "conllu": [tree.conllu() for tree in trees]},
        schema=TREES.dtypes,
    )
    return {"trees": check(made, TREES, where="trees")}
