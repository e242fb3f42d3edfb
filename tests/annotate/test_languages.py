"""The interface in several languages: what is said, in which one, and how numbers and dates stand in it."""

from __future__ import annotations

import json
import re
import string
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from babel import Locale
from tests.annotate.studies import SCALE, Study, Visitor

from kostra.annotate import languages, rendering
from kostra.annotate.languages import Message, Translate, extracting, speak
from kostra.annotate.languages.choosing import PREFERRED, asked_for, words_for
from kostra.annotate.rendering import Site
from kostra.annotate.tasks import drawing
from kostra.campaign.items import Item
from kostra.campaign.places import Place
from kostra.campaign.protocol import Phase, Question

TRANSLATED = [code for code in languages.known() if code != languages.SOURCE]
PAIR = Item("p1", "pair", {"text_a": "The ferry left at dawn.", "text_b": "Nobody was on the pier."})
RATING = Phase(name="main", task="rating", questions=(SCALE,), overlap=1)


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    """A campaign whose texts are Czech."""
    made = Study(tmp_path, f"sqlite:///{tmp_path}/store.db")
    made.add([RATING], {"p1": PAIR}, {("main", 0): ["p1"]}, language="cs").open()
    yield made
    made.close()


# Catalogues ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", TRANSLATED)
def test_nothing_that_the_site_says_is_untranslated(language: str) -> None:
    assert [f"{said.where}: {said.text}" for said in extracting.untranslated(language)] == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_catalogues_hold_nothing_that_the_site_says_no_more(language: str) -> None:
    assert extracting.idle(language) == []


def _fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("language", TRANSLATED)
def test_translations_take_the_same_values_as_the_english_text(language: str) -> None:
    wrong = []
    for one in languages.catalogue_in(languages.FOLDER / f"{language}.po"):
        if not one.id:
            continue
        said = [one.id] if isinstance(one.id, str) else list(one.id)
        translated = [one.string] if isinstance(one.string, str) else list(one.string or ())
        if any(_fields(text) != _fields(said[-1]) for text in translated):
            wrong.append(said[0])
    assert wrong == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_translations_end_as_the_english_text_does(language: str) -> None:
    """A full stop that is lost or won is a slip of the translator."""
    wrong = []
    for one in languages.catalogue_in(languages.FOLDER / f"{language}.po"):
        if isinstance(one.id, str) and one.id and isinstance(one.string, str):
            ends = [text[-1] if text[-1] in ".?!:…" else "" for text in (one.id, one.string)]
            if ends[0] != ends[1] and one.id != "to" and not one.string.endswith("godz."):
                wrong.append((one.id, one.string))
    assert wrong == []


def test_words_that_do_not_stand_in_a_call_come_from_known_tables() -> None:
    """Whoever says words of data must add their table to `extracting.vocabulary`, and the name here."""
    _, unclear = extracting.in_templates()
    known = {
        "event.kind", "name", "row.act", "phase.task|replace", "phase.role", "block.purpose", "role", "one.role",
        "one.uses", "done", "status", "row.state.kind", "row.state.stopped", "state.role", "state.kind",
        "state.stopped", "error.what", "error.accepted", "error.remedy", "decided[].data.decision", "one.purpose",
        "one.task|replace", "one.gate|capitalize", "text",
    }  # fmt: skip
    assert {one.where: one.words for one in unclear if one.words not in known} == {}


def test_every_act_of_the_audit_log_has_words() -> None:
    package = languages.FOLDER.parents[1]
    recorded = set()
    for path in package.rglob("*.py"):
        recorded |= set(re.findall(r"store\.record\(\s*\"([^\"]+)\"", path.read_text(encoding="utf-8")))
    assert recorded - set(extracting.ACTS) == set()
    assert {"invited", "erased"} <= recorded


