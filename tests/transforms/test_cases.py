"""Every rule on our own sentences, with those on which it must not fire."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from kostra.transforms.engine import Engine, Refusal, language, languages
from kostra.trees import Tree, parse_conllu

CASES = Path(__file__).parent.parent / "cases" / "transforms"
LEAST = 12


def cases(code: str, rule: str) -> list[tuple[Tree, list[Tree]]]:
    """The cases of a rule, each with the sentences that give it dependents."""
    path = CASES / code / f"{rule}.conllu"
    trees = parse_conllu(path.read_text(encoding="utf-8"), where=str(path))
    donors = defaultdict(list)
    for tree in trees:
        if (number := tree.comment("gives_to")) is not None:
            donors[int(number)].append(tree)
    own = [tree for tree in trees if tree.comment("gives_to") is None]
    return [(tree, donors[number]) for number, tree in enumerate(own, 1)]


def said(tree: Tree, name: str) -> list[str]:
    start = f"# {name} = "
    return [line.removeprefix(start) for line in tree.comments if line.startswith(start)]


RULES = [(code, rule) for code in languages() for rule in language(code).rules]
EVERY = [(code, rule, number) for code, rule in RULES for number in range(len(cases(code, rule)))]


@pytest.mark.parametrize(("code", "rule", "number"), EVERY, ids=str)
def test_a_rule_makes_exactly_what_its_case_expects(code: str, rule: str, number: int) -> None:
    tree, donors = cases(code, rule)[number]
    engine = Engine(code, rules=[rule])
    if donors:
        engine.offer((donor, donor.comment("theme")) for donor in donors)
    heard: list[Refusal] = []
    made = engine.outputs(tree, theme=tree.comment("theme"), heard=heard)
    assert [f"{one.variant} | {one.text}" for one in made] == said(tree, "expect")
    for reason in said(tree, "refused"):
        assert reason in [refusal.reason for refusal in heard]


@pytest.mark.parametrize(("code", "rule"), RULES)
def test_a_rule_has_enough_cases_and_some_on_which_it_must_not_fire(code: str, rule: str) -> None:
    found = [tree for tree, _ in cases(code, rule)]
    assert len(found) >= LEAST
    assert any(not said(tree, "expect") for tree in found)


@pytest.mark.parametrize(("code", "rule"), RULES)
def test_the_cases_know_only_variants_that_the_rule_declares(code: str, rule: str) -> None:
    variants = {line.split(" | ")[0] for tree, _ in cases(code, rule) for line in said(tree, "expect")}
    assert variants <= set(language(code).rules[rule].variants)
