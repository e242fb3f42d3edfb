"""Sentences transformed by rule, without a project: what ``kostra transform`` does."""

from __future__ import annotations

import contextlib
import gc
import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kostra import __version__, files, tables
from kostra.errors import KostraError, some
from kostra.sampling.schedulers import Work, run_job
from kostra.sources.files import read_table
from kostra.sources.parse_cache import ParseCache, parse
from kostra.sources.parsers import Parser, parser
from kostra.sources.readings import respelled
from kostra.steps import Progress, silent
from kostra.tables import Finding, Frame
from kostra.transforms import drawing, verify
from kostra.transforms.engine import Engine, Language, Output, Refusal, chosen_rules, language, safest
from kostra.transforms.plain import not_plain
from kostra.trees import Tree, parse_conllu

COLUMNS = ("source", "rule", "variant", "text", "relation", "confidence")
BLOCK = 50
"""Sentences that are worked on, and kept, together."""
POOL = 300
"""Sentences from which the mixing rule takes dependents: a seeded sample of the input."""
WIDE_POOL = 1000
"""The same for languages that read again: they give only what all readings agree on, so fewer dependents each."""
TREES = (".conllu", ".conll")
_SHOWN = 60
"""Characters of a long sentence that a message shows."""
TABLES = (".csv", ".tsv", ".jsonl", ".parquet")
Readings = tuple[Tree, ...]
"""A sentence's trees: as it stands, and in its other spellings where they are asked for."""


@dataclass(frozen=True)
class Source:
    """A sentence to be transformed."""

    name: str
    """Its id, or the sentence itself where it has none."""
    text: str
    theme: str | None = None
    conllu: str | None = None
    """Its tree, where the input brings it."""


@dataclass(frozen=True)
class Transformed:
    """New sentences, and what was noticed on the way."""

    frame: Frame
    sources: int
    findings: tuple[Finding, ...] = ()

    @property
    def by_rule(self) -> dict[str, int]:
        """How many outputs each rule made."""
        return dict(Counter(self.frame["rule"].to_list()))


def transform(
    sentences: str | Path,
    *,
    language: str,
    parser: str | None = None,
    columns: Mapping[str, str] | None = None,
    rules: Sequence[str] | None = None,
    compose: int = 1,
    limit: int | None = None,
    confidence: float = 0.0,
    seed: int = 0,
    reread: bool | None = None,
    verify: bool = False,
    workers: int | None = None,
    work: Path | None = None,
    progress: Progress = silent,
) -> Transformed:
    """Transform sentences by the rules of a language.

    Parameters
    ----------
    sentences
        One sentence per line (.txt, or ``-``), a table of sentences (.csv, .tsv, .jsonl, .parquet; its groups are the
        themes), or trees (.conllu).
    language
        ISO 639 code.
    parser
        Such as ``udpipe:models/pl.udpipe``; not needed for trees.
    columns
        Our column to the table's column, where the names differ.
    rules
        Names of rules; all unless said.
    compose
        How many rules may work one upon the other.
    limit
        The most confident so many outputs of each rule for one sentence.
    confidence
        Least confidence of an output, from 0 to 1.
    seed
        Draws the sentences from which the mixing rule takes dependents.
    reread
        Parse every sentence in two more spellings (`kostra.sources.readings`), and keep only what all readings give;
        unless said, as the language has it: Czech and English do. Trees of the input are read as they are.
    verify
        Parse every output again and drop implausible ones.
    workers
        How many processes.
    work
        A folder for finished blocks, from which an interrupted run goes on.
    progress
        Called with (done, total), counted in blocks.

    Returns
    -------
    Transformed
        A table with source, rule, variant, text, relation and confidence; source is the sentence's id, or the sentence
        itself where the input has no ids.
    """
    if compose < 1:
        raise KostraError(f"{compose} rules one upon the other", accepted="a number from 1 on")
    if not 0 <= confidence <= 1:
        raise KostraError(f"a confidence of {confidence:g}", accepted="a number from 0 to 1")
    longest = _known(language, rules).longest
    sources = read_sources(sentences, columns)
    _need_parser(sources, parser, verify=verify, code=language, where=files.shown(sentences))
    rereads = _rereads(language, reread, parser)
    job = _Job(
        tuple(sources),
        _pool(sources, seed, rereads),
        language,
        parser,
        _tuple(rules),
        compose,
        limit,
        confidence,
        rereads,
        verify,
        BLOCK,
    )
    parts = run_job(job, Work(folder=work, workers=workers, progress=progress))
    told = [json.loads(bytes(part)) for part in parts]
    findings = tuple(_findings(told, longest, files.shown(sentences)))
    return Transformed(_frame(told, sources), len(sources), findings)


