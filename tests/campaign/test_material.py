from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from kostra.campaign.items import Item
from kostra.campaign.material import ByStep, Material, material
from kostra.campaign.protocol import Block, Campaign, Check, Gold, Phase, Question
from kostra.campaign.questions import CHECK, completed, questions_on
from kostra.campaign.rewording import reworded
from kostra.errors import KostraError
from kostra.recipe import Score
from kostra.tables import DOCUMENTS, PAIRS, SCORES, SENTENCES, TUPLES, Frame, check

SCORE = Score(question="similarity", low=0, high=5)


def pairs(*names: str, context: bool = False) -> Frame:
    rows = {
        "pair": list(names),
        "text_a": [f"First of {name}." for name in names],
        "text_b": [f"Second of {name}." for name in names],
    }
    if context:
        rows["context_a"] = [f"Before. <sent>First of {name}.</sent>" for name in names]
    return check(pl.DataFrame(rows), PAIRS)


def sentences(*names: str, **more: str) -> Frame:
    rows = [{"sentence": one, "text": f"Text of {one}.", "source": "x", "language": "en", **more} for one in names]
    return check(pl.DataFrame(rows), SENTENCES)


def tuples(**members: str) -> Frame:
    rows = [(name, place, item) for name, items in members.items() for place, item in enumerate(items, 1)]
    return check(pl.DataFrame(rows, schema=["tuple", "position", "item"], orient="row"), TUPLES)


def made(phase: Phase, tables: ByStep, *, project: Path = Path(), policy: str = "random") -> Material:
    return material(Campaign(phases=(phase,), policy=policy), tables, project=project, score=SCORE)


def test_a_best_worst_item_shows_the_texts_of_its_members() -> None:
    found = made(
        Phase(name="main", task="best_worst"), {"t": {"tuples": tuples(t1="ba")}, "p": {"pairs": pairs(*"ab")}}
    )
    members = found.items["t1"].content["members"]
    assert members[0] == {"item": "b", "text_a": "First of b.", "text_b": "Second of b."}
    assert found.blocks == {("main", 0): ("t1",)}
    assert len(found.items["t1"].sentences) == 4


def test_tuples_of_sentences_show_sentences() -> None:
    found = made(
        Phase(name="main", task="best_worst"), {"s": {"tuples": tuples(t1="ab"), "sentences": sentences(*"ab")}}
    )
    assert found.items["t1"].content["members"] == [{"item": one, "text": f"Text of {one}."} for one in "ab"]


def test_a_pick_item_groups_the_candidates_by_document_and_belongs_to_its_incident() -> None:
    reports = pl.concat(
        [sentences("r1", "r2", document="d1", group="fire"), sentences("r3", document="d2", group="fire")]
    )
    summary = sentences("s", document="d0", group="fire")
    documents = check(
        pl.DataFrame({"document": ["d1", "d2"], "source": "x", "language": "en", "title": ["Fire", None]}), DOCUMENTS
    )
    rows = [("s", place, item) for place, item in enumerate(("r1", "r2", "r3"), 1)]
    table = pl.DataFrame(rows, schema=["tuple", "position", "item"], orient="row")
    read = {"tuples": table, "sentences": pl.concat([summary, reports]), "documents": documents}
    found = made(Phase(name="pick", task="pick"), {"candidates": read}).items["s"]
    assert (found.kind, found.group, found.content["text"]) == ("candidates", "fire", "Text of s.")
    shown = found.content["documents"]
    assert [(one["document"], one["title"], [s["item"] for s in one["sentences"]]) for one in shown] == [
        ("d1", "Fire", ["r1", "r2"]),
        ("d2", "", ["r3"]),
    ]


