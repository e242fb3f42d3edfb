"""Pages: escaped, without anything inline, readable in contrast, and silent about known answers."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

import pytest

from kostra.annotate import rendering
from kostra.annotate.rendering import STATIC, Site
from kostra.annotate.tasks import Translate
from kostra.campaign.items import Item
from kostra.campaign.places import Answer, Feedback, Place, Progress
from kostra.campaign.protocol import Phase, Question
from kostra.campaign.questions import screen_of

NOW = datetime(2030, 1, 1, 12, tzinfo=UTC)
EVIL = "<script>alert('x')</script> \" onload=\"x"
SITE = Site("A study", payment="4 € in all.", contact="study@example.org")
RATING = Phase(name="main", task="rating", questions=(Question(name="similarity", low=0, high=2),))
PAIR = Item("p1", "pair", {"text_a": "A cat.", "text_b": "A dog."}, known={"similarity": "2"})


def shown(item: Item, phase: Phase, **more: Any) -> str:
    place = Place("show", phase.name, "main", "main", item, progress=Progress(3, 10, 1, 1), may_undo=True)
    return rendering.render_place(place, phase, SITE, key="k1", now=NOW, **more)


class Inline(HTMLParser):
    """Finds what a strict policy forbids: scripts and styles inside the page, and addresses of other hosts."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        if tag == "style" or (tag == "script" and "src" not in given):
            self.found.append(tag)
        for name, value in given.items():
            if name == "style" or name.startswith("on"):
                self.found.append(name)
            if name in ("src", "href", "action", "formaction") and not re.match(r"/(?!/)|#", value or ""):
                self.found.append(value or "")


def inline(html: str) -> list[str]:
    parser = Inline()
    parser.feed(html)
    return parser.found


def every_screen() -> list[tuple[Item, Phase]]:
    pair = {"text_a": EVIL, "text_b": EVIL, "context_a": f"x <sent>{EVIL}</sent> y", "change": EVIL}
    members = [{"item": EVIL, "text": EVIL}]
    documents = [{"document": "d", "title": EVIL, "sentences": [{"item": "c", "text": EVIL}]}]
    scale = Question(name="q", prompt=EVIL, low=0, high=2, labels=(EVIL, "b", "c"), examples=(EVIL,))
    text = Question(name="q", prompt=EVIL, impossible=True, shows_words=True)
    one = [
        ("rating", Item("p", "pair", pair), scale),
        ("rating_in_context", Item("p", "pair", pair), scale),
        ("best_worst", Item("t", "tuple", {"members": members}), Question(name="best", prompt=EVIL)),
        ("entailment", Item("p", "pair", pair), Question(name="q", labels=(EVIL, "b"), reverse=True)),
        ("rewrite", Item("s", "sentence", {"text": EVIL}), text),
        ("rewrite", Item("s", "sentence", {"text": EVIL}), Question(name="q", at_most=2, prompt=EVIL)),
        ("pick", Item("S", "candidates", {"text": EVIL, "documents": documents}), Question(name="a", prompt=EVIL)),
        ("comparison", Item("p", "pair", pair), Question(name="q", labels=(EVIL, "b"))),
        ("describe", Item(EVIL, "image", {"image": EVIL, "title": EVIL}), text),
        ("triage", Item("p", "pair", pair), Question(name="q", labels=(EVIL, "b"))),
        ("correct", Item("p", "pair", pair), Question(name="correction", prompt=EVIL)),
        ("questionnaire", Item("main", "text", {"title": EVIL, "text": EVIL}), scale),
        ("rating", Item("text-main-0", "text", {"title": EVIL, "text": EVIL}), scale),
        ("rating", Item("check-main-0-0", "check", {"prompt": EVIL, "choices": [EVIL, "b"]}), scale),
    ]  # fmt: skip
    return [
        (item, Phase.model_validate({"name": "main", "task": task, "questions": (question,), "suggests": True}))
        for task, item, question in one
    ]


@pytest.mark.parametrize(("item", "phase"), every_screen(), ids=lambda one: getattr(one, "task", None) or one.item[:8])
def test_whatever_a_text_holds_is_escaped_and_nothing_is_inline(item: Item, phase: Phase) -> None:
    answers = {"q": EVIL, "best": EVIL, "a": EVIL, "correction": EVIL, "read": EVIL, "check": EVIL}
    fragment = shown(item, phase, given=answers, errors={"q": EVIL, "": EVIL})
    html = rendering.render_page(fragment, replace(SITE, title=EVIL), owner=EVIL, status=EVIL)
    assert "<script>alert" not in html
    assert inline(html) == []


