"""The protocol on the pages, and what nobody gets to see."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from tests.annotate.studies import NOON, PAYMENT, Study, golden, pairs, rated, rating

from kostra.campaign.items import Item
from kostra.campaign.protocol import Block, Check, Gold, Phase, Question


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


# Protocol on the pages -------------------------------------------------------------------------------------


def test_a_pause_between_phases_is_a_page_with_a_countdown(study: Study) -> None:
    items = pairs(1)
    later = rating(name="later", after="main", pause_hours=72, same_order_as="main")
    study.add([rating(), later], items, {("main", 0): ("p0",), ("later", 0): ("p0",)}).open()
    visitor = study.visitor()
    reply = visitor.answer({"similarity": 1}).json()
    assert reply["place"]["kind"] == "pause"
    assert datetime.fromisoformat(reply["place"]["until"]) == NOON + timedelta(hours=72)
    study.wait(hours=71, minutes=58)
    page = visitor.get("/work").text
    assert 'data-countdown="120"' in page
    study.wait(minutes=2)
    assert visitor.next()["phase"] == "later"


def test_a_wrong_gold_answer_is_told_at_once_and_a_right_one_goes_on(study: Study) -> None:
    golden(study)
    visitor = study.visitor()
    assert visitor.answer({"similarity": 1}).json()["feedback"] is None
    body = visitor.body({"similarity": 5})
    assert body["item"].startswith("g")
    assert visitor.call("answers", body).json()["feedback"] == {"right": True, "known": {"similarity": "5"}}
    visitor.answer({"similarity": 1})
    reply = visitor.call("answers", visitor.body({"similarity": 0}), html=True).json()
    assert reply["feedback"]["right"] is False
    assert 'data-kind="feedback"' in reply["html"]
    assert "right answer" in reply["html"]


def test_gold_is_told_without_javascript_as_well(study: Study) -> None:
    golden(study)
    visitor = study.visitor()
    visitor.post("/work", {**visitor.form(), "similarity": "1"})
    page = visitor.post("/work", {**visitor.form(), "similarity": "0"})
    assert page.status_code == 200
    assert 'data-kind="feedback"' in page.text
    assert 'data-kind="show"' in visitor.get("/work").text


def test_who_fails_the_gold_questions_is_stopped_kindly_and_told_about_payment(study: Study) -> None:
    golden(study)
    visitor = study.visitor()
    place = visitor.next()
    while place["kind"] == "show":
        place = visitor.answer({"similarity": 0}).json()["place"]
    assert (place["kind"], place["reason"]) == ("stopped", "gold")
    page = visitor.get("/work").text
    assert 'data-kind="stopped"' in page
    assert "Thank you for your time" in page
    assert PAYMENT in page
    assert "study@example.org" in page
    assert {row["status"] for row in study.judgments()} == {"discarded"}


def test_a_late_answer_of_somebody_who_was_stopped_is_acknowledged_and_discarded(study: Study) -> None:
    golden(study, minimum=1)
    visitor = study.visitor()
    first = visitor.body({"similarity": 1})
    visitor.call("answers", first)
    visitor.answer({"similarity": 0})
    assert visitor.next()["kind"] == "stopped"
    assert visitor.call("answers", first).json()["repeated"]


def test_a_qualification_says_whether_but_never_how_it_was_right(study: Study) -> None:
    check = Check(prompt="What counts?", choices=("meaning", "length"), right="meaning")
    blocks = (Block(purpose="qualification", checks=(check,), attempts=2), Block(purpose="main"))
    item = Item("check-main-0-0", "check", {"prompt": check.prompt, "choices": ["meaning", "length"]})
    items = {item.item: replace(item, known={"check": "meaning"}), **pairs(2)}
    study.add([rating(blocks=blocks)], items, {("main", 0): (item.item,), ("main", 1): tuple(pairs(2))}).open()
    visitor = study.visitor()
    reply = visitor.answer({"check": "length"})
    assert reply.json()["feedback"] == {"right": False, "known": {}}
    assert reply.json()["place"]["attempt"] == 2
    assert "attempt number 2" in visitor.get("/work").text
    assert visitor.answer({"check": "meaning"}).json()["place"]["item"]["kind"] == "pair"


# What nobody gets to see -----------------------------------------------------------------------------------


def test_no_reply_holds_a_known_answer_before_it_is_given(study: Study) -> None:
    """The known answer is a text that stands nowhere else, so that any trace of it would be found."""
    secret = "xyzzy-secret"
    items = pairs(4)
    gold = {name: replace(one, known={"remark": secret}) for name, one in pairs(2, prefix="g").items()}
    phase = Phase(name="main", task="triage", questions=(Question(name="remark"),), gold=Gold(every=1))
    study.add([phase], {**items, **gold}, {("main", 0): (*items, *gold)}).open()
    visitor = study.visitor()
    seen: list[str] = []
    place = visitor.next()
    while place["kind"] == "show":
        seen += [visitor.get("/work").text, visitor.call("next").text, visitor.call("next", html=True).text]
        seen += [visitor.get("/work/help").text, visitor.get("/openapi.json").text]
        assert place["purpose"] == "main"
        assert "known" not in place["item"]
        if place["item"]["item"].startswith("g"):
            break
        reply = visitor.answer({"remark": "fine"})
        seen.append(reply.text)
        place = reply.json()["place"]
    assert place["item"]["item"].startswith("g")
    assert not [text for text in seen if secret in text]
    assert secret in visitor.answer({"remark": "wrong"}).text


def test_the_text_of_an_item_that_was_not_shown_is_never_delivered(study: Study) -> None:
    items = {
        f"i{number}": Item(f"i{number}", "sentence", {"text": f"Unique-{number:03d} sentence."}) for number in range(40)
    }
    phase = Phase(name="main", task="triage", questions=(Question(name="verdict", labels=("keep", "reject")),))
    study.add([phase], items, {("main", 0): tuple(items)}).open()
    visitor = study.visitor()
    shown: set[str] = set()
    delivered: set[str] = set()
    for _ in range(5):
        place = visitor.next()
        shown.add(place["item"]["content"]["text"].split()[0])
        hidden = next(item for item in items if item != place["item"]["item"])
        probes = [
            visitor.get("/work"), visitor.call("next", html=True), visitor.get("/work/help"),
            visitor.answer({"verdict": "keep"}, item=hidden), visitor.get(f"/media/{hidden}"),
            visitor.call("suggestions", {"item": hidden, "side": "a", "text": "x"}),
            visitor.call("drafts", {"phase": "main", "item": hidden, "data": {}}, method="PUT"),
        ]  # fmt: skip
        delivered |= {found for reply in probes for found in re.findall(r"Unique-\d{3}", reply.text)}
        assert delivered <= shown
        reply = visitor.answer({"verdict": "keep"})
        shown.add(reply.json()["place"]["item"]["content"]["text"].split()[0])
    assert len(shown) == 6


def test_only_images_that_were_shown_are_delivered_and_no_other_file(study: Study) -> None:
    (study.folder / "pictures").mkdir()
    for number in range(3):
        (study.folder / "pictures" / f"{number}.png").write_bytes(b"\x89PNG picture")
    (study.folder / "secret.txt").write_text("secret")
    items = {
        f"d{number}": Item(f"d{number}", "image", {"image": f"pictures/{number}.png", "title": "A picture"})
        for number in range(3)
    }
    phase = Phase(name="main", task="describe", questions=(Question(name="description"),))
    study.add([phase], items, {("main", 0): tuple(items)}).open()
    visitor = study.visitor()
    item = visitor.next()["item"]["item"]
    reply = visitor.get(f"/media/{item}")
    assert (reply.status_code, reply.content, reply.headers["content-type"]) == (200, b"\x89PNG picture", "image/png")
    assert f'src="/media/{item}"' in visitor.get("/work").text
    tries = [
        *(other for other in items if other != item), "escape", "pictures/0.png", "secret.txt", "../secret.txt",
        "..%2fsecret.txt", "%2e%2e/%2e%2e/etc/passwd", "/etc/passwd", "%2fetc%2fpasswd", f"{item}/../secret.txt",
        "a%00b", "%ff",
    ]  # fmt: skip
    for name in tries:
        assert visitor.get(f"/media/{name}").status_code == 404, name
    assert study.stranger().get(f"/media/{item}").status_code == 401


def test_an_image_outside_of_the_project_is_not_delivered(plain: Study) -> None:
    plain.folder /= "project"
    plain.folder.mkdir()
    (plain.folder.parent / "secret.png").write_bytes(b"secret")
    (plain.folder / "link.png").symlink_to(plain.folder.parent / "secret.png")
    (plain.folder / "folder.png").mkdir()
    names = ("../secret.png", str(plain.folder.parent / "secret.png"), "link.png", "folder.png", "none.png")
    items = {f"d{number}": Item(f"d{number}", "image", {"image": name}) for number, name in enumerate(names)}
    phase = Phase(name="main", task="describe", questions=(Question(name="description"),))
    plain.add([phase], items, {("main", 0): tuple(items)}).open()
    visitor = plain.visitor()
    place = visitor.next()
    while place["kind"] == "show":
        assert visitor.get(f"/media/{place['item']['item']}").status_code == 404
        place = visitor.answer({"description": "A cat sits."}).json()["place"]


def test_two_campaigns_in_one_store_stay_apart(study: Study) -> None:
    items, others = pairs(2), pairs(2, prefix="q")
    study.add([rating()], items, {("main", 0): tuple(items)})
    study.add([rating()], others, {("main", 0): tuple(others)}, name="other").open()
    ann, bob = study.visitor("ann"), study.visitor("ann", campaign="other")
    body = ann.body({"similarity": 1})
    assert body["item"].startswith("p")
    assert bob.next()["item"]["item"].startswith("q")
    assert bob.call("answers", body).status_code == 409
    same_key = bob.body({"similarity": 2}, key=body["key"])
    assert ann.call("answers", body).json()["repeated"] is False
    assert bob.call("answers", same_key).json()["repeated"] is False
    assert [row["item"][0] for row in study.judgments()] == ["p"]
    assert [row["item"][0] for row in study.judgments(campaign="other")] == ["q"]
    assert "News" in ann.get("/work").text
    assert "Other" in bob.get("/work").text


def test_a_campaign_that_is_not_served_lets_nobody_in(plain: Study) -> None:
    items = pairs(1)
    plain.add([rating()], items, {("main", 0): tuple(items)}, name="closed")
    plain.campaigns.clear()
    plain.add([rating()], items, {("main", 0): tuple(items)}).open()
    reply = plain.stranger().get(f"/join/{plain.token(campaign='closed')}")
    assert reply.status_code == 404
    assert "not open" in reply.text


def test_one_annotator_cannot_answer_with_another_s_key(study: Study) -> None:
    rated(study, 3, overlap=2)
    ann, bob = study.visitor("ann"), study.visitor("bob")
    ann.answer({"similarity": 1}, key="same")
    assert bob.answer({"similarity": 2}, key="same").json()["repeated"] is False
    assert len(study.judgments()) == 2
