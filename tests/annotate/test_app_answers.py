"""Answers over HTTP, from forms and programs: stored once, or refused with a message at the field."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.annotate.studies import PAYMENT, Study, best_worst, pairs, rated, rating, rewriting

from kostra.campaign.items import Item
from kostra.campaign.protocol import Block, Phase, Question


@pytest.fixture
def study(store_url: str, tmp_path: Path) -> Iterator[Study]:
    """A site that is not open yet, on each kind of store in turn."""
    made = Study(tmp_path, store_url)
    yield made
    made.close()


@pytest.fixture
def plain(tmp_path: Path) -> Iterator[Study]:
    """The same on SQLite alone, for what has nothing to do with the store."""
    made = Study(tmp_path, f"sqlite:///{tmp_path / 'plain.db'}")
    yield made
    made.close()


# Pages without JavaScript ----------------------------------------------------------------------------------


def test_a_form_is_answered_without_javascript(study: Study) -> None:
    rated(study, 2)
    visitor = study.visitor()
    for _ in range(2):
        reply = visitor.post("/work", {**visitor.form(), "similarity": "4"})
        assert (reply.status_code, reply.headers["location"]) == (303, "/work")
    page = visitor.get("/work").text
    assert 'data-kind="finished"' in page
    assert PAYMENT in page
    assert [row["value"] for row in study.judgments()] == ["4", "4"]


def test_a_form_that_is_sent_twice_is_stored_once(study: Study) -> None:
    rated(study)
    visitor = study.visitor()
    form = {**visitor.form(), "similarity": "4"}
    assert [visitor.post("/work", form).status_code for _ in range(3)] == [303, 303, 303]
    assert len(study.judgments()) == 1


def test_a_wrong_form_comes_back_with_the_message_at_the_field_and_what_was_typed(study: Study) -> None:
    rewriting(study)
    visitor = study.visitor()
    form = visitor.form()
    number = form["item"][1:]
    reply = visitor.post("/work", {**form, "first": "Quite another cat.", "second": f"A cat number {number}."})
    assert reply.status_code == 422
    assert re.search(r'id="e-second"[^>]*>[^<]*sentence itself', reply.text)
    assert "Quite another cat." in reply.text
    again = {**form, "first": "Quite another cat.", "second": "", "second.impossible": "on"}
    assert visitor.post("/work", again).status_code == 303
    found = {(row["question"], row["value"], row["status"]) for row in study.judgments()}
    assert found == {("first", "Quite another cat.", "answered"), ("second", None, "impossible")}


def test_a_form_that_is_not_whole_gets_a_page_and_stores_nothing(plain: Study) -> None:
    rated(plain)
    visitor = plain.visitor()
    for version in ("", "x", "²", "-1", "1.5", "9" * 30, "٣"):
        reply = visitor.post("/work", {**visitor.form(), "version": version, "similarity": "3"})
        assert reply.status_code == 409, version
        assert "That did not work" in reply.text
    assert visitor.post("/work", {"similarity": "3"}).status_code == 409
    assert not plain.judgments()


def test_the_last_answer_is_changed_without_javascript(study: Study) -> None:
    rated(study)
    visitor = study.visitor()
    form = visitor.form()
    visitor.post("/work", {**form, "similarity": "2"})
    page = visitor.post("/work/undo", visitor.form())
    assert page.status_code == 200
    assert f'name="item" value="{form["item"]}"' in page.text
    assert re.search(r'value="2"[^>]*checked', page.text)
    key = re.search(r'name="key" value="([^"]*)"', page.text)
    assert key is not None
    assert visitor.post("/work", {**form, "key": key[1], "similarity": "5"}).status_code == 303
    assert [(row["value"], row["status"]) for row in study.judgments()] == [("2", "superseded"), ("5", "answered")]


def test_a_page_that_is_reloaded_while_the_last_answer_is_changed_still_shows_it(plain: Study) -> None:
    rated(plain)
    visitor = plain.visitor()
    form = visitor.form()
    visitor.post("/work", {**form, "similarity": "2"})
    visitor.post("/work/undo")
    page = visitor.get("/work").text
    assert f'name="item" value="{form["item"]}"' in page
    assert re.search(r'value="2"[^>]*checked', page)


def test_problems_and_skips_work_without_javascript(study: Study) -> None:
    rated(study, may_skip=True)
    visitor = study.visitor()
    form = visitor.form()
    assert "Report a problem" in visitor.get("/work/problem").text
    reply = visitor.post("/work/problem", {"text": "The second sentence is cut."})
    assert "Thank you" in reply.text
    (event,) = study.events("problem")
    assert (event.data["text"], event.data["item"]) == ("The second sentence is cut.", form["item"])
    assert visitor.post("/work/skip", form).status_code == 303
    assert visitor.form()["item"] != form["item"]
    assert [row["status"] for row in study.judgments()] == ["skipped"]
    assert visitor.post("/work/skip", {}).status_code == 422
    assert visitor.post("/work/problem", {"text": "  "}).status_code == 409


def test_instructions_can_be_read_again(plain: Study) -> None:
    blocks = (Block(purpose="instructions", title="How to judge", text="Think of meaning."), Block(purpose="main"))
    text = Item("text-main-0", "text", {"title": "How to judge", "text": "Think of meaning."})
    items = {text.item: text, **pairs(2)}
    plain.add([rating(blocks=blocks)], items, {("main", 0): (text.item,), ("main", 1): tuple(pairs(2))}).open()
    visitor = plain.visitor()
    assert "Think of meaning." in visitor.get("/work").text
    assert visitor.post("/work", {**visitor.form(), "read": "yes"}).status_code == 303
    assert "Think of meaning." not in visitor.get("/work").text
    assert "Think of meaning." in visitor.get("/work/help").text


# The API ---------------------------------------------------------------------------------------------------


def test_an_answer_is_stored_and_the_reply_says_what_comes_next(study: Study) -> None:
    rated(study, 2)
    visitor = study.visitor()
    first = visitor.body({"similarity": 3}, seconds=4.5, language="cs", notes={"pasted": ["similarity"]})
    study.wait(seconds=9)
    reply = visitor.call("answers", first).json()
    assert (reply["status"], reply["repeated"], reply["feedback"]) == ("answered", False, None)
    assert reply["place"]["kind"] == "show"
    assert reply["place"]["item"]["item"] != first["item"]
    assert visitor.answer({"similarity": "5"}).json()["place"]["kind"] == "finished"
    one, other = study.judgments()
    assert (one["item"], one["value"], one["seconds"]) == (first["item"], "3", 4.5)
    assert (other["value"], other["status"]) == ("5", "answered")


def test_an_answer_that_is_sent_again_is_stored_once_and_acknowledged_again(study: Study) -> None:
    rated(study, 3)
    visitor = study.visitor()
    body = visitor.body({"similarity": 3})
    replies = [visitor.call("answers", body).json() for _ in range(3)]
    assert [reply["repeated"] for reply in replies] == [False, True, True]
    assert len({json.dumps(reply["place"], sort_keys=True) for reply in replies}) == 1
    assert len(study.judgments()) == 1


def test_an_answer_that_is_sent_again_after_a_later_one_is_still_acknowledged(study: Study) -> None:
    rated(study, 3)
    visitor = study.visitor()
    body = visitor.body({"similarity": 3})
    visitor.call("answers", body)
    visitor.answer({"similarity": 1})
    assert visitor.call("answers", body).json()["repeated"]
    assert len(study.judgments()) == 2


WRONG: dict[Callable[[Study], Study], list[tuple[dict[str, Any], set[str]]]] = {
    rated: [
        ({"similarity": 6}, {"similarity"}),
        ({"similarity": -1}, {"similarity"}),
        ({"similarity": 2.5}, {"similarity"}),
        ({"similarity": "many"}, {"similarity"}),
        ({"similarity": None}, {"similarity"}),
        ({"similarity": [3]}, {"similarity"}),
        ({"similarity": True}, {"similarity"}),
        ({"similarity": {"impossible": True}}, {"similarity"}),
        ({}, {"similarity"}),
        ({"similarity": 3, "beauty": 4}, {"beauty"}),
    ],
    best_worst: [
        ({"best": "s1", "worst": "s1"}, {"worst"}),
        ({"best": "s9", "worst": "s1"}, {"best"}),
        ({"best": "s1"}, {"worst"}),
        ({"best": {"deep": [1]}, "worst": 7}, {"best", "worst"}),
    ],
    rewriting: [
        ({"first": "", "second": "Some cat."}, {"first"}),
        ({"first": "   ", "second": "Some cat."}, {"first"}),
        ({"first": "Some cat.", "second": "Some cat."}, {"second"}),
        ({"first": {"impossible": True}, "second": "Some cat."}, {"first"}),
    ],
}


@pytest.mark.parametrize("make", WRONG, ids=lambda make: make.__name__)
def test_a_wrong_answer_is_refused_with_a_message_at_its_field(study: Study, make: Callable[[Study], Study]) -> None:
    visitor = make(study).visitor()
    before = visitor.next()["item"]
    for answers, fields in WRONG[make]:
        for html in (False, True):
            reply = visitor.call("answers", visitor.body(answers), html=html)
            assert reply.status_code == 422, answers
            errors = reply.json()["errors"]
            assert set(errors) == fields, answers
            assert all(isinstance(message, str) and message for message in errors.values())
    assert not study.judgments()
    assert visitor.next()["item"] == before


def test_an_unchanged_rewrite_is_refused_however_it_is_spaced(study: Study) -> None:
    visitor = rewriting(study).visitor()
    number = visitor.next()["item"]["item"][1:]
    reply = visitor.answer({"first": f"  A  cat number {number}.", "second": "Some cat."})
    assert reply.status_code == 422
    assert "first" in reply.json()["errors"]
    assert visitor.answer({"first": "No cat.", "second": {"impossible": True}}).status_code == 200


def test_an_answer_that_cannot_be_is_refused_with_a_reason(study: Study) -> None:
    rated(study)
    visitor = study.visitor()
    body = visitor.body({"similarity": 3})
    other = next(item for item in pairs(3) if item != body["item"])
    changes: list[dict[str, Any]] = [
        {"item": "nonsense"},
        {"phase": "nonsense"},
        {"item": other},
        {"version": 2},
        {"key": "k\0"},
        {"notes": {"a": "\0"}},
        {"notes": {"a": "\ud800"}},
        {"item": "p\0"},
        {"item": "\ud800"},
    ]
    for change in changes:
        reply = visitor.send(json.dumps({**body, **change}).encode())
        assert reply.status_code == 409, (change, reply.text)
        assert reply.json()["error"]
    assert not study.judgments()


def test_a_malformed_answer_is_refused_with_the_name_of_the_field(plain: Study) -> None:
    visitor = rated(plain).visitor()
    body = visitor.body({"similarity": 3})
    changes: list[dict[str, Any]] = [
        {"version": 0},
        {"version": 10**30},
        {"version": "x"},
        {"key": ""},
        {"key": "k" * 101},
        {"seconds": -1},
        {"seconds": 1e300},
        {"language": "x" * 21},
        {"answers": []},
        {"notes": 3},
        {"phase": None},
    ]
    for change in changes:
        reply = visitor.send(json.dumps({**body, **change}).encode())
        assert reply.status_code == 422, (change, reply.text)
        assert next(iter(change)) in reply.json()["error"]
    assert not plain.judgments()


def test_what_is_not_json_is_refused(plain: Study) -> None:
    visitor = rated(plain).visitor()
    for body in (b"", b"{", b"[]", b"null", b"\xff", b"[" * 100_000, b'{"key": NaN}'):
        reply = visitor.send(body)
        assert reply.status_code in (400, 422), body[:9]
        assert reply.json()["error"]


def test_the_last_answer_is_shown_again_and_superseded(study: Study) -> None:
    rated(study)
    visitor = study.visitor()
    assert visitor.call("undo").status_code == 409
    first = visitor.body({"similarity": 2})
    visitor.call("answers", first)
    place = visitor.call("undo").json()["place"]
    assert (place["item"]["item"], place["again"]) == (first["item"], True)
    html = visitor.call("next", html=True).json()["html"]
    assert "You are changing your last answer" in html
    assert visitor.answer({"similarity": 4}).json()["status"] == "answered"
    rows = {row["status"]: row for row in study.judgments()}
    assert (rows["superseded"]["value"], rows["answered"]["value"]) == ("2", "4")
    assert rows["answered"]["supersedes"] == rows["superseded"]["judgment"]


def test_an_item_is_skipped_once_however_often_that_is_sent(study: Study) -> None:
    rated(study, 3, may_skip=True)
    visitor = study.visitor()
    before = visitor.next()["item"]["item"]
    places = [visitor.call("skip", {"key": "skip-1"}).json()["place"] for _ in range(2)]
    assert places[0] == places[1]
    assert places[0]["item"]["item"] != before
    assert len(study.judgments()) == 1


def test_where_the_phase_does_not_allow_it_nothing_is_skipped(plain: Study) -> None:
    rated(plain)
    visitor = plain.visitor()
    visitor.next()
    assert visitor.call("skip", {"key": "skip-1"}).status_code == 409
    assert visitor.call("suggestions", {"item": "p0", "side": "a", "text": "Better."}).status_code == 409


def test_a_draft_is_there_again_when_the_page_is_loaded_anew_and_goes_with_the_answer(study: Study) -> None:
    rewriting(study)
    visitor = study.visitor()
    item = visitor.next()["item"]["item"]
    data = {"given": {"first": "Half a rewri"}, "at": 1_767_268_800_000, "seconds": 3.2, "pasted": []}
    draft = {"phase": "main", "item": item, "version": 1, "data": data}
    assert visitor.call("drafts", draft, method="PUT").status_code == 200
    page = visitor.get("/work").text
    assert "Half a rewri" in page
    assert 'data-draft-at="1767268800000"' in page
    visitor.answer({"first": "A whole one.", "second": "And another."})
    assert study.store is not None
    assert study.store.draft("news", "ann", "main", item) is None
    assert "Half a rewri" not in visitor.get("/work").text


def test_a_draft_that_makes_no_sense_breaks_no_page(plain: Study) -> None:
    rewriting(plain)
    visitor = plain.visitor()
    item = visitor.next()["item"]["item"]
    drafts: list[dict[str, Any]] = [
        {"given": "text"},
        {"given": None, "at": None},
        {"given": {"first": [1, {"x": 2}], "second": {"value": {"y": 1}}}, "at": "soon"},
        {"given": {"first": {"value": 3}}, "at": {"x": 1}},
        {"given": ["first"], "at": 1e308},
        {},
    ]
    for data in drafts:
        sent = visitor.call("drafts", {"phase": "main", "item": item, "version": 1, "data": data}, method="PUT")
        assert (sent.status_code, visitor.get("/work").status_code) == (200, 200), data


def test_a_draft_is_kept_only_of_what_is_on_the_screen(study: Study) -> None:
    rewriting(study)
    visitor = study.visitor()
    item = visitor.next()["item"]["item"]
    for wrong in ({"item": "nonsense"}, {"phase": "other"}, {"item": "i\0"}, {"version": 7}):
        draft = {"phase": "main", "item": item, "version": 1, "data": {"given": {}}, **wrong}
        assert visitor.call("drafts", draft, method="PUT").status_code == 409
    big = {"phase": "main", "item": item, "version": 1, "data": {"given": {"first": "x" * 70_000}}}
    assert visitor.call("drafts", big, method="PUT").status_code == 409


def test_a_problem_is_kept_with_the_item_on_the_screen(study: Study) -> None:
    rated(study)
    visitor = study.visitor()
    item = visitor.next()["item"]["item"]
    assert visitor.call("problems", {"text": " Something is odd. "}).status_code == 200
    assert visitor.call("problems", {"text": "  "}).status_code == 409
    (event,) = study.events("problem")
    assert event.data == {"phase": "main", "item": item, "version": 1, "text": "Something is odd."}


def test_a_judge_suggests_a_wording_that_only_the_linguist_sees(study: Study) -> None:
    items = pairs(1)
    judging = rating(name="judging", role="judge", suggests=True)
    deciding = Phase(
        name="deciding", task="correct", role="linguist", validates="judging",
        questions=(Question(name="suggestion", labels=("reject", "mend in place", "mend and ask again")),),
    )  # fmt: skip
    study.add([judging, deciding], items, {("judging", 0): ("p0",), ("deciding", 0): ()}).open()
    judge, linguist = study.visitor("jan", role="judge"), study.visitor("lin", role="linguist")
    assert linguist.next()["kind"] != "show"
    assert "Suggest a better wording" in judge.get("/work").text
    wanted = {"item": "p0", "side": "b", "text": "A much better wording."}
    assert judge.call("suggestions", {**wanted, "side": "c"}).status_code == 409
    assert judge.call("suggestions", wanted).status_code == 200
    assert "A much better wording." not in judge.get("/work").text
    assert "A much better wording." in re.sub("<del>.*?</del>|<[^>]*>", "", linguist.get("/work").text)
    form = {"item": "p0", "side": "a", "text": "Another wording."}
    assert judge.post("/work/suggestion", form).status_code == 303