def test_a_pair_knows_its_reverse_its_sentences_and_what_made_them() -> None:
    table = check(
        pl.DataFrame(
            {
                "pair": ["p", "r"],
                "text_a": ["Text of s.", "Text of t."],
                "text_b": ["Text of t.", "Text of s."],
                "sentence_a": ["s", "t"],
                "sentence_b": ["t", "s"],
                "reverse": ["r", "p"],
            }
        ),
        PAIRS,
    )
    about = pl.concat([sentences("s", group="theme"), sentences("t", origin="s", change="negation")])
    found = made(Phase(name="main", task="entailment"), {"pairs": {"pairs": table}, "made": {"sentences": about}})
    pair, reverse = found.items["p"], found.items["r"]
    assert (pair.reverse, pair.sentences, pair.group) == ("r", ("s", "t"), "theme")
    assert pair.content["change"] == "negation"
    assert "change" not in reverse.content
    assert reverse.content["change_a"] == "negation"


def test_pairs_without_sentence_ids_share_a_sentence_by_its_text() -> None:
    table = check(pl.DataFrame({"pair": ["p", "r"], "text_a": ["One.", "Two."], "text_b": ["Two.", "One."]}), PAIRS)
    found = made(Phase(name="main", task="rating"), {"pairs": {"pairs": table}})
    assert found.items["p"].sentences == tuple(reversed(found.items["r"].sentences))


def test_a_block_takes_the_items_of_its_step_and_no_other_block_of_the_phase_does() -> None:
    phase = Phase(
        name="main",
        task="rating",
        blocks=(
            Block(purpose="calibration", items_from="six"),
            Block(purpose="main"),
            Block(purpose="repeat", items=5),
        ),
    )
    found = made(phase, {"six": {"pairs": pairs("c1", "p1")}, "all": {"pairs": pairs("p1", "p2", "p3")}})
    assert found.blocks == {("main", 0): ("c1", "p1"), ("main", 1): ("p2", "p3"), ("main", 2): ()}
    assert found.by_step == {"six": ("c1", "p1"), "all": ("p1", "p2", "p3")}


def test_an_unknown_step_of_items_lists_those_that_are_read() -> None:
    phase = Phase(name="main", task="rating", blocks=(Block(purpose="main", items_from="pears"),))
    with pytest.raises(KostraError, match='unknown step "pears"') as caught:
        made(phase, {"pairs": {"pairs": pairs("p")}})
    assert caught.value.remedy == 'did you mean "pairs"?'


def test_texts_and_checks_are_items_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "guide.md").write_text("Read this.\n\nThen that.\n", encoding="utf-8")
    checks = (Check(prompt="Is 5 high?", choices=("yes", "no"), right="yes"),)
    phase = Phase(
        name="main",
        task="rating",
        questions=(Question(name="q", prompt="How close?", low=0, high=5),),
        blocks=(
            Block(purpose="instructions", text_file="guide.md", title="Guide"),
            Block(purpose="instructions"),
            Block(purpose="consent", text="I agree."),
            Block(purpose="qualification", checks=checks),
            Block(purpose="main"),
        ),
    )
    found = made(phase, {"pairs": {"pairs": pairs("p")}}, project=tmp_path)
    assert found.items["text-main-0"].content == {"title": "Guide", "text": "Read this.\n\nThen that."}
    assert found.items["text-main-1"].content["text"] == "How close?", "an empty page shows what will be asked"
    assert found.items["text-main-2"].content["text"] == "I agree."
    check_item = found.items["check-main-3-0"]
    assert (check_item.known, check_item.content["choices"]) == ({CHECK: "yes"}, ["yes", "no"])
    assert questions_on(check_item, phase)[0].labels == ("yes", "no")
    assert [found.blocks["main", number] for number in range(5)] == [
        ("text-main-0",), ("text-main-1",), ("text-main-2",), ("check-main-3-0",), ("p",)
    ]  # fmt: skip


def test_a_missing_text_is_one_clear_error(tmp_path: Path) -> None:
    phase = Phase(name="main", task="rating", blocks=(Block(purpose="instructions", text_file="absent.md"),))
    with pytest.raises(KostraError, match="no such file"):
        made(phase, {"pairs": {"pairs": pairs("p")}}, project=tmp_path)


