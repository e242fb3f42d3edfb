"""What the CDSC paper prints, what its corpus holds, and that none of it is in the rules."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from bench.transforms import candidates, gold_recall, recall

import kostra
from kostra.sources.parsers import Parser
from kostra.text import bare
from kostra.transforms.engine import Engine
from kostra.trees import Tree, parse_conllu

NAMES = {"relative_participle": "swapping_relative", "mixing": "mixing_dependents"}


def printed(data: Path) -> list[tuple[str, str, str]]:
    """The sentences that the paper prints as outputs: of which sentence, by which rule."""
    with (data / "cdsc_paper_examples.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    rules = [row["rule"].replace("-", "_") for row in rows]
    return [(row["sent_id"], NAMES.get(rule, rule), row["expected"]) for row, rule in zip(rows, rules, strict=True)]


def made(trees: dict[str, Tree]) -> set[tuple[str, str, str]]:
    engine = Engine("pl")
    engine.offer((tree, name) for name, tree in trees.items())
    return {(name, one.rule, one.text) for name, tree in trees.items() for one in engine.outputs(tree, theme=name)}


@pytest.fixture(scope="module")
def examples(data: Path) -> dict[str, Tree]:
    trees = parse_conllu((data / "cdsc_paper_examples.conllu").read_text(encoding="utf-8"))
    return {str(tree.comment("sent_id")): tree for tree in trees}


def test_all_outputs_of_the_paper_come_from_its_trees(data: Path, examples: dict[str, Tree]) -> None:
    assert not set(printed(data)) - made(examples)
    assert len(printed(data)) == 13


def test_at_least_twelve_outputs_of_the_paper_come_from_a_parsers_trees(
    data: Path, examples: dict[str, Tree], polish: Parser
) -> None:
    trees = dict(zip(examples, polish.parse([str(tree.comment("text")) for tree in examples.values()]), strict=True))
    assert len(set(printed(data)) & made(trees)) >= 12


@pytest.mark.long
def test_transformation_recall_with_the_parser(data: Path, polish: Parser) -> None:
    found = recall(candidates(data), polish)
    assert found.pairs == 2232
    assert found.share >= 0.78


def test_transformation_recall_on_a_part_with_the_parser(data: Path, polish: Parser) -> None:
    found = recall(candidates(data)[::15], polish)
    assert found.share >= 0.74  # 149 pairs: four points are one standard error and a half


@pytest.mark.long
def test_transformation_recall_on_gold_trees(data: Path) -> None:
    found = gold_recall(data)
    assert found.pairs == 211
    assert found.share >= 0.83


def test_no_rule_lexicon_or_case_holds_a_sentence_of_the_corpus(data: Path) -> None:
    sentences = set()
    for name in ("cdsc_train", "cdsc_trial", "cdsc_candidates"):
        with (data / f"{name}.tsv").open(encoding="utf-8") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                sentences |= {bare(row["sentence_A"]).lower(), bare(row["sentence_B"]).lower()}
    sentences |= {bare(text).lower() for _, _, text in printed(data)}
    assert len(sentences) > 6000
    home = Path(kostra.__file__).parent / "transforms"
    files = [path for path in home.rglob("*") if path.suffix in (".py", ".toml")]
    assert len(files) > 20
    for path in files:
        written = bare(path.read_text(encoding="utf-8")).lower()
        assert not [one for one in sentences if one in written], path
    for path in (Path(__file__).parent.parent / "cases" / "transforms").rglob("*.conllu"):
        texts = [str(tree.comment("text")) for tree in parse_conllu(path.read_text(encoding="utf-8"))]
        assert not [text for text in texts if bare(text).lower() in sentences], path
