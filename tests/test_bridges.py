"""Other tools: whatever an item or an answer holds, it comes back as it went out, and what does not is listed."""

from __future__ import annotations

import json
import re
import shutil
import stat
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.release.projects import HARD, RECIPE, a_project
from typer.testing import CliRunner

import kostra
from kostra import tables
from kostra.annotate.tasks import check_answers
from kostra.campaign.items import Item
from kostra.campaign.protocol import Phase, Question, Task
from kostra.cli import app
from kostra.errors import KostraError
from kostra.release.bridges import TOOLS, bridge
from kostra.release.bridges.contract import Screen
from kostra.release.bridges.judging import judged, replies_of
from kostra.tables import Frame

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
TASKS = {"label-studio": "tasks.json", "potato": "data.jsonl", "mturk": "input.csv"}
SAME = ("item", "version", "question", "annotator", "value", "status", "phase", "block", "seconds")
"""What every tool brings back; a moment only those that know one."""

LETTERS = st.characters(exclude_categories=["Cs", "Cc", "Cn"])
TEXTS = st.one_of(st.sampled_from([*HARD, '=1+1', '+2', '@x', "-3", "'q"]), st.text(LETTERS | st.sampled_from('-"\'\n\t.,:;|<>&${}\\/0123456789'), min_size=1, max_size=30)).filter(str.strip)  # fmt: skip # noqa: E501
IDS = st.one_of(st.sampled_from(["p-1+q-2", "1.", "a:b:c", 'x"y', "ж 3"]), st.text(LETTERS, min_size=1, max_size=8)).filter(lambda text: text.strip() == text)  # fmt: skip # noqa: E501


def nfc(text: str) -> str:
    import unicodedata

    return unicodedata.normalize("NFC", text)


SCALE = Question(name="similarity", prompt="<How> is it, $5?", low=0, high=2, labels=("no", "a: b", "yes - all"))
LABEL = Question(name="kind", labels=("too similar", "too-dissimilar"), impossible=True)
QUESTIONS: dict[Task, tuple[Question, ...]] = {
    "rating": (SCALE, LABEL, Question(name="remark", optional=True)),
    "rating_in_context": (SCALE,),
    "best_worst": (Question(name="best"), Question(name="worst")),
    "entailment": (SCALE, Question(name="follows", labels=("yes", "no"), reverse=True)),
    "comparison": (Question(name="degree", labels=("more", "less", "too similar")),),
    "triage": (Question(name="verdict", labels=("keep", "caption / incomplete")),),
    "describe": (Question(name="description"),),
    "rewrite": (
        Question(name="past", impossible=True),
        Question(name="ideas", at_most=4),
        Question(name="idea_name", about="ideas"),
    ),
    "pick": (
        Question(name="a"), Question(name="rate_a", about="a", low=0, high=6),
        Question(name="b", differs_from=("a",), optional=True), Question(name="rate_b", about="b", low=0, high=6),
    ),
    "correct": (Question(name="correction"), Question(name="error_type", about="correction", labels=("1. sense", "-"))),
    "questionnaire": (
        Question(name="tongues", labels=("cs", "en", "pl"), at_most=2), Question(name="age", low=1, high=9),
    ),
}  # fmt: skip
PHASES = {task: Phase(name="main", task=task, questions=asked, overlap=9) for task, asked in QUESTIONS.items()}


def contents(draw: st.DrawFn, task: str, texts: list[str]) -> tuple[Any, dict[str, Any]]:
    """Kind and content of an item."""
    if task == "best_worst":
        members = draw(st.lists(IDS.map(nfc), min_size=2, max_size=5, unique=True))
        return "tuple", {"members": [{"item": one, "text": texts[0]} for one in members]}
    if task == "pick":
        listed = draw(st.lists(IDS.map(nfc), min_size=2, max_size=5, unique=True))
        sentences = [{"item": one, "text": texts[1]} for one in listed]
        return "candidates", {"text": texts[0], "documents": [{"document": "d", "title": "", "sentences": sentences}]}
    if task == "describe":
        return "image", {"image": "pictures/a b.png", "title": texts[0]}
    if task == "questionnaire":
        return "text", {"title": texts[0], "text": texts[1]}
    if task in ("rewrite", "triage"):
        return "sentence", {"text": texts[2]}
    contexts = {"context_a": f"{texts[2]} <sent>{texts[0]}</sent>", "context_b": f"<sent>{texts[1]}</sent>"}
    return "pair", {"text_a": texts[0], "text_b": texts[1], **(contexts if task == "rating_in_context" else {})}