def _frame(told: Sequence[dict[str, Any]], sources: Sequence[Source]) -> Frame:
    """The blocks' rows as a table; a row names its source by its number, which is shorter to keep."""
    columns = [[value for part in told for value in part["columns"][place]] for place in range(len(COLUMNS))]
    names = pl.Series([source.name for source in sources], dtype=pl.String())
    types = [pl.UInt32(), *[pl.String()] * (len(COLUMNS) - 2), pl.Float64()]
    frame = pl.DataFrame(dict(zip(COLUMNS, columns, strict=True)), schema=dict(zip(COLUMNS, types, strict=True)))
    return frame.with_columns(names.gather(frame["source"]).alias("source"))


def _tuple(rules: Sequence[str] | None) -> tuple[str, ...] | None:
    return tuple(rules) if rules else None


def _known(code: str, rules: Sequence[str] | None) -> Language:
    """The language, which must be known, as must be the rules."""
    chosen_rules(language(code), rules)
    return language(code)


def _rereads(code: str, asked: bool | None, spec: str | None) -> bool:
    """Whether to read again; trees that somebody brings are not asked for spellings that they do not have."""
    brought = spec is not None and spec.startswith("conllu:")
    return language(code).rereads and not brought if asked is None else asked


def _need_parser(sources: Sequence[Source], spec: str | None, *, verify: bool, code: str, where: str) -> None:
    if spec is None and (verify or any(source.conllu is None for source in sources)):
        why = "outputs can be verified only by a parser" if verify else "the sentences have no trees"
        usual = _USUAL.get(code, f"udpipe:models/{code}.udpipe")
        raise KostraError(f"no parser is named, and {why}", where=where, remedy=f"--parser {usual}")


_USUAL = {"cs": "spacy:cs_core_news_sm"}
"""Parsers that come in wheels."""


def read_sources(path: str | Path, columns: Mapping[str, str] | None = None) -> list[Source]:
    """Read sentences from a text, a table or CoNLL-U."""
    ending = files.uncompressed(path).suffix.lower()
    if ending in TREES:
        trees = parse_conllu(files.read_text(path), where=files.shown(path))
        found = [Source(_name(tree), tree.comment("text") or tree.text, None, tree.conllu()) for tree in trees]
    elif ending in TABLES:
        frame = read_table(path, "sentences", language="und", columns=columns).frame
        found = [Source(*row) for row in frame.select("sentence", "text", "group").iter_rows()]
    else:
        lines = (" ".join(line.split()) for _, line in files.numbered_lines(path))
        found = [Source(line, line) for line in dict.fromkeys(lines) if line]
    if not found:
        raise KostraError("there is no sentence", where=files.shown(path))
    return found


def _name(tree: Tree) -> str:
    return tree.comment("sent_id") or tree.comment("text") or tree.text


def _pool(sources: Sequence[Source], seed: int, rereads: bool) -> tuple[Source, ...]:
    size = WIDE_POOL if rereads else POOL
    if len(sources) <= size:
        return tuple(sources)
    drawn = np.random.default_rng(seed).choice(len(sources), size, replace=False)
    return tuple(sources[place] for place in sorted(drawn))


