"""The shipped recipes: complete, checkable, and honest about what comes later; and mistakes in a recipe explained."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from kostra import registry
from kostra.campaign.protocol import Campaign, Phase
from kostra.errors import KostraError
from kostra.pipeline import build, check
from kostra.projects import new, shipped_recipe
from kostra.recipe import Recipe, Step, parse, read_recipe
from kostra.steps import component

RECIPES = Path(registry.__file__).parent / "recipes"
SHIPPED = sorted(path.stem for path in RECIPES.glob("*.toml"))
PAPERS = ("costra", "czech_news_sts", "cdsc", "str2021")
PLAIN = ("bws", "rating")
NOW = datetime(2026, 3, 1, tzinfo=UTC)


def recipe(name: str) -> Recipe:
    return read_recipe(shipped_recipe(name))


def campaigns(name: str) -> Iterator[tuple[Step, Campaign]]:
    for step in recipe(name).steps:
        if step.use == "campaign/annotate":
            yield step, parse(Campaign, step.options, where=name)


def phase(name: str, step: str, wanted: str) -> Phase:
    (campaign,) = [campaign for found, campaign in campaigns(name) if found.name == step]
    (found,) = [phase for phase in campaign.phases if phase.name == wanted]
    return found


def options(name: str, step: str) -> dict[str, Any]:
    return recipe(name).step(step).options


# All of them -------------------------------------------------------------------------------------------


def test_the_four_papers_and_the_plain_protocols_are_shipped() -> None:
    assert set(SHIPPED) == {*PAPERS, *PLAIN, "demo"}


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_recipe_declares_what_the_house_requires(name: str) -> None:
    about = recipe(name).recipe
    assert about.name == name
    assert about.citation
    assert about.licence
    assert about.samples


@pytest.mark.parametrize("name", SHIPPED)
def test_check_accepts_a_shipped_recipe(name: str) -> None:
    statuses = check(shipped_recipe(name))
    assert [status.step for status in statuses] == list(recipe(name).steps)
    assert {status.state for status in statuses} == {"never"}


@pytest.mark.parametrize("name", SHIPPED)
def test_every_step_says_why_it_is_there(name: str) -> None:
    assert [step.name for step in recipe(name).steps if not step.note] == []


@pytest.mark.parametrize("name", SHIPPED)
def test_every_component_of_a_recipe_is_there(name: str) -> None:
    for step in recipe(name).steps:
        assert component(step.use)


@pytest.mark.parametrize("name", SHIPPED)
def test_every_step_but_the_last_ones_is_read_by_another(name: str) -> None:
    steps = recipe(name).steps
    read = {source for step in steps for source in step.reads}
    ends = {step.name for step in steps if step.room in ("release", "report")}
    kept_apart = {"train_n1", "train_n2"}  # other training sets; one release holds one table of pairs
    assert {step.name for step in steps} - read - ends <= kept_apart


@pytest.mark.parametrize("name", SHIPPED)
def test_a_block_takes_its_items_from_a_step_that_the_campaign_reads(name: str) -> None:
    for step, campaign in campaigns(name):
        named = {block.items_from for phase in campaign.phases for block in phase.blocks if block.items_from}
        assert named <= set(step.reads)


@pytest.mark.parametrize("name", SHIPPED)
def test_campaigns_of_one_recipe_keep_their_answers_apart(name: str) -> None:
    answers = [campaign.answers for _, campaign in campaigns(name)]
    assert len(answers) == len(set(answers))


@pytest.mark.parametrize("name", SHIPPED)
def test_a_new_project_starts_on_its_sample_data(name: str, tmp_path: Path) -> None:
    project = new(name, tmp_path / name)
    planned = check(project)
    assert any(status.rows for status in planned)
    first = recipe(name).steps[0]
    built = build(project, simulate=True, to=first.name, now=NOW)
    assert [status.state for status in built.steps] == ["done"]


@pytest.mark.parametrize("name", [*PLAIN, "demo"])
def test_a_plain_recipe_runs_from_pairs_to_report_with_simulated_annotators(name: str, tmp_path: Path) -> None:
    built = build(new(name, tmp_path / name), simulate=True, now=NOW)
    assert [(status.step.name, status.why) for status in built.steps if status.state != "done"] == []
    assert built.complete
    assert (tmp_path / name / "report.html").is_file()


# What the papers ask -----------------------------------------------------------------------------------


def test_str_has_seven_sources_and_ten_strategies_of_5500_pairs() -> None:
    steps = recipe("str2021").steps
    sources = [step for step in steps if step.use in ("sources/files", "sources/scored_pairs")]
    assert len(sources) == 7
    quotas = [options("str2021", source)["pairs"] for source in recipe("str2021").step("pool").reads]
    assert quotas == [300, 700, 1000, 450, 300, 750, 250, 750, 500, 500]
    assert sum(quotas) == 5500


def test_str_asks_two_people_per_tuple_and_stops_those_below_70_percent_on_gold() -> None:
    main = phase("str2021", "annotate", "main")
    assert (main.task, main.overlap) == ("best_worst", 2)
    assert main.gold is not None
    assert (main.gold.threshold, main.gold.feedback, main.gold.from_phase) == (0.7, True, "authors")
    assert options("str2021", "tuples") == {"size": 4, "factor": 2.0}


def test_czech_news_deals_six_whole_incidents_to_one_picker_each() -> None:
    pick = phase("czech_news_sts", "pick", "pick")
    assert (pick.deal, pick.overlap, pick.highlights) == ("whole_groups", 1, True)
    assert pick.blocks[-1].groups == 6


@pytest.mark.parametrize(("name", "repeats_of"), [("free", "preliminary_free"), ("context", "preliminary_context")])
def test_czech_news_has_calibration_main_and_repeat_blocks_for_nine_people(name: str, repeats_of: str) -> None:
    found = phase("czech_news_sts", "round2", name)
    assert [(block.purpose, block.items) for block in found.blocks] == [("calibration", 6), ("main", 50), ("repeat", 5)]
    assert found.blocks[-1].from_phase == repeats_of
    assert (found.overlap, found.deal) == (9, "disjoint_sequences")


def test_czech_news_waits_72_hours_before_the_same_pairs_in_the_same_order() -> None:
    context = phase("czech_news_sts", "round2", "context")
    assert (context.after, context.pause_hours, context.same_order_as) == ("free", 72, "free")


@pytest.mark.parametrize("step", ["pick", "round2"])
def test_czech_news_names_all_seven_points_on_every_scale(step: str) -> None:
    declared = recipe("czech_news_sts").score.labels
    assert len(declared) == 7
    (campaign,) = [campaign for found, campaign in campaigns("czech_news_sts") if found.name == step]
    scales = [question for phase in campaign.phases for question in phase.questions if question.high is not None]
    assert scales
    assert {question.labels for question in scales} == {declared}


def test_cdsc_has_seven_rules_and_ten_kinds_of_pairs_with_reverses() -> None:
    assert len(set(options("cdsc", "transformed")["rules"])) == 7
    assert len(options("cdsc", "pairs")["kinds"]) == 10
    assert options("cdsc", "pairs")["reverses"] is True


def test_cdsc_lets_a_leader_correct_before_three_people_judge() -> None:
    correct, lead, judge = (phase("cdsc", "judge", name) for name in ("correct", "lead", "judge"))
    assert (correct.role, correct.corrects, correct.overlap) == ("leader", True, 1)
    assert (lead.items_after, judge.items_after) == ("correct", "correct")
    assert lead.overlap + judge.overlap == 3
    assert judge.never_in_one_sitting == ("reverse",)
    assert phase("cdsc", "judge", "validate").validates == "judge"


def test_costra_asks_for_fifteen_rewrites_any_of_which_may_be_impossible() -> None:
    rewrite = phase("costra", "rewrite", "rewrite")
    assert len(rewrite.questions) == 15
    assert all(question.impossible for question in rewrite.questions)
    assert (rewrite.overlap_at_least, rewrite.overlap) == (1, 4)
    by_name = {question.name: question for question in rewrite.questions}
    assert by_name["paraphrase_2"].differs_from == ("paraphrase_1",)
    assert {name for name, question in by_name.items() if question.examples} == {"nonsense"}
    assert {name for name, question in by_name.items() if question.shows_words} == {"different_meaning", "nonsense"}


def test_costra_keeps_seeds_of_more_than_5_and_fewer_than_15_words() -> None:
    assert options("costra", "candidates") == {"min_words": 6, "max_words": 14}


# Mistakes ----------------------------------------------------------------------------------------------

GOOD = """\
[recipe]
name = "mine"
title = "Mine"
protocol = "pairs, ratings"
language = "en"
seed = 1
citation = "me"