@st.composite
def items(draw: st.DrawFn, task: Task) -> list[Item]:
    ids = draw(st.lists(IDS.map(nfc), min_size=1, max_size=3, unique=True))
    made = []
    for name in ids:
        kind, content = contents(draw, task, [nfc(draw(TEXTS)) for _ in range(3)])
        made.append(Item(name, kind, content, version=draw(st.integers(1, 3)), sentences=("s-1",)))
    return made


@st.composite
def answers(draw: st.DrawFn, task: Task, item: Item) -> Mapping[str, Any]:
    match task:
        case "best_worst":
            best, worst = draw(st.permutations([member["item"] for member in item.content["members"]]))[:2]
            return {"best": best, "worst": worst}
        case "pick":
            listed = [one["item"] for one in item.content["documents"][0]["sentences"]]
            first, second = draw(st.permutations(listed))[:2]
            both = {"b": second, "rate_b": draw(st.sampled_from(["0", "6"]))}
            return {"a": first, "rate_a": "3", **draw(st.sampled_from([both, {"b": {"skip": True}}]))}
        case "rewrite":
            ideas = draw(st.lists(TEXTS, min_size=1, max_size=4))
            names = draw(st.lists(TEXTS, min_size=len(ideas), max_size=len(ideas)))
            return {"past": draw(st.one_of(TEXTS, st.just(IMPOSSIBLE))), "ideas": ideas, "idea_name": names}
        case "correct":
            changed = {"correction": draw(TEXTS), "error_type": draw(st.sampled_from(["1. sense", "-"]))}
            return draw(st.sampled_from([changed, {"correction": item.content["text_b"]}]))
        case "questionnaire":
            tongues = draw(st.lists(st.sampled_from(["cs", "en", "pl"]), min_size=1, max_size=2, unique=True))
            return {"tongues": tongues, "age": draw(st.sampled_from(["1", "9"]))}
        case "describe":
            return {"description": draw(TEXTS)}
    return {question.name: draw(chosen(question)) for question in PHASES[task].questions}


IMPOSSIBLE = {"impossible": True}


def chosen(question: Question) -> st.SearchStrategy[Any]:
    """Any answer to a question with a scale, with labels, or with neither."""
    if question.low is not None:
        return st.sampled_from(["0", "1", "2"])
    if question.labels:
        return st.sampled_from([*question.labels, *([IMPOSSIBLE] if question.impossible else [])])
    return st.one_of(TEXTS, st.just({"skip": True}))


@st.composite
def worlds(draw: st.DrawFn) -> tuple[Phase, list[Screen], Frame]:
    """A phase, its screens, and judgments that its task took."""
    task = draw(st.sampled_from(sorted(PHASES)))
    phase = PHASES[task]
    screens = [Screen(phase, 0, item) for item in draw(items(task))]
    rows: list[dict[str, Any]] = []
    for screen in screens:
        for person in draw(st.lists(st.sampled_from(["fox", "quiet-heron", "žába 1"]), unique=True, max_size=2)):
            checked = check_answers(draw(answers(task, screen.item)), screen.item, phase)
            assume(not checked.errors)
            at = NOON + timedelta(seconds=draw(st.integers(0, 10**6)))
            seconds = float(draw(st.integers(0, 10**5)))
            rows += [
                {
                    "judgment": f"j{len(rows)}-{number}", "item": screen.item.item, "version": screen.item.version,
                    "question": question, "annotator": person, "value": answer.value, "status": answer.status,
                    "phase": "main", "block": "main", "answered_at": at, "seconds": seconds,
                }
                for number, (question, answer) in enumerate(
                    (question, answer) for question, stored in checked.answers.items() for answer in stored
                )
            ]  # fmt: skip
    frame = pl.DataFrame(rows, schema_overrides=tables.JUDGMENTS.dtypes) if rows else tables.JUDGMENTS.empty()
    return phase, screens, tables.check(frame, tables.JUDGMENTS)