def test_a_catalogue_is_found_by_its_name_alone(tmp_path: Path) -> None:
    (tmp_path / "de.po").write_text('msgid ""\nmsgstr ""\n"Language: de\\n"\n\nmsgid "Send"\nmsgstr "Senden"\n')
    assert dict(languages.known(tmp_path)) == {"en": "English", "de": "Deutsch"}
    german = speak("de", folder=tmp_path)
    assert german("Send") == "Senden"
    assert german("Undo") == "Undo"
    assert german.plural("{count} answer", "{count} answers", 2) == "2 answers"


def test_a_guess_of_a_program_is_no_translation(tmp_path: Path) -> None:
    (tmp_path / "de.po").write_text('msgid ""\nmsgstr ""\n"Language: de\\n"\n\n#, fuzzy\nmsgid "Send"\nmsgstr "Wirf"\n')
    assert speak("de", folder=tmp_path)("Send") == "Send"
    assert "Send" in {said.text for said in extracting.untranslated("de", tmp_path)}


def test_a_new_catalogue_has_room_for_everything() -> None:
    made = extracting.template("sk")
    assert {said.text for said in extracting.messages().values()} == {
        one.id if isinstance(one.id, str) else one.id[0] for one in made if one.id
    }
    assert made.num_plurals == 3


def test_nothing_is_said_for_nothing() -> None:
    assert speak("cs")("") == ""


# Plurals, numbers, dates -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("en", {0: "0 items", 1: "1 item", 2: "2 items", 5: "5 items", 22: "22 items", 1200: "1,200 items"}),
        ("cs", {0: "0 položek", 1: "1 položka", 2: "2 položky", 4: "4 položky", 5: "5 položek", 22: "22 položek"}),
        (
            "pl",
            {
                0: "0 pozycji", 1: "1 pozycja", 2: "2 pozycje", 5: "5 pozycji", 12: "12 pozycji", 22: "22 pozycje",
                25: "25 pozycji", 112: "112 pozycji", 101: "101 pozycji",
            },
        ),
    ],
)  # fmt: skip
def test_things_are_counted_as_the_language_does(language: str, expected: dict[int, str]) -> None:
    said = {count: speak(language).plural("{count} item", "{count} items", count) for count in expected}
    assert said == expected


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_plural_is_the_one_that_unicode_has_for_the_number(language: str) -> None:
    """Numbers of one CLDR category have one form, and categories that differ have different forms."""
    words, rule = speak(language), Locale.parse(language).plural_form
    form = {count: words.several("item", "items", count) for count in range(1000)}
    by_category: dict[str, set[str]] = {}
    for count, said in form.items():
        by_category.setdefault(rule(count), set()).add(said)
    assert all(len(forms) == 1 for forms in by_category.values())
    assert len({forms.copy().pop() for forms in by_category.values()}) == len(by_category)


AT = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)


def test_numbers_and_moments_are_written_as_in_the_language() -> None:
    said = {code: (speak(code).number(12345.678, 2), speak(code).moment(AT), speak(code).share(0.5)) for code in
            ("en", "cs", "pl")}  # fmt: skip
    assert said == {
        "en": ("12,345.68", "2026-01-02 03:04", "50%"),
        "cs": ("12\N{NO-BREAK SPACE}345,68", "2. 1. 2026 3:04", "50\N{NO-BREAK SPACE}%"),
        "pl": ("12\N{NO-BREAK SPACE}345,68", "2.01.2026 03:04", "50%"),
    }


def test_a_language_that_nobody_described_is_written_as_english_is() -> None:
    strange = Translate("xx")
    assert (strange.direction, strange.number(0.5, 1), strange("Send")) == ("ltr", "0.5", "Send")


# Which language --------------------------------------------------------------------------------------------------


