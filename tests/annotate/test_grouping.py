"""The page on which names are put together and taken apart."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from tests.annotate.studies import Response, Study, Visitor

from kostra.annotate.grouping import add_grouping
from kostra.campaign.items import Item
from kostra.campaign.naming import read_groups
from kostra.campaign.protocol import Phase, Question

IDEAS = Phase(
    name="ideas",
    task="rewrite",
    overlap=2,
    questions=(Question(name="rewrite", at_most=20), Question(name="rewrite_name", about="rewrite")),
)
NAMES = ["less formal", "formal less", "a ban", "<b>louder</b>", "Less formal."]
RECIPE = """\
[recipe]
name = "mine"
title = "Mine"
protocol = "ideas"
language = "en"
seed = 1
citation = "me"

[score]
question = "similarity"
low = 0.0
high = 1.0

[[steps]]
name = "headlines"
use = "sources/files"
[steps.with]
paths = ["data/headlines.csv"]

[[steps]]
name = "news"
use = "campaign/annotate"
reads = ["headlines"]
[[steps.with.phases]]
name = "ideas"
task = "rewrite"

[[steps]]
name = "names"
use = "analysis/name_groups"
reads = ["news"]
[steps.with]
groups = "data/groups.csv"
"""
PAGE = "/admin/news/names"


@contextmanager
def site(folder: Path) -> Iterator[tuple[Study, Visitor]]:
    """A site on which one annotator has given five names, and somebody runs the campaign."""
    made = Study(folder, str(folder / "campaign.db"))
    (folder / "recipe.toml").write_text(RECIPE, encoding="utf-8")
    item = Item("h1", "sentence", {"text": "It rains."})
    made.add([IDEAS], {"h1": item}, {("ideas", 0): ("h1",)}).open()
    assert made.client is not None
    app: Any = made.client.app
    if PAGE not in {getattr(route, "path", "").replace("{campaign}", "news") for route in app.routes}:
        add_grouping(app)
    ann = made.visitor("ann")
    rewrites = [f"It rains, {number} times." for number in range(len(NAMES))]
    assert ann.answer({"rewrite": rewrites, "rewrite_name": NAMES}).status_code == 200
    yield made, made.visitor("boss", role="admin")
    made.close()


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Study, Visitor]]:
    with site(tmp_path_factory.mktemp("grouping")) as made:
        yield made


@pytest.fixture
def study(opened: tuple[Study, Visitor]) -> Study:
    """The site before anything was decided."""
    made, _ = opened
    shutil.rmtree(made.folder / "data", ignore_errors=True)
    (made.folder / "recipe.toml").write_text(RECIPE, encoding="utf-8")
    return made


@pytest.fixture
def admin(study: Study, opened: tuple[Study, Visitor]) -> Visitor:
    return opened[1]


def fields(page: str) -> dict[str, str]:
    """What the form would send without a tick."""
    found = re.findall(r'<input type="(?:hidden|text)"[^>]*?name="([^"]+)"[^>]*?value="([^"]*)"', page, flags=re.DOTALL)
    found += re.findall(r'<input type="text"[^>]*?name="([^"]+)" value="([^"]*)"', page, flags=re.DOTALL)
    return {name: unescape(value) for name, value in found}


def send(visitor: Visitor, act: str, **ticked: Any) -> Response:
    page = visitor.get(PAGE)
    assert page.status_code == 200, page.text
    return visitor.post(PAGE, {**fields(page.text), "act": act, **ticked})


def decided(study: Study) -> dict[str, str]:
    return read_groups(study.folder / "data" / "groups.csv")[0]


def test_the_page_shows_what_is_proposed_with_counts_and_escapes_it(admin: Visitor, study: Study) -> None:
    page = admin.get(PAGE)
    assert page.status_code == 200
    assert "4 different names for 5 ideas, now in 3 groups" in page.text
    assert "a program’s proposal" in page.text
    assert "It rains, 2 times." in page.text, "what was called a ban"
    assert "&lt;b&gt;louder&lt;/b&gt;" in page.text
    assert "<b>louder</b>" not in page.text
    assert "<script" not in page.text
    assert not (study.folder / "data").exists(), "looking decides nothing"


def test_saving_writes_every_name_with_its_group(admin: Visitor, study: Study) -> None:
    reply = send(admin, "save")
    assert (reply.status_code, reply.headers["location"]) == (303, f"{PAGE}?done=save")
    assert decided(study) == {
        "less formal": "less formal", "formal less": "less formal", "a ban": "a ban",
        "<b>louder</b>": "<b>louder</b>",
    }  # fmt: skip
    assert "a program’s proposal" not in admin.get(PAGE).text


def test_groups_are_put_together_under_a_name_or_that_of_the_largest(admin: Visitor, study: Study) -> None:
    send(admin, "together", groups=["a ban", "<b>louder</b>"], into="commands")
    assert decided(study)["a ban"] == decided(study)["<b>louder</b>"] == "commands"
    send(admin, "together", groups=["commands", "less formal"])
    assert set(decided(study).values()) == {"less formal"}


def test_names_leave_their_group_for_another_or_for_one_of_their_own(admin: Visitor, study: Study) -> None:
    send(admin, "together", names=["formal less"], into="a ban")
    assert decided(study)["formal less"] == "a ban"
    send(admin, "apart", names=["formal less"])
    assert decided(study)["formal less"] == "formal less"
    send(admin, "together", names=["formal less", "a ban"])
    assert decided(study)["formal less"] == "a ban", "called as the first of those that were given as often"


def test_a_whole_group_is_taken_apart(admin: Visitor, study: Study) -> None:
    send(admin, "apart", groups=["less formal"])
    assert all(name == group for name, group in decided(study).items())


def test_groups_are_renamed_by_whatever_button_is_pressed(admin: Visitor, study: Study) -> None:
    page = admin.get(PAGE).text
    sent = fields(page)
    number = next(name.removeprefix("group-") for name, value in sent.items() if value == "less formal")
    reply = admin.post(PAGE, {**sent, f"called-{number}": "  style ", "act": "together", "groups": ["a ban"]})
    assert reply.status_code == 303
    assert decided(study)["less formal"] == decided(study)["formal less"] == "style"


def test_names_that_come_later_are_marked_and_stand_with_their_likes(tmp_path: Path) -> None:
    with site(tmp_path) as (study, admin):
        _name_later(study, admin)


def _name_later(study: Study, admin: Visitor) -> None:
    send(admin, "save")
    sent = fields(admin.get(PAGE).text)
    number = next(name.removeprefix("group-") for name, value in sent.items() if value == "less formal")
    admin.post(PAGE, {**sent, f"called-{number}": "style", "act": "save"})
    study.visitor("bob").answer({"rewrite": ["It pours."], "rewrite_name": ["less formall"]})
    page = admin.get(PAGE).text
    assert "1 name came later" in page
    send(admin, "save")
    assert decided(study)["less formall"] == "style"


def test_nothing_ticked_a_bad_name_and_a_stale_page_change_nothing(admin: Visitor, study: Study) -> None:
    send(admin, "save")
    before = decided(study)
    assert send(admin, "together", into="somewhere").status_code == 422
    assert send(admin, "together", groups=["a ban"], into="x" * 300).status_code == 422
    assert send(admin, "together", names=["never given"]).status_code == 422
    assert send(admin, "burn").status_code == 422
    stale = fields(admin.get(PAGE).text)
    send(admin, "together", groups=["a ban", "<b>louder</b>"], into="commands")
    reply = admin.post(PAGE, {**stale, "act": "apart", "groups": ["less formal"]})
    assert reply.status_code == 409
    assert "Somebody has changed the groups since you looked" in reply.text
    assert decided(study)["formal less"] == before["formal less"]


def test_a_table_mended_by_hand_is_read_and_a_mistake_in_it_is_told_with_its_line(admin: Visitor, study: Study) -> None:
    path = study.folder / "data" / "groups.csv"
    path.parent.mkdir()
    path.write_text("name,group\nLess formal,Style\nnever given,Style\n", encoding="utf-8")
    assert 'value="Style"' in admin.get(PAGE).text
    send(admin, "save")
    assert decided(study)["never given"] == "Style", "what a person wrote stays"
    path.write_text("name,group\nless formal,\n", encoding="utf-8")
    reply = admin.get(PAGE)
    assert reply.status_code == 409
    assert "Found nothing" in reply.text


def test_only_who_runs_the_campaign_comes_in(admin: Visitor, study: Study) -> None:
    assert study.stranger().get(PAGE).status_code == 401
    assert study.visitor("carl").get(PAGE).status_code == 403
    assert study.visitor("dora").post(PAGE, {"act": "save"}).status_code == 403
    assert admin.get("/admin/nothing/names").status_code == 404


def test_a_form_that_another_site_made_is_refused(admin: Visitor, study: Study) -> None:
    sent = {**fields(admin.get(PAGE).text), "csrf": "made up", "act": "save"}
    known = admin.http.headers.pop("X-Kostra-Csrf")
    assert admin.post(PAGE, sent).status_code == 403
    admin.http.headers["X-Kostra-Csrf"] = known
    assert not (study.folder / "data" / "groups.csv").exists()


def test_a_campaign_whose_names_nobody_counts_has_no_such_page(admin: Visitor, study: Study) -> None:
    text = RECIPE[: RECIPE.index('[[steps]]\nname = "names"')]
    (study.folder / "recipe.toml").write_text(text, encoding="utf-8")
    reply = admin.get(PAGE)
    assert reply.status_code == 404
    assert "No step of the recipe groups names of this campaign" in reply.text


def test_what_was_done_is_in_the_audit_log(admin: Visitor, study: Study) -> None:
    send(admin, "save")
    assert study.store is not None
    newest = study.store.recorded("news", limit=1)[0]
    assert (newest.act, newest.actor, newest.data["act"]) == ("names grouped", "boss", "save")


def test_other_pages_lead_to_the_names_and_to_what_whoever_runs_the_campaign_is_asked(
    admin: Visitor, study: Study
) -> None:
    page = admin.get("/admin/news").text
    assert f'href="{PAGE}"' in page
    assert 'href="/work"' not in page
    recipe = study.folder / "recipe.toml"
    recipe.write_text(RECIPE.replace('task = "rewrite"', 'task = "rewrite"\nrole = "admin"'), encoding="utf-8")
    assert 'href="/work"' in admin.get("/admin/news").text
    recipe.write_text("in the middle of a change", encoding="utf-8")
    assert admin.get("/admin/news").status_code == 200
