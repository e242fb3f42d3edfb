"""Every task type in a real browser: by mouse and by keyboard alone, wide and on a phone, and without JavaScript."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from tests.annotate.browser.conftest import Played, Screen
from tests.annotate.browser.hand import Drive, Shoot, keys, option, pick, shown, slide, toggles, typed, write


def _mouse_pick(page: Any) -> None:
    pick(page, "d1-2")
    slide(page, "similarity_a", 5 / 6)
    pick(page, "d2-2")
    slide(page, "similarity_b", 0)


def _mouse_rewrite(page: Any) -> None:
    write(page, "paraphrase_1", "Na břehu spravuje starý rybář síť plnou děr.")
    page.locator('[name="paraphrase_2.impossible"]').check()
    write(page, "nonsense", "Děravý rybář opravuje na síti starý břeh.")


def _mouse_ideas(page: Any) -> None:
    write(page, "rewrite.1", "Radnice otevře plavecký bazén.")
    write(page, "rewrite_name.1", "opak")
    page.get_by_role("button", name="Add another").click()
    write(page, "rewrite.2", "Radnice možná zavře plavecký bazén.")
    write(page, "rewrite_name.2", "možnost")


def _mouse_correct(page: Any) -> None:
    write(page, "correction", "Koń jest rysowany przez chłopca.")
    option(page, "error_type", "grammatical")


def _mouse_questionnaire(page: Any) -> None:
    option(page, "languages", "Czech")
    option(page, "languages", "Polish")
    option(page, "difficulty", "4")


def _mouse_entailment(page: Any) -> None:
    option(page, "relatedness", "4")
    option(page, "entailment", "entailment")
    option(page, "entailment_back", "neutral")


BY_MOUSE: dict[str, Drive] = {
    "instructions": toggles(),
    "consent": lambda page: option(page, "read", "yes"),
    "check": lambda page: option(page, "check", "nothing in common"),
    "rating": lambda page: option(page, "similarity", "5"),
    "rating_short": lambda page: option(page, "relatedness", "3"),
    "rating_slider": lambda page: slide(page, "similarity", 4 / 6),
    "rating_arabic": lambda page: option(page, "similarity", "2"),
    "rating_in_context": lambda page: option(page, "similarity_in_context", "6"),
    "best_worst": toggles(("best", "m1"), ("worst", "m3")),
    "best_worst_arabic": toggles(("best", "a1"), ("worst", "a2")),
    "entailment": _mouse_entailment,
    "rewrite": _mouse_rewrite,
    "ideas": _mouse_ideas,
    "pick": _mouse_pick,
    "comparison": lambda page: option(page, "degree", "too similar"),
    "describe": lambda page: write(page, "description", "Oranžový míč leží na modrém koberci."),
    "triage": lambda page: option(page, "verdict", "too dependent on context"),
    "spelling_pass": lambda page: option(page, "proposal", "accept"),
    "correct": _mouse_correct,
    "suggestion": lambda page: option(page, "suggestion", "mend in place"),
    "questionnaire": _mouse_questionnaire,
}


BY_KEYBOARD: dict[str, Drive] = {
    "instructions": keys("Enter"),
    "consent": keys("1", "Enter"),
    "check": keys("2", "Enter"),
    "rating": keys("5", "Enter"),
    "rating_short": keys("3", "Enter"),
    "rating_slider": keys("Tab", "ArrowRight", "Enter"),
    "rating_arabic": keys("2", "Enter"),
    "rating_in_context": keys("6", "Enter"),
    "best_worst": keys("a", "c", "Enter"),
    "best_worst_arabic": keys("1", "2", "Enter"),
    "entailment": keys("4", "1", "3", "Enter"),
    "rewrite": typed(
        "<Tab>", "Na břehu spravuje starý rybář síť plnou děr.", "<Tab>", "<Tab>", "<Tab>", "<Space>", "<Tab>",
        "Děravý rybář opravuje na síti starý břeh.", "<Control+Enter>",
    ),
    "ideas": typed(
        "<Tab>", "Radnice otevře plavecký bazén.", "<Tab>", "opak", "<Tab>", "<Enter>",
        "Radnice možná zavře plavecký bazén.", "<Tab>", "možnost", "<Control+Enter>",
    ),
    "pick": keys("ArrowDown", "ArrowDown", "1", "5", "ArrowDown", "ArrowDown", "ArrowDown", "2", "0", "Enter"),
    "comparison": keys("3", "Enter"),
    "describe": typed("<Tab>", "Oranžový míč leží na modrém koberci.", "<Control+Enter>"),
    "triage": keys("4", "Enter"),
    "spelling_pass": keys("ArrowDown", "Space", "Enter"),
    "correct": typed(
        "<Tab>", "<Control+a>", "Koń jest rysowany przez chłopca.", "<Tab>", "<ArrowDown>", "<ArrowDown>", "<Enter>"
    ),
    "suggestion": keys("2", "Enter"),
    "questionnaire": keys("Tab", "Tab", "1", "3", "Tab", "Tab", "4", "Enter"),
}  # fmt: skip


STORED: dict[str, Mapping[str, list[str | None]]] = {
    "instructions": {"read": ["yes"]},
    "consent": {"read": ["yes"]},
    "check": {"check": ["nothing in common"]},
    "rating": {"similarity": ["5"]},
    "rating_short": {"relatedness": ["3"], "remark": [None]},
    "rating_slider": {"similarity": ["4"]},
    "rating_arabic": {"similarity": ["2"]},
    "rating_in_context": {"similarity_in_context": ["6"]},
    "best_worst": {"best": ["m1"], "worst": ["m3"]},
    "best_worst_arabic": {"best": ["a1"], "worst": ["a2"]},
    "entailment": {"relatedness": ["4"], "entailment": ["entailment"], "entailment_back": ["neutral"]},
    "rewrite": {
        "paraphrase_1": ["Na břehu spravuje starý rybář síť plnou děr."],
        "paraphrase_2": [None],
        "nonsense": ["Děravý rybář opravuje na síti starý břeh."],
    },
    "ideas": {
        "rewrite": ["Radnice otevře plavecký bazén.", "Radnice možná zavře plavecký bazén."],
        "rewrite_name": ["opak", "možnost"],
    },
    "pick": {"a": ["d1-2"], "similarity_a": ["5"], "b": ["d2-2"], "similarity_b": ["0"]},
    "comparison": {"degree": ["too similar"]},
    "describe": {"description": ["Oranžový míč leží na modrém koberci."]},
    "triage": {"verdict": ["too dependent on context"]},
    "spelling_pass": {"proposal": ["accept"]},
    "correct": {"correction": ["Koń jest rysowany przez chłopca."], "error_type": ["grammatical"]},
    "suggestion": {"suggestion": ["mend in place"]},
    "questionnaire": {"age": [None], "languages": ["Czech", "Polish"], "difficulty": ["4"], "remarks": [None]},
}


NAMELESS = """main => [...main.querySelectorAll("input:not([type=hidden]), textarea, select, button")]
    .filter(one => !(one.labels?.length || one.getAttribute("aria-label") || one.textContent.trim()))
    .map(one => one.outerHTML)"""
"""Fields that a screen reader could not name."""


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("by", ["mouse", "keyboard"])
def test_every_task_can_be_answered(
    by: str, width: int, served: Played, scene: dict[str, Screen], open_page: Any, shoot: Shoot
) -> None:
    drives = BY_MOUSE if by == "mouse" else BY_KEYBOARD
    assert set(drives) == set(scene) == set(STORED)
    page = open_page(served.play(*(scene[name] for name in drives)), width=width, has_touch=width < 700)
    page.locator("html.script").wait_for()
    for name, drive in drives.items():
        shown(page, scene[name].item.item)
        overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert overflow <= 0, f"{name} scrolls sideways by {overflow} px"
        assert page.locator("main").evaluate(NAMELESS) == [], name
        drive(page)
        if by == "mouse":
            shoot(page, f"{name}-{width}-answered")
            page.locator('[data-act="send"]').click()
    page.locator('[data-kind="finished"]').wait_for()
    assert dict(zip(drives, served.values, strict=True)) == STORED
    assert all(0 <= sent["seconds"] < 60 for sent in served.answers.values())


def test_a_form_posts_its_answers_without_javascript(served: Played, scene: dict[str, Screen], open_page: Any) -> None:
    names = ["instructions", "consent", "rating_slider", "best_worst", "rewrite", "pick", "correct", "questionnaire"]
    page = open_page(served.play(*(scene[name] for name in names)), java_script_enabled=False)
    answers: dict[str, Mapping[str, list[str | None]]]
    answers = {**STORED, "correct": {"correction": ["Koń jest rysowana przez chłopca."], "error_type": [None]}}
    for name in names:
        shown(page, scene[name].item.item)
        for question, values in answers[name].items():
            for value in values:
                _fill_plainly(page, question, value)
        page.locator('[data-act="send"]').click()
    page.locator('[data-kind="finished"]').wait_for()
    assert dict(zip(names, served.values, strict=True)) == {name: answers[name] for name in names}


def _fill_plainly(page: Any, question: str, value: str | None) -> None:
    text = page.locator(f'textarea[name="{question}"]')
    impossible = page.locator(f'[name="{question}.impossible"]')
    if value is None:
        if impossible.count():
            impossible.check()
    elif text.count():
        text.fill(value)
    else:
        box = page.locator(f'input[name="{question}"][value="{value}"]')
        if box.get_attribute("type") != "hidden":
            box.check()


def test_a_refused_form_comes_back_filled_with_a_message_at_the_field(
    served: Played, scene: dict[str, Screen], open_page: Any
) -> None:
    page = open_page(served.play(scene["rewrite"]), java_script_enabled=False)
    page.locator('[name="paraphrase_1"]').fill("Starý rybář opravuje na břehu děravou síť")
    page.locator('[data-act="send"]').click()
    assert "sentence itself" in page.locator("#e-paraphrase_1").inner_text()
    assert "impossible" in page.locator("#e-nonsense").inner_text()
    assert page.locator('[name="paraphrase_1"]').input_value() == "Starý rybář opravuje na břehu děravou síť"