def result_files(tool: str, folder: Path) -> list[Path]:
    names = {"label-studio": "tasks.json", "potato": "user_state.json", "mturk": "results.csv"}
    return sorted(folder.rglob(names[tool]))


@pytest.mark.parametrize("tool", sorted(TOOLS))
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(world=worlds())
def test_items_and_judgments_come_back_as_they_went_out(tool: str, world: tuple[Phase, list[Screen], Frame]) -> None:
    phase, screens, judgments = world
    replies, left_out = replies_of(judgments, screens)
    assert left_out == 0
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        bridge(tool).write(phase, screens, folder, title="A – “title” ${x}", replies=replies)
        assert bridge(tool).read_items(folder / TASKS[tool]) == [screen.item for screen in screens]
        back = [reply for path in result_files(tool, folder) for reply in bridge(tool).read(path)]
    made = judged(back, screens, tool=tool)
    assert (made.wrong, made.left_out, made.surplus) == ([], [], [])
    columns = [*SAME, "answered_at"]
    found = tables.check(pl.DataFrame(made.rows, schema=tables.JUDGMENTS.dtypes), tables.JUDGMENTS)
    assert sorted(found.select(columns).rows(), key=repr) == sorted(judgments.select(columns).rows(), key=repr)


# A whole project -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = a_project(tmp_path_factory.mktemp("bridges") / "project", number=8)
    built = tables.read(folder / "build/annotate/judgments.parquet", tables.JUDGMENTS)
    whole = pl.col("seconds").round(0)  # Potato and Mechanical Turk count whole seconds
    tables.write(built.with_columns(whole), folder / "data/judgments.csv")
    return folder


@pytest.mark.parametrize("tool", sorted(TOOLS))
def test_a_project_s_answers_survive_the_way_through_a_tool(tool: str, project: Path, tmp_path: Path) -> None:
    other = a_project(tmp_path / "other", number=8, built=False)
    kostra.build(other, to="pairs")
    kostra.export(project, tool, tmp_path / "out", answers=True)
    made = kostra.import_answers(other, result_files(tool, tmp_path / "out"), tool)
    assert made.skipped == ()
    before = tables.read(project / "data/judgments.csv", tables.JUDGMENTS).filter(pl.col("question") == "similarity")
    after = tables.read(other / "data/judgments.csv", tables.JUDGMENTS)
    columns = ["item", "question", "annotator", "value", "status"]
    assert sorted(before.select(columns).rows()) == sorted(after.select(columns).rows())  # simulated names are kept
    again = kostra.import_answers(other, result_files(tool, tmp_path / "out"), tool)
    assert (again.judgments, again.repeated) == (0, before.height)
    kostra.build(other, to="scores")


def test_people_get_pseudonyms_and_who_is_who_stays_private(project: Path, tmp_path: Path) -> None:
    other = a_project(tmp_path / "other", number=8, built=False)
    kostra.build(other, to="pairs")
    kostra.export(project, "label-studio", tmp_path / "out")
    path = tmp_path / "out/main/tasks.json"
    tasks = json.loads(path.read_text())
    result = {"from_name": "similarity", "to_name": "screen", "type": "choices", "value": {"choices": ["3"]}}
    for task in tasks:
        task["annotations"] = [{"id": 7, "completed_by": {"email": "jana@example.org"}, "result": [result]}]
    path.write_text(json.dumps(tasks))
    made = kostra.import_answers(other, [path], "label-studio")
    assert (made.judgments, made.people) == (8, 1)
    assert "jana" not in (other / "data/judgments.csv").read_text()
    private = other / "private/annotators.csv"
    assert "jana@example.org" in private.read_text()
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    result["value"] = {"choices": ["4"]}
    path.write_text(json.dumps(tasks))
    kostra.import_answers(other, [path], "label-studio")
    after = tables.read(other / "data/judgments.csv", tables.JUDGMENTS)
    assert after["status"].value_counts().sort("status").rows() == [("answered", 8), ("superseded", 8)]
    assert set(after.filter(pl.col("status") == "answered")["supersedes"]) == set(
        after.filter(pl.col("status") == "superseded")["judgment"]
    )


