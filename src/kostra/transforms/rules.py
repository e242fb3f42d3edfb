"""Makes new sentences from dependency trees by rule, and says what relation each rule intends.

Every output names in `origin` the sentence it was made from and in `change` the rule; the step's folder gets
``outputs.csv`` with variant, intended relation and confidence as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Annotated

import polars as pl
from pydantic import Field

from kostra import tables
from kostra.errors import KostraError, some
from kostra.recipe import Strict
from kostra.sources.readings import respelled
from kostra.steps import Context, Inputs, Plan
from kostra.tables import SENTENCES, Frame, check
from kostra.transforms.engine import Engine, Output, chosen_rules, language, safest
from kostra.transforms.plain import not_plain
from kostra.trees import Tree, parse_conllu

READS = ("sentences", "trees")
WRITES = ("sentences",)
OUTPUTS_EACH = 20  # what a Polish caption of a dozen words gives on average, for the plan


class Options(Strict):
    """Which rules, and how much of what they make."""

    rules: tuple[str, ...] = Field(default=(), description="all of the language unless named")
    """Names of rules; all of the language unless named."""
    compose: Annotated[int, Field(ge=1, le=3)] = 1
    """How many rules may work one upon the other."""
    limit: Annotated[int, Field(ge=1)] | None = None
    """The most confident so many outputs of each rule for one sentence."""
    confidence: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Least confidence of an output."""
    language: str | None = None
    """ISO 639 code, where it is not the recipe's."""


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:
    """Name the rules; an unknown language or rule shows before anything runs."""
    spoken = language(options.language or context.recipe.recipe.language)
    rules = chosen_rules(spoken, options.rules, where=context.step.name)
    count = inputs.get("sentences", 0)
    says = f"transforms {count:,} sentences by {len(rules)} rules: {some((rule.name for rule in rules), 7)}"
    return Plan(says, {"sentences": count * OUTPUTS_EACH})


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Apply the rules to every sentence that has a tree."""
    engine = Engine(
        options.language or context.recipe.recipe.language, rules=options.rules or None, compose=options.compose
    )
    sources = inputs["sentences"].filter(pl.col("origin").is_null())
    readings = _readings(inputs["trees"], sources, reread=engine.language.rereads, context=context)
    _note_unfit(readings, engine, context)
    short = {text: found for text, found in readings.items() if engine.reads(found[0])}
    mended = {text: [engine.mended(tree) for tree in found] for text, found in short.items()}
    engine.offer_mended(
        (mended[row["text"]], row["group"]) for row in sources.iter_rows(named=True) if row["text"] in mended
    )
    made: list[dict[str, object]] = []
    counts: Counter[str] = Counter()
    unsure = 0
    for done, row in enumerate(sources.iter_rows(named=True)):
        context.progress(done, sources.height)
        found = mended.get(row["text"])
        outputs = engine.outputs_of_mended(found, theme=row["group"]) if found else []
        unsure += sum(output.confidence < options.confidence for output in outputs)
        for number, output in enumerate(safest(outputs, options.limit, least=options.confidence), 1):
            counts[output.rule] += 1
            made.append(_row(row, number, output))
    context.progress(sources.height, sources.height)
    if unsure:
        context.note("unsure", f"{unsure:,} outputs are less sure than {options.confidence:g}, and left out")
    _note(counts, engine, context)
    if not made:
        raise KostraError(
            "no rule made anything of these sentences", where=context.step.name, remedy="kostra transform --explain"
        )
    tables.write(pl.DataFrame(made).select(_LISTED), context.folder / "outputs.csv")
    columns = {column.name: [row.get(column.name) for row in made] for column in SENTENCES.columns}
    return {"sentences": check(pl.DataFrame(columns, schema=SENTENCES.dtypes), SENTENCES, where="sentences")}


_LISTED = ("sentence", "origin", "change", "variant", "relation", "confidence", "text")


def _readings(trees: Frame, sources: Frame, *, reread: bool, context: Context) -> dict[str, list[Tree]]:
    """The trees of each text, in its other spellings too where the language asks for them and they are there."""
    conllu = dict(zip(trees["text"].to_list(), trees["conllu"].to_list(), strict=True))
    texts = list(dict.fromkeys(sources["text"].to_list()))
    lost = [text for text in texts if text not in conllu]
    if lost:
        raise KostraError(
            f"{len(lost):,} sentences have no tree: {some(_short(lost), 3)}",
            where="trees",
            remedy="let the step sources/parse read the same sentences",
        )
    spelt = {text: [text, *(one for one in respelled(text) if reread and one in conllu)] for text in texts}
    once = sum(len(found) == 1 for found in spelt.values())
    if reread and once:
        advice = "say respelled = true in the step that parses, and only what all readings give is kept"
        context.note("read once", f"{once:,} sentences have one reading; {advice}")
    return {
        text: [parse_conllu(conllu[one], where=f'the tree of "{one[:40]}"')[0] for one in found]
        for text, found in spelt.items()
    }


def _short(texts: list[str]) -> list[str]:
    return [f'"{text[:60]}{"…" if len(text) > 60 else ""}"' for text in texts]


def _row(source: Mapping[str, object], number: int, output: Output) -> dict[str, object]:
    return {
        **source,
        "sentence": f"{source['sentence']}~{number}",
        "text": output.text,
        "position": None,
        "origin": source["sentence"],
        "change": output.rule,
        "variant": output.variant,
        "relation": output.relation,
        "confidence": output.confidence,
    }


def _note_unfit(readings: Mapping[str, list[Tree]], engine: Engine, context: Context) -> None:
    """Say which sentences no rule will look at."""
    long = [text for text, found in readings.items() if not engine.reads(found[0])]
    if long:
        most = engine.language.longest
        context.note("skipped", f"{len(long):,} sentences of more than {most} words: {some(_short(long), 3)}")
    unfit = [text for text, found in readings.items() if not_plain(found[0]) is not None]
    if unfit:
        context.note("unfit", f"{len(unfit):,} that are no plain sentence are left alone: {some(_short(unfit), 3)}")


def _note(counts: Counter[str], engine: Engine, context: Context) -> None:
    context.note("outputs", ", ".join(f"{rule} {count:,}" for rule, count in counts.most_common()))
    silent = [rule.name for rule in engine.rules if not counts[rule.name]]
    if silent:
        context.note("silent", f"rules that made nothing: {', '.join(silent)}")
    if engine.disputed:
        said = ", ".join(f"{rule} {count:,}" for rule, count in engine.disputed.most_common())
        context.note(
            "disputed", f"outputs that not every reading of their sentence gives, and that are left out: {said}"
        )
    refusals = engine.inflector.refusals
    if refusals:
        said = ", ".join(f"{why} {count:,}" for why, count in refusals.most_common())
        context.note("inflection", f"forms that could not be told, so that nothing was made with them: {said}")
