from __future__ import annotations

from typing import Any

import pytest

from kostra.campaign.items import Item
from kostra.campaign.material import Material
from kostra.campaign.protocol import Block, Campaign, Check, Gold, Phase, Question
from kostra.campaign.revisions import Difference, Revision, difference
from kostra.errors import KostraError

SCALE = Question(name="similarity", prompt="How close?", low=0, high=2, labels=("far", "near", "same"))
CHOICE = Question(name="entailment", labels=("yes", "no"))


def revision(
    *items: str,
    questions: tuple[Question, ...] = (SCALE, CHOICE),
    text: str = "Text",
    more: tuple[Phase, ...] = (),
    policy: str = "random",
    **phase: Any,
) -> Revision:
    main = Phase(**{"name": "main", "task": "rating", "questions": questions, "overlap": 2, **phase})
    made = {item: Item(item, "sentence", {"text": f"{text} of {item}."}) for item in items}
    number = next(place for place, block in enumerate(main.blocks) if block.purpose == "main")
    return Campaign(phases=(main, *more), policy=policy), Material(made, {("main", number): items})


OLD = revision("a", "b")


def changed(new: Revision, *, old: Revision = OLD, answered: bool = True) -> Difference:
    return difference(old, new, {"main"} if answered else set(), {"a"} if answered else set())


def test_two_equal_revisions_differ_in_nothing() -> None:
    found = changed(revision("a", "b"))
    assert not found
    assert str(found) == ""
    found.check()


def test_more_items_another_overlap_and_other_words_are_allowed_while_answers_exist() -> None:
    worded = SCALE.model_copy(update={"prompt": "How near?", "labels": ("far", "close", "same")})
    shown = CHOICE.model_copy(update={"labels_in": {"cs": ("ano", "ne")}})
    found = changed(revision("a", "b", "c", questions=(worded, shown), overlap=3))
    found.check()
    assert found.added == ("c",)
    assert str(found).split("\n") == [
        '− phase "main": overlap = 2',
        '+ phase "main": overlap = 3',
        '− phase "main": question "similarity": prompt = "How close?"',
        '+ phase "main": question "similarity": prompt = "How near?"',
        "− phase \"main\": question \"similarity\": labels = ('far', 'near', 'same')",
        "+ phase \"main\": question \"similarity\": labels = ('far', 'close', 'same')",
        '− phase "main": question "entailment": labels_in = {}',
        "+ phase \"main\": question \"entailment\": labels_in = {'cs': ('ano', 'ne')}",
        '+ phase "main", block 1: 1 item: c',
    ]


def test_a_new_phase_is_allowed() -> None:
    later = Phase(name="later", task="triage", questions=(CHOICE,))
    found = changed(revision("a", "b", more=(later,)))
    assert str(found) == '+ phase "later" (triage, overlap 1)'
    found.check()


REFUSED: list[tuple[Revision, str]] = [
    (revision("b"), "it has answers: a"),
    (revision("a", "b", text="Words"), "it was answered as it was"),
    (revision("a", "b", task="triage"), "answers to one task are no answers to another"),
    (revision("a", "b", role="admin"), "people of the other role"),
    (revision("a", "b", deal="whole_groups"), "cannot be gathered again"),
    (revision("a", "b", questions=(SCALE,)), "its answers stand under this name"),
    (revision("a", "b", questions=(SCALE.model_copy(update={"name": "closeness"}), CHOICE)), "stand under this name"),
    (revision("a", "b", questions=(SCALE, CHOICE, Question(name="why"))), "earlier answers would lack it"),
    (revision("a", "b", questions=(SCALE.model_copy(update={"high": 5.0}), CHOICE)), "on the other scale"),
    (
        revision("a", "b", questions=(SCALE.model_copy(update={"labels": ("far", "near")}), CHOICE)),
        "makes another scale",
    ),
    (revision("a", "b", questions=(SCALE, CHOICE.model_copy(update={"labels": ("yes", "maybe")}))), "are the answers"),
    (revision("a", "b", questions=(SCALE, CHOICE.model_copy(update={"reverse": True}))), "the other direction"),
    (revision("a", "b", blocks=(Block(purpose="consent"), Block(purpose="main"))), "for the other purpose"),
    (revision("a", "b", policy="adaptive"), "do not mix"),
]


