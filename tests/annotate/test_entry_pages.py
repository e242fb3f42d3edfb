"""How people come in and go: links, platforms, passwords, consent, questionnaire, and a page of their own."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher
from tests.annotate.studies import Response, Study, Visitor, pairs, rating

from kostra.annotate.entry.passwords import Passwords
from kostra.annotate.hall import COOKIE
from kostra.annotate.store import Store
from kostra.campaign.admission import Asked, Consent, Entry, Prolific, Questionnaire
from kostra.campaign.events import Event

PASSWORD = "a quiet heron at noon"
CONSENT = Consent(text="Your answers are kept.\n\nYou may stop at any time.", title="Consent")
PERSON = Questionnaire(
    questions=(
        Asked(name="age", prompt="How old are you?", low=18, high=120, optional=False),
        Asked(name="gender", prompt="Your gender?", labels=("female", "male", "another")),
    )
)
CHEAP = Passwords(PasswordHasher(time_cost=1, memory_cost=64, parallelism=1))


@pytest.fixture
def open_study(tmp_path: Path) -> Iterator[Callable[..., Study]]:
    """Opens a study of two pairs, in a file of its own, with options of the campaign."""
    made: list[Study] = []

    def open_one(count: int = 2, **options: Any) -> Study:
        items = pairs(count)
        study = Study(tmp_path, str(tmp_path / "campaign.db"))
        study.add([rating()], items, {("main", 0): tuple(items)}, **options).open()
        assert study.client is not None
        study.client.app.state.hall.passwords = CHEAP  # type: ignore[attr-defined]
        made.append(study)
        return study

    yield open_one
    for study in made:
        study.close()


def store_of(study: Study) -> Store:
    assert study.store is not None
    return study.store


def fields(page: str) -> dict[str, str]:
    """The hidden fields of a page."""
    found = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', page)
    return {name: unescape(value) for name, value in found}


def sent(visitor: Visitor, page: str, to: str | None = None, **given: str) -> Response:
    """Fill in the form of a page and send it."""
    shown = visitor.get(page)
    assert shown.status_code == 200, shown.text
    return visitor.post(to or page, fields(shown.text) | given)


def finish(visitor: Visitor) -> None:
    page = visitor.get("/work").text
    while 'id="answer"' in page:
        visitor.post("/work", fields(page) | {"similarity": "3"})
        page = visitor.get("/work").text


# Links -----------------------------------------------------------------------------------------------------


def test_a_shared_link_that_is_opened_again_makes_no_second_annotator_of_one_person(
    open_study: Callable[..., Study],
) -> None:
    study = open_study()
    (token,) = store_of(study).invite("news", uses="shared", now=study.now)
    visitor = study.stranger()
    assert visitor.get(f"/join/{token}").status_code == 303
    (ann,) = (one.annotator for one in store_of(study).annotators("news"))
    again = visitor.get(f"/join/{token}")
    assert (again.status_code, f"Go on as {ann}" in again.text) == (409, True)
    assert visitor.call("session", method="GET").json()["annotator"] == ann
    assert len(store_of(study).annotators("news")) == 1
    other = visitor.post(f"/join/{token}", fields(again.text))
    assert other.status_code == 303, "somebody else at the same computer says so"
    assert len(store_of(study).annotators("news")) == 2


def test_nobody_works_for_somebody_else_because_they_followed_a_link(open_study: Callable[..., Study]) -> None:
    study = open_study()
    ann, mine = study.visitor("ann"), study.token("ben")
    assert ann.get(f"/join/{mine}").status_code == 409
    assert ann.call("session", method="GET").json()["annotator"] == "ann"
    forged = ann.http.post(f"/join/{mine}", data={}, headers={"X-Kostra-Csrf": ""})
    assert forged.status_code == 403
    (own,) = store_of(study).invite("news", annotator="ann", now=study.now)
    assert ann.get(f"/join/{own}").status_code == 303, "their own link brings them back as ever"


# Consent ---------------------------------------------------------------------------------------------------


def test_nothing_is_shown_or_asked_before_consent(open_study: Callable[..., Study]) -> None:
    study = open_study(consent=CONSENT)
    ann = study.visitor()
    assert ann.get("/work").headers["location"] == "/consent"
    assert "Your answers are kept." in ann.get("/consent").text
    reply = ann.http.post("/api/v1/next", headers={"X-Kostra-Csrf": fields(ann.get("/consent").text)["csrf"]})
    assert (reply.status_code, "consent" in reply.json()["error"]) == (409, True)
    assert study.events("joined") == []
    assert sent(ann, "/consent", agree="yes").headers["location"] == "/work"
    assert "First p" in ann.get("/work").text
    (said,) = store_of(study).consents("news", "ann")
    assert (said.version, said.given, said.at) == (CONSENT.version_of_text, True, study.now)
    assert len(study.events("joined")) == 1


def test_a_changed_text_is_asked_again_within_half_a_minute(open_study: Callable[..., Study]) -> None:
    study = open_study(consent=CONSENT)
    ann = study.visitor()
    sent(ann, "/consent", agree="yes")
    assert ann.get("/work").status_code == 200
    store = store_of(study)
    newest = store.load_material("news")
    other = newest.protocol.model_copy(update={"consent": Consent(text="Another text.")})
    store.save_revision("news", protocol=other, material=newest.material, difference="consent", now=study.now)
    assert study.client is not None
    desk = study.client.app.state.hall.desks["news"]  # type: ignore[attr-defined]
    desk.engine.do(lambda _: (None, [Event("revised", study.now, None, {"revision": 2})]))
    study.wait(seconds=31)
    assert ann.get("/work").headers["location"] == "/consent"
    page = ann.get("/consent").text
    assert "has changed since you agreed" in page
    assert ann.post("/consent", fields(page) | {"version": CONSENT.version_of_text, "agree": "yes"}).status_code == 422
    sent(ann, "/consent", agree="yes")
    assert [one.version for one in store.consents("news", "ann")][-1] == Consent(text="Another text.").version_of_text


def test_who_refuses_is_asked_nothing_more_and_may_change_their_mind(open_study: Callable[..., Study]) -> None:
    study = open_study(consent=CONSENT)
    ann = study.visitor()
    reply = sent(ann, "/consent", agree="no")
    assert "You did not agree to take part" in reply.text
    assert ann.get("/work").headers["location"] == "/consent"
    sent(ann, "/consent", agree="yes")
    assert ann.get("/work").status_code == 200


def test_who_takes_consent_back_can_do_nothing_more_from_that_moment_on_anywhere(
    open_study: Callable[..., Study], tmp_path: Path
) -> None:
    study = open_study(consent=CONSENT)
    ann = study.visitor()
    sent(ann, "/consent", agree="yes")
    elsewhere = Study(tmp_path, study.url, campaigns=study.campaigns).open()
    try:
        there = elsewhere.stranger()
        there.http.cookies.set(COOKIE, ann.http.cookies[COOKIE])
        assert ann.get("/work").status_code == there.get("/work").status_code == 200
        sent(ann, "/consent", agree="no")
        assert ann.get("/work").headers["location"] == there.get("/work").headers["location"] == "/consent"
        assert there.get("/api/v1/session").status_code in (200, 409)
    finally:
        elsewhere.close()


def test_consent_cannot_be_forged_from_another_page(open_study: Callable[..., Study]) -> None:
    study = open_study(consent=CONSENT)
    ann = study.visitor()
    form = fields(ann.get("/consent").text) | {"agree": "yes"}
    ann.http.headers.pop("X-Kostra-Csrf", None)
    assert ann.post("/consent", form | {"csrf": "forged"}).status_code == 403
    assert store_of(study).consents("news") == []


# Questionnaire ---------------------------------------------------------------------------------------------


def test_the_questionnaire_comes_once_after_consent_and_is_no_judgment(open_study: Callable[..., Study]) -> None:
    study = open_study(consent=CONSENT, questionnaire=PERSON)
    ann = study.visitor()
    sent(ann, "/consent", agree="yes")
    assert ann.get("/work").headers["location"] == "/questionnaire"
    reply = sent(ann, "/questionnaire", age="seventeen", gender="male")
    assert reply.status_code == 422
    assert "Enter a whole number from 18 to 120." in reply.text
    assert 'value="male" checked' in reply.text
    assert sent(ann, "/questionnaire", age="41", gender="").headers["location"] == "/work"
    finish(ann)
    told = {one.question: one.value for one in store_of(study).replies("news", "ann")}
    assert told == {"age": "41", "gender": ""}
    assert {row["question"] for row in study.judgments()} == {"similarity"}


def test_replies_that_are_none_are_refused(open_study: Callable[..., Study]) -> None:
    study = open_study(questionnaire=PERSON)
    ann = study.visitor()
    for given in ({"age": "5"}, {"age": "30", "gender": "x"}, {"age": "١٢"}, {"age": "9" * 30}):
        assert sent(ann, "/questionnaire", **given).status_code == 422, given
    assert store_of(study).replies("news") == []


# Prolific --------------------------------------------------------------------------------------------------

CODES = Entry(prolific=Prolific(completion="DONE1", screened_out="OUT2", no_consent="NO3", study="s1"))
ASKED = "PROLIFIC_PID=5f3a&STUDY_ID=s1&SESSION_ID=t1"


def prolific(study: Study, **options: Any) -> str:
    (token,) = store_of(study).invite("news", uses="shared", source="prolific", now=study.now, **options)
    return f"/prolific/{token}"


def test_a_person_from_prolific_returns_as_the_same_annotator_and_goes_back_with_the_code(
    open_study: Callable[..., Study],
) -> None:
    study = open_study(entry=CODES)
    link = prolific(study)
    ann = study.stranger()
    assert ann.get(f"{link}?{ASKED}").headers["location"] == "/work"
    assert ann.get("/leave").headers["location"] == "/work", "there is work to do"
    again = study.stranger()
    again.get(f"{link}?{ASKED}")
    finish(again)
    assert 'href="/leave"' in again.get("/work").text
    assert again.get("/leave").headers["location"] == "https://app.prolific.com/submissions/complete?cc=DONE1"
    assert len(store_of(study).annotators("news")) == 1
    assert "5f3a" not in str(study.judgments())


def test_who_does_not_consent_goes_back_to_prolific_with_that_code(open_study: Callable[..., Study]) -> None:
    study = open_study(entry=CODES, consent=CONSENT)
    ann = study.stranger()
    ann.get(f"{prolific(study)}?{ASKED}")
    page = ann.get("/consent")
    assert "form-action 'self' https://app.prolific.com;" in page.headers["content-security-policy"]
    assert ann.post("/consent", fields(page.text) | {"agree": "no"}).headers["location"] == "/leave"
    assert ann.get("/leave").headers["location"] == "https://app.prolific.com/submissions/complete?cc=NO3"


def test_who_is_stopped_goes_back_to_prolific_screened_out(open_study: Callable[..., Study]) -> None:
    study = open_study(entry=CODES)
    ann = study.stranger()
    ann.get(f"{prolific(study)}?{ASKED}")
    ann.get("/work")
    assert study.client is not None
    desk = study.client.app.state.hall.desks["news"]  # type: ignore[attr-defined]
    name = store_of(study).annotators("news")[0].annotator
    desk.engine.do(lambda _: (None, [Event("stopped", study.now, name, {"reason": "gold"})]))
    assert ann.get("/leave").headers["location"].endswith("cc=OUT2")


def test_without_a_code_people_are_told_to_go_back(open_study: Callable[..., Study]) -> None:
    study = open_study()
    ann = study.stranger()
    ann.get(f"{prolific(study)}?{ASKED}")
    finish(ann)
    assert "go back to Prolific" in ann.get("/leave").text


def test_a_link_that_prolific_did_not_make_is_refused(open_study: Callable[..., Study]) -> None:
    study = open_study(entry=CODES)
    link, knocking = prolific(study), study.stranger()
    for query, why in {
        "STUDY_ID=s1&SESSION_ID=t1": "lacks PROLIFIC_PID",
        "PROLIFIC_PID=%3Cb%3E&STUDY_ID=s1&SESSION_ID=t1": "lacks PROLIFIC_PID",
        "PROLIFIC_PID=5f3a&STUDY_ID=s2&SESSION_ID=t1": "another study",
    }.items():
        reply = knocking.get(f"{link}?{query}")
        assert (reply.status_code, why in reply.text) == (409, True), query
    assert store_of(study).annotators("news") == []


def test_a_full_study_and_a_link_of_another_kind_let_nobody_in(open_study: Callable[..., Study]) -> None:
    study = open_study()
    link = prolific(study, quota=1)
    study.stranger().get(f"{link}?{ASKED}")
    full = study.stranger().get(f"{link}?{ASKED.replace('5f3a', 'abcd')}")
    assert (full.status_code, "as many as it may" in full.text) == (404, True)
    assert study.stranger().get(link.replace("prolific", "join")).status_code == 404


# Mechanical Turk -------------------------------------------------------------------------------------------

TURK = "assignmentId=A1&hitId=H1&workerId=W1&turkSubmitTo=https%3A%2F%2Fworkersandbox.mturk.com"


def mturk(study: Study) -> str:
    (token,) = store_of(study).invite("news", uses="shared", source="mturk", now=study.now)
    return f"/mturk/{token}"


def test_a_preview_at_mechanical_turk_stores_nothing(open_study: Callable[..., Study]) -> None:
    study = open_study()
    link = mturk(study)
    for query in ("", "?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&hitId=H1"):
        reply = study.stranger().get(link + query)
        assert (reply.status_code, "This is a preview" in reply.text) == (200, True)
        assert "set-cookie" not in reply.headers
        assert "frame-ancestors https://*.mturk.com" in reply.headers["content-security-policy"]
        assert "x-frame-options" not in reply.headers
    assert study.stranger().get(f"{link}/begin?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE").status_code == 409
    assert store_of(study).annotators("news") == []


def test_the_page_at_mechanical_turk_has_the_title_of_its_own_campaign(tmp_path: Path) -> None:
    items, study = pairs(1), Study(tmp_path, str(tmp_path / "campaign.db"))
    for name in ("first", "second"):
        study.add([rating()], items, {("main", 0): tuple(items)}, name=name)
    study.open()
    (token,) = store_of(study).invite("second", uses="shared", source="mturk", now=study.now)
    page = study.stranger().get(f"/mturk/{token}").text
    study.close()
    assert re.findall(r"<h1[^>]*>([^<]*)", page) == ["Second"]


def test_an_address_that_leads_nowhere_is_told_in_the_language_of_the_reader(open_study: Callable[..., Study]) -> None:
    page = open_study().stranger().get("/nowhere", headers={"Accept-Language": "cs"})
    assert page.status_code == 404
    assert "V adrese možná chybí písmeno." in page.text
    assert "Not Found" not in page.text


def test_an_assignment_is_handed_in_at_amazon_by_a_form(open_study: Callable[..., Study]) -> None:
    study = open_study(entry=Entry(mturk_code="code-7"))
    link = mturk(study)
    ann = study.stranger()
    page = ann.get(f"{link}?{TURK}").text
    (begin,) = re.findall(r'href="([^"]*/begin[^"]*)"', page)
    assert ann.get(unescape(begin)).headers["location"] == "/work"
    finish(ann)
    page = ann.get("/leave")
    assert 'action="https://workersandbox.mturk.com/mturk/externalSubmit"' in page.text
    assert fields(page.text) == {"assignmentId": "A1", "code": "code-7", "outcome": "finished"}
    assert "form-action 'self' https://workersandbox.mturk.com;" in page.headers["content-security-policy"]
    again = study.stranger()
    again.get(unescape(begin).replace("A1", "A2"))
    assert fields(again.get("/leave").text)["assignmentId"] == "A2", "the same worker, another assignment"
    assert len(store_of(study).annotators("news")) == 1


def test_work_is_handed_in_nowhere_but_at_amazon(open_study: Callable[..., Study]) -> None:
    study = open_study()
    link, knocking = mturk(study), study.stranger()
    hosts = ("evil.example", "www.mturk.com.evil.example", "a@www.mturk.com", "www.mturk.com/x", "www.mturk.com:8443")
    for host in ("http://www.mturk.com", "", *(f"https://{name}" for name in hosts)):
        asked = {"assignmentId": "A", "hitId": "H", "workerId": "W", "turkSubmitTo": host}
        reply = knocking.get(f"{link}/begin", params=asked)
        assert (reply.status_code, "at Amazon Mechanical Turk only" in reply.text) == (409, True), host
    assert store_of(study).annotators("news") == []


# Passwords and sessions ------------------------------------------------------------------------------------


def with_password(study: Study, name: str = "ann") -> Visitor:
    visitor = study.visitor(name)
    reply = sent(visitor, "/me", "/password", name=f"{name.title()} Login", new=PASSWORD, again=PASSWORD)
    assert reply.headers["location"] == "/me?done=password", reply.text
    return visitor


def test_a_name_and_a_password_bring_somebody_in(open_study: Callable[..., Study]) -> None:
    study = open_study()
    with_password(study)
    other = study.stranger()
    reply = other.post("/login", {"name": " ann  LOGIN", "password": PASSWORD}, headers={"Cookie": f"{COOKIE}=fixed"})
    assert reply.headers["location"] == "/work"
    assert other.http.cookies[COOKIE] != "fixed"
    assert "First p" in other.get("/work").text
    account = store_of(study).account_named("ann login")
    assert account is not None
    assert account.password.startswith("$argon2id$")
    assert PASSWORD not in account.password


def test_a_wrong_name_and_a_wrong_password_are_refused_alike(open_study: Callable[..., Study]) -> None:
    study = open_study()
    with_password(study)
    knocking = study.stranger()
    for name, password in (("ann login", "wrong password"), ("nobody", PASSWORD), ("", ""), ("ann login", "")):
        reply = knocking.post("/login", {"name": name, "password": password})
        assert (reply.status_code, "The name or the password is wrong." in reply.text) == (401, True)
        assert "set-cookie" not in reply.headers


def test_an_unknown_name_costs_as_many_hashes_as_a_wrong_password(
    open_study: Callable[..., Study], monkeypatch: pytest.MonkeyPatch
) -> None:
    study = open_study()
    with_password(study)
    verified: list[str] = []

    def verify(self: PasswordHasher, stored: str, password: bytes) -> bool:
        verified.append(stored.split("$")[3])
        return original(self, stored, password)

    original = PasswordHasher.verify
    monkeypatch.setattr(PasswordHasher, "verify", verify)
    for name in ("ann login", "nobody"):
        study.stranger().post("/login", {"name": name, "password": "wrong password"})
    assert len(verified) == 2
    assert verified[0] == verified[1], "hashed by the same parameters"


def test_a_password_that_was_hashed_by_other_parameters_is_hashed_anew_at_login(
    open_study: Callable[..., Study],
) -> None:
    study = open_study()
    with_password(study)
    stronger = Passwords(PasswordHasher(time_cost=2, memory_cost=64, parallelism=1))
    assert study.client is not None
    study.client.app.state.hall.passwords = stronger  # type: ignore[attr-defined]
    assert study.stranger().post("/login", {"name": "ann login", "password": PASSWORD}).status_code == 303
    account = store_of(study).account_named("ann login")
    assert account is not None
    assert not stronger.outdated(account.password)


def test_a_password_that_is_none_is_refused(open_study: Callable[..., Study]) -> None:
    study = open_study()
    ann = study.visitor()
    for why, given in {
        "at least 10": {"new": "short", "again": "short"},
        "differ": {"new": PASSWORD, "again": PASSWORD + "x"},
        "Choose a name": {"name": "", "new": PASSWORD, "again": PASSWORD},
        "easy to guess": {"new": "aaaaaaaaaaaaa", "again": "aaaaaaaaaaaaa"},
    }.items():
        reply = sent(ann, "/me", "/password", **{"name": "ann", **given})
        assert (reply.status_code, why in reply.text) == (422, True), why
    assert store_of(study).account("news", "ann") is None


def test_a_name_that_somebody_has_is_refused(open_study: Callable[..., Study]) -> None:
    study = open_study()
    with_password(study)
    reply = sent(study.visitor("ben"), "/me", "/password", name="ann login", new=PASSWORD, again=PASSWORD)
    assert (reply.status_code, "Somebody else" in reply.text) == (422, True)


def test_changing_a_password_asks_for_the_old_one_and_ends_all_other_sessions(open_study: Callable[..., Study]) -> None:
    study = open_study()
    ann = with_password(study)
    other = study.stranger()
    sent(other, "/login", name="ann login", password=PASSWORD)
    assert other.get("/me").status_code == 200
    new = {"name": "ann login", "new": PASSWORD[::-1], "again": PASSWORD[::-1]}
    assert sent(ann, "/me", "/password", **new, current="wrong password").status_code == 422
    assert sent(ann, "/me", "/password", **new, current=PASSWORD).status_code == 303
    assert ann.get("/me").status_code == 200
    assert other.get("/me").status_code == 401


def test_logging_out_ends_the_session_in_every_process_at_once(
    open_study: Callable[..., Study], tmp_path: Path
) -> None:
    study = open_study()
    ann = study.visitor()
    elsewhere = Study(tmp_path, study.url, campaigns=study.campaigns).open()
    try:
        there = elsewhere.stranger()
        there.http.cookies.set(COOKIE, ann.http.cookies[COOKIE])
        assert there.get("/work").status_code == 200
        assert "logged out" in sent(ann, "/me", "/logout").text
        assert there.get("/work").status_code == 401, "no time has passed"
        assert ann.get("/work").status_code == 401
    finally:
        elsewhere.close()


# Names -----------------------------------------------------------------------------------------------------


def test_people_are_called_by_animals_where_the_recipe_says_so(open_study: Callable[..., Study]) -> None:
    study = open_study(entry=Entry(pseudonyms="animals"), language="cs")
    (token,) = store_of(study).invite("news", uses="shared", now=study.now)
    for _ in range(3):
        study.stranger().get(f"/join/{token}")
    names = [one.annotator for one in store_of(study).annotators("news")]
    assert len(set(names)) == 3
    assert all(re.fullmatch(r"\w+-\w+", name) and not name.startswith("annotator") for name in names)


# A person's own page ---------------------------------------------------------------------------------------


def test_a_person_sees_and_downloads_what_is_stored_of_them_and_of_nobody_else(
    open_study: Callable[..., Study],
) -> None:
    study = open_study(consent=CONSENT, questionnaire=PERSON)
    store = store_of(study)
    ann, ben = study.visitor("ann"), study.visitor("ben")
    store.set_contact("news", "ann", name="Anna <b>", mail="anna@example.org", now=study.now)
    for visitor in (ann, ben):
        sent(visitor, "/consent", agree="yes")
        sent(visitor, "/questionnaire", age="41")
        finish(visitor)
    page = ann.get("/me").text
    assert "Anna &lt;b&gt;" in page
    found = json.loads(ann.get("/me/data").text)
    assert (found["pseudonym"], found["contact"]["mail"], found["questionnaire"]["age"]) == (
        "ann",
        "anna@example.org",
        "41",
    )
    assert found["consents"][0]["version"] == CONSENT.version_of_text
    assert [one["what"] for one in found["log"]].count("answered") == 2
    assert "ben" not in json.dumps(found)
    assert "argon2" not in json.dumps(found)


def test_who_erases_themselves_leaves_only_answers_under_a_random_name(open_study: Callable[..., Study]) -> None:
    study = open_study(consent=CONSENT, entry=Entry(erases=True))
    ann = study.visitor()
    sent(ann, "/consent", agree="yes")
    finish(ann)
    assert sent(ann, "/me", "/me/erase", pseudonym="ben").status_code == 422
    assert "random name" in sent(ann, "/me", "/me/erase", pseudonym="ann").text
    assert ann.get("/me").status_code == 401
    names = {row["annotator"] for row in study.judgments()}
    assert names == set(store_of(study).aliases("news").values())
    assert "ann" not in names
    assert store_of(study).consents("news") == []
    (entry,) = store_of(study).recorded()
    assert (entry.act, entry.actor) == ("erased", next(iter(names)))


def test_who_may_not_erase_themselves_is_told_whom_to_ask(open_study: Callable[..., Study]) -> None:
    study = open_study()
    ann = study.visitor()
    assert "write to study@example.org" in ann.get("/me").text
    page = fields(ann.get("/me").text)
    assert ann.post("/me/erase", page | {"pseudonym": "ann"}).status_code == 409
    assert store_of(study).aliases("news") == {}
