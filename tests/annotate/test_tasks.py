"""What a task takes as an answer, and what it refuses with a message at the field."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st

from kostra import registry
from kostra.annotate import highlighting, spelling, tasks
from kostra.annotate.tasks import Checked, Message, Translate, forms
from kostra.campaign.items import Item
from kostra.campaign.places import Answer
from kostra.campaign.protocol import TASKS, Block, Phase, Question, Task
from kostra.campaign.questions import points
from kostra.errors import KostraError

SEED = "Starý rybář opravuje na břehu síť."
PAIR = Item("p1", "pair", {"text_a": "A cat sat.", "text_b": "A cta sat."}, sentences=("s1", "s2"))
SENTENCE = Item("s1", "sentence", {"text": SEED})
TUPLE = Item("t1", "tuple", {"members": [{"item": name, "text": name} for name in ("m1", "m2", "m3", "m4")]})
DOCUMENTS = [{"document": "d", "title": "", "sentences": [{"item": f"c{n}", "text": f"Text {n}."} for n in range(4)]}]
CANDIDATES = Item("S", "candidates", {"text": "A fire.", "documents": DOCUMENTS})
SCALE = Question(name="similarity", low=0, high=6)
CHANGE = Question(name="error_type", about="correction", labels=("sense", "other"))

SCREENS: dict[str, tuple[Item, Phase]] = {}


def screen(name: str, task: Task, item: Item, *questions: Question, **rules: Any) -> tuple[Item, Phase]:
    SCREENS[name] = (item, Phase(name="main", task=task, questions=questions, **rules))
    return SCREENS[name]


RATING = screen("rating", "rating", PAIR, SCALE, Question(name="note", optional=True))
SLIDER = screen("slider", "rating", PAIR, Question(name="similarity", low=0, high=1, control="slider"))
CONTEXT = screen("context", "rating_in_context", PAIR, SCALE)
BEST_WORST = screen("best_worst", "best_worst", TUPLE, Question(name="best"), Question(name="worst"))
ENTAILMENT = screen(
    "entailment", "entailment", PAIR, SCALE, Question(name="label", labels=("yes", "no"), reverse=True)
)  # fmt: skip
COMPARISON = screen("comparison", "comparison", PAIR, Question(name="degree", labels=("more", "less")))
TRIAGE = screen("triage", "triage", SENTENCE, Question(name="verdict", labels=("keep", "unreal")))
DESCRIBE = screen("describe", "describe", Item("i.png", "image", {"image": "i.png"}), Question(name="description"))
REWRITE = screen(
    "rewrite", "rewrite", SENTENCE,
    Question(name="one", impossible=True), Question(name="two", impossible=True, differs_from=("one",)),
)  # fmt: skip
IDEAS = screen(
    "ideas", "rewrite", SENTENCE, Question(name="rewrite", at_most=3), Question(name="called", about="rewrite")
)  # fmt: skip
PICK = screen(
    "pick", "pick", CANDIDATES,
    Question(name="a"), Question(name="rate_a", about="a", low=0, high=6),
    Question(name="b", differs_from=("a",), optional=True), Question(name="rate_b", about="b", low=0, high=6),
)  # fmt: skip
CORRECT = screen("correct", "correct", PAIR, Question(name="correction"), CHANGE)
QUESTIONNAIRE = screen(
    "questionnaire", "questionnaire", Item("main", "text", {"title": "You", "text": ""}),
    Question(name="tongues", labels=("cs", "en", "pl"), at_most=2), Question(name="remarks", optional=True),
)  # fmt: skip
CHECK = screen("check", "rating", Item("check-main-0-0", "check", {"prompt": "?", "choices": ["x", "y"]}), SCALE)
CONSENT = screen("consent", "rating", Item("text-main-0", "text", {"title": "", "text": ""}), SCALE,
                 blocks=(Block(purpose="consent"), Block(purpose="main")))  # fmt: skip
READ = screen("read", "rating", Item("text-main-0", "text", {"title": "", "text": ""}), SCALE,
              blocks=(Block(purpose="instructions"), Block(purpose="main")))  # fmt: skip


def check(on: tuple[Item, Phase], **given: Any) -> Checked:
    return tasks.check_answers(given, *on)


def values(on: tuple[Item, Phase], **given: Any) -> dict[str, list[str | None]]:
    found = check(on, **given)
    assert not found.errors, found.errors
    return {name: [one.value for one in several] for name, several in found.answers.items()}


def wrong(on: tuple[Item, Phase], **given: Any) -> Mapping[str, str]:
    found = check(on, **given)
    assert not found.answers
    return found.errors


def test_every_task_of_a_recipe_has_its_module_and_template() -> None:
    for name in TASKS:
        module = registry.load(tasks.SHELF, name)
        assert module.check
        assert module.view
        assert registry.summary(module)


# Ratings --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("raw", "stored"), [(3, "3"), ("3", "3"), (3.0, "3"), ("3.0", "3"), (" 6 ", "6"), (-0.0, "0")])
def test_a_rating_is_stored_in_one_form(raw: Any, stored: str) -> None:
    assert values(RATING, similarity=raw) == {"similarity": [stored], "note": [None]}


@pytest.mark.parametrize(
    "raw", [7, -1, 2.5, "2.5", "many", True, float("nan"), float("inf"), 10**400, "1_0", "٣", [3], {"value": 9}, "1e0"]
)
def test_a_rating_off_the_scale_is_refused(raw: Any) -> None:
    assert set(wrong(RATING, similarity=raw)) == {"similarity"}


def test_a_slider_takes_its_steps_and_nothing_between_them() -> None:
    assert values(SLIDER, similarity=0.37) == {"similarity": ["0.37"]}
    assert wrong(SLIDER, similarity=0.375)["similarity"] == "0.375 lies between the points of the scale."


def test_a_missing_answer_is_refused_unless_it_is_optional() -> None:
    assert wrong(RATING) == {"similarity": "Choose a point on the scale."}
    assert wrong(RATING, similarity={"skip": True}) == {"similarity": "This question cannot be skipped."}
    found = check(RATING, similarity=1, note={"skip": True})
    assert found.answers["note"] == [Answer(None, "skipped")]


def test_a_question_that_is_not_asked_is_refused() -> None:
    assert set(wrong(RATING, similarity=1, other=2)) == {"other"}


def test_answers_that_are_no_mapping_are_refused() -> None:
    assert set(tasks.check_answers([1], *RATING).errors) == {""}  # type: ignore[arg-type]


# Choices --------------------------------------------------------------------------------------------------


def test_best_and_worst_are_two_members_of_the_tuple() -> None:
    assert values(BEST_WORST, best="m1", worst="m4") == {"best": ["m1"], "worst": ["m4"]}
    assert wrong(BEST_WORST, best="m1", worst="m1") == {"worst": "Best and worst cannot be the same one."}
    assert set(wrong(BEST_WORST, best="m9", worst="m1")) == {"best"}
    assert set(wrong(BEST_WORST, best="m1")) == {"worst"}


def test_a_label_that_is_not_offered_is_refused() -> None:
    assert values(ENTAILMENT, similarity=1, label="yes")["label"] == ["yes"]
    for strange in ("Yes", "maybe", 0, ["yes"], {"yes": True}):
        assert set(wrong(ENTAILMENT, similarity=1, label=strange)) == {"label"}


def test_several_labels_are_taken_up_to_the_limit_and_each_once() -> None:
    assert values(QUESTIONNAIRE, tongues=["cs", "pl"])["tongues"] == ["cs", "pl"]
    assert set(wrong(QUESTIONNAIRE, tongues=["cs", "en", "pl"])) == {"tongues"}
    assert set(wrong(QUESTIONNAIRE, tongues=["cs", "cs"])) == {"tongues.2"}


def test_consent_may_be_refused_but_not_left_open() -> None:
    assert values(CONSENT, read="no") == {"read": ["no"]}
    assert set(wrong(CONSENT)) == {"read"}
    assert set(wrong(READ, read="no")) == {"read"}


def test_a_comprehension_check_takes_one_of_its_choices_and_never_shows_the_right_one() -> None:
    item = Item("check-main-0-0", "check", {"prompt": "?", "choices": ["x", "y"]}, known={"check": "y"})
    assert values((item, CHECK[1]), check="x") == {"check": ["x"]}
    assert set(wrong((item, CHECK[1]), check="z")) == {"check"}
    assert "known" not in str(tasks.view_of(item, CHECK[1]))


# Texts ----------------------------------------------------------------------------------------------------


def test_a_rewrite_is_stored_normalised_on_one_line() -> None:
    decomposed = unicodedata.normalize("NFD", "  Rybář\n  spí. ")
    assert values(REWRITE, one=decomposed, two={"impossible": True}) == {"one": ["Rybář spí."], "two": [None]}
    assert check(REWRITE, one="Rybář spí.", two={"impossible": True}).answers["two"] == [Answer(None, "impossible")]


@pytest.mark.parametrize("same", [SEED, SEED.rstrip("."), f"  {SEED.upper()} ", SEED.replace(" ", "\u00a0")])
def test_an_unchanged_rewrite_is_refused(same: str) -> None:
    assert wrong(REWRITE, one=same, two="Jinak.")["one"] == "This is the sentence itself: change something."


def test_one_sign_may_make_a_rewrite() -> None:
    assert values(REWRITE, one=SEED.replace(".", "?"), two="Jinak.")["one"] == [SEED.replace(".", "?")]


@pytest.mark.parametrize("empty", ["", "  ", "…", "\u200b", None, [], {}])
def test_an_empty_rewrite_is_refused(empty: Any) -> None:
    assert set(wrong(REWRITE, one=empty, two="Jinak.")) == {"one"}


@pytest.mark.parametrize("bad", ["a\x00b", "a\x1bb", "\ud800", "x" * 10_001, 5, True, ["a"], {"text": "a"}])
def test_texts_that_cannot_be_kept_are_refused(bad: Any) -> None:
    assert set(wrong(REWRITE, one=bad, two="Jinak.")) == {"one"}


def test_two_paraphrases_must_differ() -> None:
    assert set(wrong(REWRITE, one="Rybář spí.", two="rybář  spí")) == {"two"}
    assert values(REWRITE, one={"impossible": True}, two="Rybář spí.")["two"] == ["Rybář spí."]


def test_impossible_is_an_answer_only_where_it_is_offered() -> None:
    assert set(wrong(DESCRIBE, description={"impossible": True})) == {"description"}
    assert set(wrong(REWRITE, one={"impossible": True, "value": "x"}, two="Jinak.")) == {"one"}
    assert set(wrong(REWRITE, one={"impossible": "yes"}, two="Jinak.")) == {"one"}


def test_ideas_come_in_rows_with_a_name_each() -> None:
    taken = values(IDEAS, rewrite=["Rybář spí.", "", "Rybář jí."], called=["spánek", "", "jídlo"])
    assert taken == {"rewrite": ["Rybář spí.", "Rybář jí."], "called": ["spánek", "jídlo"]}


def test_an_idea_without_a_name_or_a_name_without_an_idea_is_refused_at_its_row() -> None:
    assert set(wrong(IDEAS, rewrite=["Rybář spí.", "Rybář jí."], called=["spánek"])) == {"called.2"}
    assert set(wrong(IDEAS, rewrite=["Rybář spí."], called=["spánek", "nic"])) == {"rewrite.2"}


def test_too_many_ideas_or_twice_the_same_are_refused() -> None:
    many = [f"Rybář číslo {n}." for n in range(4)]
    assert set(wrong(IDEAS, rewrite=many, called=["n"] * 4)) == {"rewrite"}
    assert set(wrong(IDEAS, rewrite=["Rybář spí.", "rybář spí"], called=["a", "b"])) == {"rewrite.2"}
    assert set(wrong(IDEAS)) == {"rewrite"}
    assert set(wrong(IDEAS, rewrite=["x"] * 2000, called=[])) == {"rewrite"}


# Picking and correcting -----------------------------------------------------------------------------------


def test_picks_are_different_candidates_with_a_rating_each() -> None:
    taken = values(PICK, a="c0", rate_a=6, b="c1", rate_b=0)
    assert taken == {"a": ["c0"], "rate_a": ["6"], "b": ["c1"], "rate_b": ["0"]}
    assert set(wrong(PICK, a="c0", rate_a=6, b="c0", rate_b=0)) == {"b"}
    assert set(wrong(PICK, a="elsewhere", rate_a=6, b="c0", rate_b=0)) == {"a"}
    assert set(wrong(PICK, a="c0", b="c1", rate_b=0)) == {"rate_a"}


def test_nothing_is_rated_where_nothing_was_picked() -> None:
    assert check(PICK, a="c0", rate_a=6).answers["rate_b"] == [Answer(None, "skipped")]
    assert set(wrong(PICK, a="c0", rate_a=6, rate_b=3)) == {"rate_b"}


def test_a_correction_needs_its_type_and_no_correction_takes_none() -> None:
    assert values(CORRECT, correction="A rat sat.", error_type="sense")["correction"] == ["A rat sat."]
    assert set(wrong(CORRECT, correction="A rat sat.")) == {"error_type"}
    assert values(CORRECT, correction=" A cta  sat.") == {"correction": ["A cta sat."], "error_type": [None]}
    assert set(wrong(CORRECT, correction="A cta sat.", error_type="sense")) == {"error_type"}
    assert set(wrong(CORRECT, correction="")) >= {"correction"}


def test_a_sentence_is_never_corrected_into_its_partner() -> None:
    assert set(wrong(CORRECT, correction="a cat sat", error_type="other")) == {"correction"}
    both = (
        PAIR,
        CORRECT[1].model_copy(update={"questions": (Question(name="correction"), Question(name="correction_a"))}),
    )
    assert set(wrong(both, correction="One.", correction_a="One")) == {"correction", "correction_a"}
    # Both change at once, so that the first may take the words that the second gives up.
    assert values(both, correction="A cat sat.", correction_a="A rat sat.")["correction"] == ["A cat sat."]


def test_a_comma_is_a_correction() -> None:
    assert values(CORRECT, correction="A cta, sat.", error_type="other")["correction"] == ["A cta, sat."]


def test_a_decision_about_a_suggestion_is_one_of_its_labels() -> None:
    content = {"sentence": "s", "before": "A cta.", "after": "A cat.", "pair": "p", "text_a": "x", "text_b": "A cta."}
    phase = Phase(name="main", task="correct", questions=(Question(name="verdict", labels=("reject", "mend", "ask")),))
    on = (Item("suggestion-1", "suggestion", content), phase)
    assert values(on, verdict="mend") == {"verdict": ["mend"]}
    assert set(wrong(on, verdict="perhaps")) == {"verdict"}
    assert ("cta", "del") in tasks.view_of(*on)["changed"]


# Whatever comes -------------------------------------------------------------------------------------------

KNOWN = [
    "m1",
    "m4",
    "c0",
    "c1",
    "yes",
    "no",
    "keep",
    "cs",
    "en",
    "x",
    "more",
    SEED,
    "A cat sat.",
    "A cta sat.",
    "sense",
]
plain = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20), st.sampled_from(KNOWN),
    st.integers(0, 6), st.characters(codec=None).map(str),
)  # fmt: skip
marks = st.fixed_dictionaries({}, optional={"impossible": plain, "skip": plain, "value": plain, "odd": plain})
anything = st.recursive(plain | marks, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3), max_leaves=8)  # fmt: skip # noqa: E501


def answers_to(phase: Phase) -> st.SearchStrategy[Any]:
    names = ["read", "check", "stranger", *(question.name for question in phase.questions)]
    return st.dictionaries(st.sampled_from(names), anything, max_size=6) | anything


def is_legal(value: str | None, question: Question, item: Item) -> bool:
    """What may stand in the store, said apart from the code that puts it there."""
    if value is None:
        return True
    if question.low is not None and question.high is not None:
        number = float(value)
        fine = question.control == "slider" or number == int(number)
        return question.low <= number <= question.high and fine and value == f"{number:g}"
    if question.labels:
        return value in question.labels
    if item.kind == "tuple":
        return value in ("m1", "m2", "m3", "m4")
    if item.kind == "candidates":
        return value in ("c0", "c1", "c2", "c3")
    clean = all(unicodedata.category(char) not in ("Cc", "Cs") or char == "\n" for char in value)
    return clean and value == value.strip() and 0 < len(value) <= 10_000 and unicodedata.is_normalized("NFC", value)


@pytest.mark.parametrize("name", SCREENS)
@settings(max_examples=80, deadline=None)
@drawn(data=st.data())
def test_whatever_json_comes_is_refused_or_becomes_a_legal_answer(name: str, data: st.DataObject) -> None:
    item, phase = SCREENS[name]
    found = tasks.check_answers(data.draw(answers_to(phase)), item, phase)
    assert bool(found.answers) != bool(found.errors)
    assert all(isinstance(message, Message) for message in found.errors.values())
    asked = {question.name: question for question in phase.questions}
    for question, several in found.answers.items():
        for answer in several:
            assert (answer.value is None) == (answer.status != "answered")
            if question in asked:
                assert is_legal(answer.value, asked[question], item)
                assert answer.status != "impossible" or asked[question].impossible
            else:
                assert answer.value in ("yes", "no", "x", "y")
    if item.kind == "tuple" and found.answers:
        assert found.answers["best"] != found.answers["worst"]


# Forms ----------------------------------------------------------------------------------------------------


@settings(max_examples=200, deadline=None)
@drawn(
    st.lists(st.tuples(st.sampled_from(["a", "a.1", "a.3", "a.impossible", "a.x", "b", "a.", ".", "phase"]), st.text()))
)
def test_any_posted_fields_become_answers_that_can_be_checked(fields: list[tuple[str, str]]) -> None:
    for on in (REWRITE, IDEAS, QUESTIONNAIRE):
        tasks.check_answers(forms.given(fields, on[1].questions), *on)


def test_an_answer_comes_back_as_it_was_given() -> None:
    for on, sent in (
        (REWRITE, {"one": "Rybář spí.", "two": {"impossible": True}}),
        (IDEAS, {"rewrite": ["Rybář spí."], "called": ["spánek"]}),
        (QUESTIONNAIRE, {"tongues": ["cs", "pl"]}),
    ):
        found = tasks.check_answers(sent, *on)
        assert forms.again(found.answers, on[1].questions) == sent


# Words ----------------------------------------------------------------------------------------------------


def test_messages_can_be_said_in_another_language() -> None:
    czech = Translate("cs", {"Choose a number from {low} to {high}.": "Zvolte číslo od {low} do {high}."})
    assert czech(wrong(RATING, similarity=9)["similarity"]) == "Zvolte číslo od 0 do 6."


def test_labels_and_prompts_are_shown_in_the_annotators_language_and_stored_in_the_recipes() -> None:
    question = Question(
        name="label", prompt="Which?", labels=("yes", "no"), labels_in={"cs": ("ano", "ne")}, prompt_in={"cs": "Co?"}
    )  # fmt: skip
    phase = Phase(name="main", task="triage", questions=(question,))
    (shown,) = tasks.view_of(SENTENCE, phase, Translate("cs"))["questions"]
    assert shown["prompt"] == "Co?"
    assert [(option["value"], option["label"]) for option in shown["options"]] == [("yes", "ano"), ("no", "ne")]


def test_words_of_the_sentence_are_marked_by_their_beginnings() -> None:
    mark = highlighting.marker("Požár zničil střechu hradu v roce 1904.")
    marked = [text for text, kind in mark("Po požáru hradní střecha chyběla, v 1904 i 1905.") if kind]
    assert marked == ["požáru", "hradní", "střecha", "1904"]
    assert "".join(text for text, _ in mark("Po požáru.")) == "Po požáru."


def test_a_dictionary_that_is_not_there_is_named(tmp_path: Any) -> None:
    with pytest.raises(KostraError, match="no such file"):
        spelling.dictionary(tmp_path / "cs.dic")


def test_letters_that_a_dictionary_cannot_encode_are_marked_and_do_no_harm(tmp_path: Any) -> None:
    pytest.importorskip("hunspell")
    (tmp_path / "cs.aff").write_bytes(b"SET ISO8859-2\n")
    (tmp_path / "cs.dic").write_bytes("1\nkůň\n".encode("iso8859-2"))
    found = spelling.misspelt("Kůň naïve", spelling.dictionary(tmp_path / "cs.dic"))
    assert found == [{"start": 4, "end": 9, "word": "naïve"}]


def test_digits_and_parts_of_words_are_never_misspelt() -> None:
    assert spelling.misspelt("abc1 don’t 12 x_y", lambda word: word == "don't") == []


def test_points_of_a_scale_follow_its_labels() -> None:
    assert points(Question(name="q", low=-1, high=1, labels=("no", "so", "yes"))) == (-1, 0, 1)
