"""Arranges captions and transformed sentences in the wanted kinds of pairs, with the reverse of each (CDSCorpus).

A caption's document is its image, its group the theme, its label the author. A transformed sentence names in `origin`
the caption it was made from, and in `change` the rule. In a kind of pair, ``a`` is the caption of author a, ``t(a)`` a
sentence made from it, ``a'`` the caption of another image by the same author, and ``t(a')`` a sentence made from that;
with a prime, `theme` says whether the other image has the same theme or another.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import polars as pl
from pydantic import Field

from kostra.errors import KostraError, some
from kostra.recipe import Strict
from kostra.sampling.arrangement import CDSC_KINDS, Image, Kind, TooFewSentencesError, ensemble_pairs, kinds_with, lacks
from kostra.sampling.buckets import nothing_fits, place
from kostra.sampling.pairing import pair_table
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame

READS = ("sentences",)
WRITES = ("pairs",)


class Options(Strict):
    """The kinds of pairs that every image gets."""

    kinds: tuple[Kind, ...] = Field(default=CDSC_KINDS, min_length=1)
    """Which pairs to make for each image."""
    reverses: bool = True
    """Whether the reverse of each pair is a pair too."""
    incomplete: Literal["leave_out", "refuse"] = "leave_out"
    """What to do with an image that lacks a caption or transformed sentences of its own."""


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """So many pairs per image; how many images there are is not known before the sentences are read."""
    says = f"makes {len(options.kinds)} pairs per image{' and the reverse of each' if options.reverses else ''}"
    return Plan(f"{says}, from {inputs.get('sentences', 0):,} sentences")


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Arrange the pairs of all images that have what they need."""
    sentences = inputs["sentences"]
    every = _images(sentences, options, context)
    complete = _complete(every, options, context)
    try:
        arranged = ensemble_pairs(complete, kinds=options.kinds, partners=every, rng=context.rng)
    except TooFewSentencesError as error:
        raise KostraError(error.what, where=place(context), remedy=error.remedy) from None
    first, second = [one.first for one in arranged], [one.second for one in arranged]
    pairs = pair_table(sentences, first, second, subset=context.step.name)
    pairs = pairs.with_columns(subset=pl.Series([str(one.kind) for one in arranged], dtype=pl.String))
    said = f"{len(complete):,} images × {len(options.kinds)} kinds = {pairs.height:,} pairs"
    if options.reverses:
        back = pair_table(sentences, second, first, subset=context.step.name).with_columns(
            subset=pairs["subset"], reverse=pairs["pair"]
        )
        pairs = pl.concat([pairs.with_columns(reverse=back["pair"]), back])
        said += f", with the reverse of each {pairs.height:,}"
    context.note("ensemble", said)
    return {"pairs": pairs}


def _images(sentences: Frame, options: Options, context: Context) -> list[Image]:
    """The images with their captions and what was made from these; what cannot be used is counted and listed."""
    numbered = sentences.with_row_index("row")
    usable = numbered.filter(
        pl.col("origin").is_null() & pl.all_horizontal(pl.col("document", "group", "label").is_not_null())
    )
    strangers = numbered.filter(pl.col("origin").is_null()).height - usable.height
    if strangers:
        context.note("left_out", f"{strangers:,} captions name no image, theme or author and are left out")
    made = _made(numbered, set(usable["sentence"]), options, context)
    images, torn = [], []
    for (name,), block in usable.group_by("document", maintain_order=True):
        if block["label"].is_duplicated().any() or block["group"].n_unique() > 1:
            torn.append(str(name))
            continue
        captions = dict(zip(block["label"].to_list(), block["row"].to_list(), strict=True))
        own = dict(zip(block["label"].to_list(), [made.get(s, []) for s in block["sentence"]], strict=True))
        images.append(Image(str(name), str(block["group"][0]), captions, own))
    if torn:
        said = f"{len(torn):,} images have two captions by one author, or two themes, and are left out"
        context.note("left_out", f"{said}: {some(torn)}")
    if not images:
        accepted = "captions with document (the image), group (the theme) and label (the author)"
        raise nothing_fits(
            f"none of the {sentences.height:,} sentences is a usable caption", context, accepted=accepted
        )
    return images


def _made(numbered: Frame, captions: set[str], options: Options, context: Context) -> dict[str, list[int]]:
    """The rows of what was made from each caption."""
    texts = dict(zip(numbered["sentence"], numbered["text"], strict=True))
    made: dict[str, list[int]] = {}
    lost, same = [], []
    for row, sentence, text, origin in (
        numbered.select("row", "sentence", "text", "origin").drop_nulls("origin").iter_rows()
    ):
        if origin not in captions:
            lost.append(sentence)
        elif texts[origin] == text:
            same.append(sentence)
        else:
            made.setdefault(origin, []).append(row)
    if lost:
        context.note("left_out", f"{len(lost):,} transformed sentences name an unknown caption as origin: {some(lost)}")
    if same:
        context.note("left_out", f"{len(same):,} transformed sentences equal their caption: {some(same)}")
    wanting = [str(kind) for kind in options.kinds if kind.made]
    if wanting and not made:
        raise nothing_fits(
            f"no sentence was made from a caption, and {len(wanting)} of {len(options.kinds)} kinds of pairs need such "
            f"sentences: {some(wanting, 10)}",
            context,
            accepted="sentences that name in `origin` the caption they were made from, and in `change` the rule",
            remedy="read a step that makes them, such as one that uses transforms/rules",
        )
    return made


def _complete(images: list[Image], options: Options, context: Context) -> list[Image]:
    """The images that have what the kinds of pairs need of an image itself."""
    lacking: dict[str, str] = {}
    for image in images:
        common = lacks(image, [kind for kind in options.kinds if kind.every_second_image is None])
        for kind in options.kinds:
            turns = (kind.first, kind.every_second_image) if kind.every_second_image else ()
            either = [lacks(image, kinds_with(options.kinds, kind.by(author))) for author in turns]
            common += sorted(either, key=len)[0] if either else []
        if common:
            lacking[image.name] = " and ".join(dict.fromkeys(common))
    if not lacking:
        return images
    said = f"{len(lacking):,} of {len(images):,} images lack sentences of their own"
    each = some(f"{name} lacks {what}" for name, what in lacking.items())
    if options.incomplete == "refuse" or len(lacking) == len(images):
        raise nothing_fits(f"{said}: {each}", context, remedy="bring the sentences, or leave out kinds of pairs")
    context.note("left_out", f"{said} and are left out: {each}")
    return [image for image in images if image.name not in lacking]
