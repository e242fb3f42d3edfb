"""What simulated annotators write: rewrites as asked for, names as people vary them, slips of the pen."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from kostra.campaign.items import Item
from kostra.campaign.protocol import Phase, Question
from kostra.campaign.simulated_answers import HARD, IMPOSSIBLE_RATE, Truth, answers_for
from kostra.campaign.simulated_people import SimulatedAnnotator
from kostra.campaign.simulated_phrases import PHRASES
from kostra.campaign.simulated_texts import idea_name, is_slip, mistyped, rewrites, slips

SEED = "Radní včera schválili nákup autobusů."
ANNA = SimulatedAnnotator("anna", noise=0.57, leaning=0.0, seconds=9, careless=False)
EXAMPLES = ("výchozí věta: Prší.", "zákaz: Nesmí pršet.", "méně formálně: Leje jako z konve.")


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def answered(phase: Phase, item: Item, *, seed: int = 1, **truth: Any) -> dict[str, Any]:
    return dict(answers_for(ANNA, item, phase, rng(seed), truth=Truth(**truth)))


@pytest.mark.parametrize("kind", sorted(PHRASES["cs"]))
def test_what_is_asked_for_is_said_in_the_language_of_the_sentence(kind: str) -> None:
    ((text, _),) = rewrites([SEED], 1, kind=kind, language="cs", rng=rng())
    begins = [phrase.partition("{")[0] for phrase in PHRASES["cs"][kind]]
    assert any(text.startswith(begin) for begin in begins)
    assert text != SEED


def test_the_known_languages_have_phrases_for_the_same_kinds() -> None:
    assert set(PHRASES["cs"]) == set(PHRASES["en"])


def test_a_kind_or_a_language_without_phrases_is_rewritten_all_the_same() -> None:
    for kind, language in (("past", "xx"), ("minimal_change", "cs")):
        ((text, _),) = rewrites([SEED], 1, kind=kind, language=language, rng=rng())
        assert text != SEED


def test_two_paraphrases_are_two_phrases_of_one_kind() -> None:
    ((first, _),) = rewrites([SEED], 1, kind="paraphrase_1", language="cs", rng=rng())
    ((second, _),) = rewrites([SEED], 1, kind="paraphrase_2", language="cs", avoid=[first], rng=rng())
    assert first != second


def test_an_interpolation_has_words_of_both_sentences() -> None:
    other = "Kdysi dávno platilo, že šichta trvala celý týden."
    ((text, _),) = rewrites([other, SEED], 1, kind="interpolation", language="cs", rng=rng())
    assert text.split()[0] == SEED.split()[0]
    assert text.rstrip(".").split()[-1] == other.rstrip(".").split()[-1]


def test_some_kinds_are_often_written_alike_and_others_hardly_ever() -> None:
    def different(kind: str) -> int:
        return len({rewrites([SEED], 1, kind=kind, language="cs", rng=rng(n))[0][0] for n in range(60)})

    assert different("past") < different("paraphrase_1")


def test_names_of_ideas_imitate_the_examples_and_vary() -> None:
    source = rng()
    names = Counter(idea_name("question", EXAMPLES, source) for _ in range(400))
    imitated = sum(count for name, count in names.items() if "zákaz" in name.lower() or "formál" in name.lower())
    assert 0.45 < imitated / 400 < 0.75
    assert {"zákaz", "Zákaz", "formálně méně"} <= set(names)
    assert not any("výchozí" in name for name in names), "the first example is the sentence itself"


def test_a_slip_is_known_again_and_a_matter_of_taste_is_not() -> None:
    for number in range(50):
        typed = mistyped(SEED, rng(number))
        assert typed != SEED
        assert is_slip(typed, SEED)
    assert not is_slip("Radní dnes schválili nákup autobusů.", SEED)
    assert not is_slip(SEED, SEED)


def test_short_words_and_names_are_typed_without_slips() -> None:
    assert mistyped("Jan má psa.", rng()) == "Jan má psa."
    assert all(slip != "kůň" for slip in slips("kůň"))


def test_the_linguist_accepts_what_undoes_a_slip() -> None:
    phase = Phase(name="s", task="triage", questions=(Question(name="proposal", labels=("accept", "reject")),))
    typo = Item("r@0-5#1", "pair", {"text_a": "Randí včera jednali.", "text_b": "Radní včera jednali."})
    taste = Item("r@0-5#1", "pair", {"text_a": "Páni včera jednali.", "text_b": "Radní včera jednali."})
    assert [answered(phase, item)["proposal"][0].value for item in (typo, taste)] == ["accept", "reject"]


def test_hard_rewrites_are_called_impossible_more_often_and_some_texts_have_slips() -> None:
    questions = tuple(Question(name=name, impossible=True) for name in ("different_meaning", "gossip"))
    phase, item = Phase(name="r", task="rewrite", questions=questions), Item("s", "sentence", {"text": SEED})
    source = rng()
    given = [answers_for(ANNA, item, phase, source, truth=Truth(language="cs")) for _ in range(3000)]
    often = {name: np.mean([one[name][0].status == "impossible" for one in given]) for name in given[0]}
    assert often["different_meaning"] == pytest.approx(HARD["different_meaning"] * IMPOSSIBLE_RATE, rel=0.3)
    assert often["gossip"] == pytest.approx(IMPOSSIBLE_RATE, rel=0.4)
