"""Scripts make campaigns, invite people, watch and read, each as far as its token allows."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.annotate.scripts import Script, script, sent
from tests.annotate.studies import Study, pairs, rated, rating

from kostra.annotate.scripts_api import judgments as stream
from kostra.annotate.store import open_store
from kostra.annotate.store_streaming import judgment_page


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


def lines(reply: Any) -> list[dict[str, Any]]:
    assert reply.status_code == 200, reply.text
    return [json.loads(line) for line in reply.text.splitlines()]


def join(study: Study, link: str) -> Any:
    visitor = study.stranger()
    assert visitor.get(link).status_code == 303
    return visitor


# Tokens --------------------------------------------------------------------------------------------------------


def test_without_a_token_nothing_is_told(plain: Study) -> None:
    rated(plain)
    for token in ("", "nonsense", "x" * 5000):
        reply = script(plain, token=token).get("campaigns")
        assert reply.status_code == 401
        assert reply.headers["www-authenticate"].startswith("Bearer")


def test_a_token_that_expired_or_was_withdrawn_opens_nothing(plain: Study) -> None:
    rated(plain)
    assert plain.store is not None
    client = script(plain)
    assert client.get("campaigns").status_code == 200
    (known,) = plain.store.api_tokens()
    plain.store.withdraw_api_token(known.id)
    assert client.get("campaigns").status_code == 401


def test_a_role_may_do_what_those_below_it_may_and_no_more(plain: Study) -> None:
    rated(plain)
    plain.visitor("ann")
    wanted = {"read": (200, 403, 403), "write": (200, 201, 403), "admin": (200, 201, 201)}
    for role, statuses in wanted.items():
        client = script(plain, role)
        found = (
            client.get("campaigns/news/annotators").status_code,
            client.post("campaigns/news/invitations", {}).status_code,
            client.post("campaigns", sent(f"by_{role}")).status_code,
        )
        assert found == statuses, role


def test_only_an_admin_s_token_makes_links_for_admins(plain: Study) -> None:
    rated(plain)
    body = {"role": "admin"}
    assert script(plain, "write").post("campaigns/news/invitations", body).status_code == 403
    plain.token("boss", role="admin")
    assert script(plain, "write").post("campaigns/news/invitations", {"annotator": "boss"}).status_code == 403
    assert script(plain, "admin").post("campaigns/news/invitations", body).status_code == 201


def test_a_token_for_one_campaign_does_not_learn_of_others(plain: Study) -> None:
    items = pairs(1)
    plain.add([rating()], items, {("main", 0): tuple(items)}, name="other")
    rated(plain)
    client = script(plain, "admin", campaign="news")
    assert [one["campaign"] for one in client.get("campaigns").json()["campaigns"]] == ["news"]
    assert client.get("campaigns/news").status_code == 200
    other, nowhere = client.get("campaigns/other"), client.get("campaigns/nowhere")
    assert (other.status_code, nowhere.status_code) == (404, 404)
    assert other.text.replace("other", "X") == nowhere.text.replace("nowhere", "X")
    assert client.get("campaigns/other/judgments").status_code == 404
    assert client.post("campaigns", sent()).status_code == 403


def test_a_token_is_no_session_and_a_session_no_token(plain: Study) -> None:
    rated(plain)
    assert script(plain).post("next", {}).status_code == 401
    assert plain.visitor("boss", role="admin").call("campaigns", method="GET").status_code == 401


# Campaigns -----------------------------------------------------------------------------------------------------


def test_a_script_makes_a_campaign_invites_people_and_reads_what_they_say(study: Study) -> None:
    study.open()
    client = script(study)
    made = client.post("campaigns", sent())
    assert (made.status_code, made.json()) == (
        201,
        {"campaign": "scripted", "revision": 1, "items": 3, "difference": ""},
    )
    (link,) = client.post("campaigns/scripted/invitations", {}).json()["invitations"]
    visitor = join(study, link["path"])
    assert "Koně a psi" in visitor.get("/work").text
    for value in (4, 2):
        assert visitor.answer({"similarity": value}).status_code == 200
    told = client.get("campaigns/scripted").json()
    assert (told["accepted"], told["wanted"], told["people"], told["language"]) == (2, 3, 1, "cs")
    found = lines(client.get("campaigns/scripted/judgments"))
    assert [(one["value"], one["status"], one["question"]) for one in found] == [
        ("4", "answered", "similarity"),
        ("2", "answered", "similarity"),
    ]
    assert client.get("campaigns/scripted/statistics").json()["answers"] == 2
    (person,) = client.get("campaigns/scripted/annotators").json()["annotators"]
    assert (person["answered"], person["stopped"]) == ({"main": 2}, "")


def test_a_campaign_that_a_script_made_is_served_by_other_processes_and_after_a_restart(study: Study) -> None:
    study.open()
    other = Study(study.folder, study.url).open()  # another process, which began before the campaign
    try:
        assert script(study).post("campaigns", sent()).status_code == 201
        (link,) = script(study).post("campaigns/scripted/invitations", {}).json()["invitations"]
        assert join(other, link["path"]).next()["kind"] == "show"
    finally:
        other.close()
    again = Study(study.folder, study.url).open()
    try:
        assert join(again, link["path"]).next()["kind"] == "show"
    finally:
        again.close()


def test_a_campaign_of_a_step_that_the_recipe_lacks_stays_closed(plain: Study) -> None:
    items = pairs(1)
    plain.add([rating()], items, {("main", 0): tuple(items)}, name="gone")
    del plain.campaigns["gone"]
    rated(plain)
    assert script(plain).get("campaigns/gone").status_code == 404
    assert [one["campaign"] for one in script(plain).get("campaigns").json()["campaigns"]] == ["news"]


def test_a_name_is_given_once(plain: Study) -> None:
    rated(plain)
    client = script(plain)
    assert client.post("campaigns", sent("news")).status_code == 409
    assert client.post("campaigns", sent()).status_code == 201
    assert client.post("campaigns", sent()).status_code == 409


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"tables": {"pairs": {"pairs": []}}}, "the table is empty"),
        ({"tables": {"pairs": {"pears": [{"pair": "p"}]}}}, "unknown kind of table"),
        ({"tables": {"pairs": {"pairs": [{"pair": "p", "text": "x"}]}}}, 'unknown column "text"'),
        ({"tables": {"pairs": {"pairs": [{"pair": "p", "text_a": "x"}]}}}, "text_b"),
        ({"tables": {}}, "the task needs pairs"),
        ({"score": {"question": "q", "low": 5, "high": 0}}, "must lie below"),
        ({"colour": "red"}, "colour"),
        ({"step": {"name": "Bad Name", "with": {"phases": []}}}, "step.name"),
        ({"step": {"name": "a", "with": {"phases": []}}}, "phases"),
        ({"step": {"name": "a", "with": {"phases": [{"name": "m", "task": "rating", "overlapp": 2}]}}}, "overlapp"),
        ({"step": {"name": "a", "use": "sources/files", "with": {}}}, "step.use"),
    ],
)
def test_a_campaign_with_a_mistake_is_refused_with_the_place_and_leaves_nothing(
    plain: Study, change: dict[str, Any], told: str
) -> None:
    rated(plain)
    reply = script(plain).post("campaigns", sent() | change)
    assert reply.status_code == 422
    assert told in reply.json()["error"]
    assert plain.store is not None
    assert plain.store.campaigns() == ["news"]


@pytest.mark.parametrize("path", ["/etc/passwd", "../secret.txt", "plain.db", "nothing.dic"])
def test_a_script_cannot_have_files_of_the_machine_read(plain: Study, path: str) -> None:
    rated(plain)
    (plain.folder.parent / "secret.txt").write_text("secret")
    for change in (
        {"spelling": path},
        {"blocks": [{"purpose": "instructions", "text_file": path}, {"purpose": "main"}]},
    ):
        body = sent()
        body["step"]["with"]["phases"][0] |= change
        reply = script(plain).post("campaigns", body)
        assert reply.status_code == 422
        assert "secret\n" not in reply.text


def test_a_campaign_is_revised_while_it_runs_but_not_what_was_answered(study: Study) -> None:
    study.open()
    client = script(study)
    client.post("campaigns", sent())
    (link,) = client.post("campaigns/scripted/invitations", {}).json()["invitations"]
    visitor = join(study, link["path"])
    visitor.answer({"similarity": 4})
    more = client.ask("PUT", "campaigns/scripted", json=sent(pairs=5))
    assert (more.status_code, more.json()["revision"], more.json()["items"]) == (200, 2, 5)
    assert "2 items" in more.json()["difference"]
    same = client.ask("PUT", "campaigns/scripted", json=sent(pairs=5))
    assert (same.json()["revision"], same.json()["difference"]) == (2, "")
    changed = sent(pairs=5)
    changed["step"]["with"]["phases"][0]["questions"][0]["high"] = 9
    refused = client.ask("PUT", "campaigns/scripted", json=changed)
    assert (refused.status_code, "other scale" in refused.json()["error"]) == (409, True)
    assert client.get("campaigns/scripted").json()["wanted"] == 5


def test_a_campaign_of_the_recipe_is_revised_in_the_recipe(plain: Study) -> None:
    rated(plain)
    reply = script(plain).ask("PUT", "campaigns/news", json=sent("news"))
    assert (reply.status_code, "recipe" in reply.json()["error"]) == (409, True)


# People --------------------------------------------------------------------------------------------------------


def test_a_shared_link_of_a_script_lets_in_as_many_as_its_quota(plain: Study) -> None:
    rated(plain)
    made = script(plain, "write")
    reply = made.post("campaigns/news/invitations", {"uses": "shared", "quota": 1})
    path = reply.json()["invitations"][0]["path"]
    assert [plain.stranger().get(path).status_code for _ in range(2)] == [303, 404]
    assert made.post("campaigns/news/invitations", {"uses": "personal", "quota": 1}).status_code == 409


def test_links_have_the_site_s_own_address_where_it_is_known(plain: Study) -> None:
    rated(plain)
    (bare,) = script(plain).post("campaigns/news/invitations", {}).json()["invitations"]
    assert (bare["link"], bare["path"]) == (None, f"/join/{bare['token']}")
    made = script(plain).post("campaigns/news/invitations", {"number": 3, "uses": "once", "days": 2}).json()
    assert len({one["token"] for one in made["invitations"]}) == 3
    assert made["expires_at"].startswith("2026-01-03")
    token = made["invitations"][0]["token"]
    assert plain.stranger().get(f"/join/{token}").status_code == 303
    assert plain.stranger().get(f"/join/{token}").status_code == 404
    assert script(plain).post("campaigns/news/invitations", {"role": "judge"}).status_code == 422
    assert script(plain).post("campaigns/news/invitations", {"annotator": "nobody"}).status_code == 404


def test_who_is_excluded_is_stopped_and_who_is_readmitted_goes_on(study: Study) -> None:
    rated(study)
    visitor = study.visitor("ann")
    visitor.answer({"similarity": 3})
    client = script(study, "write")
    done = client.post("campaigns/news/annotators/ann/exclude", {"reason": "answers at random"})
    assert done.json() == {"changed": True}
    assert client.post("campaigns/news/annotators/ann/exclude", {"reason": "again"}).json() == {"changed": False}
    assert visitor.next()["kind"] == "stopped"
    assert lines(client.get("campaigns/news/judgments"))[0]["status"] == "discarded"
    assert client.post("campaigns/news/annotators/ann/readmit", {"reason": "my mistake"}).json() == {"changed": True}
    assert visitor.next()["kind"] == "show"
    assert client.post("campaigns/news/annotators/nobody/exclude", {"reason": "x"}).status_code == 404
    assert client.post("campaigns/news/annotators/ann/exclude", {"reason": ""}).status_code == 422
    assert study.store is not None
    acts = [(one.act, one.data.get("annotator"), one.actor) for one in study.store.recorded("news")]
    assert [act[:2] for act in acts] == [("readmitted", "ann"), ("excluded", "ann")]
    assert all("a write" in actor for _, _, actor in acts)
    assert "answers at random" not in visitor.get("/work").text


def test_a_paused_campaign_shows_nothing_new(study: Study) -> None:
    rated(study)
    client = script(study, "write")
    assert client.post("campaigns/news/pause", {"reason": "a mistake in the texts"}).json() == {"changed": True}
    assert client.get("campaigns/news").json()["reason"] == "a mistake in the texts"
    visitor = study.visitor("ann")
    assert visitor.next()["kind"] != "show"
    assert client.post("campaigns/news/resume", {"reason": "mended"}).json() == {"changed": True}
    assert visitor.next()["kind"] == "show"


# Judgments -----------------------------------------------------------------------------------------------------


def answered(study: Study, count: int, monkeypatch: pytest.MonkeyPatch) -> Script:
    """A campaign with some answers, read in small pages."""
    monkeypatch.setattr(stream, "TOGETHER", 3)
    rated(study, count)
    visitor = study.visitor("ann")
    for number in range(count):
        visitor.answer({"similarity": number % 6})
    return script(study, "read")


def test_a_stream_has_every_judgment_once_and_equals_what_is_collected(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = answered(study, 8, monkeypatch)
    found = lines(client.get("campaigns/news/judgments"))
    collected = study.judgments()
    assert [one["judgment"] for one in found] == [one["judgment"] for one in collected]
    for name in ("item", "value", "status", "annotator", "seconds", "phase", "block"):
        assert [one[name] for one in found] == [one[name] for one in collected]


def test_a_stream_that_broke_off_goes_on_from_any_line(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    client = answered(study, 8, monkeypatch)
    whole = lines(client.get("campaigns/news/judgments"))
    for place, last in enumerate(whole, 1):
        by_seq = lines(client.get(f"campaigns/news/judgments?after={last['seq']}"))
        exact = lines(client.get(f"campaigns/news/judgments?after={last['seq']}&number={last['number']}"))
        assert by_seq == exact == whole[place:]
    assert lines(client.get("campaigns/news/judgments?limit=4")) == whole[:4]
    assert lines(client.get("campaigns/news/judgments?limit=0")) == []


def test_several_judgments_of_one_answer_are_told_apart_where_a_stream_broke_off(
    plain: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "TOGETHER", 2)
    plain.open()
    body = sent()
    body["step"]["with"]["phases"][0]["questions"] += [{"name": f"q{n}", "low": 0, "high": 5} for n in range(4)]
    client = script(plain)
    client.post("campaigns", body)
    (link,) = client.post("campaigns/scripted/invitations", {}).json()["invitations"]
    visitor = join(plain, link["path"])
    for _ in range(2):
        assert visitor.answer({"similarity": 1, **{f"q{n}": n for n in range(4)}}).status_code == 200
    whole = lines(client.get("campaigns/scripted/judgments"))
    assert len(whole) == 10
    for place, last in enumerate(whole, 1):
        exact = client.get(f"campaigns/scripted/judgments?after={last['seq']}&number={last['number']}")
        assert lines(exact) == whole[place:]


def test_a_stream_may_be_csv_and_may_be_packed(plain: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    client = answered(plain, 8, monkeypatch)
    whole = lines(client.get("campaigns/news/judgments"))
    reply = client.get("campaigns/news/judgments?format=csv", headers={"Accept-Encoding": "identity"})
    assert reply.headers["content-type"].startswith("text/csv")
    assert "content-encoding" not in reply.headers
    rows = list(csv.DictReader(io.StringIO(reply.text)))
    assert [row["judgment"] for row in rows] == [one["judgment"] for one in whole]
    assert rows[0]["supersedes"] == ""
    with client.http.stream(
        "GET",
        "/api/v1/campaigns/news/judgments",
        headers={"Authorization": f"Bearer {client.token}", "Accept-Encoding": "gzip"},
    ) as packed:
        assert packed.headers["content-encoding"] == "gzip"
        text = gzip.decompress(b"".join(packed.iter_raw())).decode()
    assert [json.loads(line) for line in text.splitlines()] == whole


def test_a_stream_ends_with_what_was_stored_when_it_began(plain: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    client = answered(plain, 8, monkeypatch)
    before = lines(client.get("campaigns/news/judgments"))
    pages = judgment_page
    late = plain.visitor("ben")

    def slow(*arguments: Any, **options: Any) -> Any:
        late.call("problems", {"text": "meanwhile"})
        return pages(*arguments, **options)

    monkeypatch.setattr(stream, "judgment_page", slow)
    assert lines(client.get("campaigns/news/judgments")) == before


def test_numbers_out_of_range_are_refused(plain: Study) -> None:
    rated(plain)
    client = script(plain)
    for query in ("after=-1", "after=99999999999999999999", "after=x", "limit=-1", "format=xml", "number=-1"):
        assert client.get(f"campaigns/news/judgments?{query}").status_code == 422


# The description -----------------------------------------------------------------------------------------------


def test_the_description_and_its_page_are_there_for_everybody_and_complete(plain: Study) -> None:
    rated(plain)
    stranger = plain.stranger()
    document = stranger.get("/api/v1/openapi.json").json()
    page = stranger.get("/api/v1/docs")
    assert document["info"]["version"] == "1.0.0"
    assert page.status_code == 200
    for path, methods in document["paths"].items():
        assert path.startswith("/api/v1/")
        for method, operation in methods.items():
            assert f"{method.upper()} {path}" in page.text
            assert operation["security"], path
            assert operation.get("description"), path
    assert "http://" not in page.text.replace("http://testserver", "")


def test_every_act_of_a_script_is_in_the_audit_log(plain: Study) -> None:
    rated(plain)
    plain.visitor("ann")
    client = script(plain)
    client.post("campaigns", sent())
    client.ask("PUT", "campaigns/scripted", json=sent(pairs=4))
    client.post("campaigns/news/invitations", {})
    client.post("campaigns/news/pause", {"reason": "r"})
    client.post("campaigns/news/resume", {"reason": "r"})
    with open_store(plain.url) as store:
        acts = [one.act for one in store.recorded()]
    assert acts == ["resumed", "paused", "invited", "campaign revised", "campaign made"]