def test_a_choice_comes_before_what_the_browser_asks_for_and_that_before_the_campaign() -> None:
    def language(preferred: tuple[str, ...], texts: str) -> str:
        token = PREFERRED.set(preferred)
        try:
            return words_for(texts).language
        finally:
            PREFERRED.reset(token)

    assert language(asked_for(b"cs", b"kostra_language=pl"), "en") == "pl"
    assert language(asked_for(b"de, cs;q=0.4"), "pl") == "cs"
    assert language(asked_for(b"de"), "pl") == "pl"
    assert language(asked_for(b"de"), "hu") == "en"
    assert language(asked_for(b"cs;q=0, en;q=0.1"), "hu") == "en"
    assert language(asked_for(b"cs;q=x, ;;,", b"kostra_language=../../x; kostra_language"), "pl") == "pl"


def _heading(visitor: Visitor, path: str = "/work", **headers: str) -> tuple[str, str]:
    page = visitor.get(path, headers=headers).text
    language = re.search(r'<html lang="(\w+)"', page)
    button = re.search(r'data-act="send">(\w+)', page)
    assert language is not None
    return language[1], button[1] if button else ""


def test_a_page_is_in_the_language_that_was_chosen_and_stays_so(study: Study) -> None:
    ann = study.visitor()
    assert _heading(ann) == ("cs", "Odeslat"), "the campaign's own, since nothing else is known"
    assert _heading(ann, **{"Accept-Language": "pl, cs;q=0.5"}) == ("pl", "Wyślij")
    chosen = ann.http.get("/language/en", headers={"Referer": "http://testserver/work?x=1"})
    assert (chosen.status_code, chosen.headers["location"]) == (303, "/work?x=1")
    cookie = chosen.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert _heading(ann, **{"Accept-Language": "pl, cs;q=0.5"}) == ("en", "Send")


@pytest.mark.parametrize(
    ("came", "goes"),
    [
        ("http://testserver/login", "/login"),
        ("http://testserver/work/undo", "/"),  # is only posted to
        ("http://testserver/language/pl", "/"),
        ("http://elsewhere.example/work", "/"),
        ("http://testserver//elsewhere.example/", "/"),
        ("http://testserver/nowhere", "/"),
        ("", "/"),
        ("nonsense", "/"),
    ],
)
def test_choosing_a_language_leads_back_to_a_page_of_ours_and_nowhere_else(study: Study, came: str, goes: str) -> None:
    reply = study.stranger().http.get("/language/pl", headers={"Referer": came})
    assert (reply.status_code, reply.headers["location"]) == (303, goes)


def test_a_language_that_the_site_does_not_speak_is_not_chosen(study: Study) -> None:
    reply = study.stranger().http.get("/language/xx", headers={"Accept-Language": "cs"})
    assert reply.status_code == 404
    assert "set-cookie" not in reply.headers
    assert "Tady nic není" in reply.text


def test_the_menu_offers_every_language_and_works_without_a_script(study: Study) -> None:
    for path in ("/login", "/work", "/nowhere"):
        page = study.visitor(f"v{path[1:2]}").get(path).text
        offered = re.findall(r'<a href="/language/(\w+)" lang="(\w+)"', page)
        assert offered == [(code, code) for code in languages.known()], path


def test_errors_are_told_in_the_language_of_the_page(study: Study) -> None:
    ann = study.visitor()
    field = {"Accept-Language": "pl"}
    page = ann.get("/work").text
    hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page))
    posted = ann.http.post("/work", data={**hidden, "similarity": "9"}, headers=field)
    assert posted.status_code == 422
    assert "Proszę wybrać liczbę od 0 do 5." in posted.text
    sent = {"phase": "main", "item": "p1", "version": 1, "key": "k", "answers": {"similarity": 9}}
    with_csrf = {"X-Kostra-Csrf": hidden["csrf"], **field}
    to_a_program = ann.http.post("/api/v1/answers", json=sent, headers=with_csrf)
    to_our_page = ann.http.post("/api/v1/answers", json=sent, headers={**with_csrf, "X-Kostra-Html": "1"})
    assert to_a_program.json() == {"errors": {"similarity": "Choose a number from 0 to 5."}}
    assert to_our_page.json() == {"errors": {"similarity": "Proszę wybrać liczbę od 0 do 5."}}


