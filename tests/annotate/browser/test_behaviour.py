"""How the page behaves: connection, drafts, thinking time, keys, marks, and the places without an item."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.annotate.browser.conftest import Played, Screen
from tests.annotate.browser.hand import Shoot, keys, option, shown, slide, toggles

from kostra.campaign.places import Place


def test_a_slider_has_no_answer_until_it_is_touched(served: Played, scene: dict[str, Screen], open_page: Any) -> None:
    page = open_page(served.play(scene["rating_slider"]))
    slider = page.get_by_role("slider")
    assert slider.get_attribute("aria-valuetext") == "no answer yet"
    page.keyboard.press("Enter")
    page.locator("#e-similarity:not([hidden])").wait_for()
    assert served.requests == 0
    slide(page, "similarity", 0.5)  # exactly where the hidden thumb waits
    assert slider.get_attribute("aria-valuetext") == "3 · Částečně podobné"
    page.keyboard.press("Enter")
    page.locator('[data-kind="finished"]').wait_for()
    assert served.values == [{"similarity": ["3"]}]


def test_choosing_best_as_worst_takes_best_back(served: Played, scene: dict[str, Screen], open_page: Any) -> None:
    page = open_page(served.play(scene["best_worst"]))
    toggles(("best", "m1"), ("worst", "m1"))(page)
    assert page.locator('input[name="best"]:checked').count() == 0
    assert page.locator('input[name="worst"]:checked').get_attribute("value") == "m1"
    page.locator('[data-act="send"]').click()
    page.locator("#e-best:not([hidden])").wait_for()
    assert served.requests == 0


def test_keys_belong_to_the_text_while_somebody_writes(
    served: Played, scene: dict[str, Screen], open_page: Any
) -> None:
    page = open_page(served.play(scene["rating"], scene["rating_short"]))
    keys("5", "Enter")(page)
    shown(page, "p2")
    field = page.locator('[name="remark"]')
    field.focus()
    page.keyboard.type("3u? abc")
    page.keyboard.press("Enter")
    assert field.input_value() == "3u? abc\n"
    assert page.locator('input[name="relatedness"]:checked').count() == 0
    assert page.locator("dialog[open]").count() == 0
    assert served.done == 1


def test_single_keys_can_be_switched_off(served: Played, scene: dict[str, Screen], open_page: Any) -> None:
    page = open_page(served.play(scene["rating"]))
    page.keyboard.press("?")
    page.locator("#help[open]").wait_for()
    page.get_by_text("Think of the meaning.").wait_for()  # the instructions of the phase, once more
    page.get_by_label("Use single keys as shortcuts").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("5")
    assert page.locator("input:checked[type=radio]").count() == 0


def test_an_answer_survives_a_lost_connection_and_is_stored_once(
    served: Played, scene: dict[str, Screen], open_page: Any, shoot: Shoot
) -> None:
    page = open_page(served.play(scene["rating"], scene["best_worst"], scene["triage"]), width=360)
    keys("4", "Enter")(page)
    shown(page, "t1")
    page.context.set_offline(True)
    keys("b", "d", "Enter")(page)
    page.locator("#connection:not([hidden])").wait_for()
    assert "not sent yet: 1" in page.locator("#connection").inner_text()
    shoot(page, "offline-360")
    assert served.done == 1
    page.context.set_offline(False)
    shown(page, "s2")
    assert page.locator("#connection").is_hidden()
    assert served.values[1] == {"best": ["m2"], "worst": ["m4"]}
    # The site takes the next answer in, but its reply is lost: the browser sends it again, with the same key.
    served.lose_next_reply = True
    keys("1", "Enter")(page)
    page.locator("#connection:not([hidden])").wait_for()
    page.get_by_role("button", name="Try again now").click()
    page.locator('[data-kind="finished"]').wait_for()
    assert served.requests == 4
    assert len(served.answers) == 3


def test_a_pending_answer_is_sent_after_the_page_was_loaded_again(
    served: Played, scene: dict[str, Screen], open_page: Any
) -> None:
    page = open_page(served.play(scene["rating"], scene["triage"]))
    page.context.set_offline(True)
    keys("4", "Enter")(page)
    page.locator("#connection:not([hidden])").wait_for()
    warned: list[str] = []

    def accept(dialog: Any) -> None:
        warned.append(dialog.type)
        dialog.accept()

    page.on("dialog", accept)
    page.context.set_offline(False)
    page.reload()
    shown(page, "s2")
    assert served.values == [{"similarity": ["4"]}]
    assert set(warned) <= {"beforeunload"}


def test_what_is_typed_is_there_after_a_reload(served: Played, scene: dict[str, Screen], open_page: Any) -> None:
    page = open_page(served.play(scene["rewrite"]))
    page.locator('[name="paraphrase_1"]').fill("Na břehu kdosi spravuje síť.")
    page.locator('[name="nonsense.impossible"]').check()
    page.reload()
    page.locator("html.script").wait_for()
    assert page.locator('[name="paraphrase_1"]').input_value() == "Na břehu kdosi spravuje síť."
    assert page.locator('[name="nonsense.impossible"]').is_checked()
    page.evaluate("Object.defineProperty(document, 'visibilityState', {get: () => 'hidden'})")
    page.locator('[name="paraphrase_2"]').fill("Síť, kterou kdosi spravuje, je na břehu.")
    with page.expect_response("**/api/v1/drafts"):
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    assert served.drafts["s1"]["given"]["paraphrase_2"].startswith("Síť")
    # Another device knows nothing but what the site has.
    other = open_page(f"{served.url}/work")
    assert other.locator('[name="paraphrase_1"]').input_value() == "Na břehu kdosi spravuje síť."


def test_pasted_text_is_noticed(served: Played, scene: dict[str, Screen], open_page: Any) -> None:
    page = open_page(served.play(scene["describe"]))
    page.locator('[name="description"]').fill("Míč leží.")
    page.locator('[name="description"]').select_text()
    keys("Control+c", "ArrowRight", "Control+v", "Control+Enter")(page)
    page.locator('[data-kind="finished"]').wait_for()
    (sent,) = served.answers.values()
    assert sent["notes"] == {"pasted": ["description"]}


def test_only_time_in_a_focused_and_visible_window_is_counted(
    served: Played, scene: dict[str, Screen], open_page: Any
) -> None:
    page = open_page(served.play(scene["rating"]))
    page.clock.install()
    page.reload()
    page.locator("html.script").wait_for()
    page.clock.run_for(5_000)
    page.evaluate("document.hasFocus = () => false; dispatchEvent(new Event('blur'))")
    page.clock.run_for(60_000)
    page.evaluate("document.hasFocus = () => true; dispatchEvent(new Event('focus'))")
    page.clock.run_for(2_000)
    keys("1", "Enter")(page)
    page.clock.run_for(1_000)
    page.locator('[data-kind="finished"]').wait_for()
    (sent,) = served.answers.values()
    assert 7 <= sent["seconds"] < 12


def test_undo_shows_the_last_answer_to_be_changed(served: Played, scene: dict[str, Screen], open_page: Any) -> None:
    page = open_page(served.play(scene["rating"], scene["triage"]))
    keys("4", "Enter")(page)
    shown(page, "s2")
    page.keyboard.press("u")
    shown(page, "p1")
    assert page.locator('input[name="similarity"]:checked').get_attribute("value") == "4"
    page.locator("#status", has_text="change your last answer").wait_for()


def test_words_of_the_sentence_are_told_as_used_missing_or_new(
    served: Played, scene: dict[str, Screen], open_page: Any
) -> None:
    page = open_page(served.play(scene["rewrite"]))
    page.locator('[name="nonsense"]').fill("Starý rybář jí síť")
    states = page.locator('[data-question="nonsense"] .word').evaluate_all(
        "chips => chips.map(chip => [chip.textContent, chip.dataset.state])"
    )
    assert dict(states) == {
        "starý": "used", "rybář": "used", "opravuje": "missing", "na": "missing", "břehu": "missing",
        "děravou": "missing", "síť": "used", "jí": "new",
    }  # fmt: skip


def test_words_that_the_dictionary_does_not_know_are_marked_live(
    served: Played, scene: dict[str, Screen], open_page: Any, shoot: Shoot
) -> None:
    described = scene["describe"]
    spelling = type(described)(described.phase.model_copy(update={"spelling": "cs.dic"}), described.item)
    page = open_page(served.play(spelling))
    served.unknown_words = ("mýč",)
    page.locator('[name="description"]').fill("Oranžový mýč leží.")
    page.locator(".misspelt", has_text="mýč").wait_for()
    assert "mýč" in page.locator(".under").inner_text()
    shoot(page, "spelling-1280")


def test_a_correction_shows_its_difference_and_asks_for_the_error_only_then(
    served: Played, scene: dict[str, Screen], open_page: Any
) -> None:
    page = open_page(served.play(scene["correct"], scene["triage"]))
    errors = page.locator('[data-question="error_type"]')
    assert errors.is_hidden()
    page.locator('[name="correction"]').fill("Koń jest rysowany przez chłopca.")
    assert errors.is_visible()
    assert page.locator(".live-difference").inner_html().endswith("przez chłopca.")
    assert page.locator(".live-difference del").inner_text() == "rysowana"
    page.locator('[name="correction"]').fill("Koń jest rysowana przez chłopca.")
    page.locator('[data-act="send"]').click()
    shown(page, "s2")
    assert served.values == [{"correction": ["Koń jest rysowana przez chłopca."], "error_type": [None]}]


def test_the_server_has_the_last_word_and_its_message_stands_at_the_field(
    served: Played, scene: dict[str, Screen], open_page: Any
) -> None:
    page = open_page(served.play(scene["correct"]))
    page.locator('[name="correction"]').fill("Chłopiec rysuje konia.")
    option(page, "error_type", "other")
    page.locator('[data-act="send"]').click()
    page.locator("#e-correction", has_text="partner").wait_for()
    assert page.evaluate("document.activeElement.name") == "correction"
    assert page.locator('[name="correction"]').get_attribute("aria-invalid") == "true"


def test_problems_and_suggestions_can_be_sent_from_the_screen(
    served: Played, scene: dict[str, Screen], open_page: Any, shoot: Shoot
) -> None:
    page = open_page(served.play(scene["entailment"]))
    page.get_by_role("link", name="Report a problem").click()
    shoot(page, "problem-1280")
    page.locator("#problem-text").fill("The dog is a cat.")
    page.get_by_role("button", name="Send the report").click()
    page.locator("#problem:not([open])").wait_for(state="attached")
    assert served.problems == [{"phase": "judge", "item": "p6", "text": "The dog is a cat."}]
    page.get_by_text("Suggest a better wording").click()
    page.locator('.which .option:has(input[value="b"])').click()
    page.locator('[name="text"]:visible').fill("Duży brązowy pies goni piłkę po plaży.")
    page.get_by_role("button", name="Suggest", exact=True).click()
    page.locator("#status", has_text="Thank you").wait_for()
    assert served.suggestions == [
        {"phase": "judge", "item": "p6", "side": "b", "text": "Duży brązowy pies goni piłkę po plaży."}
    ]


def test_a_wrong_gold_answer_is_told_with_the_right_one(
    served: Played, scene: dict[str, Screen], open_page: Any, shoot: Shoot
) -> None:
    one = scene["best_worst"]
    gold = type(one)(one.phase, replace(one.item, known={"best": "m1", "worst": "m3"}), "gold")
    page = open_page(served.play(gold, scene["triage"]))
    keys("b", "c", "Enter")(page)
    page.locator('[data-kind="feedback"]').wait_for()
    assert "Kočka spí na okně." in page.locator(".told").first.inner_text()
    shoot(page, "feedback-1280")
    page.keyboard.press("Enter")
    shown(page, "s2")


def test_a_pause_counts_down_and_ends_by_itself(served: Played, scene: dict[str, Screen], open_page: Any) -> None:
    address = served.play(scene["rating"])
    served.place = Place("pause", "context", until=datetime.now(UTC) + timedelta(hours=71, minutes=30), reason="pause")
    page = open_page(address)
    page.clock.install()
    page.reload()
    assert page.locator(".countdown").inner_text() == "2 d 23 h"
    served.place = None
    page.clock.fast_forward(72 * 3600 * 1000)
    shown(page, "p1")


@pytest.mark.parametrize("kind", ["pause", "waiting", "stopped", "finished"])
def test_places_without_an_item_fit_a_phone(
    kind: Any, served: Played, scene: dict[str, Screen], open_page: Any, shoot: Shoot
) -> None:
    address = served.play(scene["rating"])
    reason = {"stopped": "gold", "waiting": "others"}.get(kind, "")
    served.place = Place(kind, "context", until=datetime(2030, 5, 1, 12, tzinfo=UTC) if kind == "pause" else None, reason=reason)  # fmt: skip # noqa: E501
    page = open_page(address, width=360, height=740, color_scheme="dark")
    page.locator("html.script").wait_for()
    shoot(page, f"{kind}-360-dark")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    if kind == "stopped":
        assert "paid" in page.locator(".payment").inner_text()


def test_right_to_left_pages_are_mirrored(
    served: Played, scene: dict[str, Screen], open_page: Any, shoot: Shoot
) -> None:
    page = open_page(
        served.play(scene["best_worst_arabic"], language="ar", interface="ar"), width=360, color_scheme="dark"
    )
    member = page.locator(".member").first
    letter, text = member.locator(".letter").bounding_box(), member.locator(".texts").bounding_box()
    assert letter["x"] > text["x"]
    toggles(("best", "a1"), ("worst", "a2"))(page)
    shoot(page, "arabic-360-dark")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_the_focus_goes_to_the_next_task_and_the_status_tells_it(
    served: Played, scene: dict[str, Screen], open_page: Any
) -> None:
    page = open_page(served.play(scene["rating"], scene["triage"]))
    keys("4", "Enter")(page)
    shown(page, "s2")
    assert page.evaluate("document.activeElement.id") == "heading"
    page.locator("#status", has_text="Saved.").wait_for()