def test_whoever_answered_in_another_tool_is_found_in_no_byte_of_the_release(
    project: Path, other: Path, tmp_path: Path
) -> None:
    kostra.export(project, "mturk", tmp_path / "out", answers=True)
    path = tmp_path / "out/main/results.csv"
    known = pl.read_csv(path, infer_schema=False)
    names = {old: f"A{number}XYZ7Q2LMNOP" for number, old in enumerate(known["WorkerId"].unique().sort())}
    known.with_columns(pl.col("WorkerId").replace(names)).write_csv(path)
    kostra.import_answers(other, [path], "mturk")
    kostra.build(other)
    kostra.release(other, tmp_path / "released")
    written = b"".join(file.read_bytes() for file in (tmp_path / "released").rglob("*") if file.is_file())
    for secret in (*names.values(), "mturk-0", *known["AssignmentId"]):
        assert secret.encode() not in written
    assert b"annotator-001" in written


@pytest.fixture(scope="module")
def unanswered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = a_project(tmp_path_factory.mktemp("bridges") / "unanswered", number=8, built=False)
    kostra.build(folder, to="pairs")
    return folder


@pytest.fixture
def other(unanswered: Path, tmp_path: Path) -> Path:
    """A project in which nobody has answered yet, which a test may change."""
    return Path(shutil.copytree(unanswered, tmp_path / "other"))


def answered_tasks(project: Path, folder: Path, *values: str) -> tuple[Path, list[dict[str, Any]]]:
    """An export of Label Studio in which somebody has chosen these values, a task on each line."""
    kostra.export(project, "label-studio", folder)
    path = folder / "main/tasks.json"
    tasks = json.loads(path.read_text())
    for task, value in zip(tasks, values, strict=False):
        result = {"from_name": "similarity", "type": "choices", "value": {"choices": [value]}}
        task["annotations"] = [{"completed_by": 3, "result": [result]}]
    return path, tasks


def rewrite(path: Path, tasks: list[dict[str, Any]]) -> None:
    path.write_text("[" + ",\n".join(json.dumps(task) for task in tasks) + "]")


def test_a_file_with_wrong_answers_is_refused_and_on_request_the_rest_of_it_is_taken(
    project: Path, other: Path, tmp_path: Path
) -> None:
    path, tasks = answered_tasks(project, tmp_path / "out", "3", "9", "3", "3", "3")
    tasks[2]["data"]["kostra_key"] = "main:1:1:stranger"
    tasks[3]["data"]["kostra_item"]["content"]["text_a"] = "another wording"
    tasks[4]["annotations"][0] |= {"result": [], "was_cancelled": True}
    rewrite(path, tasks)
    with pytest.raises(KostraError) as caught:
        kostra.import_answers(other, [path], "label-studio")
    assert "tasks.json:2 (task 2): item " in str(caught.value)
    assert "Choose a number from 0 to 5.; 2 more are wrong as well" in str(caught.value)
    assert not (other / "data/judgments.csv").exists()
    assert not (other / "private").exists()
    done = CliRunner().invoke(app, ["import", str(other), str(path), "--from", "label-studio", "--skip"])
    assert done.exit_code == 0, done.output
    assert "1 judgments more" in done.output
    assert "4 answers were not taken" in done.output
    assert '"main:1:1:stranger" is no item of this campaign' in done.output
    assert "was shown in another wording" in done.output
    assert "was skipped there" in done.output


def results(project: Path, folder: Path) -> tuple[Path, list[str]]:
    """A batch's results, line by line (no cell has a line break)."""
    kostra.export(project, "mturk", folder, answers=True)
    path = folder / "main/results.csv"
    return path, path.read_text().splitlines(keepends=True)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda lines: [*lines, lines[1]], r"results\.csv:18: item \"p\d+\" is answered twice by one person.*csv:2"),
        (
            lambda lines: [*lines[:3], lines[3].replace(',"', ',"","', 1), *lines[4:]],
            r"results\.csv:4: found 11 columns",
        ),
        (
            lambda lines: [lines[0], lines[1].replace("main:", "man:", 1)],
            r"results\.csv:2: .* is no item of this campaign",
        ),
        (
            lambda lines: [lines[0], re.sub(r'"\d"$', '"77"', lines[1])],
            r"results\.csv:2: .* Choose a number from 0 to 5",
        ),
    ],
)
def test_bad_results_are_refused_with_file_and_line_and_nothing_is_stored(
    project: Path, other: Path, tmp_path: Path, change: Any, what: str
) -> None:
    path, lines = results(project, tmp_path / "out")
    path.write_text("".join(change(lines)))
    with pytest.raises(KostraError, match=what):
        kostra.import_answers(other, [path], "mturk")
    assert not (other / "data/judgments.csv").exists()


