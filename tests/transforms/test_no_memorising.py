"""No rule, list or case holds a sentence of the corpora on which the rules are judged."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench.precision import sentences_of
from tests.transforms.test_cdsc import printed

import kostra

CORPORA = (
    "cdsc_train.tsv",
    "cdsc_trial.tsv",
    "str2022.csv",
    "cna_free_test.tsv",
    "costra11.tsv",
    "ud/cs_pud-first600.conllu",
    "ud/cs_cac-ud-dev.conllu",
    "ud/cs_cac-ud-test.conllu",
    "ud/en_ewt-ud-dev.conllu",
)
SHORTEST = 5
"""Words of the shortest sentence that counts: *a dog is running* is anybody's."""
Words = tuple[str, ...]


def words_of(text: str) -> Words:
    return tuple(re.findall(r"\w+", text.lower()))


@pytest.fixture(scope="module")
def known(data: Path) -> dict[Words, list[Words]]:
    """The sentences by their first three words."""
    texts = [text for name in CORPORA for text in sentences_of(data / name)]
    texts += [text for _, _, text in printed(data)]
    found: dict[Words, list[Words]] = defaultdict(list)
    for words in {words_of(text) for text in texts}:
        if len(words) >= SHORTEST:
            found[words[:3]].append(words)
    assert sum(map(len, found.values())) > 20_000
    return found


def memorised(text: str, known: dict[Words, list[Words]]) -> Iterator[str]:
    """The known sentences that a text holds."""
    words = words_of(text)
    for place in range(len(words)):
        for one in known.get(words[place : place + 3], ()):
            if words[place : place + len(one)] == one:
                yield " ".join(one)


def test_no_rule_or_list_holds_a_sentence_of_a_corpus(known: dict[Words, list[Words]]) -> None:
    home = Path(kostra.__file__).parent / "transforms"
    files = [path for path in home.rglob("*") if path.suffix in (".py", ".toml")]
    assert len(files) > 90
    assert {path.name: found for path in files if (found := list(memorised(path.read_text("utf-8"), known)))} == {}


def test_no_case_is_a_sentence_of_a_corpus(known: dict[Words, list[Words]]) -> None:
    files = list((Path(__file__).parent.parent / "cases" / "transforms").rglob("*.conllu"))
    assert len(files) == 21
    texts = [line for path in files for line in path.read_text("utf-8").splitlines() if line.startswith("# text = ")]
    held = {words for sentences in known.values() for words in sentences}
    assert [text for text in texts if words_of(text.removeprefix("# text = ")) in held] == []
