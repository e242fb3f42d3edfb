"""The people of a project, for whoever runs it: letters, links, pay, their data, erasing."""

from __future__ import annotations

import csv
import io
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

import kostra
from kostra import cli, participants, site, tables
from kostra.annotate import app
from kostra.annotate.store import open_store
from kostra.errors import KostraError
from kostra.recipe import read_recipe

RULES = """[steps.with.pay]
currency = "CZK"
per_answer = 2.5
per_hour = 100.0
longest_seconds = 36.0
bonus = [{ name = "all", amount = 50.0, finished = true }]
[steps.with.questionnaire]
at_least = 2
[[steps.with.questionnaire.questions]]
name = "age"
prompt = "How old are you?"
low = 18
high = 99
[steps.with.entry]
pseudonyms = "animals"
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four pairs: of three people, one has rated two of them, another all, and the third has not come."""
    project = kostra.new("rating", tmp_path_factory.mktemp("people") / "project")
    lines = (project / "data" / "pairs.csv").read_text(encoding="utf-8").splitlines()
    (project / "data" / "pairs.csv").write_text("\n".join(lines[:5]) + "\n", encoding="utf-8")
    recipe = project / "recipe.toml"
    text = recipe.read_text(encoding="utf-8").replace("overlap = 3", "overlap = 2")
    recipe.write_text(text.replace("[[steps.with.phases]]", RULES + "[[steps.with.phases]]"), encoding="utf-8")
    (project / "class.csv").write_text("name,mail\nAnna,anna@example.org\nBen,ben@example.org\nEva,eva@example.org\n")
    kostra.prepare(project)
    posted = participants.invite_list(
        project, project / "class.csv", output=project / "letters.txt", url="http://testserver"
    )
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv(app.ENVIRONMENT, json.dumps(site.environment(project)))
        with TestClient(app.from_environment()) as client:
            for letter, most in zip(posted.letters[:2], (2, 9), strict=True):
                answer(client, letter.link, most)
    return project


def answer(client: TestClient, link: str, most: int) -> None:
    client.cookies.clear()
    client.headers.pop("X-Kostra-Csrf", None)
    page = client.get(link).text
    csrf = page.split('name="csrf" value="')[1].split('"')[0]
    assert client.post("/questionnaire", data={"csrf": csrf, "age": "30" if most == 2 else ""}).status_code == 200
    client.headers["X-Kostra-Csrf"] = client.get("/api/v1/session").json()["csrf"]
    place: dict[str, Any] = client.post("/api/v1/next").json()["place"]
    for number in range(most):
        if place["kind"] != "show":
            break
        body = {
            "phase": place["phase"], "item": place["item"]["item"], "version": 1, "answers": {"similarity": 3},
            "key": f"{link}-{number}",
        }  # fmt: skip
        place = client.post("/api/v1/answers", json=body).json()["place"]


@pytest.fixture
def project(made: Path, tmp_path: Path) -> Path:
    """The same, for one test alone."""
    return Path(shutil.copytree(made, tmp_path / "project"))


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def names(project: Path) -> dict[str, str]:
    """Mail → pseudonym."""
    with open_store(project / "campaign.db") as store:
        return {str(one.mail): one.annotator for one in store.contacts("annotate")}


def test_pay_counts_answers_time_and_bonuses(project: Path, tmp_path: Path) -> None:
    total = participants.pay(project, tmp_path / "pay.csv")
    found = {row["annotator"]: row for row in rows(tmp_path / "pay.csv")}
    anna, ben = (found[names(project)[f"{who}@example.org"]] for who in ("anna", "ben"))
    assert (anna["answers"], anna["for_answers"], anna["finished"], anna["bonus: all"]) == ("2", "5.00", "no", "0.00")
    assert (ben["answers"], ben["for_answers"], ben["finished"], ben["bonus: all"]) == ("4", "10.00", "yes", "50.00")
    assert {row["currency"] for row in found.values()} == {"CZK"}
    assert len(found) == 2, "who never came has earned nothing"
    assert f"{total:.2f}" == f"{sum(float(row['total']) for row in found.values()):.2f}"
    assert "anna@example.org" not in (tmp_path / "pay.csv").read_text()
    participants.pay(project, tmp_path / "pay.csv", names=True)
    assert {row["mail"] for row in rows(tmp_path / "pay.csv")} == {"anna@example.org", "ben@example.org"}