def test_refusals_are_told_in_the_language_of_the_reader(study: Study) -> None:
    said = study.stranger().http.get("/join/nonsense", headers={"Accept-Language": "cs"}).text
    assert "Tento odkaz nefunguje" in said
    assert "Tuto pozvánku neznáme." in said
    assert "O další požádejte toho, kdo vám odkaz poslal." in said


@pytest.mark.parametrize(("reason", "said"), [("others", "inne osoby"), ("paused", "wstrzymane"), ("x", "zwolnić")])
def test_waiting_is_explained_in_the_language(reason: str, said: str) -> None:
    site = Site("A study", speak("pl"))
    assert said in rendering.render_place(Place("waiting", reason=reason), None, site, key="k", now=AT)


def test_pauses_end_at_a_moment_that_is_written_as_in_the_language() -> None:
    place = Place("pause", until=AT, reason="pause")
    shown = {
        code: rendering.render_place(place, None, Site("A study", speak(code)), key="k", now=AT)
        for code in ("cs", "pl")
    }
    assert "2. 1. 2026 3:04 UTC" in shown["cs"]
    assert "2.01.2026 03:04 UTC" in shown["pl"]


def test_labels_and_prompts_are_in_the_language_of_the_page_where_the_recipe_has_them() -> None:
    question = Question(
        name="similarity", prompt="How close?", low=0, high=1, labels=("no", "yes"),
        labels_in={"cs": ("ne", "ano")}, prompt_in={"cs": "Jak blízké?"},
    )  # fmt: skip
    phase = Phase(name="main", task="rating", questions=(question,))
    place = Place("show", "main", "main", "main", PAIR)
    shown = {
        code: rendering.render_place(place, phase, Site("A study", speak(code)), key="k", now=AT)
        for code in ("cs", "pl")
    }
    assert "Jak blízké?" in shown["cs"]
    assert ">ano<" in shown["cs"]
    assert "How close?" in shown["pl"]
    assert ">yes<" in shown["pl"]


RECIPES = sorted((languages.FOLDER.parents[1] / "recipes").glob("*.toml"))


def _asked(recipe: Path) -> list[dict[str, Any]]:
    """The questions of a shipped recipe."""
    steps = tomllib.loads(recipe.read_text(encoding="utf-8")).get("steps", [])
    listed = [step.get("with", {}).get("phases", []) for step in steps]
    phases = [phase for several in listed for phase in several if isinstance(phase, dict)]
    return [question for phase in phases for question in phase.get("questions", [])]


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.stem)
def test_recipes_give_every_label_in_every_language_that_they_have_labels_in(recipe: Path) -> None:
    counts = [
        (one["name"], code, len(said), len(one["labels"]))
        for one in _asked(recipe)
        for code, said in one.get("labels_in", {}).items()
    ]
    assert [one for one in counts if one[2] != one[3]] == []


def test_the_scale_of_the_czech_news_is_shown_in_czech_and_english() -> None:
    (recipe,) = [one for one in RECIPES if one.stem == "czech_news_sts"]
    scales = [Question.model_validate_json(json.dumps(one)) for one in _asked(recipe) if "low" in one]
    ends = {
        code: {tuple(option["label"] for option in drawing.drawn(one, speak(code))["options"])[::6] for one in scales}
        for code in ("cs", "en")
    }
    assert ends == {"cs": {("Zcela odlišné", "Shodné")}, "en": {("Completely different", "Identical")}}


def test_a_message_with_parts_is_said_with_them() -> None:
    assert speak("cs")(Message("Choose a number from {low} to {high}.", low=0, high=6)) == "Zvolte číslo od 0 do 6."
