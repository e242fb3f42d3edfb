"""Transformations by rule on CDSCorpus: what the paper prints, recall by rule, outputs per sentence, speed.

Of Czech and English the speed and the outputs by rule, on texts of treebanks: their sentences are parsed three times.

A pair of `cdsc_candidates.tsv` counts as found when one side is among the outputs of the other, with two rules one upon
the other and without the mixing rule, ignoring case, white space, full stops and commas.
"""

import csv
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from bench.precision import PARSERS, sentences_of
from kostra.sources.parsers import Parser, parser
from kostra.sources.readings import respelled
from kostra.transforming import POOL
from kostra.transforms.engine import Engine, language
from kostra.trees import Tree, parse_conllu

SHARED = Path(__file__).resolve().parent.parent.parent / "shared"
DATA = Path(os.environ.get("KOSTRA_DATA", SHARED / "data"))
MODEL = Path(os.environ.get("KOSTRA_MODELS", SHARED / "models")) / "pl.udpipe"
OTHERS = {"cs": "cs_pud-first600", "en": "en_ewt-ud-dev"}
"""Treebanks of the other languages, whose texts are transformed."""
SPEED_SENTENCES = 2_000
WORKER_SENTENCES = 8_000
"""So many that what each worker loads for itself does not hide what two of them gain."""
_IGNORED = re.compile(r"[\s.,]+")


@dataclass(frozen=True)
class Pair:
    """Two sentences of which one's content words cover the other's."""

    first: str
    second: str
    label: str
    direction: str


@dataclass
class Recall:
    """How many pairs, or directions, the rules find, and by which rule."""

    pairs: int = 0
    found: Counter[str] = field(default_factory=Counter)
    labels: Counter[tuple[str, bool]] = field(default_factory=Counter)
    outputs: float = 0.0
    missed: list[Pair] = field(default_factory=list)

    @property
    def share(self) -> float:
        """The share that was found."""
        return self.found.total() / self.pairs

    def count(self, rule: str | None, pair: Pair) -> None:
        """Count one more, found by a rule or by none."""
        self.pairs += 1
        self.labels[pair.label, rule is not None] += 1
        if rule is None:
            self.missed.append(pair)
        else:
            self.found[rule] += 1


def candidates(data: Path = DATA) -> list[Pair]:
    """The fixed denominator."""
    with (data / "cdsc_candidates.tsv").open(encoding="utf-8") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [
            Pair(*(row[name] for name in ("sentence_A", "sentence_B", "entailment_judgment", "direction")))
            for row in rows
        ]


def plain(text: str) -> str:
    return _IGNORED.sub("", text).lower()


def outputs_of(trees: Iterable[tuple[str, Tree]]) -> dict[str, dict[str, str]]:
    """By sentence, what two rules make of it: plain text and rule."""
    engine = Engine("pl", compose=2)
    return {text: {plain(one.text): one.rule for one in reversed(engine.outputs(tree))} for text, tree in trees}


def recall(pairs: list[Pair], with_parser: Parser) -> Recall:
    """Recall with a parser's trees."""
    texts = list(dict.fromkeys(text for pair in pairs for text in (pair.first, pair.second)))
    made = outputs_of(zip(texts, with_parser.parse(texts), strict=True))
    found = Recall(outputs=sum(map(len, made.values())) / len(made))
    for pair in pairs:
        rule = made[pair.first].get(plain(pair.second)) or made[pair.second].get(plain(pair.first))
        found.count(rule, pair)
    return found


def gold_recall(data: Path = DATA) -> Recall:
    """Recall of directions whose larger side has a gold tree."""
    trees = parse_conllu((data / "cdsc_gold_trees.conllu").read_text(encoding="utf-8"))
    made = outputs_of((plain(tree.text), tree) for tree in trees)
    found = Recall(outputs=sum(map(len, made.values())) / len(made))
    for pair in candidates(data):
        for way, larger, smaller in (("a>b", pair.first, pair.second), ("b>a", pair.second, pair.first)):
            if pair.direction in (way, "both") and plain(larger) in made:
                found.count(made[plain(larger)].get(plain(smaller)), pair)
    return found


def main() -> None:
    polish = parser(f"udpipe:{MODEL}")
    speed(polish)  # first, while nothing is remembered of any word
    for name, found, target in (
        ("with the parser, pairs", recall(candidates(), polish), 0.78),
        ("with the parser's beam at 5, pairs", recall(candidates(), parser(f"udpipe:{MODEL}?beam=5")), 0.78),
        ("on gold trees, directions", gold_recall(), 0.83),
    ):
        print(f"transformation recall {name}: {found.share:.1%} of {found.pairs:,} (wanted {target:.0%}), ", end="")
        print(f"{found.outputs:.1f} outputs per sentence")
        for rule, count in found.found.most_common():
            print(f"  {rule:<44}{count:6,}{count / found.pairs:8.1%}")
        for label in sorted({label for label, _ in found.labels}):
            hit, miss = found.labels[label, True], found.labels[label, False]
            print(f"  {label.lower():<44}{hit:6,} of {hit + miss:,}")
        print()
    for code, treebank in OTHERS.items():
        reread_speed(code, sorted(set(sentences_of(DATA / "ud" / f"{treebank}.conllu"))))