def test_every_task_was_among_those_screens() -> None:
    assert {screen_of(*one) for one in every_screen()} == {
        *("rating", "rating_in_context", "best_worst", "entailment", "rewrite", "pick", "comparison", "describe"),
        *("triage", "correct", "questionnaire", "text", "check"),
    }


def test_known_answers_are_not_on_the_screen() -> None:
    assert shown(PAIR, RATING) == shown(replace(PAIR, known={}), RATING)


def test_the_form_carries_what_an_answer_needs() -> None:
    html = shown(replace(PAIR, version=3), RATING)
    assert '<form id="answer" method="post" action="/work"' in html
    assert 'data-phase="main" data-item="p1" data-version="3" data-key="k1"' in html
    for name, value in (("phase", "main"), ("item", "p1"), ("version", "3"), ("key", "k1")):
        assert f'<input type="hidden" name="{name}" value="{value}">' in html


def test_drafts_and_refused_answers_fill_the_form() -> None:
    html = shown(PAIR, RATING, given={"similarity": 1}, errors={"similarity": "No."})
    assert re.search(r'value="1" checked', html)
    assert re.search(r'id="e-similarity" data-error="similarity">No\.<', html)
    text = Phase(name="main", task="describe", questions=(Question(name="q", impossible=True),))
    image = Item("i", "image", {"image": "i"})
    assert ">A dog.</textarea>" in shown(image, text, given={"q": "A dog."})
    assert 'name="q.impossible" value="on" checked' in shown(image, text, given={"q": {"impossible": True}})


@pytest.mark.parametrize(
    "draft", [{"similarity": [[]]}, {"similarity": {"a": 1}}, {"similarity": float("nan")}, {"x": 1}]
)
def test_a_strange_draft_harms_nothing(draft: Any) -> None:
    assert "checked" not in shown(PAIR, RATING, given=draft)


def test_progress_and_the_time_left_are_told() -> None:
    html = shown(PAIR, RATING, recent=[10, 20, 30])
    assert '<progress max="10" value="3"' in html
    assert "about 3 min left" in html  # seven items of twenty seconds
    assert "min left" not in shown(PAIR, RATING)


def place(kind: Any, **more: Any) -> str:
    return rendering.render_place(Place(kind, **more), None, SITE, key="k", now=NOW)


def test_a_pause_tells_how_long_it_lasts() -> None:
    html = place("pause", until=NOW + timedelta(hours=71, minutes=5))
    assert 'data-countdown="255900"' in html
    assert "71 h 5 min" in html


def test_whoever_is_stopped_is_told_kindly_and_about_the_pay() -> None:
    for reason in ("gold", "qualification", "consent", "admin"):
        html = place("stopped", reason=reason)
        assert "Thank you" in html
        assert "4 € in all." in html
        assert "study@example.org" in html


def test_waiting_and_finished_have_a_page() -> None:
    assert "Look again" in place("waiting", reason="others")
    assert "Finished" in place("finished")


def test_feedback_names_the_right_answer_in_words() -> None:
    members = [
        {"item": "m1", "text_a": "One.", "text_b": "Two."},
        {"item": "m2", "text_a": "Three.", "text_b": "Four."},
    ]
    phase = Phase(name="main", task="best_worst", questions=(Question(name="best"), Question(name="worst")))
    known = {"best": "m1", "worst": "m2"}
    given = {"best": [Answer("m2")], "worst": [Answer("m1")]}
    html = rendering.render_feedback(
        Feedback(False, known), Item("t", "tuple", {"members": members}), phase, given, SITE
    )
    assert "A: One. — Two." in html
    assert inline(html) == []
    scale = Phase(name="main", task="rating", questions=(Question(name="q", low=0, high=1, labels=("no", "yes")),))
    html = rendering.render_feedback(Feedback(False, {"q": "1"}), PAIR, scale, {"q": [Answer("0")]}, SITE)
    assert "1 yes" in html
    assert "0 no" in html


def test_help_problem_and_message_have_pages_without_javascript() -> None:
    assert "Think." in rendering.render_help(SITE, texts=[("How", "Think.\n\nAgain.")])
    assert 'action="/work/problem"' in rendering.render_problem(SITE, phase="main", item="p1")
    assert "Thank you" in rendering.render_problem(SITE, sent=True)
    assert "Gone" in rendering.render_message(SITE, "Gone", "It is used up.", link="/")