def test_pay_for_prolific_has_only_those_whom_it_sent(project: Path, tmp_path: Path) -> None:
    who = names(project)["ben@example.org"]
    with open_store(project / "campaign.db") as store:
        now = store.annotators("annotate")[0].created_at
        store.set_contact("annotate", who, source="prolific", external="5f3a", now=now)
    participants.pay(project, tmp_path / "bonus.csv", form="prolific")
    ((person, amount),) = csv.reader(io.StringIO((tmp_path / "bonus.csv").read_text()))
    assert person == "5f3a"
    assert float(amount) >= 60


def test_pay_without_rules_says_where_they_belong(project: Path, tmp_path: Path) -> None:
    recipe = project / "recipe.toml"
    text = recipe.read_text(encoding="utf-8")
    recipe.write_text(text.replace(RULES.split("[steps.with.questionnaire]")[0], ""), encoding="utf-8")
    kostra.prepare(project)
    with pytest.raises(KostraError, match="does not say what people earn"):
        participants.pay(project, tmp_path / "pay.csv")
    assert not (tmp_path / "pay.csv").exists()


def test_replies_are_written_apart_and_who_stands_out_is_told(project: Path, tmp_path: Path) -> None:
    (note,) = participants.questionnaire(project, tmp_path / "replies.csv")
    assert note.startswith("2 of 2 people")
    assert {row["annotator"]: row["age"] for row in rows(tmp_path / "replies.csv")} == {
        names(project)["anna@example.org"]: "30",
        names(project)["ben@example.org"]: "",
    }
    participants.questionnaire(project, tmp_path / "replies.csv", linked=False)
    assert sorted((tmp_path / "replies.csv").read_text().splitlines()) == ['""', "30", "age"]
    path = kostra.collect(project)[0].path
    assert "age" not in set(tables.read(path, tables.JUDGMENTS)["question"])


def test_a_person_who_is_erased_is_gone_from_every_export(project: Path, tmp_path: Path) -> None:
    anna = names(project)["anna@example.org"]
    found = participants.person(project, anna)
    assert (found["contact"]["mail"], found["questionnaire"]) == ("anna@example.org", {"age": "30"})
    alias = participants.erase(project, anna)
    judgments = tables.read(kostra.collect(project)[0].path, tables.JUDGMENTS)
    assert anna not in set(judgments["annotator"])
    assert judgments.filter(judgments["annotator"] == alias).height == 2
    participants.pay(project, tmp_path / "pay.csv", names=True)
    assert alias in {row["annotator"] for row in rows(tmp_path / "pay.csv")}
    assert "anna@" not in (tmp_path / "pay.csv").read_text()
    with pytest.raises(KostraError, match=f'what was known of "{anna}" was erased'):
        participants.person(project, anna)
    with open_store(project / "campaign.db") as store:
        assert (store.contact("annotate", anna), store.replies("annotate", anna)) == (None, [])
    kostra.backup(project, tmp_path / "backup.jsonl.gz")
    with open_store(project / "campaign.db") as store, store.connected() as connection:
        dump = "".join(
            str(row)
            for table in ("contacts", "replies", "audit", "invitations")
            for row in connection.exec_driver_sql(f"SELECT * FROM {table}")
        )
    assert "anna@example.org" not in dump
    assert anna not in str([entry.data for entry in _audit(project) if entry.act == "erased"])
    with pytest.raises(KostraError, match="unknown annotator"):
        participants.erase(project, "nobody")