def scores(*rows: tuple[str, str, float | None, str | None]) -> Frame:
    columns = ["item", "question", "score", "label"]
    frame = pl.DataFrame(rows, schema=columns, orient="row").with_columns(appearances=3)
    return check(frame, SCORES)


def test_right_answers_of_gold_and_qualification_come_from_scores_under_the_same_question() -> None:
    phase = Phase(
        name="main",
        task="rating",
        gold=Gold(every=5),
        blocks=(Block(purpose="gold", items_from="gold"), Block(purpose="main")),
    )
    known = scores(("g1", "similarity", 4.0, None), ("g1", "older", 1.0, None), ("p1", "similarity", 2.0, None))
    found = made(phase, {"gold": {"pairs": pairs("g1"), "scores": known}, "pairs": {"pairs": pairs("p1")}})
    assert found.items["g1"].known == {"similarity": "4"}
    assert found.items["p1"].known == {}, "an item that is asked for its own sake has no right answer"


def test_gold_whose_answer_nobody_knows_is_refused() -> None:
    phase = Phase(name="main", task="rating", gold=Gold(every=5), blocks=(Block(purpose="gold", items_from="gold"),))
    with pytest.raises(KostraError, match="nobody knows the right answer to 1 items of its block 1"):
        made(phase, {"gold": {"pairs": pairs("g1", "g2"), "scores": scores(("g2", "similarity", 1.0, None))}})


def test_gold_that_authors_agree_on_is_not_known_beforehand() -> None:
    authors = Phase(name="authors", task="rating", role="admin")
    main = Phase(
        name="main",
        task="rating",
        gold=Gold(every=5, from_phase="authors"),
        blocks=(Block(purpose="main"), Block(purpose="gold")),
    )
    campaign = Campaign(phases=(authors, main))
    found = material(campaign, {"pairs": {"pairs": pairs("p")}}, project=Path(), score=SCORE)
    assert found.blocks["main", 1] == ()


def test_images_are_described_and_other_documents_are_not() -> None:
    frame = pl.DataFrame(
        {
            "document": ["park.jpg", "d"],
            "source": "x",
            "language": "pl",
            "kind": ["image", "report"],
            "group": "outdoors",
        }
    )
    read = {"images": {"documents": check(frame, DOCUMENTS)}}
    found = made(Phase(name="describe", task="describe"), read)
    assert found.blocks == {("describe", 0): ("park.jpg",)}
    assert found.items["park.jpg"].content == {"image": "park.jpg"}


def test_a_questionnaire_is_one_item_called_by_its_phase() -> None:
    phase = Phase(name="about_you", task="questionnaire", questions=(Question(name="age"),))
    found = made(phase, {})
    assert found.blocks == {("about_you", 0): ("about_you",)}
    assert questions_on(found.items["about_you"], phase) == phase.questions


def test_rewrites_are_of_pairs_where_pairs_are_read_and_of_sentences_otherwise() -> None:
    phase = Phase(name="main", task="rewrite")
    assert made(phase, {"s": {"sentences": sentences("s1")}}).blocks == {("main", 0): ("s1",)}
    read = {"s": {"sentences": sentences("s1")}, "p": {"pairs": pairs("p1")}}
    assert made(phase, read).blocks == {("main", 0): ("p1",)}


def test_an_adaptive_campaign_keeps_what_its_tuples_will_be_made_of() -> None:
    read = {"p": {"pairs": pairs(*"ab")}, "s": {"sentences": sentences("s")}}
    found = made(Phase(name="main", task="best_worst"), read, policy="adaptive")
    assert found.blocks == {("main", 0): ()}
    assert list(found.members) == ["a", "b"]