@pytest.mark.parametrize("tool", sorted(TOOLS))
def test_a_file_in_another_encoding_is_refused_with_its_name(other: Path, tmp_path: Path, tool: str) -> None:
    path = tmp_path / "latin.file"
    path.write_bytes('[{"data": "žluťoučký kůň úpěl ďábelské ódy"}]'.encode("cp1250"))
    with pytest.raises(KostraError, match=r"latin\.file.*(UTF-8|utf-8)"):
        kostra.import_answers(other, [path], tool)


def test_answers_beyond_the_overlap_are_surplus_and_the_earliest_count(
    project: Path, other: Path, tmp_path: Path
) -> None:
    path, tasks = answered_tasks(project, tmp_path / "out", "3")
    result = tasks[0]["annotations"][0]["result"]
    tasks[0]["annotations"] = [
        {"id": n, "completed_by": n, "result": result, "updated_at": f"2026-03-0{5 - n}T12:00:00Z"} for n in range(4)
    ]
    rewrite(path, tasks[:1])
    made = kostra.import_answers(other, [path], "label-studio")
    assert made.judgments == 4
    assert [line.partition("(task 1): ")[2] for line in made.surplus] == ['item "p000" has its 2 answers'] * 2
    after = tables.read(other / "data/judgments.csv", tables.JUDGMENTS).sort("answered_at")
    assert after["status"].to_list() == ["answered", "answered", "surplus", "surplus"]
    tasks[0]["annotations"] = [{"id": 9, "completed_by": 9, "result": result, "updated_at": "2026-02-01T12:00:00Z"}]
    rewrite(path, tasks[:1])
    late = kostra.import_answers(other, [path], "label-studio")
    assert len(late.surplus) == 1  # whoever comes to a full item is too late, whenever they answered
    assert len(kostra.import_answers(other, [path], "label-studio").surplus) == 0  # it is known already


def test_what_another_tool_cannot_do_is_refused_or_said(project: Path, tmp_path: Path) -> None:
    waits = RECIPE.replace('name = "main"\ntask = "rating"', 'name = "first"\ntask = "rating"\n[[steps.with.phases]]\n'
                           'name = "main"\ntask = "rating"\nafter = "first"\npause_hours = 72.0')  # fmt: skip
    folder = a_project(tmp_path / "waits", number=8, recipe=waits, built=False)
    kostra.build(folder, to="pairs")
    made = kostra.export(folder, "potato", tmp_path / "out")
    assert 'phase "main": Potato does not keep: 72 hours after "first"' in made.notes
    (folder / "recipe.toml").write_text(waits.replace("pause_hours = 72.0", 'items_after = "first"'))
    with pytest.raises(KostraError, match="works on kostra's own site only: its items wait for"):
        kostra.export(folder, "potato", tmp_path / "again")
    assert not (tmp_path / "again").exists()


STATE = """\
{
  "user_id": "jana@example.org",
  "instance_id_to_label_to_value": {
    "main:1:1:p000": [
      [{"schema": "similarity", "name": "3"}, "3"]
    ],
    "main:1:1:p001": [
      [{"schema": "similarity", "name": "4"}, "4"]
    ]
  },
  "instance_id_to_behavioral_data": {
    "main:1:1:p000": {"session_start": 1794888385.34, "session_end": 1794888388.16, "total_time_ms": 5937}
  }
}
"""
LINES = """\
{"instance_id": "main:1:1:p000", "user_id": "jana@example.org", "labels": {"similarity": {"3": "3"}}, "spans": {}}
{"instance_id": "main:1:1:p001", "user_id": "jana@example.org", "labels": {"similarity": {"4": "4"}}, "spans": {}}
"""
OLD_LINES = """\
{"id": "main:1:1:p000", "label_annotations": {"similarity": {"3": "true"}}, "span_annotations": [], "behavioral_data": {"time_string": "Time spent: 0d 0h 0m 6s "}}
{"id": "main:1:1:p001", "label_annotations": {"similarity": {"4": 4}}}
"""  # noqa: E501


