"""Verdicts follow from the figures; missing files are one clear error; table, JSON and page say the same."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from kostra.errors import KostraError
from kostra.reproduction import PAPERS, Picture, Reproduction, reproduce
from kostra.reproduction.checks import compare, not_released, number_of, shares, total
from kostra.reproduction.page import page
from kostra.reproduction.places import find
from kostra.reproduction.showing import lines


@pytest.mark.parametrize(
    ("published", "computed", "verdict"),
    [
        ("0.887", 0.8866, "equal"),
        ("0.887", 0.88649, "close"),  # half a unit of the last digit, and a little more
        ("0.512", 0.5185, "close"),  # 1.3%
        ("0.864", 0.8416, "differs"),  # 2.6%
        ("1978", 1978, "equal"),
        ("1978", 1979, "close"),  # a count is exact
        ("10,000", 9000, "differs"),
        ("12.3%", 12.34, "equal"),
    ],
)
def test_a_verdict_follows_from_the_two_figures(published: str, computed: float, verdict: str) -> None:
    assert compare("Table 1", "cell", published, computed).verdict == verdict


def test_a_named_tolerance_widens_what_is_equal_and_nothing_else() -> None:
    assert compare("T", "c", "0.44", 0.4346).verdict == "close"
    assert compare("T", "c", "0.44", 0.4346, tolerance=0.01).verdict == "equal"
    assert compare("T", "c", "0.44", 0.4546, tolerance=0.01).verdict == "differs"


def test_a_reason_stands_only_where_the_figures_are_not_equal() -> None:
    assert compare("T", "c", "3", 3, how="counted", otherwise="lost").why == "counted"
    assert compare("T", "c", "3", 4, how="counted", otherwise="lost").why == "lost; counted"
    assert compare("T", "c", "3", 4).why == "why is not known"


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(ValueError, match="is no figure"):
        compare("T", "c", "12:32", 3.0)
    with pytest.raises(KostraError, match="what the files hold gives no such figure"):
        compare("T", "c", "0.5", float("nan"))


def test_what_follows_only_from_printed_figures_is_not_released_and_says_whether_it_does_follow() -> None:
    # 171 of 1,396 are 12.249%.
    counts = {"sense": "171", "rest": "1225"}
    (share,) = shares("Table 2", counts, {"sense": "12.3"}, why="lost")
    added = total("Table 1", "Total", "65", ["60", "9"], why="lost")
    assert [check.why for check in (share, added)] == [
        "lost; 171 of 1,396, as printed, in percent: 12.25",
        "lost; the rows as printed add up to 69",
    ]
    assert {check.verdict for check in (share, added)} == {"not released"}, "no released file says anything of them"


def example() -> Reproduction:
    checks = [
        compare("Table 1", "pairs < all", "0.5", 0.51, how="counted"),
        compare("Table 1", "others", "7", 9, otherwise="two more <b>"),
        *not_released("Table 2", {"time": "12:32", "κ": "0.734"}, "no answers were released"),
        *not_released("Figure 1", ["picture"], "a picture"),
    ]
    picture = Picture("Figure 1", "Again.", "<svg><title>t</title></svg>")
    return Reproduction("mine", "Mine & yours", "Me.", ("a.tsv",), tuple(checks), (picture,), ("line 3 is odd",))


def test_json_has_the_agreed_form_with_numbers_as_numbers() -> None:
    plain = json.loads(json.dumps(example().plain(), allow_nan=False))
    assert list(plain) == ["paper", "checks"]
    assert plain["paper"] == "mine"
    form = ["table", "cell", "published", "computed", "verdict", "why"]
    assert all(list(one) == form for one in plain["checks"])
    first, second, time, kappa, picture = plain["checks"]
    assert (first["published"], first["computed"], first["verdict"]) == (0.5, 0.51, "equal")
    assert (second["published"], second["computed"], second["verdict"]) == (7, 9, "differs")
    assert (time["published"], time["computed"]) == ("12:32", None)
    assert (kappa["published"], kappa["verdict"]) == (0.734, "not released")
    assert picture["published"] is None


def test_the_page_is_one_file_that_escapes_what_it_shows_and_keeps_pictures() -> None:
    made = page(example())
    assert "pairs &lt; all" in made
    assert "two more &lt;b&gt;" in made
    assert "<svg><title>t</title></svg>" in made
    assert "line 3 is odd" in made
    assert not re.search(r"<script|<link|src=|url\(", made)
    assert re.findall(r'class="verdict (\w+)">', made)[4:] == ["equal", "differs", "not", "not", "not"]


def test_the_terminal_shows_each_computed_figure_and_gathers_what_was_not_released() -> None:
    said = lines(example())
    assert any(re.search(r"others +7 +9 +\+2  differs", line) for line in said)
    assert "  2 figures: not released: no answers were released" in said
    assert said[-1] == "5 figures: 1 equal, 0 close, 1 differs, 3 not released"


def test_missing_files_are_one_error_that_names_the_file_and_the_folder(tmp_path: Path) -> None:
    (tmp_path / "cdsc_train.tsv").write_text("x")
    with pytest.raises(KostraError) as error:
        reproduce("cdsc", data=tmp_path)
    assert error.value.what == f"there is no cdsc_trial.tsv in {tmp_path}"
    assert error.value.remedy is not None
    assert "--data" in error.value.remedy


def test_files_are_looked_for_in_the_usual_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KOSTRA_DATA", str(tmp_path / "said"))
    monkeypatch.setenv("KOSTRA_CACHE", str(tmp_path / "cache"))
    with pytest.raises(KostraError) as error:
        find(["x.tsv"], dataset="cdsc")
    places = [str(tmp_path / "said"), str(tmp_path / "cache" / "datasets" / "cdsc"), str(Path("../shared/data"))]
    assert all(place in error.value.what for place in places)
    beside = tmp_path / "cache" / "datasets" / "cdsc"
    beside.mkdir(parents=True)
    (beside / "x.tsv").write_text("x")
    assert find(["x.tsv"], dataset="cdsc") == {"x.tsv": beside / "x.tsv"}


def test_an_unknown_paper_lists_the_four() -> None:
    with pytest.raises(KostraError) as error:
        reproduce("costr")
    assert error.value.accepted == ", ".join(sorted(PAPERS))
    assert error.value.remedy == 'did you mean "costra"?'


def test_the_command_prints_the_table_and_writes_json_and_page(data: Path, tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from kostra.cli import app

    asked = ["reproduce", "cdsc", "--data", str(data), "--json", str(tmp_path / "c.json"), "--html"]
    ran = CliRunner().invoke(app, [*asked, str(tmp_path / "c.html")])
    assert ran.exit_code == 0, ran.output
    assert "relatedness 5" in ran.output
    assert json.loads((tmp_path / "c.json").read_text())["paper"] == "cdsc"
    assert (tmp_path / "c.html").read_text().startswith("<!doctype html>")


def test_numbers_are_read_as_papers_print_them() -> None:
    assert [number_of(printed) for printed in ("1,978", "99.8%", ".57", "", "8:55")] == [1978.0, 99.8, 0.57, None, None]
