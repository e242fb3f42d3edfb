"""Free names in groups: proposed by likeness, decided by a person, counted."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from kostra.analysis import name_groups as grouping
from kostra.analysis.name_groups import name_groups, shares_figure
from kostra.campaign.naming import (
    NamingOptions,
    counted,
    group_name,
    merged,
    moved,
    propose,
    read_groups,
    settled,
    write_groups,
)
from kostra.errors import KostraError
from kostra.recipe import About, Recipe, Score, Step, parse
from kostra.steps import Context, Inputs
from kostra.tables import JUDGMENTS, Frame, check

NAMES = ["less formal", "Less formal.", "formal less", "less fromal", "a ban", "ban", "question"]


def judgments(names: list[str]) -> Frame:
    frame = pl.DataFrame({"value": names}).with_columns(
        judgment=pl.format("j{}", pl.int_range(pl.len())), item=pl.lit("h1"), version=1,
        question=pl.lit("rewrite_name"), annotator=pl.lit("otter"), status=pl.lit("answered"),
        phase=pl.lit("ideas"), block=pl.lit("main"),
    )  # fmt: skip
    return check(frame, JUDGMENTS)


def run(folder: Path, names: list[str] | None = None, **said: object) -> tuple[Frame, Context]:
    about = About(name="t", title="t", protocol="t", language="en", seed=1, citation="t")
    step = Step(name="idea_names", use="analysis/name_groups")
    recipe = Recipe(recipe=about, score=Score(question="q", low=0.0, high=1.0), steps=(step,))
    context = Context(recipe, step, folder, folder, np.random.default_rng(1), datetime(2026, 3, 1, tzinfo=UTC))
    options = parse(NamingOptions, dict(said), where="here")
    read = Inputs({"judgments": judgments(names or NAMES)})
    assert grouping.plan({"judgments": 9}, options, context).waits is None
    return grouping.run(read, options, context)["statistics"], context


def decide(folder: Path, text: str) -> Path:
    path = folder / "data" / "name_groups.csv"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def kinds(context: Context) -> list[str]:
    return [found.kind for found in context.findings]


# Proposals ----------------------------------------------------------------------------------------------


def test_capitals_spacing_and_punctuation_do_not_tell_names_apart() -> None:
    assert counted(["Less  formal", "less formal.", "„less formal“", " ", None]) == {"less formal": 3}


def test_variants_of_a_name_are_proposed_as_one_group_called_by_the_most_frequent() -> None:
    found = propose(counted(NAMES))
    assert found["formal less"] == found["less fromal"] == "less formal"
    assert found["question"] == "question"
    assert found["ban"] != "less formal"


def test_a_higher_threshold_proposes_no_fewer_groups() -> None:
    groups = [len(set(propose(counted(NAMES), threshold=threshold).values())) for threshold in (0.3, 0.6, 0.95)]
    assert groups == sorted(groups)
    assert groups[0] < groups[-1]


def test_one_name_and_none_are_grouped_as_well() -> None:
    assert propose({"ban": 3}) == {"ban": "ban"}
    assert propose({}) == {}


# Decisions ----------------------------------------------------------------------------------------------


def test_what_was_decided_stands_and_later_names_go_with_their_likes() -> None:
    proposed = {"a": "a", "b": "a", "c": "a", "d": "d"}
    assert settled(proposed, {"a": "X", "b": "X", "c": "Y"}) == {"a": "X", "b": "X", "c": "Y", "d": "d"}
    assert settled(proposed, {"a": "X"})["c"] == "X"


def test_groups_are_merged_split_and_written_back_equal(tmp_path: Path) -> None:
    groups = merged({"a": "x", "b": "y", "č": "y"}, ["x", "y"], " both  of them ")
    groups = moved(groups, ["č"], 'its own, with a "comma"')
    write_groups(groups, tmp_path / "new" / "groups.csv")
    assert read_groups(tmp_path / "new" / "groups.csv")[0] == groups
    assert groups == {"a": "both of them", "b": "both of them", "č": 'its own, with a "comma"'}


@pytest.mark.parametrize("said", ["", "   ", "x" * 201])
def test_a_group_needs_a_name_of_a_sensible_length(said: str) -> None:
    with pytest.raises(KostraError):
        group_name(said)


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("name,kind\nban,ban\n", 1, 'column "group" is missing; found name, kind'),
        ("name,group\nban,ban\nlouder,\n", 3, "found nothing"),
        ("name,group\n…,ban\n", 2, "found nothing"),
        ("name,group\nban,ban\nlouder,loud\nBan.,a ban\n", 4, 'the name "ban" stands twice (lines 2 and 4)'),
    ],
)
def test_a_mistake_in_the_table_is_told_with_file_and_line(text: str, line: int, what: str, tmp_path: Path) -> None:
    path = decide(tmp_path, text)
    with pytest.raises(KostraError) as error:
        read_groups(path)
    assert error.value.what == what
    assert error.value.where is not None
    assert f"name_groups.csv:{line}" in error.value.where
    with pytest.raises(KostraError):
        run(tmp_path)  # before anything runs


# The step -----------------------------------------------------------------------------------------------


def test_without_decisions_the_proposals_are_counted_and_it_is_said(tmp_path: Path) -> None:
    found, context = run(tmp_path)
    assert kinds(context) == ["undecided", "names"]
    made = pl.read_csv(tmp_path / "proposals.csv")
    assert set(made["name"]) == set(counted(NAMES))
    value = dict(found.filter(pl.col("question") == "rewrite_name").select("statistic", "value").iter_rows())
    assert value["ideas"] == 7
    assert value["different_names"] == 6
    assert (tmp_path / "name_groups.svg").is_file()


def test_the_proposals_can_be_mended_and_read_as_decisions(tmp_path: Path) -> None:
    run(tmp_path)
    decide(tmp_path, (tmp_path / "proposals.csv").read_text(encoding="utf-8"))
    _, context = run(tmp_path)
    assert kinds(context) == ["names"]


def test_decisions_rule_the_shares_and_strange_names_are_told_with_their_lines(tmp_path: Path) -> None:
    rows = [(name, "style" if "f" in name else "rest") for name in counted(NAMES)]
    lines = ["name,group", "never given,style", *(f"{name},{group}" for name, group in rows[:-1])]
    decide(tmp_path, "\n".join(lines) + "\n")
    _, context = run(tmp_path)
    made = pl.read_csv(tmp_path / "name_groups.csv")
    assert made["group"][0] == "style"
    assert made["rewrites"].sum() == len(NAMES)
    assert made.filter(pl.col("group") == "style")["rewrites"].item() == 4
    strange = next(found for found in context.findings if found.kind == "strange_names")
    assert strange.lines == (2,)
    assert "undecided" in kinds(context), "the last name has no group yet"


def test_how_many_imitate_the_examples_is_counted(tmp_path: Path) -> None:
    found, context = run(tmp_path, examples=["Less formal", "past"])
    value = dict(found.select("statistic", "value").iter_rows())
    assert value["share_like_an_example"] == pytest.approx(4 / 7)
    assert "nobody used the names of 1 examples: past" in [finding.message for finding in context.findings]


def test_a_question_that_nobody_answered_is_refused(tmp_path: Path) -> None:
    with pytest.raises(KostraError, match='nobody has answered the question "naming"') as error:
        run(tmp_path, question="naming")
    assert error.value.accepted == "rewrite_name"


def test_an_unknown_encoder_is_refused_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(KostraError, match='unknown component of encoders "statik"'):
        run(tmp_path, encoder="statik")


def test_the_figure_shows_the_largest_groups_only() -> None:
    names = Counter({f"name {number}": 40 - number for number in range(30)})
    figure = shares_figure(name_groups(names, {name: name for name in names}))
    assert str(figure.get_label()).count(";") == grouping.SHOWN - 1