@pytest.mark.parametrize(
    ("name", "text", "seconds"),
    [
        ("user_state.json", STATE, 5.937),
        ("annotations.jsonl", LINES, None),
        ("annotated_instances.jsonl", OLD_LINES, 6),
    ],
)
def test_what_potato_writes_is_read_in_all_its_forms(
    other: Path, tmp_path: Path, name: str, text: str, seconds: float | None
) -> None:
    path = tmp_path / "jana@example.org" / name
    path.parent.mkdir()
    path.write_text(text)
    kostra.import_answers(other, [path], "potato")
    after = tables.read(other / "data/judgments.csv", tables.JUDGMENTS).sort("item")
    assert after.select("item", "value", "annotator").rows() == [
        ("p000", "3", "potato-001"),
        ("p001", "4", "potato-001"),
    ]
    assert after["seconds"][0] == seconds
    path.write_text(text.replace("p001", "p999"))
    with pytest.raises(KostraError, match=rf"{name}:(2|7): \"main:1:1:p999\" is no item"):
        kostra.import_answers(other, [path], "potato")


def test_exports_are_what_the_tools_document(project: Path, tmp_path: Path) -> None:
    for tool in TOOLS:
        kostra.export(project, tool, tmp_path / tool)
    view = ET.parse(tmp_path / "label-studio/main/labeling_config.xml").getroot()
    names = {element.get("name") for element in view.iter() if element.get("name")}
    for element in view.iter():
        assert element.get("toName", "screen") in names
    choices = view.find("Choices")
    assert choices is not None
    assert [choice.get("alias") for choice in choices] == ["0", "1", "2", "3", "4", "5"]
    config = yaml.safe_load((tmp_path / "potato/main/config.yaml").read_text())
    assert config["data_files"] == ["data.jsonl"]
    assert config["annotation_schemes"][0]["annotation_type"] == "radio"
    keys = {json.loads(line)["id"] for line in (tmp_path / "potato/main/data.jsonl").read_text().splitlines()}
    assert len(keys) == 8
    assert (tmp_path / "mturk/main/input.csv").read_bytes().isascii()
    assert (tmp_path / "mturk/main/template.html").read_text().count("${") == 1
    assert "Read both sentences twice." in (tmp_path / "potato/INSTRUCTIONS.md").read_text()


def test_known_answers_never_leave(tmp_path: Path) -> None:
    phase = PHASES["rating"]
    from kostra.campaign.material import Material
    from kostra.release.bridges.contract import screens_of

    item = Item("p", "pair", {"text_a": "a", "text_b": "b"}, known={"similarity": "2"})
    screens = screens_of([phase], Material({"p": item}, {("main", 0): ("p",)}))
    bridge("label-studio").write(phase, screens, tmp_path, title="t")
    assert "known" not in (tmp_path / "tasks.json").read_text()


def test_an_old_page_of_amazon_s_elements_is_read(project: Path, tmp_path: Path) -> None:
    kostra.export(project, "mturk", tmp_path / "out", answers=True)
    path = tmp_path / "out/main/results.csv"
    frame = pl.read_csv(path, infer_schema=False).head(1)
    told = json.dumps([{"similarity": {"3": False, "4": True}}])
    other = frame.drop("Answer.similarity").with_columns(
        pl.lit(told).alias("Answer.taskAnswers"),
        SubmitTime=pl.lit("Mon Jul 02 10:33:37 PDT 2018"),
        AssignmentStatus=pl.lit("Rejected"),
    )
    other.write_csv(path)
    [reply] = bridge("mturk").read(path)
    assert reply.given == {"similarity": "4"}
    assert (reply.answered_at, reply.discarded) == (datetime(2018, 7, 2, 17, 33, 37, tzinfo=UTC), True)