def reread_speed(code: str, texts: list[str]) -> None:
    """Sentences per CPU second of a language whose sentences are read in three spellings, and what its rules give."""
    reader = parser(PARSERS[code])
    reader.parse(texts[:1])  # which loads the model
    start = time.process_time()
    once = reader.parse(texts)
    parsing = time.process_time() - start
    short = [(text, tree) for text, tree in zip(texts, once, strict=True) if len(tree) <= language(code).longest]
    start = time.process_time()
    spellings = [[text, *respelled(text)] for text, _ in short]
    trees = iter(reader.parse([one for every in spellings for one in every[1:]]))
    engine = Engine(code)
    readings = [
        (engine.mended(tree), *(engine.mended(next(trees)) for _ in every[1:]))
        for (_, tree), every in zip(short, spellings, strict=True)
    ]
    again = time.process_time() - start
    start = time.process_time()
    engine.offer_mended((one, None) for one in readings[:POOL])
    made = Counter(output.rule for one in readings for output in engine.outputs_of_mended(one))
    rules = time.process_time() - start
    print(
        f"{code}: {len(texts):,} sentences, {len(short):,} of at most {language(code).longest} words; per CPU second:"
    )
    print(f"  parser alone {len(texts) / parsing:,.0f}, two more spellings, mended {len(short) / again:,.0f}, ", end="")
    print(f"rules {len(short) / rules:,.0f}; all of it {len(short) / (parsing + again + rules):,.0f}")
    print("  outputs: " + ", ".join(f"{rule} {count:,}" for rule, count in made.most_common()))
    print(f"  left out, since not every reading gives them: {engine.disputed.total():,}\n")


def speed(polish: Parser) -> None:
    """Sentences per second: the parser alone, the rules alone, the command from file to table, one and two workers.

    Other work on the machine lengthens the wall clock much and the CPU time somewhat; the load is told beside both. On
    a busy machine the wall clock does not tell what two workers gain.
    """
    texts = sorted({text for pair in candidates() for text in (pair.first, pair.second)})[:SPEED_SENTENCES]
    start = time.process_time()
    trees = polish.parse(texts)
    parsing = time.process_time() - start
    engine = Engine("pl")
    start = time.process_time()
    engine.offer((tree, None) for tree in trees[:POOL])
    made = sum(len(engine.outputs(tree)) for tree in trees)
    rules = time.process_time() - start
    count = len(texts)
    print(f"{count:,} sentences, {made / count:.1f} outputs each; sentences per CPU second:")
    print(f"  parser alone {count / parsing:,.0f}, rules alone {count / rules:,.0f} (wanted: more than the parser)")
    with tempfile.TemporaryDirectory() as folder:
        path, single = Path(folder) / "captions.txt", Path(folder) / "one.txt"
        path.write_text("\n".join(texts), encoding="utf-8")
        single.write_text(texts[0], encoding="utf-8")
        startup = min(command(single).cpu for _ in range(2))
        one, wide = command(path), command(path, options="?beam=5")
        walls = {count: (one.wall, command(path, workers=2).wall)}
        more = sorted({" ".join(one.split()) for one in sentences_of(DATA / "cdsc_train.tsv")})[:WORKER_SENTENCES]
        path.write_text("\n".join(more), encoding="utf-8")
        walls[len(more)] = (command(path).wall, command(path, workers=2).wall)
    for name, run in (("one worker", one), ("one worker, the parser's beam at 5", wide)):
        print(f"  file to table, {name}: {count / run.cpu:,.0f}", end="")
        print(f", {count / (run.cpu - startup):,.0f} without its startup of {startup:.1f} s (wanted 300)")
    for many, (alone, together) in walls.items():
        print(f"  {many:,} sentences: one worker {alone:.1f} s by the wall clock, two {together:.1f} s: ", end="")
        print(f"{alone / together:.2f} times as fast (load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores)")
    print()


@dataclass(frozen=True)
class Cost:
    """Seconds that a command took; those of CPU are its own, not its workers'."""

    wall: float
    cpu: float


def command(path: Path, *, workers: int = 1, options: str = "") -> Cost:
    """Run ``kostra transform`` as a person would, with an empty cache of parses."""
    program = str(Path(sys.executable).parent / "kostra")
    run = [program, "transform", str(path), "-o", str(path.with_suffix(".csv")), "--lang", "pl"]
    run += ["--parser", f"udpipe:{MODEL}{options}", "--workers", str(workers)]
    with (
        tempfile.TemporaryDirectory() as cache
    ):  # of its own: otherwise the second run would find the first one's parses
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(run, check=True, capture_output=True, env={**os.environ, "KOSTRA_CACHE": cache})
        after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - start
    return Cost(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


if __name__ == "__main__":
    main()