@pytest.mark.parametrize(
    ("task", "tables", "complaint"),
    [
        ("best_worst", {"p": {"pairs": pairs("p")}}, "the task needs tuples, and reads p"),
        ("best_worst", {"t": {"tuples": tuples(t="ab")}}, 'tuple "t" compares a, b, which no step that it reads wrote'),
        ("pick", {"t": {"tuples": tuples(t="ab")}}, '"t" is to be compared with t, a, b'),
        ("rating", {"t": {"tuples": tuples(t="ab")}}, "the task needs pairs or sentences"),
        ("entailment", {"s": {"sentences": sentences("s")}}, "the task needs pairs, and reads s"),
        ("rating_in_context", {"p": {"pairs": pairs("p")}}, "1 of 1 pairs have no context: p"),
        ("describe", {"p": {"pairs": pairs("p")}}, "the task needs documents"),
        ("questionnaire", {}, "asks nothing"),
    ],
)
def test_a_task_that_lacks_its_table_says_which(task: str, tables: ByStep, complaint: str) -> None:
    phase = Phase.model_validate({"name": "main", "task": task})
    with pytest.raises(KostraError) as caught:
        made(phase, tables)
    assert complaint in str(caught.value)


def test_two_kinds_of_items_under_one_id_are_refused() -> None:
    phases = (Phase(name="sift", task="triage"), Phase(name="main", task="best_worst"))
    read = {"s": {"sentences": sentences("t", "a"), "tuples": tuples(t="ta")}}
    with pytest.raises(KostraError, match='"t" is the id of a sentence and of a tuple'):
        material(Campaign(phases=phases), read, project=Path(), score=SCORE)


def test_the_store_gets_back_what_it_kept() -> None:
    checks = (Check(prompt="Ready?", choices=("yes", "no"), right="yes"),)
    phase = Phase(
        name="main", task="rating", blocks=(Block(purpose="qualification", checks=checks), Block(purpose="main"))
    )
    found = made(phase, {"pairs": {"pairs": pairs("p1", "p2", context=True)}})
    assert Material.from_json(found.to_json()) == found


def test_a_task_brings_its_own_questions_where_the_recipe_names_none() -> None:
    phases = tuple(
        Phase.model_validate({"name": task, "task": task})
        for task in (
            "best_worst",
            "rating",
            "entailment",
            "comparison",
            "rewrite",
            "pick",
            "describe",
            "triage",
            "correct",
        )
    )
    done = completed(Campaign(phases=phases), SCORE)
    assert [question.name for question in done.phases[0].questions] == ["best", "worst"]
    assert (done.phases[1].questions[0].name, done.phases[1].questions[0].high) == ("similarity", 5)
    assert all(phase.questions for phase in done.phases)


def test_a_correction_reaches_contexts_members_and_candidates() -> None:
    pair = Item(
        "p", "pair", {"text_a": "A.", "text_b": "Bad.", "context_b": "X <sent>Bad.</sent>"}, sentences=("s1", "s2")
    )
    assert reworded(pair, "s2", "Bad.", "Good.").content == {
        "text_a": "A.", "text_b": "Good.", "context_b": "X <sent>Good.</sent>"
    }  # fmt: skip
    compared = Item(
        "t", "tuple", {"members": [{"item": "p", "text_a": "A.", "text_b": "Bad."}]}, sentences=("s1", "s2")
    )
    assert reworded(compared, "s2", "Bad.", "Good.").content["members"][0]["text_b"] == "Good."
    documents = [{"document": "d", "title": "", "sentences": [{"item": "r", "text": "Bad."}]}]
    picked = Item("s", "candidates", {"text": "S.", "documents": documents}, sentences=("s", "r"))
    mended = reworded(picked, "r", "Bad.", "Good.")
    assert mended.content["documents"][0]["sentences"] == [{"item": "r", "text": "Good."}]
    assert (mended.version, picked.content["documents"][0]["sentences"][0]["text"]) == (2, "Bad.")