def test_a_right_to_left_interface_says_so() -> None:
    site = Site("A study", Translate("ar", texts="cs"))
    html = rendering.render_page("", site)
    assert '<html lang="ar" dir="rtl">' in html
    fragment = rendering.render_place(Place("show", "main", item=PAIR), RATING, site, key="k", now=NOW)
    assert 'dir="auto" lang="cs">A cat.' in fragment


def test_the_page_carries_every_word_that_the_script_says() -> None:
    said = set()
    for module in STATIC.glob("*.js"):
        text = module.read_text(encoding="utf-8")
        said |= set(re.findall(r'say\(\s*"(\w+)"', text)) | set(
            re.findall(r'(?:\?|:) "(right|saved|stored|session|pending)"', text)
        )
    known = {re.sub(r"_(\w)", lambda found: found[1].upper(), name) for name in rendering.SCRIPT_WORDS}
    assert said <= known
    assert known - said <= {"wordsUsed", "wordsMissing", "wordsNew"}  # chosen by state, in writing.js


# Looks ----------------------------------------------------------------------------------------------------


def colours(scheme: str) -> dict[str, tuple[float, ...]]:
    """The colour variables of the style sheet, as red, green and blue from 0 to 1."""
    css = (STATIC / "site.css").read_text(encoding="utf-8")
    light, dark = re.findall(r":root \{(.*?)\}", css, re.DOTALL)
    found = dict(re.findall(r"--([\w-]+): #(\w{6})", light if scheme == "light" else light + dark))
    return {name: tuple(int(code[at : at + 2], 16) / 255 for at in (0, 2, 4)) for name, code in found.items()}


def luminance(colour: tuple[float, ...]) -> float:
    """Relative luminance of WCAG 2.1."""
    parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))


def contrast(first: tuple[float, ...], second: tuple[float, ...]) -> float:
    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


TEXTS = [
    *(("ink", ground) for ground in ("ground", "raised", "error-ground")),
    *((text, ground) for text in ("quiet", "accent", "best", "worst", "error") for ground in ("ground", "raised")),
    *((f"on-{name}", name) for name in ("accent", "tint", "best", "worst", "mark")),
    ("notice-ink", "notice"), ("error", "error-ground"),
]  # fmt: skip
SHAPES = [("edge", "ground"), ("edge", "raised"), ("accent", "track"), ("accent", "ground"), ("best", "raised")]


def test_black_on_white_has_the_contrast_that_the_norm_gives() -> None:
    assert contrast((0, 0, 0), (1, 1, 1)) == pytest.approx(21)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_have_a_contrast_of_four_and_a_half_and_shapes_of_three(scheme: str) -> None:
    found = colours(scheme)
    for pairs, least in ((TEXTS, 4.5), (SHAPES, 3.0)):
        for first, second in pairs:
            assert contrast(found[first], found[second]) >= least, f"{first} on {second} ({scheme})"


def test_colours_stand_in_variables_only() -> None:
    css = (STATIC / "site.css").read_text(encoding="utf-8")
    rules = re.sub(r":root \{.*?\}", "", css, flags=re.DOTALL)
    assert not re.findall(r"#[0-9a-fA-F]{3,8}\b(?=[;\s])", rules)


def test_directions_are_logical_so_that_right_to_left_needs_no_rules() -> None:
    css = (STATIC / "site.css").read_text(encoding="utf-8")
    assert not re.findall(
        r"\b(?:margin|padding|border)-(?:left|right)\b|\btext-align: (?:left|right)\b|\b(?:left|right):", css
    )


def test_modules_import_only_each_other_and_ask_nobody_else() -> None:
    for module in STATIC.glob("*.js"):
        text = module.read_text(encoding="utf-8")
        for source in re.findall(r'from "([^"]+)"', text):
            assert (STATIC / source).is_file(), f"{module.name} imports {source}"
        assert not re.findall(r"https?://|\beval\(|new Function", text)


def test_headings_do_not_skip_a_level() -> None:
    for item, phase in every_screen():
        levels = [int(level) for level in re.findall(r"<h([1-6])", shown(item, phase))]
        assert all(after - before <= 1 for before, after in pairwise(levels))