[score]
question = "similarity"
low = 0.0
high = 5.0

[[steps]]
name = "pairs"
use = "sources/files"
[steps.with]
paths = ["data/pairs.csv"]
table = "pairs"

[[steps]]
name = "annotate"
use = "campaign/annotate"
reads = ["pairs"]
[[steps.with.phases]]
name = "main"
task = "rating"
overlap = 3
"""


def refused(folder: Path, found: str, written: str) -> tuple[KostraError, str]:
    """The error that a mistake gives, and where it says the mistake is, as line number or file name."""
    assert GOOD.count(found) == 1
    path = folder / "recipe.toml"
    path.write_text(GOOD.replace(found, written), encoding="utf-8")
    with pytest.raises(KostraError) as error:
        check(path)
    assert error.value.where is not None
    place, _, line = error.value.where.partition("recipe.toml")
    assert place == f"{folder}/"
    return error.value, line


def line_of(text: str) -> str:
    return f":{GOOD.split(text)[0].count(chr(10)) + 1}"


def test_a_recipe_without_mistakes_is_accepted(tmp_path: Path) -> None:
    path = tmp_path / "recipe.toml"
    path.write_text(GOOD, encoding="utf-8")
    assert [status.state for status in check(path)] == ["never", "never"]


@pytest.mark.parametrize(
    ("found", "written", "nearest"),
    [
        ("seed = 1", 'licens = "CC0-1.0"\nseed = 1', "licence"),
        ("low = 0.0", "label = []\nlow = 0.0", "labels"),
        ('reads = ["pairs"]', 'read = ["pairs"]', "reads"),
        ('table = "pairs"', 'tabel = "pairs"', "table"),
        ("overlap = 3", "overlaps = 3", "overlap"),
    ],
)
def test_an_unknown_key_is_refused_with_its_line_and_the_nearest_known_one(
    found: str, written: str, nearest: str, tmp_path: Path
) -> None:
    error, line = refused(tmp_path, found, written)
    assert error.what.startswith("unknown key ")
    assert error.what.endswith(f'{written.partition(" ")[0]}"')
    assert line == line_of(found)
    assert error.accepted is not None
    assert nearest in error.accepted.split(", ")
    assert error.remedy == f'did you mean "{nearest}"?'


@pytest.mark.parametrize(
    ("found", "key", "table"),
    [
        ("seed = 1\n", "recipe.seed", "[recipe]"),
        ('language = "en"\n', "recipe.language", "[recipe]"),
        ('citation = "me"\n', "recipe.citation", "[recipe]"),
        ("low = 0.0\n", "score.low", "[score]"),
        ("high = 5.0\n", "score.high", "[score]"),
    ],
)
def test_a_missing_required_key_is_named_with_the_line_of_its_table(
    found: str, key: str, table: str, tmp_path: Path
) -> None:
    error, line = refused(tmp_path, found, "")
    assert error.what == f'the key "{key}" is missing'
    assert line == line_of(table)


def test_a_missing_score_is_named(tmp_path: Path) -> None:
    start, end = GOOD.index("[score]"), GOOD.index("[[steps]]")
    error, _ = refused(tmp_path, GOOD[start:end], "")
    assert error.what == 'the key "score" is missing'


@pytest.mark.parametrize(
    ("found", "written"),
    [
        ("seed = 1", 'seed = "one"'),
        ("low = 0.0", 'low = "zero"'),
        ("overlap = 3", 'overlap = "three"'),
    ],
)
def test_text_where_a_number_belongs_is_refused_with_what_was_found(found: str, written: str, tmp_path: Path) -> None:
    error, line = refused(tmp_path, found, written)
    assert written.split('"')[1] in error.what
    assert error.accepted is not None
    assert any(word in error.accepted for word in ("number", "integer"))
    assert line == line_of(found)


def test_a_range_that_runs_backwards_is_refused(tmp_path: Path) -> None:
    error, line = refused(tmp_path, "low = 0.0", "low = 6.0")
    assert "low (6) must lie below high (5)" in error.what
    assert line == line_of("[score]")


def test_a_step_that_reads_no_step_before_it_is_refused_with_the_nearest(tmp_path: Path) -> None:
    error, _ = refused(tmp_path, 'reads = ["pairs"]', 'reads = ["pears"]')
    assert error.what == 'step "annotate" reads "pears", which is no step before it; did you mean "pairs"?'
    assert error.where is not None
    assert error.where.rsplit(":", 1)[1].isdecimal(), "the step's line is told"


def test_two_steps_of_one_name_are_refused(tmp_path: Path) -> None:
    error, _ = refused(tmp_path, 'name = "annotate"', 'name = "pairs"')
    assert 'step "pairs" stands twice' in error.what
    assert error.where is not None
    assert error.where.rsplit(":", 1)[1].isdecimal(), "the line of the second one is told"


def test_an_unknown_room_lists_the_rooms(tmp_path: Path) -> None:
    error, _ = refused(tmp_path, 'use = "sources/files"', 'use = "cellar/files"')
    assert 'uses a room "cellar"' in error.what
    assert "sampling" in error.what


def test_an_unknown_component_lists_what_exists_and_the_nearest(tmp_path: Path) -> None:
    error, _ = refused(tmp_path, 'use = "sources/files"', 'use = "sources/flies"')
    assert 'unknown component of sources "flies"' in error.what
    assert error.accepted is not None
    assert "files" in error.accepted.split(", ")
    assert error.remedy == 'did you mean "files"?'


def test_a_component_without_its_room_is_refused_with_an_example(tmp_path: Path) -> None:
    error, line = refused(tmp_path, 'use = "sources/files"', 'use = "files"')
    assert error.accepted is not None
    assert "room/name" in error.accepted
    assert line == line_of('use = "sources/files"')


def test_a_step_that_reads_the_wrong_kind_of_table_is_told_what_it_needs(tmp_path: Path) -> None:
    scoring = '[[steps]]\nname = "annotate"\nuse = "scoring/mean"\nreads = ["pairs"]\n'
    error, _ = refused(tmp_path, GOOD[GOOD.rindex("[[steps]]") :], scoring)
    assert error.what == 'step "annotate" (scoring/mean) needs judgments, and reads pairs'


@pytest.mark.parametrize(
    ("found", "written"),
    [
        ('title = "Mine"', 'title = "Mine'),
        ("seed = 1", "seed = "),
        ("high = 5.0", "high = 5.0\nhigh = 6.0"),
    ],
)
def test_invalid_toml_is_refused_with_its_line(found: str, written: str, tmp_path: Path) -> None:
    error, line = refused(tmp_path, found, written)
    assert error.what.startswith("this is not valid TOML: ")
    assert int(line.removeprefix(":")) - int(line_of(found).removeprefix(":")) in (0, written.count("\n"))


def test_a_recipe_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(KostraError, match=r"nowhere\.toml"):
        check(tmp_path / "nowhere.toml")


# Mistakes in a campaign ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("added", "complaint"),
    [
        ('after = "pilot"', 'phase "main" refers to "pilot", which is no phase before it'),
        ('items_after = "lead"', 'phase "main" refers to "lead", which is no phase before it'),
        ('validates = "lead"', 'phase "main" refers to "lead", which is no phase before it'),
        ("pause_hours = 72", 'phase "main" has a pause but does not say `after` which phase'),
        ("overlap_at_least = 4", 'phase "main": overlap_at_least (4) is above overlap'),
        ('gold = { every = 10, from_phase = "us" }', 'phase "main" refers to "us", which is no phase before it'),
        ('blocks = [{ purpose = "main", groups = 6 }]', 'phase "main" counts groups but does not deal them'),
        ('questions = [{ name = "a" }, { name = "a" }]', 'phase "main" asks "a" twice'),
        ('questions = [{ name = "a", about = "b" }]', 'question "a" is about "b", which is not asked'),
        ('questions = [{ name = "a", differs_from = ["b"] }]', 'question "a" differs from "b", which is not asked'),
        ('[[steps.with.phases]]\nname = "main"\ntask = "rating"', 'two phases are called "main"'),
        (
            '[[steps.with.phases]]\nname = "validate"\ntask = "correct"\nvalidates = "main"',
            'phase "validate" validates "main", which takes no suggestions',
        ),
    ],
)
def test_a_campaign_that_cannot_be_kept_is_refused(added: str, complaint: str, tmp_path: Path) -> None:
    error, _ = refused(tmp_path, "overlap = 3", f"overlap = 3\n{added}")
    assert complaint in error.what