def test_a_question_that_nobody_answers_erases_nothing(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    anna = names(project)["anna@example.org"]
    monkeypatch.setattr(sys, "argv", ["kostra", "erase", str(project), anna])
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    with pytest.raises(SystemExit) as left:
        cli.main()
    assert left.value.code == 2
    assert "error: the question was not answered, and nothing was done" in capsys.readouterr().err
    assert participants.person(project, anna)["contact"]["mail"] == "anna@example.org"


def _audit(project: Path) -> list[Any]:
    with open_store(project / "campaign.db") as store:
        return store.recorded("annotate")


def test_links_are_listed_and_withdrawn(project: Path) -> None:
    kostra.invite(project, uses="shared", quota=3)
    (link,) = kostra.invite(project, source="prolific", url="https://example.org/s")
    assert link.endswith("?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}")
    listed = participants.invitations(project)
    assert [(one.uses, one.source, one.quota) for one in listed][:2] == [
        ("shared", "prolific", None),
        ("shared", "link", 3),
    ]
    participants.withdraw_invitation(project, listed[0].id)
    assert participants.invitations(project)[0].withdrawn
    with pytest.raises(KostraError, match="unknown invitation"):
        participants.withdraw_invitation(project, "x")


def test_a_list_needs_one_way_to_go_out_and_a_broken_one_invites_nobody(project: Path) -> None:
    for options in (
        {},
        {"smtp": "h:25", "output": "x.txt"},
        {"smtp": "h:25"},
        {"smtp": "127.0.0.1:9", "sender": "a@b.cz"},
    ):
        with pytest.raises(KostraError):
            participants.invite_list(project, project / "class.csv", again=True, **options)  # type: ignore[arg-type]
    assert len(names(project)) == 3
    assert len(participants.invitations(project)) == 3


def test_letters_are_not_written_over_and_nobody_is_invited_by_one_that_is_lost(project: Path) -> None:
    people, before = project / "class.csv", (project / "letters.txt").read_bytes()
    with pytest.raises(KostraError, match="there are letters in this file already"):
        participants.invite_list(project, people, output=project / "letters.txt", again=True)
    assert (project / "letters.txt").read_bytes() == before
    people.write_text("name,mail\nDan,dan@example.org\n")
    with pytest.raises(KostraError, match="the folder does not exist"):
        participants.invite_list(project, people, output=project / "nowhere" / "letters.txt")
    assert "dan@example.org" not in names(project)
    posted = participants.invite_list(project, people, output=project / "more.txt")
    assert [one.to.name for one in posted.letters] == ["Dan"], "the next time it is tried again"
    assert (project / "more.txt").stat().st_mode & 0o077 == 0
    assert not participants.invite_list(project, people, output=project / "none.txt").letters
    assert not (project / "none.txt").exists()


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ("[steps.with.consent]\ntitle = 'x'", "needs a text"),
        ("[steps.with.consent]\ntext = 'x'\nversoin = '1'", 'did you mean "version"'),
        ("[steps.with.pay]\ncurrency = 'euro'", "pay.currency"),
        ("[steps.with.pay]\nper_answer = -1.0", "pay.per_answer"),
        ("[steps.with.questionnaire]\nquestions = []", "questionnaire.questions"),
        ("[steps.with.entry]\npseudonyms = 'plants'", "'numbers' or 'animals'"),
        ("[steps.with.entry.prolific]\ncompletion = 'a b'", "completion"),
        ("[steps.with.letter]\ntext = 'Hello.'", "does not say {link}"),
    ],
)
def test_a_recipe_with_a_mistake_about_people_is_refused(project: Path, options: str, why: str) -> None:
    recipe = project / "recipe.toml"
    text = recipe.read_text(encoding="utf-8").replace(RULES, "")
    recipe.write_text(text.replace("[[steps.with.phases]]", f"{options}\n[[steps.with.phases]]"), encoding="utf-8")
    with pytest.raises(KostraError) as caught:
        site._protocol(project, read_recipe(recipe), read_recipe(recipe).step("annotate"))
    assert why in str(caught.value)