@pytest.mark.parametrize(("new", "why"), REFUSED, ids=[why for _, why in REFUSED])
def test_what_gives_answers_their_meaning_cannot_change(new: Revision, why: str) -> None:
    found = changed(new)
    assert any(why in change.refused for change in found.refused), str(found)
    with pytest.raises(KostraError) as caught:
        found.check(where="recipe.toml")
    assert caught.value.where == "recipe.toml"


@pytest.mark.parametrize(("new", "why"), REFUSED, ids=[why for _, why in REFUSED])
def test_before_anybody_has_answered_everything_may_change(new: Revision, why: str) -> None:
    found = changed(new, answered=False)
    assert found
    assert why
    found.check()


def test_a_phase_with_answers_cannot_go_and_one_without_can() -> None:
    other = Phase(name="other", task="triage", questions=(CHOICE,))
    old = revision("a", "b", more=(other,))
    assert [change.refused for change in difference(old, OLD, {"other"}, set()).changes] == ["it has answers"]
    difference(old, OLD, {"main"}, {"a"}).check()


def test_an_optional_question_may_be_added() -> None:
    changed(revision("a", "b", questions=(SCALE, CHOICE, Question(name="why", optional=True)))).check()


def test_instructions_checks_and_gold_rules_may_change() -> None:
    def blocks(text: str, right: str) -> tuple[Block, ...]:
        asked = Check(prompt="Ready?", choices=("yes", "no"), right=right)
        return (
            Block(purpose="instructions", text=text),
            Block(purpose="qualification", checks=(asked,)),
            Block(purpose="main"),
        )

    old = revision("a", "b", blocks=blocks("Read.", "yes"), gold=Gold(every=10))
    new = revision("a", "b", blocks=blocks("Read well.", "no"), gold=Gold(every=5))
    found = changed(new, old=old)
    found.check()
    assert '+ phase "main", block 1: text = "Read well."' in str(found)
    assert '+ phase "main", block 2: checks: Ready? yes / no: no' in str(found)
    assert '+ phase "main": gold: every = 5' in str(found)


def dealt(count: int, *, length: int = 5, overlap: int = 2) -> Revision:
    names = [f"i{number}" for number in range(count)]
    blocks = (Block(purpose="main", items=length),)
    return revision(*names, deal="disjoint_sequences", blocks=blocks, overlap=overlap)


def test_items_join_a_dealt_phase_only_in_sequences_of_their_own() -> None:
    old = dealt(10)
    difference(old, dealt(15), {"main"}, {"i0"}).check()
    found = difference(old, dealt(13), {"main"}, {"i0"})
    assert "3 items cannot be cut in sequences of 5" in found.refused[0].refused
    difference(old, dealt(10, overlap=3), {"main"}, {"i0"}).check()
    assert "cannot be gathered" in difference(old, dealt(10, overlap=1), {"main"}, {"i0"}).refused[0].refused
    assert "cannot be cut anew" in difference(old, dealt(10, length=2), {"main"}, {"i0"}).refused[0].refused


def test_a_changed_tuple_is_told_by_the_member_that_changed_in_a_short_line() -> None:
    def revision(last: str) -> Revision:
        texts = ["Aa " * 80, "Bb " * 80, "Cc " * 80, "Dd " * 80 + last]
        members = [{"item": f"s{number}", "text": text} for number, text in enumerate(texts)]
        asked = Phase(name="main", task="best_worst", questions=(Question(name="best"), Question(name="worst")))
        return Campaign(phases=(asked,)), Material(
            {"t": Item("t", "tuple", {"members": members})}, {("main", 0): ("t",)}
        )

    found = difference(revision("It rained."), revision("It snowed."), {"main"}, {"t"})
    assert [len(line) < 160 for line in str(found).splitlines()] == [True] * 3
    assert 'item "t": member 4, text = "…' in str(found)
    assert 'It snowed."' in str(found)
    with pytest.raises(KostraError) as caught:
        found.check()
    assert max(map(len, str(caught.value).splitlines())) < 360
