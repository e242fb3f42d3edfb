"""What reading a sentence again is worth, against gold trees.

For every sentence of a treebank the rules run on the parser's tree and on the gold tree. What both give does not come
from a misparse; what only the parser's tree gives probably does (not always: a rule may shrink from a gold tree for a
reason of its own, so that the shares are too low for both ways of reading, and only their difference tells). Then the
same for outputs that all three spellings of the sentence give (`kostra.sources.readings`). Mixing is left out: it
depends on other sentences.
"""

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from bench.precision import PARSERS
from kostra.sources.parsers import parser
from kostra.sources.readings import respelled
from kostra.transforms.engine import Engine, key_of
from kostra.trees import Tree, parse_conllu

DATA = Path(os.environ.get("KOSTRA_DATA", Path(__file__).parents[2] / "shared" / "data")) / "ud"
TREEBANKS = {"en": "en_ewt-ud-dev", "cs": "cs_pud-first600", "pl": "pl_pud-ud-test"}
SHORTEST = 4
ROW = "  {:<24}{:>9}{:>9}{:>12}{:>9}{:>16}"


def main() -> None:
    if not DATA.is_dir():
        print(f"no gold trees: {DATA} does not exist (set KOSTRA_DATA)")
        return
    for code, name in TREEBANKS.items():
        report(code, name)


def report(code: str, name: str) -> None:
    """Print one treebank's table."""
    engine = Engine(code)
    trees = parse_conllu((DATA / f"{name}.conllu").read_text(encoding="utf-8"))
    gold = [tree for tree in trees if len(tree) >= SHORTEST and engine.reads(tree)]
    texts = [" ".join((tree.comment("text") or tree.text).split()) for tree in gold]
    reads = parser(PARSERS[code])
    rules = [rule.name for rule in engine.rules if rule.relation != "neutral"]
    engine = Engine(code, rules=rules)
    spelt = [reads.parse([(text, *respelled(text))[number] for text in texts]) for number in range(3)]
    once, again = Counter[tuple[str, bool]](), Counter[tuple[str, bool]]()
    for number, tree in enumerate(gold):
        right = keys(engine, [tree])
        readings = [trees[number] for trees in spelt]
        once.update((rule, (rule, key) in right) for rule, key in keys(engine, readings[:1]))
        again.update((rule, (rule, key) in right) for rule, key in keys(engine, readings))
    print(f"{name}, {len(gold):,} sentences, {PARSERS[code].rpartition('/')[2]}")
    print(ROW.format("", "read once", "as gold", "read again", "as gold", "gold ones kept"))
    for rule in rules:
        first, second = (once[rule, True], once[rule, False]), (again[rule, True], again[rule, False])
        kept = f"{second[0] / first[0]:.0%}" if first[0] else "-"
        print(ROW.format(rule, sum(first), share(*first), sum(second), share(*second), kept))
    print()


def keys(engine: Engine, readings: Sequence[Tree]) -> set[tuple[str, str]]:
    """What the rules make, but for case and punctuation."""
    made = engine.outputs_of_mended([engine.mended(tree) for tree in readings])
    return {(one.rule, key_of(one.tree)) for one in made}


def share(right: int, wrong: int) -> str:
    return f"{right / (right + wrong):.1%}" if right + wrong else "-"


if __name__ == "__main__":
    main()