@dataclass(frozen=True)
class _Job:
    """Blocks of sentences, each parsed and transformed by whoever takes it."""

    sources: tuple[Source, ...]
    pool: tuple[Source, ...]
    language: str
    parser: str | None
    rules: tuple[str, ...] | None
    compose: int
    limit: int | None
    confidence: float
    reread: bool
    verify: bool
    size: int
    """Sentences of a block."""

    @property
    def blocks(self) -> int:
        """How many blocks there are."""
        return -(-len(self.sources) // self.size)

    @cached_property
    def digest(self) -> str:
        """A hash of everything that the outputs depend on."""
        asked = [self.size, self.language, self.parser, self.rules, self.compose, self.limit, self.confidence]
        told = [__version__, COLUMNS, *asked, self.reread, self.verify]
        texts = [[source.name, source.text, source.theme, source.conllu] for source in (*self.sources, *self.pool)]
        return hashlib.sha256(json.dumps([told, texts]).encode()).hexdigest()

    def __getstate__(self) -> dict[str, object]:
        """Send what the work is, not what was loaded for it."""
        loaded = ("_parser", "_engine", "_pool_trees", "_pool_mended")
        return {name: value for name, value in self.__dict__.items() if name not in loaded}

    @cached_property
    def _parser(self) -> Parser | None:
        return None if self.parser is None else parser(self.parser)

    @cached_property
    def _engine(self) -> Engine:
        engine = Engine(self.language, rules=self.rules, compose=self.compose)
        if any(rule.relation == "neutral" for rule in engine.rules):
            for one, readings in zip(self.pool, self._read(self.pool), strict=True):
                if engine.reads(readings[0]):
                    self._pool_mended[one] = tuple(map(engine.mended, readings))
                self._pool_trees[one] = readings
            engine.offer_mended((readings, one.theme) for one, readings in self._pool_mended.items())
        return engine

    @cached_property
    def _cache(self) -> ParseCache:
        return ParseCache()

    @cached_property
    def _pool_trees(self) -> dict[Source, Readings]:
        """The trees of the pool: each is a sentence of some block, and parsed once."""
        return {}

    @cached_property
    def _pool_mended(self) -> dict[Source, Readings]:
        """The same as the rules see them."""
        return {}

    def _read(self, sources: Sequence[Source]) -> list[Readings]:
        """All readings of each sentence; one that brings its tree, and every one without rereading, has one."""
        known = self._pool_trees
        spelt = {one: (one.text, *(respelled(one.text) if self.reread else ())) for one in sources if one not in known}
        texts = [text for one, texts in spelt.items() if one.conllu is None for text in texts]
        made: dict[str, Tree] = {}
        if texts and self._parser is not None:
            made = dict(zip(texts, parse(self._parser, texts, cache=self._cache), strict=True))
        return [
            known[one]
            if one in known
            else tuple(parse_conllu(one.conllu))
            if one.conllu is not None
            else tuple(made[text] for text in spelt[one])
            for one in sources
        ]

    def __call__(self, block: int) -> NDArray[np.uint8]:
        """Transform one block; the result is JSON, as bytes."""
        sources = self.sources[block * self.size : (block + 1) * self.size]
        engine = self._engine
        before, disputed = Counter(engine.inflector.refusals), Counter(engine.disputed)
        rows: list[tuple[object, ...]] = []
        long: list[str] = []
        unfit: Counter[str] = Counter()
        dropped: Counter[str] = Counter()
        unsure: Counter[str] = Counter()
        with _rarely_collected():
            for number, readings in enumerate(self._read(sources), block * self.size):
                source, tree = self.sources[number], readings[0]
                if not engine.reads(tree):
                    long.append(source.name)
                    continue
                if (reason := not_plain(tree)) is not None:
                    unfit[reason] += 1
                    continue
                mended = self._pool_mended.get(source) or tuple(map(engine.mended, readings))
                outputs = engine.outputs_of_mended(mended, theme=source.theme)
                if self.verify and self._parser is not None:
                    outputs, gone = verify.verified(outputs, self._parser.parse, engine.language, engine.inflector)
                    dropped.update(output.rule for output, _ in gone)
                unsure.update(output.rule for output in outputs if output.confidence < self.confidence)
                kept = safest(outputs, self.limit, least=self.confidence)
                rows += [(number, *_row(output)) for output in kept]
        refused = Counter(engine.inflector.refusals) - before
        columns = list(zip(*rows, strict=True)) or [()] * len(COLUMNS)
        told = {"columns": columns, "long": long, "unfit": unfit, "refused": refused, "dropped": dropped}
        told |= {"disputed": Counter(engine.disputed) - disputed, "unsure": unsure}
        return np.frombuffer(json.dumps(told, ensure_ascii=False).encode(), dtype=np.uint8)


@contextlib.contextmanager
def _rarely_collected() -> Iterator[None]:
    """Look for circles of garbage rarely: trees have none, and looking for them took 10 to 17% of the time."""
    before = gc.get_threshold()
    gc.set_threshold(100_000, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _row(output: Output) -> tuple[object, ...]:
    return output.rule, output.variant, output.text, output.relation, output.confidence


def _findings(told: Sequence[dict[str, Any]], longest: int, where: str) -> Iterator[Finding]:
    long = [f"{name[:_SHOWN]}…" if len(name) > _SHOWN else name for part in told for name in part["long"]]
    if long:
        yield Finding("skipped", f"{len(long):,} sentences of more than {longest} words: {some(long, 3)}", where)
    for name, said in (
        ("unfit", "no plain sentence, and left alone"),
        ("refused", "forms that could not be told"),
        ("disputed", "outputs that not every reading of their sentence gives, and that are left out"),
        ("dropped", "outputs that --verify dropped"),
        ("unsure", "outputs below the least confidence, and left out"),
    ):
        total: Counter[str] = Counter()
        for part in told:
            total.update(part[name])
        if total:
            parts = ", ".join(f"{what} {count:,}" for what, count in total.most_common())
            yield Finding(name, f"{said}: {parts}", where)


# Explaining ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Explanation:
    """What the rules did to one sentence, and why they did not do more."""

    source: str
    tree: Tree
    outputs: tuple[Output, ...]
    refusals: tuple[Refusal, ...]

    @property
    def reasons(self) -> list[drawing.Reason]:
        """Each rule's outputs and refusals, in words."""
        fired = [drawing.Reason(one.rule, True, f"{one.variant}: {one.text}") for one in self.outputs]
        told = dict.fromkeys((one.rule, self._said(one)) for one in self.refusals)
        return [*fired, *(drawing.Reason(rule, False, said) for rule, said in told)]

    def _said(self, refusal: Refusal) -> str:
        if refusal.word is None or refusal.word not in self.tree:
            return refusal.reason
        return f"{self.tree[refusal.word].form}: {refusal.reason}"

    def text(self, *, columns: int = 120) -> str:
        """The tree, what became of it, and why, for a terminal."""
        parts = [self.source, drawing.tree_text(self.tree)]
        for output in self.outputs:
            head = f"{output.rule} ({output.variant}), {output.relation}, confidence {output.confidence}: {output.text}"
            parts += [head, drawing.side_by_side(self.tree, output.tree, edited=output.edited, columns=columns)]
        return "\n\n".join([*parts, drawing.reasons_text(self.reasons)])

    def svgs(self) -> list[str]:
        """For every output a drawing of the tree before and after."""
        return [
            drawing.before_after_svg(
                self.tree, output.tree, edited=output.edited, title=f"{output.rule}: {output.text}"
            )
            for output in self.outputs
        ]


def explain(
    sentences: str | Path,
    *,
    language: str,
    parser: str | None = None,
    columns: Mapping[str, str] | None = None,
    rules: Sequence[str] | None = None,
    compose: int = 1,
    limit: int | None = None,
    reread: bool | None = None,
    most: int = 10,
) -> list[Explanation]:
    """Say of the first so many sentences what each rule did, and why it did not do more."""
    _known(language, rules)
    every = read_sources(sentences, columns)
    _need_parser(every, parser, verify=False, code=language, where=files.shown(sentences))
    sources, rereads = every[:most], _rereads(language, reread, parser)
    pool = tuple(every[: WIDE_POOL if rereads else POOL])
    job = _Job(tuple(sources), pool, language, parser, _tuple(rules), compose, limit, 0.0, rereads, False, BLOCK)
    found = []
    for source, readings in zip(sources, job._read(sources), strict=True):
        heard: list[Refusal] = []
        mended = tuple(map(job._engine.mended, readings))
        outputs = job._engine.outputs_of_mended(mended, theme=source.theme, heard=heard)
        found.append(Explanation(source.text, mended[0], tuple(safest(outputs, limit)), tuple(heard)))
    return found


def write(found: Transformed, output: str | Path) -> None:
    """Write the table of new sentences in the form that the output's ending asks for."""
    tables.write(found.frame, output)
