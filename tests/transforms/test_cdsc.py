"""What the CDSC paper prints, and what its corpus holds."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from bench.transforms import candidates, gold_recall, recall

from kostra.sources.parsers import Parser
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