@pytest.mark.parametrize(
    ("tool", "text", "what"),
    [
        ("label-studio", '[{"id": 1, "similarity": "3"}]', "not JSON-MIN"),
        ("label-studio", "not json", "no list in JSON"),
        ("label-studio", '[{"data": {}},\n{"data": {} "id": 2}]', "file:2: this is not JSON"),
        ("label-studio", '[{"data": {}}\n{"data": {}}]', "file:2: this is not JSON"),
        ("potato", '{"id": "x"}\n', "no annotated instance"),
        ("mturk", "WorkerId,Answer.x\nA,1\n", "no column"),
    ],
)
def test_another_file_is_refused_with_its_place(project: Path, tmp_path: Path, tool: str, text: str, what: str) -> None:
    path = tmp_path / "strange.file"
    path.write_text(text)
    with pytest.raises(KostraError, match=what) as caught:
        kostra.import_answers(project, [path], tool)
    assert "strange.file" in str(caught.value)


def test_an_unknown_tool_or_a_full_folder_is_refused(project: Path, tmp_path: Path) -> None:
    with pytest.raises(KostraError, match='did you mean "potato"'):
        kostra.export(project, "potatoes", tmp_path / "out")
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(KostraError, match="not an empty folder"):
        kostra.export(project, "potato", tmp_path)


# Prolific ------------------------------------------------------------------------------------------------

PARTICIPANTS = """\
Submission id,Participant id,Status,Started at,Completed at,Time taken,Completion code,Age,Sex
s1,5f2a9c0b7e1d4c3a2b1f0e91,AWAITING REVIEW,2026-03-01T12:00:00Z,2026-03-01T12:10:00Z,600,C1,31,Female
s2,5f2a9c0b7e1d4c3a2b1f0e92,AWAITING REVIEW,2026-03-01T12:00:00Z,,,,CONSENT_REVOKED,CONSENT_REVOKED
s3,5f2a9c0b7e1d4c3a2b1f0e93,RETURNED,2026-03-01T12:00:00Z,,,,45,Male
"""


def test_participants_stay_private_and_whoever_answered_is_approved(tmp_path: Path) -> None:
    folder = a_project(tmp_path / "project", number=8, built=False, recipe=RECIPE)
    (tmp_path / "export.csv").write_text(PARTICIPANTS)
    made = kostra.import_answers(folder, [tmp_path / "export.csv"], "prolific")
    assert made.people == 3
    assert made.notes[0] == "submissions: awaiting review 2, returned 1"
    told = (folder / "private/participants.csv").read_text()
    assert "5f2a9c" not in told
    assert "CONSENT_REVOKED" not in told
    header = "judgment,item,version,question,annotator,value,status,phase,block\n"
    (folder / "data/judgments.csv").write_text(header + "j,p000,1,similarity,prolific-001,3,answered,main,main\n")
    kostra.export(folder, "prolific", tmp_path / "out")
    assert (tmp_path / "out/approvals.txt").read_text() == "5f2a9c0b7e1d4c3a2b1f0e91\n"
    assert "no answers that count" in (tmp_path / "out/not_approved.csv").read_text()
    assert (tmp_path / "out/bonuses.csv").read_text() == ""


def test_a_study_that_was_returned_and_taken_again_is_approved_and_a_submission_stands_once(tmp_path: Path) -> None:
    folder = a_project(tmp_path / "project", number=8, built=False, recipe=RECIPE)
    again = PARTICIPANTS + "s4,5f2a9c0b7e1d4c3a2b1f0e91,RETURNED,2026-02-01T12:00:00Z,,,,31,Female\n"
    (tmp_path / "export.csv").write_text(again)
    assert kostra.import_answers(folder, [tmp_path / "export.csv"], "prolific").people == 3
    header = "judgment,item,version,question,annotator,value,status,phase,block\n"
    (folder / "data/judgments.csv").write_text(header + "j,p000,1,similarity,prolific-001,3,answered,main,main\n")
    kostra.export(folder, "prolific", tmp_path / "out")
    assert "5f2a9c0b7e1d4c3a2b1f0e91\n" in (tmp_path / "out/approvals.txt").read_text()
    assert stat.S_IMODE((tmp_path / "out/approvals.txt").stat().st_mode) == 0o600
    (tmp_path / "export.csv").write_text(PARTICIPANTS + PARTICIPANTS.splitlines()[1] + "\n")
    with pytest.raises(KostraError, match=r"export\.csv:5: the submission s1 stands on line 2 already"):
        kostra.import_answers(folder, [tmp_path / "export.csv"], "prolific")
