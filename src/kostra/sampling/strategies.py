"""Pairs from files of sentences by any strategy, without a project: what ``kostra pairs`` does.

A strategy is a component of the room ``sampling`` that reads sentences and writes pairs. With the same seed it draws
here what it draws in a recipe, in a step that is named like the strategy.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import json
import math
import tempfile
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import numpy as np
import polars as pl
from pydantic import BaseModel, TypeAdapter

from kostra import files, registry, tables
from kostra.errors import KostraError, some, unknown
from kostra.recipe import About, Recipe, Score, Step, Strict, parse
from kostra.resample import seeded
from kostra.sampling.bias import BiasReport, bias_report
from kostra.sources.files import find_paths, note_left, read_table
from kostra.steps import Component, Context, Inputs, Progress, component, silent
from kostra.tables import Finding, Frame

Files = str | Path | Sequence[str | Path]


@dataclass(frozen=True)
class Pairs:
    """Pairs that a strategy drew, and how it came to them."""

    frame: Frame
    """A table of pairs."""
    sentences: Frame
    """What they were drawn from."""
    findings: tuple[Finding, ...]
    """What was noticed in the files and on the way."""
    strategy: str
    options: Strict
    """As validated, defaults included."""
    seed: int = 0
    predictor: str | None = None

    @cached_property
    def bias(self) -> BiasReport:
        """What the strategy favours, made when it is first asked for."""
        return bias_report(self.frame, self.sentences, predictor=self.predictor, rng=seeded(self.seed))


def pairs(
    corpus: Files,
    *,
    strategy: str,
    options: Mapping[str, object] | Sequence[str] = (),
    reader: str = "files",
    columns: Mapping[str, str] | None = None,
    language: str = "und",
    seed: int = 0,
    scheduler: str | None = None,
    workers: int | None = None,
    work: str | Path | None = None,
    predictor: str | None = None,
    progress: Progress = silent,
) -> Pairs:
    """Draw pairs of sentences from files.

    Parameters
    ----------
    corpus
        Files, folders or patterns; ``-`` is standard input.
    strategy
        A component of ``sampling`` that reads sentences and writes pairs; ``idf-dice`` is ``idf_dice``.
    options
        The strategy's options as in a recipe, or as strings such as ``pairs=100`` (see `parse_options`).
    reader
        The component of ``sources`` that reads the files: ``files``, or one such as ``paraphrases`` or ``tweets``.
    columns
        Our column to the files' column, where the names differ.
    language
        ISO 639 code for sentences whose file does not say it.
    seed
        The same seed gives the same pairs.
    scheduler, workers
        Where blocks of work run (see `kostra.sampling.schedulers`), for strategies that work in blocks: those that have
        options of these names, or say ``WORKS_IN_BLOCKS = True`` and find them in their context.
    work
        A folder in which finished blocks are kept, so that an interrupted search goes on where it stopped.
    predictor
        The encoder whose similarities stand for relatedness in the bias report; None leaves relatedness out.
    """
    name = _found(strategy)
    module = component(f"sampling/{name}")
    wanted = {key: value for key, value in (("scheduler", scheduler), ("workers", workers)) if value is not None}
    as_options = {key: value for key, value in wanted.items() if key in module.Options.model_fields}
    said = options if isinstance(options, Mapping) else parse_options(options, module.Options)
    chosen = _validated(module, {**said, **as_options}, name)
    with _folder(work) as folder:
        context = lone_context(f"sampling/{name}", folder, language=language, seed=seed)
        inputs = _read(corpus, reader, columns or {}, context)
        _enough(inputs, module, name, corpus, reader)
        context = _placed(context, module, {key: wanted[key] for key in wanted if key not in as_options})
        kept = folder if work is not None else None
        made = module.run(inputs, chosen, replace(context, progress=progress, blocks=kept))
        if work is not None and not any(folder.iterdir()):
            context.note("work", f'the strategy "{name}" keeps no blocks: nothing stands in {files.shown(folder)}')
    frame = tables.check(made["pairs"], tables.PAIRS, where=f'strategy "{name}"')
    return Pairs(frame, inputs["sentences"], tuple(context.findings), name, chosen, seed, predictor)


# A step without a project ------------------------------------------------------------------------------


def lone_context(use: str, folder: Path, *, language: str = "und", seed: int = 0) -> Context:
    """The context of a component that runs outside any project, as the only step of a recipe in memory.

    The step is named like the component, and its generator is the one that `kostra build` would give a step of that
    name under the same seed. Paths are relative to the working folder. No component of ``sampling`` looks at the time.

    Examples
    --------
    >>> lone_context("sampling/overlap", Path("nowhere")).step.name
    'overlap'
    """
    seeded(seed)  # refuses a negative one
    step = Step(name=use.partition("/")[2], use=use)
    about = {"name": "pairs", "title": "Pairs", "protocol": "none", "language": language, "seed": seed, "citation": ""}
    score = Score(question="none", low=0.0, high=1.0)
    recipe = Recipe(recipe=parse(About, about, where="pairs"), score=score, steps=(step,))
    rng = np.random.default_rng([seed, int.from_bytes(hashlib.sha256(step.name.encode()).digest()[:8], "big")])
    return Context(recipe, step, Path(), folder, rng, datetime(1970, 1, 1, tzinfo=UTC))


def _placed(context: Context, module: Component, wanted: Mapping[str, Any]) -> Context:
    """Tell a strategy that says it works in blocks where they run; for any other, say that it was not asked."""
    known = {field.name for field in fields(Context)}
    if wanted and (not getattr(module, "WORKS_IN_BLOCKS", False) or not known >= set(wanted)):
        said = f'the strategy "{context.step.name}" runs in this process alone'
        context.note("scheduler", f"{' and '.join(wanted)} not used: {said}")
        return context
    return replace(context, **wanted)


@contextmanager
def _folder(work: str | Path | None) -> Iterator[Path]:
    """The folder that was named; one made for this goes again if it stays empty, a nameless one in any case."""
    if work is None:
        with tempfile.TemporaryDirectory() as made:
            yield Path(made)
        return
    place = Path(work)
    new = not place.exists()
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise KostraError(f"cannot be a folder for blocks: {error.strerror}", where=files.shown(place)) from None
    try:
        yield place
    finally:
        if new and not any(place.iterdir()):
            place.rmdir()


# Sentences ---------------------------------------------------------------------------------------------


def _read(corpus: Files, reader: str, columns: Mapping[str, str], context: Context) -> Inputs:
    patterns = [str(one) for one in ([corpus] if isinstance(corpus, str | Path) else corpus)]
    if not patterns:
        raise KostraError("no corpus was named", accepted="one file of sentences, or several")
    if reader != "files":
        return _read_by(reader, patterns, columns, context)
    left: list[Path] = []
    paths = find_paths(patterns, folder=Path(), left=left)
    note_left(left, context)
    frames = []
    for path in paths:
        loaded = read_table(path, "sentences", language=context.recipe.recipe.language, columns=columns)
        context.findings.extend(loaded.findings)
        frames.append(loaded.frame)
    _refuse_repeated(frames, paths)
    return Inputs({"sentences": pl.concat(frames)})


def _read_by(reader: str, patterns: Sequence[str], columns: Mapping[str, str], context: Context) -> Inputs:
    module = component(f"sources/{reader.replace('-', '_')}")
    if module.READS or "sentences" not in module.WRITES or "paths" not in module.Options.model_fields:
        raise KostraError(f'"sources/{reader}" reads no files of sentences', remedy='use the reader "files"')
    if columns and "columns" not in module.Options.model_fields:
        raise KostraError(f'the reader "{reader}" takes its columns as they are', remedy="leave --column out")
    named = {"columns": dict(columns)} if columns else {}
    chosen = parse(module.Options, {"paths": patterns, **named}, where=f'reader "{reader}"')
    return Inputs(module.run(Inputs({}), chosen, context))


def _refuse_repeated(frames: Sequence[Frame], paths: Sequence[Path]) -> None:
    """One id for two sentences of different files: reading refuses it only inside a file."""
    seen: dict[str, Path] = {}
    for frame, path in zip(frames, paths, strict=True):
        twice = [name for name in frame["sentence"] if name in seen]
        if twice:
            others = f" ({len(twice):,} ids are in both)" if len(twice) > 1 else ""
            raise KostraError(
                f'the sentence id "{twice[0]}" stands in {files.shown(seen[twice[0]])} too{others}',
                where=files.shown(path),
                remedy="rename ids, or a file: without a column `sentence`, ids are made of its name and the line",
            )
        seen.update(dict.fromkeys(frame["sentence"], path))


def _enough(inputs: Inputs, module: Component, name: str, corpus: Files, reader: str) -> None:
    where = some([corpus] if isinstance(corpus, str | Path) else corpus, 3)
    lacking = [kinds for kinds in module.READS if not any(kind in inputs for kind in kinds.split("|"))]
    if lacking:
        raise KostraError(
            f'the strategy "{name}" also reads {", ".join(lacking)}, which the reader "{reader}" does not give',
            where=where,
            remedy="use another reader, or a recipe with a step that writes them",
        )
    if inputs["sentences"].height < 2:
        raise KostraError("one sentence makes no pair", where=where, accepted="two sentences or more")


# Strategies and their options --------------------------------------------------------------------------


@dataclass(frozen=True)
class Option:
    """One thing that can be set, in words."""

    name: str
    accepts: str
    default: str | None
    """As it would be written on the command line; None where it must be said."""
    doc: str


@dataclass(frozen=True)
class Strategy:
    """A way to draw pairs."""

    name: str
    summary: str
    options: tuple[Option, ...]


def strategies() -> list[Strategy]:
    """List what reads sentences and writes pairs, with options and defaults.

    Examples
    --------
    >>> [one.default for one in strategies() if one.name == "overlap" for one in one.options][:3]
    [None, '0.25', '0.75']
    """
    return [
        Strategy(name, registry.summary(registry.load("sampling", name)), _options(module.Options))
        for name in registry.names("sampling")
        for module in [component(f"sampling/{name}")]
        if _pairs_sentences(module)
    ]


def _pairs_sentences(module: Component) -> bool:
    """Whether a component makes pairs of sentences; one that passes on what it reads, or reads answers, is none."""
    reads = {kind for kinds in module.READS for kind in kinds.split("|")}
    makes = "pairs" in module.WRITES and "sentences" not in module.WRITES
    return makes and "sentences" in reads and "judgments" not in reads


def _found(strategy: str) -> str:
    name = strategy.replace("-", "_")
    if name not in registry.names("sampling"):
        raise unknown("strategy", strategy, [one.name for one in strategies()])
    module = component(f"sampling/{name}")
    if not _pairs_sentences(module):
        does = f"reads {', '.join(module.READS)} and writes {', '.join(module.WRITES)}"
        what = f'"{strategy}" {does}: it is a step of recipes, and no strategy that pairs sentences'
        raise KostraError(what, accepted=", ".join(one.name for one in strategies()))
    return name


def _validated(module: Component, options: dict[str, object], name: str) -> Strict:
    where = f'strategy "{name}"'
    known = module.Options.model_fields
    missing = [key for key, field in known.items() if field.is_required() and not {key, field.alias} & set(options)]
    if missing and set(options) <= {*known, *(field.alias for field in known.values())}:
        said = next(option for option in _options(module.Options) if option.name == missing[0])
        raise KostraError(f'the option "{missing[0]}" is missing', where=where, accepted=said.accepts)
    return parse(module.Options, options, where=where)


def _options(model: type[BaseModel]) -> tuple[Option, ...]:
    docs = _attribute_docs(model)
    found = []
    for name, field in model.model_fields.items():
        default = None if field.is_required() else _written(field.get_default(call_default_factory=True))
        found.append(Option(name, _accepts(field.annotation), default, docs.get(name, "")))
    return tuple(found)


def _attribute_docs(model: type[BaseModel]) -> dict[str, str]:
    """The strings below the fields of a class, which Python itself does not keep."""
    try:
        body = ast.parse(textwrap.dedent(inspect.getsource(model))).body[0]
    except (OSError, TypeError):  # made without a file
        return {}
    found = {}
    for before, after in pairwise(body.body if isinstance(body, ast.ClassDef) else []):
        match before, after:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(doc))):
                found[name] = " ".join(doc.split())
    return found


def _written(value: Any) -> str:
    """A default as it would stand on the command line."""
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    if isinstance(value, tuple | list) and all(isinstance(one, str | int | float) for one in value):
        return ",".join(map(_written, value))
    return str(value) if isinstance(value, str | int | float) else TypeAdapter(Any).dump_json(value).decode()


_WORDS = {bool: "yes or no", int: "a whole number", float: "a number", str: "text", NoneType: "none", Path: "a path"}


def _accepts(annotation: Any) -> str:
    """What an option takes, in words.

    Examples
    --------
    >>> _accepts(int | None), _accepts(tuple[float, ...])
    ('a whole number, or none', 'several, by commas: a number')
    """
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType):
        return ", or ".join(_accepts(one) for one in inner)
    if origin is Literal:
        return f"one of {', '.join(str(one) for one in inner)}"
    if hasattr(annotation, "__metadata__"):
        return _accepts(inner[0])
    if origin in (tuple, list):
        each = _accepts(inner[0])
        return "a list in JSON" if each == "JSON" else f"several, by commas: {each}"
    return _WORDS.get(annotation, "JSON")


def parse_options(strings: Sequence[str], model: type[BaseModel]) -> dict[str, object]:
    """Make options of strings such as ``pairs=100``, by the types that the model says.

    Lists of numbers or words are written with commas, what is more complex in JSON; ``none`` is nothing, where that is
    accepted. Bounds are left to the model.

    Examples
    --------
    >>> from kostra.sampling.overlap import Options
    >>> parse_options(["pairs=100", "length-difference=0.5", "paraphrases=yes"], Options)
    {'pairs': 100, 'length_difference': 0.5, 'paraphrases': True}
    """
    found: dict[str, object] = {}
    for one in strings:
        said, equals, text = one.partition("=")
        name = said.strip().replace("-", "_")
        if not (equals and name):
            raise KostraError(f'option: found "{one}"', accepted="NAME=VALUE, such as pairs=100")
        if name not in model.model_fields:
            raise unknown("option", name, model.model_fields)
        if name in found:
            raise KostraError(f'the option "{name}" is said twice', accepted="each option once")
        annotation = model.model_fields[name].annotation
        try:
            found[name] = _value(text.strip(), annotation)
        except ValueError:  # pydantic's and json's are such
            raise KostraError(f'option "{name}": found "{text}"', accepted=_accepts(annotation)) from None
    return found


def _value(text: str, annotation: Any) -> Any:
    inner = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
    if NoneType in inner and text.lower() in ("none", ""):
        return None
    if text[:1] in ("{", "[") and any("JSON" in _accepts(one) for one in inner):
        return json.loads(text)
    for one in inner:
        if get_origin(one) in (tuple, list):
            return [_plain(part.strip(), get_args(one)[0]) for part in text.split(",") if text]
    return _plain(text, annotation)


def _plain(text: str, annotation: Any) -> Any:
    value = TypeAdapter(annotation).validate_python(text)
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError
    return value
